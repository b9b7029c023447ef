/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_TOPOLOGY_MAP_H
#define SKR_TOPOLOGY_TOPOLOGY_MAP_H
/*
 * The tree as users write it: the topology ConfigMap (keys name, resource-names, and either
 * level-names and tree, or levels), or derived from node labels without one. Every finding of the
 * validation table in docs/reference.md is reported with the key and "line:column" inside its value.
 * Malformed refuses the map as a whole.
 */
#include "topology/base/strbuf.h"
#include "topology/defect.h"
#include "topology/device_slices.h"
#include "topology/label_levels.h"
#include "topology/object.h"
#include "topology/tree.h"

#define SKR_TOPOLOGY_LABEL "sakkara.topology"      /* marks the ConfigMap; value ignored */
#define SKR_RACK_LABEL     "sakkara.topology.rack" /* on nodes: rack of a derived tree */

enum {
    SKR_TOPOLOGY_TEXT_MAX = 32 * 1024 * 1024, /* bytes of one value of the map */
    SKR_RESOURCE_NAME_MAX = 317,              /* bytes: prefix 253, slash, name 63 */
};

/* The keys of a topology ConfigMap that users write; NULL at the end. */
extern const char *const skr_topology_map_keys[];

struct skr_topology_warnings {
    size_t n_uneven;        /* leaves above the deepest level, left out */
    char first_uneven[256]; /* path of the first one, "" when none */
};

/* data: of the ConfigMap. warnings may be NULL. *ret: NULL for a valid map with the key levels, whose
 * tree depends on the nodes: skr_map_levels_parse(). Errors: SKR_INVALID "tree: 3:14: node "node-3"
 * twice (see 1:9)", SKR_LIMIT. O(size of the text). */
int skr_topology_map_parse(const struct skr_labels *data, struct skr_tree **ret,
                           struct skr_topology_warnings *warnings, struct skr_error *error);

/* The same, for lint: tells every defect and warning it comes across, not the first alone. The
 * error is that of the last defect; needed when defects is not NULL. */
int skr_topology_map_check(const struct skr_labels *data, const struct skr_defects *defects,
                           struct skr_tree **ret, struct skr_topology_warnings *warnings,
                           struct skr_error *error);

/* ---- trees of labels ---- */

/* What a tree of labels is made by. All zero: without a ConfigMap and without the option. */
struct skr_label_source {
    /* NULL: rack over node, by SKR_RACK_LABEL; if no node has that label, node alone */
    const struct skr_label_levels *levels;
    const char *name;   /* of the tree; NULL: default-tree */
    size_t n_resources; /* 0: cpu, memory */
    const char *const *resource;
    const struct skr_device_slice *const *slice; /* [n_slices], for levels of devices */
    size_t n_slices;
};

/* The keys of a map with the key levels. It owns its texts. */
struct skr_map_levels {
    struct skr_arena *arena;
    struct skr_label_levels levels;
    struct skr_label_source source; /* with these levels */
};
/* *ret: NULL for a map without that key. Errors as skr_topology_map_parse(). */
int skr_map_levels_parse(const struct skr_labels *data, struct skr_map_levels **ret,
                         struct skr_error *error);
void skr_map_levels_destroy(struct skr_map_levels *levels); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_map_levels, skr_map_levels_destroy)

/* What is odd about a tree of labels. Indices are those of the source's levels. */
struct skr_label_findings {
    struct skr_label_levels levels; /* that the tree was made by; its texts are the source's */
    size_t n_nodes, n_left_out;
    size_t first_level;                     /* levels before it are dropped: no node has them */
    size_t n_missing[SKR_LABEL_LEVELS_MAX]; /* nodes left out for this level, the topmost missing */
    char first_missing[SKR_LABEL_LEVELS_MAX][SKR_UNIT_NAME_MAX + 1]; /* byte order; "": none */
    bool empty[SKR_LABEL_LEVELS_MAX]; /* no node has it, and it is not dropped */
    size_t n_uneven
        [SKR_LABEL_LEVELS_MAX]; /* nodes whose devices have several values of its attribute */
    char first_uneven[SKR_LABEL_LEVELS_MAX][SKR_UNIT_NAME_MAX + 1]; /* byte order; "": none */
    size_t n_crossing;  /* values at that level that are below two parents; 0: the levels nest */
    char crossing[640]; /* the sentence about the first of them */
};

/*
 * Makes the tree of the nodes. A unit is its path of values from the top; order is byte order. A
 * node that lacks a level is left out, or takes the value of the nearest level above that it has (at
 * the top: of the nearest below). nodes: n borrowed pointers in any order; n may be 0. findings: NULL
 * allowed. Errors: SKR_LIMIT. O(n log n) comparisons of paths.
 */
int skr_topology_derive(const struct skr_node *const *nodes, size_t n,
                        const struct skr_label_source *source, struct skr_tree **ret,
                        struct skr_label_findings *findings, struct skr_error *error);

/* The level for which a node with these labels is left out of that tree; -1: for none. Labels of levels of
 * devices are among them (device_levels.h). */
int32_t skr_label_findings_level(const struct skr_label_findings *findings,
                                 const struct skr_labels *labels);

#define SKR_TOPOLOGY_LABEL_MISSING "LabelMissing"    /* nodes are left out of the tree */
#define SKR_TOPOLOGY_EMPTY_LEVEL   "EmptyLevel"      /* no node has a level */
#define SKR_TOPOLOGY_UNEVEN        "UnevenDevices"   /* devices of a node differ in an attribute */
#define SKR_TOPOLOGY_NOT_NESTED    "LevelsDoNotNest" /* a value is below two parents */

/* Calls add() with each warning, its type and its sentence, in the order above. */
typedef void skr_label_warning_fn(void *context, const char *type, const char *text);
void skr_label_findings_each(const struct skr_label_findings *findings, skr_label_warning_fn *add,
                             void *context);
/* "2 nodes are left out: no label sakkara.topology.rack (level rack), first n4". n >= 1 */
void skr_label_level_say_missing(const struct skr_label_level *level, size_t n, const char *first,
                                 struct skr_strbuf *b);

#endif
