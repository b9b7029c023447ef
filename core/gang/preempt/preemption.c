/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preempts groups.
 *
 * A victim is a whole group, or a single pod (surplus of a group, or an ordinary pod). It is gone
 * when it has no plan and none of its pods is on a node. If its own plan is past the point of no
 * return, the plan is completed first, so that the whole gang leaves.
 *
 * A victim may itself wait for victims. The plan counts on their room: if they are where the plan
 * has members, they become its victims before any is released. These are all that have begun to
 * leave, and others if their budgets allow it. The plan does not count on the room of the rest.
 *
 * What is stored about a victim belongs to the plan of its preemptor and is freed with it. The
 * marks on groups and pods are derived from the plan's list at every look, also after a restart.
 */
#include "core/gang/preempt/preemption.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/evictions.h"
#include "core/gang/preempt/victims_allowed.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

enum { NAMED_VICTIMS = 3 }; /* in a sentence */

/* ---- victims ---- */

size_t skr_preemption_waits_for(const struct skr_gang *e, const struct plan *plan, size_t *ret_pods)
{
    size_t groups = 0;
    *ret_pods = 0;
    for (size_t i = 0; i < plan->n_victims; i++) {
        bool gone;
        *ret_pods += skr_victims_left(e, &plan->victim[i], &gone);
        groups += !gone && !skr_victims_pod_uid(&plan->victim[i]);
    }
    return groups;
}

void skr_preemption_write_victims(const struct skr_gang *e, const struct plan *plan,
                                  struct skr_json_writer *w)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        const char *uid = skr_victims_pod_uid(v);
        bool gone;
        char key[600];
        snprintf(key, sizeof key, "%.*s", (int)(uid ? uid - v->text - 1 : (int)strlen(v->text)),
                 v->text);
        skr_json_open(w, NULL, '{');
        skr_json_string(w, uid ? "pod" : "group", key);
        skr_json_int(w, "pods", v->pods);
        skr_json_int(w, "left", (int64_t)skr_victims_left(e, v, &gone));
        skr_json_close(w, '}');
    }
}

static void unmark(struct skr_gang *e, struct group *h)
{
    free(h->victim.by);
    h->victim.by = NULL;
    h->victim.leaving = false;
    skr_dirty_group(e, h);
}

static void mark(struct skr_gang *e, struct group *h, const struct group *preemptor)
{
    if (h->victim.leaving && strcmp(h->victim.by, preemptor->key) == 0) {
        return;
    }
    unmark(e, h);
    h->victim.by = skr_strdup(preemptor->key);
    h->victim.leaving = true;
}

static void push_group(struct skr_gang *e, struct plan_victim *v, struct group *preemptor)
{
    struct group *h = skr_groups_find(e, v->text);
    struct pod_entry *p, *tmp;
    mark(e, h, preemptor);
    if (v->moved && !skr_arranged_is_persisted(e, h)) {
        return; /* its places come first */
    }
    if (h->plan && !h->plan->aborting && !h->plan->binding_persisted) {
        char text[700];
        snprintf(text, sizeof text, "group %.250s gives way to group %.300s", h->name,
                 preemptor->key);
        v->begun = true;
        skr_plan_loss_abort(e, h, SKR_REASON_WAITING_FOR_CAPACITY, text, true);
    }
    if (h->plan && h->plan->binding_persisted) {
        return; /* it is about to run as a whole */
    }
    DL_FOREACH_SAFE(h->members, p, tmp)
    {
        if (skr_victims_is_there(p)) {
            skr_arranged_note_moved(e, h, v);
            v->begun = true;
            skr_evictions_want(e, p, preemptor);
        }
    }
}

static void push(struct skr_gang *e, struct plan_victim *v, struct group *preemptor)
{
    const char *uid = skr_victims_pod_uid(v);
    if (!uid) {
        push_group(e, v, preemptor);
        return;
    }
    v->begun = true;
    skr_evictions_want(e, skr_pods_find(e, uid), preemptor);
}

/* ---- before the evictions ---- */

/* The next pod of the victim, after p; NULL at first, and at the end. */
static struct pod_entry *next_pod(const struct skr_gang *e, const struct plan_victim *v,
                                  struct pod_entry *p)
{
    const char *uid = skr_victims_pod_uid(v);
    const struct group *h = uid ? NULL : skr_groups_find(e, v->text);
    return p ? (uid ? NULL : p->next) : uid ? skr_pods_find(e, uid) : h ? h->members : NULL;
}

/* Their room counts as leaving for all groups, before the record of the plan is written. A victim that
 * moves leaves when its new places are held. */
static void earmark(struct skr_gang *e, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        struct pod_entry *p = NULL;
        while (!v->gone && !v->moved && !v->begun && (p = next_pod(e, v, p))) {
            if (skr_victims_is_there(p)) {
                skr_evictions_earmark(e, p, plan->group);
            }
        }
    }
}

/* Not needed any more and not yet touched. */
static void drop(struct skr_gang *e, struct plan_victim *v, const struct group *preemptor)
{
    struct group *h = skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
    struct pod_entry *p = NULL;
    while ((p = next_pod(e, v, p))) {
        if (p->work->evict.by && strcmp(p->work->evict.by, preemptor->key) == 0) {
            skr_pods_forget_eviction(e, p);
            skr_dirty_victims(e);
        }
    }
    if (h && h->victim.by) {
        unmark(e, h);
    }
    free(v->text);
    free(v->moved);
}

/* ---- the plan ---- */

static void add_victim(struct plan *plan, const char *text, bool begun, int32_t pods)
{
    plan->victim[plan->n_victims++] =
        (struct plan_victim){.text = skr_strdup(text), .begun = begun, .pods = pods};
}

void skr_preemption_begin(struct plan *plan, const struct skr_victims_problem *problem,
                          const struct skr_victims *victims)
{
    plan->victim = skr_alloc_array(victims->n + 1, sizeof *plan->victim);
    for (size_t i = 0; i < victims->n; i++) {
        const struct skr_victim *v = &problem->victim[victims->victim[i]];
        add_victim(plan, v->name, false, v->members);
    }
    plan->preempting = true;
    plan->preempted = true;
}

static int32_t pods_of(const struct plan_victim *v, const struct group *h)
{
    size_t there = h ? skr_victims_pods_there(h) : 0, size = h ? (size_t)skr_membership_size(h) : 0;
    return skr_victims_pod_uid(v) ? 1 : (int32_t)(there > size ? there : size);
}

/* Release 0.1 wrote a pod as "namespace/name/uid", which looks like the key of a workload's group. */
static char *text_of_pod_before(const struct skr_gang *e, const char *text)
{
    char *now = skr_strdup(text), *slash = strrchr(now, '/');
    const char *first = strchr(now, '/');
    if (slash && !strchr(now, '@') && strchr(first + 1, '/') == slash &&
        !skr_groups_find(e, text)) {
        *slash = '@';
    }
    return now;
}

void skr_preemption_restore(struct skr_gang *e, struct plan *plan,
                            const struct skr_plan_record *record)
{
    plan->victim = skr_alloc_array(record->n_victims + 1, sizeof *plan->victim);
    for (size_t i = 0; i < record->n_victims; i++) {
        SKR_AUTO_FREE char *text = text_of_pod_before(e, record->victim[i]);
        char *moved = (char *)(uintptr_t)(record->moved ? record->moved[i] : NULL);
        const struct plan_victim v = {.text = text, .moved = moved};
        struct group *h = skr_victims_pod_uid(&v) ? NULL : skr_groups_find(e, v.text);
        if (!skr_victims_may_be(e, plan->group, &v, h)) {
            continue;
        }
        const int32_t pods = record->victim_pods ? record->victim_pods[i] : pods_of(&v, h);
        add_victim(plan, v.text, skr_victims_pod_uid(&v) || skr_victims_was_begun(e, v.text, pods),
                   pods);
        plan->victim[plan->n_victims - 1].moved = skr_strdup(moved);
        plan->evicted += plan->victim[plan->n_victims - 1].begun;
        if (h) {
            mark(e, h, plan->group);
            skr_arranged_restore(e, h);
            skr_arranged_move(e, h, plan->group->key, moved);
        }
    }
    plan->preempting = true;
    plan->preempted = true;
}

static void say(struct skr_gang *e, struct group *g)
{
    SKR_STRBUF(b);
    size_t pods, groups = skr_preemption_waits_for(e, g->plan, &pods), n = 0;
    if (pods == 0 && groups == 0 && g->reason == SKR_REASON_WAITING_FOR_PREEMPTION) {
        return; /* its next text names fewer */
    }
    skr_strbuf_addf(&b, "group %s waits for %zu pod%s", g->name, pods, pods == 1 ? "" : "s");
    if (groups > 0) {
        skr_strbuf_addf(&b, " of %zu group%s", groups, groups == 1 ? "" : "s");
    }
    skr_strbuf_add(&b, " to leave:");
    for (size_t i = 0; i < g->plan->n_victims; i++) {
        const char *text = g->plan->victim[i].text;
        const char *uid = skr_victims_pod_uid(&g->plan->victim[i]);
        if (!g->plan->victim[i].gone && n++ < NAMED_VICTIMS) {
            skr_strbuf_addf(&b, "%s %.*s", n > 1 ? "," : "",
                            uid ? (int)(uid - text - 1) : (int)strlen(text), text);
        }
    }
    if (n > NAMED_VICTIMS) {
        skr_strbuf_addf(&b, " and %zu more", n - NAMED_VICTIMS);
    }
    skr_group_state_reason(g, SKR_REASON_WAITING_FOR_PREEMPTION, b.s);
}

/* The room is the plan's own: from now on it is an ordinary plan. */
static void finish(struct skr_gang *e, struct group *g)
{
    e->stats.preemptions[SKR_PREEMPTION_DONE]++;
    e->stats.group_moves[SKR_PREEMPTION_DONE] += skr_plan_moves(g->plan);
    skr_out_decision(e, g->key, "", "Preemption done", "", "", false);
    skr_plan_wait_for_victims(e, g->plan, false);
    skr_group_state_reason(g, SKR_REASON_NONE, NULL);
    if (!g->plan->replacement) {
        skr_group_state_enter(e, g, GROUP_PLANNED);
    }
    skr_plan_text_changed(e, g->plan);
    skr_dirty_group(e, g);
}

enum { SETTLES_S = 2 }; /* from the end of the last victim until the room is added up again */

/* The plan also counts on pods that leave on their own. It ends sooner than at its deadline if one of
 * them is overdue, as one with a finalizer, and there is no room without it. */
static void wait_for_room(struct skr_gang *e, struct group *g)
{
    skr_time now = skr_frame_now(e->frame);
    if (g->plan->freed_at == 0) {
        skr_plan_note_freed(g->plan, now);
    }
    if (now >= g->plan->freed_at + SETTLES_S * SKR_SECOND &&
        !skr_victims_make_room(e, g->plan, false)) {
        skr_plan_loss_abort(e, g, SKR_REASON_WAITING_FOR_CAPACITY,
                            "pods that the plan counted on do not leave their nodes in time", true);
        return;
    }
    skr_wakes_group(e, g, now + SKR_SECOND);
}

/* ---- victims of victims ---- */

static bool takes_room(const struct plan *plan, const struct pod_entry *p)
{
    const char *node = p->plan && !skr_pods_is_bound(p) ? p->place.node : p->pod->node_name;
    const struct pod_entry *q;
    DL_FOREACH(plan->group->members, q)
    {
        if (q->plan == plan && !skr_pods_is_bound(q) && strcmp(q->place.node, node) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the plan counts on room that a victim of another plan holds. */
static bool needs(const struct skr_gang *e, const struct plan *plan, const struct plan_victim *v)
{
    const struct pod_entry *p =
        skr_victims_pod_uid(v) ? skr_pods_find(e, skr_victims_pod_uid(v)) : NULL;
    const struct group *h = skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
    bool found = p && skr_victims_is_there(p) && takes_room(plan, p);
    for (p = h ? h->members : NULL; p && !found; p = p->next) {
        found =
            (skr_victims_is_there(p) || (p->plan && !skr_pods_is_bound(p))) && takes_room(plan, p);
    }
    return found;
}

/* Takes over the victims of `from` that occupy room of the plan. */
static bool take_over(const struct skr_gang *e, struct plan *plan, const struct plan *from)
{
    const size_t before = plan->n_victims;
    struct plan_victim *list = skr_alloc_array(before + from->n_victims + 1, sizeof *list);
    memcpy(list, plan->victim, before * sizeof *list);
    free(plan->victim);
    plan->victim = list;
    for (size_t i = 0; i < from->n_victims; i++) {
        const struct plan_victim *v = &from->victim[i];
        const struct group *h = skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
        bool begun;
        if (!v->gone && !skr_victims_has(plan, v->text) && needs(e, plan, v) &&
            skr_victims_may_take(e, plan->group, v, &begun)) {
            add_victim(plan, v->text, begun, begun ? v->pods : pods_of(v, h));
        }
    }
    return plan->n_victims > before;
}

/* A victim that waits for victims of its own releases them with its plan. The plan counts on their
 * room, so it takes them over. */
static void take_over_victims(struct skr_gang *e, struct plan *plan)
{
    bool changed = false;
    skr_victims_reset_budgets(e);
    for (size_t i = 0; i < plan->n_victims; i++) {
        (void)(plan->victim[i].gone || skr_victims_budget_allows(e, &plan->victim[i]));
    }
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        const struct group *h =
            v->gone || skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
        const bool waits = h && h->plan && h->plan->preempting && !h->plan->aborting;
        changed = (waits && take_over(e, plan, h->plan)) || changed;
    }
    if (changed) {
        skr_plan_text_changed(e, plan);
    }
}

/* Other pods may have taken the room since the victims were chosen: no pod is evicted in vain.
 * False: the plan was aborted. */
static bool still_fits(struct skr_gang *e, struct group *g)
{
    const struct plan *plan = g->plan;
    const struct pod_entry *stays = NULL;
    skr_time next = SKR_TIME_NEVER;
    for (size_t i = 0; i < plan->n_victims && !stays; i++) {
        stays = skr_victims_staying(e, &plan->victim[i], &next);
    }
    if (next != SKR_TIME_NEVER) {
        skr_wakes_group(e, g, next);
    }
    if ((skr_victims_any_begun(plan) && !stays) || skr_plan_has_room(e, plan) ||
        skr_victims_make_room(e, plan, false)) {
        return true;
    }
    if (plan->n_victims > 0) {
        say(e, g);
    }
    char text[700];
    snprintf(text, sizeof text, "pod %.500s does not leave its node within planTimeout",
             stays ? stays->key : "");
    skr_plan_loss_abort(e, g, SKR_REASON_WAITING_FOR_CAPACITY,
                        stays ? text : "room that the plan counted on was taken", true);
    return false;
}

/* ---- room elsewhere ---- */

enum {
    ELSEWHERE_AFTER_S = 2,    /* most victims are gone by then */
    ELSEWHERE_PAUSE_MS = 250, /* between two looks: minimum, */
    ELSEWHERE_TIMES = 20,     /* multiple of the time that one took */
};

/* Whether the eviction of the pod was asked for, and may have been granted. */
static bool may_leave(const struct pod_entry *p)
{
    return skr_victims_is_there(p) && (p->pod->meta.deleting || p->work->evict.write);
}

/* A group of which one pod leaves goes as a whole: each victim is either untouched, or leaving. */
static bool no_victim_is_torn(const struct skr_gang *e, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        const char *uid = skr_victims_pod_uid(v);
        const struct group *h = uid || v->gone ? NULL : skr_groups_find(e, v->text);
        const struct pod_entry *p = uid ? skr_pods_find(e, uid) : h ? h->members : NULL;
        if (!v->begun || v->gone || skr_victims_only_terminate(e, v)) {
            continue;
        }
        bool begun = h && skr_victims_was_begun(e, v->text, v->pods);
        for (; p && !begun; p = h ? p->next : NULL) {
            begun = may_leave(p);
        }
        if (begun) {
            return false;
        }
    }
    return true;
}

bool skr_preemption_looks_elsewhere(struct skr_gang *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    return plan && plan->preempting && !plan->aborting && e->topology.tree &&
           plan->elsewhere.at != 0 &&
           skr_seen_changed(&e->seen, SEEN_CAPACITY, plan->elsewhere.seen) &&
           skr_frame_now(e->frame) >= plan->elsewhere.at && !skr_plan_has_room(e, plan) &&
           no_victim_is_torn(e, plan);
}

static void look_at(struct skr_gang *e, struct plan *plan, skr_time at)
{
    plan->elsewhere.at = at;
    skr_wakes_add(e, at, WAKE_REPORT, NULL);
}

void skr_preemption_goes_elsewhere(struct skr_gang *e, struct group *g)
{
    skr_plan_loss_abort(e, g, SKR_REASON_NONE, "there is room without the victims that are left",
                        false);
}

void skr_preemption_stays(struct skr_gang *e, struct group *g, uint64_t seen, skr_time took)
{
    const skr_time pause = took * ELSEWHERE_TIMES, least = ELSEWHERE_PAUSE_MS * SKR_MILLISECOND;
    g->plan->elsewhere.seen = seen;
    look_at(e, g->plan, skr_frame_now(e->frame) + (pause > least ? pause : least));
}

/* Drops victims that left before the plan was made. The recorded ones are read after a restart,
 * when they may exist again with any priority. */
static void forget_gone(struct skr_gang *e, struct plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->n_victims; i++) {
        struct plan_victim *v = &plan->victim[i];
        bool gone;
        skr_victims_left(e, v, &gone);
        if (gone && !v->begun) {
            drop(e, v, plan->group);
        } else {
            plan->victim[kept++] = *v;
        }
    }
    if (kept < plan->n_victims) {
        plan->n_victims = kept;
        skr_plan_text_changed(e, plan);
    }
}

/* Each pod that leaves moves the deadline, so a wait that gets on is not cut short. A budget that lets no pod
 * go any more holds the plan's other room no longer. */
static bool is_over(struct skr_gang *e, struct group *g)
{
    size_t pods;
    char text[160];
    (void)skr_preemption_waits_for(e, g->plan, &pods);
    skr_plan_note_victims(e, g->plan, pods);
    if (skr_frame_now(e->frame) < g->plan->deadline) {
        skr_wakes_group(e, g, g->plan->deadline);
        return false;
    }
    say(e, g);
    snprintf(text, sizeof text, "%zu pod%s not left in time; it is tried again", pods,
             pods == 1 ? " that has to leave has" : "s that have to leave have");
    skr_plan_loss_abort(e, g, SKR_REASON_PLAN_TIMEOUT,
                        pods > 0 ? text : "the room of the plan did not become free", true);
    return true;
}

enum { OTHERS_PAUSE_MS = 100 };

/* Before its first eviction: victims of other plans, whose room it counts on, are not asked to leave yet. If
 * these plans end before, no pod was evicted in vain. */
static bool counts_on_others(const struct skr_gang *e, const struct plan *plan)
{
    return !skr_victims_any_begun(plan) && !skr_victims_make_room(e, plan, true);
}

void skr_preemption_step(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (is_over(e, g)) {
        return;
    }
    if (plan->elsewhere.at == 0) {
        plan->elsewhere.seen = 0;
        look_at(e, plan, skr_frame_now(e->frame) + ELSEWHERE_AFTER_S * SKR_SECOND);
    }
    take_over_victims(e, plan);
    const struct plan_victim *stays = skr_victims_find_exempt(e, g);
    if (stays) {
        char text[700];
        snprintf(text, sizeof text, "%.600s need not give way any more", stays->text);
        say(e, g);
        skr_plan_loss_abort(e, g, SKR_REASON_WAITING_FOR_CAPACITY, text, true);
        return;
    }
    if (!still_fits(e, g)) {
        return;
    }
    earmark(e, plan);
    if (!skr_plan_storage_is_written(e, plan)) {
        forget_gone(e, plan);
        if (skr_plan_storage_is_quiet(e, g) && skr_plan_storage_is_refused(e, g)) {
            skr_plan_loss_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "the plan cannot be written", true);
        } else {
            skr_plan_storage_hurry(g);
        }
        say(e, g);
        return;
    }
    skr_victims_release(e, plan);
    bool room = skr_plan_has_room(e, plan);
    if (!room && counts_on_others(e, plan)) {
        say(e, g);
        skr_wakes_group(e, g, skr_frame_now(e->frame) + OTHERS_PAUSE_MS * SKR_MILLISECOND);
        return;
    }
    size_t waiting = 0, kept = 0;
    for (size_t i = 0; i < plan->n_victims; i++) {
        struct plan_victim *v = &plan->victim[i];
        bool gone;
        skr_victims_left(e, v, &gone);
        if (!gone && room && !v->begun) {
            drop(e, v, g);
            continue;
        }
        if (!gone && !(room && skr_victims_only_terminate(e, v))) {
            waiting++;
            push(e, v, g);
        }
        plan->victim[kept++] = *v;
    }
    bool changed = kept < plan->n_victims;
    plan->n_victims = kept;
    changed = (waiting > 0 || !room) && (skr_victims_note_return(e, plan) || changed);
    if (changed) {
        skr_plan_text_changed(e, plan);
    }
    if (waiting > 0) {
        say(e, g);
        if (skr_preemption_looks_elsewhere(e, g)) {
            skr_dirty_plan(e); /* evictions that were on their way are answered */
        }
    } else if (room) {
        finish(e, g);
    } else {
        wait_for_room(e, g);
    }
}

bool skr_preemption_waits_again(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    bool room = skr_plan_has_room(e, plan), waits = false;
    for (size_t i = 0; i < plan->n_victims && !waits; i++) {
        bool gone;
        skr_victims_left(e, &plan->victim[i], &gone);
        waits = !gone && !(room && skr_victims_only_terminate(e, &plan->victim[i]));
    }
    if (waits) {
        skr_plan_wait_for_victims(e, plan, true);
        if (!plan->replacement) {
            skr_group_state_enter(e, g, GROUP_PREEMPTING);
        }
        say(e, g);
        skr_plan_text_changed(e, plan);
        skr_dirty_group(e, g);
    }
    return waits;
}

/* ---- its end ---- */

void skr_preemption_settle(struct skr_gang *e, struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        struct group *h =
            skr_victims_pod_uid(&plan->victim[i]) ? NULL : skr_groups_find(e, plan->victim[i].text);
        if (h && h->victim.leaving && strcmp(h->victim.by, plan->group->key) == 0) {
            skr_dirty_group(e, h);
            skr_dirty_plan(e);
        }
    }
    skr_plan_forget_victims(plan);
}

/* ---- victims' side ---- */

static void say_leaving(struct group *g, size_t n_left)
{
    char text[700];
    snprintf(text, sizeof text, "group %.250s %s group %.300s, %zu of its pods are left", g->name,
             g->replacing.by ? "moves for" : "gives way to", g->victim.by, n_left);
    skr_group_state_reason(g, g->replacing.by ? SKR_REASON_MOVED : SKR_REASON_WAITING_FOR_CAPACITY,
                           text);
}

bool skr_preemption_rules_state(struct skr_gang *e, struct group *g)
{
    const struct group *by = g->victim.by ? skr_groups_find(e, g->victim.by) : NULL;
    if (by && by->plan && by->plan->preempted && by->plan->n_victims > 0) {
        if (g->victim.leaving) {
            const size_t there = skr_victims_pods_there(g);
            skr_victims_tell(e, g);
            say_leaving(g, there);
            if (there > 0) {
                skr_group_state_enter(e, g, GROUP_EVICTED);
            }
        }
        return g->victim.leaving;
    }
    if (g->victim.leaving && g->seats.n_bound + g->seats.n_newcomers == 0) {
        say_leaving(g, 0); /* the last ones end; this text stands when they are gone */
    }
    if (g->victim.by) {
        unmark(e, g);
    }
    return false;
}

void skr_preemption_restore_victim(struct group *g, const char *by)
{
    if (by && *by && !g->victim.by) {
        g->victim.by = skr_strdup(by);
    }
}
