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
#include <uthash.h>

#include "core/spotmix/object.h"
#include "topology/base/arena.h"
#include "topology/base/json_writer.h"

#define RETRY_TIME        (2 * SKR_SECOND)
#define EVICT_RETRY_LEAST SKR_SECOND
#define EVICT_RETRY_MOST  (30 * SKR_SECOND)
#define LEAVING_TIME      (60 * SKR_SECOND) /* an evicted pod shows in the watch by then */

enum purpose { PURPOSE_LOOKUP, PURPOSE_FIX, PURPOSE_EVICT };
enum wake { WAKE_SERVE, WAKE_EXPIRE, WAKE_LOOKUP, WAKE_FIX, WAKE_WORKLOAD };

static const char *const eviction_names[] = {"evicted", "blocked", "failed"};
_Static_assert(sizeof eviction_names / sizeof eviction_names[0] ==
                   SKR_SPOTMIX_EVICTION_RESULT_COUNT,
               "a name each");

/* A review that waits for its owner to be looked up. */
struct held {
    UT_hash_handle hh; /* by key */
    char key[24];      /* the request's id */
    uint64_t request;
    bool tried[SKR_SPOTMIX_KIND_COUNT];
    unsigned char random[16];
    size_t len;
    char body[];
};

/* What is remembered of a workload: so that Events are about changes, and of its rebuild. */
struct memory {
    UT_hash_handle hh; /* by uid */
    struct skr_spotmix_rule rule;
    bool drifting, lacking;
    bool rebuilding, given_up;
    size_t wrong;
    skr_time progress;    /* when wrong last fell, or the rule changed */
    skr_time evict_after; /* back-off */
    skr_time backoff;
    char *leaving; /* uid of the pod that was evicted and still shows; NULL */
    skr_time leaving_until;
    bool evicting; /* the write is under way */
    bool due;      /* to be looked at in settle() */
    struct memory *due_next;
    char uid[];
};

struct scheduler {
    struct skr_frame *frame;
    const struct skr_spotmix_settings *settings;
    struct skr_spotmix *mix;
    struct held *held;
    struct memory *memory;
    bool begun, serving;
    bool silent;     /* the first look after begin(): nothing has changed for anybody */
    skr_time expiry; /* that a wake is set for */
    uint64_t begins; /* wakes of an earlier begin() mean nothing */
    struct memory *due;
    uint64_t evictions[SKR_SPOTMIX_EVICTION_RESULT_COUNT];
};

static const struct skr_object_type *const types[] = {
    [SKR_SPOTMIX_DEPLOYMENT] = &skr_spotmix_deployment_type,
    [SKR_SPOTMIX_REPLICA_SET] = &skr_spotmix_replica_set_type,
    [SKR_SPOTMIX_STATEFUL_SET] = &skr_spotmix_stateful_set_type,
    [SKR_SPOTMIX_NODE] = &skr_spotmix_node_type,
    [SKR_SPOTMIX_POD] = &skr_spotmix_pod_type,
};
_Static_assert(sizeof types / sizeof types[0] == SKR_SPOTMIX_KIND_COUNT, "a type each");

static enum skr_spotmix_kind kind_of(const struct skr_object_type *type)
{
    int kind = 0;

    while (kind < SKR_SPOTMIX_KIND_COUNT && types[kind] != type) {
        kind++;
    }
    return (enum skr_spotmix_kind)kind;
}

/* ---- what there is ---- */

static void put(struct scheduler *self, const struct skr_object_type *type, const void *object)
{
    const enum skr_spotmix_kind kind = kind_of(type);

    if (object && kind < SKR_SPOTMIX_KIND_COUNT) {
        skr_spotmix_put(self->mix, kind, ((const struct skr_spotmix_object *)object)->json);
    }
}

static void on_object(void *context, struct skr_event *event)
{
    struct scheduler *self = context;

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

static void set_expiry(struct scheduler *self)
{
    const skr_time expiry = skr_spotmix_expiry(self->mix);

    if (expiry < self->expiry) {
        self->expiry = expiry;
        skr_frame_wake(self->frame, expiry, WAKE_EXPIRE, "");
    }
}

static void reply(struct scheduler *self, uint64_t request, const struct skr_spotmix_answer *answer)
{
    struct skr_spotmix_reply *body = skr_frame_alloc(self->frame, sizeof *body);

    body->status = answer->status;
    body->result = answer->result;
    body->body = skr_frame_copy_string(self->frame, answer->body.s);
    body->len = answer->body.len;
    skr_frame_answer(self->frame, request, body);
    set_expiry(self);
}

static void look_up(struct scheduler *self, const struct held *held,
                    const struct skr_spotmix_lookup *lookup)
{
    const struct skr_write write = {.verb = SKR_VERB_GET,
                                    .resource = types[lookup->kind]->resource,
                                    .class = SKR_WRITE_CLASS_COMMIT,
                                    .namespace_ = lookup->namespace_,
                                    .name = lookup->name,
                                    .answer = types[lookup->kind]};
    struct skr_pending_write *pending =
        skr_frame_write(self->frame, &write, PURPOSE_LOOKUP, held->key);
    enum skr_spotmix_kind *kind = skr_alloc(sizeof *kind);

    *kind = lookup->kind;
    pending->more = kind;
    pending->release = free;
}

static void ask(struct scheduler *self, struct held *held, bool patient)
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

static struct held *find_held(struct scheduler *self, const char *key)
{
    struct held *held;

    HASH_FIND_STR(self->held, key, held);
    return held;
}

/* The body goes with the request: what has to wait takes a copy. */
static void hold(struct scheduler *self, uint64_t request, const struct skr_spotmix_request *asked,
                 const struct skr_spotmix_lookup *lookup)
{
    const skr_time deadline = skr_frame_now(self->frame) + SKR_SPOTMIX_LOOKUP_TIME;
    struct held *held = skr_alloc(sizeof *held + asked->len + 1);

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
    struct scheduler *self = context;
    char key[24];

    snprintf(key, sizeof key, "%llu", (unsigned long long)event->request.id);
    if (event->kind == SKR_EVENT_HANGUP) {
        struct held *held = find_held(self, key);
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

static void looked_up(struct scheduler *self, const struct skr_pending_write *write,
                      struct skr_event *event)
{
    const enum skr_spotmix_kind kind = *(const enum skr_spotmix_kind *)write->more;
    struct held *held = find_held(self, write->key);

    put(self, event->written.type, event->written.object);
    if (held) {
        held->tried[kind] = true;
        ask(self, held, true);
    }
}

static void answer_all_held(struct scheduler *self)
{
    struct held *held, *next;

    HASH_ITER(hh, self->held, held, next)
    {
        ask(self, held, false);
    }
}

/* ---- repairs ---- */

static void write_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct scheduler *self = context;
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
static void fixed(struct scheduler *self, const char *uid, const struct skr_event *event)
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

/* ---- what people are told ---- */

static const char *kind_name(enum skr_spotmix_kind kind)
{
    return types[kind]->resource->kind;
}

static void note(struct scheduler *self, const struct skr_spotmix_row *row, bool warning,
                 const char *reason, const char *text)
{
    const struct skr_note event = {.regarding = {.api_version = "apps/v1",
                                                 .kind = kind_name(row->kind),
                                                 .namespace_ = row->namespace_,
                                                 .name = row->name,
                                                 .uid = row->uid},
                                   .warning = warning,
                                   .reason = reason,
                                   .action = "Mix",
                                   .note = text};
    char key[560];

    skr_frame_event(self->frame, &event);
    snprintf(key, sizeof key, "%s/%s", row->namespace_, row->name);
    skr_frame_decision(self->frame, &(const struct skr_decision){.kind = "workload",
                                                                 .key = key,
                                                                 .pod = "",
                                                                 .what = "Spot mix changed",
                                                                 .reason = reason,
                                                                 .message = text});
}

static void tell_rule(struct scheduler *self, const struct skr_spotmix_row *row)
{
    char text[160];

    if (row->rule.invalid) {
        note(self, row, true, "SpotMixConfigInvalid",
             "the maximum of on-demand pods is not a whole number; every pod is on-demand");
    } else if (row->rule.all) {
        note(self, row, false, "SpotMixApplied", "every pod is on-demand: there is no maximum");
    } else {
        snprintf(text, sizeof text, "the first %d pods are on-demand, all others spot",
                 (int)row->rule.max);
        note(self, row, false, "SpotMixApplied", text);
    }
}

static void tell_changes(struct scheduler *self, struct memory *memory,
                         const struct skr_spotmix_row *row, bool changed)
{
    const bool lacking = row->reason && strcmp(row->reason, "NoNodesInClass") == 0;
    char text[160];

    if (changed && !self->silent) {
        tell_rule(self, row);
    }
    if (lacking && !memory->lacking) {
        note(self, row, true, "SpotMixNoNodes", "a class that pods belong to has no Ready node");
    }
    if (row->drift > 0 && !memory->drifting) {
        snprintf(text, sizeof text, "%zu pods run as a class that is not their index's",
                 row->drift);
        note(self, row, true, "SpotMixDrift", text);
    }
    memory->lacking = lacking;
    memory->drifting = row->drift > 0;
}

/* ---- rebuilding ---- */

static struct memory *memory_of(struct scheduler *self, const char *uid)
{
    struct memory *memory;

    HASH_FIND_STR(self->memory, uid, memory);
    if (!memory) {
        const size_t n = strlen(uid);
        memory = skr_alloc(sizeof *memory + n + 1);
        memcpy(memory->uid, uid, n + 1);
        HASH_ADD_KEYPTR(hh, self->memory, memory->uid, n, memory);
    }
    return memory;
}

static void forget(struct scheduler *self, struct memory *memory)
{
    HASH_DEL(self->memory, memory);
    free(memory->leaving);
    free(memory);
}

static void mark_due(void *context, const char *workload_uid)
{
    struct scheduler *self = context;
    struct memory *memory = memory_of(self, workload_uid);

    if (!memory->due) {
        memory->due = true;
        memory->due_next = self->due;
        self->due = memory;
    }
}

static void evict(struct scheduler *self, struct memory *memory, const struct skr_spotmix_row *row)
{
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};

    skr_strbuf_init(&body);
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "policy/v1");
    skr_json_string(&w, "kind", "Eviction");
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "namespace", row->namespace_);
    skr_json_string(&w, "name", row->victim_name);
    skr_json_close(&w, '}');
    skr_json_open(&w, "deleteOptions", '{');
    skr_json_open(&w, "preconditions", '{');
    skr_json_string(&w, "uid", row->victim);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    const struct skr_write write = {.verb = SKR_VERB_CREATE,
                                    .resource = &skr_spotmix_pods,
                                    .subresource = "eviction",
                                    .class = SKR_WRITE_CLASS_EVICT,
                                    .namespace_ = row->namespace_,
                                    .name = row->victim_name,
                                    .body = body.s,
                                    .body_len = body.len};
    skr_frame_write(self->frame, &write, PURPOSE_EVICT, memory->uid);
    skr_strbuf_fini(&body);
    free(memory->leaving);
    memory->leaving = skr_strdup(row->victim);
    memory->leaving_until = skr_frame_now(self->frame) + LEAVING_TIME;
    memory->evicting = true;
}

static void give_up(struct scheduler *self, struct memory *memory,
                    const struct skr_spotmix_row *row)
{
    char text[160];

    memory->given_up = true;
    snprintf(text, sizeof text,
             "%zu pods of the wrong class are left as they are: no progress for ten minutes",
             row->wrong);
    note(self, row, true, "SpotMixRebuild", text);
}

static void rebuild(struct scheduler *self, struct memory *memory,
                    const struct skr_spotmix_row *row)
{
    const skr_time now = skr_frame_now(self->frame);
    char text[160];

    if (row->wrong == 0 || self->settings->rebuild != SKR_SPOTMIX_REBUILD_EVICT) {
        memory->rebuilding = false;
        memory->wrong = row->wrong;
        return;
    }
    if (!memory->rebuilding || row->wrong < memory->wrong) {
        memory->progress = now;
        skr_frame_wake(self->frame, now + SKR_SPOTMIX_EVICT_PATIENCE, WAKE_WORKLOAD, memory->uid);
    }
    memory->wrong = row->wrong;
    if (!memory->rebuilding && !memory->given_up) {
        memory->rebuilding = true;
        snprintf(text, sizeof text, "evicting %zu pods of the wrong class, one after the other",
                 row->wrong);
        note(self, row, false, "SpotMixRebuild", text);
    }
    if (memory->given_up) {
        return;
    }
    if (now - memory->progress >= SKR_SPOTMIX_EVICT_PATIENCE) {
        give_up(self, memory, row);
        return;
    }
    const bool leaving = row->victim && memory->leaving && now < memory->leaving_until &&
                         strcmp(memory->leaving, row->victim) == 0;
    if (row->victim && !memory->evicting && !leaving && now >= memory->evict_after) {
        evict(self, memory, row);
    }
}

static void evicted(struct scheduler *self, const char *uid, const struct skr_event *event)
{
    const skr_time now = skr_frame_now(self->frame);
    struct memory *memory;

    HASH_FIND_STR(self->memory, uid, memory);
    if (event->written.outcome == SKR_WRITE_OK || event->written.outcome == SKR_WRITE_NOT_FOUND) {
        self->evictions[SKR_SPOTMIX_EVICTED] += event->written.outcome == SKR_WRITE_OK;
    } else {
        self->evictions[event->written.outcome == SKR_WRITE_BUSY ? SKR_SPOTMIX_EVICT_BLOCKED
                                                                 : SKR_SPOTMIX_EVICT_FAILED]++;
    }
    if (!memory) {
        return;
    }
    memory->evicting = false;
    if (event->written.outcome == SKR_WRITE_OK) {
        memory->backoff = 0;
        skr_frame_wake(self->frame, memory->leaving_until, WAKE_WORKLOAD, uid);
    } else {
        free(memory->leaving);
        memory->leaving = NULL;
        memory->backoff = memory->backoff == 0                     ? EVICT_RETRY_LEAST
                          : memory->backoff * 2 < EVICT_RETRY_MOST ? memory->backoff * 2
                                                                   : EVICT_RETRY_MOST;
        memory->evict_after = now + memory->backoff;
        skr_frame_wake(self->frame, memory->evict_after, WAKE_WORKLOAD, uid);
    }
}

/* ---- turns ---- */

static void look_at(struct scheduler *self, struct memory *memory)
{
    struct skr_spotmix_row row;

    memory->due = false;
    if (!skr_spotmix_row_of(self->mix, memory->uid, &row)) {
        forget(self, memory);
        return;
    }
    const bool changed = !skr_spotmix_rule_equal(&memory->rule, &row.rule);
    if (changed) {
        memory->rule = row.rule;
        memory->given_up = false;
        memory->rebuilding = false;
        memory->backoff = 0;
        memory->evict_after = 0;
    }
    tell_changes(self, memory, &row, changed);
    rebuild(self, memory, &row);
}

static bool settle(void *context)
{
    struct scheduler *self = context;
    const struct skr_spotmix_settling settling = {
        .emit = write_fix, .settled = mark_due, .context = self};

    if (!self->serving || (!skr_spotmix_settle(self->mix, &settling) && !self->due)) {
        return false;
    }
    while (self->due) {
        struct memory *memory = self->due;
        self->due = memory->due_next;
        look_at(self, memory);
    }
    self->silent = false;
    return true;
}

static void on_written(void *context, const struct skr_pending_write *write,
                       struct skr_event *event)
{
    struct scheduler *self = context;

    switch ((enum purpose)write->purpose) {
    case PURPOSE_LOOKUP:
        looked_up(self, write, event);
        break;
    case PURPOSE_FIX:
        fixed(self, write->key, event);
        break;
    case PURPOSE_EVICT:
        evicted(self, write->key, event);
        break;
    }
}

static void on_wake(void *context, int kind, const char *key)
{
    struct scheduler *self = context;
    struct held *held = kind == WAKE_LOOKUP ? find_held(self, key) : NULL;
    struct memory *memory = NULL;
    char begun[24];

    switch ((enum wake)kind) {
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
            mark_due(self, key);
        }
        break;
    }
}

static void begin(void *context)
{
    struct scheduler *self = context;
    char key[24];

    self->begun = true;
    self->silent = true;
    snprintf(key, sizeof key, "%llu", (unsigned long long)++self->begins);
    skr_frame_wake(self->frame, skr_frame_now(self->frame) + SKR_SPOTMIX_SETTLING_TIME, WAKE_SERVE,
                   key);
}

static void end(void *context, enum skr_end why)
{
    struct scheduler *self = context;
    struct memory *memory, *next;

    (void)why;
    self->begun = false;
    self->serving = false;
    self->due = NULL;
    answer_all_held(self);
    HASH_ITER(hh, self->memory, memory, next)
    {
        forget(self, memory);
    }
}

static void *create(struct skr_frame *frame, const void *settings)
{
    struct scheduler *self = skr_alloc(sizeof *self);

    self->frame = frame;
    self->settings = settings;
    self->expiry = SKR_TIME_NEVER;
    skr_bug_on(skr_spotmix_create(settings, &self->mix, NULL) != 0); /* checked with the option */
    return self;
}

static void destroy(void *context)
{
    struct scheduler *self = context;
    struct memory *memory, *next_memory;
    struct held *held, *next;

    HASH_ITER(hh, self->held, held, next)
    {
        HASH_DEL(self->held, held);
        free(held);
    }
    HASH_ITER(hh, self->memory, memory, next_memory)
    {
        forget(self, memory);
    }
    skr_spotmix_destroy(self->mix);
    free(self);
}

const struct skr_spotmix *skr_spotmix_scheduler_mix(const void *self)
{
    return ((const struct scheduler *)self)->mix;
}

uint64_t skr_spotmix_scheduler_evictions(const void *self, enum skr_spotmix_eviction_result result)
{
    return ((const struct scheduler *)self)->evictions[result];
}

bool skr_spotmix_scheduler_is_serving(const void *self)
{
    return ((const struct scheduler *)self)->serving;
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
