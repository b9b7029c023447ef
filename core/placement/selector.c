/* SPDX-License-Identifier: Apache-2.0 */
/* Label and claim selectors (metav1.LabelSelector; OCM's ClusterSelector). */

#include "core/placement/objects.h"

static bool holds(const struct skr_selector_requirement *r,
                  const struct skr_managed_cluster *cluster)
{
    const struct skr_labels *labels = r->is_field ? &cluster->claims : &cluster->meta.labels;
    return skr_selector_value_matches(r, skr_labels_get(labels, r->key));
}

bool skr_cluster_selector_matches(const struct skr_cluster_selector *selector,
                                  const struct skr_managed_cluster *cluster)
{
    for (size_t i = 0; i < selector->n; i++) {
        if (!holds(&selector->item[i], cluster)) {
            return false;
        }
    }
    return true;
}

/* ---- decoding ---- */

/* Refuses what apimachinery does; Gt and Lt are for node affinity alone. r: number i of those of
 * matchExpressions, whose operator is the text at that entry. */
static void check_expression(const struct skr_fields *selector,
                             const struct skr_selector_requirement *r, size_t i)
{
    const struct skr_fields list = skr_fields_list(selector, "matchExpressions", SIZE_MAX);
    const struct skr_fields entry = skr_fields_entry(&list, i);
    const char *problem = skr_selector_requirement_problem(r);
    if (r->op > SKR_SELECTOR_DOES_NOT_EXIST) {
        skr_fields_refuse(selector, SKR_INVALID, "unknown selector operator \"%.64s\"",
                          skr_fields_word(&entry, "operator"));
    } else if (problem) {
        skr_fields_fail(&entry, NULL, SKR_INVALID, "key \"%.100s\": %s", r->key, problem);
    }
}

/* Terms of labels or claims, each checked. */
static size_t read_terms(const struct skr_fields *selector, bool of_claim,
                         struct skr_selector_requirement **ret)
{
    const size_t n = skr_selector_read(selector, of_claim, SKR_OCM_VALUES_MAX, ret);
    const size_t n_labels =
        of_claim ? 0 : json_object_size(json_object_get(selector->json, "matchLabels"));
    for (size_t i = 0; i < n; i++) {
        const struct skr_selector_requirement *r = &(*ret)[i];
        const char *problem = skr_selector_requirement_problem(r);
        if (i >= n_labels) {
            check_expression(selector, r, i - n_labels);
        } else if (problem) {
            skr_fields_fail(selector, "matchLabels", SKR_INVALID, "key \"%.100s\": %s", r->key,
                            problem);
        }
    }
    return n;
}

void skr_label_selector_decode(const struct skr_fields *selector, struct skr_cluster_selector *ret)
{
    const struct skr_fields root = skr_fields_of(selector->decoding, NULL);
    const struct skr_fields labels = skr_fields_at(&root, "labelSelector", selector->json);
    ret->n = read_terms(&labels, false, &ret->item);
}

void skr_cluster_selector_decode(const struct skr_fields *selector,
                                 struct skr_cluster_selector *ret)
{
    const struct skr_fields root = skr_fields_of(selector->decoding, selector->json);
    const struct skr_fields labels = skr_fields_object(&root, "labelSelector");
    const struct skr_fields claims = skr_fields_object(&root, "claimSelector");
    struct skr_selector_requirement *of_label, *of_claim;
    const size_t n_labels = read_terms(&labels, false, &of_label);
    const size_t n_claims = read_terms(&claims, true, &of_claim);
    ret->item = skr_fields_room(selector, n_labels + n_claims, sizeof *ret->item);
    for (size_t i = 0; ret->item && i < n_labels + n_claims; i++) {
        ret->item[ret->n++] = i < n_labels ? of_label[i] : of_claim[i - n_labels];
    }
}
