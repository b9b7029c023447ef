/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_DRIFT_H
#define SKR_CORE_SPOTMIX_DRIFT_H
/*
 * Which pods of a workload are wrong. The table, explanations, metrics, Events and the rebuild all
 * use this one decision.
 *
 * A pod drifts if its class differs from that of its index or of its node, or if it has no class.
 * In the newest ReplicaSet, pods of one class also drift if the rule wants fewer of them while pods
 * of the other class are missing. A pod that no review has seen has the class of its node. A pod
 * that its own spec pins to a class is not counted.
 */
#include <stddef.h>
#include <stdint.h>

struct skr_spotmix;
struct skr_spotmix_owner;
struct skr_spotmix_pod;
struct skr_spotmix_rule;

enum skr_spotmix_standing {
    SKR_SPOTMIX_RIGHT,       /* pinned pods, too */
    SKR_SPOTMIX_WRONG_INDEX, /* its class is not that of its index */
    SKR_SPOTMIX_SURPLUS,     /* one too many of its class, while the other one lacks pods */
    SKR_SPOTMIX_OTHER_NODE,  /* its node is of the other class */
    SKR_SPOTMIX_CLASSLESS,   /* no review has seen it, and its node has no class */
    SKR_SPOTMIX_STANDING_COUNT
};

struct skr_spotmix_judgement {
    uint8_t *standing;                    /* of each pod of the space, as owner->held */
    size_t n[SKR_SPOTMIX_STANDING_COUNT]; /* pods */
};
/* owner: a ReplicaSet or StatefulSet. rule: of its workload. O(n), with pods one too many
 * O(n log n). */
void skr_spotmix_judge(const struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                       const struct skr_spotmix_rule *rule, struct skr_spotmix_judgement *ret);
void skr_spotmix_judgement_fini(struct skr_spotmix_judgement *judgement);
/* All pods that are not right. */
size_t skr_spotmix_drift_of(const struct skr_spotmix_judgement *judgement);
/* Pods that a rebuild evicts: WRONG_INDEX and SURPLUS. Evicting any other pod would not help: its
 * replacement would have the same class. */
size_t skr_spotmix_wrong_of(const struct skr_spotmix_judgement *judgement);
/* The wrong pods in the order of their eviction. First WRONG_INDEX by index: the replacement
 * takes the index that becomes vacant. Then SURPLUS from the highest index down: a lower index of
 * the other class is vacant then. ret: room for all pods of the owner. */
void skr_spotmix_wrong_order(const struct skr_spotmix_owner *owner,
                             const struct skr_spotmix_judgement *judgement,
                             struct skr_spotmix_pod **ret);

#endif
