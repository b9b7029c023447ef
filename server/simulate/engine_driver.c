/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three sources of events: the watcher, a queue of writes and solves under way (all take the same
 * time, so it is sorted by itself), the timer. A step takes them in this order.
 */
#include "server/simulate/engine_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/types.h"
#include "core/pod/templates.h"
#include "server/kube/decode.h"
#include "server/kube/writer.h"
#include "server/model/watcher.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/json_tree.h"

#define BIND_REQUEST ((uint64_t)1 << 62) /* plus the call: numbers of bind requests */

/* A write or a solve on its way. */
struct task {
    skr_time at;
    struct skr_write write; /* strings owned; unless work */
    struct skr_work *work;  /* done already */
    struct task *prev, *next;
};

/* The filter or prioritize request being asked. */
struct question {
    uint64_t request;
    size_t n;
    uint8_t *passes;
    int32_t *score;
    char *text; /* 256 bytes */
    bool failed;
};

struct skr_engine_driver {
    struct skr_engine_driver_options options;
    struct skr_store *store;
    struct skr_engine *engine;
    struct skr_actions actions;
    struct skr_watcher watcher;
    const struct skr_store_resource *resource; /* of the last change; NULL: there was none */
    const struct skr_object_type *type; /* of it, to the engine; NULL: it does not watch them */
    struct task *writes, *solves;       /* each in order of time */
    struct question *question;
    struct skr_strbuf *explanation; /* that is being asked for */
    enum skr_explain_status explain_status;
    bool explained;
    skr_time now, timer;
    uint64_t request;
    char text[256]; /* of the last answer to filter */
};

/* ---- actions ---- */

static void take_answer_to_question(struct question *q, const struct skr_answer *answer)
{
    q->failed = answer->kind == SKR_ANSWER_ERROR;
    for (size_t i = 0; i < q->n; i++) {
        if (q->score) {
            q->score[i] = answer->kind == SKR_ANSWER_SCORES ? answer->scores[i] : 0;
            continue;
        }
        q->passes[i] =
            answer->kind == SKR_ANSWER_FILTER_ALL ||
            (answer->kind == SKR_ANSWER_FILTER_ONE && answer->index == i) ||
            (answer->kind == SKR_ANSWER_FILTER_MASK && (answer->mask[i / 8] >> i % 8 & 1));
    }
    if (q->text) {
        snprintf(q->text, 256, "%s", answer->text);
    }
}

static void take_explanation(struct skr_engine_driver *d, const struct skr_explain_answer *answer)
{
    d->explained = true;
    d->explain_status = answer->status;
    skr_strbuf_addn(d->explanation, answer->json, answer->json_len);
}

static void take_answer(struct skr_engine_driver *d, const struct skr_answer *answer)
{
    if (answer->kind == SKR_ANSWER_EXPLANATION) {
        take_explanation(d, &answer->explanation);
    } else if (d->question && d->question->request == answer->request) {
        take_answer_to_question(d->question, answer);
    } else if (answer->request & BIND_REQUEST) {
        bool bound = answer->kind == SKR_ANSWER_BOUND;
        d->options.bind_done(d->options.context, answer->request & ~BIND_REQUEST,
                             bound ? NULL : answer->text);
    }
}

static void take_write(struct skr_engine_driver *d, const struct skr_write *write)
{
    struct task *task = skr_alloc(sizeof *task);
    char *body = skr_alloc(write->body_len + 1);
    memcpy(body, write->body, write->body_len);
    task->at = d->now + d->options.write_time;
    task->write = *write;
    task->write.namespace_ = skr_strdup(write->namespace_);
    task->write.name = skr_strdup(write->name);
    task->write.body = body;
    DL_APPEND(d->writes, task);
}

static void take_work(struct skr_engine_driver *d, struct skr_work *work)
{
    struct task *task = skr_alloc(sizeof *task);
    task->at = d->now + d->options.solve_time;
    task->work = work;
    work->type->run(work, NULL);
    if (work->aside) { /* somebody waits, and time stands still meanwhile */
        task->at = d->now;
        DL_PREPEND(d->solves, task);
    } else {
        DL_APPEND(d->solves, task);
    }
}

static void trace_decision(const struct skr_engine_driver *d, const struct skr_decision *decision)
{
    const char *status = decision->status ? decision->status : "";
    const char *reason = decision->reason ? decision->reason : "";
    const char *message = decision->message ? decision->message : "";
    const char *colon = (status[0] || reason[0]) && message[0] ? ": " : message[0] ? "  " : "";
    skr_trace_add(&d->options.trace, SKR_TRACE_DECISION, d->now, "%s%s%s%s%s%s%s%s%s%s%s",
                  decision->what, decision->key[0] ? "  " : "", decision->key,
                  decision->pod[0] ? "  " : "", decision->pod, status[0] ? "  " : "", status,
                  reason[0] ? "  " : "", reason, colon, message);
}

static void carry_out(struct skr_engine_driver *d, struct skr_action *action)
{
    switch (action->kind) {
    case SKR_ACTION_ANSWER:
        take_answer(d, action->answer.body);
        break;
    case SKR_ACTION_WRITE:
        take_write(d, &action->write);
        break;
    case SKR_ACTION_WORK: {
        struct skr_work *work = action->work;
        action->work = NULL;
        take_work(d, work);
        break;
    }
    case SKR_ACTION_CANCEL: /* it is solved already */
        break;
    case SKR_ACTION_TIMER:
        d->timer = action->timer;
        break;
    case SKR_ACTION_DECISION:
        trace_decision(d, &action->decision);
        break;
    case SKR_ACTION_KIND_COUNT:
        break;
    }
}

static void carry_out_all(struct skr_engine_driver *d)
{
    for (size_t i = 0; i < d->actions.n; i++) {
        carry_out(d, &d->actions.item[i]);
    }
    skr_actions_reset(&d->actions);
}

static void handle(struct skr_engine_driver *d, struct skr_event *event)
{
    skr_engine_handle(d->engine, event, d->now, &d->actions);
    carry_out_all(d);
}

/* Pods come, and writes are answered, many at a time: what those of one moment mean together is settled
 * once. */
static void take(struct skr_engine_driver *d, struct skr_event *event)
{
    skr_engine_take(d->engine, event, d->now, &d->actions);
    carry_out_all(d);
}

static void settle(struct skr_engine_driver *d)
{
    skr_engine_settle(d->engine, d->now, &d->actions);
    carry_out_all(d);
}

/* ---- objects ---- */

static int decode(struct skr_engine_driver *d, const struct skr_object_type *type,
                  const json_t *object, struct skr_event *ret, struct skr_error *error)
{
    struct skr_pod *pod = NULL;
    if (type != &skr_gang_pod) {
        return skr_kube_decode(type, object, ret, error);
    }
    int rc = skr_pod_templates_decode(d->options.templates, object, &pod, error);
    if (rc == 0) {
        *ret =
            (struct skr_event){.kind = SKR_EVENT_UPSERT, .upsert = {.type = type, .object = pod}};
    }
    return rc;
}

static void deliver(struct skr_engine_driver *d, const struct skr_object_type *type,
                    const json_t *object, bool deleted)
{
    struct skr_error error;
    struct skr_event event;
    struct skr_kube_identity identity;
    if (!deleted && decode(d, type, object, &event, &error) < 0) {
        skr_trace_add(&d->options.trace, SKR_TRACE_DECISION, d->now,
                      "Object not understood  %s/%s: %s",
                      skr_path_text(object, "metadata.namespace"),
                      skr_path_text(object, "metadata.name"), error.text);
        return;
    }
    if (deleted) {
        if (skr_kube_identity_parse(object, &identity, &error) < 0) {
            return;
        }
        event = skr_kube_deleted(type, identity.namespace_, identity.name, identity.uid);
    }
    take(d, &event);
}

struct lister {
    struct skr_engine_driver *driver;
    const struct skr_object_type *type;
};

static bool list_object(void *context, const json_t *object)
{
    const struct lister *lister = context;
    deliver(lister->driver, lister->type, object, false);
    return true;
}

void skr_engine_driver_start(struct skr_engine_driver *driver, skr_time now)
{
    static const struct skr_object_type *const types[] = {&skr_gang_class,     &skr_gang_node,
                                                          &skr_gang_configmap, &skr_gang_podgroup,
                                                          &skr_gang_budget,    &skr_gang_pod};
    struct skr_event event = {.kind = SKR_EVENT_SYNCED};
    driver->now = now;
    skr_watcher_fini(&driver->watcher);
    skr_watcher_init(&driver->watcher, driver->store, driver->options.watch_delay,
                     skr_store_revision(driver->store));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct lister lister = {driver, types[i]};
        skr_store_each(driver->store, types[i]->resource->kind, list_object, &lister);
    }
    handle(driver, &event);
}

static void take_change(struct skr_engine_driver *d, const struct skr_store_change *change)
{
    if (change->resource != d->resource) {
        d->resource = change->resource;
        d->type = skr_gang_type_of(NULL, change->resource->kind);
    }
    const struct skr_object_type *type = d->type;
    if (type) {
        deliver(d, type, change->object, change->kind == SKR_STORE_DELETED);
    }
    if (type && type != &skr_gang_pod) {
        settle(d);
    }
}

/* ---- writes ---- */

/* How a write looks to the API server. */
static const enum skr_store_verb verbs[] = {
    [SKR_VERB_GET] = SKR_STORE_GET,
    [SKR_VERB_CREATE] = SKR_STORE_CREATE,
    [SKR_VERB_UPDATE] = SKR_STORE_UPDATE,
    [SKR_VERB_MERGE_PATCH] = SKR_STORE_PATCH_MERGE,
    [SKR_VERB_STRATEGIC_PATCH] = SKR_STORE_PATCH_STRATEGIC,
    [SKR_VERB_JSON_PATCH] = SKR_STORE_PATCH_JSON,
    [SKR_VERB_DELETE] = SKR_STORE_DELETE,
};
_Static_assert(sizeof verbs / sizeof verbs[0] == SKR_WRITE_VERB_COUNT, "one verb each");

static void request_of(struct skr_engine_driver *d, const struct skr_write *write,
                       const json_t *body, struct skr_store_reply *reply)
{
    struct skr_store_request request = {.verb = verbs[write->verb],
                                        .namespace_ = write->namespace_,
                                        .name = write->name,
                                        .subresource = write->subresource,
                                        .body = body,
                                        .label_selector = "",
                                        .field_selector = "",
                                        .continue_ = ""};
    request.resource = skr_store_resource_find(write->resource->group, write->resource->version,
                                               write->resource->plural);
    if (request.resource) {
        skr_store_handle(d->store, &request, d->now, reply);
        return;
    }
    /* A kind that this API server does not have. */
    reply->status = 404;
    reply->body = NULL;
}

/* The object that the answer is wanted for. */
static void add_object(const struct skr_write *write, const json_t *object, struct skr_event *event)
{
    struct skr_error error;
    if (write->answer->decode(object, &event->written.object, &error) < 0 &&
        write->verb == SKR_VERB_GET) {
        event->written.outcome = SKR_WRITE_INVALID;
    }
}

static void trace_write(const struct skr_engine_driver *d, const struct skr_write *write,
                        const json_t *body, int status, const char *message)
{
    const char *name = write->name, *reason = "";
    enum skr_write_kind kind = skr_write_kind_of(write);
    if (kind == SKR_WRITE_CREATE_EVENT) {
        name = skr_path_text(body, "regarding.name");
        reason = skr_path_text(body, "reason");
    }
    skr_trace_add(&d->options.trace, SKR_TRACE_WRITE, d->now, "%s%s%s %s/%s: %d%s%s",
                  skr_write_kind_name(kind), reason[0] ? " " : "", reason, write->namespace_, name,
                  status, message[0] ? " " : "", message);
}

/* NULL: it has none. The text is consumed. */
static json_t *body_of(const struct skr_write *write)
{
    struct skr_json_scan scan;
    /* A copy of ours behind a pointer to const. */
    skr_json_scan_init(&scan, (char *)(uintptr_t)write->body, write->body_len);
    return write->body_len > 0 ? skr_json_tree_read(&scan) : NULL;
}

static void run_write(struct skr_engine_driver *d, const struct skr_write *write)
{
    struct skr_store_reply reply = {0, NULL};
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    json_t *body = body_of(write);
    if (d->options.event && body && skr_write_kind_of(write) == SKR_WRITE_CREATE_EVENT) {
        d->options.event(d->options.context, d->now, body);
    }
    request_of(d, write, body, &reply);
    const char *message = json_string_value(json_object_get(reply.body, "message"));
    const json_t *meta = json_object_get(reply.body, "metadata");
    const char *version = json_string_value(json_object_get(meta, "resourceVersion"));
    bool good = reply.status < 300;
    event.written.id = write->id;
    event.written.type = write->answer;
    event.written.outcome = skr_writer_outcome_of(reply.status);
    event.written.http_status = reply.status;
    event.written.resource_version = good && version ? skr_kube_version_parse(version) : 0;
    event.written.message = !good && message ? message : "";
    if (good && write->answer) {
        add_object(write, reply.body, &event);
    }
    trace_write(d, write, body, reply.status, event.written.message);
    take(d, &event);
    json_decref(reply.body);
    json_decref(body);
}

static void run_solved(struct skr_engine_driver *d, struct task *task)
{
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = task->work};
    task->work = NULL;
    handle(d, &event);
}

static void free_task(struct task *task)
{
    skr_work_destroy(task->work);
    /* Copies of ours behind pointers to const. */
    free((char *)(uintptr_t)task->write.namespace_);
    free((char *)(uintptr_t)task->write.name);
    free((char *)(uintptr_t)task->write.body);
    free(task);
}

/* ---- the loop ---- */

uint64_t skr_engine_driver_seen(const struct skr_engine_driver *driver)
{
    return driver->watcher.seen;
}

skr_time skr_engine_driver_next(const struct skr_engine_driver *driver, skr_time now)
{
    skr_time next = skr_watcher_next(&driver->watcher, now);
    if (driver->writes && driver->writes->at < next) {
        next = driver->writes->at;
    }
    if (driver->solves && driver->solves->at < next) {
        next = driver->solves->at;
    }
    next = driver->timer < next ? driver->timer : next;
    return next < now ? now : next;
}

size_t skr_engine_driver_step(struct skr_engine_driver *driver, skr_time now)
{
    struct skr_engine_driver *d = driver;
    struct skr_store_change change;
    struct task *task;
    size_t done = 0;
    d->now = now;
    for (; skr_watcher_take(&d->watcher, now, &change); done++) {
        take_change(d, &change);
    }
    if (done > 0) {
        settle(d);
    }
    for (; (task = d->writes) && task->at <= now; done++) {
        DL_DELETE(d->writes, task);
        run_write(d, &task->write);
        free_task(task);
    }
    if (done > 0) {
        settle(d);
    }
    for (; (task = d->solves) && task->at <= now; done++) {
        DL_DELETE(d->solves, task);
        run_solved(d, task);
        free_task(task);
    }
    if (d->timer <= now) {
        struct skr_event event = {.kind = SKR_EVENT_TIMER};
        d->timer = SKR_TIME_NEVER;
        handle(d, &event);
        done++;
    }
    return done;
}

enum skr_explain_status skr_engine_driver_explain(struct skr_engine_driver *driver, skr_time now,
                                                  const char *namespace_, const char *name,
                                                  struct skr_strbuf *out)
{
    struct skr_engine_driver *d = driver;
    const struct skr_explain_request request = {.namespace_ = namespace_, .name = name};
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = 0, .verb = SKR_GANG_EXPLAIN, .body = &request}};
    struct task *task;
    d->now = now;
    d->explanation = out;
    d->explained = false;
    handle(d, &event);
    while (!d->explained && (task = d->solves) && task->work->aside) {
        DL_DELETE(d->solves, task);
        run_solved(d, task);
        free_task(task);
    }
    skr_bug_on(!d->explained);
    d->explanation = NULL;
    return d->explain_status;
}

/* ---- as an extender ---- */

static void put_question(struct skr_engine_driver *d, enum skr_gang_verb verb,
                         const struct skr_pod *pod, const char *const *node, struct question *q,
                         skr_time now)
{
    const struct skr_filter_request request = {pod, q->n, node};
    q->request = ++d->request;
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = q->request, .verb = (int)verb, .body = &request}};
    d->now = now;
    d->question = q;
    handle(d, &event);
    d->question = NULL;
}

static int filter(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    struct skr_engine_driver *d = context;
    struct question q = {.n = n, .passes = passes, .text = d->text};
    d->text[0] = '\0';
    put_question(d, SKR_GANG_FILTER, pod, node, &q, now);
    for (size_t i = 0; i < n; i++) {
        why[i] = passes[i] ? NULL : d->text;
    }
    return q.failed ? skr_error_set(error, SKR_RETRY, "%s", d->text) : 0;
}

static void prioritize(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score)
{
    struct question q = {.n = n, .score = score};
    put_question(context, SKR_GANG_PRIORITIZE, pod, node, &q, now);
}

static bool is_answered(const struct skr_actions *actions, uint64_t request)
{
    for (size_t i = 0; i < actions->n; i++) {
        const struct skr_action *action = &actions->item[i];
        if (action->kind == SKR_ACTION_ANSWER && action->answer.request == request) {
            return true;
        }
    }
    return false;
}

static void call_bind(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                      skr_time now)
{
    struct skr_engine_driver *d = context;
    const struct skr_bind_request request = {pod->meta.namespace_, pod->meta.name, pod->meta.uid,
                                             node};
    struct skr_event event = {
        .kind = SKR_EVENT_REQUEST,
        .request = {.id = call | BIND_REQUEST, .verb = SKR_GANG_BIND, .body = &request}};
    d->now = now;
    skr_engine_handle(d->engine, &event, d->now, &d->actions);
    if (!is_answered(&d->actions, event.request.id)) {
        skr_trace_add(&d->options.trace, SKR_TRACE_VERB, d->now, "bind call %llu is held",
                      (unsigned long long)call);
    }
    carry_out_all(d);
}

struct skr_extender skr_engine_driver_extender(struct skr_engine_driver *driver, int32_t weight)
{
    return (struct skr_extender){.context = driver,
                                 .filter = filter,
                                 .prioritize = prioritize,
                                 .bind = call_bind,
                                 .weight = weight};
}

/* ---- life ---- */

struct skr_engine_driver *skr_engine_driver_create(const struct skr_engine_driver_options *options,
                                                   struct skr_store *store)
{
    struct skr_engine_driver *d = skr_alloc(sizeof *d);
    d->options = *options;
    d->store = store;
    d->engine =
        skr_engine_create(&skr_gang_scheduler, &d->options.settings, d->options.settings.instance);
    d->timer = SKR_TIME_NEVER;
    skr_actions_init(&d->actions);
    skr_watcher_init(&d->watcher, store, options->watch_delay, 0);
    return d;
}

void skr_engine_driver_destroy(struct skr_engine_driver *driver)
{
    struct task *task, *next;
    if (!driver) {
        return;
    }
    DL_FOREACH_SAFE(driver->writes, task, next)
    {
        free_task(task);
    }
    DL_FOREACH_SAFE(driver->solves, task, next)
    {
        free_task(task);
    }
    skr_watcher_fini(&driver->watcher);
    skr_actions_fini(&driver->actions);
    skr_engine_destroy(driver->engine);
    free(driver);
}

const struct skr_engine *skr_engine_driver_engine(const struct skr_engine_driver *driver)
{
    return driver->engine;
}
