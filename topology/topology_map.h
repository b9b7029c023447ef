/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_TOPOLOGY_MAP_H
#define SKR_TOPOLOGY_TOPOLOGY_MAP_H
/*
 * The tree as users write it: the topology ConfigMap (keys name, resource-names, level-names,
 * tree), or derived from node labels. Every finding of the validation table in docs/reference.md is
 * reported with the key and "line:column" inside its value. Malformed refuses the map as a whole.
 */
#include "topology/base/strbuf.h"
#include "topology/defect.h"
#include "topology/object.h"
#include "topology/tree.h"

#define SKR_TOPOLOGY_LABEL "sakkara.topology"      /* marks the ConfigMap; value ignored */
#define SKR_RACK_LABEL     "sakkara.topology.rack" /* on nodes: rack of a derived tree */

enum {
    SKR_TOPOLOGY_TEXT_MAX = 32 * 1024 * 1024, /* bytes of one value of the map */
    SKR_RESOURCE_NAME_MAX = 317,              /* bytes: prefix 253, slash, name 63 */
};

struct skr_topology_warnings {
    size_t n_uneven;        /* leaves above the deepest level, left out */
    char first_uneven[256]; /* path of the first one, "" when none */
    size_t n_unlabelled;    /* nodes without SKR_RACK_LABEL beside some that have it, left out */
    char first_unlabelled[256]; /* name of the first one in byte order, "" when none */
};

/* data: of the ConfigMap. warnings may be NULL. Errors: SKR_INVALID "tree: 3:14: node "node-3"
 * twice (see 1:9)", SKR_LIMIT. O(size of the text). */
int skr_topology_map_parse(const struct skr_labels *data, struct skr_tree **ret,
                           struct skr_topology_warnings *warnings, struct skr_error *error);

/* The same, for lint: tells every defect and warning it comes across, not the first alone. The
 * error is that of the last defect; needed when defects is not NULL. */
int skr_topology_map_check(const struct skr_labels *data, const struct skr_defects *defects,
                           struct skr_tree **ret, struct skr_topology_warnings *warnings,
                           struct skr_error *error);

/* No ConfigMap: rack over node, made of the nodes with a non-empty SKR_RACK_LABEL; the other nodes
 * are left out. If no node has the label: flat, with one level "node". Units in byte order of names;
 * resources cpu, memory. nodes: n borrowed pointers in any order. n may be 0. warnings may be NULL. */
int skr_topology_derive(const struct skr_node *const *nodes, size_t n, struct skr_tree **ret,
                        struct skr_topology_warnings *warnings, struct skr_error *error);

#define SKR_TOPOLOGY_LABEL_MISSING "LabelMissing" /* nodes are left out of a derived tree */
/* "2 nodes are left out: no label sakkara.topology.rack (level rack), first n4". n >= 1 */
void skr_topology_say_unlabelled(size_t n, const char *first, struct skr_strbuf *b);

#endif
