/* SPDX-License-Identifier: Apache-2.0 */
/* Copies counts between the engine thread and the admin listener. */
#include "server/daemon/tally.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

static int64_t read_clock(void *context)
{
    return skr_clock_now(((const struct skr_tally *)context)->clock);
}

void skr_tally_init(struct skr_tally *tally, const struct skr_clock *clock, size_t size)
{
    *tally = (struct skr_tally){.clock = clock,
                                .size = size,
                                .pause = 500 * SKR_MILLISECOND,
                                .counts = skr_alloc(size),
                                .stopwatch = {read_clock, tally}};
    pthread_mutex_init(&tally->lock, NULL);
}

void skr_tally_fini(struct skr_tally *tally)
{
    pthread_mutex_destroy(&tally->lock);
    free(tally->counts);
}

bool skr_tally_is_due(const struct skr_tally *tally)
{
    return skr_clock_now(tally->clock) - tally->put_at >= tally->pause;
}

void skr_tally_put(struct skr_tally *tally, const void *counts)
{
    tally->put_at = skr_clock_now(tally->clock);
    pthread_mutex_lock(&tally->lock);
    memcpy(tally->counts, counts, tally->size);
    pthread_mutex_unlock(&tally->lock);
}

void skr_tally_get(struct skr_tally *tally, void *ret)
{
    pthread_mutex_lock(&tally->lock);
    memcpy(ret, tally->counts, tally->size);
    pthread_mutex_unlock(&tally->lock);
}
