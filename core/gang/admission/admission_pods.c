/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of a Workload as they will be: see admission_pods.h.
 *
 * Annotation sakkara.gang is added where it is missing, for a queue with the check is a queue of gangs.
 * Annotation sakkara.group.size is added if nothing else can say the size: the controller is not one whose
 * object the daemon reads, and there is one pod set.
 */
#include "core/gang/admission/admission_pods.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/group/roles.h"
#include "core/gang/state/types.h"
#include "core/group/workload.h"
#include "topology/base/json_writer.h"

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

static json_t *object_at(json_t *in, const char *key)
{
    json_t *value = json_object_get(in, key);
    if (!json_is_object(value)) {
        value = json_object();
        json_object_set_new(in, key, value);
    }
    return value;
}

/* Members that are missing; Kueue changes no key that is there. */
static void add_members(json_t *into, const json_t *from)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)from, key, value)
    {
        if (!json_object_get(into, key)) {
            json_object_set(into, key, value);
        }
    }
}

static void add_tolerations(json_t *spec, const json_t *list)
{
    json_t *have = json_object_get(spec, "tolerations"), *value;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return;
    }
    if (!json_is_array(have)) {
        have = json_array();
        json_object_set_new(spec, "tolerations", have);
    }
    json_array_foreach(list, i, value)
    {
        json_array_append(have, value);
    }
}

static int add_flavors(json_t *spec, const struct skr_kueue_pod_set *set,
                       skr_admission_flavor *flavor, const void *context, struct skr_error *error)
{
    for (size_t i = 0; i < set->n_flavors; i++) {
        const struct skr_kueue_flavor *f = flavor(context, set->flavor[i]);
        if (!f) {
            return skr_error_set(error, SKR_NOT_FOUND,
                                 "ResourceFlavor %.200s is not known, or may not be read",
                                 set->flavor[i]);
        }
        json_auto_t *labels = json_loads(f->labels, JSON_ALLOW_NUL, NULL);
        json_auto_t *tolerations = json_loads(f->tolerations, JSON_ALLOW_NUL, NULL);
        add_members(object_at(spec, "nodeSelector"), labels);
        add_tolerations(spec, tolerations);
    }
    return 0;
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
                add_members(object_at(meta, "labels"), json_object_get(update, "labels"));
                add_members(object_at(meta, "annotations"), json_object_get(update, "annotations"));
                add_members(object_at(spec, "nodeSelector"),
                            json_object_get(update, "nodeSelector"));
                add_tolerations(spec, json_object_get(update, "tolerations"));
            }
        }
    }
}

/* New reference; NULL with error. */
static json_t *pod_json(const struct skr_kueue_workload *w, size_t at, skr_admission_flavor *flavor,
                        const void *context, struct skr_error *error)
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
    if (add_flavors(spec, set, flavor, context, error) < 0) {
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

static bool starts_in_order(const struct skr_gang *e, const struct skr_kueue_workload *w)
{
    const bool train = strcmp(w->owner_kind, "TrainJob") == 0; /* its JobSet has its name */
    const struct owner_entry *entry =
        skr_workload_owners_find(e, train ? "JobSet" : w->owner_kind, w->meta.namespace_, w->owner);
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
    const char *name =
        json_string_value(json_object_get(json_object_get(pod, "spec"), "schedulerName"));
    size_t i = 0;
    while (name && i < e->settings.n_scheduler_names &&
           strcmp(e->settings.scheduler_name[i], name) != 0) {
        i++;
    }
    return name && i < e->settings.n_scheduler_names;
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

/* Adds to the JSON of a pod what its real ones will have from their controller or from this check. */
static void complete(const struct skr_kueue_workload *w, size_t at, int64_t total, json_t *pod,
                     bool *ret_gang, bool *ret_size)
{
    json_t *notes = object_at(object_at(pod, "metadata"), "annotations");
    const json_t *labels = object_at(object_at(pod, "metadata"), "labels");
    const bool labelled =
        json_object_get(labels, SKR_LABEL_GROUP) || json_object_get(labels, SKR_LABEL_POD_GROUP);
    char text[24];
    *ret_gang = !labelled && !json_object_get(notes, SKR_ANNOTATION_GANG);
    *ret_size = !labelled && !json_object_get(notes, SKR_LABEL_GROUP_SIZE);
    if (*ret_gang) {
        json_object_set_new(notes, SKR_ANNOTATION_GANG, json_string("auto"));
    }
    if (*ret_size) {
        (void)snprintf(text, sizeof text, "%lld", (long long)total);
        json_object_set_new(notes, SKR_LABEL_GROUP_SIZE, json_string(text));
    }
    if (w->n_pod_sets > 1 && !json_object_get(notes, SKR_ANNOTATION_ROLE)) {
        json_object_set_new(notes, SKR_ANNOTATION_ROLE, json_string(w->pod_set[at].name));
    }
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
        bool gang, size;
        if (total > SKR_GROUP_SIZE_MAX) {
            return skr_error_set(error, SKR_LIMIT, "group %.200s has %lld pods, the limit is %d",
                                 set->group, (long long)total, SKR_GROUP_SIZE_MAX);
        }
        complete(w, at, total, json[at], &gang, &size);
        set->lacks_gang = gang;
        set->lacks_size = size && w->n_pod_sets == 1 && !skr_gang_type_of(NULL, w->owner_kind);
        skr_pod_destroy(set->pod);
        set->pod = NULL;
        rc = skr_pod_decode(json[at], &set->pod, error);
    }
    return rc;
}

int skr_admission_pods_make(const struct skr_gang *e, const struct skr_kueue_workload *w,
                            skr_admission_flavor *flavor, const void *context,
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
        json[i] = pod_json(w, i, flavor, context, error);
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
        free(pods->set[i].group);
    }
}

/* ---- what they lack ---- */

void skr_admission_pods_updates(const struct skr_admission_pods *pods, struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    char text[24];
    skr_json_open(&w, NULL, '[');
    for (size_t i = 0; i < pods->n; i++) {
        const struct skr_admission_set *set = &pods->set[i];
        if (!set->lacks_gang && !set->lacks_size) {
            continue;
        }
        skr_json_open(&w, NULL, '{');
        skr_json_string(&w, "name", set->from->name);
        skr_json_open(&w, "annotations", '{');
        if (set->lacks_gang) {
            skr_json_string(&w, SKR_ANNOTATION_GANG, "auto");
        }
        if (set->lacks_size) {
            (void)snprintf(text, sizeof text, "%d", (int)set->count);
            skr_json_string(&w, SKR_LABEL_GROUP_SIZE, text);
        }
        skr_json_close(&w, '}');
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
}
