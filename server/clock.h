/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLOCK_H
#define SKR_SERVER_CLOCK_H
/*
 * The engine's time: the wall clock as it was at the start plus what the monotonic clock has
 * advanced since. It never goes back, whatever an administrator or NTP does to the wall clock.
 */
#include <time.h>

#include "topology/object.h"

struct skr_clock {
    skr_time wall_at_start;
    skr_time monotonic_at_start;
};

void skr_clock_init(struct skr_clock *clock);
skr_time skr_clock_now(const struct skr_clock *clock);
/* The moment `at` on CLOCK_MONOTONIC, for timed waits. at < SKR_TIME_NEVER. */
struct timespec skr_clock_deadline(const struct skr_clock *clock, skr_time at);
/* CLOCK_MONOTONIC, for what took how long. */
skr_time skr_clock_monotonic(void);
/* So long from now, for timed waits of skr_thread_init_wake(). */
struct timespec skr_clock_in(skr_time wait);
/* Offset of the local time zone from UTC at the start, in seconds. */
int32_t skr_clock_utc_offset_s(const struct skr_clock *clock);

#endif
