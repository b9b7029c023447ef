/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_WARM_H
#define SKR_TEST_BENCH_WARM_H
/* A problem whose feasible sets are kept and follow its leaves one by one, as in
 * core/solver/cache.c, so that its parts can be timed apart. Ties are not SKR_TIE_TIGHT. */
#include "core/solver/feasible_sets.h"

struct warm {
    struct skr_run run;
    struct skr_feasible sets;
};

/* problem is borrowed. False: too large. Follow with warm_close() in any case. */
bool warm_open(struct warm *w, const struct skr_problem *problem);
bool warm_change(struct warm *w, int32_t leaf); /* false: as above */
bool warm_feasible(const struct warm *w);
int warm_solve(const struct warm *w, struct skr_solution **ret); /* as skr_solve() */
void warm_close(struct warm *w);

#endif
