/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_REFUSAL_H
#define SKR_CORE_GANG_GROUP_REFUSAL_H
/*
 * What kube-scheduler refuses of a group's plans although we thought it fits: volumes, devices,
 * rules that the planner does not know. The node is vetoed for the group's pods of the shape
 * (vetoes.h). Plans go on at once for the first two refusals in a row; from the third on the group pauses before each,
 * 1 s doubling to 5 min, so that no loop is without end. The row and its pause end when something
 * changes that the refusal may rest on: the group's definition, the pod itself, a refused node, what
 * uses a refused node, a node that comes or is relabelled. Room that frees elsewhere ends no pause.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_REFUSALS_AT_ONCE = 2,      /* are answered by a new plan without a pause */
    SKR_REFUSAL_PAUSE_MAX_S = 300, /* the first pause is a second */
};

/* The planned node of p was refused: a veto, and one more in the row. true: the group pauses. */
bool skr_refusal_note(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* The newest: kube-scheduler has not said a word, but goes on with other pods. */
void skr_refusal_set_silent(struct group *g, bool silent);
/* The row is over: the group is bound, or is another one. */
void skr_refusal_forget(struct group *g);
/* Until when the group is not planned; 0: it is. */
skr_time skr_refusal_pause(const struct skr_gang *e, const struct group *g);
/* Nodes are refused to the group now; how many, at most the nodes there are. */
size_t skr_refusal_nodes(struct skr_gang *e, const struct group *g);
/* "group g: kube-scheduler refuses node n-1 for pod g-0: NodePorts, by the pod's hostPort". The plugin
 * and the pod's rule are those of the members' PodScheduled conditions, which come after the
 * refusal; where they name none that is known they are quoted. */
void skr_refusal_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* Looks at the members' conditions; the message of a group that is refused follows them. */
void skr_refusal_refresh(struct skr_gang *e, struct group *g);
void skr_refusal_fini(struct group *g);

#endif
