/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_FRAME_H
#define SKR_CORE_FRAME_FRAME_H
/*
 * What every scheduler stands on: the time of the event being handled, whether it is its turn to
 * decide, wakes over the one timer, and the way out for everything it wants done. A scheduler gets
 * its frame at create() and never makes one.
 *
 * Functions that emit actions (answer, write, work, cancel, decision, event) may be called
 * while an event is handled and while the scheduler is destroyed; then what they emit goes nowhere.
 * Texts and bodies are copied.
 *
 * Writes name their target by key, never by pointer: what they are about may be gone when the
 * outcome comes.
 */
#include <uthash.h>

#include "core/frame/action.h"
#include "core/frame/event.h"
#include "topology/base/strbuf.h"

struct skr_frame;

enum { SKR_EVENT_NOTE_MAX = 1024 }; /* bytes of an Event's note (events.k8s.io/v1) */

/* ---- time and turn ---- */

/* Of the event being handled, ns; 0 before the first. */
skr_time skr_frame_now(const struct skr_frame *frame);
/* How many events have been handled, this one included. */
uint64_t skr_frame_events(const struct skr_frame *frame);
/* SYNCED was handled, and all lists on demand that had been asked for by then were LISTED. A new leader
 * is not synced before the lists that it has asked for as a follower are complete. */
bool skr_frame_is_synced(const struct skr_frame *frame);
bool skr_frame_is_leader(const struct skr_frame *frame);
bool skr_frame_is_stopped(const struct skr_frame *frame); /* shutdown has begun */
/* Synced, leader and not stopped. */
bool skr_frame_is_deciding(const struct skr_frame *frame);

/* wake(self, kind, key) is called at the first event at or after this time, earlier ones first,
 * equal ones as they were set. key is copied; what it names may be gone by then. A wake cannot be
 * taken back, and one of the same kind and key comes as often as it was set. SKR_TIME_NEVER: nothing
 * happens. O(log wakes). */
void skr_frame_wake(struct skr_frame *frame, skr_time at, int kind, const char *key);

/* ---- watches ---- */

/* Starts a watch on demand. At most once for each type. */
void skr_frame_watch(struct skr_frame *frame, const struct skr_object_type *type);

/* ---- requests ---- */

/* Memory of the action list, for the body of an answer: it lives until the shell has carried the
 * actions out. Zeroed; aborts on failure. */
void *skr_frame_alloc(struct skr_frame *frame, size_t n);
void *skr_frame_copy(struct skr_frame *frame, const void *data, size_t n);
const char *skr_frame_copy_string(struct skr_frame *frame, const char *s); /* NULL: "" */
/* body: the scheduler's type, in memory from skr_frame_alloc() or constant. */
void skr_frame_answer(struct skr_frame *frame, uint64_t request, const void *body);
/* The answer comes later, by deadline as far as the caller's patience is known. */

/* ---- writes ---- */

/* A write whose outcome has not come yet. */
struct skr_pending_write {
    UT_hash_handle hh; /* by id; of the frame */
    uint64_t id;
    int purpose; /* of the scheduler: what to do with the outcome */
    char *key;   /* what it is about: namespace/name, a uid, … */
    const struct skr_object_type *answer;
    /* The scheduler may hang more on it: freed with release(), or not at all while that is NULL. */
    void *more;
    void (*release)(void *more);
};

/* Hands out write (its id is ignored, texts are copied; NULL texts are "") and remembers it until
 * written() was called with it. Borrowed until then. */
struct skr_pending_write *skr_frame_write(struct skr_frame *frame, const struct skr_write *write,
                                          int purpose, const char *key);
size_t skr_frame_writes_in_flight(const struct skr_frame *frame);
void skr_frame_each_write(const struct skr_frame *frame,
                          void (*look)(void *context, const struct skr_pending_write *write),
                          void *context);

/* ---- work ---- */

/* Hands out work, which gets its id; that is returned. */
uint64_t skr_frame_work(struct skr_frame *frame, struct skr_work *work);
void skr_frame_cancel(struct skr_frame *frame, uint64_t work);

/* ---- queries ---- */

/* Hands out a query, which gets an id; that is returned. All that it points to is copied, but for
 * method. */
uint64_t skr_frame_query(struct skr_frame *frame, const struct skr_query *query);

/* ---- people ---- */

/* A line for the log; decision's texts are copied but for kind and what. NULL texts are "". */
void skr_frame_decision(struct skr_frame *frame, const struct skr_decision *decision);

struct skr_reference {
    const char *api_version;
    const char *kind;
    const char *namespace_; /* "" for cluster-scoped objects */
    const char *name;
    const char *uid; /* "": left out */
};

extern const struct skr_resource skr_events; /* events.k8s.io/v1 */

/* An Event of events.k8s.io/v1. That it is only sent on a change is the caller's care. */
struct skr_note {
    struct skr_reference regarding;
    const struct skr_reference *related; /* NULL: none */
    bool warning;
    const char *reason;
    const char *action;
    const char *note;       /* cut at SKR_EVENT_NOTE_MAX, never inside a character */
    const char *controller; /* reportingController; NULL: "sakkara" */
};
/* Purpose of its write: SKR_PURPOSE_EVENT. Lands in the object's namespace, of cluster-scoped ones
 * in "default". Left out beyond the namespace's share (event_share.h). */
void skr_frame_event(struct skr_frame *frame, const struct skr_note *note);
/* The frame's own writes; schedulers' purposes are 0 and above, and written() never sees these. */
enum { SKR_PURPOSE_EVENT = -1 };

/* The reference of a cached object; api_version borrows buffer (SKR_API_VERSION_MAX). */
struct skr_reference skr_reference_to(const struct skr_resource *resource,
                                      const struct skr_meta *meta, char *buffer);

/* ---- for engine.c and the tests of what stands on a frame ---- */

/* instance: who reports Events, borrowed; NULL or "": "sakkara". Starts as leader. */
struct skr_frame *skr_frame_create(const char *instance);
void skr_frame_destroy(struct skr_frame *frame); /* NULL allowed */
/* Actions go to out until the next call; NULL: nobody emits. Time never goes back. */
void skr_frame_enter(struct skr_frame *frame, skr_time now, struct skr_actions *out);
enum skr_frame_turn {
    SKR_TURN_SYNCED,
    SKR_TURN_LISTED,
    SKR_TURN_WON,
    SKR_TURN_LOST,
    SKR_TURN_STOPPED
};
void skr_frame_turn(struct skr_frame *frame, enum skr_frame_turn turn);
/* The earliest wake when it is due: kind, and key, which the caller frees. false: none is. */
bool skr_frame_next_wake(struct skr_frame *frame, int *ret_kind, char **ret_key);
/* The timer has gone off. */
void skr_frame_timer_fired(struct skr_frame *frame);
/* Asks for the timer when the earliest wake is not what it is set for; none after shutdown. */
void skr_frame_ask_timer(struct skr_frame *frame);
/* A pending write whose outcome has come, now the caller's; NULL: there is none of this id. */
struct skr_pending_write *skr_frame_take_write(struct skr_frame *frame, uint64_t id);
void skr_pending_write_destroy(struct skr_pending_write *write);

#endif
