/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relaxations: the smallest sets of rules that have to be dropped.
 *
 * An atom is one number, or hard, of one level; with roles also of a rule of a role, and a set kind or
 * its being exclusive. All sets of one atom are tried, then all of two,
 * and so on; the first size with a set that works ends the search, so every set reported is one of
 * the smallest and no part of it suffices. Every trial is a feasibility pass of its own. Of equal
 * members nothing changes below the deepest level that a set touches, and the sets of units there are
 * taken over from the run that was infeasible.
 *
 * Without hard, the other numbers of its level count, as they are written. So they are atoms, too,
 * but only together with hard. A min and max that contradict each other are void and no atoms.
 *
 * Values, of equal members. Sizes only grow with max and shrink with min, so the value nearest to the rule's is found
 * by bisection. A factor must divide n, since every member is in some unit of its level: the
 * divisors are tried, largest first. Partitions are tried by distance, the smaller first.
 *
 * Cost: (trials) x (feasibility pass); trials are the steps of the budget.
 */
#include "core/solver/explain.h"

#include <string.h>

#include "core/solver/atom_sets.h"

enum { ATOMS_MAX = SKR_LEVELS_MAX * SKR_RELAXATION_KIND_COUNT * (SKR_ROLES_MAX + 1) + 8 };

struct search {
    const struct skr_problem *problem;
    struct skr_trial *trial;
    struct skr_relaxation_atom atom[ATOMS_MAX];
    struct skr_atom_sets sets;
    int64_t steps_left;
    struct skr_explanation *ret;
};

/* The rule that an atom drops; NULL: it is no rule. */
static const struct skr_rule *rule_of(const struct search *s,
                                      const struct skr_relaxation_atom *atom)
{
    const struct skr_rule *rules =
        atom->role < 0 ? s->problem->rule : s->problem->roles->role[atom->role].rule;
    return atom->what == SKR_ATOM_RULE ? &rules[atom->level - 1] : NULL;
}

/* The rules of the group (role -1) or of a role, from the deepest level up. */
static void list_rules(struct search *s, int32_t role)
{
    const struct skr_role *own = role >= 0 ? &s->problem->roles->role[role] : NULL;
    for (int32_t level = s->problem->tree->n_levels; level >= 1; level--) {
        if (own && (!own->rule || !own->has_rule || !own->has_rule[level - 1])) {
            continue;
        }
        for (int kind = 0; kind < SKR_RELAXATION_KIND_COUNT; kind++) {
            const struct skr_relaxation_atom atom = {
                .role = role, .level = level, .kind = (enum skr_relaxation_kind)kind};
            if (skr_rule_has(rule_of(s, &atom), atom.kind)) {
                s->atom[s->sets.n_atoms++] = atom;
            }
        }
    }
}

static void list_atoms(struct search *s)
{
    const struct skr_roles *roles = s->problem->roles;
    list_rules(s, -1);
    for (int32_t role = 0; role < (int32_t)roles->n_roles; role++) {
        list_rules(s, role);
    }
    for (int what = SKR_ATOM_EXCLUSIVE; what <= SKR_ATOM_SETS; what++) {
        for (size_t k = 0; k < roles->n_kinds; k++) {
            if (what == SKR_ATOM_SETS || roles->kind[k].exclusive) {
                s->atom[s->sets.n_atoms++] = (struct skr_relaxation_atom){
                    .what = (enum skr_atom_what)what, .role = -1, .set_kind = (int32_t)k};
            }
        }
    }
}

/* ---- trials ---- */

/* Leaves the kind without effect: sets of nothing are dropped by the caller. */
static void drop(struct skr_role_variant *v, const struct skr_relaxation_atom *atom)
{
    if (atom->what == SKR_ATOM_EXCLUSIVE) {
        v->kind[atom->set_kind].exclusive = false;
    } else if (atom->what == SKR_ATOM_SETS) {
        memset(v->kind[atom->set_kind].each, 0, sizeof v->kind[0].each);
    } else {
        skr_rule_drop(atom->role < 0 ? &v->rule[atom->level - 1]
                                     : &v->own[atom->role][atom->level - 1],
                      atom->kind);
    }
}

static void drop_empty_kinds(struct skr_role_variant *v)
{
    size_t n = 0;
    for (size_t k = 0; k < v->roles.n_kinds; k++) {
        bool any = false;
        for (size_t r = 0; r < v->roles.n_roles; r++) {
            any = any || v->kind[k].each[r] > 0;
        }
        if (any) {
            v->kind[n++] = v->kind[k];
        }
    }
    v->roles.n_kinds = n;
}

/* Whether the problem is feasible without the picked atoms; the one at `kept` (-1: none), a rule of
 * the group, gets value instead. False, too, when a limit was met. */
static bool try_set(struct search *s, int32_t kept, int32_t value)
{
    struct skr_role_variant v;
    int32_t deepest = 1;
    if (s->sets.stopped || s->steps_left == 0) {
        s->sets.stopped = true;
        return false;
    }
    s->steps_left--;
    skr_role_variant_init(&v, s->problem);
    for (int32_t i = 0; i < s->sets.n_picked; i++) {
        const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[i]];
        if (i == kept) {
            *skr_rule_number(&v.rule[atom->level - 1], atom->kind) = value;
        } else {
            drop(&v, atom);
        }
        deepest = atom->level > deepest ? atom->level : deepest;
    }
    drop_empty_kinds(&v);
    const enum skr_role_verdict verdict = skr_trial_decide(s->trial, &v, deepest);
    s->sets.stopped = verdict != SKR_ROLE_PLACED && verdict != SKR_ROLE_INFEASIBLE;
    return verdict == SKR_ROLE_PLACED;
}

/* Whether an atom of the set at hand does nothing: a number that hard voids, with hard left in
 * place; exclusive sets that are no sets. */
static bool is_idle(const struct search *s)
{
    for (int32_t i = 0; i < s->sets.n_picked; i++) {
        const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[i]];
        const struct skr_rule *rule = rule_of(s, atom);
        bool idle = rule && rule->hard && atom->kind != SKR_RELAX_HARD;
        for (int32_t j = 0; j < s->sets.n_picked; j++) {
            const struct skr_relaxation_atom *other = &s->atom[s->sets.pick[j]];
            if (other->what == SKR_ATOM_RULE && other->role == atom->role &&
                other->level == atom->level && other->kind == SKR_RELAX_HARD) {
                idle = false;
            }
            idle = idle || (atom->what == SKR_ATOM_EXCLUSIVE && other->what == SKR_ATOM_SETS &&
                            other->set_kind == atom->set_kind);
        }
        if (idle) {
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

/* The value nearest to `bad` that works, by bisection: `good` works, and so does what lies between
 * a value that works and `good`. */
static int32_t nearest_bound(struct search *s, int32_t at, int32_t bad, int32_t good)
{
    int32_t way = good > bad ? 1 : -1;
    while ((good - bad) * way > 1) {
        int32_t mid = bad + (good - bad + way) / 2;
        if (try_set(s, at, mid)) {
            good = mid;
        } else {
            bad = mid;
        }
    }
    return good;
}

static int32_t nearest_factor(struct search *s, int32_t at, int32_t factor)
{
    const int32_t n = s->problem->n;
    int32_t from = factor - 1 < n ? factor - 1 : n;
    for (int32_t f = from; f > 1 && !s->sets.stopped; f--) {
        if (n % f == 0 && try_set(s, at, f)) {
            return f;
        }
    }
    return s->sets.stopped ? 0 : 1;
}

static int32_t nearest_partitions(struct search *s, int32_t at, int32_t level, int32_t partitions)
{
    const struct skr_tree *tree = s->problem->tree;
    int32_t most = 0;
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        most = tree->child_count[p] > most ? tree->child_count[p] : most;
    }
    most = most < s->problem->n ? most : s->problem->n;
    int32_t start = partitions <= most ? 1 : partitions - most;
    for (int32_t by = start; !s->sets.stopped && (by < partitions || by <= most - partitions);
         by++) {
        if (by < partitions && try_set(s, at, partitions - by)) {
            return partitions - by;
        }
        if (by <= most - partitions && try_set(s, at, partitions + by)) {
            return partitions + by;
        }
    }
    return 0;
}

static int32_t nearest_value(struct search *s, int32_t at)
{
    const struct skr_relaxation_atom *atom = &s->atom[s->sets.pick[at]];
    const struct skr_rule *rule = rule_of(s, atom);
    int32_t n = s->problem->n;
    int32_t value = 0;
    switch (atom->kind) {
    case SKR_RELAX_MAX:
        value = nearest_bound(s, at, rule->max < n ? rule->max : n - 1, n);
        break;
    case SKR_RELAX_MIN:
        value = nearest_bound(s, at, rule->min <= n ? rule->min : n + 1, 1);
        break;
    case SKR_RELAX_FACTOR:
        value = nearest_factor(s, at, rule->factor);
        break;
    case SKR_RELAX_PARTITIONS:
        value = nearest_partitions(s, at, atom->level, rule->partitions);
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
    if (is_idle(s) || !try_set(s, -1, 0)) {
        return;
    }
    if (s->sets.found == SKR_RELAXATIONS_MAX) {
        s->sets.stopped = true;
        return;
    }
    struct skr_relaxation *relaxation = &s->ret->relaxation[s->sets.found++];
    relaxation->n_atoms = (size_t)s->sets.n_picked;
    for (int32_t i = 0; i < s->sets.n_picked; i++) {
        relaxation->atom[i] = s->atom[s->sets.pick[i]];
    }
}

static void find_values(struct search *s)
{
    for (size_t i = 0; i < s->ret->n_relaxations; i++) {
        struct skr_relaxation *relaxation = &s->ret->relaxation[i];
        s->sets.n_picked = (int32_t)relaxation->n_atoms;
        for (int32_t a = 0; a < s->sets.n_picked; a++) {
            int32_t at = 0;
            while (s->atom[at].level != relaxation->atom[a].level ||
                   s->atom[at].kind != relaxation->atom[a].kind) {
                at++;
            }
            s->sets.pick[a] = at;
        }
        for (int32_t a = 0; a < s->sets.n_picked && !s->sets.stopped; a++) {
            relaxation->atom[a].value = nearest_value(s, a);
        }
    }
}

void skr_relaxations_find(struct skr_trial *trial, struct skr_explanation *ret)
{
    const struct skr_problem *problem = trial->problem;
    struct search s = {.problem = problem, .trial = trial, .ret = ret};
    s.steps_left = problem->step_budget < 0 ? SKR_RELAXATION_STEPS_MAX : problem->step_budget;
    if (!trial->run || ret->sum_fits >= problem->n) {
        list_atoms(&s); /* else, without any rule, what fits is what is there */
    }
    skr_atom_sets_walk(&s.sets, look_at, &s);
    ret->n_relaxations = s.sets.found;
    if (trial->run) {
        find_values(&s);
    }
    if (!s.sets.stopped) {
        ret->parts |= SKR_EXPLAIN_RELAXATIONS;
    }
}
