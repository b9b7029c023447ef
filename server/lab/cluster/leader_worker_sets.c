/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LeaderWorkerSets: a StatefulSet of leaders, and one of workers for each leader, which owns it.
 * Sources: lws pkg/controllers/leaderworkerset_controller.go, pod_controller.go and
 * pkg/webhooks/pod_webhook.go.
 *
 *   replicas     the StatefulSet of the leaders follows; workers go with their leader
 *   template     and size: the groups are replaced from the last one on. The partition of the leaders
 *                keeps the others until the replaced ones are ready; maxUnavailable is 1
 *   restarts     RecreateGroupOnPodRestart, the default: a worker that is deleted or fails takes its
 *                group with it
 *
 * Not modelled: maxSurge, subgroups, networks.
 */
#include <stdio.h>
#include <string.h>

#include "server/lab/cluster/children.h"

#define LWS      "leaderworkerset.sigs.k8s.io/"
#define TEMPLATE "spec.leaderWorkerTemplate."

struct lws {
    const json_t *object;
    const char *namespace_, *name;
    int64_t replicas, size;
    char revision[11];
};

static void leader_name(const struct lws *l, int64_t group, char name[300])
{
    (void)snprintf(name, 300, "%.200s-%lld", l->name, (long long)group);
}

/* A StatefulSet of leaders, or of the workers of one leader. */
static json_t *stateful_set(const struct lws *l, const json_t *template, int64_t replicas,
                            int64_t first)
{
    json_auto_t *labels = json_pack("{s:s}", LWS "name", l->name);
    json_auto_t *pods = skr_children_template(template);
    json_t *set =
        json_pack("{s:{s:O}, s:{s:I, s:s, s:{s:I}, s:s, s:{s:O}, s:O}}", "metadata", "labels",
                  labels, "spec", "replicas", (json_int_t)replicas, "serviceName", l->name,
                  "ordinals", "start", (json_int_t)first, "podManagementPolicy", "Parallel",
                  "selector", "matchLabels", labels, "template", pods);
    json_t *own = json_copy(labels);
    json_object_set_new(own, LWS "template-revision-hash", json_string(l->revision));
    skr_children_add(pods, "labels", own);
    skr_children_add(pods, "annotations",
                     json_pack("{s:o}", LWS "size", skr_children_text_of(l->size)));
    return set;
}

static bool is_current(const struct lws *l, const json_t *object)
{
    const char *revision = skr_path_label(object, LWS "template-revision-hash");
    return revision && strcmp(revision, l->revision) == 0;
}

static bool is_owned_by(const json_t *object, const json_t *owner)
{
    return strcmp(skr_path_text(skr_owners_controller(object), "uid"),
                  skr_path_text(owner, "metadata.uid")) == 0;
}

/* ---- one group ---- */

static bool any_is_lost(struct skr_cluster *c, const json_t *workers)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, workers, &worker);
    bool lost = false;
    for (size_t i = 0; i < n; i++) {
        lost = lost || worker[i].deleting || worker[i].failed;
    }
    skr_workload_let_go(worker, n);
    return lost;
}

/* Whether a lost worker takes its group with it; the leader, which owns the others, is deleted. */
static bool restart(struct skr_cluster *c, const struct lws *l, const json_t *leader,
                    const json_t *workers)
{
    const char *policy = skr_path_text(l->object, TEMPLATE "restartPolicy");
    if ((*policy != '\0' && strcmp(policy, "RecreateGroupOnPodRestart") != 0) ||
        !is_owned_by(workers, leader) || !any_is_lost(c, workers)) {
        return false;
    }
    (void)skr_cluster_request(c, SKR_STORE_DELETE, "Pod", l->namespace_,
                              skr_path_text(leader, "metadata.name"), "",
                              json_pack("{s:s}", "propagationPolicy", "Foreground"), NULL);
    return true;
}

static void make_workers(struct skr_cluster *c, const struct lws *l, int64_t group,
                         const json_t *leader, const char *name)
{
    json_t *set =
        stateful_set(l, skr_path_get(l->object, TEMPLATE "workerTemplate"), l->size - 1, 1);
    json_t *spec = json_object_get(set, "spec");
    json_t *pods = json_object_get(spec, "template");
    skr_children_add(pods, "labels",
                     json_pack("{s:o}", LWS "group-index", skr_children_text_of(group)));
    skr_children_add(pods, "annotations", json_pack("{s:s}", LWS "leader-name", name));
    skr_children_add(set, "labels",
                     json_pack("{s:o, s:s}", LWS "group-index", skr_children_text_of(group),
                               LWS "template-revision-hash", l->revision));
    json_object_set_new(json_object_get(json_object_get(spec, "selector"), "matchLabels"),
                        LWS "group-index", skr_children_text_of(group));
    json_auto_t *owner = skr_path_ref(leader);
    (void)skr_children_have(c, owner, "StatefulSet", name, set);
}

/* The workers of a leader of this revision. */
static void have_workers(struct skr_cluster *c, const struct lws *l, int64_t group)
{
    char name[300];
    leader_name(l, group, name);
    const json_t *leader = skr_store_get(c->store, "Pod", l->namespace_, name);
    const json_t *workers = skr_store_get(c->store, "StatefulSet", l->namespace_, name);
    const bool wait = strcmp(skr_path_text(l->object, "spec.startupPolicy"), "LeaderReady") == 0;
    if (!leader || skr_children_is_deleted(leader)) {
        return;
    }
    if (workers) {
        (void)restart(c, l, leader, workers);
    } else if (l->size > 1 && is_current(l, leader) && (!wait || skr_store_pod_ready(leader))) {
        make_workers(c, l, group, leader, name);
    }
}

static bool is_ready(struct skr_cluster *c, const struct lws *l, int64_t group)
{
    char name[300];
    leader_name(l, group, name);
    const json_t *leader = skr_store_get(c->store, "Pod", l->namespace_, name);
    const json_t *workers = skr_store_get(c->store, "StatefulSet", l->namespace_, name);
    return leader && !skr_children_is_deleted(leader) && is_current(l, leader) &&
           skr_store_pod_ready(leader) &&
           (l->size == 1 || (workers && is_owned_by(workers, leader) &&
                             skr_path_int(workers, "status.readyReplicas", 0) >= l->size - 1));
}

/* ---- the leaders ---- */

/* Groups from here on may be replaced: one more than those that are new and ready at the end. */
static int64_t partition_of(struct skr_cluster *c, const struct lws *l)
{
    const int64_t least =
        skr_path_int(l->object, "spec.rolloutStrategy.rollingUpdateConfiguration.partition", 0);
    int64_t first = l->replicas;
    while (first > 0 && is_ready(c, l, first - 1)) {
        first--;
    }
    first = first > 0 ? first - 1 : 0;
    return first < least ? least : first;
}

static json_t *leaders_of(struct skr_cluster *c, const struct lws *l)
{
    const json_t *template = skr_path_get(l->object, TEMPLATE "leaderTemplate");
    template = template ? template : skr_path_get(l->object, TEMPLATE "workerTemplate");
    json_t *leaders = stateful_set(l, template, l->replicas, 0);
    json_t *spec = json_object_get(leaders, "spec");
    skr_children_add(json_object_get(spec, "template"), "labels",
                     json_pack("{s:s}", LWS "worker-index", "0"));
    json_object_set_new(json_object_get(json_object_get(spec, "selector"), "matchLabels"),
                        LWS "worker-index", json_string("0"));
    json_object_set_new(spec, "updateStrategy",
                        json_pack("{s:s, s:{s:I}}", "type", "RollingUpdate", "rollingUpdate",
                                  "partition", (json_int_t)partition_of(c, l)));
    return leaders;
}

void skr_leader_worker_sets_run(struct skr_cluster *c, json_t *object)
{
    static const char *const followed[] = {"replicas", "template", "updateStrategy", NULL};
    struct lws l = {
        .object = object,
        .namespace_ = skr_path_text(object, "metadata.namespace"),
        .name = skr_path_text(object, "metadata.name"),
        .replicas = skr_children_bounded(skr_path_int(object, "spec.replicas", 1)),
        .size = skr_children_bounded(skr_path_int(object, TEMPLATE "size", 1)),
    };
    if (skr_children_is_deleted(object)) {
        return;
    }
    skr_workload_hash(skr_path_get(object, "spec.leaderWorkerTemplate"), l.revision);
    if (skr_children_follow(c, object, "StatefulSet", l.name, leaders_of(c, &l), followed)) {
        for (int64_t group = 0; group < l.replicas; group++) {
            have_workers(c, &l, group);
        }
    }
}

/* A leader's end or readiness wakes its LeaderWorkerSet, which does not control it; so do the
 * workers' StatefulSets, which are their leader's. */
void skr_leader_worker_sets_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const bool counts = c->shown.is_pod || strcmp(change->resource->kind, "StatefulSet") == 0;
    const char *name = counts ? skr_path_label(change->object, LWS "name") : NULL;
    if (name) {
        skr_cluster_plan(c, SKR_TASK_LEADER_WORKER_SET, c->shown.namespace_, name, c->now);
    }
}

/* What LeaderWorkerSet's webhook adds to each pod: its group, and its index in it. */
void skr_leader_worker_sets_label(const json_t *set, int64_t ordinal, json_t *metadata)
{
    const json_t *template = skr_path_get(set, "spec.template");
    if (skr_path_label(template, LWS "name")) {
        const bool leader = skr_path_label(template, LWS "worker-index");
        json_object_set_new(skr_path_own(metadata, "labels"),
                            leader ? LWS "group-index" : LWS "worker-index",
                            skr_children_text_of(ordinal));
    }
}
