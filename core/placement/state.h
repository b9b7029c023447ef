/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_STATE_H
#define SKR_CORE_PLACEMENT_STATE_H
/*
 * What the scheduler of Placements holds, for the files of this folder that run it: scheduler.c the
 * row, cache.c the objects, trigger.c objects in and which Placements a change concerns,
 * cycle_target.c what should be, cycle_writes.c the way there, cycle_status.c the Placement's
 * status, outbox.c what goes out. Calls go from the first of a later kind to the earlier one only:
 * row, cycle, trigger, outbox, cache.
 */
#include <uthash.h>
#include <utlist.h>

#include "core/frame/keys.h"
#include "core/frame/object_writer.h"
#include "core/placement/evaluate.h"
#include "core/placement/scheduler.h"
#include "core/placement/types.h"

enum { SKR_PLACEMENT_WAKE_KEYS };
enum {
    SKR_PLACEMENT_WRITE_SLICE,
    SKR_PLACEMENT_WRITE_STATUS,
    SKR_PLACEMENT_WRITE_READ, /* a decision, after a conflict or an unknown outcome */
    SKR_PLACEMENT_WRITE_READ_PLACEMENT,
};

#define SKR_PLACEMENT_RESYNC    (600 * SKR_SECOND)
#define SKR_PLACEMENT_RETRY_MIN (5 * SKR_MILLISECOND)
#define SKR_PLACEMENT_RETRY_MAX (60 * SKR_SECOND)

/* Writes in flight, of one cycle and of all. Ownership is checked before each batch, so few writes
 * may wait for the rate limit. Cycles that run at the same time share the limit and have at least
 * one write each, so a Placement with ten thousand decisions does not block the others. */
enum { SKR_PLACEMENT_CYCLE_WRITES_MAX = 16, SKR_PLACEMENT_WRITES_MAX = 64 };
/* Cycles that run, of one namespace and of all. */
enum { SKR_PLACEMENT_CYCLES_MAX = 16, SKR_PLACEMENT_ALL_CYCLES_MAX = 64 };
/* The work of one event, in clusters and decisions looked at; its last cycle may exceed it. */
enum {
    SKR_PLACEMENT_EVENT_BUDGET = 20000,
    SKR_PLACEMENT_CYCLE_COST = 20,
    SKR_PLACEMENT_CEL_COST_UNIT = 1000, /* cost of expressions that counts as one cluster */
};

/* A cached object of any kind. */
struct skr_ocm_entry {
    UT_hash_handle hh; /* by key: "namespace/name", or "name" */
    char *key;
    void *object;
    bool gone; /* a decision that this daemon deleted; the watch has not shown that yet */
    struct skr_ocm_namespace *home;    /* of a binding; NULL otherwise */
    struct skr_ocm_entry *prev, *next; /* bindings of the same namespace */
};

/* The content of a namespace that has any. */
struct skr_ocm_namespace {
    UT_hash_handle hh; /* by name */
    char *name;
    struct skr_ocm_entry *binding;
    struct skr_placement_entry *entry;
};

/* The number of a Placement's decisions, or of Placements, that name a cluster. */
struct skr_cluster_count {
    UT_hash_handle hh; /* by name */
    char *name;
    size_t n;
};

/* One object as the cycle wants it. */
struct skr_target_slice {
    const char *name, *group_name;
    int32_t group;
    size_t n;
    const char **cluster; /* by name */
};

/* What a cycle has decided, in an arena of its own. */
struct skr_target {
    struct skr_arena *arena;
    bool keeps; /* misconfigured or failed: no decision is touched */
    bool news;  /* it was decided because something changed */
    size_t n_slices;
    struct skr_target_slice *slice;
    const char **name; /* [n_slices] of the slices, sorted */
    size_t n_selected;
    const char *groups; /* decisionGroups of the status, compact JSON with sorted keys */
    bool satisfied;
    const char *reason, *message, *misconfigured, *scores, *warning;
    skr_time again_at;
    uint64_t cel_cost;
};

/* A Placement, its decisions and its cycle. The entry exists as long as one of them does. */
struct skr_placement_entry {
    UT_hash_handle hh; /* by key */
    char *key;
    struct skr_ocm_namespace *home;
    struct skr_placement_entry *prev, *next; /* of the same namespace */
    struct skr_placement *placement;         /* NULL: there is none */
    size_t n_decisions, cap_decisions;
    struct skr_placement_decision **decision; /* of its label; borrowed from the cache */
    struct skr_cluster_count *named;
    bool news;         /* something that it depends on changed since its last good cycle began */
    skr_time again_at; /* a toleration or a score of its last cycle ends; SKR_TIME_NEVER: none */
    struct skr_rewrites rewrites;
    /* The cycle that runs: */
    struct skr_target *target; /* Balance counts its clusters, whether written already or not */
    size_t pending;            /* writes in flight */
    skr_time written_at;       /* its first; 0: none yet */
    bool failed, announced;
};

struct skr_placements {
    struct skr_frame *frame;
    const struct skr_placement_settings *settings;
    struct skr_keys *keys;
    struct skr_ocm_entry *cache[SKR_OCM_KIND_COUNT]; /* PLACEMENT is in entry */
    struct skr_placement_entry *entry;
    struct skr_ocm_namespace *namespace_;
    struct skr_cluster_count *load;
    /* For cycles; sorted again when a cluster or set came or went. */
    const struct skr_managed_cluster **cluster;
    const struct skr_cluster_set **set;
    uint32_t *loads; /* [cluster] */
    size_t n_clusters, n_sets;
    bool unsorted;
    /* The part that only grows; what is there now is counted on demand. */
    struct skr_placement_counts counts;
};

/* ---- cache.c ---- */
/* Caches the object if it is newer, and returns whether it was. Takes object. *ret_before: the
 * object that it replaced, or NULL; the caller destroys it. */
bool skr_placements_put(struct skr_placements *self, enum skr_ocm_kind kind, void *object,
                        void **ret_before);
/* Takes an object out of the cache; the caller destroys it. uid "": any. NULL: it was not there. */
void *skr_placements_remove(struct skr_placements *self, enum skr_ocm_kind kind,
                            const char *namespace_, const char *name, const char *uid);
/* The decision was deleted: older versions that a watch shows later are ignored. */
void skr_placements_bury(struct skr_placements *self, const char *namespace_, const char *name);
/* Sets the target of the running cycle; NULL: the cycle has ended. Takes target. */
void skr_placements_aim(struct skr_placements *self, struct skr_placement_entry *entry,
                        struct skr_target *target);
void *skr_placements_find(const struct skr_placements *self, enum skr_ocm_kind kind,
                          const char *namespace_, const char *name);
struct skr_placement_entry *skr_placements_entry(const struct skr_placements *self,
                                                 const char *key); /* NULL: none */
/* NULL: it has neither bindings nor Placements. */
const struct skr_ocm_namespace *skr_placements_namespace(const struct skr_placements *self,
                                                         const char *name);
/* namespaces.c. Creates a missing namespace; frees an empty one. */
struct skr_ocm_namespace *skr_placements_open_namespace(struct skr_placements *self,
                                                        const char *name);
void skr_placements_close_namespace(struct skr_placements *self, struct skr_ocm_namespace *home);
/* Frees the entry if it has no Placement, no decision and no cycle. */
void skr_placements_close(struct skr_placements *self, struct skr_placement_entry *entry);
void skr_placements_sort(struct skr_placements *self);
void skr_placements_clear(struct skr_placements *self);
bool skr_placements_is_ours(const struct skr_placements *self,
                            const struct skr_placement_entry *entry);

/* ---- outbox.c ---- */
void skr_placements_send(struct skr_placements *self, struct skr_placement_entry *entry,
                         const struct skr_write *write, int purpose, const char *object);
/* An Event about the Placement. related: name of a decision object, NULL none. */
void skr_placements_event(struct skr_placements *self, const struct skr_placement_entry *entry,
                          const char *related, bool warning, const char *reason, const char *action,
                          const char *note);

/* ---- trigger.c ---- */
/* The newer object is cached; what it changes is queued. Takes object. */
void skr_placements_take(struct skr_placements *self, enum skr_ocm_kind kind, void *object);
/* uid as skr_placements_remove(). */
void skr_placements_drop(struct skr_placements *self, enum skr_ocm_kind kind,
                         const char *namespace_, const char *name, const char *uid);
/* Something that the Placement depends on changed. */
void skr_placements_queue(struct skr_placements *self, struct skr_placement_entry *entry);

/* ---- cycle_target.c ---- */
struct skr_target *skr_target_create(struct skr_placements *self,
                                     const struct skr_placement_entry *entry);

/* ---- cycle_writes.c, cycle_status.c ---- */
bool skr_placements_settle(void *self);
void skr_placements_written(void *self, const struct skr_pending_write *write,
                            struct skr_event *event);
/* Sends the status when it differs; returns whether it did. */
bool skr_placements_write_status(struct skr_placements *self, struct skr_placement_entry *entry);

#endif
