/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about Karmada bindings against literal implementations of their rules: replicas handed
 * out one by one, all paths of regions, all combinations of groups and clusters.
 */
#include "core/propagation/divide.h"
#include "core/propagation/exact_tables.h"
#include "core/propagation/steps.h"
#include "test/property/propagation_world.h"
#include "test/test.h"

/* ---- division ---- */

static bool gets_next(const struct skr_share *a, const struct skr_share *b, bool descending)
{
    skr_int128 left = (skr_int128)a->weight * (2 * b->given + 1);
    skr_int128 right = (skr_int128)b->weight * (2 * a->given + 1);
    if (left != right) {
        return left > right;
    }
    if (a->given != b->given) {
        return a->given < b->given;
    }
    return descending ? strcmp(a->name, b->name) > 0 : strcmp(a->name, b->name) < 0;
}

static void divide_one_by_one(struct skr_share *share, size_t n_shares, int64_t n, bool descending)
{
    for (int64_t k = 0; k < n; k++) {
        struct skr_share *best = NULL;
        for (size_t i = 0; i < n_shares; i++) {
            if (share[i].weight > 0 && (!best || gets_next(&share[i], best, descending))) {
                best = &share[i];
            }
        }
        if (best) {
            best->given++;
        }
    }
}

TEST(division_equals_handing_out_one_by_one)
{
    enum { SHARES_MAX = 12 };
    struct propagation_world world = {.seed = 7};
    char name[SHARES_MAX][8];
    for (size_t run = 0; run < test_number("N", 100000); run++) {
        struct skr_share fast[SHARES_MAX];
        struct skr_share slow[SHARES_MAX];
        size_t n = (size_t)world_random(&world, SHARES_MAX) + 1;
        int64_t scale = world_random(&world, 3) == 0 ? INT64_C(1) << world_random(&world, 62) : 6;
        bool descending = world_random(&world, 2) == 1;
        int64_t replicas = world_random(&world, 60);
        for (size_t i = 0; i < n; i++) {
            snprintf(name[i], sizeof name[i], "c%d", (int)world_random(&world, 10) * 100 + (int)i);
            fast[i] = (struct skr_share){
                .name = name[i], .weight = world_random(&world, scale) + world_random(&world, 2)};
            slow[i] = fast[i];
        }
        skr_divide(fast, n, replicas, descending);
        divide_one_by_one(slow, n, replicas, descending);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(fast[i].given, slow[i].given);
        }
    }
}

TEST(nobody_gets_more_than_its_room_while_there_is_enough)
{
    enum { SHARES = 6 };
    static const char *const name[SHARES] = {"a", "b", "c", "d", "e", "f"};
    struct propagation_world world = {.seed = 11};
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct skr_share share[SHARES];
        int64_t sum = 0;
        for (size_t i = 0; i < SHARES; i++) {
            share[i] = (struct skr_share){.name = name[i], .weight = world_random(&world, 20)};
            sum += share[i].weight;
        }
        skr_divide(share, SHARES, world_random(&world, sum + 1), false);
        for (size_t i = 0; i < SHARES; i++) {
            assert_true(share[i].given <= share[i].weight);
        }
    }
}

TEST(growth_takes_no_replica_away)
{
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct propagation_world world;
        world_make(&world, run + 1, 6, 4);
        int64_t have = 0;
        for (size_t i = 0; i < world.n; i++) {
            if (world_random(&world, 2) == 1) {
                world.target[world.binding.n_targets] =
                    (struct skr_target){.name = world.name[i],
                                        .replicas = (int32_t)world_random(&world, 5),
                                        .has_replicas = true};
                world.target_by_name[world.binding.n_targets] =
                    &world.target[world.binding.n_targets];
                have += world.target[world.binding.n_targets++].replicas;
            }
        }
        world.binding.replicas = (int32_t)(have + world_random(&world, 6));
        world.binding.has_requirements = true;
        world.binding.placement.kind =
            world_random(&world, 2) == 1 ? SKR_DIVISION_DYNAMIC : SKR_DIVISION_AGGREGATED;
        struct skr_binding_decision *decision = world_decide(&world);
        for (size_t i = 0; decision->code == SKR_PROPAGATION_PLACED && i < world.binding.n_targets;
             i++) {
            int64_t now = 0;
            for (size_t k = 0; k < decision->n_targets; k++) {
                if (strcmp(decision->target[k].name, world.target[i].name) == 0) {
                    now = decision->target[k].replicas;
                }
            }
            assert_true(now >= world.target[i].replicas);
        }
        skr_binding_decision_destroy(decision);
    }
}

/* ---- the exact search, literally ---- */

struct brute {
    const struct skr_binding_decision *decision;
    int32_t chosen[SKR_SPREAD_LEVELS][WORLD_CLUSTERS_MAX];
    size_t n_chosen[SKR_SPREAD_LEVELS];
    int32_t pick[WORLD_CLUSTERS_MAX];
    size_t n;
    bool by_score; /* the answer needed the last step */
};

static int64_t available(const struct brute *b, int32_t candidate)
{
    return b->decision->candidate[candidate].available;
}

static bool is_below(const struct skr_binding_decision *decision, size_t level, size_t group,
                     int32_t above)
{
    int32_t unit = decision->level[level].group[group].unit;
    return decision->tree->parent[unit] == decision->level[level - 1].group[above].unit;
}

/* The deepest chosen group that has the candidate; -1: none. */
static int32_t group_of(const struct brute *b, int32_t candidate)
{
    const struct skr_binding_decision *decision = b->decision;
    size_t deepest = decision->n_levels - 1;
    for (size_t i = 0; i < b->n_chosen[deepest]; i++) {
        const struct skr_spread_group *group =
            &decision->level[deepest].group[b->chosen[deepest][i]];
        for (size_t k = 0; k < group->n_members; k++) {
            if (group->member[k] == candidate) {
                return (int32_t)i;
            }
        }
    }
    return -1;
}

static bool covers(const struct brute *b, const bool *in)
{
    size_t n = 0;
    bool met[WORLD_CLUSTERS_MAX] = {false};
    for (size_t i = 0; i < b->decision->n_candidates; i++) {
        int32_t group = in[i] ? group_of(b, (int32_t)i) : -1;
        if (group >= 0 && !met[group]) {
            met[group] = true;
            n++;
        }
    }
    return n == b->n_chosen[b->decision->n_levels - 1];
}

static int64_t room_of(const struct brute *b, const bool *in)
{
    int64_t room = 0;
    for (size_t i = 0; i < b->decision->n_candidates; i++) {
        room += in[i] ? available(b, (int32_t)i) : 0;
    }
    return room;
}

static void keep(struct brute *b, const bool *in)
{
    b->n = 0;
    for (size_t i = 0; i < b->decision->n_candidates; i++) {
        if (in[i]) {
            b->pick[b->n++] = (int32_t)i;
        }
    }
}

/* Steps a and b; whether the room is there. */
static bool pick_and_exchange(struct brute *b, size_t size)
{
    bool in[WORLD_CLUSTERS_MAX] = {false};
    bool met[WORLD_CLUSTERS_MAX] = {false};
    size_t n_candidates = b->decision->n_candidates;
    size_t n = 0;
    for (size_t i = 0; i < n_candidates; i++) {
        int32_t group = group_of(b, (int32_t)i);
        if (group >= 0 && !met[group]) {
            met[group] = in[i] = true;
            n++;
        }
    }
    for (size_t i = 0; i < n_candidates && n < size; i++) {
        if (!in[i] && group_of(b, (int32_t)i) >= 0) {
            in[i] = true;
            n++;
        }
    }
    bool first[WORLD_CLUSTERS_MAX];
    memcpy(first, in, sizeof first);
    for (size_t i = n_candidates; i-- > 0 && room_of(b, in) < b->decision->need;) {
        if (!first[i] || !in[i]) {
            continue;
        }
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < n_candidates; k++) {
            if (in[k] || group_of(b, (int32_t)k) < 0) {
                continue;
            }
            bool with[WORLD_CLUSTERS_MAX];
            memcpy(with, in, sizeof with);
            with[i] = false;
            with[k] = true;
            int64_t than = available(b, (int32_t)(best == SIZE_MAX ? i : best));
            if (covers(b, with) && available(b, (int32_t)k) > than) {
                best = k;
            }
        }
        if (best != SIZE_MAX) {
            in[i] = false;
            in[best] = true;
        }
    }
    keep(b, in);
    return room_of(b, in) >= b->decision->need;
}

/* Step c, over all sets. Sets are gone through by the smallest list of positions. */
static bool pick_best_score(struct brute *b, size_t size)
{
    size_t n = b->decision->n_candidates;
    int64_t best = -1;
    int32_t at[WORLD_CLUSTERS_MAX];
    for (size_t i = 0; i < size; i++) {
        at[i] = (int32_t)i;
    }
    for (bool more = size <= n; more;) {
        bool in[WORLD_CLUSTERS_MAX] = {false};
        int64_t score = 0;
        bool inside = true;
        for (size_t i = 0; i < size; i++) {
            in[at[i]] = true;
            score += b->decision->candidate[at[i]].score;
            inside = inside && group_of(b, at[i]) >= 0;
        }
        if (inside && covers(b, in) && room_of(b, in) >= b->decision->need && score > best) {
            best = score;
            keep(b, in);
        }
        size_t i = size;
        while (i > 0 && at[i - 1] == (int32_t)(n - size + i - 1)) {
            i--;
        }
        more = i > 0;
        for (size_t k = i; more && k <= size; k++) {
            at[k - 1] = k == i ? at[k - 1] + 1 : at[k - 2] + 1;
        }
    }
    return best >= 0;
}

static bool pick_clusters(struct brute *b)
{
    const struct skr_group_range *range = &b->decision->range[SKR_SPREAD_CLUSTER];
    int64_t low = range->declared ? range->min : (int64_t)b->n_chosen[b->decision->n_levels - 1];
    int64_t high = range->declared ? range->max : (int64_t)b->decision->n_candidates;
    for (int64_t size = low; size <= high && size <= (int64_t)b->decision->n_candidates; size++) {
        int64_t members = 0;
        for (size_t i = 0; i < b->decision->n_candidates; i++) {
            members += group_of(b, (int32_t)i) >= 0 ? 1 : 0;
        }
        if (size < (int64_t)b->n_chosen[b->decision->n_levels - 1] || size > members) {
            continue;
        }
        if (pick_and_exchange(b, (size_t)size)) {
            return true;
        }
        b->by_score = pick_best_score(b, (size_t)size);
        if (b->by_score) {
            return true;
        }
    }
    return false;
}

static bool search_level(struct brute *b, size_t level);

/* Whether every group above has one of the chosen. */
static bool is_complete(const struct brute *b, size_t level)
{
    for (size_t i = 0; level > 0 && i < b->n_chosen[level - 1]; i++) {
        bool any = false;
        for (size_t k = 0; k < b->n_chosen[level]; k++) {
            any = any || is_below(b->decision, level, (size_t)b->chosen[level][k],
                                  b->chosen[level - 1][i]);
        }
        if (!any) {
            return false;
        }
    }
    return true;
}

static bool combine(struct brute *b, size_t level, size_t from, size_t k)
{
    if (b->n_chosen[level] == k) {
        return is_complete(b, level) && search_level(b, level + 1);
    }
    for (size_t i = from; i < b->decision->level[level].n; i++) {
        bool inside = level == 0;
        for (size_t p = 0; level > 0 && p < b->n_chosen[level - 1]; p++) {
            inside = inside || is_below(b->decision, level, i, b->chosen[level - 1][p]);
        }
        if (!inside) {
            continue;
        }
        b->chosen[level][b->n_chosen[level]++] = (int32_t)i;
        if (combine(b, level, i + 1, k)) {
            return true;
        }
        b->n_chosen[level]--;
    }
    return false;
}

static bool search_level(struct brute *b, size_t level)
{
    if (level == b->decision->n_levels) {
        return pick_clusters(b);
    }
    const struct skr_group_range *range = &b->decision->range[b->decision->level[level].field];
    for (int64_t k = range->min; k <= range->max && k <= (int64_t)b->decision->level[level].n;
         k++) {
        b->n_chosen[level] = 0;
        if (combine(b, level, 0, (size_t)k)) {
            return true;
        }
    }
    return false;
}

static void constrain_randomly(struct propagation_world *world)
{
    for (int field = 0; field < SKR_SPREAD_FIELD_COUNT; field++) {
        if (world_random(world, 4) == 0) {
            continue;
        }
        int64_t min = 1 + world_random(world, field == SKR_SPREAD_CLUSTER ? 4 : 3);
        int64_t max = world_random(world, 5) == 0 ? 0 : min + world_random(world, 3);
        world_constrain(world, (enum skr_spread_field)field, min, max);
    }
    world->binding.replicas = (int32_t)(1 + world_random(world, 30));
    if (world_random(world, 6) == 0) {
        world->binding.placement.kind = SKR_DIVISION_DUPLICATED;
    }
}

/* Whether it finds what there is; it never says more, and never proves what is wrong. */
static bool bounded_search_finds(struct skr_binding_decision *decision, bool there_is_one)
{
    struct skr_exact_search search;
    int64_t best = -1;
    int64_t bound = -1;
    skr_exact_search_init(&search, decision);
    const bool found = skr_exact_choose_bounded(&search, &best, &bound);
    if (found) {
        assert_true(there_is_one);
    }
    if (there_is_one) {
        assert_true(bound >= decision->need);
    }
    skr_exact_search_fini(&search);
    return found;
}

TEST(the_exact_search_equals_trying_everything)
{
    size_t placed = 0;
    size_t n_best_score = 0;
    size_t n_bounded = 0;
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct propagation_world world;
        /* Mostly 9 clusters. */
        world_make(&world, run + 1, run % 4 == 0 ? 1 + run / 4 % 9 : 9, 1 + (int64_t)(run / 9 % 6));
        world.options.topology_search = SKR_SEARCH_EXACT;
        constrain_randomly(&world);
        struct skr_binding_decision *decision = world_decide(&world);
        struct brute brute = {.decision = decision};
        if (decision->n_levels > 0) {
            bool found = search_level(&brute, 0);
            bool selected = decision->n_selected > 0;
            if (found != selected || (found && brute.n != decision->n_selected)) {
                fail_msg("run %zu: %s, all of it: %s", run,
                         selected ? "selected" : decision->message, found ? "yes" : "no");
            }
            n_bounded += bounded_search_finds(decision, found) ? 1 : 0;
            for (size_t i = 0; found && i < brute.n; i++) {
                if (brute.pick[i] != decision->selected[i]) {
                    fail_msg("run %zu: pick %zu is %d, not %d", run, i, (int)decision->selected[i],
                             (int)brute.pick[i]);
                }
            }
            placed += found ? 1 : 0;
            n_best_score += brute.by_score ? 1 : 0;
        }
        skr_binding_decision_destroy(decision);
    }
    assert_true(placed > 0);
    assert_true(n_bounded * 100 >= placed * 98);
    /* Exchanges always find the room that there is: core/propagation/pool.c says why. */
    assert_int_equal(n_best_score, 0);
}

/* ---- the search by regions, literally ---- */

struct path {
    size_t n;
    size_t region[WORLD_CLUSTERS_MAX]; /* in the order of the walk, later in that of the view */
    int64_t score, members;
    size_t id;
};

enum { PATHS_MAX = 300000 };

struct walk {
    const struct skr_binding_decision *decision;
    size_t n;
    const struct skr_spread_group *region[WORLD_CLUSTERS_MAX];
    int64_t min, max, target;
    struct path now;
    struct path *found;
    size_t n_found;
};

static int by_walk(const void *a, const void *b)
{
    const struct skr_spread_group *const *left = a;
    const struct skr_spread_group *const *right = b;
    if ((*left)->n_members != (*right)->n_members) {
        return (*left)->n_members < (*right)->n_members ? -1 : 1;
    }
    if ((*left)->score != (*right)->score) {
        return (*left)->score > (*right)->score ? -1 : 1;
    }
    return strcmp((*left)->path, (*right)->path);
}

static void walk_on(struct walk *w, int64_t sum, size_t begin)
{
    if (sum >= w->target && (int64_t)w->now.n >= w->min && (int64_t)w->now.n <= w->max) {
        assert_true(w->n_found < PATHS_MAX);
        struct path *path = &w->found[w->n_found];
        *path = w->now;
        path->id = w->n_found++;
        path->members = sum;
        path->score = 0;
        for (size_t i = 0; i < path->n; i++) {
            path->score += w->region[path->region[i]]->score;
        }
        return;
    }
    if ((int64_t)w->now.n >= w->max) {
        return;
    }
    for (size_t i = begin; i < w->n; i++) {
        w->now.region[w->now.n++] = i;
        walk_on(w, sum + (int64_t)w->region[i]->n_members, i + 1);
        w->now.n--;
    }
}

static int by_preference(const void *a, const void *b)
{
    const struct path *x = a;
    const struct path *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    if (x->members != y->members) {
        return x->members > y->members ? -1 : 1;
    }
    return x->id < y->id ? -1 : 1;
}

static void sort_view(const struct walk *w, struct path *path)
{
    for (size_t i = 1; i < path->n; i++) {
        for (size_t k = i; k > 0; k--) {
            const struct skr_spread_group *x = w->region[path->region[k - 1]];
            const struct skr_spread_group *y = w->region[path->region[k]];
            if (x->score > y->score || (x->score == y->score && strcmp(x->path, y->path) < 0)) {
                break;
            }
            size_t moved = path->region[k];
            path->region[k] = path->region[k - 1];
            path->region[k - 1] = moved;
        }
    }
}

static const struct path *choose_path(struct walk *w)
{
    qsort(w->found, w->n_found, sizeof *w->found, by_preference);
    for (size_t i = 0; i < w->n_found; i++) {
        sort_view(w, &w->found[i]);
    }
    const struct path *best = &w->found[0];
    for (size_t i = 1; i < w->n_found; i++) {
        const struct path *other = &w->found[i];
        if (other->n < best->n &&
            memcmp(other->region, best->region, other->n * sizeof other->region[0]) == 0) {
            best = other;
        }
    }
    return best;
}

TEST(the_search_by_regions_equals_all_paths)
{
    SKR_AUTO_FREE struct walk *w = calloc(1, sizeof *w);
    SKR_AUTO_FREE struct path *found = calloc(PATHS_MAX, sizeof *found);
    size_t shortened = 0;
    for (size_t run = 0; run < test_number("N", 4000); run++) {
        struct propagation_world world;
        world_make(&world, run + 1, 2 + run % 24, 1);
        for (size_t i = 0; i < world.n; i++) {
            snprintf(world.place[1][i], WORLD_NAME_BYTES, "r%d", (int)world_random(&world, 12));
        }
        world.options.topology_search = SKR_SEARCH_UPSTREAM;
        int64_t min = 1 + world_random(&world, 4);
        int64_t least = 1 + world_random(&world, 10);
        world_constrain(&world, SKR_SPREAD_REGION, min, min + world_random(&world, 5));
        world_constrain(&world, SKR_SPREAD_CLUSTER, least, least + world_random(&world, 4));
        world.binding.replicas = (int32_t)(1 + world_random(&world, 30));
        struct skr_binding_decision *decision = world_decide(&world);
        struct skr_selection selection = {.n = 0};
        bool gave_up = false;
        decision->n_selected = 0;
        skr_select_by_region(decision, &selection, &gave_up);
        assert_false(gave_up);
        *w = (struct walk){.decision = decision,
                           .n = decision->level[0].n,
                           .min = decision->range[SKR_SPREAD_REGION].min,
                           .max = decision->range[SKR_SPREAD_REGION].max,
                           .target = least,
                           .found = found};
        for (size_t i = 0; i < w->n; i++) {
            w->region[i] = &decision->level[0].group[i];
        }
        qsort(w->region, w->n, sizeof w->region[0], by_walk);
        walk_on(w, 0, 0);
        assert_int_equal(w->n_found == 0, selection.n == 0);
        if (w->n_found > 0) {
            const struct path *path = choose_path(w);
            shortened += path != &w->found[0] ? 1 : 0;
            assert_true(selection.n >= path->n);
            for (size_t i = 0; i < path->n; i++) {
                if (selection.pick[i] != w->region[path->region[i]]->member[0]) {
                    fail_msg("run %zu: region %zu is another one", run, i);
                }
            }
        }
        skr_binding_decision_destroy(decision);
    }
    assert_true(shortened > 0 || test_number("N", 4000) < 4000);
}
