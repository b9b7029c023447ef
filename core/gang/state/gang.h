/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GANG_H
#define SKR_CORE_GANG_STATE_GANG_H
/*
 * The gang scheduler's state: what every file of this folder may reach, grouped by the file that
 * writes it. Entries of the caches are in headers of their own (nodes.h, pods.h, shapes.h, maps.h,
 * groups.h, plan.h); what a file keeps to itself is behind a pointer that only it can look through.
 *
 * - caches: nodes, pods, group and topology ConfigMaps, PodGroups: what the API server said last,
 *   with our own acknowledged writes applied (an older resourceVersion never replaces a newer one,
 *   a version without a node never one that is bound)
 * - groups: one per namespace/name that a pod or a source names; members are pods of the cache
 * - plans: at most one per group; see plan.h
 *
 * Everything is level triggered: an event changes the caches and marks what it touched as dirty
 * (dirty.h: the table of all marks and counters); settle() in scheduler.c then compares what should be
 * with what is until nothing is dirty. Pointers between entries are valid while both live; an entry
 * unlinks itself from the others before it goes. Writes in flight name their target by key, never
 * by pointer.
 */
#include "core/frame/frame.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/settings.h"
#include "core/gang/state/stats.h"
#include "topology/base/hash.h"
#include "topology/base/slab.h"
#include "topology/ledger.h"
#include "topology/node_keep.h"
#include "topology/tree.h"

struct bind_calls;
struct budget;
struct disruption_budget;
struct explain_requests;
struct fit_cache;
struct group;
struct map_entry;
struct node_entry;
struct parked_call;
struct planner;
struct pod_entry;
struct podgroup_entry;
struct residents;
struct shape;
struct veto_set;

/* A place in kube-scheduler's queue, and when it came there: scheduler_progress.h. */
enum { PROGRESS_ASKS = 32 };
struct progress_ask {
    int32_t priority;
    skr_time activated; /* whole seconds */
    skr_time at;
};

/* Whether the kube-scheduler of a profile looks at every node: sampling.h. */
enum sampling_belief { SAMPLING_UNKNOWN, SAMPLING_LOOKS_AT_ALL, SAMPLING_SAMPLES };
struct sampling_profile {
    enum sampling_belief belief;
    uint32_t misses; /* planned nodes that were not among the names, since it is believed */
    skr_time until;  /* of SAMPLING_SAMPLES */
    skr_time
        call_by; /* SAMPLING_UNKNOWN: so long gated members wait for a first call; 0: nobody yet */
    skr_time look_at; /* names that need not be looked at are not, before */
};

struct skr_gang {
    struct skr_frame *frame;
    struct skr_settings settings;

    struct {
        struct skr_slab item; /* struct interned_name * */
        struct skr_hash_index index;
        size_t n_swept; /* after the last sweep */
    } names;            /* names.c */
    struct skr_resource_names *resources;
    struct skr_ledger *ledger; /* pod_changes.c, node_changes.c, plan.c, plan_loss.c, binding.c */

    struct skr_node_shared node_shared; /* what nodes have alike; node_changes.c */

    /* The caches, by key. */
    struct {
        struct skr_slab item; /* struct node_entry */
        struct skr_hash_index by_name;
    } nodes;                 /* nodes.c; skr_nodes_next() */
    size_t n_nodes;          /* that exist; node_changes.c */
    size_t n_nodes_refused;  /* of them; node_changes.c */
    struct shape *shapes;    /* shapes.c */
    struct veto_set *vetoes; /* of all groups; vetoes.c */
    struct {
        struct skr_slab item; /* struct pod_entry * */
        struct skr_hash_index by_uid, by_name;
    } pods;                           /* pod_changes.c; skr_pods_next() */
    struct residents *residents;      /* the other pods; residents.c */
    struct pod_entry *ordinary;       /* pods without a group that a plan leaves room for; pods.c */
    struct map_entry *maps;           /* maps.c */
    struct podgroup_entry *podgroups; /* maps.c */
    struct disruption_budget *disruptions;                               /* disruptions.c */
    bool classes_forbidden;                                              /* device_classes.c */
    struct group *groups;                                                /* group_table.c */
    size_t n_by_status[SKR_STATUS_COUNT], n_by_reason[SKR_REASON_COUNT]; /* group_table.c */
    struct group *planned;            /* groups with a plan; plan.c */
    struct budget *budgets;           /* of namespaces with groups; budget.c */
    struct solve_share *solve_shares; /* of namespaces that stand back; solve_share.c */

    /* dirty.c; what each of them means: dirty.h */
    struct {
        struct group *groups;
        struct pod_entry *pods;
        struct map_entry *maps;
        bool plan, tree, nodes;
    } dirty;
    size_t n_settled; /* members, in this event; scheduler.c */
    struct {
        uint64_t capacity, freed, facts, nodes, lifted, victims, room, late_room;
    } epoch;

    /* topology.c */
    struct {
        struct skr_tree *tree;    /* in force; NULL: none usable */
        struct map_entry *active; /* its map; NULL: derived */
        char *active_key;
        skr_time grace_until; /* the last map is gone, its tree stays until then; 0: not so */
        bool replaced;        /* by another one; not reported yet */
        skr_time nodes_at;    /* when node warnings are written next */
        struct node_entry **leaf_node; /* [tree->n_leaves], NULL: no such node */
        bool leaf_node_stale;          /* set by skr_topology_nodes_changed() too */
        size_t n_unknown, n_outside;
        char first_unknown[256], first_outside[256];
    } topology;

    /* bind_calls.c: open calls by request; queue of pods whose Binding may be posted */
    struct parked_call *parked;
    struct pod_entry *bindings;
    size_t bindings_in_flight; /* binding.c */
    /* Until then pods/status may not be patched, and activations are label patches; members.c */
    skr_time status_forbidden_until;
    bool binding_labels_lost; /* member_record.c: they do not reach pods after all */
    skr_time
        news_until; /* what was there when we began to lead may be news until then; restore.c */

    struct sampling_profile sampling[SKR_SCHEDULER_NAMES_MAX]; /* by scheduler_name; sampling.c */

    /* scheduler_progress.c */
    struct {
        skr_time last;                          /* the scheduler is alive */
        skr_time since;                         /* it has been, without a longer pause */
        struct progress_ask ask[PROGRESS_ASKS]; /* what it came to last; by place in its queue */
        size_t n_asks;
    } progress;

    size_t n_leaving; /* bound pods that go: skr_pods_note_leaving() */

    /* candidates.c */
    struct {
        struct group *awake, *asleep;
        size_t n_asleep;
        bool stale;
        uint64_t capacity, victims, nodes, lifted,
            room; /* of epoch, that those asleep were looked at for */
    } candidates;

    /* queue.c */
    struct {
        skr_time pause_until; /* numbers in reasons are not reported anew before */
        skr_time wake_at;     /* WAKE_REPORT is set for it */
    } report;

    struct planner *planner;                   /* planner.c */
    struct fit_cache *fit_cache;               /* fit_cache.h; NULL: nothing was planned yet */
    struct explain_requests *explain_requests; /* explain_request.c; NULL: nobody ever asked */

    /* Numbers for metrics: each counted where it happens. */
    struct {
        uint64_t plans, aborts, solves, bindings, binding_errors;
        uint64_t looks; /* queue.c */
        uint64_t attempts[SKR_ATTEMPT_COUNT];
        uint64_t topology_loads, topology_refusals;
        uint64_t preemptions[SKR_PREEMPTION_COUNT]; /* preemption.c */
        uint64_t evictions[SKR_EVICTION_COUNT];     /* evictions.c */
        struct skr_scheduling_times scheduling[SKR_OUTCOME_COUNT];
    } stats;
};

#endif
