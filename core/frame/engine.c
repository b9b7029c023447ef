/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch: one event in, the scheduler's caches change, what is due is woken, then rounds of
 * settle() until nothing is dirty, and the actions say what the shell has to do.
 *
 * Limits: nothing is settled before the first lists are complete, without leadership, or after
 * shutdown; caches are kept up to date all the same.
 */
#include "core/frame/engine.h"

#include <stdio.h>

struct skr_engine {
    const struct skr_scheduler *scheduler;
    struct skr_frame *frame;
    void *self;
#ifdef SKR_DEBUG
    size_t n_events; /* handled */
#endif
};

struct skr_engine *skr_engine_create(const struct skr_scheduler *scheduler, const void *settings,
                                     const char *instance)
{
    struct skr_engine *e = skr_alloc(sizeof *e);
    e->scheduler = scheduler;
    e->frame = skr_frame_create(instance);
    e->self = scheduler->create(e->frame, settings);
    return e;
}

void skr_engine_destroy(struct skr_engine *e)
{
    if (!e) {
        return;
    }
    struct skr_actions unused; /* what taking the state apart would still want to be done */
    skr_actions_init(&unused);
    skr_frame_enter(e->frame, 0, &unused);
    e->scheduler->destroy(e->self);
    skr_frame_destroy(e->frame);
    skr_actions_fini(&unused);
    free(e);
}

static void write_done(struct skr_engine *e, struct skr_event *event)
{
    struct skr_pending_write *w = skr_frame_take_write(e->frame, event->written.id);
    skr_bug_on(!w);
    event->written.type = w->answer;
    if (w->purpose >= 0) {
        e->scheduler->written(e->self, w, event);
    }
    skr_pending_write_destroy(w);
}

static void begin(struct skr_engine *e, enum skr_frame_turn turn)
{
    const bool has_begun = turn == SKR_TURN_LISTED && skr_frame_is_synced(e->frame);
    skr_frame_turn(e->frame, turn);
    if (!has_begun && skr_frame_is_synced(e->frame) && skr_frame_is_leader(e->frame)) {
        e->scheduler->begin(e->self);
    }
}

static void end(struct skr_engine *e, enum skr_end why)
{
    if (e->scheduler->end) {
        e->scheduler->end(e->self, why);
    }
}

static void dispatch(struct skr_engine *e, struct skr_event *event)
{
    const struct skr_scheduler *s = e->scheduler;
    switch (event->kind) {
    case SKR_EVENT_UPSERT:
    case SKR_EVENT_DELETE:
        s->object(e->self, event);
        break;
    case SKR_EVENT_FORBIDDEN:
        s->forbidden(e->self, event->forbidden.type, event->forbidden.is);
        break;
    case SKR_EVENT_REQUEST:
    case SKR_EVENT_HANGUP:
        if (s->request) {
            s->request(e->self, event);
        }
        break;
    case SKR_EVENT_WORK_DONE:
        s->worked(e->self, event->work);
        break;
    case SKR_EVENT_WRITE_DONE:
        write_done(e, event);
        break;
    case SKR_EVENT_REPLIES:
        s->replied(e->self, &event->replies);
        break;
    case SKR_EVENT_SYNCED:
        begin(e, SKR_TURN_SYNCED);
        break;
    case SKR_EVENT_LISTED:
        s->listed(e->self, event->listed);
        begin(e, SKR_TURN_LISTED);
        break;
    case SKR_EVENT_LEADER_WON:
        begin(e, SKR_TURN_WON);
        break;
    case SKR_EVENT_LEADER_LOST:
        skr_frame_turn(e->frame, SKR_TURN_LOST);
        end(e, SKR_END_LEADER_LOST);
        break;
    case SKR_EVENT_SHUTDOWN:
        end(e, SKR_END_SHUTDOWN);
        skr_frame_turn(e->frame, SKR_TURN_STOPPED);
        break;
    case SKR_EVENT_TIMER:
        skr_frame_timer_fired(e->frame);
        break;
    case SKR_EVENT_KIND_COUNT:
    default:
        skr_bug_on(true);
    }
    skr_event_fini(event);
}

static void wakes_due(struct skr_engine *e)
{
    int kind;
    char *key;
    while (skr_frame_next_wake(e->frame, &kind, &key)) {
        if (e->scheduler->wake) {
            e->scheduler->wake(e->self, kind, key);
        }
        free(key);
    }
}

static void settle(struct skr_engine *e)
{
    const struct skr_scheduler *s = e->scheduler;
    if (s->before) {
        s->before(e->self);
    }
    while (skr_frame_is_deciding(e->frame) && s->settle(e->self)) {
    }
    if (s->after) {
        s->after(e->self);
    }
}

#ifdef SKR_DEBUG
/*
 * Debug builds check the state after each of the first events, then now and then: a check costs as
 * much as there are pods, and after every event it would be the square of them.
 */
static void check_now_and_then(struct skr_engine *e)
{
    enum { ALWAYS = 4096, THEN_EVERY = 64 };
    struct skr_error error;
    if (++e->n_events > ALWAYS && e->n_events % THEN_EVERY != 0) {
        return;
    }
    if (skr_engine_check(e, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        skr_bug_on(true);
    }
}
#endif

static void settle_entered(struct skr_engine *e, skr_time now)
{
    if (!skr_frame_is_stopped(e->frame)) {
        wakes_due(e);
    }
    settle(e);
    skr_frame_ask_timer(e->frame);
    skr_frame_enter(e->frame, now, NULL);
#ifdef SKR_DEBUG
    check_now_and_then(e);
#endif
}

int skr_engine_handle(struct skr_engine *e, struct skr_event *event, skr_time now,
                      struct skr_actions *out)
{
    skr_frame_enter(e->frame, now, out);
    dispatch(e, event);
    settle_entered(e, now);
    return 0;
}

void skr_engine_take(struct skr_engine *e, struct skr_event *event, skr_time now,
                     struct skr_actions *out)
{
    skr_frame_enter(e->frame, now, out);
    dispatch(e, event);
    skr_frame_enter(e->frame, now, NULL);
}

void skr_engine_settle(struct skr_engine *e, skr_time now, struct skr_actions *out)
{
    skr_frame_enter(e->frame, now, out);
    settle_entered(e, now);
}

int skr_engine_check(const struct skr_engine *e, struct skr_error *error)
{
    return e->scheduler->check ? e->scheduler->check(e->self, error) : 0;
}

void *skr_engine_self(const struct skr_engine *e)
{
    return e->self;
}

const struct skr_frame *skr_engine_frame(const struct skr_engine *e)
{
    return e->frame;
}
