/* SPDX-License-Identifier: Apache-2.0 */
/* First each pod alone, then the numbers of pods of each class in the newest ReplicaSet. */
#include "core/spotmix/drift.h"

#include <stdlib.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

/* ---- single pods ---- */

static enum skr_spotmix_standing stands(const struct skr_spotmix *mix,
                                        const struct skr_spotmix_pod *pod,
                                        const struct skr_spotmix_rule *rule)
{
    const bool placed =
        pod->owner->kind == SKR_SPOTMIX_STATEFUL_SET ? pod->ordinal >= 0 : pod->index_claim >= 0;
    const enum skr_spotmix_class class_ = skr_spotmix_pod_class(mix, pod);
    const enum skr_spotmix_class node = skr_spotmix_pod_node_class(mix, pod);
    return pod->pinned                      ? SKR_SPOTMIX_RIGHT
           : class_ == SKR_SPOTMIX_NO_CLASS ? SKR_SPOTMIX_CLASSLESS
           : placed && skr_spotmix_rule_class(rule, skr_spotmix_pod_place(pod)) != class_
               ? SKR_SPOTMIX_WRONG_INDEX
           : node != SKR_SPOTMIX_NO_CLASS && node != class_ ? SKR_SPOTMIX_OTHER_NODE
                                                            : SKR_SPOTMIX_RIGHT;
}

static void mark(struct skr_spotmix_judgement *j, size_t at, enum skr_spotmix_standing standing)
{
    j->n[j->standing[at]]--;
    j->n[standing]++;
    j->standing[at] = (uint8_t)standing;
}

/* ---- one too many ---- */

/* Unreviewed ones first, then from the highest index down. */
static int by_excess(const void *a, const void *b)
{
    const struct skr_spotmix_pod *x = *(struct skr_spotmix_pod *const *)a;
    const struct skr_spotmix_pod *y = *(struct skr_spotmix_pod *const *)b;
    if (x->reviewed != y->reviewed) {
        return x->reviewed ? 1 : -1;
    }
    if (x->index_claim !=
        y->index_claim) { /* a pod without an index would be the last to get one */
        return x->index_claim < 0 || (y->index_claim >= 0 && x->index_claim > y->index_claim) ? -1
                                                                                              : 1;
    }
    return -skr_spotmix_by_place(a, b);
}

/* The pods that the rule counts as this class. */
static size_t gather(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                     const struct skr_spotmix_judgement *j, enum skr_spotmix_class class_,
                     struct skr_spotmix_pod **ret)
{
    size_t n = 0;
    for (size_t i = 0; i < owner->n_held; i++) {
        struct skr_spotmix_pod *pod = owner->held[i].pod;
        if (j->standing[i] == SKR_SPOTMIX_RIGHT && !pod->pinned &&
            skr_spotmix_pod_class(mix, pod) == class_) {
            if (ret) {
                ret[n] = pod;
            }
            n++;
        }
    }
    return n;
}

/* Marks n pods of the class that the rule does not want. */
static void mark_excess(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                        enum skr_spotmix_class class_, int64_t n, struct skr_spotmix_judgement *j)
{
    SKR_AUTO_FREE struct skr_spotmix_pod **pod =
        skr_alloc_array(owner->n_held, sizeof(struct skr_spotmix_pod *));
    const size_t found = gather(mix, owner, j, class_, pod);
    qsort(pod, found, sizeof(struct skr_spotmix_pod *), by_excess);
    for (size_t i = 0; i < found && (int64_t)i < n; i++) {
        mark(j, pod[i]->at, SKR_SPOTMIX_SURPLUS);
    }
}

static void count_classes(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                          const struct skr_spotmix_rule *rule, struct skr_spotmix_judgement *j)
{
    int64_t wanted[SKR_SPOTMIX_CLASS_COUNT], have[SKR_SPOTMIX_CLASS_COUNT];
    int64_t replicas = owner->replicas, missing = -(int64_t)skr_spotmix_drift_of(j);
    for (size_t i = 0; i < owner->n_held; i++) {
        replicas -= owner->held[i].pod->pinned;
    }
    skr_spotmix_rule_share(rule, replicas, wanted);
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        have[i] = (int64_t)gather(mix, owner, j, (enum skr_spotmix_class)i, NULL);
        missing += wanted[i] > have[i] ? wanted[i] - have[i] : 0;
    }
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT && missing > 0; i++) {
        const int64_t excess = have[i] - wanted[i];
        if (excess > 0) {
            mark_excess(mix, owner, (enum skr_spotmix_class)i, excess < missing ? excess : missing,
                        j);
        }
    }
}

/* ---- spaces ---- */

void skr_spotmix_judge(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                       const struct skr_spotmix_rule *rule, struct skr_spotmix_judgement *ret)
{
    *ret =
        (struct skr_spotmix_judgement){.standing = skr_alloc_array(owner->n_held, sizeof(uint8_t))};
    ret->n[SKR_SPOTMIX_RIGHT] = owner->n_held;
    for (size_t i = 0; i < owner->n_held; i++) {
        mark(ret, i, stands(mix, owner->held[i].pod, rule));
    }
    /* Older ReplicaSets shrink with on-demand pods first, on purpose; ordinals have their own
     * class. */
    if (owner->kind == SKR_SPOTMIX_REPLICA_SET && skr_spotmix_is_current(owner)) {
        count_classes(mix, owner, rule, ret);
    }
}

void skr_spotmix_judgement_fini(struct skr_spotmix_judgement *judgement)
{
    free(judgement->standing);
}

size_t skr_spotmix_drift_of(const struct skr_spotmix_judgement *judgement)
{
    size_t n = 0;
    for (int i = SKR_SPOTMIX_RIGHT + 1; i < SKR_SPOTMIX_STANDING_COUNT; i++) {
        n += judgement->n[i];
    }
    return n;
}

size_t skr_spotmix_wrong_of(const struct skr_spotmix_judgement *judgement)
{
    return judgement->n[SKR_SPOTMIX_WRONG_INDEX] + judgement->n[SKR_SPOTMIX_SURPLUS];
}

void skr_spotmix_wrong_order(const struct skr_spotmix_owner *owner,
                             const struct skr_spotmix_judgement *judgement,
                             struct skr_spotmix_pod **ret)
{
    const size_t n_index = judgement->n[SKR_SPOTMIX_WRONG_INDEX];
    size_t at[] = {0, n_index};
    for (size_t i = 0; i < owner->n_held; i++) {
        if (judgement->standing[i] == SKR_SPOTMIX_WRONG_INDEX) {
            ret[at[0]++] = owner->held[i].pod;
        } else if (judgement->standing[i] == SKR_SPOTMIX_SURPLUS) {
            ret[at[1]++] = owner->held[i].pod;
        }
    }
    qsort(ret, n_index, sizeof(struct skr_spotmix_pod *), skr_spotmix_by_place);
    qsort(ret + n_index, at[1] - n_index, sizeof(struct skr_spotmix_pod *), by_excess);
}
