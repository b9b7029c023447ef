/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feasible sets, bottom up.
 *
 *   leaf        S = { claimed .. fit }
 *   inner unit  S = sums over its children v of one x each from S(v), where x = 0 or the rule of
 *                   v's level allows x, and the number of x > 0 is what that rule says;
 *                   and 0, when nothing below is claimed (an unused unit obeys every rule)
 *   either      of that, what is within the bounds of the unit
 *
 * This is exact because members are identical and every rule speaks about the counts of one sibling
 * set: a subtree matters to the rest of the tree through its total alone. Of roles the same holds of
 * vectors, which role_sets.c makes.
 */
#include "core/solver/feasible_sets.h"

#include <string.h>

#include "core/solver/role_sets.h"

static void leaf_totals(const struct skr_leaf_bounds *leaf, int32_t at, uint64_t *bits)
{
    skr_bits_set_range(bits, leaf->least[at], leaf->most[at]);
}

/* S of a unit whose children are the span inside. */
static void inner_totals(const struct skr_run *run, const struct skr_span *inside, uint64_t *bits)
{
    const int32_t at =
        skr_rows_find(&inside->rows, (uint64_t)skr_law_row(&run->law[inside->level]));
    if (at >= 0) {
        skr_row_put(&inside->rows.row[at], bits);
    }
    bits[0] |= skr_span_has(inside, 0, 0) ? 1 : 0;
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
    if (!inside) {
        bits[0] |= 1;
        return 1;
    }
    inner_totals(run, inside, bits);
    return skr_bits_words(inside->hi);
}

void skr_feasible_totals(const struct skr_run *run, const struct skr_feasible *feasible,
                         int32_t unit, uint64_t *bits)
{
    memset(bits, 0, ((size_t)run->n / 64 + 1) * sizeof *bits);
    unit_totals(run, feasible, unit, bits);
}

bool skr_feasible_has(const struct skr_run *run, const struct skr_feasible *feasible,
                      const int32_t *members)
{
    uint64_t key = 0;
    int32_t main = 0;
    if (!skr_axes_vector(run, 1, members, &key, &main)) {
        return false;
    }
    return feasible->inside[0] ? skr_span_has(feasible->inside[0], key, main)
                               : key == 0 && main == 0;
}

bool skr_feasible_complete(const struct skr_run *run, int32_t level, uint64_t key)
{
    const struct skr_axes *axes = &run->axes[level];
    bool complete = true;
    for (int32_t c = 0; c < axes->n_counters; c++) {
        const struct skr_counter *counter = &axes->counter[c];
        uint64_t used = key >> counter->shift & counter->mask;
        complete = complete && (used == 0 || used == (uint64_t)counter->used);
    }
    return complete;
}

enum { LEAF_SLOTS = 256 };

struct leaf_slot {
    bool there;
    int32_t least, most, room;
    struct skr_span *span;
};

/* Working space of a build. */
struct builder {
    struct skr_run *run;
    struct skr_feasible *feasible;
    struct skr_span **rounds; /* of the sibling set at hand, where they are not kept */
    /* Spans of leaves by their bounds: most leaves are equal to many others. */
    struct leaf_slot leaf[LEAF_SLOTS];
};

/* Removes the counts that the bounds of the unit do not allow. */
static void keep_bounds(const struct skr_problem *problem, int32_t unit, uint64_t *bits,
                        int32_t words)
{
    const struct skr_unit_bounds *bounds = &problem->bounds[unit];
    for (int32_t w = 0; w < words; w++) {
        int64_t first = (int64_t)w * 64;
        int64_t below = bounds->least - first;
        int64_t above = first + 63 - bounds->most;
        bits[w] = below >= 64 || above >= 64 ? 0 : bits[w];
        bits[w] &= below > 0 && below < 64 ? UINT64_MAX << below : UINT64_MAX;
        bits[w] &= above > 0 && above < 64 ? UINT64_MAX >> above : UINT64_MAX;
    }
}

static bool build_role_unit(struct skr_run *run, const struct skr_feasible *feasible, int32_t level,
                            int32_t unit, struct skr_span **ret)
{
    struct skr_span *inside = unit < run->tree->first_leaf ? feasible->inside[unit] : NULL;
    struct skr_rows rows;
    *ret = NULL;
    if (!skr_role_unit_rows(run->rr, level, unit, inside, false, &rows)) {
        return false;
    }
    if (!skr_rows_only_zero(&rows)) {
        *ret = skr_span_unit(run, level, inside, !feasible->room ? 0 : feasible->room[unit], &rows);
    }
    return *ret || skr_rows_only_zero(&rows);
}

/* The unit as a child; NULL in *ret when it can hold nothing but 0. */
static bool build_unit(struct skr_run *run, struct skr_feasible *feasible, int32_t level,
                       int32_t unit, struct skr_span **ret)
{
    if (run->rr) {
        return build_role_unit(run, feasible, level, unit, ret);
    }
    const uint64_t *allowed = run->allowed[level];
    uint64_t *bits = feasible->bits;
    int32_t words = unit_totals(run, feasible, unit, bits);
    for (int32_t w = 0; w < words && allowed; w++) {
        bits[w] &= allowed[w];
    }
    if (run->problem->bounds) {
        keep_bounds(run->problem, unit, bits, words);
    }
    *ret = NULL;
    bool done = true;
    if (!skr_bits_only_zero(bits, words)) {
        struct skr_span *inside = unit < run->tree->first_leaf ? feasible->inside[unit] : NULL;
        *ret = skr_span_of_counts(run, level, inside, !feasible->room ? 0 : feasible->room[unit],
                                  bits, words);
        done = *ret;
    }
    memset(bits, 0, (size_t)words * sizeof *bits);
    return done;
}

static bool build_leaf(struct builder *builder, int32_t level, int32_t unit, struct skr_span **ret)
{
    struct skr_feasible *feasible = builder->feasible;
    const struct skr_leaf_bounds *leaf = &feasible->leaf;
    int32_t at = unit - builder->run->tree->first_leaf;
    int32_t room = !leaf->room ? 0 : leaf->room[at];
    const struct skr_unit_bounds *bounds = builder->run->problem->bounds;
    if (bounds && (bounds[unit].least > 0 || bounds[unit].most < leaf->most[at])) {
        return build_unit(builder->run, feasible, level, unit, ret);
    }
    const int32_t least = leaf->least[at];
    const int32_t most = leaf->most[at];
    uint32_t mixed = (uint32_t)most ^ (uint32_t)least << 4 ^ (uint32_t)room << 2;
    struct leaf_slot *slot = &builder->leaf[mixed % LEAF_SLOTS];
    if (slot->there && slot->least == least && slot->most == most && slot->room == room) {
        *ret = slot->span;
        return true;
    }
    if (!build_unit(builder->run, feasible, level, unit, ret)) {
        return false;
    }
    *slot = (struct leaf_slot){
        .there = !builder->run->plain, .least = least, .most = most, .room = room, .span = *ret};
    return true;
}

/* The children of parent as spans, and all of them as one. */
static bool build_children(struct builder *builder, int32_t level, int32_t parent)
{
    const struct skr_tree *tree = builder->run->tree;
    struct skr_feasible *feasible = builder->feasible;
    int32_t first = tree->child_first[parent];
    int32_t end = first + tree->child_count[parent];
    for (int32_t child = first; child < end; child++) {
        struct skr_span **span = &feasible->unit[child];
        const bool leaf = child >= tree->first_leaf;
        if (feasible->room && leaf) {
            feasible->room[child] = feasible->leaf.room[child - tree->first_leaf];
        }
        bool done = leaf && !builder->run->rr
                        ? build_leaf(builder, level, child, span)
                        : build_unit(builder->run, feasible, level, child, span);
        if (!done) {
            return false;
        }
        if (feasible->room) {
            feasible->room[parent] += feasible->room[child];
        }
    }
    struct skr_span **rounds = builder->rounds;
    if (feasible->pair) {
        rounds = feasible->pair + feasible->pair_first[parent];
    }
    return tree->child_count[parent] == 0 ||
           skr_span_all(builder->run, feasible->unit + first, tree->child_count[parent], rounds,
                        &feasible->inside[parent]);
}

/* Room for the rounds: kept for every set, or for one at a time. */
static bool make_rounds(struct builder *builder, bool kept)
{
    struct skr_run *run = builder->run;
    const struct skr_tree *tree = run->tree;
    size_t n = 0;
    size_t most = 0;
    if (kept) {
        builder->feasible->pair_first =
            skr_run_alloc(run, (size_t)tree->first_leaf, sizeof(size_t));
    }
    for (int32_t p = 0; p < tree->first_leaf && run->stop == SKR_RUN_GOES_ON; p++) {
        size_t here = 0;
        for (size_t c = (size_t)tree->child_count[p]; c > 1; c = (c + 1) / 2) {
            here += (c + 1) / 2;
        }
        most = here > most ? here : most;
        if (kept) {
            builder->feasible->pair_first[p] = n;
        }
        n += here;
    }
    struct skr_span **rounds = skr_run_alloc(run, kept ? n : most, sizeof(struct skr_span *));
    builder->rounds = rounds;
    builder->feasible->pair = kept ? rounds : NULL;
    return rounds;
}

static bool build(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                  const struct skr_feasible *base, int32_t deepest, bool kept,
                  struct skr_feasible *ret)
{
    const struct skr_tree *tree = run->tree;
    size_t n_units = (size_t)tree->n_units;
    *ret = (struct skr_feasible){.leaf = *leaf};
    ret->unit = skr_run_alloc(run, n_units, sizeof(struct skr_span *));
    ret->inside = skr_run_alloc(run, (size_t)tree->first_leaf, sizeof(struct skr_span *));
    ret->room = !leaf->room ? NULL : skr_run_alloc(run, n_units, sizeof(int64_t));
    ret->bits = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof(uint64_t));
    struct builder builder = {.run = run, .feasible = ret};
    if (!make_rounds(&builder, kept) || !ret->unit || !ret->inside || !ret->bits) {
        return false;
    }
    for (int32_t unit = tree->level_first[deepest];
         base && deepest < tree->n_levels && unit < tree->level_first[deepest + 1]; unit++) {
        ret->inside[unit] = base->inside[unit];
    }
    run->stats.units_visited += tree->level_first[deepest + 1];
    for (int32_t level = deepest; level >= 1 && tree->n_leaves > 0; level--) {
        for (int32_t unit = tree->level_first[level - 1]; unit < tree->level_first[level]; unit++) {
            if (!build_children(&builder, level, unit)) {
                return false;
            }
        }
    }
    return true;
}

bool skr_feasible_build(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                        struct skr_feasible *ret)
{
    return (run->spans || skr_spans_init(run, NULL, false)) &&
           build(run, leaf, NULL, run->tree->n_levels, false, ret);
}

bool skr_feasible_build_kept(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                             struct skr_feasible *ret)
{
    return skr_spans_init(run, NULL, false) &&
           build(run, leaf, NULL, run->tree->n_levels, true, ret);
}

/* Updates the rounds of parent's children after one has changed; *ret: whether the whole has. */
static bool change_rounds(struct skr_run *run, struct skr_feasible *feasible, int32_t parent,
                          int32_t child, bool *ret)
{
    struct skr_span **item = feasible->unit + run->tree->child_first[parent];
    struct skr_span **rounds = feasible->pair + feasible->pair_first[parent];
    int32_t n = run->tree->child_count[parent];
    int32_t at = child - run->tree->child_first[parent];
    *ret = true;
    while (n > 1 && *ret) {
        int32_t pairs = (n + 1) / 2;
        at /= 2;
        struct skr_span *right = 2 * at + 1 < n ? item[2 * (size_t)at + 1] : NULL;
        struct skr_span *span = NULL;
        if (!skr_span_join(run, item[2 * (size_t)at], right, &span)) {
            return false;
        }
        *ret = span != rounds[at];
        rounds[at] = span;
        item = rounds;
        rounds += pairs;
        n = pairs;
    }
    if (*ret) {
        feasible->inside[parent] = item[0];
    }
    return true;
}

bool skr_feasible_change(struct skr_run *run, struct skr_feasible *feasible, int32_t leaf,
                         const struct skr_leaf *now)
{
    const struct skr_tree *tree = run->tree;
    int32_t unit = tree->first_leaf + leaf;
    feasible->leaf.least[leaf] = now->least;
    feasible->leaf.most[leaf] = now->most;
    if (feasible->room) {
        int64_t by = now->room - feasible->room[unit];
        feasible->leaf.room[leaf] = now->room;
        for (int32_t u = unit; u >= 0; u = tree->parent[u]) {
            feasible->room[u] += by;
        }
    }
    /* A changed room concerns all units up to the root, even where the counts stay the same. */
    for (int32_t level = tree->n_levels; level >= 1; level--) {
        struct skr_span *span = NULL;
        bool changed = false;
        if (!build_unit(run, feasible, level, unit, &span)) {
            return false;
        }
        changed = span != feasible->unit[unit];
        feasible->unit[unit] = span;
        if (changed && !change_rounds(run, feasible, tree->parent[unit], unit, &changed)) {
            return false;
        }
        if (!changed && !feasible->room) {
            return true;
        }
        unit = tree->parent[unit];
    }
    return true;
}

bool skr_feasible_rebuild(struct skr_run *run, const struct skr_run *base_run,
                          const struct skr_feasible *base, int32_t deepest,
                          struct skr_feasible *ret)
{
    struct skr_leaf_bounds leaf = {.least = base->leaf.least, .most = base->leaf.most};
    return skr_spans_init(run, base_run, false) && build(run, &leaf, base, deepest, false, ret);
}

bool skr_leaf_bounds(struct skr_run *run, const struct skr_problem *problem,
                     struct skr_leaf_bounds *ret)
{
    size_t n_leaves = (size_t)run->tree->n_leaves;
    bool tight = problem->tie_break == SKR_TIE_TIGHT;
    int32_t *least = skr_run_alloc(run, n_leaves, sizeof *least);
    int32_t *most = skr_run_alloc(run, n_leaves, sizeof *most);
    int32_t *room = tight ? skr_run_alloc(run, n_leaves, sizeof *room) : NULL;
    if (!least || !most || (tight && !room)) {
        return false;
    }
    skr_leaves_of(problem, least, most, room);
    *ret = (struct skr_leaf_bounds){.least = least, .most = most, .room = room};
    return true;
}
