/* SPDX-License-Identifier: Apache-2.0 */
/* A token bucket a namespace; full ones are dropped when there are twice as many as after the last time. */
#include "core/frame/event_share.h"

#include <string.h>
#include <uthash.h>

#include "topology/base/arena.h"
#include "topology/base/limiter.h"

enum { SWEEP_AT_LEAST = 256 };

struct event_share {
    UT_hash_handle hh; /* by namespace */
    char *namespace_;
    struct skr_limiter limiter;
    bool left_out; /* one was, since the bucket was full */
};

static void drop(struct skr_event_shares *shares, struct event_share *share)
{
    HASH_DEL(shares->table, share);
    free(share->namespace_);
    free(share);
}

static void sweep(struct skr_event_shares *shares, skr_time now)
{
    struct event_share *share, *next;
    HASH_ITER(hh, shares->table, share, next)
    {
        if (share->limiter.full_at <= now) {
            drop(shares, share);
        }
    }
    const unsigned twice = 2 * HASH_COUNT(shares->table);
    shares->sweep_at = twice > SWEEP_AT_LEAST ? twice : SWEEP_AT_LEAST;
}

static struct event_share *obtain(struct skr_event_shares *shares, const char *namespace_,
                                  skr_time now)
{
    struct event_share *share;
    HASH_FIND_STR(shares->table, namespace_, share);
    if (!share) {
        if (HASH_COUNT(shares->table) >= shares->sweep_at) {
            sweep(shares, now);
        }
        share = skr_alloc(sizeof *share);
        share->namespace_ = skr_strdup(namespace_);
        skr_limiter_init(&share->limiter, SKR_EVENTS_PER_SECOND, SKR_EVENTS_BURST);
        HASH_ADD_KEYPTR(hh, shares->table, share->namespace_, strlen(namespace_), share);
    }
    return share;
}

enum skr_event_share skr_event_shares_take(struct skr_event_shares *shares, const char *namespace_,
                                           skr_time now)
{
    struct event_share *share = obtain(shares, namespace_, now);
    const bool again = share->left_out && share->limiter.full_at > now;
    int64_t next;
    if (skr_limiter_take(&share->limiter, now, &next)) {
        share->left_out = again;
        return SKR_EVENT_GOES;
    }
    share->left_out = true;
    return again ? SKR_EVENT_LEFT_OUT : SKR_EVENT_FIRST_LEFT_OUT;
}

void skr_event_shares_fini(struct skr_event_shares *shares)
{
    struct event_share *share, *next;
    HASH_ITER(hh, shares->table, share, next)
    {
        drop(shares, share);
    }
}
