/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_OUTPUTS_H
#define SKR_CORE_GANG_REPORT_OUTPUTS_H
/* Placement, rank and sets: the keys of the group's object that say where its members are. */
#include "core/gang/state/groups.h"

/* From the plan and bound members; deals ranks of adopted members first. */
void skr_outputs_update(struct skr_gang *e, struct group *g);
/* The same for a bound group, if members or their number have changed since. */
void skr_outputs_refresh(struct skr_gang *e, struct group *g);
void skr_outputs_forget(struct group *g);
/* The keys found in the object; copied, NULL allowed. None count without a placement that is a JSON
 * object. */
void skr_outputs_restore(struct group *g, const char *placement, const char *rank,
                         const char *sets);
/* The node of a bound member, or its certain one; NULL: neither. */
const char *skr_outputs_node_of(const struct pod_entry *p);
/* Its rank, or that of its label; -1: none. */
int32_t skr_outputs_rank_of(const struct pod_entry *p);

#endif
