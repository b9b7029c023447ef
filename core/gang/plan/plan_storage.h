/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_STORAGE_H
#define SKR_CORE_GANG_PLAN_PLAN_STORAGE_H
/*
 * Where the text of a plan stands: annotation of the group's ConfigMap or PodGroup, or of its
 * oldest member when labels define the group.
 *
 * "Persisted" is always read off the cached object, never remembered: a user who wipes the
 * annotation stops the plan until it stands again.
 */
#include "core/gang/state/plan_entry.h"

/* The object's annotation as cached; "" none; NULL no object. */
const char *skr_plan_storage_text(const struct group *g);
void skr_plan_storage_hurry(
    struct group *g); /* a commit waits: its object is written without delay */
/* The API server refused the last write of the group's object. */
bool skr_plan_storage_is_refused(const struct skr_gang *e, const struct group *g);
/* The object carries the text as it should be. */
/* The same, also while it waits for victims and nothing else may depend on it. */
bool skr_plan_storage_is_written(const struct skr_gang *e, const struct plan *plan);
bool skr_plan_storage_is_persisted(const struct skr_gang *e, const struct plan *plan);
/* No write of the plan's text is in flight, and what it did is known. */
bool skr_plan_storage_is_quiet(const struct skr_gang *e, const struct group *g);
/* State Binding is seen persisted: from here there is only forward. */
void skr_plan_storage_note_binding(struct skr_gang *e, struct group *g);

#endif
