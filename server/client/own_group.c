/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what objects of a namespace say of a group, and which pods are its members. */
#include "server/client/own_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/changes/status_map.h"
#include "core/group/group.h"
#include "core/group/workload.h"
#include "topology/base/json_field.h"

#define LABEL_MEMBER    "sakkara.group.name"
#define LABEL_POD_GROUP "scheduling.x-k8s.io/pod-group"

const char *skr_own_group_value(const struct skr_own_group *g, const char *key)
{
    char annotation[64];
    const char *text = skr_object_text(json_object_get(g->object, "data"), key);
    (void)snprintf(annotation, sizeof annotation, "sakkara.%s", key);
    return text[0] ? text : skr_object_text(json_object_get(g->meta, "annotations"), annotation);
}

/* The number before "members" in the condition Complete: the map of a derived group has no size. */
static json_int_t size_told(const struct skr_own_group *g)
{
    json_auto_t *conditions = json_loads(skr_own_group_value(g, "conditions"), 0, NULL);
    json_t *condition;
    size_t i;
    json_array_foreach(conditions, i, condition)
    {
        const char *of = strstr(skr_object_text(condition, "message"), " of ");
        if (of && strcmp(skr_object_text(condition, "type"), "Complete") == 0) {
            return strtoll(of + strlen(" of "), NULL, 10);
        }
    }
    return 0;
}

static const json_t *gang_of(const struct skr_own_group *g)
{
    const json_t *policy = json_object_get(json_object_get(g->object, "spec"), "schedulingPolicy");
    return json_object_get(policy, "gang");
}

json_int_t skr_own_group_size(const struct skr_own_group *g)
{
    const json_t *least = g->is_native
                              ? json_object_get(gang_of(g), "minCount")
                              : json_object_get(json_object_get(g->object, "spec"), "minMember");
    return json_is_integer(least) ? json_integer_value(least)
           : g->is_derived        ? size_told(g)
                                  : strtoll(skr_own_group_value(g, "size"), NULL, 10);
}

bool skr_own_group_read(const json_t *object, const json_t *pods, const json_t *events,
                        struct skr_own_group *ret)
{
    *ret = (struct skr_own_group){.object = object, .pods = pods, .events = events};
    ret->meta = json_object_get(object, "metadata");
    const json_t *labels = json_object_get(ret->meta, "labels");
    const bool is_pod_group = strcmp(skr_object_text(object, "kind"), "PodGroup") == 0;
    ret->is_native =
        is_pod_group && strncmp(skr_object_text(object, "apiVersion"), SKR_OWN_GROUP_NATIVE "/",
                                sizeof SKR_OWN_GROUP_NATIVE) == 0;
    ret->is_pod_group = is_pod_group && !ret->is_native;
    ret->is_derived = !is_pod_group && json_object_get(labels, SKR_LABEL_DERIVED);
    const char *own = skr_object_text(ret->meta, "name"), *given = skr_own_group_value(ret, "name");
    (void)snprintf(ret->name, sizeof ret->name, "%s%s", ret->is_native ? "podgroup/" : "",
                   given[0] && !is_pod_group ? given : own);
    if (ret->is_native) {
        return gang_of(ret);
    }
    return ret->is_pod_group || ret->is_derived || json_object_get(labels, SKR_GROUP_LABEL);
}

static bool is_of_workload(const struct skr_own_group *g, const json_t *json)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = NULL;
    SKR_STRBUF(name);
    struct skr_workload w;
    if (skr_pod_decode(json, &pod, NULL) < 0) {
        return false;
    }
    const char *gang = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    if (gang && strcmp(gang, "off") == 0) {
        return false;
    }
    skr_workload_of(pod, &w);
    for (int scope = 0; scope < SKR_SCOPE_COUNT; scope++) {
        skr_strbuf_reset(&name);
        skr_workload_name_add(pod, &w, (enum skr_workload_scope)scope, &name);
        if (name.s && strcmp(name.s, g->name) == 0) {
            return true;
        }
    }
    return false;
}

bool skr_own_group_has(const struct skr_own_group *g, const json_t *pod)
{
    const json_t *labels = json_object_get(json_object_get(pod, "metadata"), "labels");
    const char *name = skr_object_text(labels, g->is_pod_group ? LABEL_POD_GROUP : LABEL_MEMBER);
    if (g->is_derived) {
        return is_of_workload(g, pod);
    }
    if (g->is_native) {
        const json_t *of = json_object_get(json_object_get(pod, "spec"), "schedulingGroup");
        return strcmp(skr_object_text(of, "podGroupName"), skr_object_text(g->meta, "name")) == 0;
    }
    return strcmp(name, g->name) == 0;
}

bool skr_own_group_is_meant(const struct skr_own_group *g, const char *name)
{
    const json_t *pod;
    size_t i;
    if (strcmp(g->name, name) == 0 || strcmp(skr_object_text(g->meta, "name"), name) == 0) {
        return true;
    }
    json_array_foreach(json_object_get(g->pods, "items"), i, pod)
    {
        const char *own = skr_object_text(json_object_get(pod, "metadata"), "name");
        if (strncmp(name, "pod/", 4) == 0 && strcmp(own, name + 4) == 0 &&
            skr_own_group_has(g, pod)) {
            return true;
        }
    }
    return false;
}
