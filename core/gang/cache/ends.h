/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_ENDS_H
#define SKR_CORE_GANG_CACHE_ENDS_H
/*
 * Pods on nodes, bound or planned, whose end may be known: they have a deadline, are terminating, or
 * belong to a Job. Only settings.reservations > 0 keeps them. With settings.ends_of_all every pod is
 * here, so that ends can be guessed. Other pods cost nothing. One row a pod, about 250 bytes.
 *
 * A row may outlive the charge of its pod. Readers compare it with the ledger.
 *
 * The deadline of a Job counts if the controller of Kubernetes ends the pod by it: skr_owner_manages(),
 * skr_owner_has_deadline().
 *
 * A row keeps the word of its pod: the earliest end that its limits, whatever its deletion says, have ever given
 * since they began to run.
 * With settings.evict_overrun no later one counts, and core/gang/time/held.h evicts the pod where it breaks
 * its word. The Binding of a pod of a Job brings it the annotation SKR_ANNOTATION_END, so that the next
 * process has its word, too.
 */
#include <uthash.h>

#include "core/gang/state/gang.h"
#include "core/pod/pod.h"
#include "core/time/end.h"

#define SKR_ANNOTATION_END "sakkara.end" /* of a pod: the end by its Job when it was bound */

struct end_row {
    UT_hash_handle hh;           /* by uid */
    const char *uid, *key, *job; /* key: namespace/name; job: the name of its Job, "" none */
    const char *controller;      /* the uid that it names for its Job */
    bool labelled;               /* it has this uid as a label, which selectors of Jobs ask for */
    enum {
        END_UNJUDGED,
        END_BY_JOB,
        END_NOT_BY_JOB
    } judged; /* whether the deadline of its Job counts */
    struct node_entry *on;
    struct end_row *prev, *next; /* of that node */
    struct skr_pod_times times;  /* without its Job; the start as it was first seen */
    struct {
        skr_time at;    /* not before */
        uint64_t write; /* in flight; 0 none */
        uint32_t failures;
        bool told; /* there is an Event about it */
    } evict;       /* time/held.c */
    char text[];
};

/* The pod takes room of the node. A newer version replaces an older one. deadline_s: of a planned
 * member, the deadline that it gets before it runs; 0: none but its own. */
void skr_ends_put(struct skr_gang *e, const struct skr_pod *pod, const char *node,
                  int32_t deadline_s);
void skr_ends_forget(struct skr_gang *e, const char *uid);
/* Whether the pod is evicted because it runs on beyond its word: its group has no right to its seat. */
bool skr_ends_broke_word(const struct skr_gang *e, const char *uid);
/* Its word counts no more: what its limits say now is its word. */
void skr_ends_renew(struct skr_gang *e, struct end_row *row);
/* The end by the Job of a pod that is about to be bound; SKR_INSTANT_NEVER: none has begun. */
int64_t skr_ends_by_job(const struct skr_gang *e, const struct skr_pod *pod);
const struct end_row *skr_ends_find(const struct skr_gang *e, const char *uid); /* NULL: none */
/* The first row of a node, NULL: none; further ones by next. O(1). */
const struct end_row *skr_ends_on(const struct skr_gang *e, const char *node);
/* The end of the pod by its limits, whatever its deletion says, and no later than its word, if it has a row;
 * SKR_INSTANT_NEVER: none has begun. */
int64_t skr_ends_by_limit(const struct skr_gang *e, const struct skr_pod *pod);
/* What is known of its end, by its Job too. */
struct skr_pod_times skr_ends_times(const struct skr_gang *e, const struct end_row *row);
struct skr_pod_times skr_ends_times_of(const struct skr_gang *e, const struct skr_pod *pod);
void skr_ends_fini(struct skr_gang *e);

#endif
