/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop over changes and tasks. Tasks wait in a binary heap by (time, order of making); a table
 * finds the one for a kind and object, so that there is at most one of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/cluster_parts.h"
#include "topology/base/arena.h"

enum {
    ROUNDS_MAX = 1000000, /* of one step: beyond that models wake each other for ever */
};

/* ---- the heap ---- */

static bool is_before(const struct skr_task *a, const struct skr_task *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void place(struct skr_cluster *c, size_t i, struct skr_task *task)
{
    c->heap[i] = task;
    task->place = i;
}

static void sift_up(struct skr_cluster *c, size_t i, struct skr_task *task)
{
    for (; i > 0 && is_before(task, c->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        place(c, i, c->heap[(i - 1) / 2]);
    }
    place(c, i, task);
}

static void sift_down(struct skr_cluster *c, size_t i, struct skr_task *task)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= c->n_heap) {
            break;
        }
        if (child + 1 < c->n_heap && is_before(c->heap[child + 1], c->heap[child])) {
            child++;
        }
        if (!is_before(c->heap[child], task)) {
            break;
        }
        place(c, i, c->heap[child]);
        i = child;
    }
    place(c, i, task);
}

static void take_out(struct skr_cluster *c, struct skr_task *task)
{
    struct skr_task *last = c->heap[--c->n_heap];

    if (last != task) {
        const size_t i = task->place;
        if (i > 0 && is_before(last, c->heap[(i - 1) / 2])) {
            sift_up(c, i, last);
        } else {
            sift_down(c, i, last);
        }
    }
    HASH_DEL(c->tasks, task);
}

static void free_task(struct skr_task *task)
{
    if (task) {
        free(task->namespace_);
        free(task->name);
        free(task);
    }
}

static struct skr_task *find_task(struct skr_cluster *c, enum skr_task_kind kind,
                                  const char *namespace_, const char *name, char key[600])
{
    struct skr_task *task;

    (void)snprintf(key, 600, "%d %s %s", (int)kind, namespace_, name);
    HASH_FIND_STR(c->tasks, key, task);
    return task;
}

void skr_cluster_plan(struct skr_cluster *c, enum skr_task_kind kind, const char *namespace_,
                      const char *name, skr_time at)
{
    char key[600];
    struct skr_task *task = find_task(c, kind, namespace_, name, key);

    if (at == SKR_TIME_NEVER) {
        return;
    }
    if (task) {
        if (at < task->at) {
            task->at = at;
            sift_up(c, task->place, task);
        }
        return;
    }
    const size_t size = strlen(key) + 1;
    task = skr_alloc(sizeof *task + size);
    memcpy(task->key, key, size);
    task->kind = kind;
    task->at = at;
    task->order = c->order++;
    task->namespace_ = skr_strdup(namespace_);
    task->name = skr_strdup(name);
    HASH_ADD_STR(c->tasks, key, task);
    skr_grow(&c->heap, &c->cap_heap, c->n_heap + 1, sizeof c->heap[0]);
    sift_up(c, c->n_heap++, task);
}

void skr_cluster_unplan(struct skr_cluster *c, enum skr_task_kind kind, const char *namespace_,
                        const char *name)
{
    char key[600];
    struct skr_task *task = find_task(c, kind, namespace_, name, key);

    if (task) {
        take_out(c, task);
        free_task(task);
    }
}

/* ---- writes ---- */

static const struct skr_store_resource *resource_of(const char *kind)
{
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *resource = skr_store_resource_get(i);
        if (!resource->kept_by && strcmp(resource->kind, kind) == 0) {
            return resource;
        }
    }
    skr_bug_on(true);
    return NULL;
}

int skr_cluster_request(struct skr_cluster *c, enum skr_store_verb verb, const char *kind,
                        const char *namespace_, const char *name, const char *subresource,
                        json_t *body, json_t **ret)
{
    const struct skr_store_request request = {.verb = verb,
                                              .resource = resource_of(kind),
                                              .namespace_ = namespace_,
                                              .name = name,
                                              .subresource = subresource,
                                              .body = body};
    struct skr_store_reply reply;

    skr_store_handle(c->store, &request, c->now, &reply);
    json_decref(body);
    if (ret) {
        *ret = reply.body;
    } else {
        json_decref(reply.body);
    }
    return reply.status;
}

void skr_cluster_set_status(struct skr_cluster *c, const char *kind, const json_t *object,
                            json_t *status)
{
    const char *namespace_ = skr_path_text(object, "metadata.namespace");
    const char *name = skr_path_text(object, "metadata.name");
    /* A caller may have changed the rest since it looked. */
    const json_t *current = skr_store_get(c->store, kind, namespace_, name);

    if (!current) {
        json_decref(status);
        return;
    }
    (void)skr_cluster_request(c, SKR_STORE_UPDATE, kind, namespace_, name, "status",
                              skr_path_with(current, "status", status), NULL);
}

void skr_cluster_delete(struct skr_cluster *c, const char *kind, const char *namespace_,
                        const char *name, const char *uid, int64_t grace)
{
    json_t *options = json_object();

    if (uid) {
        json_object_set_new(options, "preconditions", json_pack("{s:s}", "uid", uid));
    }
    if (grace >= 0) {
        json_object_set_new(options, "gracePeriodSeconds", json_integer(grace));
    }
    (void)skr_cluster_request(c, SKR_STORE_DELETE, kind, namespace_, name, "", options, NULL);
}

skr_time skr_cluster_time(const json_t *object, const char *path)
{
    skr_time t = 0;
    const char *text = skr_path_text(object, path);

    return *text != '\0' && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

/* ---- making and ending ---- */

void skr_cluster_options_default(struct skr_cluster_options *options)
{
    *options = (struct skr_cluster_options){
        .seed = 1,
        .pod_start = 100 * SKR_MILLISECOND,
        .pod_run = SKR_TIME_NEVER,
        .pod_stop = 100 * SKR_MILLISECOND,
    };
}

static bool collect_names(void *context, const json_t *object)
{
    json_array_append_new(context, json_string(skr_path_text(object, "metadata.name")));
    return true;
}

/* The objects that every cluster has are as old as this one. */
static void date_first_objects(struct skr_cluster *c, const char *kind, const char *api_version)
{
    json_t *names = json_array();
    char time[40];

    skr_time_write(c->now / SKR_SECOND * SKR_SECOND, 0, time, sizeof time);
    skr_store_each(c->store, kind, collect_names, names);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const json_t *old = skr_store_get(c->store, kind, "", name);
        json_t *object = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", api_version, "kind",
                                   kind, "metadata", "name", name, "creationTimestamp", time);
        if (skr_path_get(old, "value")) {
            json_object_set(object, "value", json_object_get(old, "value"));
        }
        (void)skr_store_put(c->store, object, c->now, NULL);
        json_decref(object);
    }
    json_decref(names);
}

struct skr_cluster *skr_cluster_create(const struct skr_cluster_options *options, skr_time now)
{
    struct skr_cluster *c = skr_alloc(sizeof *c);

    c->options = *options;
    c->now = now;
    c->store = skr_store_create(options->seed);
    date_first_objects(c, "Namespace", "v1");
    date_first_objects(c, "PriorityClass", "scheduling.k8s.io/v1");
    c->seen = skr_store_revision(c->store);
    return c;
}

void skr_cluster_destroy(struct skr_cluster *cluster)
{
    if (!cluster) {
        return;
    }
    while (cluster->n_heap > 0) {
        struct skr_task *task = cluster->heap[0];
        take_out(cluster, task);
        free_task(task);
    }
    free(cluster->heap);
    skr_owners_fini(cluster);
    skr_budgets_fini(cluster);
    skr_store_destroy(cluster->store);
    free(cluster);
}

struct skr_store *skr_cluster_store(struct skr_cluster *cluster)
{
    return cluster->store;
}

void skr_cluster_add(struct skr_cluster *cluster, const struct skr_cluster_model *model)
{
    skr_bug_on(cluster->n_models == SKR_CLUSTER_MODELS_MAX);
    cluster->model[cluster->n_models++] = *model;
}

/* ---- the loop ---- */

static void show_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    static void (*const table[])(struct skr_cluster * c, const struct skr_store_change *change) = {
        skr_owners_change,      skr_jobs_change,          skr_replica_sets_change,
        skr_deployments_change, skr_stateful_sets_change, skr_budgets_change,
        skr_namespaces_change,  skr_kubelet_change,       skr_node_life_change,
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        table[i](c, change);
    }
}

static size_t see_changes(struct skr_cluster *c)
{
    struct skr_store_change change;
    bool gone;
    size_t n = 0;

    while (skr_store_next_change(c->store, c->seen, &change, &gone)) {
        c->seen = change.revision;
        show_change(c, &change);
        n++;
    }
    skr_bug_on(gone); /* more changes in one step than the history holds */
    return n;
}

static void run_task(struct skr_cluster *c, const struct skr_task *task)
{
    static void (*const table[SKR_TASK_KIND_COUNT])(struct skr_cluster * c,
                                                    const struct skr_task *task) = {
        [SKR_TASK_JOB] = skr_jobs_run,
        [SKR_TASK_REPLICA_SET] = skr_replica_sets_run,
        [SKR_TASK_DEPLOYMENT] = skr_deployments_run,
        [SKR_TASK_STATEFUL_SET] = skr_stateful_sets_run,
        [SKR_TASK_BUDGET] = skr_budgets_run,
        [SKR_TASK_COLLECT] = skr_owners_collect,
        [SKR_TASK_NAMESPACE] = skr_namespaces_run,
        [SKR_TASK_NODE] = skr_kubelet_run,
        [SKR_TASK_POD_START] = skr_kubelet_run,
        [SKR_TASK_POD_FINISH] = skr_kubelet_run,
        [SKR_TASK_POD_STOP] = skr_kubelet_run,
        [SKR_TASK_POD_ORPHAN] = skr_jobs_run,
        [SKR_TASK_POD_LOST] = skr_node_life_run,
        [SKR_TASK_POD_TAINT] = skr_node_life_run,
    };
    table[task->kind](c, task);
}

static size_t run_due(struct skr_cluster *c)
{
    size_t n = 0;

    while (c->n_heap > 0 && c->heap[0]->at <= c->now) {
        struct skr_task *task = c->heap[0];
        take_out(c, task);
        run_task(c, task);
        free_task(task);
        (void)see_changes(c);
        n++;
    }
    return n;
}

skr_time skr_cluster_next(const struct skr_cluster *cluster)
{
    skr_time next = cluster->n_heap > 0 ? cluster->heap[0]->at : SKR_TIME_NEVER;

    if (skr_store_revision(cluster->store) > cluster->seen) {
        return cluster->now;
    }
    for (size_t i = 0; i < cluster->n_models; i++) {
        const skr_time at = cluster->model[i].next(cluster->model[i].context);
        next = at < next ? at : next;
    }
    return next;
}

size_t skr_cluster_step(struct skr_cluster *cluster, skr_time now)
{
    size_t total = 0;

    cluster->now = now;
    for (size_t round = 0;; round++) {
        size_t n = see_changes(cluster);
        n += run_due(cluster);
        for (size_t i = 0; i < cluster->n_models; i++) {
            n += cluster->model[i].step(cluster->model[i].context, now);
        }
        if (n == 0) {
            return total;
        }
        total += n;
        skr_bug_on(round > ROUNDS_MAX);
    }
}
