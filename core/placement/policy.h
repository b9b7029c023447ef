/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_POLICY_H
#define SKR_CORE_PLACEMENT_POLICY_H
/* Parts of a Placement's spec, each decoded and checked by one function. spec is its object; what
 * is wrong comes as SKR_INVALID with a reason, or SKR_LIMIT. */
#include "core/placement/decode.h"
#include "core/placement/placement.h"

int skr_placement_decode_prioritizers(struct skr_placement *p, const json_t *spec,
                                      struct skr_error *error);
int skr_placement_decode_spread(struct skr_placement *p, const json_t *spec,
                                struct skr_error *error);
int skr_placement_decode_groups(struct skr_placement *p, const json_t *spec,
                                struct skr_error *error);

#endif
