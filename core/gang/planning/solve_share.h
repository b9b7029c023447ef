/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_SOLVE_SHARE_H
#define SKR_CORE_GANG_PLANNING_SOLVE_SHARE_H
/*
 * Who has used the solver for long stands back. One solve runs at a time (planner.c), and some rules are slow to solve
 * for, so a namespace could keep it busy: with groups that are due again and again, or by changing one while it is solved
 * for. What counts is the time of solves of 50 ms and more, and of those that a change of their own group ended: ten
 * times what each took, 600 s at most. While more than 2.5 s of that are left, the groups of the namespace stand behind
 * those of all others, and a solve of theirs gives way when somebody else wants the solver. Nobody waits for a solver
 * that is idle, and after every such pause there is a turn that gives way to nobody: what can be placed is placed.
 */
#include "core/gang/state/gang.h"

struct group;

/* A solve for the group, "namespace/name", took so many nanoseconds. ended: by a change of its group.
 * O(namespaces that count) */
void skr_solve_share_took(struct skr_gang *e, const char *key, int64_t ns, bool ended);
/* O(1) */
bool skr_solve_share_stands_back(const struct skr_gang *e, const struct group *g);
void skr_solve_share_fini(struct skr_gang *e);

#endif
