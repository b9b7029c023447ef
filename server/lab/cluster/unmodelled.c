/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says what the controllers of this model do not do: a field that is set and has no effect, and a
 * change of a workload's spec that nothing follows. Once for each kind and field.
 */
#include <stdio.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"
#include "server/object/pairs.h"

/* Fields without an effect. */
static const struct {
    const char *kind, *path;
} ignored[] = {
    {"Job", "spec.podFailurePolicy"},
    {"Job", "spec.successPolicy"},
    {"Job", "spec.managedBy"},
    {"LeaderWorkerSet", "spec.leaderWorkerTemplate.subGroupPolicy"},
    {"LeaderWorkerSet", "spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge"},
    {"LeaderWorkerSet", "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable"},
    {"MPIJob", "spec.runLauncherAsWorker"},
    {"MPIJob", "spec.runPolicy.backoffLimit"},
    {"PyTorchJob", "spec.elasticPolicy"},
    {"PyTorchJob", "spec.runPolicy.backoffLimit"},
    {"RayCluster", "spec.enableInTreeAutoscaling"},
    {"RayJob", "spec.backoffLimit"},
    {"SparkApplication", "spec.dynamicAllocation"},
    {"SparkApplication", "spec.restartPolicy"},
    {"TFJob", "spec.runPolicy.backoffLimit"},
};

/* Kinds of which only some changes of the spec are followed: keys, at any depth. */
static const struct {
    const char *kind, *keys[6];
} followed[] = {
    {"JobSet", {"suspend"}},
    {"LeaderWorkerSet", {"replicas", "leaderWorkerTemplate", "rolloutStrategy", "startupPolicy"}},
    {"JAXJob", {"replicas", "suspend"}},
    {"MPIJob", {"replicas", "suspend"}},
    {"PaddleJob", {"replicas", "suspend"}},
    {"PyTorchJob", {"replicas", "suspend"}},
    {"TFJob", {"replicas", "suspend"}},
    {"XGBoostJob", {"replicas", "suspend"}},
    {"RayCluster", {"replicas", "minReplicas", "maxReplicas", "suspend"}},
    {"RayJob", {NULL}},
    {"RayService", {NULL}},
    {"SparkApplication", {NULL}},
    {"TrainJob", {"suspend"}},
};

enum { PATH_BYTES = 300 };

static void say(struct skr_cluster *c, const json_t *object, const char *path, const char *text)
{
    char key[400], line[900];
    const char *kind = skr_path_text(object, "kind");
    (void)snprintf(key, sizeof key, "%.64s %.300s", kind, path);
    if (!c->options.unmodelled || json_object_get(c->said, key)) {
        return;
    }
    if (!c->said) {
        c->said = json_object();
    }
    json_object_set_new(c->said, key, json_true());
    (void)snprintf(line, sizeof line, "%.64s %.200s: %s%.300s is not simulated", kind,
                   skr_path_text(object, "metadata.name"), text, path);
    c->options.unmodelled(c->options.context, line);
}

static bool is_followed(const char *const *keys, const char *key)
{
    for (size_t i = 0; i < 6 && keys[i]; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* The path of the first member that differs and that nothing follows is put behind path. Depth:
 * that of objects of the store. */
static bool find_change(const json_t *now, const json_t *before, const char *const *keys,
                        char path[PATH_BYTES])
{
    const json_t *const side[] = {now, before};
    const size_t n = strlen(path);
    const bool list = json_is_array(now) && json_array_size(now) == json_array_size(before);
    if (skr_pairs_equal(now, before)) {
        return false;
    }
    for (size_t i = 0; list && i < json_array_size(now); i++) {
        if (find_change(json_array_get(now, i), json_array_get(before, i), keys, path)) {
            return true;
        }
    }
    for (size_t i = 0; i < 2 && json_is_object(now) && json_is_object(before); i++) {
        struct skr_pairs p = skr_pairs_of(side[i], side[1 - i]);
        while (skr_pairs_next(&p)) {
            if (is_followed(keys, p.key) || skr_pairs_equal(p.value, p.other)) {
                continue;
            }
            (void)snprintf(path + n, PATH_BYTES - n, ".%.60s", p.key);
            if (!p.other || find_change(p.value, p.other, keys, path)) {
                return true;
            }
            path[n] = '\0';
        }
    }
    return !list && !(json_is_object(now) && json_is_object(before));
}

void skr_unmodelled_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    const json_t *spec = json_object_get(change->object, "spec");
    const json_t *before = json_object_get(change->before, "spec");
    if (!c->options.unmodelled || !spec || spec == before || change->kind == SKR_STORE_DELETED) {
        return;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (strcmp(ignored[i].kind, kind) == 0 && skr_path_get(change->object, ignored[i].path)) {
            say(c, change->object, ignored[i].path, "");
        }
    }
    for (size_t i = 0; before && i < sizeof followed / sizeof *followed; i++) {
        char path[PATH_BYTES] = "spec";
        if (strcmp(followed[i].kind, kind) == 0 &&
            find_change(spec, before, followed[i].keys, path)) {
            say(c, change->object, path, "a change of ");
        }
    }
}
