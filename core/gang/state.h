/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_H
#define SKR_CORE_GANG_STATE_H
/*
 * State of the engine, shared by the files of this folder and by nobody else.
 *
 * - caches: nodes, pods, group and topology ConfigMaps, PodGroups: what the API server said last,
 *   with our own acknowledged writes applied (an older resourceVersion never replaces a newer one,
 *   a version without a node never one that is bound)
 * - groups: one per namespace/name that a pod or a source names; members are pods of the cache
 * - plans: at most one per group; see plan.c
 * - sinks: what should stand in an object (map keys, plan annotation) against what does; see sink.c
 * - writes: requests in flight by id, with what to do when they are answered; see output.c
 * - wakes: a heap of times at which something becomes due; see engine.c
 *
 * Everything is level triggered: an event changes the caches and marks what it touched as dirty;
 * settle() in engine.c then compares what should be with what is until nothing is dirty. Pointers
 * between entries are valid while both live; an entry unlinks itself from the others before it
 * goes. Writes in flight name their target by key, never by pointer.
 */
#include <uthash.h>

#include "core/gang/assign.h"
#include "core/gang/engine.h"
#include "core/gang/plan_text.h"
#include "core/gang/reason.h"
#include "core/group/group.h"
#include "topology/ledger.h"
#include "topology/topology_map.h"

enum {
    SKR_BINDINGS_PARALLEL = 16, /* Binding POSTs of the whole engine in flight */
    SKR_KICK_PATIENCE_S = 15,   /* kicked and neither asked nor parked */
    SKR_NODE_LAG_S = 5,         /* the scheduler's cache may be this much behind a change */
    SKR_VETO_S = 60,
    SKR_HOLD_MARGIN_S = 10, /* parked binds are answered this long before bindTimeout */
    SKR_BACKOFF_MAX_S = 60,
    SKR_GATED_EVENT_MEMBERS = 100, /* members of a group that get an Event while gated */
    SKR_GATED_EVENT_AFTER_S = 5,
    SKR_COMPLETE_PROBE_NODES =
        100,                /* below, kube-scheduler looks at every node whatever its percentage */
    SKR_RELEASED_MAX = 200, /* pods without a gate and without a plan, by releaseGateAfter */
    SKR_MESSAGE_MAX = 1024, /* bytes of message keys and Event notes */
    SKR_OUTPUT_MAX = 700 * 1024, /* placement + rank of one map */
};

/* ---- caches ---- */

struct veto {
    UT_hash_handle hh;
    char *node;
    skr_time until;
};

struct probed {
    UT_hash_handle hh;
    char *node;
};

/* Pods of one template share one of these. */
struct shape {
    UT_hash_handle hh;      /* by key */
    size_t refs;            /* pods in the cache */
    struct skr_pod *holder; /* a copy that keeps the shape's memory alive */
    const struct skr_pod_shape *spec;
    struct skr_amounts amounts;
    struct veto *vetoes;   /* nodes kube-scheduler refused although we thought they fit */
    struct probed *probed; /* nodes some probe has listed */
    bool vetoed_once;
};

enum { SHAPES_MAX = 64 }; /* distinct ones of a group that are looked at */
struct shapes {
    struct shape *item[SHAPES_MAX];
    size_t n;
};

struct pod_entry;
struct node_entry {
    UT_hash_handle hh;     /* by name */
    const char *name;      /* of its own: outlives versions of the node */
    struct skr_node *node; /* NULL: only nominations name it */
    skr_time changed_at;   /* last change that the scheduler may not have seen yet */
    bool awaited;          /* a planned member waits until an older nomination here is cleared */
    struct pod_entry *nominated; /* unbound pods of ours whose status nominates this node */
};

struct group;
struct plan;
struct explained;
struct inquiries;

enum member_stands { STANDS_UNKNOWN, STANDS_YES, STANDS_NO };

struct pod_entry {
    UT_hash_handle hh;        /* by uid */
    UT_hash_handle hh_name;   /* by namespace/name */
    UT_hash_handle hh_parked; /* by parked, while it is not 0 */
    char *uid;
    char *key; /* namespace/name */
    struct skr_pod *pod;
    struct shape *shape;
    bool ours;                       /* schedulerName is one of ours */
    struct group *group;             /* of our pods that name one */
    struct pod_entry *prev, *next;   /* in group->members, or else in engine->ordinary */
    bool ordinary;                   /* in engine->ordinary */
    struct pod_entry *dprev, *dnext; /* in engine->dirty_pods */
    bool dirty;
    struct node_entry *nominated_on;
    struct pod_entry *nprev, *nnext; /* in nominated_on->nominated */

    skr_time seen_at;     /* first */
    bool seated;          /* holds one of the group's seats */
    uint64_t trials_base; /* group->trials when the pod was first seen */

    struct plan *plan;     /* the plan it is a member of */
    const char *plan_node; /* borrowed from node_name_intern */
    int32_t plan_rank;
    int32_t plan_retries;
    bool recorded;             /* a persisted text named it as a member of the plan */
    uint32_t kick_count;       /* k of the plan label */
    skr_time kicked_at;        /* acknowledged nomination or gate removal; 0 none */
    bool asked;                /* filter accepted it since the kick */
    bool kick_again;           /* nominate although the cache shows the nomination */
    enum member_stands stands; /* members_nomination_stands(), kept */
    bool kicked_again;         /* that was done once in this plan */

    uint64_t write;    /* metadata patch in flight; 0 none */
    skr_time write_at; /* not before (back-off after a failed patch) */
    uint32_t write_failures;
    bool must_read;   /* whether it carries its group's plan is not known: read it first */
    bool await_watch; /* we know it is bound by our own 201; labels are unknown until the watch says
                         so */
    int8_t told_status;     /* informative label written last, -1 none */
    const char *told_event; /* constant text of the last GroupWaiting Event */

    uint64_t parked;         /* open bind request; 0 none */
    const char *parked_node; /* that it names; from node_name_intern */
    skr_time parked_until;   /* when it is answered by us */
    bool voted;
    uint64_t binding; /* Binding or read-back in flight; 0 none */
    bool binding_queued;
    struct pod_entry *bprev, *bnext; /* in engine->bindings */
    skr_time binding_at;             /* not before */
    bool binding_unknown; /* a Binding may have been applied: read the pod before anything else */
    uint32_t binding_failures;

    char **accepted; /* late_capacity ordinary pods: nodes accepted in filter, not yet bound or
                        failed */
    size_t n_accepted;
};

/* What an object should carry, and the patch on its way. */
enum sink_kind { SINK_MAP, SINK_PODGROUP, SINK_KIND_COUNT };
struct sink {
    uint64_t write;    /* patch or read-back in flight; 0 none */
    bool reading;      /* that is a read-back */
    bool urgent;       /* a commit waits: do not collect further changes */
    bool must_read;    /* the cached version is known to be stale: read before writing */
    bool refused;      /* the last patch was, for good, until retry_at */
    skr_time sent_at;  /* last patch that nobody waited for */
    skr_time flush_at; /* collected changes are written then; 0: nothing to write */
    skr_time retry_at;
    uint32_t failures;
    struct skr_label
        *sent; /* keys of the patch in flight (value NULL: removed), for applying them on success */
    size_t n_sent;
    char *sent_annotation; /* sakkara.plan in flight; "" removed; NULL untouched */
};

struct map_entry {
    UT_hash_handle hh; /* by namespace/name */
    char *key;
    struct skr_configmap *map;
    struct sink sink;
    bool is_group, is_topology;
    char *group_key;                 /* namespace/data.name; NULL when the name is bad */
    struct map_entry *gprev, *gnext; /* in group->maps */
    struct map_entry *dprev, *dnext; /* in engine->dirty_maps */
    bool dirty;
    char *user_keys; /* the four user keys as one text: tells a user's change from our own */
    /* topology maps */
    struct skr_tree *tree; /* valid parse of the current text; NULL malformed */
    struct skr_topology_warnings warnings;
    char *problem;           /* why it is malformed */
    const char *told_reason; /* last Event */
    const char *told_loser;  /* the same of a group map that defines no group */
};

struct podgroup_entry {
    UT_hash_handle hh;
    char *key;
    struct skr_podgroup *pg;
    struct sink sink;
};

/* ---- groups ---- */

enum group_source { SOURCE_NONE, SOURCE_MAP, SOURCE_PODGROUP, SOURCE_LABELS, SOURCE_COUNT };

enum group_state {
    GROUP_PENDING,
    GROUP_READY,
    GROUP_PREEMPTING,
    GROUP_PLANNED, /* commit sent or acknowledged; nobody kicked yet */
    GROUP_ADMITTING,
    GROUP_HOLDING,
    GROUP_BINDING,
    GROUP_BOUND,
    GROUP_BACKOFF,
    GROUP_EVICTED,
    GROUP_INVALID,
    GROUP_STATE_COUNT
};

/* A place of a plan whose pod is gone in state Binding, kept for its replacement. */
struct vacancy {
    char *uid; /* of the lost pod; also names the ledger charge that keeps the room */
    const char *node;
    int32_t rank;
    struct shape *shape; /* a reference: what the charge counts */
};

struct plan {
    struct group *group;
    enum group_source home; /* whose object carries the text */
    uint64_t order;         /* of its members' writes: an earlier plan's go first */
    bool replacement;       /* others of the gang run already: public status stays Bound */
    char id[SKR_PLAN_ID_LEN + 1];
    bool binding;     /* past the point of no return (wanted; persisted when plan_is_persisted) */
    bool aborting;    /* on its way out: persisted removal is awaited */
    bool commit_sent; /* the commit write was handed out at least once */
    bool binding_persisted; /* state Binding was acknowledged once: only forward from here */
    bool rollback;          /* a member was lost in Binding: bound ones are to be deleted */
    bool check_nodes;       /* a node or the tree changed: look whether the plan still holds */
    bool dropped_members;   /* text without "members": too long */
    enum skr_reason abort_reason;
    char *abort_message;
    bool abort_backoff; /* go to Backoff, not to Pending/Ready at once */
    skr_time created_at;
    skr_time heard_at; /* a member was asked about for the first time since its kick */
    skr_time deadline; /* planTimeout */
    size_t n_members;  /* pods with entry->plan == this */
    struct vacancy *vacancy;
    size_t n_vacancies, cap_vacancies;
    const struct skr_tree *tree; /* it was made or last checked on; a reference */
    char *anchor; /* groups from labels: uid of the member that carries the text; else NULL */
    char *text;   /* annotation as it should stand now; rebuilt when members or state change */
};

/* What the planner knows of a group without asking the solver; see outlook.c. */
struct kind;
struct kept;
struct watched;
struct outlook {
    bool made;         /* for this */
    uint64_t input;    /* group->input_epoch */
    struct kind *kind; /* a reference; NULL: the group is not one that is answered for */
    struct kept *kept; /* of the kind */
    struct watched *watched;
    int32_t n;               /* members to place */
    uint64_t solved_changes; /* plain_planning: fits was found at these changes of the kind */
    bool fits;
    /* Of the kind and the nodes when the group's reason was told last. */
    uint64_t told_changes, told_nodes;
    bool told_short;
    skr_time tell_at; /* it is old, and told anew then; 0: it stands */
};

struct condition {
    const char *type;
    bool set;
    const char *status;
    char *reason;
    char *message;
    skr_time since;
};
enum {
    CONDITION_COMPLETE,
    CONDITION_PLACED,
    CONDITION_BOUND,
    CONDITION_VALID,
    CONDITION_KIND_COUNT
};

/* An Event about a group, kept for those who look. */
struct told_event {
    skr_time at;
    bool warning;
    const char *reason; /* literal */
    char *note;
};
enum { SKR_EVENTS_KEPT = 8 }; /* a group */

struct group {
    UT_hash_handle hh; /* by namespace/name */
    char *key, *namespace_, *name;

    struct map_entry *maps;          /* all group maps of this name, unsorted */
    struct map_entry *map;           /* the one that defines the group */
    struct podgroup_entry *podgroup; /* of this name, if any */
    enum group_source source;
    struct skr_group_spec *spec; /* in force; NULL without a valid source */
    char *defect;                /* why the source is malformed */
    char *spec_text;             /* what spec was made from */

    struct pod_entry *members; /* pods of ours that name the group */
    size_t n_members;
    bool seats_dirty;
    size_t n_live, n_bound, n_newcomers; /* of live members: bound, not bound */
    size_t n_seated_new,
        n_ready_new; /* newcomers with a seat; those of them without a foreign gate */
    size_t n_foreign_gate;
    bool gen_succeeded;    /* a member of this generation has Succeeded */
    char **gen_controller; /* controllers of the current generation */
    size_t n_gen_controllers, cap_gen_controllers;
    char *homogeneity; /* warning text, NULL when equal */

    enum group_state state;
    struct plan *plan;
    struct group *pprev, *pnext; /* in engine->planned */
    struct group *dprev, *dnext; /* in engine->dirty_groups */
    bool dirty;
    skr_time wake_at;

    skr_time begin_at, end_at; /* of the generation; 0 unset */
    skr_time complete_at;      /* all members are there since, and not bound; 0 not. measure.c */
    int64_t solver_ms;
    int64_t solver_ns; /* the same, as long as this process remembers it; 0 */
    uint64_t trials;
    uint32_t attempts;      /* failed ones since the last success: back-off */
    skr_time plan_at;       /* not planned before (planDelay) */
    skr_time backoff_until; /* nor before, unless engine->epoch has left failed_epoch */
    uint64_t failed_epoch;  /* engine->epoch when no placement was found; UINT64_MAX: never */
    uint64_t input_epoch;   /* grows with every change of members, spec: results of older solves are
                               void */
    uint64_t failed_input;  /* input_epoch then */
    uint64_t delayed_input; /* input_epoch that plan_at was set for while Bound */
    uint32_t stale_answers; /* in a row: solved, but the room had gone elsewhere */
    bool infeasible;        /* last solve said so, and failed_epoch is still the engine's */
    enum skr_reason reason;
    char *message;
    bool optimal;
    struct outlook outlook;

    struct explained *explained; /* the solver's account, see inquiry.c; NULL: nobody asked */

    skr_time capacity_since; /* infeasible for want of capacity since; 0 not */
    bool gates_released;     /* see release.c */

    char *placement, *rank; /* as written */
    bool output_too_large;
    struct condition condition[CONDITION_KIND_COUNT];
    size_t outputs_bound; /* n_bound and input_epoch that placement and rank were made at */
    uint64_t outputs_input;
    enum skr_group_status status;
    skr_time status_since;
    bool restored;                     /* traces of an earlier life were looked at */
    enum skr_group_status told_status; /* last Event and decision */
    enum skr_reason told_reason;
    /* Events of trials since the group was complete: each is told once, however often it is tried
     * and whatever reasons take turns. */
    bool told_placed;
    uint32_t told_unplaced;                   /* bits: reasons */
    struct told_event event[SKR_EVENTS_KEPT]; /* a ring: the n-th is at n % SKR_EVENTS_KEPT */
    size_t n_events;
    uint64_t members_told; /* what members_settle last depended on */
    skr_time gated_since;  /* state text unchanged since */
    const char *gated_text;
};

/* ---- the rest ---- */

enum write_purpose {
    WRITE_FOR_SINK_MAP,
    WRITE_FOR_SINK_PODGROUP,
    WRITE_FOR_MEMBER,
    WRITE_FOR_MEMBER_READ,
    WRITE_FOR_BINDING,
    WRITE_FOR_BINDING_READ,
    WRITE_FOR_ROLLBACK,
    WRITE_FOR_EVENT,
    WRITE_PURPOSE_COUNT
};

struct pending_write {
    UT_hash_handle hh; /* by id */
    uint64_t id;
    enum write_purpose purpose;
    char *key; /* uid of the pod, or namespace/name of the object */
    /* member patches: what to overlay on success */
    char *nominated_node;
    bool drop_gate;
    struct skr_label *label;
    size_t n_labels;
    char *annotation;
    bool is_kick;
    bool ungates;
    const char *node; /* Bindings: where to; from node_name_intern */
};

enum wake_kind {
    WAKE_GROUP,   /* key: of the group */
    WAKE_POD,     /* uid */
    WAKE_MAP,     /* key of the map */
    WAKE_NODES,   /* warnings about nodes are due */
    WAKE_CHANGED, /* a veto ends */
    WAKE_TELL,    /* reasons of groups that wait are told anew */
    WAKE_ASKERS,  /* who asks for an explanation has waited long enough */
    WAKE_KIND_COUNT
};

struct wake {
    skr_time at;
    uint64_t seq; /* first come first */
    enum wake_kind kind;
    char *key; /* group key, uid, map key */
};

struct interned_name {
    UT_hash_handle hh;
    char name[];
};

struct skr_engine {
    struct skr_settings settings;
    skr_time now;
    struct skr_actions *out;
    bool synced, leader, stopped;

    struct skr_resource_names *resources;
    struct skr_ledger *ledger;
    struct interned_name *names; /* node names: borrowed by plans for the life of the engine */
    struct node_entry *nodes;
    size_t n_nodes; /* that exist */
    struct shape *shapes;
    struct pod_entry *pods, *pods_by_name, *parked;
    bool status_forbidden; /* pods/status may not be patched: kicks are label patches */
    struct map_entry *maps;
    struct podgroup_entry *podgroups;
    struct group *groups;
    struct group *planned;      /* groups with a plan */
    struct pod_entry *ordinary; /* pods without a group that a plan leaves room for, see pods.c */

    /* topology.c */
    struct skr_tree *tree;    /* in force; NULL: none usable */
    struct map_entry *active; /* its map; NULL: derived */
    char *active_key;
    bool tree_dirty, nodes_dirty;
    bool tree_replaced;            /* by another one; not told yet */
    skr_time nodes_told_at;        /* when node warnings are written next */
    struct node_entry **leaf_node; /* [tree->n_leaves], NULL: no such node */
    bool leaf_node_stale;
    size_t n_unknown, n_outside;
    char first_unknown[256], first_outside[256];

    struct group *dirty_groups;
    struct pod_entry *dirty_pods;
    struct map_entry *dirty_maps;
    struct pod_entry *bindings; /* queue of pods whose Binding may be posted */
    size_t bindings_in_flight;
    uint64_t epoch; /* grows with every change that can make a group fit */
    uint64_t ledger_epoch_seen;
    uint64_t facts;            /* grows with every change that an explanation may rest on */
    bool plan_wanted;          /* somebody may be due for planning */
    uint64_t nodes_epoch;      /* grows with every change of nodes, tree or vetoes */
    struct keeping *keeping;   /* kept.c; NULL: nothing was planned yet */
    skr_time tell_pause_until; /* numbers in reasons are not told anew before */
    skr_time tell_wake_at;     /* WAKE_TELL is set for it */

    struct inquiries *inquiries; /* inquiry.c; NULL: nobody ever asked */

    uint64_t solve; /* id of the one running; 0 none */
    char *solve_group;
    uint64_t solve_input_epoch;
    uint64_t solve_epoch;
    bool solve_cancelled;
    bool solve_probed_only; /* on nodes that some probe has listed; if that fails, on all */
    bool solve_rescue;      /* for members in Binding whose node is gone */
    bool solve_of_slots;    /* it fits, by what is kept: a placement, no explanation */
    bool solve_telling;     /* it does not fit, still: its reason is told anew */
    char **solve_uid;       /* newcomers it was started for */
    size_t n_solve_uids;

    struct pending_write *writes;
    uint64_t next_id; /* writes, solves */
    struct wake *wake;
    size_t n_wakes, cap_wakes;
    uint64_t wake_seq;
    skr_time last_verb_at; /* the scheduler is alive */
    skr_time verbs_since;  /* it has been, without a longer pause */
    skr_time timer;        /* as asked from the shell */
    uint64_t event_seq;

    uint64_t n_plans, n_aborts, n_solves, n_bindings, n_binding_errors;
    uint64_t n_attempts[SKR_ATTEMPT_COUNT];
    uint64_t n_topology_loads, n_topology_refusals;
    struct skr_scheduling_times scheduling[SKR_OUTCOME_COUNT];
};

/* engine.c: what is dirty, and when to look again */
void engine_touch_group(struct skr_engine *e, struct group *g);
void engine_touch_pod(struct skr_engine *e, struct pod_entry *p);
void engine_touch_map(struct skr_engine *e, struct map_entry *m);
void engine_wake(struct skr_engine *e, skr_time at, enum wake_kind kind, const char *key);
void engine_wake_group(struct skr_engine *e, struct group *g, skr_time at);
void engine_verb(struct skr_engine *e);    /* kube-scheduler asks */
void engine_changed(struct skr_engine *e); /* something that can make a waiting group fit */
const char *engine_name(struct skr_engine *e, const char *node); /* interned */
struct wake wakes_pop(struct skr_engine *e);
char *object_key(const char *namespace_, const char *name); /* "namespace/name" to free() */

/* output.c: actions */
void out_answer(struct skr_engine *e, uint64_t request, enum skr_answer_kind kind,
                const char *text);
void out_answer_one(struct skr_engine *e, uint64_t request, size_t index);
/* mask: (n + 7) / 8 bytes, copied */
void out_answer_mask(struct skr_engine *e, uint64_t request, enum skr_answer_kind kind,
                     const char *text, const uint8_t *mask, size_t n);
void out_answer_scores(struct skr_engine *e, uint64_t request, const int8_t *scores, size_t n);
/* Handed over; gets its id, which is returned. */
uint64_t out_solve(struct skr_engine *e, struct skr_solve_request *request);
void out_explain(struct skr_engine *e, uint64_t request, enum skr_explain_status status,
                 const struct skr_strbuf *json);
void out_hold(struct skr_engine *e, uint64_t request, skr_time deadline);
void out_decision(struct skr_engine *e, const char *group, const char *pod, const char *what,
                  const char *reason, const char *message, bool is_error);
/* Hands out a write and remembers it; body is copied. */
struct pending_write *out_write(struct skr_engine *e, enum skr_write_kind kind,
                                enum skr_write_class class, const char *namespace_,
                                const char *name, const struct skr_strbuf *body,
                                enum write_purpose purpose, const char *key);
/* Order of the write that was handed out last. */
void out_order(struct skr_engine *e, uint64_t order);
void pending_write_destroy(struct pending_write *w);
/* An Event about an object; note is cut at SKR_MESSAGE_MAX. */
void out_event(struct skr_engine *e, const char *kind, const struct skr_meta *about, bool warning,
               const char *reason, const char *action, const char *note);

/* nodes.c */
void nodes_upsert(struct skr_engine *e, struct skr_node *node);
void nodes_delete(struct skr_engine *e, const char *name);
struct node_entry *nodes_find(const struct skr_engine *e, const char *name);
struct node_entry *nodes_get(struct skr_engine *e, const char *name); /* made when absent */
void nodes_fini(struct skr_engine *e);

/* topology.c */
void topology_map_changed(struct skr_engine *e,
                          struct map_entry *m); /* text of a topology map changed or it is gone */
void topology_settle(struct skr_engine *e);
struct node_entry *const *topology_leaf_nodes(struct skr_engine *e);
bool topology_is_usable(const struct skr_engine *e); /* there is a tree, with leaves */
/* The oldest map that cannot be read; NULL: none. O(maps). */
const struct map_entry *topology_malformed(const struct skr_engine *e);
const char *topology_map_reason(const struct skr_engine *e,
                                const struct map_entry *m); /* "" when fine */

/* pods.c */
void pods_upsert(struct skr_engine *e, struct skr_pod *pod);
void pods_delete(struct skr_engine *e, const char *namespace_, const char *name, const char *uid);
void pods_replace(struct skr_engine *e, struct pod_entry *p, struct skr_pod *pod); /* takes pod */
struct pod_entry *pods_find(const struct skr_engine *e, const char *uid);
struct pod_entry *pods_find_name(const struct skr_engine *e, const char *namespace_,
                                 const char *name);
bool pods_is_bound(const struct pod_entry *p);
bool pods_is_ours(const struct skr_engine *e, const struct skr_pod *pod);
bool pods_is_waiting(const struct pod_entry *p); /* ours, without a group, to be scheduled */
void pods_forget_accepted(struct pod_entry *p);
const char *pods_label(const struct pod_entry *p, const char *key); /* "" absent */
const char *pods_annotation(const struct pod_entry *p);             /* sakkara.plan; "" absent */
void pods_note_ordinary(struct skr_engine *e, struct pod_entry *p);
const char *pods_group_name(const struct skr_pod *pod); /* NULL: none */
void pods_fini(struct skr_engine *e);
struct shape *shape_get(struct skr_engine *e, const struct skr_pod *pod); /* a reference */
void shape_unref(struct skr_engine *e, struct shape *s);
bool shape_is_vetoed(struct skr_engine *e, struct shape *s, const char *node);
void shape_veto(struct skr_engine *e, struct shape *s, const char *node);
void shape_unveto(struct skr_engine *e, struct shape *s, const char *node);

/* sources.c */
void sources_configmap_upsert(struct skr_engine *e, struct skr_configmap *map);
void sources_configmap_delete(struct skr_engine *e, const char *namespace_, const char *name);
void sources_podgroup_upsert(struct skr_engine *e, struct skr_podgroup *pg);
void sources_podgroup_delete(struct skr_engine *e, const char *namespace_, const char *name);
struct group *groups_get(struct skr_engine *e, const char *namespace_,
                         const char *name); /* made when absent */
struct group *groups_find(const struct skr_engine *e, const char *key);
/* As people name it: a group of that name, or the group that the map of that name defines.
 * *ret_map: such a map when there is no group of that name. */
struct group *groups_find_named(const struct skr_engine *e, const char *key,
                                struct map_entry **ret_map);
void groups_fini(struct skr_engine *e);
void groups_release_if_empty(struct skr_engine *e, struct group *g);
/* Decides which source defines the group now and what its spec is; true when what is in force
 * changed. */
bool sources_resolve(struct skr_engine *e, struct group *g);
void sources_fini(struct skr_engine *e);

/* membership.c */
void membership_update(struct skr_engine *e, struct group *g); /* counts; seats when seats_dirty */
int32_t membership_size(const struct group *g);
/* Newcomers that may be planned, by (created, name); array to free(). */
struct pod_entry **membership_plannable(struct skr_engine *e, struct group *g, size_t *ret_n);
struct pod_entry *membership_oldest(const struct group *g);
bool membership_is_beyond(const struct group *g, const struct pod_entry *p);

/* lifecycle.c */
void lifecycle_evaluate(struct skr_engine *e, struct group *g);
void lifecycle_enter(struct skr_engine *e, struct group *g, enum group_state state);
void lifecycle_reason(struct group *g, enum skr_reason reason,
                      const char *message);        /* message copied, NULL allowed */
void lifecycle_no_tree(struct group *g);           /* TopologyMissing */
const char *lifecycle_text(const struct group *g); /* constant rejection text of the state */
void lifecycle_backoff(struct skr_engine *e, struct group *g);

/* measure.c: how long groups wait. At the end of every evaluation, and before a group goes. */
void measure_group(struct skr_engine *e, struct group *g);
void measure_group_gone(struct skr_engine *e, struct group *g);

/* kept.c, outlook.c: whether groups fit, without a solve */
enum outlook_answer {
    OUTLOOK_UNKNOWN, /* ask the solver */
    OUTLOOK_FITS,    /* on the slots; ordinary pods and probes may still say no */
    OUTLOOK_NONE,    /* no placement */
};
enum outlook_news { NEWS_NONE, NEWS_NUMBERS, NEWS_REASON };
void kept_see_changes(struct skr_engine *e); /* after every event */
void kept_refresh(struct skr_engine *e);     /* before judging */
enum outlook_answer outlook_judge(struct skr_engine *e, struct group *g);
/* The outlook is of the group as it is, and has slots. */
bool outlook_stands(const struct skr_engine *e, const struct group *g);
void outlook_copy_slots(const struct outlook *o, const struct skr_tree *tree, int64_t *ret);
/* No count is above the slots of its leaf. */
bool outlook_holds(const struct outlook *o, const struct skr_tree *tree, const int32_t *count);
/* The reason is being told as things are now; what of it is old since (the outlook must stand). */
void outlook_told(const struct skr_engine *e, struct group *g);
enum outlook_news outlook_news(const struct skr_engine *e, const struct group *g);
void kept_touch_node(struct skr_engine *e, const char *node); /* it, or its vetoes, changed */
void kept_shape_gone(struct skr_engine *e, const struct shape *s);
void outlook_leave(struct group *g);                           /* lets go what is kept for it */
int kept_check(struct skr_engine *e, struct skr_error *error); /* SKR_BUG: slots are wrong */
void kept_fini(struct skr_engine *e);

/* queue.c */
struct choice {
    struct group *plan; /* to be solved now; NULL: none */
    enum outlook_answer outlook;
    struct group *tell; /* whose reason is to be told anew, when none is planned */
    size_t n_waiting;   /* groups without a placement */
};
/* Groups that are due and do not fit have had their trial afterwards. */
struct choice queue_next(struct skr_engine *e);
void queue_tell_begins(struct skr_engine *e, size_t n_waiting); /* sets the pause behind it */
bool planner_goes_before(const struct group *a, const struct group *b); /* both have a spec */

/* planner.c */
void planner_run(struct skr_engine *e);
void planner_solved(struct skr_engine *e, struct skr_event *event);
void planner_fini(struct skr_engine *e);
/* Reason and message of a group without a placement, from the solver's explanation. */
void planner_explain(struct skr_engine *e, struct group *g, const struct skr_solution *s,
                     int32_t n);

/* inquiry.c: why a group is not placed, for who asks */
void inquiry_ask(struct skr_engine *e, const struct skr_event *event);
/* Whether the solve was one of these; then the solution is taken. */
bool inquiry_solved(struct skr_engine *e, struct skr_event *event);
void inquiry_settle(struct skr_engine *e); /* answers who can be answered */
void inquiry_fini(struct skr_engine *e);
void explained_destroy(struct explained *x); /* NULL allowed */

/* release.c: gates that are removed without a plan, for autoscalers. */
void release_settle(struct skr_engine *e, struct group *g);
bool release_may_open(const struct skr_engine *e, const struct pod_entry *p);

/* explain.c: why n members found no place; appended to b. */
void explain_sentence(struct skr_engine *e, struct group *g, const struct skr_explanation *x,
                      int32_t n, struct skr_strbuf *b);

/* problem.c: the solver's input. NULL with *ret_n == 0 leaves: no tree. */
struct skr_solve_request *problem_build(struct skr_engine *e, struct group *g,
                                        struct pod_entry *const *newcomers, size_t n,
                                        bool probed_only, struct skr_error *error);
/* The same for a group whose outlook stands, of the slots alone: no claims, no explanation. NULL
 * without memory. */
struct skr_solve_request *problem_of_slots(struct skr_engine *e, const struct group *g);
/* Distinct shapes of the newcomers; beyond SHAPES_MAX the first ones decide eligibility and vetoes
 * find the rest. */
struct shapes shapes_of(struct pod_entry *const *newcomers, size_t n);
/* The most of each resource that any of them asks for; skr_amounts_fini(). */
void shapes_demand(const struct shapes *shapes, struct skr_amounts *ret);
/* Ordinary pods take room from these newcomers before it is charged. */
bool problem_has_paper(const struct skr_engine *e, struct pod_entry *const *newcomers, size_t n);
/* Members of the group that stay where they are while newcomers are placed: bound ones, and planned
 * ones that are no newcomers. Node or NULL. */
const char *problem_claim_node(const struct group *g, const struct pod_entry *p,
                               struct pod_entry *const *newcomers, size_t n);
/* A veto was ever needed for one of these shapes, and probes have listed nodes. */
bool problem_has_probes(struct pod_entry *const *newcomers, size_t n);
/* Whether counts (leaves of e->tree) can still be committed for these newcomers. */
bool problem_still_valid(struct skr_engine *e, struct group *g, struct pod_entry *const *newcomers,
                         size_t n, const int32_t *count);

/* plan.c */
struct plan *plan_create(struct skr_engine *e, struct group *g);
void plan_add_member(struct skr_engine *e, struct plan *plan, struct pod_entry *p, const char *node,
                     int32_t rank);
void plan_remove_member(struct skr_engine *e, struct pod_entry *p); /* releases its charge */
void plan_commit(struct skr_engine *e, struct plan *plan); /* id, text; asks for the write */
void plan_text_changed(struct skr_engine *e, struct plan *plan);
bool plan_is_persisted(const struct skr_engine *e,
                       const struct plan *plan); /* the object carries the text as it should be */
void plan_abort(struct skr_engine *e, struct group *g, enum skr_reason reason, const char *message,
                bool backoff);
/* State Binding is seen persisted: from here there is only forward. */
void plan_note_binding(struct skr_engine *e, struct group *g);
/* No write of the plan's text is in flight, and what it did is known. */
bool plan_home_is_quiet(const struct skr_engine *e, const struct group *g);
void plan_step(struct skr_engine *e, struct group *g); /* moves a plan as far as it can go now */
void plan_destroy(struct skr_engine *e,
                  struct plan *plan); /* members are let go, charges released but of bound ones */
bool plan_uses_node(const struct plan *plan, const char *node);
/* A member past the point of no return that cannot be bound to its node: the node is gone, or
 * closed to it and no bind call is open. */
bool plan_is_stranded(struct skr_engine *e, struct pod_entry *p);
void plan_pod_lost(struct skr_engine *e,
                   struct pod_entry *p);                     /* about to leave the cache, or dead */
void plan_step_abort(struct skr_engine *e, struct group *g); /* finishes one when it can */
void plan_add_vacancy(struct skr_engine *e, struct plan *plan, struct pod_entry *p);
/* onPartialBind: rollback. Bindings in flight come to their end first: who is bound is deleted. */
void plan_roll_back(struct skr_engine *e, struct plan *plan);
/* Of those that the plan places: the loss of one who runs already must not end it. */
const struct pod_entry *plan_oldest_member(const struct plan *plan);
bool plan_seat_replacement(
    struct skr_engine *e,
    struct plan *plan); /* newcomers into vacancies; true when one was seated */

/* sink.c */
void sink_hurry(struct skr_engine *e,
                struct group *g); /* a commit waits: its object is written without delay */
/* The API server refused the last write of the group's object. */
bool sink_is_refused(const struct skr_engine *e, const struct group *g);
void sink_settle_map(struct skr_engine *e, struct map_entry *m);
/* Writes what the group's object lacks, when it is due. */
void sink_settle_group(struct skr_engine *e, struct group *g);
void sink_write_done(struct skr_engine *e, struct pending_write *w, struct skr_event *event);
void sink_fini(struct sink *sink);
const char *sink_annotation(const struct skr_engine *e,
                            const struct group *g); /* as cached; "" none; NULL no object */

/* status.c */
struct wanted {
    struct skr_label *item; /* value NULL: the key must not be there */
    size_t n, cap;
};
void status_update(
    struct skr_engine *e,
    struct group *g); /* status, conditions, outputs from the state; Events on change */
void status_wanted(struct skr_engine *e, const struct group *g, struct wanted *w);
void status_wanted_loser(struct skr_engine *e, struct map_entry *m, struct wanted *w);
/* Why a group map defines no group: DuplicateGroup or GroupInvalid, text says more. */
enum skr_reason status_loser(const struct skr_engine *e, const struct map_entry *m, char *text,
                             size_t size);
/* Whether the group's rules name levels that the tree does not have; which, appended to b. */
bool status_unknown_levels(const struct skr_engine *e, const struct group *g, struct skr_strbuf *b);
void status_wanted_topology(struct skr_engine *e, const struct map_entry *m, struct wanted *w);
void wanted_add(struct wanted *w, const char *key, const char *value);
void wanted_fini(struct wanted *w);
/* Its own, or that of its label; -1: none. */
const char *outputs_node_of(const struct pod_entry *p);
int32_t status_rank_of(const struct pod_entry *p);
void status_outputs(struct skr_engine *e,
                    struct group *g); /* placement and rank from plan and bound members */

/* members.c */
void members_settle(struct skr_engine *e, struct pod_entry *p);
void members_write_done(struct skr_engine *e, struct pending_write *w, struct skr_event *event);
bool nomination_is_anchor(const struct pod_entry *p);
char *nomination_annotation(const struct pod_entry *p); /* free() */
bool members_nomination_stands(struct pod_entry *p); /* labels and annotation, not the nomination */

/* verbs.c */
void verbs_filter(struct skr_engine *e, const struct skr_event *event);
void verbs_prioritize(struct skr_engine *e, const struct skr_event *event);
void verbs_preempt(struct skr_engine *e, const struct skr_event *event);

/* binding.c */
void binding_asked(struct skr_engine *e, const struct skr_event *event);
void binding_hangup(struct skr_engine *e, uint64_t request);
void bind_calls_park(struct skr_engine *e, struct pod_entry *p, uint64_t request, const char *node);
void bind_calls_release(struct skr_engine *e, struct pod_entry *p);
void binding_answer(struct skr_engine *e, struct pod_entry *p, enum skr_answer_kind kind,
                    const char *text);
void binding_drop_vote(struct skr_engine *e, struct pod_entry *p);
void binding_expire(struct skr_engine *e, struct pod_entry *p);
void binding_queue(struct skr_engine *e, struct pod_entry *p);
void binding_unqueue(struct skr_engine *e, struct pod_entry *p);
/* The cache shows the pod bound: an open call of its is answered. */
void binding_is_seen(struct skr_engine *e, struct pod_entry *p);
void binding_pump(struct skr_engine *e);
void binding_write_done(struct skr_engine *e, struct pending_write *w, struct skr_event *event);

/* restore.c */
/* What the group's object says under a key of docs/reference.md; NULL: nothing. */
const char *restore_object_key(const struct group *g, const char *key);
void restore_group(struct skr_engine *e, struct group *g);

#endif
