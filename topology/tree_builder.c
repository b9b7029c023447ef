/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a tree: units come in document order, depth first, and are kept as (name, depth, parent).
 * Finishing goes over them four times: find the deepest leaf; mark what has a leaf at that depth
 * below it; number the marked units level by level; fill the arrays of the tree. Within a level
 * document order is tree order, and children of one unit are contiguous because the order is depth
 * first. Cost O(units), no sorting.
 */
#include <string.h>

#include "topology/base/hash.h"
#include "topology/tree.h"
#include "topology/tree_body.h"

struct entry {
    const char *name;
    int32_t depth;
    int32_t parent; /* index of the entry, -1: the root */
    bool has_children;
    bool kept;
    int32_t unit; /* number in the tree */
};

struct skr_tree_builder {
    struct skr_arena *names;
    const char *tree_name;
    struct entry *entry;
    size_t n;
    size_t cap;
    int32_t last[SKR_LEVELS_MAX + 1]; /* newest entry of each depth; [0] is -1 */
    int32_t last_depth;
    size_t n_duplicates;
    struct skr_tree_duplicate duplicate[SKR_TREE_DUPLICATES_MAX];
};

#define NAMES_BYTES_MAX ((size_t)SKR_UNITS_MAX * (SKR_UNIT_NAME_MAX + 1))

struct skr_tree_builder *skr_tree_builder_create(const char *name)
{
    struct skr_tree_builder *b = skr_alloc(sizeof *b);
    b->names = skr_arena_create(NAMES_BYTES_MAX, 0);
    skr_bug_on(!b->names);
    b->tree_name = skr_arena_strdup(b->names, name);
    skr_bug_on(!b->tree_name);
    b->last[0] = -1;
    return b;
}

void skr_tree_builder_destroy(struct skr_tree_builder *b)
{
    if (b) {
        skr_arena_destroy(b->names);
        free(b->entry);
        free(b);
    }
}

static bool is_blank(const char *name)
{
    return name[strspn(name, " \t\n\v\f\r")] == '\0';
}

int skr_tree_check_name(const char *what, const char *name, struct skr_error *error)
{
    size_t len = strlen(name);
    if (len == 0) {
        return skr_error_set(error, SKR_INVALID, "%s: name is empty", what);
    }
    if (is_blank(name)) {
        return skr_error_set(error, SKR_INVALID, "%s: name is blank", what);
    }
    if (len > SKR_UNIT_NAME_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s \"%.32s...\": name of %zu bytes, limit %d", what,
                             name, len, SKR_UNIT_NAME_MAX);
    }
    return 0;
}

bool skr_tree_level_is_reserved(const char *name)
{
    return strcmp(name, "roles") == 0 || strcmp(name, "sets") == 0;
}

int skr_tree_builder_add(struct skr_tree_builder *b, int32_t depth, const char *name,
                         struct skr_error *error)
{
    int rc = skr_tree_check_name("unit", name, error);
    if (rc != 0) {
        return rc;
    }
    if (depth > SKR_LEVELS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "unit \"%.100s\": tree deeper than %d levels", name,
                             SKR_LEVELS_MAX);
    }
    if (depth < 1 || depth > b->last_depth + 1) {
        return skr_error_set(error, SKR_BUG, "unit \"%.100s\": depth %d after %d", name, depth,
                             b->last_depth);
    }
    if (b->n >= SKR_UNITS_MAX - 1) {
        return skr_error_set(error, SKR_LIMIT, "unit \"%.100s\": tree of more than %d units", name,
                             SKR_UNITS_MAX);
    }
    const char *copy = skr_arena_strdup(b->names, name);
    if (!copy) {
        return skr_error_set(error, SKR_NO_MEMORY, "unit \"%.100s\": out of memory", name);
    }
    skr_grow(&b->entry, &b->cap, b->n + 1, sizeof b->entry[0]);
    int32_t parent = b->last[depth - 1];
    b->entry[b->n] = (struct entry){.name = copy, .depth = depth, .parent = parent, .unit = -1};
    if (parent >= 0) {
        b->entry[parent].has_children = true;
    }
    b->last[depth] = (int32_t)b->n;
    b->last_depth = depth;
    b->n++;
    return 0;
}

bool skr_tree_builder_duplicate(const struct skr_tree_builder *b, size_t n,
                                struct skr_tree_duplicate *ret)
{
    if (n >= b->n_duplicates) {
        return false;
    }
    *ret = b->duplicate[n];
    return true;
}

bool skr_tree_builder_uneven(const struct skr_tree_builder *b, size_t n, char *buffer, size_t size,
                             size_t *ret_ordinal)
{
    int32_t deepest = skr_tree_builder_depth(b);
    for (size_t i = 0; i < b->n; i++) {
        const struct entry *e = &b->entry[i];
        if (e->has_children || e->depth == deepest || n-- > 0) {
            continue;
        }
        int32_t path[SKR_LEVELS_MAX] = {0};
        int32_t at = (int32_t)i;
        for (int32_t d = e->depth; d > 0; d--) {
            path[d - 1] = at;
            at = b->entry[at].parent;
        }
        if (ret_ordinal) {
            *ret_ordinal = i;
        }
        size_t len = 0;
        buffer[0] = '\0';
        for (int32_t d = 0; d < e->depth && len < size; d++) {
            int added = snprintf(buffer + len, size - len, "%s%s", d > 0 ? "/" : "",
                                 b->entry[path[d]].name);
            len += added > 0 ? (size_t)added : 0;
        }
        return true;
    }
    return false;
}

/* ---- finishing ---- */

int32_t skr_tree_builder_depth(const struct skr_tree_builder *b)
{
    int32_t depth = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->entry[i].depth > depth) {
            depth = b->entry[i].depth;
        }
    }
    return depth;
}

/* Marks the units with a leaf at the deepest level below them; the others' leaves are uneven. */
static size_t mark_kept(struct skr_tree_builder *b, int32_t deepest)
{
    size_t n_uneven = 0;
    for (size_t i = 0; i < b->n; i++) {
        b->entry[i].kept = false;
    }
    for (size_t i = 0; i < b->n; i++) {
        if (b->entry[i].depth != deepest) {
            n_uneven += b->entry[i].has_children ? 0 : 1;
            continue;
        }
        for (int32_t at = (int32_t)i; at >= 0 && !b->entry[at].kept; at = b->entry[at].parent) {
            b->entry[at].kept = true;
        }
    }
    return n_uneven;
}

/* Every node has one leaf, uneven ones included. Fills a table of entry index + 1. */
static int check_leaves(struct skr_tree_builder *b, struct skr_error *error)
{
    size_t slots = 16;
    while (slots <= b->n * 2) {
        slots *= 2;
    }
    int32_t *slot = skr_alloc_array(slots, sizeof slot[0]);
    b->n_duplicates = 0;
    for (size_t i = 0; b->n_duplicates < SKR_TREE_DUPLICATES_MAX && i < b->n; i++) {
        const struct entry *e = &b->entry[i];
        if (e->has_children) {
            continue;
        }
        size_t at = skr_hash_string(e->name) & (slots - 1);
        while (slot[at] != 0 && strcmp(b->entry[slot[at] - 1].name, e->name) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (slot[at] != 0) {
            b->duplicate[b->n_duplicates++] =
                (struct skr_tree_duplicate){e->name, (size_t)slot[at] - 1, i};
        } else {
            slot[at] = (int32_t)i + 1;
        }
    }
    free(slot);
    return b->n_duplicates > 0
               ? skr_error_set(error, SKR_INVALID, "node \"%.100s\" twice", b->duplicate[0].name)
               : 0;
}

/* Numbers the kept units level by level; fills the level bounds. */
static void number_units(struct skr_tree_builder *b, struct skr_tree *tree)
{
    int32_t next[SKR_LEVELS_MAX + 1] = {0};
    for (size_t i = 0; i < b->n; i++) {
        if (b->entry[i].kept) {
            next[b->entry[i].depth]++;
        }
    }
    int32_t first = 1;
    for (int32_t l = 1; l <= tree->n_levels; l++) {
        int32_t count = next[l];
        tree->level_first[l] = first;
        next[l] = first;
        first += count;
    }
    tree->level_first[tree->n_levels + 1] = first;
    tree->n_units = first;
    tree->first_leaf = tree->level_first[tree->n_levels];
    tree->n_leaves = tree->n_units - tree->first_leaf;
    for (size_t i = 0; i < b->n; i++) {
        if (b->entry[i].kept) {
            b->entry[i].unit = next[b->entry[i].depth]++;
        }
    }
}

/* Arrays over all units; false without memory. */
static bool fill_units(const struct skr_tree_builder *b, struct skr_tree_body *body)
{
    struct skr_tree *tree = &body->tree;
    size_t n = (size_t)tree->n_units;
    int32_t *parent = skr_arena_array(body->arena, n, sizeof parent[0]);
    int32_t *child_first = skr_arena_array(body->arena, n, sizeof child_first[0]);
    int32_t *child_count = skr_arena_array(body->arena, n, sizeof child_count[0]);
    const char **name = skr_arena_array(body->arena, n, sizeof name[0]);
    if (!parent || !child_first || !child_count || !name) {
        return false;
    }
    parent[0] = -1;
    name[0] = tree->level_name[0];
    for (size_t i = 0; i < b->n; i++) {
        const struct entry *e = &b->entry[i];
        if (!e->kept) {
            continue;
        }
        int32_t up = e->parent >= 0 ? b->entry[e->parent].unit : 0;
        parent[e->unit] = up;
        child_first[up] = child_count[up] == 0 ? e->unit : child_first[up];
        child_count[up]++;
        name[e->unit] = skr_arena_strdup(body->arena, e->name);
        if (!name[e->unit]) {
            return false;
        }
    }
    tree->parent = parent;
    tree->child_first = child_first;
    tree->child_count = child_count;
    tree->unit_name = name;
    return true;
}

static bool fill_slots(struct skr_tree_body *body)
{
    size_t slots = 4;
    while (slots <= (size_t)body->tree.n_leaves * 2) {
        slots *= 2;
    }
    body->slot = skr_arena_array(body->arena, slots, sizeof body->slot[0]);
    body->slot_mask = slots - 1;
    if (!body->slot) {
        return false;
    }
    for (int32_t leaf = 0; leaf < body->tree.n_leaves; leaf++) {
        const char *name = body->tree.unit_name[body->tree.first_leaf + leaf];
        size_t at = skr_hash_string(name) & body->slot_mask;
        while (body->slot[at] != 0) {
            at = (at + 1) & body->slot_mask;
        }
        body->slot[at] = leaf + 1;
    }
    return true;
}

static bool fill_names(const struct skr_tree_builder *b, struct skr_tree_body *body,
                       const char *const *level_names, const char *const *resource_names,
                       size_t n_resources)
{
    struct skr_tree *tree = &body->tree;
    const char **resources = skr_arena_array(body->arena, n_resources, sizeof resources[0]);
    tree->name = skr_arena_strdup(body->arena, b->tree_name);
    tree->level_name[0] = "root";
    if (!resources || !tree->name) {
        return false;
    }
    for (int32_t l = 1; l <= tree->n_levels; l++) {
        tree->level_name[l] = skr_arena_strdup(body->arena, level_names[l - 1]);
        if (!tree->level_name[l]) {
            return false;
        }
    }
    for (size_t i = 0; i < n_resources; i++) {
        resources[i] = skr_arena_strdup(body->arena, resource_names[i]);
        if (!resources[i]) {
            return false;
        }
    }
    tree->resource_name = resources;
    tree->n_resource_names = n_resources;
    return true;
}

/* Room for the body, the arrays and all names; generous, a limit is due all the same. */
static size_t bytes_limit(const struct skr_tree_builder *b, size_t n_resources)
{
    return 64 * 1024 + b->n * 64 + skr_arena_used(b->names) + (n_resources + SKR_LEVELS_MAX) * 1024;
}

int skr_tree_builder_finish(struct skr_tree_builder *b, const char *const *level_names, size_t n,
                            const char *const *resource_names, size_t n_resources,
                            struct skr_tree **ret, size_t *n_uneven, struct skr_error *error)
{
    int32_t deepest = skr_tree_builder_depth(b);
    if (n < 1 || n > SKR_LEVELS_MAX || (b->n != 0 && n != (size_t)deepest)) {
        return skr_error_set(error, SKR_INVALID, "%zu level names for a tree of depth %d", n,
                             deepest);
    }
    int rc = check_leaves(b, error);
    if (rc != 0) {
        return rc;
    }
    size_t limit = bytes_limit(b, n_resources);
    struct skr_arena *arena = skr_arena_create(limit, limit / 2);
    struct skr_tree_body *body = arena ? skr_arena_alloc(arena, sizeof *body) : NULL;
    if (!body) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "tree of %zu units: out of memory", b->n);
    }
    body->arena = arena;
    atomic_init(&body->refs, 1);
    body->tree.n_levels = (int32_t)n;
    size_t left_out = mark_kept(b, (int32_t)n);
    number_units(b, &body->tree);
    if (body->tree.n_leaves > SKR_LEAVES_MAX) {
        rc = skr_error_set(error, SKR_LIMIT, "tree of %d nodes, limit %d", body->tree.n_leaves,
                           SKR_LEAVES_MAX);
    } else if (!fill_names(b, body, level_names, resource_names, n_resources) ||
               !fill_units(b, body) || !fill_slots(body)) {
        rc = skr_error_set(error, SKR_NO_MEMORY, "tree of %zu units: out of memory", b->n);
    }
    if (rc != 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    if (n_uneven) {
        *n_uneven = left_out;
    }
    *ret = &body->tree;
    return 0;
}
