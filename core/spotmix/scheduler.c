/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reviews are answered as they come; one whose owner no watch has shown yet is held while the API
 * server is asked, half a second at most. Repairs are patches of single pods; what fails is due
 * again and tried later. A rebuild evicts one pod at a time and waits for its replacement.
 */
#include "core/spotmix/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/object.h"
#include "core/spotmix/scheduler_state.h"
#include "topology/base/arena.h"
#include "topology/base/json_writer.h"

/* Before a patch that failed is made again. */
#define RETRY_TIME (2 * SKR_SECOND)

static const char *const eviction_names[] = {"evicted", "blocked", "failed"};
_Static_assert(sizeof eviction_names / sizeof eviction_names[0] ==
                   SKR_SPOTMIX_EVICTION_RESULT_COUNT,
               "a name each");

const struct skr_object_type *const skr_spotmix_types[SKR_SPOTMIX_KIND_COUNT] = {
    [SKR_SPOTMIX_DEPLOYMENT] = &skr_spotmix_deployment_type,
    [SKR_SPOTMIX_REPLICA_SET] = &skr_spotmix_replica_set_type,
    [SKR_SPOTMIX_STATEFUL_SET] = &skr_spotmix_stateful_set_type,
    [SKR_SPOTMIX_NODE] = &skr_spotmix_node_type,
    [SKR_SPOTMIX_POD] = &skr_spotmix_pod_type,
};

static enum skr_spotmix_kind kind_of(const struct skr_object_type *type)
{
    int kind = 0;

    while (kind < SKR_SPOTMIX_KIND_COUNT && skr_spotmix_types[kind] != type) {
        kind++;
    }
    return (enum skr_spotmix_kind)kind;
}

/* ---- what there is ---- */

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
        skr_spotmix_drop(self->mix, kind,
                         kind == SKR_SPOTMIX_NODE ? event->deleted.name : event->deleted.uid);
    }
}

/* ---- reviews ---- */

static void set_expiry(struct skr_spotmix_scheduler_state *self)
{
    const skr_time expiry = skr_spotmix_expiry(self->mix);

    if (expiry < self->expiry) {
        self->expiry = expiry;
        skr_frame_wake(self->frame, expiry, WAKE_EXPIRE, "");
    }
}

static void reply(struct skr_spotmix_scheduler_state *self, uint64_t request,
                  const struct skr_spotmix_answer *answer)
{
    struct skr_spotmix_reply *body = skr_frame_alloc(self->frame, sizeof *body);

    body->status = answer->status;
    body->result = answer->result;
    body->body = skr_frame_copy_string(self->frame, answer->body.s);
    body->len = answer->body.len;
    skr_frame_answer(self->frame, request, body);
    set_expiry(self);
}

static void look_up(struct skr_spotmix_scheduler_state *self,
                    const struct skr_spotmix_held_review *held,
                    const struct skr_spotmix_lookup *lookup)
{
    const struct skr_write write = {.verb = SKR_VERB_GET,
                                    .resource = skr_spotmix_types[lookup->kind]->resource,
                                    .class = SKR_WRITE_CLASS_COMMIT,
                                    .namespace_ = lookup->namespace_,
                                    .name = lookup->name,
                                    .answer = skr_spotmix_types[lookup->kind]};
    struct skr_pending_write *pending =
        skr_frame_write(self->frame, &write, PURPOSE_LOOKUP, held->key);
    enum skr_spotmix_kind *kind = skr_alloc(sizeof *kind);

    *kind = lookup->kind;
    pending->more = kind;
    pending->release = free;
}

static void ask(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held,
                bool patient)
{
    struct skr_spotmix_review review = {.body = held->body,
                                        .len = held->len,
                                        .serving = self->serving,
                                        .now = skr_frame_now(self->frame)};
    struct skr_spotmix_answer answer;

    memcpy(review.random, held->random, sizeof review.random);
    for (int i = 0; i < SKR_SPOTMIX_KIND_COUNT; i++) {
        review.tried[i] = held->tried[i] || !patient;
    }
    skr_spotmix_review(self->mix, &review, &answer);
    if (answer.status == 0) {
        look_up(self, held, &answer.lookup);
    } else {
        reply(self, held->request, &answer);
        HASH_DEL(self->held, held);
        free(held);
    }
    skr_strbuf_fini(&answer.body);
}

static struct skr_spotmix_held_review *find_held(struct skr_spotmix_scheduler_state *self,
                                                 const char *key)
{
    struct skr_spotmix_held_review *held;

    HASH_FIND_STR(self->held, key, held);
    return held;
}

/* The body goes with the request: what has to wait takes a copy. */
static void hold(struct skr_spotmix_scheduler_state *self, uint64_t request,
                 const struct skr_spotmix_request *asked, const struct skr_spotmix_lookup *lookup)
{
    const skr_time deadline = skr_frame_now(self->frame) + SKR_SPOTMIX_LOOKUP_TIME;
    struct skr_spotmix_held_review *held = skr_alloc(sizeof *held + asked->len + 1);

    held->request = request;
    held->len = asked->len;
    memcpy(held->body, asked->body, asked->len);
    memcpy(held->random, asked->random, sizeof held->random);
    snprintf(held->key, sizeof held->key, "%llu", (unsigned long long)request);
    HASH_ADD_STR(self->held, key, held);
    skr_frame_hold(self->frame, request, deadline);
    skr_frame_wake(self->frame, deadline, WAKE_LOOKUP, held->key);
    look_up(self, held, lookup);
}

static void on_request(void *context, const struct skr_event *event)
{
    struct skr_spotmix_scheduler_state *self = context;
    char key[24];

    snprintf(key, sizeof key, "%llu", (unsigned long long)event->request.id);
    if (event->kind == SKR_EVENT_HANGUP) {
        struct skr_spotmix_held_review *held = find_held(self, key);
        if (held) {
            HASH_DEL(self->held, held);
            free(held);
        }
        return;
    }
    const struct skr_spotmix_request *asked = event->request.body;
    struct skr_spotmix_review review = {.body = asked->body,
                                        .len = asked->len,
                                        .serving = self->serving,
                                        .now = skr_frame_now(self->frame)};
    struct skr_spotmix_answer answer;

    memcpy(review.random, asked->random, sizeof review.random);
    skr_spotmix_review(self->mix, &review, &answer);
    if (answer.status == 0) {
        hold(self, event->request.id, asked, &answer.lookup);
    } else {
        reply(self, event->request.id, &answer);
    }
    skr_strbuf_fini(&answer.body);
}

static void looked_up(struct skr_spotmix_scheduler_state *self,
                      const struct skr_pending_write *write, struct skr_event *event)
{
    const enum skr_spotmix_kind kind = *(const enum skr_spotmix_kind *)write->more;
    struct skr_spotmix_held_review *held = find_held(self, write->key);

    put(self, event->written.type, event->written.object);
    if (held) {
        held->tried[kind] = true;
        ask(self, held, true);
    }
}

static void answer_all_held(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_held_review *held, *next;

    HASH_ITER(hh, self->held, held, next)
    {
        ask(self, held, false);
    }
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
    skr_json_string(&w, "uid", fix->uid); /* of this pod, not of the next one of its name */
    if (fix->class_ != SKR_SPOTMIX_NO_CLASS || fix->index >= 0) {
        skr_json_open(&w, "labels", '{');
        if (fix->class_ != SKR_SPOTMIX_NO_CLASS) {
            skr_json_string(&w, keys->class_, skr_spotmix_class_name(fix->class_));
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

/* What was not written is due again after a while; by then the watch has shown what is there. */
static void fixed(struct skr_spotmix_scheduler_state *self, const char *uid,
                  const struct skr_event *event)
{
    if (event->written.outcome == SKR_WRITE_OK) {
        put(self, event->written.type, event->written.object);
        skr_spotmix_fixed(self->mix, uid, true);
        return;
    }
    const skr_time wait =
        event->written.retry_after > RETRY_TIME ? event->written.retry_after : RETRY_TIME;
    skr_frame_wake(self->frame, skr_frame_now(self->frame) + wait, WAKE_FIX, uid);
}

/* ---- turns ---- */

static bool settle(void *context)
{
    struct skr_spotmix_scheduler_state *self = context;
    const struct skr_spotmix_settling settling = {
        .emit = write_fix, .settled = skr_spotmix_mark_due, .context = self};

    if (!self->serving || (!skr_spotmix_settle(self->mix, &settling) && !self->due)) {
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
        looked_up(self, write, event);
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
    struct skr_spotmix_held_review *held = kind == WAKE_LOOKUP ? find_held(self, key) : NULL;
    struct skr_spotmix_memory *memory = NULL;
    char begun[24];

    switch ((enum skr_spotmix_wake)kind) {
    case WAKE_SERVE:
        snprintf(begun, sizeof begun, "%llu", (unsigned long long)self->begins);
        self->serving |= self->begun && strcmp(begun, key) == 0;
        break;
    case WAKE_EXPIRE:
        self->expiry = SKR_TIME_NEVER;
        skr_spotmix_expire(self->mix, skr_frame_now(self->frame));
        set_expiry(self);
        break;
    case WAKE_LOOKUP:
        if (held) {
            ask(self, held, false);
        }
        break;
    case WAKE_FIX:
        skr_spotmix_fixed(self->mix, key, false);
        break;
    case WAKE_WORKLOAD:
        HASH_FIND_STR(self->memory, key, memory);
        if (memory) {
            skr_spotmix_mark_due(self, key);
        }
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
    self->serving = false;
    answer_all_held(self);
    skr_spotmix_forget_all(self);
}

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_spotmix_scheduler_state *self = skr_alloc(sizeof *self);

    self->frame = frame;
    self->settings = settings;
    self->expiry = SKR_TIME_NEVER;
    skr_bug_on(skr_spotmix_create(settings, &self->mix, NULL) != 0); /* checked with the option */
    return self;
}

static void destroy(void *context)
{
    struct skr_spotmix_scheduler_state *self = context;
    struct skr_spotmix_held_review *held, *next;

    HASH_ITER(hh, self->held, held, next)
    {
        HASH_DEL(self->held, held);
        free(held);
    }
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

const char *skr_spotmix_eviction_result_name(enum skr_spotmix_eviction_result result)
{
    return eviction_names[result];
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
