/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_OBJECT_H
#define SKR_CORE_SPOTMIX_OBJECT_H
/*
 * Objects on the way from a watch to the mix. They hold a copy of the JSON members that the mix
 * reads, because the JSON of the watch does not outlive the decoding.
 */
#include "core/frame/resource.h"
#include "core/spotmix/mix.h"

struct skr_spotmix_object {
    struct skr_arena *arena;
    struct skr_meta meta;
    json_t *json;
};

extern const struct skr_object_type skr_spotmix_pod_type, skr_spotmix_node_type,
    skr_spotmix_deployment_type, skr_spotmix_replica_set_type, skr_spotmix_stateful_set_type;
/* The same by kind. */
extern const struct skr_object_type *const skr_spotmix_types[SKR_SPOTMIX_KIND_COUNT];

#endif
