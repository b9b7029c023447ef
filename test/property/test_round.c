/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds in a row, over random clusters whose pods end early or at their limits: no promise moves
 * later without a cause, nothing that starts breaks a reservation, and nothing waits that could
 * start.
 */
#include "core/time/round.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { GROUPS_MAX = 8, PODS_MAX = 400, ROUNDS = 25, HORIZON = 400, NOW = 1000 };

struct runner {
    int32_t leaf, count;
    int64_t limit, end; /* end <= limit */
};

struct waiter {
    struct skr_problem problem;
    struct skr_rule rule[INSTANCE_LEVELS_MAX];
    int64_t holds, begin;
    int32_t priority;
    int32_t step, steps; /* beyond its members it takes up to so many steps at its start */
    uint32_t number;
    bool has_stored;
    struct skr_stored_reservation stored;
    struct skr_place_leaf at[INSTANCE_LEAVES_MAX];
};

struct world {
    struct instance in;
    struct random random;
    int64_t now, capacity[INSTANCE_LEAVES_MAX], free[INSTANCE_LEAVES_MAX];
    struct runner runner[PODS_MAX];
    size_t n_runners;
    struct waiter waiter[GROUPS_MAX];
    size_t n;
    uint32_t next;
    uint64_t index;
    bool limits; /* every group has a limit, and all have the same priority */
    bool drains;
};

static const int64_t one = 1;
static const uint16_t resource = 7;

/* ---- the cluster ---- */

static void run_pods(struct world *w, int32_t leaf, int32_t count, int64_t limit)
{
    const int64_t most = limit == SKR_INSTANT_NEVER ? 60 : limit - w->now;
    assert_true(w->n_runners < PODS_MAX);
    w->runner[w->n_runners++] = (struct runner){
        .leaf = leaf,
        .count = count,
        .limit = limit,
        .end = w->now +
               (random_percent(&w->random, 30) ? most : 1 + random_below(&w->random, (int)most)),
    };
}

static void arrive(struct world *w)
{
    struct instance other;
    struct waiter *g = &w->waiter[w->n++];
    const struct instance_shape limits = {.leaves = 8, .slots = 5, .n = 10};
    instance_make(&other, trial.seed + 9, w->index * 1000 + w->next, &limits);
    const bool for_ever = !w->limits && random_percent(&w->random, 25);
    *g = (struct waiter){.holds = for_ever ? SKR_INSTANT_NEVER : 1 + random_below(&w->random, 40),
                         .begin = w->now,
                         .number = w->next++,
                         .step = 1 + random_below(&w->random, 3),
                         .steps = random_percent(&w->random, 40) ? random_below(&w->random, 4) : 0,
                         .priority = w->limits ? 0 : random_below(&w->random, 3)};
    for (int32_t i = 0; i < w->in.tree.n_levels; i++) {
        if (random_percent(&w->random, 50) && i < other.tree.n_levels) {
            g->rule[i] = other.rule[i];
        }
    }
    g->problem = (struct skr_problem){.tree = &w->in.tree,
                                      .n = 1 + random_below(&w->random, 8),
                                      .n_resources = 1,
                                      .demand = &one,
                                      .free = w->free,
                                      .capacity = w->capacity,
                                      .step_budget = -1};
}

static int by_order(const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;
    return x->priority != y->priority ? y->priority - x->priority
                                      : (x->number > y->number) - (x->number < y->number);
}

static void pass_time(struct world *w)
{
    const int64_t before = w->now;
    size_t kept = 0;
    w->now += 1 + random_below(&w->random, 8);
    for (size_t i = 0; i < w->n; i++) { /* there is a round when a reservation begins */
        const int64_t start = w->waiter[i].stored.start;
        if (w->waiter[i].has_stored && start > before && start < w->now) {
            w->now = start;
        }
    }
    for (size_t i = 0; i < w->n_runners; i++) {
        if (w->runner[i].end > w->now) {
            w->runner[kept++] = w->runner[i];
        }
    }
    w->n_runners = kept;
    for (int32_t i = 0; i < 2 && w->n < GROUPS_MAX; i++) {
        if (random_percent(&w->random, 60)) {
            arrive(w);
        }
    }
    qsort(w->waiter, w->n, sizeof w->waiter[0], by_order);
    for (size_t i = 0; i < w->n; i++) {
        w->waiter[i].problem.rule = w->waiter[i].rule;
        w->waiter[i].stored.at = w->waiter[i].at;
    }
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
        w->free[leaf] = w->capacity[leaf];
    }
    for (size_t i = 0; i < w->n_runners; i++) {
        w->free[w->runner[i].leaf] -= w->runner[i].count;
    }
}

static struct skr_timeline *timeline_of(const struct world *w)
{
    struct skr_timeline *timeline = skr_timeline_create(w->in.tree.n_leaves, w->now);
    for (size_t i = 0; i < w->n_runners; i++) {
        const struct runner *r = &w->runner[i];
        struct skr_amount item = {.resource = resource, .amount = r->count};
        const struct skr_amounts amounts = {1, &item};
        const bool known = r->limit != SKR_INSTANT_NEVER;
        assert_true(skr_timeline_add_end(timeline, r->leaf, known ? r->limit : w->now + 60,
                                         &amounts, 1000 + (uint32_t)i, !known));
    }
    return timeline;
}

/* ---- what holds ---- */

static bool holds_room(const struct skr_round_group *g)
{
    return g->held || g->state == SKR_ROUND_STARTS;
}

/* At no instant more is held than is there, drains aside: they count on guesses. */
static void check_room(const struct world *w, const struct skr_round_group *group)
{
    for (int64_t t = w->now; t < w->now + HORIZON; t++) {
        int64_t room[INSTANCE_LEAVES_MAX];
        for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
            room[leaf] = w->capacity[leaf];
        }
        for (size_t i = 0; i < w->n_runners; i++) {
            room[w->runner[i].leaf] -= w->runner[i].limit > t ? w->runner[i].count : 0;
        }
        for (size_t i = 0; i < w->n; i++) {
            const struct skr_round_group *g = &group[i];
            const bool now =
                holds_room(g) && g->state != SKR_ROUND_DRAIN && g->start <= t && t < g->until;
            for (size_t k = 0; now && k < g->place.n; k++) {
                room[g->place.at[k].leaf] -= g->place.at[k].count;
            }
        }
        for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
            if (room[leaf] < 0) {
                fail_msg("case %" PRIu64 ": leaf %d has %" PRId64 " at %" PRId64, w->index,
                         (int)leaf, room[leaf], t - w->now);
            }
        }
    }
}

static void check_promises(const struct world *w, const struct skr_round_group *group)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct skr_round_group *g = &group[i];
        const bool later = w->waiter[i].has_stored && g->state != SKR_ROUND_STARTS &&
                           (!g->held || g->start > w->waiter[i].stored.start);
        const bool guess = w->waiter[i].stored.guess;
        if (g->lost != SKR_MOVED_NOT && !(!w->limits && g->lost == SKR_MOVED_HIGHER_PRIORITY)) {
            fail_msg("case %" PRIu64 ": group %u is moved, %s", w->index, w->waiter[i].number,
                     skr_move_cause_name(g->lost));
        }
        if (later && !guess && g->lost == SKR_MOVED_NOT) {
            fail_msg("case %" PRIu64
                     ": group %u moves later without a cause: %s %ld, was %ld, now %ld",
                     w->index, w->waiter[i].number, skr_round_state_name(g->state),
                     (long)(g->start - w->now), (long)(w->waiter[i].stored.start - w->now),
                     (long)w->now);
        }
    }
}

/* A group behind it gave up what it held when this one had its turn. */
static bool room_came_later(const struct world *w, const struct skr_round *round, size_t i)
{
    bool came = false;
    for (size_t k = i + 1; k < w->n; k++) {
        const struct skr_round_group *g = &round->group[k];
        came = came ||
               (w->waiter[k].has_stored && (!g->held || g->start != w->waiter[k].stored.start));
    }
    return came;
}

static void check_waits(const struct world *w, const struct skr_round *round)
{
    for (size_t i = 0; i < w->n; i++) {
        struct skr_round_group *g = &round->group[i];
        struct skr_start start = {.at = SKR_INSTANT_NEVER};
        struct skr_error error;
        if (g->state == SKR_ROUND_STARTS || room_came_later(w, round, i)) {
            continue;
        }
        if (g->held) {
            skr_place_let_go(&g->place, round->timeline, g->owner);
        }
        assert_int_equal(
            skr_start_at(round->timeline, &g->question, round->cache, w->now, NULL, &start, &error),
            0);
        if (start.solution) {
            fail_msg("case %" PRIu64 ": group %u could start", w->index, w->waiter[i].number);
        }
        if (g->held) {
            assert_int_equal(
                skr_place_hold(&g->place, round->timeline, g->start, g->until, g->owner, &error),
                0);
        }
    }
}

/* What starts takes whole steps, and as many as fit beside all that is reserved. */
static void check_steps(const struct world *w, const struct skr_round *round)
{
    for (size_t i = 0; i < w->n; i++) {
        struct skr_round_group *g = &round->group[i];
        struct skr_problem more = w->waiter[i].problem;
        struct skr_start_question question = g->question;
        struct skr_start start = {.at = SKR_INSTANT_NEVER};
        struct skr_error error;
        int32_t members = 0;
        if (g->state != SKR_ROUND_STARTS || room_came_later(w, round, i)) {
            continue;
        }
        for (size_t k = 0; k < g->place.n; k++) {
            members += g->place.at[k].count;
        }
        assert_int_equal((members - more.n) % g->step, 0);
        skr_place_let_go(&g->place, round->timeline, g->owner);
        question.problem = &more;
        for (more.n = members + g->step; more.n <= g->all_n; more.n += g->step) {
            assert_int_equal(skr_start_at(round->timeline, &question, round->cache, w->now, NULL,
                                          &start, &error),
                             0);
            if (start.solution) {
                fail_msg("case %" PRIu64 ": group %u starts with %d, and not with %d", w->index,
                         w->waiter[i].number, (int)members, (int)more.n);
            }
        }
        assert_int_equal(
            skr_place_hold(&g->place, round->timeline, g->start, g->until, g->owner, &error), 0);
    }
}

/* ---- histories ---- */

static void take_answers(struct world *w, const struct skr_round_group *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct skr_round_group *g = &group[i];
        struct waiter *waiter = &w->waiter[i];
        for (size_t k = 0; g->state == SKR_ROUND_STARTS && k < g->place.n; k++) {
            run_pods(w, g->place.at[k].leaf, g->place.at[k].count, g->until);
        }
        waiter->has_stored = g->held;
        if (g->held) {
            waiter->stored = (struct skr_stored_reservation){.start = g->start,
                                                             .promised = g->promised,
                                                             .since = g->since,
                                                             .guess = g->state == SKR_ROUND_DRAIN,
                                                             .n = g->place.n};
            memcpy(waiter->at, g->place.at, g->place.n * sizeof waiter->at[0]);
        }
        if (g->state != SKR_ROUND_STARTS) {
            w->waiter[kept++] = *waiter;
        }
    }
    w->n = kept;
}

static void play_round(struct world *w, struct skr_solver_cache *cache, int32_t reservations)
{
    struct skr_round_group group[GROUPS_MAX];
    struct skr_error error;
    memset(group, 0, sizeof group);
    for (size_t i = 0; i < w->n; i++) {
        struct waiter *g = &w->waiter[i];
        group[i] = (struct skr_round_group){
            .owner = g->number,
            .question = {.problem = &g->problem,
                         .resource = &resource,
                         .holds = g->holds,
                         .cut = SKR_INSTANT_NEVER},
            .all_n = g->problem.n + g->step * g->steps,
            .step = g->step,
            .begin = g->begin,
            .priority = g->priority,
            .stored = g->has_stored ? &g->stored : NULL,
        };
    }
    struct skr_round round = {.timeline = timeline_of(w),
                              .cache = cache,
                              .group = group,
                              .n = w->n,
                              .reservations = reservations,
                              .forecasts = 3,
                              .patience = w->drains ? 20 : SKR_INSTANT_NEVER};
    assert_int_equal(skr_round_run(&round, &error), 0);
    check_room(w, group);
    check_promises(w, group);
    check_waits(w, &round);
    check_steps(w, &round);
    take_answers(w, group);
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        skr_round_group_fini(&group[i]);
    }
    skr_timeline_destroy(round.timeline);
}

static void play(uint64_t index, bool limits, bool drains)
{
    static struct world w;
    const struct instance_shape size = {.leaves = 8, .slots = 5, .n = 10};
    struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
    w = (struct world){.random = {.state = index * 977 + 5},
                       .now = NOW,
                       .index = index,
                       .limits = limits,
                       .drains = drains};
    instance_make(&w.in, trial.seed + 8, index, &size);
    for (int32_t leaf = 0; leaf < w.in.tree.n_leaves; leaf++) {
        w.capacity[leaf] = random_below(&w.random, 6);
    }
    const int32_t reservations = 1 + random_below(&w.random, 3);
    for (int32_t i = 0; i < ROUNDS; i++) {
        pass_time(&w);
        play_round(&w, cache, reservations);
    }
    skr_solver_cache_forget(cache, &w.in.tree);
    skr_solver_cache_destroy(cache);
}

BEFORE_ALL
{
    trial_begin("rounds");
}

/* Every start is known, so of two groups the one that is earlier in the order gets its reservation
 * first. */
TEST(no_promise_moves_later)
{
    EACH_TRIAL(trial_share(20))
    {
        play(trial.at, true, false);
    }
}

TEST(only_groups_before_it_move_one)
{
    EACH_TRIAL(trial_share(40))
    {
        play(trial.at, false, false);
    }
}

TEST(drains_move_no_promise)
{
    EACH_TRIAL(trial_share(40))
    {
        play(trial.at, false, true);
    }
}
