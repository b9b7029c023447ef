/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_OBJECTS_H
#define SKR_CORE_PLACEMENT_OBJECTS_H
/*
 * The six kinds of Open Cluster Management that placement reads
 * (cluster.open-cluster-management.io, https://github.com/open-cluster-management-io/api):
 * ManagedCluster v1, ManagedClusterSet and ManagedClusterSetBinding v1beta2, Placement and
 * PlacementDecision v1beta1, AddOnPlacementScore v1alpha1.
 *
 * A mistake of a user in a Placement or a set is no error of decoding. The object then says why it
 * cannot be used (misconfigured), because earlier decisions have to stay.
 */
#include <jansson.h>

#include "core/cel/value.h"
#include "core/pod/requirement.h"
#include "topology/fields.h"

#define SKR_TOTAL_SCORE_KEY "sakkara.simulate/total-score"
#define SKR_OCM             "cluster.open-cluster-management.io/"

enum {
    SKR_SPREAD_LEVELS_MAX = 8, /* constraints of one Placement; 6 bits each in 64 */
    SKR_OCM_LIST_MAX = 1024,   /* entries of a list in a spec */
    SKR_PRIORITIZERS_MAX = 64, /* configurations of one Placement: each scores every cluster */
    SKR_TOLERATIONS_MAX = 128,
    /* Terms of all selectors of one Placement: each may be looked at for every cluster. */
    SKR_PLACEMENT_TERMS_MAX = 1024,
    SKR_OCM_VALUES_MAX = 4096,      /* values of one selector term, claims of a cluster */
    SKR_OCM_DECISIONS_MAX = 100000, /* clusters in one PlacementDecision, items of one score */
};

/* ---- clusters ---- */

struct skr_cluster_taint {
    const char *key, *value, *effect;
    bool has_time;
    skr_time added;
};

/* Exact, in billionths. */
struct skr_cluster_amount {
    const char *name;
    skr_int128 nano;
};
struct skr_cluster_amounts {
    size_t n;
    struct skr_cluster_amount *item; /* by name */
};

struct skr_managed_cluster {
    struct skr_arena *arena;
    struct skr_meta meta; /* all labels */
    size_t n_taints;
    struct skr_cluster_taint *taint;
    struct skr_labels claims;
    struct skr_cluster_amounts allocatable, capacity;
    struct skr_cel_value object; /* for expressions: core/placement/cluster_cel.h */
    /* What-if: the annotation SKR_TOTAL_SCORE_KEY, when it is an integer. For simulations only. */
    bool has_total;
    int64_t total;
};
int skr_managed_cluster_decode(const json_t *json, void **ret, struct skr_error *error);
/* NULL: the key is absent. */
const skr_int128 *skr_cluster_amount_get(const struct skr_cluster_amounts *amounts,
                                         const char *name);

/* ---- selectors ---- */

/* Terms are ANDed; a selector without terms matches everything. */
struct skr_cluster_selector {
    size_t n;
    struct skr_selector_requirement *item; /* of labels; is_field: of claims */
    size_t n_cel;                          /* of predicates only */
    const struct skr_cel_program **cel;
};
/* By labels and claims; expressions: core/placement/cluster_cel.h. */
bool skr_cluster_selector_matches(const struct skr_cluster_selector *selector,
                                  const struct skr_managed_cluster *cluster);
/* {labelSelector, claimSelector}; absent: everything. SKR_INVALID with the reason: wrong JSON types,
 * and what metav1.LabelSelectorAsSelector refuses (operators, keys, values, too many or too few of
 * them). */
void skr_cluster_selector_decode(const struct skr_fields *selector,
                                 struct skr_cluster_selector *ret);
/* {matchLabels, matchExpressions} */
void skr_label_selector_decode(const struct skr_fields *selector, struct skr_cluster_selector *ret);

/* ---- sets ---- */

enum skr_cluster_set_kind {
    SKR_CLUSTER_SET_LABEL,    /* clusters labelled with its name */
    SKR_CLUSTER_SET_SELECTOR, /* clusters that its labelSelector matches */
    SKR_CLUSTER_SET_KIND_COUNT
};
struct skr_cluster_set {
    struct skr_arena *arena;
    struct skr_meta meta;
    int64_t generation; /* 0: absent */
    enum skr_cluster_set_kind kind;
    bool has_selector; /* an absent one takes no cluster */
    struct skr_cluster_selector selector;
    const char *misconfigured; /* "": good */
};
int skr_cluster_set_decode(const json_t *json, void **ret, struct skr_error *error);
/* False for a misconfigured set: Placements that are bound to it keep their decisions. */
bool skr_cluster_set_has(const struct skr_cluster_set *set,
                         const struct skr_managed_cluster *cluster);

/* Binds the set of the same name, as in OCM's own controller: the API server admits no other name
 * in spec.clusterSet. */
struct skr_cluster_set_binding {
    struct skr_arena *arena;
    struct skr_meta meta;
};
int skr_cluster_set_binding_decode(const json_t *json, void **ret, struct skr_error *error);

/* ---- decisions and scores ---- */

struct skr_placement_decision {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *placement; /* of the label; NULL: none, not a decision of any Placement */
    const char *owner_uid; /* of the Placement that is its controller; "" none */
    size_t n;
    const char **cluster; /* by name, no name twice */
};
int skr_placement_decision_decode(const json_t *json, void **ret, struct skr_error *error);
bool skr_placement_decision_has(const struct skr_placement_decision *decision, const char *cluster);

struct skr_addon_score_item {
    const char *name;
    int32_t value;
};
struct skr_addon_score {
    struct skr_arena *arena;
    struct skr_meta meta; /* the namespace is the cluster's name */
    bool expires;
    skr_time valid_until; /* still valid then */
    size_t n;
    struct skr_addon_score_item *item; /* by name, no name twice */
};
int skr_addon_score_decode(const json_t *json, void **ret, struct skr_error *error);
/* false: there is no such item. */
bool skr_addon_score_get(const struct skr_addon_score *score, const char *name, int32_t *ret);

#endif
