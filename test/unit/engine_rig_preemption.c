/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges of preemption. They know what the API server stores, what the engine has heard of it, and which
 * requests it makes; never what it thinks.
 *
 *   a_record_comes_first      nobody is evicted whom no record of a plan that the engine can know names
 *   victims_are_lower         groups that give way are of lower priority than who pushes them
 *   surplus_is_surplus        who gives up single members keeps as many as its size
 *   budgets_allow             PodDisruptionBudgets let all victims go at once; nothing is deleted past them
 *   the_pusher_fits_then      the nodes of the plan have room for it once its victims are gone
 *   nobody_goes_on_beside     no member is nominated or let through a gate where victims fill its room
 *   victims_go_whole          when a plan goes on, or waits for a group no more, nobody of a group of which somebody was
 *                             evicted stays
 *   nothing_is_in_vain        a plan for which somebody was evicted ends in Binding, unless the world changed, a
 *                             third group pushes its own out, or a new life cannot read the map of a victim
 *
 * Users change objects under the engine's feet, so a version counts that the engine heard of last, or that is on
 * its way to it. Sums are compared when nothing is on its way.
 *
 * Who was touched for a plan goes on for whoever pushes that plan out: a group of which somebody was evicted goes as a
 * whole, whatever priority and size it is given and whatever its budget says since, and evictions are asked for until
 * the budget grants them. The first judges of a choice look at the other victims.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/json_fast.h"

static const char *group_label(const json_t *pod)
{
    const char *name = rig_meta_text(pod, "labels", "sakkara.group.name");
    return *name ? name : rig_meta_text(pod, "labels", "scheduling.x-k8s.io/pod-group");
}

static json_t *stored_plan(const json_t *object)
{
    const char *text = rig_meta_text(object, "annotations", "sakkara.plan");
    json_t *plan = *text ? json_fast_read(text, strlen(text), NULL) : NULL;
    if (plan && !json_object_get(plan, "v")) { /* a member's own */
        json_decref(plan);
        plan = NULL;
    }
    return plan;
}

static bool is_preempting(const json_t *plan)
{
    return strcmp(rig_text(plan, "state"), "Preempting") == 0;
}

/* Of a group's object: "namespace/name" of the group. */
static void group_of(const json_t *object, char *ret, size_t size)
{
    const char *name = rig_text(object, "data.name");
    name = *name ? name : rig_text(object, "metadata.name");
    name = *group_label(object) ? group_label(object) : name;
    snprintf(ret, size, "%s/%s", rig_text(object, "metadata.namespace"), name);
}

static bool lists(const json_t *victims, const char *text)
{
    for (size_t i = 0; i < json_array_size(victims); i++) {
        if (strcmp(json_string_value(json_array_get(victims, i)), text) == 0) {
            return true;
        }
    }
    return false;
}

/* The victims name the pod or its group. */
static bool names(const json_t *victims, const struct rig_object *pod)
{
    char group[600], single[700];
    group_of(pod->json, group, sizeof group);
    snprintf(single, sizeof single, "%s/%s", pod->key, pod->pod->meta.uid);
    return lists(victims, group) || lists(victims, single);
}

static bool runs(const struct rig_object *o)
{
    return o->kind == RIG_POD && *o->pod->node_name && skr_pod_is_live(o->pod);
}

static bool fills(const struct rig_object *o)
{
    return o->kind == RIG_POD && *o->pod->node_name && o->pod->phase != SKR_POD_SUCCEEDED &&
           o->pod->phase != SKR_POD_FAILED;
}

static int64_t cpu_of(const struct skr_quantities *q)
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
static int64_t planned_cpu(const struct rig *rig, const json_t *plan, const char *node)
{
    const char *uid;
    json_t *at;
    int64_t sum = 0;
    json_object_foreach(json_object_get(plan, "members"), uid, at)
    {
        const struct rig_object *pod =
            strcmp(json_string_value(at), node) == 0 ? pod_of_uid(rig, uid) : NULL;
        if (pod && !*pod->pod->node_name && skr_pod_is_live(pod->pod)) {
            sum += cpu_of(&pod->pod->shape->requests);
        }
    }
    return sum;
}

/* ---- the choice ---- */

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
    json_t *maps = maps_in_force(rig);
    bool any = false;
    *ret_least = *ret_most = 0;
    for (size_t i = 0; i < json_array_size(maps); i++) {
        char name[600];
        const json_t *map = json_array_get(maps, i);
        group_of(map, name, sizeof name);
        if (strcmp(name, group) != 0) {
            continue;
        }
        int priority = atoi(rig_text(map, "data.priority"));
        *ret_least = any && *ret_least < priority ? *ret_least : priority;
        *ret_most = any && *ret_most > priority ? *ret_most : priority;
        any = true;
    }
    json_decref(maps);
}

/* The group that a victim is, or is a member of; "" none. */
static void victim_group(const struct rig *rig, const char *victim, char *ret, size_t size)
{
    const char *uid = strchr(strchr(victim, '/') + 1, '/');
    const struct rig_object *pod = uid ? pod_of_uid(rig, uid + 1) : NULL;
    snprintf(ret, size, "%s", uid ? "" : victim);
    if (pod && *group_label(pod->json)) {
        group_of(pod->json, ret, size);
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
        group_of(map, name, sizeof name);
        int own = atoi(rig_text(map, "data.size"));
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
        if (runs(o) && *group_label(o->json)) {
            group_of(o->json, of, sizeof of);
        }
        n += strcmp(of, group) == 0 && !names(victims, o);
    }
    return n;
}

/* For a plan that stands: an eviction of it was granted, or was asked for, and members are missing otherwise. */
static bool is_touched(const struct rig *rig, const char *victim)
{
    const bool single = strchr(strchr(victim, '/') + 1, '/');
    const char *id, *pod;
    json_t *kept, *of;
    bool begun = false, asked = false;
    int whole = single ? 0 : smallest_size(rig, victim);
    json_object_foreach(rig->preempting, id, kept)
    {
        const json_t *victims = json_object_get(kept, "victims");
        begun = begun || lists(json_object_get(kept, "begun"), victim);
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

static void surplus_is_surplus(struct rig *rig, const json_t *victims, const json_t *chosen)
{
    for (size_t i = 0; i < json_array_size(chosen); i++) {
        char group[600];
        const char *victim = json_string_value(json_array_get(chosen, i));
        victim_group(rig, victim, group, sizeof group);
        if (!*group || lists(victims, group)) {
            continue;
        }
        const int stay = others(rig, group, victims);
        if (stay < smallest_size(rig, group)) {
            rig_fail(rig, "%s is no surplus: %d members would stay", victim, stay);
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
            go += runs(o) && names(victims, o) &&
                  strcmp(rig_meta_text(o->json, "labels", "sakkara.group.name"), group) == 0;
        }
        if (go > json_integer_value(json_object_get(status, "disruptionsAllowed"))) {
            rig_fail(rig, "budget %s does not let %d pods go", budget->key, go);
        }
    }
}

/* Room of a node for a plan: without its victims, those of other plans, and pods that terminate; other plans have
 * theirs. */
static int64_t room_for(const struct rig *rig, const struct rig_object *node, const char *preemptor,
                        const json_t *victims)
{
    const struct rig_object *o, *p;
    int64_t room = cpu_of(&node->node->allocatable);
    json_t *going = json_deep_copy(victims);
    DL_FOREACH(rig->list, o)
    {
        char group[600];
        bool is_gone = o->kind == RIG_POD && !skr_pod_is_live(o->pod);
        json_t *plan = is_gone ? NULL : stored_plan(o->json);
        group_of(o->json, group, sizeof group);
        if (plan && strcmp(group, preemptor) != 0) {
            room -= lists(victims, group) ? 0 : planned_cpu(rig, plan, node->key);
            json_array_extend(going, json_object_get(plan, "victims"));
        }
        json_decref(plan);
    }
    DL_FOREACH(rig->list, p)
    {
        bool stays = runs(p) && strcmp(p->pod->node_name, node->key) == 0 && !names(going, p);
        room -= stays ? cpu_of(&p->pod->shape->requests) : 0;
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
        int64_t want = planned_cpu(rig, plan, node->key);
        if (want > room) {
            rig_fail(rig, "%s needs %lld of %s and has %lld when its victims are gone", preemptor,
                     (long long)want, node->key, (long long)room);
        }
    }
}

/* ---- on the way ---- */

/* Nobody who starts anew knows what a malformed map said before. */
static bool is_malformed(const struct rig *rig, const char *group)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        char name[600];
        group_of(o->json, name, sizeof name);
        if (o->kind == RIG_MAP && strcmp(name, group) == 0 && !rig_is_readable(o->json)) {
            return true;
        }
    }
    return false;
}

/* The engine has heard that the pod runs. Who takes over with old news of pods may have restored a plan whose Bindings
 * another leader made meanwhile: to it these members wait, and what it plans where they are, kube-scheduler refuses. */
static bool is_known_bound(const struct rig *rig, const struct rig_object *pod)
{
    const json_t *heard = json_object_get(rig->heard[RIG_POD], pod->key);
    return *rig_text(heard, "spec.nodeName");
}

/* still: whom the plan waits for yet; NULL: nobody, it goes on. */
static void victims_go_whole(struct rig *rig, const char *id, json_t *kept, const json_t *still)
{
    const struct rig_object *o;
    json_t *groups = json_object_get(kept, "begun");
    /* Whoever takes over believes no record about a group that is of higher priority by now. */
    bool changed =
        json_integer_value(json_object_get(kept, "since")) != (json_int_t)rig->disturbances &&
        json_integer_value(json_object_get(kept, "life")) != (json_int_t)rig->n_lives;
    DL_FOREACH(rig->list, o)
    {
        char group[600];
        if (changed) {
            break;
        }
        group_of(o->json, group, sizeof group);
        bool begun = runs(o) && lists(groups, group) && !lists(still, group);
        if (begun && is_known_bound(rig, o) && !is_malformed(rig, group)) {
            rig_fail(rig, "plan %s lets %s of %s be, which was not evicted", id, o->key, group);
        }
    }
    for (size_t i = json_array_size(groups); i-- > 0;) { /* from here on they may come again */
        if (!lists(still, json_string_value(json_array_get(groups, i)))) {
            json_array_remove(groups, i);
        }
    }
}

/* Of a pod that gets a nomination or loses its gate; node: its planned one. */
void rig_preemption_kicks(struct rig *rig, const struct rig_object *pod, const json_t *plan,
                          const char *node)
{
    const json_t *kept = json_object_get(rig->preempting, rig_text(plan, "id"));
    const struct rig_object *at = rig_find(rig, RIG_NODE, node), *o;
    const struct rig_watch *news;
    DL_SEARCH_SCALAR(rig->watches, news, kind, RIG_NODE);
    if (!kept || !at || news ||
        at->cpu_used + planned_cpu(rig, plan, node) <= cpu_of(&at->node->allocatable)) {
        return;
    }
    DL_FOREACH(rig->list, o)
    {
        if (fills(o) && strcmp(o->pod->node_name, node) == 0 &&
            names(json_object_get(kept, "victims"), o) && is_known_bound(rig, o)) {
            rig_fail(rig, "%s goes on to %s, where victim %s still is", pod->key, node, o->key);
        }
    }
}

void rig_preemption_evicts(struct rig *rig, const struct rig_write *w, const struct rig_object *pod)
{
    static const enum rig_kind home[] = {RIG_MAP, RIG_PODGROUP, RIG_POD};
    bool found = false;
    for (size_t i = 0; i < sizeof home / sizeof *home && !found; i++) {
        json_t *list = rig_known(rig, home[i]);
        for (size_t k = 0; k < json_array_size(list) && !found; k++) {
            json_t *plan = stored_plan(json_array_get(list, k));
            found = is_preempting(plan) && names(json_object_get(plan, "victims"), pod);
            json_t *kept = found ? json_object_get(rig->preempting, rig_text(plan, "id")) : NULL;
            if (kept) {
                char group[600], single[700];
                group_of(pod->json, group, sizeof group);
                const bool whole = lists(json_object_get(plan, "victims"), group);
                snprintf(single, sizeof single, "%s/%s", pod->key, pod->pod->meta.uid);
                json_object_set_new(json_object_get(kept, "asked"), w->key,
                                    json_string(whole ? group : single));
                if (!json_object_get(kept, "since")) {
                    json_object_set_new(kept, "since", json_integer((json_int_t)rig->disturbances));
                    json_object_set_new(kept, "life", json_integer((json_int_t)rig->n_lives));
                }
            }
            json_decref(plan);
        }
        json_decref(list);
    }
    if (!found) {
        rig_fail(rig, "%s is evicted before a plan that says so is persisted", w->key);
    }
}

static json_t *plan_in(const struct rig_write *w)
{
    json_t *list = json_object_get(json_object_get(w->body, "metadata"), "annotations");
    const char *text = json_string_value(json_object_get(list, "sakkara.plan"));
    return text ? json_fast_read(text, strlen(text), NULL) : NULL;
}

/* The same plan may come again, with other victims or none. */
static void forget_plan(struct rig *rig, const char *id)
{
    json_object_del(rig->preempting, id);
    json_object_del(rig->chosen, id);
}

void rig_preemption_asked(struct rig *rig, const struct rig_write *w, const struct rig_object *home)
{
    json_t *plan = plan_in(w);
    const char *id = rig_text(plan, "id");
    const char *was_in = rig_text(json_object_get(rig->preempting, id), "home");
    if (home && *was_in && strcmp(was_in, rig_text(home->json, "metadata.uid")) != 0) {
        forget_plan(rig, id); /* its object was deleted, and made anew */
    }
    json_t *kept = json_object_get(rig->preempting, id);
    const json_t *victims = json_object_get(plan, "victims");
    if (is_preempting(plan) && home && !json_object_get(rig->chosen, id)) {
        char preemptor[600];
        json_object_set_new(rig->chosen, id, json_true());
        group_of(home->json, preemptor, sizeof preemptor);
        json_t *fresh = untouched(rig, victims);
        victims_are_lower(rig, preemptor, fresh);
        if (is_quiet(rig)) {
            surplus_is_surplus(rig, victims, fresh);
            budgets_allow(rig, fresh);
            the_pusher_fits_then(rig, preemptor, plan);
        }
        json_decref(fresh);
    } else if (plan && kept && !is_preempting(plan)) {
        victims_go_whole(rig, id, kept, NULL);
    }
    if (is_preempting(plan) && kept) {
        victims_go_whole(rig, id, kept, victims);
    }
    json_decref(plan);
}

/* Its eviction was granted. */
void rig_preemption_evicted(struct rig *rig, const char *pod)
{
    const char *id;
    json_t *kept;
    json_object_foreach(rig->preempting, id, kept)
    {
        json_t *group = json_object_get(json_object_get(kept, "asked"), pod);
        if (group) {
            json_array_append(json_object_get(kept, "begun"), group);
        }
    }
}

/* Its group gives way itself. */
static bool is_pushed_out(const struct rig *rig, const struct rig_object *home)
{
    char group[600];
    const struct rig_object *o;
    bool found = false;
    group_of(home->json, group, sizeof group);
    DL_FOREACH(rig->list, o)
    {
        json_t *plan = stored_plan(o->json);
        found = found || lists(json_object_get(plan, "victims"), group);
        json_decref(plan);
    }
    return found;
}

/* Whoever starts anew believes no record about a group whose map cannot be read, and waits for nobody of it. */
static bool knows_victims(const struct rig *rig, const json_t *kept)
{
    const json_t *victims = json_object_get(kept, "victims");
    bool known = true;
    for (size_t i = 0; i < json_array_size(victims); i++) {
        known = known && !is_malformed(rig, json_string_value(json_array_get(victims, i)));
    }
    return known || json_integer_value(json_object_get(kept, "life")) == (json_int_t)rig->n_lives;
}

void rig_preemption_stored(struct rig *rig, const struct rig_write *w,
                           const struct rig_object *home)
{
    json_t *plan = home ? stored_plan(home->json) : NULL;
    const char *id = rig_text(plan, "id");
    const char *before = json_string_value(json_object_get(rig->standing, w->key));
    const json_t *ended =
        before && strcmp(before, id) != 0 ? json_object_get(rig->preempting, before) : NULL;
    const json_t *since = json_object_get(ended, "since");
    if (since && rig->is_calm && !json_object_get(rig->binding_ids, before) &&
        json_integer_value(since) == (json_int_t)rig->disturbances && !is_pushed_out(rig, home) &&
        knows_victims(rig, ended)) {
        rig_fail(rig, "%s: its plan %s ends, and somebody was evicted for it", w->key, before);
    }
    if (ended) {
        forget_plan(rig, before);
    }
    json_object_set_new(rig->standing, w->key, json_string(id));
    if (is_preempting(plan) && !json_object_get(rig->preempting, id)) {
        json_object_set_new(rig->preempting, id,
                            json_pack("{s:O,s:O?,s:[],s:{},s:s}", "victims",
                                      json_object_get(plan, "victims"), "pods",
                                      json_object_get(plan, "victimPods"), "begun", "asked", "home",
                                      rig_text(home->json, "metadata.uid")));
    }
    json_decref(plan);
}

void rig_preemption_fini(struct rig *rig)
{
    for (int i = 0; i < RIG_HEARD_COUNT; i++) {
        json_decref(rig->heard[i]);
    }
    json_decref(rig->preempting);
    json_decref(rig->chosen);
    json_decref(rig->standing);
}
