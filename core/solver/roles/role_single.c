/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One role without sets and caps is a problem of equal members, and is solved as one: the answers
 * are equal in every byte. On a level where both the role and the group have a rule, the numbers of
 * one of them must be unset; the key of the role then decides all that the group's would.
 */

#include "core/solver/roles/role_variant.h"

static bool is_bare(const struct skr_rule *rule)
{
    return !rule->hard && rule->partitions <= 0 && rule->min <= 0 && rule->max <= 0 &&
           rule->factor <= 1;
}

bool skr_role_single(const struct skr_problem *problem, struct skr_rule *rule,
                     struct skr_problem *ret)
{
    const struct skr_roles *roles = problem->roles;
    const struct skr_role *role = &roles->role[0];
    if (roles->n_roles != 1 || roles->n_kinds > 0 || roles->n_caps > 0 || roles->n_bounds > 0 ||
        roles->row_limit > 0) {
        return false;
    }
    for (int32_t l = 0; l < problem->tree->n_levels; l++) {
        const struct skr_rule *group = &problem->rule[l];
        rule[l] = *group;
        if (!role->rule || !role->has_rule || !role->has_rule[l]) {
            continue;
        }
        const struct skr_rule *own = &role->rule[l];
        if (own->silent) {
            return false;
        }
        if (is_bare(group)) {
            rule[l] = *own;
        } else if (is_bare(own)) {
            if (group->hard && group->type != own->type) {
                return false;
            }
            rule[l].type = own->type;
            rule[l].silent = false;
        } else {
            return false;
        }
    }
    *ret = *problem;
    ret->rule = rule;
    ret->roles = NULL;
    ret->demand = role->demand;
    ret->eligible = role->eligible;
    ret->emptied = role->emptied;
    ret->claimed = role->claimed;
    ret->n = role->n;
    return true;
}
