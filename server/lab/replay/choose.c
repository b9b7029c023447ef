/* SPDX-License-Identifier: Apache-2.0 */
/* Room of units is summed from the leaves up, then members go from the root down. */
#include "server/lab/replay/choose.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

struct choice {
    const struct skr_problem *problem;
    bool fullest_first; /* of the children none of which holds the rest */
    bool best_fit;
    int64_t *room; /* [unit] members that it still holds */
    int32_t *count;
};

/* Levels that are packed hard, then levels without a rule but to pack softly. */
static bool knows_rules(const struct skr_problem *p)
{
    bool known = true, soft = false;
    for (int32_t i = 0; i < p->tree->n_levels; i++) {
        const struct skr_rule *r = &p->rule[i];
        const bool plain = r->partitions <= 0 && r->min <= 0 && r->max <= 0 && r->factor <= 1;
        known = known && r->type == SKR_RULE_PACK && (r->hard ? !soft : plain);
        soft = soft || !r->hard;
    }
    return known;
}

static bool is_hard(const struct skr_problem *p, int32_t level)
{
    return level >= 1 && level <= p->tree->n_levels && p->rule[level - 1].hard;
}

static void sum_room(const struct choice *c)
{
    const struct skr_tree *tree = c->problem->tree;
    for (int32_t u = tree->n_units - 1; u >= 0; u--) {
        if (u >= tree->first_leaf) {
            const int64_t here = c->problem->free[u - tree->first_leaf];
            c->room[u] = here > 0 ? here : 0;
        }
        if (u > 0) {
            int64_t *above = &c->room[tree->parent[u]];
            const bool best = is_hard(c->problem, skr_tree_level_of(tree, u));
            *above = !best ? *above + c->room[u] : c->room[u] > *above ? c->room[u] : *above;
        }
    }
}

/* The child with the least room that holds n, or else with the most: fullest false. -1: none has
 * room. Of equals the first. */
static int32_t pick(const struct choice *c, int32_t unit, int64_t n, bool fullest)
{
    const struct skr_tree *tree = c->problem->tree;
    int32_t best = -1;
    for (int32_t i = 0; i < tree->child_count[unit]; i++) {
        const int32_t child = tree->child_first[unit] + i;
        const int64_t room = c->room[child];
        if (room >= n && room > 0 &&
            (best < 0 || (fullest ? room < c->room[best] : room > c->room[best]))) {
            best = child;
        }
    }
    return best;
}

/* The next child for some of n members. */
static int32_t next_child(const struct choice *c, int32_t unit, int32_t level, int64_t n)
{
    int32_t child = -1;
    if (is_hard(c->problem, level) || c->best_fit) {
        child = pick(c, unit, n, true);
    }
    return child >= 0 ? child : pick(c, unit, 1, c->fullest_first);
}

/* At most n members into the unit; returns their number. */
static int64_t fill(const struct choice *c, int32_t unit, int32_t level, int64_t n)
{
    const struct skr_tree *tree = c->problem->tree;
    const int64_t all = n < c->room[unit] ? n : c->room[unit];
    int64_t left = all;
    int32_t child;
    if (unit >= tree->first_leaf) {
        c->count[unit - tree->first_leaf] += (int32_t)all;
        left = 0;
    }
    while (left > 0 && (child = next_child(c, unit, level + 1, left)) >= 0) {
        left -= fill(c, child, level + 1, left);
    }
    c->room[unit] -= all - left;
    return all - left;
}

/* The leaf below the unit with the most room; of equals the first. */
static int32_t emptiest(const struct choice *c, int32_t unit)
{
    const struct skr_tree *tree = c->problem->tree;
    int32_t first = unit, last = unit;
    while (first < tree->first_leaf) {
        first = tree->child_first[first];
        last = tree->child_first[last] + tree->child_count[last] - 1;
    }
    int32_t best = first;
    for (int32_t u = first; u <= last; u++) {
        best = c->room[u] > c->room[best] ? u : best;
    }
    return best;
}

/* Down through hard levels, then member by member. */
static void spread(const struct choice *c)
{
    const struct skr_tree *tree = c->problem->tree;
    int32_t unit = 0, level = 0;
    while (is_hard(c->problem, level + 1)) {
        unit = pick(c, unit, c->problem->n, false);
        level++;
    }
    for (int32_t i = 0; i < c->problem->n; i++) {
        const int32_t leaf = emptiest(c, unit);
        c->room[leaf]--;
        c->count[leaf - tree->first_leaf]++;
    }
}

/* False: the rules are others, and the count stays. */
static bool choice_begin(struct choice *c, int32_t *count)
{
    const struct skr_tree *tree = c->problem->tree;
    if (!knows_rules(c->problem)) {
        return false;
    }
    memset(count, 0, (size_t)tree->n_leaves * sizeof *count);
    c->count = count;
    c->room = skr_alloc_array((size_t)tree->n_units, sizeof *c->room);
    sum_room(c);
    return true;
}

static void best_fit(const struct skr_problem *p, int32_t *count)
{
    struct choice c = {.problem = p, .best_fit = true};
    if (choice_begin(&c, count)) {
        fill(&c, 0, 0, p->n);
    }
    free(c.room);
}

static void least_free(const struct skr_problem *p, int32_t *count)
{
    struct choice c = {.problem = p, .fullest_first = true};
    if (choice_begin(&c, count)) {
        fill(&c, 0, 0, p->n);
    }
    free(c.room);
}

static void spread_out(const struct skr_problem *p, int32_t *count)
{
    struct choice c = {.problem = p};
    if (choice_begin(&c, count)) {
        spread(&c);
    }
    free(c.room);
}

const struct skr_replay_place skr_replay_place[] = {
    {"exact", NULL},        {"bestfit", best_fit}, {"leastfree", least_free},
    {"spread", spread_out}, {NULL, NULL},
};
