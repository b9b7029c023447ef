/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_EXPLAIN_HELD_H
#define SKR_CORE_GANG_REPORT_EXPLAIN_HELD_H
/* The group's own seats, for texts about a partly bound group: it needs only the other seats, and
 * its own are not free. */
#include "core/gang/state/solve_request.h"
#include "topology/base/strbuf.h"

int32_t skr_held_in_all(const struct skr_problem *p);              /* in the tree */
int32_t skr_held_below(const struct skr_problem *p, int32_t unit); /* any unit of the tree */
/* The number of units of a level with seats of the group; the first of them in *ret_first. */
int32_t skr_held_units(const struct skr_problem *p, int32_t level, int32_t *ret_first);
/* "6 members sit in rack-0", "6 members sit in rack-0 and rack-1", "6 members sit in 5 racks, 1 outside the tree". */
void skr_held_say(const struct skr_solve_request *request, int32_t level, struct skr_strbuf *b);
/* The units of a level with some of count[leaf] below them: "rack-0", "rack-0 and rack-1", "5 racks". */
void skr_held_say_units(const struct skr_tree *tree, const int32_t *count, int32_t level,
                        struct skr_strbuf *b);
/* Where the new members are, by units of the lowest level above nodes: "3 pods in rack-0". O(leaves). */
void skr_held_say_more(const struct skr_solve_request *request, const struct skr_solution *s,
                       struct skr_strbuf *b);

#endif
