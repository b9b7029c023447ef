/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of searches. Each node forbids one thing more than its parent: a victim, or a domain. So an
 * answer never costs less than that of its parent, and a node that costs as much as the best answer
 * ends there. Limit: SEARCHES_MAX; beyond it the best answer found counts, if there is one.
 */
#include "core/solver/victims_needs.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/each_role.h"
#include "core/solver/victims.h"

enum { SEARCHES_MAX = 64 };

/* ---- whether a need holds ---- */

/* Sums of one need, by domain. */
struct sums {
    int32_t *left;    /* pods that count and stay */
    int32_t *gone;    /* those of victims */
    int32_t *bound;   /* new members that the need binds */
    int32_t *leaders; /* new members that count, and that it does not bind */
    int32_t *counted; /* members that count, claims included */
};

static void add_solution(const struct skr_problem *problem, const struct skr_victim_need *need,
                         const struct skr_solution *solution, struct sums *s)
{
    for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
        const struct skr_role role = skr_problem_role(problem, r);
        const bool binds = skr_victim_need_binds(need, r), counts = (need->counted >> r & 1) != 0;
        const int32_t *count = skr_solution_of_role(solution, problem->tree, r);
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
            const int32_t d = need->domain[leaf], new = count[leaf] - skr_role_claimed(&role, leaf);
            if (d >= 0) {
                s->bound[d] += binds ? new : 0;
                s->leaders[d] += counts && !binds ? new : 0;
                s->counted[d] += counts ? count[leaf] : 0;
            }
        }
    }
}

/* The first new member of a kind goes anywhere if no other pod counts; the others follow it. */
static int32_t broken_affinity(const struct skr_victim_need *need, const struct sums *s)
{
    int64_t left = 0;
    int32_t used = 0;
    for (int32_t d = 0; d < need->n_domains; d++) {
        left += s->left[d];
        used += s->bound[d] > 0;
    }
    for (int32_t d = 0; d < need->n_domains; d++) {
        const bool first = left == 0 && used == 1 && s->counted[d] > 0;
        if (s->bound[d] > 0 && s->left[d] == 0 && s->leaders[d] == 0 && !first) {
            return d;
        }
    }
    return -1;
}

static int64_t least_of(const struct skr_victim_need *need, const struct sums *s, bool before)
{
    int64_t least = INT64_MAX;
    for (int32_t d = 0; d < need->n_domains; d++) {
        const int64_t total = (int64_t)s->left[d] + s->counted[d] + (before ? s->gone[d] : 0);
        least = total < least ? total : least;
    }
    return need->n_domains < need->min_domains ? 0 : least;
}

/* A skew that is there with the pods of the victims, too, is not theirs. */
static int32_t broken_spread(const struct skr_victim_need *need, const struct sums *s)
{
    const int64_t least = least_of(need, s, false), least_before = least_of(need, s, true);
    for (int32_t d = 0; d < need->n_domains; d++) {
        const int64_t total = (int64_t)s->left[d] + s->counted[d];
        if (s->bound[d] > 0 && total > least + need->max_skew &&
            total + s->gone[d] <= least_before + need->max_skew) {
            return d;
        }
    }
    return -1;
}

/* The first domain where the need is broken; -1: it holds. */
static int32_t broken(const struct skr_victim_need *need, const struct sums *s)
{
    for (int32_t d = 0; d < need->n_domains && need->strict; d++) {
        if (s->bound[d] > 0 && s->gone[d] > 0) {
            return d;
        }
    }
    return need->strict                    ? -1
           : need->kind == SKR_DOMAIN_SKEW ? broken_spread(need, s)
                                           : broken_affinity(need, s);
}

/* The gift goes with the victim. */
static bool goes_with(const struct skr_victims_problem *in, const struct skr_victim_gift *gift,
                      size_t victim)
{
    const struct skr_victim *of = &in->victim[gift->victim];
    return gift->victim == victim || (of->kind == SKR_VICTIM_SURPLUS && of->surplus_of >= 0 &&
                                      (size_t)of->surplus_of == victim);
}

static bool goes(const struct skr_victims_problem *in, const struct skr_victim_gift *gift,
                 const size_t *victim, size_t n)
{
    size_t i = 0;
    while (i < n && !goes_with(in, gift, victim[i])) {
        i++;
    }
    return i < n;
}

bool skr_victims_needs_hold(const struct skr_victims_problem *in, const size_t *victim, size_t n,
                            const struct skr_solution *solution, size_t *ret_need,
                            int32_t *ret_domain)
{
    int32_t where = -1;
    for (size_t k = 0; k < in->n_needs && where < 0; k++) {
        const struct skr_victim_need *need = &in->need[k];
        const size_t size = (size_t)need->n_domains + 1;
        SKR_AUTO_FREE int32_t *memory = skr_alloc_array(5 * size, sizeof *memory);
        struct sums s = {memory, memory + size, memory + 2 * size, memory + 3 * size,
                         memory + 4 * size};
        memcpy(s.left, need->others, (size_t)need->n_domains * sizeof *s.left);
        for (size_t i = 0; i < need->n_gifts; i++) {
            const struct skr_victim_gift *gift = &need->gift[i];
            (goes(in, gift, victim, n) ? s.gone : s.left)[gift->domain] += gift->pods;
        }
        add_solution(in->problem, need, solution, &s);
        where = broken(need, &s);
        if (where >= 0 && ret_need) {
            *ret_need = k;
            *ret_domain = where;
        }
    }
    return where < 0;
}

/* ---- the searches ---- */

struct searches {
    struct skr_victims_problem in;
    struct skr_problem problem; /* in.problem */
    struct skr_roles roles;     /* problem.roles */
    struct skr_role role[SKR_ROLES_MAX];
    uint8_t *kept; /* in.kept */
    int (*find)(const struct skr_victims_problem *, struct skr_victims **, struct skr_error *);
    struct skr_victims *best; /* the best answer; NULL: none yet */
    struct skr_victims *last; /* one that is none, with a reason; NULL: none yet */
    int32_t searches, solved; /* that are left, and that were made */
    struct skr_victims_stats stats;
};

static int64_t highest(const struct skr_victims_problem *in, const struct skr_victims *v)
{
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < v->n; i++) {
        const struct skr_victim *of = &in->victim[v->victim[i]];
        most = of->kind == SKR_VICTIM_GROUP && of->priority > most ? of->priority : most;
    }
    return most;
}

static bool costs_less(const struct skr_victims_problem *in, const struct skr_victims *a,
                       const struct skr_victims *b)
{
    const int64_t x = highest(in, a), y = highest(in, b);
    return x != y                     ? x < y
           : a->groups != b->groups   ? a->groups < b->groups
           : a->members != b->members ? a->members < b->members
                                      : a->n < b->n;
}

static void keep_answer(struct skr_victims **at, struct skr_victims *v)
{
    skr_victims_destroy(*at);
    *at = v;
}

static int descend(struct searches *s, struct skr_error *error);

/* Without the victim. */
static int without(struct searches *s, size_t victim, struct skr_error *error)
{
    s->kept[victim] = 1;
    const int rc = descend(s, error);
    s->kept[victim] = 0;
    return rc;
}

/* A copy of eligible without the leaves of the domain. */
static uint8_t *closed(const struct skr_victim_need *need, int32_t domain, const uint8_t *eligible,
                       size_t leaves)
{
    uint8_t *ret = skr_alloc(leaves + 1);
    for (size_t i = 0; i < leaves; i++) {
        ret[i] = need->domain[i] == domain ? 0 : !eligible || eligible[i];
    }
    return ret;
}

/* Without the domain, for the members that the need binds. */
static int elsewhere(struct searches *s, const struct skr_victim_need *need, int32_t domain,
                     struct skr_error *error)
{
    const size_t leaves = (size_t)s->problem.tree->n_leaves;
    const uint8_t *eligible = s->problem.eligible, *of_role[SKR_ROLES_MAX] = {NULL};
    for (size_t r = 0; r < s->roles.n_roles; r++) {
        of_role[r] = s->role[r].eligible;
        s->role[r].eligible =
            skr_victim_need_binds(need, r) ? closed(need, domain, of_role[r], leaves) : of_role[r];
    }
    if (s->roles.n_roles == 0) {
        s->problem.eligible = closed(need, domain, eligible, leaves);
    }
    const int rc = descend(s, error);
    if (s->roles.n_roles == 0) {
        free((void *)(uintptr_t)s->problem.eligible);
        s->problem.eligible = eligible;
    }
    for (size_t r = 0; r < s->roles.n_roles; r++) {
        if (s->role[r].eligible != of_role[r]) {
            free((void *)(uintptr_t)s->role[r].eligible);
            s->role[r].eligible = of_role[r];
        }
    }
    return rc;
}

/* The answer breaks the need in the domain: searches again, for one that does not. */
static int search_on(struct searches *s, const struct skr_victims *broken_answer,
                     const struct skr_victim_need *need, int32_t domain, struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < broken_answer->n && rc == 0; i++) {
        bool gives = false;
        for (size_t k = 0; k < need->n_gifts && !gives; k++) {
            const struct skr_victim_gift *gift = &need->gift[k];
            gives = goes_with(&s->in, gift, broken_answer->victim[i]) &&
                    (need->kind == SKR_DOMAIN_SKEW || gift->domain == domain);
        }
        rc = gives ? without(s, broken_answer->victim[i], error) : 0;
    }
    return rc == 0 ? elsewhere(s, need, domain, error) : rc;
}

static void count(struct searches *s, const struct skr_victims *v)
{
    s->stats.steps += v->stats.steps;
    s->stats.tests += v->stats.tests;
    s->stats.leaves += v->stats.leaves;
    s->stats.solves += v->stats.solves;
    s->in.step_budget -= v->stats.steps < s->in.step_budget ? v->stats.steps : s->in.step_budget;
}

static int descend(struct searches *s, struct skr_error *error)
{
    struct skr_victims *found = NULL;
    size_t need;
    int32_t domain;
    if (s->searches == 0) {
        return 0;
    }
    s->searches--;
    s->solved++;
    int rc = s->find(&s->in, &found, error);
    if (rc < 0) {
        return rc;
    }
    count(s, found);
    const bool suffices =
        found->status == SKR_VICTIMS_FOUND || found->status == SKR_VICTIMS_NOT_NEEDED;
    if (!suffices) { /* that the steps ran out says less than that nothing suffices */
        const bool says_more = !s->last || found->status == SKR_VICTIMS_TIMEOUT;
        says_more ? keep_answer(&s->last, found) : skr_victims_destroy(found);
    } else if (s->best && !costs_less(&s->in, found, s->best)) {
        skr_victims_destroy(found);
    } else if (skr_victims_needs_hold(&s->in, found->victim, found->n, found->solution, &need,
                                      &domain)) {
        keep_answer(&s->best, found);
    } else {
        rc = search_on(s, found, &s->in.need[need], domain, error);
        skr_victims_destroy(found);
    }
    return rc;
}

static void begin(struct searches *s)
{
    s->problem = *s->in.problem;
    if (s->problem.roles) {
        s->roles = *s->problem.roles;
        memcpy(s->role, s->roles.role, s->roles.n_roles * sizeof *s->role);
        s->roles.role = s->role;
        s->problem.roles = &s->roles;
    }
    s->in.problem = &s->problem;
    s->in.kept = s->kept;
    s->in.step_budget = s->in.step_budget < 0 ? SKR_VICTIMS_STEPS_MAX : s->in.step_budget;
}

int skr_victims_needs_search(const struct skr_victims_problem *in,
                             int (*find)(const struct skr_victims_problem *, struct skr_victims **,
                                         struct skr_error *),
                             struct skr_victims **ret, struct skr_error *error)
{
    struct searches *s = skr_alloc(sizeof *s);
    SKR_AUTO_FREE uint8_t *kept = skr_alloc(in->n_victims + 1);
    *s = (struct searches){.in = *in, .kept = kept, .find = find, .searches = SEARCHES_MAX};
    begin(s);
    const int rc = descend(s, error);
    struct skr_victims *answer = s->best ? s->best : s->last;
    if (rc == 0 && !answer) { /* all that suffice break a need, as far as was searched */
        answer = skr_alloc(sizeof *answer);
        answer->status = SKR_VICTIMS_TIMEOUT;
    }
    if (rc == 0 && s->solved > 1) {
        answer->cheapest = answer->optimal = false;
        answer->groups_proven = 0;
    }
    if (rc == 0 && s->searches == 0 && answer->status == SKR_VICTIMS_INSUFFICIENT) {
        answer->status = SKR_VICTIMS_TIMEOUT;
    }
    skr_victims_destroy(answer == s->best ? s->last : s->best);
    if (rc < 0) {
        skr_victims_destroy(answer);
        free(s);
        return rc;
    }
    answer->stats = s->stats;
    *ret = answer;
    free(s);
    return 0;
}
