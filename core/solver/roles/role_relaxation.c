/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relaxations of a problem with roles: the smallest sets of atoms that have to be dropped. As in
 * core/solver/relaxation.c all sets of one atom are tried, then all of two, and so on. Numbers of a
 * level that is hard count only without hard. Every trial is an exact run.
 */
#include <string.h>

#include "core/solver/atom_sets.h"
#include "core/solver/roles/role_explain.h"

enum { ATOMS_MAX = SKR_LEVELS_MAX * SKR_RELAXATION_KIND_COUNT * (SKR_ROLES_MAX + 1) + 8 };

struct search {
    const struct skr_problem *problem;
    int64_t *steps;
    int64_t trials; /* left */
    struct skr_role_atom atom[ATOMS_MAX];
    struct skr_atom_sets sets;
    struct skr_roles_explanation *ret;
};

static void list_atoms(struct search *s)
{
    const struct skr_roles *roles = s->problem->roles;
    for (int32_t role = -1; role < (int32_t)roles->n_roles; role++) {
        for (int32_t level = s->problem->tree->n_levels; level >= 1; level--) {
            const struct skr_role *own = role >= 0 ? &roles->role[role] : NULL;
            if (own && (!own->rule || !own->has_rule || !own->has_rule[level - 1])) {
                continue;
            }
            const struct skr_rule *rule =
                own ? &own->rule[level - 1] : &s->problem->rule[level - 1];
            for (int kind = 0; kind < SKR_RELAXATION_KIND_COUNT; kind++) {
                if (skr_rule_has(rule, (enum skr_relaxation_kind)kind)) {
                    s->atom[s->sets.n_atoms++] =
                        (struct skr_role_atom){.what = SKR_ROLE_ATOM_RULE,
                                               .role = role,
                                               .level = level,
                                               .rule = (enum skr_relaxation_kind)kind};
                }
            }
        }
    }
    for (int what = SKR_ROLE_ATOM_EXCLUSIVE; what <= SKR_ROLE_ATOM_SETS; what++) {
        for (size_t k = 0; k < roles->n_kinds; k++) {
            if (what == SKR_ROLE_ATOM_SETS || roles->kind[k].exclusive) {
                s->atom[s->sets.n_atoms++] = (struct skr_role_atom){
                    .what = (enum skr_role_atom_kind)what, .role = -1, .set_kind = (int32_t)k};
            }
        }
    }
}

/* Leaves the kind without effect: sets of nothing are dropped by the caller. */
static void drop(struct skr_role_variant *v, const struct skr_role_atom *atom)
{
    if (atom->what == SKR_ROLE_ATOM_EXCLUSIVE) {
        v->kind[atom->set_kind].exclusive = false;
    } else if (atom->what == SKR_ROLE_ATOM_SETS) {
        memset(v->kind[atom->set_kind].each, 0, sizeof v->kind[0].each);
    } else {
        skr_rule_drop(atom->role < 0 ? &v->rule[atom->level - 1]
                                     : &v->own[atom->role][atom->level - 1],
                      atom->rule);
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

/* Whether an atom of the set does nothing: a number that hard voids, hard not being in the set;
 * exclusive sets that are no sets. */
static bool is_idle(const struct search *s, int32_t n_picked)
{
    const struct skr_roles *roles = s->problem->roles;
    for (int32_t i = 0; i < n_picked; i++) {
        const struct skr_role_atom *atom = &s->atom[s->sets.pick[i]];
        const struct skr_rule *rule = NULL;
        if (atom->what == SKR_ROLE_ATOM_RULE) {
            rule = atom->role < 0 ? &s->problem->rule[atom->level - 1]
                                  : &roles->role[atom->role].rule[atom->level - 1];
        }
        bool voided = rule && rule->hard && atom->rule != SKR_RELAX_HARD;
        for (int32_t j = 0; j < n_picked; j++) {
            const struct skr_role_atom *other = &s->atom[s->sets.pick[j]];
            if (other->what == SKR_ROLE_ATOM_RULE && other->role == atom->role &&
                other->level == atom->level && other->rule == SKR_RELAX_HARD) {
                voided = false;
            }
            if (atom->what == SKR_ROLE_ATOM_EXCLUSIVE && other->what == SKR_ROLE_ATOM_SETS &&
                other->set_kind == atom->set_kind) {
                return true;
            }
        }
        if (voided) {
            return true;
        }
    }
    return false;
}

static void try_set(void *context)
{
    struct search *s = context;
    int32_t n_picked = s->sets.n_picked;
    if (is_idle(s, n_picked)) {
        return;
    }
    struct skr_role_variant v;
    skr_role_variant_init(&v, s->problem);
    for (int32_t i = 0; i < n_picked; i++) {
        drop(&v, &s->atom[s->sets.pick[i]]);
    }
    drop_empty_kinds(&v);
    enum skr_role_verdict verdict =
        s->trials-- > 0 ? skr_role_feasible(&v.problem, s->steps) : SKR_ROLE_BEYOND;
    if (verdict == SKR_ROLE_PLACED && s->sets.found < SKR_RELAXATIONS_MAX) {
        struct skr_role_relaxation *to = &s->ret->relaxation[s->sets.found++];
        to->n_atoms = (size_t)n_picked;
        for (int32_t i = 0; i < n_picked; i++) {
            to->atom[i] = s->atom[s->sets.pick[i]];
        }
    } else if (verdict != SKR_ROLE_INFEASIBLE) {
        s->sets.stopped = true;
    }
}

bool skr_role_explain_relaxations(const struct skr_problem *problem, int64_t *steps,
                                  struct skr_solution *solution)
{
    struct skr_roles_explanation *ret = &solution->roles->explanation;
    struct search s = {.problem = problem, .steps = steps, .ret = ret};
    s.trials = problem->step_budget < 0 ? SKR_RELAXATION_STEPS_MAX : problem->step_budget;
    ret->relaxation =
        skr_arena_array(solution->arena, SKR_RELAXATIONS_MAX, sizeof *ret->relaxation);
    if (!ret->relaxation) {
        return false;
    }
    list_atoms(&s);
    skr_atom_sets_walk(&s.sets, try_set, &s);
    ret->n_relaxations = s.sets.found;
    if (!s.sets.stopped) {
        solution->explanation.parts |= SKR_EXPLAIN_RELAXATIONS;
    }
    return true;
}
