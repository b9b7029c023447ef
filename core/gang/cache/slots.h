/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_SLOTS_H
#define SKR_CORE_GANG_CACHE_SLOTS_H
/*
 * Room for more pods, per level of the tree in force: the most pods of 1, 2, 4, 8 of one resource
 * (skr_resource_one(): cores, GiB, devices) that fit into one unit of the level; at level 0, the
 * root, into the whole tree. Counts Ready nodes that are not cordoned, without overcommitment, at
 * most the pods allowed on the node. Covers the first SKR_SLOT_RESOURCES_MAX resource names of the
 * tree.
 */
#include "topology/tree.h"

struct skr_gang; /* skr_engine_self() of its engine */

enum { SKR_SLOT_SIZES = 4, SKR_SLOT_RESOURCES_MAX = 8 };
struct skr_slots {
    const struct skr_tree *tree; /* a reference; NULL: no usable tree, nothing else is set */
    size_t n_resources;          /* names: the first of tree->resource_name */
    int64_t most[SKR_LEVELS_MAX + 1][SKR_SLOT_RESOURCES_MAX][SKR_SLOT_SIZES]; /* size 1 << i */
};
void skr_slots_fini(struct skr_slots *slots);

/* Counting in pieces, so that decisions are not delayed: all zero at first. Changes in between may
 * be missed; another tree restarts the count. */
struct skr_slot_count {
    struct skr_slots slots;
    int64_t *unit; /* of the units above the leaves */
    int32_t next;  /* leaf */
};
/* Counts n more leaves; true after the last one, with the result in *ret and count zero again. O(n
 * * (resources + levels)), at the end O(units above the leaves). May refresh caches, changes no
 * decision. */
bool skr_gang_count_slots(struct skr_gang *gang, struct skr_slot_count *count, int32_t n,
                          struct skr_slots *ret);
void skr_slot_count_fini(struct skr_slot_count *count);

#endif
