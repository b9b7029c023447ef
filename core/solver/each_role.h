/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_EACH_ROLE_H
#define SKR_CORE_SOLVER_EACH_ROLE_H
/*
 * The roles of any problem, and of its answer. Members that are all equal are one role, without a
 * name and without rules of its own: so callers read all groups alike.
 */
#include "core/solver/roles.h"

static inline size_t skr_problem_n_roles(const struct skr_problem *p)
{
    return p->roles ? p->roles->n_roles : 1;
}

/* r < skr_problem_n_roles(). Its pointers are those of the problem. */
static inline struct skr_role skr_problem_role(const struct skr_problem *p, size_t r)
{
    return p->roles ? p->roles->role[r]
                    : (struct skr_role){.n = p->n,
                                        .minimum = p->n,
                                        .demand = p->demand,
                                        .eligible = p->eligible,
                                        .emptied = p->emptied,
                                        .claimed = p->claimed};
}

/* PLACED: [leaf] members of the role, claims included. */
static inline const int32_t *skr_solution_of_role(const struct skr_solution *s,
                                                  const struct skr_tree *tree, size_t r)
{
    return s->roles ? &s->roles->count[r * (size_t)tree->n_leaves] : s->count;
}

/* PLACED: new members of the role on the leaf. */
static inline int32_t skr_solution_added(const struct skr_problem *p, const struct skr_solution *s,
                                         size_t r, int32_t leaf)
{
    const struct skr_role role = skr_problem_role(p, r);
    return skr_solution_of_role(s, p->tree, r)[leaf] - skr_role_claimed(&role, leaf);
}

/* The same of all roles. */
static inline int32_t skr_solution_more(const struct skr_problem *p, const struct skr_solution *s,
                                        int32_t leaf)
{
    int32_t more = 0;
    for (size_t r = 0; r < skr_problem_n_roles(p); r++) {
        more += skr_solution_added(p, s, r, leaf);
    }
    return more;
}

#endif
