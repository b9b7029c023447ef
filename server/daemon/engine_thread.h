/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_ENGINE_THREAD_H
#define SKR_SERVER_DAEMON_ENGINE_THREAD_H
/*
 * The engine thread: the one owner of the engine. It takes messages from one queue, hands each to
 * skr_engine_handle() with the time, and carries the actions out in order by calling the outlets.
 * It never waits for anything but its queue and its one timer.
 *
 * Posting is safe from any thread. Objects in an event (nodes, pods, ConfigMaps, solutions) pass to
 * the queue with the post, whatever happens then.
 */
#include "core/gang/engine.h"
#include "server/clock.h"

enum {
    /* Messages that may wait. Posts of API objects wait for room beyond it (the kube thread reads
     * faster than the engine decides at start); no other post ever waits. */
    SKR_ENGINE_QUEUE_MAX = 65536,
};

struct skr_engine_thread;

/* All run on the engine thread and must not block. What they get is borrowed for the call, but for
 * the solve request, which is handed over. */
struct skr_engine_outlets {
    void *context;
    void (*answer)(void *context, const struct skr_answer *answer);
    void (*hold)(void *context, uint64_t request, skr_time deadline);
    void (*write)(void *context, const struct skr_write *write);
    void (*solve)(void *context, struct skr_solve_request *request);
    void (*cancel_solve)(void *context, uint64_t id);
    void (*decide)(void *context, const struct skr_decision *decision);
    void (*explain)(void *context, const struct skr_explain_answer *answer); /* NULL: not asked */
};

/* settings and clock are borrowed and outlive the thread; outlets are copied. The thread does not
 * run before skr_engine_thread_start(); posts before that wait in the queue. */
struct skr_engine_thread *skr_engine_thread_create(const struct skr_settings *settings,
                                                   const struct skr_clock *clock);
int skr_engine_thread_start(struct skr_engine_thread *thread,
                            const struct skr_engine_outlets *outlets, struct skr_error *error);

/* Copies the event with its strings (namespace_, name, uid, node of a BIND, message of a
 * WRITE_DONE). Not for FILTER, PRIORITIZE and PREEMPT: they borrow whole requests. */
void skr_engine_thread_post(struct skr_engine_thread *thread, const struct skr_event *event);
/* Nothing is copied but the struct: everything borrowed stays until release(keep) is called, on the
 * engine thread after the event was handled, or wherever the queue is emptied at the end. */
void skr_engine_thread_post_kept(struct skr_engine_thread *thread, const struct skr_event *event,
                                 void (*release)(void *keep), void *keep);

/* Calls look(context, engine, now) on the engine thread, in its turn among what is posted. It must
 * be quick, change nothing and keep nothing of the engine. engine NULL: the thread ends without
 * (then on any thread). Never waits. */
void skr_engine_thread_look(struct skr_engine_thread *thread,
                            void (*look)(void *context, struct skr_gang *engine, skr_time now),
                            void *context);

/* How long the thread has been at the message, timer or question that it handles; 0: it waits for
 * one. Any thread, no locks. */
skr_time skr_engine_thread_busy(const struct skr_engine_thread *thread);
/* Of the engine after the last handled event. Any thread. */
void skr_engine_thread_get_stats(struct skr_engine_thread *thread, struct skr_gang_stats *ret);
/* Room that is left, measured on the engine thread when somebody asks, never so often that it takes
 * more than a hundredth of its time; what was measured last when that is too soon, or when the
 * thread does not come to it within `timeout`. Any thread; end with skr_slots_fini(). */
void skr_engine_thread_get_slots(struct skr_engine_thread *thread, skr_time timeout,
                                 struct skr_slots *ret);
/* Waits until everything posted before the call was handled, at most `timeout`; whether it was. Not
 * from an outlet. */
bool skr_engine_thread_wait(struct skr_engine_thread *thread, skr_time timeout);
/* Ends after the messages posted so far, joins. Later posts are discarded. Outlets are not called
 * any more. */
void skr_engine_thread_stop(struct skr_engine_thread *thread);
/* Stops if need be, frees. NULL allowed. */
void skr_engine_thread_destroy(struct skr_engine_thread *thread);

/* Frees what an event owns that nobody will handle. */
void skr_event_discard(struct skr_event *event);

#endif
