/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SEAT_ENTRY_H
#define SKR_CORE_GANG_STATE_SEAT_ENTRY_H
#include "core/pod/index.h"
#include "topology/ledger.h"
#include "topology/object.h"

struct shape;

/* Room of a lost member: core/gang/group/seat_holds.h. */
struct seat_hold {
    char *uid;                          /* of its charge */
    const char *node;                   /* from names_intern */
    struct shape *shape;                /* a reference */
    const char *role_name;              /* what its pod said, from names_intern; NULL: nothing */
    uint8_t role;                       /* of the group */
    int32_t set;                        /* -1: none */
    int32_t rank;                       /* that the member had; -1: none */
    int32_t index[SKR_POD_INDEX_COUNT]; /* of its pod, by key */
    skr_time until;
    int64_t word;  /* the end by the limits of its member, an instant; 0: it had none */
    bool arranged; /* found before its pod left, and persisted: core/gang/preempt/arranged.h */
    bool early;    /* its pod still runs; only if arranged */
};

/* What the groups of a namespace ran with when one of them lost its first seat: core/gang/group/namespace_bound.h. */
struct seats_ran {
    skr_time since;            /* 0: none of those seats is held any more */
    skr_time until;            /* it counts until then */
    struct seats_ran *earlier; /* that counts, and had more of a resource; NULL: none */
    int64_t amount[SKR_RESOURCES_MAX];
};

#endif
