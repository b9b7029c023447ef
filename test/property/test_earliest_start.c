/* SPDX-License-Identifier: Apache-2.0 */
/* The earliest start is that of an enumeration of all instants, straight from the definition. */
#include "core/time/earliest.h"
#include "test/property/trial.h"
#include "test/test.h"
#include "topology/ledger.h"

enum { PODS_MAX = 14, HELD_MAX = 5, NOW = 1000, SPAN = 30 };

/* What frees or takes room. A pod: until is never, and from the end on its room is free. */
struct event {
    int32_t leaf;
    int64_t from, until;
    bool held;
    int64_t amount[INSTANCE_RESOURCES];
};

struct world {
    struct event event[PODS_MAX + HELD_MAX];
    size_t n;
    struct skr_timeline *timeline;
};

static const uint16_t resource[INSTANCE_RESOURCES] = {10, 11, 12};

static void add_event(struct world *w, const struct instance *in, struct random *random, bool held)
{
    struct event *e = &w->event[w->n];
    const int64_t slots = random_below(random, 4);
    *e = (struct event){.leaf = random_below(random, in->tree.n_leaves),
                        .from = NOW + (held ? 0 : 1) + random_below(random, SPAN),
                        .until = SKR_INSTANT_NEVER,
                        .held = held};
    struct skr_amount item[INSTANCE_RESOURCES];
    struct skr_amounts amounts = {0, item};
    if (held && random_percent(random, 80)) {
        e->until = e->from + 1 + random_below(random, SPAN);
    }
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        const int64_t demand = in->problem.demand ? in->problem.demand[r] : 2;
        e->amount[r] = slots * demand + random_below(random, 2);
        item[amounts.n] = (struct skr_amount){.resource = resource[r], .amount = e->amount[r]};
        amounts.n += e->amount[r] > 0;
        if (held && e->amount[r] > 0) {
            assert_true(skr_timeline_hold(w->timeline, e->leaf, e->from, e->until, resource[r],
                                          e->amount[r], (uint32_t)w->n));
        }
    }
    if (!held) {
        assert_true(
            skr_timeline_add_end(w->timeline, e->leaf, e->from, &amounts, (uint32_t)w->n, false));
    }
    w->n++;
}

/* ---- the definition ---- */

static int64_t room_at(const struct world *w, const struct skr_problem *p, int32_t leaf, int32_t r,
                       int64_t t)
{
    int64_t room = p->free[leaf * INSTANCE_RESOURCES + r];
    for (size_t i = 0; i < w->n; i++) {
        const struct event *e = &w->event[i];
        if (e->leaf == leaf && e->held && e->from <= t && t < e->until) {
            room -= e->amount[r];
        } else if (e->leaf == leaf && !e->held && e->from <= t) {
            room += e->amount[r];
        }
    }
    return room;
}

/* The solver's answer in the window [t, end); NULL: none. */
static struct skr_solution *solve_at(const struct world *w, const struct skr_problem *p, int64_t t,
                                     int64_t end)
{
    int64_t least[INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES];
    struct skr_problem at = *p;
    struct skr_solution *solution;
    struct skr_error error;
    const int64_t last = NOW + 3 * SPAN; /* nothing changes later */
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t *lowest = &least[leaf * INSTANCE_RESOURCES + r];
            *lowest = room_at(w, p, leaf, r, t);
            for (int64_t s = t; s < end && s <= last; s++) {
                const int64_t room = room_at(w, p, leaf, r, s);
                *lowest = room < *lowest ? room : *lowest;
            }
        }
    }
    at.free = least;
    at.explain = false;
    assert_int_equal(skr_solve(&at, &solution, &error), 0);
    assert_int_not_equal(solution->status, SKR_SOLVE_TIMEOUT);
    if (solution->status != SKR_SOLVE_PLACED) {
        skr_solution_destroy(solution);
        return NULL;
    }
    return solution;
}

static void check(const struct world *w, const struct skr_start_question *q, uint64_t index,
                  struct skr_solver_cache *cache)
{
    const struct skr_problem *p = q->problem;
    struct skr_start start;
    struct skr_error error;
    struct skr_solution *expected = NULL;
    int64_t t = NOW;
    assert_int_equal(skr_earliest_start(w->timeline, q, cache, &start, &error), 0);
    for (; t <= NOW + 3 * SPAN && !expected; t++) {
        expected = solve_at(w, p, t, skr_window_end(q, t));
    }
    t = expected ? t - 1 : SKR_INSTANT_NEVER;
    if (start.at != t || !start.exact || !start.solution != !expected ||
        (expected && memcmp(start.solution->count, expected->count,
                            (size_t)p->tree->n_leaves * sizeof(int32_t)) != 0)) {
        fail_msg("case %" PRIu64 ": start %" PRId64 ", enumerated %" PRId64, index, start.at, t);
    }
    skr_solution_destroy(expected);
    skr_solution_destroy(start.solution);
}

static void run_case(struct skr_problem *problem, const struct instance *in, uint64_t index)
{
    struct random random = {.state = index * 7919 + 17};
    struct world w = {.timeline = skr_timeline_create(in->tree.n_leaves, NOW)};
    struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
    const int32_t pods = random_below(&random, PODS_MAX), held = random_below(&random, HELD_MAX);
    for (int32_t i = 0; i < pods; i++) {
        add_event(&w, in, &random, false);
    }
    for (int32_t i = 0; i < held; i++) {
        add_event(&w, in, &random, true);
    }
    struct skr_start_question q = {
        .problem = problem,
        .resource = resource,
        .holds = random_percent(&random, 30) ? SKR_INSTANT_NEVER : 1 + random_below(&random, SPAN),
        .cut = random_percent(&random, 80) ? SKR_INSTANT_NEVER : NOW + random_below(&random, SPAN)};
    check(&w, &q, index, cache);
    skr_solver_cache_destroy(cache);
    skr_timeline_destroy(w.timeline);
}

BEFORE_ALL
{
    trial_begin("earliest start");
}

TEST(the_earliest_start_is_that_of_an_enumeration)
{
    const struct instance_shape limits = {.leaves = 8, .slots = 5, .n = 12};
    EACH_TRIAL(trial_share(10))
    {
        struct instance in;
        struct random random = {.state = trial.at + 1};
        instance_make(&in, trial.seed, trial.at, &limits);
        if (in.problem.n > 0 && random_percent(&random, 20)) {
            instance_bound(&in, &random);
        }
        run_case(&in.problem, &in, trial.at);
    }
}

TEST(so_is_that_of_roles)
{
    EACH_TRIAL(trial_share(50))
    {
        static const enum roles_kind kinds[] = {ROLES_SMALL, ROLES_SETS, ROLES_CAPS, ROLES_CLAIMS,
                                                ROLES_MINIMUM};
        struct instance in;
        instance_make(&in, trial.seed, trial.at, &roles_shape[kinds[trial.at % 5]]);
        run_case(&in.problem, &in, trial.at);
    }
}
