/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GANG_H
#define SKR_CORE_GANG_STATE_GANG_H
/*
 * The gang scheduler's state, which every file of core/gang may read, grouped by the file that
 * writes it. Entries of the caches have headers of their own (nodes.h, pods.h, shapes.h,
 * map_entry.h, groups.h, plan_entry.h). State of one file alone is behind an opaque pointer.
 *
 * - caches: the last nodes, pods, ConfigMaps and PodGroups from the API server, with our
 *   acknowledged writes applied. An older resourceVersion never replaces a newer one. A version
 *   without a node never replaces a bound one.
 * - groups: one per namespace/name that a pod or a source names; members are pods of the cache
 * - plans: at most one per group; see plan_entry.h
 *
 * Everything is level triggered. An event changes the caches and marks what it touched as dirty
 * (dirty.h: all marks and counters). Then settle() in scheduler.c compares what should be with what
 * is until nothing is dirty. Pointers between entries are valid while both live; an entry is
 * unlinked before it is freed. Writes in flight name their target by key, never by pointer.
 */
#include "core/frame/frame.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/scheduler_entry.h"
#include "core/gang/state/seen.h"
#include "core/gang/state/settings.h"
#include "core/gang/state/stats.h"
#include "core/pod/pod.h"
#include "core/time/round.h"
#include "topology/base/hash.h"
#include "topology/base/slab.h"
#include "topology/ledger.h"
#include "topology/node_keep.h"
#include "topology/tree.h"

struct admission;
struct bind_calls;
struct booked_node;
struct booking;
struct budget;
struct claim_awaited;
struct claim_classes;
struct claimers;
struct device_hold;
struct early_yeses;
struct end_row;
struct explain_requests;
struct fit_cache;
struct group;
struct map_entry;
struct node_entry;
struct auto_namespace;
struct owner_count;
struct owner_entry;
struct parked_call;
struct plan;
struct planner;
struct pod_entry;
struct podgroup_entry;
struct promise;
struct residents;
struct shape;
struct skr_devices_stock;
struct skr_sequence_memo;
struct veto_set;
struct volumes;

/* Sorted. */
struct node_names {
    size_t n;
    const char **name;
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

    struct skr_node_shared node_shared; /* what nodes have in common; node_changes.c */

    /* The caches, by key. */
    struct {
        struct skr_slab item; /* struct node_entry */
        struct skr_hash_index by_name;
        struct node_entry *stamped; /* by stamp */
    } nodes;                        /* nodes.c; skr_nodes_next() */
    size_t n_nodes;                 /* existing ones; node_changes.c */
    size_t n_nodes_refused;         /* of existing nodes; node_changes.c */
    struct shape *shapes;           /* shapes.c */
    struct veto_set *vetoes;        /* of all groups; vetoes.c */
    struct {
        struct skr_slab item; /* struct pod_entry * */
        struct skr_hash_index by_uid, by_name;
    } pods;                      /* pod_changes.c; skr_pods_next() */
    struct residents *residents; /* the other pods; residents.c */
    struct end_row *ends;        /* of pods with a known end; ends.c */
    size_t n_limits;             /* of these with a limit of their own */
    struct pod_entry *ordinary;  /* single pods of ours that wait; ordinary.c */
    struct early_yeses *early;   /* ordinary.c */
    struct pod_entry *assumed;   /* members that wait for claims; claims.c */
    struct map_entry *maps;      /* maps.c */
    struct {
        size_t n;                     /* maps that were found by the group that they show */
        size_t n_asked;               /* creations on their way */
        skr_time refused_until;       /* none is made before; status_map.c */
        bool told_refused, told_full; /* in the log */
    } status_maps;
    struct admission *admission; /* Workloads of Kueue; NULL: none were seen; admission.c */
    struct {
        struct kueue_named *checks, *flavors;
    } kueue; /* admission_checks.c */
    struct {
        struct promise *list;
        size_t n;
    } promises;                       /* admission_promises.c */
    size_t n_provisioning;            /* groups with a request of capacity; provisioning.c */
    struct podgroup_entry *podgroups; /* maps.c */
    struct {
        struct owner_entry *table;
        struct owner_count *counts;           /* of namespaces with objects in the table */
        size_t n;                             /* objects in the table */
        size_t n_deadlines;                   /* Jobs among them with a deadline */
        bool left_out;                        /* an object was beyond the limits */
        uint32_t forbidden;                   /* bits of skr_gang_owner_number(); entries.c */
        uint32_t asked, listed;               /* bits of skr_gang_owner_type() */
    } owners;                                 /* workload_owners.c */
    struct auto_namespace *auto_namespaces;   /* entry.c */
    bool native_forbidden, classes_forbidden; /* not to be read; entries.c, device_classes.c */
    struct disruption_budget *disruptions;    /* disruptions.c, as: */
    struct disruption_space *disruption_spaces;
    struct {
        struct skr_slab id; /* hashes of names */
        struct skr_hash_index by_id;
        bool forbidden[SKR_POD_CLAIM_KIND_COUNT], full;
        struct claim_classes *classes; /* of claims; distinct lists */
        size_t classes_bytes;
        struct claim_awaited *awaited; /* those that groups wait for */
    } claim_objects;                   /* claim_objects.c */
    struct claim_users *claim_users;   /* NULL: there are none; claim_users.c */
    struct volumes *volumes;           /* NULL: none was seen; volumes.c */
    struct {
        struct skr_slab item; /* struct use */
        struct skr_hash_index by_pod, by_claim;
        bool full;
    } volume_uses; /* volume_uses.c */
    struct {
        struct device_hold *table;
        skr_time denied_until; /* no claim is freed before: that was refused; 0: it was not */
    } device_holds;            /* device_holds.c */
    struct {
        struct skr_devices_stock *stock;
        struct skr_sequence_memo *memo;
        const char **touched; /* nodes whose devices are others; from names_intern */
        size_t n_touched, cap_touched;
        bool touched_all, forbidden;  /* forbidden: slices may not be read; scheduler.c */
        struct claimers *claimers;    /* pending ones, by node */
        struct device_counts *counts; /* device_counts.c */
        struct device_turn *turns;    /* of groups whose needs are to be counted; device_turns.c */
        skr_time turns_at;            /* none of them goes on before */
    } devices;                        /* devices.c */
    struct group *groups;             /* group_table.c */
    struct group *stamped;            /* groups by stamp; dirty.c */
    /* group_table.c */
    size_t n_by_status[SKR_STATUS_COUNT], n_by_reason[SKR_REASON_COUNT];
    size_t n_by_uncounted[SKR_UNCOUNTED_COUNT];
    struct group *planned; /* groups with a plan; plan.c */
    struct {
        struct group *list;   /* groups that hold seats */
        int32_t lowest;       /* of their priorities, while there are any */
        int32_t lowest_class; /* of their classes */
    } holders;                /* seat_holds.c */
    struct {
        uint64_t work;        /* the search for moves that runs; 0: none */
        char *group;          /* the key of the group that it is for */
        uint64_t input, seen; /* its input_epoch, and the stamp, at the start */
        bool told;     /* a group had key movable at the last look: explanations may name it */
        skr_time next; /* no search before */
    } moving;          /* time/moving.c */
    struct group *replacers; /* bound groups with key replace; preempt/arranged.c */
    struct {
        skr_time next;        /* no search before */
        uint64_t work;        /* the search for places of lost members; 0: none runs */
        char *group;          /* its key */
        uint64_t input, seen; /* its input_epoch, and the stamp, at the start */
        bool whole;
    } replacing; /* planning/replacing.c */
    struct {
        struct booking *list; /* reservations */
        size_t n, n_left;     /* of list, of left */
        struct booked_node *nodes;
        struct booked_left *left; /* by number in the ledger, counted at left_now or earlier */
        int64_t left_now;
        uint64_t left_epochs[3], seen[64]; /* of numbers, Jobs, resources; skr_booked_bit() */
        int counting;                      /* enum booked_counting */
    } bookings;                            /* booked.c */
    struct {
        uint64_t work; /* that makes them; 0: none does */
        bool wanted;   /* new ones are asked for; pages wait until then. made: when; 0: never */
        skr_time until, made, paper_next; /* none of a paper group before paper_next */
    } forecasts;                          /* group/start.c, time/forecasts.c */
    struct {
        uint64_t work; /* the round that runs; 0: none */
        bool first;    /* nothing is planned before the first round: it keeps old promises */
        bool due;
        skr_time next, wake_at;       /* no round before; a wake is set for then */
        skr_time held_at, rests;      /* words of pods, and groups that stood back, are due then */
        uint64_t seen;                /* the stamp when there was news for a round last */
    } rounds;                         /* time/rounds.c */
    struct plan *idle_plans;          /* that yield: yielding.h; plan.c */
    struct budget *budgets;           /* of namespaces with groups; budget.c */
    struct solve_share *solve_shares; /* of namespaces that yield the solver; solve_share.c */

    /* dirty.c; meanings: dirty.h */
    struct {
        struct group *groups;
        struct pod_entry *pods;
        struct map_entry *maps;
        bool plan, tree, nodes;
        uint64_t freed; /* releases in the ledger that were seen */
    } dirty;
    size_t n_settled;     /* members, in this event; scheduler.c */
    struct skr_seen seen; /* what changed, and when; dirty.c and the files of the caches */

    /* topology.c */
    struct {
        struct skr_tree *tree;    /* in force; NULL: none usable */
        struct map_entry *active; /* its map; NULL: derived */
        char *active_key;
        /* the tree of the last, deleted map stays until then; 0: no such tree */
        skr_time grace_until;
        struct skr_map_levels *levels; /* of the map in force, or of its last good text; NULL */
        struct skr_label_findings *findings; /* NULL: the tree is not one of labels */
        char *oddities;                      /* of the findings, as they were logged; NULL: none */
        size_t n_left_out;                   /* as it was logged */
        bool labels_changed;                 /* nodes or their labels did; the tree follows */
        skr_time derived_at;                 /* when it was made last; 0: never */
        bool replaced;                       /* by another tree; not reported yet */
        skr_time nodes_at;                   /* when node warnings are written next */
        struct node_entry **leaf_node;       /* [tree->n_leaves], NULL: no such node */
        bool leaf_node_stale;                /* set by skr_topology_nodes_changed() too */
        size_t n_unknown, n_outside;
        char first_unknown[256], first_outside[256];
    } topology;

    /* bind_calls.c: open calls by request; queue of pods whose Binding may be posted */
    struct parked_call *parked;
    struct pod_entry *bindings;
    size_t bindings_in_flight; /* binding.c */
    /* until then pods/status may not be patched and activations are label patches; members.c */
    skr_time status_forbidden_until;
    bool binding_labels_lost; /* Bindings do not carry labels to pods; member_record.c */
    skr_time news_until;      /* objects of the start may be news until then; restore.c */

    struct sampling_profile sampling[SKR_SCHEDULER_NAMES_MAX]; /* by scheduler_name; sampling.c */

    /* scheduler_progress.c */
    struct {
        skr_time last;                          /* last sign of life of kube-scheduler */
        skr_time since;                         /* alive since then, without a longer pause */
        struct progress_ask ask[PROGRESS_ASKS]; /* the last calls, one for each place */
    } progress;

    size_t n_leaving; /* bound pods that are leaving: skr_pods_note_leaving() */

    /* candidates.c */
    struct {
        struct group *awake, *asleep, *reports;
        size_t n_asleep; /* and in reports */
        bool stale;
        uint64_t seen; /* the stamp when the sleeping groups were last examined */
    } candidates;

    struct {
        skr_time pause_until;   /* numbers in reasons are not updated before */
        skr_time reasons_until; /* nor are reasons before this */
        skr_time wake_at;       /* WAKE_REPORT is set for it */
    } report;                   /* queue.c */

    struct {
        struct skr_tree *tree; /* a reference: in which they were chosen */
        int32_t level, count;
        uint8_t *dirty; /* [leaf] they are chosen anew around it; NULL: there are none */
        bool any;       /* a leaf is dirty */
    } spare;            /* spare.c */

    struct planner *planner;                   /* planner.c */
    struct fit_cache *fit_cache;               /* fit_cache.h; NULL before the first plan */
    struct explain_requests *explain_requests; /* NULL before the first request */
    skr_time ways_slot; /* no waiting group is explained before; ways_out.c */

    struct releases *releases; /* NULL: never counted; gate_release.c */
    struct skr_gang_counters stats;
};

#endif
