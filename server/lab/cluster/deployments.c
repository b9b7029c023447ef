/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deployments (kubernetes pkg/controller/deployment): one ReplicaSet per template, found by the
 * hash of the template. A rolling update moves replicas from the old sets to the new one within
 * maxSurge and maxUnavailable; Recreate first ends the old pods. No rollback, no progress deadline;
 * old sets beyond revisionHistoryLimit are deleted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"

#define REVISION "deployment.kubernetes.io/revision"
#define HASH     "pod-template-hash"

/* The ReplicaSets of a Deployment. */
struct sets {
    size_t n;
    json_t **set;  /* references, oldest first */
    json_t *fresh; /* the one of the template in force; NULL: not created yet */
    char hash[11];
};

static void find_sets(struct skr_cluster *c, const json_t *deployment, struct sets *ret)
{
    const struct skr_owner *owner = skr_owners_find(c, skr_path_text(deployment, "metadata.uid"));
    const struct skr_link *link;
    *ret = (struct sets){.n = 0};
    skr_workload_hash(skr_path_get(deployment, "spec.template"), ret->hash);
    ret->set = skr_alloc_array((owner ? owner->n : 0) + 1, sizeof ret->set[0]);
    if (!owner) {
        return;
    }
    DL_FOREACH(owner->links, link)
    {
        const json_t *set = strcmp(link->member->resource->kind, "ReplicaSet") == 0
                                ? skr_store_get(c->store, "ReplicaSet", link->member->namespace_,
                                                link->member->name)
                                : NULL;
        if (!set || skr_path_get(set, "metadata.deletionTimestamp")) {
            continue;
        }
        ret->set[ret->n++] = skr_path_ref(set);
        const char *hash = skr_path_label(set, HASH);
        if (hash && strcmp(hash, ret->hash) == 0) {
            ret->fresh = ret->set[ret->n - 1];
        }
    }
}

static void free_sets(struct sets *sets)
{
    for (size_t i = 0; i < sets->n; i++) {
        json_decref(sets->set[i]);
    }
    free(sets->set);
}

static int64_t revision_of(const json_t *object)
{
    const char *text = skr_path_annotation(object, REVISION);
    return text ? strtoll(text, NULL, 10) : 0;
}

static void make_set(struct skr_cluster *c, const json_t *deployment, const struct sets *sets,
                     int64_t replicas, int64_t revision)
{
    json_t *template = skr_path_copy(skr_path_get(deployment, "spec.template"));
    json_t *selector = skr_path_copy(skr_path_get(deployment, "spec.selector"));
    json_t *meta = skr_path_own(template, "metadata");
    json_object_set_new(skr_path_own(meta, "labels"), HASH, json_string(sets->hash));
    json_object_set_new(skr_path_own(selector, "matchLabels"), HASH, json_string(sets->hash));
    json_t *set =
        json_pack("{s:{s:o, s:O, s:{s:o}, s:[o]}, s:{s:I, s:o, s:o}}", "metadata", "name",
                  json_sprintf("%.230s-%s", skr_path_text(deployment, "metadata.name"), sets->hash),
                  "labels", json_object_get(meta, "labels"), "annotations", REVISION,
                  json_sprintf("%lld", (long long)revision), "ownerReferences",
                  skr_owners_reference(deployment), "spec", "replicas", (json_int_t)replicas,
                  "selector", selector, "template", template);
    (void)skr_cluster_request(c, SKR_STORE_CREATE, "ReplicaSet",
                              skr_path_text(deployment, "metadata.namespace"), "", "", set, NULL);
}

static void scale(struct skr_cluster *c, const json_t *set, int64_t replicas)
{
    if (skr_path_int(set, "spec.replicas", 0) != replicas) {
        (void)skr_cluster_request(
            c, SKR_STORE_PATCH_MERGE, "ReplicaSet", skr_path_text(set, "metadata.namespace"),
            skr_path_text(set, "metadata.name"), "",
            json_pack("{s:{s:I}}", "spec", "replicas", (json_int_t)replicas), NULL);
    }
}

static int64_t sum(const struct sets *sets, const char *path, bool old_only)
{
    int64_t total = 0;
    for (size_t i = 0; i < sets->n; i++) {
        if (!old_only || sets->set[i] != sets->fresh) {
            total += skr_path_int(sets->set[i], path, 0);
        }
    }
    return total;
}

/* Shrinks the oldest sets first, and unavailable replicas first. */
static void shrink_old(struct skr_cluster *c, const struct sets *sets, int64_t surplus)
{
    for (size_t i = 0; i < sets->n && surplus > 0; i++) {
        if (sets->set[i] == sets->fresh) {
            continue;
        }
        const int64_t has = skr_path_int(sets->set[i], "spec.replicas", 0);
        const int64_t take = has < surplus ? has : surplus;
        scale(c, sets->set[i], has - take);
        surplus -= take;
    }
}

static void roll(struct skr_cluster *c, const json_t *deployment, const struct sets *sets,
                 int64_t revision)
{
    const json_t *rolling = skr_path_get(deployment, "spec.strategy.rollingUpdate");
    const int64_t wanted = skr_path_int(deployment, "spec.replicas", 1);
    const int64_t surge = skr_workload_share(json_object_get(rolling, "maxSurge"), wanted, true);
    int64_t missing = skr_workload_share(json_object_get(rolling, "maxUnavailable"), wanted, false);
    const int64_t old = sum(sets, "spec.replicas", true);
    const int64_t fresh = skr_path_int(sets->fresh, "spec.replicas", 0);
    if (surge == 0 && missing == 0) {
        missing = 1;
    }
    const int64_t room = wanted + surge - old;
    int64_t grown = room < wanted ? room : wanted;
    grown = grown > fresh || fresh > wanted ? grown : fresh;
    grown = grown < 0 ? 0 : grown;
    if (!sets->fresh) {
        make_set(c, deployment, sets, grown, revision);
    } else {
        scale(c, sets->fresh, grown);
    }
    const int64_t available = sum(sets, "status.availableReplicas", false);
    const int64_t unavailable_fresh =
        fresh - skr_path_int(sets->fresh, "status.availableReplicas", 0);
    const int64_t most =
        old + fresh - (wanted - missing) - (unavailable_fresh > 0 ? unavailable_fresh : 0);
    const int64_t unhealthy =
        old - (available - skr_path_int(sets->fresh, "status.availableReplicas", 0));
    const int64_t spare = available - (wanted - missing);
    int64_t surplus = (unhealthy > 0 ? unhealthy : 0) + (spare > 0 ? spare : 0);
    surplus = surplus < most ? surplus : most;
    shrink_old(c, sets, surplus < old ? surplus : old);
}

static void recreate(struct skr_cluster *c, const json_t *deployment, const struct sets *sets,
                     int64_t revision)
{
    const int64_t wanted = skr_path_int(deployment, "spec.replicas", 1);
    shrink_old(c, sets, sum(sets, "spec.replicas", true));
    if (sum(sets, "status.replicas", true) + sum(sets, "status.terminatingReplicas", true) > 0) {
        return; /* they still exist */
    }
    if (!sets->fresh) {
        make_set(c, deployment, sets, wanted, revision);
    } else {
        scale(c, sets->fresh, wanted);
    }
}

static void forget_old(struct skr_cluster *c, const json_t *deployment, const struct sets *sets)
{
    int64_t surplus = -skr_path_int(deployment, "spec.revisionHistoryLimit", 10);
    for (size_t i = 0; i < sets->n; i++) {
        surplus += sets->set[i] != sets->fresh ? 1 : 0;
    }
    for (size_t i = 0; i < sets->n && surplus > 0; i++) {
        const json_t *set = sets->set[i];
        if (set != sets->fresh && skr_path_int(set, "spec.replicas", 0) == 0 &&
            skr_path_int(set, "status.replicas", 0) == 0) {
            skr_cluster_delete(c, "ReplicaSet", skr_path_text(set, "metadata.namespace"),
                               skr_path_text(set, "metadata.name"), NULL, -1);
            surplus--;
        }
    }
}

static void number(json_t *status, const char *key, int64_t value)
{
    if (value > 0) {
        json_object_set_new(status, key, json_integer(value));
    }
}

static void write_status(struct skr_cluster *c, const json_t *deployment, const struct sets *sets)
{
    const int64_t wanted = skr_path_int(deployment, "spec.replicas", 1);
    const int64_t total = sum(sets, "status.replicas", false);
    const int64_t available = sum(sets, "status.availableReplicas", false);
    const int64_t updated = skr_path_int(sets->fresh, "status.replicas", 0);
    const int64_t missing = skr_workload_share(
        skr_path_get(deployment, "spec.strategy.rollingUpdate.maxUnavailable"), wanted, false);
    const bool enough = available >= wanted - missing;
    const bool done = updated == wanted && total == wanted && available == wanted;
    char message[400];
    json_t *status = json_object();
    json_object_set_new(status, "observedGeneration",
                        json_integer(skr_path_int(deployment, "metadata.generation", 0)));
    number(status, "replicas", total);
    number(status, "updatedReplicas", updated);
    number(status, "readyReplicas", sum(sets, "status.readyReplicas", false));
    number(status, "availableReplicas", available);
    number(status, "unavailableReplicas", wanted > available ? wanted - available : 0);
    if (skr_path_get(deployment, "status.conditions")) {
        json_object_set(status, "conditions",
                        json_object_get(json_object_get(deployment, "status"), "conditions"));
    }
    skr_store_set_condition(status, "Available", enough ? "True" : "False",
                            enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                            enough ? "Deployment has minimum availability."
                                   : "Deployment does not have minimum availability.",
                            c->now);
    (void)snprintf(message, sizeof message, "ReplicaSet \"%.230s-%s\" %s",
                   skr_path_text(deployment, "metadata.name"), sets->hash,
                   done ? "has successfully progressed." : "is progressing.");
    skr_store_set_condition(status, "Progressing", "True",
                            done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated", message, c->now);
    skr_cluster_set_status(c, "Deployment", deployment, status);
}

static void note_revision(struct skr_cluster *c, const json_t *deployment, int64_t revision)
{
    if (revision_of(deployment) != revision) {
        (void)skr_cluster_request(c, SKR_STORE_PATCH_MERGE, "Deployment",
                                  skr_path_text(deployment, "metadata.namespace"),
                                  skr_path_text(deployment, "metadata.name"), "",
                                  json_pack("{s:{s:{s:o}}}", "metadata", "annotations", REVISION,
                                            json_sprintf("%lld", (long long)revision)),
                                  NULL);
    }
}

void skr_deployments_run(struct skr_cluster *c, json_t *deployment)
{
    struct sets sets;
    int64_t revision = 0;
    if (skr_path_get(deployment, "metadata.deletionTimestamp")) {
        return;
    }
    find_sets(c, deployment, &sets);
    for (size_t i = 0; i < sets.n; i++) {
        const int64_t r = revision_of(sets.set[i]);
        revision = r > revision ? r : revision;
    }
    if (sets.fresh) {
        revision = revision_of(sets.fresh);
    } else {
        revision++;
    }
    if (!skr_path_true(deployment, "spec.paused")) {
        if (strcmp(skr_path_text(deployment, "spec.strategy.type"), "Recreate") == 0) {
            recreate(c, deployment, &sets, revision);
        } else {
            roll(c, deployment, &sets, revision);
        }
        forget_old(c, deployment, &sets);
        note_revision(c, deployment, revision);
    }
    write_status(c, deployment, &sets);
    free_sets(&sets);
}
