/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and names keys in data or annotations; the choice is in group_keys.h. */
#include "core/gang/state/group_keys.h"

#include "core/group/group.h"

#include <stdio.h>
#include <string.h>

struct group_keys skr_group_keys_of_map(const struct skr_configmap *map)
{
    return (struct group_keys){.labels = map->immutable ? &map->meta.annotations : &map->data,
                               .annotations = map->immutable};
}

struct group_keys skr_group_keys_of_podgroup(const struct skr_podgroup *podgroup)
{
    return (struct group_keys){.labels = &podgroup->meta.annotations, .annotations = true};
}

const char *skr_group_keys_get(const struct group_keys *keys, const char *key)
{
    char full[128];
    if (!keys->labels || !keys->annotations) {
        return keys->labels ? skr_labels_get(keys->labels, key) : NULL;
    }
    snprintf(full, sizeof full, "%s%s", GROUP_KEYS_PREFIX, key);
    return skr_labels_get(keys->labels, full);
}

void skr_group_keys_add_value(const struct skr_hash_seed *seed, const char *value,
                              struct skr_strbuf *b)
{
    const size_t n = strlen(value);
    if (n <= SKR_GROUP_CONSTRAINTS_MAX) {
        skr_strbuf_add_json(b, value);
    } else {
        skr_strbuf_addf(b, "%zu bytes, %llx", n,
                        (unsigned long long)skr_hash_keyed(seed, value, n));
    }
}
