/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_MAPS_H
#define SKR_CORE_GANG_CHANGES_MAPS_H
/* The cache of ConfigMaps and PodGroups, and the group or tree each belongs to. Only the user's
 * keys count as a change, not the daemon's own writes. */
#include "core/gang/state/map_entry.h"

struct map_entry *skr_maps_find(const struct skr_gang *e, const char *key);
struct podgroup_entry *skr_maps_find_podgroup(const struct skr_gang *e, const char *key);
/* Takes map; drops older versions. */
void skr_maps_upsert(struct skr_gang *e, struct skr_configmap *map);
void skr_maps_delete(struct skr_gang *e, const char *namespace_, const char *name);
void skr_maps_podgroup_upsert(struct skr_gang *e, struct skr_podgroup *pg);
/* type: of the watch that reports the deletion. */
void skr_maps_podgroup_delete(struct skr_gang *e, const struct skr_object_type *type,
                              const char *namespace_, const char *name);
/* The group that it defines, or else the one that it shows (overridden.h); NULL: none. */
struct group *skr_maps_podgroup_group(const struct skr_gang *e, const struct podgroup_entry *pg);
void skr_maps_podgroup_gone(struct skr_gang *e, struct podgroup_entry *entry);
void skr_maps_fini(struct skr_gang *e);

#endif
