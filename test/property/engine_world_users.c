/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_roles.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"

enum { SHY = 3 }; /* the group whose pods are */
#define DEVICE "example.com/gpu"

static const char *map_name(struct world *w)
{
    return world_group[world_pick(w, WORLD_MAPS)];
}

static const char *constraints(struct world *w)
{
    static const char *const text[] = {NULL,
                                       "{}",
                                       "{'rack':{'type':'pack','hard':true}}",
                                       "{'rack':{'type':'spread'}}",
                                       "{'rack':{'type':'pack'},'node':{'type':'spread'}}",
                                       "{'node':{'max':1}}"};
    return text[world_pick(w, 6)];
}

/* Not of a group with roles, which have a minimum each. */
static void set_minimum(struct world *w, const char *name)
{
    const uint32_t size = 1 + world_pick(w, 6);
    rig_edit(w->rig, RIG_MAP, name, "{'data':{'size':'%u','minimum':'%u','step':'%u'}}", size,
             1 + world_pick(w, size), 1 + world_pick(w, size < 2 ? size : 2));
}

void users_begin_time(struct world *w)
{
    if (w->elastic) {
        rig_edit(w->rig, RIG_MAP, "ga", "{'data':{'minimum':'1'}}");
        rig_edit(w->rig, RIG_MAP, "gb", "{'data':{'minimum':'2','step':'2'}}");
    }
    for (int i = 0; w->moves && i < 2; i++) {
        rig_edit(w->rig, RIG_MAP, world_group[i], "{'data':{'movable':'true'}}");
    }
}

void users_change_map(struct world *w)
{
    const char *name = map_name(w);
    const struct rig_object *map = rig_find(w->rig, RIG_MAP, name);
    if (map && strcmp(rig_key(w->rig, name, "constraints"), "{") == 0) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':null}}"); /* sees his mistake */
        world_roles_of_map(w, name, name);
        return;
    }
    if (!map) {
        world_roles_make_map(w, name, 1 + (int)world_pick(w, 6), (int)world_pick(w, 3),
                             constraints(w));
        return;
    }
    if (w->timed && world_pick(w, 3) == 0) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'run-limit':'%us'}}", 10 + world_pick(w, 100));
        return;
    }
    if (w->losses && world_pick(w, 3) == 0) {
        static const char *const replace[] = {"null", "'early'", "'early'", "'whole'"};
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'replace':%s}}", replace[world_pick(w, 4)]);
        return;
    }
    if (w->elastic && !world_roles_are_keyed(w, name) && world_pick(w, 3) == 0) {
        set_minimum(w, name);
        return;
    }
    if (w->moves && world_pick(w, 3) == 0) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'movable':%s}}",
                 world_pick(w, 4) ? "'true'" : "null");
        return;
    }
    switch (world_pick(w, 9)) {
    case 0:
        rig_delete(w->rig, RIG_MAP, name);
        break;
    case 1:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'size':'%u','minimum':null,'step':null}}",
                 1 + world_pick(w, 6));
        world_roles_of_map(w, name, name);
        break;
    case 2:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':'{'}}");
        break;
    case 3:
    case 4:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':null}}");
        world_roles_of_map(w, name, name);
        break;
    case 5:
        rig_edit(w->rig, RIG_MAP, name, "{'metadata':{'annotations':null}}");
        break;
    case 6:
        rig_edit(w->rig, RIG_MAP, name,
                 "{'data':{'status':null,'placement':null,'rank':null,'conditions':null}}");
        break;
    default:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'priority':'%u'}}", world_pick(w, 4));
        break;
    }
}

/* Another map of a group that has one. */
void users_change_double(struct world *w)
{
    if (rig_find(w->rig, RIG_MAP, "double")) {
        rig_delete(w->rig, RIG_MAP, "double");
    } else {
        rig_group(w->rig, "double", 2, 1, NULL);
    }
    if (rig_find(w->rig, RIG_MAP, "double")) {
        const char *name = map_name(w);
        if (world_roles_are_keyed(w, name)) {
            world_roles_of_map(w, "double", name);
        } else {
            rig_edit(w->rig, RIG_MAP, "double", "{'data':{'name':'%s'}}", name);
        }
    }
}

void users_change_topology(struct world *w)
{
    static const char *const tree[] = {
        "{",
        "{\\'a\\':{\\'node-0\\':{},\\'node-4\\':{},\\'node-8\\':{}},\\'b\\':{\\'node-1\\':{}}}",
        "{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{},\\'node-3\\':{}},"
        "\\'rack-1\\':{\\'node-4\\':{},\\'node-5\\':{},\\'node-6\\':{},\\'node-7\\':{},"
        "\\'node-8\\':{}}}"};
    uint32_t which = world_pick(w, 3);
    w->no_tree = which == 0;
    w->tree_changed = true;
    rig_edit(w->rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", tree[which]);
}

static struct rig_object *some_pod(struct world *w)
{
    struct rig_object *o, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && world_pick(w, ++n) == 0) {
            chosen = o;
        }
    }
    return chosen;
}

/* Beside its cpu. */
static void ask_for(struct world *w, const char *pod, const char *resource, int flags)
{
    rig_edit(w->rig, RIG_POD, pod,
             "{'spec':{'containers':[{'name':'main','resources':{'requests':{'cpu':'%s',"
             "'%s':'1'}}}]}}",
             flags & RIG_BIG ? "2" : "1", resource);
}

/* Most members and pods of a timed world end; a few are late, as kubelets may be. */
static void limit(struct world *w, const char *pod)
{
    if (w->timed && world_pick(w, 4) > 0) {
        const uint32_t late = world_pick(w, 12) == 0 ? world_pick(w, 200) : 0;
        rig_edit(w->rig, RIG_POD, pod,
                 "{'metadata':{'labels':{'late':'%u'}},'spec':{'activeDeadlineSeconds':%u}}", late,
                 5 + world_pick(w, 100));
    }
}

void users_begin_partners(struct world *w)
{
    char name[32];
    w->rig->partners = "ga";
    for (int i = 0; i < WORLD_NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        if (rig_find(w->rig, RIG_NODE, name)) {
            rig_edit(w->rig, RIG_NODE, name, "{'metadata':{'labels':{'half':'%d'}}}", i % 2);
        }
    }
}

/* The API server lets no rule about other pods be edited: it is there from the beginning. */
static void run_beside(struct world *w, const char *pod, const char *group)
{
    rig_edit(w->rig, RIG_POD, pod,
             "{'spec':{'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
             "[{'topologyKey':'half','labelSelector':{'matchLabels':{'sakkara.group.name':'%s'}}}]"
             "}}}}",
             group);
    rig_made_so(w->rig, pod);
}

void users_end_partners(struct world *w)
{
    struct rig_object *o;
    DL_FOREACH(w->partners ? w->rig->list : NULL, o)
    {
        if (o->kind == RIG_POD && !*o->pod->node_name) {
            rig_edit(w->rig, RIG_POD, o->key, "{'spec':{'affinity':null}}");
        }
    }
    w->partners = false;
}

/* A member: those of one group want devices of the class, where there is one. */
static void add_member(struct world *w, const char *name, const char *group, int flags)
{
    rig_pod(w->rig, name, group, flags);
    limit(w, name);
    if (w->devices && strcmp(group, "gb") == 0) {
        ask_for(w, name, DEVICE, flags);
    }
    if (w->partners && strcmp(group, "gb") == 0) {
        run_beside(w, name, "ga");
    }
    world_roles_of_pod(w, name, group);
}

void users_add_members(struct world *w, const char *prefix, int n, const char *group, int flags)
{
    char name[32];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        add_member(w, name, group, flags);
    }
}

/* The class; half of the nodes list the resource themselves. All have more of it, and more devices, than pods
 * ask for. */
void users_begin_devices(struct world *w)
{
    char name[32];
    w->devices = true;
    rig_class(w->rig, "gpu", DEVICE);
    for (int i = 0; i < WORLD_NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        device_slice(w->rig, name, 24);
        if (i % 2 == 0 && rig_find(w->rig, RIG_NODE, name)) {
            rig_edit(w->rig, RIG_NODE, name, "{'status':{'allocatable':{'" DEVICE "':'100'}}}");
        }
    }
}

void users_add_pod(struct world *w)
{
    char name[32];
    snprintf(name, sizeof name, "p-%02d", w->pods++);
    uint32_t group = world_pick(w, WORLD_GROUPS + 2);
    int flags = (world_pick(w, 2) ? RIG_GATED : 0) | (world_pick(w, 12) ? 0 : RIG_BIG) |
                (world_pick(w, 9) ? 0 : RIG_BARE) |
                (group == WORLD_PODGROUP ? RIG_POD_GROUP_LABEL : 0);
    if (group < WORLD_GROUPS) {
        add_member(w, name, world_group[group], flags);
    } else {
        rig_pod(w->rig, name, NULL, flags);
        limit(w, name);
    }
    if (group >= WORLD_GROUPS && world_pick(w, 3) == 0) { /* kube-scheduler's own judgement */
        ask_for(w, name, world_pick(w, 2) ? DEVICE : "example.com/none", flags);
    }
    if (world_pick(w, 15) == 0) {
        rig_edit(w->rig, RIG_POD, name, "{'spec':{'schedulingGates':[{'name':'quota'}]}}");
    }
    if (world_pick(w, 15) == 0) { /* bound late */
        rig_edit(w->rig, RIG_POD, name,
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    }
    if (group == WORLD_LABELS) {
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'sakkara.group.size':'3'}}}");
    }
    if (group == SHY) {
        w->shy = true;
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'shy':'yes'}}}");
    }
}

/* As many pods as the group of a map lacks, at once. */
void users_add_gang(struct world *w)
{
    const char *name = map_name(w);
    int missing = atoi(rig_key(w->rig, name, "size")) - (int)rig_n_bound(w->rig, name);
    for (; missing > 0 && HASH_COUNT(w->rig->objects) < WORLD_PODS_MAX; missing--) {
        char pod[32];
        snprintf(pod, sizeof pod, "p-%02d", w->pods++);
        add_member(w, pod, name, 0);
    }
}

/* Two small groups that outrank most others come at once: the room of one victim may do for both. */
void users_push(struct world *w)
{
    static const char *const name[] = {"gc", "ge"};
    for (int i = 0; i < 2 && HASH_COUNT(w->rig->objects) < WORLD_PODS_MAX; i++) {
        const int size = 1 + (int)world_pick(w, 2), priority = 3 + (int)world_pick(w, 2);
        if (rig_find(w->rig, RIG_MAP, name[i])) {
            rig_delete(w->rig, RIG_MAP, name[i]);
        }
        world_roles_make_map(w, name[i], size, priority, NULL);
        for (int k = (int)rig_n_bound(w->rig, name[i]); k < size; k++) {
            char pod[32];
            snprintf(pod, sizeof pod, "p-%02d", w->pods++);
            add_member(w, pod, name[i], 0);
        }
    }
}

/* Every plan that puts two of them on one node is refused. */
void users_add_shy_gang(struct world *w, bool gated)
{
    w->shy = true;
    rig_group(w->rig, world_group[SHY], 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "shy-%d", i);
        rig_pod(w->rig, name, world_group[SHY], gated ? RIG_GATED : 0);
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'shy':'yes'}}}");
    }
}

void users_change_podgroup(struct world *w)
{
    if (!rig_find(w->rig, RIG_PODGROUP, "podgroup")) {
        rig_podgroup(w->rig, "podgroup", 3);
    } else if (world_pick(w, 3) == 0) {
        rig_delete(w->rig, RIG_PODGROUP, "podgroup");
    } else {
        rig_edit(w->rig, RIG_PODGROUP, "podgroup", "{'spec':{'minMember':%u}}",
                 1 + world_pick(w, 4));
    }
}

void users_change_budget(struct world *w)
{
    if (!rig_find(w->rig, RIG_BUDGET, "budget")) {
        rig_budget(w->rig, "budget", map_name(w), (int)world_pick(w, 4));
    } else if (world_pick(w, 3) == 0) {
        rig_delete(w->rig, RIG_BUDGET, "budget");
    } else {
        rig_edit(w->rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':%u}}",
                 world_pick(w, 6));
    }
}

/* As the controller of all of them is deleted. */
static void delete_all_of(struct world *w, const struct rig_object *pod)
{
    SKR_AUTO_FREE char *group = skr_strdup(world_group_of(w, pod));
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind == RIG_POD && strcmp(world_group_of(w, o), group) == 0) {
            rig_delete(w->rig, RIG_POD, o->key);
        }
    }
}

void users_change_pod(struct world *w)
{
    struct rig_object *p = some_pod(w);
    char key[64];
    if (!p) {
        return;
    }
    snprintf(key, sizeof key, "%s", p->key);
    if (world_pick(w, 12) == 0 && *world_group_of(w, p)) {
        delete_all_of(w, p);
        return;
    }
    switch (world_pick(w, 6)) {
    case 0:
    case 1:
        rig_delete(w->rig, RIG_POD, key);
        break;
    case 2:
        rig_terminate(w->rig, key);
        break;
    case 3:
        if (*p->pod->node_name) {
            rig_phase(w->rig, key, world_pick(w, 2) ? "Failed" : "Succeeded");
        }
        break;
    case 4:
        if (p->pod->foreign_gate) {
            rig_edit(w->rig, RIG_POD, key, "{'spec':{'schedulingGates':null}}");
        } else {
            rig_edit(w->rig, RIG_POD, key, "{'status':{'nominatedNodeName':null}}");
        }
        break;
    default:
        rig_edit(w->rig, RIG_POD, key, "{'metadata':{'labels':{'note':'%u'}}}",
                 world_pick(w, 1000));
        break;
    }
}

/* As the node lifecycle controller does it, or a moment before it does. */
static void lose_node(struct world *w, const char *name)
{
    char text[64];
    skr_time_write(w->rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    rig_edit(w->rig, RIG_NODE, name,
             "{'spec':{'taints':[{'key':'%s','effect':'NoSchedule'}]},'status':{'conditions':"
             "[{'type':'Ready','status':'%s','lastTransitionTime':'%s'}]}}",
             world_pick(w, 4) ? "node.kubernetes.io/unreachable"
                              : "node.kubernetes.io/out-of-service",
             world_pick(w, 4) ? "Unknown" : "True", text);
}

void users_change_node(struct world *w)
{
    char name[32];
    snprintf(name, sizeof name, "node-%u", world_pick(w, WORLD_NODES));
    if (!rig_find(w->rig, RIG_NODE, name)) {
        rig_node(w->rig, name, 2);
        return;
    }
    if (w->losses && world_pick(w, 2)) {
        lose_node(w, name);
        return;
    }
    switch (world_pick(w, 5)) {
    case 0:
        rig_delete(w->rig, RIG_NODE, name);
        break;
    case 1:
        rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':true}}");
        break;
    case 2:
        rig_edit(w->rig, RIG_NODE, name,
                 "{'spec':{'taints':[{'key':'bad','effect':'NoSchedule'}]}}");
        break;
    case 3:
        snprintf(w->veto, sizeof w->veto, "%s", world_pick(w, 2) ? name : "");
        break;
    default:
        rig_edit(w->rig, RIG_NODE, name,
                 "{'spec':{'unschedulable':null,'taints':null},'status':{'conditions':null}}");
        break;
    }
}
