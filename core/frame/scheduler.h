/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_SCHEDULER_H
#define SKR_CORE_FRAME_SCHEDULER_H
/*
 * What a scheduler is to the engine that runs it: its caches, its settle step, its writes. A row of
 * the table in core/schedulers.c.
 *
 * Everything is level triggered: object(), request(), written(), worked(), replied() and wake()
 * change the scheduler's caches and mark what they touch as dirty; settle() compares what should be
 * with what is, one dirty thing a call, until it says that nothing is dirty. self is what create()
 * returned; it has one frame, which outlives it.
 */
#include "core/frame/frame.h"

/* Why a scheduler stops deciding. */
enum skr_end {
    SKR_END_LEADER_LOST,
    SKR_END_SHUTDOWN,
};

struct skr_scheduler {
    const char *name; /* in configuration, logs, metrics */
    const struct skr_watch *watch;
    size_t n_watches;
    const struct skr_work_type *work; /* NULL: it has none */

    /* settings: the scheduler's type, borrowed for its life. */
    void *(*create)(struct skr_frame *frame, const void *settings);
    void (*destroy)(void *self);

    /* UPSERT and DELETE of what it watches. Takes the object out of the event or leaves it. */
    void (*object)(void *self, struct skr_event *event);
    /* LISTED. NULL: it has no watches on demand. */
    void (*listed)(void *self, const struct skr_object_type *type);
    /* FORBIDDEN. NULL: no watch of its may be. */
    void (*forbidden)(void *self, const struct skr_object_type *type, bool is);
    /* REQUEST and HANGUP, at any time: also before begin() and after end(). NULL: it gets
     * neither. */
    void (*request)(void *self, const struct skr_event *event);
    /* A write has its outcome. The pending write goes afterwards; so does an object that is left in
     * the event. */
    void (*written)(void *self, const struct skr_pending_write *write, struct skr_event *event);
    /* Work has come back; it is destroyed afterwards. NULL without a type of work. */
    void (*worked)(void *self, struct skr_work *work);
    /* A query has come to its end. NULL: it makes none. */
    void (*replied)(void *self, const struct skr_replies *replies);
    /* A time set with skr_frame_wake() has come; not after shutdown. NULL: its queue of keys finds
     * what is due by itself. */
    void (*wake)(void *self, int kind, const char *key);

    /* Synced and leader: it decides from here on. Comes again after every end() but the last. */
    void (*begin)(void *self);
    /* Leadership is lost, or the process stops; also when it had not begun. NULL: what is under way
     * ends with the answers to its writes. */
    void (*end)(void *self, enum skr_end why);

    /* Around the rounds of every event, also while nothing is decided; NULL: nothing to do. */
    void (*before)(void *self);
    void (*after)(void *self);
    /* One round of what should be against what is; false: nothing is dirty. Only while it decides
     * (skr_frame_is_deciding()). */
    bool (*settle)(void *self);

    /* Its invariants: SKR_BUG and the first that is broken. Debug builds run it after every event.
     * NULL: none. */
    int (*check)(const void *self, struct skr_error *error);
};

#endif
