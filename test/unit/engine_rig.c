/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig's clock and its traffic with the engine: actions become pending writes, solves and
 * answers; pending things are carried out in a fixed order (watches, writes, solves, one scheduling
 * cycle) until nothing is due, then the clock goes to the next timer.
 */
#include "test/unit/engine_rig_parts.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/group_table.h"
#include "test/test.h"
#include "test/unit/json_fast.h"

enum { STEPS_MAX = 2000000 };

void rig_fail(struct rig *rig, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "at %lld ms: %s\n", (long long)((rig->now - RIG_EPOCH) / SKR_MILLISECOND),
            text);
    rig_print(rig);
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

static void take_action(struct rig *rig, struct skr_action *a)
{
    if (!rig->keeps_no_log) {
        rig_log_action(rig, a);
    }
    if (a->kind == SKR_ACTION_ANSWER) {
        take_answer(rig, a->answer.body);
    } else if (a->kind == SKR_ACTION_HOLD) {
        struct rig_call *call;
        rig->held_request = a->hold.request;
        DL_FOREACH(rig->calls, call)
        {
            call->held = call->held || call->request == a->hold.request;
        }
    } else if (a->kind == SKR_ACTION_WRITE) {
        take_write(rig, &a->write);
    } else if (a->kind == SKR_ACTION_WORK) {
        struct rig_solve *s = skr_alloc(sizeof *s);
        s->request = skr_solve_request_of(a->work);
        a->work = NULL;
        rig->n_solves++;
        DL_APPEND(rig->solves, s);
    } else if (a->kind == SKR_ACTION_TIMER) {
        rig->timer = a->timer;
    } else if (a->kind == SKR_ACTION_DECISION) {
        const struct skr_decision *d = &a->decision;
        if (!rig->is_mute && strcmp(d->what, "Plan aborted") == 0 &&
            strcmp(d->reason, "FilteredByOthers") == 0) {
            rig_refusals_note(rig, d->key, d->message);
        }
        rig_tell(rig, "* %s %s %s %s %s", d->what, d->key, d->pod, d->reason, d->message);
    } else if (a->kind != SKR_ACTION_CANCEL) {
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

void rig_handle(struct rig *rig, struct skr_event *event)
{
    struct skr_actions actions; /* answers may be asked for while another list is carried out */
    struct skr_error error;
    skr_actions_init(&actions);
    skr_engine_handle(rig->engine, event, rig->now, &actions);
    if (rig->n_events++ % rig->check_every == 0 && skr_engine_check(rig->engine, &error) < 0) {
        rig_fail(rig, "%s", error.text);
    }
    for (size_t i = 0; i < actions.n && !is_silent(rig); i++) {
        take_action(rig, &actions.item[i]);
        count_action(rig, &actions.item[i]);
    }
    skr_actions_fini(&actions);
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
    rig_handle(rig, &event);
}

/* ---- writes ---- */

static void write_free(struct rig *rig, struct rig_write *w)
{
    DL_DELETE(rig->writes, w);
    json_decref(w->body);
    free(w->key);
    free(w);
}

enum skr_write_outcome rig_outcome_of(int status)
{
    switch (status) {
    case 200:
    case 201:
        return SKR_WRITE_OK;
    case 404:
        return SKR_WRITE_NOT_FOUND;
    case 409:
        return SKR_WRITE_CONFLICT;
    case 403:
        return SKR_WRITE_DENIED;
    case 429:
        return SKR_WRITE_BUSY;
    case 0:
        return SKR_WRITE_UNKNOWN;
    default:
        return SKR_WRITE_INVALID;
    }
}

static enum rig_kind object_kind(enum skr_write_kind kind)
{
    return kind == SKR_WRITE_PATCH_CONFIGMAP || kind == SKR_WRITE_GET_CONFIGMAP ? RIG_MAP
           : kind == SKR_WRITE_PATCH_PODGROUP || kind == SKR_WRITE_GET_PODGROUP ? RIG_PODGROUP
                                                                                : RIG_POD;
}

/* What the API server's answer carries. */
static void fill_answer(struct rig *rig, const struct rig_write *w, struct skr_event *event)
{
    const struct rig_object *o = rig_find(rig, object_kind(w->kind), w->key);
    struct skr_event object;
    if (!o || event->written.outcome != SKR_WRITE_OK || w->kind == SKR_WRITE_CREATE_EVENT) {
        return;
    }
    if (w->body && w->kind != SKR_WRITE_BINDING) { /* a Binding answers with a Status */
        event->written.resource_version = w->late ? w->late_version : rig->version;
    }
    if (w->body || !rig_decode(rig, o->kind, o->json, &object)) {
        return;
    }
    event->written.type = object.upsert.type;
    event->written.object = object.upsert.object;
}

int rig_arrive(struct rig *rig, const struct rig_write *w)
{
    int status = rig_apply(rig, w);
    if (status < 300 && w->body && w->kind != SKR_WRITE_CREATE_EVENT) {
        rig->n_applied++;
        rig_watchdog_applied(rig, w);
    }
    return status;
}

static int carry_out(struct rig *rig, const struct rig_write *w, enum rig_outcome outcome)
{
    static const int refused[] = {0, 409, 404, 422, 403, 429, 0, 0, 0};
    if (outcome != RIG_OK && outcome != RIG_LOST_APPLIED && outcome != RIG_TWICE) {
        return refused[outcome];
    }
    if (outcome == RIG_TWICE) {
        rig_arrive(rig, w);
    }
    int status = rig_arrive(rig, w);
    return outcome == RIG_LOST_APPLIED ? 0 : status;
}

void rig_answer_as(struct rig *rig, struct rig_write *w, enum skr_write_outcome outcome, int status)
{
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    event.written.id = w->id;
    event.written.outcome = outcome;
    event.written.http_status = status;
    event.written.message = status < 300 && status > 0 ? "" : "refused by the rig";
    fill_answer(rig, w, &event);
    write_free(rig, w);
    rig_handle(rig, &event);
}

void rig_answer_write(struct rig *rig, struct rig_write *w, enum rig_outcome outcome)
{
    size_t before = rig->n_applied;
    int status = carry_out(rig, w, outcome);
    bool last = rig->crash_at && before != rig->n_applied && rig->n_applied >= rig->crash_at;
    rig->crashed = rig->crashed || last;
    rig->disturbances += status == 404; /* it hears of a deletion */
    rig_tell(rig, "answer %llu %d", (unsigned long long)w->id, status);
    if (last && rig->crash_before_answer) {
        write_free(rig, w);
        return;
    }
    rig_answer_as(rig, w, rig_outcome_of(status), status);
}

void rig_fault_after(struct rig *rig, enum skr_write_kind kind, const char *key,
                     enum rig_outcome outcome, int skip, int times)
{
    struct rig_fault *f = skr_alloc(sizeof *f);
    *f = (struct rig_fault){.kind = kind, .outcome = outcome, .skip = skip, .times = times};
    f->key = key ? rig_full_key(RIG_POD, key) : NULL;
    DL_APPEND(rig->faults, f);
}

void rig_fault(struct rig *rig, enum skr_write_kind kind, const char *key, enum rig_outcome outcome,
               int times)
{
    rig_fault_after(rig, kind, key, outcome, 0, times);
}

void rig_faults_end(struct rig *rig)
{
    struct rig_fault *f, *tmp;
    DL_FOREACH_SAFE(rig->faults, f, tmp)
    {
        DL_DELETE(rig->faults, f);
        free(f->key);
        free(f);
    }
}

static enum rig_outcome fate_of(struct rig *rig, const struct rig_write *w)
{
    struct rig_fault *f;
    DL_FOREACH(rig->faults, f)
    {
        if (f->kind != w->kind || (f->key && strcmp(f->key, w->key) != 0) || f->times == 0) {
            continue;
        }
        if (f->skip-- > 0) {
            continue;
        }
        f->times--;
        return f->outcome;
    }
    return RIG_OK;
}

struct rig_write *rig_find_write(struct rig *rig, enum skr_write_kind kind, const char *key)
{
    struct rig_write *w;
    char *full = key ? rig_full_key(RIG_POD, key) : NULL;
    DL_FOREACH(rig->writes, w)
    {
        if (w->kind == kind && (!full || strcmp(full, w->key) == 0)) {
            break;
        }
    }
    free(full);
    return w;
}

size_t rig_count(struct rig *rig, enum skr_write_kind kind, const char *key)
{
    if (!key) {
        return rig->n_writes[kind];
    }
    const struct rig_object *o = rig_find(rig, RIG_POD, key);
    return o ? o->n_patches[kind] : 0;
}

void rig_forget_counts(struct rig *rig)
{
    struct rig_object *o;
    memset(rig->n_writes, 0, sizeof rig->n_writes);
    rig->n_filters = rig->n_solves = 0;
    DL_FOREACH(rig->list, o)
    {
        memset(o->n_patches, 0, sizeof o->n_patches);
        o->n_filters = 0;
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
        if (earlier != w || rig->hold_watch[w->kind] || nth-- > 0) {
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
        rig_answer_write(rig, w, fate_of(rig, w));
        return true;
    }
    return false;
}

static const json_t *explain(struct rig *rig, const char *name, bool preempt)
{
    const struct skr_explain_request request = {
        .namespace_ = "default", .name = name, .preempt = preempt};
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
    return explain(rig, name, false);
}

const json_t *rig_explain_preempt(struct rig *rig, const char *name)
{
    return explain(rig, name, true);
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
    DL_DELETE(rig->solves, s);
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

void rig_wait_for_answer(struct rig *rig, struct rig_answer *answer)
{
    bool hold = rig->hold_scheduler;
    rig->hold_scheduler = true; /* its one cycle is this one */
    for (size_t i = 0; answer->kind == SKR_ANSWER_KIND_COUNT && !rig->crashed; i++) {
        if (!rig_step(rig) && !fire_timer(rig)) {
            rig_advance(rig, rig->now + SKR_SECOND);
        }
        if (i > STEPS_MAX) {
            rig_fail(rig, "a held call is never answered");
        }
    }
    rig->hold_scheduler = hold;
    if (rig->crashed) {
        answer->kind = SKR_ANSWER_ERROR;
    }
}

void rig_run(struct rig *rig, skr_time duration)
{
    skr_time end = rig->now + duration;
    do {
        rig_settle(rig);
    } while (rig_advance(rig, end) && !rig->crashed);
}

/* ---- life ---- */

void rig_make_engine(struct rig *rig)
{
    rig->engine = skr_engine_create(&skr_gang_scheduler, &rig->settings, rig->settings.instance);
    rig->gang = skr_engine_self(rig->engine);
}

struct rig *rig_create_with(const struct skr_settings *settings)
{
    struct rig *rig = skr_alloc(sizeof *rig);
    rig->settings = *settings;
    rig_make_engine(rig);
    rig->now = RIG_EPOCH;
    rig->timer = SKR_TIME_NEVER;
    rig->bindings_carry_labels = true;
    rig->check_every = 1;
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->trace = getenv("SKR_RIG_TRACE");
    rig->binding_ids = json_object();
    rig->persisted = json_object();
    rig->refusals = json_object();
    rig->preempting = json_object();
    rig->chosen = json_object();
    rig->standing = json_object();
    rig->events = json_array();
    skr_strbuf_init(&rig->log);
    return rig;
}

struct rig *rig_create(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    return rig_create_with(&settings);
}

void rig_drop_pending(struct rig *rig)
{
    while (rig->writes) {
        write_free(rig, rig->writes);
    }
    while (rig->watches) {
        rig->disturbances += rig->watches->by_user; /* it hears of that in lists */
        rig_watch_free(rig, rig->watches);
    }
    while (rig->solves) {
        struct rig_solve *s = rig->solves;
        DL_DELETE(rig->solves, s);
        skr_solve_request_destroy(s->request);
        free(s);
    }
}

void rig_destroy(struct rig *rig)
{
    struct rig_object *o, *tmp;
    if (!rig) {
        return;
    }
    rig_end_standby(rig);
    skr_engine_destroy(rig->engine);
    rig_drop_pending(rig);
    while (rig->calls) {
        rig_call_free(rig, rig->calls);
    }
    rig_faults_end(rig);
    HASH_CLEAR(hh, rig->objects);
    DL_FOREACH_SAFE(rig->list, o, tmp)
    {
        rig_object_free(o);
    }
    json_decref(rig->binding_ids);
    json_decref(rig->persisted);
    json_decref(rig->refusals);
    rig_preemption_fini(rig);
    json_decref(rig->events);
    json_decref(rig->explanation);
    skr_strbuf_fini(&rig->log);
    free(rig);
}

static void list(struct rig *rig, enum rig_kind kind)
{
    struct rig_object *o;
    struct skr_event event;
    if (!rig->list) {
        return;
    }
    for (o = rig->reverse_lists ? rig->list->prev : rig->list; o;
         o = rig->reverse_lists ? (o == rig->list ? NULL : o->prev) : o->next) {
        if (o->kind == kind && rig_decode(rig, kind, o->json, &event)) {
            rig_preemption_heard(rig, kind, o->key, o->json);
            rig_handle(rig, &event);
        }
    }
}

void rig_sync(struct rig *rig)
{
    for (int i = 0; i < RIG_KIND_COUNT; i++) {
        list(rig, (enum rig_kind)((i + rig->list_rotation) % RIG_KIND_COUNT));
    }
    rig->synced = true;
    rig_event(rig, SKR_EVENT_SYNCED);
}

void rig_restart(struct rig *rig)
{
    struct rig_write *w;
    DL_FOREACH(rig->is_dead && rig->die_sent ? rig->writes : NULL, w)
    {
        if (w->body && !w->held_back) {
            rig_arrive(rig, w);
        }
    }
    rig_tell(rig, "==== restart");
    skr_engine_destroy(rig->engine);
    rig_drop_pending(rig);
    rig->crashed = rig->is_dead = false;
    rig->crash_at = 0;
    rig->synced = false;
    for (int i = 0; i < RIG_KIND_COUNT; i++) {
        json_object_clear(rig->heard[i]);
    }
    rig->timer = SKR_TIME_NEVER;
    rig_make_engine(rig);
    rig_scheduler_forget(rig, false);
    rig_sync(rig);
}

const char *rig_state(const struct rig *rig, const char *group)
{
    static const char *const name[] = {"Pending",   "Ready",   "Preempting", "Planned",
                                       "Admitting", "Holding", "Binding",    "Bound",
                                       "Backoff",   "Evicted", "Invalid"};
    _Static_assert(sizeof name / sizeof *name == GROUP_STATE_COUNT, "names");
    char *key = rig_full_key(RIG_MAP, group);
    const struct group *g = groups_find(rig->gang, key);
    free(key);
    return g ? name[g->state] : "";
}
