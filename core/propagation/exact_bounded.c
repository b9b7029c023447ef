/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beyond the size of the exact tables: Lagrangian relaxation (M. L. Fisher, The Lagrangian
 * Relaxation Method for Solving Integer Programming Problems, Management Science 27, 1981).
 *
 * The upper bounds of all levels and of clusters are replaced by a price for each group of a level
 * and each cluster that is used. Then every group is worth what its members are worth, less its
 * price, and the best selection is read off the tree. With any prices that is a bound: no selection
 * within the bounds has more room. Prices of what is used too much rise, the others fall
 * (subgradient steps). At each step the groups worth most, as many as the constraints allow, are
 * tried for an answer, so what is found is legal. A bound below what is needed is proof that there
 * is none.
 *
 * Amounts of room are multiplied by UNIT, since prices are integers; a cluster counts as no roomier
 * than what is needed. Cost: STEPS times clusters, once sorted.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/exact_tables.h"
#include "core/solver/solve_run.h"

enum { STEPS = 300, UNIT = 64 };

/* A group of a level. */
struct worth {
    int32_t index;   /* into the level */
    int64_t value;   /* with its own price */
    int64_t members; /* clusters in it */
};

struct relaxation {
    struct skr_exact_search *search;
    int64_t price[SKR_SPREAD_DIMENSIONS];
    int64_t most[SKR_SPREAD_DIMENSIONS]; /* groups of each level, clusters */
    int64_t used[SKR_SPREAD_DIMENSIONS]; /* by the best selection at these prices */
    size_t *first;                       /* [deepest group] its members in room */
    int64_t *room;                       /* roomiest first, in units */
    int64_t *value[SKR_SPREAD_LEVELS];   /* [group] */
    int64_t *use[SKR_SPREAD_LEVELS];     /* [group * SKR_SPREAD_DIMENSIONS + d] of its selection */
    struct worth *order;
};

static size_t deepest_of(const struct relaxation *r)
{
    return r->search->n_levels - 1;
}

/* ---- life ---- */

static void sort_members(struct relaxation *r)
{
    const struct skr_exact_search *search = r->search;
    const struct skr_spread_level *level = &search->level[deepest_of(r)];
    const int64_t need = search->decision->need;
    size_t n = 0;
    r->first = skr_alloc_array(level->n + 1, sizeof *r->first);
    r->room = skr_alloc_array(search->decision->n_candidates + 1, sizeof *r->room);
    for (size_t i = 0; i < level->n; i++) {
        const struct skr_spread_group *group = &level->group[i];
        r->first[i] = n;
        for (size_t k = 0; k < group->n_members; k++) {
            int64_t room = search->decision->candidate[group->member[k]].available;
            r->room[n++] = UNIT * (room < need ? room : need);
        }
        qsort(&r->room[r->first[i]], group->n_members, sizeof *r->room, skr_greatest_first_64);
    }
    r->first[level->n] = n;
}

static void init(struct relaxation *r, struct skr_exact_search *search)
{
    size_t most = 0;
    *r = (struct relaxation){.search = search};
    sort_members(r);
    for (size_t i = 0; i < search->n_levels; i++) {
        const size_t n = search->level[i].n;
        r->value[i] = skr_alloc_array(n + 1, sizeof **r->value);
        r->use[i] = skr_alloc_array((n + 1) * SKR_SPREAD_DIMENSIONS, sizeof **r->use);
        r->most[i] = skr_exact_groups_max(search, i);
        most = n > most ? n : most;
    }
    r->most[SKR_SPREAD_CLUSTERS] = skr_exact_clusters_max(search);
    r->order = skr_alloc_array(most + 1, sizeof *r->order);
}

static void fini(struct relaxation *r)
{
    for (size_t i = 0; i < r->search->n_levels; i++) {
        free(r->value[i]);
        free(r->use[i]);
    }
    free(r->order);
    free(r->first);
    free(r->room);
}

/* ---- what is worth what ---- */

static void add_use(int64_t *to, const int64_t *from)
{
    for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
        to[d] += from[d];
    }
}

/* One cluster in any case, and all that are worth their price. */
static void value_deepest(struct relaxation *r)
{
    const size_t deepest = deepest_of(r);
    for (size_t i = 0; i < r->search->level[deepest].n; i++) {
        int64_t *use = &r->use[deepest][i * SKR_SPREAD_DIMENSIONS];
        int64_t value = -r->price[deepest];
        memset(use, 0, SKR_SPREAD_DIMENSIONS * sizeof *use);
        use[deepest] = 1;
        for (size_t k = r->first[i]; k < r->first[i + 1]; k++) {
            const int64_t gain = r->room[k] - r->price[SKR_SPREAD_CLUSTERS];
            if (k > r->first[i] && gain <= 0) {
                break;
            }
            value += gain;
            use[SKR_SPREAD_CLUSTERS]++;
        }
        r->value[deepest][i] = value;
    }
}

/* Children that are worth something, or else the best one. to: sum and use of each parent; level 0:
 * of everything. */
static void collect(struct relaxation *r, size_t level, int64_t *to, int64_t *use, size_t n_parents)
{
    const struct skr_exact_search *search = r->search;
    SKR_AUTO_FREE int32_t *best = skr_alloc_array(n_parents, sizeof *best); /* child + 1 */
    SKR_AUTO_FREE bool *has = skr_alloc_array(n_parents, sizeof *has);
    for (size_t i = 0; i < search->level[level].n; i++) {
        const int32_t parent = level > 0 ? skr_exact_parent_of(search, level, (int32_t)i) : 0;
        if (best[parent] == 0 || r->value[level][i] > r->value[level][best[parent] - 1]) {
            best[parent] = (int32_t)i + 1;
        }
        if (r->value[level][i] > 0) {
            has[parent] = true;
            to[parent] += r->value[level][i];
            add_use(&use[(size_t)parent * SKR_SPREAD_DIMENSIONS],
                    &r->use[level][i * SKR_SPREAD_DIMENSIONS]);
        }
    }
    for (size_t i = 0; i < n_parents; i++) {
        if (!has[i] && best[i] > 0) {
            const size_t child = (size_t)best[i] - 1;
            to[i] += r->value[level][child];
            add_use(&use[i * SKR_SPREAD_DIMENSIONS], &r->use[level][child * SKR_SPREAD_DIMENSIONS]);
        }
    }
}

/* The bound at these prices, in units; fills used. */
static int64_t value_all(struct relaxation *r)
{
    const struct skr_exact_search *search = r->search;
    int64_t bound = 0;
    value_deepest(r);
    for (size_t level = deepest_of(r); level > 0; level--) {
        const size_t n = search->level[level - 1].n;
        memset(r->use[level - 1], 0, n * SKR_SPREAD_DIMENSIONS * sizeof **r->use);
        for (size_t i = 0; i < n; i++) {
            r->value[level - 1][i] = -r->price[level - 1];
            r->use[level - 1][i * SKR_SPREAD_DIMENSIONS + level - 1] = 1;
        }
        collect(r, level, r->value[level - 1], r->use[level - 1], n);
    }
    memset(r->used, 0, sizeof r->used);
    collect(r, 0, &bound, r->used, 1);
    for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
        bound += r->price[d] * r->most[d];
    }
    return bound;
}

/* A step towards a lower bound: as long as the bound's distance from what is needed allows. */
static void change_prices(struct relaxation *r, int64_t excess)
{
    int64_t length = 0;
    for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
        length += (r->used[d] - r->most[d]) * (r->used[d] - r->most[d]);
    }
    for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS && length > 0; d++) {
        const int64_t over = r->used[d] - r->most[d];
        const int64_t change = (int64_t)((skr_int128)excess * over / length);
        const int64_t price = r->price[d] + (change == 0 ? (over > 0) - (over < 0) : change);
        r->price[d] = price > 0 ? price : 0;
    }
}

/* ---- an answer ---- */

static int by_value(const void *a, const void *b)
{
    const struct worth *x = a;
    const struct worth *y = b;
    if (x->value != y->value) {
        return x->value < y->value ? 1 : -1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

static int by_members(const void *a, const void *b)
{
    const struct worth *x = a;
    const struct worth *y = b;
    if (x->members != y->members) {
        return x->members < y->members ? 1 : -1;
    }
    return by_value(a, b);
}

/* How many groups of a level there may be at most: each has one of every level below. */
static int64_t allowed(const struct relaxation *r, size_t level)
{
    int64_t most = r->most[SKR_SPREAD_CLUSTERS];
    for (size_t i = level; i < r->search->n_levels; i++) {
        most = r->most[i] < most ? r->most[i] : most;
    }
    return most;
}

enum manner { WORTHWHILE, AS_MANY_AS_ALLOWED, LARGEST_FIRST, MANNERS };

/* The best child of each group above first, then the others. */
static bool choose_level(struct relaxation *r, size_t level, enum manner manner)
{
    struct skr_exact_search *search = r->search;
    struct skr_exact_chosen *chosen = &search->chosen[level];
    const size_t above = level > 0 ? search->level[level - 1].n : 1;
    const int64_t least = skr_exact_range_of(search, level)->min, most = allowed(r, level);
    size_t n = 0;
    bool *open = skr_alloc_array(above, sizeof *open);
    bool *below = skr_alloc_array(above, sizeof *below);
    for (size_t i = 0; level > 0 && i < search->chosen[level - 1].n; i++) {
        below[search->chosen[level - 1].group[i]] = open[search->chosen[level - 1].group[i]] = true;
    }
    for (size_t i = 0; i < search->level[level].n; i++) {
        if (level == 0 || below[skr_exact_parent_of(search, level, (int32_t)i)]) {
            r->order[n++] =
                (struct worth){.index = (int32_t)i,
                               .value = r->value[level][i],
                               .members = (int64_t)search->level[level].group[i].n_members};
        }
    }
    qsort(r->order, n, sizeof *r->order, manner == LARGEST_FIRST ? by_members : by_value);
    chosen->n = 0;
    for (int round = level > 0 ? 0 : 1; round < 2; round++) {
        for (size_t i = 0; i < n && (int64_t)chosen->n < most; i++) {
            struct worth *worth = &r->order[i];
            const int32_t parent = level > 0 ? skr_exact_parent_of(search, level, worth->index) : 0;
            const bool wanted =
                round == 0 ? open[parent]
                           : worth->members > 0 && ((int64_t)chosen->n < least ||
                                                    manner != WORTHWHILE || worth->value > 0);
            if (wanted) {
                open[parent] = false;
                worth->members = 0;
                chosen->group[chosen->n++] = worth->index;
            }
        }
    }
    free(below);
    free(open);
    qsort(chosen->group, chosen->n, sizeof *chosen->group, skr_compare_index);
    return (int64_t)chosen->n >= least && (level == 0 || chosen->n >= search->chosen[level - 1].n);
}

/* The most room of clusters in the groups that are worth most; -1: that satisfies not all. */
static int64_t try_groups(struct relaxation *r, enum manner manner)
{
    for (size_t level = 0; level < r->search->n_levels; level++) {
        if (!choose_level(r, level, manner)) {
            return -1;
        }
    }
    return skr_exact_room_of_chosen(r->search);
}

bool skr_exact_choose_bounded(struct skr_exact_search *search, int64_t *ret_best,
                              int64_t *ret_bound)
{
    const int64_t need = search->decision->need;
    struct relaxation r;
    init(&r, search);
    *ret_best = -1;
    *ret_bound = INT64_MAX;
    for (int step = 0; step < STEPS && *ret_best < need && *ret_bound >= need; step++) {
        const int64_t bound = value_all(&r);
        *ret_bound = bound / UNIT < *ret_bound ? bound / UNIT : *ret_bound;
        for (int manner = 0; manner < MANNERS && *ret_best < need; manner++) {
            const int64_t room = try_groups(&r, (enum manner)manner);
            *ret_best = room > *ret_best ? room : *ret_best;
        }
        change_prices(&r, bound - UNIT * need);
    }
    fini(&r);
    return *ret_best >= need && *ret_best >= 0;
}
