/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GROUP_KEYS_H
#define SKR_CORE_GANG_STATE_GROUP_KEYS_H
/*
 * Where the keys that the daemon writes about a group (status, reason, placement, ...) stand: in the data
 * of its ConfigMap; in annotations of a PodGroup, and of a ConfigMap that is immutable: of such a one
 * the API server takes changes of metadata alone (pkg/apis/core/validation, ValidateConfigMapUpdate).
 */
#include "core/group/podgroup.h"
#include "topology/object.h"

#define GROUP_KEYS_PREFIX "sakkara."

struct group_keys {
    const struct skr_labels *labels; /* borrowed; NULL: nowhere */
    bool annotations;                /* with GROUP_KEYS_PREFIX */
};

struct group_keys skr_group_keys_of_map(const struct skr_configmap *map);
struct group_keys skr_group_keys_of_podgroup(const struct skr_podgroup *podgroup);
const char *skr_group_keys_get(const struct group_keys *keys, const char *key); /* NULL: absent */

#endif
