/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_LIMITER_H
#define SKR_TOPOLOGY_BASE_LIMITER_H
/*
 * A token bucket in integers, as the generic cell rate algorithm (ITU-T I.371): one number, the
 * time at which the bucket would be full again. Times are monotonic nanoseconds and are given.
 */
#include <stdbool.h>
#include <stdint.h>

struct skr_limiter {
    int64_t interval; /* of two tokens, ns */
    int64_t depth;    /* interval * (burst - 1) */
    int64_t full_at;
};

/* qps 1..1e9, burst 1..1e6; the bucket is full. */
void skr_limiter_init(struct skr_limiter *limiter, int32_t qps, int32_t burst);
/* Takes a token. false: there is none; *ret_next is when there will be one. */
bool skr_limiter_take(struct skr_limiter *limiter, int64_t now, int64_t *ret_next);

#endif
