/* SPDX-License-Identifier: Apache-2.0 */
/* The rig's engine: its actions are carried out as they come, what they bring about is handed to it
 * one by one. */
#include "test/unit/frame_rig.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/failure_log.h"
#include "test/unit/frame_rig_parts.h"
#include "topology/base/json_field.h"

enum { ROUNDS_MAX = 100000 };

static void print_log(void *context)
{
    const struct frame_rig *rig = context;
    const size_t first = rig->n_writes > 20 ? rig->n_writes - 20 : 0;
    fprintf(stderr, "the last writes:\n");
    for (size_t i = first; i < rig->n_writes; i++) {
        const struct frame_rig_write *w = &rig->write[i];
        SKR_AUTO_FREE char *body = w->body ? json_dumps(w->body, JSON_COMPACT) : NULL;
        fprintf(stderr, "  verb %d %s/%s %s: %d %.300s\n", (int)w->verb, w->resource->plural,
                w->subresource, w->key, w->http_status, body ? body : "");
    }
    for (size_t i = rig->n_decisions > 10 ? rig->n_decisions - 10 : 0; i < rig->n_decisions; i++) {
        fprintf(stderr, "  %s\n", rig->decision[i]);
    }
}

struct frame_rig *frame_rig_create(const struct skr_scheduler *scheduler, const void *settings)
{
    struct frame_rig *rig = skr_alloc(sizeof *rig);
    rig->parts = skr_alloc(sizeof *rig->parts);
    rig->parts->scheduler = scheduler;
    rig->parts->settings = settings;
    rig->parts->timer = SKR_TIME_NEVER;
    rig->now = (skr_time)1767225600 * SKR_SECOND; /* 2026-01-01T00:00:00Z */
    failure_log_add(print_log, rig);
    return rig;
}

static void forget_news(struct frame_rig *rig)
{
    struct frame_news *n, *next;
    DL_FOREACH_SAFE(rig->parts->news, n, next)
    {
        DL_DELETE(rig->parts->news, n);
        frame_rig_news_free(n);
    }
    DL_FOREACH_SAFE(rig->parts->late, n, next)
    {
        DL_DELETE(rig->parts->late, n);
        frame_rig_news_free(n);
    }
}

void frame_rig_forget_writes(struct frame_rig *rig)
{
    for (size_t i = 0; i < rig->n_writes; i++) {
        free(rig->write[i].subresource);
        free(rig->write[i].key);
        json_decref(rig->write[i].body);
    }
    rig->n_writes = 0;
}

void frame_rig_destroy(struct frame_rig *rig)
{
    if (!rig) {
        return;
    }
    failure_log_drop(rig);
    skr_engine_destroy(rig->engine);
    forget_news(rig);
    frame_rig_forget_writes(rig);
    frame_rig_api_fini(rig);
    for (size_t i = 0; i < rig->n_decisions; i++) {
        free(rig->decision[i]);
    }
    free(rig->decision);
    free(rig->write);
    free(rig->parts);
    free(rig);
}

static void give_answer(void *context, uint64_t request, const void *body)
{
    struct frame_rig *rig = context;
    if (rig->answer) {
        rig->answer(rig->context, request, body);
    }
}

static void take_write(void *context, const struct skr_write *write)
{
    struct frame_rig *rig = context;
    if (!rig->parts->must_crash) {
        frame_rig_apply(rig, write);
    }
}

/* It is done at once. */
static void run_work(void *context, struct skr_work *work)
{
    struct frame_rig *rig = context;
    struct frame_news *n = skr_alloc(sizeof *n);
    work->type->run(work, NULL);
    n->event = (struct skr_event){.kind = SKR_EVENT_WORK_DONE, .work = work};
    DL_APPEND(rig->parts->news, n);
}

/* All objects are announced anyway, before this one. */
static void announce_list(void *context, const struct skr_object_type *type)
{
    struct frame_rig *rig = context;
    struct frame_news *n = skr_alloc(sizeof *n);
    n->event = (struct skr_event){.kind = SKR_EVENT_LISTED, .listed = type};
    DL_APPEND(rig->parts->news, n);
}

static void note_decision(void *context, const struct skr_decision *d)
{
    struct frame_rig *rig = context;
    char text[512];
    snprintf(text, sizeof text, "%s: %s: %s", d->what, d->key, d->message);
    skr_grow(&rig->decision, &rig->parts->cap_decisions, rig->n_decisions + 1,
             sizeof *rig->decision);
    rig->decision[rig->n_decisions++] = skr_strdup(text);
}

static void hand_query(void *context, const struct skr_query *query)
{
    const struct frame_rig *rig = context;
    assert_non_null(rig->query);
    rig->query(rig->context, query);
}

void frame_rig_handle(struct frame_rig *rig, struct skr_event *event)
{
    struct skr_actions actions;
    struct skr_error error;
    skr_actions_init(&actions);
    assert_int_equal(skr_engine_handle(rig->engine, event, rig->now, &actions), 0);
    if (skr_engine_check(rig->engine, &error) < 0) {
        fail_msg("%s", error.text);
    }
    const struct skr_outlets outlets = {.context = rig,
                                        .answer = give_answer,
                                        .write = take_write,
                                        .work = run_work,
                                        .query = hand_query,
                                        .watch = announce_list,
                                        .decide = note_decision};
    skr_actions_carry_out(&actions, &outlets, &rig->parts->timer);
    skr_actions_fini(&actions);
    if (rig->parts->must_crash) {
        rig->parts->must_crash = false;
        rig->parts->crashes++;
        frame_rig_restart(rig);
    }
}

static void handle_kind(struct frame_rig *rig, enum skr_event_kind kind)
{
    struct skr_event event = {.kind = kind};
    frame_rig_handle(rig, &event);
}

static void deliver_object(struct frame_rig *rig, const struct frame_news *n)
{
    struct skr_event event = {.kind = SKR_EVENT_UPSERT};
    struct skr_error error;
    const struct skr_object_type *type = n->watch->type;
    if (n->json) {
        event.upsert.type = type;
        if (type->decode(n->json, &event.upsert.object, &error) < 0) {
            fail_msg("%s does not decode: %s", n->key, error.text);
        }
        frame_rig_handle(rig, &event);
        return;
    }
    char *space = skr_strdup(n->key), *name = strchr(space, '/');
    if (name) {
        *name++ = '\0';
    }
    event.kind = SKR_EVENT_DELETE;
    event.deleted.type = type;
    event.deleted.namespace_ = name ? space : "";
    event.deleted.name = name ? name : space;
    event.deleted.uid = n->uid;
    frame_rig_handle(rig, &event);
    free(space);
}

static void deliver(struct frame_rig *rig, struct frame_news *n)
{
    DL_DELETE(rig->parts->news, n);
    if (n->watch) {
        deliver_object(rig, n);
    } else {
        frame_rig_handle(rig, &n->event);
        n->event.kind = SKR_EVENT_TIMER; /* taken */
    }
    frame_rig_news_free(n);
}

static struct frame_news *next_news(struct frame_rig *rig)
{
    struct frame_news *n;
    DL_FOREACH(rig->parts->news, n)
    {
        if (!n->watch || (!rig->hold_watches && n->watch->type->resource != rig->hold_watch)) {
            return n;
        }
    }
    if (rig->parts->late) { /* nothing else is to be heard of: now they come */
        n = rig->parts->late;
        DL_DELETE(rig->parts->late, n);
        DL_APPEND(rig->parts->news, n);
        return n;
    }
    return NULL;
}

static bool step(struct frame_rig *rig)
{
    struct frame_news *n = next_news(rig);
    if (n) {
        deliver(rig, n);
        return true;
    }
    if (rig->parts->timer <= rig->now) {
        rig->parts->timer = SKR_TIME_NEVER;
        handle_kind(rig, SKR_EVENT_TIMER);
        return true;
    }
    return false;
}

void frame_rig_run(struct frame_rig *rig)
{
    for (int i = 0; step(rig); i++) {
        if (i == ROUNDS_MAX) {
            fail_msg("the engine does not come to rest");
        }
    }
}

void frame_rig_advance(struct frame_rig *rig, skr_time duration)
{
    skr_time end = rig->now + duration;
    frame_rig_run(rig);
    while (rig->parts->timer <= end) {
        rig->now = rig->parts->timer > rig->now ? rig->parts->timer : rig->now;
        frame_rig_run(rig);
    }
    rig->now = end;
}

void frame_rig_start(struct frame_rig *rig)
{
    struct frame_rig_parts *p = rig->parts;
    assert_null(rig->engine);
    rig->engine = skr_engine_create(p->scheduler, p->settings, "rig");
    p->timer = SKR_TIME_NEVER;
    if (p->follows) {
        handle_kind(rig, SKR_EVENT_LEADER_LOST);
    }
    frame_rig_list(rig);
    bool held = rig->hold_watches;
    rig->hold_watches = false;
    while (rig->parts->news) {
        deliver(rig, rig->parts->news);
    }
    rig->hold_watches = held;
    handle_kind(rig, SKR_EVENT_SYNCED);
    frame_rig_run(rig);
}

void frame_rig_restart(struct frame_rig *rig)
{
    skr_engine_destroy(rig->engine);
    rig->engine = NULL;
    forget_news(rig);
    frame_rig_start(rig);
}

void frame_rig_lead(struct frame_rig *rig, bool leads)
{
    rig->parts->follows = !leads;
    if (rig->engine) {
        handle_kind(rig, leads ? SKR_EVENT_LEADER_WON : SKR_EVENT_LEADER_LOST);
        frame_rig_run(rig);
    }
}

uint64_t frame_rig_request(struct frame_rig *rig, int verb, const void *body)
{
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = ++rig->parts->request, .verb = verb, .body = body}};
    frame_rig_handle(rig, &event);
    return rig->parts->request;
}

void frame_rig_hang_up(struct frame_rig *rig, uint64_t request)
{
    struct skr_event event = {.kind = SKR_EVENT_HANGUP, .request = {.id = request}};
    frame_rig_handle(rig, &event);
}

/* ---- judging ---- */

const struct frame_rig_write *frame_rig_last(const struct frame_rig *rig,
                                             const struct frame_rig_match *match)
{
    for (size_t i = rig->n_writes; i-- > 0;) {
        if (rig->write[i].applied && frame_rig_matches(match, &rig->write[i])) {
            return &rig->write[i];
        }
    }
    return NULL;
}

size_t frame_rig_writes(const struct frame_rig *rig, const struct frame_rig_match *match)
{
    size_t n = 0;
    for (size_t i = 0; i < rig->n_writes; i++) {
        n += rig->write[i].applied && frame_rig_matches(match, &rig->write[i]);
    }
    return n;
}

/* A strategic patch deletes gates by their names, and leaves the others. */
void frame_rig_delete_gates(json_t *json, const json_t *before, const json_t *body)
{
    const json_t *patches = json_object_get(json_object_get(body, "spec"), "schedulingGates");
    const json_t *old = json_object_get(json_object_get(before, "spec"), "schedulingGates");
    if (!patches) {
        return;
    }
    json_t *left = json_array(), *gate;
    size_t i;
    json_array_foreach(old, i, gate)
    {
        bool deleted = false;
        for (size_t k = 0; k < json_array_size(patches); k++) {
            deleted = deleted || strcmp(skr_object_text(json_array_get(patches, k), "name"),
                                        skr_object_text(gate, "name")) == 0;
        }
        if (!deleted) {
            json_array_append(left, gate);
        }
    }
    json_object_set_new(json_object_get(json, "spec"), "schedulingGates", left);
}
