/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/plan/volume_turns.h"

#include "core/gang/cache/topology.h"
#include "core/gang/plan/plan.h"
#include "core/gang/problem/volume_play.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Pods whose late claims have free volumes to choose from. */
static bool chooses(const struct skr_volume_play *play, size_t i)
{
    const struct skr_late_claims *l = &play->late;
    for (size_t c = l->first[i]; c < l->first[i + 1]; c++) {
        for (size_t k = 0; k < l->n_volumes && l->kind[c] >= 0; k++) {
            if (skr_late_claims_serves(l, &l->volume[k], c)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether two of the leaves of these pods reach one volume. */
static bool is_common(const struct skr_volume_play *play, const int32_t *leaf)
{
    for (size_t v = 0; v < play->late.n_volumes; v++) {
        int32_t first = -1;
        for (size_t i = 0; i < play->n && play->late.volume[v].leaf < 0; i++) {
            const bool reaches =
                leaf[i] >= 0 && leaf[i] != first &&
                skr_late_claims_reaches(&play->late, &play->late.volume[v], leaf[i]);
            if (reaches && first >= 0) {
                return true;
            }
            first = reaches ? leaf[i] : first;
        }
    }
    return false;
}

/* order: in which all are accepted on these leaves. */
static void turns_of(const struct skr_volume_play *play, const int32_t *leaf, const size_t *order,
                     int32_t first, int32_t *ret)
{
    const bool common = is_common(play, leaf);
    int32_t *turn = skr_alloc_array(play->n + 1, sizeof *turn);
    bool *chooser = skr_alloc_array(play->n + 1, sizeof *chooser);
    for (size_t at = 0; at < play->n; at++) {
        const size_t i = order[at];
        const bool late = skr_volume_play_is_late(play, i);
        chooser[i] = late && chooses(play, i);
        for (size_t before = 0; before < at && chooser[i]; before++) {
            const size_t k = order[before];
            const bool meet = chooser[k] && (common || leaf[k] == leaf[i]);
            const int32_t after =
                turn[k] + (leaf[k] != leaf[i] || !skr_volume_play_is_like(play, k, i));
            turn[i] = meet && after > turn[i] ? after : turn[i];
        }
        ret[i] += late ? first + turn[i] : 0;
    }
    free(turn);
    free(chooser);
}

/* An order of the pods, all of which have a leaf: one in which all are accepted, if it is found. */
static void order_of(struct skr_volume_play *play, const int32_t *leaf, size_t *ret)
{
    const size_t leaves = (size_t)play->late.e->topology.tree->n_leaves;
    int32_t *place = skr_alloc_array(SKR_ROLES_MAX * leaves + 1, sizeof *place);
    int32_t *found = skr_alloc_array(play->n + 1, sizeof *found);
    size_t *order = skr_alloc_array(play->n + 1, sizeof *order);
    struct skr_volume_search search = {
        .place = place, .leaf = leaf, .fixed = true, .ret_leaf = found, .ret_order = order};
    for (size_t i = 0; i < play->n; i++) {
        place[play->pod[i]->role * leaves + (size_t)leaf[i]]++;
    }
    if (skr_volume_play_run(play, leaf, ret) < play->n && skr_volume_play_search(play, &search)) {
        memcpy(ret, order, play->n * sizeof *ret);
    }
    free(place);
    free(found);
    free(order);
}

void skr_volume_turns_add(struct skr_gang *e, struct pod_entry *const *pod, size_t n, int32_t *ret)
{
    struct skr_volume_play *play = skr_volume_play_create(e, pod, n);
    int32_t first = 0;
    int32_t *leaf = skr_alloc_array(n + 1, sizeof *leaf);
    size_t *order = skr_alloc_array(n + 1, sizeof *order);
    bool all = play;
    for (size_t i = 0; i < n && play; i++) {
        leaf[i] = skr_tree_find_leaf(e->topology.tree, pod[i]->place.node);
        all = all && leaf[i] >= 0;
        first = !skr_volume_play_is_late(play, i) && ret[i] >= first ? ret[i] + 1 : first;
    }
    if (all) {
        order_of(play, leaf, order);
        turns_of(play, leaf, order, first, ret);
    }
    free(leaf);
    free(order);
    skr_volume_play_destroy(play);
}

void skr_volume_turns_restore(struct skr_gang *e, struct plan *plan)
{
    struct pod_entry **list = skr_alloc_array(plan->n_members + 1, sizeof *list);
    int32_t *turn = skr_alloc_array(plan->n_members + 1, sizeof *turn);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && !skr_pods_is_bound(p)) {
            list[n++] = p;
        }
    }
    skr_volume_turns_add(e, list, n, turn);
    for (size_t i = 0; i < n; i++) {
        skr_plan_set_turn(list[i], turn[i]);
    }
    free(list);
    free(turn);
}
