/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_RECORD_H
#define SKR_SERVER_LAB_REPORT_RECORD_H
/*
 * What a simulation records besides its final state:
 * - the nodes when a group's first member was bound, or its first victim chosen (for the picture)
 * - preemptors and victims, and the Events
 * - the number of pods that found a place, and the time of the last change
 */
#include <uthash.h>

#include "server/lab/report/picture.h"
#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/store/watcher.h"

struct skr_record_event {
    skr_time at;
    json_t *event; /* events.k8s.io/v1 */
};

enum { SKR_RECORD_SHAPES_MAX = 8 }; /* different kinds of pods in one group */

/* Members with the same containers. */
struct skr_record_shape {
    json_t *pod; /* one of them, a reference */
    size_t n;
};

/* Members of one role, by their label; valid after skr_record_draw(). */
struct skr_record_role {
    char *name;
    int64_t first_rank; /* the least of its members': the order of roles */
    size_t n;
    struct skr_amounts demand;
    int32_t *placed; /* [tree->n_leaves] */
};

struct skr_record_group {
    char *key; /* namespace/name */
    struct skr_record_shape shape[SKR_RECORD_SHAPES_MAX];
    size_t n_shapes;
    struct skr_record_role role[SKR_PICTURE_ROLES_MAX];
    size_t n_roles;
    struct skr_pod *member; /* one of the most frequent kind, whose slots are drawn; NULL: none */
    struct skr_amounts demand;
    size_t n_bound; /* members that have a node */
    size_t n_found; /* members that arrived with a node */
    /* Before the first of them; tree NULL: not recorded. */
    const struct skr_tree *tree;
    struct skr_picture_leaf *leaf; /* [tree->n_leaves] */
    char **preempted;              /* namespace/name of groups, in order */
    size_t n_preempted, cap_preempted;
    struct skr_record_victim
        *victim; /* record_victims.h; of the plan that waits or waited for them */
    size_t n_victims;
    UT_hash_handle hh;
};

struct skr_record {
    struct skr_store *store;
    const char *topology_namespace;
    const struct skr_label_levels *label_levels; /* option topology; NULL: none */
    const struct skr_gang *engine; /* names groups of workloads; NULL: labels name all groups */
    bool wants_pictures;
    struct skr_watcher watcher;
    struct skr_sched_cache cache;
    struct skr_sched_pod *charged; /* by uid; pods with a node, if pictures are wanted */
    struct skr_record_group *groups;
    const struct skr_tree *tree; /* in force; NULL: must be read again */
    struct skr_record_event *event;
    size_t n_events, cap_events;
    size_t n_pods, n_placed;
    skr_time changed_at; /* of the last change */
};

void skr_record_init(struct skr_record *record, struct skr_store *store,
                     const char *topology_namespace, bool wants_pictures, skr_time now);
void skr_record_fini(struct skr_record *record);
/* Reads all changes up to now. */
void skr_record_step(struct skr_record *record, skr_time now);
void skr_record_event(struct skr_record *record, skr_time now, const json_t *event);

/* NULL: unknown. */
struct skr_record_group *skr_record_find(const struct skr_record *record, const char *namespace_,
                                         const char *name);
/* Of a pod, by its labels or its workload; made if need be. NULL: it is in none. */
struct skr_record_group *skr_record_group_of(struct skr_record *record, const json_t *pod);
/* Pods of this demand that fit into the node's room. */
int32_t skr_record_slots(const struct skr_amounts *demand, const struct skr_sched_node *node);
/* Prepares all groups' leaves for drawing: counts placed; a group without a picture gets one of
 * now. O(groups * leaves + pods). */
void skr_record_draw(struct skr_record *record);
/* False: no member was seen, or there is no tree. */
bool skr_record_has_picture(const struct skr_record_group *group);

#endif
