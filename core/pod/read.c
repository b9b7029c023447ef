/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods from the API: what is found in their JSON (fields.c) and differs between pods of one template is
 * copied, the rest is shared (shapes.c). Limits: SKR_POD_LISTS_MAX, SKR_OBJECT_BYTES_MAX.
 */
#include "core/pod/pod.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/pod/fields.h"
#include "core/pod/parts.h"
#include "core/pod/shapes.h"
#include "core/pod/share.h"
#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"

static const char *const no_labels[] = {NULL};

static int copy(struct skr_arena *arena, const struct skr_json *text, const char **ret,
                struct skr_error *error)
{
    *ret = text && text->n > 0 ? skr_arena_strndup(arena, text->text, text->n) : "";
    return *ret ? 0 : skr_pod_no_room(error);
}

/* Bytes of a condition's message that are kept: at most SKR_POD_MESSAGE_MAX, no UTF-8 character cut. */
static struct skr_json cut_message(const struct skr_json *text)
{
    struct skr_json cut = text ? *text : (struct skr_json){.n = 0};
    if (cut.n > SKR_POD_MESSAGE_MAX) {
        cut.n = SKR_POD_MESSAGE_MAX;
        while (cut.n > 0 && ((unsigned char)cut.text[cut.n] & 0xC0) == 0x80) {
            cut.n--;
        }
    }
    return cut;
}

/* ---- labels and owner ---- */

static bool same_text(const struct skr_json *value, const struct skr_json *uid)
{
    return value->type == SKR_JSON_STRING && value->n == uid->n &&
           memcmp(value->text, uid->text, uid->n) == 0;
}

static size_t text_size(const struct skr_json *text)
{
    return text ? text->n : 0;
}

/* Bytes of "Kind.group/name" with its NUL, at most. */
static size_t controller_size(const struct skr_pod_fields *fields)
{
    return text_size(fields->controller_kind) + text_size(fields->controller_version) +
           text_size(fields->controller_name) + 3;
}

/* "apiVersion" without its version: the group; "" of the core group. */
static size_t group_length(const struct skr_json *version)
{
    const char *slash = version ? memchr(version->text, '/', version->n) : NULL;
    return slash ? (size_t)(slash - version->text) : 0;
}

static int read_controller(struct skr_arena *arena, const struct skr_pod_fields *fields,
                           const char **ret, struct skr_error *error)
{
    const struct skr_json *kind = fields->controller_kind, *name = fields->controller_name;
    *ret = "";
    if (!fields->controller_uid || !kind || !name) {
        return 0;
    }
    char *text = skr_arena_array(arena, controller_size(fields), 1), *end = text;
    if (!text) {
        return skr_pod_no_room(error);
    }
    const size_t group = group_length(fields->controller_version);
    memcpy(end, kind->text, kind->n);
    end += kind->n;
    if (group > 0) {
        *end++ = '.';
        memcpy(end, fields->controller_version->text, group);
        end += group;
    }
    *end++ = '/';
    memcpy(end, name->text, name->n);
    *ret = text;
    return 0;
}

size_t skr_pod_labels_size(const struct skr_pod_fields *fields)
{
    const struct skr_json *labels = fields->meta.of[SKR_META_LABELS];
    const struct skr_json *uid = fields->controller_uid;
    bool is_label = !uid;
    SKR_JSON_EACH_MEMBER(labels && labels->type == SKR_JSON_OBJECT ? labels : NULL, key)
    {
        is_label = is_label || same_text(key + 1, uid);
    }
    return skr_labels_size(labels, NULL, skr_pod_common_keys) + (is_label ? 0 : uid->n + 1) +
           (uid ? controller_size(fields) : 0);
}

int skr_pod_labels_read(struct skr_arena *arena, const struct skr_pod_fields *fields,
                        struct skr_labels *ret, const char **ret_owner, const char **ret_controller,
                        struct skr_error *error)
{
    const struct skr_json *uid = fields->controller_uid;
    int rc = skr_labels_read(arena, fields->meta.of[SKR_META_LABELS], NULL, skr_pod_common_keys,
                             "metadata.labels", ret, error);
    rc = rc < 0 ? rc : read_controller(arena, fields, ret_controller, error);
    /* Jobs give the controller's uid to their pods as a label, too. */
    for (size_t i = 0; rc == 0 && uid && i < ret->n; i++) {
        if (skr_json_is(uid, ret->item[i].value)) {
            *ret_owner = ret->item[i].value;
            return 0;
        }
    }
    return rc == 0 ? copy(arena, uid, ret_owner, error) : rc;
}

/* ---- the pod ---- */

static size_t length(const struct skr_json *text)
{
    return text && text->type == SKR_JSON_STRING ? text->n + 1 : 0;
}

/* Bytes that the pod takes without what it shares, so that its arena is one block of that size. */
static size_t size_of(const struct skr_pod_fields *f)
{
    const struct skr_json *const *meta = f->meta.of;
    return sizeof(struct skr_pod) + length(meta[SKR_META_NAMESPACE]) + length(meta[SKR_META_NAME]) +
           length(meta[SKR_META_UID]) + length(f->node) + length(f->nominated) +
           length(f->failed_reason) + length(f->scheduled_reason) + length(f->scheduling_group) +
           length(f->foreign_gate_name) +
           (f->scheduled_message ? cut_message(f->scheduled_message).n + 1 : 0) +
           skr_labels_size(meta[SKR_META_ANNOTATIONS], skr_meta_annotations, NULL) +
           skr_pod_claims_size(f);
}

/* Only PodGroups that are made again ask when their pods were bound. */
static skr_time bound_at(const struct skr_pod_fields *f)
{
    char text[64];
    skr_time at = 0;
    const bool asked = length(f->scheduling_group) > 1 && length(f->node) > 1;
    const size_t n = asked ? length(f->bound_at) : 0;
    if (n > 1 && n <= sizeof text) {
        memcpy(text, f->bound_at->text, n - 1);
        text[n - 1] = '\0';
        at = skr_time_parse(text, &at, NULL) == 0 ? at : 0;
    }
    return at;
}

static int read_state(struct skr_pod *pod, const struct skr_pod_fields *f, struct skr_error *error)
{
    const struct skr_json message = cut_message(f->scheduled_message);
    int rc = 0;
    pod->phase = f->phase;
    pod->has_priority = f->has_priority;
    pod->priority = f->priority;
    pod->preempts_never = f->preempts_never;
    pod->grace_s = f->grace_s;
    pod->deadline_s = f->deadline_s;
    pod->started = f->started;
    pod->rooted = f->rooted;
    pod->gate = f->gate;
    pod->foreign_gate = f->foreign_gate;
    pod->of_job = f->of_job;
    pod->bound_at = bound_at(f);
    if ((rc = copy(pod->arena, f->node, &pod->node_name, error)) < 0 ||
        (rc = copy(pod->arena, f->nominated, &pod->nominated_node, error)) < 0 ||
        (rc = copy(pod->arena, f->failed_reason, &pod->failed_reason, error)) < 0 ||
        (rc = copy(pod->arena, f->scheduling_group, &pod->scheduling_group, error)) < 0 ||
        (rc = copy(pod->arena, f->foreign_gate_name, &pod->foreign_gate_name, error)) < 0 ||
        (rc = copy(pod->arena, f->scheduled_reason, &pod->scheduled_reason, error)) < 0) {
        return rc;
    }
    return copy(pod->arena, &message, &pod->scheduled_message, error);
}

/* The labels of its own, or those of a template. */
static int read_labels(struct skr_pod_shapes *shapes, struct skr_pod *pod,
                       const struct skr_pod_fields *f, bool own, struct skr_error *error)
{
    if (own) {
        return skr_pod_labels_read(pod->arena, f, &pod->meta.labels, &pod->controller_uid,
                                   &pod->controller, error);
    }
    pod->of_labels = skr_pod_shapes_labels(shapes, f, error);
    if (!pod->of_labels) {
        return -(int)error->code;
    }
    pod->meta.labels = pod->of_labels->labels;
    pod->controller_uid = pod->of_labels->controller_uid;
    pod->controller = pod->of_labels->controller;
    return 0;
}

static int fill(struct skr_pod_shapes *shapes, struct skr_pod *pod, const struct skr_pod_fields *f,
                bool own, const json_t *tree, struct skr_error *error)
{
    int rc = skr_meta_read(pod->arena, &f->meta, no_labels, &pod->meta, error);
    if (rc == 0) {
        rc = read_labels(shapes, pod, f, own, error);
    }
    if (rc == 0) {
        rc = read_state(pod, f, error);
    }
    if (rc == 0) {
        rc = skr_pod_claims_read(f, pod, error);
    }
    if (rc < 0) {
        return rc;
    }
    skr_pod_index_read(&pod->meta.labels, f->meta.of[SKR_META_ANNOTATIONS], pod->index);
    pod->of_shape = skr_pod_shapes_shape(shapes, f, &pod->meta, tree, error);
    if (!pod->of_shape) {
        return -(int)error->code;
    }
    pod->shape = pod->of_shape->shape;
    pod->scheduler_name = pod->of_shape->scheduler_name;
    return 0;
}

static int read_pod(struct skr_pod_shapes *shapes, const struct skr_json *json, const json_t *tree,
                    struct skr_pod **ret, struct skr_error *error)
{
    struct skr_pod_fields f;
    struct skr_error own_error = {0};
    error = error ? error : &own_error;
    int rc = skr_pod_fields_find(json, &f, error);
    if (rc < 0) {
        return rc;
    }
    const bool own = !shapes || skr_pod_labels_are_own(f.meta.of[SKR_META_LABELS]);
    struct skr_pod *pod = skr_pod_create(size_of(&f) + (own ? skr_pod_labels_size(&f) : 0));
    if (!pod) {
        return skr_error_set(error, SKR_NO_MEMORY, "pod: out of memory");
    }
    rc = fill(shapes, pod, &f, own, tree, error);
    if (rc < 0) {
        skr_pod_destroy(pod);
        return rc;
    }
    *ret = pod;
    return 0;
}

int skr_pod_read(struct skr_pod_shapes *shapes, const struct skr_json *json, struct skr_pod **ret,
                 struct skr_error *error)
{
    return read_pod(shapes, json, NULL, ret, error);
}

int skr_pod_decode_shared(struct skr_pod_shapes *shapes, const json_t *json, struct skr_pod **ret,
                          struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    const int rc = skr_json_of_tree(&reader, json, &value, error);
    return rc < 0 ? rc : read_pod(shapes, value, json, ret, error);
}

int skr_pod_decode(const json_t *json, struct skr_pod **ret, struct skr_error *error)
{
    return skr_pod_decode_shared(NULL, json, ret, error);
}
