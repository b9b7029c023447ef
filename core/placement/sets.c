/* SPDX-License-Identifier: Apache-2.0 */
/* ManagedClusterSet and ManagedClusterSetBinding. */
#include <string.h>

#include "core/placement/objects.h"

static void read_selector(struct skr_cluster_set *set, const struct skr_fields *json)
{
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields selector = skr_fields_object(&spec, "clusterSelector");
    const char *type = skr_fields_word(&selector, "selectorType");
    if (type[0] == '\0' || strcmp(type, "ExclusiveClusterSetLabel") == 0) {
        return;
    }
    if (strcmp(type, "LabelSelector") != 0) {
        skr_fields_refuse(json, SKR_INVALID, "unknown selectorType \"%.64s\"", type);
    }
    const struct skr_fields labels = skr_fields_object(&selector, "labelSelector");
    set->kind = SKR_CLUSTER_SET_SELECTOR;
    set->has_selector = labels.json;
    skr_label_selector_decode(&labels, &set->selector);
}

/* A mistake in the selector is no error of the object: the set is misconfigured. */
static void fill_set(void *object, const struct skr_fields *json)
{
    struct skr_cluster_set *set = object;
    struct skr_error why = {.text = ""};
    struct skr_decoding decoding = *json->decoding;
    const struct skr_fields same = skr_fields_of(&decoding, json->json);
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    decoding.error = &why;
    read_selector(set, &same);
    set->misconfigured = skr_fields_copy(json, why.text);
    set->generation = skr_fields_int64(&metadata, "generation", 0);
}

int skr_cluster_set_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "ManagedClusterSet", sizeof(struct skr_cluster_set), fill_set,
                             ret, error);
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

/* A binding is its metadata. */
static void fill_binding(void *object, const struct skr_fields *json)
{
    (void)object;
    (void)json;
}

int skr_cluster_set_binding_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "ManagedClusterSetBinding",
                             sizeof(struct skr_cluster_set_binding), fill_binding, ret, error);
}
