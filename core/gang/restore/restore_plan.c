/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores plans at the start.
 *
 *   the object's record says Planned   kept with the same nodes and ranks; aborted if a member is
 *                                      gone
 *   the object's record says Binding   completed; a member that is gone becomes a vacancy
 *   no record, but a bound member and  that id was Binding; the unbound are rolled forward
 *   unbound ones carry one plan id, or
 *   the bound one names the unbound
 *   otherwise                          members.c clears records on unbound members
 */
#include "core/gang/restore/restore_plan.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/roles_restore.h"
#include "core/gang/group/seating.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/plan/sampling.h"
#include "core/gang/plan/volume_turns.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_text.h"

#include <string.h>
#include <utlist.h>

/* ---- records ---- */

static bool annotation_id(const struct pod_entry *p, char id[SKR_PLAN_ID_LEN + 1], char *node,
                          size_t size)
{
    const char *text = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
    return text && skr_member_plan_parse(text, id, node, size, NULL) == 0;
}

static bool carries(const struct pod_entry *p, const char *id)
{
    char have[SKR_PLAN_ID_LEN + 1];
    return skr_pod_is_live(p->pod) && annotation_id(p, have, NULL, 0) && strcmp(have, id) == 0;
}

static bool anybody_carries(const struct group *g, const char *id)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (carries(p, id)) {
            return true;
        }
    }
    return false;
}

/* ---- members ---- */

static bool has_room(const struct skr_gang *e, const struct pod_entry *p, const char *node)
{
    return skr_pods_is_bound(p) || skr_ledger_fits(e->ledger, node, &p->shape->amounts, p->uid);
}

/* Filter rejected it, possibly before its last activation, and the daemon may not have had the plan
 * then. */
static bool was_turned_away(const struct pod_entry *p)
{
    return strstr(p->pod->scheduled_message, "sakkara:");
}

/* Activated by the removal of its gate; kube-scheduler has not tried it since, or has found its
 * node. */
static bool was_spared(const struct skr_gang *e, const struct pod_entry *p)
{
    return !*p->pod->nominated_node && skr_sampling_is_off(e) && !was_turned_away(p);
}

static void restore_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p,
                           const char *node)
{
    bool carried = carries(p, plan->id);
    skr_plan_add_member(e, plan, p, node,
                        carried || skr_pods_is_bound(p) ? skr_pods_rank_label(p) : -1);
    const char *retries = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RETRIES);
    const char *k = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_PLAN);
    if (carried) {
        skr_plan_note_roles(plan, skr_pods_annotation(p));
    }
    skr_plan_note_recorded(p);
    skr_plan_set_retries(p, retries ? (int32_t)(strtol(retries, NULL, 10) & INT32_MAX) : 1);
    k = k ? strchr(k, '.') : NULL;
    skr_nomination_restore(p, k ? (uint32_t)(strtoul(k + 1, NULL, 10) & UINT32_MAX) : 0);
    if (carried && !p->pod->gate && !skr_pods_is_bound(p)) {
        skr_nomination_activated(e, p);
        if (was_spared(e, p)) {
            skr_nomination_spare(p);
        } else if (was_turned_away(p)) {
            skr_nomination_turned_away(p, skr_nomination_mark(p->pod));
        }
    }
}

/* Deals the ranks of the plan's members again; false if that gives other nodes. kept: members stay
 * on their nodes with the ranks they carry, the others get the rest. */
static bool deal_ranks(struct skr_gang *e, struct group *g, bool kept)
{
    const struct plan *plan = g->plan;
    struct pod_entry *p;
    size_t n = 0;
    SKR_AUTO_FREE struct skr_seat *seat = skr_alloc_array(g->n_members + 1, sizeof *seat);
    SKR_AUTO_FREE int32_t *on = skr_alloc_array(g->n_members + 1, sizeof *on);
    SKR_AUTO_FREE struct pod_entry **owner = skr_alloc_array(g->n_members + 1, sizeof *owner);
    bool good = true;
    DL_FOREACH(g->members, p)
    {
        bool of_plan = p->plan == plan, claimed = kept || !of_plan;
        const char *node = of_plan ? p->place.node : p->pod->node_name;
        if (!skr_pod_is_live(p->pod) || !*node) {
            continue;
        }
        int32_t leaf = skr_tree_find_leaf(e->topology.tree, node);
        good = good && (!of_plan || leaf >= 0);
        owner[n] = p;
        on[n] = leaf;
        seat[n++] = (struct skr_seat){.node = claimed ? node : NULL,
                                      .leaf = claimed ? leaf : -1,
                                      .rank = !claimed  ? -1
                                              : of_plan ? p->place.rank
                                                        : skr_pods_rank_label(p),
                                      .claimed = claimed};
    }
    skr_member_order_seats(owner, seat, n, NULL);
    good = good && skr_seating_deal_known(g, e->topology.tree, on, seat, n, NULL) == 0;
    for (size_t i = 0; good && i < n; i++) { /* ranks already carried stay */
        int32_t told = owner[i]->plan == plan ? owner[i]->place.rank : -1;
        good = seat[i].claimed || (strcmp(seat[i].node, owner[i]->place.node) == 0 &&
                                   (told < 0 || told == seat[i].rank));
    }
    for (size_t i = 0; good && i < n; i++) {
        if (owner[i]->plan == plan && seat[i].rank >= 0) {
            skr_plan_set_rank(owner[i], seat[i].rank);
        }
    }
    return good;
}

/* Ranks follow from members and nodes: a member without one gets the rank it would have got. If an
 * older daemon dealt in another order, it gets a free one. */
static bool complete_ranks(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p;
    size_t lacking = 0;
    DL_FOREACH(g->members, p)
    {
        lacking += p->plan == g->plan && p->place.rank < 0;
    }
    return lacking == 0 ||
           (e->topology.tree && (deal_ranks(e, g, false) || deal_ranks(e, g, true)));
}

/* The plan's members have seats now: roles and sets are those of them. */
static void find_roles(struct skr_gang *e, struct group *g)
{
    if (g->roles.n > 1 || skr_roles_are_keyed(g)) {
        skr_membership_changed(g);
        skr_membership_update(e, g);
    }
}

/* ---- seats of members that are gone ---- */

/* The seat of a member whose loss an earlier process saw. It was kept for seconds, which are over. */
static bool is_vacancy(const char *uid)
{
    return strncmp(uid, "vacancy:", 8) == 0;
}

/* The seats that may be kept, and the ranks left for them. If the members are not equal, no seat is
 * kept, because the requests of the lost pod are not known. Its replacement is placed by its role. */
struct lost_seats {
    struct plan *plan;
    const struct pod_entry *like; /* replacements will be like it; NULL: no member is left */
    size_t left;                  /* how many more may be kept */
    uint8_t *taken;               /* [rank] */
    int32_t n_ranks, next;
};

static void take_rank(struct lost_seats *seats, int32_t rank)
{
    if (rank >= 0 && rank < seats->n_ranks) {
        seats->taken[rank] = 1;
    }
}

static void lost_seats_init(struct lost_seats *seats, struct group *g)
{
    size_t size = (size_t)skr_membership_size(g), needs = skr_membership_needs(g);
    const struct pod_entry *p;
    *seats = (struct lost_seats){
        .plan = g->plan,
        .like = skr_membership_oldest(g),
        .left = needs > g->seats.n_live ? needs - g->seats.n_live : 0,
        .n_ranks = (int32_t)size,
    };
    seats->taken = skr_alloc(size + 1);
    DL_FOREACH(g->members, p)
    {
        bool runs = skr_pods_is_bound(p) && skr_pod_is_live(p->pod);
        take_rank(seats, p->plan ? p->place.rank : runs ? skr_pods_rank_label(p) : -1);
    }
}

static void lost_seats_fini(struct lost_seats *seats)
{
    free(seats->taken);
}

static void keep_seat(struct skr_gang *e, struct lost_seats *seats, const char *uid,
                      const char *node)
{
    const struct pod_entry *like = seats->like;
    while (seats->next < seats->n_ranks && seats->taken[seats->next]) {
        seats->next++;
    }
    if (!like || skr_roles_are_several(seats->plan->group) || seats->left == 0 ||
        seats->next == seats->n_ranks ||
        !skr_ledger_fits(e->ledger, node, &like->shape->amounts, NULL)) {
        return;
    }
    struct vacancy v = {.node = skr_names_intern(e, node),
                        .rank = seats->next++,
                        .shape = skr_shapes_ref(like->shape)};
    size_t n = strlen(uid) + sizeof "vacancy:";
    v.uid = skr_alloc(n);
    snprintf(v.uid, n, "vacancy:%s", uid);
    skr_plan_add_vacancy(e, seats->plan, v);
    seats->left--;
}

/* ---- records too long to name their members ---- */

static void restore_from_pods(struct skr_gang *e, struct group *g, struct plan *plan)
{
    struct pod_entry *p;
    char id[SKR_PLAN_ID_LEN + 1], node[256];
    DL_FOREACH(g->members, p)
    {
        if (!p->plan && skr_pod_is_live(p->pod) && annotation_id(p, id, node, sizeof node) &&
            strcmp(id, plan->id) == 0) {
            restore_member(e, plan, p, skr_pods_is_bound(p) ? p->pod->node_name : node);
        }
    }
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Nodes of the plan's members, one per member, sorted; free(). */
static const char **nodes_of(const struct plan *plan, size_t *ret_n)
{
    const char **node = skr_alloc_array(plan->n_members + 1, sizeof *node);
    const struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan) {
            node[n++] = p->place.node;
        }
    }
    qsort(node, n, sizeof *node, by_string);
    *ret_n = n;
    return node;
}

/* How many members that the record counts carry no record of it. Binding is committed after all
 * have one, so in Binding these are gone; before it no member had one. The record's nodes are
 * sorted. */
static size_t untold(struct skr_gang *e, const struct skr_plan_record *r, struct lost_seats *seats)
{
    size_t missing = r->n_nodes == 0; /* the record was too long even for its nodes */
    size_t n, at = 0;
    SKR_AUTO_FREE const char **node = nodes_of(seats->plan, &n);
    for (size_t i = 0; i < r->n_nodes; i++) {
        int32_t have = 0;
        while (at < n && strcmp(node[at], r->node[i].node) < 0) {
            at++;
        }
        for (; at < n && strcmp(node[at], r->node[i].node) == 0; at++) {
            have++;
        }
        if (have < r->node[i].count) {
            missing += (size_t)(r->node[i].count - have);
        }
        for (int32_t k = have; k < r->node[i].count && seats->left > 0; k++) {
            char uid[300];
            size_t left = seats->left;
            snprintf(uid, sizeof uid, "%s/%d", r->node[i].node, k);
            if (r->state == SKR_PLAN_BINDING) {
                keep_seat(e, seats, uid, r->node[i].node);
            }
            if (seats->left == left) {
                break; /* no room there */
            }
        }
    }
    return missing;
}

/* ---- the whole ---- */

static struct plan *restored_plan(struct skr_gang *e, struct group *g, const char *id, bool binding)
{
    struct plan *plan = skr_plan_create(e, g);
    snprintf(plan->id, sizeof plan->id, "%s", id);
    skr_plan_restore(plan, binding, g->reported.status == SKR_STATUS_BOUND);
    skr_dirty_plan_nodes(plan);
    skr_plan_set_tree(plan, NULL); /* nor whether its rules held on this tree */
    skr_group_state_restore(g, binding ? GROUP_BINDING : GROUP_PLANNED);
    /* from an earlier leadership of this process */
    skr_group_state_reason(g, SKR_REASON_NONE, NULL);
    return plan;
}

/* A user may have edited the group meanwhile: the input of the plan is not stored. */
static bool has_right_size(const struct group *g)
{
    size_t bound = 0, size = (size_t)skr_membership_size(g), needs = skr_membership_needs(g);
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        bound += skr_pods_is_bound(p) && skr_pod_is_live(p->pod) && p->plan != g->plan;
    }
    size_t total = bound + g->plan->n_members;
    if (g->spec && g->spec->open) {
        return bound > 0 || total >= needs;
    }
    return g->spec && total <= size && (bound > 0 || total >= needs);
}

/* Existing members of the record; returns how many are missing. */
static size_t restore_members(struct skr_gang *e, struct group *g, const struct skr_plan_record *r,
                              bool *ret_room)
{
    SKR_AUTO(skr_bound_records_free) struct bound_records *named = skr_bound_records_read(g, r->id);
    size_t gone = 0;
    for (size_t i = 0; i < r->n_members; i++) {
        struct pod_entry *p = skr_pods_find(e, r->member[i].uid);
        bool here = p && p->group == g && skr_pod_is_live(p->pod) && !p->plan;
        bool proven = here && g->plan->binding &&
                      (carries(p, r->id) || skr_bound_records_name(named, r->member[i].uid));
        bool room = here && (proven || has_room(e, p, r->member[i].node));
        gone += !here;
        *ret_room = *ret_room && (room || !here);
        if (here && (room || !g->plan->binding)) {
            restore_member(e, g->plan, p, r->member[i].node);
        }
    }
    return gone;
}

static void restore_record(struct skr_gang *e, struct group *g, const struct skr_plan_record *r,
                           const struct pod_entry *anchor)
{
    bool binding = r->state == SKR_PLAN_BINDING, room = true;
    struct plan *plan = restored_plan(e, g, r->id, binding);
    struct lost_seats seats;
    size_t gone = 0;
    skr_plan_set_anchor(plan, anchor);
    if (r->state == SKR_PLAN_PREEMPTING) {
        skr_preemption_restore(e, plan, r);
        skr_group_state_restore(g, plan->replacement ? GROUP_BOUND : GROUP_PREEMPTING);
    }
    if (r->has_members) {
        gone = restore_members(e, g, r, &room);
    } else {
        restore_from_pods(e, g, plan);
        room = skr_plan_has_room(e, plan);
    }
    find_roles(e, g);
    skr_roles_restore_plan(e, g, r);
    bool ranked = complete_ranks(e, g);
    lost_seats_init(&seats, g);
    if (!r->has_members) {
        gone = untold(e, r, &seats);
    }
    for (size_t i = 0; binding && r->has_members && i < r->n_members && seats.left > 0; i++) {
        const struct pod_entry *p = skr_pods_find(e, r->member[i].uid);
        bool unknown =
            !p && !is_vacancy(r->member[i].uid) && !skr_pods_resident_node(e, r->member[i].uid);
        if (unknown || (p && p->plan != plan && !skr_pod_is_live(p->pod))) {
            keep_seat(e, &seats, r->member[i].uid, r->member[i].node);
        }
    }
    lost_seats_fini(&seats);
    skr_volume_turns_restore(e, plan);
    skr_plan_text_changed(e, plan);
    skr_out_decision(e, g->key, "", "Plan restored", "", skr_plan_state_name(r->state), false);
    if (!binding && gone > 0) {
        skr_plan_loss_abort(e, g, SKR_REASON_MEMBERS_MISSING,
                            "a member went while the daemon was away", false);
    } else if (!binding &&
               (!has_right_size(g) || (plan->preempting && !skr_victim_search_may_preempt(g)))) {
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, "the group was changed", false);
    } else if (!binding && !ranked) {
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, "the plan does not fit the topology of now",
                            false);
    } else if (!binding && !room && !plan->preempting) {
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, "the room of the plan is taken", false);
    }
}

static int by_id(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* How many members may be missing. A bound member still names those whose plan was given up. */
static size_t free_seats(const struct group *g)
{
    const char *home = skr_plan_storage_text(g);
    size_t size = (size_t)skr_membership_size(g), taken = 0;
    const struct pod_entry *p;
    if (home && !*home && g->reported.status == SKR_STATUS_BOUND) { /* its last plan has ended */
        return 0;
    }
    if (!g->spec || g->spec->open) { /* the wanted number is unknown, or may be more */
        return SIZE_MAX;
    }
    DL_FOREACH(g->members, p)
    {
        taken += skr_pod_is_live(p->pod) && (p->plan || skr_pods_is_bound(p));
    }
    return size > taken ? size - taken : 0;
}

/* Unbound members that bound ones name and no plan has; they join plan, if there is one. */
static size_t restore_named(struct skr_gang *e, struct group *g, const struct bound_records *named,
                            struct plan *plan)
{
    size_t n = 0, seats = free_seats(g);
    for (size_t i = 0; i < named->n; i++) {
        const struct skr_plan_record *r = named->item[i];
        for (size_t k = 0; k < r->n_members && n < seats; k++) {
            struct pod_entry *p = skr_pods_find(e, r->member[k].uid);
            if (!p || p->group != g || p->plan || !skr_pod_is_live(p->pod) ||
                skr_pods_is_bound(p)) {
                continue;
            }
            n++;
            if (plan) {
                restore_member(e, plan, p, r->member[k].node);
            }
        }
    }
    return n;
}

/* An id that a bound member carries was Binding: its unbound members are finished. */
static void restore_lost_binding(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    char(*id)[SKR_PLAN_ID_LEN + 1] = skr_alloc_array(g->n_members + 1, sizeof *id);
    char bound[SKR_PLAN_ID_LEN + 1];
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        n += !skr_pods_is_bound(p) && skr_pod_is_live(p->pod) && annotation_id(p, id[n], NULL, 0);
    }
    qsort(id, n, sizeof *id, by_id);
    DL_FOREACH(g->members, p)
    {
        if (!skr_pods_is_bound(p) || !skr_pod_is_live(p->pod) ||
            !annotation_id(p, bound, NULL, 0)) {
            continue;
        }
        SKR_AUTO(skr_bound_records_free)
        struct bound_records *named = skr_bound_records_read(g, bound);
        if (!bsearch(bound, id, n, sizeof *id, by_id) && restore_named(e, g, named, NULL) == 0) {
            continue;
        }
        struct plan *plan = restored_plan(e, g, bound, true);
        restore_from_pods(e, g, plan);
        restore_named(e, g, named, plan);
        find_roles(e, g);
        complete_ranks(e, g);
        skr_plan_text_changed(e, plan);
        skr_out_decision(e, g->key, "", "Plan restored", "", "Binding, from its members", false);
        break;
    }
    free(id);
}

/* Whether all existing members of the record are bound: the plan is complete. */
static bool is_finished(const struct skr_gang *e, const struct group *g,
                        const struct skr_plan_record *r)
{
    if (r->state != SKR_PLAN_BINDING || !r->has_members) {
        return false;
    }
    for (size_t i = 0; i < r->n_members; i++) {
        const struct pod_entry *p = skr_pods_find(e, r->member[i].uid);
        if (p && p->group == g && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p)) {
            return false;
        }
    }
    return true;
}

/* The unfinished plan that a member of a group from labels carries for all; NULL: none. */
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
            skr_out_decision(e, g->key, p->key, "Plan ignored", "", error.text, true);
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
    const char *text = skr_plan_storage_text(g);
    if (text && *text && skr_plan_parse(text, &r, &error) < 0) {
        skr_out_decision(e, g->key, "", "Plan ignored", "", error.text, true);
    }
    return r;
}

/* Whether the record can be trusted as a plan of ours: users may write what is read here. A record
 * on a member is our own writing. Without one, two cases remain. A plan that waits for victims has
 * activated no member yet. A plan that was just persisted (its victims may be gone already, and its
 * room must not be lost) names only existing members: it holds room for no other pods, and no more
 * than is free. */
static bool is_credible(const struct skr_gang *e, const struct group *g,
                        const struct skr_plan_record *r)
{
    if (r->state == SKR_PLAN_PREEMPTING || anybody_carries(g, r->id)) {
        return true;
    }
    size_t here = 0;
    for (size_t i = 0; r->has_members && i < r->n_members; i++) {
        const struct pod_entry *p = skr_pods_find(e, r->member[i].uid);
        here += p && p->group == g && skr_pod_is_live(p->pod);
    }
    return here > 0 && (r->state == SKR_PLAN_BINDING || here == r->n_members);
}

void skr_restore_plan(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *anchor = NULL;
    struct skr_plan_record *r =
        g->source.kind == SOURCE_LABELS ? anchor_record(e, g, &anchor) : object_record(e, g);
    if (r && !is_credible(e, g, r)) {
        skr_out_decision(e, g->key, "", "Plan ignored", "", "no member carries a record of it",
                         false);
        skr_plan_record_destroy(r);
        r = NULL;
    }
    if (r) {
        restore_record(e, g, r, anchor);
    } else {
        restore_lost_binding(e, g);
    }
    skr_plan_record_destroy(r);
}
