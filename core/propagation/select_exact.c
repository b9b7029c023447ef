/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact search over all declared levels.
 *
 * The search goes from the top level down and wants the first combination of groups: fewest groups,
 * then smallest in group order. Every group above must keep a member, and the groups below must
 * have clusters with enough room. Groups are decided one at a time. Tables of the tree
 * (spread_table.h) say whether the decisions so far can be completed: each node has a table, merged
 * from its children's. So the search never goes back.
 *
 * The very first combination is tried without tables, since it usually is the answer. If the tables
 * would be too large or take too much work, exact_bounded.c looks for any legal combination.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/propagation/exact_tables.h"

/* ---- the clusters of chosen deepest groups ---- */

static struct skr_pool make_pool(struct skr_exact_search *search, int32_t **ret_memory)
{
    const struct skr_spread_level *level = &search->level[search->n_levels - 1];
    const struct skr_exact_chosen *chosen = &search->chosen[search->n_levels - 1];
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
    qsort(memory, n, sizeof *memory, skr_compare_index);
    for (size_t i = 0; i < n; i++) {
        memory[n + i] = group_of[memory[i]];
    }
    *ret_memory = memory;
    return (struct skr_pool){.n = n, .member = memory, .group = memory + n, .n_groups = chosen->n};
}

/* The number of clusters that works: the fewest, or the most where that is asked for; 0: none. */
static size_t working_size(struct skr_exact_search *search, const struct skr_pool *pool)
{
    struct skr_binding_decision *decision = search->decision;
    int64_t low = skr_exact_clusters_min(search) > (int64_t)pool->n_groups
                      ? skr_exact_clusters_min(search)
                      : (int64_t)pool->n_groups;
    int64_t high = skr_exact_clusters_max(search) < (int64_t)pool->n
                       ? skr_exact_clusters_max(search)
                       : (int64_t)pool->n;
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

int64_t skr_exact_room_of_chosen(struct skr_exact_search *search)
{
    SKR_AUTO_FREE int32_t *memory = NULL;
    struct skr_pool pool = make_pool(search, &memory);
    const int64_t most = skr_exact_clusters_max(search);
    const int64_t size = most < (int64_t)pool.n ? most : (int64_t)pool.n;
    const int64_t room = size >= skr_exact_clusters_min(search)
                             ? skr_pool_best_room(search->decision, &pool, (size_t)size)
                             : -1;
    return room;
}

static bool pick_clusters(struct skr_exact_search *search, struct skr_selection *ret)
{
    SKR_AUTO_FREE int32_t *memory = NULL;
    struct skr_pool pool = make_pool(search, &memory);
    size_t size = working_size(search, &pool);
    if (size > 0) {
        ret->pick = skr_binding_decision_array(search->decision, size, sizeof *ret->pick);
        ret->n = size;
        skr_pool_pick(search->decision, &pool, size, search->decision->need, ret->pick);
    }
    return size > 0;
}

/* ---- the first combination ---- */

/* The first groups in order of which every group above has one; false: max is too few. */
static bool choose_first(struct skr_exact_search *search, size_t level)
{
    struct skr_exact_chosen *chosen = &search->chosen[level];
    size_t n = search->level[level].n;
    size_t open = level > 0 ? search->chosen[level - 1].n : 0; /* groups above without a member */
    size_t min = (size_t)skr_exact_range_of(search, level)->min;
    size_t wanted = min > open ? min : open;
    bool *above = skr_alloc_array(search->level[level > 0 ? level - 1 : 0].n + 1, sizeof *above);
    for (size_t i = 0; i < open; i++) {
        above[search->chosen[level - 1].group[i]] = true;
    }
    bool *met = skr_alloc_array(search->level[level > 0 ? level - 1 : 0].n + 1, sizeof *met);
    chosen->n = 0;
    for (size_t i = 0; i < n && chosen->n < wanted; i++) {
        int32_t parent = level > 0 ? skr_exact_parent_of(search, level, (int32_t)i) : 0;
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
    return (int64_t)wanted <= skr_exact_groups_max(search, level) && chosen->n == wanted &&
           open == 0;
}

static bool try_first(struct skr_exact_search *search, struct skr_selection *ret)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        if (!choose_first(search, level)) {
            return false;
        }
    }
    return pick_clusters(search, ret);
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
    struct skr_exact_search *search;
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
    struct skr_exact_search *search = choice->search;
    const struct skr_spread_level *level = &search->level[choice->level];
    const struct skr_exact_chosen *above =
        choice->level > 0 ? &search->chosen[choice->level - 1] : NULL;
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
        int32_t to = above ? number[skr_exact_parent_of(search, choice->level, (int32_t)i)] - 1 : 0;
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

/* What is taken and what may follow. The only parent's is never made: can_be_completed(). */
static void renew(struct choice *choice, struct parent *parent)
{
    if (choice->n_parents == 1) {
        return;
    }
    const struct skr_spread_space *space = &choice->search->space;
    struct skr_spread_table *suffix = &parent->suffix[parent->decided];
    skr_spread_table_merge(space, &parent->taken, suffix, parent->has_one, !parent->has_one,
                           &parent->now);
}

static bool only_parent_can(const struct choice *choice)
{
    const struct skr_spread_space *space = &choice->search->space;
    const struct parent *parent = &choice->parent[0];
    const struct skr_spread_table *suffix = &parent->suffix[parent->decided];
    int64_t best = skr_spread_table_best(space, parent->has_one ? &parent->taken : suffix);
    if (parent->has_one) {
        int64_t more = skr_spread_table_best_of_both(space, &parent->taken, suffix);
        best = more > best ? more : best;
    }
    return best >= 0 && best >= choice->search->decision->need;
}

/* Whether the decisions so far can be completed. */
static bool can_be_completed(struct choice *choice)
{
    const struct skr_spread_space *space = &choice->search->space;
    if (choice->n_parents == 1) {
        return only_parent_can(choice);
    }
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
    struct skr_exact_search *search = choice->search;
    struct skr_exact_chosen *chosen = &search->chosen[choice->level];
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
static bool choose(struct skr_exact_search *search, size_t level, int64_t k)
{
    struct choice choice = {.search = search, .level = level};
    struct skr_exact_chosen *chosen = &search->chosen[level];
    chosen->n = 0;
    if (!skr_exact_set_space(search, (int)level, k)) {
        search->too_large = true;
        return false;
    }
    skr_exact_make_tables(search, level);
    init_choice(&choice);
    for (size_t i = 0; i < choice.n_parents; i++) {
        renew(&choice, &choice.parent[i]);
    }
    bool found = can_be_completed(&choice);
    for (size_t i = 0; found && i < search->level[level].n && chosen->n < (size_t)k; i++) {
        if (choice.parent_of_group[i] >= 0) {
            decide(&choice, (int32_t)i);
        }
        search->too_large = skr_spread_space_is_spent(&search->space);
        found = !search->too_large;
    }
    search->too_large = skr_spread_space_is_spent(&search->space);
    fini_choice(&choice);
    skr_exact_drop_tables(search);
    return found && !search->too_large;
}

static bool search_levels(struct skr_exact_search *search, struct skr_selection *ret)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        bool found = false;
        const int64_t min = skr_exact_range_of(search, level)->min;
        for (int64_t k = level == 0 && search->fewest > min ? search->fewest : min;
             !found && !search->too_large && k <= skr_exact_groups_max(search, level); k++) {
            found = choose(search, level, k);
        }
        if (!found) {
            return false;
        }
    }
    return pick_clusters(search, ret);
}

/* ---- the search ---- */

static void describe(const struct skr_exact_search *search, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < SKR_SPREAD_FIELD_COUNT && at < size; i++) {
        const struct skr_group_range *range = &search->decision->range[i];
        if (range->declared && range->max == INT32_MAX) {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s %lld..", at > 0 ? ", " : "",
                                   skr_spread_field_name[i], (long long)range->min);
        } else if (range->declared) {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s %lld..%lld", at > 0 ? ", " : "",
                                   skr_spread_field_name[i], (long long)range->min,
                                   (long long)range->max);
        }
    }
}

/* Whether there are enough groups and clusters at all. */
static bool has_enough(struct skr_exact_search *search, struct skr_selection *ret)
{
    for (size_t i = 0; i < search->n_levels; i++) {
        size_t n = search->level[i].n;
        if ((int64_t)n < skr_exact_range_of(search, i)->min) {
            skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_GROUPS,
                               "%zu %ss pass the filters, minGroups is %lld", n,
                               skr_spread_field_name[search->level[i].field],
                               (long long)skr_exact_range_of(search, i)->min);
            return false;
        }
    }
    if ((int64_t)search->decision->n_candidates < skr_exact_clusters_min(search)) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_CLUSTERS,
                           "%zu clusters pass the filters, minGroups is %lld",
                           search->decision->n_candidates,
                           (long long)skr_exact_clusters_min(search));
        return false;
    }
    return true;
}

/* Beyond the size of the tables: a legal answer if one is met, else whether that is proof. */
static void run_bounded(struct skr_exact_search *search, const char *constraints,
                        struct skr_selection *ret)
{
    const int64_t need = search->decision->need;
    int64_t best = -1;
    int64_t bound = -1;
    search->decision->fell_back = true;
    if (skr_exact_choose_bounded(search, &best, &bound) && pick_clusters(search, ret)) {
        return;
    }
    if (bound < need) {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s needs room %lld, best at most %lld", constraints, (long long)need,
                           (long long)(bound > 0 ? bound : 0));
    } else {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s needs room %lld, best found %lld: too many combinations to prove "
                           "that there is none",
                           constraints, (long long)need, (long long)(best > 0 ? best : 0));
    }
}

static void run(struct skr_exact_search *search, struct skr_selection *ret)
{
    char constraints[120];
    if (!has_enough(search, ret)) {
        return;
    }
    search->decision->first = try_first(search, ret);
    if (search->decision->first) {
        return;
    }
    int64_t best = skr_exact_best_of_all(search);
    search->decision->first =
        !search->too_large && best >= search->decision->need && search_levels(search, ret);
    if (search->decision->first) {
        return;
    }
    describe(search, constraints, sizeof constraints);
    if (search->too_large) {
        run_bounded(search, constraints, ret);
    } else if (best < 0) {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s: no groups and clusters satisfy all of it", constraints);
    } else {
        skr_selection_fail(ret, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION,
                           "%s needs room %lld, best %lld", constraints,
                           (long long)search->decision->need, (long long)best);
    }
}

void skr_exact_search_init(struct skr_exact_search *search, struct skr_binding_decision *decision)
{
    *search = (struct skr_exact_search){.decision = decision, .work = decision->table_work};
    search->level = decision->tree_level;
    search->n_levels = decision->n_tree_levels;
    search->index_of_unit =
        skr_alloc_array((size_t)decision->tree->n_units, sizeof *search->index_of_unit);
    for (size_t i = 0; i < search->n_levels; i++) {
        const struct skr_spread_level *level = &search->level[i];
        search->chosen[i].group = skr_alloc_array(level->n, sizeof(int32_t));
        for (size_t k = 0; k < level->n; k++) {
            search->index_of_unit[level->group[k].unit] = (int32_t)k;
        }
    }
}

void skr_exact_search_fini(struct skr_exact_search *search)
{
    search->decision->table_work = search->work;
    for (size_t i = 0; i < search->n_levels; i++) {
        free(search->chosen[i].group);
    }
    free(search->index_of_unit);
}

void skr_select_exactly(struct skr_binding_decision *decision, struct skr_selection *ret)
{
    struct skr_exact_search search;
    skr_exact_search_init(&search, decision);
    run(&search, ret);
    skr_exact_search_fini(&search);
}
