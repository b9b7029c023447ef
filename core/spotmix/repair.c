/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pods should carry against what they carry. Decisions change claims, in memory. A write is
 * due where a pod does not carry what it claims. So a write that is lost, refused or overtaken
 * shows as a difference again, and an index that is being written is taken already.
 */
#include <stdlib.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

/* The pause of a workload of more than SKR_SPOTMIX_SETTLED_AT_ONCE pods, for each pod. Without it a
 * workload whose pods come and go would take all of the time, with it a hundredth. */
#define PAUSE_A_POD (SKR_MILLISECOND / 50)

/* Fixes of a pod without a pause. More are needed only if another writer removes the labels, and
 * all writes share one limiter. */
enum { FIXES_AT_ONCE = 4 };

/* ---- indices ---- */

/* The vacant indices of one space. A pass over its pods makes them, and each move updates them. */
struct vacancies {
    const struct skr_spotmix_owner *owner;
    const struct skr_spotmix_rule *rule;
    struct skr_spotmix_window window[SKR_SPOTMIX_CLASS_COUNT]; /* spot: made when it is needed */
    int32_t highest;
    bool highest_known;
};

static struct skr_spotmix_window *window_of(struct vacancies *v, enum skr_spotmix_class class_)
{
    struct skr_spotmix_window *window = &v->window[class_];
    if (!window->holders) {
        const bool from_max = class_ == SKR_SPOTMIX_SPOT && !v->rule->all;
        skr_spotmix_window_init(window, v->owner, from_max ? v->rule->max : 0);
    }
    return window;
}

/* For a pod that runs as this class and cannot change it. If the class has no vacant index, the pod
 * gets the one behind the highest, which is drift. */
static int32_t index_for(struct vacancies *v, enum skr_spotmix_class class_)
{
    const int32_t vacant = skr_spotmix_window_vacant(window_of(v, class_));
    if (skr_spotmix_rule_class(v->rule, vacant) == class_) {
        return vacant;
    }
    if (!v->highest_known) {
        v->highest = skr_spotmix_highest(v->owner);
        v->highest_known = true;
    }
    return v->highest < SKR_SPOTMIX_INDEX_MAX ? v->highest + 1 : vacant;
}

static void claim(struct vacancies *v, struct skr_spotmix_pod *pod, enum skr_spotmix_class class_,
                  int32_t index)
{
    const int32_t before = v->owner->held[pod->at].index;
    skr_spotmix_pod_claim(pod, class_, index);
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT && before != index; i++) {
        if (v->window[i].holders) {
            skr_spotmix_window_move(&v->window[i], before, index);
        }
    }
    if (index > v->highest) {
        v->highest = index;
    } else {
        v->highest_known &= before != v->highest;
    }
}

static struct skr_spotmix_pod **sorted(const struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_pod **pod = skr_alloc_array(owner->n_held, sizeof(struct skr_spotmix_pod *));
    for (size_t i = 0; i < owner->n_held; i++) {
        pod[i] = owner->held[i].pod;
    }
    qsort(pod, owner->n_held, sizeof(struct skr_spotmix_pod *), skr_spotmix_by_place);
    return pod;
}

static void part_duplicates(const struct skr_spotmix_owner *owner, struct vacancies *v)
{
    int32_t before = -1;
    if (!window_of(v, SKR_SPOTMIX_ON_DEMAND)->clash) {
        return;
    }
    SKR_AUTO_FREE struct skr_spotmix_pod **pod = sorted(owner);
    for (size_t i = 0; i < owner->n_held; i++) {
        const int32_t index = pod[i]->index_claim;
        if (index >= 0 && index == before) {
            const enum skr_spotmix_class class_ = (enum skr_spotmix_class)pod[i]->class_claim;
            claim(v, pod[i], class_, class_ == SKR_SPOTMIX_NO_CLASS ? -1 : index_for(v, class_));
        }
        before = index;
    }
}

/* ---- adoption ---- */

/* A pod that no review has seen takes the class of its node. */
static void take_class(struct skr_spotmix *mix, struct skr_spotmix_pod *pod,
                       enum skr_spotmix_class class_)
{
    mix->n_unmutated++;
    if (pod->cost == SKR_SPOTMIX_COST_NONE) {
        pod->cost_claim =
            class_ == SKR_SPOTMIX_SPOT ? SKR_SPOTMIX_COST_SPOT : SKR_SPOTMIX_COST_ON_DEMAND;
    }
}

static void adopt(struct skr_spotmix *mix, struct skr_spotmix_pod *pod, struct vacancies *v)
{
    const enum skr_spotmix_class class_ = skr_spotmix_pod_node_class(mix, pod);
    int32_t index = pod->index_claim;
    if (class_ == SKR_SPOTMIX_NO_CLASS || pod->pinned) {
        return;
    }
    if (index < 0 || skr_spotmix_rule_class(v->rule, index) != class_) {
        index = index_for(v, class_);
    }
    claim(v, pod, class_, index);
    take_class(mix, pod, class_);
}

/* The index follows from the name. A pod that no review has seen has the class of its node. */
static void settle_member(struct skr_spotmix *mix, struct skr_spotmix_pod *pod)
{
    const int64_t place = skr_spotmix_pod_place(pod);
    const int32_t index =
        pod->ordinal < 0 || place < 0 || place > SKR_SPOTMIX_INDEX_MAX ? -1 : (int32_t)place;
    enum skr_spotmix_class class_ = (enum skr_spotmix_class)pod->class_claim;
    if (class_ == SKR_SPOTMIX_NO_CLASS) {
        class_ = pod->pinned ? SKR_SPOTMIX_NO_CLASS : skr_spotmix_pod_node_class(mix, pod);
        if (class_ == SKR_SPOTMIX_NO_CLASS) {
            return;
        }
        take_class(mix, pod, class_);
    }
    skr_spotmix_pod_claim(pod, class_, index >= 0 ? index : pod->index);
}

static void settle_indices(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                           const struct skr_spotmix_rule *rule)
{
    struct vacancies vacancies = {.owner = owner, .rule = rule};
    if (owner->kind == SKR_SPOTMIX_STATEFUL_SET) {
        for (size_t i = 0; i < owner->n_held; i++) {
            settle_member(mix, owner->held[i].pod);
        }
        return;
    }
    part_duplicates(owner, &vacancies);
    size_t n = 0;
    for (size_t i = 0; i < owner->n_held; i++) {
        n += owner->held[i].index < 0 || owner->held[i].pod->class_claim == SKR_SPOTMIX_NO_CLASS;
    }
    if (n > 0) {
        struct skr_spotmix_pod **pod = sorted(owner); /* the older one gets the lower index */
        for (size_t i = 0; i < owner->n_held; i++) {
            if (pod[i]->index_claim < 0 || pod[i]->class_claim == SKR_SPOTMIX_NO_CLASS) {
                adopt(mix, pod[i], &vacancies);
            }
        }
        free(pod);
    }
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        skr_spotmix_window_fini(&vacancies.window[i]);
    }
}

/* ---- costs of a rollout ---- */

/* The highest revisions of a workload, which decide costs. */
struct revisions {
    int64_t newest;    /* of all */
    int64_t with_pods; /* of those that have pods */
};

/* While a newer ReplicaSet has pods, the older one loses its on-demand pods before its spot
 * pods. That makes room for the new on-demand pods first. */
static void settle_costs(const struct skr_spotmix *mix, const struct revisions *revisions,
                         struct skr_spotmix_owner *owner)
{
    if (!mix->settings->rollout_cost || owner->revision <= 0 || owner->cost_in_template) {
        return;
    }
    const bool old = owner->revision < revisions->with_pods;
    const bool current = owner->revision == revisions->newest;
    for (size_t i = 0; i < owner->n_held; i++) {
        struct skr_spotmix_pod *pod = owner->held[i].pod;
        if (pod->class_claim == SKR_SPOTMIX_ON_DEMAND) {
            if (old && pod->cost == SKR_SPOTMIX_COST_ON_DEMAND) {
                pod->cost_claim = SKR_SPOTMIX_COST_ROLLOUT;
            } else if (current && pod->cost == SKR_SPOTMIX_COST_ROLLOUT) {
                pod->cost_claim = SKR_SPOTMIX_COST_ON_DEMAND;
            }
        }
    }
}

/* ---- writes ---- */

static void emit_fixes(const struct skr_spotmix_owner *owner,
                       const struct skr_spotmix_settling *settling)
{
    for (size_t i = 0; i < owner->n_held; i++) {
        struct skr_spotmix_pod *pod = owner->held[i].pod;
        const bool class_ =
            pod->class_claim != SKR_SPOTMIX_NO_CLASS && pod->class_claim != pod->class_;
        const bool index = pod->index_claim >= 0 && pod->index_claim != pod->index;
        const bool cost = pod->cost_claim != pod->cost;
        if (pod->writing || (!class_ && !index && !cost)) {
            continue;
        }
        const struct skr_spotmix_fix fix = {
            .namespace_ = owner->namespace_,
            .name = pod->name,
            .uid = pod->text,
            .class_ = class_ ? (enum skr_spotmix_class)pod->class_claim : SKR_SPOTMIX_NO_CLASS,
            .index = index ? pod->index_claim : -1,
            .cost = cost ? skr_spotmix_cost_text[pod->cost_claim] : NULL};
        pod->writing = true;
        pod->fixes = pod->fixes < UINT8_MAX ? (uint8_t)(pod->fixes + 1) : UINT8_MAX;
        settling->emit(settling->context, &fix);
    }
}

void skr_spotmix_fixed(struct skr_spotmix *mix, const char *pod_uid, bool done)
{
    struct skr_spotmix_pod *pod;
    HASH_FIND_STR(mix->pods, pod_uid, pod);
    if (pod) {
        pod->writing = false;
        if (!done) {
            skr_spotmix_owner_touch(mix, pod->owner);
        }
    }
}

skr_time skr_spotmix_fix_pause(const struct skr_spotmix *mix, const char *pod_uid)
{
    const struct skr_spotmix_pod *pod;
    HASH_FIND_STR(mix->pods, pod_uid, pod);
    if (!pod || pod->fixes <= FIXES_AT_ONCE) {
        return 0;
    }
    const int doubled = pod->fixes - FIXES_AT_ONCE < 6 ? pod->fixes - FIXES_AT_ONCE : 6;
    return ((skr_time)1 << doubled) * SKR_SECOND;
}

/* ---- workloads ---- */

/* ReplicaSets without pods count too: users choose how many there are. */
static size_t size_of(const struct skr_spotmix_owner *workload)
{
    const struct skr_spotmix_owner *child;
    size_t n = workload->n_held;
    DL_FOREACH(workload->child, child)
    {
        n += child->n_held + 1;
    }
    return n;
}

/* Counts whether pods that came since the last call were reviewed. */
static void settle_news(struct skr_spotmix_owner *workload, struct skr_spotmix_owner *owner)
{
    size_t missed = 0;
    bool called = false;
    if (!workload->known) {
        return;
    }
    for (size_t i = 0; i < owner->n_held; i++) {
        struct skr_spotmix_pod *pod = owner->held[i].pod;
        called |= pod->news && pod->reviewed;
        missed += pod->news && !pod->reviewed && !pod->pinned;
        pod->news = false;
    }
    missed += workload->unreviewed;
    missed = called || !workload->rule.on ? 0 : missed;
    workload->unreviewed = missed < UINT8_MAX ? (uint8_t)missed : UINT8_MAX;
}

static void settle_space(struct skr_spotmix *mix, struct skr_spotmix_owner *workload,
                         const struct revisions *revisions, struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_settling *settling)
{
    settle_news(workload, owner);
    if (workload->known && workload->rule.on) {
        settle_indices(mix, owner, &workload->rule);
        settle_costs(mix, revisions, owner);
        emit_fixes(owner, settling);
    }
}

static void settle_workload(struct skr_spotmix *mix, struct skr_spotmix_owner *workload,
                            const struct skr_spotmix_settling *settling)
{
    const struct revisions revisions = {.newest = skr_spotmix_newest(workload, false),
                                        .with_pods = skr_spotmix_newest(workload, true)};
    const size_t n = size_of(workload);
    struct skr_spotmix_owner *child, *next;
    workload->settles_at = n > SKR_SPOTMIX_SETTLED_AT_ONCE && settling->now != SKR_TIME_NEVER
                               ? settling->now + (skr_time)n * PAUSE_A_POD
                               : 0;
    if (workload->kind != SKR_SPOTMIX_DEPLOYMENT && !workload->parent) {
        settle_space(mix, workload, &revisions, workload, settling);
    }
    DL_FOREACH_SAFE(workload->child, child, next)
    {
        settle_space(mix, workload, &revisions, child, settling);
        skr_spotmix_owner_release(mix, child);
    }
    if (settling->settled && workload->known && workload->rule.on && !workload->parent) {
        settling->settled(settling->context, workload->key);
    }
}

/* Pods that wait for the class of their node. */
static void touch_waiting(struct skr_spotmix *mix)
{
    struct skr_spotmix_owner *owner, *next;
    mix->nodes_changed = false;
    HASH_ITER(hh, mix->owners, owner, next)
    {
        for (size_t i = 0; i < owner->n_held; i++) {
            if (owner->held[i].index < 0) {
                skr_spotmix_owner_touch(mix, owner);
                break;
            }
        }
    }
}

bool skr_spotmix_settle(struct skr_spotmix *mix, const struct skr_spotmix_settling *settling)
{
    if (mix->nodes_changed) {
        touch_waiting(mix);
    }
    struct skr_spotmix_owner *later = NULL;
    bool any = false;

    mix->settles_at = SKR_TIME_NEVER;
    while (mix->dirty) {
        struct skr_spotmix_owner *workload = mix->dirty;
        mix->dirty = workload->dirty_next;
        if (workload->settles_at > settling->now) {
            workload->dirty_next = later;
            later = workload;
            mix->settles_at =
                workload->settles_at < mix->settles_at ? workload->settles_at : mix->settles_at;
            continue;
        }
        any = true;
        settle_workload(mix, workload, settling);
        workload->dirty = false;
        skr_spotmix_owner_release(mix, workload);
    }
    mix->dirty = later;
    return any;
}

skr_time skr_spotmix_settles_at(const struct skr_spotmix *mix)
{
    return mix->settles_at;
}
