/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop of "do what is due, wait for the next due time". If the thread is so far behind that the
 * store's history lost changes, it starts again, like a restarted process: its open binds are
 * forgotten.
 */
#include "server/lab/sandbox/scheduler_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "server/lab/sandbox/extender_http.h"
#include "server/log.h"
#include "server/thread.h"
#include "topology/base/arena.h"

struct skr_scheduler_thread {
    struct skr_sandbox_http *http;
    struct skr_store *store;
    const struct skr_clock *clock;
    struct skr_scheduler_config *config;
    struct skr_trace trace;
    struct skr_extender_http *extender;
    pthread_t thread;
    bool started;
    atomic_bool stopping;
    struct skr_scheduler_model *scheduler; /* under the lock */
    uint64_t seen;                         /* of the store, at the last step */
};

/* ---- for the extender ---- */

static void lock(void *context)
{
    struct skr_scheduler_thread *t = context;
    skr_sandbox_http_lock(t->http);
}

static void unlock(void *context)
{
    struct skr_scheduler_thread *t = context;
    skr_sandbox_http_unlock(t->http);
}

static skr_time now_of(void *context)
{
    const struct skr_scheduler_thread *t = context;
    return skr_clock_now(t->clock);
}

static void bind_done(void *context, uint64_t call, const char *error)
{
    struct skr_scheduler_thread *t = context;
    skr_scheduler_bind_done(t->scheduler, call, error);
}

/* ---- the thread ---- */

static void begin(struct skr_scheduler_thread *t)
{
    const struct skr_scheduler_options options = {
        .n_names = t->config->n_names,
        .name = t->config->name,
        .extender = skr_extender_http_get(t->extender),
        .percentage = t->config->percentage,
        .initial_backoff = t->config->initial_backoff,
        .max_backoff = t->config->max_backoff,
        .seed = (uint64_t)now_of(t) | 1, /* chooses randomly among equals */
        .devices = true,
        .events = true,
        .trace = t->trace,
    };
    skr_scheduler_destroy(t->scheduler);
    t->seen = skr_store_revision(t->store);
    t->scheduler = skr_scheduler_create(&options, t->store, now_of(t));
}

/* Whether changes it has not seen may be gone from the history. */
static bool is_lost(const struct skr_scheduler_thread *t)
{
    return skr_store_revision(t->store) - t->seen >= SKR_SANDBOX_HISTORY - 1;
}

static void *run(void *context)
{
    struct skr_scheduler_thread *t = context;
    lock(t);
    while (!atomic_load(&t->stopping)) {
        if (is_lost(t)) {
            skr_log_warning("Scheduler lost sight of the cluster and began anew",
                            SKR_LOG_I("changes", skr_store_revision(t->store) - t->seen),
                            SKR_LOG_END);
            begin(t);
        }
        t->seen = skr_store_revision(t->store);
        (void)skr_scheduler_step(t->scheduler, now_of(t));
        const skr_time now = now_of(t), next = skr_scheduler_next(t->scheduler, now);
        if (next > now && !atomic_load(&t->stopping)) {
            skr_sandbox_http_wait(t->http, next);
        } else {
            unlock(t); /* lets other threads run */
            (void)sched_yield();
            lock(t);
        }
    }
    unlock(t);
    return NULL;
}

static int start(struct skr_scheduler_thread *t, struct skr_error *error)
{
    const int rc = skr_thread_start(&t->thread, "scheduler", run, t, error);
    t->started = rc == 0;
    return rc;
}

/* ---- the interface ---- */

int skr_scheduler_thread_create(struct skr_sandbox_http *http, struct skr_store *store,
                                const struct skr_clock *clock, struct skr_scheduler_config *config,
                                const struct skr_trace *trace, struct skr_scheduler_thread **ret,
                                struct skr_error *error)
{
    struct skr_scheduler_thread *t = skr_alloc(sizeof *t);
    *t = (struct skr_scheduler_thread){
        .http = http, .store = store, .clock = clock, .config = config, .trace = *trace};
    const struct skr_extender_http_options options = {.config = config,
                                                      .store = store,
                                                      .lock = lock,
                                                      .unlock = unlock,
                                                      .now = now_of,
                                                      .bind_done = bind_done,
                                                      .context = t};
    int rc = skr_extender_http_create(&options, &t->extender, error);
    if (rc == 0) {
        lock(t);
        begin(t);
        unlock(t);
        rc = start(t, error);
    }
    if (rc < 0) {
        t->config = NULL;
        skr_scheduler_thread_destroy(t);
        return rc;
    }
    *ret = t;
    return 0;
}

void skr_scheduler_thread_destroy(struct skr_scheduler_thread *thread)
{
    struct skr_scheduler_thread *t = thread;
    if (!t) {
        return;
    }
    atomic_store(&t->stopping, true);
    if (t->extender) {
        skr_extender_http_stop(t->extender);
    }
    if (t->started) {
        lock(t); /* wakes it */
        unlock(t);
        skr_bug_on(pthread_join(t->thread, NULL) != 0);
    }
    skr_scheduler_destroy(t->scheduler);
    skr_extender_http_destroy(t->extender);
    skr_scheduler_config_destroy(t->config);
    free(t);
}

void skr_scheduler_thread_get_stats(struct skr_scheduler_thread *thread,
                                    struct skr_scheduler_stats *ret)
{
    lock(thread);
    skr_scheduler_get_stats(thread->scheduler, ret);
    unlock(thread);
}
