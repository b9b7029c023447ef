/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of a Workload as they will be: see admission_pods.h.
 *
 * Annotation sakkara.gang is added where it is missing, for a queue with the check is a queue of gangs.
 * Annotation sakkara.group.size is added if nothing else can say the size: the controller is not one whose
 * object the daemon reads, and there is one pod set.
 */
#include "core/gang/admission/admission_pods.h"

#include "core/gang/admission/admission_checks.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/group/roles.h"
#include "core/gang/state/types.h"
#include "core/group/workload.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define TEXT_PLACED \
    "Kueue has chosen the nodes of its pods by a topology of its own: nothing is tried"
#define TEXT_ALIEN  "none of its pods is for a scheduler of sakkara: nothing is tried"
#define TEXT_SINGLE "its pods are no gang (annotation sakkara.gang: off): nothing is tried"
#define TEXT_PART   "it is a part of a gang, or several (annotation sakkara.gang): nothing is tried"

enum { NAME_MAX_BYTES = 300 };

/* ---- JSON of a pod ---- */

/* The value at key; made, which is taken, is put there unless there is one of its type. */
static json_t *value_at(json_t *in, const char *key, json_t *made)
{
    json_t *value = json_object_get(in, key);
    if (value && json_typeof(value) == json_typeof(made)) {
        json_decref(made);
        return value;
    }
    json_object_set_new(in, key, made);
    return made;
}

static json_t *object_at(json_t *in, const char *key)
{
    return value_at(in, key, json_object());
}

static json_t *list_at(json_t *in, const char *key)
{
    return value_at(in, key, json_array());
}

/* Kueue changes no key that is there. */
static int add_flavors(const struct skr_gang *e, json_t *spec, const struct skr_kueue_pod_set *set,
                       struct skr_error *error)
{
    for (size_t i = 0; i < set->n_flavors; i++) {
        const struct skr_kueue_flavor *f = skr_admission_flavor(e, set->flavor[i]);
        if (!f) {
            return skr_error_set(error, SKR_NOT_FOUND,
                                 "ResourceFlavor %.200s is not known, or may not be read",
                                 set->flavor[i]);
        }
        json_auto_t *labels = json_loads(f->labels, JSON_ALLOW_NUL, NULL);
        json_auto_t *tolerations = json_loads(f->tolerations, JSON_ALLOW_NUL, NULL);
        json_object_update_missing(object_at(spec, "nodeSelector"), labels);
        json_array_extend(list_at(spec, "tolerations"), tolerations);
    }
    return 0;
}

static void add_missing(json_t *in, const char *key, const json_t *update)
{
    json_object_update_missing(object_at(in, key), json_object_get(update, key));
}

/* What other checks add to pods of the set. */
static void add_updates(json_t *pod, const json_t *checks, const char *set)
{
    const json_t *check, *update;
    size_t i, k;
    json_t *meta = object_at(pod, "metadata"), *spec = object_at(pod, "spec");
    json_array_foreach(checks, i, check)
    {
        json_array_foreach(json_object_get(check, "podSetUpdates"), k, update)
        {
            const char *name = json_string_value(json_object_get(update, "name"));
            if (name && strcmp(name, set) == 0) {
                add_missing(meta, "labels", update);
                add_missing(meta, "annotations", update);
                add_missing(spec, "nodeSelector", update);
                json_array_extend(list_at(spec, "tolerations"),
                                  json_object_get(update, "tolerations"));
            }
        }
    }
}

/* New reference; NULL with error. */
static json_t *pod_json(const struct skr_gang *e, const struct skr_kueue_workload *w, size_t at,
                        struct skr_error *error)
{
    const struct skr_kueue_pod_set *set = &w->pod_set[at];
    char name[NAME_MAX_BYTES];
    json_t *pod = json_loads(set->template, JSON_ALLOW_NUL, NULL);
    json_auto_t *checks = json_loads(w->checks, JSON_ALLOW_NUL, NULL);
    if (!json_is_object(pod)) {
        json_decref(pod);
        pod = json_object();
    }
    json_t *meta = object_at(pod, "metadata"), *spec = object_at(pod, "spec");
    (void)snprintf(name, sizeof name, "%.253s-%zu", w->meta.name, at);
    json_object_set_new(meta, "name", json_string(name));
    json_object_set_new(meta, "namespace", json_string(w->meta.namespace_));
    json_object_set_new(meta, "uid", json_string(w->meta.uid));
    json_object_set_new(spec, "priority", json_integer(w->priority));
    json_object_del(spec, "schedulingGates");
    if (add_flavors(e, spec, set, error) < 0) {
        json_decref(pod);
        return NULL;
    }
    add_updates(pod, checks, set->name);
    return pod;
}

/* ---- which gang ---- */

static bool is_off(const struct skr_pod *pod)
{
    const char *gang = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    return !skr_pods_group_name(pod) && gang && strcmp(gang, "off") == 0;
}

static enum skr_workload_scope scope_of(const struct skr_pod *pod)
{
    const char *gang = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    enum skr_workload_scope scope = SKR_SCOPE_AUTO;
    return !skr_pods_group_name(pod) && gang && skr_workload_scope_find(gang, &scope)
               ? scope
               : SKR_SCOPE_AUTO;
}

const char *skr_admission_pods_reads(const struct skr_kueue_workload *w)
{
    const bool is_set = strcmp(w->owner_kind, "JobSet") == 0;
    return is_set || strcmp(w->owner_kind, "TrainJob") == 0 ? "JobSet" : "";
}

static bool starts_in_order(const struct skr_gang *e, const struct skr_kueue_workload *w)
{
    const struct owner_entry *entry =
        skr_workload_owners_find(e, skr_admission_pods_reads(w), w->meta.namespace_, w->owner);
    return entry && entry->owner && entry->owner->in_order;
}

/* "job/train", "jobset/js/workers"; of pods with a label its value. */
static char *group_name(const struct skr_kueue_workload *w, const struct skr_pod *pod,
                        const char *alone)
{
    const char *label = skr_pods_group_name(pod);
    SKR_STRBUF(b);
    if (label) {
        return skr_strdup(label);
    }
    skr_workload_prefix_add(*w->owner ? w->owner_kind : "Workload", &b);
    skr_strbuf_addf(&b, "/%s", *w->owner ? w->owner : w->meta.name);
    if (alone) {
        skr_strbuf_addf(&b, "/%s", alone);
    }
    return skr_strbuf_take(&b, NULL);
}

static void find_part(struct skr_admission_pods *pods, struct skr_admission_set *set)
{
    set->part = pods->n_parts;
    for (size_t i = 0; i < pods->n; i++) {
        if (strcmp(pods->set[i].group, set->group) == 0) {
            set->part = pods->set[i].part;
        }
    }
    pods->n_parts += set->part == pods->n_parts;
}

/* ---- the sets ---- */

static bool is_ours(const struct skr_gang *e, const json_t *pod)
{
    const json_t *spec = json_object_get(pod, "spec");
    const char *name = json_string_value(json_object_get(spec, "schedulerName"));
    return name && skr_pods_is_our_scheduler(e, name);
}

/* Decides whether the set is tried. json: its pod. */
static int take(const struct skr_gang *e, const struct skr_kueue_workload *w, size_t at,
                json_t *json, struct skr_admission_pods *pods, struct skr_error *error)
{
    struct skr_admission_set *set = &pods->set[pods->n];
    *set = (struct skr_admission_set){.from = &w->pod_set[at], .count = w->pod_set[at].count};
    int rc = skr_pod_decode(json, &set->pod, error);
    if (rc < 0) {
        return skr_error_prefix(error, "pod set %.60s: ", set->from->name);
    }
    const enum skr_workload_scope scope = scope_of(set->pod);
    if (is_off(set->pod) || scope == SKR_SCOPE_JOB || scope == SKR_SCOPE_LWS) {
        pods->why = scope == SKR_SCOPE_AUTO ? TEXT_SINGLE : TEXT_PART;
        skr_pod_destroy(set->pod);
        return 0;
    }
    const bool alone =
        scope == SKR_SCOPE_REPLICATEDJOB || (scope == SKR_SCOPE_AUTO && starts_in_order(e, w));
    set->group = group_name(w, set->pod, alone ? set->from->name : NULL);
    find_part(pods, set);
    pods->n++;
    return 0;
}

/* Adds to the JSON of a pod what its real ones will have from their controller or from this check.
 * Returns what comes from this check, a new reference. */
static json_t *complete(const struct skr_kueue_workload *w, size_t at, int64_t total, json_t *pod)
{
    json_t *notes = object_at(object_at(pod, "metadata"), "annotations"), *adds = json_object();
    const json_t *labels = object_at(object_at(pod, "metadata"), "labels");
    const bool labelled =
        json_object_get(labels, SKR_LABEL_GROUP) || json_object_get(labels, SKR_LABEL_POD_GROUP);
    if (!labelled && !json_object_get(notes, SKR_ANNOTATION_GANG)) {
        json_object_set_new(adds, SKR_ANNOTATION_GANG, json_string("auto"));
    }
    if (!labelled && !json_object_get(notes, SKR_LABEL_GROUP_SIZE)) {
        const bool by_us = w->n_pod_sets == 1 && !skr_gang_type_of(NULL, w->owner_kind);
        json_object_set_new(by_us ? adds : notes, SKR_LABEL_GROUP_SIZE,
                            json_sprintf("%lld", (long long)total));
    }
    json_object_update(notes, adds);
    if (w->n_pod_sets > 1 && !json_object_get(notes, SKR_ANNOTATION_ROLE)) {
        json_object_set_new(notes, SKR_ANNOTATION_ROLE, json_string(w->pod_set[at].name));
    }
    return adds;
}

static int64_t pods_of_part(const struct skr_admission_pods *pods, size_t part)
{
    int64_t sum = 0;
    for (size_t i = 0; i < pods->n; i++) {
        sum += pods->set[i].part == part ? pods->set[i].count : 0;
    }
    return sum;
}

/* The pods again, now that the size of each gang is known. */
static int finish(const struct skr_kueue_workload *w, json_t *const *json,
                  struct skr_admission_pods *pods, struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < pods->n; i++) {
        struct skr_admission_set *set = &pods->set[i];
        const size_t at = (size_t)(set->from - w->pod_set);
        const int64_t total = pods_of_part(pods, set->part);
        if (total > SKR_GROUP_SIZE_MAX) {
            return skr_error_set(error, SKR_LIMIT, "group %.200s has %lld pods, the limit is %d",
                                 set->group, (long long)total, SKR_GROUP_SIZE_MAX);
        }
        set->adds = complete(w, at, total, json[at]);
        skr_pod_destroy(set->pod);
        set->pod = NULL;
        rc = skr_pod_decode(json[at], &set->pod, error);
    }
    return rc;
}

int skr_admission_pods_make(const struct skr_gang *e, const struct skr_kueue_workload *w,
                            struct skr_admission_pods *ret, struct skr_error *error)
{
    json_t *json[SKR_KUEUE_POD_SETS_MAX] = {0};
    int rc = 0;
    *ret = (struct skr_admission_pods){.why = TEXT_ALIEN};
    for (size_t i = 0; rc == 0 && i < w->n_pod_sets; i++) {
        if (w->pod_set[i].placed) {
            ret->why = TEXT_PLACED;
            continue;
        }
        json[i] = pod_json(e, w, i, error);
        rc = json[i] ? 0 : -SKR_NOT_FOUND;
        if (rc == 0 && w->pod_set[i].count > 0 && is_ours(e, json[i])) {
            rc = take(e, w, i, json[i], ret, error);
        }
    }
    rc = rc < 0 ? rc : finish(w, json, ret, error);
    for (size_t i = 0; i < w->n_pod_sets; i++) {
        json_decref(json[i]);
    }
    return rc;
}

void skr_admission_pods_fini(struct skr_admission_pods *pods)
{
    for (size_t i = 0; i < pods->n; i++) {
        skr_pod_destroy(pods->set[i].pod);
        json_decref(pods->set[i].adds);
        free(pods->set[i].group);
    }
}

json_t *skr_admission_pods_updates(const struct skr_admission_pods *pods)
{
    json_t *list = json_array();
    for (size_t i = 0; i < pods->n; i++) {
        const struct skr_admission_set *set = &pods->set[i];
        if (json_object_size(set->adds) > 0) {
            json_array_append_new(
                list, json_pack("{s:s,s:O}", "name", set->from->name, "annotations", set->adds));
        }
    }
    return list;
}
