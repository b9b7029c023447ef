/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a plan and its text. Its stages are in plan_entry.h; whether the text is persisted:
 * plan_storage.c.
 */
#include "core/gang/plan/plan.h"
#include "core/gang/cache/ends.h"
#include "core/gang/group/run_limit.h"

#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/uncounted.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan_roles.h"
#include "core/gang/plan/plan_storage.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct plan *skr_plan_create(struct skr_gang *e, struct group *g)
{
    skr_bug_on(g->plan);
    struct plan *plan = skr_alloc(sizeof *plan);
    plan->group = g;
    plan->order = ++e->stats.plans;
    plan->home = g->source.kind;
    plan->replacement = g->seats.n_bound > 0;
    plan->created_at = skr_frame_now(e->frame);
    plan->deadline = skr_frame_now(e->frame) + e->settings.plan_timeout;
    plan->tree = e->topology.tree ? skr_tree_ref(e->topology.tree) : NULL;
    plan->roles = g->spec ? skr_group_composition(g->spec) : NULL;
    g->plan = plan;
    DL_APPEND2(e->planned, g, pprev, pnext);
    return plan;
}

void skr_plan_note_roles(struct plan *plan, const char *annotation)
{
    size_t n;
    const char *roles = skr_member_plan_roles(annotation, &n);
    if (roles) {
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_addf(&b, "%.*s", (int)n, roles);
        free(plan->roles);
        plan->roles = skr_strbuf_take(&b, NULL);
    }
}

void skr_plan_add_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p,
                         const char *node, int32_t rank)
{
    skr_bug_on(p->plan);
    p->plan = plan;
    p->place.node = skr_names_intern(e, node);
    p->place.rank = rank;
    p->place.recorded = false;
    p->place.turn = 0;
    skr_nomination_begin(p);
    skr_bind_calls_withdraw(p);
    if (p->work->announced) {
        skr_pods_work(p)->announced = 0;
    }
    plan->n_members++;
    if (!skr_pods_is_bound(p)) {
        skr_ledger_charge(e->ledger, p->uid, p->place.node, &p->shape->amounts,
                          SKR_CHARGE_RESERVED);
        skr_devices_await(e, p, p->place.node);
        skr_ends_put(e, p->pod, p->place.node, skr_run_limit_owed(e, p));
    }
    skr_dirty_pod(e, p);
}

void skr_plan_remove_member(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->plan) {
        return;
    }
    const char *assumed = skr_claims_assumed_on(p);
    if (!skr_pods_is_bound(p)) {
        skr_nodes_touch(e, p->place.node);
        skr_ledger_release(e->ledger, p->uid);
        skr_ends_forget(e, p->uid);
        if (p->work->activation.asked) { /* kube-scheduler had given the room to it */
            skr_vetoes_end_of_others(e, p->place.node, p->group, p->plan->created_at);
        }
    }
    if (assumed && !skr_pods_is_bound(p)) {
        skr_ledger_charge(e->ledger, p->uid, assumed, &p->shape->amounts, SKR_CHARGE_RESERVED);
    } else {
        skr_devices_let_go(e, p);
    }
    if (!p->work->bind.unknown) { /* else the next planner reads it first */
        skr_bind_calls_unqueue(e, p);
    }
    p->plan->n_members--;
    p->plan = NULL;
    p->place.node = NULL;
    p->place.rank = -1;
    skr_nomination_end(p);
    skr_bind_calls_withdraw(p);
    skr_dirty_pod(e, p);
}

static void vacancy_fini(struct skr_gang *e, struct vacancy *v)
{
    skr_ledger_release(e->ledger, v->uid);
    skr_shapes_unref(e, v->shape);
    free(v->uid);
    free(v->role_name);
}

bool skr_plan_moves(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        if (plan->victim[i].moved) {
            return true;
        }
    }
    return false;
}

void skr_plan_forget_victims(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        free(plan->victim[i].text);
        free(plan->victim[i].moved);
    }
    free(plan->victim);
    plan->victim = NULL;
    plan->n_victims = 0;
}

/* Clears the marks that the plan set on its victims. */
static void release_victims(struct skr_gang *e, struct plan *plan)
{
    const char *key = plan->group->key;
    struct group *h, *htmp;
    struct pod_entry *p;
    e->stats.preemptions[SKR_PREEMPTION_ABORTED] += plan->preempting;
    e->stats.group_moves[SKR_PREEMPTION_ABORTED] += plan->preempting && skr_plan_moves(plan);
    skr_plan_forget_victims(plan);
    HASH_ITER(hh, e->groups, h, htmp)
    {
        if (h->victim.by && strcmp(h->victim.by, key) == 0) {
            skr_dirty_group(e, h);
        }
    }
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        if (p->work->evict.by && strcmp(p->work->evict.by, key) == 0) {
            skr_pods_forget_eviction(e, p);
        }
    }
    skr_dirty_victims(e); /* others counted on the room of the rest */
    skr_dirty_plan(e);
}

/* Evaluates all preemptors of a victim. It may have several, and names only the last. */
static void tell_preemptors(struct skr_gang *e)
{
    struct group *g;
    DL_FOREACH2(e->planned, g, pnext)
    {
        if (g->plan->preempting) {
            skr_dirty_group(e, g);
        }
    }
}

void skr_plan_destroy(struct skr_gang *e, struct plan *plan)
{
    struct group *g = plan->group;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan) {
            continue;
        }
        if (p->work->vote.request && !skr_pods_is_bound(p)) {
            skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED);
        }
        skr_plan_remove_member(e, p);
    }
    for (size_t i = 0; i < plan->n_vacancies; i++) {
        vacancy_fini(e, &plan->vacancy[i]);
    }
    if (plan->preempted) {
        release_victims(e, plan);
    }
    skr_plan_note_idle(e, plan, false);
    skr_uncounted_end(e, plan);
    DL_DELETE2(e->planned, g, pprev, pnext);
    g->plan = NULL;
    skr_membership_changed(g);
    if (g->victim.leaving) {
        tell_preemptors(e);
    }
    skr_tree_unref(plan->tree);
    free(plan->vacancy);
    free(plan->abort.message);
    free(plan->anchor);
    free(plan->roles);
    free(plan->text);
    free(plan);
}

void skr_plan_set_rank(struct pod_entry *p, int32_t rank)
{
    p->place.rank = rank;
}

void skr_plan_set_retries(struct pod_entry *p, int32_t retries)
{
    p->place.retries = retries;
}

void skr_plan_set_turn(struct pod_entry *p, int32_t turn)
{
    p->place.turn = turn;
    p->plan->last_turn = turn > p->plan->last_turn ? turn : p->plan->last_turn;
}

bool skr_plan_waits_for_turn(const struct pod_entry *p)
{
    const struct pod_entry *q = p->place.turn > 0 ? p->plan->group->members : NULL;
    for (; q; q = q->next) {
        if (q->plan == p->plan && q->place.turn < p->place.turn && !q->work->vote.given &&
            !skr_pods_is_bound(q)) {
            return true;
        }
    }
    return false;
}

void skr_plan_note_recorded(struct pod_entry *p)
{
    p->place.recorded = true;
}

void skr_plan_add_vacancy(struct skr_gang *e, struct plan *plan, struct vacancy v)
{
    skr_grow(&plan->vacancy, &plan->cap_vacancies, plan->n_vacancies + 1, sizeof *plan->vacancy);
    v.until = skr_frame_now(e->frame) + SKR_VACANCY_S * SKR_SECOND;
    v.until = plan->deadline < v.until ? plan->deadline : v.until;
    plan->vacancy[plan->n_vacancies++] = v;
    skr_ledger_charge(e->ledger, v.uid, v.node, &v.shape->amounts, SKR_CHARGE_RESERVED);
}

bool skr_plan_end_vacancies(struct skr_gang *e, struct plan *plan, bool all, skr_time *ret_next)
{
    size_t kept = 0;
    *ret_next = SKR_TIME_NEVER;
    for (size_t i = 0; i < plan->n_vacancies; i++) {
        struct vacancy *v = &plan->vacancy[i];
        if (all || v->until <= skr_frame_now(e->frame)) {
            vacancy_fini(e, v);
            continue;
        }
        *ret_next = v->until < *ret_next ? v->until : *ret_next;
        plan->vacancy[kept++] = *v;
    }
    bool ended = kept < plan->n_vacancies;
    plan->n_vacancies = kept;
    if (ended) {
        plan->gave_up = true;
        skr_membership_changed(plan->group);
    }
    return ended;
}

void skr_plan_set_anchor(struct plan *plan, const struct pod_entry *p)
{
    free(plan->anchor);
    plan->anchor = p ? skr_strdup(p->uid) : NULL;
}

/* ---- states ---- */

void skr_plan_set_tree(struct plan *plan, const struct skr_tree *tree)
{
    skr_tree_unref(plan->tree);
    plan->tree = tree ? skr_tree_ref(tree) : NULL;
}

void skr_plan_want_binding(struct skr_gang *e, struct plan *plan, bool wanted)
{
    plan->binding = wanted;
    if (wanted && !plan->was_wanted) { /* once: calls that end and come again move no deadline */
        plan->was_wanted = true;
        plan->deadline = skr_frame_now(e->frame) + e->settings.plan_timeout;
    }
}

void skr_plan_restore(struct plan *plan, bool binding, bool replacement)
{
    plan->binding = plan->binding_persisted = binding;
    plan->replacement = replacement;
}

void skr_plan_note_persisted(struct plan *plan)
{
    plan->binding_persisted = true;
}

void skr_plan_wait_for_victims(struct skr_gang *e, struct plan *plan, bool waits)
{
    plan->preempting = waits;
    plan->freed_at = 0;
    if (!waits && !plan->had_room) { /* once: victims that return move no deadline */
        plan->had_room = true;
        plan->deadline = skr_frame_now(e->frame) + e->settings.plan_timeout;
    }
}

void skr_plan_note_victims(struct skr_gang *e, struct plan *plan, size_t left)
{
    if (plan->least_left == 0 || left + 1 < plan->least_left) {
        plan->least_left = left + 1;
        plan->deadline = skr_frame_now(e->frame) + skr_settings_victims_wait(&e->settings);
    }
}

void skr_plan_note_freed(struct plan *plan, skr_time now)
{
    plan->freed_at = now;
}

void skr_plan_note_idle(struct skr_gang *e, struct plan *plan, bool idle)
{
    if (plan->idle == idle) {
        return;
    }
    plan->idle = idle;
    if (idle) {
        plan->class_ = skr_membership_lowest_class(plan->group);
        DL_APPEND2(e->idle_plans, plan, iprev, inext);
        skr_dirty_victims(e);
    } else {
        DL_DELETE2(e->idle_plans, plan, iprev, inext);
    }
}

bool skr_plan_uses_node(const struct plan *plan, const char *node)
{
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && !skr_pods_is_bound(p) && strcmp(p->place.node, node) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the text ---- */

/* Most uids differ in their first bytes. Comparing those avoids reading the rest, which is
 * scattered in memory. */
struct recorded {
    uint64_t head; /* first bytes of the uid, big endian */
    struct skr_plan_member member;
};

static uint64_t head_of(const char *uid)
{
    uint64_t head = 0;
    size_t n = 0;
    for (; n < sizeof head && uid[n]; n++) {
        head = head << 8 | (unsigned char)uid[n];
    }
    for (; n < sizeof head; n++) {
        head <<= 8;
    }
    return head;
}

static int by_uid(const void *a, const void *b)
{
    const struct recorded *m = a, *o = b;
    if (m->head != o->head) {
        return m->head < o->head ? -1 : 1;
    }
    return strcmp(m->member.uid, o->member.uid);
}

static struct recorded recorded(const char *uid, const char *node, int32_t rank)
{
    return (struct recorded){head_of(uid), {uid, node, rank}};
}

/* By uid; free() it. */
static struct skr_plan_member *record_members(const struct plan *plan, size_t *ret_n)
{
    size_t cap = plan->n_members + plan->n_vacancies + 1, n = 0;
    struct recorded *all = skr_alloc_array(cap, sizeof *all);
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan) {
            all[n++] = recorded(p->uid, p->place.node, p->place.rank);
        }
    }
    for (size_t i = 0; i < plan->n_vacancies; i++) {
        const struct vacancy *v = &plan->vacancy[i];
        all[n++] = recorded(v->uid, v->node, v->rank);
    }
    qsort(all, n, sizeof *all, by_uid);
    struct skr_plan_member *member = skr_alloc_array(cap, sizeof *member);
    for (size_t i = 0; i < n; i++) {
        member[i] = all[i].member;
    }
    free(all);
    *ret_n = n;
    return member;
}

static void write_text(struct skr_gang *e, struct plan *plan, struct skr_plan_member *member,
                       size_t n)
{
    struct skr_plan_record r = {.has_members = true,
                                .state = plan->preempting ? SKR_PLAN_PREEMPTING
                                         : plan->binding  ? SKR_PLAN_BINDING
                                                          : SKR_PLAN_PLANNED};
    const char **victim = skr_alloc_array(plan->n_victims + 1, sizeof *victim);
    int32_t *pods = skr_alloc_array(plan->n_victims + 1, sizeof *pods);
    const char **moved = skr_alloc_array(plan->n_victims + 1, sizeof *moved);
    for (size_t i = 0; plan->preempting && i < plan->n_victims; i++) {
        if (!plan->victim[i].gone) {
            pods[r.n_victims] = plan->victim[i].pods;
            moved[r.n_victims] = plan->victim[i].moved;
            victim[r.n_victims++] = plan->victim[i].text;
        }
    }
    r.victim = victim;
    r.victim_pods = pods;
    r.moved = moved;
    memcpy(r.id, plan->id, sizeof r.id);
    r.member = member;
    r.n_members = n;
    r.role = skr_plan_roles_count(plan, &r.n_roles);
    free(plan->text);
    plan->text = skr_plan_write(&r, &plan->dropped_members);
    free(victim);
    free(pods);
    free(moved);
    free(r.role);
    if (plan->anchor) { /* a member's own annotation holds both */
        struct pod_entry *p = skr_pods_find(e, plan->anchor);
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_add(&b, "{\"node\":");
        skr_strbuf_add_json(&b, p && p->plan == plan ? p->place.node : "");
        skr_strbuf_addc(&b, ',');
        skr_strbuf_add(&b, plan->text + 1);
        free(plan->text);
        plan->text = skr_strbuf_take(&b, NULL);
        if (p) {
            skr_dirty_pod(e, p);
        }
    }
    plan->text_len = strlen(plan->text);
    plan->carrier = 0;
    skr_plan_storage_hurry(plan->group);
}

void skr_plan_text_changed(struct skr_gang *e, struct plan *plan)
{
    size_t n;
    SKR_AUTO_FREE struct skr_plan_member *member = record_members(plan, &n);
    write_text(e, plan, member, n);
}

/* Of the members that the plan places: the loss of a running one must not end the plan. */
const struct pod_entry *skr_plan_oldest_member(const struct plan *plan)
{
    const struct pod_entry *p, *best = NULL;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && skr_pod_is_live(p->pod) &&
            (!best || skr_meta_is_older(&p->pod->meta, &best->pod->meta))) {
            best = p;
        }
    }
    return best;
}

void skr_plan_commit(struct skr_gang *e, struct plan *plan)
{
    size_t n;
    SKR_AUTO_FREE struct skr_plan_member *member = record_members(plan, &n);
    skr_plan_id(plan->group->namespace_, plan->group->name, member, n, plan->id);
    if (plan->home == SOURCE_LABELS) {
        const struct pod_entry *oldest = skr_plan_oldest_member(plan);
        skr_plan_set_anchor(plan, oldest);
    }
    write_text(e, plan, member, n);
}

bool skr_plan_has_room(struct skr_gang *e, const struct plan *plan)
{
    const struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        const struct skr_ledger_node *node = p->plan == plan && !skr_pods_is_bound(p)
                                                 ? skr_ledger_get(e->ledger, p->place.node)
                                                 : NULL;
        for (size_t i = 0; node && i < p->shape->amounts.n; i++) {
            if (skr_ledger_node_room(node, &p->shape->amounts.item[i]) < 0) {
                return false;
            }
        }
    }
    return skr_devices_plan_is_served(e, plan);
}

bool skr_plan_is_stranded(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->plan || !p->plan->binding_persisted || skr_pods_is_bound(p) || p->work->bind.write ||
        p->work->bind.unknown) {
        return false;
    }
    const struct node_entry *n = skr_nodes_find(e, p->place.node);
    if (!n) {
        return true;
    }
    return !p->work->vote.request &&
           (skr_pod_shape_check_node(p->shape->spec, n->node) != SKR_ELIGIBLE ||
            skr_vetoes_close(e, p->group, p->shape, p->place.node));
}
