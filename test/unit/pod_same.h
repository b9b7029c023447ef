/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_POD_SAME_H
#define SKR_TEST_UNIT_POD_SAME_H
/* Whether two pods are the same, and whether a pod is the same with shared shapes and as libjansson reads it. */
#include "core/pod/shapes.h"

/* What is different; NULL: nothing. */
const char *pod_difference(const struct skr_pod *a, const struct skr_pod *b);

/* Reads the text with shapes, and the tree that libjansson makes of it without. What is wrong with the first;
 * NULL: nothing. *ret_read: whether it was read. */
const char *pod_readers_differ(struct skr_pod_shapes *shapes, const char *text, size_t n,
                               bool *ret_read);

#endif
