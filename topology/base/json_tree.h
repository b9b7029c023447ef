/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_TREE_H
#define SKR_TOPOLOGY_BASE_JSON_TREE_H
/* Values of a tape (json.h) as a tree of libjansson, and the other way: for parts of the program that
 * change JSON, or have it as trees. */
#include <jansson.h>

#include "topology/base/json.h"

/* A new reference; NULL: no memory. O(values), no recursion. */
json_t *skr_json_tree(const struct skr_json *value);
/* The value of a whole text, a new reference. SKR_INVALID "byte N: WHAT", SKR_NO_MEMORY. */
int skr_json_tree_read(const char *text, size_t len, json_t **ret, struct skr_error *error);

/* The tree as a tape of the reader, valid until the next call with it; strings are borrowed from the tree.
 * tree NULL: *ret is NULL. SKR_LIMIT: more than SKR_JSON_DEPTH_MAX levels. O(values). */
int skr_json_of_tree(struct skr_json_reader *reader, const json_t *tree,
                     const struct skr_json **ret, struct skr_error *error);

#endif
