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
    char *
        passed[BOOKING_PASSED]; /* uids of the last pods of a higher class that were let pass to its
                                     nodes; NULL: none */
    size_t n_passed;            /* so far; the n-th is at n % BOOKING_PASSED */
    /* The start at its last move that was counted, or an earlier one since. Small moves add up: cause is
     * that of the last one since, enum skr_move_cause. */
    int64_t anchor;
    int cause;
    /* The highest and the lowest PriorityClass of live members, as of class_input. */
    bool classed;
    int32_t class_, class_low;
    uint64_t class_input; /* input_epoch of the group */
    skr_time lacks;       /* the group has had no turn since then; 0: it has one */
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
struct booked_node {
    UT_hash_handle hh; /* by name */
    const char *name;  /* of a booking */
    size_t n, cap;
    struct booked_use *use;
    int64_t first; /* the earliest start here */
};
enum { BOOKED_ROOMS = 11 };
/* What is left on a node for a single pod that stays for ever, of the resources of which the reservations
 * take more than ends give back. Two lines of a processor's cache, as filter reads one for each node. */
struct booked_left {
    const struct booked_node *node; /* NULL: nothing is booked there */
    int64_t until;                  /* all is right before this instant; 0: it is not counted */
    uint16_t n;                     /* above BOOKED_ROOMS: there are more than these */
    uint16_t resource[BOOKED_ROOMS];
    int64_t left[BOOKED_ROOMS];
};

#endif
