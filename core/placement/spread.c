/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects over tuples instead of clusters. All clusters of one deepest tuple share exclusion and x,
 * so only the best one by (P, name) can win. Clusters are sorted once; a selection compares the
 * tuples and takes the next cluster of one.
 */
#include "core/placement/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCORE_MAX = 63, SCORE_BITS = 6 };

uint8_t skr_spread_level_score(int32_t count, int32_t min, int32_t max)
{
    int64_t range = (int64_t)max - min;
    if (range == 0) {
        return 0;
    }
    return (uint8_t)(SCORE_MAX * ((int64_t)max - count) / range);
}

skr_int128 skr_spread_key(const struct skr_spread_problem *problem, uint64_t x, uint64_t lo,
                          uint64_t hi, int64_t total)
{
    const skr_int128 range = (skr_int128)(hi - lo);
    if (range == 0) {
        return total;
    }
    return problem->weight * (200 * (skr_int128)(x - lo) - 100 * range) + total * range;
}

struct selection {
    const struct skr_spread_problem *problem;
    struct skr_arena *arena;
    struct skr_error *error;
    uint32_t *sorted;       /* clusters by tuple, then P and name within the deepest one */
    struct skr_tree *tree;  /* NULL without levels */
    const char **value;     /* [unit] NULL: missing */
    int32_t *count, *first; /* [unit]; first: of sorted that is left, deepest tuples alone */
    int32_t *end;           /* [unit] */
    uint64_t *x;            /* [unit] */
    bool *excluded;         /* [unit] */
    int32_t deepest;        /* level of the tree */
};

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "too many clusters for one cycle");
}

/* ---- the tree ---- */

struct sort_key {
    const char *const *value; /* of one cluster */
    size_t n_levels;
    int64_t total;
    uint32_t cluster;
};

/* Levels from *ret_level on differ. NULL is last. */
static int compare_tuples(const struct sort_key *a, const struct sort_key *b, size_t *ret_level)
{
    for (*ret_level = 0; *ret_level < a->n_levels; ++*ret_level) {
        const char *s = a->value[*ret_level], *t = b->value[*ret_level];
        int order = s && t ? strcmp(s, t) : !!t - !!s;
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static int by_tuple(const void *a, const void *b)
{
    const struct sort_key *s = a, *t = b;
    size_t level;
    int order = compare_tuples(s, t, &level);
    if (order != 0) {
        return order;
    }
    if (s->total != t->total) {
        return s->total > t->total ? -1 : 1;
    }
    return s->cluster < t->cluster ? -1 : 1;
}

/* A missing value ends the tuple: deeper values count as missing too. */
static struct sort_key *sort_clusters(struct selection *s)
{
    const struct skr_spread_problem *p = s->problem;
    struct sort_key *key = skr_arena_array(s->arena, p->n, sizeof *key);
    const char **value = skr_arena_array(s->arena, p->n * p->n_levels + 1, sizeof *value);
    if (!key || !value) {
        return NULL;
    }
    for (size_t i = 0; i < p->n; i++) {
        const char **own = &value[i * p->n_levels];
        bool missing = false;
        for (size_t l = 0; l < p->n_levels; l++) {
            own[l] = missing ? NULL : p->value[i * p->n_levels + l];
            missing = !own[l];
        }
        key[i] = (struct sort_key){own, p->n_levels, p->total[i], (uint32_t)i};
    }
    qsort(key, p->n, sizeof *key, by_tuple);
    for (size_t i = 0; i < p->n; i++) {
        s->sorted[i] = key[i].cluster;
    }
    return key;
}

/* Inner units are named by their number: values may be empty, long, or equal. */
static int build_tree(struct selection *s, const struct sort_key *key,
                      struct skr_tree_builder *builder)
{
    static const char *const names[SKR_SPREAD_LEVELS_MAX + 1] = {"1", "2", "3", "4", "5",
                                                                 "6", "7", "8", "9"};
    const size_t n_levels = s->problem->n_levels;
    const char *level_name[SKR_SPREAD_LEVELS_MAX + 1];
    char name[24];
    for (size_t i = 0; i < s->problem->n; i++) {
        size_t from = 0;
        int rc = 0;
        if (i > 0 && compare_tuples(&key[i - 1], &key[i], &from) == 0) {
            from = n_levels;
        }
        for (size_t l = from; rc == 0 && l < n_levels; l++) {
            snprintf(name, sizeof name, "%zu", i);
            rc = skr_tree_builder_add(builder, (int32_t)l + 1, name, s->error);
        }
        if (rc == 0) {
            rc = skr_tree_builder_add(builder, (int32_t)n_levels + 1,
                                      s->problem->name[key[i].cluster], s->error);
        }
        if (rc < 0) {
            return rc;
        }
    }
    for (size_t l = 0; l < n_levels; l++) {
        level_name[l] = names[l];
    }
    level_name[n_levels] = "cluster";
    return skr_tree_builder_finish(builder, level_name, n_levels + 1, NULL, 0, &s->tree, NULL,
                                   s->error);
}

/* Units of a level are numbered from left to right, as the sorted clusters are. */
static void fill_units(struct selection *s, const struct sort_key *key)
{
    const struct skr_tree *tree = s->tree;
    int32_t next[SKR_SPREAD_LEVELS_MAX];
    for (size_t l = 0; l < s->problem->n_levels; l++) {
        next[l] = tree->level_first[l + 1];
    }
    for (size_t i = 0; i < s->problem->n; i++) {
        size_t from = 0;
        if (i > 0 && compare_tuples(&key[i - 1], &key[i], &from) == 0) {
            from = s->problem->n_levels;
        }
        for (size_t l = from; l < s->problem->n_levels; l++) {
            s->value[next[l]++] = key[i].value[l];
        }
    }
    for (int32_t u = tree->level_first[s->deepest]; u < tree->level_first[s->deepest + 1]; u++) {
        s->first[u] = tree->child_first[u] - tree->first_leaf;
        s->end[u] = s->first[u] + tree->child_count[u];
    }
}

static int open_selection(struct selection *s)
{
    s->sorted = skr_arena_array(s->arena, s->problem->n, sizeof *s->sorted);
    const struct sort_key *key = s->sorted ? sort_clusters(s) : NULL;
    if (!key) {
        return no_room(s->error);
    }
    s->deepest = (int32_t)s->problem->n_levels;
    size_t n_units = 1;
    if (s->deepest > 0) {
        struct skr_tree_builder *builder = skr_tree_builder_create("topology");
        int rc = build_tree(s, key, builder);
        skr_tree_builder_destroy(builder);
        if (rc < 0) {
            return rc;
        }
        n_units = (size_t)s->tree->first_leaf;
    }
    s->value = skr_arena_array(s->arena, n_units, sizeof *s->value);
    s->count = skr_arena_array(s->arena, n_units, sizeof *s->count);
    s->first = skr_arena_array(s->arena, n_units, sizeof *s->first);
    s->end = skr_arena_array(s->arena, n_units, sizeof *s->end);
    s->x = skr_arena_array(s->arena, n_units, sizeof *s->x);
    s->excluded = skr_arena_array(s->arena, n_units, sizeof *s->excluded);
    if (!s->value || !s->count || !s->first || !s->end || !s->x || !s->excluded) {
        return no_room(s->error);
    }
    if (s->tree) {
        fill_units(s, key);
    } else {
        s->end[0] = (int32_t)s->problem->n;
    }
    return 0;
}

/* ---- a step ---- */

/* The least and the largest count of a unit's children that are tuples; false: none is. */
static bool range_of_children(const struct selection *s, int32_t parent, int32_t *ret_min,
                              int32_t *ret_max)
{
    const struct skr_tree *tree = s->tree;
    bool any = false;
    for (int32_t i = 0; i < tree->child_count[parent]; i++) {
        int32_t u = tree->child_first[parent] + i, count = s->count[u];
        if (!s->value[u]) {
            continue;
        }
        *ret_min = any && *ret_min < count ? *ret_min : count;
        *ret_max = any && *ret_max > count ? *ret_max : count;
        any = true;
    }
    return any;
}

static void score_children(struct selection *s, int32_t parent, int32_t level)
{
    const struct skr_tree *tree = s->tree;
    const struct skr_spread_constraint *c = &s->problem->constraint[level];
    int32_t min = 0, max = 0;
    (void)range_of_children(s, parent, &min, &max);
    for (int32_t i = 0; i < tree->child_count[parent]; i++) {
        int32_t u = tree->child_first[parent] + i;
        bool has = s->value[u];
        uint64_t score = has ? skr_spread_level_score(s->count[u], min, max) : 0;
        s->x[u] = (s->x[parent] << SCORE_BITS) + score;
        s->excluded[u] =
            s->excluded[parent] ||
            (c->hard && (!has || (int64_t)s->count[u] + 1 - min > (int64_t)c->max_skew));
    }
}

static bool is_open(const struct selection *s, int32_t unit)
{
    return !s->excluded[unit] && s->first[unit] < s->end[unit];
}

struct best {
    int32_t unit; /* -1: none yet */
    uint32_t cluster;
    uint64_t x;
    int64_t total;
    skr_int128 key;
};

static bool beats(const struct skr_spread_problem *p, const struct best *a, const struct best *b)
{
    if (p->lexicographic) {
        if (p->weight != 0 && a->x != b->x) {
            return (a->x > b->x) == (p->weight > 0);
        }
        if (a->total != b->total) {
            return a->total > b->total;
        }
    } else if (a->key != b->key) {
        return a->key > b->key;
    }
    return a->cluster < b->cluster;
}

static int32_t select_one(struct selection *s)
{
    int32_t first = 0, end = 1;
    for (int32_t level = 0; s->tree && level < s->deepest; level++) {
        for (int32_t u = s->tree->level_first[level]; u < s->tree->level_first[level + 1]; u++) {
            score_children(s, u, level);
        }
        first = s->tree->level_first[level + 1];
        end = s->tree->level_first[level + 2];
    }
    uint64_t lo = UINT64_MAX, hi = 0;
    for (int32_t u = first; u < end; u++) {
        if (is_open(s, u)) {
            lo = s->x[u] < lo ? s->x[u] : lo;
            hi = s->x[u] > hi ? s->x[u] : hi;
        }
    }
    struct best best = {.unit = -1};
    for (int32_t u = first; u < end; u++) {
        if (is_open(s, u)) {
            const uint32_t cluster = s->sorted[s->first[u]];
            const int64_t total = s->problem->total[cluster];
            const struct best own = {u, cluster, s->x[u], total,
                                     skr_spread_key(s->problem, s->x[u], lo, hi, total)};
            best = best.unit < 0 || beats(s->problem, &own, &best) ? own : best;
        }
    }
    return best.unit;
}

static void count_selected(struct selection *s, int32_t unit)
{
    for (int32_t u = unit; s->tree && u > 0; u = s->tree->parent[u]) {
        s->count[u]++;
    }
}

/* ---- what came out ---- */

static int by_path(const void *a, const void *b)
{
    const struct skr_spread_tuple *s = a, *t = b;
    int order = strcmp(s->path, t->path);
    return order != 0 ? order : s->level - t->level;
}

static int add_tuple(struct selection *s, struct skr_spread_result *ret, int32_t unit,
                     int32_t level, const char **path)
{
    const int32_t parent = s->tree->parent[unit];
    const char *above = parent > 0 ? path[parent] : NULL;
    size_t n = strlen(s->value[unit]) + (above ? strlen(above) + 1 : 0) + 1;
    char *text = skr_arena_alloc(s->arena, n);
    if (!text) {
        return no_room(s->error);
    }
    snprintf(text, n, "%s%s%s", above ? above : "", above ? "/" : "", s->value[unit]);
    path[unit] = text;
    ret->tuple[ret->n_tuples++] = (struct skr_spread_tuple){text, level, s->count[unit]};
    return 0;
}

static int report(struct selection *s, struct skr_spread_result *ret)
{
    if (!s->tree) {
        return 0;
    }
    const size_t n_units = (size_t)s->tree->first_leaf;
    const char **path = skr_arena_array(s->arena, n_units, sizeof *path);
    ret->tuple = skr_arena_array(s->arena, n_units, sizeof *ret->tuple);
    if (!path || !ret->tuple) {
        return no_room(s->error);
    }
    for (int32_t level = 0; level < s->deepest; level++) {
        for (int32_t u = s->tree->level_first[level]; u < s->tree->level_first[level + 1]; u++) {
            int32_t min = 0, max = 0;
            (void)range_of_children(s, u, &min, &max);
            int64_t skew = (int64_t)max - min;
            ret->skew[level] = skew > ret->skew[level] ? skew : ret->skew[level];
        }
        for (int32_t u = s->tree->level_first[level + 1]; u < s->tree->level_first[level + 2];
             u++) {
            int rc = s->value[u] ? add_tuple(s, ret, u, level, path) : 0;
            if (rc < 0) {
                return rc;
            }
        }
    }
    qsort(ret->tuple, ret->n_tuples, sizeof *ret->tuple, by_path);
    return 0;
}

/* Limits the work: each selected cluster costs a look at every tuple, and users choose both
 * numbers. */
static int check_size(const struct selection *s, size_t want)
{
    const size_t n_units = s->tree ? (size_t)s->tree->first_leaf : 1;
    if (want == 0 || n_units <= SKR_SPREAD_LOOKS_MAX / want) {
        return 0;
    }
    return skr_error_set(
        s->error, SKR_LIMIT,
        "spread of %zu clusters over %zu topologies: their product is more than %d", want, n_units,
        (int)SKR_SPREAD_LOOKS_MAX);
}

int skr_spread_select(const struct skr_spread_problem *problem, struct skr_arena *arena,
                      struct skr_spread_result *ret, struct skr_error *error)
{
    struct selection s = {.problem = problem, .arena = arena, .error = error};
    *ret = (struct skr_spread_result){0};
    if (problem->n == 0) {
        return 0;
    }
    const size_t most = problem->want < problem->n ? problem->want : problem->n;
    ret->order = skr_arena_array(arena, most + 1, sizeof *ret->order);
    int rc = ret->order ? open_selection(&s) : no_room(error);
    rc = rc < 0 ? rc : check_size(&s, most);
    while (rc == 0 && ret->n < most) {
        int32_t unit = select_one(&s);
        if (unit < 0) {
            break;
        }
        ret->order[ret->n++] = s.sorted[s.first[unit]++];
        count_selected(&s, unit);
    }
    rc = rc < 0 ? rc : report(&s, ret);
    skr_tree_unref(s.tree);
    return rc;
}
