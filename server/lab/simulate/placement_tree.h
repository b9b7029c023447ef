/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_TREE_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_TREE_H
/* The decisions of Placements, with the values of their spread constraints as a tree. */
#include "server/lab/simulate/placement.h"

/* Placements of the namespace (NULL: all) by their PlacementDecisions: domains with the number
 * of decided clusters, clusters with the object that names them. A missing value is <none>, as
 * are the levels below; a missing cluster is reported. ascii: no box drawing. Sorts the
 * decisions of each. */
void skr_placement_tree_write(struct skr_fleet_input *input, const char *namespace_, bool ascii,
                              struct skr_strbuf *out);

#endif
