/* SPDX-License-Identifier: Apache-2.0 */
/* Starts threads with all signals blocked. */
#include "server/thread.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

int skr_thread_start(pthread_t *ret, const char *name, void *(*run)(void *), void *context,
                     struct skr_error *error)
{
    sigset_t all, before;
    char cut[16];
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int e = pthread_create(ret, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (e != 0) {
        return skr_error_set(error, SKR_RETRY, "thread %s cannot be started: %s", name,
                             strerror(e));
    }
    (void)snprintf(cut, sizeof cut, "%.15s", name);
    (void)pthread_setname_np(*ret, cut);
    return 0;
}

void skr_thread_init_wake(pthread_cond_t *wake)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
}
