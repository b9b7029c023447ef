/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_WEIGHTS_H
#define SKR_CORE_PROPAGATION_WEIGHTS_H
/*
 * The rules of a static weight list by the clusters that they name, so that a cluster is compared
 * with those that name it, and with those that name none (SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX at
 * the most), but not with all of them.
 */
#include "core/propagation/placement.h"

struct skr_weight_name {
    const char *name;
    const struct skr_static_weight *rule;
};

struct skr_weight_index {
    size_t n_names;
    struct skr_weight_name *name; /* sorted */
    size_t n_others;
    const struct skr_static_weight **other; /* without names; the largest weight first */
};

/* Borrows placement. O(n log n) of all names. */
void skr_weight_index_init(struct skr_weight_index *index,
                           const struct skr_binding_placement *placement);
void skr_weight_index_fini(struct skr_weight_index *index);
/* Whether a rule matches the cluster; *ret_weight is the largest weight of those that do, 0 when
 * that is not positive. */
bool skr_weight_index_find(const struct skr_weight_index *index,
                           const struct skr_member_cluster *cluster, int64_t *ret_weight);

#endif
