/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_BEYOND_H
#define SKR_CORE_SOLVER_ROLE_BEYOND_H
/* Beyond the exact range: a proof of no, or a placement that is valid and perhaps not the best.
 * Internal to the solver. */
#include "core/solver/role_exact.h"

/* After a run whose verdict is BEYOND, or PLACED and not optimal: decides what it can, and improves
 * the placement. The verdict stays BEYOND if nothing is decided. */
void skr_role_beyond(const struct skr_problem *problem, struct skr_role_exact *exact);

/* Per level the least number of used units that room alone allows, ret[n_levels]. False without
 * memory. */
bool skr_role_least_used(const struct skr_problem *problem, const int32_t *size, int32_t *ret);

#endif
