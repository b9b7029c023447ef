/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold at every write of the daemon: see cluster.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "test/integration/cluster.h"

void cluster_violate(struct cluster *c, const char *format, ...)
{
    va_list args;
    if (c->n_violations < CLUSTER_VIOLATIONS_MAX) {
        va_start(args, format);
        vsnprintf(c->violation[c->n_violations], sizeof c->violation[0], format, args);
        va_end(args);
        c->n_violations++;
    }
    fake_api_changed(c->api);
}

static const char *group_of(const json_t *pod)
{
    const char *name = cluster_label_of(pod, "sakkara.group.name");
    return name[0] ? name : cluster_label_of(pod, "scheduling.x-k8s.io/pod-group");
}

static const char *annotation(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(json_object_get(object, "metadata"), "annotations");
    const char *text = json_string_value(json_object_get(list, key));
    return text ? text : "";
}

/* The plan that stands in the object of the pod's group. NULL: none. json_decref() it. */
static json_t *plan_of(struct cluster *c, const json_t *pod)
{
    static const char *const kinds[] = {"ConfigMap", "PodGroup"};
    const char *group = group_of(pod);
    for (size_t k = 0; k < 2; k++) {
        const json_t *o;
        for (size_t i = 0; (o = cluster_at(c, kinds[k], i)); i++) {
            const char *name = skr_path_text(o, k == 0 ? "data.name" : "metadata.name");
            const char *text = annotation(o, "sakkara.plan");
            if (text[0] && strcmp(name, group) == 0) {
                return json_loads(text, 0, NULL);
            }
        }
    }
    return NULL;
}

static void grow_planned(struct cluster *c, const json_t *plan)
{
    const char *uid;
    json_t *node;
    /* jansson's iteration does not change the object it walks over. */
    json_object_foreach((json_t *)(uintptr_t)json_object_get(plan, "members"), uid, node)
    {
        char told[256];
        snprintf(told, sizeof told, "%s %s", uid, json_string_value(node));
        json_object_set_new(c->planned, told, json_true());
    }
    if (strcmp(skr_path_text(plan, "state"), "Binding") == 0) {
        json_object_set_new(c->binding_plans, skr_path_text(plan, "id"), json_true());
    }
}

static void check_kick(struct cluster *c, const json_t *pod, const char *node)
{
    json_auto_t *plan = plan_of(c, pod);
    const char *uid = skr_path_text(pod, "metadata.uid");
    const char *planned = json_string_value(json_object_get(json_object_get(plan, "members"), uid));
    char told[256];
    snprintf(told, sizeof told, "%s %s", uid, node);
    /* A plan that was taken back in between, by a user too, is cleared up later. */
    bool earlier = json_object_get(c->planned, told);
    if (!earlier && (!planned || strcmp(planned, node) != 0)) {
        cluster_violate(c, "%s is kicked to '%s' before a plan that says so is persisted",
                        skr_path_text(pod, "metadata.name"), node);
    }
}

static const json_t *pod_by_uid(const struct cluster *c, const char *uid)
{
    const json_t *pod;
    for (size_t i = 0; (pod = cluster_at(c, "Pod", i)); i++) {
        if (strcmp(skr_path_text(pod, "metadata.uid"), uid) == 0) {
            return pod;
        }
    }
    return NULL;
}

/* Everybody has voted, or is bound. */
static void check_barrier(struct cluster *c, const json_t *plan)
{
    const char *uid;
    json_t *node;
    if (!c->has_call || json_object_get(c->binding_plans, skr_path_text(plan, "id"))) {
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)json_object_get(plan, "members"), uid, node)
    {
        const json_t *pod = pod_by_uid(c, uid);
        bool bound = pod && skr_path_text(pod, "spec.nodeName")[0];
        if (pod && !bound && !c->has_call(c->has_call_context, uid, json_string_value(node))) {
            cluster_violate(c, "Binding is persisted although %s has not voted",
                            skr_path_text(pod, "metadata.name"));
        }
    }
}

void cluster_guard_before(struct cluster *c, enum skr_write_kind kind, const char *namespace_,
                          const char *name, const json_t *body)
{
    const json_t *pod = cluster_get(c, "Pod", namespace_, name);
    const char *node = skr_path_text(body, "status.nominatedNodeName");
    if ((kind == SKR_WRITE_PATCH_POD_STATUS || kind == SKR_WRITE_MARK_POD) && node[0] &&
        group_of(pod)[0]) {
        check_kick(c, pod, node);
    }
    if (kind == SKR_WRITE_UNGATE_POD &&
        group_of(pod)[0]) { /* it brings its part of the plan, or has it */
        json_auto_t *own = json_loads(annotation(body, "sakkara.plan"), 0, NULL);
        check_kick(c, pod,
                   own ? skr_path_text(own, "node")
                       : skr_path_text(pod, "status.nominatedNodeName"));
    }
}

static void check_binding(struct cluster *c, const json_t *pod, const json_t *body)
{
    const char *name = skr_path_text(pod, "metadata.name");
    const char *uid = skr_path_text(pod, "metadata.uid");
    const char *node = skr_path_text(body, "target.name");
    if (strcmp(skr_path_text(body, "metadata.uid"), uid) != 0) {
        cluster_violate(c, "the Binding of %s has no uid", name);
    }
    if (!cluster_get(c, "Node", "", node)) {
        cluster_violate(c, "%s is bound to %s, which does not exist", name, node);
    }
    if (c->has_call && !c->has_call(c->has_call_context, uid, node)) {
        cluster_violate(c, "%s is bound to %s without an open bind call", name, node);
    }
    if (!group_of(pod)[0]) {
        return;
    }
    json_auto_t *plan = plan_of(c, pod);
    char told[256];
    snprintf(told, sizeof told, "%s %s", uid, node);
    json_auto_t *own = json_loads(annotation(pod, "sakkara.plan"), 0, NULL);
    bool forward = json_object_get(c->binding_plans, skr_path_text(own, "id"));
    if (strcmp(skr_path_text(plan, "state"), "Binding") != 0 && !forward) {
        cluster_violate(c, "%s is bound in state '%s'", name, skr_path_text(plan, "state"));
    }
    if (!json_object_get(c->planned, told)) {
        cluster_violate(c, "%s is bound to %s, where no plan wants it", name, node);
    }
    if (!cluster_label_of(pod, "sakkara.member.rank")[0]) {
        cluster_violate(c, "%s is bound without a rank", name);
    }
}

void cluster_guard_applied(struct cluster *c, enum skr_write_kind kind, const char *namespace_,
                           const char *name, const json_t *body)
{
    if (kind == SKR_WRITE_BINDING) {
        check_binding(c, cluster_get(c, "Pod", namespace_, name), body);
        return;
    }
    json_auto_t *plan = json_loads(annotation(body, "sakkara.plan"), 0, NULL);
    if (strcmp(skr_path_text(plan, "state"), "Binding") == 0) {
        check_barrier(c, plan);
    }
    if (plan) {
        grow_planned(c, plan);
    }
}
