/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_VOLUME_PLAY_H
#define SKR_CORE_GANG_PROBLEM_VOLUME_PLAY_H
/*
 * Plays what kube-scheduler does with the volumes of pods that come one after the other: each is filtered on its node
 * and keeps what it takes there (volumebinding, nodevolumelimits and volumezone of
 * pkg/scheduler/framework/plugins). Late claims of other plans have taken their volumes before. Of volumes of equal
 * size kube-scheduler takes any; here the same one is taken each time.
 *
 * Valid until the caches change.
 */
#include "core/gang/problem/late_claims.h"
#include "core/gang/problem/problem_attach.h"

enum {
    SKR_VOLUME_PLAY_STEPS = 100000,   /* pods that a search places */
    SKR_VOLUME_PLAY_LOOKS = 10000000, /* volumes that it looks at */
};

struct skr_volume_play {
    struct skr_late_claims late; /* of the pods, then of the plans before */
    struct skr_attached attached;
    size_t n; /* pods */
    struct pod_entry *const *pod;
    struct skr_volume_move *move; /* what was taken so far */
    size_t n_moves, cap_moves;
    int64_t looks;
};

/* NULL: kube-scheduler chooses no volume for these pods, and no limit of a node counts. pod: borrowed. */
struct skr_volume_play *skr_volume_play_create(struct skr_gang *e, struct pod_entry *const *pod,
                                               size_t n);
void skr_volume_play_destroy(struct skr_volume_play *play);
bool skr_volume_play_is_late(const struct skr_volume_play *play, size_t i);
/* Equal claims: what holds for the one, holds for the other. */
bool skr_volume_play_is_like(const struct skr_volume_play *play, size_t a, size_t b);
/* The first pod that is refused on its leaf, those with late claims last; n: none. ret_order[n]: indexes. */
size_t skr_volume_play_run(struct skr_volume_play *play, const int32_t *leaf, size_t *ret_order);

struct skr_volume_search {
    int32_t *place; /* [role * leaves + leaf] pods that may come; role: of the group. Changed */
    const int32_t *leaf;                                 /* [n] tried first; -1: none */
    bool fixed;                                          /* and no other */
    bool (*accepts)(void *context, const int32_t *leaf); /* NULL: anything */
    void *context;
    /* the answer */
    int32_t *ret_leaf; /* [n] */
    size_t *ret_order; /* [n] pods with late claims come last */
    bool ended;        /* none was found within the steps: there may be one */
};
/* A leaf for each pod, and an order in which all are accepted. Exhaustive within the steps. */
bool skr_volume_play_search(struct skr_volume_play *play, struct skr_volume_search *search);

#endif
