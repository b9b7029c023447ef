/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_END_H
#define SKR_CORE_TIME_END_H
/*
 * When the room of a running pod is free again. Instants are whole seconds since 1970; ends are
 * rounded up.
 *
 * A limit is an end that Kubernetes enforces: the pod is terminating, or the pod or its Job has
 * activeDeadlineSeconds. An estimate is an end that the owner of a group claims. Without either the
 * end is not known. Only limits give a right to room.
 *
 * A pod that was let in on the word of a limit is held to it: a limit that is later afterwards does not
 * count. The API server lets no user raise the deadline of a pod. The deadline of a Job may be raised, and
 * a deletion may grant more time than the pod had.
 */
#include "topology/object.h"

#define SKR_INSTANT_NEVER INT64_MAX

enum {
    SKR_END_BEYOND_S = 30 * 24 * 3600, /* an end that is further away counts as unknown */
    SKR_OVERRUN_S = 30,                /* least time that a pod gets beyond its end */
    SKR_GUESS_S = 60,                  /* least time that a pod without an end is guessed to run */
};

enum skr_end_kind { SKR_END_UNKNOWN, SKR_END_LIMIT, SKR_END_ESTIMATE, SKR_END_KIND_COUNT };

/* What the API says about the end of one pod. */
struct skr_pod_times {
    int64_t deadline_s; /* spec.activeDeadlineSeconds; 0: none */
    skr_time started;   /* status.startTime; 0: not yet */
    skr_time deleted;   /* metadata.deletionTimestamp, the grace period included; 0: it stays */
    int32_t grace_s;
    bool rooted; /* of a DaemonSet, or static: it never makes room */
    /* Of its controlling Job; 0: none. */
    int64_t job_deadline_s;
    skr_time job_started; /* status.startTime */
    int64_t word; /* the end that it is held to if its limits are later, or are gone; 0: to none */
    bool raised;  /* what the API says now is later than the end that it was let in with */
};

struct skr_pod_end {
    enum skr_end_kind kind;
    int64_t at;   /* SKR_INSTANT_NEVER: unknown */
    bool overrun; /* the end has passed and the pod is there: at is a new one */
};

/* When that began which is first seen now. A start ahead of this clock is of another clock: it is now, so
 * that an end does not recede. 0: not yet. */
skr_time skr_start_seen(skr_time started, skr_time now);
/* The instant at or after t. */
int64_t skr_instant_up(skr_time t);
/* Sums, SKR_INSTANT_NEVER when one is. */
int64_t skr_instant_plus(int64_t at, int64_t seconds);

/* Of the pod alone: the caller adds its Job. */
struct skr_pod;
struct skr_pod_times skr_pod_times_of(const struct skr_pod *pod);
bool skr_pod_times_equal(const struct skr_pod_times *a, const struct skr_pod_times *b);
/* The end of a Job by its own deadline, the grace period of its pods included. */
int64_t skr_job_end(const struct skr_pod_times *pod, int64_t now);
/* The end by limits that have begun to run, whatever its word is; SKR_INSTANT_NEVER: none has. */
int64_t skr_end_begun(const struct skr_pod_times *pod);
/* estimate: what the pod's group claims, SKR_INSTANT_NEVER: nothing. */
struct skr_pod_end skr_end_of(const struct skr_pod_times *pod, int64_t estimate, int64_t now);
/* A limit that has passed by less than SKR_OVERRUN_S: the pod is about to go, so what is reserved from
 * its end on stays reserved. Else as above. */
struct skr_pod_end skr_end_soon(const struct skr_pod_times *pod, int64_t estimate, int64_t now);
/* When a pod without a limit may be gone: its estimate if that is ahead, else as long again as it
 * ran. SKR_INSTANT_NEVER: a pod that never makes room. */
int64_t skr_end_guess(const struct skr_pod_times *pod, int64_t estimate, int64_t now);

#endif
