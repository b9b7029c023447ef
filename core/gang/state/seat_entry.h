/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SEAT_ENTRY_H
#define SKR_CORE_GANG_STATE_SEAT_ENTRY_H
#include "topology/object.h"

struct shape;

/* Room of a lost member: core/gang/group/seat_holds.h. */
struct seat_hold {
    char *uid;           /* of its charge */
    const char *node;    /* from names_intern */
    struct shape *shape; /* a reference */
    uint8_t role;        /* of the group */
    int32_t set;         /* -1: none */
    skr_time until;
    bool arranged; /* found before its pod left, and persisted: core/gang/preempt/arranged.h */
    bool early;    /* its pod still runs; only if arranged */
};

#endif
