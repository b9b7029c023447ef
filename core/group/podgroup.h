/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_PODGROUP_H
#define SKR_CORE_GROUP_PODGROUP_H
/* PodGroup of scheduling.x-k8s.io/v1alpha1, as far as we read it: spec.minMember and our own
 * annotations. */
#include "topology/object.h"

struct skr_podgroup {
    struct skr_arena *arena;
    struct skr_meta meta;
    int32_t min_member; /* 1 when absent */
};

int skr_podgroup_decode(const json_t *json, struct skr_podgroup **ret, struct skr_error *error);
void skr_podgroup_destroy(struct skr_podgroup *pg); /* NULL allowed */

#endif
