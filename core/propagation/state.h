/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_STATE_H
#define SKR_CORE_PROPAGATION_STATE_H
/*
 * What the scheduler of bindings holds, for the files of this folder that run it: scheduler.c the
 * row, cache.c the objects, trigger.c objects in and when a binding is decided, cycle.c decision
 * and writes, estimators.c what the estimators of clusters are asked, condition.c what is reported.
 * Calls go one way: row, cycle, estimators, condition, trigger, cache.
 */
#include <uthash.h>

#include "core/frame/keys.h"
#include "core/frame/object_writer.h"
#include "core/propagation/decision.h"
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "topology/base/json_writer.h"

/* The work of one event, in clusters looked at; its last cycle may exceed it. */
enum { SKR_PROPAGATION_EVENT_BUDGET = 20000, SKR_PROPAGATION_CYCLE_COST = 20 };
enum {
    SKR_WAKE_KEYS, /* the queue's */
};
enum {
    SKR_WRITE_MAIN,   /* spec.clusters and the annotation */
    SKR_WRITE_STATUS, /* the result of a decision */
    SKR_WRITE_READ,   /* read again after a conflict or an unknown outcome */
};

#define SKR_RETRY_LATER_TIME  (300 * SKR_SECOND) /* a shortage, and what fails for the sixth time */
#define SKR_RETRIGGER_TIME    (10 * SKR_SECOND)  /* one binding, by clusters that improve */
#define SKR_RETRY_BACKOFF_MIN (1 * SKR_SECOND)
#define SKR_RETRY_BACKOFF_MAX (10 * SKR_SECOND)
enum {
    SKR_RETRY_BACKOFF_TRIES = 5,
    SKR_CYCLES_A_WORKER = 4,  /* one that is decided or written, the others wait for their status */
    SKR_ESTIMATING_MAX = 256, /* cycles that wait for estimators, beside those of the workers */
};
/* An estimator that failed is not asked again before: a dead one delays one decision, not all. */
#define SKR_ESTIMATOR_REST (10 * SKR_SECOND)

struct skr_cluster_entry {
    UT_hash_handle hh; /* by name */
    struct skr_member_cluster *cluster;
    /* Its estimator failed and is not asked until then; why. 0 and NULL: it did not. */
    skr_time rests_until;
    char *failure;
};

/* What the estimator of a cluster said. */
struct skr_estimated {
    char *cluster;
    int32_t room; /* -1: nothing that counts */
    bool asked;   /* in this query */
    bool silent;  /* it failed, or rests */
};

/* The estimators for one decision: those of clusters that may count, by the settings. */
struct skr_estimators {
    uint64_t query;     /* that is under way; 0: none */
    int64_t generation; /* of the binding that they were asked about */
    size_t n;
    struct skr_estimated *item; /* sorted by cluster */
};

/* A binding and its cycle. */
struct skr_binding_entry {
    UT_hash_handle hh; /* by key: "namespace/name", or "name" of a ClusterResourceBinding */
    char *key;
    struct skr_binding *binding;
    struct skr_rewrites rewrites; /* of spec.clusters */
    skr_time retriggered_at; /* for a cluster that improved; not again within SKR_RETRIGGER_TIME */
    /* The cycle that runs: when it began, when its first patch went out (0: none), and the
     * decision. */
    skr_time started_at;
    skr_time written_at;
    enum skr_propagation_code code;
    char message[256];
    char *affinity;                    /* of the term that succeeded; NULL: none */
    char *note;                        /* "a:3, b:5" for the Event */
    char *warning;                     /* of what was left out of account; NULL: nothing */
    struct skr_estimators *estimators; /* from the questions to the decision; NULL: not asked */
    int64_t generation;                /* decided on */
    int64_t observed;                  /* to be written on success */
    bool changed;                      /* spec.clusters was written, and */
    uint64_t wrote;                    /* the hash of that */
    bool tells_outcome;                /* by Events, once the status is there */
    bool tells_warning;
    bool advances_only; /* nothing was decided: schedulerObservedGeneration alone is written */
};

struct skr_propagation {
    struct skr_frame *frame;
    const struct skr_propagation_settings *settings;
    struct skr_keys *keys;
    size_t committing; /* patches of main resources and reads that are under way */
    size_t estimating; /* cycles that wait for estimators */
    struct skr_cluster_entry *cluster;
    struct skr_binding_entry *binding;
    const struct skr_member_cluster **list; /* sorted by name; NULL: to be made again */
    size_t n_list;
    uint64_t attempts[SKR_PROPAGATION_CODE_COUNT];
    uint64_t fallbacks;
    uint64_t estimators[SKR_ESTIMATOR_RESULT_COUNT];
    struct skr_durations time[SKR_PROPAGATION_STEP_COUNT];
};

/* ---- cache.c ---- */

/* The type of the binding's objects. */
const struct skr_object_type *skr_binding_entry_type(const struct skr_binding_entry *entry);
/* Managed by a policy, asks for us, not suspended, not being deleted. */
bool skr_propagation_is_ours(const struct skr_propagation *self, const struct skr_binding *binding);
/* Caches a newer object of a binding, and returns whether it was newer. Takes binding. */
bool skr_propagation_take(struct skr_propagation *self, struct skr_binding_entry *entry,
                          struct skr_binding *binding);
struct skr_binding_entry *skr_propagation_find(struct skr_propagation *self, const char *key);
/* Caches a newer version, and queues the binding if it may have to be decided. Takes binding. */
void skr_propagation_put_binding(struct skr_propagation *self, struct skr_binding *binding);
void skr_propagation_drop_binding(struct skr_propagation *self, const char *namespace_,
                                  const char *name);
void skr_propagation_remove(struct skr_propagation *self, struct skr_binding_entry *entry);
struct skr_cluster_entry *skr_propagation_find_cluster(struct skr_propagation *self,
                                                       const char *name); /* NULL: none */
/* Caches a newer object, and returns whether it was newer. Takes cluster. *ret_before: the object
 * that it replaced, or NULL; the caller destroys it. */
bool skr_propagation_put_cluster(struct skr_propagation *self, struct skr_member_cluster *cluster,
                                 struct skr_member_cluster **ret_before);
/* The caller destroys it. NULL: it was not there. */
struct skr_member_cluster *skr_propagation_remove_cluster(struct skr_propagation *self,
                                                          const char *name);
void skr_propagation_queue(struct skr_propagation *self, const struct skr_binding_entry *entry,
                           skr_time at);
void skr_propagation_clear(struct skr_propagation *self);

/* ---- trigger.c ---- */

/* Caches the cluster, or takes it out of the cache, and queues the bindings that this concerns. Takes
 * cluster. */
void skr_propagation_take_cluster(struct skr_propagation *self, struct skr_member_cluster *cluster);
void skr_propagation_drop_cluster(struct skr_propagation *self, const char *name);
/* Whether the binding has to be decided. If not, at most its generation is noted. */
bool skr_propagation_is_due(struct skr_propagation *self, const struct skr_binding *binding);
/* Whether both texts are the same JSON value. */
bool skr_propagation_same_json(const char *a, const char *b);

/* ---- estimators.c ---- */

/* Asks the estimators of the clusters that the binding may go to. False: there is no one to ask, and
 * the binding can be decided now. */
bool skr_estimators_ask(struct skr_propagation *self, struct skr_binding_entry *entry);
/* Whether the replies are those that the entry waits for. Takes them. entry: NULL allowed. */
bool skr_estimators_take(struct skr_propagation *self, struct skr_binding_entry *entry,
                         const struct skr_replies *replies);
/* [cluster] what they answered, as skr_binding_decide() takes it; the caller frees it. NULL: they
 * were not asked. */
int32_t *skr_estimators_answers(const struct skr_estimators *estimators,
                                const struct skr_member_cluster *const *cluster, size_t n);
/* Appends a warning about those that are silent, if any is. NULL allowed. */
void skr_estimators_warn(struct skr_propagation *self, const struct skr_estimators *estimators,
                         struct skr_strbuf *out);
void skr_estimators_destroy(struct skr_estimators *estimators); /* NULL allowed */

/* ---- condition.c: of the decision that an entry holds, beside its binding as it is ---- */

/* The caller frees the text. NULL: the decision ignores nothing. */
char *skr_condition_warning(struct skr_propagation *self,
                            const struct skr_binding_decision *decision,
                            const struct skr_estimators *estimators);
/* Whether condition Scheduled is about another outcome; whether it lacks this warning, or has one
 * that is none now. */
bool skr_condition_outcome_differs(const struct skr_propagation *self,
                                   const struct skr_binding_entry *entry);
bool skr_condition_warning_differs(const struct skr_binding_entry *entry);
/* The list of conditions, those of other types among them. now: RFC 3339. */
void skr_condition_write(const struct skr_propagation *self, const struct skr_binding_entry *entry,
                         const char *now, struct skr_json_writer *w);
/* Events: of the outcome on the binding and its object, of the warning on the binding alone. */
void skr_condition_report_outcome(struct skr_propagation *self,
                                  const struct skr_binding_entry *entry);
void skr_condition_report_warning(struct skr_propagation *self,
                                  const struct skr_binding_entry *entry);
/* That another client undoes what is written to spec.clusters, once it is due to be told. */
void skr_condition_report_undone(struct skr_propagation *self, struct skr_binding_entry *entry);

/* ---- cycle.c ---- */

bool skr_propagation_settle(void *self);
void skr_propagation_written(void *self, const struct skr_pending_write *write,
                             struct skr_event *event);
void skr_propagation_replied(void *self, const struct skr_replies *replies);

#endif
