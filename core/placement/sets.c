/* SPDX-License-Identifier: Apache-2.0 */
/* ManagedClusterSet and ManagedClusterSetBinding. */
#include <string.h>

#include "core/placement/decode.h"

static int decode_selector(struct skr_cluster_set *set, const json_t *spec, struct skr_error *error)
{
    json_t *selector = NULL, *labels = NULL;
    const char *type = "";
    SKR_FIELD(up, NULL, "spec");
    SKR_FIELD(path, &up, "clusterSelector");
    int rc = spec ? skr_field_object(spec, &up, "clusterSelector", &selector, error) : 0;
    if (rc == 0 && selector) {
        rc = skr_field_string(selector, &path, "selectorType", &type, error);
    }
    if (rc < 0 || type[0] == '\0' || strcmp(type, "ExclusiveClusterSetLabel") == 0) {
        return rc;
    }
    if (strcmp(type, "LabelSelector") != 0) {
        return skr_error_set(error, SKR_INVALID, "unknown selectorType \"%.64s\"", type);
    }
    set->kind = SKR_CLUSTER_SET_SELECTOR;
    rc = skr_field_object(selector, &path, "labelSelector", &labels, error);
    set->has_selector = labels;
    return rc < 0 ? rc : skr_label_selector_decode(set->arena, labels, &set->selector, error);
}

int skr_cluster_set_decode(const json_t *json, struct skr_cluster_set **ret,
                           struct skr_error *error)
{
    void *room;
    json_t *spec = NULL;
    struct skr_error why = {0};
    int rc = skr_ocm_object_create(sizeof **ret, &room, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_cluster_set *set = room;
    if ((rc = skr_meta_decode(set->arena, json, NULL, &set->meta, error)) < 0 ||
        (rc = skr_ocm_generation(json, &set->generation, error)) < 0) {
        skr_cluster_set_destroy(set);
        return rc;
    }
    set->misconfigured = "";
    if (skr_ocm_part(json, "spec", &spec, &why) < 0 || decode_selector(set, spec, &why) < 0) {
        set->misconfigured = skr_arena_strdup(set->arena, why.text);
    }
    if (!set->misconfigured) {
        skr_cluster_set_destroy(set);
        return skr_ocm_no_room(error);
    }
    *ret = set;
    return 0;
}

void skr_cluster_set_destroy(struct skr_cluster_set *set)
{
    skr_arena_destroy(set ? set->arena : NULL);
}

bool skr_cluster_set_has(const struct skr_cluster_set *set,
                         const struct skr_managed_cluster *cluster)
{
    if (set->misconfigured[0]) {
        return false;
    }
    if (set->kind == SKR_CLUSTER_SET_SELECTOR) {
        return set->has_selector && skr_cluster_selector_matches(&set->selector, cluster);
    }
    const char *label = skr_labels_get(&cluster->meta.labels, SKR_OCM "clusterset");
    return label && strcmp(label, set->meta.name) == 0;
}

int skr_cluster_set_binding_decode(const json_t *json, struct skr_cluster_set_binding **ret,
                                   struct skr_error *error)
{
    void *room;
    int rc = skr_ocm_object_create(sizeof **ret, &room, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_cluster_set_binding *binding = room;
    if ((rc = skr_meta_decode(binding->arena, json, NULL, &binding->meta, error)) < 0) {
        skr_cluster_set_binding_destroy(binding);
        return rc;
    }
    *ret = binding;
    return 0;
}

void skr_cluster_set_binding_destroy(struct skr_cluster_set_binding *binding)
{
    skr_arena_destroy(binding ? binding->arena : NULL);
}
