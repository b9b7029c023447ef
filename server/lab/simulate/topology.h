/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_TOPOLOGY_H
#define SKR_SERVER_LAB_SIMULATE_TOPOLOGY_H
/* What an input says about the topology, before anything is run. */
#include "server/lab/simulate/input.h"

/* Topology maps count in one namespace only: usual, unless the input has them elsewhere alone; then
 * the first of those, borrowed from the input, with a note. Warns of malformed maps as below. */
const char *skr_simulate_topology_namespace(const struct skr_simulate_input *input,
                                            const char *usual, struct skr_strbuf *notes);

/* A warning for each map in the namespace that is malformed, with the defect that the daemon writes
 * into it. If there is no map: a warning with the number of nodes without the rack label, those of
 * steps included, when other nodes have it. */
void skr_simulate_topology_warn(const struct skr_simulate_input *input, const char *namespace_,
                                struct skr_strbuf *notes);

/* Whether a tree of the input has the level, or none can be known: maps are malformed, or a
 * Scenario brings or changes one. Without maps the tree is the one derived from the nodes. When
 * not, why says so, and which levels there are. O(size of the input). */
bool skr_simulate_topology_has_level(const struct skr_simulate_input *input, const char *level,
                                     struct skr_strbuf *why);

#endif
