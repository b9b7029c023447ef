/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_LATE_CLAIMS_H
#define SKR_CORE_GANG_PROBLEM_LATE_CLAIMS_H
/*
 * Late claims of some pods, and the volumes that they may take: kube-scheduler binds such a claim when its pod has a
 * node. It takes the smallest free volume that serves the claim there; if there is none, the driver of the class makes
 * one (findMatchingVolumes() and checkVolumeProvisions() of pkg/scheduler/framework/plugins/volumebinding/binder.go).
 *
 * Claims that the same volumes serve are of one kind. Beyond SKR_LATE_KINDS_MAX kinds, claims are left to
 * kube-scheduler. Valid until the caches change.
 */
#include "core/gang/cache/pods.h"
#include "core/gang/cache/volumes.h"

enum { SKR_LATE_KINDS_MAX = 64 };

struct skr_late_volume {
    uint64_t claim; /* for which alone it is, or which has taken it; 0: free */
    uint64_t kinds; /* bit k: it serves claims of kind k */
    int64_t bytes;
    int32_t leaf; /* the only one that reaches it; -1: host and rule say which do */
    const char *host;
    const struct skr_volume *rule;
};

struct skr_late_claims {
    struct skr_gang *e;
    size_t n_pods;
    size_t *first;              /* [n_pods + 1] of claim */
    struct volume_facts *claim; /* all claims of volumes, late or not */
    int32_t *kind;              /* of each claim; -1: it is not late, or left to kube-scheduler */
    size_t n_kinds;
    struct volume_facts of_kind[SKR_LATE_KINDS_MAX];
    struct skr_late_volume *volume; /* by ascending size */
    size_t n_volumes;
    bool gathered, owned; /* owned: some volume is for one claim alone */
};

/* O(claims * kinds). */
void skr_late_claims_init(struct skr_late_claims *l, struct skr_gang *e,
                          struct pod_entry *const *pod, size_t n);
void skr_late_claims_fini(struct skr_late_claims *l);
/* Fills l->volume. O(volumes * kinds). */
void skr_late_claims_gather(struct skr_late_claims *l);

/* Whether claims of one class without a provisioner are of several kinds. */
bool skr_late_claims_unlike(const struct skr_late_claims *l);
/* ret[leaf] grows by the volumes of the pool that serve each of its claims (all), or any. One that several leaves reach
 * counts on each of them. */
void skr_late_claims_count(struct skr_late_claims *l, uint16_t pool, bool all, int32_t *ret);
/* Clears ret[leaf] where a late claim of pod i gets no volume, each claim by itself. O(claims * (volumes + leaves)). */
void skr_late_claims_close(struct skr_late_claims *l, size_t i, uint8_t *ret);
/* Whether the driver may make a volume for the claim on the node. */
bool skr_late_claims_makes(const struct skr_gang *e, const struct volume_facts *claim,
                           const struct skr_node *node);
bool skr_late_claims_reaches(const struct skr_late_claims *l, const struct skr_late_volume *v,
                             int32_t leaf);
/* Whether the volume serves the claim, or is the claim's own; l->volume is gathered. */
bool skr_late_claims_serves(const struct skr_late_claims *l, const struct skr_late_volume *v,
                            size_t claim);

#endif
