/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_DURATIONS_H
#define SKR_CORE_FRAME_DURATIONS_H
/*
 * How long things take, counted for people: nothing that is decided may read it. What lies between
 * two events is measured by the engine's time; what one event costs by a stopwatch, which the shell
 * hands in with the scheduler's settings. Without one time stands still: under a virtual clock all
 * figures are the same in every run.
 */
#include <stddef.h>
#include <stdint.h>

struct skr_stopwatch {
    int64_t (*now)(void *context); /* ns, never goes back */
    void *context;
};
/* NULL: 0. */
int64_t skr_stopwatch_now(const struct skr_stopwatch *stopwatch);

enum { SKR_DURATION_BUCKETS_MAX = 16 };

/* Upper bounds first * factor^k ns, k in 0..n - 1. */
struct skr_duration_scale {
    int64_t first, factor;
    size_t n; /* 1..SKR_DURATION_BUCKETS_MAX */
};

/* Under one scale for its life; zero at the start. */
struct skr_durations {
    uint64_t n[SKR_DURATION_BUCKETS_MAX + 1]; /* not cumulative; the last is beyond all bounds */
    int64_t sum;                              /* ns */
};
/* took < 0 counts as 0. */
void skr_durations_add(struct skr_durations *durations, const struct skr_duration_scale *scale,
                       int64_t took);

#endif
