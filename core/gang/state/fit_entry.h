/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_FIT_ENTRY_H
#define SKR_CORE_GANG_STATE_FIT_ENTRY_H
#include "core/gang/state/gang.h"

struct kind;
struct kind_sizes;
struct watched;

/* The planner's verdict on a group without a solve. Only fit.c writes it, except report_at:
 * skr_fit_report_at(). */
struct fit {
    bool made;                /* false: the fields below are unset */
    uint64_t input;           /* group->input_epoch */
    bool timed;               /* something was reserved for others, so its window counts */
    uint64_t seen;            /* the stamp then */
    struct kind *kind;        /* a reference; NULL: the cache does not cover the group */
    struct kind_sizes *sizes; /* of the kind, under the group's rules */
    struct watched *watched;
    int32_t n;               /* members to place */
    uint64_t solved_changes; /* plain_planning: value of kind->changes for which fits was found */
    bool fits;
    /* Stamps when the group's reason was last reported, and when it was while this stood; value of kind->changes then. */
    uint64_t told, reported, reported_changes;
    bool reported_short;
    skr_time meets_at;  /* skr_fit_meets(); 0: no reservation comes nearer */
    skr_time report_at; /* the reason is old and is reported anew then; 0: it is current */
};

#endif
