/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_KNOWN_RANKS_H
#define SKR_CORE_GANG_GROUP_KNOWN_RANKS_H
/*
 * Which rank belongs to an index: that of the member which had the index before, else the one that
 * follows from the nearest index of its role and set. Members that run and members that are gone
 * show both. A rank that follows is below the number of all these seats, unless a controller counts.
 */
#include "core/gang/group/assign.h"
#include "topology/base/arena.h"

struct skr_known_ranks {
    const struct skr_seat **item; /* by role, set and index */
    size_t n, n_seats;            /* n_seats: of all */
};

/* Member order: by index, then name. < 0: left comes first. */
int skr_seat_compare(const struct skr_seat *left, const struct skr_seat *right);

/* False: out of memory. O(n log n). */
bool skr_known_ranks_init(struct skr_known_ranks *known, struct skr_arena *arena,
                          const struct skr_seat *seat, size_t n);
/* -1: not known. O(log n). */
int64_t skr_known_ranks_of(const struct skr_known_ranks *known, const struct skr_seat *seat);
/* The leaf where the member with this role, set and index was; -1: not known. O(log n). */
int32_t skr_known_ranks_leaf(const struct skr_known_ranks *known, const struct skr_seat *seat);

#endif
