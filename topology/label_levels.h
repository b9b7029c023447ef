/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LABEL_LEVELS_H
#define SKR_TOPOLOGY_LABEL_LEVELS_H
/*
 * Levels of a tree that are read off labels of nodes, as users write them (option `topology`, data
 * key `levels` of the topology ConfigMap) or as one table has them for clouds and tools (presets).
 * topology_map.h makes the tree. The level "node" is always added below and is not listed here.
 *
 * The text is JSON: a list of levels, or an object with `preset` or `levels`, and `missing`:
 *
 *   [{"name":"zone","label":"topology.kubernetes.io/zone"},
 *    {"name":"rack","labels":["example.com/rack","example.com/old-rack"],"until":"."},
 *    {"name":"clique","attribute":"gpu.nvidia.com/cliqueId"}]
 *   {"preset":"eks","missing":"exclude"}
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"
#include "topology/base/strbuf.h"
#include "topology/defect.h"
#include "topology/labels.h"
#include "topology/tree.h"

enum {
    SKR_LABEL_LEVELS_MAX = SKR_LEVELS_MAX - 1, /* levels of labels; "node" is one more */
    SKR_LEVEL_LABELS_MAX = 4,                  /* labels of one level */
    SKR_LABEL_LEVELS_TEXT_MAX = 16 * 1024,     /* bytes of the text */
    SKR_LABEL_KEY_MAX = 317,                   /* bytes: prefix 253, slash, name 63 */
    SKR_LABEL_UNTIL_MAX = 63,                  /* bytes of until: a label value has no more */
};

struct skr_label_level {
    const char *name;
    size_t n_labels;                         /* 1 .. SKR_LEVEL_LABELS_MAX */
    const char *label[SKR_LEVEL_LABELS_MAX]; /* the first one that a node has counts */
    /* "DOMAIN/NAME" of devices of the node; its label is one that device_levels.h adds. NULL: none */
    const char *attribute;
    const char *until; /* the value ends before it; NULL: nowhere */
    bool repeats;      /* equal values under different parents are different units by design */
};

/* A plain value: its texts are borrowed. */
struct skr_label_levels {
    size_t n;                                           /* 1 .. SKR_LABEL_LEVELS_MAX */
    struct skr_label_level level[SKR_LABEL_LEVELS_MAX]; /* top to bottom */
    bool pad; /* a missing level takes the value of its neighbour; else the node is left out */
    bool drops_leading; /* levels at the top that no node has are no levels of the tree */
};

/* NULL: no such preset. Constant. */
const struct skr_label_levels *skr_label_levels_preset(const char *name);
/* Names and descriptions of the presets, in the order of the table; NULL beyond the last one. */
const char *skr_label_levels_preset_name(size_t i);

/*
 * key: of the text, for messages. The texts of *ret are in the arena (presets: constants). defects:
 * receives every defect (NULL: none does). Errors, "levels: 1:9: ...": SKR_INVALID, SKR_LIMIT.
 */
int skr_label_levels_parse(const char *key, const char *text, const struct skr_defects *defects,
                           struct skr_arena *arena, struct skr_label_levels *ret,
                           struct skr_error *error);
/* missing: "exclude", "pad", or "" for no change. false: another word. */
bool skr_label_levels_set_missing(struct skr_label_levels *levels, const char *missing);
/* The preset of that name, with missing as above. Errors: SKR_INVALID with the names there are. */
int skr_label_levels_choose(const char *preset, const char *missing, struct skr_label_levels *ret,
                            struct skr_error *error);

/* The value of a level for a node with these labels: *ret_length bytes; NULL: it has none. Borrowed
 * from labels. */
const char *skr_label_level_value(const struct skr_label_level *level,
                                  const struct skr_labels *labels, size_t *ret_length);
/* Whether nodes with these labels have equal values of all levels. */
bool skr_label_levels_agree(const struct skr_label_levels *levels, const struct skr_labels *a,
                            const struct skr_labels *b);
/* Whether a level is by an attribute. */
bool skr_label_levels_name_devices(const struct skr_label_levels *levels);
/* "label example.com/rack", "label example.com/rack or example.com/old-rack" or "attribute
 * gpu.nvidia.com/cliqueId", appended. */
void skr_label_level_say_labels(const struct skr_label_level *level, struct skr_strbuf *b);

#endif
