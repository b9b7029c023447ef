/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_BEST_KEY_H
#define SKR_CORE_SOLVER_BEST_KEY_H
/* How good each level could be for itself. Internal to the solver. */
#include "core/solver/solve_run.h"

/* The solution is placed. Fills its best_alone and best_empty, and marks the part when all of them
 * are known; meeting a limit is no failure. */
void skr_best_keys_find(struct skr_run *run, struct skr_solution *solution);

#endif
