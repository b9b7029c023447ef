/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_CLAIMS_ALONE_H
#define SKR_CORE_GANG_GROUP_CLAIMS_ALONE_H
/*
 * Claims with access mode ReadWriteOncePod, which one pod of the cluster alone may use. kube-scheduler's
 * plugin VolumeRestrictions refuses every node to a second pod, before it calls an extender. So a group
 * is not planned while a pod on a node uses such a claim of a member (reason ClaimInUse), nor if two
 * members name the same one (ConstraintConflict). Nor is it planned if a ResourceClaim would have more
 * consumers than the API server permits, or if a pod names one in two entries: kube-scheduler chooses devices for both,
 * and the API server refuses the second reservation of the pod.
 */
#include "core/gang/state/groups.h"

struct skr_claim_conflict {
    const struct pod_entry *pod; /* the first by name */
    const struct pod_entry
        *other;               /* a member that names the claim, too; NULL: a pod on node uses it */
    const char *claim, *node; /* borrowed until the next change */
    size_t consumers;         /* of a ResourceClaim, too many of them; 0: it is about a volume */
    bool twice;               /* the pod names the ResourceClaim in two entries */
};

/* The first conflict of a member that is to be planned. False: there is none. O(members with claims). */
bool skr_claims_alone_find(const struct skr_gang *e, const struct group *g,
                           struct skr_claim_conflict *ret);
void skr_claims_alone_say(struct group *g, const struct skr_claim_conflict *conflict);

#endif
