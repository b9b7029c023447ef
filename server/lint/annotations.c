/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations that make a workload a gang, on the pod templates of any kind: values that the daemon
 * refuses, annotations where they have no effect, templates that disagree, kinds that nothing reads,
 * and workloads that cannot be a gang.
 */
#include <stdio.h>
#include <string.h>

#include "core/gang/group/roles.h"
#include "core/group/owner.h"
#include "server/lint/parts.h"
#include "server/manifest/kinds.h"
#include "server/manifest/templates.h"
#include "server/object/path.h"
#include "topology/base/json_field.h"
#include "topology/base/suggest.h"

enum { PATH_BYTES = SKR_TEMPLATE_PATH_MAX };

static const char *const known[] = {SKR_ANNOTATION_GANG,          SKR_LABEL_GROUP_SIZE,
                                    SKR_GROUP_CONSTRAINTS,        SKR_GROUP_WITHIN,
                                    SKR_GROUP_PREFIX "run-limit", SKR_GROUP_PREFIX "run-estimate",
                                    SKR_GROUP_PREFIX "movable",   SKR_GROUP_MINIMUM,
                                    SKR_GROUP_PREFIX "step",      SKR_GROUP_PREFIX "replace",
                                    SKR_ANNOTATION_ROLE,          SKR_ANNOTATION_SET,
                                    SKR_ANNOTATION_INDEX,         SKR_ANNOTATION_GANG_PLAN};
enum { KNOWN = sizeof known / sizeof known[0] };

struct templates {
    const struct lint_object *object;
    struct skr_template item[SKR_TEMPLATES_MAX];
    size_t n;
};

static bool is_ours(const char *key)
{
    return strncmp(key, "sakkara.gang", 12) == 0 || strncmp(key, "sakkara.group", 13) == 0;
}

static const json_t *annotations_of(const json_t *object)
{
    return json_object_get(json_object_get(object, "metadata"), "annotations");
}

static struct lint_place at(const struct lint_object *o, const struct skr_template *t,
                            const char *key)
{
    char path[PATH_BYTES + 400];
    (void)snprintf(path, sizeof path, "%smetadata.annotations%s%.300s", t->path, *key ? "." : "",
                   key);
    return lint_at(o, path);
}

/* The value of sakkara.gang; NULL: none. */
static const char *gang_of(const struct skr_template *t)
{
    return json_string_value(json_object_get(annotations_of(t->json), SKR_ANNOTATION_GANG));
}

/* The annotation that makes it a gang, or the first that members of a group have; NULL: none. What a pod
 * with a label lacks is said of the label. */
static const char *note_of(const struct skr_template *t)
{
    const json_t *metadata = json_object_get(t->json, "metadata");
    const char *key;
    json_t *value;
    if (gang_of(t)) {
        return SKR_ANNOTATION_GANG;
    }
    if (!json_object_get(json_object_get(metadata, "labels"), SKR_LABEL_GROUP)) {
        json_object_foreach(json_object_get(metadata, "annotations"), key, value)
        {
            if (is_ours(key) && strcmp(key, SKR_ANNOTATION_GANG_PLAN) != 0) {
                return key;
            }
        }
    }
    return NULL;
}

/* ---- one template ---- */

static void check_keys(struct skr_lint *lint, const struct lint_object *o,
                       const struct skr_template *t)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)annotations_of(t->json), key, value)
    {
        bool is_known = !is_ours(key);
        for (size_t i = 0; i < KNOWN; i++) {
            is_known = is_known || strcmp(key, known[i]) == 0;
        }
        if (!is_known) {
            const char *near = skr_suggest(key, known, KNOWN);
            lint_tell(lint, o, "UnknownAnnotation", at(o, t, key), NULL,
                      "annotation %.100s means nothing%s%s%s", key, near ? " (did you mean " : "",
                      near ? near : "", near ? "?)" : "");
        }
    }
}

static void check_gang(struct skr_lint *lint, const struct lint_object *o,
                       const struct skr_template *t)
{
    const char *name = skr_object_text(json_object_get(t->json, "spec"), "schedulerName");
    const char *gang = gang_of(t), *note = note_of(t);
    enum skr_workload_scope scope;
    if (gang && strcmp(gang, "off") != 0 && !skr_workload_scope_find(gang, &scope)) {
        lint_tell(lint, o, "InvalidAnnotation", at(o, t, SKR_ANNOTATION_GANG), NULL,
                  SKR_ANNOTATION_GANG
                  ": must be auto, off, jobset, replicatedjob, job or lws, got \"%.60s\"",
                  gang);
    }
    /* TrainJobs override templates of their runtime, which has the scheduler's name. */
    const bool runtime = !*name && strcmp(o->kind, "TrainJob") == 0;
    if (note && !runtime && !lint_is_ours(lint, *name ? name : "default-scheduler")) {
        char path[PATH_BYTES + 32];
        (void)snprintf(path, sizeof path, "%sspec.schedulerName", t->path);
        lint_tell(lint, o, "SchedulerName", lint_at(o, path), NULL,
                  "schedulerName \"%.64s\" is not ours: annotation %.100s has no effect (did you "
                  "mean %.64s?)",
                  *name ? name : "default-scheduler", note,
                  lint->config->settings.scheduler_name[0]);
    }
}

/* The tree of the files; NULL: there is none. */
static const struct skr_tree *tree_of(const struct skr_lint *lint)
{
    return lint->n_trees > 0 ? lint->tree[0].tree : NULL;
}

struct warned {
    struct skr_lint *lint;
    const struct lint_object *o;
    const struct skr_template *t;
    const struct skr_labels *notes;
};

/* A warning about the value of an annotation; defects of it are told by check_values(). */
static void warn(void *context, const struct skr_defect *defect)
{
    const struct warned *w = context;
    const char *value = skr_labels_get(w->notes, defect->key);
    struct lint_place place = at(w->o, w->t, defect->key);
    if (!defect->is_warning) {
        return;
    }
    if (value && defect->at.line > 0) {
        char path[PATH_BYTES + 400];
        (void)snprintf(path, sizeof path, "%smetadata.annotations.%.300s", w->t->path, defect->key);
        place = lint_inside(w->o, path, value, defect->at);
    }
    lint_tell(w->lint, w->o, defect->code, place, NULL, "%s: %s", defect->key, defect->text);
}

static void check_warnings(struct skr_lint *lint, const struct lint_object *o,
                           const struct skr_template *t, const struct skr_labels *notes)
{
    struct warned context = {lint, o, t, notes};
    const struct skr_defects defects = {warn, &context};
    struct skr_group_asked asked = skr_group_asked_of(notes);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    asked.defects = &defects;
    asked.fewer = true; /* the size is not known */
    (void)skr_group_spec_from_workload(o->name, 1, 0, &asked, &spec, NULL);
}

/* Values that would count as none. */
static void check_place_in_group(struct skr_lint *lint, const struct lint_object *o,
                                 const struct skr_template *t, const struct skr_pod *pod)
{
    const char *role = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_ROLE);
    const char *set = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_SET);
    if (role && skr_roles_name_of(pod) != role) {
        lint_tell(lint, o, "InvalidAnnotation", at(o, t, SKR_ANNOTATION_ROLE), NULL,
                  SKR_ANNOTATION_ROLE
                  ": must be a label value of 1 to 63 characters, got \"%.60s\"",
                  role);
    }
    if (set && skr_roles_set_of(pod) < 0) {
        lint_tell(lint, o, "InvalidAnnotation", at(o, t, SKR_ANNOTATION_SET), NULL,
                  SKR_ANNOTATION_SET ": must be the number of a set, from 0, got \"%.60s\"", set);
    }
}

/* The values that the daemon parses, with its own parsers. */
static void check_values(struct skr_lint *lint, const struct lint_object *o,
                         const struct skr_template *t, const struct skr_labels *notes)
{
    struct skr_group_asked asked = skr_group_asked_of(notes);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    struct skr_error error;
    SKR_STRBUF(why);
    int32_t size = 0;
    const char *key = asked.constraints ? SKR_GROUP_CONSTRAINTS : SKR_GROUP_WITHIN;
    if (skr_group_claimed_size(notes, &size, &error) < 0) {
        lint_tell(lint, o, "InvalidAnnotation", at(o, t, SKR_LABEL_GROUP_SIZE), NULL, "%s",
                  error.text);
    }
    asked.fewer = size == 0;
    if (skr_group_spec_from_workload(o->name, size > 0 ? size : 1, 0, &asked, &spec, &error) < 0) {
        for (size_t i = 0; i < notes->n; i++) {
            const char *one = notes->item[i].key;
            const bool named = strncmp(one, SKR_GROUP_PREFIX, strlen(SKR_GROUP_PREFIX)) == 0 &&
                               strncmp(error.text, one, strlen(one)) == 0;
            key = named ? one : key;
        }
        lint_tell(lint, o, "InvalidAnnotation", at(o, t, key), NULL, "%s", error.text);
        return;
    }
    check_warnings(lint, o, t, notes);
    if (tree_of(lint) && skr_group_misfit(spec, tree_of(lint), &why)) {
        lint_tell(lint, o, "UnknownHardLevel", at(o, t, key), NULL, "%s", why.s);
    }
}

static void check_template(struct skr_lint *lint, const struct lint_object *o,
                           const struct skr_template *t)
{
    struct skr_pod *pod = NULL;
    struct skr_error error;
    json_auto_t *json = json_pack("{s:{s:s, s:O?}, s:{}}", "metadata", "name", "template",
                                  "annotations", annotations_of(t->json), "spec");
    check_keys(lint, o, t);
    check_gang(lint, o, t);
    if (json && skr_pod_decode(json, &pod, &error) == 0) {
        check_values(lint, o, t, &pod->meta.annotations);
        check_place_in_group(lint, o, t, pod);
    }
    skr_pod_destroy(pod);
}

/* ---- the workload ---- */

static bool is_gang(const struct skr_template *t)
{
    const char *gang = gang_of(t);
    return gang && strcmp(gang, "off") != 0;
}

/* On the workload itself they are read by nothing. */
static void check_place(struct skr_lint *lint, const struct lint_object *o)
{
    const struct skr_template top = {.json = o->json};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)annotations_of(o->json), key, value)
    {
        if (is_ours(key)) {
            lint_tell(lint, o, "AnnotationPlace", at(o, &top, key), NULL,
                      "annotation %.100s has no effect on a %.64s: it belongs to the pod template",
                      key, o->kind);
        }
    }
}

static void check_uniform(struct skr_lint *lint, const struct templates *all,
                          const struct skr_template *gang)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct skr_template *t = &all->item[i];
        if (!gang_of(t)) {
            const struct lint_place see = at(all->object, gang, SKR_ANNOTATION_GANG);
            lint_tell(
                lint, all->object, "EntryNotUniform", at(all->object, t, ""), &see,
                "pods of this template are no members: it has no annotation " SKR_ANNOTATION_GANG
                ", another template has");
        }
    }
}

/* Objects that say how large the group of their pods is, or whose operator makes such objects. */
static bool says_size(const struct lint_object *o)
{
    static const struct {
        const char *group, *kind;
    } kinds[] = {
        {"apps", "StatefulSet"},
        {"batch", "CronJob"},
        {"batch", "Job"},
        {"jobset.x-k8s.io", "JobSet"},
        {"kubeflow.org", "JAXJob"},
        {"kubeflow.org", "MPIJob"},
        {"kubeflow.org", "PaddleJob"},
        {"kubeflow.org", "PyTorchJob"},
        {"kubeflow.org", "TFJob"},
        {"kubeflow.org", "XGBoostJob"},
        {"leaderworkerset.x-k8s.io", "LeaderWorkerSet"},
        {"ray.io", "RayCluster"},
        {"ray.io", "RayJob"},
        {"ray.io", "RayService"},
        {"sakkara", "Scenario"}, /* its steps have objects of any kind */
        {"sparkoperator.k8s.io", "SparkApplication"},
        {"trainer.kubeflow.org", "ClusterTrainingRuntime"},
        {"trainer.kubeflow.org", "TrainJob"},
        {"trainer.kubeflow.org", "TrainingRuntime"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (lint_is_kind(o, kinds[i].group, kinds[i].kind)) {
            return true;
        }
    }
    return json_array_size(
               json_object_get(json_object_get(o->json, "metadata"), "ownerReferences")) > 0;
}

static void check_size(struct skr_lint *lint, const struct lint_object *o,
                       const struct skr_template *gang)
{
    const json_t *labels = json_object_get(json_object_get(gang->json, "metadata"), "labels");
    const bool kueue = json_object_get(labels, SKR_LABEL_KUEUE_GROUP) &&
                       json_object_get(annotations_of(gang->json), SKR_KUEUE_TOTAL);
    if (!kueue && !says_size(o) &&
        !json_object_get(annotations_of(gang->json), SKR_LABEL_GROUP_SIZE)) {
        lint_tell(lint, o, "SizeUnknown", at(o, gang, SKR_ANNOTATION_GANG), NULL,
                  "nothing says how many pods the group of a %.64s of %.64s has: add "
                  "annotation " SKR_LABEL_GROUP_SIZE,
                  o->kind, skr_object_text(o->json, "apiVersion"));
    }
}

/* A kind that nothing reads, whose pods say no group: they are single pods. */
static void check_kind(struct skr_lint *lint, const struct lint_object *o,
                       const struct templates *all)
{
    const bool read = skr_manifest_kind_of(o->json) || lint_is_kind(o, "batch", "CronJob");
    for (size_t i = 0; !read && i < all->n; i++) {
        const struct skr_template *t = &all->item[i];
        const json_t *labels = json_object_get(json_object_get(t->json, "metadata"), "labels");
        if (!gang_of(t) && lint_is_ours(lint, skr_path_text(t->json, "spec.schedulerName")) &&
            !json_object_get(labels, SKR_LABEL_GROUP) &&
            !json_object_get(labels, SKR_LABEL_POD_GROUP)) {
            char path[PATH_BYTES + 32];
            (void)snprintf(path, sizeof path, "%sspec.schedulerName", t->path);
            lint_tell(lint, o, "KindNotRead", lint_at(o, path), NULL,
                      "kind %.64s of %.64s is not read: its pods are no gang without "
                      "annotations " SKR_ANNOTATION_GANG " and " SKR_LABEL_GROUP_SIZE,
                      o->kind, skr_object_text(o->json, "apiVersion"));
            return;
        }
    }
}

/* More members than a workload of equal pods makes. */
static void check_claim(struct skr_lint *lint, const struct lint_object *o,
                        const struct skr_template *gang, const struct skr_owner *owner)
{
    const char *text =
        json_string_value(json_object_get(annotations_of(gang->json), SKR_LABEL_GROUP_SIZE));
    struct skr_label note = {SKR_LABEL_GROUP_SIZE, text};
    const struct skr_labels notes = {.n = text ? 1 : 0, .item = &note};
    int32_t size = 0;
    if (owner->n_parts != 1 || *owner->part[0].name ||
        skr_group_claimed_size(&notes, &size, NULL) < 0) {
        return;
    }
    const int32_t makes = owner->part[0].pods;
    if (size > makes && makes > 0 && owner->part[0].jobs == 1) {
        SKR_STRBUF(field);
        skr_owner_size_field_add(owner, NULL, &field);
        lint_tell(lint, o, "MembersMissing", at(o, gang, SKR_LABEL_GROUP_SIZE), NULL,
                  "the group waits for %d members, %s makes %d", size, field.s, makes);
    }
}

static void check_owner(struct skr_lint *lint, const struct lint_object *o,
                        const struct skr_template *gang)
{
    struct skr_owner *owner = NULL;
    struct skr_error error;
    int rc = -SKR_NOT_FOUND;
    if (strcmp(o->kind, "Job") == 0) {
        rc = skr_owner_job_decode(o->json, &owner, &error);
    } else if (strcmp(o->kind, "StatefulSet") == 0) {
        rc = skr_owner_statefulset_decode(o->json, &owner, &error);
    } else if (strcmp(o->kind, "JobSet") == 0) {
        rc = skr_owner_jobset_decode(o->json, &owner, &error);
    } else if (strcmp(o->kind, "LeaderWorkerSet") == 0) {
        rc = skr_owner_lws_decode(o->json, &owner, &error);
    }
    const struct skr_workload w = {.kind = skr_workload_kind_find(o->kind), .part = ""};
    enum skr_workload_scope scope = SKR_SCOPE_AUTO;
    (void)skr_workload_scope_find(gang_of(gang) ? gang_of(gang) : "auto", &scope);
    const char *conflict = rc == 0 ? skr_owner_conflict(owner, &w, scope) : NULL;
    if (conflict) {
        lint_tell(lint, o, "EntryConflict", lint_at(o, "metadata"), NULL,
                  "pods of %.64s %.100s cannot be a gang: %s", o->kind, o->name, conflict);
    } else if (rc == 0) {
        check_claim(lint, o, gang, owner);
    }
    skr_owner_destroy(owner);
}

/* Pods that a rolling update of n pods may create before it deletes old ones: a number, or a share
 * rounded up. Kubernetes' default is 25 %. */
static int64_t surge_of(const json_t *spec, int64_t n)
{
    const json_t *surge = skr_path_get(spec, "strategy.rollingUpdate.maxSurge");
    const char *share = json_string_value(surge);
    if (json_is_integer(surge)) {
        return (int64_t)json_integer_value(surge);
    }
    return (n * (share ? strtol(share, NULL, 10) : 25) + 99) / 100;
}

/* The pods of each revision are a group of their own, which a rolling update has to create whole. */
static void check_rollout(struct skr_lint *lint, const struct lint_object *o,
                          const struct skr_template *gang)
{
    const json_t *spec = json_object_get(o->json, "spec");
    const char *size =
        json_string_value(json_object_get(annotations_of(gang->json), SKR_LABEL_GROUP_SIZE));
    const int64_t surge = surge_of(spec, skr_path_int(spec, "replicas", 1));
    if (lint_is_kind(o, "apps", "Deployment") && size && surge < strtol(size, NULL, 10) &&
        strcmp(skr_path_text(spec, "strategy.type"), "Recreate") != 0) {
        lint_tell(
            lint, o, "RollingUpdate", at(o, gang, SKR_LABEL_GROUP_SIZE), NULL,
            "a rolling update creates %lld of the %.16s pods that a new group needs, and waits "
            "for them without end: set spec.strategy.type to Recreate",
            (long long)surge, size);
    }
}

/* Executors of a SparkApplication have annotations and a schedulerName beside other fields, and no
 * pod template. Returns what a template would be, for json_decref(); NULL: it is another kind. */
static json_t *add_executor(const struct lint_object *o, struct templates *all)
{
    const json_t *executor = json_object_get(json_object_get(o->json, "spec"), "executor");
    if (strcmp(o->kind, "SparkApplication") != 0 || !json_is_object(executor) ||
        all->n == SKR_TEMPLATES_MAX) {
        return NULL;
    }
    struct skr_template *t = &all->item[all->n++];
    t->json = json_pack("{s:{s:O*}, s:{s:O*}}", "metadata", "annotations",
                        json_object_get(executor, "annotations"), "spec", "schedulerName",
                        json_object_get(executor, "schedulerName"));
    (void)snprintf(t->path, sizeof t->path, "spec.executor.");
    return t->json;
}

static void check_object(struct skr_lint *lint, const struct lint_object *o, struct templates *all)
{
    const struct skr_template *gang = NULL;
    all->object = o;
    all->n = skr_templates_find(o->json, all->item);
    json_t *executor = add_executor(o, all);
    if (all->n > 0 && strcmp(o->kind, "Pod") != 0) {
        check_place(lint, o);
    }
    for (size_t i = 0; i < all->n; i++) {
        check_template(lint, o, &all->item[i]);
        gang = !gang && is_gang(&all->item[i]) ? &all->item[i] : gang;
    }
    if (lint_is_kind(o, "sakkara", "Scenario")) { /* its templates are of several workloads */
        json_decref(executor);
        return;
    }
    if (gang) {
        check_uniform(lint, all, gang);
        check_size(lint, o, gang);
        check_owner(lint, o, gang);
        check_rollout(lint, o, gang);
    } else {
        check_kind(lint, o, all);
    }
    json_decref(executor);
}

void lint_annotations(struct skr_lint *lint)
{
    SKR_AUTO_FREE struct templates *all = skr_alloc(sizeof *all);
    for (size_t i = 0; i < lint->n_objects; i++) {
        check_object(lint, lint->object[i], all);
    }
}
