/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges of the choice of victims, by what the API server stores and what the engine has heard of it.
 *
 *   victims_are_lower         a victim has a lower priority than the preemptor; a victim in another namespace has pods
 *                             of lower priority, whatever maps say, unless all namespaces are trusted
 *   surplus_is_surplus        a group that loses single members keeps as many as its size
 *   budgets_allow             PodDisruptionBudgets let all victims go at once; nothing is deleted past them
 *   victims_leave             no victim may take longer to terminate than a plan may wait
 *   the_pusher_fits_then      the nodes of the plan have room for it once its victims are gone
 *
 * Users change objects under the engine's feet, so a version counts that the engine heard of last, or that is on
 * its way to it. Sums are compared when nothing is on its way. All but the last look at victims that were not touched
 * before, for this plan or for one that it pushed out.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/json_fast.h"

json_t *rig_stored_plan(const json_t *object)
{
    const char *text = rig_meta_text(object, "annotations", "sakkara.plan");
    json_t *plan = *text ? json_fast_read(text, strlen(text), NULL) : NULL;
    if (plan && !json_object_get(plan, "v")) { /* a member's own */
        json_decref(plan);
        plan = NULL;
    }
    return plan;
}

bool rig_is_preempting(const json_t *plan)
{
    return strcmp(rig_text(plan, "state"), "Preempting") == 0;
}

#define LWS "leaderworkerset.sigs.k8s.io/"

/* "podgroup/NAME" of a pod of a native PodGroup, "jobset/NAME" of a JobSet's, "lws/NAME/INDEX" of a LeaderWorkerSet's,
 * "job/NAME" of a Job's; false: none. */
static bool workload_name(const json_t *pod, char *ret, size_t size)
{
    const char *native = rig_text(pod, "spec.schedulingGroup.podGroupName");
    const char *set = rig_meta_text(pod, "labels", "jobset.sigs.k8s.io/jobset-name");
    const char *lws = rig_meta_text(pod, "labels", LWS "name");
    const json_t *owner =
        json_array_get(json_object_get(json_object_get(pod, "metadata"), "ownerReferences"), 0);
    if (*native) {
        snprintf(ret, size, "podgroup/%s", native);
    } else if (*lws) {
        snprintf(ret, size, "lws/%s/%s", lws, rig_meta_text(pod, "labels", LWS "group-index"));
    } else {
        snprintf(ret, size, "%s/%s", *set ? "jobset" : "job", *set ? set : rig_text(owner, "name"));
    }
    return *native || *lws || *set || owner;
}

/* The same of a pod whose annotation or PodGroup says that it is a member. */
static bool workload_of(const json_t *pod, char *ret, size_t size)
{
    const char *gang = rig_meta_text(pod, "annotations", "sakkara.gang");
    const bool native = *rig_text(pod, "spec.schedulingGroup.podGroupName");
    return strcmp(gang, "off") != 0 && (native || *gang) && workload_name(pod, ret, size);
}

/* Of a group's object, or a member: "namespace/name" of the group. */
void rig_group_of(const json_t *object, char *ret, size_t size)
{
    char workload[300];
    const char *name = rig_text(object, "data.name");
    name = *name ? name : rig_text(object, "metadata.name");
    if (json_object_get(json_object_get(object, "spec"), "schedulingPolicy")) { /* native */
        snprintf(workload, sizeof workload, "podgroup/%s", name);
        name = workload;
    }
    name = workload_of(object, workload, sizeof workload) ? workload : name;
    name = *rig_group_label(object) ? rig_group_label(object) : name;
    snprintf(ret, size, "%s/%s", rig_text(object, "metadata.namespace"), name);
}

bool rig_lists(const json_t *victims, const char *text)
{
    for (size_t i = 0; i < json_array_size(victims); i++) {
        if (strcmp(json_string_value(json_array_get(victims, i)), text) == 0) {
            return true;
        }
    }
    return false;
}

/* The victims name the pod or its group. */
bool rig_is_victim(const json_t *victims, const struct rig_object *pod)
{
    char group[600], single[700], name[300], other[600] = "";
    rig_group_of(pod->json, group, sizeof group);
    if (workload_name(pod->json, name, sizeof name)) { /* by its namespace, or as it was bound */
        snprintf(other, sizeof other, "%s/%s", pod->pod->meta.namespace_, name);
    }
    snprintf(single, sizeof single, "%s@%s", pod->key, pod->pod->meta.uid);
    return rig_lists(victims, group) || rig_lists(victims, single) || rig_lists(victims, other);
}

bool rig_pod_runs(const struct rig_object *o)
{
    return o->kind == RIG_POD && *o->pod->node_name && skr_pod_is_live(o->pod);
}

int64_t rig_cpu_of(const struct skr_quantities *q)
{
    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->item[i].name, "cpu") == 0) {
            return q->item[i].amount;
        }
    }
    return 0;
}

/* Nothing is on its way that would change a sum. */
static bool is_quiet(const struct rig *rig)
{
    const struct rig_write *w;
    DL_FOREACH(rig->writes, w)
    {
        const json_t *notes = json_object_get(json_object_get(w->body, "metadata"), "annotations");
        if (w->kind == SKR_WRITE_BINDING || w->kind == SKR_WRITE_EVICT ||
            w->kind == SKR_WRITE_DELETE_POD || json_object_get(notes, "sakkara.plan")) {
            return false;
        }
    }
    return !rig->watches;
}

static struct rig_object *pod_of_uid(const struct rig *rig, const char *uid)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && strcmp(o->pod->meta.uid, uid) == 0) {
            return o;
        }
    }
    return NULL;
}

/* What members of the plan that are not bound will take of the node. */
int64_t rig_planned_cpu(const struct rig *rig, const json_t *plan, const char *node)
{
    const char *uid;
    json_t *at;
    int64_t sum = 0;
    json_object_foreach(json_object_get(plan, "members"), uid, at)
    {
        const struct rig_object *pod =
            strcmp(json_string_value(at), node) == 0 ? pod_of_uid(rig, uid) : NULL;
        if (pod && !*pod->pod->node_name && skr_pod_is_live(pod->pod)) {
            sum += rig_cpu_of(&pod->pod->shape->requests);
        }
    }
    return sum;
}

/* Maps as they may be in force: of one that cannot be read the last version that could (docs/reference.md). An array
 * to be released. */
static json_t *maps_in_force(const struct rig *rig)
{
    json_t *known = rig_known(rig, RIG_MAP), *list = json_array();
    for (size_t i = 0; i < json_array_size(known); i++) {
        json_t *map = json_array_get(known, i);
        char key[600];
        snprintf(key, sizeof key, "%s/%s", rig_text(map, "metadata.namespace"),
                 rig_text(map, "metadata.name"));
        json_t *version =
            rig_is_readable(map) ? map : json_object_get(rig->heard[RIG_HEARD_READABLE], key);
        if (version) {
            json_array_append(list, version);
        }
    }
    json_decref(known);
    return list;
}

/* Priorities of the group in all versions that the engine can know; without a map it is 0. */
static void priorities(const struct rig *rig, const char *group, int *ret_least, int *ret_most)
{
    json_auto_t *maps = maps_in_force(rig);
    bool any = false;
    *ret_least = *ret_most = 0;
    for (size_t i = 0; i < json_array_size(maps); i++) {
        char name[600];
        const json_t *map = json_array_get(maps, i);
        rig_group_of(map, name, sizeof name);
        if (strcmp(name, group) != 0) {
            continue;
        }
        int priority = atoi(rig_text(map, "data.priority"));
        *ret_least = any && *ret_least < priority ? *ret_least : priority;
        *ret_most = any && *ret_most > priority ? *ret_most : priority;
        any = true;
    }
}

/* The group that a victim is, or is a member of; "" none. */
static void victim_group(const struct rig *rig, const char *victim, char *ret, size_t size)
{
    const char *uid = strchr(victim, '@');
    const struct rig_object *pod = uid ? pod_of_uid(rig, uid + 1) : NULL;
    snprintf(ret, size, "%s", uid ? "" : victim);
    if (pod && *rig_group_label(pod->json)) {
        rig_group_of(pod->json, ret, size);
    }
}

static bool is_of_other(const char *group, const char *preemptor)
{
    const size_t n = strcspn(preemptor, "/");
    return strncmp(group, preemptor, n) != 0 || group[n] != '/';
}

/* The least and the highest priority of the group's live pods that the engine has in its cache. */
static void classes(const struct rig *rig, const char *group, int *ret_least, int *ret_most)
{
    const struct rig_object *o;
    *ret_least = INT32_MAX;
    *ret_most = INT32_MIN;
    DL_FOREACH(rig->list, o)
    {
        char of[600];
        if (o->kind != RIG_POD || !skr_pod_is_live(o->pod) || !*rig_group_label(o->json) ||
            !json_object_get(rig->heard[RIG_POD], o->key)) {
            continue;
        }
        rig_group_of(o->json, of, sizeof of);
        if (strcmp(of, group) == 0) {
            *ret_least = o->pod->priority < *ret_least ? o->pod->priority : *ret_least;
            *ret_most = o->pod->priority > *ret_most ? o->pod->priority : *ret_most;
        }
    }
}

static void class_is_lower(struct rig *rig, const char *preemptor, const char *victim,
                           const char *group)
{
    int own, least, most;
    classes(rig, preemptor, &own, &most);
    classes(rig, group, &least, &most);
    if (most >= own && !*rig->settings.priority_trusted) {
        rig_fail(rig, "%s, whose pods have %d, shall give way to %s of another namespace and %d",
                 victim, most, preemptor, own);
    }
}

static void victims_are_lower(struct rig *rig, const char *preemptor, const json_t *victims)
{
    int least, most, own;
    priorities(rig, preemptor, &least, &own);
    if (own <= 0) {
        rig_fail(rig, "%s of priority %d preempts", preemptor, own);
    }
    for (size_t i = 0; i < json_array_size(victims); i++) {
        char group[600];
        const char *victim = json_string_value(json_array_get(victims, i));
        victim_group(rig, victim, group, sizeof group);
        if (*group && is_of_other(group, preemptor)) {
            class_is_lower(rig, preemptor, victim, group);
            if (!*rig->settings.priority_trusted) {
                continue;
            }
        }
        priorities(rig, group, &least, &most);
        if (*group && least >= own) {
            rig_fail(rig, "%s of priority %d shall give way to %s of %d", victim, least, preemptor,
                     own);
        }
    }
}

static int smallest_size(const struct rig *rig, const char *group)
{
    json_t *maps = maps_in_force(rig);
    int size = 0;
    for (size_t i = 0; i < json_array_size(maps); i++) {
        char name[600];
        const json_t *map = json_array_get(maps, i);
        rig_group_of(map, name, sizeof name);
        const char *minimum = rig_text(map, "data.minimum");
        int own = atoi(*minimum ? minimum : rig_text(map, "data.size"));
        size = strcmp(name, group) == 0 && (size == 0 || own < size) ? own : size;
    }
    json_decref(maps);
    return size;
}

/* Members of the group that run and are none of these. */
static int others(const struct rig *rig, const char *group, const json_t *victims)
{
    const struct rig_object *o;
    int n = 0;
    DL_FOREACH(rig->list, o)
    {
        char of[600] = "";
        if (rig_pod_runs(o) && *rig_group_label(o->json)) {
            rig_group_of(o->json, of, sizeof of);
        }
        n += strcmp(of, group) == 0 && !rig_is_victim(victims, o);
    }
    return n;
}

/* For a plan that stands: an eviction of it was granted, or was asked for, and members are missing otherwise. */
static bool is_touched(const struct rig *rig, const char *victim)
{
    const bool single = strchr(victim, '@');
    const char *id, *pod;
    json_t *kept, *of;
    bool begun = false, asked = false;
    int whole = single ? 0 : smallest_size(rig, victim);
    json_object_foreach(rig->preempting, id, kept)
    {
        const json_t *victims = json_object_get(kept, "victims");
        begun = begun || rig_lists(json_object_get(kept, "begun"), victim);
        for (size_t i = 0; i < json_array_size(victims); i++) {
            const bool is = strcmp(json_string_value(json_array_get(victims, i)), victim) == 0;
            const json_t *pods = json_array_get(json_object_get(kept, "pods"), i);
            whole = is && json_integer_value(pods) > whole ? (int)json_integer_value(pods) : whole;
        }
        json_object_foreach(json_object_get(kept, "asked"), pod, of)
        {
            asked = asked || strcmp(json_string_value(of), victim) == 0;
        }
    }
    return begun || (asked && (single || others(rig, victim, NULL) < whole));
}

/* An array to be released. */
static json_t *untouched(const struct rig *rig, const json_t *victims)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(victims); i++) {
        json_t *victim = json_array_get(victims, i);
        if (!is_touched(rig, json_string_value(victim))) {
            json_array_append(list, victim);
        }
    }
    return list;
}

/* Its group was pushed out since it was chosen. */
static bool terminates(const struct rig *rig, const char *victim)
{
    const char *uid = strchr(victim, '@');
    const struct rig_object *pod = uid ? pod_of_uid(rig, uid + 1) : NULL;
    return pod && pod->pod->meta.deleting;
}

static void surplus_is_surplus(struct rig *rig, const json_t *victims, const json_t *chosen)
{
    for (size_t i = 0; i < json_array_size(chosen); i++) {
        char group[600];
        const char *victim = json_string_value(json_array_get(chosen, i));
        victim_group(rig, victim, group, sizeof group);
        if (!*group || rig_lists(victims, group) || terminates(rig, victim)) {
            continue;
        }
        const int stay = others(rig, group, victims);
        if (stay < smallest_size(rig, group)) {
            rig_fail(rig, "%s is no surplus: %d members would stay", victim, stay);
        }
    }
}

static void victims_leave(struct rig *rig, const json_t *victims)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        const bool is_known = o->kind == RIG_POD && json_object_get(rig->heard[RIG_POD], o->key);
        if (is_known && rig_pod_runs(o) && rig_is_victim(victims, o) &&
            rig_grace_of(o) > rig->settings.plan_timeout) {
            rig_fail(rig, "%s shall leave, and may take %lld s", o->key,
                     (long long)(rig_grace_of(o) / SKR_SECOND));
        }
    }
}

static void budgets_allow(struct rig *rig, const json_t *victims)
{
    const struct rig_object *budget, *o;
    DL_FOREACH(rig->list, budget)
    {
        const json_t *status = json_object_get(budget->json, "status");
        const json_t *labels = json_object_get(
            json_object_get(json_object_get(budget->json, "spec"), "selector"), "matchLabels");
        const char *group = json_string_value(json_object_get(labels, "sakkara.group.name"));
        int go = 0;
        if (budget->kind != RIG_BUDGET || !group) {
            continue;
        }
        DL_FOREACH(rig->list, o)
        {
            go += rig_pod_runs(o) && rig_is_victim(victims, o) &&
                  strcmp(rig_meta_text(o->json, "labels", "sakkara.group.name"), group) == 0;
        }
        if (go > json_integer_value(json_object_get(status, "disruptionsAllowed"))) {
            rig_fail(rig, "budget %s does not let %d pods go", budget->key, go);
        }
    }
}

/* Whoever leads anew takes a plan up only when a member carries a trace of it, or all of its members are there: the text
 * of any other stands until it can be removed, and keeps no room. */
static bool is_taken_up(const struct rig *rig, const json_t *plan)
{
    const char *uid;
    json_t *node;
    bool all = true;
    if (strcmp(rig_text(plan, "state"), "Planned") != 0) {
        return true;
    }
    json_object_foreach(json_object_get(plan, "members"), uid, node)
    {
        const struct rig_object *pod = pod_of_uid(rig, uid);
        const bool live = pod && skr_pod_is_live(pod->pod);
        const char *own = live ? rig_meta_text(pod->json, "annotations", "sakkara.plan") : "";
        if (strstr(own, rig_text(plan, "id"))) {
            return true;
        }
        all = all && live;
    }
    return all;
}

/* Room of a node for a plan: without its victims, those of other plans, and pods that terminate; other plans have
 * theirs. */
static int64_t room_for(const struct rig *rig, const struct rig_object *node, const char *preemptor,
                        const json_t *victims)
{
    const struct rig_object *o, *p;
    int64_t room = rig_cpu_of(&node->node->allocatable);
    json_t *going = json_deep_copy(victims);
    DL_FOREACH(rig->list, o)
    {
        char group[600];
        bool is_gone = o->kind == RIG_POD && !skr_pod_is_live(o->pod);
        json_auto_t *plan = is_gone ? NULL : rig_stored_plan(o->json);
        rig_group_of(o->json, group, sizeof group);
        if (plan && strcmp(group, preemptor) != 0 && is_taken_up(rig, plan)) {
            room -= rig_lists(victims, group) ? 0 : rig_planned_cpu(rig, plan, node->key);
            json_array_extend(going, json_object_get(plan, "victims"));
        }
    }
    DL_FOREACH(rig->list, p)
    {
        bool stays = rig_pod_runs(p) && strcmp(p->pod->node_name, node->key) == 0 &&
                     !rig_is_victim(going, p);
        room -= stays ? rig_cpu_of(&p->pod->shape->requests) : 0;
    }
    json_decref(going);
    return room;
}

static void the_pusher_fits_then(struct rig *rig, const char *preemptor, const json_t *plan)
{
    const char *uid;
    json_t *at;
    json_object_foreach(json_object_get(plan, "members"), uid, at)
    {
        const struct rig_object *node = rig_find(rig, RIG_NODE, json_string_value(at));
        if (!node) {
            rig_fail(rig, "%s plans on %s, which is gone", preemptor, json_string_value(at));
            return;
        }
        int64_t room = room_for(rig, node, preemptor, json_object_get(plan, "victims"));
        int64_t want = rig_planned_cpu(rig, plan, node->key);
        if (want > room) {
            rig_fail(rig, "%s needs %lld of %s and has %lld when its victims are gone", preemptor,
                     (long long)want, node->key, (long long)room);
        }
    }
}

void rig_victims_chosen(struct rig *rig, const char *preemptor, const json_t *plan)
{
    const json_t *victims = json_object_get(plan, "victims");
    json_auto_t *fresh = untouched(rig, victims);
    victims_are_lower(rig, preemptor, fresh);
    victims_leave(rig, fresh);
    if (is_quiet(rig)) {
        surplus_is_surplus(rig, victims, fresh);
        budgets_allow(rig, fresh);
        the_pusher_fits_then(rig, preemptor, plan);
    }
}
