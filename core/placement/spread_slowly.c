/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection by its definition: tuples are compared as texts, and every step looks at every cluster.
 * It shares only the two formulas with spread.c.
 */
#include <string.h>

#include "core/placement/spread.h"

struct slow {
    const struct skr_spread_problem *problem;
    int32_t *tuple;     /* [cluster * levels + level]: the first cluster with the same; -1 none */
    int32_t *count;     /* [level * n + tuple] */
    int32_t *min, *max; /* [1 + parent tuple], of one level */
    bool *gone, *excluded;
    uint8_t *score;
    uint64_t *x;
};

static const char *value_of(const struct slow *s, size_t cluster, size_t level)
{
    return s->problem->value[cluster * s->problem->n_levels + level];
}

static int32_t *tuple_of(const struct slow *s, size_t cluster, size_t level)
{
    return &s->tuple[cluster * s->problem->n_levels + level];
}

static int32_t parent_of(const struct slow *s, size_t cluster, size_t level)
{
    return level == 0 ? -1 : *tuple_of(s, cluster, level - 1);
}

static void find_tuple(struct slow *s, size_t cluster, size_t level)
{
    int32_t *own = tuple_of(s, cluster, level);
    const char *value = value_of(s, cluster, level);
    *own = -1;
    if (!value || (level > 0 && parent_of(s, cluster, level) < 0)) {
        return;
    }
    *own = (int32_t)cluster;
    for (size_t i = 0; i < cluster; i++) {
        if (*tuple_of(s, i, level) == (int32_t)i &&
            parent_of(s, i, level) == parent_of(s, cluster, level) &&
            strcmp(value_of(s, i, level), value) == 0) {
            *own = (int32_t)i;
            return;
        }
    }
}

static bool open_slow(struct slow *s, struct skr_arena *arena)
{
    const size_t n = s->problem->n, cells = n * s->problem->n_levels + 1;
    s->tuple = skr_arena_array(arena, cells, sizeof *s->tuple);
    s->count = skr_arena_array(arena, cells, sizeof *s->count);
    s->min = skr_arena_array(arena, n + 1, sizeof *s->min);
    s->max = skr_arena_array(arena, n + 1, sizeof *s->max);
    s->gone = skr_arena_array(arena, n + 1, sizeof *s->gone);
    s->excluded = skr_arena_array(arena, n + 1, sizeof *s->excluded);
    s->score = skr_arena_array(arena, cells, sizeof *s->score);
    s->x = skr_arena_array(arena, n + 1, sizeof *s->x);
    if (!s->tuple || !s->count || !s->min || !s->max || !s->gone || !s->excluded || !s->score ||
        !s->x) {
        return false;
    }
    for (size_t level = 0; level < s->problem->n_levels; level++) {
        for (size_t i = 0; i < n; i++) {
            find_tuple(s, i, level);
        }
    }
    return true;
}

/* A tuple whose clusters are all selected still counts among its siblings. */
static void find_ranges(struct slow *s, size_t level)
{
    const size_t n = s->problem->n;
    for (size_t i = 0; i <= n; i++) {
        s->min[i] = INT32_MAX;
        s->max[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (*tuple_of(s, i, level) >= 0) {
            size_t parent = (size_t)(1 + parent_of(s, i, level));
            int32_t count = s->count[level * n + (size_t)*tuple_of(s, i, level)];
            s->min[parent] = count < s->min[parent] ? count : s->min[parent];
            s->max[parent] = count > s->max[parent] ? count : s->max[parent];
        }
    }
}

static void score_level(struct slow *s, size_t level)
{
    const struct skr_spread_problem *p = s->problem;
    find_ranges(s, level);
    for (size_t i = 0; i < p->n; i++) {
        uint8_t *score = &s->score[i * p->n_levels + level];
        const int32_t tuple = *tuple_of(s, i, level);
        *score = 0;
        if (tuple >= 0) {
            size_t parent = (size_t)(1 + parent_of(s, i, level));
            int32_t count = s->count[level * p->n + (size_t)tuple];
            *score = skr_spread_level_score(count, s->min[parent], s->max[parent]);
            s->excluded[i] |= p->constraint[level].hard &&
                              (int64_t)count + 1 - s->min[parent] > p->constraint[level].max_skew;
        } else {
            s->excluded[i] |= p->constraint[level].hard;
        }
        s->x[i] = (s->x[i] << 6) + *score;
    }
}

static bool is_better(const struct slow *s, const struct skr_spread_step *step, size_t a, size_t b)
{
    const struct skr_spread_problem *p = s->problem;
    if (!p->lexicographic) {
        return skr_spread_key(p, s->x[a], step->lo, step->hi, p->total[a]) >
               skr_spread_key(p, s->x[b], step->lo, step->hi, p->total[b]);
    }
    if (p->weight > 0 && s->x[a] != s->x[b]) {
        return s->x[a] > s->x[b];
    }
    if (p->weight < 0 && s->x[a] != s->x[b]) {
        return s->x[a] < s->x[b];
    }
    return p->total[a] > p->total[b];
}

static void choose(const struct slow *s, struct skr_spread_step *step)
{
    step->selected = -1;
    for (size_t i = 0; i < s->problem->n; i++) {
        if (!s->gone[i] && !s->excluded[i]) {
            bool first = step->selected < 0;
            step->lo = first || s->x[i] < step->lo ? s->x[i] : step->lo;
            step->hi = first || s->x[i] > step->hi ? s->x[i] : step->hi;
            step->selected = (int64_t)i;
        }
    }
    if (step->selected >= 0) {
        step->selected = -1;
        for (size_t i = 0; i < s->problem->n; i++) {
            if (!s->gone[i] && !s->excluded[i] &&
                (step->selected < 0 || is_better(s, step, i, (size_t)step->selected))) {
                step->selected = (int64_t)i;
            }
        }
    }
}

int64_t skr_spread_select_slowly(const struct skr_spread_problem *problem, struct skr_arena *arena,
                                 skr_spread_visit *visit, void *context, uint32_t *ret_order)
{
    struct slow s = {.problem = problem};
    const size_t most = problem->want < problem->n ? problem->want : problem->n;
    bool looking = visit;
    int64_t n = 0;
    if (!open_slow(&s, arena)) {
        return -SKR_LIMIT;
    }
    while ((size_t)n < most) {
        struct skr_spread_step step = {s.gone, s.excluded, s.score, s.x, 0, 0, -1};
        memset(s.excluded, 0, problem->n * sizeof *s.excluded);
        memset(s.x, 0, problem->n * sizeof *s.x);
        for (size_t level = 0; level < problem->n_levels; level++) {
            score_level(&s, level);
        }
        choose(&s, &step);
        looking = looking && visit(context, &step);
        if (step.selected < 0) {
            break;
        }
        s.gone[step.selected] = true;
        ret_order[n++] = (uint32_t)step.selected;
        for (size_t level = 0; level < problem->n_levels; level++) {
            int32_t tuple = *tuple_of(&s, (size_t)step.selected, level);
            if (tuple >= 0) {
                s.count[level * problem->n + (size_t)tuple]++;
            }
        }
    }
    return n;
}
