/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_POD_SAME_H
#define SKR_TEST_UNIT_POD_SAME_H
/* Whether two ways of decoding a pod agree: libjansson's tree has the last word. */
#include "core/pod/reader.h"

/* The first field in which they differ; NULL: none. */
const char *pod_difference(const struct skr_pod *a, const struct skr_pod *b);

/* Reads the text with the reader and as a tree. NULL: they agree, or the reader has left the word to
 * the tree; else what is wrong. *ret_read: whether the reader made a pod. */
const char *pod_readers_differ(struct skr_pod_reader *reader, const char *text, size_t n,
                               bool *ret_read);

#endif
