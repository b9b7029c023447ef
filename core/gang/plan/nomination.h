/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_NOMINATION_H
#define SKR_CORE_GANG_PLAN_NOMINATION_H
/*
 * What a planned member carries besides its nomination (rank, its part of the plan), and its
 * activations. An activation wakes the member in kube-scheduler's queue, by a nomination or by the
 * removal of its gate.
 */
#include "core/gang/state/plan_entry.h"

/* Whether it carries the text of the whole plan, for a group from labels. */
bool skr_nomination_is_anchor(const struct pod_entry *p);
char *skr_nomination_annotation(const struct pod_entry *p); /* as wanted; free() */
/* Whether labels and annotation are as wanted; not the nomination. */
bool skr_nomination_stands(struct pod_entry *p);

/* The API server has recently refused a patch of pods/status. An API server that has just started
 * refuses everything before it has its RBAC rules, so this is temporary. */
bool skr_nomination_is_forbidden(const struct skr_gang *e);

void skr_nomination_begin(struct pod_entry *p); /* it is a member of a plan now */
void skr_nomination_end(struct pod_entry *p);   /* it is none any more */
void skr_nomination_changed(
    struct pod_entry *p); /* call for a new version of the pod, or of what it carries */
void skr_nomination_count(struct pod_entry *p);                   /* an activation is in flight */
void skr_nomination_restore(struct pod_entry *p, uint32_t count); /* sent by earlier processes */
/* The activation was acknowledged, or the wait for it begins now. kube-scheduler may have come before. */
void skr_nomination_activated(struct skr_gang *e, struct pod_entry *p);
/* Its bind call ended: kube-scheduler is to come once more. */
void skr_nomination_awaited_again(struct skr_gang *e, struct pod_entry *p);
/* By skr_pods_scheduler_answer(), it has refused every node by filters of its own. */
bool skr_nomination_was_refused(const struct pod_entry *p);
/* filter was called for it and accepted a node. */
void skr_nomination_heard(struct skr_gang *e, struct pod_entry *p);
/* The number of the activation that a version of the pod shows, by its plan label; 0: none. */
uint64_t skr_nomination_mark(const struct skr_pod *pod);
/* filter rejected the version of that mark, although its node is planned, or will be. While the
 * newest version still shows that activation, no event will wake it. */
void skr_nomination_turned_away(struct pod_entry *p, uint64_t mark);
/* Whether that happened: it must be nominated although the cache shows the nomination. */
bool skr_nomination_was_in_vain(const struct pod_entry *p);
/* It needs no nomination: another patch wakes it, or it needs none, and kube-scheduler looks at
 * every node. */
void skr_nomination_spare(struct pod_entry *p);
/* kube-scheduler has tried it and will retry late or never. */
void skr_nomination_tried(struct pod_entry *p);
/* The planned node was not among the names: it needs a nomination after all. False: it was not
 * spared one. */
bool skr_nomination_is_missed(struct pod_entry *p);
/* Nominates again, although the cache shows the nomination; false: already done in this plan. */
bool skr_nomination_repeat(struct pod_entry *p);

#endif
