/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_CALLER_THREAD_H
#define SKR_SERVER_DAEMON_CALLER_THREAD_H
/*
 * A thread that calls the API server over its own connection, so that its calls never wait behind
 * the writes of schedulers: the elector, reach and preflight. Between its turns it waits for a time
 * or for a kick.
 */
#include <pthread.h>
#include <stdbool.h>

#include "server/kube/caller.h"

/* All zero: not started. The lock and wake may also guard state of the owner. */
struct skr_caller_thread {
    struct skr_caller *caller; /* of the thread */
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* monotonic clock: skr_clock_in() */
    bool kicked, stop;   /* under the lock */
};

/* access is taken over, also on errors. Errors: SKR_NO_MEMORY, SKR_BUG, SKR_RETRY; t is unused. */
int skr_caller_thread_start(struct skr_caller_thread *t, struct skr_kube_access *access,
                            const char *user_agent, const char *name, void *(*run)(void *),
                            void *context, struct skr_error *error);
/* On the thread: waits until the next kick, at most `wait`. false: the thread has to end. */
bool skr_caller_thread_wait(struct skr_caller_thread *t, skr_time wait);
/* Any thread. */
void skr_caller_thread_kick(struct skr_caller_thread *t);
bool skr_caller_thread_is_stopping(struct skr_caller_thread *t);
/* Ends the running call and the thread, and frees the connection. May be called twice. */
void skr_caller_thread_stop(struct skr_caller_thread *t);

#endif
