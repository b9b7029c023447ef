/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact search over all declared levels.
 *
 * From the top level down the first combination of groups is wanted: fewest groups first, then the
 * smallest in group order, such that every group above keeps a member and clusters with enough room
 * can be found below. Groups are decided for one at a time. Whether a prefix of decisions can still
 * be completed is read off tables of the tree (spread_table.h): every node has one, merged from its
 * children's; what is decided for is merged with what may follow. So nothing is ever taken back.
 *
 * The first combination of all is tried without tables: it is usually the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/propagation/spread_table.h"
#include "core/propagation/steps.h"

enum {
    PLACES_MAX = 1 << 20,        /* of one table */
    TABLE_PLACES_MAX = 32 << 20, /* of all tables of a level */
};
/* Places squared, times groups: most rows of the tables are empty, so that this takes about a second,
 * not hours. */
#define MERGES_MAX ((skr_int128)1000 * 1000 * 1000 * 1000)

/* The groups of one level that were decided for, by index into the level. */
struct chosen {
    size_t n;
    int32_t *group;
};

struct search {
    struct skr_binding_decision *decision;
    const struct skr_spread_level *level; /* those of decision->tree */
    size_t n_levels;
    int32_t *index_of_unit; /* [unit] index of its group in its level */
    struct chosen chosen[SKR_SPREAD_LEVELS];
    struct skr_spread_space space;
    struct skr_spread_table *table[SKR_SPREAD_LEVELS]; /* [level][group]; NULL: not made */
    bool too_large;
};

static const struct skr_group_range *range_of(const struct search *search, size_t level)
{
    return &search->decision->range[search->level[level].field];
}

static int32_t parent_of(const struct search *search, size_t level, int32_t group)
{
    const struct skr_tree *tree = search->decision->tree;
    return search->index_of_unit[tree->parent[search->level[level].group[group].unit]];
}

static int64_t groups_max(const struct search *search, size_t level)
{
    int64_t n = (int64_t)search->level[level].n;
    int64_t max = range_of(search, level)->max;
    return max < n ? max : n;
}

static int64_t clusters_min(const struct search *search)
{
    const struct skr_group_range *range = &search->decision->range[SKR_SPREAD_CLUSTER];
    return range->declared ? range->min : 1;
}

static int64_t clusters_max(const struct search *search)
{
    const struct skr_group_range *range = &search->decision->range[SKR_SPREAD_CLUSTER];
    int64_t n = (int64_t)search->decision->n_candidates;
    return range->declared && range->max < n ? range->max : n;
}

/* ---- the clusters of chosen deepest groups ---- */

static int by_number(const void *a, const void *b)
{
    const int32_t *x = a;
    const int32_t *y = b;
    return (*x > *y) - (*x < *y);
}

static struct skr_pool make_pool(struct search *search, int32_t **ret_memory)
{
    const struct skr_spread_level *level = &search->level[search->n_levels - 1];
    const struct chosen *chosen = &search->chosen[search->n_levels - 1];
    size_t n = 0;
    for (size_t i = 0; i < chosen->n; i++) {
        n += level->group[chosen->group[i]].n_members;
    }
    int32_t *memory = skr_alloc_array(2 * n + search->decision->n_candidates + 1, sizeof *memory);
    int32_t *group_of = memory + 2 * n;
    n = 0;
    for (size_t i = 0; i < chosen->n; i++) {
        const struct skr_spread_group *group = &level->group[chosen->group[i]];
        for (size_t k = 0; k < group->n_members; k++) {
            memory[n++] = group->member[k];
            group_of[group->member[k]] = (int32_t)i;
        }
    }
    qsort(memory, n, sizeof *memory, by_number);
    for (size_t i = 0; i < n; i++) {
        memory[n + i] = group_of[memory[i]];
    }
    *ret_memory = memory;
    return (struct skr_pool){.n = n, .member = memory, .group = memory + n, .n_groups = chosen->n};
}

/* The number of clusters that works: the fewest, or the most where that is asked for; 0: none. */
static size_t working_size(struct search *search, const struct skr_pool *pool)
{
    struct skr_binding_decision *decision = search->decision;
    int64_t low = clusters_min(search) > (int64_t)pool->n_groups ? clusters_min(search)
                                                                 : (int64_t)pool->n_groups;
    int64_t high =
        clusters_max(search) < (int64_t)pool->n ? clusters_max(search) : (int64_t)pool->n;
    if (low > high || skr_pool_best_room(decision, pool, (size_t)high) < decision->need) {
        return 0;
    }
    /* More clusters never have less room. */
    while (low < high && decision->options->cluster_count != SKR_COUNT_MAX) {
        int64_t middle = low + (high - low) / 2;
        if (skr_pool_best_room(decision, pool, (size_t)middle) >= decision->need) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (size_t)high;
}

static bool pick_clusters(struct search *search, struct skr_selection *ret)
{
    int32_t *memory = NULL;
    struct skr_pool pool = make_pool(search, &memory);
    size_t size = working_size(search, &pool);
    if (size > 0) {
        ret->pick = skr_binding_decision_array(search->decision, size, sizeof *ret->pick);
        ret->n = size;
        skr_pool_pick(search->decision, &pool, size, search->decision->need, ret->pick);
    }
    free(memory);
    return size > 0;
}

/* ---- the first combination ---- */

/* The first groups in order of which every group above has one; false: max is too few. */
static bool choose_first(struct search *search, size_t level)
{
    struct chosen *chosen = &search->chosen[level];
    size_t n = search->level[level].n;
    size_t open = level > 0 ? search->chosen[level - 1].n : 0; /* groups above without a member */
    size_t min = (size_t)range_of(search, level)->min;
    size_t wanted = min > open ? min : open;
    bool *above = skr_alloc_array(search->level[level > 0 ? level - 1 : 0].n + 1, sizeof *above);
    for (size_t i = 0; i < open; i++) {
        above[search->chosen[level - 1].group[i]] = true;
    }
    bool *met = skr_alloc_array(search->level[level > 0 ? level - 1 : 0].n + 1, sizeof *met);
    chosen->n = 0;
    for (size_t i = 0; i < n && chosen->n < wanted; i++) {
        int32_t parent = level > 0 ? parent_of(search, level, (int32_t)i) : 0;
        bool first = level > 0 && !met[parent];
        size_t left = wanted - chosen->n - 1;
        if ((level > 0 && !above[parent]) || open - (first ? 1 : 0) > left) {
            continue;
        }
        chosen->group[chosen->n++] = (int32_t)i;
        open -= first ? 1 : 0;
        met[parent] = true;
    }
    free(above);
    free(met);
    return (int64_t)wanted <= groups_max(search, level) && chosen->n == wanted && open == 0;
}

static bool try_first(struct search *search, struct skr_selection *ret)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        if (!choose_first(search, level)) {
            return false;
        }
    }
    return pick_clusters(search, ret);
}

/* ---- tables of the tree ---- */

/* Dimensions below level: those that need not be counted are left out. floor: so many there will be
 * in any case, as every group above has a member. */
static void set_dimension(struct skr_spread_dimension *dimension, int64_t min, int64_t max,
                          int64_t all, int64_t floor)
{
    *dimension = (struct skr_spread_dimension){.cap = 0};
    if (max < all) {
        *dimension = (struct skr_spread_dimension){.cap = max, .min = min};
    } else if (min > floor) {
        *dimension = (struct skr_spread_dimension){.cap = min, .saturates = true, .min = min};
    }
}

/* The space of a search at level for exactly k groups; level -1: for any numbers. */
static bool set_space(struct search *search, int level, int64_t k)
{
    int64_t floor = level >= 0 ? k : 1;
    size_t n_groups = 0;
    memset(&search->space, 0, sizeof search->space);
    for (size_t i = 0; i < search->n_levels; i++) {
        struct skr_spread_dimension *dimension = &search->space.dimension[i];
        if ((int)i == level) {
            *dimension = (struct skr_spread_dimension){.cap = k, .min = k};
        } else if ((int)i > level) {
            set_dimension(dimension, range_of(search, i)->min, range_of(search, i)->max,
                          (int64_t)search->level[i].n, floor);
            floor = range_of(search, i)->min > floor ? range_of(search, i)->min : floor;
        }
        n_groups += search->level[i].n;
    }
    set_dimension(&search->space.dimension[SKR_SPREAD_CLUSTERS], clusters_min(search),
                  clusters_max(search), (int64_t)search->decision->n_candidates, floor);
    if (!skr_spread_space_init(&search->space, PLACES_MAX)) {
        return false;
    }
    size_t size = search->space.size;
    return size <= TABLE_PLACES_MAX / (2 * n_groups + 4) &&
           (skr_int128)size * (skr_int128)size * (skr_int128)n_groups <= MERGES_MAX;
}

static int by_room(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x < *y) - (*x > *y);
}

/* A deepest group: its roomiest members, one after another. */
static void fill_deepest(struct search *search, const struct skr_spread_group *group,
                         struct skr_spread_table *table)
{
    const struct skr_spread_dimension *clusters = &search->space.dimension[SKR_SPREAD_CLUSTERS];
    int64_t count[SKR_SPREAD_DIMENSIONS] = {0};
    int64_t room = 0;
    bool counts = clusters->cap > 0 && !clusters->saturates;
    int64_t *member = skr_alloc_array(group->n_members, sizeof *member);
    for (size_t i = 0; i < group->n_members; i++) {
        member[i] = search->decision->candidate[group->member[i]].available;
    }
    qsort(member, group->n_members, sizeof *member, by_room);
    count[search->n_levels - 1] = 1;
    for (size_t i = 0; i < group->n_members; i++) {
        room += member[i];
        count[SKR_SPREAD_CLUSTERS] = (int64_t)i + 1;
        size_t place = skr_spread_place(&search->space, count);
        if (place != SIZE_MAX && (counts || i + 1 == group->n_members)) {
            skr_spread_table_raise(&search->space, table, place, room);
        }
    }
    free(member);
}

/* Tables of all groups of the levels from first down. */
static void make_tables(struct search *search, size_t first)
{
    struct skr_spread_table some = {.n_rows = 0};
    struct skr_spread_table next = {.n_rows = 0};
    for (size_t level = search->n_levels; level-- > first;) {
        size_t n = search->level[level].n;
        search->table[level] = skr_alloc_array(n, sizeof(struct skr_spread_table));
        for (size_t i = 0; i < n; i++) {
            skr_spread_table_init(&search->space, &search->table[level][i]);
        }
        if (level + 1 == search->n_levels) {
            for (size_t i = 0; i < n; i++) {
                fill_deepest(search, &search->level[level].group[i], &search->table[level][i]);
            }
            continue;
        }
        for (size_t i = 0; i < search->level[level + 1].n; i++) {
            struct skr_spread_table *to =
                &search->table[level][parent_of(search, level + 1, (int32_t)i)];
            skr_spread_table_init(&search->space, &next);
            skr_spread_table_merge(&search->space, to, &search->table[level + 1][i], true, true,
                                   &next);
            skr_spread_table_fini(to);
            *to = next;
        }
        for (size_t i = 0; i < n; i++) {
            skr_spread_table_init(&search->space, &some);
            skr_spread_table_shift(&search->space, &search->table[level][i], level, &some);
            skr_spread_table_fini(&search->table[level][i]);
            search->table[level][i] = some;
        }
    }
}

static void drop_tables(struct search *search)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        for (size_t i = 0; search->table[level] && i < search->level[level].n; i++) {
            skr_spread_table_fini(&search->table[level][i]);
        }
        free(search->table[level]);
        search->table[level] = NULL;
    }
}

/* The most room of any selection that satisfies the constraints; -1: there is none. */
static int64_t best_of_all(struct search *search)
{
    struct skr_spread_table all = {.n_rows = 0};
    struct skr_spread_table next = {.n_rows = 0};
    if (!set_space(search, -1, 0)) {
        search->too_large = true;
        return -1;
    }
    make_tables(search, 0);
    skr_spread_table_init(&search->space, &all);
    for (size_t i = 0; i < search->level[0].n; i++) {
        skr_spread_table_init(&search->space, &next);
        skr_spread_table_merge(&search->space, &all, &search->table[0][i], true, true, &next);
        skr_spread_table_fini(&all);
        all = next;
    }
    int64_t best = skr_spread_table_best(&search->space, &all);
    skr_spread_table_fini(&all);
    drop_tables(search);
    return best;
}

/* ---- deciding for the groups of a level ---- */

/* A group above (or the root) and what is decided of its members so far. */
struct parent {
    size_t n;
    int32_t *child;                  /* in group order */
    struct skr_spread_table *suffix; /* [n + 1] any of the children from there on, at least one */
    size_t decided;                  /* children decided for */
    bool has_one;                    /* taken is filled */
    struct skr_spread_table taken;
    struct skr_spread_table now; /* what it can contribute, given all that */
};

struct choice {
    struct search *search;
    size_t level;
    size_t n_parents;
    struct parent *parent;
    int32_t *parent_of_group; /* [group] number of the parent; -1: not below a chosen one */
};

static void make_parent(struct choice *choice, struct parent *parent)
{
    const struct skr_spread_space *space = &choice->search->space;
    struct skr_spread_table *table = choice->search->table[choice->level];
    parent->suffix = skr_alloc_array(parent->n + 1, sizeof *parent->suffix);
    skr_spread_table_init(space, &parent->suffix[parent->n]);
    for (size_t i = parent->n; i-- > 0;) {
        skr_spread_table_init(space, &parent->suffix[i]);
        skr_spread_table_merge(space, &table[parent->child[i]], &parent->suffix[i + 1], true, true,
                               &parent->suffix[i]);
    }
    skr_spread_table_init(space, &parent->taken);
    skr_spread_table_init(space, &parent->now);
}

static void init_choice(struct choice *choice)
{
    struct search *search = choice->search;
    const struct skr_spread_level *level = &search->level[choice->level];
    const struct chosen *above = choice->level > 0 ? &search->chosen[choice->level - 1] : NULL;
    choice->n_parents = above ? above->n : 1;
    choice->parent = skr_alloc_array(choice->n_parents, sizeof *choice->parent);
    choice->parent_of_group = skr_alloc_array(level->n, sizeof *choice->parent_of_group);
    int32_t *number =
        skr_alloc_array(above ? search->level[choice->level - 1].n + 1 : 1, sizeof *number);
    for (size_t i = 0; above && i < above->n; i++) {
        number[above->group[i]] = (int32_t)i + 1;
    }
    for (size_t i = 0; i < choice->n_parents; i++) {
        choice->parent[i].child = skr_alloc_array(level->n, sizeof(int32_t));
    }
    for (size_t i = 0; i < level->n; i++) {
        int32_t to = above ? number[parent_of(search, choice->level, (int32_t)i)] - 1 : 0;
        choice->parent_of_group[i] = to;
        if (to >= 0) {
            struct parent *parent = &choice->parent[to];
            parent->child[parent->n++] = (int32_t)i;
        }
    }
    free(number);
    for (size_t i = 0; i < choice->n_parents; i++) {
        make_parent(choice, &choice->parent[i]);
    }
}

static void fini_choice(struct choice *choice)
{
    for (size_t i = 0; i < choice->n_parents; i++) {
        struct parent *parent = &choice->parent[i];
        for (size_t k = 0; k <= parent->n; k++) {
            skr_spread_table_fini(&parent->suffix[k]);
        }
        skr_spread_table_fini(&parent->taken);
        skr_spread_table_fini(&parent->now);
        free(parent->suffix);
        free(parent->child);
    }
    free(choice->parent);
    free(choice->parent_of_group);
}

/* What is taken and what may follow. */
static void renew(struct choice *choice, struct parent *parent)
{
    const struct skr_spread_space *space = &choice->search->space;
    struct skr_spread_table *suffix = &parent->suffix[parent->decided];
    skr_spread_table_merge(space, &parent->taken, suffix, parent->has_one, !parent->has_one,
                           &parent->now);
}

/* Whether the decisions so far can be completed. */
static bool can_be_completed(struct choice *choice)
{
    const struct skr_spread_space *space = &choice->search->space;
    struct skr_spread_table all;
    struct skr_spread_table next;
    skr_spread_table_init(space, &all);
    skr_spread_table_init(space, &next);
    skr_spread_table_merge(space, &choice->parent[0].now, &next, true, false, &all);
    for (size_t i = 1; i < choice->n_parents; i++) {
        skr_spread_table_merge(space, &all, &choice->parent[i].now, false, false, &next);
        struct skr_spread_table filled = next;
        next = all;
        all = filled;
    }
    bool can = skr_spread_table_best(space, &all) >= choice->search->decision->need &&
               skr_spread_table_best(space, &all) >= 0;
    skr_spread_table_fini(&all);
    skr_spread_table_fini(&next);
    return can;
}

/* Takes the group if the rest can be completed; else it is left out. */
static void decide(struct choice *choice, int32_t group)
{
    struct search *search = choice->search;
    struct chosen *chosen = &search->chosen[choice->level];
    struct parent *parent = &choice->parent[choice->parent_of_group[group]];
    struct skr_spread_table before = parent->taken;
    bool had_one = parent->has_one;
    skr_spread_table_init(&search->space, &parent->taken);
    skr_spread_table_merge(&search->space, &before, &search->table[choice->level][group], false,
                           !had_one, &parent->taken);
    parent->has_one = true;
    parent->decided++;
    renew(choice, parent);
    if (can_be_completed(choice)) {
        chosen->group[chosen->n++] = group;
        skr_spread_table_fini(&before);
        return;
    }
    skr_spread_table_fini(&parent->taken);
    parent->taken = before;
    parent->has_one = had_one;
    renew(choice, parent);
}

/* The first combination of exactly k groups of a level, given the level above; false: none. */
static bool choose(struct search *search, size_t level, int64_t k)
{
    struct choice choice = {.search = search, .level = level};
    struct chosen *chosen = &search->chosen[level];
    chosen->n = 0;
    if (!set_space(search, (int)level, k)) {
        search->too_large = true;
        return false;
    }
    make_tables(search, level);
    init_choice(&choice);
    for (size_t i = 0; i < choice.n_parents; i++) {
        renew(&choice, &choice.parent[i]);
    }
    bool found = can_be_completed(&choice);
    for (size_t i = 0; found && i < search->level[level].n && chosen->n < (size_t)k; i++) {
        if (choice.parent_of_group[i] >= 0) {
            decide(&choice, (int32_t)i);
        }
    }
    fini_choice(&choice);
    drop_tables(search);
    return found;
}

static bool search_levels(struct search *search, struct skr_selection *ret)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        bool found = false;
        for (int64_t k = range_of(search, level)->min;
             !found && !search->too_large && k <= groups_max(search, level); k++) {
            found = choose(search, level, k);
        }
        if (!found) {
            return false;
        }
    }
    return pick_clusters(search, ret);
}

/* ---- the search ---- */

static void describe(const struct search *search, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < SKR_SPREAD_FIELD_COUNT && at < size; i++) {
        const struct skr_group_range *range = &search->decision->range[i];
        if (range->declared && range->max == INT32_MAX) {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s %lld..", at > 0 ? ", " : "",
                                   skr_spread_field_name((enum skr_spread_field)i),
                                   (long long)range->min);
        } else if (range->declared) {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s %lld..%lld", at > 0 ? ", " : "",
                                   skr_spread_field_name((enum skr_spread_field)i),
                                   (long long)range->min, (long long)range->max);
        }
    }
}

/* Whether there are enough groups and clusters at all. */
static bool has_enough(struct search *search, struct skr_selection *ret)
{
    for (size_t i = 0; i < search->n_levels; i++) {
        size_t n = search->level[i].n;
        if ((int64_t)n < range_of(search, i)->min) {
            skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_GROUPS,
                               "%zu %ss pass the filters, minGroups is %lld", n,
                               skr_spread_field_name(search->level[i].field),
                               (long long)range_of(search, i)->min);
            return false;
        }
    }
    if ((int64_t)search->decision->n_candidates < clusters_min(search)) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_CLUSTERS,
                           "%zu clusters pass the filters, minGroups is %lld",
                           search->decision->n_candidates, (long long)clusters_min(search));
        return false;
    }
    return true;
}

static void run(struct search *search, struct skr_selection *ret)
{
    char constraints[120];
    if (!has_enough(search, ret) || try_first(search, ret)) {
        return;
    }
    int64_t best = best_of_all(search);
    if (!search->too_large && best >= search->decision->need && search_levels(search, ret)) {
        return;
    }
    describe(search, constraints, sizeof constraints);
    if (search->too_large) {
        search->decision->fell_back = true;
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s: too many combinations to search", constraints);
    } else if (best < 0) {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s: no groups and clusters satisfy all of it", constraints);
    } else {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s needs room %lld, best %lld", constraints,
                           (long long)search->decision->need, (long long)best);
    }
}

void skr_select_exactly(struct skr_binding_decision *decision, struct skr_selection *ret)
{
    struct search search = {.decision = decision};
    search.level = decision->tree_level;
    search.n_levels = decision->n_tree_levels;
    search.index_of_unit =
        skr_alloc_array((size_t)decision->tree->n_units, sizeof *search.index_of_unit);
    for (size_t i = 0; i < search.n_levels; i++) {
        const struct skr_spread_level *level = &search.level[i];
        search.chosen[i].group = skr_alloc_array(level->n, sizeof(int32_t));
        for (size_t k = 0; k < level->n; k++) {
            search.index_of_unit[level->group[k].unit] = (int32_t)k;
        }
    }
    run(&search, ret);
    for (size_t i = 0; i < search.n_levels; i++) {
        free(search.chosen[i].group);
    }
    free(search.index_of_unit);
}
