/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_SHARE_H
#define SKR_CORE_POD_SHARE_H
/*
 * Memory that pods of one template share: their shape, or their labels and owner. Immutable once a
 * pod has it; counted by reference, from any thread, because a pod is decoded by one thread and
 * goes on another.
 */
#include <stdatomic.h>

#include "core/pod/pod.h"

struct skr_pod_share {
    atomic_size_t refs;
    struct skr_arena *arena;     /* this struct too */
    struct skr_pod_shape *shape; /* NULL: it is about labels */
    const char *scheduler_name;
    struct skr_labels labels;
    const char *controller_uid, *controller;
};

/* One reference. first: bytes that it will take besides itself, of which its arena's first block is
 * made; 0: a default. NULL: no memory. */
struct skr_pod_share *skr_pod_share_create(size_t first);
/* The same with a shape, all zero. */
struct skr_pod_share *skr_pod_share_create_shape(void);
struct skr_pod_share *skr_pod_share_ref(struct skr_pod_share *share);
void skr_pod_share_unref(struct skr_pod_share *share); /* NULL allowed */

#endif
