/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_RESTORE_RESTORE_H
#define SKR_CORE_GANG_RESTORE_RESTORE_H
/* A group's earlier life, read from the API objects when the engine starts or takes over. */
#include "core/gang/state/groups.h"

/* At the start and when leadership is won, before any group is decided upon: first of every group what its object
 * says, then its plan, which may speak of other groups. Nothing after that. */
void skr_restore_object(struct skr_gang *e, struct group *g);
void skr_restore_group(struct skr_gang *e, struct group *g);
/* A group that came after that: what its object reports, never a plan. */
void skr_restore_late(struct skr_gang *e, struct group *g);
/* Leadership begins: for SKR_RESTORE_NEWS_S a plan may show that was stored before. */
enum { SKR_RESTORE_NEWS_S = 60 };
void skr_restore_begins(struct skr_gang *e);
/* The object of a group that was there may be newer now: a plan that it brings within that time, before we have written
 * it, is that of whoever led until then, and is taken up if the group has none, or if it says Binding and the group's
 * own does not. */
void skr_restore_newer(struct skr_gang *e, struct group *g);
void skr_restore_again(struct group *g); /* leadership was lost: when it comes back */
/* What the group's object says under a key of docs/reference.md; NULL: nothing. */
const char *skr_restore_object_key(const struct group *g, const char *key);

#endif
