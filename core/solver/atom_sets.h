/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ATOM_SETS_H
#define SKR_CORE_SOLVER_ATOM_SETS_H
/* The numbers of a rule that a relaxation may drop, and the walk over sets of atoms: all of one
 * atom, then all of two, and so on. Internal to the solver. */
#include "core/solver/solution.h"
#include "core/solver/solve_run.h"

/* The number of the rule; NULL for hard. */
int32_t *skr_rule_number(struct skr_rule *rule, enum skr_relaxation_kind kind);
/* Whether it does anything, were hard not there. A min and max that contradict each other do not. */
bool skr_rule_has(const struct skr_rule *rule, enum skr_relaxation_kind kind);
/* Drops it. */
void skr_rule_drop(struct skr_rule *rule, enum skr_relaxation_kind kind);

struct skr_atom_sets {
    int32_t n_atoms;
    int32_t n_picked;                       /* atoms of the set at hand */
    int32_t pick[SKR_RELAXATION_ATOMS_MAX]; /* ascending */
    size_t found;                           /* sets that work; counted by look() */
    bool stopped;                           /* by a limit; set by look(), too */
};

/* Calls look() for every set, in order. Ends after a size with a set that works, or if stopped. */
void skr_atom_sets_walk(struct skr_atom_sets *sets, void (*look)(void *context), void *context);

#endif
