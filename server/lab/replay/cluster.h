/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPLAY_CLUSTER_H
#define SKR_SERVER_LAB_REPLAY_CLUSTER_H
/* The cluster that a trace is played on: a tree, and the slots of every node. It is empty at first. */
#include "topology/tree.h"

enum { SKR_REPLAY_NODES_MAX = 65536 };

struct skr_replay_cluster {
    const struct skr_tree *tree; /* owned */
    int64_t *slots;              /* [leaf] */
};

/* "racks=16,nodes=8,slots=8": that many racks, nodes of each, slots of each node, in any order.
 * Errors: SKR_INVALID, SKR_LIMIT. */
int skr_replay_cluster_parse(const char *text, struct skr_replay_cluster *ret,
                             struct skr_error *error);
void skr_replay_cluster_fini(struct skr_replay_cluster *cluster);

#endif
