/* SPDX-License-Identifier: Apache-2.0 */
/* Moves are those of an enumeration of all sets and of all places, straight from the definition. */
#include "core/time/moves.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { RUNNERS = 4, LEAVES = 6, NOW = 1000, SPAN = 12, GROUPS = RUNNERS + 1, VECTORS_MAX = 1024 };

static const int64_t one = 1;
static const uint16_t resource = 3;

struct member_group {
    struct skr_problem problem;
    struct skr_rule rule[INSTANCE_LEVELS_MAX];
    int64_t holds;         /* from now on */
    int32_t count[LEAVES]; /* where it runs; none of the waiting group */
    bool runs;
};

struct held {
    int32_t leaf, count;
    int64_t from, until;
};

struct world {
    struct instance in;
    struct random random;
    int64_t capacity[LEAVES], free[LEAVES];
    struct member_group group[GROUPS]; /* [0] waits; the others run, by name */
    size_t order[GROUPS];
    struct held held[3];
    size_t n_held;
    struct skr_timeline *timeline;
    uint64_t index;
    int32_t members; /* that groups say they have; 0: what they have */
};

/* ---- the definition ---- */

/* Room of the leaf at t beside what is reserved and the groups that are not taken away. */
static int64_t room_at(const struct world *w, uint32_t away, int32_t leaf, int64_t t)
{
    int64_t room = w->capacity[leaf];
    for (size_t i = 1; i < GROUPS; i++) {
        const struct member_group *g = &w->group[i];
        const bool runs = g->holds == SKR_INSTANT_NEVER || t < NOW + g->holds;
        room -= runs && !(away >> i & 1) ? g->count[leaf] : 0;
    }
    for (size_t i = 0; i < w->n_held; i++) {
        const struct held *h = &w->held[i];
        room -= h->leaf == leaf && h->from <= t && t < h->until ? h->count : 0;
    }
    return room;
}

struct vectors {
    int32_t count[VECTORS_MAX][LEAVES];
    size_t n;
};

/* Whether the groups of the chain stand together at all times. */
static bool have_room(const struct world *w, uint32_t away, const size_t *chain, size_t n,
                      int32_t at[GROUPS][LEAVES])
{
    for (int64_t t = NOW; t <= NOW + 3 * SPAN; t++) {
        for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
            int64_t room = room_at(w, away, leaf, t), placed = 0;
            for (size_t i = 0; i < n; i++) {
                const int64_t holds = w->group[chain[i]].holds;
                const bool there = holds == SKR_INSTANT_NEVER || t < NOW + holds;
                placed += there ? at[i][leaf] : 0;
            }
            if (placed > 0 && placed > room) {
                return false;
            }
        }
    }
    return true;
}

/* All valid count vectors of a group, rules alone, the best first. */
static void list_vectors(const struct world *w, const struct member_group *g, int32_t leaf,
                         int32_t left, int32_t *count, struct vectors *ret)
{
    const int32_t leaves = w->in.tree.n_leaves;
    if (leaf == leaves - 1) {
        struct skr_problem empty = g->problem;
        int64_t room[LEAVES];
        for (int32_t i = 0; i < leaves; i++) {
            room[i] = empty.n;
        }
        empty.free = room;
        count[leaf] = left;
        if (skr_solution_check(&empty, count, NULL) == 0) {
            assert_true(ret->n < VECTORS_MAX);
            memcpy(ret->count[ret->n++], count, sizeof ret->count[0]);
        }
        return;
    }
    for (count[leaf] = left; count[leaf] >= 0; count[leaf]--) {
        list_vectors(w, g, leaf + 1, left - count[leaf], count, ret);
    }
}

static bool is_better(const struct world *w, const struct member_group *g, const int32_t *a,
                      const int32_t *b)
{
    const struct skr_tree *tree = &w->in.tree;
    struct skr_arena *arena = skr_arena_create(1 << 20, 0);
    const int order = skr_placement_compare(tree, g->rule, skr_placement_key(tree, a, arena),
                                            skr_placement_key(tree, b, arena));
    int64_t more[INSTANCE_UNITS_MAX] = {0};
    bool better = order < 0;
    skr_arena_destroy(arena);
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        more[u] += u >= tree->first_leaf ? a[u - tree->first_leaf] - b[u - tree->first_leaf] : 0;
        more[tree->parent[u]] += more[u];
    }
    for (int32_t u = 1; u < tree->n_units && order == 0; u++) {
        if (more[u] != 0) {
            return more[u] > 0;
        }
    }
    return better;
}

static void sort_vectors(const struct world *w, const struct member_group *g, struct vectors *v)
{
    for (size_t i = 1; i < v->n; i++) {
        for (size_t k = i; k > 0 && is_better(w, g, v->count[k], v->count[k - 1]); k--) {
            int32_t other[LEAVES];
            memcpy(other, v->count[k], sizeof other);
            memcpy(v->count[k], v->count[k - 1], sizeof other);
            memcpy(v->count[k - 1], other, sizeof other);
        }
    }
}

/* The best places of the chain's groups from i on. */
static bool place_rest(const struct world *w, uint32_t away, const size_t *chain, size_t n,
                       size_t i, const struct vectors *all, int32_t at[GROUPS][LEAVES])
{
    const struct vectors *v = &all[chain[i < n ? i : 0]];
    if (i == n) {
        return true;
    }
    for (size_t k = 0; k < v->n; k++) {
        memcpy(at[i], v->count[k], sizeof at[i]);
        if (have_room(w, away, chain, i + 1, at) && place_rest(w, away, chain, n, i + 1, all, at)) {
            return true;
        }
    }
    return false;
}

/* ---- sets ---- */

struct answer {
    uint32_t away;              /* bits of groups; 0: none helps */
    int32_t at[GROUPS][LEAVES]; /* by group */
};

static int32_t members_of(const struct world *w, uint32_t away)
{
    int32_t sum = 0;
    for (size_t i = 1; i < GROUPS; i++) {
        sum += away >> i & 1 ? w->group[i].problem.n : 0;
    }
    return sum;
}

/* By groups, members, names. */
static bool goes_first(const struct world *w, uint32_t a, uint32_t b)
{
    const int sizes[] = {__builtin_popcount(a), __builtin_popcount(b)};
    const int32_t members[] = {members_of(w, a), members_of(w, b)};
    if (sizes[0] != sizes[1]) {
        return sizes[0] < sizes[1];
    }
    /* Names: of the lists of equal length, the first place at which they differ. */
    return members[0] != members[1] ? members[0] < members[1] : ((a ^ b) & (~(a ^ b) + 1) & a) != 0;
}

static void enumerate(const struct world *w, int32_t most, const struct vectors *all,
                      struct answer *ret)
{
    ret->away = 0;
    for (uint32_t away = 2; away < 1U << GROUPS; away += 2) {
        size_t chain[GROUPS] = {0}, n = 1;
        int32_t at[GROUPS][LEAVES] = {{0}};
        bool run = true;
        for (size_t k = 1; k < GROUPS; k++) {
            run = run && (w->group[k].runs || !(away >> k & 1));
        }
        if (!run || __builtin_popcount(away) > most ||
            (ret->away && !goes_first(w, away, ret->away))) {
            continue;
        }
        for (size_t i = 0; i < GROUPS; i++) { /* in their order */
            for (size_t k = 1; k < GROUPS; k++) {
                if (w->order[k] == i && away >> k & 1) {
                    chain[n++] = k;
                }
            }
        }
        if (place_rest(w, away, chain, n, 0, all, at)) {
            ret->away = away;
            for (size_t i = 0; i < n; i++) {
                memcpy(ret->at[chain[i]], at[i], sizeof at[i]);
            }
        }
    }
}

/* ---- worlds ---- */

static void make_group(struct world *w, size_t number)
{
    struct member_group *g = &w->group[number];
    struct instance other;
    const struct instance_shape limits = {.leaves = LEAVES, .slots = 3, .n = 4};
    instance_make(&other, trial.seed + 31, w->index * 100 + number, &limits);
    for (int32_t i = 0; i < w->in.tree.n_levels; i++) {
        const bool ruled = random_percent(&w->random, 60) && i < other.tree.n_levels;
        g->rule[i] = ruled ? other.rule[i] : (struct skr_rule){0};
    }
    g->holds =
        random_percent(&w->random, 60) ? SKR_INSTANT_NEVER : 1 + random_below(&w->random, SPAN);
    g->problem = (struct skr_problem){.tree = &w->in.tree,
                                      .n = 1 + random_below(&w->random, number == 0 ? 5 : 4),
                                      .rule = g->rule,
                                      .n_resources = 1,
                                      .demand = &one,
                                      .free = w->free,
                                      .step_budget = -1};
}

/* Puts it where its rules and the room allow; nowhere: it has no members then. */
static void run_group(struct world *w, size_t number)
{
    struct member_group *g = &w->group[number];
    struct skr_solution *solution;
    struct skr_error error;
    int64_t room[LEAVES];
    struct skr_problem p = g->problem;
    for (int32_t i = 0; i < w->in.tree.n_leaves; i++) {
        room[i] = random_percent(&w->random, 70) ? w->free[i] : 0; /* not always the best place */
    }
    p.free = room;
    assert_int_equal(skr_solve(&p, &solution, &error), 0);
    for (int32_t i = 0; i < w->in.tree.n_leaves && solution->status == SKR_SOLVE_PLACED; i++) {
        struct skr_amount item = {.resource = resource, .amount = solution->count[i]};
        g->count[i] = solution->count[i];
        w->free[i] -= g->count[i];
        if (g->count[i] > 0 && g->holds != SKR_INSTANT_NEVER) {
            assert_true(skr_timeline_add_end(w->timeline, i, NOW + g->holds,
                                             &(struct skr_amounts){1, &item}, (uint32_t)number,
                                             false));
        }
    }
    g->runs = solution->status == SKR_SOLVE_PLACED;
    skr_solution_destroy(solution);
}

/* Reservations stand on room that is there. */
static void reserve(struct world *w)
{
    for (size_t i = 0; i < 3; i++) {
        struct held h = {.leaf = random_below(&w->random, w->in.tree.n_leaves),
                         .count = 1 + random_below(&w->random, 2),
                         .from = NOW + 1 + random_below(&w->random, SPAN)};
        bool room = random_percent(&w->random, 50);
        h.until = h.from + 1 + random_below(&w->random, SPAN);
        for (int64_t t = h.from; t < h.until; t++) {
            room = room && room_at(w, 0, h.leaf, t) >= h.count;
        }
        if (room) {
            w->held[w->n_held++] = h;
            assert_true(skr_timeline_hold(w->timeline, h.leaf, h.from, h.until, resource, h.count,
                                          GROUPS + (uint32_t)i));
        }
    }
}

static void make_world(struct world *w, uint64_t index)
{
    const struct instance_shape size = {.leaves = LEAVES, .slots = 3, .n = 4};
    *w = (struct world){.random = {.state = index * 6151 + 3}, .index = index};
    instance_make(&w->in, trial.seed + 30, index, &size);
    w->timeline = skr_timeline_create(w->in.tree.n_leaves, NOW);
    for (int32_t i = 0; i < w->in.tree.n_leaves; i++) {
        w->capacity[i] = w->free[i] = 1 + random_below(&w->random, 3);
    }
    for (size_t i = 0; i < GROUPS; i++) {
        make_group(w, i);
        w->order[i] = (i * 3 + index) % GROUPS;
    }
    for (size_t i = 1; i < GROUPS; i++) {
        run_group(w, i);
    }
    reserve(w);
}

/* ---- the trial ---- */

static size_t find(struct world *w, int32_t most, struct skr_solver_cache *cache,
                   struct skr_moves *ret, struct skr_move_candidate *candidate)
{
    struct skr_error error;
    static struct skr_start_question question;
    size_t n = 0;
    question = (struct skr_start_question){.problem = &w->group[0].problem,
                                           .resource = &resource,
                                           .holds = w->group[0].holds,
                                           .cut = SKR_INSTANT_NEVER};
    for (size_t i = 1; i < GROUPS; i++) {
        struct member_group *g = &w->group[i];
        struct skr_solution at = {.count = g->count};
        if (!g->runs) {
            continue;
        }
        candidate[n] =
            (struct skr_move_candidate){.question = {.problem = &g->problem,
                                                     .resource = &resource,
                                                     .holds = g->holds,
                                                     .cut = SKR_INSTANT_NEVER},
                                        .owner = (uint32_t)i,
                                        .members = w->members > 0 ? w->members : g->problem.n,
                                        .order = w->order[i]};
        skr_place_make(&g->problem, &resource, &at, NULL, &candidate[n].place);
        n++;
    }
    *ret = (struct skr_moves){.timeline = w->timeline,
                              .cache = cache,
                              .question = &question,
                              .candidate = candidate,
                              .n = n,
                              .most = most,
                              .steps = -1};
    assert_int_equal(skr_moves_find(ret, &error), 0);
    return n;
}

static bool is_at(const struct world *w, const struct skr_place *place, const int32_t *count)
{
    int32_t got[LEAVES] = {0};
    for (size_t i = 0; i < place->n; i++) {
        got[place->at[i].leaf] = place->at[i].count;
    }
    return memcmp(got, count, (size_t)w->in.tree.n_leaves * sizeof *got) == 0;
}

/* Worlds in which it fits are left out. */
static bool is_of_use(const struct world *w, struct skr_solver_cache *cache)
{
    struct skr_start start;
    struct skr_error error;
    const struct skr_start_question q = {.problem = &w->group[0].problem,
                                         .resource = &resource,
                                         .holds = w->group[0].holds,
                                         .cut = SKR_INSTANT_NEVER};
    assert_int_equal(skr_start_at(w->timeline, &q, cache, NOW, NULL, &start, &error), 0);
    const bool of_use = !start.solution;
    skr_solution_destroy(start.solution);
    return of_use;
}

static int check(struct world *w, int32_t most, struct skr_solver_cache *cache)
{
    static struct vectors all[GROUPS];
    static struct answer want;
    struct skr_moves got;
    struct skr_move_candidate candidate[GROUPS];
    uint32_t away = 0;
    for (size_t i = 0; i < GROUPS; i++) {
        int32_t count[LEAVES] = {0};
        all[i].n = 0;
        list_vectors(w, &w->group[i], 0, w->group[i].problem.n, count, &all[i]);
        sort_vectors(w, &w->group[i], &all[i]);
    }
    enumerate(w, most, all, &want);
    const size_t n = find(w, most, cache, &got, candidate);
    for (size_t i = 0; i < got.n_moved; i++) {
        away |= 1U << candidate[got.moved[i]].owner;
    }
    bool same = got.exact && away == want.away &&
                (got.status == SKR_MOVES_FOUND) == (want.away != 0) &&
                (!away || is_at(w, &got.at, want.at[0]));
    for (size_t i = 0; i < got.n_moved && same; i++) {
        same = is_at(w, &got.to[i], want.at[candidate[got.moved[i]].owner]);
    }
    if (!same) {
        fail_msg("case %" PRIu64 ": moves %x, enumerated %x, exact %d", w->index, away, want.away,
                 got.exact);
    }
    skr_moves_fini(&got);
    for (size_t i = 0; i < n; i++) {
        skr_place_fini(&candidate[i].place);
    }
    return away != 0;
}

BEFORE_ALL
{
    trial_begin("moves");
}

TEST(moves_are_those_of_an_enumeration)
{
    static struct world w;
    int tried = 0, helped = 0;
    EACH_TRIAL(trial_share(4))
    {
        struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
        make_world(&w, trial.at);
        if (is_of_use(&w, cache)) {
            tried++;
            helped += check(&w, 1 + (int32_t)(trial.at % 3), cache);
        }
        skr_solver_cache_destroy(cache);
        skr_timeline_destroy(w.timeline);
    }
    print_message("%d worlds, moves help in %d\n", tried, helped);
    assert_true(trial.n < 1000 || helped > 0);
}

TEST(a_budget_that_ends_is_no_proof)
{
    static struct world w;
    struct skr_error error;
    struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
    uint64_t i = 0;
    do {
        if (i > 0) {
            skr_solver_cache_forget(cache, &w.in.tree);
            skr_timeline_destroy(w.timeline);
        }
        make_world(&w, i++);
    } while (!is_of_use(&w, cache) || !w.group[1].runs);
    struct skr_moves got;
    struct skr_move_candidate candidate[GROUPS];
    const size_t n = find(&w, 2, cache, &got, candidate);
    skr_moves_fini(&got);
    got = (struct skr_moves){.timeline = w.timeline,
                             .cache = cache,
                             .question = got.question,
                             .candidate = candidate,
                             .n = n,
                             .most = 2,
                             .steps = 0};
    assert_int_equal(skr_moves_find(&got, &error), 0);
    assert_true(got.status == SKR_MOVES_NOT_FOUND || !got.exact);
    skr_moves_fini(&got);
    for (size_t k = 0; k < n; k++) {
        skr_place_fini(&candidate[k].place);
    }
    skr_solver_cache_destroy(cache);
    skr_timeline_destroy(w.timeline);
}

static bool is_found(struct world *w, struct skr_solver_cache *cache, int32_t members)
{
    struct skr_moves got;
    struct skr_move_candidate candidate[GROUPS];
    w->members = members;
    const size_t n = find(w, 1, cache, &got, candidate);
    const bool found = got.status == SKR_MOVES_FOUND;
    skr_moves_fini(&got);
    for (size_t i = 0; i < n; i++) {
        skr_place_fini(&candidate[i].place);
    }
    return found;
}

TEST(a_group_of_more_than_a_thousand_members_does_not_move)
{
    static struct world w;
    int found = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
        make_world(&w, i);
        if (is_of_use(&w, cache)) {
            found += is_found(&w, cache, SKR_MOVES_MEMBERS_MAX);
            assert_false(is_found(&w, cache, SKR_MOVES_MEMBERS_MAX + 1));
        }
        skr_solver_cache_destroy(cache);
        skr_timeline_destroy(w.timeline);
    }
    assert_true(found > 0);
}
