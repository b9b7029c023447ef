/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SOLVER_RIG_H
#define SKR_TEST_UNIT_SOLVER_RIG_H
/*
 * Solver problems small enough to be judged by eye.
 *
 * Trees are written as nested lists of leaves, one letter less deep than they are: "(5,2) (4,2)" is
 * two racks of two nodes, "((2) (2)) ((7))" two zones of racks. A leaf is the number of members it
 * can hold in all; "3[2]" has 2 of these 3 claimed already; "4!" is not eligible. "16/4" has two
 * resources, as all leaves then have.
 */
#include "core/solver/solver.h"

enum { SOLVER_RIG_LEAVES_MAX = 64, SOLVER_RIG_LEVELS = 4 };

struct solver_rig {
    struct skr_tree *tree;
    struct skr_problem problem;
    struct skr_rule rule[SOLVER_RIG_LEVELS];
    int64_t demand[2];
    int64_t free[2 * SOLVER_RIG_LEAVES_MAX];
    int64_t capacity[SOLVER_RIG_LEAVES_MAX];
    uint8_t eligible[SOLVER_RIG_LEAVES_MAX];
    int32_t claimed[SOLVER_RIG_LEAVES_MAX];
};

#define PACK                  \
    {                         \
        .type = SKR_RULE_PACK \
    }
#define SPREAD                  \
    {                           \
        .type = SKR_RULE_SPREAD \
    }
#define PACK_WITH(...)                     \
    {                                      \
        .type = SKR_RULE_PACK, __VA_ARGS__ \
    }
#define SPREAD_WITH(...)                     \
    {                                        \
        .type = SKR_RULE_SPREAD, __VA_ARGS__ \
    }

void solver_rig_init(struct solver_rig *rig, const char *tree, int32_t n);
/* text: "9,9,3,3", of all leaves. */
void solver_rig_set_capacity(struct solver_rig *rig, const char *text);
/* Solves; checks the counts. */
struct skr_solution *solver_rig_solve(const struct solver_rig *rig);
/* solution: NULL allowed. */
void solver_rig_fini(struct solver_rig *rig, struct skr_solution *solution);

#endif
