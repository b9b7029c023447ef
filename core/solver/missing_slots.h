/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_MISSING_SLOTS_H
#define SKR_CORE_SOLVER_MISSING_SLOTS_H
/* The least number of slots that would have to be added, and where. Internal to the solver. */
#include "core/solver/feasible_sets.h"

/* run->n must not be in S(root); class and sum_fits of *ret are set, leaf are the bounds that make
 * it infeasible. Fills the slots of *ret and marks the part when they are known; meeting a limit is
 * no failure. */
void skr_missing_slots_find(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                            struct skr_explanation *ret);

#endif
