/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SCHEDULER_ENTRY_H
#define SKR_CORE_GANG_STATE_SCHEDULER_ENTRY_H
/* What is known of kube-scheduler. */
#include "topology/object.h"

/* The place of a pod in kube-scheduler's queue, and the last call there: scheduler_progress.h. */
enum { PROGRESS_ASKS = 32 };
struct progress_ask {
    size_t profile; /* of settings.scheduler_name */
    int32_t priority;
    skr_time queued; /* at the earliest; whole seconds */
    bool again;      /* it entered then from an earlier try */
    skr_time at;     /* 0: the entry is free */
};

/* Whether the kube-scheduler of a profile looks at every node: sampling.h. */
enum sampling_belief { SAMPLING_UNKNOWN, SAMPLING_LOOKS_AT_ALL, SAMPLING_SAMPLES };
struct sampling_profile {
    enum sampling_belief belief;
    uint32_t misses; /* planned nodes that were not among the names, since belief was set */
    skr_time until;  /* of SAMPLING_SAMPLES */
    /* SAMPLING_UNKNOWN: gated members wait for a first call until then; 0: none waits */
    skr_time call_by;
    skr_time look_at; /* names that may be skipped are skipped until then */
};

#endif
