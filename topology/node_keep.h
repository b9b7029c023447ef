/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_NODE_KEEP_H
#define SKR_TOPOLOGY_NODE_KEEP_H
/*
 * Nodes in little memory, for caches of a hundred thousand of them. A node as it was decoded owns
 * all its texts, in blocks that are rarely full; one that is kept is one piece of memory, and what
 * nodes have alike (keys and values of labels and taints, names of resources) it shares with the
 * others through the owner's table of texts.
 */
#include "topology/base/texts.h"
#include "topology/object.h"

/* A copy of the node for skr_node_forget(), never for skr_node_destroy(). name: equal to the node's,
 * borrowed for the life of the copy. Aborts without memory. O(size of the node). */
struct skr_node *skr_node_keep(struct skr_texts *texts, const struct skr_node *node,
                               const char *name);
/* With the texts that it was made with. NULL allowed. */
void skr_node_forget(struct skr_texts *texts, struct skr_node *node);

#endif
