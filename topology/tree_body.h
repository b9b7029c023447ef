/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_TREE_BODY_H
#define SKR_TOPOLOGY_TREE_BODY_H
/*
 * What stands behind a tree, for tree.c and tree_builder.c alone. Everything, this struct included,
 * lives in the tree's arena.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/arena.h"
#include "topology/tree.h"

struct skr_tree_body {
    struct skr_tree tree; /* first: a pointer to it is a pointer to the body */
    struct skr_arena *arena;
    atomic_size_t refs;
    /* Leaf index + 1 by hash of the node name, 0 empty; slot_mask + 1 slots, a power of two, more
     * than twice the leaves. */
    int32_t *slot;
    size_t slot_mask;
};

#endif
