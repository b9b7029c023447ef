/* SPDX-License-Identifier: Apache-2.0 */
/* What pods of one template share, by reference count. */
#include "core/pod/share.h"

struct skr_pod_share *skr_pod_share_create(size_t first)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, first);
    struct skr_pod_share *share = arena ? skr_arena_alloc(arena, sizeof *share) : NULL;
    if (!share) {
        skr_arena_destroy(arena);
        return NULL;
    }
    share->arena = arena;
    atomic_init(&share->refs, 1);
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
