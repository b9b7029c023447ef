/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services for controllers: later tasks, and requests to the store. Tasks wait in a heap by (time,
 * order of creation); a table finds the one for a kind and object, so that there is at most one.
 */
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"

void skr_cluster_key(char *key, size_t size, const char *kind, const char *namespace_,
                     const char *name)
{
    const char *const part[] = {kind, namespace_, name};
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const size_t length = strnlen(part[i], size - n - 1);
        memcpy(key + n, part[i], length);
        n += length;
        if (i < 2 && n + 1 < size) {
            key[n++] = ' ';
        }
    }
    key[n] = '\0';
}

static bool is_before(const struct skr_heap_item *x, const struct skr_heap_item *y)
{
    const struct skr_task *a = (const void *)x, *b = (const void *)y;
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void skr_cluster_tasks_init(struct skr_cluster *c)
{
    skr_heap_init(&c->heap, is_before);
}

struct skr_task *skr_cluster_first_task(const struct skr_cluster *c)
{
    return (struct skr_task *)skr_heap_first(&c->heap);
}

void skr_cluster_take_out(struct skr_cluster *c, struct skr_task *task)
{
    skr_heap_remove(&c->heap, &task->waits);
    HASH_DEL(c->tasks, task);
}

void skr_task_free(struct skr_task *task)
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
    const char letter[2] = {(char)('A' + (int)kind), '\0'};
    skr_cluster_key(key, 600, letter, namespace_, name);
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
            skr_heap_remove(&c->heap, &task->waits);
            task->at = at;
            skr_heap_add(&c->heap, &task->waits);
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
    skr_heap_add(&c->heap, &task->waits);
}

void skr_cluster_unplan(struct skr_cluster *c, enum skr_task_kind kind, const char *namespace_,
                        const char *name)
{
    char key[600];
    struct skr_task *task = find_task(c, kind, namespace_, name, key);
    if (task) {
        skr_cluster_take_out(c, task);
        skr_task_free(task);
    }
}

/* ---- writes ---- */

int skr_cluster_request(struct skr_cluster *c, enum skr_store_verb verb, const char *kind,
                        const char *namespace_, const char *name, const char *subresource,
                        json_t *body, json_t **ret)
{
    /* The last reference to a body may be passed on; pods are made of copies. */
    const bool given =
        body && body->refcount == 1 &&
        (verb == SKR_STORE_UPDATE || (verb == SKR_STORE_CREATE && strcmp(kind, "Pod") == 0));
    const struct skr_store_request request = {.verb = verb,
                                              .resource = skr_store_resource_keeping(kind),
                                              .namespace_ = namespace_,
                                              .name = name,
                                              .subresource = subresource,
                                              .body = body,
                                              .given = given};
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
    /* The caller's copy may be older than the rest. */
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
        json_object_set_new_nocheck(options, "preconditions", json_pack("{s:s}", "uid", uid));
    }
    if (grace >= 0) {
        json_object_set_new_nocheck(options, "gracePeriodSeconds", json_integer(grace));
    }
    (void)skr_cluster_request(c, SKR_STORE_DELETE, kind, namespace_, name, "", options, NULL);
}

skr_time skr_cluster_time(const json_t *object, const char *path)
{
    skr_time t = 0;
    const char *text = skr_path_text(object, path);
    return *text != '\0' && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}
