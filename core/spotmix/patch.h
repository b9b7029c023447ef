/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_PATCH_H
#define SKR_CORE_SPOTMIX_PATCH_H
/*
 * What is written on a pod, as a JSON patch (RFC 6902) that always applies: parents that are
 * missing or null are made first, what is there is never made again, and "add" is the only
 * operation. A patch that decodes but does not apply makes the API server reject the pod even with
 * failurePolicy Ignore.
 */
#include "core/spotmix/affinity.h"
#include "topology/base/strbuf.h"

enum { SKR_SPOTMIX_TOKEN_MAX = 32 + 1 }; /* 128 bits in hexadecimal digits, NUL */

struct skr_spotmix_slot {
    enum skr_spotmix_class class_;
    int32_t index; /* -1: none is written */
    char token[SKR_SPOTMIX_TOKEN_MAX];
};

/* Labels, annotations, affinity, toleration of the slot. An array of operations, to be decref'd.
 * *ret_cost_kept: the pod has a deletion cost of its own, which stays. */
json_t *skr_spotmix_patch_build(const struct skr_spotmix_keys *keys,
                                const struct skr_spotmix_classes *classes, const json_t *pod,
                                const struct skr_spotmix_slot *slot, bool *ret_cost_kept);

/* The patch as JSON text, appended. */
void skr_spotmix_patch_write(const json_t *patch, struct skr_strbuf *out);

/* Applies a patch of "add" operations to pod in place; values are copied. false: an operation does
 * not apply; those before it have. */
bool skr_spotmix_patch_apply(json_t *pod, const json_t *patch);

/* Whether the pod has all of a slot of this class and index; any token will do. */
bool skr_spotmix_patch_is_done(const struct skr_spotmix_keys *keys,
                               const struct skr_spotmix_classes *classes, const json_t *pod,
                               enum skr_spotmix_class class_, int32_t index);

#endif
