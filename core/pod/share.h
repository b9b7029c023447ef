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
    struct skr_arena *arena; /* this struct too */
    struct skr_pod_shape shape;
    const char *scheduler_name;
    struct skr_labels labels;
    const char *controller_uid;
};

struct skr_pod_share *skr_pod_share_create(size_t first); /* one reference; NULL: no memory */
struct skr_pod_share *skr_pod_share_ref(struct skr_pod_share *share);
void skr_pod_share_unref(struct skr_pod_share *share); /* NULL allowed */

#endif
