/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_TYPES_H
#define SKR_CORE_PLACEMENT_TYPES_H
/* The kinds of OCM that the scheduler of Placements reads: their resources and decoders. */
#include "core/frame/resource.h"

enum skr_ocm_kind {
    SKR_OCM_CLUSTER,
    SKR_OCM_SET,
    SKR_OCM_BINDING,
    SKR_OCM_PLACEMENT,
    SKR_OCM_DECISION,
    SKR_OCM_SCORE,
    SKR_OCM_KIND_COUNT
};

extern const struct skr_resource skr_resource_managed_clusters;
extern const struct skr_resource skr_resource_cluster_sets;
extern const struct skr_resource skr_resource_cluster_set_bindings;
extern const struct skr_resource skr_resource_placements;
extern const struct skr_resource skr_resource_placement_decisions;
extern const struct skr_resource skr_resource_addon_scores;

extern const struct skr_object_type skr_ocm_types[SKR_OCM_KIND_COUNT];

#endif
