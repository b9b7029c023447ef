/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what the cluster comes to, and looking at it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/object/path.h"
#include "test/integration/cluster.h"
#include "topology/base/arena.h"

/* ---- waiting ---- */

static struct timespec after_ms(long ms)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

void cluster_sleep_locked(struct cluster *c, const struct timespec *until)
{
    const struct timespec soon = after_ms(20);
    skr_sandbox_http_unlock(c->sandbox);
    (void)fake_api_wait(c->api, is_before(&soon, until) ? &soon : until);
    skr_sandbox_http_lock(c->sandbox);
}

void cluster_wait(struct cluster *c, bool (*is_true)(void *context), void *context,
                  const char *what)
{
    const struct timespec until = after_ms(CLUSTER_DEADLINE_S * 1000L);
    cluster_lock(c);
    while (c->n_violations == 0 && !is_true(context)) {
        const struct timespec now = after_ms(0);
        if (is_before(&until, &now)) {
            cluster_fail(c, "waited %d s in vain: %s", CLUSTER_DEADLINE_S, what);
        }
        cluster_sleep_locked(c, &until);
    }
    if (c->n_violations > 0) {
        cluster_fail(c, "rules were violated while waiting: %s", what);
    }
    cluster_unlock(c);
}

void cluster_pause(struct cluster *c)
{
    const struct timespec until = after_ms(10);
    fake_api_lock(c->api);
    (void)fake_api_wait(c->api, &until);
    fake_api_unlock(c->api);
}

struct question {
    struct cluster *c;
    const char *name, *key, *value;
    enum skr_write_kind kind;
    size_t n;
    bool (*is)(const json_t *pod);
};

static bool has_node(const json_t *pod)
{
    return skr_path_text(pod, "spec.nodeName")[0];
}

static bool was_refused(const json_t *pod)
{
    size_t i;
    json_t *condition;
    json_array_foreach(skr_path_get(pod, "status.conditions"), i, condition)
    {
        if (strcmp(skr_path_text(condition, "type"), "PodScheduled") == 0) {
            return strcmp(skr_path_text(condition, "status"), "False") == 0;
        }
    }
    return false;
}

static size_t count_pods(const struct cluster *c, const char *prefix, bool (*is)(const json_t *pod))
{
    const json_t *pod;
    size_t n = 0, length = strlen(prefix);
    for (size_t i = 0; (pod = cluster_at(c, "Pod", i)); i++) {
        const char *name = skr_path_text(pod, "metadata.name");
        n += strncmp(name, prefix, length) == 0 && name[length] == '-' && is(pod);
    }
    return n;
}

static bool are_so_many(void *context)
{
    const struct question *q = context;
    return count_pods(q->c, q->name, q->is) >= q->n;
}

static void wait_pods(struct cluster *c, const char *prefix, int n, bool (*is)(const json_t *pod),
                      const char *how)
{
    char what[128];
    struct question q = {.c = c, .name = prefix, .n = (size_t)n, .is = is};
    snprintf(what, sizeof what, "%d pods %s-* %s", n, prefix, how);
    cluster_wait(c, are_so_many, &q, what);
}

void cluster_wait_bound(struct cluster *c, const char *prefix, int n)
{
    wait_pods(c, prefix, n, has_node, "bound");
}

void cluster_wait_refused(struct cluster *c, const char *prefix, int n)
{
    wait_pods(c, prefix, n, was_refused, "refused by kube-scheduler");
}

static const char *data_of(const struct cluster *c, const char *map, const char *key)
{
    const json_t *object = cluster_get(c, "ConfigMap", "default", map);
    return json_string_value(json_object_get(json_object_get(object, "data"), key));
}

static bool key_is(void *context)
{
    const struct question *q = context;
    const char *have = data_of(q->c, q->name, q->key);
    return have && q->value ? strcmp(have, q->value) == 0 : have == q->value;
}

void cluster_wait_key(struct cluster *c, const char *map, const char *key, const char *value)
{
    char what[256];
    struct question q = {.c = c, .name = map, .key = key, .value = value};
    snprintf(what, sizeof what, "%s of map %s is %s", key, map, value ? value : "gone");
    cluster_wait(c, key_is, &q, what);
}

static bool has_event(void *context)
{
    const struct question *q = context;
    const json_t *event;
    for (size_t i = 0; (event = cluster_at(q->c, "Event", i)); i++) {
        if (strcmp(skr_path_text(event, "reason"), q->value) == 0) {
            return true;
        }
    }
    return false;
}

void cluster_wait_event(struct cluster *c, const char *reason)
{
    struct question q = {.c = c, .value = reason};
    cluster_wait(c, has_event, &q, reason);
}

bool cluster_has_event(struct cluster *c, const char *reason)
{
    struct question q = {.c = c, .value = reason};
    cluster_lock(c);
    bool has = has_event(&q);
    cluster_unlock(c);
    return has;
}

static bool has_writes(void *context)
{
    const struct question *q = context;
    return q->c->n_writes[q->kind] >= q->n;
}

void cluster_wait_writes(struct cluster *c, enum skr_write_kind kind, size_t n)
{
    char what[128];
    struct question q = {.c = c, .kind = kind, .n = n};
    snprintf(what, sizeof what, "%zu writes of kind %s", n, skr_write_kind_name(kind));
    cluster_wait(c, has_writes, &q, what);
}

/* ---- looking ---- */

size_t cluster_writes(struct cluster *c, enum skr_write_kind kind)
{
    cluster_lock(c);
    size_t n = c->n_writes[kind];
    cluster_unlock(c);
    return n;
}

size_t cluster_bound(struct cluster *c, const char *prefix)
{
    cluster_lock(c);
    size_t n = count_pods(c, prefix, has_node);
    cluster_unlock(c);
    return n;
}

char *cluster_key(struct cluster *c, const char *map, const char *key)
{
    cluster_lock(c);
    const char *have = data_of(c, map, key);
    char *copy = skr_strdup(have ? have : "");
    cluster_unlock(c);
    return copy;
}

char *cluster_label(struct cluster *c, const char *pod, const char *key)
{
    cluster_lock(c);
    char *copy = skr_strdup(cluster_label_of(cluster_get(c, "Pod", "default", pod), key));
    cluster_unlock(c);
    return copy;
}

char *cluster_text(struct cluster *c, const char *kind, const char *name, const char *path)
{
    cluster_lock(c);
    const json_t *object = cluster_get(c, kind, cluster_namespace_of(kind), name);
    char *copy = skr_strdup(skr_path_text(object, path));
    cluster_unlock(c);
    return copy;
}

/* ---- the end of a scenario ---- */

static void expect_room(struct cluster *c)
{
    const json_t *node, *pod;
    for (size_t i = 0; (node = cluster_at(c, "Node", i)); i++) {
        const char *name = skr_path_text(node, "metadata.name");
        long used = 0, cpu = strtol(skr_path_text(node, "status.allocatable.cpu"), NULL, 10);
        for (size_t j = 0; (pod = cluster_at(c, "Pod", j)); j++) {
            used += strcmp(skr_path_text(pod, "spec.nodeName"), name) == 0;
        }
        if (used > cpu) {
            cluster_fail(c, "%s holds %ld pods of one cpu and has %ld", name, used, cpu);
        }
    }
}

static void expect_ranks(struct cluster *c, const char *prefix, int n)
{
    SKR_AUTO_FREE bool *seen = skr_alloc((size_t)n + 1);
    for (int i = 0; i < n; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        const json_t *pod = cluster_get(c, "Pod", "default", name);
        char *end;
        const char *text = cluster_label_of(pod, "sakkara.member.rank");
        long rank = strtol(text, &end, 10);
        if (!text[0] || *end || rank < 0 || rank >= n || seen[rank]) {
            cluster_fail(c, "rank '%s' of %s", text, name);
        }
        seen[rank] = true;
    }
}

static void expect_no_traces(struct cluster *c)
{
    const json_t *pod;
    for (size_t i = 0; (pod = cluster_at(c, "Pod", i)); i++) {
        const char *node = skr_path_text(pod, "status.nominatedNodeName");
        if (!skr_path_text(pod, "spec.nodeName")[0] && node[0]) {
            cluster_fail(c, "%s is still nominated to %s", skr_path_text(pod, "metadata.name"),
                         node);
        }
    }
}

void cluster_expect_bound(struct cluster *c, const char *map, const char *prefix, int n)
{
    cluster_wait_key(c, map, "status", "Bound");
    cluster_lock(c);
    if (count_pods(c, prefix, has_node) != (size_t)n) {
        cluster_fail(c, "%zu of %d pods %s-* are bound", count_pods(c, prefix, has_node), n,
                     prefix);
    }
    const json_t *object = cluster_get(c, "ConfigMap", "default", map);
    const json_t *annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
    if (json_object_get(annotations, "sakkara.plan")) {
        cluster_fail(c, "the plan stands in map %s although it is Bound", map);
    }
    expect_room(c);
    expect_ranks(c, prefix, n);
    expect_no_traces(c);
    cluster_unlock(c);
}
