/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_ENTRIES_H
#define SKR_CORE_GANG_CHANGES_ENTRIES_H
/* Moves pods between groups when owners, namespaces, PodGroups or read permissions change. */
#include "core/gang/state/gang.h"
#include "core/group/owner.h"

void skr_entries_owner_upsert(struct skr_gang *e, struct skr_owner *owner); /* taken */
void skr_entries_owner_delete(struct skr_gang *e, const char *kind, const char *namespace_,
                              const char *name);
/* All owners of the type are in the cache. */
void skr_entries_owner_listed(struct skr_gang *e, const struct skr_object_type *type);
/* The permission to read one kind of owners was lost (is) or gained. */
void skr_entries_owner_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is);
void skr_entries_namespace_upsert(struct skr_gang *e, const char *name);
void skr_entries_namespace_delete(struct skr_gang *e, const char *name);
void skr_entries_native_forbidden(struct skr_gang *e, bool is);
/* A PodGroup of scheduling.k8s.io was created or deleted, or its policy is known. */
void skr_entries_native_changed(struct skr_gang *e, const char *namespace_, const char *name);

#endif
