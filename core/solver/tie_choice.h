/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_TIE_CHOICE_H
#define SKR_CORE_SOLVER_TIE_CHOICE_H
/* The last step: one of the optimal placements, by the rule for ties. Internal to the solver. */
#include "core/solver/choice_graph.h"
#include "core/solver/feasible_sets.h"

/* Members of each role in a state of a unit. */
typedef void skr_members_fn(const void *context, const struct skr_graph_node *unit,
                            const struct skr_state *state, int32_t *ret);

/* A walk through the states of sibling sets, whose units it gives their members. */
struct skr_chooser {
    int32_t n_roles; /* at most SKR_ROLES_MAX */
    skr_members_fn *members_of;
    const void *context;
    int32_t *stack;   /* room for the candidates of all spans between a set and one unit */
    int32_t *members; /* [met so far][n_roles] */
    int32_t n;        /* met so far */
};

/* False when the run had to stop. */
bool skr_chooser_init(const struct skr_graph *graph, int32_t n_roles, skr_members_fn *members_of,
                      const void *context, struct skr_chooser *ret);
/* The members of the units of a set that holds what its port says, in tree order: of all optimal
 * placements the one whose units have the greatest values, from left to right. The value of a unit is
 * its members in sum, then those of each role. */
void skr_choose_set(struct skr_chooser *chooser, const struct skr_ports *set, int32_t port);

/* Counts of all units (of the levels that were opened) into total[tree->n_units]: at every sibling
 * set the lexicographically greatest vector of child counts, the root's set first. False when the
 * run had to stop. */
bool skr_tie_choose(const struct skr_graph *graph, const struct skr_feasible *feasible,
                    int32_t *total);

#endif
