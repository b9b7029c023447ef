/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_TOPOLOGY_H
#define SKR_SERVER_LAB_SIMULATE_TOPOLOGY_H
/* The topology in an input, before the run. */
#include "server/lab/simulate/input.h"

/* The namespace of topology maps: usual, unless all maps of the input are in others; then the first
 * of those, borrowed from the input, with a note. Warns of malformed maps as below. */
const char *skr_simulate_topology_namespace(const struct skr_simulate_input *input,
                                            const char *usual, struct skr_strbuf *notes);

/* Warns for each malformed map in the namespace, with the defect that the daemon would write into
 * it. If the tree is one of labels: warns of what is odd about it for the nodes (including those of
 * steps), such as nodes that are left out. */
void skr_simulate_topology_warn(const struct skr_simulate_input *input, const char *namespace_,
                                struct skr_strbuf *notes);

/* Whether a tree of the input has the level, or this cannot be known: maps are malformed, or a
 * Scenario adds or changes one. Without maps the tree is derived from the nodes. If false, why says
 * so and names the levels. O(size of the input). */
bool skr_simulate_topology_has_level(const struct skr_simulate_input *input, const char *level,
                                     struct skr_strbuf *why);

#endif
