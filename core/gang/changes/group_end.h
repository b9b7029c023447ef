/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_GROUP_END_H
#define SKR_CORE_GANG_CHANGES_GROUP_END_H
/* Ends a group that nothing names any more: every file frees what it has of it. */
#include "core/gang/state/groups.h"

/* Removes the group unless pods, maps, a PodGroup or a plan refer to it. */
void skr_group_end_if_empty(struct skr_gang *e, struct group *g);
void skr_group_end_all(struct skr_gang *e);

#endif
