/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_RESTORE_RESTORE_H
#define SKR_CORE_GANG_RESTORE_RESTORE_H
/* Restores a group from the API objects when the engine starts or takes over. */
#include "core/gang/state/groups.h"

/* Call at the start and when leadership is won, before any decision: first for every group the
 * status of its object, then the plans, which may concern other groups. Later calls have no
 * effect. */
void skr_restore_object(struct skr_gang *e, struct group *g);
void skr_restore_group(struct skr_gang *e, struct group *g);
/* For a group that appeared later: restores the status of its object, never a plan. */
void skr_restore_late(struct skr_gang *e, struct group *g);
/* From the start of leadership, a plan that was stored before may appear for SKR_RESTORE_NEWS_S. */
enum { SKR_RESTORE_NEWS_S = 60 };
void skr_restore_begins(struct skr_gang *e);
/* A group's object may have a newer version. Within that time, before our first write, a plan in it
 * is that of an earlier leader. It is restored if the group has no plan, or if it says Binding and
 * the group's plan does not. */
void skr_restore_newer(struct skr_gang *e, struct group *g);
void skr_restore_again(struct group *g); /* leadership was lost: restore again when it is won */
/* The value of a key of docs/reference.md in the group's object; NULL: none. */
const char *skr_restore_object_key(const struct skr_gang *e, const struct group *g,
                                   const char *key);

#endif
