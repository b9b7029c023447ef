/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_CLIENT_H
#define SKR_SERVER_KUBE_CLIENT_H
/*
 * The Kubernetes client: one thread with one libcurl multi handle that watches what engines have to
 * know and sends what they want written. It decides nothing: objects become events, writes become
 * requests, answers become events.
 *
 * Every engine is a subscriber with the watches of its scheduler (core/frame/resource.h), over all
 * namespaces. What several of them watch is watched once. All writes share one rate limiter; an
 * engine may have another one of its own before it.
 *
 * deliver() is called on the kube thread, for every event, in the order in which each object
 * changed. The callee copies the struct and takes over the decoded objects in it; every string of
 * the event itself (namespace_, name, uid, write_done.message) is borrowed until it returns. It may
 * call skr_kube_submit(), and nothing else of this header. For every submitted write exactly one
 * SKR_EVENT_WRITE_DONE is delivered, also for those the client gives up at its end.
 *
 * All other functions may be called from any thread, _stop and _destroy from one.
 */
#include "core/frame/action.h"
#include "core/frame/event.h"
#include "server/kube/counters.h"
#include "server/kube/options.h"

/* The figures above; nobody subscribes. */
void skr_kube_options_default(struct skr_kube_options *options);

struct skr_kube;

/* Starts the thread. access is taken over on success. *ret is set before the first event is
 * delivered, and NULL on errors. SKR_INVALID: an option is out of its range;
 * SKR_NO_MEMORY, SKR_BUG: threads or libcurl are not to be had. */
int skr_kube_create(const struct skr_kube_options *options, struct skr_kube_access *access,
                    struct skr_kube **ret, struct skr_error *error);

/* Queues a write of a subscriber, who gets its outcome; everything is copied. 0, or -SKR_GONE after _stop began: then no WRITE_DONE will
 * come. O(size of the write). */
int skr_kube_submit(struct skr_kube *kube, size_t subscriber, const struct skr_write *write);

/* All that was written before the call is delivered as soon as the API server shows it; kinds that may be behind are
 * listed anew for that. What the first lists have not shown yet does not count. Returns a ticket. */
uint64_t skr_kube_freshen(struct skr_kube *kube);
/* Whether it has been delivered; false once the client stops. */
bool skr_kube_is_fresh(const struct skr_kube *kube, uint64_t ticket);

/* Ends watches at once, delivers DROPPED for what is queued, waits up to the grace period for what
 * is in flight, delivers UNKNOWN for the rest, joins the thread. A second call does nothing. */
void skr_kube_stop(struct skr_kube *kube);
/* Stops when running; NULL allowed. */
void skr_kube_destroy(struct skr_kube *kube);

/* Counters for metrics and /readyz. */
struct skr_kube_resource_stats {
    const char *name;  /* of the watch: "nodes", "groups", … label value of metrics; constant */
    uint64_t objects;  /* known to exist now */
    uint64_t lists;    /* complete ones */
    uint64_t watches;  /* started, the first one included */
    uint64_t failures; /* lists and watches that ended with an error */
    uint64_t events;   /* objects delivered, deletions included */
    uint64_t undecodable; /* versions of objects that were skipped */
    skr_time age;         /* since a list was complete, a watch began or one of its lines was read,
                     bookmarks included, or the kind was not installed; before the first: since
                     the client started */
    bool synced;          /* the first list is complete, or the kind is not installed */
    bool stale;           /* age is more than it can be while all is well (stale_after) */
};

struct skr_kube_stats {
    struct skr_kube_resource_stats resource[SKR_KUBE_RESOURCES_MAX];
    size_t n_resources;
    uint64_t writes[SKR_WRITE_CLASS_COUNT][SKR_WRITE_OUTCOME_COUNT];
    uint64_t write_ns[SKR_WRITE_CLASS_COUNT]; /* sum of times from sending to answer */
    uint64_t queued[SKR_WRITE_CLASS_COUNT];
    uint64_t in_flight;
    uint64_t credential_reloads; /* files that brought something new */
    bool synced;                 /* SKR_EVENT_SYNCED was delivered to all */
    skr_time since_beat; /* since the thread began its last round, at least every ten seconds */
};
/* Each figure is right by itself; together they are not one moment. */
void skr_kube_get_stats(const struct skr_kube *kube, struct skr_kube_stats *ret);

/* "ok", "conflict", …: label value of metrics. */
const char *skr_kube_outcome_name(enum skr_write_outcome outcome);

#endif
