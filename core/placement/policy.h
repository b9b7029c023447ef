/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_POLICY_H
#define SKR_CORE_PLACEMENT_POLICY_H
/* Parts of a Placement's spec, each read and checked by one function. Errors: SKR_INVALID with a
 * reason, SKR_LIMIT. */
#include "core/placement/placement.h"

void skr_placement_read_prioritizers(struct skr_placement *p, const struct skr_fields *spec);
void skr_placement_read_spread(struct skr_placement *p, const struct skr_fields *spec);
void skr_placement_read_groups(struct skr_placement *p, const struct skr_fields *spec);

#endif
