/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feasible sizes of kept problems.
 *
 * A sibling set is cut into chunks of CHUNK neighbours; the totals of a chunk are summed from its
 * units whenever one of them changes, chunks are paired up round by round as in span.h, and the
 * numbers of these sets are all that is kept:
 *
 *     parent      set of the whole     <- the totals that the parent can hold, row by row
 *                 /            \
 *           {0 .. 31}        {32 .. 47}
 *            /     \             |
 *       {0 .. 15} {16 .. 31} {32 .. 47}   chunks
 *
 * A change that does not alter a set ends there: its parents stay as they are.
 *
 * Limits: SKR_SIZES_MERGE_WORDS_MAX bounds the time of a merge.
 */
#include "core/solver/sizes.h"

#include "core/solver/count_bits.h"
#include "core/solver/count_set.h"

enum { CHUNK = 16 };

struct skr_sizes_pool {
    struct skr_count_pool sets;
    size_t bytes; /* of problems, without the sets */
};

struct skr_sizes {
    struct skr_sizes_pool *pool;
    const struct skr_tree *tree;
    int32_t most;
    struct skr_law law[SKR_LEVELS_MAX + 1]; /* [level], 0 unused */
    /* [level] as bits; NULL: all counts */
    uint64_t *allowed[SKR_LEVELS_MAX + 1];
    struct skr_counts_space space;
    uint32_t *first; /* [inner unit] of its numbers in set, one more at the end */
    uint32_t *set;   /* chunks of a sibling set, then its rounds, the whole last */
    int32_t *dirty;  /* [units of the widest inner level]: working space */
    int32_t *part;   /* [chunks of the widest set]: working space */
    size_t bytes;
};

struct skr_sizes_pool *skr_sizes_pool_create(void)
{
    return skr_alloc(sizeof(struct skr_sizes_pool));
}

void skr_sizes_pool_destroy(struct skr_sizes_pool *pool)
{
    if (pool) {
        skr_count_pool_fini(&pool->sets);
        free(pool);
    }
}

size_t skr_sizes_pool_bytes(const struct skr_sizes_pool *pool)
{
    return pool->bytes + pool->sets.bytes + pool->sets.cap * sizeof(void *) +
           pool->sets.index.n_slots * sizeof(struct skr_hash_slot);
}

/* ---- shape of the tree ---- */

static int32_t widest_set(const struct skr_tree *tree, int32_t level)
{
    int32_t most = 0;
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        most = tree->child_count[p] > most ? tree->child_count[p] : most;
    }
    return most;
}

/* Rows of the widest set of the level. */
static int32_t rows_of(const struct skr_law *law, int32_t children)
{
    return law->used == 0 ? 1 : (law->used < children ? law->used : children) + 1;
}

static int32_t chunks_of(int32_t children)
{
    return (children + CHUNK - 1) / CHUNK;
}

bool skr_sizes_can_keep(const struct skr_tree *tree, const struct skr_rule *rule, int32_t most)
{
    int64_t words = skr_bits_words(most);
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        struct skr_law law = skr_law_of(&rule[level - 1], most);
        int64_t rows = rows_of(&law, widest_set(tree, level));
        if (rows * rows > SKR_SIZES_MERGE_WORDS_MAX ||
            rows * rows * words > SKR_SIZES_MERGE_WORDS_MAX) {
            return false;
        }
    }
    return most >= 1 && most <= SKR_SOLVER_MEMBERS_MAX && tree->n_leaves > 0;
}

/* Places of the numbers. Returns how many there are. */
static size_t lay_out(struct skr_sizes *sizes)
{
    const struct skr_tree *tree = sizes->tree;
    size_t n = 0;
    for (int32_t p = 0; p < tree->first_leaf; p++) {
        sizes->first[p] = (uint32_t)n;
        int32_t round = chunks_of(tree->child_count[p]);
        for (n += (size_t)round; round > 1; n += (size_t)round) {
            round = (round + 1) / 2;
        }
    }
    sizes->first[tree->first_leaf] = (uint32_t)n;
    return n;
}

/* ---- sets ---- */

/* The set of all children of p; NULL: it has none. */
static const struct skr_counts *whole(const struct skr_sizes *sizes, int32_t p)
{
    uint32_t end = sizes->first[p + 1];
    return end == sizes->first[p] ? NULL
                                  : skr_count_pool_get(&sizes->pool->sets, sizes->set[end - 1]);
}

static struct skr_counts child_of(struct skr_sizes *sizes, int32_t level, int32_t unit,
                                  const int32_t *slots)
{
    const struct skr_tree *tree = sizes->tree;
    const struct skr_law *law = &sizes->law[level];
    const uint64_t *allowed = sizes->allowed[level];
    if (unit >= tree->first_leaf) {
        int32_t most = slots[unit - tree->first_leaf];
        struct skr_counts leaf = skr_counts_up_to(most < sizes->most ? most : sizes->most);
        return skr_counts_child(&sizes->space, &leaf, 0, law, allowed);
    }
    const struct skr_counts *inside = whole(sizes, unit);
    return !inside
               ? skr_counts_up_to(0)
               : skr_counts_child(&sizes->space, inside, sizes->law[level + 1].used, law, allowed);
}

/* Replaces a set. Returns whether the new one differs. */
static bool replace(struct skr_sizes *sizes, uint32_t *set, const struct skr_counts *counts)
{
    uint32_t number = skr_count_pool_take(&sizes->pool->sets, counts);
    bool changed = number != *set;
    skr_count_pool_release(&sizes->pool->sets, *set);
    *set = number;
    return changed;
}

static bool sum_chunk(struct skr_sizes *sizes, int32_t level, int32_t p, int32_t chunk,
                      const int32_t *slots)
{
    const struct skr_tree *tree = sizes->tree;
    int32_t from = tree->child_first[p] + chunk * CHUNK;
    int32_t end = tree->child_first[p] + tree->child_count[p];
    end = end < from + CHUNK ? end : from + CHUNK;
    struct skr_counts sum = skr_counts_up_to(0);
    for (int32_t unit = from; unit < end; unit++) {
        struct skr_counts child = child_of(sizes, level, unit, slots);
        if (child.hi > 0) {
            sum = skr_counts_sum(&sizes->space, &sum, &child, sizes->law[level].used);
        }
    }
    return replace(sizes, &sizes->set[sizes->first[p] + (uint32_t)chunk], &sum);
}

static bool sum_pair(struct skr_sizes *sizes, int32_t level, const uint32_t *round, int32_t n,
                     int32_t pair, uint32_t *ret)
{
    const struct skr_count_pool *sets = &sizes->pool->sets;
    struct skr_counts sum = *skr_count_pool_get(sets, round[2 * pair]);
    if (2 * pair + 1 < n) {
        const struct skr_counts *right = skr_count_pool_get(sets, round[2 * pair + 1]);
        sum = skr_counts_sum(&sizes->space, &sum, right, sizes->law[level].used);
    }
    return replace(sizes, ret, &sum);
}

/* Sums the chunks in part[n_parts], ascending, and the rounds above those that have changed.
 * Returns whether the whole has changed. */
static bool update_set(struct skr_sizes *sizes, int32_t level, int32_t p, int32_t *part,
                       int32_t n_parts, const int32_t *slots)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n_parts; i++) {
        if (sum_chunk(sizes, level, p, part[i], slots)) {
            part[kept++] = part[i];
        }
    }
    uint32_t *round = sizes->set + sizes->first[p];
    for (int32_t n = chunks_of(sizes->tree->child_count[p]); n > 1 && kept > 0; n = (n + 1) / 2) {
        int32_t changed = 0;
        int32_t last = -1;
        for (int32_t i = 0; i < kept; i++) {
            int32_t pair = part[i] / 2;
            if (pair != last && sum_pair(sizes, level, round, n, pair, round + n + pair)) {
                part[changed++] = pair;
            }
            last = pair;
        }
        kept = changed;
        round += n;
    }
    return kept > 0;
}

/* ---- all of it ---- */

/* All sets from nothing, the lowest level first. */
static void build(struct skr_sizes *sizes, const int32_t *slots)
{
    const struct skr_tree *tree = sizes->tree;
    for (int32_t level = tree->n_levels; level >= 1; level--) {
        for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
            int32_t chunks = chunks_of(tree->child_count[p]);
            for (int32_t i = 0; i < chunks; i++) {
                sizes->part[i] = i;
            }
            update_set(sizes, level, p, sizes->part, chunks, slots);
        }
    }
}

static void make_room(struct skr_sizes *sizes)
{
    const struct skr_tree *tree = sizes->tree;
    int32_t rows = 1;
    int32_t widest = 0;
    int32_t level_most = 1;
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        int32_t width = widest_set(tree, level);
        int32_t here = rows_of(&sizes->law[level], width);
        int32_t parents = tree->level_first[level] - tree->level_first[level - 1];
        rows = here > rows ? here : rows;
        widest = width > widest ? width : widest;
        level_most = parents > level_most ? parents : level_most;
    }
    skr_counts_space_init(&sizes->space, sizes->most, rows);
    sizes->first = skr_alloc_array((size_t)tree->first_leaf + 1, sizeof sizes->first[0]);
    size_t n_sets = lay_out(sizes);
    sizes->set = skr_alloc_array(n_sets + 1, sizeof sizes->set[0]);
    sizes->dirty = skr_alloc_array((size_t)level_most, sizeof sizes->dirty[0]);
    sizes->part = skr_alloc_array((size_t)chunks_of(widest) + 1, sizeof sizes->part[0]);
    const struct skr_counts nothing = skr_counts_up_to(0);
    for (size_t i = 0; i < n_sets; i++) {
        sizes->set[i] = skr_count_pool_take(&sizes->pool->sets, &nothing);
    }
    sizes->bytes = sizeof *sizes + skr_counts_space_bytes(sizes->most, rows) +
                   ((size_t)tree->first_leaf + n_sets + (size_t)level_most) * sizeof(uint32_t);
}

struct skr_sizes *skr_sizes_create(struct skr_sizes_pool *pool, const struct skr_tree *tree,
                                   const struct skr_rule *rule, int32_t most, const int32_t *slots)
{
    if (!skr_sizes_can_keep(tree, rule, most)) {
        return NULL;
    }
    struct skr_sizes *sizes = skr_alloc(sizeof *sizes);
    sizes->pool = pool;
    sizes->tree = tree;
    sizes->most = most;
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        sizes->law[level] = skr_law_of(&rule[level - 1], most);
        if (!skr_law_allows_all(&sizes->law[level], most)) {
            uint64_t *bits = skr_alloc_array((size_t)skr_bits_words(most), sizeof *bits);
            skr_law_counts(&sizes->law[level], most, bits);
            sizes->allowed[level] = bits;
        }
    }
    make_room(sizes);
    pool->bytes += sizes->bytes;
    build(sizes, slots);
    return sizes;
}

void skr_sizes_destroy(struct skr_sizes *sizes)
{
    if (!sizes) {
        return;
    }
    size_t n_sets = sizes->first[sizes->tree->first_leaf];
    for (size_t i = 0; i < n_sets; i++) {
        skr_count_pool_release(&sizes->pool->sets, sizes->set[i]);
    }
    for (int32_t level = 1; level <= sizes->tree->n_levels; level++) {
        free(sizes->allowed[level]);
    }
    sizes->pool->bytes -= sizes->bytes;
    skr_counts_space_fini(&sizes->space);
    free(sizes->first);
    free(sizes->set);
    free(sizes->dirty);
    free(sizes->part);
    free(sizes);
}

/* Updates the sets of units of one level that have changed: first + unit[i], ascending. *n becomes
 * the number of parents that have changed, in sizes->dirty. */
static void change_level(struct skr_sizes *sizes, int32_t level, const int32_t *unit, int32_t first,
                         const int32_t *slots, size_t *n)
{
    const struct skr_tree *tree = sizes->tree;
    size_t changed = 0;
    for (size_t i = 0; i < *n;) {
        int32_t p = tree->parent[first + unit[i]];
        int32_t parts = 0;
        for (; i < *n && tree->parent[first + unit[i]] == p; i++) {
            int32_t chunk = (first + unit[i] - tree->child_first[p]) / CHUNK;
            if (parts == 0 || sizes->part[parts - 1] != chunk) {
                sizes->part[parts++] = chunk;
            }
        }
        if (update_set(sizes, level, p, sizes->part, parts, slots)) {
            sizes->dirty[changed++] = p;
        }
    }
    *n = changed;
}

void skr_sizes_change(struct skr_sizes *sizes, const int32_t *slots, const int32_t *leaf, size_t n)
{
    int32_t level = sizes->tree->n_levels;
    change_level(sizes, level, leaf, sizes->tree->first_leaf, slots, &n);
    for (level--; level >= 1 && n > 0; level--) {
        change_level(sizes, level, sizes->dirty, 0, slots, &n);
    }
}

bool skr_sizes_has(const struct skr_sizes *sizes, int32_t n)
{
    const struct skr_counts *inside = whole(sizes, 0);
    return n == 0 || (inside && skr_counts_has(inside, sizes->law[1].used, n));
}

int32_t skr_sizes_most(const struct skr_sizes *sizes)
{
    return sizes->most;
}
