/* SPDX-License-Identifier: Apache-2.0 */
/* What pods of one template share, by reference count. */
#include "core/pod/share.h"

struct skr_pod_share *skr_pod_share_create(size_t first)
{
    const size_t size = first != 0 ? first + sizeof(struct skr_pod_share) : 0;
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, size);
    struct skr_pod_share *share = arena ? skr_arena_alloc(arena, sizeof *share) : NULL;
    if (!share) {
        skr_arena_destroy(arena);
        return NULL;
    }
    share->arena = arena;
    atomic_init(&share->refs, 1);
    return share;
}

struct skr_pod_share *skr_pod_share_create_shape(void)
{
    struct skr_pod_share *share = skr_pod_share_create(0);
    if (share) {
        share->shape = skr_arena_alloc(share->arena, sizeof *share->shape);
    }
    if (share && !share->shape) {
        skr_pod_share_unref(share);
        return NULL;
    }
    return share;
}

struct skr_pod_share *skr_pod_share_ref(struct skr_pod_share *share)
{
    (void)atomic_fetch_add_explicit(&share->refs, 1, memory_order_relaxed);
    return share;
}

void skr_pod_share_unref(struct skr_pod_share *share)
{
    if (share && atomic_fetch_sub_explicit(&share->refs, 1, memory_order_acq_rel) == 1) {
        skr_arena_destroy(share->arena);
    }
}
