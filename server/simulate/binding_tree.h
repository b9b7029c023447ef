/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SIMULATE_BINDING_TREE_H
#define SKR_SERVER_SIMULATE_BINDING_TREE_H
/* Where the replicas of a binding are: provider, region, zone and cluster as a tree. */
#include "core/propagation/decision.h"
#include "topology/base/strbuf.h"

struct skr_binding_tree_row {
    const struct skr_member_cluster *cluster; /* NULL: it is not known */
    const char *name;
    int64_t replicas;
};

/* A level that no cluster has is left out; a cluster without one stands beside the groups. Sorts
 * rows. ascii: no box drawing. */
void skr_binding_tree_write(const char *title, struct skr_binding_tree_row *row, size_t n,
                            bool ascii, struct skr_strbuf *out);

#endif
