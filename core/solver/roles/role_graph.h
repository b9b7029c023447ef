/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_ROLE_GRAPH_H
#define SKR_CORE_SOLVER_ROLES_ROLE_GRAPH_H
/*
 * The choice graph of roles. A level's first word is weighed for all vectors at once (role_dense.c);
 * states are made only where it is least. Later words are weighed on the states. A port is a vector
 * with all its counters.
 *
 * Internal to the solver; memory of the run.
 */
#include "core/solver/choice_graph.h"
#include "core/solver/roles/role_sets.h"
#include "core/solver/weight_words.h"

/* A sibling set. */
struct skr_role_ports {
    struct skr_ports ports; /* first: see skr_role_set() */
    struct skr_span *all;   /* the ports are those of the span that the feasible sets have */
    struct skr_span **unit; /* [all->n_units] of all, in tree order; equal ones are one span */
};

static inline struct skr_role_ports *skr_role_set(const struct skr_graph_level *level, int32_t i)
{
    return (struct skr_role_ports *)(void *)level->set[i];
}

/* Takes away what no best placement holds, if the first key of the level is of type spread. Ports
 * that are left without a placement are no longer live. False: the run had to stop. */
bool skr_role_spread(struct skr_graph *graph, const struct skr_words *words);

/* The first word of the level for all vectors that wanted ports need; these become exact. */
bool skr_role_dense_weigh(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* Lower bounds of the first word of all ports of the level into their weights. */
bool skr_role_bound_ports(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The amounts of graph->narrow, which it chooses, that spans need for the wanted ports of the level. */
bool skr_role_narrow(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The least weight that the dense pass found for the port: exact, or a better bound. */
void skr_role_port_found(struct skr_port *port, const struct skr_words *words, int64_t weight);

/* A graph with the root's port, which wants the members of the run. It is opened level by level. False:
 * the run had to stop. */
bool skr_role_graph_begin(struct skr_graph *graph, struct skr_role_run *rr,
                          const struct skr_feasible *sets);

#endif
