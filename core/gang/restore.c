/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group's earlier life, read from the API objects when the engine starts or takes over. Order of
 * arrival does not matter: it runs once all first lists are there, for every group before any of
 * them is decided upon.
 *
 *   the object's record says Planned   kept with the same nodes and ranks; aborted if a member is
 *                                      gone
 *   the object's record says Binding   finished; a member that is gone becomes a vacancy
 *   no record, but a bound member and  that id was Binding; the unbound are rolled forward
 *   unbound ones carry one plan id
 *   otherwise                          traces on unbound members are cleared by members.c
 */
#include "core/gang/restore.h"

#include "core/gang/assign.h"
#include "core/gang/dirty.h"
#include "core/gang/group_source.h"
#include "core/gang/group_state.h"
#include "core/gang/maps.h"
#include "core/gang/membership.h"
#include "core/gang/names.h"
#include "core/gang/nomination.h"
#include "core/gang/output.h"
#include "core/gang/outputs.h"
#include "core/gang/plan.h"
#include "core/gang/plan_home.h"
#include "core/gang/plan_loss.h"
#include "core/gang/plan_text.h"
#include "core/gang/pods.h"
#include "core/gang/shapes.h"
#include "core/gang/status.h"
#include "core/gang/trial.h"

#include <string.h>
#include <utlist.h>

static const struct skr_labels *object_keys(const struct group *g, const char **prefix)
{
    *prefix = "";
    if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        *prefix = "sakkara.";
        return &g->source.podgroup->pg->meta.annotations;
    }
    return g->source.map ? &g->source.map->map->data : NULL;
}

const char *restore_object_key(const struct group *g, const char *key)
{
    char full[128];
    const char *prefix;
    const struct skr_labels *keys = object_keys(g, &prefix);
    snprintf(full, sizeof full, "%s%s", prefix, key);
    return keys ? skr_labels_get(keys, full) : NULL;
}

static skr_time time_key(const struct group *g, const char *key)
{
    const char *text = restore_object_key(g, key);
    skr_time t = 0;
    return text && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

static void restore_conditions(struct group *g)
{
    const char *text = restore_object_key(g, "conditions");
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *type = json_string_value(json_object_get(item, "type"));
        const char *status = json_string_value(json_object_get(item, "status"));
        const char *since = json_string_value(json_object_get(item, "lastTransitionTime"));
        skr_time at;
        if (type && status && since && skr_time_parse(since, &at, NULL) == 0) {
            status_restore_condition(g, type, strcmp(status, "True") == 0,
                                     json_string_value(json_object_get(item, "reason")),
                                     json_string_value(json_object_get(item, "message")), at);
        }
    }
    json_decref(list);
}

/* What was reported before is not reported again. */
static void restore_keys(struct group *g)
{
    const char *solver = restore_object_key(g, "schedSolverTimeMilli");
    group_state_set_times(g, time_key(g, "schedBeginTime"), time_key(g, "schedEndTime"));
    trial_restore(g, solver ? strtoll(solver, NULL, 10) : 0);
    status_restore(g, restore_object_key(g, "status"), restore_object_key(g, "reason"));
    if (g->reported.status == SKR_STATUS_BOUND) { /* the pods may be gone */
        group_state_restore(g, GROUP_BOUND);
        outputs_restore(g, restore_object_key(g, "placement"), restore_object_key(g, "rank"));
    }
    restore_conditions(g);
}

/* ---- plans ---- */

static bool annotation_id(const struct pod_entry *p, char id[SKR_PLAN_ID_LEN + 1], char *node,
                          size_t size)
{
    const char *text = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
    return text && skr_member_plan_parse(text, id, node, size, NULL) == 0;
}

static void restore_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p,
                           const char *node)
{
    char id[SKR_PLAN_ID_LEN + 1];
    bool carried = annotation_id(p, id, NULL, 0) && strcmp(id, plan->id) == 0;
    plan_add_member(e, plan, p, node, carried || pods_is_bound(p) ? pods_rank_label(p) : -1);
    const char *retries = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RETRIES);
    const char *k = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_PLAN);
    plan_note_recorded(p);
    plan_set_retries(p, retries ? (int32_t)(strtol(retries, NULL, 10) & INT32_MAX) : 1);
    k = k ? strchr(k, '.') : NULL;
    nomination_restore(p, k ? (uint32_t)(strtoul(k + 1, NULL, 10) & UINT32_MAX) : 0);
    if (carried && !p->pod->gate && !pods_is_bound(p)) {
        nomination_kicked(e, p);
    }
}

/* Ranks follow from members and nodes: who carries none yet gets the one it would have got.
 */
static bool complete_ranks(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    struct pod_entry *p;
    size_t n = 0, lacking = 0;
    DL_FOREACH(g->members, p)
    {
        lacking += p->plan == plan && p->place.rank < 0;
    }
    if (lacking == 0) {
        return true;
    }
    if (!e->topology.tree) {
        return false;
    }
    struct skr_seat *seat = skr_alloc_array(g->n_members + 1, sizeof *seat);
    struct pod_entry **owner = skr_alloc_array(g->n_members + 1, sizeof *owner);
    int32_t *count = skr_alloc_array((size_t)e->topology.tree->n_leaves + 1, sizeof *count);
    bool good = true;
    DL_FOREACH(g->members, p)
    {
        bool claimed = p->plan != plan;
        const char *node = claimed ? p->pod->node_name : p->place.node;
        if (!skr_pod_is_live(p->pod) || !*node) {
            continue;
        }
        int32_t leaf = skr_tree_find_leaf(e->topology.tree, node);
        good = good && (claimed || leaf >= 0);
        owner[n] = p;
        seat[n++] = (struct skr_seat){.name = p->pod->meta.name,
                                      .node = claimed ? node : NULL,
                                      .leaf = claimed ? leaf : -1,
                                      .rank = claimed ? pods_rank_label(p) : -1,
                                      .claimed = claimed};
        if (leaf >= 0) {
            count[leaf]++;
        }
    }
    good = good && skr_assign(e->topology.tree, count, seat, n, NULL) == 0;
    for (size_t i = 0; good && i < n; i++) {
        good = seat[i].claimed || strcmp(seat[i].node, owner[i]->place.node) == 0;
    }
    for (size_t i = 0; good && i < n; i++) {
        if (!seat[i].claimed) {
            plan_set_rank(owner[i], seat[i].rank);
        }
    }
    free(seat);
    free(owner);
    free(count);
    return good;
}

static bool rank_is_taken(const struct group *g, int32_t rank)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        bool holds =
            p->plan ? p->place.rank == rank
                    : pods_is_bound(p) && skr_pod_is_live(p->pod) && pods_rank_label(p) == rank;
        if (holds) {
            return true;
        }
    }
    for (size_t i = 0; g->plan && i < g->plan->n_vacancies; i++) {
        if (g->plan->vacancy[i].rank == rank) {
            return true;
        }
    }
    return false;
}

/* Somebody of the record is gone: its seat is kept for a replacement, which will be like the
 * others. */
static void restore_vacancy(struct skr_gang *e, struct group *g,
                            const struct skr_plan_member *member)
{
    struct plan *plan = g->plan;
    struct pod_entry *like = membership_oldest(g);
    if (!like) {
        return;
    }
    struct vacancy v = {.node = names_intern(e, member->node), .shape = shapes_ref(like->shape)};
    bool known = strncmp(member->uid, "vacancy:", 8) == 0;
    size_t n = strlen(member->uid) + sizeof "vacancy:";
    v.uid = skr_alloc(n);
    snprintf(v.uid, n, "%s%s", known ? "" : "vacancy:", member->uid);
    while (rank_is_taken(g, v.rank)) {
        v.rank++;
    }
    plan_add_vacancy(e, plan, v);
}

static void restore_from_pods(struct skr_gang *e, struct group *g, struct plan *plan)
{
    struct pod_entry *p;
    char id[SKR_PLAN_ID_LEN + 1], node[256];
    DL_FOREACH(g->members, p)
    {
        if (!p->plan && skr_pod_is_live(p->pod) && annotation_id(p, id, node, sizeof node) &&
            strcmp(id, plan->id) == 0) {
            restore_member(e, plan, p, pods_is_bound(p) ? p->pod->node_name : node);
        }
    }
}

/* A record that was too long for its members: how many of those it counts carry no trace of it. In
 * Binding, which is committed only when all have one, these are gone; before it nobody had one. */
static size_t untold(struct skr_gang *e, struct group *g, const struct skr_plan_record *r)
{
    size_t missing = r->n_nodes == 0; /* not even the nodes had room */
    for (size_t i = 0; i < r->n_nodes; i++) {
        int32_t have = 0;
        const struct pod_entry *p;
        DL_FOREACH(g->members, p)
        {
            have += p->plan == g->plan && strcmp(p->place.node, r->node[i].node) == 0;
        }
        for (int32_t k = have; k < r->node[i].count; k++) {
            char uid[300];
            snprintf(uid, sizeof uid, "vacancy:%s/%d", r->node[i].node, k);
            missing++;
            if (r->state == SKR_PLAN_BINDING) {
                restore_vacancy(e, g, &(struct skr_plan_member){uid, r->node[i].node, -1});
            }
        }
    }
    return missing;
}

static struct plan *restored_plan(struct skr_gang *e, struct group *g, const char *id, bool binding)
{
    struct plan *plan = plan_create(e, g);
    snprintf(plan->id, sizeof plan->id, "%s", id);
    plan_restore(plan, binding, g->reported.status == SKR_STATUS_BOUND);
    dirty_plan_nodes(plan);
    plan_set_tree(plan, NULL); /* nor whether its rules held on this tree */
    group_state_restore(g, binding ? GROUP_BINDING : GROUP_PLANNED);
    return plan;
}

/* A user may have edited the group meanwhile: nobody remembers what the plan was made for. */
static bool has_right_size(const struct group *g)
{
    size_t bound = 0, size = (size_t)membership_size(g);
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        bound += pods_is_bound(p) && skr_pod_is_live(p->pod) && p->plan != g->plan;
    }
    size_t total = bound + g->plan->n_members;
    return g->spec && (bound > 0 ? total <= size : total == size);
}

static void restore_record(struct skr_gang *e, struct group *g, const struct skr_plan_record *r,
                           const struct pod_entry *anchor)
{
    bool binding = r->state == SKR_PLAN_BINDING;
    struct plan *plan = restored_plan(e, g, r->id, binding);
    plan_set_anchor(plan, anchor);
    size_t gone = 0;
    for (size_t i = 0; r->has_members && i < r->n_members; i++) {
        struct pod_entry *p = pods_find(e, r->member[i].uid);
        bool here = p && p->group == g && skr_pod_is_live(p->pod) && !p->plan;
        gone += !here;
        if (here) {
            restore_member(e, plan, p, r->member[i].node);
        }
    }
    if (!r->has_members) {
        restore_from_pods(e, g, plan);
    }
    bool ranked = complete_ranks(e, g);
    if (!r->has_members) {
        gone = untold(e, g, r);
    }
    for (size_t i = 0; binding && r->has_members && i < r->n_members; i++) {
        const struct pod_entry *p = pods_find(e, r->member[i].uid);
        if (!p || p->plan != plan) {
            restore_vacancy(e, g, &r->member[i]);
        }
    }
    plan_text_changed(e, plan);
    out_decision(e, g->key, "", "Plan restored", "", skr_plan_state_name(r->state), false);
    if (!binding && gone > 0) {
        plan_loss_abort(e, g, SKR_REASON_MEMBERS_MISSING, "a member went while the daemon was away",
                        false);
    } else if (!binding && !has_right_size(g)) {
        plan_loss_abort(e, g, SKR_REASON_NONE, "the group was changed", false);
    } else if (!binding && !ranked) {
        plan_loss_abort(e, g, SKR_REASON_NONE, "the plan does not fit the topology of now", false);
    }
}

/* An id that a bound member carries was Binding: its unbound members are finished. */
static void restore_lost_binding(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p, *q;
    char id[SKR_PLAN_ID_LEN + 1], other[SKR_PLAN_ID_LEN + 1];
    DL_FOREACH(g->members, p)
    {
        if (!pods_is_bound(p) || !skr_pod_is_live(p->pod) || !annotation_id(p, id, NULL, 0)) {
            continue;
        }
        DL_FOREACH(g->members, q)
        {
            if (pods_is_bound(q) || !skr_pod_is_live(q->pod) || !annotation_id(q, other, NULL, 0) ||
                strcmp(id, other) != 0) {
                continue;
            }
            struct plan *plan = restored_plan(e, g, id, true);
            restore_from_pods(e, g, plan);
            complete_ranks(e, g);
            plan_text_changed(e, plan);
            out_decision(e, g->key, "", "Plan restored", "", "Binding, from its members", false);
            return;
        }
    }
}

/* Everybody of the record who is still there is bound, and no seat is kept: nothing is left to do.
 */
static bool is_finished(const struct skr_gang *e, const struct group *g,
                        const struct skr_plan_record *r)
{
    if (r->state != SKR_PLAN_BINDING || !r->has_members) {
        return false;
    }
    for (size_t i = 0; i < r->n_members; i++) {
        const struct pod_entry *p = pods_find(e, r->member[i].uid);
        bool kept = strncmp(r->member[i].uid, "vacancy:", 8) == 0;
        if (kept || (p && p->group == g && skr_pod_is_live(p->pod) && !pods_is_bound(p))) {
            return false;
        }
    }
    return true;
}

/* The plan that a member of a group from labels carries for all; NULL: none that is not finished.
 */
static struct skr_plan_record *anchor_record(struct skr_gang *e, const struct group *g,
                                             const struct pod_entry **ret)
{
    const struct pod_entry *p;
    struct skr_plan_record *r;
    struct skr_error error;
    DL_FOREACH(g->members, p)
    {
        const char *text = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
        if (!text || !skr_pod_is_live(p->pod) || !strstr(text, "\"v\":1")) {
            continue;
        }
        if (skr_plan_parse(text, &r, &error) < 0) {
            out_decision(e, g->key, p->key, "Plan ignored", "", error.text, true);
            continue;
        }
        if (!is_finished(e, g, r)) {
            *ret = p;
            return r;
        }
        skr_plan_record_destroy(r);
    }
    return NULL;
}

/* The plan that the group's object carries. */
static struct skr_plan_record *object_record(struct skr_gang *e, const struct group *g)
{
    struct skr_plan_record *r = NULL;
    struct skr_error error;
    const char *text = plan_home_text(g);
    if (text && *text && skr_plan_parse(text, &r, &error) < 0) {
        out_decision(e, g->key, "", "Plan ignored", "", error.text, true);
    }
    return r;
}

void restore_group(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *anchor = NULL;
    if (g->restored) {
        return;
    }
    g->restored = true;
    group_source_resolve(e, g);
    membership_update(e, g);
    restore_keys(g);
    struct skr_plan_record *r =
        g->source.kind == SOURCE_LABELS ? anchor_record(e, g, &anchor) : object_record(e, g);
    if (r) {
        restore_record(e, g, r, anchor);
    } else {
        restore_lost_binding(e, g);
    }
    skr_plan_record_destroy(r);
    membership_changed(g);
    dirty_group(e, g);
}

void restore_again(struct group *g)
{
    g->restored = false;
}
