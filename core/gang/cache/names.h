/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NAMES_H
#define SKR_CORE_GANG_CACHE_NAMES_H
/* Names of nodes, one copy each, for what outlives the node of that name. */
#include "core/gang/state/gang.h"

/* The one copy; it lives as long as something that skr_names_sweep() knows refers to it, and at least to
 * the end of the event. */
const char *skr_names_intern(struct skr_gang *e, const char *node);
/* For names_sweep.c: a name that was interned stays (NULL allowed); all others go, and marks too. */
void skr_names_mark(const char *name);
void skr_names_free_unmarked(struct skr_gang *e);
bool skr_names_are_many(const struct skr_gang *e, size_t few); /* twice those of the last sweep */
void skr_names_fini(struct skr_gang *e);

#endif
