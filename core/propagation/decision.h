/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_DECISION_H
#define SKR_CORE_PROPAGATION_DECISION_H
/*
 * One decision about one binding: filter, score, group, select, assign. Pure: the same input gives
 * the same decision, and everything that explain shows is part of it. Lives in one arena; clusters
 * and binding are borrowed and outlive it.
 */
#include "core/frame/durations.h"
#include "core/propagation/binding.h"
#include "core/propagation/options.h"
#include "core/propagation/outcome.h"
#include "topology/base/strbuf.h"
#include "topology/tree.h"

enum {
    SKR_BINDING_DECISION_CLUSTERS_MAX = 100000,
    SKR_BINDING_DECISION_BYTES_MAX = 512 * 1024 * 1024,
};
/* Room of one cluster, in replicas: more is as good as this. Sums of all clusters stay in 64
 * bits. */
#define SKR_ROOM_MAX ((int64_t)1 << 40)
/* Room for a workload without replicas. */
#define SKR_ROOM_UNBOUNDED ((int64_t)INT32_MAX)
/* Scores of a file beyond this count as this. */
#define SKR_SCORE_MAX ((int64_t)1 << 30)

/* In the order in which the first one is reported. */
enum skr_propagation_filter {
    SKR_FILTER_DELETING,
    SKR_FILTER_CLUSTER_AFFINITY,
    SKR_FILTER_API_ENABLEMENT,
    SKR_FILTER_TAINT_TOLERATION,
    SKR_FILTER_CLUSTER_EVICTION,
    SKR_FILTER_SPREAD_CONSTRAINT,
    SKR_FILTER_CLUSTER_RESOURCE,
    SKR_FILTER_COUNT
};
extern const char *const skr_propagation_filter_name[];
/* Whether a constraint is on the field, and the cluster has none: what SPREAD_CONSTRAINT
 * refuses. */
bool skr_binding_lacks_place(const struct skr_binding_placement *placement,
                             const struct skr_member_cluster *cluster, enum skr_spread_field field);

/* Where the binding's affinity has the cluster, with that of its terms (-1: no term is active). 0: the
 * affinity itself; i: the i-th overflow term; -1: nowhere. */
int32_t skr_binding_tier(const struct skr_binding *binding, int32_t term,
                         const struct skr_member_cluster *cluster);

/* Texts that do not stop a decision. */
enum skr_propagation_warning {
    SKR_WARNING_MAX_GROUPS_UNSET,
    SKR_WARNING_CLUSTER_MAX_EXCEEDED,
    SKR_WARNING_CONSTRAINTS_IGNORED,
    SKR_WARNING_WORKLOAD_AFFINITY_IGNORED,
    SKR_WARNING_COMPONENT_SETS_OFF,
    SKR_WARNING_SETS_COUNT_ENDED,
    SKR_WARNING_NODE_CLAIM_IGNORED,
    SKR_WARNING_OVERCOMMIT_GATE_IGNORED,
    SKR_WARNING_SELECTED_UNUSED,
    SKR_WARNING_COUNT
};
/* The warnings about what a decision ignores; condition Scheduled carries them. */
#define SKR_WARNINGS_OF_OMISSIONS                                                                  \
    (UINT32_C(1) << SKR_WARNING_CLUSTER_MAX_EXCEEDED |                                             \
     UINT32_C(1) << SKR_WARNING_CONSTRAINTS_IGNORED |                                              \
     UINT32_C(1) << SKR_WARNING_WORKLOAD_AFFINITY_IGNORED |                                        \
     UINT32_C(1) << SKR_WARNING_COMPONENT_SETS_OFF | UINT32_C(1) << SKR_WARNING_SETS_COUNT_ENDED | \
     UINT32_C(1) << SKR_WARNING_NODE_CLAIM_IGNORED |                                               \
     UINT32_C(1) << SKR_WARNING_OVERCOMMIT_GATE_IGNORED)
/* The warning of the live scheduler about estimators without an answer, the last one in the message
 * of condition Scheduled. */
#define SKR_ESTIMATORS_SILENT "EstimatorsSilent: "
const char *skr_propagation_warning_name(enum skr_propagation_warning warning);
/* "NAME: what it is about and the next step."; the name alone where that says it all. */
void skr_propagation_warning_write(enum skr_propagation_warning warning, struct skr_strbuf *out);

/* A cluster that passed the filters. Sorted: overflow tier ascending, score descending, available
 * descending, name ascending; the index is the rank. */
struct skr_candidate {
    const struct skr_member_cluster *cluster;
    int32_t tier; /* 0: the affinity itself; i: its i-th overflow term */
    bool selected;
    int64_t score;
    int64_t allocatable; /* room for new replicas */
    int64_t running;     /* replicas assigned there now */
    int64_t available;   /* both */
};

/* A group: a unit of the tree above the clusters. */
struct skr_spread_group {
    int32_t unit;
    const char *path; /* "R1/Z1": declared ancestors and itself */
    int64_t score;
    int64_t room;
    size_t n_members; /* candidate indices, in order */
    int32_t *member;
    bool selected; /* has a selected cluster */
};

/* Groups of one declared level, sorted: score descending, room descending, path ascending. */
struct skr_spread_level {
    enum skr_spread_field field;
    size_t n;
    struct skr_spread_group *group;
};

/* minGroups and maxGroups of one field, completed. */
struct skr_group_range {
    bool declared;
    bool unset; /* maxGroups was absent or 0 */
    int64_t min;
    int64_t max; /* INT32_MAX: unbounded */
};

/* Parts of a decision whose cost is measured. */
enum skr_decision_part {
    SKR_DECISION_FILTER, /* with the estimates */
    SKR_DECISION_SCORE,
    SKR_DECISION_SELECT, /* with constraints and groups */
    SKR_DECISION_ASSIGN,
    SKR_DECISION_PART_COUNT
};

struct skr_assignment {
    const char *name;
    int64_t replicas;
    bool has_replicas;   /* false: the cluster is named without a number */
    bool has_components; /* with those of the binding */
};

struct skr_binding_decision {
    struct skr_arena *arena;
    const struct skr_binding *binding;
    const struct skr_propagation_options *options;
    size_t n_clusters; /* sorted by name */
    const struct skr_member_cluster *const *cluster;

    bool sets;          /* room is in sets of components, not in replicas */
    int32_t term;       /* index of the active affinity term, -1 without affinity groups */
    uint32_t *rejected; /* [cluster] bits of filters that refused it, 0: a candidate */
    int64_t *estimate;  /* [cluster] room for new replicas; made once */
    size_t n_candidates;
    struct skr_candidate *candidate;
    struct skr_group_range range[SKR_SPREAD_FIELD_COUNT];
    size_t n_levels; /* declared ones of provider, region, zone; 0 where constraints do not apply */
    struct skr_spread_level level[SKR_SPREAD_LEVELS];
    struct skr_tree *tree; /* NULL without levels */
    /* The levels that tree is made of: all; in karmada-scheduler's search the region alone. */
    size_t n_tree_levels;
    const struct skr_spread_level *tree_level;

    size_t n_selected; /* candidate indices in the order they were picked */
    int32_t *selected;
    size_t n_targets; /* sorted by name */
    struct skr_assignment *target;

    enum skr_propagation_code code;
    char message[256]; /* with the numbers; "" when placed */
    uint32_t warnings; /* bits */
    bool fell_back;    /* the bounded search gave up, another one answered */
    bool first;   /* level by level the selected groups are the first of their number that work */
    int64_t need; /* replicas that the selection must have room for */
    int64_t took[SKR_DECISION_PART_COUNT]; /* ns, of all affinity terms together */
    uint64_t table_work; /* the same of the exact search's tables, spread_table.h */
};

/* Decides. clusters: sorted by name, unique. answers: [cluster] room that its estimator answered, in
 * replicas or sets, -1: none; the smaller of it and of the general estimate counts. NULL: estimators
 * were not asked. stopwatch: NULL: costs are not measured. Returns 0 with a decision whatever its
 * code is, or SKR_LIMIT, SKR_NO_MEMORY. Cost O(clusters log clusters) plus what the search takes. */
int skr_binding_decide(const struct skr_binding *binding,
                       const struct skr_member_cluster *const *cluster, size_t n_clusters,
                       const int32_t *answers, const struct skr_propagation_options *options,
                       const struct skr_stopwatch *stopwatch, struct skr_binding_decision **ret,
                       struct skr_error *error);
/* may[cluster]: whether it passes the filters with an affinity term that a decision may come to, so
 * that its room may count. Room itself refuses none here. O(clusters * terms). */
void skr_binding_list_possible(const struct skr_binding *binding,
                               const struct skr_member_cluster *const *cluster, size_t n_clusters,
                               const struct skr_propagation_options *options, bool *may);
void skr_binding_decision_destroy(struct skr_binding_decision *decision); /* NULL allowed */

/* Ends the decision with a code and "CODE: text". Returns false, so that a step ends in one
 * line. */
bool skr_binding_decision_fail(struct skr_binding_decision *decision,
                               enum skr_propagation_code code, const char *format, ...)
    SKR_PRINTF(3, 4);
/* Memory of the decision; NULL never: it is destroyed with the process when the limit is
 * reached. */
void *skr_binding_decision_array(struct skr_binding_decision *decision, size_t n, size_t size);
/* Whether it has components, no replicas are assigned, and the placement asks for exactly one
 * cluster. Then room is in sets if the option is on (karmada pkg/scheduler/core/estimation.go). */
bool skr_binding_is_set(const struct skr_binding *binding);
/* Whether estimators are asked: room counts in the division, in the order of clusters that
 * constraints choose from, or as a filter. */
bool skr_binding_asks_estimators(const struct skr_binding *binding,
                                 const struct skr_propagation_options *options);
/* Whether static weights take the constraints' place: all but a {} that is to be spread. */
bool skr_binding_ignores_constraints(const struct skr_binding_placement *placement,
                                     const struct skr_propagation_options *options);
/* Bits of SKR_WARNINGS_OF_OMISSIONS: what is not taken into account, as far as the binding and the
 * options say it. */
uint32_t skr_binding_omissions(const struct skr_binding *binding,
                               const struct skr_propagation_options *options);
/* Whether resource models bound the room of the cluster for this binding: the option is on, the
 * cluster has models, and sets count or the replicas say what they require. */
bool skr_binding_counts_models(const struct skr_binding *binding,
                               const struct skr_member_cluster *cluster,
                               const struct skr_propagation_options *options);
/* Whether the replicas of the binding are divided among its clusters. */
bool skr_binding_decision_divides(const struct skr_binding_decision *decision);

#endif
