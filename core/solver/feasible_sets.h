/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_FEASIBLE_SETS_H
#define SKR_CORE_SOLVER_FEASIBLE_SETS_H
/*
 * First half of the method: S(u), what the subtree of unit u can hold with all rules below u obeyed,
 * for every unit: totals, or of roles vectors (role_sets.h). The group is feasible when n is in
 * S(root). Functions that speak of totals are for equal members. Internal to the solver; memory of
 * the run.
 */
#include "core/solver/span.h"

/* What a leaf may hold: least[leaf] <= x <= most[leaf] <= n; of roles both are NULL. room: NULL, or
 * the room of each leaf (SKR_TIE_TIGHT). */
struct skr_leaf_bounds {
    int32_t *least, *most, *room;
};

struct skr_feasible {
    struct skr_leaf_bounds leaf;
    struct skr_span **unit;   /* [unit] as a child of its parent; NULL: can hold nothing but 0 */
    struct skr_span **inside; /* [inner unit] its children; NULL: they can hold nothing */
    int64_t *room;            /* [unit] sum over the leaves below; NULL when ties do not ask */
    uint64_t *bits;           /* [n / 64 + 1] working space, all 0 */
    /* NULL, or the rounds of every sibling set (skr_span_all()), which skr_feasible_change() needs;
     * those of unit p begin at pair_first[p]. */
    struct skr_span **pair;
    size_t *pair_first; /* [unit], inner ones */
};

/* False when the run had to stop. The arrays in leaf are borrowed for as long as *ret is used. */
bool skr_feasible_build(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                        struct skr_feasible *ret);
/* The same, and leaves may change afterwards. */
bool skr_feasible_build_kept(struct skr_run *run, const struct skr_leaf_bounds *leaf,
                             struct skr_feasible *ret);
/* The leaf is now as given: changes its bounds and the sets above it. Cost: a merge for every pair
 * of siblings on the way up, which is depth x log(children). */
bool skr_feasible_change(struct skr_run *run, struct skr_feasible *feasible, int32_t leaf,
                         const struct skr_leaf *now);

/* The sets of a run whose laws differ from those of base_run at levels 1 .. deepest only, and whose
 * leaves and n are the same. What lies below is taken from base, which must stay. */
bool skr_feasible_rebuild(struct skr_run *run, const struct skr_run *base_run,
                          const struct skr_feasible *base, int32_t deepest,
                          struct skr_feasible *ret);

/* The bounds of the leaves of the problem, which has the tree and n of the run, and their room
 * where ties ask for it. Memory of the run. */
bool skr_leaf_bounds(struct skr_run *run, const struct skr_problem *problem,
                     struct skr_leaf_bounds *ret);

/* Whether the members [n_roles] are in S(root). */
bool skr_feasible_has(const struct skr_run *run, const struct skr_feasible *feasible,
                      const int32_t *members);

/* Whether the key of a whole sibling set of the level has as many used units as the rules say. */
bool skr_feasible_complete(const struct skr_run *run, int32_t level, uint64_t key);

/* S(unit) into bits[n / 64 + 1]. */
void skr_feasible_totals(const struct skr_run *run, const struct skr_feasible *feasible,
                         int32_t unit, uint64_t *bits);

#endif
