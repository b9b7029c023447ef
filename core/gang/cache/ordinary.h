/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_ORDINARY_H
#define SKR_CORE_GANG_CACHE_ORDINARY_H
/*
 * Single pods of ours that wait: which of them hold room that the ledger does not charge, where and
 * until when. They are in gang->ordinary, in the order in which they began to wait. There are two
 * reasons:
 *
 * - A pod goes first. Its priority is above that of every member of the group that is planned, and
 *   kube-scheduler has not judged it yet. It holds room for SKR_POD_FIRST_S from when it began to wait, on the first
 *   node of the tree that has room. A pod with claims goes before no group.
 * - A pod with claims, or with devices (skr_shapes_are_late()), was accepted in filter. kube-scheduler counts
 *   it on one node while it binds the claims. It holds room there for SKR_POD_LATE_S, at any priority. The
 *   node is its nominatedNodeName, which kube-scheduler sets before PreBind from 1.35 on (KEP-5278),
 *   or else the only node that filter accepted. If several were accepted and none is nominated, it
 *   holds nothing.
 *
 * Both end when the pod is bound, deleted or gated, and when kube-scheduler calls it unschedulable.
 */
#include "core/gang/cache/pods.h"

enum {
    SKR_POD_FIRST_S = 10, /* kube-scheduler comes to a pod of high priority before others */
    SKR_POD_LATE_S = 600, /* bindTimeoutSeconds of kube-scheduler's plugin VolumeBinding */
    SKR_EARLY_MAX = 32,   /* answers about pods that no watch has shown yet */
};

/* The pod is another version of itself, or another pod: old is what it was, NULL for a new one.
 * Wakes groups if room that it held is free. O(1). */
void skr_ordinary_changed(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *old);
/* It joins a group, or its entry goes. */
void skr_ordinary_leave(struct skr_gang *e, struct pod_entry *p);
/* Filter accepted the nodes of a pod with claims whose bit is set in mask. p is NULL if no watch has
 * shown the pod yet: then its entry begins with that answer. */
void skr_ordinary_accepted(struct skr_gang *e, struct pod_entry *p, const char *uid,
                           const char *const *node, size_t n, const uint8_t *mask);
/* What filter accepted came to nothing. */
void skr_ordinary_refused(struct skr_gang *e, struct pod_entry *p);
void skr_ordinary_expire(struct skr_gang *e, struct pod_entry *p); /* a deadline may be over */

/* The highest priority of a live member, above which a single pod goes first; INT32_MIN: there is none.
 * O(members). */
int32_t skr_ordinary_class_of(const struct group *g);
/* Whether room is left for it before a group whose members have that priority at most. */
bool skr_ordinary_goes_first(const struct skr_gang *e, const struct pod_entry *p, int32_t priority);
/* A problem has left room for it, so that its end may let a group fit. */
void skr_ordinary_note_first(struct skr_gang *e, struct pod_entry *p);
/* The node where it holds room for its claims; NULL: none, or the ledger has a charge of it. */
const char *skr_ordinary_late_node(const struct skr_gang *e, const struct pod_entry *p);
/* When what it holds ends; 0: it holds nothing. */
skr_time skr_ordinary_first_until(const struct skr_gang *e, const struct pod_entry *p);
skr_time skr_ordinary_late_until(const struct skr_gang *e, const struct pod_entry *p);
void skr_ordinary_fini(struct skr_gang *e);

#endif
