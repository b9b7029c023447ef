/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NAMES_H
#define SKR_CORE_GANG_CACHE_NAMES_H
/* Names of nodes, one copy each, for data that outlives the node. */
#include "core/gang/state/gang.h"

/* The one copy. It lives as long as skr_names_sweep() finds a reference to it, and at least until
 * the end of the event. */
const char *skr_names_intern(struct skr_gang *e, const char *node);
/* For names_sweep.c. Marks an interned name (NULL allowed); the sweep then frees unmarked names and
 * clears marks. */
void skr_names_mark(const char *name);
void skr_names_free_unmarked(struct skr_gang *e);
/* twice as many as after the last sweep */
bool skr_names_are_many(const struct skr_gang *e, size_t few);
void skr_names_fini(struct skr_gang *e);

#endif
