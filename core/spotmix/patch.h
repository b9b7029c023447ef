/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_PATCH_H
#define SKR_CORE_SPOTMIX_PATCH_H
/*
 * What a review writes on a pod, as a JSON patch (RFC 6902) that always applies. If a patch does
 * not apply, the API server rejects the pod even with failurePolicy Ignore. Therefore "add" is the
 * only operation, missing or null parents are made first, and existing parents are never made
 * again.
 */
#include "core/spotmix/affinity.h"
#include "topology/base/strbuf.h"

enum { SKR_SPOTMIX_TOKEN_MAX = 32 + 1 }; /* 128 bits in hexadecimal digits, NUL */

struct skr_spotmix_slot {
    enum skr_spotmix_class class_;
    int32_t index; /* -1: none is written */
    char token[SKR_SPOTMIX_TOKEN_MAX];
};

/* Appends the patch: labels, annotations, affinity and toleration of the slot. *ret_cost_kept: the
 * pod has a deletion cost of its own, which stays. false: a parent in the pod has another JSON type
 * than Kubernetes gives it, so no patch applies; out is undefined then. */
bool skr_spotmix_patch_write(const struct skr_spotmix_keys *keys,
                             const struct skr_spotmix_classes *classes, const json_t *pod,
                             const struct skr_spotmix_slot *slot, struct skr_strbuf *out,
                             bool *ret_cost_kept);

/* Whether the pod has all of a slot of this class and index; any token will do. */
bool skr_spotmix_patch_is_done(const struct skr_spotmix_keys *keys,
                               const struct skr_spotmix_classes *classes, const json_t *pod,
                               enum skr_spotmix_class class_, int32_t index);

#endif
