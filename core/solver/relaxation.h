/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_RELAXATION_H
#define SKR_CORE_SOLVER_RELAXATION_H
/* Minimal sets of rules without which an infeasible group is feasible. Internal to the solver. */
#include "core/solver/feasible_sets.h"

/* run->n must not be in S(root) of feasible, sum_fits the sum of its fits. Fills the relaxations of
 * *ret and marks the part when they are complete; meeting a limit is no failure. */
void skr_relaxations_find(struct skr_run *run, const struct skr_feasible *feasible,
                          struct skr_explanation *ret);

#endif
