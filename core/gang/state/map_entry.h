/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_MAP_ENTRY_H
#define SKR_CORE_GANG_STATE_MAP_ENTRY_H
/* The entries of ConfigMaps and PodGroups, their fields by the file that writes them. */
#include <uthash.h>

#include "core/frame/object_writer.h"
#include "core/gang/state/gang.h"
#include "core/group/podgroup.h"
#include "topology/topology_map.h"

/* Of the patch in flight, for applying it on success. */
struct sent_patch {
    struct skr_label *item; /* value NULL: removed */
    size_t n;
    char *annotation; /* sakkara.plan; "" removed; NULL untouched */
};

struct map_entry {
    UT_hash_handle hh; /* by namespace/name */
    char *key;
    struct skr_configmap *map;
    struct skr_object_writer writer;
    struct sent_patch sent; /* group_objects.c */
    /* newest version read since leadership began, until the first write; else 0; restore.c */
    uint64_t read_at;
    bool is_group, is_topology;
    char *shows;                     /* key of the derived group that it shows; NULL: none */
    bool counted;                    /* in status_maps.n; status_map.c */
    char *group_key;                 /* namespace/data.name; NULL when the name is bad */
    struct map_entry *gprev, *gnext; /* in group->source.maps */
    char *user_keys; /* the user's keys as one text: tells a user's change from the daemon's */

    bool dirty; /* dirty.c */
    struct map_entry *dprev, *dnext;

    /* topology.c */
    struct skr_tree *tree; /* valid parse of the current text; NULL malformed, or has_levels */
    bool has_levels;       /* its tree is made of labels of nodes */
    struct skr_topology_warnings warnings;
    char *problem; /* why it is malformed */

    struct {
        const char *topology; /* reason of the last Event; topology.c */
        const char *loser;    /* the same for a group map that defines no group; status.c */
    } reported;
};

struct podgroup_entry {
    UT_hash_handle hh;
    char *key;
    struct skr_podgroup *pg;
    struct skr_object_writer writer;
    struct sent_patch sent;          /* group_objects.c */
    uint64_t read_at;                /* as in map_entry */
    struct skr_object_writer marker; /* native_conditions.c */
    char *shows; /* key of the group whose label wins over it, and which it shows; overridden.c */
};

#endif
