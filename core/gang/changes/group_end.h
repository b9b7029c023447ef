/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_GROUP_END_H
#define SKR_CORE_GANG_CHANGES_GROUP_END_H
/* The end of a group that nothing names any more: every file lets go what it keeps of it. */
#include "core/gang/state/groups.h"

/* Goes unless pods, maps, a PodGroup or a plan hold it. */
void skr_group_end_if_empty(struct skr_gang *e, struct group *g);
void skr_group_end_all(struct skr_gang *e);

#endif
