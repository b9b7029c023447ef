/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the bucket. */
#include "topology/base/limiter.h"

void skr_limiter_init(struct skr_limiter *limiter, int32_t qps, int32_t burst)
{
    int64_t interval = INT64_C(1000000000) / qps;
    *limiter = (struct skr_limiter){.interval = interval, .depth = interval * (int64_t)(burst - 1)};
}

bool skr_limiter_take(struct skr_limiter *limiter, int64_t now, int64_t *ret_next)
{
    int64_t full_at = limiter->full_at > now ? limiter->full_at : now;
    if (full_at - now > limiter->depth) {
        *ret_next = full_at - limiter->depth;
        return false;
    }
    limiter->full_at = full_at + limiter->interval;
    return true;
}
