/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_ENGINE_H
#define SKR_CORE_FRAME_ENGINE_H
/*
 * An engine: a frame and the scheduler on it, the one owner of all that scheduler's state. Events
 * in, actions out; no clock, no I/O, no threads, no logging, no randomness. Replaying the same
 * events gives the same actions, byte for byte. One thread at a time.
 */
#include "core/frame/action.h"
#include "core/frame/event.h"
#include "core/frame/scheduler.h"

struct skr_engine;

/* settings: the scheduler's, borrowed for its life. instance: as skr_frame_create(). */
struct skr_engine *skr_engine_create(const struct skr_scheduler *scheduler, const void *settings,
                                     const char *instance);
void skr_engine_destroy(struct skr_engine *engine); /* NULL allowed */

/* Handles one event at time now (ns, never going back):
 *
 *   the scheduler's caches take the event -> wakes that are due -> before() -> settle() until
 *   nothing is dirty, while it decides -> after() -> the timer is asked for when it changed
 *
 * Appends to out, which the caller resets before or after. Takes over what event.h says. Returns 0;
 * errors are answers and statuses, never return codes. */
int skr_engine_handle(struct skr_engine *engine, struct skr_event *event, skr_time now,
                      struct skr_actions *out);
/* The same in two: of events of one moment each is taken, and what they mean together is settled once
 * (no state between two of them is seen). Nothing else may come between. */
void skr_engine_take(struct skr_engine *engine, struct skr_event *event, skr_time now,
                     struct skr_actions *out);
void skr_engine_settle(struct skr_engine *engine, skr_time now, struct skr_actions *out);

/* The scheduler's invariants. SKR_BUG and the first that is broken. */
int skr_engine_check(const struct skr_engine *engine, struct skr_error *error);

/* What create() of the scheduler returned: for its pages and metrics, on the engine's thread. */
void *skr_engine_self(const struct skr_engine *engine);
const struct skr_frame *skr_engine_frame(const struct skr_engine *engine);

#endif
