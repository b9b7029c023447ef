/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_NOMINATION_H
#define SKR_CORE_GANG_PLAN_NOMINATION_H
/*
 * What a planned member carries besides its nomination (rank, its part of the plan) and whether it
 * does; and its activations: an activation wakes the member in kube-scheduler's queue, by a nomination or by the
 * removal of its gate.
 */
#include "core/gang/state/plan_entry.h"

/* It carries the text of the whole plan, of a group from labels. */
bool skr_nomination_is_anchor(const struct pod_entry *p);
char *skr_nomination_annotation(const struct pod_entry *p); /* as it should be; free() */
/* Labels and annotation, not the nomination. */
bool skr_nomination_stands(struct pod_entry *p);

/* The API server has refused to let us patch pods/status a moment ago. An API server that has just
 * started refuses everything before it knows its RBAC rules, so this passes. */
bool skr_nomination_is_forbidden(const struct skr_gang *e);

void skr_nomination_begin(struct pod_entry *p); /* it is a member of a plan now */
void skr_nomination_end(struct pod_entry *p);   /* no more */
void skr_nomination_changed(
    struct pod_entry *p); /* another version of the pod, or of what it carries */
void skr_nomination_count(struct pod_entry *p);                   /* one is on its way */
void skr_nomination_restore(struct pod_entry *p, uint32_t count); /* so many were sent before */
/* The activation was acknowledged, or has to be waited for as if it had been now. */
void skr_nomination_activated(struct skr_gang *e, struct pod_entry *p);
/* kube-scheduler came and was answered yes. */
void skr_nomination_heard(struct skr_gang *e, struct pod_entry *p);
/* Which activation a version of a pod shows, by its plan label; 0: none. */
uint64_t skr_nomination_mark(const struct skr_pod *pod);
/* kube-scheduler came with the version of that mark and was answered no, although its node may be planned, or will be:
 * while the newest version still shows that activation, nothing will wake it. */
void skr_nomination_turned_away(struct pod_entry *p, uint64_t mark);
/* That is so: it has to be nominated although the cache shows the nomination. */
bool skr_nomination_was_in_vain(const struct pod_entry *p);
/* It is woken without a nomination, or needs no waking: kube-scheduler looks at every node, and so at
 * the planned one. */
void skr_nomination_spare(struct pod_entry *p);
/* kube-scheduler had it in hand and will not come again by itself, or late. */
void skr_nomination_tried(struct pod_entry *p);
/* kube-scheduler did not: it needs one all the same. False: it was not spared one. */
bool skr_nomination_is_missed(struct pod_entry *p);
/* Nominate again, although the cache shows the nomination; false: that was done in this plan. */
bool skr_nomination_repeat(struct pod_entry *p);

#endif
