/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_TREE_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_TREE_H
/* Where the decisions of Placements are: the values of their spread constraints as a tree. */
#include "server/lab/simulate/placement.h"

/* Placements of the namespace (NULL: all) as their PlacementDecisions say: domains with how many of
 * their clusters are decided, clusters with the object that names them. A value that a cluster does
 * not have is <none>, and so are the levels below; a cluster that is not there is reported. ascii: no
 * box drawing. Cost: sorting the decisions of each. */
void skr_placement_tree_write(struct skr_fleet_input *input, const char *namespace_, bool ascii,
                              struct skr_strbuf *out);

#endif
