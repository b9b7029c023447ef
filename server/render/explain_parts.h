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
enum { SKR_EXPLAIN_ROLES_MAX = 8, SKR_EXPLAIN_ROLES_SHOWN = 3 };

/* Roles with a column of their own in the table of domains; borrowed from the explanation. Equal members: one, NULL. */
struct role_columns {
    size_t n;
    const char *name[SKR_EXPLAIN_ROLES_MAX];
};
/* explain_roles.c: all roles; unless verbose at most three, first those that are short in a domain. */
struct role_columns skr_explain_role_columns(const json_t *explanation, bool verbose);
/* The role of this name in a domain, NULL: it has none; name NULL: the domain. */
const json_t *skr_explain_role_of(const json_t *domain, const char *name);
/* explain_preemption.c: an empty line and the groups that would be evicted; nothing if the explanation
 * has none. */
void skr_explain_write_preemption(const json_t *explanation, bool verbose, struct skr_strbuf *out);

#endif
