/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_TOLD_H
#define SKR_CORE_GANG_TIME_TOLD_H
/*
 * What users are told of a reservation, and what outlives the process: annotation
 * sakkara.reservation, keys plannedStart and plannedWhy, condition Reserved and Events. They follow
 * the reservation if its start moves by more than TOLD_MOVE_S, or later with a cause, or its place or
 * kind changes, and at most once in TOLD_PAUSE_S a group. They go when the group is bound.
 */
#include "core/gang/state/groups.h"

enum {
    TOLD_MOVE_S = 60,
    TOLD_PAUSE_S = 10,
    TOLD_GONE_S = 2, /* a reservation that ended may be made anew */
};

/* The annotation of the group's object, as the cache has it; NULL: none. */
const char *skr_told_stored(const struct skr_gang *e, const struct group *g);
/* What an earlier process has told. */
void skr_told_restore(const struct skr_gang *e, struct group *g);
/* Call at every evaluation. */
void skr_told_settle(struct skr_gang *e, struct group *g);

#endif
