/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_STORAGE_H
#define SKR_CORE_GANG_PLAN_PLAN_STORAGE_H
/*
 * Where the text of a plan is stored: in an annotation of the group's ConfigMap or PodGroup, or of
 * its oldest member if labels define the group.
 *
 * "Persisted" is always read from the cached object: if a user removes the annotation, the plan
 * stops until it is restored.
 */
#include "core/gang/state/plan_entry.h"

/* The object's annotation as cached; "": none; NULL: no object. */
const char *skr_plan_storage_text(const struct group *g);
void skr_plan_storage_hurry(struct group *g); /* a commit waits: write its object without delay */
/* Whether the API server refused the last write of the group's object. */
bool skr_plan_storage_is_refused(const struct skr_gang *e, const struct group *g);
/* The object carries exactly the wanted text. O(text) for a version of the object that is new, then O(1). */
bool skr_plan_storage_is_written(const struct skr_gang *e, struct plan *plan);
/* And the plan does not wait for victims: others may depend on it. */
bool skr_plan_storage_is_persisted(const struct skr_gang *e, struct plan *plan);
/* The object says that this plan is past the point of no return, and this process did not write that.
 * O(text) if the object has another text than the plan. */
bool skr_plan_storage_was_overtaken(const struct skr_gang *e, const struct plan *plan);
/* No write of the plan's text is in flight or of unknown outcome. */
bool skr_plan_storage_is_quiet(const struct skr_gang *e, const struct group *g);
/* Notes that state Binding is persisted: no way back. */
void skr_plan_storage_note_binding(struct skr_gang *e, struct group *g);

#endif
