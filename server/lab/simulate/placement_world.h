/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACEMENT_WORLD_H
#define SKR_SERVER_LAB_SIMULATE_PLACEMENT_WORLD_H
/*
 * What Open Cluster Management's hub holds, from files as `kubectl get -o yaml` writes them:
 * ManagedCluster, ManagedClusterSet, ManagedClusterSetBinding, Placement, PlacementDecision,
 * AddOnPlacementScore. Of an object that comes twice the last counts, with a warning.
 */
#include "core/placement/evaluate.h"
#include "server/manifest/manifest.h"

struct skr_placement_world {
    struct skr_manifests manifests;
    /* Sorted by namespace and name once finished. */
    struct skr_managed_cluster **cluster;
    struct skr_cluster_set **set;
    struct skr_cluster_set_binding **binding;
    struct skr_placement **placement;
    struct skr_placement_decision **decision;
    struct skr_addon_score **score;
    size_t n[6];    /* in this order */
    uint32_t *load; /* [cluster] Placements whose decisions name it */
};

void skr_placement_world_init(struct skr_placement_world *world);
void skr_placement_world_fini(struct skr_placement_world *world);
/* A file, a folder, or "-"; what is wrong is reported in errors with its position. Errors: those of
 * skr_manifests_read(). */
int skr_placement_world_read(struct skr_placement_world *world, const char *path,
                             struct skr_strbuf *errors);
int skr_placement_world_parse(struct skr_placement_world *world, const char *name, const char *text,
                              size_t n, struct skr_strbuf *errors);
/* [NS/]PLACEMENT:PATH=VALUE changes a Placement that was read, before _finish(). PATH: keys with
 * dots, list entries as [N]; VALUE: JSON, or a text; null takes the key away. Without NS the only
 * Placement of this name, or that in "default". Errors, reported in errors: SKR_INVALID,
 * SKR_NOT_FOUND. */
int skr_placement_world_set(struct skr_placement_world *world, const char *change,
                            struct skr_strbuf *errors);
/* After all: decodes and sorts. Kinds that play no part and objects that come twice are named in
 * messages. */
int skr_placement_world_finish(struct skr_placement_world *world, struct skr_strbuf *messages);

enum skr_placement_found {
    SKR_PLACEMENT_FOUND,
    SKR_PLACEMENT_ABSENT,
    SKR_PLACEMENT_AMBIGUOUS,
};
/* name: "NS/NAME", "NAME", or NULL: the only one that is scheduler's. */
enum skr_placement_found skr_placement_world_find(const struct skr_placement_world *world,
                                                  const char *name, const char *scheduler,
                                                  const struct skr_placement **ret);
/* The hub as one Placement sees it; bindings and decisions are lists in the arena. SKR_LIMIT. */
int skr_placement_world_hub(struct skr_placement_world *world,
                            const struct skr_placement *placement, struct skr_arena *arena,
                            struct skr_placement_hub *ret, struct skr_error *error);
const struct skr_placement *skr_placement_world_at(const struct skr_placement_world *world,
                                                   size_t i); /* NULL at the end */

#endif
