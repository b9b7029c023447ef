/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges of preemption, behind the choice of victims (engine_rig_victims.c).
 *
 *   a_record_comes_first      nobody is evicted whom no record of a plan that the engine can know names, but a pod that
 *                             breaks its word in reserved room (engine_rig_promises.c)
 *   nobody_goes_on_beside     no member is nominated or let through a gate where victims fill its room
 *   victims_go_whole          when a plan goes on, or waits for a group no more, nobody of a group of which somebody was
 *                             evicted stays
 *   nothing_is_in_vain        a plan for which somebody was evicted ends in Binding, unless the world changed, a
 *                             third group pushes its own out, or pods that it must run beside, the group has room without them, or a new life cannot read the map of a victim or has not
 *                             heard yet that anybody was evicted
 *
 * They know what the API server stores, what the engine has heard of it, and which requests it makes; never what it thinks.
 *
 * Who was touched for a plan goes on for whoever pushes that plan out: a group of which somebody was evicted goes as a
 * whole, whatever priority and size it is given and whatever its budget says since, and evictions are asked for until
 * the budget grants them.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

/* Nobody who starts anew knows what a malformed map said before. */
static bool is_malformed(const struct rig *rig, const char *group)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        char name[600];
        rig_group_of(o->json, name, sizeof name);
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

/* From here on, all but those that the plan waits for yet. */
static void may_come_again(json_t *groups, const json_t *still)
{
    for (size_t i = json_array_size(groups); i-- > 0;) {
        if (!rig_lists(still, json_string_value(json_array_get(groups, i)))) {
            json_array_remove(groups, i);
        }
    }
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
        rig_group_of(o->json, group, sizeof group);
        bool begun = rig_pod_runs(o) && rig_lists(groups, group) && !rig_lists(still, group);
        if (begun && is_known_bound(rig, o) && !is_malformed(rig, group)) {
            rig_fail(rig, "plan %s lets %s of %s be, which was not evicted", id, o->key, group);
        }
    }
    may_come_again(groups, still);
}

static bool fills(const struct rig_object *o)
{
    return o->kind == RIG_POD && *o->pod->node_name && o->pod->phase != SKR_POD_SUCCEEDED &&
           o->pod->phase != SKR_POD_FAILED;
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
        at->cpu_used + rig_planned_cpu(rig, plan, node) <= rig_cpu_of(&at->node->allocatable)) {
        return;
    }
    DL_FOREACH(rig->list, o)
    {
        if (fills(o) && strcmp(o->pod->node_name, node) == 0 &&
            rig_is_victim(json_object_get(kept, "victims"), o) && is_known_bound(rig, o)) {
            rig_fail(rig, "%s goes on to %s, where victim %s still is", pod->key, node, o->key);
        }
    }
}

/* It leaves for a seat that an object of its own group names. */
static bool has_seat(const struct rig *rig, const struct rig_object *pod)
{
    static const enum rig_kind home[] = {RIG_MAP, RIG_PODGROUP};
    bool found = false;
    for (size_t i = 0; i < sizeof home / sizeof *home && !found; i++) {
        json_auto_t *list = rig_known(rig, home[i]);
        for (size_t k = 0; k < json_array_size(list) && !found; k++) {
            const json_t *notes = json_object_get(
                json_object_get(json_array_get(list, k), "metadata"), "annotations");
            const char *text = json_string_value(json_object_get(notes, "sakkara.seats"));
            json_auto_t *seats = text ? json_loads(text, 0, NULL) : NULL;
            found = json_object_get(json_object_get(seats, "seats"), pod->pod->meta.uid);
        }
    }
    return found;
}

void rig_preemption_evicts(struct rig *rig, const struct rig_write *w, const struct rig_object *pod)
{
    static const enum rig_kind home[] = {RIG_MAP, RIG_PODGROUP, RIG_POD};
    bool found = has_seat(rig, pod) || rig_promises_break(rig, pod);
    for (size_t i = 0; i < sizeof home / sizeof *home && !found; i++) {
        json_auto_t *list = rig_known(rig, home[i]);
        for (size_t k = 0; k < json_array_size(list) && !found; k++) {
            json_auto_t *plan = rig_stored_plan(json_array_get(list, k));
            found = rig_is_preempting(plan) && rig_is_victim(json_object_get(plan, "victims"), pod);
            json_t *kept = found ? json_object_get(rig->preempting, rig_text(plan, "id")) : NULL;
            if (kept) {
                char group[600], single[700];
                rig_group_of(pod->json, group, sizeof group);
                const bool whole = rig_lists(json_object_get(plan, "victims"), group);
                snprintf(single, sizeof single, "%s@%s", pod->key, pod->pod->meta.uid);
                json_object_set_new(json_object_get(kept, "asked"), w->key,
                                    json_string(whole ? group : single));
                if (!json_object_get(kept, "since")) {
                    json_object_set_new(kept, "since", json_integer((json_int_t)rig->disturbances));
                    json_object_set_new(kept, "life", json_integer((json_int_t)rig->n_lives));
                }
            }
        }
    }
    if (!found) {
        rig_fail(rig, "%s is evicted before a plan that says so is persisted", w->key);
    }
}

/* The same plan may come again, with other victims or none. */
static void forget_plan(struct rig *rig, const char *id)
{
    json_object_del(rig->preempting, id);
    json_object_del(rig->chosen, id);
}

/* Some pod whose eviction was asked for is not there any more, or goes, by what the engine has heard. */
static bool knows_of_evictions(const struct rig *rig, const json_t *kept)
{
    const char *pod;
    json_t *group;
    json_object_foreach(json_object_get(kept, "asked"), pod, group)
    {
        const json_t *heard = json_object_get(rig->heard[RIG_POD], pod);
        if (!heard || *rig_text(heard, "metadata.deletionTimestamp")) {
            return true;
        }
    }
    return false;
}

void rig_preemption_asked(struct rig *rig, const struct rig_write *w, const struct rig_object *home)
{
    json_auto_t *plan = rig_plan_in(w);
    const char *id = rig_text(plan, "id");
    const char *was_in = rig_text(json_object_get(rig->preempting, id), "home");
    if (home && *was_in && strcmp(was_in, rig_text(home->json, "metadata.uid")) != 0) {
        forget_plan(rig, id); /* its object was deleted, and made anew */
    }
    const char *before = json_string_value(json_object_get(rig->standing, w->key));
    json_t *ended =
        before && strcmp(before, id) != 0 ? json_object_get(rig->preempting, before) : NULL;
    if (ended) {
        json_object_set_new(ended, "unheard", json_boolean(!knows_of_evictions(rig, ended)));
    }
    json_t *kept = json_object_get(rig->preempting, id);
    const json_t *victims = json_object_get(plan, "victims");
    if (json_object_get(plan, "moved")) {
        json_object_set_new(rig->chosen, id, json_true()); /* no choice by priority */
    } else if (rig_is_preempting(plan) && home && !json_object_get(rig->chosen, id)) {
        char preemptor[600];
        json_object_set_new(rig->chosen, id, json_true());
        rig_group_of(home->json, preemptor, sizeof preemptor);
        rig_victims_chosen(rig, preemptor, plan);
    } else if (plan && kept && !rig_is_preempting(plan)) {
        victims_go_whole(rig, id, kept, NULL);
    }
    if (rig_is_preempting(plan) && kept) {
        victims_go_whole(rig, id, kept, victims);
    }
}

/* Other groups must run beside it. */
static bool is_partner(const struct rig *rig, const char *pod)
{
    return rig->partners && strcmp(rig_label(rig, pod, "sakkara.group.name"), rig->partners) == 0;
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
        } else if (is_partner(rig, pod)) {
            json_object_set_new(kept, "partners", json_true());
        }
    }
}

/* Its group gives way itself. */
static bool is_pushed_out(const struct rig *rig, const struct rig_object *home)
{
    char group[600];
    const struct rig_object *o;
    bool found = false;
    rig_group_of(home->json, group, sizeof group);
    DL_FOREACH(rig->list, o)
    {
        json_auto_t *plan = rig_stored_plan(o->json);
        found = found || rig_lists(json_object_get(plan, "victims"), group);
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
    return (known && !json_is_true(json_object_get(kept, "unheard"))) ||
           json_integer_value(json_object_get(kept, "life")) == (json_int_t)rig->n_lives;
}

/* A pod whose eviction was asked for terminates for longer than the engine waits (victims_left.c), as after an outage. */
static bool is_overdue(const struct rig *rig, const json_t *kept)
{
    enum { LATE_S = 30 };
    const char *pod;
    json_t *group;
    json_object_foreach(json_object_get(kept, "asked"), pod, group)
    {
        const struct rig_object *o = rig_find(rig, RIG_POD, pod);
        if (o && o->pod->meta.deleting &&
            o->pod->meta.deleted_at + LATE_S * SKR_SECOND < rig->now) {
            return true;
        }
    }
    return false;
}

void rig_preemption_stored(struct rig *rig, const struct rig_write *w,
                           const struct rig_object *home)
{
    json_auto_t *plan = home ? rig_stored_plan(home->json) : NULL;
    const char *id = rig_text(plan, "id");
    const char *before = json_string_value(json_object_get(rig->standing, w->key));
    const json_t *ended =
        before && strcmp(before, id) != 0 ? json_object_get(rig->preempting, before) : NULL;
    const json_t *since = json_object_get(ended, "since");
    if (since && rig->is_calm && !json_object_get(rig->binding_ids, before) &&
        !json_is_true(json_object_get(ended, "moves")) &&
        !json_is_true(json_object_get(ended, "partners")) &&
        json_integer_value(since) == (json_int_t)rig->disturbances && !is_pushed_out(rig, home) &&
        knows_victims(rig, ended) && !is_overdue(rig, ended)) {
        rig_fail(rig, "%s: its plan %s ends, and somebody was evicted for it", w->key, before);
    }
    if (ended) {
        forget_plan(rig, before);
    }
    json_object_set_new(rig->standing, w->key, json_string(id));
    json_t *kept = json_object_get(rig->preempting, id);
    if (kept) { /* an eviction of one that terminated anyway may have arrived since this was asked for */
        may_come_again(json_object_get(kept, "begun"), json_object_get(plan, "victims"));
    } else if (rig_is_preempting(plan)) {
        json_object_set_new(rig->preempting, id,
                            json_pack("{s:O,s:O?,s:[],s:{},s:s}", "victims",
                                      json_object_get(plan, "victims"), "pods",
                                      json_object_get(plan, "victimPods"), "begun", "asked", "home",
                                      rig_text(home->json, "metadata.uid")));
    }
}

void rig_preemption_moves(struct rig *rig, const char *group)
{
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        char name[600];
        rig_group_of(o->json, name, sizeof name);
        json_auto_t *plan = strcmp(name, group) == 0 ? rig_stored_plan(o->json) : NULL;
        json_t *kept = plan ? json_object_get(rig->preempting, rig_text(plan, "id")) : NULL;
        if (kept) {
            json_object_set_new(kept, "moves", json_true());
        }
    }
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
