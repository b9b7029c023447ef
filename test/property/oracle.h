/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ORACLE_H
#define SKR_TEST_PROPERTY_ORACLE_H
/*
 * Three independent opinions about a solver problem. They share nothing with the solver, and
 * nothing with each other, but the problem they are asked.
 *
 *   enumerator  looks at every leaf vector; keys as sorted lists
 *   plain DP    tables of (used, total) with keys as long vectors of digits
 *   greedy      the heuristic of other schedulers; not exact, only never better than the optimum
 */
#include "test/property/instance.h"

struct oracle_answer {
    bool feasible;
    int32_t count[INSTANCE_LEAVES_MAX]; /* optimal, by the rule for ties */
};

void enumerator_solve(const struct instance *instance, struct oracle_answer *ret);

/* sizes: NULL or [n + 1], set to whether each size is feasible under the problem's rules (each
 * fit capped at n). */
void plain_dp_solve(const struct instance *instance, struct oracle_answer *ret, bool *sizes);

/* feasible: the greedy method found a placement. Ties by draws from random. */
void greedy_solve(const struct instance *instance, struct random *random,
                  struct oracle_answer *ret);

#endif
