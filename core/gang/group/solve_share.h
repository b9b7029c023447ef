/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_SOLVE_SHARE_H
#define SKR_CORE_GANG_GROUP_SOLVE_SHARE_H
/*
 * Limits what a namespace uses up in vain: time of the solver, and room of plans that come to nothing.
 * One solve runs at a time (planner.c) and some rules are slow to solve. A namespace could keep the
 * solver busy with groups that are due again and again, or by changing one during its solve. It could
 * also keep room, with groups that each have a plan for seconds, one after the other.
 * Counted are
 *
 * - solves of 50 ms and more, and solves ended by a change of their own group: ten times what each took
 * - plans that end before the point of no return for a reason of their own group, while the namespace is
 *   beyond its bound (namespace_bound.h): twice the time that each had room
 *
 * 600 s at most. While more than 2.5 s of that are left, groups of the namespace come last. Their
 * solve is cancelled if another namespace needs the solver. An idle solver is used at once, and after
 * every such pause one turn is not cancelled: a group that can be placed is placed.
 */
#include "core/gang/state/gang.h"

struct group;

/* A solve for the group, "namespace/name", took ns nanoseconds. ended: by a change of its group.
 * O(counted namespaces) */
void skr_solve_share_took(struct skr_gang *e, const char *key, int64_t ns, bool ended);
/* The group had reserved room for ns nanoseconds, for nothing. Call before its plan goes. O(groups + members
 * of the namespace + leaves) */
void skr_solve_share_reserved(struct skr_gang *e, const struct group *g, skr_time ns);
/* O(1) */
bool skr_solve_share_stands_back(const struct skr_gang *e, const struct group *g);
void skr_solve_share_fini(struct skr_gang *e);

#endif
