/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_TEXT_PARTS_H
#define SKR_CORE_POD_TEXT_PARTS_H
/*
 * The JSON text of a pod, taken apart in one scan without a tree: where the fields stand that
 * core/pod/pod.c reads, and a key that is equal for texts with equal shapes (it holds the text of
 * everything that core/pod/shape.c, requests.c and rules.c read, and nothing that differs between
 * pods of one template). What nobody reads is checked for its grammar and skipped.
 *
 * A text that is not as API servers write it (a field twice, a field of another type, an escaped
 * key, more entries than the limits) is not understood here: the caller decodes the tree, which
 * decides and says what is wrong.
 */
#include "topology/base/json_scan.h"
#include "topology/base/strbuf.h"

/* Spans of strings have their quotes; s NULL: absent or null. */
struct skr_pod_parts {
    struct skr_json_span namespace_, name, uid, version, created, deleted;
    struct skr_json_span labels, annotations; /* objects */
    struct skr_json_span controller_uid;      /* of the owner that is the controller */
    bool of_job;
    struct skr_json_span spec, status; /* objects; s NULL: absent */
    struct skr_json_span node, scheduler;
    struct skr_json_span phase, nominated, failed_reason;
    struct skr_json_span scheduled_reason, scheduled_message; /* of PodScheduled=False */
    bool preempts_never, has_priority, gate, foreign_gate, is_unscheduled;
    int32_t priority;
    bool has_grace;
    int32_t grace_s;
    bool late_capacity;                         /* in the key */
    bool depends_on_labels;                     /* the shape may: rules name keys of labels */
    struct skr_json_span affinity, constraints; /* about other pods, raw */
};

/* Consumes the object at the cursor. key gets the key of the shape, but for the labels and the
 * namespace. false: not understood, the cursor is anywhere. O(size). */
bool skr_pod_parts_scan(struct skr_json_scan *scan, struct skr_pod_parts *ret,
                        struct skr_strbuf *key);

/* The string between the quotes is the same as text, which is not empty. false for one with escapes. */
bool skr_pod_parts_is(const struct skr_json_span *span, const char *text);

#endif
