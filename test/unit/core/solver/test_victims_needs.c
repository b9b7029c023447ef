/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for victims whose pods the members need: small ones, against all sets and placements. */
#include "core/solver/victims.h"
#include "core/solver/victims_needs.h"
#include "test/test.h"
#include "test/unit/solver_rig.h"

enum { LEAVES = 4, VICTIMS = 4, GIFTS = 8, NEEDS = 2, WORLDS = 6000 };

struct needs_world {
    struct solver_rig rig;
    struct skr_victims_problem problem;
    struct skr_victim victim[VICTIMS];
    struct skr_victim_share share[VICTIMS][LEAVES];
    int64_t amount[VICTIMS][LEAVES][1];
    char name[VICTIMS][2];
    struct skr_victim_need need[NEEDS];
    struct skr_victim_gift gift[NEEDS][GIFTS];
    int32_t domain[NEEDS][LEAVES], others[NEEDS][LEAVES];
    struct skr_victims *got;
};

static void needs_world_set_up(struct needs_world *w)
{
    solver_rig_init(&w->rig, "0,0,0,0", 2);
    w->problem = (struct skr_victims_problem){.problem = &w->rig.problem,
                                              .priority = 100,
                                              .victim = w->victim,
                                              .need = w->need,
                                              .step_budget = -1};
}

static void needs_world_tear_down(struct needs_world *w)
{
    skr_victims_destroy(w->got);
    solver_rig_fini(&w->rig, NULL);
}

/* It frees so much on the leaf, with as many members. */
static size_t group_on(struct needs_world *w, int32_t leaf, int32_t members, int32_t priority)
{
    const size_t i = w->problem.n_victims++;
    w->name[i][0] = (char)('a' + i);
    w->amount[i][0][0] = members;
    w->share[i][0] = (struct skr_victim_share){leaf, w->amount[i][0]};
    w->victim[i] = (struct skr_victim){.name = w->name[i],
                                       .kind = SKR_VICTIM_GROUP,
                                       .priority = priority,
                                       .surplus_of = -1,
                                       .members = members,
                                       .n_shares = 1,
                                       .share = w->share[i]};
    return i;
}

static void also_on(struct needs_world *w, size_t victim, int32_t leaf, int32_t members)
{
    struct skr_victim *v = &w->victim[victim];
    w->amount[victim][v->n_shares][0] = members;
    w->share[victim][v->n_shares] = (struct skr_victim_share){leaf, w->amount[victim][v->n_shares]};
    v->n_shares++;
    v->members += members;
}

/* Each leaf is a domain. */
static struct skr_victim_need *need_of(struct needs_world *w, enum skr_domain_rule_kind kind)
{
    const size_t k = w->problem.n_needs++;
    for (int32_t i = 0; i < LEAVES; i++) {
        w->domain[k][i] = i;
    }
    w->need[k] = (struct skr_victim_need){.kind = kind,
                                          .n_domains = LEAVES,
                                          .domain = w->domain[k],
                                          .others = w->others[k],
                                          .gift = w->gift[k],
                                          .max_skew = 1};
    return &w->need[k];
}

static void gives(struct needs_world *w, size_t victim, int32_t domain, int32_t pods)
{
    const size_t k = w->problem.n_needs - 1;
    w->gift[k][w->need[k].n_gifts++] = (struct skr_victim_gift){victim, domain, pods};
}

/* "ab": these victims; "no": none suffice. */
static void expect(struct needs_world *w, const char *want)
{
    char names[VICTIMS + 1] = "";
    skr_victims_destroy(w->got);
    w->got = NULL;
    assert_int_equal(skr_victims_find(&w->problem, &w->got, NULL), 0);
    for (size_t i = 0; i < w->got->n; i++) {
        names[i] = w->name[w->got->victim[i]][0];
    }
    const bool none = w->got->status == SKR_VICTIMS_INSUFFICIENT;
    assert_string_equal(none ? "no" : names, want);
}

TEST_WITH(needs_world, a_victim_that_the_members_must_run_beside_stays)
{
    const size_t a = group_on(needs_world, 0, 2, 1);
    expect(needs_world, "a");
    need_of(needs_world, SKR_DOMAIN_ONE);
    gives(needs_world, a, 0, 2);
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 0, 0, 0};
    expect(needs_world, "no");
    needs_world->others[0][0] = 1; /* another pod of the kind stays */
    expect(needs_world, "a");
}

TEST_WITH(needs_world, of_two_partners_in_one_domain_one_stays)
{
    const size_t a = group_on(needs_world, 0, 2, 1), b = group_on(needs_world, 0, 2, 2);
    need_of(needs_world, SKR_DOMAIN_ONE);
    gives(needs_world, a, 0, 2);
    gives(needs_world, b, 0, 2);
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 0, 0, 0};
    expect(needs_world, "a");
    needs_world->rig.problem.n = 4; /* both would have to go */
    expect(needs_world, "no");
}

/* a frees either leaf, but is the only partner on the first one. */
TEST_WITH(needs_world, a_partner_goes_if_the_members_run_where_another_one_stays)
{
    const size_t a = group_on(needs_world, 0, 2, 1);
    also_on(needs_world, a, 1, 2);
    need_of(needs_world, SKR_DOMAIN_ONE);
    gives(needs_world, a, 0, 2);
    gives(needs_world, a, 1, 2);
    needs_world->others[0][1] = 1;
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 1, 0, 0};
    expect(needs_world, "a");
    assert_int_equal(needs_world->got->solution->count[1], 2);
}

TEST_WITH(needs_world, members_that_count_themselves_need_no_partner_in_one_domain)
{
    const size_t a = group_on(needs_world, 0, 2, 1);
    need_of(needs_world, SKR_DOMAIN_ONE)->counted = 1;
    gives(needs_world, a, 0, 2);
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 0, 0, 0};
    expect(needs_world, "a");
    needs_world->others[0][3] = 1; /* now the first one has to follow that pod */
    expect(needs_world, "no");
}

TEST_WITH(needs_world, a_victim_whose_pods_raise_the_least_count_of_a_spread_stays)
{
    const size_t a = group_on(needs_world, 1, 2, 1), b = group_on(needs_world, 0, 2, 2);
    struct skr_victim_need *need = need_of(needs_world, SKR_DOMAIN_SKEW);
    need->counted = 1;
    gives(needs_world, a, 1, 1);
    also_on(needs_world, a, 0, 2);
    for (int32_t i = 0; i < LEAVES; i++) {
        needs_world->others[0][i] = i == 1 ? 0 : 1;
    }
    needs_world->rig.problem.n = 1;
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 0, 0, 0};
    expect(needs_world, "b");    /* without a, leaf 1 has none, and leaf 0 would have two */
    gives(needs_world, b, 1, 1); /* one of the two suffices for the count */
    expect(needs_world, "a");
}

TEST_WITH(needs_world, a_pod_that_a_rule_may_select_does_not_leave_the_domain)
{
    const size_t a = group_on(needs_world, 0, 2, 1), b = group_on(needs_world, 1, 2, 2);
    need_of(needs_world, SKR_DOMAIN_ONE)->strict = true;
    gives(needs_world, a, 0, 1);
    needs_world->others[0][0] = 1;
    expect(needs_world, "b");
    gives(needs_world, b, 1, 1);
    expect(needs_world, "no");
}

/* b is a member of a, which holds both slots of the leaf. */
TEST_WITH(needs_world, a_surplus_member_goes_alone_or_with_its_group)
{
    const size_t a = group_on(needs_world, 0, 2, 1), b = group_on(needs_world, 0, 1, 1);
    needs_world->victim[b].kind = SKR_VICTIM_SURPLUS;
    needs_world->victim[b].surplus_of = (int32_t)a;
    needs_world->victim[b].beyond = 1;
    needs_world->problem.n_givers = 1;
    needs_world->rig.problem.eligible = (const uint8_t[]){1, 0, 0, 0};
    needs_world->rig.problem.n = 1;
    need_of(needs_world, SKR_DOMAIN_ONE);
    gives(needs_world, b, 0, 1);
    expect(needs_world, "no");
    gives(needs_world, a, 0, 1); /* the member that the group needs */
    expect(needs_world, "b");
    needs_world->rig.problem.n = 2; /* both would have to go */
    expect(needs_world, "no");
}

/* ---- against all sets and placements ---- */

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static void random_world(struct needs_world *w, uint64_t *state)
{
    static uint8_t eligible[LEAVES];
    for (int32_t i = 0; i < LEAVES; i++) {
        eligible[i] = draw(state, 4) > 0;
    }
    w->rig.problem.eligible = eligible;
    w->rig.problem.n = 1 + (int32_t)draw(state, 3);
    w->problem.n_victims = w->problem.n_needs = 0;
    memset(w->others, 0, sizeof w->others);
    memset(w->need, 0, sizeof w->need);
    for (uint32_t i = 0, n = 1 + draw(state, VICTIMS); i < n; i++) {
        const int32_t leaf = (int32_t)draw(state, LEAVES);
        const size_t v =
            group_on(w, leaf, 1 + (int32_t)draw(state, 2), 1 + (int32_t)draw(state, 2));
        if (draw(state, 2)) {
            also_on(w, v, (leaf + 1) % LEAVES, 1);
        }
    }
    for (uint32_t k = 0, n = 1 + draw(state, NEEDS); k < n; k++) {
        struct skr_victim_need *need = need_of(w, SKR_DOMAIN_ONE);
        const bool halves = draw(state, 2);
        need->counted = draw(state, 3) == 0;
        need->strict = draw(state, 5) == 0;
        need->n_domains = halves ? 2 : LEAVES;
        for (int32_t i = 0; i < LEAVES; i++) {
            w->domain[k][i] = halves ? i / 2 : i;
            w->others[k][i] = i < need->n_domains && draw(state, 4) == 0;
        }
        for (uint32_t i = 0, gifts = 1 + draw(state, GIFTS - 1); i < gifts; i++) {
            gives(w, draw(state, (uint32_t)w->problem.n_victims),
                  (int32_t)draw(state, (uint32_t)need->n_domains), 1);
        }
    }
}

/* Whether the members fit somewhere without this set, and all needs hold. */
static bool suffices(struct needs_world *w, const size_t *set, size_t n)
{
    int64_t room[LEAVES] = {0};
    int32_t count[LEAVES];
    const struct skr_solution solution = {.count = count};
    bool found = false;
    skr_victims_add_room(&w->problem, set, n, room);
    for (int code = 0; code < 256 && !found; code++) { /* at most 3 on each of 4 leaves */
        int32_t sum = 0;
        bool fits = true;
        for (int i = 0; i < LEAVES; i++) {
            count[i] = code >> 2 * i & 3;
            sum += count[i];
            fits = fits && (count[i] == 0 || (w->rig.problem.eligible[i] && count[i] <= room[i]));
        }
        found = fits && sum == w->rig.problem.n &&
                skr_victims_needs_hold(&w->problem, set, n, &solution, NULL, NULL);
    }
    return found;
}

struct cost {
    int32_t priority, groups, members;
};

static struct cost cost_of(const struct needs_world *w, const size_t *set, size_t n)
{
    struct cost c = {.groups = (int32_t)n};
    for (size_t i = 0; i < n; i++) {
        const struct skr_victim *v = &w->victim[set[i]];
        c.priority = v->priority > c.priority ? v->priority : c.priority;
        c.members += v->members;
    }
    return c;
}

static int compare(struct cost a, struct cost b)
{
    return a.priority != b.priority ? a.priority - b.priority
           : a.groups != b.groups   ? a.groups - b.groups
                                    : a.members - b.members;
}

TEST_WITH(needs_world, of_all_sets_that_break_no_need_the_cheapest_is_found)
{
    uint64_t state = 7;
    int found = 0, kept = 0;
    for (int i = 0; i < WORLDS; i++) {
        random_world(needs_world, &state);
        struct cost best = {.priority = INT32_MAX};
        size_t set[VICTIMS];
        for (uint32_t bits = 0; bits < 1u << needs_world->problem.n_victims; bits++) {
            size_t n = 0;
            for (size_t v = 0; v < needs_world->problem.n_victims; v++) {
                set[n] = v;
                n += bits >> v & 1;
            }
            const struct cost cost = cost_of(needs_world, set, n);
            if (compare(cost, best) < 0 && suffices(needs_world, set, n)) {
                best = cost;
            }
        }
        struct skr_victims *got = NULL;
        assert_int_equal(skr_victims_find(&needs_world->problem, &got, NULL), 0);
        const bool is = got->status == SKR_VICTIMS_FOUND, may = best.priority < INT32_MAX;
        const int order = is ? compare(cost_of(needs_world, got->victim, got->n), best) : 0;
        /* Members that count need no partner once none is left anywhere: no set is made larger for that. */
        const bool own = needs_world->need[0].counted || needs_world->need[1].counted;
        if (own ? is && (!may || order < 0) : is != may || order != 0) {
            fail_msg("world %d: status %d", i, (int)got->status);
        }
        found += is;
        kept += !is || !got->cheapest;
        skr_victims_destroy(got);
    }
    assert_true(found > WORLDS / 8 && kept > WORLDS / 8);
}
