/* SPDX-License-Identifier: Apache-2.0 */
/* Starts, wakes and ends a thread with its own connection to the API server. */
#include "server/daemon/caller_thread.h"

#include <errno.h>

#include "server/clock.h"
#include "server/thread.h"

int skr_caller_thread_start(struct skr_caller_thread *t, struct skr_kube_access *access,
                            const char *user_agent, const char *name, void *(*run)(void *),
                            void *context, struct skr_error *error)
{
    int rc = skr_caller_create(access, user_agent, &t->caller, error);
    if (rc < 0) {
        return rc;
    }
    pthread_mutex_init(&t->lock, NULL);
    skr_thread_init_wake(&t->wake);
    t->running = true;
    rc = skr_thread_start(&t->thread, name, run, context, error);
    if (rc < 0) {
        t->running = false;
        skr_caller_thread_stop(t);
    }
    return rc;
}

bool skr_caller_thread_wait(struct skr_caller_thread *t, skr_time wait)
{
    const struct timespec at = skr_clock_in(wait);
    int rc = 0;
    pthread_mutex_lock(&t->lock);
    while (!t->stop && !t->kicked && rc != ETIMEDOUT) {
        rc = pthread_cond_timedwait(&t->wake, &t->lock, &at);
    }
    t->kicked = false;
    const bool goes_on = !t->stop;
    pthread_mutex_unlock(&t->lock);
    return goes_on;
}

static void set(struct skr_caller_thread *t, bool *flag)
{
    pthread_mutex_lock(&t->lock);
    *flag = true;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

void skr_caller_thread_kick(struct skr_caller_thread *t)
{
    set(t, &t->kicked);
}

bool skr_caller_thread_is_stopping(struct skr_caller_thread *t)
{
    pthread_mutex_lock(&t->lock);
    const bool stop = t->stop;
    pthread_mutex_unlock(&t->lock);
    return stop;
}

void skr_caller_thread_stop(struct skr_caller_thread *t)
{
    if (!t->caller) {
        return;
    }
    if (t->running) {
        set(t, &t->stop);
        skr_caller_interrupt(t->caller, true);
        pthread_join(t->thread, NULL);
    }
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    skr_caller_destroy(t->caller);
    *t = (struct skr_caller_thread){0};
}
