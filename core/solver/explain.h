/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_EXPLAIN_H
#define SKR_CORE_SOLVER_EXPLAIN_H
/*
 * What is reported beside the answer itself, as far as the problem asks for it. Internal to the
 * solver. explain.c puts the explanation together; each part has a file of its own. A part that
 * meets a limit is not marked in `parts`; that is no failure.
 */
#include "core/solver/feasible_sets.h"
#include "core/solver/role_variant.h"

/* run->n is not in S(root) of feasible. False when the run had to stop before the class, the
 * largest size and the bottleneck were found. */
bool skr_explain_infeasible(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret);
/* The solution has its counts and key. */
void skr_explain_placed(struct skr_run *run, const struct skr_feasible *feasible,
                        struct skr_solution *solution);

/* ---- the parts; run->n is not in S(root) of feasible, except for keys ---- */

/* What decides variants of an infeasible problem. */
struct skr_trial {
    const struct skr_problem *problem;
    struct skr_run *run; /* of equal members: by inner runs of it; NULL: of roles, by exact runs */
    const struct skr_feasible *feasible; /* the sets of run */
    enum skr_run_stop stop;              /* why an inner run had to stop */
    int64_t steps;                       /* of exact runs: left */
};

/* deepest: the variant differs by rules of levels 1 .. deepest alone; -1: otherwise, too. CANCELLED:
 * a limit was met. */
enum skr_role_verdict skr_trial_decide(struct skr_trial *trial, struct skr_role_variant *variant,
                                       int32_t deepest);
/* explain.c: class, closed and deciding level. Of equal members the sum of fits is in *ret. False
 * when the run had to stop, or without memory. */
bool skr_explain_class(struct skr_trial *trial, struct skr_explanation *ret);
/* bottleneck.c: the units of the deciding level ret->level > 0 that are short. False when the
 * run had to stop. */
bool skr_bottlenecks_find(struct skr_run *run, const struct skr_feasible *sets,
                          struct skr_explanation *ret);
/* relaxation.c: minimal sets of rules without which all members fit. Of equal members the sum of
 * fits is in *ret; of roles there is room without rules. */
void skr_relaxations_find(struct skr_trial *trial, struct skr_explanation *ret);
/* missing_slots.c: the least number of slots that would have to be added to these leaves, and
 * where. Class and sum of fits are in *ret. */
void skr_missing_slots_find(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                            struct skr_explanation *ret);
/* best_key.c: best_alone and best_empty of a placed solution. */
void skr_best_keys_find(struct skr_run *run, struct skr_solution *solution);

#endif
