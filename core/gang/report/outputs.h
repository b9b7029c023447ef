/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_OUTPUTS_H
#define SKR_CORE_GANG_REPORT_OUTPUTS_H
/* Placement and rank: who is where, as the keys of the group's object say it. */
#include "core/gang/state/groups.h"

/* From the plan and bound members; ranks of adopted members are dealt first. */
void skr_outputs_update(struct skr_gang *e, struct group *g);
/* The same of a bound group, when members or their number have changed since. */
void skr_outputs_refresh(struct skr_gang *e, struct group *g);
void skr_outputs_forget(struct group *g);
/* The keys as an earlier life left them; copied, NULL allowed. */
void skr_outputs_restore(struct group *g, const char *placement, const char *rank);
/* Where it is, or will be for sure; NULL: neither. */
const char *skr_outputs_node_of(const struct pod_entry *p);
/* Its own, or that of its label; -1: none. */
int32_t skr_outputs_rank_of(const struct pod_entry *p);

#endif
