/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_EXPLAIN_PARTS_H
#define SKR_SERVER_RENDER_EXPLAIN_PARTS_H
/* What the files behind explain_text.h share. For these files alone. */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/strbuf.h"

enum { SKR_EXPLAIN_INDENT = 2 };

/* The table's lines, indented; cut where they are full, unless verbose. */
void skr_explain_add_lines(const struct skr_strbuf *table, bool verbose, struct skr_strbuf *out);
/* Names of groups of the same namespace without it. */
const char *skr_explain_short_key(const json_t *explanation, const char *key);
/* explain_preemption.c: an empty line and the groups that would be evicted; nothing if the explanation
 * has none. */
void skr_explain_write_preemption(const json_t *explanation, bool verbose, struct skr_strbuf *out);

#endif
