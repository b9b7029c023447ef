/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_TREE_H
#define SKR_TOPOLOGY_TREE_H
/*
 * The one tree: units (domains) over leaves (nodes).
 *
 * Units are numbered level by level, within a level from left to right in tree order: 0 is the
 * root, the children of a unit are contiguous, and the leaves (all at the deepest level n_levels)
 * are the last n_leaves units. So leaf i is unit first_leaf + i, and leaf order is tree order. A
 * unit with no leaf below it at the deepest level is not in the tree. Identity of a unit is its
 * path. A tree without leaves has n_leaves 0.
 *
 * Immutable once made; shared by reference count, also between threads (the solver runs on it).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/error.h"

enum {
    SKR_LEVELS_MAX = 16,      /* levels below the root */
    SKR_LEAVES_MAX = 1000000, /* leaves of one tree */
    SKR_UNITS_MAX = 2000000,  /* units of one tree */
    SKR_UNIT_NAME_MAX = 253,  /* bytes of a unit name (a DNS subdomain) */
};

struct skr_tree {
    int32_t n_levels; /* L >= 1 */
    int32_t n_units;
    int32_t n_leaves;
    int32_t first_leaf;
    int32_t
        level_first[SKR_LEVELS_MAX + 2]; /* first unit of level l; level_first[L + 1] = n_units */
    const char *level_name[SKR_LEVELS_MAX + 1]; /* [0] is "root" */
    const char *name;                           /* of the tree */
    const int32_t *parent;                      /* [unit], -1 for the root */
    const int32_t *child_first;                 /* [unit]; undefined for leaves */
    const int32_t *child_count;                 /* [unit]; 0 for leaves */
    const char *const *unit_name;               /* [unit] */
    size_t n_resource_names;                    /* order of the resource vector in outputs */
    const char *const *resource_name;
};

struct skr_tree *skr_tree_ref(const struct skr_tree *tree);
void skr_tree_unref(const struct skr_tree *tree); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_tree, skr_tree_unref)
/* Leaf index of a node name or -1. O(1). */
int32_t skr_tree_find_leaf(const struct skr_tree *tree, const char *node);
/* Level number 1..L of a level name or -1. */
int32_t skr_tree_find_level(const struct skr_tree *tree, const char *level);
/* Level of a unit, 0..L. */
int32_t skr_tree_level_of(const struct skr_tree *tree, int32_t unit);
/* The unit of the level, 0..L, that the leaf is in. O(levels). */
int32_t skr_tree_unit_at(const struct skr_tree *tree, int32_t leaf, int32_t level);
/* Edges between two members on these leaves, pods being children of their node: same leaf 2,
 * siblings 4. */
int32_t skr_tree_distance(const struct skr_tree *tree, int32_t leaf_a, int32_t leaf_b);
/* Same tree name, levels, units and resource names in the same order: nothing that is shown or
 * decided differs. O(units). */
bool skr_tree_equal(const struct skr_tree *a, const struct skr_tree *b);

/*
 * Making one. The builder takes units in document order, depth first; it copies names. A leaf is a
 * unit added at any depth without children; leaves above the deepest level are left out and counted
 * (UnevenDepth).
 */
struct skr_tree_builder;
struct skr_tree_builder *skr_tree_builder_create(const char *name);
void skr_tree_builder_destroy(struct skr_tree_builder *b);
SKR_AUTO_DEFINE(struct skr_tree_builder, skr_tree_builder_destroy)
/* depth 1..: an inner unit or leaf below the last unit of depth - 1. Errors: SKR_LIMIT, SKR_BUG
 * (depth). */
int skr_tree_builder_add(struct skr_tree_builder *b, int32_t depth, const char *name,
                         struct skr_error *error);
/* Whether a name may stand for a unit or level: not empty, not only blanks (SKR_INVALID), not
 * longer than SKR_UNIT_NAME_MAX (SKR_LIMIT). what begins the error text. */
int skr_tree_check_name(const char *what, const char *name, struct skr_error *error);
/* Whether a level of this name can have no rules: key constraints of a group has members roles and
 * sets that are no levels. */
bool skr_tree_level_is_reserved(const char *name);
/* Depth of the deepest unit so far, 0 when there is none. O(units). */
int32_t skr_tree_builder_depth(const struct skr_tree_builder *b);
/* Path of the n-th (from 0) leaf above the deepest one, "zone-0/rack-1", cut at size, and the
 * ordinal (from 0) of the call that added it (NULL allowed). false when there are fewer. */
bool skr_tree_builder_uneven(const struct skr_tree_builder *b, size_t n, char *buffer, size_t size,
                             size_t *ret_ordinal);

enum { SKR_TREE_DUPLICATES_MAX = 8 }; /* found by one skr_tree_builder_finish() */

/* One node named by two leaves, as skr_tree_builder_finish found it: ordinals of the calls that
 * added the first and this one. name is borrowed from the builder. */
struct skr_tree_duplicate {
    const char *name;
    size_t first;
    size_t second;
};
/* The n-th (from 0); false when finish has not been called or found fewer. */
bool skr_tree_builder_duplicate(const struct skr_tree_builder *b, size_t n,
                                struct skr_tree_duplicate *ret);
/* level_names: n of them, top to bottom, root excluded; n must equal the depth of the deepest leaf
 * (SKR_INVALID; any n 1.. for a builder without units). A node named by two leaves is SKR_INVALID.
 * resource_names are copied. Consumes nothing; call destroy afterwards. n_uneven may
 * be NULL. */
int skr_tree_builder_finish(struct skr_tree_builder *b, const char *const *level_names, size_t n,
                            const char *const *resource_names, size_t n_resources,
                            struct skr_tree **ret, size_t *n_uneven, struct skr_error *error);

#endif
