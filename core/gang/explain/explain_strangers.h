/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_STRANGERS_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_STRANGERS_H
/* Pods that name a group, but another scheduler: they are no members of it. */
#include "core/gang/state/gang.h"
#include "topology/base/strbuf.h"

/* "2 pods name the group, but not a scheduler of ours: p-0, p-1"; false: none does. O(pods): for
 * requests only, not for every evaluation. */
bool skr_strangers_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);

#endif
