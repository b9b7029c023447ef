/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_NODE_OPEN_H
#define SKR_CORE_GANG_PROBLEM_NODE_OPEN_H
/* Whether a node takes new members of some shapes: its own state, vetoes, and probes. */
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/shapes.h"

/* Whether the newcomers of the group are replacements of lost members, which may use spare nodes. */
bool skr_node_takes_lost(const struct group *g);
/* Whether the node is kept off the group as a spare (core/gang/cache/spare.h). */
bool skr_node_is_spare(const struct group *g, const struct node_entry *entry);
/* entry NULL: there is no such node. probed_only: nodes that no probe has listed are closed. */
bool skr_node_open(const struct skr_gang *e, const struct group *g, const struct shapes *shapes,
                   const struct node_entry *entry, bool probed_only);

#endif
