/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feasible sets, bottom up.
 *
 *   leaf        S = { claimed .. fit }
 *   inner unit  S = sums over its children v of one x each from S(v), where x = 0 or the rule of
 *                   v's level allows x, and the number of x > 0 is what that rule says;
 *                   and 0, when nothing below is claimed (an unused unit obeys every rule)
 *
 * This is exact because members are identical and every rule speaks about the counts of one sibling
 * set: a subtree matters to the rest of the tree through its total alone.
 */
#include "core/solver/feasible_sets.h"

#include <string.h>

static void leaf_totals(const struct skr_leaf_bounds *leaf, int32_t at, uint64_t *bits)
{
    skr_bits_set_range(bits, leaf->least[at], leaf->most[at]);
}

/* S of a unit whose children are the span inside. */
static void inner_totals(const struct skr_run *run, const struct skr_span *inside, uint64_t *bits)
{
    int32_t row = skr_law_row(&run->law[inside->level]);
    if (row < inside->rows) {
        memcpy(bits, skr_span_row(inside, row), (size_t)inside->words * sizeof(*bits));
    }
    bits[0] |= skr_span_row(inside, 0)[0] & 1;
}

/* Returns the words of bits that may be set. */
static int32_t unit_totals(const struct skr_run *run, const struct skr_feasible *feasible,
                           int32_t unit, uint64_t *bits)
{
    const struct skr_tree *tree = run->tree;
    if (unit >= tree->first_leaf) {
        int32_t leaf = unit - tree->first_leaf;
        leaf_totals(&feasible->leaf, leaf, bits);
        return skr_bits_words(feasible->leaf.most[leaf]);
    }
    const struct skr_span *inside = feasible->inside[unit];
    if (inside == NULL) {
        bits[0] |= 1;
        return 1;
    }
    inner_totals(run, inside, bits);
    return inside->words;
}

void skr_feasible_totals(const struct skr_run *run, const struct skr_feasible *feasible,
                         int32_t unit, uint64_t *bits)
{
    memset(bits, 0, ((size_t)run->n / 64 + 1) * sizeof(*bits));
    unit_totals(run, feasible, unit, bits);
}

/* Drops the counts > 0 that the law forbids. */
static void obey(const struct skr_law *law, uint64_t *bits, int32_t words)
{
    for (int32_t x = skr_bits_next(bits, words, 1); x >= 0; x = skr_bits_next(bits, words, x + 1)) {
        if (!skr_law_allows(law, x)) {
            bits[x / 64] &= ~(UINT64_C(1) << (x % 64));
        }
    }
}

static bool obeys_always(const struct skr_law *law, int32_t n)
{
    return law->lo == 1 && law->hi == n && law->factor == 1;
}

/* The children of parent as spans, and the parent's children as one. room sums up the children. */
static bool build_children(struct skr_run *run, struct skr_feasible *feasible, int32_t level,
                           int32_t parent, int64_t *room, struct skr_span **item, uint64_t *bits)
{
    const struct skr_tree *tree = run->tree;
    const struct skr_law *law = &run->law[level];
    int32_t first = tree->child_first[parent];
    int32_t n = 0;
    for (int32_t child = first; child < first + tree->child_count[parent]; child++) {
        if (room != NULL) {
            if (child >= tree->first_leaf) {
                room[child] = feasible->leaf.room[child - tree->first_leaf];
            }
            room[parent] += room[child];
        }
        int32_t words = unit_totals(run, feasible, child, bits);
        if (!obeys_always(law, run->n)) {
            obey(law, bits, words);
        }
        if (!skr_bits_only_zero(bits, words)) {
            feasible->unit[child] = skr_span_unit(run, level, feasible->inside[child],
                                                  room == NULL ? 0 : room[child], bits, words);
            if (feasible->unit[child] == NULL) {
                return false;
            }
            item[n++] = feasible->unit[child];
        }
        memset(bits, 0, (size_t)words * sizeof(*bits));
    }
    if (n > 0) {
        feasible->inside[parent] = skr_span_all(run, item, n);
        return feasible->inside[parent] != NULL;
    }
    return true;
}

bool skr_feasible_build(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                        struct skr_feasible *ret)
{
    const struct skr_tree *tree = run->tree;
    size_t n_units = (size_t)tree->n_units;
    ret->leaf = *leaf;
    ret->unit = skr_run_alloc(run, n_units, sizeof(struct skr_span *));
    ret->inside = skr_run_alloc(run, n_units, sizeof(struct skr_span *));
    int64_t *room = leaf->room == NULL ? NULL : skr_run_alloc(run, n_units, sizeof(*room));
    struct skr_span **item = skr_run_alloc(run, n_units, sizeof(struct skr_span *));
    uint64_t *bits = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof(*bits));
    if (ret->unit == NULL || ret->inside == NULL || item == NULL || bits == NULL ||
        (leaf->room != NULL && room == NULL)) {
        return false;
    }
    run->stats.units_visited += tree->n_units;
    for (int32_t level = tree->n_levels; level >= 1 && tree->n_leaves > 0; level--) {
        for (int32_t unit = tree->level_first[level - 1]; unit < tree->level_first[level]; unit++) {
            if (!build_children(run, ret, level, unit, room, item, bits)) {
                return false;
            }
        }
    }
    return true;
}
