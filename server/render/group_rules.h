/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_GROUP_RULES_H
#define SKR_SERVER_RENDER_GROUP_RULES_H
/* The rules of a group, of its roles and of its sets, and how they are met, from its page. */
#include <jansson.h>

#include "topology/base/strbuf.h"

/* A line a rule: level, rule, force, whether it is met; "<none>" if there is no rule. The first line goes
 * on where `out` ends, the others begin at the column. */
void skr_render_group_rules(const json_t *page, size_t column, struct skr_strbuf *out);

#endif
