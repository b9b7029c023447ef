/* SPDX-License-Identifier: Apache-2.0 */
/* The last acts of a world, and what must be true then. */
#include "test/property/engine_world.h"

#include <utlist.h>

#include "test/property/engine_world_derived.h"
#include "test/property/engine_world_restarts.h"
#include "test/property/engine_world_roles.h"
#include "test/property/engine_world_tenants.h"
#include "test/property/engine_world_users.h"
#include "test/test.h"
#include "test/unit/engine_rig_failover.h"

static const char whole_tree[] =
    "{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{},\\'node-3\\':{},"
    "\\'node-4\\':{},\\'node-5\\':{},\\'node-6\\':{},\\'node-7\\':{},\\'node-8\\':{}}}";

void world_calm_down(struct world *w)
{
    w->rig->disturbances++;
    w->faults = false;
    w->mended = true;
    w->veto[0] = '\0';
    w->rig->crash_at = 0;
    if (w->rig->crashed) {
        rig_restart(w->rig);
    }
    rig_resume(w->rig, 0, true);
    w->rig->is_calm = !world_is_odd(w);
}

void world_calm(struct world *w)
{
    tenants_end(w);
    restarts_end(w);
    world_calm_down(w);
}

void world_repair(struct world *w)
{
    char name[32];
    w->no_tree = false;
    w->tree_changed = true;
    if (rig_find(w->rig, RIG_MAP, "double")) {
        rig_delete(w->rig, RIG_MAP, "double");
    }
    if (rig_find(w->rig, RIG_BUDGET, "budget")) {
        rig_delete(w->rig, RIG_BUDGET, "budget");
    }
    rig_edit(w->rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", whole_tree);
    for (int i = 0; i < WORLD_NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        if (rig_find(w->rig, RIG_NODE, name)) {
            rig_edit(w->rig, RIG_NODE, name,
                     "{'spec':{'unschedulable':null,'taints':null},'status':{'conditions':null}}");
        } else {
            rig_node(w->rig, name, 2);
        }
    }
}

void world_mend(struct world *w)
{
    char name[32];
    world_calm(w);
    world_repair(w);
    users_end_partners(w);
    struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && o->pod->foreign_gate) {
            rig_edit(w->rig, RIG_POD, o->key, "{'spec':{'schedulingGates':null}}");
        }
    }
    for (int i = 0; i < WORLD_NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(w->rig, RIG_NODE, name, "{'status':{'allocatable':{'cpu':'100'}}}");
    }
    for (int i = 0; i < WORLD_MAPS; i++) {
        if (rig_find(w->rig, RIG_MAP, world_group[i])) {
            rig_edit(w->rig, RIG_MAP, world_group[i], "{'data':{'constraints':null}}");
            world_roles_of_map(w, world_group[i], world_group[i]);
        } else {
            world_roles_make_map(w, world_group[i], 2, 0, NULL);
        }
    }
    if (!rig_find(w->rig, RIG_PODGROUP, "podgroup")) {
        rig_podgroup(w->rig, "podgroup", 2);
    }
    derived_mend(w);
}

const char *world_group_of(const struct world *w, const struct rig_object *pod)
{
    const char *name = rig_label(w->rig, pod->key, "sakkara.group.name");
    name = *name ? name : rig_label(w->rig, pod->key, "scheduling.x-k8s.io/pod-group");
    return *name ? name : derived_of(pod);
}

static size_t most_of(const struct world *w, int group)
{
    return group < WORLD_MAPS ? (size_t)atoi(rig_key(w->rig, world_group[group], "size")) : 3;
}

static size_t step_of(const struct world *w, int group)
{
    const char *step = group < WORLD_MAPS ? rig_key(w->rig, world_group[group], "step") : "";
    return *step ? (size_t)atoi(step) : 1;
}

/* That have to be there. */
static size_t size_of(const struct world *w, int group)
{
    const struct rig_object *o = rig_find(w->rig, RIG_PODGROUP, "podgroup");
    if (group < WORLD_MAPS) {
        const char *minimum = rig_key(w->rig, world_group[group], "minimum");
        return *minimum ? (size_t)atoi(minimum) : most_of(w, group);
    }
    if (group == WORLD_LABELS) {
        return w->rig->settings.label_fallback ? 3 : SIZE_MAX;
    }
    return (size_t)json_integer_value(
        json_object_get(json_object_get(o->json, "spec"), "minMember"));
}

static const char *status_of(const struct world *w, int group)
{
    if (group < WORLD_MAPS) {
        return rig_key(w->rig, world_group[group], "status");
    }
    if (group == WORLD_LABELS) {
        return "Bound";
    }
    return rig_annotation(w->rig, RIG_PODGROUP, "podgroup", "sakkara.status");
}

static void check_group(struct world *w, int group)
{
    const struct rig_object *o;
    const char *name = world_group[group];
    size_t live = 0, bound = 0, next = 0, size = size_of(w, group);
    int controllers = 0;
    if (world_roles_are_keyed(w, name)) {
        world_roles_check_mended(w, name);
        return;
    }
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind != RIG_POD || strcmp(world_group_of(w, o), name) || !skr_pod_is_live(o->pod)) {
            continue;
        }
        live++;
        bound += *o->pod->node_name != '\0';
        controllers |= !*o->pod->node_name ? 0 : *o->pod->controller_uid ? 1 : 2;
    }
    DL_FOREACH(w->rig->list, o)
    {
        /* the others may be the next generation */
        {
            bool waits = o->kind == RIG_POD && strcmp(world_group_of(w, o), name) == 0 &&
                         skr_pod_is_live(o->pod) && !*o->pod->node_name;
            next += waits && !(controllers & (*o->pod->controller_uid ? 1 : 2));
        }
    }
    const size_t most = group == WORLD_PODGROUP ? live : most_of(w, group);
    size_t want = live < size && bound == 0 ? 0 : live < most ? live : most;
    if (bound > 0) {
        want -= next < want ? next : want;
    }
    want -= want > size ? (want - size) % step_of(w, group) : 0;
    if (bound < want) {
        rig_fail(w->rig, "group %s: %zu of %zu live members are bound, size %zu", name, bound, live,
                 size);
    }
    if (bound > 0 && strcmp(status_of(w, group), "Bound") != 0) {
        rig_fail(w->rig, "group %s: %zu members are bound, status %s", name, bound,
                 status_of(w, group));
    }
}

/* With room for all, nobody waits for victims or names a preemptor; who gave way is Preempted only as
 * long as no pod of it has come again. */
static void check_no_victims(struct world *w)
{
    for (int i = 0; i < WORLD_MAPS; i++) {
        const char *status = rig_key(w->rig, world_group[i], "status");
        if (*rig_key(w->rig, world_group[i], "preemptor") || strcmp(status, "Preempting") == 0) {
            rig_fail(w->rig, "group %s is still part of a preemption", world_group[i]);
        }
    }
}

void world_check_mended(struct world *w)
{
    const struct rig_object *o;
    for (int i = 0; i < WORLD_GROUPS; i++) {
        check_group(w, i);
    }
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && !*world_group_of(w, o) && skr_pod_is_live(o->pod) &&
            !*o->pod->node_name) {
            rig_fail(w->rig, "ordinary pod %s is not bound", o->key);
        }
    }
    check_no_victims(w);
    derived_check_mended(w);
    rig_assert_clean(w->rig);
    assert_int_equal(rig_open_calls(w->rig), 0);
    assert_null(w->rig->writes);
}
