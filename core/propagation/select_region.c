/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection by region and cluster. It gives the answers of karmada-scheduler
 * (spreadconstraint/select_groups.go, select_clusters_by_region.go) at a lower cost.
 *
 * karmada-scheduler walks all paths of regions, depth first, by members ascending, score
 * descending, name ascending. It records a path as soon as the path has enough regions and members.
 * A set of regions is therefore recorded if it has min..max regions, enough members, and, beyond
 * min regions, too few members without its last region. The recorded set with the highest score
 * wins, then the one with the most members, then the one with the smallest sequence of positions.
 *
 * Score and members are sums. A table over (position, regions taken, members taken) finds the
 * optimum; taking a region whenever an optimum allows it finds the first set. The table is bounded.
 * Beyond that the caller uses another search.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/steps.h"

enum { STATES_MAX = 8 * 1000 * 1000 };

/* Score and members of the best completion; score -1: there is none. */
struct worth {
    int64_t score;
    int64_t members;
};

struct walk {
    struct skr_binding_decision *decision;
    size_t n;
    const struct skr_spread_group **region; /* in the order of the walk */
    int64_t min;
    int64_t max;
    int64_t target;      /* members that a path must have */
    struct worth *table; /* [position][taken][members, target and more in one] */
};

static int by_walk(const void *a, const void *b)
{
    const struct skr_spread_group *const *left = a;
    const struct skr_spread_group *const *right = b;
    const struct skr_spread_group *x = *left;
    const struct skr_spread_group *y = *right;
    if (x->n_members != y->n_members) {
        return x->n_members < y->n_members ? -1 : 1;
    }
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static int by_view(const void *a, const void *b)
{
    const struct skr_spread_group *const *left = a;
    const struct skr_spread_group *const *right = b;
    if ((*left)->score != (*right)->score) {
        return (*left)->score > (*right)->score ? -1 : 1;
    }
    return strcmp((*left)->path, (*right)->path);
}

static bool is_better(struct worth a, struct worth b)
{
    return a.score != b.score ? a.score > b.score : a.members > b.members;
}

static struct worth *state(const struct walk *walk, size_t position, int64_t taken, int64_t members)
{
    size_t columns = (size_t)walk->target + 1;
    size_t rows = (size_t)walk->max + 1;
    return &walk->table[(position * rows + (size_t)taken) * columns + (size_t)members];
}

static int64_t with_members(const struct walk *walk, int64_t members, size_t position)
{
    int64_t sum = members + (int64_t)walk->region[position]->n_members;
    return sum < walk->target ? sum : walk->target;
}

static bool is_recorded(const struct walk *walk, int64_t taken, int64_t members)
{
    return taken >= walk->min && taken <= walk->max && members >= walk->target;
}

/* The best path through the region at position, after taken regions with so many members. */
static struct worth worth_of_taking(const struct walk *walk, size_t position, int64_t taken,
                                    int64_t members)
{
    struct worth none = {.score = -1};
    if (taken >= walk->max) {
        return none;
    }
    int64_t sum = with_members(walk, members, position);
    struct worth rest = {.score = 0};
    if (!is_recorded(walk, taken + 1, sum)) {
        rest = *state(walk, position + 1, taken + 1, sum);
    }
    if (rest.score < 0) {
        return none;
    }
    rest.score += walk->region[position]->score;
    rest.members += (int64_t)walk->region[position]->n_members;
    return rest;
}

static void fill_table(struct walk *walk)
{
    for (size_t position = walk->n + 1; position-- > 0;) {
        for (int64_t taken = 0; taken <= walk->max; taken++) {
            for (int64_t members = 0; members <= walk->target; members++) {
                struct worth best = {.score = -1};
                if (position < walk->n) {
                    struct worth taking = worth_of_taking(walk, position, taken, members);
                    best = *state(walk, position + 1, taken, members);
                    best = is_better(taking, best) ? taking : best;
                }
                *state(walk, position, taken, members) = best;
            }
        }
    }
}

/* The first of the best paths; its length, 0 when there is none. */
static size_t follow(const struct walk *walk, const struct skr_spread_group **path)
{
    struct worth left = *state(walk, 0, 0, 0);
    int64_t taken = 0;
    int64_t members = 0;
    if (left.score < 0) {
        return 0;
    }
    for (size_t position = 0; position < walk->n; position++) {
        struct worth taking = worth_of_taking(walk, position, taken, members);
        if (taking.score != left.score || taking.members != left.members) {
            continue;
        }
        path[taken++] = walk->region[position];
        members = with_members(walk, members, position);
        if (is_recorded(walk, taken, members)) {
            break;
        }
        left.score -= walk->region[position]->score;
        left.members -= (int64_t)walk->region[position]->n_members;
    }
    return (size_t)taken;
}

/* Whether the first n of view are a path of their own: enough, and too few without the one that
 * comes last in the walk. */
static bool is_path(const struct walk *walk, const struct skr_spread_group **view, size_t n)
{
    int64_t members = 0;
    const struct skr_spread_group *last = view[0];
    for (size_t i = 0; i < n; i++) {
        members += (int64_t)view[i]->n_members;
        last = by_walk(&view[i], &last) > 0 ? view[i] : last;
    }
    return is_recorded(walk, (int64_t)n, members) &&
           !is_recorded(walk, (int64_t)n - 1, members - (int64_t)last->n_members);
}

static size_t choose_regions(struct walk *walk, const struct skr_spread_group **path)
{
    size_t n = follow(walk, path);
    if (n > 1) {
        qsort(path, n, sizeof(const struct skr_spread_group *), by_view);
    }
    for (size_t shorter = 1; shorter < n; shorter++) {
        if (is_path(walk, path, shorter)) {
            return shorter;
        }
    }
    return n;
}

static void fill_picks(struct walk *walk, const struct skr_spread_group **path, size_t n_path,
                       struct skr_selection *ret)
{
    struct skr_binding_decision *decision = walk->decision;
    const struct skr_group_range *clusters = &decision->range[SKR_SPREAD_CLUSTER];
    size_t n_rest = 0;
    int64_t room = 0;
    int64_t most = clusters->declared ? clusters->max : 0;
    int32_t *rest = skr_binding_decision_array(decision, decision->n_candidates, sizeof *rest);
    ret->pick = skr_binding_decision_array(decision, decision->n_candidates, sizeof *ret->pick);
    for (size_t i = 0; i < n_path; i++) {
        ret->pick[ret->n++] = path[i]->member[0];
        room += decision->candidate[path[i]->member[0]].available;
        memcpy(rest + n_rest, path[i]->member + 1, (path[i]->n_members - 1) * sizeof *rest);
        n_rest += path[i]->n_members - 1;
    }
    qsort(rest, n_rest, sizeof *rest, skr_compare_index);
    if ((int64_t)ret->n > most && clusters->declared && most > 0) {
        decision->warnings |= UINT32_C(1) << SKR_WARNING_CLUSTER_MAX_EXCEEDED;
    }
    bool fewest = decision->options->cluster_count == SKR_COUNT_SMALLEST;
    for (size_t i = 0; i < n_rest && (int64_t)ret->n < most; i++) {
        if (fewest && (int64_t)ret->n >= clusters->min && room >= decision->need) {
            break;
        }
        ret->pick[ret->n++] = rest[i];
        room += decision->candidate[rest[i]].available;
    }
}

static const struct skr_spread_level *level_of(const struct skr_binding_decision *decision,
                                               enum skr_spread_field field)
{
    for (size_t i = 0; i < decision->n_levels; i++) {
        if (decision->level[i].field == field) {
            return &decision->level[i];
        }
    }
    return NULL;
}

/* Regions beside providers are counted by their own names. */
static void list_regions(struct walk *walk)
{
    const struct skr_spread_level *level = level_of(walk->decision, SKR_SPREAD_REGION);
    skr_bug_on(!level); /* the rule asks for regions */
    walk->n = level->n;
    walk->region = skr_binding_decision_array(walk->decision, level->n,
                                              sizeof(const struct skr_spread_group *));
    for (size_t i = 0; i < level->n; i++) {
        walk->region[i] = &level->group[i];
    }
    qsort(walk->region, walk->n, sizeof(const struct skr_spread_group *), by_walk);
}

void skr_select_by_region(struct skr_binding_decision *decision, struct skr_selection *ret,
                          bool *gave_up)
{
    const struct skr_group_range *regions = &decision->range[SKR_SPREAD_REGION];
    const struct skr_group_range *clusters = &decision->range[SKR_SPREAD_CLUSTER];
    struct walk walk = {.decision = decision, .min = regions->min, .max = regions->max};
    list_regions(&walk);
    if ((int64_t)walk.n < walk.min) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_GROUPS,
                           "%zu regions pass the filters, minGroups is %lld", walk.n,
                           (long long)walk.min);
        return;
    }
    walk.max = walk.max < (int64_t)walk.n ? walk.max : (int64_t)walk.n;
    walk.target = clusters->declared ? clusters->min : 0;
    /* Every region has a member: with enough regions there are enough members. */
    walk.target = walk.target <= walk.min ? 0 : walk.target;
    if (walk.target > (int64_t)decision->n_candidates) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_CLUSTERS,
                           "%zu clusters pass the filters, minGroups is %lld",
                           decision->n_candidates, (long long)walk.target);
        return;
    }
    if (((int64_t)walk.n + 1) * (walk.max + 1) > STATES_MAX / (walk.target + 1)) {
        *gave_up = true;
        return;
    }
    walk.table = skr_alloc_array((walk.n + 1) * (size_t)(walk.max + 1) * (size_t)(walk.target + 1),
                                 sizeof *walk.table);
    const struct skr_spread_group **path =
        skr_binding_decision_array(decision, walk.n, sizeof(const struct skr_spread_group *));
    fill_table(&walk);
    size_t n = choose_regions(&walk, path);
    free(walk.table);
    if (n == 0) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_CLUSTERS,
                           "no %lld..%lld regions have %lld clusters", (long long)regions->min,
                           (long long)walk.max, (long long)clusters->min);
        return;
    }
    fill_picks(&walk, path, n, ret);
}
