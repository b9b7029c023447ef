/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StatefulSets (kubernetes pkg/controller/statefulset): pods NAME-0 to NAME-N, one by one when the
 * previous is ready, or all at once (Parallel). The highest are deleted first, and replaced first
 * when the template changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"

#define REVISION "controller-revision-hash"

struct set {
    const json_t *object;
    const char *name;
    int64_t first, wanted;
    char revision[300];
    size_t n;
    struct skr_worker *worker;
};

/* The number at the end of NAME-7; -1 for another name. */
static int64_t ordinal_of(const struct set *set, const char *pod)
{
    const size_t n = strlen(set->name);
    char *end;
    if (strncmp(pod, set->name, n) != 0 || pod[n] != '-' || pod[n + 1] < '0' || pod[n + 1] > '9') {
        return -1;
    }
    const int64_t ordinal = strtoll(pod + n + 1, &end, 10);
    return *end == '\0' ? ordinal : -1;
}

static const struct skr_worker *find(const struct set *set, int64_t ordinal)
{
    for (size_t i = 0; i < set->n; i++) {
        if (ordinal_of(set, set->worker[i].name) == ordinal) {
            return &set->worker[i];
        }
    }
    return NULL;
}

static bool is_current(const struct set *set, const struct skr_worker *w)
{
    const char *revision = skr_path_label(w->object, REVISION);
    return revision && strcmp(revision, set->revision) == 0;
}

static bool make(struct skr_cluster *c, const struct set *set, int64_t ordinal)
{
    char name[300], index[24];
    (void)snprintf(name, sizeof name, "%.240s-%lld", set->name, (long long)ordinal);
    (void)snprintf(index, sizeof index, "%lld", (long long)ordinal);
    /* One of a set of the same name that is gone; its end wakes this one. */
    if (skr_path_get(
            skr_store_get(c->store, "Pod", skr_path_text(set->object, "metadata.namespace"), name),
            "metadata.deletionTimestamp")) {
        return false;
    }
    const struct skr_pod_plan plan = {
        .name = name,
        .hostname = name,
        .metadata =
            json_pack("{s:{s:s, s:s, s:s}}", "labels", "apps.kubernetes.io/pod-index", index,
                      REVISION, set->revision, "statefulset.kubernetes.io/pod-name", name),
    };
    skr_leader_worker_sets_label(set->object, ordinal, plan.metadata);
    return skr_workload_create_pod(c, set->object, skr_path_get(set->object, "spec.template"),
                                   &plan) < 400;
}

static void take_away(struct skr_cluster *c, const struct skr_worker *w)
{
    skr_cluster_delete(c, "Pod", w->namespace_, w->name, NULL, -1);
}

/* Creates missing pods; false: another step must come first. */
static bool fill(struct skr_cluster *c, const struct set *set, bool parallel)
{
    bool settled = true;
    for (int64_t i = set->first; i < set->first + set->wanted; i++) {
        const struct skr_worker *w = find(set, i);
        if (w && (w->failed || w->succeeded) && !w->deleting) {
            take_away(c, w); /* it is recreated after it is gone */
            settled = false;
        } else if (!w) {
            (void)make(c, set, i);
            settled = false;
        } else if (!w->ready || w->deleting) {
            settled = false;
        }
        if (!settled && !parallel) {
            return false;
        }
    }
    return settled;
}

/* Deletes the highest surplus pod; in order, one at a time. */
static bool shrink(struct skr_cluster *c, const struct set *set, bool parallel)
{
    const struct skr_worker *highest = NULL;
    bool any = false;
    for (size_t i = 0; i < set->n; i++) {
        const struct skr_worker *w = &set->worker[i];
        const int64_t ordinal = ordinal_of(set, w->name);
        if (ordinal >= set->first && ordinal < set->first + set->wanted) {
            continue;
        }
        any = true;
        if (parallel && !w->deleting) {
            take_away(c, w);
        }
        if (!highest || ordinal > ordinal_of(set, highest->name)) {
            highest = w;
        }
    }
    if (!parallel && highest && !highest->deleting) {
        take_away(c, highest);
    }
    return !any;
}

/* Replaces the highest pod of an older template. */
static void update(struct skr_cluster *c, const struct set *set)
{
    const int64_t partition =
        skr_path_int(set->object, "spec.updateStrategy.rollingUpdate.partition", 0);
    if (strcmp(skr_path_text(set->object, "spec.updateStrategy.type"), "RollingUpdate") != 0) {
        return;
    }
    for (int64_t i = set->first + set->wanted; i-- > set->first + partition;) {
        const struct skr_worker *w = find(set, i);
        if (w && !is_current(set, w)) {
            take_away(c, w);
            return;
        }
    }
}

static void write_status(struct skr_cluster *c, const struct set *set)
{
    int64_t n = 0, ready = 0, current = 0;
    const char *before = skr_path_text(set->object, "status.currentRevision");
    for (size_t i = 0; i < set->n; i++) {
        const struct skr_worker *w = &set->worker[i];
        n += w->active ? 1 : 0;
        ready += w->active && w->ready ? 1 : 0;
        current += w->active && is_current(set, w) ? 1 : 0;
    }
    json_t *status =
        json_pack("{s:I, s:I, s:I, s:s, s:s, s:i}", "observedGeneration",
                  (json_int_t)skr_path_int(set->object, "metadata.generation", 0), "replicas",
                  (json_int_t)n, "availableReplicas", (json_int_t)ready, "currentRevision",
                  *before != '\0' && current < n ? before : set->revision, "updateRevision",
                  set->revision, "collisionCount", 0);
    if (ready > 0) {
        json_object_set_new(status, "readyReplicas", json_integer(ready));
    }
    if (current > 0) {
        json_object_set_new(status, "currentReplicas", json_integer(current));
        json_object_set_new(status, "updatedReplicas", json_integer(current));
    }
    skr_cluster_set_status(c, "StatefulSet", set->object, status);
}

void skr_stateful_sets_run(struct skr_cluster *c, json_t *object)
{
    struct set set = {
        .object = object,
        .name = skr_path_text(object, "metadata.name"),
        .first = skr_path_int(object, "spec.ordinals.start", 0),
        .wanted = skr_path_int(object, "spec.replicas", 1),
    };
    char hash[11];
    skr_workload_hash(skr_path_get(object, "spec.template"), hash);
    (void)snprintf(set.revision, sizeof set.revision, "%.52s-%s", set.name, hash);
    set.n = skr_workload_pods(c, object, &set.worker);
    write_status(c, &set);
    if (!skr_path_get(object, "metadata.deletionTimestamp")) {
        const bool parallel =
            strcmp(skr_path_text(object, "spec.podManagementPolicy"), "Parallel") == 0;
        if (fill(c, &set, parallel) && shrink(c, &set, parallel)) {
            update(c, &set);
        }
    }
    skr_workload_let_go(set.worker, set.n);
}
