/* SPDX-License-Identifier: Apache-2.0 */
/* Merges twins and parts them again: see role_twins.h. */
#include "core/solver/role_twins.h"

#include <string.h>

/* Whether nothing but demand and leaves tells its members from others. */
static bool is_plain(const struct skr_problem *problem, size_t r)
{
    const struct skr_roles *roles = problem->roles;
    const struct skr_role *role = &roles->role[r];
    bool plain = role->minimum == role->n;
    for (int32_t l = 0; l < problem->tree->n_levels && role->rule && role->has_rule; l++) {
        plain = plain && role->has_rule[l] == 0;
    }
    for (size_t k = 0; k < roles->n_kinds; k++) {
        plain = plain && roles->kind[k].each[r] == 0;
    }
    for (int32_t i = 0; i < problem->tree->n_leaves && role->claimed && plain; i++) {
        plain = role->claimed[i] == 0;
    }
    return plain;
}

static bool counts_one(uint32_t mask, size_t r)
{
    return (mask >> r & 1) != (mask >> (r + 1) & 1);
}

bool skr_role_twins_alike(const struct skr_problem *problem, size_t r, size_t other)
{
    const struct skr_role *a = &problem->roles->role[r];
    const struct skr_role *b = &problem->roles->role[other];
    bool alike = memcmp(a->demand, b->demand, problem->n_resources * sizeof *a->demand) == 0;
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves && alike; leaf++) {
        alike = skr_role_takes(a, leaf) == skr_role_takes(b, leaf);
    }
    return alike && is_plain(problem, r) && is_plain(problem, other);
}

/* Whether the role and the next one are twins. */
static bool are_twins(const struct skr_problem *problem, size_t r)
{
    const struct skr_roles *roles = problem->roles;
    bool twins = roles->role[r].n <= SKR_SOLVER_MEMBERS_MAX - roles->role[r + 1].n;
    for (size_t c = 0; c < roles->n_caps; c++) {
        twins =
            twins && !counts_one(roles->cap[c].roles, r) && !counts_one(roles->cap[c].against, r);
    }
    for (size_t i = 0; i < roles->n_bounds; i++) {
        twins = twins && !counts_one(roles->bounds[i].roles, r);
    }
    return twins && skr_role_twins_alike(problem, r, r + 1);
}

/* With SKR_TIE_TIGHT the room of the role with most members decides, which must stay the same. */
static bool keeps_ties(const struct skr_problem *problem, const struct skr_role_twins *twins)
{
    const struct skr_roles *roles = problem->roles;
    size_t before = 0;
    size_t after = 0;
    bool full = true;
    for (size_t r = 0; r < roles->n_roles; r++) {
        before = roles->role[r].n > roles->role[before].n ? r : before;
        full = full && roles->role[r].minimum == roles->role[r].n;
    }
    for (size_t r = 0; r < twins->merged.roles.n_roles; r++) {
        after = twins->merged.role[r].n > twins->merged.role[after].n ? r : after;
    }
    return problem->tie_break != SKR_TIE_TIGHT || (full && twins->into[before] == after);
}

bool skr_role_twins_merge(const struct skr_problem *problem, struct skr_role_twins *ret)
{
    const size_t n_roles = problem->roles->n_roles;
    uint32_t kept = 1;
    ret->into[0] = 0;
    for (size_t r = 1; r < n_roles; r++) {
        bool twin = are_twins(problem, r - 1);
        ret->into[r] = ret->into[r - 1] + (twin ? 0 : 1);
        kept |= twin ? 0 : UINT32_C(1) << r;
    }
    if (ret->into[n_roles - 1] + 1 == n_roles) {
        return false;
    }
    skr_role_variant_init(&ret->merged, problem);
    skr_role_variant_drop_roles(&ret->merged, kept);
    for (size_t r = 0; r < ret->merged.roles.n_roles; r++) {
        struct skr_role *role = &ret->merged.role[r];
        const bool full = role->minimum == role->n;
        role->n = 0;
        for (size_t old = 0; old < n_roles; old++) {
            role->n += ret->into[old] == r ? problem->roles->role[old].n : 0;
        }
        role->minimum = full ? role->n : role->minimum;
    }
    ret->merged.problem.n = problem->n;
    return keeps_ties(problem, ret);
}

void skr_role_twins_split(const struct skr_role_twins *twins, const struct skr_problem *problem,
                          int32_t *size, int32_t *count)
{
    const size_t n_leaves = (size_t)problem->tree->n_leaves;
    for (size_t r = problem->roles->n_roles; r-- > 0;) {
        const size_t from = twins->into[r];
        if (r > 0 && twins->into[r - 1] == from) {
            size[r] = problem->roles->role[r].n; /* a twin is complete */
            continue;
        }
        size[r] = size[from];
        if (count && r != from) {
            memmove(count + r * n_leaves, count + from * n_leaves, n_leaves * sizeof *count);
        }
        size_t last = r;
        while (last + 1 < problem->roles->n_roles && twins->into[last + 1] == from) {
            last++;
        }
        /* The first of the twins has the members of all: what is beyond its own goes to the next. */
        for (size_t twin = r; twin < last; twin++) {
            int32_t left = problem->roles->role[twin].n;
            size[twin] = left;
            for (size_t leaf = 0; leaf < n_leaves && count; leaf++) {
                int32_t *own = &count[twin * n_leaves + leaf];
                int32_t kept = *own < left ? *own : left;
                count[(twin + 1) * n_leaves + leaf] = *own - kept;
                *own = kept;
                left -= kept;
            }
        }
    }
}
