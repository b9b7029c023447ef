/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_ROLE_ENTRY_H
#define SKR_CORE_GANG_STATE_ROLE_ENTRY_H
#include <stdbool.h>
#include <stdint.h>

/* A role of a group: core/gang/group/roles.h. */
struct role {
    char *name;        /* for users: the name that members have, numbered where shapes differ */
    bool named;        /* members name the role */
    uint64_t identity; /* finds the same role again after a change of the members */
    int32_t size;      /* seats: from key `roles`, else the number of members */
    int32_t minimum;   /* members that are planned together; size unless the key says less */
    int32_t n_present; /* live members with a seat */
    int32_t n_ready;   /* of them, those that are not bound and may be planned */
    int32_t n_open;    /* the same, and those that wait for their set */
    int32_t n_bound;
    int32_t ended; /* of its minimum, members that are not made again: generation.h */
    int32_t kind;  /* index of its set kind in the spec; -1: none */
    int32_t each;  /* members in one set; 0: none */
};

#endif
