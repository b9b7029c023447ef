/* SPDX-License-Identifier: Apache-2.0 */
/* A Placement of Karmada from JSON. An empty weightPreference ({}) differs from an absent one: it
 * is a preference without content. Limits: see the header. */
#include "core/propagation/placement.h"

#include <string.h>

#include "topology/base/strbuf.h"

const char *const skr_spread_field_name[] = {
    [SKR_SPREAD_PROVIDER] = "provider",
    [SKR_SPREAD_REGION] = "region",
    [SKR_SPREAD_ZONE] = "zone",
    [SKR_SPREAD_CLUSTER] = "cluster",
};
_Static_assert(sizeof skr_spread_field_name / sizeof skr_spread_field_name[0] ==
                   SKR_SPREAD_FIELD_COUNT,
               "a name per field");

static void read_terms(const struct skr_fields *placement, struct skr_binding_placement *ret)
{
    const struct skr_fields list =
        skr_fields_list(placement, "clusterAffinities", SKR_BINDING_PLACEMENT_TERMS_MAX);
    ret->term = skr_fields_room(&list, list.n, sizeof *ret->term);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields overflow =
            skr_fields_list(&entry, "overflowAffinities", SKR_BINDING_PLACEMENT_TERMS_MAX);
        struct skr_affinity_term *term = &ret->term[ret->n_terms++];
        term->name = skr_fields_text(&entry, "affinityName");
        skr_cluster_affinity_decode(&entry, &term->affinity);
        term->overflow = skr_fields_room(&overflow, overflow.n, sizeof *term->overflow);
        for (size_t k = 0; skr_fields_more(&overflow, k); k++) {
            const struct skr_fields other = skr_fields_entry(&overflow, k);
            skr_cluster_affinity_decode(&other, &term->overflow[term->n_overflow++]);
        }
    }
}

/* A toleration with an operator other than Equal and Exists tolerates nothing here, and is left
 * out. */
static void read_tolerations(const struct skr_fields *placement, struct skr_binding_placement *ret)
{
    const struct skr_fields list =
        skr_fields_list(placement, "clusterTolerations", SKR_BINDING_PLACEMENT_TOLERATIONS_MAX);
    ret->toleration = skr_fields_room(&list, list.n, sizeof *ret->toleration);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const char *op = skr_fields_word(&entry, "operator");
        const char *effect = skr_fields_word(&entry, "effect");
        const bool exists = strcmp(op, "Exists") == 0;
        struct skr_toleration *t = &ret->toleration[ret->n_tolerations];
        t->key = skr_fields_text(&entry, "key");
        t->value = skr_fields_text(&entry, "value");
        t->op = exists ? SKR_TOLERATION_EXISTS : SKR_TOLERATION_EQUAL;
        t->any_effect = effect[0] == '\0';
        t->effect = skr_taint_effect_find(effect);
        ret->n_tolerations += exists || op[0] == '\0' || strcmp(op, "Equal") == 0 ? 1 : 0;
    }
}

/* Groups as given. The Go type is int, of 64 bits: no more clusters than 32 bits count. */
static int64_t read_groups(const struct skr_fields *entry, const char *key)
{
    const int64_t groups = skr_fields_int64(entry, key, 0);
    return groups > INT32_MAX ? INT32_MAX : groups < INT32_MIN ? INT32_MIN : groups;
}

static void read_constraints(const struct skr_fields *placement, struct skr_binding_placement *ret)
{
    const struct skr_fields list =
        skr_fields_list(placement, "spreadConstraints", SKR_BINDING_PLACEMENT_CONSTRAINTS_MAX);
    ret->constraint = skr_fields_room(&list, list.n, sizeof *ret->constraint);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const char *field = skr_fields_word(&entry, "spreadByField");
        const char *label = skr_fields_word(&entry, "spreadByLabel");
        struct skr_group_constraint *constraint = &ret->constraint[ret->n_constraints++];
        constraint->field = SKR_SPREAD_FIELD_COUNT;
        constraint->other = skr_fields_copy(&entry, label[0] != '\0' ? label : field);
        constraint->min_groups = read_groups(&entry, "minGroups");
        constraint->max_groups = read_groups(&entry, "maxGroups");
        if (label[0] == '\0' && field[0] == '\0') {
            constraint->field = SKR_SPREAD_CLUSTER; /* as Karmada's webhook fills it in */
        }
        for (size_t k = 0; label[0] == '\0' && k < SKR_SPREAD_FIELD_COUNT; k++) {
            if (strcmp(field, skr_spread_field_name[k]) == 0) {
                constraint->field = (enum skr_spread_field)k;
            }
        }
    }
}

/* ---- how replicas are divided ---- */

static void read_weights(const struct skr_fields *preference, struct skr_binding_placement *ret)
{
    const struct skr_fields list =
        skr_fields_list(preference, "staticWeightList", SKR_BINDING_PLACEMENT_WEIGHTS_MAX);
    ret->weight = skr_fields_room(&list, list.n, sizeof *ret->weight);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields target = skr_fields_object(&entry, "targetCluster");
        struct skr_static_weight *rule = &ret->weight[ret->n_weights++];
        skr_cluster_affinity_decode(&target, &rule->affinity);
        rule->weight = skr_fields_int64(&entry, "weight", 0);
    }
}

static enum skr_division_kind kind_of(const char *type, const char *preference, bool dynamic)
{
    if (strcmp(type, "Duplicated") == 0) {
        return SKR_DIVISION_DUPLICATED;
    }
    if (type[0] != '\0' && strcmp(type, "Divided") != 0) {
        return SKR_DIVISION_UNSUPPORTED;
    }
    if (strcmp(preference, "Aggregated") == 0) {
        return SKR_DIVISION_AGGREGATED;
    }
    if (preference[0] != '\0' && strcmp(preference, "Weighted") != 0) {
        return SKR_DIVISION_UNSUPPORTED;
    }
    return dynamic ? SKR_DIVISION_DYNAMIC : SKR_DIVISION_STATIC;
}

static void read_strategy(const struct skr_fields *placement, struct skr_binding_placement *ret)
{
    const struct skr_fields scheduling = skr_fields_object(placement, "replicaScheduling");
    const struct skr_fields preference = skr_fields_object(&scheduling, "weightPreference");
    const char *type = skr_fields_word(&scheduling, "replicaSchedulingType");
    const char *division = skr_fields_word(&scheduling, "replicaDivisionPreference");
    const char *dynamic = skr_fields_word(&preference, "dynamicWeight");
    SKR_STRBUF(text);
    ret->strategy = "Duplicated";
    if (!scheduling.json) {
        return;
    }
    read_weights(&preference, ret);
    skr_strbuf_addf(&text, "%s%s%s", type, division[0] != '\0' ? "/" : "", division);
    ret->strategy = skr_fields_copy(placement, text.s);
    ret->kind = kind_of(type, division, dynamic[0] != '\0');
    ret->empty_preference =
        ret->kind == SKR_DIVISION_STATIC && preference.json && ret->n_weights == 0;
}

/* ---- what every cluster is compared with ---- */

static size_t size_of(const struct skr_cluster_affinity *affinity)
{
    return affinity->n_labels + affinity->n_fields;
}

static void check_size(const struct skr_fields *placement, size_t n, const char *what)
{
    if (n > SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX) {
        skr_fields_fail(placement, what, SKR_LIMIT, "%zu requirements together, limit %d", n,
                        (int)SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX);
    }
}

static void check_sizes(const struct skr_fields *json,
                        const struct skr_binding_placement *placement)
{
    size_t n = size_of(&placement->affinity);
    size_t n_weights = 0;
    for (size_t i = 0; i < placement->n_terms; i++) {
        const struct skr_affinity_term *term = &placement->term[i];
        n += size_of(&term->affinity);
        for (size_t k = 0; k < term->n_overflow; k++) {
            n += size_of(&term->overflow[k]);
        }
    }
    for (size_t i = 0; i < placement->n_weights; i++) {
        const struct skr_cluster_affinity *affinity = &placement->weight[i].affinity;
        n_weights += affinity->n_names == 0 ? size_of(affinity) + 1 : 0;
    }
    check_size(json, n, "clusterAffinities");
    check_size(json, n_weights, "replicaScheduling");
}

void skr_binding_placement_decode(const struct skr_fields *placement,
                                  struct skr_binding_placement *ret)
{
    const struct skr_fields affinity = skr_fields_object(placement, "clusterAffinity");
    *ret = (struct skr_binding_placement){
        .kind = SKR_DIVISION_DUPLICATED,
        .has_affinity = affinity.json,
        .has_workload_affinity =
            json_object_size(skr_fields_object(placement, "workloadAffinity").json) > 0};
    skr_cluster_affinity_decode(&affinity, &ret->affinity);
    read_terms(placement, ret);
    read_tolerations(placement, ret);
    read_constraints(placement, ret);
    read_strategy(placement, ret);
    check_sizes(placement, ret);
}

/* ---- tolerations ---- */

bool skr_binding_placement_tolerates(const struct skr_binding_placement *placement,
                                     const struct skr_member_cluster *cluster)
{
    for (size_t i = 0; i < cluster->n_taints; i++) {
        const struct skr_taint *taint = &cluster->taint[i];
        bool tolerated =
            taint->effect != SKR_TAINT_NO_SCHEDULE && taint->effect != SKR_TAINT_NO_EXECUTE;
        for (size_t k = 0; k < placement->n_tolerations && !tolerated; k++) {
            tolerated = skr_toleration_tolerates(&placement->toleration[k], taint);
        }
        if (!tolerated) {
            return false;
        }
    }
    return true;
}

size_t skr_binding_placement_find_term(const struct skr_binding_placement *placement,
                                       const char *name)
{
    for (size_t i = 0; i < placement->n_terms; i++) {
        if (strcmp(placement->term[i].name, name) == 0) {
            return i;
        }
    }
    return 0;
}
