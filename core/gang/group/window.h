/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_WINDOW_H
#define SKR_CORE_GANG_GROUP_WINDOW_H
/*
 * How long a group would hold its room: key run-limit, or the largest activeDeadlineSeconds if every
 * member has one, and the longest grace period. Members that join a group that runs have the rest of
 * its limit. If all its members leave (a move, `replace`), their successors have the whole limit: they
 * start anew. The deadline of a Job ends it earlier.
 */
#include "core/gang/cache/booked.h"

/* Of these newcomers, or of the successors of those that are bound, at now. What run-limit wrote to a
 * bound pod does not count. False: the limit of the group has passed. O(n). */
bool skr_window_of(const struct skr_gang *e, const struct group *g,
                   struct pod_entry *const *newcomers, size_t n, int64_t now, struct window *ret);
/* Whether the deadline of the Jobs of a waiting group passes while no start before it is promised; appends
 * why to b. O(members), O(1) without Jobs that have deadlines. */
bool skr_window_say_late(const struct skr_gang *e, const struct group *g, skr_time now,
                         struct skr_strbuf *b);
/* Takes what is reserved for other groups from the room of every leaf: [leaf][n_resources], by ids.
 * Requires a tree. O(nodes with reservations). */
void skr_window_take_off(const struct skr_gang *e, const struct group *g,
                         struct pod_entry *const *newcomers, size_t n, const uint16_t *resource,
                         size_t n_resources, int64_t *room);

#endif
