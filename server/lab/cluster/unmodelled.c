/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says what the controllers of this model do not do: a field that is set and has no effect, a value
 * that they do not know, a change of a workload's spec that nothing follows, and a pod that has
 * failed. Once for each kind and field.
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
    {"JobSet", "spec.managedBy"},
    {"JobSet", "spec.ttlSecondsAfterFinished"},
    {"LeaderWorkerSet", "spec.leaderWorkerTemplate.subGroupPolicy"},
    {"LeaderWorkerSet", "spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge"},
    {"LeaderWorkerSet", "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable"},
    {"MPIJob", "spec.runLauncherAsWorker"},
    {"PyTorchJob", "spec.elasticPolicy"},
    {"RayCluster", "spec.enableInTreeAutoscaling"},
    {"RayJob", "spec.activeDeadlineSeconds"},
    {"RayJob", "spec.backoffLimit"},
    {"RayJob", "spec.shutdownAfterJobFinishes"},
    {"SparkApplication", "spec.dynamicAllocation"},
    {"SparkApplication", "spec.restartPolicy"},
};

/* Members whose values have an effect; of the object at the path, or of each object of a list. Without
 * values: none has. */
static const struct {
    const char *kind, *path, *key, *values[5];
} known[] = {
    {"JobSet", "spec.failurePolicy", "restartStrategy", {"Recreate", "BlockingRecreate"}},
    {"JobSet",
     "spec.failurePolicy.rules",
     "action",
     {"FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RecreateJob"}},
    {"JobSet", "spec.failurePolicy.rules", "onJobFailureMessagePatterns", {NULL}},
    {"JobSet", "spec.startupPolicy", "startupPolicyOrder", {"AnyOrder", "InOrder"}},
    {"JobSet", "spec.successPolicy", "operator", {"All", "Any"}},
    {"LeaderWorkerSet",
     "spec.leaderWorkerTemplate",
     "restartPolicy",
     {"RecreateGroupOnPodRestart", "None", "Default"}},
    {"LeaderWorkerSet", "spec.rolloutStrategy", "type", {"RollingUpdate"}},
    {"LeaderWorkerSet", "spec", "startupPolicy", {"LeaderCreated", "LeaderReady"}},
    {"MPIJob", "spec", "launcherCreationPolicy", {"AtStartup", "WaitForWorkersReady"}},
};

/* Kinds whose failed pods stay as they are, and with them the job, which never ends; and their fields
 * without an effect. */
static const char *const endless[] = {
    "JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob",
};
static const char *const ignored_of_endless[] = {
    "spec.runPolicy.activeDeadlineSeconds",
    "spec.runPolicy.backoffLimit",
    "spec.runPolicy.ttlSecondsAfterFinished",
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

static void say(struct skr_cluster *c, const char *kind, const char *name, const char *text,
                const char *path)
{
    char key[400], line[900];
    (void)snprintf(key, sizeof key, "%.64s %.300s", kind, path);
    if (!c->options.unmodelled || json_object_get(c->said, key)) {
        return;
    }
    if (!c->said) {
        c->said = json_object();
    }
    json_object_set_new(c->said, key, json_true());
    (void)snprintf(line, sizeof line, "%.64s %.200s: %s%.300s is not simulated", kind, name, text,
                   path);
    c->options.unmodelled(c->options.context, line);
}

static bool is_among(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n && words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
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
            if (is_among(keys, 6, p.key) || skr_pairs_equal(p.value, p.other)) {
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

static void say_value(struct skr_cluster *c, const json_t *object, size_t row, const json_t *holder)
{
    const json_t *value = json_object_get(holder, known[row].key);
    const char *text = json_string_value(value);
    char path[PATH_BYTES];
    if (value && !(text && is_among(known[row].values, 5, text))) {
        (void)snprintf(path, sizeof path, "%s.%s%s%.60s", known[row].path, known[row].key,
                       text ? " " : "", text ? text : "");
        say(c, known[row].kind, skr_path_text(object, "metadata.name"), "", path);
    }
}

static void say_values(struct skr_cluster *c, const json_t *object, const char *kind)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const json_t *at =
            strcmp(known[i].kind, kind) == 0 ? skr_path_get(object, known[i].path) : NULL;
        say_value(c, object, i, at);
        for (size_t k = 0; k < json_array_size(at); k++) {
            say_value(c, object, i, json_array_get(at, k));
        }
    }
}

static void say_failure(struct skr_cluster *c, const json_t *pod)
{
    if (is_among(endless, sizeof endless / sizeof *endless, c->shown.controller_kind) &&
        strcmp(skr_path_text(pod, "status.phase"), "Failed") == 0) {
        say(c, c->shown.controller_kind, skr_path_text(c->shown.controller, "name"), "",
            "what follows a failed pod");
    }
}

static void say_ignored(struct skr_cluster *c, const json_t *object, const char *kind)
{
    const char *name = skr_path_text(object, "metadata.name");
    const bool ends = !is_among(endless, sizeof endless / sizeof *endless, kind);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (strcmp(ignored[i].kind, kind) == 0 && skr_path_get(object, ignored[i].path)) {
            say(c, kind, name, "", ignored[i].path);
        }
    }
    for (size_t i = 0; !ends && i < sizeof ignored_of_endless / sizeof *ignored_of_endless; i++) {
        if (skr_path_get(object, ignored_of_endless[i])) {
            say(c, kind, name, "", ignored_of_endless[i]);
        }
    }
}

void skr_unmodelled_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    const json_t *spec = json_object_get(change->object, "spec");
    const json_t *before = json_object_get(change->before, "spec");
    if (!c->options.unmodelled || change->kind == SKR_STORE_DELETED) {
        return;
    }
    if (c->shown.is_pod) {
        say_failure(c, change->object);
    }
    /* No row below is of pods. */
    if (c->shown.is_pod || !spec || spec == before) {
        return;
    }
    const char *name = skr_path_text(change->object, "metadata.name");
    say_ignored(c, change->object, kind);
    say_values(c, change->object, kind);
    for (size_t i = 0; before && i < sizeof followed / sizeof *followed; i++) {
        char path[PATH_BYTES] = "spec";
        if (strcmp(followed[i].kind, kind) == 0 &&
            find_change(spec, before, followed[i].keys, path)) {
            say(c, kind, name, "a change of ", path);
        }
    }
}
