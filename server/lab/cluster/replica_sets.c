/* SPDX-License-Identifier: Apache-2.0 */
/* ReplicaSets (kubernetes pkg/controller/replicaset): maintains their number of pods and their
 * status. Pods that match the selector but have no controller are ignored. */
#include <stdlib.h>

#include "server/lab/cluster/cluster_parts.h"

struct census {
    int64_t active, ready, terminating;
};

static struct census count(const struct skr_worker *worker, size_t n)
{
    struct census census = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        census.active += worker[i].active ? 1 : 0;
        census.ready += worker[i].active && worker[i].ready ? 1 : 0;
        census.terminating += worker[i].deleting ? 1 : 0;
    }
    return census;
}

/* Deletes surplus active pods, those first whose loss matters least. */
static void shrink(struct skr_cluster *c, struct skr_worker *worker, size_t n, int64_t surplus)
{
    size_t active = 0;
    for (size_t i = 0; i < n; i++) {
        if (worker[i].active) { /* to the front */
            const struct skr_worker w = worker[i];
            worker[i] = worker[active];
            worker[active++] = w;
        }
    }
    skr_workload_rank_for_deletion(worker, active);
    for (size_t i = 0; i < active && (int64_t)i < surplus; i++) {
        skr_cluster_delete(c, "Pod", worker[i].namespace_, worker[i].name, NULL, -1);
    }
}

static int64_t grow(struct skr_cluster *c, const json_t *set, int64_t missing)
{
    int64_t made = 0;
    for (; made < missing; made++) {
        const struct skr_pod_plan plan = {.name = NULL};
        if (skr_workload_create_pod(c, set, skr_path_get(set, "spec.template"), &plan) >= 400) {
            break; /* the next change of the set retries */
        }
    }
    return made;
}

static json_t *status_of(const json_t *set, const struct census *census)
{
    json_t *status = json_pack(
        "{s:I, s:I, s:I, s:I}", "replicas", (json_int_t)census->active, "fullyLabeledReplicas",
        (json_int_t)census->active, "terminatingReplicas", (json_int_t)census->terminating,
        "observedGeneration", (json_int_t)skr_path_int(set, "metadata.generation", 0));
    if (census->ready > 0) {
        json_object_set_new(status, "readyReplicas", json_integer(census->ready));
        json_object_set_new(status, "availableReplicas", json_integer(census->ready));
    }
    return status;
}

void skr_replica_sets_run(struct skr_cluster *c, json_t *set)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, set, &worker);
    struct census census = count(worker, n);
    if (!skr_path_get(set, "metadata.deletionTimestamp")) {
        const int64_t wanted = skr_path_int(set, "spec.replicas", 1);
        if (census.active < wanted) {
            census.active += grow(c, set, wanted - census.active);
        } else if (census.active > wanted) {
            shrink(c, worker, n, census.active - wanted);
        }
    }
    skr_cluster_set_status(c, "ReplicaSet", set, status_of(set, &census));
    skr_workload_let_go(worker, n);
}
