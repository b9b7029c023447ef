/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_BOOKING_H
#define SKR_CORE_GANG_STATE_BOOKING_H
/* Entries of reservations: room that is kept from a later instant on for a group that waits.
 * core/gang/cache/booked.h says what they are. */
#include "core/gang/state/groups.h"
#include "core/time/round.h"

struct booking_node {
    char *name;
    int32_t count; /* members */
};
struct booking_use {
    uint32_t node;     /* in node */
    uint32_t resource; /* in resource */
    int64_t amount;
};

enum { BOOKING_PASSED = 8 };

struct booking {
    struct group *group;
    int64_t start, until;    /* until SKR_INSTANT_NEVER: for ever */
    int64_t promised, since; /* the first start that was told; when the place was taken */
    bool guess;              /* a drain */
    char *passed
        [BOOKING_PASSED]; /* uids of the last single pods of higher priority that were let pass to its
                                     nodes; NULL: none */
    size_t n_passed;      /* so far; the n-th is at n % BOOKING_PASSED */
    /* The start at its last move that was counted, or an earlier one since. Small moves add up: cause is
     * that of the last one since, enum skr_move_cause. */
    int64_t anchor;
    int cause;
    skr_time lacks; /* the group has had no turn since then; 0: it has one */
    size_t n;
    struct booking_node *node; /* in tree order */
    size_t n_resources;
    char **resource; /* names, as ids come and go */
    size_t n_uses;
    struct booking_use *use;
    char *because; /* namespace/name of the group or pod whose end makes the room; NULL: none */
    struct booking *prev, *next;
};

/* What is booked of one node. */
struct booked_use {
    struct booking *booking;
    const char *resource;
    int64_t amount;
};
/* What is left of a resource for a single pod that stays for ever. */
struct booked_room {
    uint16_t resource;
    int64_t left;
};
struct booked_node {
    UT_hash_handle hh; /* by name */
    const char *name;  /* of a booking */
    size_t n, cap;
    struct booked_use *use;
    int64_t first; /* the earliest start here */
    /* Of the resources of which the reservations take more than ends give back; booked.c. Counted at
     * `counted`, and right until `until` while fresh and as long as the other two are the same. */
    struct booked_room *room;
    size_t n_rooms, cap_rooms;
    int64_t counted, until;
    uint64_t jobs, names;
    bool fresh;
};

#endif
