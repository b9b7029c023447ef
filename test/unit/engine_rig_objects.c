/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that most tests need, and looking at what became of them. */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void rig_node(struct rig *rig, const char *name, int cpu)
{
    rig_create_json(rig, RIG_NODE, name,
                    "{'metadata':{},'spec':{},'status':{'allocatable':{'cpu':'%d','memory':'64Gi',"
                    "'pods':'110'}}}",
                    cpu);
}

void rig_racks(struct rig *rig, int racks, int nodes, int cpu)
{
    SKR_STRBUF(tree);
    char name[32];
    for (int r = 0; r < racks; r++) {
        skr_strbuf_addf(&tree, "%s\\'rack-%d\\':{", r ? "," : "{", r);
        for (int n = 0; n < nodes; n++) {
            snprintf(name, sizeof name, "node-%d", r * nodes + n);
            skr_strbuf_addf(&tree, "%s\\'%s\\':{}", n ? "," : "", name);
            rig_node(rig, name, cpu);
        }
        skr_strbuf_addc(&tree, '}');
    }
    skr_strbuf_addc(&tree, '}');
    rig_create_json(rig, RIG_MAP, "topology",
                    "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'level-names':"
                    "'[\\'rack\\',\\'node\\']','tree':'%s'}}",
                    tree.s);
}

static json_t *group_map(const char *name, int size, int priority, const char *constraints)
{
    char number[24];
    json_t *data = json_object();
    json_object_set_new(data, "name", json_string(name));
    snprintf(number, sizeof number, "%d", size);
    json_object_set_new(data, "size", json_string(number));
    snprintf(number, sizeof number, "%d", priority);
    json_object_set_new(data, "priority", json_string(number));
    if (constraints) {
        SKR_AUTO_FREE char *text = skr_strdup(constraints);
        for (char *c = text; *c; c++) {
            *c = *c == '\'' ? '"' : *c;
        }
        json_object_set_new(data, "constraints", json_string(text));
    }
    return json_pack("{s:{s:{s:s}},s:o}", "metadata", "labels", "sakkara.group", "", "data", data);
}

void rig_budget(struct rig *rig, const char *name, const char *group, int allowed)
{
    rig_create_json(
        rig, RIG_BUDGET, name,
        "{'metadata':{},'spec':{'selector':{'matchLabels':{'sakkara.group.name':'%s'}}},"
        "'status':{'disruptionsAllowed':%d}}",
        group, allowed);
}

void rig_class(struct rig *rig, const char *name, const char *resource)
{
    rig_create_json(rig, RIG_CLASS, name, "{'metadata':{},'spec':{'extendedResourceName':'%s'}}",
                    resource);
}

void rig_forbid_classes(struct rig *rig, bool forbid)
{
    struct skr_event event = {.kind = SKR_EVENT_FORBIDDEN,
                              .forbidden = {.type = &skr_gang_class, .is = forbid}};
    rig->forbids_classes = forbid;
    rig_handle(rig, &event);
}

void rig_group(struct rig *rig, const char *name, int size, int priority, const char *constraints)
{
    const char *slash = strchr(name, '/');
    rig_add(rig, RIG_MAP, name, group_map(slash ? slash + 1 : name, size, priority, constraints));
}

void rig_podgroup(struct rig *rig, const char *name, int size)
{
    rig_create_json(rig, RIG_PODGROUP, name, "{'metadata':{},'spec':{'minMember':%d}}", size);
}

void rig_pod(struct rig *rig, const char *name, const char *group, int flags)
{
    const char *label =
        flags & RIG_POD_GROUP_LABEL ? "scheduling.x-k8s.io/pod-group" : "sakkara.group.name";
    char labels[256] = "", owner[128] = "";
    if (group) {
        snprintf(labels, sizeof labels, "'%s':'%s'", label, group);
    }
    if (!(flags & RIG_BARE)) {
        snprintf(owner, sizeof owner, "{'kind':'Job','name':'job','uid':'job','controller':true}");
    }
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{%s},'ownerReferences':[%s]},'spec':{'schedulerName':"
                    "'sakkara'%s,'containers':[{'name':'main','resources':{'requests':{'cpu':'%s'}}"
                    "}]},'status':{'phase':'Pending'}}",
                    labels, owner,
                    flags & RIG_GATED ? ",'schedulingGates':[{'name':'sakkara.gang'}]" : "",
                    flags & RIG_BIG ? "2" : "1");
}

void rig_pods(struct rig *rig, const char *prefix, int n, const char *group, int flags)
{
    char name[128];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        rig_pod(rig, name, group, flags);
    }
}

void rig_delete_pods(struct rig *rig, const char *prefix, int first, int end)
{
    char name[128];
    for (int i = first; i < end; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        rig_delete(rig, RIG_POD, name);
    }
}

void rig_gang(struct rig *rig, const char *group, int size, const char *prefix, int n, int flags)
{
    rig_group(rig, group, size, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, prefix, n, group, flags);
}

/* ---- looking ---- */

const char *rig_key(const struct rig *rig, const char *map, const char *key)
{
    const struct rig_object *o = rig_find(rig, RIG_MAP, map);
    const char *text =
        o ? json_string_value(json_object_get(json_object_get(o->json, "data"), key)) : NULL;
    return text ? text : "";
}

const char *rig_annotation(const struct rig *rig, enum rig_kind kind, const char *key,
                           const char *name)
{
    const struct rig_object *o = rig_find(rig, kind, key);
    return o ? rig_meta_text(o->json, "annotations", name) : "";
}

const char *rig_label(const struct rig *rig, const char *pod, const char *name)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    return o ? rig_meta_text(o->json, "labels", name) : "";
}

const char *rig_node_of(const struct rig *rig, const char *pod)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    return o ? o->pod->node_name : "";
}

const char *rig_nominated(const struct rig *rig, const char *pod)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    return o ? o->pod->nominated_node : "";
}

const char *rig_planned(const struct rig *rig, const char *pod)
{
    json_auto_t *own = json_loads(rig_annotation(rig, RIG_POD, pod, "sakkara.plan"), 0, NULL);
    const struct rig_object *node = rig_find(rig, RIG_NODE, rig_text(own, "node"));
    return node ? node->key : "";
}

bool rig_is_gated(const struct rig *rig, const char *pod)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    return o && o->pod->gate;
}

size_t rig_n_bound(const struct rig *rig, const char *group)
{
    size_t n = 0;
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        n += o->kind == RIG_POD && *o->pod->node_name &&
             strcmp(rig_group_label(o->json), group) == 0;
    }
    return n;
}

bool rig_has_event(const struct rig *rig, const char *part)
{
    size_t i;
    json_t *text;
    json_array_foreach(rig->events, i, text)
    {
        if (strstr(json_string_value(text), part)) {
            return true;
        }
    }
    return false;
}

void rig_assert_bound(struct rig *rig, const char *prefix, int n)
{
    char name[128];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        if (!*rig_node_of(rig, name)) {
            rig_fail(rig, "%s is not bound", name);
        }
    }
}

void rig_assert_clean(struct rig *rig)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind != RIG_POD || *o->pod->node_name || !skr_pod_is_live(o->pod)) {
            continue;
        }
        json_auto_t *plan = rig_plan_with(rig, o);
        bool traces = *o->pod->nominated_node ||
                      *rig_meta_text(o->json, "annotations", "sakkara.plan") ||
                      *rig_meta_text(o->json, "labels", "sakkara.member.rank");
        if (traces && !plan) {
            rig_fail(rig, "%s carries traces of a plan that is gone", o->key);
        }
    }
    DL_FOREACH(rig->list, o)
    {
        bool bound = o->kind == RIG_MAP && strcmp(rig_key(rig, o->key, "status"), "Bound") == 0 &&
                     strcmp(rig_state(rig, o->key), "Bound") == 0;
        if (bound && *rig_meta_text(o->json, "annotations", "sakkara.plan") &&
            strcmp(rig_key(rig, o->key, "reason"), "") == 0) {
            rig_fail(rig, "%s is Bound and carries a plan", o->key);
        }
    }
}

static const char *place_name(enum rig_place place)
{
    static const char *const name[] = {"", "queued", "rejected", "assumed", "backoff"};
    return name[place];
}

void rig_print(const struct rig *rig)
{
    const struct rig_object *o;
    const struct rig_write *w;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD) {
            fprintf(stderr, "  pod %s (%s) node '%s' nominated '%s' rank '%s' status '%s' %s%s%s\n",
                    o->key, o->pod->meta.uid, o->pod->node_name, o->pod->nominated_node,
                    rig_meta_text(o->json, "labels", "sakkara.member.rank"),
                    rig_meta_text(o->json, "labels", "sakkara.member.status"),
                    o->pod->gate ? "gated " : "", place_name(o->place),
                    skr_pod_is_live(o->pod) ? "" : " dead");
        } else if (o->kind == RIG_MAP || o->kind == RIG_PODGROUP) {
            fprintf(stderr, "  map %s %s '%s' '%s' '%s' plan %s\n", o->key, rig_state(rig, o->key),
                    rig_key(rig, o->key, "status"), rig_key(rig, o->key, "reason"),
                    rig_key(rig, o->key, "message"),
                    rig_meta_text(o->json, "annotations", "sakkara.plan"));
        }
    }
    DL_FOREACH(rig->writes, w)
    {
        fprintf(stderr, "  write %llu %s %s%s\n", (unsigned long long)w->id,
                skr_write_kind_name(w->kind), w->key, w->held ? " held" : "");
    }
}
