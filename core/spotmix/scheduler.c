/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row of the spot mix, what it watches, and where objects go. Repairs are patches of single
 * pods. A patch that fails is due again and is retried later.
 */
#include "core/spotmix/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/object.h"
#include "core/spotmix/scheduler_state.h"
#include "topology/base/arena.h"
#include "topology/base/json_writer.h"
#include "topology/base/table.h"

/* Before a patch that failed is made again. */
#define RETRY_TIME (2 * SKR_SECOND)

const char *const skr_spotmix_eviction_result_name[] = {"evicted", "blocked", "failed"};
_Static_assert(sizeof skr_spotmix_eviction_result_name /
                       sizeof skr_spotmix_eviction_result_name[0] ==
                   SKR_SPOTMIX_EVICTION_RESULT_COUNT,
               "a name each");

static enum skr_spotmix_kind kind_of(const struct skr_object_type *type)
{
    int kind = 0;
    while (kind < SKR_SPOTMIX_KIND_COUNT && skr_spotmix_types[kind] != type) {
        kind++;
    }
    return (enum skr_spotmix_kind)kind;
}

/* ---- objects ---- */

static void put(struct skr_spotmix_scheduler_state *self, const struct skr_object_type *type,
                const void *object)
{
    const enum skr_spotmix_kind kind = kind_of(type);
    if (object && kind < SKR_SPOTMIX_KIND_COUNT) {
        skr_spotmix_put(self->mix, kind, ((const struct skr_spotmix_object *)object)->json);
    }
}

static void on_object(void *context, struct skr_event *event)
{
    struct skr_spotmix_scheduler_state *self = context;
    if (event->kind == SKR_EVENT_UPSERT) {
        put(self, event->upsert.type, event->upsert.object);
        return;
    }
    const enum skr_spotmix_kind kind = kind_of(event->deleted.type);
    if (kind < SKR_SPOTMIX_KIND_COUNT) {
        skr_spotmix_drop(self->mix, kind, event->deleted.namespace_,
                         kind == SKR_SPOTMIX_NODE ? event->deleted.name : event->deleted.uid);
    }
}

static void on_request(void *context, const struct skr_event *event)
{
    skr_spotmix_requested(context, event);
}

/* ---- repairs ---- */

static void write_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct skr_spotmix_scheduler_state *self = context;
    const struct skr_spotmix_keys *keys = skr_spotmix_keys(self->mix);
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    char number[16];
    skr_strbuf_init(&body);
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "uid", fix->uid); /* the next pod of this name is another one */
    if (fix->class_ != SKR_SPOTMIX_NO_CLASS || fix->index >= 0) {
        skr_json_open(&w, "labels", '{');
        if (fix->class_ != SKR_SPOTMIX_NO_CLASS) {
            skr_json_string(&w, keys->class_, skr_spotmix_class_name[fix->class_]);
        }
        if (fix->index >= 0) {
            snprintf(number, sizeof number, "%ld", (long)fix->index);
            skr_json_string(&w, keys->index, number);
        }
        skr_json_close(&w, '}');
    }
    if (fix->cost) {
        skr_json_open(&w, "annotations", '{');
        skr_json_string(&w, SKR_SPOTMIX_COST_KEY, fix->cost);
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    const struct skr_write write = {.verb = SKR_VERB_MERGE_PATCH,
                                    .resource = &skr_spotmix_pods,
                                    .class = SKR_WRITE_CLASS_STATUS,
                                    .namespace_ = fix->namespace_,
                                    .name = fix->name,
                                    .body = body.s,
                                    .body_len = body.len,
                                    .answer = &skr_spotmix_pod_type};
    skr_frame_write(self->frame, &write, PURPOSE_FIX, fix->uid);
    skr_strbuf_fini(&body);
}

/* A fix that was not written is due again later, when the watch has shown the present state. */
static void fixed(struct skr_spotmix_scheduler_state *self, const char *uid,
                  const struct skr_event *event)
{
    if (event->written.outcome == SKR_WRITE_OK) {
        put(self, event->written.type, event->written.object);
    }
    skr_time wait = skr_spotmix_fix_pause(self->mix, uid);
    if (event->written.outcome == SKR_WRITE_OK && wait == 0) {
        skr_spotmix_fixed(self->mix, uid, true);
        return;
    }
    if (event->written.outcome != SKR_WRITE_OK) {
        wait = wait > RETRY_TIME ? wait : RETRY_TIME;
        wait = event->written.retry_after > wait ? event->written.retry_after : wait;
    }
    skr_frame_wake(self->frame, skr_frame_now(self->frame) + wait, WAKE_FIX, uid);
}

/* ---- turns ---- */

static bool settle(void *context)
{
    struct skr_spotmix_scheduler_state *self = context;
    const struct skr_spotmix_settling settling = {.now = skr_frame_now(self->frame),
                                                  .emit = write_fix,
                                                  .settled = skr_spotmix_mark_due,
                                                  .context = self};
    if (!self->serving) {
        return false;
    }
    const bool any = skr_spotmix_settle(self->mix, &settling);
    if (skr_spotmix_settles_at(self->mix) < self->settles_at) {
        self->settles_at = skr_spotmix_settles_at(self->mix);
        skr_frame_wake(self->frame, self->settles_at, WAKE_SETTLE, "");
    }
    if (!any && !self->due) {
        return false;
    }
    skr_spotmix_look_at_due(self);
    self->silent = false;
    return true;
}

static void on_written(void *context, const struct skr_pending_write *write,
                       struct skr_event *event)
{
    struct skr_spotmix_scheduler_state *self = context;
    switch ((enum skr_spotmix_purpose)write->purpose) {
    case PURPOSE_LOOKUP:
        put(self, event->written.type, event->written.object);
        skr_spotmix_looked_up(self, write->key);
        break;
    case PURPOSE_FIX:
        fixed(self, write->key, event);
        break;
    case PURPOSE_EVICT:
        skr_spotmix_evicted(self, write->key, event);
        break;
    case PURPOSE_ROLL_OUT:
        skr_spotmix_rolled_out(self, write->key, event);
        break;
    }
}

static void on_wake(void *context, int kind, const char *key)
{
    struct skr_spotmix_scheduler_state *self = context;
    struct skr_spotmix_memory *memory = NULL;
    char begun[24];
    switch ((enum skr_spotmix_wake)kind) {
    case WAKE_SERVE:
        snprintf(begun, sizeof begun, "%llu", (unsigned long long)self->begins);
        if (!self->begun || strcmp(begun, key) != 0) {
            break;
        }
        if (self->serving) {
            skr_spotmix_reached(self);
        } else {
            self->serving = true;
            skr_frame_wake(self->frame, skr_frame_now(self->frame) + SKR_SPOTMIX_REACH_TIME,
                           WAKE_SERVE, key);
        }
        break;
    case WAKE_EXPIRE:
        self->expiry = SKR_TIME_NEVER;
        skr_spotmix_expire(self->mix, skr_frame_now(self->frame));
        skr_spotmix_set_expiry(self);
        break;
    case WAKE_LOOKUP:
        skr_spotmix_review_is_due(self, key);
        break;
    case WAKE_FIX:
        skr_spotmix_fixed(self->mix, key, false);
        break;
    case WAKE_WORKLOAD:
        SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->memory, key, memory);
        if (memory) {
            memory->looks_at = memory->looks_at > skr_frame_now(self->frame) ? memory->looks_at : 0;
            skr_spotmix_mark_due(self, key);
        }
        break;
    case WAKE_SETTLE:
        self->settles_at = SKR_TIME_NEVER;
        break;
    }
}

static void begin(void *context)
{
    struct skr_spotmix_scheduler_state *self = context;
    char key[24];
    self->begun = true;
    self->silent = true;
    snprintf(key, sizeof key, "%llu", (unsigned long long)++self->begins);
    skr_frame_wake(self->frame, skr_frame_now(self->frame) + SKR_SPOTMIX_SETTLING_TIME, WAKE_SERVE,
                   key);
}

static void end(void *context, enum skr_end why)
{
    struct skr_spotmix_scheduler_state *self = context;
    (void)why;
    self->begun = false;
    self->serving = self->reached = false;
    skr_spotmix_serve(self->mix, false);
    skr_spotmix_answer_all_held(self);
    skr_spotmix_forget_all(self);
}

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_spotmix_scheduler_state *self = skr_alloc(sizeof *self);
    self->frame = frame;
    self->settings = settings;
    self->expiry = SKR_TIME_NEVER;
    self->settles_at = SKR_TIME_NEVER;
    skr_bug_on(skr_spotmix_create(settings, &self->mix, NULL) != 0); /* checked with the option */
    return self;
}

static void destroy(void *context)
{
    struct skr_spotmix_scheduler_state *self = context;
    skr_spotmix_reviews_fini(self);
    skr_spotmix_forget_all(self);
    skr_spotmix_destroy(self->mix);
    free(self);
}

const struct skr_spotmix *skr_spotmix_scheduler_mix(const void *self)
{
    return ((const struct skr_spotmix_scheduler_state *)self)->mix;
}

uint64_t skr_spotmix_scheduler_evictions(const void *self, enum skr_spotmix_eviction_result result)
{
    return ((const struct skr_spotmix_scheduler_state *)self)->evictions[result];
}

bool skr_spotmix_scheduler_leads(const void *self)
{
    return ((const struct skr_spotmix_scheduler_state *)self)->begun;
}

static const struct skr_watch watches[] = {
    {.type = &skr_spotmix_node_type},        {.type = &skr_spotmix_deployment_type},
    {.type = &skr_spotmix_replica_set_type}, {.type = &skr_spotmix_stateful_set_type},
    {.type = &skr_spotmix_pod_type},
};

const struct skr_scheduler skr_spotmix_scheduler = {
    .name = "spotmix",
    .watch = watches,
    .n_watches = sizeof watches / sizeof watches[0],
    .create = create,
    .destroy = destroy,
    .object = on_object,
    .request = on_request,
    .written = on_written,
    .wake = on_wake,
    .begin = begin,
    .end = end,
    .settle = settle,
};
