/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GROUP_KEYS_H
#define SKR_CORE_GANG_STATE_GROUP_KEYS_H
/*
 * Where the daemon's keys of a group (status, reason, placement, ...) are stored: in the data of a
 * ConfigMap; in annotations of a PodGroup or of an immutable ConfigMap. Of an immutable ConfigMap
 * the API server accepts metadata changes only (pkg/apis/core/validation, ValidateConfigMapUpdate).
 */
#include "core/group/podgroup.h"
#include "topology/base/hash.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

#define GROUP_KEYS_PREFIX "sakkara."

struct group_keys {
    const struct skr_labels *labels; /* borrowed; NULL: no place */
    bool annotations;                /* with GROUP_KEYS_PREFIX */
};

struct group_keys skr_group_keys_of_map(const struct skr_configmap *map);
struct group_keys skr_group_keys_of_podgroup(const struct skr_podgroup *podgroup);
const char *skr_group_keys_get(const struct group_keys *keys, const char *key); /* NULL: absent */
/* Appends what is another text for another value: the value as JSON, or the hash of one that is longer than
 * any that is read, so that no look at a group costs more. */
void skr_group_keys_add_value(const struct skr_hash_seed *seed, const char *value,
                              struct skr_strbuf *b);

#endif
