/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_TYPES_H
#define SKR_CORE_PROPAGATION_TYPES_H
/* The kinds of Karmada that the scheduler of bindings reads: their resources and decoders. */
#include "core/frame/resource.h"

extern const struct skr_resource skr_resource_bindings;         /* namespaced */
extern const struct skr_resource skr_resource_cluster_bindings; /* cluster-scoped */
extern const struct skr_resource skr_resource_member_clusters;

extern const struct skr_object_type skr_binding_type;
extern const struct skr_object_type skr_cluster_binding_type;
extern const struct skr_object_type skr_member_cluster_type;

#endif
