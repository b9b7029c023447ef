/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GANG_FIGURES_H
#define SKR_SERVER_DAEMON_GANG_FIGURES_H
/*
 * Numbers of the gang scheduler for other threads: its stats after the last batch of events, and free
 * slots. A request for free slots counts them on the engine's thread, in pieces, within a hundredth
 * of the thread's time.
 */
#include "core/gang/scheduler.h"
#include "server/daemon/engine_thread.h"

struct skr_gang_figures;

struct skr_gang_figures *skr_gang_figures_create(const struct skr_clock *clock);
void skr_gang_figures_destroy(struct skr_gang_figures *figures); /* NULL allowed */
/* engine: borrowed until _stop. Slots are counted only between the two. */
void skr_gang_figures_start(struct skr_gang_figures *figures, struct skr_engine_thread *engine);
/* Ends all waits. Any thread. */
void skr_gang_figures_stop(struct skr_gang_figures *figures);

/* After each batch of messages, on the engine's thread. */
void skr_gang_figures_publish(struct skr_gang_figures *figures, const struct skr_engine *engine);

/* Any thread. */
void skr_gang_figures_get_stats(struct skr_gang_figures *figures, struct skr_gang_stats *ret);
/* What was counted last when it is too soon to count again, or when the thread does not come to it
 * within `timeout`; end with skr_slots_fini(). Any thread. */
void skr_gang_figures_get_slots(struct skr_gang_figures *figures, skr_time timeout,
                                struct skr_slots *ret);

#endif
