/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_THREAD_H
#define SKR_SERVER_THREAD_H
/* Threads of the program, all of them started here. */
#include <pthread.h>

#include "topology/base/error.h"

/* Starts a thread that no signal reaches: they are the main thread's business. name: at most 15
 * bytes, longer ones are cut. Errors: SKR_RETRY. */
int skr_thread_start(pthread_t *ret, const char *name, void *(*run)(void *), void *context,
                     struct skr_error *error);

/* A condition that is waited for by the monotonic clock. */
void skr_thread_init_wake(pthread_cond_t *wake);

#endif
