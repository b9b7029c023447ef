/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_GROUP_STATE_H
#define SKR_CORE_GANG_GROUP_GROUP_STATE_H
/* The state of a group and its reason; only these functions set them. */
#include "core/gang/state/groups.h"

void skr_group_state_enter(struct skr_gang *e, struct group *g, enum group_state state);
/* From records read before any decision; does not mark the group dirty. */
void skr_group_state_restore(struct group *g, enum group_state state);
/* Times of the generation: first newcomer seen, all members bound; 0: unset. */
void skr_group_state_begin(struct skr_gang *e, struct group *g); /* no effect if it has begun */
void skr_group_state_end(struct skr_gang *e, struct group *g);
void skr_group_state_set_times(struct group *g, skr_time begin, skr_time end);
/* message is copied; NULL allowed. */
void skr_group_state_reason(struct group *g, enum skr_reason reason, const char *message);
void skr_group_state_no_tree(const struct skr_gang *e, struct group *g); /* TopologyMissing */
/* The constant rejection text of the state. */
const char *skr_group_state_text(const struct group *g);
/* Why the group is malformed: its source, or its source against the tree; NULL if it is not. */
const char *skr_group_state_defect(const struct group *g);

#endif
