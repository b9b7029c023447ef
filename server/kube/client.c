/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kube thread: a loop that takes submitted writes, does what is due, lets libcurl work and waits.
 * Other threads touch only the inbox (a list under a mutex), the counters (atomics) and
 * curl_multi_wakeup(). Signals are blocked in the thread, also SIGPIPE, which TLS libraries raise.
 */
#include "server/kube/client.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>

#include "server/kube/watch.h"
#include "server/kube/writer.h"
#include "server/log.h"
#include "server/thread.h"

enum { POLL_MS_MAX = 10000 };

struct skr_kube {
    struct skr_kube_options options;
    struct skr_kube_access access;
    struct skr_kube_counters counters;
    struct skr_kube_session session; /* kube thread, once it runs */
    struct skr_kube_watch *watch[SKR_KUBE_RESOURCES_MAX];
    size_t n_watches;
    bool synced[SKR_KUBE_SUBSCRIBERS_MAX];
    /* Watches on demand, a bit for each in the subscriber's row. */
    atomic_uint_fast64_t asked[SKR_KUBE_SUBSCRIBERS_MAX];
    uint64_t listed[SKR_KUBE_SUBSCRIBERS_MAX]; /* SKR_EVENT_LISTED was delivered */
    struct skr_writer *writer;
    pthread_t thread;
    bool joined;
    uint64_t freshening;           /* the ticket that is worked on; kube thread */
    atomic_uint_fast64_t is_fresh; /* the newest ticket that is done */

    pthread_mutex_t lock; /* of what follows */
    struct skr_kube_job *inbox_first;
    struct skr_kube_job *inbox_last;
    uint64_t ticket;
    bool stopping;
};

const char *const skr_kube_outcome_name[] = {"ok",     "conflict", "not_found", "invalid",
                                             "denied", "busy",     "unknown",   "dropped"};
_Static_assert(sizeof skr_kube_outcome_name / sizeof skr_kube_outcome_name[0] ==
                   SKR_WRITE_OUTCOME_COUNT,
               "a name for each outcome");

/* ---- options ---- */

void skr_kube_options_default(struct skr_kube_options *options)
{
    *options = (struct skr_kube_options){
        .qps = 1000,
        .burst = 2000,
        .max_in_flight = 32,
        .max_queued_events = 10000,
        .max_queued = 1000000,
        .request_timeout = 30 * SKR_SECOND,
        .stop_grace = 5 * SKR_SECOND,
        .page = 500,
        .watch_for = 300 * SKR_SECOND,
        .silence = 150 * SKR_SECOND,
        .backoff_min = 200 * SKR_MILLISECOND,
        .backoff_max = 30 * SKR_SECOND,
        .healthy_after = 10 * SKR_SECOND,
        .stale_after = 300 * SKR_SECOND,
        .fresh_patience = 200 * SKR_MILLISECOND,
    };
}

static int check_range(const char *what, int64_t value, int64_t low, int64_t high,
                       struct skr_error *error)
{
    if (value >= low && value <= high) {
        return 0;
    }
    return skr_error_set(error, SKR_INVALID,
                         "kube client: %s is %lld, must be between %lld and %lld", what,
                         (long long)value, (long long)low, (long long)high);
}

static int check_options(const struct skr_kube_options *o, struct skr_error *error)
{
    static const skr_time year = 366 * 86400 * SKR_SECOND;
    const struct {
        const char *what;
        int64_t value, low, high;
    } ranges[] = {
        {"qps", o->qps, 1, SKR_KUBE_QPS_MAX},
        {"burst", o->burst, 1, SKR_KUBE_BURST_MAX},
        {"max_in_flight", o->max_in_flight, 1, SKR_KUBE_IN_FLIGHT_MAX},
        {"page", o->page, 1, SKR_KUBE_PAGE_MAX},
        {"request_timeout", o->request_timeout, SKR_MILLISECOND, 3600 * SKR_SECOND},
        {"stop_grace", o->stop_grace, 0, 3600 * SKR_SECOND},
        {"watch_for", o->watch_for, SKR_SECOND, 86400 * SKR_SECOND},
        {"silence", o->silence, SKR_MILLISECOND, year},
        {"backoff_min", o->backoff_min, SKR_MILLISECOND, year},
        {"backoff_max", o->backoff_max, o->backoff_min, year},
        {"healthy_after", o->healthy_after, 0, year},
        {"stale_after", o->stale_after, SKR_MILLISECOND, year},
        {"fresh_patience", o->fresh_patience, 0, year},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int rc = check_range(ranges[i].what, ranges[i].value, ranges[i].low, ranges[i].high, error);
        if (rc < 0) {
            return rc;
        }
    }
    for (size_t i = 0; i < o->n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &o->subscriber[i];
        int rc = check_range("qps of a subscriber", s->qps, 0, SKR_KUBE_QPS_MAX, error);
        if (rc == 0 && s->qps > 0) {
            rc = check_range("burst of a subscriber", s->burst, 1, SKR_KUBE_BURST_MAX, error);
        }
        if (rc < 0) {
            return rc;
        }
    }
    if (o->n_subscribers == 0 || !o->subscriber[0].deliver) {
        return skr_error_set(error, SKR_INVALID, "kube client: no function takes the events");
    }
    return 0;
}

/* ---- the thread ---- */

static struct skr_kube_job *take_inbox(struct skr_kube *kube, uint64_t *ret_ticket,
                                       bool *ret_stopping)
{
    skr_bug_on(pthread_mutex_lock(&kube->lock) != 0);
    struct skr_kube_job *first = kube->inbox_first;
    kube->inbox_first = NULL;
    kube->inbox_last = NULL;
    *ret_ticket = kube->ticket;
    *ret_stopping = kube->stopping;
    skr_bug_on(pthread_mutex_unlock(&kube->lock) != 0);
    return first;
}

static void put_all(struct skr_kube *kube, struct skr_kube_job *job)
{
    while (job) {
        struct skr_kube_job *next = job->next;
        skr_writer_put(kube->writer, job);
        job = next;
    }
}

static struct skr_kube_watch *find_watch(const struct skr_kube *kube, const struct skr_watch *what)
{
    for (size_t i = 0; i < kube->n_watches; i++) {
        if (skr_kube_watch_serves(kube->watch[i], what)) {
            return kube->watch[i];
        }
    }
    return NULL;
}

/* All that this subscriber watches has been listed, but for kinds on demand. */
static bool is_synced(const struct skr_kube *kube, const struct skr_kube_subscriber *s)
{
    for (size_t i = 0; i < s->n_watches; i++) {
        if (!s->watch[i].on_demand && !skr_kube_watch_is_synced(find_watch(kube, &s->watch[i]))) {
            return false;
        }
    }
    return true;
}

/* Starts watches that subscribers have asked for. */
static void begin_asked(struct skr_kube *kube)
{
    for (size_t i = 0; i < kube->options.n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &kube->options.subscriber[i];
        const uint64_t waits = atomic_load(&kube->asked[i]) & ~kube->listed[i];
        for (size_t k = 0; waits >> k && k < s->n_watches; k++) {
            if (waits >> k & 1) {
                skr_kube_watch_begin(find_watch(kube, &s->watch[k]));
            }
        }
    }
}

static void announce_lists(struct skr_kube *kube)
{
    for (size_t i = 0; i < kube->options.n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &kube->options.subscriber[i];
        const uint64_t waits = atomic_load(&kube->asked[i]) & ~kube->listed[i];
        for (size_t k = 0; waits >> k && k < s->n_watches; k++) {
            if (waits >> k & 1 && skr_kube_watch_is_synced(find_watch(kube, &s->watch[k]))) {
                struct skr_event event = {.kind = SKR_EVENT_LISTED, .listed = s->watch[k].type};
                s->deliver(s->context, &event);
                kube->listed[i] |= UINT64_C(1) << k;
            }
        }
    }
}

static void announce_sync(struct skr_kube *kube)
{
    announce_lists(kube);
    if (atomic_load(&kube->counters.synced)) {
        return;
    }
    bool all = true;
    for (size_t i = 0; i < kube->options.n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &kube->options.subscriber[i];
        if (!kube->synced[i] && is_synced(kube, s)) {
            struct skr_event event = {.kind = SKR_EVENT_SYNCED};
            s->deliver(s->context, &event);
            kube->synced[i] = true;
        }
        all = all && kube->synced[i];
    }
    if (all) {
        atomic_store(&kube->counters.synced, true);
    }
}

static void begin_freshening(struct skr_kube *kube, uint64_t ticket)
{
    if (ticket == kube->freshening) {
        return;
    }
    kube->freshening = ticket;
    for (size_t i = 0; i < kube->n_watches; i++) {
        skr_kube_watch_freshen(kube->watch[i], skr_kube_now());
    }
}

static void announce_fresh(struct skr_kube *kube)
{
    for (size_t i = 0; i < kube->n_watches; i++) {
        if (!skr_kube_watch_is_fresh(kube->watch[i])) {
            return;
        }
    }
    atomic_store(&kube->is_fresh, kube->freshening);
}

/* Lets libcurl work and tells the owners of ended exchanges. Returns whether any ended. */
static bool run_transfers(struct skr_kube *kube)
{
    int running = 0;
    CURLMcode code = curl_multi_perform(kube->session.multi, &running);
    skr_bug_on(code != CURLM_OK);
    return skr_transfer_take_results(&kube->session);
}

static void wait_until(struct skr_kube *kube, int64_t due)
{
    int64_t ms = 0;
    int64_t now = skr_kube_now();
    if (due > now) {
        ms = due - now > POLL_MS_MAX * SKR_MILLISECOND
                 ? POLL_MS_MAX
                 : (due - now + SKR_MILLISECOND - 1) / SKR_MILLISECOND;
    }
    CURLMcode code = curl_multi_poll(kube->session.multi, NULL, 0, (int)ms, NULL);
    skr_bug_on(code != CURLM_OK);
}

static void run_until_stopped(struct skr_kube *kube)
{
    for (;;) {
        bool stopping = false;
        uint64_t ticket = 0;
        put_all(kube, take_inbox(kube, &ticket, &stopping));
        if (stopping) {
            return;
        }
        begin_asked(kube);
        begin_freshening(kube, ticket);
        int64_t now = skr_kube_now();
        atomic_store_explicit(&kube->counters.beat, now, memory_order_relaxed);
        skr_kube_session_refresh(&kube->session, now, false);
        skr_log_say_held(false);
        for (size_t i = 0; i < kube->n_watches; i++) {
            (void)skr_kube_watch_tick(kube->watch[i], now);
        }
        (void)skr_writer_tick(kube->writer, now);
        if (run_transfers(kube)) {
            announce_sync(kube);
            continue;
        }
        int64_t due = skr_writer_tick(kube->writer, skr_kube_now());
        for (size_t i = 0; i < kube->n_watches; i++) {
            int64_t next = skr_kube_watch_tick(kube->watch[i], skr_kube_now());
            due = next < due ? next : due;
        }
        announce_sync(kube);
        announce_fresh(kube);
        wait_until(kube, due);
    }
}

static void run_down(struct skr_kube *kube)
{
    int64_t end = skr_kube_now() + kube->options.stop_grace;
    for (size_t i = 0; i < kube->n_watches; i++) {
        skr_kube_watch_destroy(kube->watch[i]);
        kube->watch[i] = NULL;
    }
    skr_writer_drop_queued(kube->writer, "the client is stopping");
    while (skr_writer_in_flight(kube->writer) > 0 && skr_kube_now() < end) {
        if (!run_transfers(kube)) {
            wait_until(kube, end);
        }
    }
    skr_writer_abandon(kube->writer, "the client stopped before the answer came");
    skr_writer_destroy(kube->writer);
    kube->writer = NULL;
}

static void *run(void *context)
{
    struct skr_kube *kube = context;
    run_until_stopped(kube);
    run_down(kube);
    return NULL;
}

/* ---- life ---- */

static uint64_t random_seed(uint64_t given)
{
    uint64_t seed = given;
    if (seed == 0 && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)skr_kube_now();
    }
    return seed ? seed : 1;
}

static void free_kube(struct skr_kube *kube)
{
    for (size_t i = 0; i < kube->n_watches; i++) {
        skr_kube_watch_destroy(kube->watch[i]);
    }
    skr_writer_destroy(kube->writer);
    if (kube->session.multi) {
        (void)curl_multi_cleanup(kube->session.multi);
    }
    free(kube->session.user_agent);
    skr_kube_access_fini(&kube->access);
    (void)pthread_mutex_destroy(&kube->lock);
    free(kube);
    curl_global_cleanup();
}

static void make_session(struct skr_kube *kube)
{
    const char *agent = kube->options.user_agent;
    int64_t now = skr_kube_now();
    kube->session = (struct skr_kube_session){
        .multi = curl_multi_init(),
        .access = &kube->access,
        .options = &kube->options,
        .counters = &kube->counters,
        .user_agent = skr_strdup(agent ? agent : "sakkara"),
        .random = random_seed(kube->options.seed),
        .refresh_at = now + SKR_KUBE_REFRESH_S * SKR_SECOND,
        .refreshed = now,
    };
}

/* The watch that serves what; made when there is none yet. */
static struct skr_kube_watch *watch_for(struct skr_kube *kube, const struct skr_watch *what)
{
    struct skr_kube_watch *watch = find_watch(kube, what);
    if (watch) {
        return watch;
    }
    skr_bug_on(kube->n_watches == SKR_KUBE_RESOURCES_MAX);
    kube->counters.resource[kube->n_watches].name =
        what->name ? what->name : what->type->resource->plural;
    kube->watch[kube->n_watches] = skr_kube_watch_create(&kube->session, what, kube->n_watches);
    return kube->watch[kube->n_watches++];
}

static void make_watches(struct skr_kube *kube)
{
    for (size_t i = 0; i < kube->options.n_subscribers; i++) {
        const struct skr_kube_subscriber *s = &kube->options.subscriber[i];
        for (size_t k = 0; k < s->n_watches; k++) {
            skr_kube_watch_add(watch_for(kube, &s->watch[k]), s, &s->watch[k]);
        }
    }
    for (size_t i = 0; i < kube->n_watches; i++) {
        for (size_t k = 0; k < i; k++) {
            if (skr_kube_watch_are_peers(kube->watch[i], kube->watch[k])) {
                skr_kube_watch_pair(kube->watch[i], kube->watch[k]);
                break; /* it is in the ring of all of them */
            }
        }
    }
}

static void make_parts(struct skr_kube *kube)
{
    make_watches(kube);
    long connections = kube->options.max_in_flight + (long)kube->n_watches;
    (void)curl_multi_setopt(kube->session.multi, CURLMOPT_MAXCONNECTS, connections);
    kube->writer = skr_writer_create(&kube->session);
}

int skr_kube_create(const struct skr_kube_options *options, struct skr_kube_access *access,
                    struct skr_kube **ret, struct skr_error *error)
{
    int rc = check_options(options, error);
    if (rc < 0) {
        return rc;
    }
    if (!access->server) {
        return skr_error_set(error, SKR_INVALID, "kube client: no API server is named");
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return skr_error_set(error, SKR_BUG, "libcurl cannot be used");
    }
    struct skr_kube *kube = skr_alloc(sizeof *kube);
    kube->options = *options;
    skr_bug_on(pthread_mutex_init(&kube->lock, NULL) != 0);
    make_session(kube);
    if (!kube->session.multi) {
        free_kube(kube);
        return skr_error_set(error, SKR_NO_MEMORY, "no memory for libcurl");
    }
    make_parts(kube);
    atomic_store(&kube->counters.beat, skr_kube_now());
    kube->access = *access;
    if (kube->access.insecure) {
        skr_log_warning("Certificate of the API server is not checked: insecure-skip-tls-verify",
                        SKR_LOG_S("source", kube->access.source), SKR_LOG_END);
    }
    kube->options.user_agent = NULL;
    /* Before the thread runs: its first event may make other threads submit at once. */
    *ret = kube;
    for (size_t i = 0; i < kube->n_watches; i++) {
        struct skr_kube_resource_counters *c = &kube->counters.resource[i];
        c->dispensable = skr_kube_watch_is_dispensable(kube->watch[i]);
        c->on_demand = !atomic_load(&c->runs);
    }
    rc = skr_thread_start(&kube->thread, "kube", run, kube, error);
    if (rc < 0) {
        *ret = NULL;
        kube->access = (struct skr_kube_access){0};
        free_kube(kube);
        return rc;
    }
    *access = (struct skr_kube_access){0};
    return 0;
}

int skr_kube_submit(struct skr_kube *kube, size_t subscriber, const struct skr_write *write)
{
    struct skr_kube_job *job = skr_kube_job_create(&kube->options.subscriber[subscriber], write);
    skr_bug_on(!job);
    skr_bug_on(pthread_mutex_lock(&kube->lock) != 0);
    bool stopping = kube->stopping;
    bool was_empty = !kube->inbox_first;
    if (!stopping) {
        if (kube->inbox_last) {
            kube->inbox_last->next = job;
        } else {
            kube->inbox_first = job;
        }
        kube->inbox_last = job;
    }
    skr_bug_on(pthread_mutex_unlock(&kube->lock) != 0);
    if (stopping) {
        free(job);
        return -SKR_GONE;
    }
    if (was_empty) {
        (void)curl_multi_wakeup(kube->session.multi);
    }
    return 0;
}

void skr_kube_watch_type(struct skr_kube *kube, size_t subscriber,
                         const struct skr_object_type *type)
{
    const struct skr_kube_subscriber *s = &kube->options.subscriber[subscriber];
    for (size_t i = 0; i < s->n_watches; i++) {
        if (s->watch[i].on_demand && s->watch[i].type == type) {
            atomic_fetch_or(&kube->asked[subscriber], UINT64_C(1) << i);
        }
    }
    (void)curl_multi_wakeup(kube->session.multi);
}

uint64_t skr_kube_freshen(struct skr_kube *kube)
{
    skr_bug_on(pthread_mutex_lock(&kube->lock) != 0);
    uint64_t ticket = ++kube->ticket;
    skr_bug_on(pthread_mutex_unlock(&kube->lock) != 0);
    (void)curl_multi_wakeup(kube->session.multi);
    return ticket;
}

bool skr_kube_is_fresh(const struct skr_kube *kube, uint64_t ticket)
{
    return atomic_load(&kube->is_fresh) >= ticket;
}

void skr_kube_stop(struct skr_kube *kube)
{
    if (kube->joined) {
        return;
    }
    skr_bug_on(pthread_mutex_lock(&kube->lock) != 0);
    kube->stopping = true;
    skr_bug_on(pthread_mutex_unlock(&kube->lock) != 0);
    (void)curl_multi_wakeup(kube->session.multi);
    skr_bug_on(pthread_join(kube->thread, NULL) != 0);
    kube->joined = true;
}

void skr_kube_destroy(struct skr_kube *kube)
{
    if (!kube) {
        return;
    }
    skr_kube_stop(kube);
    free_kube(kube);
}

/* ---- figures ---- */

static void get_resource(const struct skr_kube_resource_counters *c, skr_time stale_after,
                         struct skr_kube_resource_stats *ret)
{
    const bool runs = atomic_load(&c->runs);
    skr_time age = skr_kube_now() - atomic_load_explicit(&c->last_success, memory_order_relaxed);
    *ret = (struct skr_kube_resource_stats){
        .name = c->name,
        .dispensable = c->dispensable,
        .objects = skr_count_get(&c->objects),
        .lists = skr_count_get(&c->lists),
        .watches = skr_count_get(&c->watches),
        .failures = skr_count_get(&c->failures),
        .events = skr_count_get(&c->events),
        .undecodable = skr_count_get(&c->undecodable),
        .age = age > 0 ? age : 0,
        .on_demand = c->on_demand,
        .runs = runs,
        .synced = atomic_load(&c->synced),
        .stale = runs && age > stale_after,
    };
}

void skr_kube_get_stats(const struct skr_kube *kube, struct skr_kube_stats *ret)
{
    const struct skr_kube_counters *c = &kube->counters;
    *ret = (struct skr_kube_stats){
        .in_flight = skr_count_get(&c->in_flight),
        .credential_reloads = skr_count_get(&c->credential_reloads),
        .synced = atomic_load(&c->synced),
        .n_resources = kube->n_watches,
        .since_beat = skr_kube_now() - atomic_load_explicit(&c->beat, memory_order_relaxed),
    };
    for (size_t i = 0; i < kube->n_watches; i++) {
        get_resource(&c->resource[i], kube->options.stale_after, &ret->resource[i]);
    }
    for (int i = 0; i < SKR_WRITE_CLASS_COUNT; i++) {
        ret->queued[i] = skr_count_get(&c->queued[i]);
        ret->write_ns[i] = skr_count_get(&c->write_ns[i]);
        for (int k = 0; k <= SKR_WRITE_BUCKETS; k++) {
            ret->write_bucket[i][k] = skr_count_get(&c->write_bucket[i][k]);
        }
        for (int k = 0; k < SKR_WRITE_OUTCOME_COUNT; k++) {
            ret->writes[i][k] = skr_count_get(&c->writes[i][k]);
        }
    }
}
