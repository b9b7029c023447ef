/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster affinities: decoding and matching.
 *
 * As in karmada pkg/util/selector.go: excluded names first, then labels, then fields, then names;
 * empty parts match. A selector that apimachinery refuses (unknown operator, In without values, a
 * value that no label can have) matches nothing. Fields are provider, region and zone; a cluster
 * may be in several zones. Differs from the source in that an unknown field matches nothing, also
 * with NotIn and DoesNotExist.
 */
#include <string.h>

#include "core/propagation/placement.h"

/* Strings of an array, sorted: their order means nothing, and every cluster is looked up in
 * them. */
static size_t read_names(const struct skr_fields *affinity, const char *key, const char ***ret)
{
    const size_t n = skr_fields_texts(affinity, key, SKR_BINDING_PLACEMENT_NAMES_MAX, ret);
    skr_names_sort(*ret, n);
    return n;
}

/* ---- selectors ---- */

static bool is_zone(const struct skr_selector_requirement *r)
{
    return r->is_field && strcmp(r->key, "zone") == 0;
}

/* Whether apimachinery would build a selector of it. Zones are compared by Karmada itself, which
 * refuses only operators it does not know; Gt and Lt are for fields alone. */
static bool is_buildable(const struct skr_selector_requirement *r)
{
    if (r->op == SKR_SELECTOR_GT || r->op == SKR_SELECTOR_LT) {
        return r->is_field && !is_zone(r) && !skr_selector_requirement_problem(r);
    }
    return is_zone(r) ? r->op != SKR_SELECTOR_OPERATOR_COUNT : !skr_selector_requirement_problem(r);
}

static bool is_known_field(const char *key)
{
    return strcmp(key, "provider") == 0 || strcmp(key, "region") == 0 || strcmp(key, "zone") == 0;
}

static size_t read_selector(const struct skr_fields *affinity, const char *key, bool is_field,
                            struct skr_selector_requirement **ret, bool *never)
{
    const struct skr_fields selector = skr_fields_object(affinity, key);
    const size_t n = skr_selector_read(&selector, is_field, SKR_BINDING_PLACEMENT_VALUES_MAX, ret);
    if (n > SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX) {
        skr_fields_fail(&selector, NULL, SKR_LIMIT, "%zu requirements, limit %d", n,
                        (int)SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX);
    }
    for (size_t i = 0; i < n; i++) {
        const struct skr_selector_requirement *r = &(*ret)[i];
        *never = *never || !is_buildable(r) || (is_field && !is_known_field(r->key));
    }
    return n;
}

void skr_cluster_affinity_decode(const struct skr_fields *affinity,
                                 struct skr_cluster_affinity *ret)
{
    *ret = (struct skr_cluster_affinity){.never = false};
    ret->n_excluded = read_names(affinity, "exclude", &ret->excluded);
    ret->n_names = read_names(affinity, "clusterNames", &ret->name);
    ret->n_labels = read_selector(affinity, "labelSelector", false, &ret->label, &ret->never);
    ret->n_fields = read_selector(affinity, "fieldSelector", true, &ret->field, &ret->never);
}

/* ---- matching ---- */

static bool meets_zones(const struct skr_selector_requirement *r,
                        const struct skr_member_cluster *cluster)
{
    bool overlap = false;
    for (size_t i = 0; i < cluster->n_zones && !overlap; i++) {
        overlap = skr_names_contain(r->values, r->n_values, cluster->zone[i]);
    }
    switch (r->op) {
    case SKR_SELECTOR_IN:
        return overlap;
    case SKR_SELECTOR_NOT_IN:
        return !overlap;
    case SKR_SELECTOR_EXISTS:
        return cluster->n_zones > 0;
    case SKR_SELECTOR_DOES_NOT_EXIST:
        return cluster->n_zones == 0;
    case SKR_SELECTOR_GT:
    case SKR_SELECTOR_LT:
    case SKR_SELECTOR_OPERATOR_COUNT:
        break;
    }
    return false;
}

static bool meets_field(const struct skr_selector_requirement *r,
                        const struct skr_member_cluster *cluster)
{
    if (is_zone(r)) {
        return meets_zones(r, cluster);
    }
    const char *value = strcmp(r->key, "provider") == 0 ? cluster->provider : cluster->region;
    return skr_selector_value_matches(r, value[0] != '\0' ? value : NULL);
}

bool skr_cluster_affinity_matches(const struct skr_cluster_affinity *affinity,
                                  const struct skr_member_cluster *cluster)
{
    if (affinity->never ||
        skr_names_contain(affinity->excluded, affinity->n_excluded, cluster->meta.name)) {
        return false;
    }
    for (size_t i = 0; i < affinity->n_labels; i++) {
        const struct skr_selector_requirement *r = &affinity->label[i];
        if (!skr_selector_value_matches(r, skr_labels_get(&cluster->meta.labels, r->key))) {
            return false;
        }
    }
    for (size_t i = 0; i < affinity->n_fields; i++) {
        if (!meets_field(&affinity->field[i], cluster)) {
            return false;
        }
    }
    return affinity->n_names == 0 ||
           skr_names_contain(affinity->name, affinity->n_names, cluster->meta.name);
}
