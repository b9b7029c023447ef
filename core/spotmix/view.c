/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over the pods of a workload, made when a row is read. */
#include "core/spotmix/view.h"

#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

/* -1: the pod has no place. */
static int64_t place_of(const struct skr_spotmix_pod *pod)
{
    const bool named = pod->owner->kind != SKR_SPOTMIX_STATEFUL_SET || pod->ordinal >= 0;
    return named ? skr_spotmix_pod_place(pod) : -1;
}

/* A rebuild never adds to the pods that are not Ready: it evicts the next one when all others
 * are Ready and none is missing. A wrong pod that is itself not Ready goes first. */
static void add_victim(const struct skr_spotmix_owner *owner,
                       const struct skr_spotmix_judgement *judgement, struct skr_spotmix_row *row)
{
    SKR_AUTO_FREE struct skr_spotmix_pod **pod =
        skr_alloc_array(owner->n_held, sizeof(struct skr_spotmix_pod *));
    const struct skr_spotmix_pod *victim = NULL;
    size_t n_unready = 0;
    row->wrong = skr_spotmix_wrong_of(judgement);
    row->missing = (int64_t)owner->n_held < owner->replicas;
    skr_spotmix_wrong_order(owner, judgement, pod);
    for (size_t i = 0; i < owner->n_held; i++) {
        n_unready += !owner->held[i].pod->ready;
    }
    for (size_t i = 0; i < row->wrong && !victim; i++) {
        victim = n_unready == 0 || (n_unready == 1 && !pod[i]->ready) ? pod[i] : NULL;
    }
    if (victim && !row->missing) {
        row->victim = victim->text;
        row->victim_name = victim->name;
    }
}

/* Whether a pod is pinned. */
static bool add_space(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                      struct skr_spotmix_row *row)
{
    struct skr_spotmix_judgement judgement;
    bool pinned = false;
    skr_spotmix_judge(mix, owner, &row->rule, &judgement);
    for (size_t i = 0; i < owner->n_held; i++) {
        const enum skr_spotmix_class class_ = skr_spotmix_pod_class(mix, owner->held[i].pod);
        pinned |= owner->held[i].pod->pinned;
        if (class_ != SKR_SPOTMIX_NO_CLASS) {
            row->actual[class_]++;
        }
    }
    for (int i = 0; i < SKR_SPOTMIX_STANDING_COUNT; i++) {
        row->standing[i] += judgement.n[i];
    }
    row->drift += skr_spotmix_drift_of(&judgement);
    if (skr_spotmix_is_current(owner)) {
        row->space = owner;
        add_victim(owner, &judgement, row);
    }
    skr_spotmix_judgement_fini(&judgement);
    return pinned;
}

static void fill(const struct skr_spotmix *mix, const struct skr_spotmix_owner *workload,
                 struct skr_spotmix_row *ret)
{
    const struct skr_spotmix_owner *child;
    bool pinned;
    *ret = (struct skr_spotmix_row){.kind = workload->kind,
                                    .namespace_ = workload->namespace_,
                                    .name = workload->name,
                                    .uid = workload->uid,
                                    .key = workload->key,
                                    .space = workload,
                                    .rule = workload->rule,
                                    .replicas = workload->replicas,
                                    .unreviewed = workload->unreviewed,
                                    .uncalled = workload->unreviewed >= SKR_SPOTMIX_UNREVIEWED_MAX,
                                    .stalled = workload->stalled};
    skr_spotmix_rule_share(&ret->rule, ret->replicas, ret->desired);
    pinned = add_space(mix, workload, ret);
    DL_FOREACH(workload->child, child)
    {
        pinned |= add_space(mix, child, ret);
    }
    ret->lacks_nodes = (ret->desired[0] > 0 && mix->ready_nodes[0] == 0) ||
                       (ret->desired[1] > 0 && mix->ready_nodes[1] == 0);
    ret->reason = ret->rule.invalid  ? "InvalidMaxOnDemandCount"
                  : ret->uncalled    ? "WebhookNotCalled"
                  : ret->lacks_nodes ? "NoNodesInClass"
                  : pinned           ? "ClassPinnedByPodSpec"
                                     : NULL;
}

static bool is_on(const struct skr_spotmix_owner *workload)
{
    return workload && workload->known && !workload->parent && workload->rule.on;
}

bool skr_spotmix_row_of(const struct skr_spotmix *mix, const char *workload_key,
                        struct skr_spotmix_row *ret)
{
    const struct skr_spotmix_owner *workload = skr_spotmix_owner_at(mix, workload_key);
    if (!is_on(workload)) {
        return false;
    }
    fill(mix, workload, ret);
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct skr_spotmix_row *x = a, *y = b;
    int rc = strcmp(x->namespace_, y->namespace_);
    rc = rc != 0 ? rc : strcmp(x->name, y->name);
    rc = rc != 0 ? rc : (x->kind > y->kind) - (x->kind < y->kind);
    return rc != 0 ? rc : strcmp(x->uid, y->uid);
}

size_t skr_spotmix_rows(const struct skr_spotmix *mix, struct skr_spotmix_row **ret)
{
    const struct skr_spotmix_owner *owner;
    size_t n = 0, cap = 0;
    *ret = NULL;
    for (owner = mix->owners; owner; owner = owner->hh.next) {
        if (is_on(owner)) {
            skr_grow(ret, &cap, n + 1, sizeof **ret);
            fill(mix, owner, &(*ret)[n++]);
        }
    }
    if (n > 0) {
        qsort(*ret, n, sizeof **ret, by_name);
    }
    return n;
}

static int by_index(const void *a, const void *b)
{
    const struct skr_spotmix_pod_row *x = a, *y = b;
    int rc = strcmp(x->owner, y->owner);
    rc = rc != 0 ? rc : (x->index > y->index) - (x->index < y->index);
    return rc != 0 ? rc : strcmp(x->name, y->name);
}

static void add_rows(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                     const struct skr_spotmix_rule *rule, struct skr_spotmix_pod_row **ret,
                     size_t *n, size_t *cap)
{
    const bool current = skr_spotmix_is_current(owner);
    struct skr_spotmix_judgement judgement;
    skr_spotmix_judge(mix, owner, rule, &judgement);
    for (size_t i = 0; i < owner->n_held; i++) {
        const struct skr_spotmix_pod *pod = owner->held[i].pod;
        const bool none = pod->class_claim == SKR_SPOTMIX_NO_CLASS;
        const enum skr_spotmix_standing standing = (enum skr_spotmix_standing)judgement.standing[i];
        skr_grow(ret, cap, *n + 1, sizeof **ret);
        (*ret)[(*n)++] =
            (struct skr_spotmix_pod_row){.name = pod->name,
                                         .uid = pod->text,
                                         .node = pod->node ? pod->node : "",
                                         .owner = owner->name,
                                         .index = none ? -1 : place_of(pod),
                                         .class_ = skr_spotmix_pod_class(mix, pod),
                                         .standing = standing,
                                         .wrong = current && (standing == SKR_SPOTMIX_WRONG_INDEX ||
                                                              standing == SKR_SPOTMIX_SURPLUS),
                                         .cost = skr_spotmix_cost_text[pod->cost_claim],
                                         .reason = pod->pinned ? "ClassPinnedByPodSpec"
                                                   : none      ? "Unmutated"
                                                   : standing != SKR_SPOTMIX_RIGHT ? "Drift"
                                                                                   : NULL};
    }
    skr_spotmix_judgement_fini(&judgement);
}

size_t skr_spotmix_pod_rows(const struct skr_spotmix *mix, const char *workload_key,
                            struct skr_spotmix_pod_row **ret)
{
    const struct skr_spotmix_owner *workload = skr_spotmix_owner_at(mix, workload_key), *child;
    size_t n = 0, cap = 0;
    *ret = NULL;
    if (!is_on(workload)) {
        return 0;
    }
    add_rows(mix, workload, &workload->rule, ret, &n, &cap);
    DL_FOREACH(workload->child, child)
    {
        add_rows(mix, child, &workload->rule, ret, &n, &cap);
    }
    if (n > 0) {
        qsort(*ret, n, sizeof **ret, by_index);
    }
    return n;
}

static int by_node_name(const void *a, const void *b)
{
    const struct skr_spotmix_node_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void count_pods(const struct skr_spotmix *mix, struct skr_spotmix_node_row *row, size_t n)
{
    const struct skr_spotmix_pod *pod;
    for (pod = mix->pods; pod; pod = pod->hh.next) {
        const struct skr_spotmix_node_row key = {.name = pod->node ? pod->node : ""};
        struct skr_spotmix_node_row *there = pod->class_claim == SKR_SPOTMIX_NO_CLASS
                                                 ? NULL
                                                 : bsearch(&key, row, n, sizeof *row, by_node_name);
        if (there) {
            there->pods++;
        }
    }
}

size_t skr_spotmix_node_rows(const struct skr_spotmix *mix, struct skr_spotmix_node_row **ret)
{
    const struct skr_spotmix_node *node;
    size_t n = 0, cap = 0;
    *ret = NULL;
    for (node = mix->nodes; node; node = node->hh.next) {
        if (node->class_ != SKR_SPOTMIX_NO_CLASS) {
            skr_grow(ret, &cap, n + 1, sizeof **ret);
            (*ret)[n++] = (struct skr_spotmix_node_row){.name = node->name, .class_ = node->class_};
        }
    }
    if (n > 0) {
        qsort(*ret, n, sizeof **ret, by_node_name);
        count_pods(mix, *ret, n);
    }
    return n;
}

void skr_spotmix_totals(const struct skr_spotmix *mix, struct skr_spotmix_totals *ret)
{
    const struct skr_spotmix_owner *owner;
    struct skr_spotmix_row row;
    *ret = (struct skr_spotmix_totals){.expired = mix->n_expired,
                                       .unmutated = mix->n_unmutated,
                                       .reservations = HASH_COUNT(mix->reservations)};
    memcpy(ret->results, mix->n_results, sizeof ret->results);
    memcpy(ret->nodes, mix->ready_nodes, sizeof ret->nodes);
    for (owner = mix->owners; owner; owner = owner->hh.next) {
        if (is_on(owner)) {
            fill(mix, owner, &row);
            for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
                ret->desired[i] += row.desired[i];
                ret->actual[i] += row.actual[i];
            }
            ret->drift += row.drift;
        }
    }
}
