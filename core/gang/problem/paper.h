/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PAPER_H
#define SKR_CORE_GANG_PROBLEM_PAPER_H
/* Room that single pods hold and the ledger does not have (core/gang/cache/ordinary.h). */
#include "core/gang/state/groups.h"

/* Some of it counts for the group. O(single pods that wait). */
bool skr_paper_charges(const struct skr_gang *e, const struct group *g);
/* Takes it from the free amounts of leaves: free_[leaf * n + i] of resource[i]. A pod that is on its way
 * to no node yet is charged on the first node of the tree with room. O(single pods * leaves * n). */
void skr_paper_charge(struct skr_gang *e, const struct group *g, const uint16_t *resource, size_t n,
                      int64_t *free_);

#endif
