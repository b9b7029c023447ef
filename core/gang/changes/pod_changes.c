/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies a change of a pod: to its group and seats, its plan, its charge, its open bind call, and
 * members that wait for the node of its nomination.
 *
 * A pod is charged to its node from when the cache shows it bound until it is terminal or gone;
 * plan.c charges a member of a plan before that. The newest resourceVersion wins, from the watch or
 * from the acknowledgement of a write.
 *
 * A pod that needs no decision is a resident, without an entry (residents.h): at once if it arrives
 * as one, else as soon as its entry holds nothing. It gets an entry again if that changes.
 */
#include "core/gang/changes/pod_changes.h"

#include "core/gang/cache/claim_users.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/residents.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/group_end.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/uniform.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"

#include <string.h>
#include <utlist.h>

/* ---- membership of groups and nodes' nominations ---- */

static void leave_group(struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    if (!g) {
        return;
    }
    DL_DELETE(g->members, p);
    skr_vetoes_member_gone(e, g, p->shape);
    g->n_members--;
    skr_membership_changed(g);
    skr_dirty_input(g);
    p->group = NULL;
    skr_membership_unseat(p);
    skr_dirty_member(e, g);
}

static void join_group(struct skr_gang *e, struct pod_entry *p, struct group *g)
{
    skr_ordinary_leave(e, p);
    p->group = g;
    DL_APPEND(g->members, p);
    g->n_members++;
    skr_membership_changed(g);
    skr_dirty_input(g);
    const char *retries = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RETRIES);
    long long had = retries ? strtoll(retries, NULL, 10) : 0;
    p->attempts_base = g->attempt.n - (had > 0 ? (uint64_t)had : 0);
    skr_dirty_member(e, g);
}

/* Also a member of a plan stays in its group. */
static bool stays(const struct pod_entry *p, const char *name)
{
    return p->group && !p->unsure && skr_entry_is_kept(p->group->name, name) &&
           (p->plan || skr_pods_is_bound(p));
}

/* Asks for the kinds that the group reads. The deadline of its Job counts for any member. */
static void ask_for_owners(struct skr_gang *e, struct pod_entry *p, bool derived)
{
    struct skr_workload w;
    if (p->pod->of_job) {
        skr_workload_owners_ask(e, "Job");
    }
    if (derived) {
        skr_workload_of(p->pod, &w);
        skr_workload_owners_ask(e, w.owner_kind);
        skr_workload_owners_ask(e, skr_workload_kind_between(w.kind));
    }
    p->unsure = derived && skr_workload_owners_are_coming(e, w.owner_kind);
}

static void update_group(struct skr_gang *e, struct pod_entry *p)
{
    SKR_STRBUF(name);
    const bool has = p->ours && skr_entry_name(e, p->pod, &name);
    p->kept =
        p->ours && stays(p, has ? name.s : "") && (!has || strcmp(name.s, p->group->name) != 0);
    if (p->kept) {
        return;
    }
    struct group *g = has ? skr_groups_get(e, p->pod->meta.namespace_, name.s) : NULL;
    if (has && (g != p->group || p->unsure)) {
        ask_for_owners(e, p, skr_entry_is_derived(name.s));
    }
    if (g == p->group) {
        return;
    }
    if (p->plan) {
        skr_plan_loss_pod(e, p);
    }
    leave_group(e, p);
    if (g) {
        join_group(e, p, g);
    }
}

/* Members that waited for a record on the node to vanish look again. */
static void wake_awaiting(struct skr_gang *e, struct node_entry *n)
{
    struct group *g;
    struct pod_entry *p;
    if (!n->awaited) {
        return;
    }
    skr_nodes_set_awaited(n, false);
    DL_FOREACH2(e->planned, g, pnext)
    {
        DL_FOREACH(g->members, p)
        {
            if (p->plan && strcmp(p->place.node, n->name) == 0) {
                skr_dirty_pod(e, p);
            }
        }
    }
}

static void update_nomination(struct skr_gang *e, struct pod_entry *p, bool gone)
{
    const char *node = p->pod->nominated_node;
    bool counts = !gone && p->ours && *node && !skr_pods_is_bound(p) && skr_pod_is_live(p->pod);
    struct node_entry *want = counts ? skr_nodes_get(e, node) : NULL;
    if (want == p->work->nominated_on) {
        return;
    }
    if (p->work->nominated_on) {
        struct node_entry *was = p->work->nominated_on;
        DL_DELETE2(was->nominated, p, own_work->nprev, own_work->nnext);
        wake_awaiting(e, was);
    }
    skr_pods_work(p)->nominated_on = want;
    if (want) {
        DL_APPEND2(want->nominated, p, own_work->nprev, own_work->nnext);
    }
}

/* Bound pods that still use their node are charged to it; plan.c and binding.c charge the
 * others. */
static void update_charge(struct skr_gang *e, struct pod_entry *p)
{
    if (skr_pods_is_bound(p) && !skr_pods_is_terminal(p->pod)) {
        enum skr_charge_kind kind;
        const char *on = skr_ledger_find(e->ledger, p->uid, &kind);
        if (!on || kind != SKR_CHARGE_BOUND || strcmp(on, p->pod->node_name) != 0) {
            skr_ledger_charge(e->ledger, p->uid, skr_names_intern(e, p->pod->node_name),
                              &p->shape->amounts, SKR_CHARGE_BOUND);
        }
        skr_ends_put(e, p->pod, p->pod->node_name, 0);
    } else if (skr_pods_is_terminal(p->pod) && skr_ledger_find(e->ledger, p->uid, NULL)) {
        const bool lost = p->lost && !skr_ends_broke_word(e, p->uid);
        skr_nodes_touch(e, p->pod->node_name);
        skr_vetoes_end(e, p->pod->node_name);
        skr_ledger_release(e->ledger, p->uid);
        if (p->group && lost) {
            skr_seat_holds_lost(e, p->group, p);
        }
        skr_ends_forget(e, p->uid);
    } else if (p->plan) {
        skr_ends_put(e, p->pod, p->place.node, skr_run_limit_owed(e, p));
    }
}

/* old: its previous version; NULL: it is new here and may have ended before this process
 * started. */
static void note_success(struct group *g, struct pod_entry *p, const struct skr_pod *old)
{
    bool ended = p->pod->phase == SKR_POD_SUCCEEDED && skr_pods_is_bound(p);
    bool now = old && skr_pod_is_live(old);
    if (ended && (now || !old)) {
        skr_generation_note_success(g);
    }
    if (ended && now && !p->pod->meta.deleting) {
        skr_generation_count_success(g, p);
    }
}

static void update_shape(struct skr_gang *e, struct pod_entry *p)
{
    if (p->shape && strcmp(p->shape->spec->key, p->pod->shape->key) == 0) {
        return;
    }
    struct shape *old = p->shape;
    p->shape = skr_shapes_get(e, p->pod);
    enum skr_charge_kind kind;
    const char *on = skr_ledger_find(e->ledger, p->uid, &kind);
    if (on) {
        skr_ledger_charge(e->ledger, p->uid, on, &p->shape->amounts, kind);
    }
    if (p->group) {
        skr_vetoes_member_gone(e, p->group, old);
        skr_membership_changed(p->group);
        skr_dirty_input(p->group);
    }
    skr_shapes_unref(e, old);
}

/* What it says of its role and set. The name that it had is of the previous version. */
static void update_role(struct pod_entry *p)
{
    const char *name = skr_roles_name_of(p->pod), *was = p->role_name;
    int32_t set = skr_roles_set_of(p->pod);
    bool same = (name && was ? strcmp(name, was) == 0 : name == was) && set == p->set_said;
    p->role_name = name;
    p->set_said = set;
    if (!same && p->group) {
        skr_membership_changed(p->group);
        skr_dirty_input(p->group);
    }
}

/* What kube-scheduler's plugin GangScheduling of 1.36 and 1.37 says of pods that it holds (Kubernetes
 * pkg/scheduler/framework/plugins/gangscheduling). */
static void note_gang_plugin(struct skr_gang *e, const struct pod_entry *p)
{
    if (p->group->seats.gang_plugin || skr_pods_is_bound(p) ||
        !strstr(p->pod->scheduled_message, "minCount pods from a gang")) {
        return;
    }
    p->group->seats.gang_plugin = true;
    if (e->stats.gang_plugin++ == 0) {
        skr_out_decision(e, p->group->key, p->pod->meta.name, "Plugin GangScheduling is on", "",
                         SKR_TEXT_GANG_PLUGIN, true);
    }
}

/* Compares what concerns seats and the solver's input. */
static void compare(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *old)
{
    struct group *g = p->group;
    bool was = old && skr_pod_is_live(old), is = skr_pod_is_live(p->pod);
    if (was && !is) {
        p->lost = p->seated && skr_pods_is_bound(p) && p->pod->phase != SKR_POD_SUCCEEDED;
        skr_plan_loss_pod(e, p);
    } else if (!old && p->pod->meta.deleting) { /* it ended before this process started */
        p->lost = skr_pods_is_bound(p) && !skr_pods_is_terminal(p->pod);
    }
    if (!g) {
        return;
    }
    if (was && p->lost && skr_frame_is_leader(e->frame)) {
        skr_generation_read_owner(e, g, p); /* it may make another one */
    }
    if (!old || was != is || (*old->node_name != '\0') != skr_pods_is_bound(p) ||
        strcmp(old->foreign_gate_name, p->pod->foreign_gate_name) != 0 ||
        old->deadline_s != p->pod->deadline_s ||
        !skr_uniform_same(&old->meta.annotations, &p->pod->meta.annotations)) {
        skr_membership_changed(g);
        if (!p->plan) {
            skr_dirty_input(g);
        }
    }
    note_success(g, p, old);
    note_gang_plugin(e, p);
    skr_dirty_member(e, g);
}

/* The group that waits for its end looks again. */
static void tell_preemptor(struct skr_gang *e, struct pod_entry *p, bool gone)
{
    struct group *preemptor = p->work->evict.by ? skr_groups_find(e, p->work->evict.by) : NULL;
    if (preemptor) {
        skr_dirty_group(e, preemptor);
    }
    skr_pods_note_leaving(e, p, gone);
}

static bool same_claims(const struct skr_pod *a, const struct skr_pod *b)
{
    bool same = a->n_claims == b->n_claims;
    for (size_t i = 0; same && i < a->n_claims; i++) {
        same =
            a->claim[i].kind == b->claim[i].kind && strcmp(a->claim[i].name, b->claim[i].name) == 0;
    }
    return same;
}

void skr_pod_changes_replace(struct skr_gang *e, struct pod_entry *p, struct skr_pod *pod)
{
    struct skr_pod *old = p->pod;
    pod->started = old && old->started != 0 ? old->started
                                            : skr_start_seen(pod->started, skr_frame_now(e->frame));
    p->pod = pod;
    update_role(p);
    skr_volume_uses_note(e, pod);
    skr_claim_users_note(e, p);
    skr_nomination_changed(p);
    p->ours = skr_pods_is_ours(e, pod);
    if (old) {
        skr_scheduler_progress_saw(e, p, old);
    }
    p->agreed = p->agreed || *skr_pods_label(p, SKR_LABEL_PREEMPTIBLE);
    update_shape(e, p);
    update_group(e, p);
    update_nomination(e, p, false);
    skr_pods_note_deletion(e, p, old);
    skr_claims_changed(e, p, old);
    if (p->work->holds && (skr_pods_is_bound(p) || !p->group)) {
        skr_device_holds_forget(e, p);
    }
    if (skr_pods_is_bound(p)) {
        skr_devices_let_go(e, p);
    } else if (old && !same_claims(old, pod)) {
        skr_devices_pod_changed(e, p);
    }
    compare(e, p, old);
    update_charge(e, p);
    if (skr_pods_is_bound(p) && !p->work->bind.write) {
        skr_bind_calls_is_seen(e, p);
    }
    skr_ordinary_changed(e, p, old);
    tell_preemptor(e, p, false);
    skr_dirty_pod(e, p);
    skr_pod_destroy(old);
}

void skr_pod_changes_enter(struct skr_gang *e, struct pod_entry *p)
{
    struct group *old = p->group;
    update_group(e, p);
    if (old != p->group) {
        skr_ordinary_changed(e, p, p->pod);
        skr_dirty_pod(e, p);
    }
}

void skr_pod_changes_bound(struct skr_gang *e, struct pod_entry *p,
                           const struct skr_pod_overlay *brought)
{
    struct skr_pod *now = skr_pod_overlay(p->pod, brought);
    skr_bug_on(!now);
    p->await_watch = true;
    skr_pod_changes_replace(e, p, now);
}

/* The ledger may own uid: it comes last. */
static void release_charge(struct skr_gang *e, const char *uid)
{
    const char *node = skr_ledger_find(e->ledger, uid, NULL);
    skr_nodes_touch(e, node);
    skr_vetoes_end(e, node);
    skr_volume_uses_forget(e, uid);
    skr_ledger_release(e->ledger, uid);
}

static void entry_free(struct skr_gang *e, struct pod_entry *p)
{
    skr_dirty_forget_pod(e, p);
    skr_ordinary_leave(e, p);
    skr_claim_users_forget(e, p);
    skr_pods_leave(e, p);
    skr_pod_destroy(p->pod);
    skr_shapes_unref(e, p->shape);
    skr_pods_drop_work(p);
    free(p);
}

static void entry_remove(struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    bool lost = p->lost || (skr_pod_is_live(p->pod) && p->seated && skr_pods_is_bound(p));
    skr_plan_loss_pod(e, p);
    if (p->work->vote.request) {
        skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_REPLACED);
    }
    skr_bind_calls_unqueue(e, p);
    skr_claims_let_go(e, p);
    skr_device_holds_forget(e, p);
    skr_devices_let_go(e, p);
    leave_group(e, p);
    update_nomination(e, p, true);
    if (skr_ledger_find(e->ledger, p->uid, NULL)) {
        lost = lost && !skr_ends_broke_word(e, p->uid);
        release_charge(e, p->uid);
        if (g && lost) {
            skr_seat_holds_lost(e, g, p);
        }
        skr_ends_forget(e, p->uid);
    }
    tell_preemptor(e, p, true);
    entry_free(e, p);
}

static struct pod_entry *entry_create(struct skr_gang *e, const struct skr_pod *pod)
{
    SKR_AUTO_FREE char *key = skr_object_key(pod->meta.namespace_, pod->meta.name);
    const size_t n = strlen(pod->meta.uid) + 1;
    struct pod_entry *p = skr_alloc(sizeof *p + n + strlen(key) + 1);
    p->uid = memcpy(p->text, pod->meta.uid, n);
    p->key = memcpy(p->text + n, key, strlen(key) + 1);
    p->seen_at = skr_frame_now(e->frame);
    p->place.rank = -1;
    p->work = &pods_no_work;
    skr_pods_enter(e, p);
    return p;
}

/* ---- residents ---- */

static void resident_remove(struct skr_gang *e, struct resident *r)
{
    char buffer[SKR_UUID_TEXT];
    skr_ends_forget(e, skr_residents_uid(e, r, buffer));
    release_charge(e, skr_residents_uid(e, r, buffer));
    skr_residents_drop(e, r);
}

/* Names are unique: the deletion of the pod that had this name was missed. */
static void free_name(struct skr_gang *e, const struct skr_pod *pod)
{
    struct pod_entry *p = skr_pods_find_name(e, pod->meta.namespace_, pod->meta.name);
    struct resident *r = skr_residents_find(e, pod->meta.namespace_, pod->meta.name);
    if (p && strcmp(p->uid, pod->meta.uid) != 0) {
        entry_remove(e, p);
    }
    if (r && !skr_residents_is(e, r, pod->meta.uid)) {
        resident_remove(e, r);
    }
}

/* It has no work in progress and nothing to keep. */
static bool has_nothing_to_remember(const struct pod_entry *p)
{
    bool writes = p->work->bind.write || p->work->bind.unknown || p->work->patch.write ||
                  p->work->removal.write || p->work->evict.write || p->work->evict.by;
    bool calls = p->work->vote.request || p->work->binding_queued || p->await_watch;
    return !writes && !calls && !p->plan && !p->ordinary && !p->work->nominated_on && !p->agreed;
}

static void become_resident(struct skr_gang *e, struct pod_entry *p)
{
    if (skr_residents_take(p->pod, p->group) && has_nothing_to_remember(p)) {
        skr_residents_put(e, p->pod);
        entry_free(e, p);
    }
}

static bool is_older(const struct skr_pod *pod, uint64_t than)
{
    return pod->meta.resource_version && pod->meta.resource_version < than;
}

/* ---- events ---- */

static bool is_to_be_resident(const struct skr_gang *e, const struct skr_pod *pod)
{
    return skr_residents_take(pod, skr_pods_is_ours(e, pod) && skr_entry_has(e, pod));
}

/* The answer to a patch was newer, and its cached pod was not known to be bound: a bound pod stays
 * bound. */
static void note_bound_before(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *pod)
{
    if (p && !skr_pods_is_bound(p) && *pod->node_name) {
        skr_pod_changes_bound(e, p, &(struct skr_pod_overlay){.node_name = pod->node_name});
    }
}

static bool differ(const struct skr_labels *a, const struct skr_labels *b, const char *key)
{
    const char *one = skr_labels_get(a, key), *other = skr_labels_get(b, key);
    return strcmp(one ? one : "", other ? other : "") != 0;
}

/* Whether a version has other records of ours. */
static bool has_other_records(const struct skr_pod *a, const struct skr_pod *b)
{
    static const char *const label[] = {SKR_LABEL_STATUS, SKR_LABEL_RETRIES, SKR_LABEL_RANK,
                                        SKR_LABEL_ROLE, SKR_LABEL_PLAN};
    bool other = differ(&a->meta.annotations, &b->meta.annotations, SKR_ANNOTATION_PLAN);
    for (size_t i = 0; i < sizeof label / sizeof *label && !other; i++) {
        other = differ(&a->meta.labels, &b->meta.labels, label[i]);
    }
    return other;
}

/* The cache has what this process wrote. If no write of ours is on its way and the next version differs
 * in that, another client has changed it: the next patch waits, longer each time. */
static void look_for_undone(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *pod)
{
    const bool ours = p->work->patch.write || p->work->patch.failures || p->work->bind.write ||
                      p->work->bind.unknown || p->await_watch || p->await_labels ||
                      strcmp(p->pod->node_name, pod->node_name) != 0;
    if (!skr_frame_is_leader(e->frame) || !p->ours || !p->group || ours ||
        !has_other_records(p->pod, pod)) {
        return;
    }
    struct pod_work *w = skr_pods_work(p);
    const skr_time at = skr_undone_note(&w->patch.undone, skr_frame_now(e->frame));
    w->patch.at = at > w->patch.at ? at : w->patch.at;
    if (skr_undone_tell(&w->patch.undone)) {
        SKR_STRBUF(note);
        skr_undone_write_note(&w->patch.undone, "labels sakkara.member.* or the plan of the pod",
                              &note);
        skr_out_event(e, "Pod", &pod->meta, true, SKR_UNDONE_REASON, SKR_UNDONE_REASON, note.s);
    }
}

/* The pod's entry; NULL: it is a resident, or this version is old. Takes pod. */
static struct pod_entry *take(struct skr_gang *e, struct skr_pod *pod)
{
    if (!*pod->meta.uid) {
        skr_pod_destroy(pod);
        return NULL;
    }
    struct pod_entry *p = skr_pods_find(e, pod->meta.uid);
    if (!p) {
        free_name(e, pod);
    }
    struct resident *r = p ? NULL : skr_residents_find(e, pod->meta.namespace_, pod->meta.name);
    /* Answers to Bindings carry no version: a version that shows a bound pod unbound is older. */
    bool old = (p && is_older(pod, p->pod->meta.resource_version)) ||
               (r && is_older(pod, skr_residents_version(r))) ||
               ((r || (p && skr_pods_is_bound(p))) && !*pod->node_name);
    if (!old && !p && is_to_be_resident(e, pod)) {
        skr_residents_put(e, pod);
        skr_volume_uses_note(e, pod);
        old = true;
    }
    if (old) {
        note_bound_before(e, p, pod);
        skr_pod_destroy(pod);
        return NULL;
    }
    if (!p) {
        p = entry_create(e, pod);
    } else {
        look_for_undone(e, p, pod);
    }
    int32_t rank = p->await_labels ? skr_pods_rank_label(p) : -1;
    if (*pod->node_name) {
        p->await_watch = p->await_labels = false;
    }
    skr_pod_changes_replace(e, p, pod);
    if (skr_pods_is_bound(p) && rank >= 0 && skr_pods_rank_label(p) < 0) {
        skr_plan_set_rank(p, rank);
        skr_member_record_labels_were_lost(e);
    }
    if (r) {
        skr_residents_drop(e, r);
    }
    return p;
}

void skr_pod_changes_upsert(struct skr_gang *e, struct skr_pod *pod)
{
    (void)take(e, pod);
}

void skr_pod_changes_seen(struct skr_gang *e, struct skr_pod *pod)
{
    struct pod_entry *p = take(e, pod);
    if (p) {
        become_resident(e, p);
    }
}

void skr_pod_changes_delete(struct skr_gang *e, const char *namespace_, const char *name,
                            const char *uid)
{
    bool any = !uid || !*uid;
    struct pod_entry *p = any ? skr_pods_find_name(e, namespace_, name) : skr_pods_find(e, uid);
    struct resident *r = p ? NULL : skr_residents_find(e, namespace_, name);
    if (r && (any || skr_residents_is(e, r, uid))) {
        resident_remove(e, r);
    }
    if (!p) {
        return;
    }
    struct group *g = p->group;
    entry_remove(e, p);
    if (g) {
        skr_group_end_if_empty(e, g);
    }
}

void skr_pod_changes_fini(struct skr_gang *e)
{
    struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        skr_bind_calls_forget(e, p);
        entry_remove(e, p);
    }
    skr_slab_fini(&e->pods.item);
    skr_hash_index_fini(&e->pods.by_uid);
    skr_hash_index_fini(&e->pods.by_name);
    skr_residents_fini(e);
    skr_ordinary_fini(e);
}
