/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig's clock and its traffic with the engine: actions become pending writes, solves and
 * answers; pending things are carried out in a fixed order (watches, writes, solves, one scheduling
 * cycle) until nothing is due, then the clock goes to the next timer.
 */
#include "test/unit/engine_rig_parts.h"
#include <utlist.h>

#include "core/devices/answers.h"
#include "core/gang/problem/device_turns.h"
#include "test/test.h"
#include "test/unit/json_fast.h"

enum {
    STEPS_MAX = 2000000,
    /* Of evaluation, in one event: a piece, what a problem of a group adds, and the searches of one node. */
    RIG_STEPS_MAX = 2 * SKR_DEVICE_PIECE + SKR_DEVICES_PODS_STEPS * SKR_DEVICES_STEPS,
};

void rig_fail(struct rig *rig, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "at %lld ms: %s\n", (long long)((rig->now - RIG_EPOCH) / SKR_MILLISECOND),
            text);
    fail();
}

void rig_tell(const struct rig *rig, const char *format, ...)
{
    va_list args;
    if (!rig->trace) {
        return;
    }
    fprintf(stderr, "%8lld ", (long long)((rig->now - RIG_EPOCH) / SKR_MILLISECOND));
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}

/* ---- actions ---- */

static void take_write(struct rig *rig, const struct skr_write *write)
{
    struct rig_write *w = skr_alloc(sizeof *w);
    char key[600];
    json_error_t error;
    snprintf(key, sizeof key, "%s/%s", write->namespace_, write->name);
    w->id = write->id;
    w->kind = skr_write_kind_of(write);
    w->class = write->class;
    w->order = write->order;
    w->key = skr_strdup(key);
    if (write->body_len > 0) {
        w->body = json_fast_read(write->body, write->body_len, &error);
        if (!w->body) {
            rig_fail(rig, "body is no JSON: %s in %s", error.text, write->body);
        }
    }
    if (w->kind == SKR_WRITE_CREATE_EVENT) {
        const char *note = rig_text(w->body, "note"), *reason = rig_text(w->body, "reason");
        json_array_append_new(rig->events,
                              json_sprintf("%s/%s %s %s: %s", rig_text(w->body, "regarding.kind"),
                                           rig_text(w->body, "regarding.name"),
                                           rig_text(w->body, "type"), reason, note));
    }
    rig->n_writes[w->kind]++;
    struct rig_object *pod = rig_find(rig, RIG_POD, key);
    if (pod) {
        pod->n_patches[w->kind]++;
    }
    w->held = rig->hold_kind == w->kind;
    w->held_back = rig->is_mute && w->body;
    rig_tell(rig, "write %llu %s %s %s", (unsigned long long)w->id, skr_write_kind_name(w->kind),
             key, write->body);
    if (rig->is_mute) {
        rig_tell(rig, "which is not sent");
    } else if (w->id % rig->check_every == 0 || w->kind == SKR_WRITE_PATCH_CONFIGMAP) {
        rig_watchdog_write(rig, w);
    }
    DL_APPEND(rig->writes, w);
}

static void take_explanation(struct rig *rig, const struct skr_explain_answer *answer)
{
    json_decref(rig->explanation);
    rig->explanation = json_fast_read(answer->json, answer->json_len, NULL);
    if (!rig->explanation) {
        rig_fail(rig, "the explanation is no JSON: %s", answer->json);
    }
}

static void take_answer(struct rig *rig, const struct skr_answer *answer)
{
    if (answer->kind == SKR_ANSWER_EXPLANATION) {
        take_explanation(rig, &answer->explanation);
        return;
    }
    rig_scheduler_answer(rig, answer);
}

static void cancel_solve(struct rig *rig, uint64_t id)
{
    struct rig_solve *s;
    DL_FOREACH(rig->solves, s)
    {
        if (s->request->work.id == id) {
            atomic_store(&s->request->work.cancel, true);
        }
    }
}

static void take_action(struct rig *rig, struct skr_action *a)
{
    if (!rig->keeps_no_log) {
        rig_log_action(rig, a);
    }
    if (a->kind == SKR_ACTION_ANSWER) {
        take_answer(rig, a->answer.body);
    } else if (a->kind == SKR_ACTION_WRITE) {
        take_write(rig, &a->write);
    } else if (a->kind == SKR_ACTION_WORK) {
        struct rig_solve *s = skr_alloc(sizeof *s);
        s->request = skr_solve_request_of(a->work);
        s->in_vain = s->request->preemption && rig->has_room_then && !rig->is_aside &&
                     rig->has_room_then(rig->context, s->request);
        a->work = NULL;
        rig->n_solves++;
        DL_APPEND(rig->solves, s);
    } else if (a->kind == SKR_ACTION_WATCH) {
        rig_ask_list(rig, a->watch);
    } else if (a->kind == SKR_ACTION_TIMER) {
        rig->timer = a->timer;
    } else if (a->kind == SKR_ACTION_DECISION) {
        const struct skr_decision *d = &a->decision;
        if (!rig->is_mute && strcmp(d->what, "Plan aborted") == 0 &&
            strcmp(d->reason, "FilteredByOthers") == 0) {
            rig_refusals_note(rig, d->key, d->message);
        }
        if (strcmp(d->what, "Plan aborted") == 0 &&
            strstr(d->message, "room without the victims")) {
            rig_preemption_moves(rig, d->key);
        }
        rig_tell(rig, "* %s %s %s %s %s", d->what, d->key, d->pod, d->reason, d->message);
    } else if (a->kind == SKR_ACTION_CANCEL) {
        cancel_solve(rig, a->cancel);
    } else {
        rig_fail(rig, "an action of no kind");
    }
}

/* Nobody hears any more what the process says. */
static bool is_silent(const struct rig *rig)
{
    return rig->is_dead && !rig->is_aside && !rig->is_mute;
}

static void count_action(struct rig *rig, const struct skr_action *a)
{
    bool told =
        a->kind == SKR_ACTION_WRITE && skr_write_kind_of(&a->write) != SKR_WRITE_CREATE_EVENT;
    bool counts = told || a->kind == SKR_ACTION_ANSWER;
    if (counts && !rig->is_aside && !rig->is_mute && ++rig->n_actions == rig->die_at) {
        rig_tell(rig, "==== dies at action %zu", rig->n_actions);
        rig->is_dead = rig->crashed = true;
    }
}

static uint64_t steps_of(const struct rig *rig)
{
    return rig->gang ? rig->gang->devices.stock->work->steps : 0;
}

void rig_handle(struct rig *rig, struct skr_event *event)
{
    struct skr_actions actions; /* answers may be asked for while another list is carried out */
    struct skr_error error;
    skr_actions_init(&actions);
    const uint64_t began = steps_of(rig);
    skr_engine_handle(rig->engine, event, rig->now, &actions);
    if (steps_of(rig) - began > RIG_STEPS_MAX && !rig->settings.on_paper) {
        rig_fail(rig, "an event took %llu steps of evaluation",
                 (unsigned long long)(steps_of(rig) - began));
    }
    if (rig->n_events++ % rig->check_every == 0 && skr_engine_check(rig->engine, &error) < 0) {
        rig_fail(rig, "%s", error.text);
    }
    for (size_t i = 0; i < actions.n && !is_silent(rig); i++) {
        take_action(rig, &actions.item[i]);
        count_action(rig, &actions.item[i]);
    }
    skr_actions_fini(&actions);
    if (!rig->is_aside && !rig->is_mute && !rig->crashed) {
        rig_promises_judge(rig);
    }
}

uint64_t rig_request(struct rig *rig, enum skr_gang_verb verb, const void *body)
{
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = ++rig->request, .verb = (int)verb, .body = body}};
    rig_handle(rig, &event);
    return event.request.id;
}

void rig_event(struct rig *rig, enum skr_event_kind kind)
{
    struct skr_event event = {.kind = kind};
    if (kind != SKR_EVENT_TIMER) { /* who leads anew, or starts, has heard of nothing */
        rig_refusals_forget(rig);
        rig->n_lives++;
    }
    if (!rig->is_aside && !rig->is_mute && kind != SKR_EVENT_TIMER) {
        rig_promises_fini(rig);
    }
    rig_handle(rig, &event);
    if (!rig->is_aside && !rig->is_mute &&
        (kind == SKR_EVENT_SYNCED || kind == SKR_EVENT_LEADER_WON) &&
        skr_frame_is_synced(skr_engine_frame(rig->engine))) {
        rig_promises_take_over(rig);
    }
}

/* ---- steps ---- */

bool rig_step_watch(struct rig *rig, size_t nth)
{
    struct rig_watch *w;
    DL_FOREACH(rig->watches, w)
    {
        const struct rig_watch *earlier = rig->watches;
        while (earlier != w && earlier->kind != w->kind) {
            earlier = earlier->next;
        }
        if (earlier != w || rig->hold_watch[w->kind] || (w->list && rig->hold_lists) || nth-- > 0) {
            continue; /* the order within a kind is kept */
        }
        DL_DELETE(rig->watches, w);
        rig_deliver(rig, w);
        rig_watch_free(NULL, w);
        return true;
    }
    return false;
}

bool rig_step_write(struct rig *rig, size_t nth)
{
    struct rig_write *w;
    if (rig->hold_writes) {
        return false;
    }
    DL_FOREACH(rig->writes, w)
    {
        if (w->held || nth-- > 0) {
            continue;
        }
        rig_answer_write(rig, w, rig_fate_of(rig, w));
        return true;
    }
    return false;
}

static const json_t *explain(struct rig *rig, const char *name, bool preempt,
                             const struct skr_what_if *what_if)
{
    const struct skr_explain_request request = {
        .namespace_ = "default", .name = name, .preempt = preempt, .what_if = what_if};
    json_decref(rig->explanation);
    rig->explanation = NULL;
    rig_request(rig, SKR_GANG_EXPLAIN, &request);
    while (!rig->explanation && rig_step_solve(rig)) {
        ;
    }
    if (!rig->explanation) {
        rig_fail(rig, "no explanation of %s", name);
    }
    return rig->explanation;
}

const json_t *rig_explain(struct rig *rig, const char *name)
{
    return explain(rig, name, false, NULL);
}

const char *rig_also(struct rig *rig, const char *group, const char *reason)
{
    const json_t *also;
    size_t i;
    json_array_foreach(json_object_get(rig_explain(rig, group), "also"), i, also)
    {
        if (strcmp(skr_object_text(also, "reason"), reason) == 0) {
            return skr_object_text(also, "message");
        }
    }
    return "";
}

const json_t *rig_explain_preempt(struct rig *rig, const char *name)
{
    return explain(rig, name, true, NULL);
}

const json_t *rig_what_if(struct rig *rig, const char *name, const struct skr_what_if *what_if)
{
    return explain(rig, name, false, what_if);
}

/* No second set of victims while the room of the first would do. */
static void judge_victims(struct rig *rig, const struct rig_solve *s)
{
    const struct skr_victims *found = s->request->victims;
    for (size_t i = 0; s->in_vain && found && i < found->n; i++) {
        const struct skr_victim *v = &s->request->preemption->victim[found->victim[i]];
        if (v->members > 0) { /* else a plan or a seat yields */
            rig_fail(rig,
                     "%s shall give way, and its preemptor has room when those that leave are gone",
                     v->name);
        }
    }
}

bool rig_step_solve(struct rig *rig)
{
    struct rig_solve *s = rig->solves;
    if (!s || rig->hold_solves) {
        return false;
    }
    struct skr_work *work = &s->request->work;
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = work};
    work->type->run(work, NULL);
    work->took_ns = rig->solve_ns;
    DL_DELETE(rig->solves, s);
    judge_victims(rig, s);
    rig_tell(rig, "solved, %d members", s->request->problem.n);
    rig_handle(rig, &event);
    free(s);
    return true;
}

bool rig_step(struct rig *rig)
{
    if (rig->crashed) {
        return false;
    }
    return rig_step_watch(rig, 0) || rig_step_write(rig, 0) || rig_step_solve(rig) ||
           (!rig->hold_scheduler && rig_step_scheduler(rig));
}

static bool fire_timer(struct rig *rig)
{
    if (rig->timer > rig->now || rig->crashed) {
        return false;
    }
    rig->timer = SKR_TIME_NEVER;
    rig_event(rig, SKR_EVENT_TIMER);
    return true;
}

void rig_settle(struct rig *rig)
{
    for (size_t i = 0; rig_step(rig) || fire_timer(rig); i++) {
        if (i > STEPS_MAX) {
            rig_fail(rig, "it never comes to rest");
        }
    }
}

bool rig_advance(struct rig *rig, skr_time end)
{
    skr_time next = rig_scheduler_next(rig), reap = rig_next_reap(rig);
    next = rig->timer < next ? rig->timer : next;
    next = reap < next ? reap : next;
    if (next > end || rig->crashed) {
        rig->now = end > rig->now ? end : rig->now;
        return false;
    }
    rig->now = next > rig->now ? next : rig->now;
    rig_reap(rig);
    rig_scheduler_due(rig);
    fire_timer(rig);
    return true;
}

void rig_run(struct rig *rig, skr_time duration)
{
    skr_time end = rig->now + duration;
    do {
        rig_settle(rig);
        if (!rig->crashed) {
            rig_promises_rest(rig);
        }
        if (rig->at_rest) {
            rig->at_rest(rig->context);
        }
    } while (rig_advance(rig, end) && !rig->crashed);
}
