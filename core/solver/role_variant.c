/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of a problem with roles. */
#include "core/solver/role_variant.h"

#include <string.h>

#include "core/solver/each_role.h"

static void link_parts(struct skr_role_variant *v)
{
    v->problem.roles = &v->roles;
    v->problem.rule = v->rule;
    v->problem.n = 0;
    v->roles.role = v->role;
    v->roles.kind = v->kind;
    v->roles.cap = v->cap;
    v->roles.bounds = v->bounds;
    for (size_t r = 0; r < v->roles.n_roles; r++) {
        v->role[r].rule = v->own[r];
        v->role[r].has_rule = v->has_own[r];
        v->problem.n += v->role[r].n;
    }
}

void skr_role_variant_init(struct skr_role_variant *v, const struct skr_problem *problem)
{
    const struct skr_role equal = skr_problem_role(problem, 0);
    const struct skr_roles one = {.n_roles = 1, .role = &equal};
    const struct skr_roles *roles = problem->roles ? problem->roles : &one;
    size_t n_levels = (size_t)problem->tree->n_levels;
    *v = (struct skr_role_variant){.problem = *problem, .roles = *roles};
    memcpy(v->rule, problem->rule, n_levels * sizeof *v->rule);
    for (size_t r = 0; r < roles->n_roles; r++) {
        const struct skr_role *role = &roles->role[r];
        v->role[r] = *role;
        if (role->rule && role->has_rule) {
            memcpy(v->own[r], role->rule, n_levels * sizeof *v->rule);
            memcpy(v->has_own[r], role->has_rule, n_levels);
        }
    }
    for (size_t k = 0; k < roles->n_kinds; k++) {
        v->kind[k] = roles->kind[k];
    }
    for (size_t c = 0; c < roles->n_caps; c++) {
        v->cap[c] = roles->cap[c];
    }
    for (size_t i = 0; i < roles->n_bounds; i++) {
        v->bounds[i] = roles->bounds[i];
    }
    v->problem.explain = false;
    v->problem.explain_parts = 0;
    link_parts(v);
}

static void set_free(struct skr_rule *rule)
{
    *rule = (struct skr_rule){.type = rule->type, .silent = rule->silent};
}

static void drop_kind(struct skr_role_variant *v, size_t k)
{
    memmove(&v->kind[k], &v->kind[k + 1], (v->roles.n_kinds - k - 1) * sizeof v->kind[0]);
    v->roles.n_kinds--;
}

void skr_role_variant_free_levels(struct skr_role_variant *v, int32_t deepest)
{
    for (int32_t l = 0; l < deepest; l++) {
        set_free(&v->rule[l]);
        for (size_t r = 0; r < v->roles.n_roles; r++) {
            set_free(&v->own[r][l]);
        }
    }
    for (size_t k = v->roles.n_kinds; k-- > 0;) {
        if (v->kind[k].level <= deepest) {
            drop_kind(v, k);
        }
    }
    size_t n = 0;
    for (size_t c = 0; c < v->roles.n_caps; c++) {
        if (v->cap[c].level > deepest) {
            v->cap[n++] = v->cap[c];
        }
    }
    v->roles.n_caps = n;
    n = 0;
    for (size_t i = 0; i < v->roles.n_bounds; i++) {
        if (v->bounds[i].level > deepest) {
            v->bounds[n++] = v->bounds[i];
        }
    }
    v->roles.n_bounds = n;
}

static uint32_t move_mask(uint32_t of, uint32_t mask, size_t n_roles)
{
    uint32_t ret = 0;
    size_t to = 0;
    for (size_t r = 0; r < n_roles; r++) {
        if ((mask >> r & 1) != 0) {
            ret |= (of >> r & 1) << to++;
        }
    }
    return ret;
}

void skr_role_variant_drop_roles(struct skr_role_variant *v, uint32_t mask)
{
    size_t before = v->roles.n_roles;
    size_t n = 0;
    for (size_t r = 0; r < before; r++) {
        if ((mask >> r & 1) == 0) {
            continue;
        }
        v->role[n] = v->role[r];
        memmove(v->own[n], v->own[r], sizeof v->own[n]);
        memmove(v->has_own[n], v->has_own[r], sizeof v->has_own[n]);
        for (size_t k = 0; k < v->roles.n_kinds; k++) {
            v->kind[k].each[n] = v->kind[k].each[r];
        }
        n++;
    }
    v->roles.n_roles = n;
    for (size_t k = v->roles.n_kinds; k-- > 0;) {
        bool any = false;
        for (size_t r = 0; r < SKR_ROLES_MAX; r++) {
            v->kind[k].each[r] = r < n ? v->kind[k].each[r] : 0;
            any = any || v->kind[k].each[r] > 0;
        }
        if (!any) {
            drop_kind(v, k);
        }
    }
    size_t n_caps = 0;
    for (size_t c = 0; c < v->roles.n_caps; c++) {
        struct skr_role_cap cap = v->cap[c];
        cap.roles = move_mask(cap.roles, mask, before);
        cap.against = move_mask(cap.against, mask, before);
        if (cap.roles != 0 && (cap.against != 0 || v->cap[c].against == 0)) {
            v->cap[n_caps++] = cap;
        }
    }
    v->roles.n_caps = n_caps;
    for (size_t i = 0; i < v->roles.n_bounds; i++) {
        v->bounds[i].roles = move_mask(v->bounds[i].roles, mask, before);
    }
    link_parts(v);
}

void skr_role_variant_keep_roles(struct skr_role_variant *v, uint32_t mask)
{
    size_t before = v->roles.n_roles;
    size_t n_bounds = 0;
    for (size_t i = 0; i < v->roles.n_bounds; i++) {
        if ((v->bounds[i].roles & ~mask) == 0) { /* others have lower bounds of dropped roles */
            v->bounds[n_bounds++] = v->bounds[i];
        }
    }
    v->roles.n_bounds = n_bounds;
    skr_role_variant_drop_roles(v, mask);
    size_t n = v->roles.n_roles;
    for (int32_t l = 0; l < v->problem.tree->n_levels && n < before; l++) {
        struct skr_rule *rule = &v->rule[l];
        bool range = !(rule->min > 0 && rule->max > 0 && rule->min > rule->max);
        *rule = (struct skr_rule){.type = rule->type,
                                  .hard = rule->hard,
                                  .silent = rule->silent,
                                  .max = range ? rule->max : 0};
    }
    if (n < before) {
        /* Lower bounds of units are those of the whole group. */
        v->problem.bounds = NULL;
    }
}

enum skr_role_verdict skr_role_feasible(const struct skr_problem *problem, int64_t *steps)
{
    struct skr_role_exact exact = {.steps = *steps};
    skr_role_exact_run(problem, &exact);
    *steps = exact.steps;
    return exact.verdict;
}

/* ---- one role ---- */

static bool is_bare(const struct skr_rule *rule)
{
    return !rule->hard && rule->partitions <= 0 && rule->min <= 0 && rule->max <= 0 &&
           rule->factor <= 1;
}

/* One role without sets and caps is a problem of equal members, and is solved as one: the answers
 * are equal in every byte. On a level where both the role and the group have a rule, the numbers of
 * one of them must be unset; the key of the role then decides all that the group's would. */
bool skr_role_variant_single(struct skr_role_variant *v)
{
    const struct skr_roles *roles = &v->roles;
    const struct skr_role *role = &v->role[0];
    bool single = roles->n_roles == 1 && roles->n_kinds == 0 && roles->n_caps == 0 &&
                  roles->n_bounds == 0 && roles->row_limit == 0;
    for (int32_t l = 0; l < v->problem.tree->n_levels && single; l++) {
        struct skr_rule *rule = &v->rule[l];
        const struct skr_rule *own = &v->own[0][l];
        if (v->has_own[0][l] == 0) {
            continue;
        }
        single = !own->silent &&
                 (is_bare(rule) || (is_bare(own) && !(rule->hard && rule->type != own->type)));
        if (is_bare(rule)) {
            *rule = *own;
        } else {
            rule->type = own->type;
            rule->silent = false;
        }
    }
    if (single) {
        memset(v->has_own[0], 0, sizeof v->has_own[0]);
        v->problem.demand = role->demand;
        v->problem.eligible = role->eligible;
        v->problem.emptied = role->emptied;
        v->problem.claimed = role->claimed;
    }
    return single;
}
