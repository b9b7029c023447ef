/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_ROLE_GRAPH_H
#define SKR_CORE_SOLVER_ROLES_ROLE_GRAPH_H
/* What is known of the best placements of a level of roles before it is weighed. Internal to the
 * solver; memory of the run. */
#include "core/solver/choice_graph.h"
#include "core/solver/roles/role_sets.h"
#include "core/solver/weight_words.h"

/* Lower bounds of the first word of all ports of the level into their weights. */
bool skr_role_bound_ports(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The amounts of graph->narrow, which it chooses, that spans need for the wanted ports of the level. */
bool skr_role_narrow(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The least weight that the dense pass found for the port: exact, or a better bound. */
void skr_role_port_found(struct skr_port *port, const struct skr_words *words, int64_t weight);

#endif
