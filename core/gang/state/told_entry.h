/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_TOLD_ENTRY_H
#define SKR_CORE_GANG_STATE_TOLD_ENTRY_H
/* What users are told of a group: its conditions, and its reservation. */
#include "topology/object.h"

struct condition {
    bool set;
    const char *status;
    char *reason;
    char *message;
    skr_time since;
};
enum {
    CONDITION_COMPLETE,
    CONDITION_PLACED,
    CONDITION_BOUND,
    CONDITION_VALID,
    CONDITION_RESERVED,
    CONDITION_KIND_COUNT
};

/* Of a reservation, as it was told last: core/gang/time/told.h. */
struct told {
    char *annotation;  /* the reservation as written; NULL: none */
    char *place;       /* its nodes as text; "": too many */
    char *start, *why; /* keys plannedStart and plannedWhy */
    const char *lost;  /* the cause, a literal, if it ended; NULL: it did not */
    int64_t start_s;
    bool guess;
    bool late;     /* that the deadline of its Job comes first: once until it is bound */
    bool unread;   /* an earlier process has told it, and no round has looked at it yet */
    skr_time at;   /* when it was told; 0: by an earlier process, or never */
    skr_time gone; /* it ended then; 0: it did not */
};

/* A recent Event of a group, cached for views and explanations. */
struct reported_event {
    skr_time at;
    bool warning;
    const char *reason; /* literal */
    char *note;
};
enum { SKR_EVENTS_KEPT = 8 }; /* per group */

#endif
