/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A discrete event simulation: tasks sorted by (time, order of making), the engine's one timer
 * among them. A task is a watch event, the result of a write, a finished solve, a scheduling cycle,
 * a bind call or the start of a pod. Inserting a task costs the number of tasks that wait.
 */
#include "server/demo_cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/config_value.h"
#include "server/demo_cluster_state.h"
#include "topology/strbuf.h"

void skr_demo_trace(struct skr_demo_cluster *c, enum skr_demo_trace kind, const char *format, ...)
{
    char text[2048];
    if (!c->options.trace) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->options.trace(c->options.trace_context, kind, c->now - c->options.start, text);
}

/* ---- tasks ---- */

struct task *skr_demo_add_task(struct skr_demo_cluster *c, enum task_kind kind, skr_time delay,
                               const char *namespace_, const char *name)
{
    struct task *task = skr_alloc(sizeof *task);
    task->kind = kind;
    task->at = c->now + delay;
    task->order = c->order++;
    task->namespace_ = skr_strdup(namespace_);
    task->name = skr_strdup(name);
    struct task *before = c->tasks;
    while (before && before->at <= task->at) {
        before = before->next;
    }
    if (before) {
        DL_PREPEND_ELEM(c->tasks, before, task);
    } else {
        DL_APPEND(c->tasks, task);
    }
    return task;
}

static void free_task(struct task *task)
{
    skr_solve_request_destroy(task->solve);
    skr_solution_destroy(task->solution);
    free(task->namespace_);
    free(task->name);
    free(task->uid);
    free(task->node);
    free(task->body);
    free(task);
}

/* The watchers hear of it. */
void skr_demo_announce(struct skr_demo_cluster *c, enum skr_demo_kind kind, const char *namespace_,
                       const char *name, skr_time delay)
{
    const json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    struct task *task = skr_demo_add_task(c, TASK_WATCH, delay, namespace_, name);
    task->object_kind = kind;
    task->uid = skr_strdup(object ? skr_demo_text(object, "metadata.uid") : "");
}

/* ---- the engine's side ---- */

/* "Group is not placed  default/group-a  MembersMissing: group group-a has 5 of 8 members" */
static void trace_decision(struct skr_demo_cluster *c, const struct skr_decision *d)
{
    const char *const part[] = {d->what, d->group, d->pod, d->reason};
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (part[i] && part[i][0]) {
            skr_strbuf_addf(&text, "%s%s", i > 0 ? "  " : "", part[i]);
        }
    }
    if (d->message && d->message[0]) {
        skr_strbuf_addf(&text, ": %s", d->message);
    }
    skr_demo_trace(c, SKR_DEMO_TRACE_DECISION, "%s", text.s);
    skr_strbuf_fini(&text);
}

static void take_write(struct skr_demo_cluster *c, const struct skr_write *write)
{
    struct task *task =
        skr_demo_add_task(c, TASK_WRITE, SKR_DEMO_WRITE_TIME, write->namespace_, write->name);
    task->write = write->id;
    task->write_kind = write->kind;
    task->body = skr_alloc(write->body_len + 1);
    memcpy(task->body, write->body, write->body_len);
}

static void take_solve(struct skr_demo_cluster *c, struct skr_solve_request *request)
{
    struct task *task = skr_demo_add_task(c, TASK_SOLVED, SKR_MILLISECOND, "", "");
    task->solve = request;
    if (skr_solve(&request->problem, &task->solution, &task->error) < 0) {
        task->solution = NULL;
    }
}

static void carry_out(struct skr_demo_cluster *c, struct skr_action *action)
{
    switch (action->kind) {
    case SKR_ACTION_ANSWER:
        skr_demo_scheduler_answer(c, &action->answer);
        break;
    case SKR_ACTION_HOLD:
        skr_demo_trace(c, SKR_DEMO_TRACE_VERB, "bind call %llu is held",
                       (unsigned long long)action->hold.request);
        break;
    case SKR_ACTION_WRITE:
        take_write(c, &action->write);
        break;
    case SKR_ACTION_SOLVE: {
        struct skr_solve_request *request = action->solve;
        action->solve = NULL;
        take_solve(c, request);
        break;
    }
    case SKR_ACTION_CANCEL_SOLVE: /* its result is there already */
        break;
    case SKR_ACTION_TIMER:
        c->timer = action->timer;
        break;
    case SKR_ACTION_DECISION:
        trace_decision(c, &action->decision);
        break;
    case SKR_ACTION_KIND_COUNT:
        break;
    }
}

void skr_demo_handle(struct skr_demo_cluster *c, struct skr_event *event)
{
    skr_engine_handle(c->engine, event, c->now, &c->actions);
    for (size_t i = 0; i < c->actions.n; i++) {
        carry_out(c, &c->actions.item[i]);
    }
    skr_actions_reset(&c->actions);
}

/* ---- watches ---- */

/* An upsert of the object as it is now. false when it does not decode; that is a bug of the story
 * or of the engine, and shows in the trace. */
bool skr_demo_decode(struct skr_demo_cluster *c, enum skr_demo_kind kind, const json_t *object,
                     struct skr_event *ret)
{
    struct skr_error error = {SKR_OK, ""};
    int rc = -SKR_BUG;
    *ret = (struct skr_event){.kind = SKR_EVENT_KIND_COUNT};
    switch (kind) {
    case SKR_DEMO_NODE:
        ret->kind = SKR_EVENT_NODE_UPSERT;
        rc = skr_node_decode(object, &ret->node, &error);
        break;
    case SKR_DEMO_POD:
        ret->kind = SKR_EVENT_POD_UPSERT;
        rc = skr_pod_decode(object, &ret->pod, &error);
        break;
    case SKR_DEMO_CONFIGMAP:
        ret->kind = SKR_EVENT_CONFIGMAP_UPSERT;
        rc = skr_configmap_decode(object, &ret->configmap, &error);
        break;
    case SKR_DEMO_PODGROUP:
        ret->kind = SKR_EVENT_PODGROUP_UPSERT;
        rc = skr_podgroup_decode(object, &ret->podgroup, &error);
        break;
    case SKR_DEMO_KIND_COUNT:
        break;
    }
    if (rc < 0) {
        skr_demo_trace(c, SKR_DEMO_TRACE_WRITE, "undecodable object: %s", error.text);
    }
    return rc == 0;
}

static void deliver(struct skr_demo_cluster *c, enum skr_demo_kind kind, const char *namespace_,
                    const char *name, const char *uid)
{
    static const enum skr_event_kind deletes[] = {SKR_EVENT_NODE_DELETE, SKR_EVENT_POD_DELETE,
                                                  SKR_EVENT_CONFIGMAP_DELETE,
                                                  SKR_EVENT_PODGROUP_DELETE};
    _Static_assert(sizeof deletes / sizeof deletes[0] == SKR_DEMO_KIND_COUNT, "one a kind");
    const json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    struct skr_event event;
    if (!object) {
        event = (struct skr_event){
            .kind = deletes[kind], .namespace_ = namespace_, .name = name, .uid = uid};
        skr_demo_handle(c, &event);
    } else if (skr_demo_decode(c, kind, object, &event)) {
        skr_demo_handle(c, &event);
    }
}

/* ---- writes ---- */

static enum skr_write_outcome outcome_of(int status)
{
    switch (status) {
    case 404:
        return SKR_WRITE_NOT_FOUND;
    case 409:
        return SKR_WRITE_CONFLICT;
    case 400:
    case 422:
        return SKR_WRITE_INVALID;
    default:
        return SKR_WRITE_OK;
    }
}

static enum skr_demo_kind kind_of_write(enum skr_write_kind kind)
{
    bool map = kind == SKR_WRITE_PATCH_CONFIGMAP || kind == SKR_WRITE_GET_CONFIGMAP;
    bool podgroup = kind == SKR_WRITE_PATCH_PODGROUP || kind == SKR_WRITE_GET_PODGROUP;
    if (map) {
        return SKR_DEMO_CONFIGMAP;
    }
    return podgroup ? SKR_DEMO_PODGROUP : SKR_DEMO_POD;
}

static int remove_pod(struct skr_demo_cluster *c, const struct task *task)
{
    int rc = skr_demo_cluster_remove(c, SKR_DEMO_POD, task->namespace_, task->name);
    return rc < 0 ? 404 : 201;
}

/* The API server's answer to the write. */
static int apply(struct skr_demo_cluster *c, const struct task *task)
{
    enum skr_demo_kind kind = kind_of_write(task->write_kind);
    json_t *body = task->body[0] ? json_loads(task->body, 0, NULL) : NULL;
    int status = 400;
    switch (task->write_kind) {
    case SKR_WRITE_BINDING:
        status = skr_demo_objects_bind(c->objects, task->namespace_, task->name, body);
        if (status == 201) {
            skr_demo_add_task(c, TASK_START, SKR_DEMO_START_TIME, task->namespace_, task->name);
        }
        break;
    case SKR_WRITE_UNGATE_POD:
        status = skr_demo_objects_patch_gates(c->objects, task->namespace_, task->name, body);
        break;
    case SKR_WRITE_PATCH_POD:
    case SKR_WRITE_PATCH_POD_STATUS:
    case SKR_WRITE_PATCH_CONFIGMAP:
    case SKR_WRITE_PATCH_PODGROUP:
        status = skr_demo_objects_patch(c->objects, kind, task->namespace_, task->name, body);
        break;
    case SKR_WRITE_CREATE_EVENT:
        status = 201;
        break;
    case SKR_WRITE_EVICT:
    case SKR_WRITE_DELETE_POD:
        status = remove_pod(c, task);
        break;
    case SKR_WRITE_GET_POD:
    case SKR_WRITE_GET_CONFIGMAP:
    case SKR_WRITE_GET_PODGROUP:
        status = skr_demo_objects_get(c->objects, kind, task->namespace_, task->name) ? 200 : 404;
        break;
    case SKR_WRITE_KIND_COUNT:
        break;
    }
    json_decref(body);
    return status;
}

static void add_read_back(struct skr_demo_cluster *c, const struct task *task, const json_t *object,
                          struct skr_event *event)
{
    struct skr_event decoded;
    enum skr_demo_kind kind = kind_of_write(task->write_kind);
    if (!object || !skr_demo_decode(c, kind, object, &decoded)) {
        return;
    }
    if (kind == SKR_DEMO_POD) {
        event->write_done.pod = decoded.pod;
    } else if (kind == SKR_DEMO_CONFIGMAP) {
        event->write_done.configmap = decoded.configmap;
    } else {
        event->write_done.podgroup = decoded.podgroup;
    }
}

static void run_write(struct skr_demo_cluster *c, const struct task *task)
{
    enum skr_demo_kind kind = kind_of_write(task->write_kind);
    int status = apply(c, task);
    const json_t *object = skr_demo_objects_get(c->objects, kind, task->namespace_, task->name);
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    struct skr_error none;
    int64_t version = 0;
    char text[16];
    c->writes[task->write_kind]++;
    skr_demo_trace(c, SKR_DEMO_TRACE_WRITE, "%s %s/%s: %d", skr_write_kind_name(task->write_kind),
                   task->namespace_, task->name, status);
    skr_integer_parse(skr_demo_text(object, "metadata.resourceVersion"), &version, &none);
    snprintf(text, sizeof text, "%s%.0d", status < 300 ? "" : "HTTP ", status < 300 ? 0 : status);
    event.write_done.write = task->write;
    event.write_done.outcome = outcome_of(status);
    event.write_done.http_status = status;
    event.write_done.resource_version = (uint64_t)version;
    event.write_done.message = text;
    bool get = task->write_kind >= SKR_WRITE_GET_POD;
    bool changed = status < 300 && !get && task->write_kind != SKR_WRITE_CREATE_EVENT;
    if (get && status == 200) {
        add_read_back(c, task, object, &event);
    }
    if (changed && object) {
        skr_demo_announce(c, kind, task->namespace_, task->name, SKR_DEMO_WATCH_TIME);
    }
    skr_demo_handle(c, &event);
}

/* ---- running ---- */

static void run_solved(struct skr_demo_cluster *c, struct task *task)
{
    struct skr_event event = {.kind = SKR_EVENT_SOLVED};
    event.solved.solve = task->solve->id;
    event.solved.solution = task->solution;
    event.solved.error = task->error;
    task->solution = NULL;
    skr_demo_handle(c, &event);
}

static void run_start(struct skr_demo_cluster *c, const struct task *task)
{
    json_t *patch = json_pack("{s:{s:s}}", "status", "phase", "Running");
    int status =
        skr_demo_objects_patch(c->objects, SKR_DEMO_POD, task->namespace_, task->name, patch);
    json_decref(patch);
    if (status == 200) {
        skr_demo_announce(c, SKR_DEMO_POD, task->namespace_, task->name, SKR_DEMO_WATCH_TIME);
    }
}

static void run_task(struct skr_demo_cluster *c, struct task *task)
{
    switch (task->kind) {
    case TASK_WATCH:
        deliver(c, task->object_kind, task->namespace_, task->name, task->uid);
        if (task->object_kind == SKR_DEMO_POD) {
            skr_demo_scheduler_see(c, task->namespace_, task->name);
        }
        break;
    case TASK_WRITE:
        run_write(c, task);
        break;
    case TASK_SOLVED:
        run_solved(c, task);
        break;
    case TASK_CYCLE:
        skr_demo_scheduler_cycle(c);
        break;
    case TASK_BIND:
        skr_demo_scheduler_bind(c, task);
        break;
    case TASK_START:
        run_start(c, task);
        break;
    }
}

void skr_demo_cluster_run(struct skr_demo_cluster *cluster, skr_time duration)
{
    struct skr_demo_cluster *c = cluster;
    skr_time end = c->now + duration;
    for (;;) {
        skr_time next = c->tasks ? c->tasks->at : SKR_TIME_NEVER;
        bool timer_first = c->timer < next;
        next = timer_first ? c->timer : next;
        if (next > end) {
            break;
        }
        c->now = next > c->now ? next : c->now;
        if (timer_first) {
            struct skr_event event = {.kind = SKR_EVENT_TIMER};
            c->timer = SKR_TIME_NEVER;
            skr_demo_handle(c, &event);
            continue;
        }
        struct task *task = c->tasks;
        DL_DELETE(c->tasks, task);
        run_task(c, task);
        free_task(task);
    }
    c->now = end;
}

/* ---- life ---- */

struct skr_demo_cluster *skr_demo_cluster_create(const struct skr_demo_cluster_options *options)
{
    struct skr_demo_cluster *c = skr_alloc(sizeof *c);
    c->options = *options;
    c->engine = skr_engine_create(&options->settings);
    c->objects = skr_demo_objects_create();
    c->now = options->start;
    c->timer = SKR_TIME_NEVER;
    skr_actions_init(&c->actions);
    return c;
}

void skr_demo_cluster_destroy(struct skr_demo_cluster *cluster)
{
    if (!cluster) {
        return;
    }
    struct task *task, *next_task;
    DL_FOREACH_SAFE(cluster->tasks, task, next_task)
    {
        free_task(task);
    }
    skr_demo_scheduler_fini(cluster);
    skr_actions_fini(&cluster->actions);
    skr_engine_destroy(cluster->engine);
    skr_demo_objects_destroy(cluster->objects);
    free(cluster);
}

int skr_demo_cluster_add(struct skr_demo_cluster *cluster, json_t *object, struct skr_error *error)
{
    enum skr_demo_kind kind;
    int rc = skr_demo_objects_add(cluster->objects, object, cluster->now, &kind, error);
    if (rc < 0) {
        return rc;
    }
    skr_demo_announce(cluster, kind, skr_demo_text(object, "metadata.namespace"),
                      skr_demo_text(object, "metadata.name"), SKR_DEMO_WATCH_TIME);
    return 0;
}

int skr_demo_cluster_remove(struct skr_demo_cluster *cluster, enum skr_demo_kind kind,
                            const char *namespace_, const char *name)
{
    const json_t *object = skr_demo_objects_get(cluster->objects, kind, namespace_, name);
    if (!object) {
        return -SKR_NOT_FOUND;
    }
    skr_demo_announce(cluster, kind, namespace_, name, SKR_DEMO_WATCH_TIME);
    skr_demo_objects_remove(cluster->objects, kind, namespace_, name);
    return 0;
}

void skr_demo_cluster_sync(struct skr_demo_cluster *cluster)
{
    skr_demo_cluster_run(cluster, SKR_DEMO_WATCH_TIME);
    struct skr_event event = {.kind = SKR_EVENT_SYNCED};
    skr_demo_handle(cluster, &event);
}

const struct skr_demo_objects *skr_demo_cluster_objects(const struct skr_demo_cluster *cluster)
{
    return cluster->objects;
}

skr_time skr_demo_cluster_now(const struct skr_demo_cluster *cluster)
{
    return cluster->now;
}

size_t skr_demo_cluster_writes(const struct skr_demo_cluster *cluster, enum skr_write_kind kind)
{
    return cluster->writes[kind];
}
