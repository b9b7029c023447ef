/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members that are equal need no amounts: a leaf is the number of members that its window holds.
 * With roles the solver gets the amounts of the window themselves.
 */
#include "core/time/earliest.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/each_role.h"
#include "topology/base/arena.h"
#include "topology/room.h"

enum { CHANGED_MAX = 256 };

static const int64_t one = 1;

struct probe {
    struct skr_timeline *timeline;
    struct skr_start_question question; /* kinds are never 0 */
    struct skr_solver_cache *cache;
    struct skr_problem problem;   /* of the window that was looked at last */
    int64_t *free;                /* its room */
    int64_t *since, *until;       /* [leaf] the room holds for starts from since to before until */
    int64_t *least;               /* [n_resources] */
    int32_t changed[CHANGED_MAX]; /* leaves that did since the solver was asked last */
    size_t n_changed;             /* more than CHANGED_MAX: too many to be listed */
    int64_t sum;                  /* of equal members that the open leaves hold, claims included */
    struct skr_unit_bounds *bounds; /* those of leaves; NULL: none */
    struct skr_domain_rule *rule;   /* the same beside rules over domains, and what they point to */
    int32_t *of_leaf;
    int32_t *due; /* [n_leaves] a heap of leaves by until, while instants are scanned */
    int64_t at;   /* the start of that window; -1: none was looked at */
    uint32_t kinds;
    bool for_ever; /* the window has no end */
    bool grew;     /* room of some leaf did, at the last look */
    bool exact;
};

int64_t skr_window_end(const struct skr_start_question *question, int64_t t)
{
    const int64_t end = skr_instant_plus(t, question->holds);
    return end <= question->cut ? end : question->cut > t ? question->cut : t + 1;
}

static void probe_init(struct probe *p, struct skr_timeline *timeline,
                       const struct skr_start_question *question, struct skr_solver_cache *cache)
{
    const struct skr_problem *problem = question->problem;
    const size_t leaves = (size_t)problem->tree->n_leaves;
    const size_t width = problem->roles ? problem->n_resources : 1;
    *p = (struct probe){.timeline = timeline,
                        .question = *question,
                        .cache = cache,
                        .problem = *problem,
                        .free = skr_alloc_array(leaves * width + 1, sizeof *p->free),
                        .since = skr_alloc_array(leaves + 1, sizeof *p->since),
                        .until = skr_alloc_array(leaves + 1, sizeof *p->until),
                        .least = skr_alloc_array(problem->n_resources + 1, sizeof *p->least),
                        .n_changed = CHANGED_MAX + 1,
                        .at = -1,
                        .exact = true};
    for (size_t i = 0; problem->claimed && i < leaves; i++) {
        p->sum += problem->claimed[i];
    }
    p->question.kinds = question->kinds ? question->kinds : SKR_CHANGES_KNOWN;
    p->problem.free = p->free;
    p->problem.capacity = NULL;
    p->problem.explain = false;
    if (!problem->roles) {
        p->problem.n_resources = 1;
        p->problem.demand = &one;
    }
}

static void probe_fini(struct probe *p)
{
    free(p->free);
    free(p->since);
    free(p->until);
    free(p->least);
    free(p->bounds);
    free(p->rule);
    free(p->of_leaf);
    free(p->due);
}

static void note_change(struct probe *p, int32_t leaf)
{
    if (p->n_changed < CHANGED_MAX) {
        p->changed[p->n_changed] = leaf;
    }
    p->n_changed += p->n_changed <= CHANGED_MAX;
}

/* Sets the members that a leaf holds. */
static void set_members(struct probe *p, int32_t leaf, int64_t members)
{
    const int64_t before = p->free[leaf];
    if (members == before) {
        return;
    }
    if (!p->problem.eligible || p->problem.eligible[leaf]) {
        p->sum += members - before;
    }
    p->grew = p->grew || members > before;
    p->free[leaf] = members;
    note_change(p, leaf);
}

/* The room of the leaf in the window into p->free. */
static void look_at(struct probe *p, int32_t leaf, int64_t start, int64_t end)
{
    const struct skr_problem *problem = p->question.problem;
    const size_t n = problem->n_resources;
    const int64_t *now = &problem->free[(size_t)leaf * n];
    const uint64_t *firm = p->question.firm;
    const bool is_firm = firm && firm[leaf / 64] >> leaf % 64 & 1;
    skr_timeline_least(p->timeline, leaf, start, end, is_firm ? SKR_CHANGES_KNOWN : p->kinds,
                       p->question.resource, n, p->least, &p->since[leaf], &p->until[leaf]);
    for (size_t r = 0; r < n; r++) {
        p->least[r] = skr_room_plus(now[r], p->least[r]);
    }
    if (!problem->roles) {
        set_members(p, leaf,
                    skr_room_holds_all(p->least, problem->demand, problem->n_resources, INT32_MAX));
        return;
    }
    for (size_t r = 0; r < n; r++) {
        int64_t *room = &p->free[(size_t)leaf * n + r];
        p->grew = p->grew || p->least[r] > *room;
        *room = p->least[r];
    }
}

static void look(struct probe *p, int64_t at, uint32_t kinds, bool for_ever)
{
    const int64_t end = for_ever ? SKR_INSTANT_NEVER : skr_window_end(&p->question, at);
    const bool goes_on = p->at >= 0 && p->kinds == kinds && p->for_ever == for_ever;
    p->kinds = kinds;
    p->for_ever = for_ever;
    p->at = at;
    p->grew = false;
    for (int32_t leaf = 0; leaf < p->problem.tree->n_leaves; leaf++) {
        if (!goes_on || at < p->since[leaf] || at >= p->until[leaf]) {
            look_at(p, leaf, at, end);
        }
    }
    p->grew = p->grew || !goes_on;
}

/* Whether the group is placed in the window that was looked at. */
static int try_window(struct probe *p, bool *ret, struct skr_error *error)
{
    enum skr_solve_status status = SKR_SOLVE_INFEASIBLE;
    int rc = 0;
    if (p->problem.roles || p->sum >= p->problem.n) {
        const bool listed = p->n_changed <= CHANGED_MAX;
        rc = skr_solver_cache_feasible(p->cache, &p->problem, listed ? p->changed : NULL,
                                       p->n_changed, &status, error);
        p->n_changed = 0;
    }
    p->exact = p->exact && status != SKR_SOLVE_TIMEOUT;
    *ret = status == SKR_SOLVE_PLACED;
    return rc;
}

/* The first of the instants low .. high - 1 of growth from which on the group fits for ever, by these
 * kinds; high: at none. Once it fits it always does. */
static int bisect(struct probe *p, const int64_t *growth, size_t low, size_t high, uint32_t kinds,
                  size_t *ret, struct skr_error *error)
{
    int rc = 0;
    while (low < high && rc == 0) {
        const size_t middle = low + (high - low) / 2;
        bool fits = false;
        look(p, growth[middle], kinds, true);
        rc = try_window(p, &fits, error);
        if (fits) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *ret = low;
    return rc;
}

/* ---- the scan ---- */

/* Moves the leaf at i of the heap down to its place. */
static void sift(const struct probe *p, size_t i)
{
    const size_t n = (size_t)p->problem.tree->n_leaves;
    const int32_t leaf = p->due[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && p->until[p->due[child + 1]] < p->until[p->due[child]]) {
            child++;
        }
        if (p->until[p->due[child]] >= p->until[leaf]) {
            break;
        }
        p->due[i] = p->due[child];
    }
    p->due[i] = leaf;
}

static void make_heap(struct probe *p)
{
    const size_t n = (size_t)p->problem.tree->n_leaves;
    p->due = skr_alloc_array(n + 1, sizeof *p->due);
    for (size_t i = 0; i < n; i++) {
        p->due[i] = (int32_t)i;
    }
    for (size_t i = n / 2; i > 0; i--) {
        sift(p, i - 1);
    }
}

/* The same as look(); for a later start by the leaves whose windows may have changed. */
static void look_on(struct probe *p, int64_t at)
{
    if (!p->due) {
        look(p, at, p->question.kinds, false);
        make_heap(p);
        return;
    }
    p->at = at;
    p->grew = false;
    while (p->problem.tree->n_leaves > 0 && p->until[p->due[0]] <= at) {
        look_at(p, p->due[0], at, skr_window_end(&p->question, at));
        sift(p, 0);
    }
}

/* The first of the instants low .. high - 1 of growth whose window has room; high: none. */
static int scan(struct probe *p, const int64_t *growth, size_t low, size_t high, size_t *ret,
                struct skr_error *error)
{
    bool fits = false;
    int rc = 0;
    for (*ret = high; low < high && !fits && rc == 0; low++) {
        look_on(p, growth[low]);
        rc = p->grew ? try_window(p, &fits, error) : 0;
        *ret = fits ? low : high;
    }
    return rc;
}

/* The placement in the window that starts there. */
static int place(struct probe *p, int64_t at, struct skr_start *ret, struct skr_error *error)
{
    struct skr_solution *solution = NULL;
    look(p, at, p->question.kinds, false);
    int rc = skr_solver_cache_solve(p->cache, &p->problem, &solution, error);
    if (rc == 0 && solution->status == SKR_SOLVE_PLACED) {
        if (p->question.choose) {
            p->question.choose(&p->problem, solution->count);
        }
        ret->at = at;
        ret->solution = solution;
        return 0;
    }
    p->exact = p->exact && (!solution || solution->status != SKR_SOLVE_TIMEOUT);
    skr_solution_destroy(solution);
    return rc;
}

/* The same, if there is one. */
static int place_if(struct probe *p, int64_t at, struct skr_start *ret, struct skr_error *error)
{
    bool fits = false;
    look(p, at, p->question.kinds, false);
    const int rc = try_window(p, &fits, error);
    return rc == 0 && fits ? place(p, at, ret, error) : rc;
}

/* The first of n instants that is not before at. */
static size_t first_from(const int64_t *growth, size_t n, int64_t at)
{
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (growth[middle] < at) {
            low = middle + 1;
        } else {
            n = middle;
        }
    }
    return low;
}

/* The first instant after now, as bisections and a scan find it. */
static int search(struct probe *p, struct skr_start *ret, struct skr_error *error)
{
    const struct skr_start_question *q = &p->question;
    const bool ends = q->holds != SKR_INSTANT_NEVER || q->cut != SKR_INSTANT_NEVER;
    size_t n, high, low;
    const int64_t *growth = skr_timeline_growth(p->timeline, q->kinds & SKR_CHANGE_GUESS, &n);
    const size_t first = first_from(growth, n, q->from);
    int rc = bisect(p, growth, first, n, q->kinds, &high, error);
    if (rc == 0 && ends) {
        rc = bisect(p, growth, first, high, q->kinds & ~(uint32_t)SKR_CHANGE_HELD, &low, error);
        rc = rc < 0 ? rc : scan(p, growth, low, high, &high, error);
    }
    return rc == 0 && high < n ? place(p, growth[high], ret, error) : rc;
}

int skr_earliest_start(struct skr_timeline *timeline, const struct skr_start_question *question,
                       struct skr_solver_cache *cache, struct skr_start *ret,
                       struct skr_error *error)
{
    struct probe p;
    probe_init(&p, timeline, question, cache);
    *ret = (struct skr_start){.at = SKR_INSTANT_NEVER};
    const int64_t now = skr_timeline_now(timeline);
    int rc = question->from > now ? 0 : place_if(&p, now, ret, error);
    rc = rc == 0 && !ret->solution ? search(&p, ret, error) : rc;
    ret->exact = p.exact;
    probe_fini(&p);
    return rc;
}

/* A problem with rules over domains has no bounds (core/solver/domains.h): there, those of leaves are two
 * more rules. False: it has too many. */
static bool bound_leaves(struct probe *p, const struct skr_unit_bounds *leaf)
{
    const struct skr_problem *problem = p->question.problem;
    const size_t n = problem->n_domain_rules, leaves = (size_t)problem->tree->n_leaves;
    p->bounds = skr_alloc_array((size_t)problem->tree->n_units, sizeof *p->bounds);
    for (int32_t u = 0; u < problem->tree->n_units; u++) {
        const int32_t i = u - problem->tree->first_leaf;
        p->bounds[u] = i < 0 ? (struct skr_unit_bounds){0, problem->n} : leaf[i];
    }
    if (n == 0) {
        p->problem.bounds = p->bounds;
        return true;
    }
    p->rule = skr_alloc_array(n + 2, sizeof *p->rule);
    p->of_leaf = skr_alloc_array(3 * leaves + 1, sizeof *p->of_leaf);
    int32_t *most = &p->of_leaf[leaves], *least = &most[leaves];
    for (size_t i = 0; i < leaves; i++) {
        int32_t claimed = 0;
        for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
            const struct skr_role role = skr_problem_role(problem, r);
            claimed += skr_role_claimed(&role, (int32_t)i);
        }
        p->of_leaf[i] = (int32_t)i;
        most[i] = leaf[i].most;
        least[i] = leaf[i].least > claimed ? leaf[i].least - claimed : 0;
    }
    memcpy(p->rule, problem->domain_rule, n * sizeof *p->rule);
    p->rule[n] = (struct skr_domain_rule){.kind = SKR_DOMAIN_MOST,
                                          .n_domains = (int32_t)leaves,
                                          .domain = p->of_leaf,
                                          .most = 1,
                                          .most_of = most};
    p->rule[n + 1] = (struct skr_domain_rule){.kind = SKR_DOMAIN_LEAST,
                                              .n_domains = (int32_t)leaves,
                                              .domain = p->of_leaf,
                                              .least = least};
    p->problem.domain_rule = p->rule;
    p->problem.n_domain_rules = n + 2;
    return n + 2 <= SKR_DOMAIN_RULES_MAX;
}

int skr_start_at(struct skr_timeline *timeline, const struct skr_start_question *question,
                 struct skr_solver_cache *cache, int64_t at, const struct skr_unit_bounds *leaf,
                 struct skr_start *ret, struct skr_error *error)
{
    struct probe p;
    int rc = 0;
    probe_init(&p, timeline, question, cache);
    *ret = (struct skr_start){.at = SKR_INSTANT_NEVER};
    if (leaf) {
        p.question.choose = NULL;
        p.exact = bound_leaves(&p, leaf);
        rc = p.exact ? place(&p, at, ret, error) : 0;
    } else {
        rc = place_if(&p, at, ret, error);
    }
    ret->exact = p.exact;
    probe_fini(&p);
    return rc;
}
