/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_CLAIMS_H
#define SKR_CORE_GANG_GROUP_CLAIMS_H
/*
 * Members with claims (PersistentVolumeClaims, ResourceClaims). The daemon reads which claims exist
 * (core/gang/cache/claim_objects.h), and which devices members hold (device_holds.h). While a claim of a
 * member is missing, the group is not planned (reason ClaimNotFound); the creation of the claim wakes the
 * group.
 *
 * If a claim is to be bound at once and is not, kube-scheduler's PreFilter refuses the pod before any
 * extender is called (VolumeBinding, DynamicResources). It does so for missing claims, too, which the
 * daemon may not be permitted to read. So a group reserves nothing before kube-scheduler has called
 * filter for each of its members with claims:
 *
 * - When a placement is found, the group waits (reason WaitingForClaims), and the gates of these
 *   members are removed. Filter answers "none yet", and the plan wakes them as it wakes members
 *   without a gate.
 * - The call proves it, and after a restart the condition PodScheduled, which quotes a text of ours.
 * - A member all of whose claims are ResourceClaims needs no call if the caches show that PreFilter will
 *   pass (skr_claim_objects_pass()). To try a pod with devices on all nodes costs kube-scheduler more than
 *   anything else, and such a member is tried once.
 * - A later condition without a text of ours, and a plan in which kube-scheduler did not come to the
 *   member, end either proof; then a call is needed.
 * - A group that would evict for its room needs less: on a full cluster kube-scheduler calls no
 *   extender. A condition that counts nodes by reason shows that PreFilter passed.
 *
 * Once filter has accepted a node for such a member, kube-scheduler assumes the member there: it counts
 * it on that node, does not look at it again, and waits up to SKR_POD_LATE_S for the claims to be bound
 * (PreBind of VolumeBinding). A plan may end before that. Then
 *
 * - the room on that node stays charged, because kube-scheduler gives it to no other pod
 * - the group is not planned: kube-scheduler would not come to the member on another node
 *
 * Both end when kube-scheduler has let go of the member: it asks for a filter or a bind again, reports
 * the pod unschedulable, or the pod is gone. The deadline is that of kube-scheduler.
 */
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

/* Provisioners take seconds. A plan whose member is assumed for longer than that is idle: yielding.h. */
enum { SKR_CLAIMS_PATIENCE_S = 60 };

/* kube-scheduler has called filter for the member, or would; or it has no claims. O(claims of the pod). */
bool skr_claims_are_asked(const struct skr_gang *e, const struct pod_entry *p);
/* PreFilter passed, or it has none. */
bool skr_claims_are_read(const struct skr_gang *e, const struct pod_entry *p);
/* kube-scheduler called filter for the member. */
void skr_claims_note_call(struct skr_gang *e, struct pod_entry *p);
/* Another version of the pod; old: NULL for a new one. */
void skr_claims_changed(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *old);
/* kube-scheduler did not come to it although it was woken. */
void skr_claims_doubt(struct pod_entry *p);

/* Filter accepted the node for the member. No effect without claims or devices of a class. */
void skr_claims_assumed(struct skr_gang *e, struct pod_entry *p, const char *node);
/* kube-scheduler asks to bind it there: its claims are bound. */
void skr_claims_bind_asked(struct skr_gang *e, struct pod_entry *p, const char *node);
/* Where kube-scheduler may count the member without a plan: it is assumed there, or its bind call came
 * from there and kube-scheduler has not come to it since. kube-scheduler never comes to a pod again
 * that is being deleted: such a bind call counts no more. From skr_names_intern(); NULL: nowhere. */
const char *skr_claims_counted_on(const struct pod_entry *p);
/* kube-scheduler has let go of it. Frees the room on the node unless a plan has it, or it is bound. */
void skr_claims_let_go(struct skr_gang *e, struct pod_entry *p);
void skr_claims_let_go_of_all(struct skr_gang *e); /* this process does not lead any more */
void skr_claims_expire(struct skr_gang *e, struct pod_entry *p); /* a deadline may be over */
const char *skr_claims_assumed_on(const struct pod_entry *p);    /* NULL: nowhere */
/* Until when its plan has patience with its claims (SKR_CLAIMS_PATIENCE_S); SKR_TIME_NEVER: it is not
 * assumed. */
skr_time skr_claims_patience(const struct pod_entry *p);

/* A placement was found for these newcomers. true: it may not be reserved yet, and the group waits.
 * evicts: for room of victims. O(n). */
bool skr_claims_hold_back(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                          size_t n, bool evicts);
/* At every evaluation of the group, after its members were counted. O(members) if any has claims. */
void skr_claims_settle(struct skr_gang *e, struct group *g);
/* O(1): the group waits for claims or calls, and has no part in planning. */
bool skr_claims_keep_from_planning(const struct skr_gang *e, const struct group *g);
bool skr_claims_keep_from_evicting(const struct group *g);
/* Of a waiting member. */
bool skr_claims_open_gate(const struct skr_gang *e, const struct pod_entry *p);

#endif
