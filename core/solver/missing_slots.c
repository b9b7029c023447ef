/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missing slots: the cheapest placement when a leaf may hold more than fits, at a cost of 1 for
 * each member beyond.
 *
 * cost(u, x) is the least number of added slots with which the subtree of u holds x under the rules
 * below it: for a leaf max(0, x - fit), for an inner unit the (min, +) sum over its children,
 * added one by one to a table over (used so far, total so far). The answer is cost(root, n).
 *
 * A unit that fits F members holds at most F + K when K slots are added in all, so tables are as
 * wide as that. K starts at max(1, n - sum of fits) and is doubled until the cost found is within
 * it. The way down makes the tables of used units once more and reads their counts, last child
 * first. Of equal choices it takes the one that gives the last child the least.
 *
 * Without rules no search is needed: the first leaves that can grow are filled.
 *
 * Cost: about n x (sum of fits + leaves x K). Beyond SLOTS_WORK_MAX additions the search gives up.
 */
#include "core/solver/explain.h"

#define SLOTS_WORK_MAX (INT64_C(1) << 29)

enum { NO_COST = INT32_MAX / 2 }; /* two of them can be added */

/* cost of the totals lo .. hi of a unit; hi < lo: none is possible. */
struct costs {
    int32_t lo, hi;
    int32_t *cost; /* [hi - lo + 1] */
};

struct search {
    struct skr_run *run;
    const struct skr_leaf_bounds *leaf; /* as it is */
    const int32_t *most;                /* [leaf] with slots added */
    const int64_t *fits;                /* [unit] sum of the fits below it */
    int32_t k;                          /* slots to add at most */
    int64_t work_left;
    struct costs *of; /* [unit] inner units */
};

static struct costs leaf_costs(const struct search *s, int32_t at, int32_t *buffer)
{
    int32_t fit = s->leaf->most[at];
    int32_t hi = s->most[at] - fit > s->k ? fit + s->k : s->most[at];
    struct costs costs = {.lo = s->leaf->least[at], .hi = hi, .cost = buffer};
    for (int32_t x = costs.lo; x <= hi; x++) {
        buffer[x - costs.lo] = x > fit ? x - fit : 0;
    }
    return costs;
}

/* Tables of one sibling set: table i is over the first i children. */
struct tables {
    int32_t rows;   /* used so far; 1 where they are not counted */
    int32_t width;  /* totals 0 .. width - 1 */
    int32_t *cells; /* [table][row * width + total] */
    int32_t *child; /* costs of a leaf, [width] */
};

static int32_t *table_at(const struct tables *t, int32_t i)
{
    return t->cells + (size_t)i * (size_t)t->rows * (size_t)t->width;
}

/* to = from with one more child of these costs. False: too much work. */
static bool add_child(struct search *s, const struct skr_law *law, const struct tables *t,
                      const int32_t *from, const struct costs *child, int32_t *to)
{
    size_t cells = (size_t)t->rows * (size_t)t->width;
    for (size_t c = 0; c < cells; c++) {
        to[c] = NO_COST;
    }
    s->work_left -= (int64_t)cells;
    for (int32_t x = child->lo; x <= child->hi && x < t->width; x++) {
        int32_t cost = child->cost[x - child->lo];
        if (cost > s->k || (x > 0 && !skr_law_allows(law, x))) {
            continue;
        }
        int32_t more = x > 0 && law->used > 0 ? 1 : 0;
        for (int32_t row = 0; row + more < t->rows; row++) {
            const int32_t *restrict in = from + (size_t)row * (size_t)t->width;
            int32_t *restrict out = to + ((size_t)row + (size_t)more) * (size_t)t->width + x;
            int32_t n = t->width - x;
            for (int32_t i = 0; i < n; i++) {
                int32_t sum = in[i] + cost;
                out[i] = sum < out[i] ? sum : out[i];
            }
            s->work_left -= n;
        }
        if (s->work_left < 0) {
            return false;
        }
    }
    return skr_run_poll(s->run);
}

static bool tables_init(struct search *s, int32_t unit, int32_t level, int32_t n_tables,
                        struct tables *ret)
{
    int64_t most = s->fits[unit] + s->k;
    ret->width = (int32_t)(most < s->run->n ? most : s->run->n) + 1;
    int32_t used = s->run->law[level].used;
    int32_t children = s->run->tree->child_count[unit];
    ret->rows = (used < children + 1 ? used : children + 1) + 1;
    size_t cells = (size_t)ret->rows * (size_t)ret->width;
    ret->cells = skr_run_scratch_alloc(s->run, (size_t)n_tables * cells, sizeof(int32_t));
    ret->child = skr_run_scratch_alloc(s->run, (size_t)s->run->n + 1, sizeof(int32_t));
    if (!ret->cells || !ret->child) {
        return false;
    }
    for (size_t c = 0; c < cells; c++) {
        ret->cells[c] = NO_COST;
    }
    ret->cells[0] = 0;
    return true;
}

static struct costs costs_of_child(const struct search *s, const struct tables *t, int32_t child)
{
    const struct skr_tree *tree = s->run->tree;
    return child >= tree->first_leaf ? leaf_costs(s, child - tree->first_leaf, t->child)
                                     : s->of[child];
}

/* The tables of unit's children of this level; n_tables of them are kept, used in turn. Opens the
 * scratch memory. */
static bool make_tables(struct search *s, int32_t level, int32_t unit, int32_t n_tables,
                        struct tables *t)
{
    const struct skr_tree *tree = s->run->tree;
    if (!skr_run_scratch_begin(s->run) || !tables_init(s, unit, level, n_tables, t)) {
        return false;
    }
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        struct costs child = costs_of_child(s, t, tree->child_first[unit] + c);
        if (!add_child(s, &s->run->law[level], t, table_at(t, c % n_tables), &child,
                       table_at(t, (c + 1) % n_tables))) {
            return false;
        }
    }
    return true;
}

/* Costs of an inner unit of level - 1, its children's being known. */
static bool find_costs(struct search *s, int32_t level, int32_t unit)
{
    const struct skr_tree *tree = s->run->tree;
    struct costs *ret = &s->of[unit];
    struct tables t;
    if (!make_tables(s, level, unit, 2, &t)) {
        return false;
    }
    int32_t row = skr_law_row(&s->run->law[level]);
    int32_t *last = table_at(&t, tree->child_count[unit] % 2);
    const int32_t *in = row < t.rows ? last + (size_t)row * (size_t)t.width : NULL;
    int32_t zero = last[0];
    *ret = (struct costs){.lo = t.width, .hi = -1};
    for (int32_t x = 0; x < t.width; x++) {
        int32_t cost = x == 0 ? zero : !in ? NO_COST : in[x];
        if (cost <= s->k) {
            ret->lo = x < ret->lo ? x : ret->lo;
            ret->hi = x;
        }
    }
    size_t n = ret->hi < ret->lo ? 0 : (size_t)(ret->hi - ret->lo) + 1;
    ret->cost = skr_run_alloc(s->run, n, sizeof *ret->cost);
    for (int32_t x = ret->lo; x <= ret->hi && ret->cost; x++) {
        ret->cost[x - ret->lo] = x == 0 ? zero : !in ? NO_COST : in[x];
    }
    skr_run_scratch_end(s->run);
    return ret->cost;
}

/* Counts of the children of unit, which holds total > 0. */
static bool read_children(struct search *s, int32_t level, int32_t unit, int32_t *total)
{
    const struct skr_tree *tree = s->run->tree;
    const struct skr_law *law = &s->run->law[level];
    struct tables t;
    int32_t n = tree->child_count[unit];
    if (!make_tables(s, level, unit, n + 1, &t)) {
        return false;
    }
    int32_t row = skr_law_row(law);
    int32_t left = total[unit];
    for (int32_t c = n - 1; c >= 0; c--) {
        const struct costs child = costs_of_child(s, &t, tree->child_first[unit] + c);
        int32_t want = table_at(&t, c + 1)[(size_t)row * (size_t)t.width + (size_t)left];
        for (int32_t x = child.lo; x <= child.hi && x <= left; x++) {
            int32_t more = x > 0 && law->used > 0 ? 1 : 0;
            if (more > row || (x > 0 && !skr_law_allows(law, x)) ||
                child.cost[x - child.lo] > s->k) {
                continue;
            }
            size_t at = ((size_t)row - (size_t)more) * (size_t)t.width + (size_t)(left - x);
            if (table_at(&t, c)[at] + child.cost[x - child.lo] == want) {
                total[tree->child_first[unit] + c] = x;
                left -= x;
                row -= more;
                break;
            }
        }
    }
    skr_run_scratch_end(s->run);
    return true;
}

/* Cost of the root for n with at most k slots; NO_COST when more are needed. */
static bool find_cost(struct search *s, int32_t *ret)
{
    const struct skr_tree *tree = s->run->tree;
    for (int32_t level = tree->n_levels; level >= 1; level--) {
        for (int32_t u = tree->level_first[level - 1]; u < tree->level_first[level]; u++) {
            if (!find_costs(s, level, u)) {
                return false;
            }
        }
    }
    const struct costs *root = &s->of[0];
    *ret =
        s->run->n >= root->lo && s->run->n <= root->hi ? root->cost[s->run->n - root->lo] : NO_COST;
    return true;
}

static void put_leaf(struct skr_explanation *ret, int32_t leaf, int32_t slots)
{
    if (ret->n_slot_leaves < SKR_MISSING_SLOTS_MAX) {
        ret->slot[ret->n_slot_leaves] = (struct skr_missing_slots){.leaf = leaf, .slots = slots};
    }
    ret->n_slot_leaves++;
}

static bool report(struct search *s, int32_t cost, struct skr_explanation *ret)
{
    const struct skr_tree *tree = s->run->tree;
    int32_t *total = skr_run_alloc(s->run, (size_t)tree->n_units, sizeof *total);
    if (!total) {
        return false;
    }
    total[0] = s->run->n;
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        for (int32_t u = tree->level_first[level - 1]; u < tree->level_first[level]; u++) {
            if (total[u] > 0 && !read_children(s, level, u, total)) {
                return false;
            }
        }
    }
    ret->slots = cost;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t slots = total[tree->first_leaf + leaf] - s->leaf->most[leaf];
        if (slots > 0) {
            put_leaf(ret, leaf, slots);
        }
    }
    return true;
}

static bool has_rules(const struct skr_run *run)
{
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        const struct skr_law *law = &run->law[level];
        if (law->used > 0 || !skr_law_allows_all(law, run->n)) {
            return true;
        }
    }
    return false;
}

static void fill_up(const struct skr_run *run, const struct skr_leaf_bounds *leaf,
                    const int32_t *most, struct skr_explanation *ret)
{
    int32_t lacking = (int32_t)(run->n - ret->sum_fits);
    ret->slots = lacking;
    for (int32_t i = 0; i < run->tree->n_leaves && lacking > 0; i++) {
        int32_t slots = most[i] - leaf->most[i];
        slots = slots < lacking ? slots : lacking;
        if (slots > 0) {
            put_leaf(ret, i, slots);
            lacking -= slots;
        }
    }
}

/* Most of every leaf when slots are added. */
static int32_t *grown(struct skr_run *run, const struct skr_leaf_bounds *leaf, bool to_capacity)
{
    const struct skr_problem *problem = run->problem;
    int32_t *most = skr_run_alloc(run, (size_t)run->tree->n_leaves, sizeof *most);
    for (int32_t i = 0; i < run->tree->n_leaves && most; i++) {
        most[i] = leaf->most[i];
        if (skr_leaf_eligible(problem, i)) {
            int32_t room = to_capacity ? skr_leaf_room(problem, problem->capacity, i) : run->n;
            room = room < run->n ? room : run->n;
            most[i] = room > most[i] ? room : most[i];
        }
    }
    return most;
}

/* Whether n is feasible with these leaves. */
static bool can_grow(struct skr_run *run, const struct skr_leaf_bounds *leaf, int32_t *most,
                     bool *ret)
{
    const struct skr_leaf_bounds bounds = {.least = leaf->least, .most = most};
    struct skr_feasible feasible;
    if (!most || !skr_feasible_build(run, &bounds, &feasible)) {
        return false;
    }
    *ret = skr_feasible_has(run, &feasible, run->sizes);
    return true;
}

static bool find(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                 struct skr_explanation *ret)
{
    bool possible = false;
    bool to_capacity = run->problem->capacity && ret->class != SKR_CLASS_NEVER_FITS;
    int32_t *most = grown(run, leaf, to_capacity);
    if (!can_grow(run, leaf, most, &possible)) {
        return false;
    }
    if (!possible) {
        ret->slots = -1;
        return true;
    }
    if (!has_rules(run)) {
        fill_up(run, leaf, most, ret);
        return true;
    }
    struct search s = {.run = run, .leaf = leaf, .most = most, .work_left = SLOTS_WORK_MAX};
    s.fits = skr_leaf_sums(run, leaf->most);
    s.of = skr_run_alloc(run, (size_t)run->tree->n_units, sizeof *s.of);
    if (!s.fits || !s.of) {
        return false;
    }
    int64_t lacking = run->n - ret->sum_fits;
    s.k = lacking > 1 ? (int32_t)lacking : 1;
    for (;;) {
        int32_t cost = NO_COST;
        if (!find_cost(&s, &cost)) {
            return false;
        }
        if (cost <= s.k) {
            return report(&s, cost, ret);
        }
        skr_bug_on(s.k >= run->n);
        s.k = s.k < run->n / 2 ? 2 * s.k : run->n;
    }
}

void skr_missing_slots_find(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                            struct skr_explanation *ret)
{
    struct skr_run inner;
    if (skr_run_begin_inner(run, run->problem, &inner) && find(&inner, leaf, ret)) {
        ret->parts |= SKR_EXPLAIN_SLOTS;
    }
    skr_run_end_inner(run, &inner);
}
