/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_SHAPES_H
#define SKR_CORE_POD_SHAPES_H
/*
 * What pods of one template share, found by content. Pods of one template come one after the other and
 * differ in a few fields. The tables hold the shapes, and the labels with the owner, that were read last.
 * A pod whose JSON is the same there shares them (share.h), unless it has a label of its own, as its rank
 * or index in a Job.
 *
 * The tables belong to one thread; what is read does not depend on them. Limits:
 * SKR_POD_SHAPES_ENTRIES_MAX of each kind and SKR_POD_SHAPES_BYTES_MAX in them, then the table is emptied;
 * JSON longer than SKR_POD_SHAPES_KEY_MAX is not remembered. So pods that are all unlike each other cost a
 * bounded amount of memory.
 */
#include "core/pod/pod.h"

enum {
    SKR_POD_SHAPES_ENTRIES_MAX = 4096,
    SKR_POD_SHAPES_KEY_MAX = 16 * 1024,
    SKR_POD_SHAPES_BYTES_MAX = 4 * 1024 * 1024, /* keys and what was read of them; each kind */
};

struct skr_pod_shapes;

struct skr_pod_shapes *skr_pod_shapes_create(void);         /* aborts without memory */
void skr_pod_shapes_destroy(struct skr_pod_shapes *shapes); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_pod_shapes, skr_pod_shapes_destroy)

struct skr_pod_fields;
struct skr_pod_share;

/* Whether labels hold a key whose value is different for every pod: such a pod shares no labels. */
bool skr_pod_labels_are_own(const struct skr_json *labels);
/* Keys that whole kinds of pods have, beside values of each pod's own: they are not copied. Ends with NULL. */
extern const char *const skr_pod_common_keys[];

/* The labels and the owner of a pod, or its shape: a reference. NULL: error is set. shapes NULL: nothing is
 * remembered. meta: whose namespace and labels rules about other pods name. tree: of the same pod, NULL:
 * it is made where it is needed. */
struct skr_pod_share *skr_pod_shapes_labels(struct skr_pod_shapes *shapes,
                                            const struct skr_pod_fields *fields,
                                            struct skr_error *error);
struct skr_pod_share *skr_pod_shapes_shape(struct skr_pod_shapes *shapes,
                                           const struct skr_pod_fields *fields,
                                           const struct skr_meta *meta, const json_t *tree,
                                           struct skr_error *error);

#endif
