/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_RIG_PARTS_H
#define SKR_TEST_UNIT_ENGINE_RIG_PARTS_H
/* What the files of the rig share and tests need not see. */
#include "test/unit/engine_rig.h"

#define RIG_EPOCH (1700000000 * SKR_SECOND) /* when a rig begins */

/* engine_rig_log.c */
/* A line of rig.log. */
void rig_log_action(struct rig *rig, const struct skr_action *a);

/* engine_rig.c */
void rig_handle(struct rig *rig, struct skr_event *event);
uint64_t rig_request(struct rig *rig, enum skr_gang_verb verb, const void *body); /* its id */
void rig_tell(const struct rig *rig, const char *format, ...) SKR_PRINTF(2, 3);

/* engine_rig_life.c */
void rig_list(struct rig *rig, enum rig_kind kind);
void rig_make_engine(struct rig *rig);
void rig_drop_pending(struct rig *rig); /* what dies with the process */

/* engine_rig_writes.c */
void rig_write_free(struct rig *rig, struct rig_write *w);
enum rig_outcome rig_fate_of(struct rig *rig, const struct rig_write *w); /* uses up a fault */
int rig_arrive(struct rig *rig, const struct rig_write *w);               /* HTTP status */
enum skr_write_outcome rig_outcome_of(int status);                        /* 0: not known */
/* The engine hears the answer; the write is freed. */
void rig_answer_as(struct rig *rig, struct rig_write *w, enum skr_write_outcome outcome,
                   int status);

/* engine_rig_store.c */
const struct skr_object_type *rig_type(enum rig_kind kind);
char *rig_full_key(enum rig_kind kind, const char *key); /* free() it */
const char *rig_text(const json_t *object, const char *path);
/* A patch of a member, and no mark of a victim. */
bool rig_patches_member(const struct rig_write *w);
const char *rig_meta_text(const json_t *object, const char *field, const char *name);
json_t *rig_json(const char *format, va_list args) SKR_PRINTF(1, 0);
void rig_add(struct rig *rig, enum rig_kind kind, const char *key, json_t *object);
/* A merge patch into a version of its own; rig_changed() is next. */
void rig_merge(struct rig_object *o, json_t *patch);
void rig_drop_nomination(struct rig_object *pod);              /* the same */
void rig_set_conditions(struct rig_object *pod, json_t *list); /* the same; takes over the list */
/* patch names another text at the path than object. */
bool rig_differs(const json_t *object, const json_t *patch, const char *path);
/* The object's json was changed: new version, decoded, announced. */
void rig_changed(struct rig *rig, struct rig_object *o);
int rig_apply(struct rig *rig, const struct rig_write *w); /* HTTP status */
bool rig_decode(struct rig *rig, enum rig_kind kind, const json_t *json, struct skr_event *ret);
void rig_object_free(struct rig_object *o);
void rig_watch_free(struct rig *rig, struct rig_watch *w);
void rig_deliver(struct rig *rig, struct rig_watch *w);

/* engine_rig_scheduler.c */
struct rig_answer rig_ask(struct rig *rig, enum skr_gang_verb verb, const struct skr_pod *pod,
                          const char *const *names, size_t n);
struct rig_call *rig_call_bind(struct rig *rig, struct rig_object *pod, const char *node,
                               bool by_hand);
void rig_scheduler_sees(struct rig *rig, struct rig_object *pod, bool own);
/* a comes first, of two that are queued. */
bool rig_scheduler_prefers(const struct rig_object *a, const struct rig_object *b);
void rig_scheduler_wake(struct rig *rig, bool in_tree_event);
void rig_scheduler_answer(struct rig *rig, const struct skr_answer *answer);
skr_time rig_scheduler_next(struct rig *rig); /* when something becomes due */
void rig_scheduler_due(struct rig *rig);
void rig_scheduler_forget(struct rig *rig, bool hang_up);
void rig_call_free(struct rig *rig, struct rig_call *call);

/* Un-reserves the pod, if it is assumed; it comes again after a second. */
void rig_scheduler_bind_failed(struct rig *rig, struct rig_object *pod);

/* engine_rig_claims.c */
#define RIG_VOLUME_WAIT (600 * SKR_SECOND) /* bindTimeoutSeconds of VolumeBinding */
/* Why kube-scheduler calls no extender for the pod; NULL: claims do not hinder it. */
const char *rig_claims_refuse(const struct rig *rig, const struct rig_object *pod);
/* True: the pod, which is assumed, waits for its volumes, and is not bound yet. */
bool rig_claims_keep(struct rig *rig, struct rig_object *pod);
void rig_claims_allocate(struct rig *rig, const struct rig_object *pod);
skr_time rig_claims_next(const struct rig *rig); /* end of the next wait; SKR_TIME_NEVER */
void rig_claims_due(struct rig *rig);
void rig_claims_judge(struct rig *rig,
                      const json_t *plan); /* that is asked to be stored; NULL: none */

/* engine_rig_removal.c */
enum { RIG_GRACE_MAX_S = 1000000000 }; /* 30 years; longer periods count as this */
int rig_apply_delete(struct rig *rig, struct rig_object *o, const struct rig_write *w);
int rig_apply_eviction(struct rig *rig, struct rig_object *o, const struct rig_write *w);
/* How long the pod may take to terminate: of its spec, 0 if it does not run. */
skr_time rig_grace_of(const struct rig_object *pod);
skr_time rig_next_reap(const struct rig *rig); /* of terminating pods; SKR_TIME_NEVER */

/* engine_rig_filter.c */
void rig_filter_begins(struct rig *rig, const struct skr_pod *pod, const char *const *names,
                       size_t n);
void rig_filter_refuses(struct rig *rig, size_t i); /* the i-th of these; the answer is a mask */
void rig_filter_passes(struct rig *rig, size_t i);  /* the same, of an ordinary pod */
void rig_filter_ends(struct rig *rig);

/* engine_rig_promises.c */
/* A process begins to lead. */
void rig_promises_take_over(struct rig *rig);
void rig_promises_judge(struct rig *rig); /* after an event */
void rig_promises_rest(struct rig *rig);  /* nothing is under way */
bool rig_promises_break(const struct rig *rig, const struct rig_object *pod); /* its word */
void rig_promises_fini(struct rig *rig);

/* engine_rig_refusals.c */
void rig_refusals_note(struct rig *rig, const char *group, const char *message);
void rig_refusals_heard(struct rig *rig, const struct rig_watch *w); /* before it is delivered */
void rig_refusals_forget(struct rig *rig);

/* engine_rig_lists.c */
/* The kind is one on demand, and the engine has no list of it yet: it hears of none of its objects. */
bool rig_is_unlisted(const struct rig *rig, const struct skr_object_type *type);
void rig_ask_list(struct rig *rig, const struct skr_object_type *type);
void rig_deliver_list(struct rig *rig, const struct skr_object_type *type);

/* engine_rig_failover.c */
void rig_announce_to_standby(struct rig *rig, const struct rig_watch *news);
void rig_end_standby(struct rig *rig);

/* engine_rig_known.c */
/* The engine hears of this version; json NULL: of the deletion. Kept by reference. */
void rig_hears(struct rig *rig, enum rig_kind kind, const char *key, json_t *json);
/* A patch of a pod was answered with that version: watches bring nothing new until they have come to it. */
void rig_hears_answer(struct rig *rig, const struct rig_write *w, uint64_t version);
/* All versions that the engine can know of objects of the kind, an array to be released. */
json_t *rig_known(const struct rig *rig, enum rig_kind kind);
bool rig_is_readable(const json_t *map); /* a group's: its constraints are JSON */

/* engine_rig_preemption.c */
void rig_preemption_evicts(struct rig *rig, const struct rig_write *w,
                           const struct rig_object *pod);
/* The plan is the stored one that holds the pod. */
void rig_preemption_kicks(struct rig *rig, const struct rig_object *pod, const json_t *plan,
                          const char *node);
/* A write to an object of a group is asked for; it was applied. home: the object; NULL: gone. */
void rig_preemption_asked(struct rig *rig, const struct rig_write *w,
                          const struct rig_object *home);
void rig_preemption_stored(struct rig *rig, const struct rig_write *w,
                           const struct rig_object *home);
void rig_preemption_evicted(struct rig *rig, const char *pod);
/* The engine's decision: the group fits without the victims that are left. */
void rig_preemption_moves(struct rig *rig, const char *group);
void rig_preemption_fini(struct rig *rig);

/* engine_rig_victims.c */
json_t *rig_stored_plan(const json_t *object); /* of a group's; json_decref() it */
bool rig_is_preempting(const json_t *plan);
/* Of a group's object: "namespace/name" of the group. */
void rig_group_of(const json_t *object, char *ret, size_t size);
bool rig_lists(const json_t *victims, const char *text);
bool rig_is_victim(const json_t *victims, const struct rig_object *pod); /* it or its group */
bool rig_pod_runs(const struct rig_object *o);
int64_t rig_cpu_of(const struct skr_quantities *q);
/* What members of the plan that are not bound will take of the node. */
int64_t rig_planned_cpu(const struct rig *rig, const json_t *plan, const char *node);
/* A plan is new: whom it lists may be listed. */
void rig_victims_chosen(struct rig *rig, const char *preemptor, const json_t *plan);

/* engine_rig_tree.c */
/* A plan becomes Binding. home: its group's object. */
void rig_tree_binds(struct rig *rig, const struct rig_object *home, const json_t *plan);

/* engine_rig_watchdog.c */
void rig_watchdog_write(struct rig *rig, const struct rig_write *w);
void rig_watchdog_applied(struct rig *rig, const struct rig_write *w);
const char *rig_group_label(const json_t *object); /* the group it names, "" none */
json_t *rig_plan_in(const struct rig_write *w);    /* that it writes, NULL none; json_decref() it */
/* The persisted plan that holds the pod, parsed; NULL: none. json_decref() it. */
json_t *rig_plan_with(const struct rig *rig, const struct rig_object *pod);

#endif
