/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of a mix, and where objects of each kind go. */
#include "core/spotmix/mix.h"

#include <stdlib.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

int skr_spotmix_create(const struct skr_spotmix_settings *settings, struct skr_spotmix **ret,
                       struct skr_error *error)
{
    struct skr_spotmix *mix = skr_alloc(sizeof *mix);
    const int rc = skr_spotmix_keys_init(&mix->keys, settings->key_prefix, error);
    if (rc != 0) {
        free(mix);
        return rc;
    }
    mix->settings = settings;
    mix->settles_at = SKR_TIME_NEVER;
    skr_spotmix_classes_init(&mix->classes, settings);
    *ret = mix;
    return 0;
}

void skr_spotmix_destroy(struct skr_spotmix *mix)
{
    if (!mix) {
        return;
    }
    skr_spotmix_pods_fini(mix);
    skr_spotmix_owners_fini(mix);
    skr_spotmix_classes_fini(&mix->classes);
    free(mix);
}

const struct skr_spotmix_keys *skr_spotmix_keys(const struct skr_spotmix *mix)
{
    return &mix->keys;
}

void skr_spotmix_put(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const json_t *object)
{
    if (kind == SKR_SPOTMIX_POD) {
        skr_spotmix_pod_put(mix, object);
    } else if (kind == SKR_SPOTMIX_NODE) {
        skr_spotmix_node_put(mix, object);
    } else {
        skr_spotmix_owner_put(mix, kind, object);
    }
}

void skr_spotmix_drop(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const char *namespace_,
                      const char *id)
{
    if (kind == SKR_SPOTMIX_POD) {
        skr_spotmix_pod_drop(mix, id);
    } else if (kind == SKR_SPOTMIX_NODE) {
        skr_spotmix_node_drop(mix, id);
    } else {
        skr_spotmix_owner_drop(mix, kind, namespace_, id);
    }
}

void skr_spotmix_serve(struct skr_spotmix *mix, bool serving)
{
    mix->serving = serving;
}

void skr_spotmix_set_stalled(struct skr_spotmix *mix, const char *workload_key, bool stalled)
{
    struct skr_spotmix_owner *workload = skr_spotmix_owner_at(mix, workload_key);
    if (workload) {
        workload->stalled = stalled;
    }
}
