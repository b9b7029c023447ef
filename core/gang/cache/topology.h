/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_TOPOLOGY_H
#define SKR_CORE_GANG_CACHE_TOPOLOGY_H
/* Which tree is in force. */
#include "core/gang/state/gang.h"

void topology_map_changed(struct skr_gang *e, struct map_entry *m); /* its text; or it is gone */
/* The map leaves the cache. */
void topology_map_gone(struct skr_gang *e, struct map_entry *m);
void topology_nodes_changed(struct skr_gang *e); /* nodes came or went */
void topology_settle(struct skr_gang *e);
/* Of every leaf; NULL: no such node. Valid until the next event. */
struct node_entry *const *topology_leaf_nodes(struct skr_gang *e);
bool topology_is_usable(const struct skr_gang *e); /* there is a tree, with leaves */
/* The oldest map that cannot be read; NULL: none. O(maps). */
const struct map_entry *topology_malformed(const struct skr_gang *e);
/* "" when fine. */
const char *topology_map_reason(const struct skr_gang *e, const struct map_entry *m);
/* Whether a node is Ready and no leaf names it. */
bool topology_is_outside(const struct skr_gang *e, const struct node_entry *n);
/* Whether the tree in force is made of rack labels: the nodes outside it lack the label. */
bool topology_has_racks_of_labels(const struct skr_gang *e);
void topology_fini(struct skr_gang *e);

#endif
