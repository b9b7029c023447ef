/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_ENGINE_THREAD_H
#define SKR_SERVER_DAEMON_ENGINE_THREAD_H
/*
 * An engine thread owns one engine (core/frame/engine.h); each enabled scheduler has one. It takes
 * messages from its queue, hands each to skr_engine_handle() with the time, and carries the actions
 * out in order by calling the outlets. It waits for its queue and its one timer only.
 *
 * Requests from clients, and their hang-ups, overtake all other messages: ten thousand new pods delay
 * a filter by one event. Requests and objects come over different connections, so their order is not
 * defined. Between two batches of requests one other message is handled. Otherwise messages are
 * handled in the order of their posts.
 *
 * Posting is safe from any thread. The queue owns the objects and the work of a posted event.
 */
#include "core/frame/engine.h"
#include "server/clock.h"

enum {
    /* Messages that may wait. Posts of API objects wait for room beyond it (the kube thread reads
     * faster than the engine decides at start); no other post ever waits. */
    SKR_ENGINE_QUEUE_MAX = 65536,
};

struct skr_engine_thread;

/* All run on the engine thread, with the context of the actions, and must not block. */
struct skr_engine_outlets {
    struct skr_outlets actions;
    /* After each batch of messages: figures may be read. NULL: they are not. */
    void (*handled)(void *context, const struct skr_engine *engine);
};

/* The engine is taken over; the clock is borrowed and outlives the thread; outlets are copied. The
 * thread does not run before skr_engine_thread_start(); posts before that wait in the queue. */
struct skr_engine_thread *skr_engine_thread_create(struct skr_engine *engine,
                                                   const struct skr_clock *clock);
int skr_engine_thread_start(struct skr_engine_thread *thread,
                            const struct skr_engine_outlets *outlets, struct skr_error *error);

/* Copies the event with its strings (those of a DELETE, message of a WRITE_DONE). Not for REQUESTs:
 * they borrow their body. */
void skr_engine_thread_post(struct skr_engine_thread *thread, const struct skr_event *event);
/* Nothing is copied but the struct: everything borrowed stays until release(keep) is called, on the
 * engine thread after the event was handled, or wherever the queue is emptied at the end. release
 * NULL: nothing is borrowed. thread: a struct skr_engine_thread, as callbacks take it. */
void skr_engine_thread_post_kept(void *thread, const struct skr_event *event,
                                 void (*release)(void *keep), void *keep);

/* Calls look(context, engine, now) on the engine thread, in its turn among what is posted. It must
 * be quick (what takes long looks again, for the next piece), change nothing but caches that decide
 * nothing, and keep nothing of the engine. If the thread ends first, engine is NULL, and the call may
 * be on any thread. Never waits. */
void skr_engine_thread_look(void *thread,
                            void (*look)(void *context, struct skr_engine *engine, skr_time now),
                            void *context);
/* Whether a request from outside waits for the thread. Any thread, no locks. As a callback, thread as above. */
bool skr_engine_thread_has_requests(void *thread);
/* How many events and timers it has handled; looks do not count. As a callback, as above. */
uint64_t skr_engine_thread_handled(void *thread);
/* How long the thread has been at the message, timer or question that it handles; 0: it waits for
 * one. Any thread, no locks. */
skr_time skr_engine_thread_busy(const struct skr_engine_thread *thread);

/* Whether SYNCED was handled. Any thread. */
bool skr_engine_thread_is_synced(struct skr_engine_thread *thread);
/* Whether the engine decides: LEADER_WON was handled, and no LEADER_LOST since. Any thread. */
bool skr_engine_thread_is_leader(struct skr_engine_thread *thread);
/* Waits until everything posted before the call was handled, at most `timeout`; whether it was. Not
 * from an outlet. */
bool skr_engine_thread_wait(struct skr_engine_thread *thread, skr_time timeout);
/* Ends after the messages posted so far, joins. Later posts are discarded. Outlets are not called
 * any more. */
void skr_engine_thread_stop(struct skr_engine_thread *thread);
/* Stops if need be, frees, the engine too. NULL allowed. */
void skr_engine_thread_destroy(struct skr_engine_thread *thread);

#endif
