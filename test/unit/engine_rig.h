/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_RIG_H
#define SKR_TEST_UNIT_ENGINE_RIG_H
/*
 * The engine on a test bench: a virtual clock, a table of API objects with an API server's manners,
 * and a model of kube-scheduler (one cycle at a time; nominated node first; held binds). Left alone
 * it runs like a cluster without latency (rig_run); a test may hold any part and step it by hand:
 * writes, watches, solves, scheduler. Deterministic: no clock, no randomness, no iteration order.
 *
 * A watchdog checks after every event: invariants of the engine; a plan is persisted before anyone
 * is nominated or ungated; Binding is persisted, the rank label stands, a bind call is open and
 * everybody has voted before a Binding is posted; a fresh gang is bound as a whole; one metadata
 * patch at a time per pod, no nomination of a parked one; one successful Binding per pod; no node
 * is overfilled; every call is answered before its deadline; no plan comes back to a node that
 * kube-scheduler refused while nothing changed; an ordinary pod is refused on room of groups alone. What must hold of preemptions stands in
 * engine_rig_preemption.c, of reservations in engine_rig_promises.c. A violation fails the test at once.
 *
 * Names of pods, maps and PodGroups are "name" (namespace default) or "namespace/name".
 * JSON is written with single quotes. All returned strings are borrowed until the next change.
 */
#include <jansson.h>
#include <uthash.h>

#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "test/unit/engine_rig_objects.h"
#include "topology/base/strbuf.h"

struct rig_process;
struct rig {
    struct skr_settings settings;
    struct skr_engine *engine;
    struct skr_gang *gang; /* of engine */
    struct skr_actions actions;
    skr_time now, timer;
    struct rig_process *other; /* the daemon that does not lead: engine_rig_failover.c; NULL none */
    bool is_paused;            /* the other one is */
    bool is_mute;              /* nothing that is asked for is sent */
    /* what the test holds back; all off at first */
    bool hold_watch[RIG_KIND_COUNT];
    bool hold_writes, hold_solves, hold_scheduler;
    bool hold_lists;   /* those that the engine has asked for */
    bool late_lists;   /* they come in a step of their own, also those of rig_sync() */
    bool hold_devices; /* ResourceClaims of pods get none, and their bind calls come nevertheless */
    enum skr_write_kind hold_kind; /* SKR_WRITE_KIND_COUNT: none */
    bool reverse_lists;            /* rig_sync: newest object first */
    int list_rotation;             /* rig_sync: which kind is listed first */
    int64_t solve_ns;              /* what a solve is said to take */
    /* manners of the cluster */
    bool bindings_carry_labels; /* true, as from 1.35 */
    bool forbids_classes;       /* rig_forbid_classes() */
    size_t sample;              /* most nodes that filter is asked about; 0 all */
    bool (*in_tree)(void *context, const struct skr_pod *pod, const char *node); /* NULL: fine */
    void (*at_rest)(void *context); /* called when rig_run() has come to a rest; NULL: not */
    /* Called when a search for victims begins: whether its group has room without any more. NULL: not called. */
    bool (*has_room_then)(void *context, const struct skr_solve_request *search);
    void *context;        /* of these */
    const char *partners; /* a group that pods of others must run beside; NULL: none */
    bool allow_overfull;
    skr_time grace; /* evicted pods terminate, and go this much later: rig_reap(); 0: at once */
    /* Bound pods with activeDeadlineSeconds start, and go when that is over; those with label "late" so many seconds later. */
    bool ends_pods;
    bool users_meddle; /* with plans: a activation is good if its plan was persisted at any time */
    const char *uid_padding; /* makes UIDs long; NULL: none */
    const char *refusal;     /* what the API server says to a refused write; NULL: a default */
    size_t check_every;      /* of so many events and writes one is checked; 1 */
    bool trace;              /* prints what happens */
    bool keeps_no_log;       /* log stays empty */
    /* state */
    struct rig_object *objects, *list;
    struct rig_write *writes;
    struct rig_watch *watches;
    struct rig_call *calls, *maybe_open; /* in their order; none before that one is open */
    struct rig_solve *solves;
    struct rig_fault *faults;
    json_t
        *binding_ids;  /* plan ids that were seen persisted in state Binding: members of those whose
                            group has an object */
    json_t *persisted; /* "uid node" of every plan that was ever persisted */
    json_t
        *refusals;  /* "node group shape" of plans that kube-scheduler refused: [when, accepted] */
    json_t *claims; /* "namespace/name": enum rig_claim */
    json_t *heard[RIG_HEARD_COUNT]; /* key: the version that the engine heard of last */
    json_t *preempting;             /* plan ids that were stored with victims */
    json_t *chosen;                 /* plan ids whose victims were judged */
    json_t *standing;               /* object of a group: id of the plan it carries */
    struct {
        json_t *
            start; /* key of a group: the start at its last move, or an earlier one since; NULL: not yet */
        json_t *seats;          /* "group node" of held seats, before the event */
        uint64_t causes, plans; /* counted so far */
        size_t
            overruns; /* events after which one of namespace default was later, with cause Overrun */
    } promises;
    size_t disturbances; /* changes of the world that may end a plan: when they are made (the
                                      test counts), and when the engine hears of them */
    bool users_act;      /* what is changed now is one */
    bool is_calm;        /* but for these, nothing ends a plan; the test says so */
    uint64_t version, request, queue_order, uid;
    struct rig_answer *asking;
    uint64_t asking_request;
    const char *const *asking_names;
    size_t asking_n;
    struct skr_pod *asking_pod; /* of a filter call, with: */
    bool *may_refuse;           /* by name, before it was made; engine_rig_filter.c */
    bool *must_refuse;
    bool synced;
    /* counts */
    size_t n_writes[SKR_WRITE_KIND_COUNT]; /* handed out */
    size_t n_applied;                      /* that changed an object */
    size_t n_filters, n_solves, n_events;
    size_t n_lives;           /* restarts, and leadership won or lost */
    size_t crash_at;          /* rig_crashed becomes true after this many applied writes; 0 never */
    bool crash_before_answer; /* and the answer of the last one is not handled */
    bool crashed;
    size_t n_actions; /* writes, but for Events, and answers that who leads handed out */
    size_t
        die_at; /* the process dies right after this one of them, in the middle of its list; 0: never */
    bool die_sent; /* and what it asked for until then arrives, though nobody hears the answers */
    bool is_dead;  /* it has; rig_restart() */
    bool is_aside; /* who does not lead has its turn */
    struct skr_strbuf log; /* all actions as text */
    json_t *explanation;   /* the newest answer to rig_explain() */
    json_t *events;        /* reasons of Events, in order: "ConfigMap/name Reason note" */
};

/* ---- life ---- */
struct rig *rig_create(void);
struct rig *rig_create_with(const struct skr_settings *settings);
void rig_destroy(struct rig *rig);
SKR_AUTO_DEFINE(struct rig, rig_destroy)
/* A group of that size, priority 0 and no constraints; everything is listed; its pods come. */
void rig_gang(struct rig *rig, const char *group, int size, const char *prefix, int n, int flags);
/* Lists everything to the engine and says SYNCED. */
void rig_sync(struct rig *rig);
/* The process dies: writes in flight are not applied, calls break, the engine starts anew from the
 * objects (rig_sync is called). */
void rig_restart(struct rig *rig);
/* kube-scheduler dies and starts again: hang-ups, assumptions forgotten. */
void rig_restart_scheduler(struct rig *rig);

/* ---- what users do ---- */
void rig_create_json(struct rig *rig, enum rig_kind kind, const char *key, const char *format, ...)
    SKR_PRINTF(4, 5);
void rig_edit(struct rig *rig, enum rig_kind kind, const char *key, const char *format, ...)
    SKR_PRINTF(4, 5); /* a merge patch */
/* The pod was made as it is now: no watch tells what was edited since. */
void rig_made_so(struct rig *rig, const char *pod);
void rig_delete(struct rig *rig, enum rig_kind kind, const char *key);
void rig_terminate(struct rig *rig, const char *pod); /* deletionTimestamp only */
/* As a user's DELETE: grace period and finalizers count. */
void rig_remove(struct rig *rig, const char *pod);
/* Of which the test says nothing are bound. Pods that wait for it come to kube-scheduler again. */
void rig_claim(struct rig *rig, const char *name, enum rig_claim state);
/* Pods whose time is over go; rig_run() does so too. Returns how many. */
size_t rig_reap(struct rig *rig);
/* A PodDisruptionBudget for the pods of a group, which lets so many go. */
void rig_budget(struct rig *rig, const char *name, const char *group, int allowed);
/* A DeviceClass that serves the resource. */
void rig_class(struct rig *rig, const char *name, const char *resource);
/* The account may not read device classes, now and after a restart. */
void rig_forbid_classes(struct rig *rig, bool forbid);
void rig_phase(struct rig *rig, const char *pod, const char *phase);
void rig_node(struct rig *rig, const char *name, int cpu);
/* racks of nodes named node-0.., and the topology map "topology" */
void rig_racks(struct rig *rig, int racks, int nodes, int cpu);
/* constraints NULL: no key */
void rig_group(struct rig *rig, const char *name, int size, int priority, const char *constraints);
void rig_podgroup(struct rig *rig, const char *name, int size);
enum { RIG_GATED = 1, RIG_POD_GROUP_LABEL = 2, RIG_BIG = 4, RIG_BARE = 8 };
/* One cpu (RIG_BIG: two). group NULL: an ordinary pod. Owner is the job "job" unless RIG_BARE. */
void rig_pod(struct rig *rig, const char *name, const char *group, int flags);
/* prefix-0 .. prefix-(n - 1) */
void rig_pods(struct rig *rig, const char *prefix, int n, const char *group, int flags);
void rig_delete_pods(struct rig *rig, const char *prefix, int first, int end); /* .. end - 1 */

/* ---- time ---- */
void rig_settle(struct rig *rig); /* everything that is due now */
void rig_run(struct rig *rig, skr_time duration);
/* One pending thing that is not held; false: none. */
bool rig_step(struct rig *rig);
bool rig_step_watch(struct rig *rig, size_t nth); /* nth of those that may come next */
bool rig_step_list(struct rig *rig);              /* the first that the engine has asked for */
bool rig_step_write(struct rig *rig, size_t nth);
bool rig_step_solve(struct rig *rig);
bool rig_step_scheduler(struct rig *rig);
/* The clock goes to the next thing that becomes due, at most to end; false: nothing before end. */
bool rig_advance(struct rig *rig, skr_time end);

/* ---- writes ---- */
void rig_fault(struct rig *rig, enum skr_write_kind kind, const char *key, enum rig_outcome outcome,
               int times);
void rig_fault_after(struct rig *rig, enum skr_write_kind kind, const char *key,
                     enum rig_outcome outcome, int skip, int times);
void rig_faults_end(struct rig *rig);
struct rig_write *rig_find_write(struct rig *rig, enum skr_write_kind kind, const char *key);
void rig_answer_write(struct rig *rig, struct rig_write *write, enum rig_outcome outcome);
/* handed out so far; key NULL: all. Writes to a deleted object are not counted by key. */
size_t rig_count(struct rig *rig, enum skr_write_kind kind, const char *key);
void rig_forget_counts(struct rig *rig);

/* ---- kube-scheduler by hand ---- */
/* nodes: names, blank separated; NULL: all. */
struct rig_answer rig_filter(struct rig *rig, const char *pod, const char *nodes);
/* It comes to an ordinary pod of the profile with these names; then the pod goes. */
void rig_hear(struct rig *rig, const char *profile, const char *nodes);
struct rig_answer rig_prioritize(struct rig *rig, const char *pod, const char *nodes);
/* node: its victims' pod names, "node-0:a,b node-1:" */
struct rig_answer rig_preempt(struct rig *rig, const char *pod, const char *candidates);
/* The call; its state and text tell how it stands. Stays valid until the rig goes. */
const struct rig_call *rig_bind(struct rig *rig, const char *pod, const char *node);
void rig_hang_up(struct rig *rig, const struct rig_call *call);
/* The newest call of a pod, or NULL. */
const struct rig_call *rig_call_of(struct rig *rig, const char *pod);
/* The first call that is open, NULL none; those after it may be. */
struct rig_call *rig_first_open(struct rig *rig);
size_t rig_open_calls(struct rig *rig);
void rig_event(struct rig *rig, enum skr_event_kind kind); /* LEADER_*, SHUTDOWN */

/* ---- looking ---- */
/* Why the group is not placed, or a Status; borrowed until the next question. Solves that are
 * waiting are done. */
const json_t *rig_explain(struct rig *rig, const char *name);
/* What the explanation says also, under this reason; "": nothing. Borrowed likewise. */
const char *rig_also(struct rig *rig, const char *group, const char *reason);
/* With who would give way to it. */
const json_t *rig_explain_preempt(struct rig *rig, const char *name);
/* What if it were different. */
const json_t *rig_what_if(struct rig *rig, const char *name, const struct skr_what_if *what_if);
struct rig_object *rig_find(const struct rig *rig, enum rig_kind kind, const char *key);
const char *rig_key(const struct rig *rig, const char *map, const char *key); /* data; "" absent */
const char *rig_annotation(const struct rig *rig, enum rig_kind kind, const char *key,
                           const char *name);
const char *rig_label(const struct rig *rig, const char *pod, const char *name);
const char *rig_node_of(const struct rig *rig, const char *pod); /* bound; "" not */
const char *rig_nominated(const struct rig *rig, const char *pod);
/* By what the pod carries of its plan, nominated or not; "" nowhere. */
const char *rig_planned(const struct rig *rig, const char *pod);
bool rig_is_gated(const struct rig *rig, const char *pod);
size_t rig_n_bound(const struct rig *rig, const char *group);    /* pods of that group label */
const char *rig_state(const struct rig *rig, const char *group); /* internal: "Holding" */
bool rig_has_event(const struct rig *rig, const char *part);     /* an Event's text contains it */
/* What reservations of other groups keep of the node from one that starts now and ends then. */
struct group;
int64_t rig_promised(const struct rig *rig, const char *resource, const char *node,
                     const struct group *self, int64_t end);
/* All prefix-0 .. n-1 bound. */
void rig_assert_bound(struct rig *rig, const char *prefix, int n);
/* Nobody unbound carries traces of a plan; no object carries a plan but for groups in flight. */
void rig_assert_clean(struct rig *rig);
#define rig_assert_text(have, want) assert_string_equal(have, want)
void rig_print(const struct rig *rig); /* for people */
/* Fails the test with a text and what the rig holds. */
void rig_fail(struct rig *rig, const char *format, ...) SKR_PRINTF(2, 3);

#endif
