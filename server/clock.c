/* SPDX-License-Identifier: Apache-2.0 */
/* Time of the engine thread. CLOCK_MONOTONIC stands still while a machine sleeps; so do plans. */
#include "server/clock.h"

static skr_time read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (skr_time)t.tv_sec * SKR_SECOND + t.tv_nsec;
}

void skr_clock_init(struct skr_clock *clock)
{
    clock->wall_at_start = read_clock(CLOCK_REALTIME);
    clock->monotonic_at_start = read_clock(CLOCK_MONOTONIC);
}

skr_time skr_clock_now(const struct skr_clock *clock)
{
    return clock->wall_at_start + (read_clock(CLOCK_MONOTONIC) - clock->monotonic_at_start);
}

static struct timespec timespec_of(skr_time monotonic)
{
    return (struct timespec){(time_t)(monotonic / SKR_SECOND), (long)(monotonic % SKR_SECOND)};
}

skr_time skr_clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

struct timespec skr_clock_in(skr_time wait)
{
    return timespec_of(skr_clock_monotonic() + wait);
}

struct timespec skr_clock_deadline(const struct skr_clock *clock, skr_time at)
{
    skr_time since = at > clock->wall_at_start ? at - clock->wall_at_start : 0;
    skr_time monotonic = clock->monotonic_at_start + since;
    return timespec_of(monotonic);
}

int32_t skr_clock_utc_offset_s(const struct skr_clock *clock)
{
    time_t seconds = (time_t)(clock->wall_at_start / SKR_SECOND);
    struct tm tm;
    return localtime_r(&seconds, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}
