/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_EXACT_H
#define SKR_CORE_SOLVER_ROLE_EXACT_H
/* The exact method for one problem, within limits of rows, steps and bytes. Internal to the solver.
 */
#include "core/solver/role_sets.h"

enum skr_role_verdict {
    SKR_ROLE_PLACED,
    SKR_ROLE_INFEASIBLE,
    SKR_ROLE_BEYOND, /* not decided: a limit was met */
    SKR_ROLE_CANCELLED,
    SKR_ROLE_NO_MEMORY,
};

struct skr_role_exact {
    enum skr_role_verdict verdict;
    bool optimal;                /* PLACED */
    int32_t size[SKR_ROLES_MAX]; /* PLACED, or with part: members of each role */
    bool part;                   /* BEYOND: so many members have a valid placement */
    int32_t *count;              /* PLACED: [role * n_leaves + leaf], by the caller */
    int32_t block;               /* 0 or 1: exact; else a coarse run */
    int64_t steps;               /* at most; what is left afterwards */
    int64_t rows, ports;
    struct skr_solve_stats stats; /* added to */
};

/* Any size between minimum and n that is feasible: the lexicographically greatest in role order.
 * count: NULL, or filled when placed; without it only the sizes are found. */
void skr_role_exact_run(const struct skr_problem *problem, struct skr_role_exact *ret);

/* A placement of the members [n_roles], which are in S(root), without regard to the objective:
 * members[unit * n_roles + role]. Linear in the spans, for each unit. */
bool skr_role_any(struct skr_role_run *rr, const struct skr_feasible *sets, const int32_t *target,
                  int32_t *members);

#endif
