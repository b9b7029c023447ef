/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_NODE_KEEP_H
#define SKR_TOPOLOGY_NODE_KEEP_H
/*
 * Nodes in little memory, for caches of a hundred thousand of them. A node as it was decoded owns
 * all its texts, in blocks that are rarely full; one that is kept is one piece of memory, and what
 * nodes have alike (keys and values of labels and taints, names of resources, all that they offer)
 * it shares with the others through the owner's tables.
 */
#include "topology/base/texts.h"
#include "topology/object.h"

/* All zero is empty. */
struct skr_node_shared {
    struct skr_texts texts;
    struct skr_slab offers; /* lists of what nodes offer; node_keep.c */
    struct skr_hash_index offers_index;
};

/* Of all nodes that were kept with it skr_node_forget() was called. */
void skr_node_shared_fini(struct skr_node_shared *shared);

/* A copy of the node for skr_node_forget(), never for skr_node_destroy(). name: equal to the node's,
 * borrowed for the life of the copy. Aborts without memory. O(size of the node). */
struct skr_node *skr_node_keep(struct skr_node_shared *shared, const struct skr_node *node,
                               const char *name);
/* shared: that it was made with. node: NULL allowed. */
void skr_node_forget(struct skr_node_shared *shared, struct skr_node *node);

#endif
