/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_SEAT_BOUND_H
#define SKR_CORE_GANG_GROUP_SEAT_BOUND_H
/*
 * What a namespace may hold for replacements. For each resource, its held seats together are at most
 * what the running members of its groups request, plus one part of SKR_SEAT_SHARE of what all nodes of
 * the tree offer. Pods outside of groups do not count: seats are held for groups that run.
 */
#include "core/gang/state/groups.h"

/* How many seats of g, the newest first, have to go for that. O(seats of the namespace + members of
 * g), and beyond that bound O(groups + members of the namespace + leaves). */
size_t skr_seat_bound_excess(const struct skr_gang *e, const struct group *g);

#endif
