/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_EXPLAIN_H
#define SKR_CORE_SOLVER_EXPLAIN_H
/*
 * What is reported beside the answer itself, as far as the problem asks for it. Internal to the
 * solver. explain.c puts the explanation together; each part has a file of its own. A part that
 * meets a limit is not marked in `parts`; that is no failure.
 */
#include "core/solver/feasible_sets.h"
#include "core/solver/roles/role_variant.h"

/* run->n is not in S(root) of feasible. False when the run had to stop before the class, the
 * largest size and the bottleneck were found. */
bool skr_explain_infeasible(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret);
/* The solution has its counts and key. */
void skr_explain_placed(struct skr_run *run, const struct skr_feasible *feasible,
                        struct skr_solution *solution);

/* ---- the parts; run->n is not in S(root) of feasible, except for keys ---- */

/* explain.c: class, closed and deciding level. Of equal members: in their run, whose sets and whose
 * sum of fits, in *ret, are known; of roles: run and feasible are NULL, and it takes from *steps.
 * False when the run had to stop, or without memory. */
bool skr_explain_class(const struct skr_problem *problem, struct skr_run *run,
                       const struct skr_feasible *feasible, int64_t *steps,
                       struct skr_explanation *ret);
/* Whether a variant of equal members is feasible, by an inner run; why that had to stop. base: the
 * sets of the run, from which the variant differs by rules of levels 1 .. deepest alone; NULL: it
 * differs otherwise. */
enum skr_run_stop skr_explain_equal(struct skr_run *run, const struct skr_feasible *base,
                                    int32_t deepest, struct skr_role_variant *variant, bool *ret);
/* bottleneck.c: the units of the deciding level ret->level > 0 that are short. False when the
 * run had to stop. */
bool skr_bottlenecks_find(struct skr_run *run, const struct skr_feasible *sets,
                          struct skr_explanation *ret);
/* relaxation.c: minimal sets of rules without which n is feasible. The sum of fits is in *ret. */
void skr_relaxations_find(struct skr_run *run, const struct skr_feasible *feasible,
                          struct skr_explanation *ret);
/* The same of a problem with roles that is infeasible, though not for want of room alone. Takes from
 * *steps. */
void skr_role_relaxations_find(const struct skr_problem *problem, int64_t *steps,
                               struct skr_explanation *ret);
/* missing_slots.c: the least number of slots that would have to be added to these leaves, and
 * where. Class and sum of fits are in *ret. */
void skr_missing_slots_find(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                            struct skr_explanation *ret);
/* best_key.c: best_alone and best_empty of a placed solution. */
void skr_best_keys_find(struct skr_run *run, struct skr_solution *solution);

#endif
