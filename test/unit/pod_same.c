/* SPDX-License-Identifier: Apache-2.0 */
/* Pods field by field. Shapes by their keys, which hold all of them. */
#include "test/unit/pod_same.h"

#include <stdlib.h>
#include <string.h>

static const char *meta_difference(const struct skr_meta *a, const struct skr_meta *b)
{
    return strcmp(a->namespace_, b->namespace_) != 0             ? "namespace"
           : strcmp(a->name, b->name) != 0                       ? "name"
           : strcmp(a->uid, b->uid) != 0                         ? "uid"
           : a->resource_version != b->resource_version          ? "version"
           : a->created != b->created                            ? "created"
           : a->deleting != b->deleting                          ? "deleting"
           : a->deleted_at != b->deleted_at                      ? "deleted at"
           : !skr_labels_equal(&a->labels, &b->labels)           ? "labels"
           : !skr_labels_equal(&a->annotations, &b->annotations) ? "annotations"
                                                                 : NULL;
}

static bool claims_differ(const struct skr_pod *a, const struct skr_pod *b)
{
    bool differ = a->n_claims != b->n_claims;
    for (size_t i = 0; i < a->n_claims && !differ; i++) {
        differ =
            a->claim[i].kind != b->claim[i].kind || strcmp(a->claim[i].name, b->claim[i].name) != 0;
    }
    return differ;
}

const char *pod_difference(const struct skr_pod *a, const struct skr_pod *b)
{
    const char *meta = meta_difference(&a->meta, &b->meta);
    return meta                                                      ? meta
           : strcmp(a->scheduler_name, b->scheduler_name) != 0       ? "scheduler"
           : strcmp(a->node_name, b->node_name) != 0                 ? "node"
           : strcmp(a->nominated_node, b->nominated_node) != 0       ? "nominated node"
           : a->phase != b->phase                                    ? "phase"
           : a->has_priority != b->has_priority                      ? "has priority"
           : a->priority != b->priority                              ? "priority"
           : a->preempts_never != b->preempts_never                  ? "preempts never"
           : a->grace_s != b->grace_s                                ? "grace period"
           : a->deadline_s != b->deadline_s                          ? "deadline"
           : a->started != b->started                                ? "started"
           : a->gate != b->gate                                      ? "gate"
           : a->foreign_gate != b->foreign_gate                      ? "foreign gate"
           : a->of_job != b->of_job                                  ? "of job"
           : strcmp(a->controller_uid, b->controller_uid) != 0       ? "controller"
           : memcmp(a->index, b->index, sizeof a->index) != 0        ? "index"
           : strcmp(a->scheduled_reason, b->scheduled_reason) != 0   ? "scheduled reason"
           : strcmp(a->scheduled_message, b->scheduled_message) != 0 ? "scheduled message"
           : strcmp(a->failed_reason, b->failed_reason) != 0         ? "failed reason"
           : strcmp(a->shape->key, b->shape->key) != 0               ? "shape"
           : claims_differ(a, b)                                     ? "claims"
           : a->shape->n_rules != b->shape->n_rules                  ? "rules"
           : a->shape->late_capacity != b->shape->late_capacity      ? "late capacity"
                                                                     : NULL;
}

const char *pod_readers_differ(struct skr_pod_shapes *shapes, const char *text, size_t n,
                               bool *ret_read)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    SKR_AUTO(skr_pod_destroy) struct skr_pod *read = NULL;
    SKR_AUTO(skr_pod_destroy) struct skr_pod *tree = NULL;
    struct skr_error error = {.code = SKR_OK};
    json_error_t where;
    /* A copy: the reader must not change it, and reading beyond it is seen. */
    SKR_AUTO_FREE char *copy = malloc(n > 0 ? n : 1);
    skr_bug_on(!copy);
    memcpy(copy, text, n);
    json_auto_t *json = json_loadb(text, n, 0, &where);
    const bool is_json = skr_json_read_text(&reader, copy, n, &value, &error) == 0;
    *ret_read = is_json && skr_pod_read(shapes, value, &read, &error) == 0;
    if (memcmp(copy, text, n) != 0) {
        return "the text was changed";
    }
    if (!json) { /* of which NUL and depth are no faults here */
        return NULL;
    }
    if (!is_json) {
        return strstr(error.text, "levels") ? NULL : "it is JSON";
    }
    if ((skr_pod_decode(json, &tree, &error) == 0) != *ret_read) {
        return tree ? "the tree is read" : "the tree is refused";
    }
    return tree ? pod_difference(read, tree) : NULL;
}
