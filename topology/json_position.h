/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_JSON_POSITION_H
#define SKR_TOPOLOGY_JSON_POSITION_H
/*
 * Where in a JSON text something stands. libjansson reports positions of syntax errors only;
 * findings about meaning (a level that is not a string, a node named twice) are located by a
 * second, cheap scan of the text, which libjansson has already accepted. Used on error paths alone,
 * except by the members visitor.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/error.h"

struct skr_position {
    size_t line;   /* from 1 */
    size_t column; /* from 1, in bytes */
};

/* Position of the n-th (from 0) string token (key or value) equal to s after unescaping; false when
 * there are fewer. keys_only skips strings that are values. */
bool skr_json_find_string(const char *text, const char *s, size_t n, bool keys_only,
                          struct skr_position *ret);
/* Position of the value reached by the path of member names and decimal array indices,
 * NULL-terminated. The last of duplicate members is meant. false when absent. */
bool skr_json_find_path(const char *text, const char *const *path, struct skr_position *ret);

#endif
