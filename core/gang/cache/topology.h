/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_TOPOLOGY_H
#define SKR_CORE_GANG_CACHE_TOPOLOGY_H
/* The topology tree in force. */
#include "core/gang/state/gang.h"
#include "topology/topology_map.h"

void skr_topology_map_changed(struct skr_gang *e,
                              struct map_entry *m); /* its text changed, or it was deleted */
/* The map is removed from the cache. */
void skr_topology_map_gone(struct skr_gang *e, struct map_entry *m);
void skr_topology_nodes_changed(struct skr_gang *e); /* nodes came or went */
void skr_topology_settle(struct skr_gang *e);
/* For every leaf; NULL: no such node. Valid until the next event. */
struct node_entry *const *skr_topology_leaf_nodes(struct skr_gang *e);
bool skr_topology_is_usable(const struct skr_gang *e); /* whether there is a tree with leaves */
/* The oldest unreadable map; NULL: none. O(maps). */
const struct map_entry *skr_topology_malformed(const struct skr_gang *e);
/* "" if the map is fine. */
const char *skr_topology_map_reason(const struct skr_gang *e, const struct map_entry *m);
/* Whether a node is Ready and no leaf names it. */
bool skr_topology_is_outside(const struct skr_gang *e, const struct node_entry *n);
/* Labels of a node are no longer those. */
void skr_topology_labels_changed(struct skr_gang *e, const struct skr_labels *was,
                                 const struct skr_labels *are);
void skr_topology_devices_changed(struct skr_gang *e); /* slices came, changed or went */
/* The labels of the node at which levels look, those of devices among them; they are in the arena, or borrowed until the
 * next event. O(devices) with levels of devices. */
const struct skr_labels *skr_topology_labels(const struct skr_gang *e, const struct skr_node *node,
                                             struct skr_arena *arena);
/* What is odd about a tree of labels of nodes; NULL: the tree in force is none, or is flat. Borrowed
 * until the next event. */
const struct skr_label_findings *skr_topology_findings(const struct skr_gang *e);
/* The level of the tree in force that is made of this node label; the lowest level for
 * kubernetes.io/hostname. NULL: none. Borrowed from the tree. */
const char *skr_topology_level_of(const struct skr_gang *e, const char *label);
/* The labels that levels are made of, comma separated, appended. */
void skr_topology_add_labels(const struct skr_gang *e, struct skr_strbuf *b);
void skr_topology_fini(struct skr_gang *e);

#endif
