/* SPDX-License-Identifier: Apache-2.0 */
/* Static weights: rules by the clusters that they name, then the others by weight. */
#include "core/propagation/weights.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct skr_weight_name *x = a;
    const struct skr_weight_name *y = b;
    return strcmp(x->name, y->name);
}

static int by_weight(const void *a, const void *b)
{
    const struct skr_static_weight *x = *(const struct skr_static_weight *const *)a;
    const struct skr_static_weight *y = *(const struct skr_static_weight *const *)b;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

void skr_weight_index_init(struct skr_weight_index *index,
                           const struct skr_binding_placement *placement)
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_weights; i++) {
        n += placement->weight[i].affinity.n_names;
    }
    *index = (struct skr_weight_index){.n_names = 0};
    index->name = skr_alloc_array(n + 1, sizeof *index->name);
    index->other = skr_alloc_array(placement->n_weights + 1, sizeof *index->other);
    for (size_t i = 0; i < placement->n_weights; i++) {
        const struct skr_static_weight *rule = &placement->weight[i];
        for (size_t k = 0; k < rule->affinity.n_names; k++) {
            index->name[index->n_names++] = (struct skr_weight_name){rule->affinity.name[k], rule};
        }
        if (rule->affinity.n_names == 0) {
            index->other[index->n_others++] = rule;
        }
    }
    if (index->n_names > 1) {
        qsort(index->name, index->n_names, sizeof *index->name, by_name);
    }
    if (index->n_others > 1) {
        qsort(index->other, index->n_others, sizeof *index->other, by_weight);
    }
}

void skr_weight_index_fini(struct skr_weight_index *index)
{
    free(index->name);
    free(index->other);
}

/* The first entry of this name or behind it. */
static size_t first_of(const struct skr_weight_index *index, const char *name)
{
    size_t low = 0;
    size_t high = index->n_names;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(index->name[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool skr_weight_index_find(const struct skr_weight_index *index,
                           const struct skr_member_cluster *cluster, int64_t *ret_weight)
{
    const char *name = cluster->meta.name;
    bool matched = false;
    *ret_weight = 0;
    for (size_t i = first_of(index, name);
         i < index->n_names && strcmp(index->name[i].name, name) == 0; i++) {
        const struct skr_static_weight *rule = index->name[i].rule;
        if ((!matched || rule->weight > *ret_weight) &&
            skr_cluster_affinity_matches(&rule->affinity, cluster)) {
            matched = true;
            *ret_weight = rule->weight > *ret_weight ? rule->weight : *ret_weight;
        }
    }
    for (size_t i = 0; i < index->n_others; i++) {
        const struct skr_static_weight *rule = index->other[i];
        if (matched && rule->weight <= *ret_weight) {
            break;
        }
        if (skr_cluster_affinity_matches(&rule->affinity, cluster)) {
            matched = true;
            *ret_weight = rule->weight > *ret_weight ? rule->weight : *ret_weight;
        }
    }
    return matched;
}
