/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the group's own seats per unit, and names the units. O(leaves). */
#include "core/gang/report/explain_held.h"

enum { UNITS_SAID = 2 }; /* by name; others are counted */

static int32_t on_leaf(const struct skr_problem *p, int32_t leaf)
{
    return p->claimed ? p->claimed[leaf] : 0;
}

int32_t skr_held_in_all(const struct skr_problem *p)
{
    int32_t sum = 0;
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        sum += on_leaf(p, leaf);
    }
    return sum;
}

int32_t skr_held_below(const struct skr_problem *p, int32_t unit)
{
    int32_t level = skr_tree_level_of(p->tree, unit), sum = 0;
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        if (on_leaf(p, leaf) > 0 && skr_tree_unit_at(p->tree, leaf, level) == unit) {
            sum += on_leaf(p, leaf);
        }
    }
    return sum;
}

/* Leaves of a unit are neighbours. count NULL: none. */
static int32_t list_units(const struct skr_tree *tree, const int32_t *count, int32_t level,
                          int32_t *unit, int32_t most)
{
    int32_t n = 0, last = -1;
    for (int32_t leaf = 0; count && leaf < tree->n_leaves; leaf++) {
        int32_t here = count[leaf] > 0 ? skr_tree_unit_at(tree, leaf, level) : last;
        if (here != last && n++ < most) {
            unit[n - 1] = here;
        }
        last = here;
    }
    return n;
}

int32_t skr_held_units(const struct skr_problem *p, int32_t level, int32_t *ret_first)
{
    return list_units(p->tree, p->claimed, level, ret_first, 1);
}

void skr_held_say_units(const struct skr_tree *tree, const int32_t *count, int32_t level,
                        struct skr_strbuf *b)
{
    int32_t unit[UNITS_SAID];
    int32_t n = list_units(tree, count, level, unit, UNITS_SAID);
    if (n > UNITS_SAID) {
        skr_strbuf_addf(b, "%d %ss", n, tree->level_name[level]);
    }
    for (int32_t i = 0; n <= UNITS_SAID && i < n; i++) {
        skr_strbuf_addf(b, "%s%s", i > 0 ? " and " : "", tree->unit_name[unit[i]]);
    }
}

void skr_held_say(const struct skr_solve_request *request, int32_t level, struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    int32_t held = skr_held_in_all(p), outside = request->outside;
    if (held > 0) {
        skr_strbuf_addf(b, "%d member%s in ", held, held == 1 ? " sits" : "s sit");
        skr_held_say_units(p->tree, p->claimed, level, b);
    }
    if (outside > 0 && held > 0) {
        skr_strbuf_addf(b, ", %d outside the tree", outside);
    } else if (outside > 0) {
        skr_strbuf_addf(b, "%d member%s outside the tree", outside,
                        outside == 1 ? " sits" : "s sit");
    }
}

void skr_held_say_more(const struct skr_solve_request *request, const struct skr_solution *s,
                       struct skr_strbuf *b)
{
    const struct skr_tree *tree = request->tree;
    int32_t *more = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *more), sum = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        more[leaf] = skr_solution_more(&request->problem, s, leaf);
        sum += more[leaf] > 0 ? more[leaf] : 0;
    }
    skr_strbuf_addf(b, "%d pod%s in ", (int)sum, sum == 1 ? "" : "s");
    skr_held_say_units(tree, more, tree->n_levels > 1 ? tree->n_levels - 1 : 1, b);
    free(more);
}
