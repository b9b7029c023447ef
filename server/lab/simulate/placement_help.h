/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_HELP_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_HELP_H
#include "core/placement/evaluate.h"
#include "topology/base/strbuf.h"

/* For a Placement that lacks clusters: writes which single changes of it, of a binding of a set, or
 * of a label would select more. Each was tried; if none does, the text says so. Writes nothing if
 * no cluster is missing. Some 20 cycles. */
void skr_placement_help_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_strbuf *out);

#endif
