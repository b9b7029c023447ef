/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a tree: reference count, look-ups, distance, comparison. Leaves are found through an open
 * addressing table that was filled when the tree was made (tree_builder.c); probing is linear and
 * the table at most half full.
 */
#include "topology/tree.h"

#include <string.h>

#include "topology/base/hash.h"
#include "topology/tree_body.h"

static struct skr_tree_body *body_of(const struct skr_tree *tree)
{
    return (struct skr_tree_body *)(uintptr_t)tree;
}

struct skr_tree *skr_tree_ref(const struct skr_tree *tree)
{
    struct skr_tree_body *body = body_of(tree);
    (void)atomic_fetch_add_explicit(&body->refs, 1, memory_order_relaxed);
    return &body->tree;
}

void skr_tree_unref(const struct skr_tree *tree)
{
    if (!tree) {
        return;
    }
    struct skr_tree_body *body = body_of(tree);
    size_t before = atomic_fetch_sub_explicit(&body->refs, 1, memory_order_acq_rel);
    skr_bug_on(before == 0);
    if (before == 1) {
        struct skr_arena *arena = body->arena;
        skr_arena_destroy(arena);
    }
}

int32_t skr_tree_find_leaf(const struct skr_tree *tree, const char *node)
{
    const struct skr_tree_body *body = body_of(tree);
    for (size_t at = skr_hash_string(node) & body->slot_mask;; at = (at + 1) & body->slot_mask) {
        int32_t leaf = body->slot[at] - 1;
        if (leaf < 0 || strcmp(tree->unit_name[tree->first_leaf + leaf], node) == 0) {
            return leaf;
        }
    }
}

int32_t skr_tree_find_level(const struct skr_tree *tree, const char *level)
{
    for (int32_t l = 1; l <= tree->n_levels; l++) {
        if (strcmp(tree->level_name[l], level) == 0) {
            return l;
        }
    }
    return -1;
}

int32_t skr_tree_level_of(const struct skr_tree *tree, int32_t unit)
{
    int32_t level = 0;
    skr_bug_on(unit < 0 || unit >= tree->n_units);
    while (unit >= tree->level_first[level + 1]) {
        level++;
    }
    return level;
}

int32_t skr_tree_unit_at(const struct skr_tree *tree, int32_t leaf, int32_t level)
{
    int32_t unit = tree->first_leaf + leaf;
    while (unit >= tree->level_first[level + 1]) {
        unit = tree->parent[unit];
    }
    return unit;
}

int32_t skr_tree_distance(const struct skr_tree *tree, int32_t leaf_a, int32_t leaf_b)
{
    int32_t a = tree->first_leaf + leaf_a;
    int32_t b = tree->first_leaf + leaf_b;
    int32_t distance = 2;
    while (a != b) {
        a = tree->parent[a];
        b = tree->parent[b];
        distance += 2;
    }
    return distance;
}

static bool same_names(const char *const *a, const char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool skr_tree_equal(const struct skr_tree *a, const struct skr_tree *b)
{
    return a->n_levels == b->n_levels && a->n_units == b->n_units && a->n_leaves == b->n_leaves &&
           a->n_resource_names == b->n_resource_names && strcmp(a->name, b->name) == 0 &&
           same_names(a->level_name, b->level_name, (size_t)a->n_levels + 1) &&
           same_names(a->resource_name, b->resource_name, a->n_resource_names) &&
           memcmp(a->parent, b->parent, (size_t)a->n_units * sizeof a->parent[0]) == 0 &&
           same_names(a->unit_name, b->unit_name, (size_t)a->n_units);
}
