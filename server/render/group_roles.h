/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_GROUP_ROLES_H
#define SKR_SERVER_RENDER_GROUP_ROLES_H
/* Roles and sets of a group, as a cell and as rows of a table with two columns. They count the same
 * pods as skr_render_pods_counted(). A finished group has no roles: ended pods hold none. */
#include <jansson.h>

#include "server/render/text_table.h"
#include "topology/base/strbuf.h"

/* "leader:1/1,worker:6/8"; "": the group has not several roles. */
void skr_render_roles_cell(const json_t *item, struct skr_strbuf *out);
/* The members of a unit by role, from its list "roles": "1L+4w"; "": the group has not several. */
void skr_render_role_counts(const json_t *unit, const char *between, struct skr_strbuf *out);
/* "L1 w3  ", nothing if the group has not several roles. */
void skr_render_role_letters(const json_t *unit, struct skr_strbuf *out);
/* "sets of 1 leader + 7 worker, each in one rack, one a rack" */
void skr_render_set_rule(const json_t *kind, struct skr_strbuf *out);
/* "leader", "1 of 1" */
void skr_render_group_roles(const json_t *page, struct skr_text_table *table);
/* "set 0", "rack-1"; of several kinds "set 1/0", kind before set. */
void skr_render_group_sets(const json_t *page, struct skr_text_table *table);

#endif
