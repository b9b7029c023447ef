/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_TIMELINE_H
#define SKR_CORE_TIME_TIMELINE_H
/*
 * How the room of every leaf changes from now on: grows at the ends of pods and of reservations,
 * shrinks at their starts. Room is given as differences from what is free now, by resource id, so
 * that each group can add them to its own account of the room (struct skr_problem, free).
 *
 *   room(leaf, t) = free now + all changes of the leaf at or before t
 *
 * A window [t, end) has the least room of all its instants, of each resource. Guessed ends are there
 * beside the limits, and count only for those who ask for them.
 *
 * Per leaf one array of changes, sorted by instant. Adding a change: O(changes of the leaf). Single
 * owner.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time/end.h"
#include "topology/resources.h"

enum {
    SKR_ENDS_MAX = 1000000,                            /* changes of one timeline */
    SKR_WINDOW_RESOURCES_MAX = SKR_RESOURCES_MAX + 16, /* of one question */
    SKR_INSTANTS_MAX = 1 << 16, /* of growth; beyond, ends move up to minutes, then hours */
};

/* What a change is, as bits, so that a question can say what counts. */
enum skr_change_kind {
    SKR_CHANGE_END = 1 << 0,   /* of a pod, by a limit */
    SKR_CHANGE_GUESS = 1 << 1, /* of a pod, guessed */
    SKR_CHANGE_HELD = 1 << 2,  /* start or end of what is planned for a group */
    SKR_CHANGES_KNOWN = SKR_CHANGE_END | SKR_CHANGE_HELD,
    SKR_CHANGES_ALL = SKR_CHANGES_KNOWN | SKR_CHANGE_GUESS,
};
struct skr_room_change {
    int64_t at;
    int64_t amount; /* > 0: room grows */
    uint32_t owner; /* a number that the caller gives, of a pod or of a group */
    uint16_t resource;
    uint8_t kind;
};

struct skr_timeline;
struct skr_timeline *skr_timeline_create(int32_t n_leaves, int64_t now);
void skr_timeline_destroy(struct skr_timeline *timeline); /* NULL allowed */
int64_t skr_timeline_now(const struct skr_timeline *timeline);

/* The room of a pod becomes free at that instant, after now; SKR_INSTANT_NEVER: nothing is added.
 * False: there are SKR_ENDS_MAX changes. */
bool skr_timeline_add_end(struct skr_timeline *timeline, int32_t leaf, int64_t at,
                          const struct skr_amounts *amounts, uint32_t owner, bool guessed);
/* A group holds that amount of the leaf in [start, end). */
bool skr_timeline_hold(struct skr_timeline *timeline, int32_t leaf, int64_t start, int64_t end,
                       uint16_t resource, int64_t amount, uint32_t owner);
/* Removes what the owner holds on the leaf. */
void skr_timeline_let_go(struct skr_timeline *timeline, int32_t leaf, uint32_t owner);

/* Instants after now at which room grows, ascending, none twice: valid until the next change. */
const int64_t *skr_timeline_growth(struct skr_timeline *timeline, bool guessing, size_t *ret_n);
/* Least difference from the room now, of n resources over [start, end), by the changes of these
 * kinds, into ret. Windows that are no longer have the same for every start from start to before
 * *ret_until; with end SKR_INSTANT_NEVER from *ret_since on (both: NULL allowed). */
void skr_timeline_least(const struct skr_timeline *timeline, int32_t leaf, int64_t start,
                        int64_t end, uint32_t kinds, const uint16_t *resource, size_t n,
                        int64_t *ret, int64_t *ret_since, int64_t *ret_until);
/* The changes of a leaf, sorted by instant. */
const struct skr_room_change *skr_timeline_of(const struct skr_timeline *timeline, int32_t leaf,
                                              size_t *ret_n);

#endif
