/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_TALLY_H
#define SKR_SERVER_DAEMON_TALLY_H
/*
 * The counts of a scheduler, for metrics. The engine's thread copies them out after a batch of
 * messages; a reader of /metrics gets the last copy.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/frame/durations.h"
#include "server/clock.h"

struct skr_tally {
    const struct skr_clock *clock;
    struct skr_stopwatch stopwatch; /* of that clock, for the scheduler's settings */
    skr_time put_at;                /* engine's thread alone */
    skr_time pause;                 /* the same; 500 ms at first */
    pthread_mutex_t lock;
    size_t size;
    void *counts; /* size bytes */
};

void skr_tally_init(struct skr_tally *tally, const struct skr_clock *clock, size_t size);
void skr_tally_fini(struct skr_tally *tally);
/* Whether the last copy is `pause` old; engine's thread. */
bool skr_tally_is_due(const struct skr_tally *tally);
void skr_tally_put(struct skr_tally *tally, const void *counts); /* engine's thread */
void skr_tally_get(struct skr_tally *tally, void *ret);          /* any thread; all zero at first */

#endif
