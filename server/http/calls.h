/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_CALLS_H
#define SKR_SERVER_HTTP_CALLS_H
/*
 * Requests that listeners hold until an engine answers, by number. skr_calls_enter() puts a call into
 * the table. Its answer, its hang-up or the stop takes it out: exactly one of them, under the lock.
 * Numbers are never 0 and never used twice. Thread safe.
 */
#include <pthread.h>
#include <uthash.h>

#include "server/http/listener.h"

/* First member of what a handler stores about a request. */
struct skr_call {
    uint64_t number;
    struct skr_http_request *request;
    UT_hash_handle hh;
};

struct skr_calls {
    pthread_mutex_t lock;
    struct skr_call *table;
    uint64_t last;
    size_t max;
    bool stopped;
};

/* Stores an answer in its call; under the lock, so it is quick. */
typedef void skr_call_fill(struct skr_call *call, const void *answer);

/* max: calls that may wait at once; SIZE_MAX: without a limit. */
void skr_calls_init(struct skr_calls *calls, size_t max);
void skr_calls_fini(struct skr_calls *calls);
/* The call becomes request->user, and done() of the handler frees it. Returns its number; 0: max
 * calls wait already, or the calls are stopped. An answer may come before this returns. */
uint64_t skr_calls_enter(struct skr_calls *calls, struct skr_call *call,
                         struct skr_http_request *request);
/* Takes the call out, fills it and wakes its request. false: it does not wait (any more). */
bool skr_calls_answer(struct skr_calls *calls, uint64_t number, skr_call_fill *fill,
                      const void *answer);
/* For hangup() of a handler: takes the call out. false: it has been answered. */
bool skr_calls_give_up(struct skr_calls *calls, struct skr_call *call);
/* Gives all calls this answer, and lets no other call enter. */
void skr_calls_stop(struct skr_calls *calls, skr_call_fill *fill, const void *answer);

#endif
