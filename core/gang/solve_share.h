/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_SOLVE_SHARE_H
#define SKR_CORE_GANG_SOLVE_SHARE_H
/*
 * Who has used the solver for long stands back. One solve runs at a time (planner.c), and some rules are slow to solve
 * for, so a namespace could keep it busy with groups that never fit. After a solve of SLOW_MS or more the groups of its
 * namespace stand behind those of all others for PAUSE_TIMES what it took, and a solve of theirs that is begun meanwhile
 * gives way when somebody else wants the solver. Nobody waits for a solver that is idle, and every such pause is followed
 * by a turn that gives way to nobody: what can be placed is placed.
 */
#include "core/gang/gang.h"

struct group;

/* A solve for the group took so many nanoseconds. O(namespaces that stand back) */
void solve_share_took(struct skr_gang *e, const struct group *g, int64_t ns);
/* O(1) */
bool solve_share_stands_back(const struct skr_gang *e, const struct group *g);
void solve_share_fini(struct skr_gang *e);

#endif
