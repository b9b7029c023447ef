/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_CLIENT_H
#define SKR_SERVER_KUBE_CLIENT_H
/*
 * The Kubernetes client: one thread with one libcurl multi handle that watches what engines have to
 * know and sends what they want written. It decides nothing: objects become events, writes become
 * requests, answers become events.
 *
 * Every engine is a subscriber with the watches of its scheduler (core/frame/resource.h), over all
 * namespaces. What several of them watch is watched once. All writes share one rate limiter.
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
#include "server/kube/access.h"

enum {
    SKR_KUBE_QPS_MAX = 100000,
    SKR_KUBE_BURST_MAX = 1000000,
    SKR_KUBE_IN_FLIGHT_MAX = 256,
    SKR_KUBE_PAGE_MAX = 10000,
    SKR_KUBE_SUBSCRIBERS_MAX = 8,
    SKR_KUBE_RESOURCES_MAX = 32, /* different ones, by resource and selector */
};

/* Who takes events: copied, what it points to outlives the client. */
struct skr_kube_subscriber {
    const struct skr_watch *watch;
    size_t n_watches;
    void (*deliver)(void *context, struct skr_event *event);
    void *context;
};

struct skr_kube_options {
    struct skr_kube_subscriber subscriber[SKR_KUBE_SUBSCRIBERS_MAX];
    size_t n_subscribers;
    const char *user_agent; /* copied; NULL: "sakkara" */
    bool system_groups;     /* group maps and PodGroups in the system's namespaces count; false */
    /* Asked on the kube thread right before a request is sent that changes something; false: it is
     * not sent, DROPPED. NULL: always. */
    bool (*may_write)(void *context);
    void *may_write_context;
    /* Writes. */
    int32_t qps;              /* 1..SKR_KUBE_QPS_MAX; 1000 */
    int32_t burst;            /* 1..SKR_KUBE_BURST_MAX; 2000 */
    int32_t max_in_flight;    /* 1..SKR_KUBE_IN_FLIGHT_MAX; 32 */
    size_t max_queued_events; /* class EVENT waiting; more are dropped; 10000 */
    size_t max_queued;        /* all classes; more are dropped; 1000000 */
    skr_time request_timeout; /* of a write; of silence within a list; 30 s */
    skr_time stop_grace;      /* writes in flight may still be answered; 5 s */
    /* Watches. */
    int32_t page;           /* objects of a list page, 1..SKR_KUBE_PAGE_MAX; 500 */
    skr_time watch_for;     /* a watch is asked to last this long up to twice as long; 5 min */
    skr_time silence;       /* a watch without a byte is given up; bookmarks come every minute;
                               150 s */
    skr_time backoff_min;   /* after a failure, doubled at each, with jitter; 200 ms */
    skr_time backoff_max;   /* 30 s */
    skr_time healthy_after; /* a watch that lasted so long forgets earlier failures; 10 s */
    skr_time stale_after;   /* without success the cache counts as stale; more than silence and
                               backoff_max together; 5 min */
    skr_time absent_retry;  /* a kind that is not installed is looked for again; 5 min */
    uint64_t seed;          /* of the jitter; 0: random */
};

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
                     bookmarks included; before the first: since the client started */
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
