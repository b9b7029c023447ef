/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_CLAIMS_H
#define SKR_CORE_GANG_GROUP_CLAIMS_H
/*
 * Members with claims (PersistentVolumeClaims, ResourceClaims). The daemon does not read claims. If one
 * is missing, or is to be bound at once and is not, kube-scheduler's PreFilter refuses the pod before
 * any extender is called (VolumeBinding, DynamicResources). So a group reserves nothing before
 * kube-scheduler has called filter for each of its members with claims:
 *
 * - When a placement is found, the group waits (reason WaitingForClaims), and the gates of these
 *   members are removed. Filter answers "none yet", and the plan wakes them as it wakes members
 *   without a gate.
 * - The call proves it, and after a restart the condition PodScheduled, which quotes a text of ours.
 *   A later condition without such a text, and a plan in which kube-scheduler did not come to the
 *   member, end the proof.
 * - A group that would evict for its room needs less: on a full cluster kube-scheduler calls no
 *   extender. A condition that counts nodes by reason shows that PreFilter passed.
 */
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

bool skr_claims_are_asked(const struct pod_entry *p); /* or it has none */
bool skr_claims_are_read(const struct pod_entry *p);  /* PreFilter passed, or it has none */
/* kube-scheduler called filter for the member. */
void skr_claims_note_call(struct skr_gang *e, struct pod_entry *p);
/* Another version of the pod; old: NULL for a new one. */
void skr_claims_changed(struct pod_entry *p, const struct skr_pod *old);
/* kube-scheduler did not come to it although it was woken. */
void skr_claims_doubt(struct pod_entry *p);

/* A placement was found for these newcomers. true: it may not be reserved yet, and the group waits.
 * evicts: for room of victims. O(n). */
bool skr_claims_hold_back(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                          size_t n, bool evicts);
/* At every evaluation of the group, after its members were counted. */
void skr_claims_settle(struct skr_gang *e, struct group *g);
/* O(1): the group waits for calls, and has no part in planning. */
bool skr_claims_keep_from_planning(const struct group *g);
bool skr_claims_keep_from_evicting(const struct group *g);
bool skr_claims_open_gate(const struct pod_entry *p); /* of a waiting member */

#endif
