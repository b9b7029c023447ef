/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_REFUSAL_H
#define SKR_CORE_GANG_GROUP_REFUSAL_H
/*
 * Refusals: kube-scheduler rejects a planned node for reasons the planner does not know, such as
 * volumes or devices. The node takes no more pods of that shape than kube-scheduler had accepted for the
 * plan (vetoes.h); if that were none, it is closed to the group. After each of
 * the first two refusals in a row the group is planned at once. From the third on it pauses first,
 * 1 s doubling to 5 min, so that no loop is endless. The row and its pause end when a possible cause
 * changes: the group's definition, the pod itself, a refused node or what uses it, a new or
 * relabelled node. Freed room elsewhere ends no pause.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_REFUSALS_AT_ONCE = 2,      /* answered by a new plan without a pause */
    SKR_REFUSAL_PAUSE_MAX_S = 300, /* the first pause is a second */
};

/* Notes that the planned node of p was refused: sets a veto, lengthens the row. True: the group
 * pauses. While members hold devices of an earlier plan, these may be the cause: the veto ends when they
 * are freed (device_holds.h). */
bool skr_refusal_note(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* The same when the API server refuses what the member is to carry of its plan, as when its annotations
 * are full, or when a claim that it shares got devices that its node does not reach. That is no matter of
 * the node: there is no veto. */
bool skr_refusal_note_unpatched(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* The same when kube-scheduler does not ask about the activated pod, but since about pods behind it in its queue.
 * That shows nothing about the node: there is no veto. */
bool skr_refusal_note_absent(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* kube-scheduler asks about p, which no plan has: if it is the pod that it was said not to come to, the pause is
 * over. */
void skr_refusal_came(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* Ends the row: the group is bound or has changed. */
void skr_refusal_forget(struct group *g);
/* The end of the group's pause; 0: none. */
skr_time skr_refusal_pause(const struct skr_gang *e, const struct group *g);
/* The number of nodes now refused to the group, at most the existing nodes. *ret_counted: those of them
 * that take some of its pods. */
size_t skr_refusal_nodes(struct skr_gang *e, const struct group *g, size_t *ret_counted);
/* "group g: kube-scheduler refuses node n-1 for pod g-0: NodePorts, by the pod's hostPort". Plugin
 * and rule are from the members' PodScheduled conditions, which arrive after the refusal; unknown
 * conditions are quoted. Conditions that are older than the plan count for nothing. */
void skr_refusal_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* Appends "2 on node-0, 1 on node-1": what nodes took of the refused pod's shape. */
void skr_refusal_say_accepted(const struct skr_gang *e, const struct group *g,
                              struct skr_strbuf *b);
/* Reads the members' conditions and updates the message of a refused group. */
void skr_refusal_refresh(struct skr_gang *e, struct group *g);
void skr_refusal_fini(struct group *g);

#endif
