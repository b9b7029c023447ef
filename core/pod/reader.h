/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_READER_H
#define SKR_CORE_POD_READER_H
/*
 * Pods from their JSON text without a tree, for lists of a hundred thousand of them. Pods of one
 * template come one after the other and differ in a few fields: a reader remembers the shapes, and
 * the labels with the owner, that it has seen last, and a pod whose text is the same there shares
 * them (share.h), unless it has a label of its own, as its rank or index in a Job. The pod is what skr_pod_decode() makes of the same text, which the tests compare.
 *
 * A reader belongs to one thread; what it has read does not depend on it. Limits:
 * SKR_POD_READER_ENTRIES_MAX of each kind and SKR_POD_READER_BYTES_MAX in them, then it begins anew; what
 * is longer than SKR_POD_READER_KEY_MAX is not remembered. So pods that are all unlike each other cost a
 * bounded amount of memory, however many there were.
 */
#include "core/pod/pod.h"
#include "topology/base/json_scan.h"

enum {
    SKR_POD_READER_ENTRIES_MAX = 4096,
    SKR_POD_READER_KEY_MAX = 16 * 1024,
    SKR_POD_READER_BYTES_MAX = 4 * 1024 * 1024, /* texts and what was read of them; each kind */
};

struct skr_pod_reader;

struct skr_pod_reader *skr_pod_reader_create(void);         /* aborts without memory */
void skr_pod_reader_destroy(struct skr_pod_reader *reader); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_pod_reader, skr_pod_reader_destroy)

/* Consumes the object at the cursor and leaves the text as it is. false: the pod is odd (text_parts.h)
 * or refused, the cursor is anywhere and skr_pod_decode() has the last word. O(size). */
bool skr_pod_reader_read(struct skr_pod_reader *reader, struct skr_json_scan *scan,
                         struct skr_pod **ret);

#endif
