/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of placements: level by level from the top, first the own keys in role order, then that of
 * the group. */
#include "core/solver/role_keys.h"

#include "core/solver/placement_key.h"

static bool has_rule(const struct skr_problem *problem, size_t r, int32_t level)
{
    const struct skr_role *role = &problem->roles->role[r];
    return role->rule && role->has_rule && role->has_rule[level - 1] != 0;
}

bool skr_role_keys_make(const struct skr_problem *problem, const int32_t *count,
                        struct skr_arena *arena, struct skr_role_keys *ret)
{
    const struct skr_tree *tree = problem->tree;
    size_t n_leaves = (size_t)tree->n_leaves;
    *ret = (struct skr_role_keys){.sum = skr_arena_array(arena, n_leaves, sizeof *ret->sum)};
    for (size_t r = 0; r < problem->roles->n_roles && ret->sum; r++) {
        for (size_t leaf = 0; leaf < n_leaves; leaf++) {
            ret->sum[leaf] += count[r * n_leaves + leaf];
        }
    }
    ret->group = ret->sum ? skr_placement_key(tree, ret->sum, arena) : NULL;
    bool done = ret->group;
    for (size_t r = 0; done && r < problem->roles->n_roles; r++) {
        bool any = false;
        for (int32_t level = 1; level <= tree->n_levels; level++) {
            any = any || has_rule(problem, r, level);
        }
        if (any) {
            ret->own[r] = skr_placement_key(tree, count + r * n_leaves, arena);
            done = ret->own[r];
        }
    }
    return done;
}

int skr_role_keys_compare(const struct skr_problem *problem, const struct skr_role_keys *a,
                          const struct skr_role_keys *b)
{
    for (int32_t level = 1; level <= problem->tree->n_levels; level++) {
        int order = 0;
        for (size_t r = 0; order == 0 && r < problem->roles->n_roles; r++) {
            if (has_rule(problem, r, level)) {
                const struct skr_rule *rule = &problem->roles->role[r].rule[level - 1];
                order = rule->silent ? 0
                                     : skr_level_key_compare(rule->type, &a->own[r][level - 1],
                                                             &b->own[r][level - 1]);
            }
        }
        const struct skr_rule *rule = &problem->rule[level - 1];
        if (order == 0 && !rule->silent) {
            order = skr_level_key_compare(rule->type, &a->group[level - 1], &b->group[level - 1]);
        }
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

int skr_roles_compare(const struct skr_problem *problem, const struct skr_solution *a,
                      const struct skr_solution *b)
{
    struct skr_role_keys keys[2] = {{.group = a->key}, {.group = b->key}};
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        if (a->roles->size[r] != b->roles->size[r]) {
            return a->roles->size[r] > b->roles->size[r] ? -1 : 1;
        }
    }
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        keys[0].own[r] = a->roles->own_key[r];
        keys[1].own[r] = b->roles->own_key[r];
    }
    return skr_role_keys_compare(problem, &keys[0], &keys[1]);
}
