/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_KEYS_H
#define SKR_CORE_SOLVER_ROLE_KEYS_H
/* Keys of placements of roles, and their order. Internal to the solver. */
#include "core/solver/roles.h"

struct skr_role_keys {
    int32_t *sum;                             /* [leaf] members of all roles */
    struct skr_level_key *group;              /* [n_levels] */
    struct skr_level_key *own[SKR_ROLES_MAX]; /* [n_levels]; NULL: the role has no rule */
};

/* Keys of the counts [role * n_leaves + leaf], in arena. False without memory. */
bool skr_role_keys_make(const struct skr_problem *problem, const int32_t *count,
                        struct skr_arena *arena, struct skr_role_keys *ret);
/* < 0: a is better, 0: equal. */
int skr_role_keys_compare(const struct skr_problem *problem, const struct skr_role_keys *a,
                          const struct skr_role_keys *b);

#endif
