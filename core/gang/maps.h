/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_MAPS_H
#define SKR_CORE_GANG_MAPS_H
/* The cache of ConfigMaps and PodGroups, and which group or tree each of them is about. Only the
 * user's keys count as a change; what we write ourselves never does. */
#include <uthash.h>

#include "core/frame/object_writer.h"
#include "core/gang/gang.h"
#include "core/gang/group_objects.h"
#include "core/group/podgroup.h"
#include "topology/topology_map.h"

struct map_entry {
    UT_hash_handle hh; /* by namespace/name */
    char *key;
    struct skr_configmap *map;
    struct skr_object_writer writer;
    struct sent_patch sent; /* group_objects.c */
    bool is_group, is_topology;
    char *group_key;                 /* namespace/data.name; NULL when the name is bad */
    struct map_entry *gprev, *gnext; /* in group->source.maps */
    char *user_keys; /* the user's keys as one text: separates a user's change from our own */

    bool dirty; /* dirty.c */
    struct map_entry *dprev, *dnext;

    /* topology.c */
    struct skr_tree *tree; /* valid parse of the current text; NULL malformed */
    struct skr_topology_warnings warnings;
    char *problem; /* why it is malformed */

    struct {
        const char *topology; /* reason of the last Event; topology.c */
        const char *loser;    /* the same of a group map that defines no group; status.c */
    } reported;
};

struct podgroup_entry {
    UT_hash_handle hh;
    char *key;
    struct skr_podgroup *pg;
    struct skr_object_writer writer;
    struct sent_patch sent; /* group_objects.c */
};

struct map_entry *maps_find(const struct skr_gang *e, const char *key);
struct podgroup_entry *maps_find_podgroup(const struct skr_gang *e, const char *key);
/* Taken; older versions are dropped. */
void maps_upsert(struct skr_gang *e, struct skr_configmap *map);
void maps_delete(struct skr_gang *e, const char *namespace_, const char *name);
void maps_podgroup_upsert(struct skr_gang *e, struct skr_podgroup *pg);
void maps_podgroup_delete(struct skr_gang *e, const char *namespace_, const char *name);
void maps_fini(struct skr_gang *e);

#endif
