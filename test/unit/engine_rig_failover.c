/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two daemons on the rig, of which one leads. The one that leads may be paused, like a process that the kernel
 * stops: the other takes over, while requests that the first had sent still arrive one by one. When it goes on it
 * does not know yet: timers fire, answers and old news come in, and it decides. None of that is sent, as the
 * writer asks before each request whether this process leads (server/kube/writer.c). Then it learns
 * that it does not lead any more, and follows.
 *
 * Judge: who follows asks for nothing (a_follower_is_silent).
 */
#include "test/unit/engine_rig_failover.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/engine_rig_parts.h"

struct rig_process {
    struct skr_engine *engine;
    struct skr_gang *gang;
    skr_time timer;
    bool synced;
    struct rig_write *writes;
    struct rig_watch *watches;
    struct rig_solve *solves;
    json_t *heard[RIG_HEARD_COUNT];
};

/* The other daemon's side becomes the rig's. */
static void swap(struct rig *rig)
{
    struct rig_process *p = rig->other, q = {.engine = rig->engine,
                                             .gang = rig->gang,
                                             .timer = rig->timer,
                                             .synced = rig->synced,
                                             .writes = rig->writes,
                                             .watches = rig->watches,
                                             .solves = rig->solves};
    memcpy(q.heard, rig->heard, sizeof q.heard);
    rig->engine = p->engine;
    rig->gang = p->gang;
    rig->timer = p->timer;
    rig->synced = p->synced;
    rig->writes = p->writes;
    rig->watches = p->watches;
    rig->solves = p->solves;
    memcpy(rig->heard, p->heard, sizeof q.heard);
    *p = q;
}

void rig_start_standby(struct rig *rig)
{
    rig->other = skr_alloc(sizeof *rig->other);
    rig->other->timer = SKR_TIME_NEVER;
    swap(rig);
    rig->is_aside = true;
    rig_make_engine(rig);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    rig_sync(rig);
    rig->is_aside = false;
    swap(rig);
}

void rig_end_standby(struct rig *rig)
{
    if (!rig->other) {
        return;
    }
    swap(rig);
    skr_engine_destroy(rig->engine);
    rig_drop_pending(rig);
    for (int i = 0; i < RIG_HEARD_COUNT; i++) {
        json_decref(rig->heard[i]);
    }
    swap(rig);
    free(rig->other);
    rig->other = NULL;
}

void rig_announce_to_standby(struct rig *rig, const struct rig_watch *news)
{
    if (!rig->other || !rig->other->synced) {
        return;
    }
    struct rig_watch *w = skr_alloc(sizeof *w);
    w->kind = news->kind;
    w->key = skr_strdup(news->key);
    w->uid = skr_strdup(news->uid);
    w->json = json_incref(news->json);
    w->by_user = news->by_user;
    DL_APPEND(rig->other->watches, w);
}

static void fail_over(struct rig *rig, bool behind)
{
    struct rig_call *call;
    const struct rig_watch *news;
    rig_tell(rig, "==== the leader is paused, the other one leads%s",
             behind ? ", with old news" : "");
    DL_FOREACH(rig->calls, call)
    {
        call->lost = call->lost || call->state == RIG_OPEN;
    }
    rig_scheduler_forget(rig, false);
    swap(rig);
    rig->is_paused = true;
    DL_FOREACH(rig->other->watches, news)
    {
        rig->disturbances += news->by_user; /* what the paused one acted on did not know of it */
    }
    while (!behind && rig_step_watch(rig, 0)) {
    }
    rig_event(rig, SKR_EVENT_LEADER_WON);
}

void rig_fail_over(struct rig *rig)
{
    fail_over(rig, false);
}

void rig_fail_over_behind(struct rig *rig)
{
    fail_over(rig, true);
}

bool rig_step_late(struct rig *rig, size_t nth)
{
    struct rig_write *w;
    DL_FOREACH(rig->is_paused ? rig->other->writes : NULL, w)
    {
        if (w->late || nth-- > 0) {
            continue;
        }
        rig_tell(rig, "late: write %llu of the other one", (unsigned long long)w->id);
        w->late = rig_arrive(rig, w);
        struct rig_object *pod =
            w->kind == SKR_WRITE_BINDING ? rig_find(rig, RIG_POD, w->key) : NULL;
        if (pod && w->late == 201) {
            pod->came_late = true;
        }
        w->late_version = rig->version;
        return true;
    }
    return false;
}

/* Answers to what was sent before the pause, and none to what is asked for after it. */
static void end_writes(struct rig *rig)
{
    const uint64_t last = rig->writes ? rig->writes->prev->id : 0;
    while (rig->writes && rig->writes->id <= last) {
        struct rig_write *w = rig->writes;
        rig_answer_as(rig, w, w->held_back ? SKR_WRITE_DROPPED : rig_outcome_of(w->late), w->late);
    }
}

void rig_resume(struct rig *rig, size_t news, bool knows)
{
    struct rig_write *w;
    if (!rig->is_paused) {
        return;
    }
    rig_tell(rig, "==== the other one goes on");
    rig->is_paused = false;
    swap(rig);
    rig->is_mute = true;
    if (knows) {
        rig_event(rig, SKR_EVENT_LEADER_LOST);
    }
    DL_FOREACH(rig->writes, w)
    {
        w->held_back = false;
    }
    if (rig->timer <= rig->now) {
        rig->timer = SKR_TIME_NEVER;
        rig_event(rig, SKR_EVENT_TIMER);
    }
    while (news-- > 0 && rig_step_watch(rig, 0)) {
    }
    end_writes(rig);
    if (!knows) {
        rig_event(rig, SKR_EVENT_LEADER_LOST);
    }
    while (rig->writes || rig->solves) {
        end_writes(rig);
        rig_step_solve(rig);
    }
    rig->is_mute = false;
    swap(rig);
}

void rig_step_standby(struct rig *rig)
{
    if (!rig->other || rig->is_paused) {
        return;
    }
    swap(rig);
    rig->is_aside = true;
    rig_step_watch(rig, 0);
    if (rig->timer <= rig->now) {
        rig->timer = SKR_TIME_NEVER;
        rig_event(rig, SKR_EVENT_TIMER);
    }
    if (rig->writes) {
        rig_fail(rig, "who does not lead asks for a write to %s", rig->writes->key);
    }
    rig->is_aside = false;
    swap(rig);
}
