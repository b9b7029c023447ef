/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_SHARES_H
#define SKR_CORE_GANG_CACHE_DEVICE_SHARES_H
/*
 * ResourceClaims of users that several pods name. kube-scheduler allocates such a claim once, for the pod that
 * comes first; the others get the same devices. Claims that have devices already are left out: they cost
 * nothing, and their node selector says where their pods may run.
 */
#include "core/gang/state/groups.h"

struct device_share {
    const char *name;                  /* of the claim; borrowed from a pod */
    const struct skr_claim_spec *spec; /* borrowed; NULL: not known */
    size_t users;
    uint32_t roles; /* bit r: role r of the group has a user */
};

struct device_shares {
    size_t n;
    struct device_share *item;
    /* Of some role, or of a group without roles, some pods use a claim and others do not, or a pod names one
     * twice: which one pays depends on the plan. */
    bool partial;
};

/* Claims that at least two of these pods of a group share, by name. O(n) without claims of users, else O(claims
 * log claims). free() item. */
struct device_shares skr_device_shares_of(const struct skr_gang *e, struct pod_entry *const *pod,
                                          size_t n);
/* Whether there are any. */
bool skr_device_shares_any(const struct skr_gang *e, struct pod_entry *const *pod, size_t n);
const struct device_share *skr_device_shares_find(const struct device_shares *shares,
                                                  const char *name);

/* Leaves for pods that share claims of devices of one node, the largest sets of them first, each on the leaf with the
 * least room for it. place: [n_leaves] what a leaf takes; leaf: [n] -1: it is open, and stays so for pods of a set that
 * no leaf takes. O(claims log claims + sets * (n + leaves)). */
void skr_device_shares_deal(const struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                            int32_t *place, size_t n_leaves, int32_t *leaf);
/* Of two pods that share such a claim and are on two nodes, the one whose node has more of these pods; n: there are
 * none. *ret_claim: its name, borrowed from a pod. */
size_t skr_device_shares_split(const struct skr_gang *e, struct pod_entry *const *pod,
                               const char *const *node, size_t n, const char **ret_claim);

/* The order in which pods, in the order of their plan, may be nominated: after the first user of a claim come the
 * others. ret[n] is raised where needed. */
void skr_device_shares_turns(const struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                             int32_t *ret);

#endif
