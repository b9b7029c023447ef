/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What should be on the pods against what is. Decisions are made on claims, in memory; what a pod
 * claims and does not carry is a write that is due. So a write that is lost, refused or overtaken
 * is found again as a difference, and an index that is being written is taken already.
 */
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

static const char *const cost_texts[] = {[SKR_SPOTMIX_COST_NONE] = NULL,
                                         [SKR_SPOTMIX_COST_ON_DEMAND] = "100",
                                         [SKR_SPOTMIX_COST_SPOT] = "1",
                                         [SKR_SPOTMIX_COST_ROLLOUT] = "0",
                                         [SKR_SPOTMIX_COST_OTHER] = NULL};
_Static_assert(sizeof cost_texts / sizeof cost_texts[0] == SKR_SPOTMIX_COST_COUNT, "a text each");

/* ---- indices ---- */

/* For a pod that runs as this class and cannot change it. Without a vacant index of the class it
 * goes behind the highest one, which is drift. */
static int32_t index_for(struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_rule *rule, enum skr_spotmix_class class_)
{
    const bool spot = class_ == SKR_SPOTMIX_SPOT;
    const int32_t vacant = skr_spotmix_vacant(mix, owner, spot && !rule->all ? rule->max : 0);

    if (skr_spotmix_rule_class(rule, vacant) == class_) {
        return vacant;
    }
    const int32_t highest = skr_spotmix_highest(owner);
    return highest < SKR_SPOTMIX_INDEX_MAX ? highest + 1 : vacant;
}

/* By index, then who came first. */
static int by_place(const void *a, const void *b)
{
    const struct skr_spotmix_pod *x = *(struct skr_spotmix_pod *const *)a;
    const struct skr_spotmix_pod *y = *(struct skr_spotmix_pod *const *)b;
    const int64_t at = skr_spotmix_pod_place(x), other = skr_spotmix_pod_place(y);

    if (at != other) {
        return at < other ? -1 : 1;
    }
    if (x->created != y->created) {
        return x->created < y->created ? -1 : 1;
    }
    return strcmp(x->text, y->text);
}

static struct skr_spotmix_pod **sorted(const struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_pod **pod = skr_alloc_array(owner->n_held, sizeof(struct skr_spotmix_pod *));

    for (size_t i = 0; i < owner->n_held; i++) {
        pod[i] = owner->held[i].pod;
    }
    qsort(pod, owner->n_held, sizeof(struct skr_spotmix_pod *), by_place);
    return pod;
}

/* Whether two pods claim one index: O(pods), as it is asked after every event. */
static bool has_duplicates(struct skr_spotmix *mix, const struct skr_spotmix_owner *owner)
{
    const size_t n = owner->n_held, words = (n + 63) / 64;
    bool beyond = false;

    if (n == 0) {
        return false;
    }
    skr_grow(&mix->bits, &mix->cap_bits, words, sizeof *mix->bits);
    memset(mix->bits, 0, words * sizeof *mix->bits);
    for (size_t i = 0; i < n; i++) {
        const int32_t index = owner->held[i].index;
        if (index < 0) {
            continue;
        }
        if ((size_t)index >= n) {
            beyond = true; /* decided by sorting, below */
            continue;
        }
        const uint64_t bit = (uint64_t)1 << ((size_t)index % 64);
        if ((mix->bits[(size_t)index / 64] & bit) != 0) {
            return true;
        }
        mix->bits[(size_t)index / 64] |= bit;
    }
    return beyond;
}

static void part_duplicates(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                            const struct skr_spotmix_rule *rule)
{
    int32_t before = -1;

    if (!has_duplicates(mix, owner)) {
        return;
    }
    struct skr_spotmix_pod **pod = sorted(owner);
    for (size_t i = 0; i < owner->n_held; i++) {
        const int32_t index = pod[i]->index_claim;
        if (index >= 0 && index == before) {
            const enum skr_spotmix_class class_ = (enum skr_spotmix_class)pod[i]->class_claim;
            skr_spotmix_pod_claim(
                pod[i], class_,
                class_ == SKR_SPOTMIX_NO_CLASS ? -1 : index_for(mix, owner, rule, class_));
        }
        before = index;
    }
    free(pod);
}

/* ---- adoption ---- */

/* A pod that no review has seen: its class is that of the node it got. */
static void adopt(struct skr_spotmix *mix, struct skr_spotmix_pod *pod,
                  const struct skr_spotmix_rule *rule)
{
    const enum skr_spotmix_class class_ = skr_spotmix_pod_node_class(mix, pod);
    int32_t index = pod->index_claim;

    if (class_ == SKR_SPOTMIX_NO_CLASS || pod->pinned) {
        return;
    }
    if (index < 0 || skr_spotmix_rule_class(rule, index) != class_) {
        index = index_for(mix, pod->owner, rule, class_);
    }
    skr_spotmix_pod_claim(pod, class_, index);
    if (pod->cost == SKR_SPOTMIX_COST_NONE) {
        pod->cost_claim =
            class_ == SKR_SPOTMIX_SPOT ? SKR_SPOTMIX_COST_SPOT : SKR_SPOTMIX_COST_ON_DEMAND;
    }
    mix->n_unmutated++;
}

/* The index follows from the name; the class of a pod that was not reviewed is its node's. */
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
        mix->n_unmutated++;
        if (pod->cost == SKR_SPOTMIX_COST_NONE) {
            pod->cost_claim =
                class_ == SKR_SPOTMIX_SPOT ? SKR_SPOTMIX_COST_SPOT : SKR_SPOTMIX_COST_ON_DEMAND;
        }
    }
    skr_spotmix_pod_claim(pod, class_, index >= 0 ? index : pod->index);
}

static void settle_indices(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                           const struct skr_spotmix_rule *rule)
{
    if (owner->kind == SKR_SPOTMIX_STATEFUL_SET) {
        for (size_t i = 0; i < owner->n_held; i++) {
            settle_member(mix, owner->held[i].pod);
        }
        return;
    }
    part_duplicates(mix, owner, rule);
    size_t n = 0;
    for (size_t i = 0; i < owner->n_held; i++) {
        n += owner->held[i].index < 0 || owner->held[i].pod->class_claim == SKR_SPOTMIX_NO_CLASS;
    }
    if (n == 0) {
        return;
    }
    struct skr_spotmix_pod **pod = sorted(owner); /* the older one gets the lower index */
    for (size_t i = 0; i < owner->n_held; i++) {
        if (pod[i]->index_claim < 0 || pod[i]->class_claim == SKR_SPOTMIX_NO_CLASS) {
            adopt(mix, pod[i], rule);
        }
    }
    free(pod);
}

/* ---- costs of a rollout ---- */

/* While a newer ReplicaSet has pods, the on-demand pods of an older one go before its spot pods:
 * that makes room for the new on-demand pods first. */
static void settle_costs(struct skr_spotmix *mix, const struct skr_spotmix_owner *workload,
                         struct skr_spotmix_owner *owner)
{
    if (!mix->settings->rollout_cost || owner->revision <= 0 || owner->cost_in_template) {
        return;
    }
    const bool old = owner->revision < skr_spotmix_newest(workload, true);
    const bool current = owner->revision == skr_spotmix_newest(workload, false);
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
            .cost = cost ? cost_texts[pod->cost_claim] : NULL};
        pod->writing = true;
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

static void settle_space(struct skr_spotmix *mix, const struct skr_spotmix_owner *workload,
                         struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_settling *settling)
{
    if (workload->known && workload->rule.on) {
        settle_indices(mix, owner, &workload->rule);
        settle_costs(mix, workload, owner);
        emit_fixes(owner, settling);
    }
}

/* Pods may wait for the class of their node. */
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
    const bool any = mix->dirty;
    while (mix->dirty) {
        struct skr_spotmix_owner *workload = mix->dirty, *child, *next;
        mix->dirty = workload->dirty_next;
        if (workload->kind != SKR_SPOTMIX_DEPLOYMENT && !workload->parent) {
            settle_space(mix, workload, workload, settling);
        }
        DL_FOREACH_SAFE(workload->child, child, next)
        {
            settle_space(mix, workload, child, settling);
            skr_spotmix_owner_release(mix, child);
        }
        if (settling->settled && workload->known && workload->rule.on && !workload->parent) {
            settling->settled(settling->context, workload->uid);
        }
        workload->dirty = false;
        skr_spotmix_owner_release(mix, workload);
    }
    return any;
}

/* ---- pods of the wrong class ---- */

static size_t add_wrong(const struct skr_spotmix_owner *owner, const struct skr_spotmix_rule *rule,
                        const char **ret, size_t n, size_t max)
{
    struct skr_spotmix_pod **pod = sorted(owner);

    for (size_t i = 0; i < owner->n_held && n < max; i++) {
        const bool placed = owner->kind == SKR_SPOTMIX_STATEFUL_SET ? pod[i]->ordinal >= 0
                                                                    : pod[i]->index_claim >= 0;
        if (placed && pod[i]->class_claim != SKR_SPOTMIX_NO_CLASS &&
            skr_spotmix_rule_class(rule, skr_spotmix_pod_place(pod[i])) !=
                (enum skr_spotmix_class)pod[i]->class_claim) {
            ret[n++] = pod[i]->text;
        }
    }
    free(pod);
    return n;
}

size_t skr_spotmix_wrong(const struct skr_spotmix *mix, const char *workload_uid, const char **ret,
                         size_t max)
{
    const struct skr_spotmix_owner *workload = skr_spotmix_owner_find(mix, workload_uid), *child;
    size_t n = 0;

    if (!workload || !workload->known || !workload->rule.on) {
        return 0;
    }
    if (workload->kind != SKR_SPOTMIX_DEPLOYMENT) {
        return add_wrong(workload, &workload->rule, ret, n, max);
    }
    const int64_t newest = skr_spotmix_newest(workload, true);
    DL_FOREACH(workload->child, child)
    {
        if (child->revision == newest) {
            n = add_wrong(child, &workload->rule, ret, n, max);
        }
    }
    return n;
}
