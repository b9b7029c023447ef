/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relaxations: the smallest sets of rules that have to be dropped.
 *
 * An atom is one number, or hard, of one level. All sets of one atom are tried, then all of two,
 * and so on; the first size with a set that works ends the search, so every set reported is one of
 * the smallest and no part of it suffices. Every trial is a feasibility pass of its own; below the
 * deepest level that a set touches nothing changes, and the sets of units there are taken over
 * from the run that was infeasible.
 *
 * Without hard, the other numbers of its level count, as they are written. So they are atoms, too,
 * but only together with hard. A min and max that contradict each other are void and no atoms.
 *
 * Values. Sizes only grow with max and shrink with min, so the value nearest to the rule's is found
 * by bisection. A factor must divide n, since every member is in some unit of its level: the
 * divisors are tried, largest first. Partitions are tried by distance, the smaller first.
 *
 * Cost: (trials) x (feasibility pass); trials are the steps of the budget.
 */
#include "core/solver/explain.h"

#include <string.h>

#include "core/solver/atom_sets.h"

enum { ATOMS_MAX = SKR_LEVELS_MAX * SKR_RELAXATION_KIND_COUNT };

struct search {
    struct skr_run *run;
    const struct skr_feasible *base;
    struct skr_relaxation_atom atom[ATOMS_MAX];
    struct skr_atom_sets sets;
    int64_t steps_left;
    struct skr_explanation *ret;
};

static const struct skr_rule *rule_of(const struct search *s, int32_t level)
{
    return &s->run->problem->rule[level - 1];
}

static void list_atoms(struct search *s)
{
    for (int32_t level = s->run->tree->n_levels; level >= 1; level--) {
        for (int kind = 0; kind < SKR_RELAXATION_KIND_COUNT; kind++) {
            if (skr_rule_has(rule_of(s, level), (enum skr_relaxation_kind)kind)) {
                s->atom[s->sets.n_atoms++] = (struct skr_relaxation_atom){
                    .level = level, .kind = (enum skr_relaxation_kind)kind};
            }
        }
    }
}

/* Whether n is feasible, by a pass over the levels that the set touches. */
static bool sizes_hold(struct skr_run *inner, const struct search *s, int32_t deepest, bool *ret)
{
    struct skr_feasible feasible;
    if (!skr_feasible_rebuild(inner, s->run, s->base, deepest, &feasible)) {
        return false;
    }
    *ret = skr_feasible_has(inner, &feasible, inner->n);
    return true;
}

/* Whether n is feasible without the picked atoms; the one at `kept` (-1: none) gets value instead.
 * False in *ret, too, when a limit was met. */
static void try_set(struct search *s, int32_t n_picked, int32_t kept, int32_t value, bool *ret)
{
    *ret = false;
    if (s->sets.stopped || s->steps_left == 0) {
        s->sets.stopped = true;
        return;
    }
    s->steps_left--;
    struct skr_rule rule[SKR_LEVELS_MAX];
    memcpy(rule, s->run->problem->rule, (size_t)s->run->tree->n_levels * sizeof *rule);
    int32_t deepest = 1;
    for (int32_t i = 0; i < n_picked; i++) {
        const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[i]];
        if (i == kept) {
            *skr_rule_number(&rule[atom->level - 1], atom->kind) = value;
        } else {
            skr_rule_drop(&rule[atom->level - 1], atom->kind);
        }
        deepest = atom->level > deepest ? atom->level : deepest;
    }
    struct skr_problem problem = *s->run->problem;
    problem.rule = rule;
    struct skr_run inner;
    s->sets.stopped =
        !skr_run_begin_inner(s->run, &problem, &inner) || !sizes_hold(&inner, s, deepest, ret);
    skr_run_end_inner(s->run, &inner);
    *ret = *ret && !s->sets.stopped;
}

/* Numbers that hard voids, with hard left in place: dropping them does nothing. */
static bool is_idle(const struct search *s, int32_t n_picked)
{
    for (int32_t i = 0; i < n_picked; i++) {
        const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[i]];
        if (atom->kind == SKR_RELAX_HARD || !rule_of(s, atom->level)->hard) {
            continue;
        }
        bool with_hard = false;
        for (int32_t j = 0; j < i; j++) {
            const struct skr_relaxation_atom *other = &s->atom[s->sets.pick[j]];
            with_hard = with_hard || (other->level == atom->level && other->kind == SKR_RELAX_HARD);
        }
        if (!with_hard) {
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

/* The value nearest to `bad` that works, by bisection: `good` works, and so does what lies between
 * a value that works and `good`. */
static int32_t nearest_bound(struct search *s, int32_t n_picked, int32_t at, int32_t bad,
                             int32_t good)
{
    int32_t way = good > bad ? 1 : -1;
    while ((good - bad) * way > 1) {
        int32_t mid = bad + (good - bad + way) / 2;
        bool works = false;
        try_set(s, n_picked, at, mid, &works);
        if (works) {
            good = mid;
        } else {
            bad = mid;
        }
    }
    return good;
}

static int32_t nearest_factor(struct search *s, int32_t n_picked, int32_t at, int32_t factor)
{
    int32_t from = factor - 1 < s->run->n ? factor - 1 : s->run->n;
    for (int32_t f = from; f > 1 && !s->sets.stopped; f--) {
        bool works = false;
        if (s->run->n % f == 0) {
            try_set(s, n_picked, at, f, &works);
        }
        if (works) {
            return f;
        }
    }
    return s->sets.stopped ? 0 : 1;
}

static int32_t nearest_partitions(struct search *s, int32_t n_picked, int32_t at, int32_t level,
                                  int32_t partitions)
{
    const struct skr_tree *tree = s->run->tree;
    int32_t most = 0;
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        most = tree->child_count[p] > most ? tree->child_count[p] : most;
    }
    most = most < s->run->n ? most : s->run->n;
    int32_t start = partitions <= most ? 1 : partitions - most;
    for (int32_t by = start; !s->sets.stopped && (by < partitions || by <= most - partitions);
         by++) {
        bool works = false;
        if (by < partitions) {
            try_set(s, n_picked, at, partitions - by, &works);
            if (works) {
                return partitions - by;
            }
        }
        if (by <= most - partitions) {
            try_set(s, n_picked, at, partitions + by, &works);
            if (works) {
                return partitions + by;
            }
        }
    }
    return 0;
}

static int32_t nearest_value(struct search *s, int32_t n_picked, int32_t at)
{
    const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[at]];
    const struct skr_rule *rule = rule_of(s, atom->level);
    int32_t n = s->run->n;
    int32_t value = 0;
    switch (atom->kind) {
    case SKR_RELAX_MAX:
        value = nearest_bound(s, n_picked, at, rule->max < n ? rule->max : n - 1, n);
        break;
    case SKR_RELAX_MIN:
        value = nearest_bound(s, n_picked, at, rule->min <= n ? rule->min : n + 1, 1);
        break;
    case SKR_RELAX_FACTOR:
        value = nearest_factor(s, n_picked, at, rule->factor);
        break;
    case SKR_RELAX_PARTITIONS:
        value = nearest_partitions(s, n_picked, at, atom->level, rule->partitions);
        break;
    case SKR_RELAX_HARD:
    case SKR_RELAXATION_KIND_COUNT:
    default:
        break;
    }
    return s->sets.stopped ? 0 : value;
}

/* ---- sets ---- */

/* Tries the set at hand; notes it when it works. */
static void look_at(void *context)
{
    struct search *s = context;
    int32_t n_picked = s->sets.n_picked;
    bool works = false;
    if (is_idle(s, n_picked)) {
        return;
    }
    try_set(s, n_picked, -1, 0, &works);
    if (!works) {
        return;
    }
    if (s->sets.found == SKR_RELAXATIONS_MAX) {
        s->sets.stopped = true;
        return;
    }
    struct skr_relaxation *relaxation = &s->ret->relaxation[s->sets.found++];
    relaxation->n_atoms = (size_t)n_picked;
    for (int32_t i = 0; i < n_picked; i++) {
        relaxation->atom[i] = s->atom[s->sets.pick[i]];
    }
}

static void find_values(struct search *s, struct skr_explanation *ret)
{
    for (size_t i = 0; i < ret->n_relaxations; i++) {
        struct skr_relaxation *relaxation = &ret->relaxation[i];
        int32_t n_picked = (int32_t)relaxation->n_atoms;
        for (int32_t a = 0; a < n_picked; a++) {
            int32_t at = 0;
            while (s->atom[at].level != relaxation->atom[a].level ||
                   s->atom[at].kind != relaxation->atom[a].kind) {
                at++;
            }
            s->sets.pick[a] = at;
        }
        for (int32_t a = 0; a < n_picked && !s->sets.stopped; a++) {
            relaxation->atom[a].value = nearest_value(s, n_picked, a);
        }
    }
}

void skr_relaxations_find(struct skr_run *run, const struct skr_feasible *feasible,
                          struct skr_explanation *ret)
{
    struct search s = {.run = run, .base = feasible, .ret = ret};
    int64_t budget = run->problem->step_budget;
    s.steps_left = budget < 0 ? SKR_RELAXATION_STEPS_MAX : budget;
    if (ret->sum_fits >= run->n) { /* without any rule, what fits is what is there */
        list_atoms(&s);
    }
    skr_atom_sets_walk(&s.sets, look_at, &s);
    ret->n_relaxations = s.sets.found;
    find_values(&s, ret);
    if (!s.sets.stopped) {
        ret->parts |= SKR_EXPLAIN_RELAXATIONS;
    }
}
