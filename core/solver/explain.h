/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_EXPLAIN_H
#define SKR_CORE_SOLVER_EXPLAIN_H
/* What is reported beside the answer itself, as far as the problem asks for it. Internal to the solver.
 */
#include "core/solver/feasible_sets.h"

/* run->n is not in S(root) of feasible. False when the run had to stop before class, largest size
 * and bottleneck were found; the other parts are left out when a limit is met. */
bool skr_explain_infeasible(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret);
/* The solution has its counts and key. */
void skr_explain_placed(struct skr_run *run, const struct skr_feasible *feasible,
                        struct skr_solution *solution);

#endif
