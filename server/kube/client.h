/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_CLIENT_H
#define SKR_SERVER_KUBE_CLIENT_H
/*
 * The Kubernetes client: one thread with one libcurl multi handle. It watches for the engines and
 * sends their writes. It decides nothing: objects become events, writes become requests, and answers
 * become events.
 *
 * Every engine is a subscriber with the watches of its scheduler (core/frame/resource.h), over all
 * namespaces. Watches that several engines share run once. All writes share one rate limiter; an
 * engine may have its own limiter in front of it.
 *
 * deliver() is called on the kube thread for every event, in the order in which each object changed.
 * The callee copies the struct and takes over its decoded objects. Strings of the event itself
 * (namespace_, name, uid, write_done.message) are borrowed until the call returns. The callee may
 * call skr_kube_submit() and no other function of this header. Every submitted write gets exactly
 * one SKR_EVENT_WRITE_DONE, also if the client stops first.
 *
 * All other functions may be called from any thread, _stop and _destroy from one thread.
 */
#include "core/frame/action.h"
#include "core/frame/event.h"
#include "server/kube/counters.h"
#include "server/kube/options.h"

/* The values that options.h names, without subscribers. */
void skr_kube_options_default(struct skr_kube_options *options);

struct skr_kube;

/* Starts the thread. access is taken over on success. *ret is set before the first event is
 * delivered, and NULL on errors. Errors: SKR_INVALID (an option is out of its
 * range), SKR_NO_MEMORY, SKR_RETRY, SKR_BUG (no thread, or no libcurl). */
int skr_kube_create(const struct skr_kube_options *options, struct skr_kube_access *access,
                    struct skr_kube **ret, struct skr_error *error);

/* Queues a write; everything is copied. The subscriber gets its outcome. After _stop began: -SKR_GONE,
 * and no WRITE_DONE follows. O(size of the write). */
int skr_kube_submit(struct skr_kube *kube, size_t subscriber, const struct skr_write *write);

/* Starts a watch on demand of the subscriber. After its first list the subscriber gets
 * SKR_EVENT_LISTED, once. */
void skr_kube_watch_type(struct skr_kube *kube, size_t subscriber,
                         const struct skr_object_type *type);

/* Asks for everything that was written before the call; kinds that may be behind are listed again.
 * Kinds whose first list is not complete are left out. Returns a ticket. */
uint64_t skr_kube_freshen(struct skr_kube *kube);
/* Whether everything of the ticket was delivered; false once the client stops. */
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
    bool on_demand;       /* it does not run before a subscriber asks for it */
    bool runs;
    bool synced;      /* the first list is complete, or the kind is not installed */
    bool dispensable; /* the kind may be missing or forbidden: then there are no objects */
    bool stale;       /* age is more than it can be while all is well (stale_after) */
};

struct skr_kube_stats {
    struct skr_kube_resource_stats resource[SKR_KUBE_RESOURCES_MAX];
    size_t n_resources;
    uint64_t writes[SKR_WRITE_CLASS_COUNT][SKR_WRITE_OUTCOME_COUNT];
    uint64_t write_ns[SKR_WRITE_CLASS_COUNT]; /* sum of times from sending to answer */
    /* Number of writes by that time, not cumulative; the last counts times beyond all bounds. */
    uint64_t write_bucket[SKR_WRITE_CLASS_COUNT][SKR_WRITE_BUCKETS + 1];
    uint64_t queued[SKR_WRITE_CLASS_COUNT];
    uint64_t in_flight;
    uint64_t credential_reloads; /* files that brought something new */
    bool synced;                 /* SKR_EVENT_SYNCED was delivered to all */
    skr_time since_beat; /* since the thread began its last round, at least every ten seconds */
};
/* The figures are not of one moment. */
void skr_kube_get_stats(const struct skr_kube *kube, struct skr_kube_stats *ret);

/* "ok", "conflict", …: label value of metrics. */
extern const char *const skr_kube_outcome_name[];

#endif
