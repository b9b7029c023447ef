/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three sources of events: the watcher, a queue of writes and one of work in progress, the timer.
 * All tasks of a queue take the same time, so it needs no sorting. A step handles the sources in
 * this order.
 */
#include "server/lab/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "server/kube/decode.h"
#include "server/kube/writer.h"
#include "server/object/path.h"
#include "server/object/selector.h"
#include "topology/base/arena.h"
#include "topology/base/json_tree.h"

/* A write or a piece of work in progress. */
struct task {
    skr_time at;
    struct skr_kube_job *write; /* NULL: work */
    struct skr_work *work;      /* done already */
    struct task *prev, *next;
};

/* A watch of the scheduler's row. Watches of one type are adjacent there. */
struct source {
    const struct skr_object_type *type;
    const struct skr_store_resource *resource; /* NULL: the API server lacks it */
    struct skr_selector *selector;             /* NULL: all */
    bool first;                                /* of its type */
    bool asked, listed;                        /* on demand; listed: objects are delivered */
    uint64_t since;                            /* revision of its list on demand */
    void *memory;                              /* of the type; only of the first */
};

struct skr_driver {
    struct skr_driver_options options;
    struct skr_store *store;
    struct skr_engine *engine;
    struct skr_actions actions;
    struct skr_watcher watcher;
    struct source *source;      /* [watches of the row] */
    struct task *writes, *work; /* each in order of time */
    skr_time now, timer;
    struct skr_json_reader reader;
};

/* ---- actions ---- */

static void take_write(void *context, const struct skr_write *write)
{
    struct skr_driver *d = context;
    struct task *task = skr_alloc(sizeof *task);
    task->at = d->now + d->options.write_time;
    task->write = skr_kube_job_create(NULL, write);
    skr_bug_on(!task->write);
    DL_APPEND(d->writes, task);
}

static void take_work(void *context, struct skr_work *work)
{
    struct skr_driver *d = context;
    struct task *task = skr_alloc(sizeof *task);
    task->at = d->now + d->options.work_time;
    task->work = work;
    work->type->run(work, NULL);
    if (work->aside) { /* a caller waits, and time does not advance meanwhile */
        task->at = d->now;
        DL_PREPEND(d->work, task);
    } else {
        DL_APPEND(d->work, task);
    }
}

static void trace_decision(void *context, const struct skr_decision *decision)
{
    const struct skr_driver *d = context;
    const char *status = decision->status ? decision->status : "";
    const char *reason = decision->reason ? decision->reason : "";
    const char *message = decision->message ? decision->message : "";
    const char *colon = (status[0] || reason[0]) && message[0] ? ": " : message[0] ? "  " : "";
    skr_trace_add(&d->options.trace, SKR_TRACE_DECISION, d->now, "%s%s%s%s%s%s%s%s%s%s%s",
                  decision->what, decision->key[0] ? "  " : "", decision->key,
                  decision->pod[0] ? "  " : "", decision->pod, status[0] ? "  " : "", status,
                  reason[0] ? "  " : "", reason, colon, message);
}

static void give_answer(void *context, uint64_t request, const void *body)
{
    const struct skr_driver *d = context;
    d->options.answer(d->options.context, request, body);
}

/* The list follows once the event is handled. */
static void take_watch(void *context, const struct skr_object_type *type)
{
    struct skr_driver *d = context;
    for (size_t i = 0; i < d->options.scheduler->n_watches; i++) {
        d->source[i].asked = d->source[i].asked || d->source[i].type == type;
    }
}

/* Work to be cancelled is done already. */
static void carry_out_all(struct skr_driver *d)
{
    const struct skr_outlets outlets = {.context = d,
                                        .answer = give_answer,
                                        .write = take_write,
                                        .work = take_work,
                                        .watch = take_watch,
                                        .decide = trace_decision};
    skr_actions_carry_out(&d->actions, &outlets, &d->timer);
}

static void handle(struct skr_driver *d, struct skr_event *event)
{
    skr_engine_handle(d->engine, event, d->now, &d->actions);
    carry_out_all(d);
}

/* Many pods and answers arrive at one moment: they are settled together, once. */
static void take(struct skr_driver *d, struct skr_event *event)
{
    skr_engine_take(d->engine, event, d->now, &d->actions);
    carry_out_all(d);
}

static void settle(struct skr_driver *d)
{
    skr_engine_settle(d->engine, d->now, &d->actions);
    carry_out_all(d);
}

/* ---- objects ---- */

static int decode(struct skr_driver *d, const struct source *source, const json_t *object,
                  void **ret, struct skr_error *error)
{
    const struct skr_object_type *type = source->type;
    const struct skr_json *json = NULL;
    if (!type->reader) {
        return type->decode(object, ret, error);
    }
    const int rc = skr_json_of_tree(&d->reader, object, &json, error);
    return rc < 0 ? rc : type->reader->read(source->memory, json, ret, error);
}

static void deliver(struct skr_driver *d, const struct source *source, const json_t *object)
{
    struct skr_error error;
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = source->type}};
    if (decode(d, source, object, &event.upsert.object, &error) < 0) {
        skr_trace_add(&d->options.trace, SKR_TRACE_DECISION, d->now,
                      "Object not understood  %s/%s: %s",
                      skr_path_text(object, "metadata.namespace"),
                      skr_path_text(object, "metadata.name"), error.text);
        return;
    }
    take(d, &event);
}

static void deliver_end(struct skr_driver *d, const struct skr_object_type *type,
                        const json_t *object)
{
    struct skr_event event = skr_kube_deleted(type, skr_path_text(object, "metadata.namespace"),
                                              skr_path_text(object, "metadata.name"),
                                              skr_path_text(object, "metadata.uid"));
    take(d, &event);
}

/* Whether any watch of its type selects it. */
static bool is_watched(const struct source *first, const struct source *end, const json_t *object)
{
    const struct source *s = first;
    while (s < end && s->type == first->type && !skr_selector_matches(s->selector, object)) {
        s++;
    }
    return object && s < end && s->type == first->type;
}

struct lister {
    struct skr_driver *driver;
    const struct source *source;
};

static bool list_object(void *context, const json_t *object)
{
    const struct lister *lister = context;
    struct skr_driver *d = lister->driver;
    if (is_watched(lister->source, d->source + d->options.scheduler->n_watches, object)) {
        deliver(d, lister->source, object);
    }
    return true;
}

static void list(struct skr_driver *d, const struct source *source)
{
    struct lister lister = {d, source};
    if (source->first && source->resource) {
        skr_store_each(d->store, skr_store_resource_key(source->resource), list_object, &lister);
    }
}

/* Kinds that the engine has asked for. Returns how many. */
static size_t list_asked(struct skr_driver *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->options.scheduler->n_watches; i++) {
        struct source *source = &d->source[i];
        if (source->asked && !source->listed) {
            struct skr_event event = {.kind = SKR_EVENT_LISTED, .listed = source->type};
            source->listed = true;
            source->since = skr_store_revision(d->store);
            list(d, source);
            handle(d, &event);
            n++;
        }
    }
    return n;
}

void skr_driver_start(struct skr_driver *driver, skr_time now)
{
    struct skr_event event = {.kind = SKR_EVENT_SYNCED};
    driver->now = now;
    skr_watcher_fini(&driver->watcher);
    skr_watcher_init(&driver->watcher, driver->store, driver->options.watch_delay,
                     skr_store_revision(driver->store));
    /* Frequent kinds, of which something is remembered, come last, after the objects that they refer to. */
    const size_t n = driver->options.scheduler->n_watches;
    for (size_t i = 0; i < 2 * n; i++) {
        const struct source *source = &driver->source[i % n];
        if (source->listed && !source->memory == (i < n)) {
            list(driver, source);
        }
    }
    handle(driver, &event);
    list_asked(driver);
}

/* An object that is no longer selected counts as deleted. */
static void take_change(struct skr_driver *d, const struct skr_store_change *change)
{
    const struct source *end = d->source + d->options.scheduler->n_watches;
    for (const struct source *s = d->source; s < end; s++) {
        if (!s->first || s->resource != change->resource || !s->listed ||
            change->revision <= s->since) {
            continue;
        }
        if (change->kind != SKR_STORE_DELETED && is_watched(s, end, change->object)) {
            deliver(d, s, change->object);
        } else if (is_watched(s, end, change->before)) {
            deliver_end(d, s->type, change->object);
        } else {
            continue;
        }
        if (!s->memory) {
            settle(d);
        }
    }
}

static size_t take_changes(struct skr_driver *d, skr_time until)
{
    struct skr_store_change change;
    size_t n = 0;
    for (; skr_watcher_take(&d->watcher, until, &change); n++) {
        take_change(d, &change);
    }
    if (n > 0) {
        settle(d);
    }
    return n;
}

/* ---- writes ---- */

/* The verb of a write at the API server. */
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

static void request_of(struct skr_driver *d, const struct skr_write *write, const json_t *body,
                       struct skr_store_reply *reply)
{
    struct skr_store_request request = {.verb = verbs[write->verb],
                                        .namespace_ = write->namespace_,
                                        .name = write->name,
                                        .subresource = write->subresource,
                                        .body = body};
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

static bool is_event(const struct skr_write *write)
{
    return write->verb == SKR_VERB_CREATE && skr_resource_is(write->resource, &skr_events);
}

static void trace_write(const struct skr_driver *d, const struct skr_write *write,
                        const json_t *body, int status, const char *message)
{
    const char *name = write->name, *reason = "";
    char what[128];
    if (!d->options.trace.line) {
        return;
    }
    snprintf(what, sizeof what, "%s %s%s%s", skr_write_verb_name(write->verb),
             write->resource->plural, *write->subresource ? "/" : "", write->subresource);
    if (is_event(write)) {
        name = skr_path_text(body, "regarding.name");
        reason = skr_path_text(body, "reason");
    }
    skr_trace_add(&d->options.trace, SKR_TRACE_WRITE, d->now, "%s%s%s %s/%s: %d%s%s",
                  d->options.name ? d->options.name(write) : what, reason[0] ? " " : "", reason,
                  write->namespace_, name, status, message[0] ? " " : "", message);
}

/* NULL: no body. */
static json_t *body_of(const struct skr_write *write)
{
    json_t *body = NULL;
    if (write->body_len > 0) {
        (void)skr_json_tree_read(write->body, write->body_len, &body, NULL);
    }
    return body;
}

static void run_write(struct skr_driver *d, const struct skr_write *write)
{
    struct skr_store_reply reply = {0, NULL};
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE,
                              .written = {.id = write->id, .type = write->answer, .message = ""}};
    struct skr_error error = {.text = ""};
    json_auto_t *body = body_of(write);
    if (d->options.event && body && is_event(write)) {
        d->options.event(d->options.context, d->now, body);
    }
    request_of(d, write, body, &reply);
    skr_writer_read_answer(write, reply.status, reply.body, &event, &error);
    trace_write(d, write, body, reply.status, event.written.message);
    take(d, &event);
    json_decref(reply.body);
}

static void end_work(struct skr_driver *d, struct task *task)
{
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = task->work};
    task->work = NULL;
    handle(d, &event);
}

static void free_task(struct task *task)
{
    skr_work_destroy(task->work);
    free(task->write);
    free(task);
}

/* ---- the loop ---- */

uint64_t skr_driver_seen(const struct skr_driver *driver)
{
    return driver->watcher.seen;
}

skr_time skr_driver_next(const struct skr_driver *driver, skr_time now)
{
    skr_time next = skr_watcher_next(&driver->watcher, now);
    if (driver->writes && driver->writes->at < next) {
        next = driver->writes->at;
    }
    if (driver->work && driver->work->at < next) {
        next = driver->work->at;
    }
    for (size_t i = 0; i < driver->options.scheduler->n_watches; i++) {
        const struct source *s = &driver->source[i];
        next = s->asked && !s->listed ? now : next;
    }
    next = driver->timer < next ? driver->timer : next;
    return next < now ? now : next;
}

static void end_write(struct skr_driver *d, struct task *task)
{
    DL_DELETE(d->writes, task);
    run_write(d, &task->write->write);
    free_task(task);
}

static void end_first_work(struct skr_driver *d)
{
    struct task *task = d->work;
    DL_DELETE(d->work, task);
    end_work(d, task);
    free_task(task);
}

size_t skr_driver_step(struct skr_driver *driver, skr_time now)
{
    struct skr_driver *d = driver;
    d->now = now;
    size_t done = list_asked(d) + take_changes(d, now);
    for (; d->writes && d->writes->at <= now; done++) {
        end_write(d, d->writes);
    }
    if (done > 0) {
        settle(d);
    }
    for (; d->work && d->work->at <= now; done++) {
        end_first_work(d);
    }
    if (d->timer <= now) {
        struct skr_event event = {.kind = SKR_EVENT_TIMER};
        d->timer = SKR_TIME_NEVER;
        handle(d, &event);
        done++;
    }
    return done;
}

/* ---- callers that wait ---- */

void skr_driver_ask(struct skr_driver *driver, skr_time now, uint64_t id, int verb,
                    const void *body)
{
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = id, .verb = verb, .body = body}};
    driver->now = now;
    handle(driver, &event);
}

void skr_driver_catch_up(struct skr_driver *driver, skr_time now)
{
    driver->now = now;
    take_changes(driver, now); /* changes since then are delayed from now on */
    take_changes(driver, now + driver->options.watch_delay);
}

bool skr_driver_hurry(struct skr_driver *driver, skr_time now)
{
    struct skr_driver *d = driver;
    struct task *task;
    d->now = now;
    if (d->work && d->work->work->aside) {
        end_first_work(d);
        return true;
    }
    DL_FOREACH(d->writes, task)
    {
        if (task->write->write.verb == SKR_VERB_GET) {
            end_write(d, task);
            settle(d);
            return true;
        }
    }
    return false;
}

/* ---- create and destroy ---- */

static void watch(struct skr_driver *d)
{
    const struct skr_scheduler *scheduler = d->options.scheduler;
    d->source = skr_alloc_array(scheduler->n_watches, sizeof *d->source);
    for (size_t i = 0; i < scheduler->n_watches; i++) {
        const struct skr_watch *w = &scheduler->watch[i];
        const struct skr_resource *r = w->type->resource;
        d->source[i] =
            (struct source){.type = w->type,
                            .resource = skr_store_resource_find(r->group, r->version, r->plural),
                            .first = i == 0 || w[-1].type != w->type,
                            .listed = !w->on_demand};
        if (d->source[i].first && w->type->reader && w->type->reader->create_memory) {
            d->source[i].memory = w->type->reader->create_memory();
        }
        skr_bug_on(w->label_selector &&
                   skr_selector_parse_labels(w->label_selector, &d->source[i].selector, NULL) < 0);
    }
}

struct skr_driver *skr_driver_create(const struct skr_driver_options *options,
                                     struct skr_store *store)
{
    struct skr_driver *d = skr_alloc(sizeof *d);
    d->options = *options;
    d->store = store;
    d->engine = skr_engine_create(options->scheduler, options->settings, options->instance);
    d->timer = SKR_TIME_NEVER;
    skr_actions_init(&d->actions);
    skr_watcher_init(&d->watcher, store, options->watch_delay, 0);
    watch(d);
    return d;
}

void skr_driver_destroy(struct skr_driver *driver)
{
    struct task *task, *next;
    if (!driver) {
        return;
    }
    DL_FOREACH_SAFE(driver->writes, task, next)
    {
        free_task(task);
    }
    DL_FOREACH_SAFE(driver->work, task, next)
    {
        free_task(task);
    }
    for (size_t i = 0; i < driver->options.scheduler->n_watches; i++) {
        skr_selector_destroy(driver->source[i].selector);
        if (driver->source[i].memory) {
            driver->source[i].type->reader->destroy_memory(driver->source[i].memory);
        }
    }
    free(driver->source);
    skr_json_reader_fini(&driver->reader);
    skr_watcher_fini(&driver->watcher);
    skr_actions_fini(&driver->actions);
    skr_engine_destroy(driver->engine);
    free(driver);
}

const struct skr_engine *skr_driver_engine(const struct skr_driver *driver)
{
    return driver->engine;
}
