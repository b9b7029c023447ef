/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/volume_uses.h"

#include "core/gang/cache/names.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/state/output.h"

struct use {
    uint64_t pod, claim; /* hashes of uid and name */
    const char *node;    /* from skr_names_intern() */
};

static uint64_t pod_id(const struct skr_gang *e, const char *uid)
{
    return skr_hash_keyed_joined(&e->settings.hash_seed, uid, "", "");
}

static struct use *use_at(const struct skr_gang *e, uint32_t number)
{
    return skr_slab_at(&e->volume_uses.item, number);
}

/* A use of the pod: *ret is its number. */
static bool find(const struct skr_gang *e, uint64_t pod, uint32_t *ret)
{
    for (size_t at = 0; skr_hash_index_next(&e->volume_uses.by_pod, (uint32_t)pod, &at, ret);) {
        if (use_at(e, *ret)->pod == pod) {
            return true;
        }
    }
    return false;
}

static void add(struct skr_gang *e, uint64_t pod, uint64_t claim, const char *node)
{
    if (e->volume_uses.item.n >= SKR_VOLUME_USES_MAX) {
        if (!e->volume_uses.full) {
            e->volume_uses.full = true;
            skr_out_decision(e, "", "", "Further uses of volumes are not counted", "",
                             "pods on nodes use more than 1000000 claims; kube-scheduler counts "
                             "the others",
                             true);
        }
        return;
    }
    e->volume_uses.item.size = sizeof(struct use);
    const uint32_t number = skr_slab_add(&e->volume_uses.item);
    *use_at(e, number) = (struct use){pod, claim, skr_names_intern(e, node)};
    skr_hash_index_add(&e->volume_uses.by_pod, (uint32_t)pod, number);
    skr_hash_index_add(&e->volume_uses.by_claim, (uint32_t)claim, number);
}

void skr_volume_uses_forget(struct skr_gang *e, const char *uid)
{
    const uint64_t pod = e->volume_uses.item.n > 0 ? pod_id(e, uid) : 0;
    uint32_t number;
    while (e->volume_uses.item.n > 0 && find(e, pod, &number)) {
        const uint64_t claim = use_at(e, number)->claim;
        skr_hash_index_remove(&e->volume_uses.by_pod, (uint32_t)pod, number);
        skr_hash_index_remove(&e->volume_uses.by_claim, (uint32_t)claim, number);
        skr_slab_remove(&e->volume_uses.item, number);
        skr_volumes_touch_claim(e, claim); /* its room does the same for others */
    }
}

void skr_volume_uses_note(struct skr_gang *e, const struct skr_pod *pod)
{
    const bool uses = *pod->node_name && pod->phase != SKR_POD_SUCCEEDED &&
                      pod->phase != SKR_POD_FAILED && pod->n_claims > 0;
    const uint64_t id = uses ? pod_id(e, pod->meta.uid) : 0;
    uint32_t number;
    if (!uses) {
        skr_volume_uses_forget(e, pod->meta.uid);
        return;
    }
    if (find(e, id, &number)) {
        return; /* neither its node nor its claims change */
    }
    for (size_t i = 0; i < pod->n_claims; i++) {
        if (pod->claim[i].kind == SKR_POD_CLAIM_VOLUME) {
            add(e, id, skr_volumes_id(e, pod->meta.namespace_, pod->claim[i].name), pod->node_name);
        }
    }
}

bool skr_volume_uses_next(const struct skr_gang *e, size_t *at, uint64_t *ret_claim,
                          const char **ret_node)
{
    uint32_t number;
    if (!skr_slab_next(&e->volume_uses.item, at, &number)) {
        return false;
    }
    *ret_claim = use_at(e, number)->claim;
    *ret_node = use_at(e, number)->node;
    return true;
}

const char *skr_volume_uses_find(const struct skr_gang *e, uint64_t claim, const char *uid)
{
    const uint64_t self = pod_id(e, uid);
    uint32_t number;
    for (size_t at = 0;
         skr_hash_index_next(&e->volume_uses.by_claim, (uint32_t)claim, &at, &number);) {
        const struct use *use = use_at(e, number);
        if (use->claim == claim && use->pod != self) {
            return use->node;
        }
    }
    return NULL;
}

void skr_volume_uses_mark_names(const struct skr_gang *e)
{
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&e->volume_uses.item, &at, &number);) {
        skr_names_mark(use_at(e, number)->node);
    }
}

void skr_volume_uses_fini(struct skr_gang *e)
{
    skr_slab_fini(&e->volume_uses.item);
    skr_hash_index_fini(&e->volume_uses.by_pod);
    skr_hash_index_fini(&e->volume_uses.by_claim);
}
