/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GANG_FIGURES_H
#define SKR_SERVER_DAEMON_GANG_FIGURES_H
/*
 * Numbers of the gang scheduler for other threads: its stats after the last batch of events, and the
 * room that is left, which is counted on the engine's thread when somebody asks, in pieces, never so
 * often that it takes more than a hundredth of its time.
 */
#include "core/gang/scheduler.h"
#include "server/daemon/engine_thread.h"

struct skr_gang_figures;

struct skr_gang_figures *skr_gang_figures_create(const struct skr_clock *clock);
void skr_gang_figures_destroy(struct skr_gang_figures *figures); /* NULL allowed */
/* engine: borrowed until _stop; before, there is nothing to be counted. */
void skr_gang_figures_start(struct skr_gang_figures *figures, struct skr_engine_thread *engine);
/* Nobody waits any more. Any thread. */
void skr_gang_figures_stop(struct skr_gang_figures *figures);

/* After each batch of messages, on the engine's thread. */
void skr_gang_figures_publish(struct skr_gang_figures *figures, const struct skr_engine *engine);

/* Any thread. */
void skr_gang_figures_get_stats(struct skr_gang_figures *figures, struct skr_gang_stats *ret);
/* Pods by reason, n[SKR_RESERVED_COUNT], when the room was counted last. Any thread. */
void skr_gang_figures_get_reserved(struct skr_gang_figures *figures, size_t *n);
/* What was counted last when it is too soon to count again, or when the thread does not come to it
 * within `timeout`; end with skr_slots_fini(). Any thread. */
void skr_gang_figures_get_slots(struct skr_gang_figures *figures, skr_time timeout,
                                struct skr_slots *ret);

#endif
