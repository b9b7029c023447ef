/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SOLVE_ROLES_ANSWER_H
#define SKR_SERVER_SOLVE_ROLES_ANSWER_H
/* The parts of the answer by role, as JSON; of equal members each is a number, or nothing. Internal to server/solve/. */
#include "core/solver/each_role.h"
#include "server/solve/writer.h"

/* "placement" by node and role, "sets", "sizes" when a minimum counted, "bound" when not optimal. */
void skr_solve_write_placement(const struct skr_solve_writer *w, const struct skr_solution *s);
/* "leftOut" of a timeout, if a placement of a part was found. */
void skr_solve_write_left_out(const struct skr_solve_writer *w, const struct skr_solution *s);
/* Entries of "key" of the roles with an own rule at the level, each with "role", before the
 * group's. *first: whether no entry was written yet. */
void skr_solve_write_own_keys(const struct skr_solve_writer *w, const struct skr_solution *s,
                              int32_t level, bool *first);
/* "fits" and "needs" of a bottleneck, by role. */
void skr_solve_write_short(const struct skr_solve_writer *w, const struct skr_bottleneck *unit);
/* "roleAlone", "largestOfRole", "largestOfSets". */
void skr_solve_write_shortages(const struct skr_solve_writer *w,
                               const struct skr_roles_explanation *explanation);

#endif
