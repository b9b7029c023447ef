/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/calls.h"

void skr_calls_init(struct skr_calls *calls, size_t max)
{
    *calls = (struct skr_calls){.max = max};
    skr_bug_on(pthread_mutex_init(&calls->lock, NULL) != 0);
}

void skr_calls_fini(struct skr_calls *calls)
{
    pthread_mutex_destroy(&calls->lock);
}

uint64_t skr_calls_enter(struct skr_calls *calls, struct skr_call *call,
                         struct skr_http_request *request)
{
    uint64_t number = 0;
    call->request = request;
    request->user = call;
    pthread_mutex_lock(&calls->lock);
    if (!calls->stopped && HASH_COUNT(calls->table) < calls->max) {
        number = call->number = ++calls->last;
        HASH_ADD(hh, calls->table, number, sizeof call->number, call);
    }
    pthread_mutex_unlock(&calls->lock);
    return number;
}

/* Under the lock. */
static void settle(struct skr_calls *calls, struct skr_call *call, skr_call_fill *fill,
                   const void *answer)
{
    HASH_DELETE(hh, calls->table, call);
    fill(call, answer);
    skr_http_wake(call->request);
}

bool skr_calls_answer(struct skr_calls *calls, uint64_t number, skr_call_fill *fill,
                      const void *answer)
{
    struct skr_call *call = NULL;
    pthread_mutex_lock(&calls->lock);
    HASH_FIND(hh, calls->table, &number, sizeof number, call);
    if (call) {
        settle(calls, call, fill, answer);
    }
    pthread_mutex_unlock(&calls->lock);
    return call;
}

bool skr_calls_give_up(struct skr_calls *calls, struct skr_call *call)
{
    struct skr_call *found = NULL;
    pthread_mutex_lock(&calls->lock);
    HASH_FIND(hh, calls->table, &call->number, sizeof call->number, found);
    if (found) {
        HASH_DELETE(hh, calls->table, call);
    }
    pthread_mutex_unlock(&calls->lock);
    return found;
}

void skr_calls_stop(struct skr_calls *calls, skr_call_fill *fill, const void *answer)
{
    struct skr_call *call, *next;
    pthread_mutex_lock(&calls->lock);
    calls->stopped = true;
    HASH_ITER(hh, calls->table, call, next)
    {
        settle(calls, call, fill, answer);
    }
    pthread_mutex_unlock(&calls->lock);
}
