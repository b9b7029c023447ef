/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold whatever a test does: see engine_rig.h. */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/plan/member_record.h"
#include "test/unit/json_fast.h"

const char *rig_group_label(const json_t *pod)
{
    const char *name = rig_meta_text(pod, "labels", "sakkara.group.name");
    if (strcmp(rig_meta_text(pod, "labels", "ray.io/node-type"), "redis-cleanup") == 0) {
        return ""; /* KubeRay copied the label of the head */
    }
    return *name ? name : rig_meta_text(pod, "labels", "scheduling.x-k8s.io/pod-group");
}

json_t *rig_plan_in(const struct rig_write *w)
{
    json_t *list = json_object_get(json_object_get(w->body, "metadata"), "annotations");
    const char *text = json_string_value(json_object_get(list, "sakkara.plan"));
    return text ? json_fast_read(text, strlen(text), NULL) : NULL;
}

/* The plan that the object carries, if it is one of the pod's group. */
static json_t *plan_of(const struct rig_object *o, const struct rig_object *pod)
{
    const char *text = rig_meta_text(o->json, "annotations", "sakkara.plan");
    const char *name = rig_text(o->json, "metadata.name");
    bool fits = strcmp(rig_text(o->json, "metadata.namespace"),
                       rig_text(pod->json, "metadata.namespace")) == 0;
    if (o->kind == RIG_MAP) {
        const char *own = rig_text(o->json, "data.name");
        name = *own ? own : name;
    } else if (o->kind == RIG_POD) {
        name = rig_group_label(o->json);
    }
    fits = fits && *text && strcmp(name, rig_group_label(pod->json)) == 0;
    json_t *plan = fits ? json_fast_read(text, strlen(text), NULL) : NULL;
    bool preempting = strcmp(rig_text(plan, "state"), "Preempting") == 0;
    if (plan && (preempting || !json_object_get(plan, "v"))) { /* not yet, or a member's own */
        json_decref(plan);
        plan = NULL;
    }
    return plan;
}

static bool covers(const json_t *plan, const char *uid)
{
    const json_t *members = json_object_get(plan, "members");
    return plan && (!members || json_object_get(members, uid));
}

json_t *rig_plan_with(const struct rig *rig, const struct rig_object *pod)
{
    const struct rig_object *o;
    const char *uid = rig_text(pod->json, "metadata.uid");
    DL_FOREACH(rig->list, o)
    {
        json_t *plan = o->kind == RIG_NODE ? NULL : plan_of(o, pod);
        if (covers(plan, uid)) {
            return plan;
        }
        json_decref(plan);
    }
    return NULL;
}

/* Of the pod's own annotation. */
static char *own_plan(const struct rig_object *pod, const char *field)
{
    const char *written = rig_meta_text(pod->json, "annotations", "sakkara.plan");
    json_auto_t *own = json_fast_read(written, strlen(written), NULL);
    return skr_strdup(rig_text(own, field));
}

/* Of the annotation that the write brings, or else of the pod's own. */
static char *brought_plan(const struct rig_write *w, const struct rig_object *pod,
                          const char *field)
{
    const char *written = rig_meta_text(w->body, "annotations", "sakkara.plan");
    json_auto_t *own = json_fast_read(written, strlen(written), NULL);
    return own ? skr_strdup(rig_text(own, field)) : own_plan(pod, field);
}

/* The group's object went after Binding was persisted: the members' own plans count. */
static bool rolls_forward(const struct rig *rig, const struct rig_write *w,
                          const struct rig_object *pod)
{
    SKR_AUTO_FREE char *id = brought_plan(w, pod, "id");
    return *id && json_object_get(rig->binding_ids, id);
}

/* Whether the plan of all in the annotations names the pod. */
static bool names(const json_t *object, const char *uid)
{
    const char *written = rig_meta_text(object, "annotations", "sakkara.gang.plan");
    json_auto_t *all = json_fast_read(written, strlen(written), NULL);
    return json_object_get(json_object_get(all, "members"), uid);
}

/* News of a pod that goes, of which the engine does not know yet: it may have carried the plan. */
static bool somebody_goes_unheard(const struct rig *rig)
{
    const struct rig_watch *news;
    DL_FOREACH(rig->watches, news)
    {
        if (news->kind == RIG_POD &&
            (!news->json || *rig_text(news->json, "metadata.deletionTimestamp") ||
             strcmp(rig_text(news->json, "status.phase"), "Failed") == 0 ||
             strcmp(rig_text(news->json, "status.phase"), "Succeeded") == 0)) {
            return true;
        }
    }
    return false;
}

/* Once the pod is bound and the group's object gone, a daemon that starts finds every other member: it
 * carries its part of the plan, or somebody who is bound names it. */
static void check_trace(struct rig *rig, const struct rig_write *w, const struct rig_object *pod)
{
    SKR_AUTO_FREE char *id = brought_plan(w, pod, "id");
    const json_t *members = json_object_get(rig->binding_ids, id);
    const struct rig_object *o, *q;
    if (rig->settings.server_minor < SKR_TRACE_LABELS_FROM || !json_is_object(members) ||
        somebody_goes_unheard(rig)) {
        return;
    }
    DL_FOREACH(rig->list, o)
    {
        const char *uid = o->kind == RIG_POD && o != pod ? o->pod->meta.uid : "";
        if (!json_object_get(members, uid) || *o->pod->node_name || !skr_pod_is_live(o->pod)) {
            continue;
        }
        SKR_AUTO_FREE char *own = own_plan(o, "id");
        bool found = strcmp(own, id) == 0 || names(w->body, uid);
        DL_FOREACH(found ? NULL : rig->list, q)
        {
            found = found || (q->kind == RIG_POD && *q->pod->node_name && skr_pod_is_live(q->pod) &&
                              names(q->json, uid));
        }
        if (!found) {
            rig_fail(rig, "%s is bound before anybody would find %s", w->key, o->key);
        }
    }
}

/* kube-scheduler has asked for a pod with claims before room is reserved for it, or has counted nodes. */
static void check_claims(struct rig *rig, const struct rig_object *pod)
{
    const char *says = pod->pod->scheduled_message;
    bool is_asked =
        pod->n_filters > 0 || strstr(says, "sakkara:") || strstr(says, "nodes are available: 2 ");
    if (pod->pod->shape->late_capacity && !is_asked && rig->n_lives == 0) {
        rig_fail(rig, "%s is nominated before kube-scheduler has asked for it", pod->key);
    }
}

static void check_kick(struct rig *rig, const struct rig_write *w, const struct rig_object *pod)
{
    const char *node = rig_text(w->body, "status.nominatedNodeName");
    bool nominates = *node != '\0';
    if (!nominates && w->kind != SKR_WRITE_UNGATE_POD) {
        return;
    }
    if (!*rig_group_label(pod->json)) {
        return;
    }
    json_t *own = json_loads(rig_meta_text(w->body, "annotations", "sakkara.plan"), 0, NULL);
    if (!nominates && !own && !*pod->pod->nominated_node && pod->pod->shape->late_capacity) {
        return; /* without a plan, so that kube-scheduler looks at its claims */
    }
    if (w->kind == SKR_WRITE_UNGATE_POD) { /* it brings its part of the plan, or has it */
        node = own ? rig_text(own, "node") : pod->pod->nominated_node;
    }
    json_t *plan = rig_plan_with(rig, pod);
    const char *planned =
        json_string_value(json_object_get(json_object_get(plan, "members"), pod->pod->meta.uid));
    bool good = plan && (!planned || strcmp(planned, node) == 0 || !*node);
    char told[160];
    snprintf(told, sizeof told, "%s %s", pod->pod->meta.uid, node);
    if (rig->users_meddle && (json_object_get(rig->persisted, told) || !*node)) {
        good = true;
    }
    if (!good && !rolls_forward(rig, w, pod)) {
        rig_fail(rig, "%s is activated to '%s' before a plan that says so is persisted", w->key,
                 node);
    }
    if (nominates) {
        check_claims(rig, pod);
    }
    rig_preemption_kicks(rig, pod, plan, node);
    json_decref(plan);
    json_decref(own);
    const struct rig_call *call;
    DL_FOREACH(rig_first_open(rig), call)
    {
        if (call->state == RIG_OPEN && nominates && strcmp(call->uid, pod->pod->meta.uid) == 0) {
            rig_fail(rig, "%s is nominated while it is parked", w->key);
        }
    }
}

static void check_one_patch(struct rig *rig, const struct rig_write *w)
{
    const struct rig_write *other;
    DL_FOREACH(rig->writes, other)
    {
        if (rig_patches_member(other) && strcmp(other->key, w->key) == 0 &&
            strcmp(rig_text(other->body, "metadata.uid"), rig_text(w->body, "metadata.uid")) == 0) {
            rig_fail(rig, "%s is patched while a patch is in flight", w->key);
        }
    }
}

static void check_binding(struct rig *rig, const struct rig_write *w, const struct rig_object *pod)
{
    const char *node = rig_text(w->body, "target.name");
    const struct rig_call *call;
    bool open = false;
    DL_FOREACH(rig_first_open(rig), call)
    {
        open = open || (call->state == RIG_OPEN && strcmp(call->uid, pod->pod->meta.uid) == 0 &&
                        strcmp(call->node, node) == 0);
    }
    if (!open) {
        rig_fail(rig, "a Binding of %s to %s without a bind call", w->key, node);
    }
    const struct rig_watch *news; /* the engine may not know yet that the node went */
    DL_SEARCH_SCALAR(rig->watches, news, kind, RIG_NODE);
    if (!rig_find(rig, RIG_NODE, node) && !news) {
        rig_fail(rig, "a Binding of %s to %s, which does not exist", w->key, node);
    }
    if (!*rig_group_label(pod->json)) {
        return;
    }
    json_t *plan = rig_plan_with(rig, pod);
    const char *state = rig_text(plan, "state");
    if (strcmp(state, "Binding") != 0 && !rolls_forward(rig, w, pod)) {
        rig_fail(rig, "a Binding of %s in state '%s'", w->key, state);
    }
    json_decref(plan);
    const bool travels = rig->settings.server_minor >= SKR_TRACE_LABELS_FROM;
    const json_t *ranked = travels ? w->body : pod->json;
    if (!*rig_meta_text(ranked, "labels", "sakkara.member.rank")) {
        rig_fail(rig, "a Binding of %s, which has no rank yet", w->key);
    }
    check_trace(rig, w, pod);
}

static const struct rig_object *home_of(const struct rig *rig, const struct rig_write *w)
{
    const struct rig_object *o =
        w->kind == SKR_WRITE_PATCH_CONFIGMAP  ? rig_find(rig, RIG_MAP, w->key)
        : w->kind == SKR_WRITE_PATCH_PODGROUP ? rig_find(rig, RIG_PODGROUP, w->key)
                                              : NULL;
    return o || w->kind != SKR_WRITE_PATCH_PODGROUP ? o : rig_find(rig, RIG_NATIVE, w->key);
}

/* Pods that Jobs do not make again, because so many have succeeded that fewer are left than run at once.
 * The pods may be gone. */
static json_int_t not_made_again(const struct rig *rig)
{
    const struct rig_object *o;
    json_int_t n = 0;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind != RIG_JOB) {
            continue;
        }
        const json_t *spec = json_object_get(o->json, "spec");
        const json_int_t done =
            json_integer_value(json_object_get(json_object_get(o->json, "status"), "succeeded"));
        const json_int_t left = json_integer_value(json_object_get(spec, "completions")) - done;
        const json_int_t more = json_integer_value(json_object_get(spec, "parallelism")) - left;
        n += done > 0 && more > 0 ? more : 0;
    }
    return n;
}

/* A gang of which nobody runs yet is bound as a whole. */
static void check_size(struct rig *rig, const struct rig_write *w, const json_t *plan)
{
    const struct rig_object *map = rig_find(rig, RIG_MAP, w->key);
    const char *node;
    json_t *count;
    json_int_t planned = 0;
    if (w->kind != SKR_WRITE_PATCH_CONFIGMAP || !map || rig->users_meddle ||
        rig_n_bound(rig, rig_text(map->json, "data.name")) > 0) {
        return;
    }
    json_object_foreach(json_object_get(plan, "nodes"), node, count)
    {
        planned += json_integer_value(count);
    }
    const char *minimum = rig_text(map->json, "data.minimum");
    if (planned + not_made_again(rig) <
        atoi(*minimum ? minimum : rig_text(map->json, "data.size"))) {
        rig_fail(rig, "%s is to be bound with %lld members", w->key, (long long)planned);
    }
}

/* State Binding is asked for: everybody in the plan is bound or has voted. */
static void check_barrier(struct rig *rig, const struct rig_write *w)
{
    const char *uid;
    json_t *node;
    json_auto_t *plan = rig_plan_in(w);
    if (strcmp(rig_text(plan, "state"), "Binding") == 0 &&
        !json_object_get(rig->binding_ids, rig_text(plan, "id"))) {
        check_size(rig, w, plan);
        rig_tree_binds(rig, home_of(rig, w), plan);
        json_object_foreach(json_object_get(plan, "members"), uid, node)
        {
            const struct rig_object *o;
            DL_FOREACH(rig->list, o)
            {
                if (o->kind == RIG_POD && strcmp(o->pod->meta.uid, uid) == 0 &&
                    !*o->pod->node_name &&
                    (!o->voted || strcmp(o->voted_node, json_string_value(node)) != 0)) {
                    rig_fail(rig, "Binding is persisted although %s has not voted", o->key);
                }
            }
        }
    }
}

static void check_planned_claims(struct rig *rig, const struct rig_write *w)
{
    json_auto_t *plan = rig_plan_in(w);
    rig_claims_judge(rig, plan);
}

void rig_watchdog_write(struct rig *rig, const struct rig_write *w)
{
    const struct rig_object *pod = rig_find(rig, RIG_POD, w->key);
    bool same = pod && strcmp(rig_text(w->body, "metadata.uid"), pod->pod->meta.uid) == 0;
    if (rig_patches_member(w)) {
        check_one_patch(rig, w);
        check_barrier(rig, w);
        if (same) {
            check_kick(rig, w, pod);
        }
    } else if (w->kind == SKR_WRITE_EVICT && pod) {
        rig_preemption_evicts(rig, w, pod);
    } else if ((w->kind == SKR_WRITE_DELETE_POD && !rig->settings.rollback_partial &&
                rig->settings.preempt_force_after == SKR_TIME_NEVER) ||
               (w->kind == SKR_WRITE_MARK_POD &&
                rig->settings.preempt_force_after == SKR_TIME_NEVER)) {
        rig_fail(rig, "%s is deleted past the eviction API", w->key);
    } else if (w->kind == SKR_WRITE_BINDING && same) {
        check_binding(rig, w, pod);
    } else if (w->kind == SKR_WRITE_PATCH_CONFIGMAP || w->kind == SKR_WRITE_PATCH_PODGROUP) {
        check_barrier(rig, w);
        check_planned_claims(rig, w);
        rig_preemption_asked(rig, w, home_of(rig, w));
    }
}

/* Its plan is over: that of who is bound later, with a trace that was left behind, need not lead to it. */
static void note_given_up(struct rig *rig, const struct rig_write *w)
{
    const struct rig_object *pod = rig_find(rig, RIG_POD, w->key);
    const json_t *list = json_object_get(json_object_get(w->body, "metadata"), "annotations");
    const char *id;
    json_t *members;
    char group[600];
    if (rig->is_dead || !pod || !json_is_null(json_object_get(list, "sakkara.plan"))) {
        return;
    }
    rig_group_of(pod->json, group, sizeof group);
    json_object_foreach(strcmp(rig_state(rig, group), "Binding") == 0 ? NULL : rig->binding_ids, id,
                        members)
    {
        json_object_del(members, pod->pod->meta.uid);
    }
}

/* Of ordinary pods that came to the node by a Binding of a process that was paused: their room was given away. */
static int64_t late_cpu(const struct rig *rig, const struct rig_object *node)
{
    const struct rig_object *o;
    int64_t sum = 0;
    DL_FOREACH(rig->list, o)
    {
        bool late = o->kind == RIG_POD && o->came_late && !*rig_group_label(o->json);
        sum += late && strcmp(o->accounted, node->key) == 0 ? o->accounted_cpu : 0;
    }
    return sum;
}

void rig_watchdog_applied(struct rig *rig, const struct rig_write *w)
{
    note_given_up(rig, w);
    json_t *plan = rig_plan_in(w);
    if (strcmp(rig_text(plan, "state"), "Binding") == 0) {
        json_t *members = home_of(rig, w) ? json_object_get(plan, "members") : NULL;
        json_object_set_new(rig->binding_ids, rig_text(plan, "id"),
                            members ? json_incref(members) : json_true());
    }
    const char *uid;
    json_t *member;
    bool waits = strcmp(rig_text(plan, "state"), "Preempting") == 0;
    json_object_foreach(waits ? NULL : json_object_get(plan, "members"), uid, member)
    {
        char told[160];
        snprintf(told, sizeof told, "%s %s", uid, json_string_value(member));
        json_object_set_new(rig->persisted, told, json_true());
    }
    json_decref(plan);
    if (home_of(rig, w)) {
        rig_preemption_stored(rig, w, home_of(rig, w));
    }
    if (w->kind == SKR_WRITE_EVICT) {
        rig_preemption_evicted(rig, w->key);
    }
    if (w->kind != SKR_WRITE_BINDING) {
        return;
    }
    const struct rig_object *pod = rig_find(rig, RIG_POD, w->key), *node;
    if (pod->bindings != 1) {
        rig_fail(rig, "%s was bound %zu times", w->key, pod->bindings);
    }
    node = rig_find(rig, RIG_NODE, pod->pod->node_name);
    /* An ordinary pod whose caller hung up is bound late, onto room that was given away. */
    if (!node || rig->allow_overfull || (rig->users_meddle && !*rig_group_label(pod->json))) {
        return;
    }
    for (size_t i = 0; i < node->node->allocatable.n; i++) {
        const struct skr_quantity_item *q = &node->node->allocatable.item[i];
        if (strcmp(q->name, "cpu") == 0 && q->amount < node->cpu_used &&
            q->amount < node->cpu_used - late_cpu(rig, node)) {
            rig_fail(rig, "%s is overfilled by %s", node->key, w->key);
        }
    }
}
