/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_TREE_H
#define SKR_TOPOLOGY_BASE_JSON_TREE_H
/*
 * A tree of values from a JSON text in memory that nobody needs afterwards: a third of the cost of
 * json_loadb(), which takes its bytes one by one. What is accepted is what json_scan.h says, and integers
 * that libjansson can hold.
 */
#include <jansson.h>

#include "topology/base/json_scan.h"

/* The value of the whole text, which is consumed: a new reference. NULL: malformed, scan->what says
 * what is wrong at scan->pos (of the text as it was), or no memory. Of members with one name the last counts,
 * at the place of the first. O(len); does not recurse. */
json_t *skr_json_tree_read(struct skr_json_scan *scan);
/* The same of a copy of the text; NULL: malformed, or no memory. */
json_t *skr_json_tree_of(const char *text, size_t n);

#endif
