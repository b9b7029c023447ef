/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods from the API: identity, gates, owner, state; the shape is read by core/pod/shape.c. A pod is
 * never changed: skr_pod_overlay() makes another one. Limits: SKR_POD_LISTS_MAX,
 * SKR_OBJECT_BYTES_MAX.
 */
#include "core/pod/pod.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/pod/parts.h"
#include "core/pod/share.h"
#include "core/pod/tree.h"
#include "topology/base/json_field.h"

enum { FIRST_BLOCK = 1536 }; /* bytes; holds an ordinary pod */

static const char *const phase_name[] = {
    [SKR_POD_PENDING] = "Pending", [SKR_POD_RUNNING] = "Running", [SKR_POD_SUCCEEDED] = "Succeeded",
    [SKR_POD_FAILED] = "Failed",   [SKR_POD_UNKNOWN] = "Unknown",
};
_Static_assert(sizeof phase_name / sizeof phase_name[0] == SKR_POD_PHASE_COUNT, "a name per phase");

static const struct skr_field_path spec_path = {NULL, "spec", SKR_FIELD_NO_INDEX};
static const struct skr_field_path status_path = {NULL, "status", SKR_FIELD_NO_INDEX};

/* A string, copied. */
static int copy_string(struct skr_arena *arena, const json_t *value,
                       const struct skr_field_path *path, const char *key, const char **ret,
                       struct skr_error *error)
{
    const char *text = "";
    int rc = skr_value_string(value, path, key, &text, error);
    if (rc < 0) {
        return rc;
    }
    *ret = text[0] != '\0' ? skr_arena_strdup(arena, text) : "";
    return !*ret ? skr_pod_no_room(error) : 0;
}

static int copy_of_spec(const struct skr_pod_tree *tree, enum skr_pod_spec_member which,
                        struct skr_pod *pod, const char **ret, struct skr_error *error)
{
    return copy_string(pod->arena, tree->of_spec[which], &spec_path, skr_pod_spec_key(which), ret,
                       error);
}

static int copy_of_status(const struct skr_pod_tree *tree, enum skr_pod_status_member which,
                          struct skr_pod *pod, const char **ret, struct skr_error *error)
{
    return copy_string(pod->arena, tree->of_status[which], &status_path, skr_pod_status_key(which),
                       ret, error);
}

enum skr_pod_phase skr_pod_phase_of(const char *text, size_t n)
{
    for (size_t i = 0; i < SKR_POD_PHASE_COUNT; i++) {
        if (strlen(phase_name[i]) == n && memcmp(text, phase_name[i], n) == 0) {
            return (enum skr_pod_phase)i;
        }
    }
    return n == 0 ? SKR_POD_PENDING : SKR_POD_UNKNOWN;
}

size_t skr_pod_message_length(const char *s)
{
    size_t n = strlen(s);
    if (n <= SKR_POD_MESSAGE_MAX) {
        return n;
    }
    n = SKR_POD_MESSAGE_MAX;
    while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) {
        n--;
    }
    return n;
}

static int read_gates(const struct skr_pod_tree *tree, struct skr_pod *pod, struct skr_error *error)
{
    struct skr_field_path array = {
        .up = &spec_path, .key = "schedulingGates", .index = SKR_FIELD_NO_INDEX};
    json_t *gates;
    int rc = skr_value_array(tree->of_spec[SKR_POD_SPEC_GATES], &spec_path, array.key,
                             SKR_POD_LISTS_MAX, &gates, error);
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < json_array_size(gates); i++) {
        struct skr_field_path here = {.up = &spec_path, .key = array.key, .index = i};
        json_t *gate;
        const char *name;
        rc = skr_field_entry(gates, &array, i, &gate, error);
        if (rc == 0) {
            rc = skr_field_string(gate, &here, "name", &name, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (strcmp(name, SKR_GATE) == 0) {
            pod->gate = true;
        } else {
            pod->foreign_gate = true;
        }
    }
    return 0;
}

int32_t skr_pod_grace(int64_t seconds)
{
    return seconds < 0 ? 0 : seconds > INT32_MAX ? INT32_MAX : (int32_t)seconds;
}

static int read_spec(const struct skr_pod_tree *tree, struct skr_pod *pod, struct skr_error *error)
{
    int rc = copy_of_spec(tree, SKR_POD_SPEC_SCHEDULER, pod, &pod->scheduler_name, error);
    if (rc == 0) {
        rc = copy_of_spec(tree, SKR_POD_SPEC_NODE, pod, &pod->node_name, error);
    }
    if (rc < 0) {
        return rc;
    }
    const char *policy = json_string_value(tree->of_spec[SKR_POD_SPEC_PREEMPTION]);
    const json_t *priority = tree->of_spec[SKR_POD_SPEC_PRIORITY];
    const json_t *grace = tree->of_spec[SKR_POD_SPEC_GRACE];
    pod->preempts_never = policy && strcmp(policy, "Never") == 0;
    pod->grace_s =
        json_is_integer(grace) ? skr_pod_grace(json_integer_value(grace)) : SKR_POD_GRACE_S;
    pod->has_priority = json_is_integer(priority);
    rc = skr_value_int32(priority, &spec_path, skr_pod_spec_key(SKR_POD_SPEC_PRIORITY), 0,
                         &pod->priority, error);
    return rc < 0 ? rc : read_gates(tree, pod, error);
}

static int read_owner(const struct skr_pod_tree *tree, struct skr_pod *pod, struct skr_error *error)
{
    const struct skr_field_path path = {.up = NULL, .key = "metadata", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path array = {
        .up = &path, .key = "ownerReferences", .index = SKR_FIELD_NO_INDEX};
    json_t *owners;
    pod->controller_uid = "";
    int rc = skr_value_array(tree->meta.member[SKR_META_OWNERS], &path, array.key,
                             SKR_POD_LISTS_MAX, &owners, error);
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < json_array_size(owners); i++) {
        struct skr_field_path here = {.up = &path, .key = "ownerReferences", .index = i};
        json_t *owner;
        bool controller;
        rc = skr_field_entry(owners, &array, i, &owner, error);
        if (rc == 0) {
            rc = skr_field_bool(owner, &here, "controller", &controller, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (controller) {
            const char *kind = json_string_value(json_object_get(owner, "kind"));
            pod->of_job = kind && strcmp(kind, "Job") == 0;
            return copy_string(pod->arena, json_object_get(owner, "uid"), &here, "uid",
                               &pod->controller_uid, error);
        }
    }
    return 0;
}

/* Condition PodScheduled=False: why kube-scheduler could not place the pod. */
static int read_scheduled(json_t *conditions, const struct skr_field_path *path,
                          struct skr_pod *pod, struct skr_error *error)
{
    struct skr_field_path array = {.up = path, .key = "conditions", .index = SKR_FIELD_NO_INDEX};
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        struct skr_field_path here = {.up = path, .key = "conditions", .index = i};
        json_t *condition;
        const char *type;
        const char *status;
        const char *message;
        int rc = skr_field_entry(conditions, &array, i, &condition, error);
        if (rc == 0) {
            rc = skr_field_string(condition, &here, "type", &type, error);
        }
        if (rc == 0) {
            rc = skr_field_string(condition, &here, "status", &status, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (strcmp(type, "PodScheduled") != 0 || strcmp(status, "False") != 0) {
            continue;
        }
        rc = copy_string(pod->arena, json_object_get(condition, "reason"), &here, "reason",
                         &pod->scheduled_reason, error);
        if (rc == 0) {
            rc = skr_field_string(condition, &here, "message", &message, error);
        }
        if (rc < 0) {
            return rc;
        }
        pod->scheduled_message =
            skr_arena_strndup(pod->arena, message, skr_pod_message_length(message));
        return !pod->scheduled_message ? skr_pod_no_room(error) : 0;
    }
    return 0;
}

static int read_status(const struct skr_pod_tree *tree, struct skr_pod *pod,
                       struct skr_error *error)
{
    const char *phase = "";
    json_t *conditions = NULL;
    pod->scheduled_reason = "";
    pod->scheduled_message = "";
    int rc = copy_of_status(tree, SKR_POD_STATUS_NOMINATED, pod, &pod->nominated_node, error);
    if (rc == 0) {
        rc = copy_of_status(tree, SKR_POD_STATUS_REASON, pod, &pod->failed_reason, error);
    }
    if (rc == 0) {
        rc = skr_value_string(tree->of_status[SKR_POD_STATUS_PHASE], &status_path,
                              skr_pod_status_key(SKR_POD_STATUS_PHASE), &phase, error);
    }
    if (rc == 0) {
        rc = skr_value_array(tree->of_status[SKR_POD_STATUS_CONDITIONS], &status_path,
                             skr_pod_status_key(SKR_POD_STATUS_CONDITIONS), SKR_POD_LISTS_MAX,
                             &conditions, error);
    }
    if (rc < 0) {
        return rc;
    }
    pod->phase = skr_pod_phase_of(phase, strlen(phase));
    return read_scheduled(conditions, &status_path, pod, error);
}

static struct skr_pod *pod_create(size_t first)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, first);
    struct skr_pod *pod = arena ? skr_arena_alloc(arena, sizeof *pod) : NULL;
    if (!pod) {
        skr_arena_destroy(arena);
        return NULL;
    }
    pod->arena = arena;
    return pod;
}

/* Bytes of the texts in a map, and of the list of them. */
static size_t size_of_map(json_t *map)
{
    size_t n = 0;
    for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
        n += sizeof(struct skr_label) + strlen(json_object_iter_key(at)) +
             json_string_length(json_object_iter_value(at)) + 2;
    }
    return n;
}

/* About what an ordinary pod takes without its shape, so that its arena is one block of that size. */
static size_t size_without_shape(const struct skr_pod_tree *tree)
{
    enum { TEXTS = 144 }; /* names, uids, nodes */
    return sizeof(struct skr_pod) + TEXTS + json_string_length(tree->meta.member[SKR_META_NAME]) +
           size_of_map(tree->meta.member[SKR_META_LABELS]) +
           size_of_map(tree->meta.member[SKR_META_ANNOTATIONS]);
}

static int read_shape(json_t *spec, json_t *status, struct skr_pod *pod, struct skr_error *error)
{
    struct skr_pod_shape *shape = skr_arena_alloc(pod->arena, sizeof *shape);
    pod->shape = shape;
    return shape ? skr_pod_shape_decode(pod->arena, &pod->meta, spec, status, shape, error)
                 : skr_pod_no_room(error);
}

int skr_pod_not_object(const json_t *json, struct skr_error *error)
{
    return skr_field_set_type_error(NULL, "pod", "an object", json, error);
}

int skr_pod_decode(const json_t *json, struct skr_pod **ret, struct skr_error *error)
{
    struct skr_pod_tree tree;
    if (!json_is_object(json)) {
        return skr_pod_not_object(json, error);
    }
    skr_pod_tree_read(json, &tree);
    return skr_pod_decode_with(&tree, NULL, ret, error);
}

int skr_pod_decode_with(const struct skr_pod_tree *tree, struct skr_pod_share *share,
                        struct skr_pod **ret, struct skr_error *error)
{
    json_t *spec;
    json_t *status;
    struct skr_pod *pod = pod_create(share ? size_without_shape(tree) : FIRST_BLOCK);
    if (!pod) {
        skr_pod_share_unref(share);
        return skr_error_set(error, SKR_NO_MEMORY, "pod: out of memory");
    }
    pod->of_shape = share;
    int rc = skr_meta_tree_decode(pod->arena, &tree->meta, NULL, &pod->meta, error);
    if (rc == 0) {
        rc = skr_value_object(tree->spec, NULL, "spec", &spec, error);
    }
    if (rc == 0) {
        rc = skr_value_object(tree->status, NULL, "status", &status, error);
    }
    if (rc == 0) {
        rc = read_spec(tree, pod, error);
    }
    if (rc == 0) {
        rc = read_owner(tree, pod, error);
    }
    if (rc == 0) {
        rc = read_status(tree, pod, error);
    }
    if (rc == 0) {
        skr_pod_index_read(&pod->meta.labels, tree->meta.member[SKR_META_ANNOTATIONS], pod->index);
    }
    if (rc == 0 && share) {
        pod->shape = share->shape;
    } else if (rc == 0) {
        rc = read_shape(spec, status, pod, error);
    }
    if (rc < 0) {
        skr_pod_destroy(pod);
        return rc;
    }
    *ret = pod;
    return 0;
}

struct skr_pod *skr_pod_ref(struct skr_pod *pod)
{
    pod->others++;
    return pod;
}

void skr_pod_destroy(struct skr_pod *pod)
{
    if (pod && pod->others > 0) {
        pod->others--;
    } else if (pod) {
        skr_pod_share_unref(pod->of_shape);
        skr_pod_share_unref(pod->of_labels);
        skr_arena_destroy(pod->arena);
    }
}

bool skr_pod_is_live(const struct skr_pod *pod)
{
    return !pod->meta.deleting && pod->phase != SKR_POD_SUCCEEDED && pod->phase != SKR_POD_FAILED;
}

/* ---- overlay ---- */

/* The engine cannot go on without the copy: running on with a stale pod would be wrong. */
static const char *must_copy(struct skr_arena *arena, const char *s)
{
    const char *copy = skr_arena_strdup(arena, s);
    skr_bug_on(!copy);
    return copy;
}

/* Copies labels with the entries of change put in, or taken out where their value is "". */
static void merge_labels(struct skr_arena *arena, const struct skr_labels *labels,
                         const struct skr_label *change, size_t n_changes, struct skr_labels *ret)
{
    struct skr_label *item = skr_arena_array(arena, labels->n + n_changes, sizeof item[0]);
    skr_bug_on(!item);
    size_t n = labels->n;
    for (size_t i = 0; i < n; i++) {
        item[i] = labels->item[i];
    }
    for (size_t i = 0; i < n_changes; i++) {
        size_t at = 0;
        while (at < n && strcmp(item[at].key, change[i].key) < 0) {
            at++;
        }
        bool found = at < n && strcmp(item[at].key, change[i].key) == 0;
        bool remove = change[i].value[0] == '\0';
        if (found && remove) {
            memmove(&item[at], &item[at + 1], (n - at - 1) * sizeof item[0]);
            n--;
        } else if (found) {
            item[at] = change[i];
        } else if (!remove) {
            memmove(&item[at + 1], &item[at], (n - at) * sizeof item[0]);
            item[at] = change[i];
            n++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        item[i].key = must_copy(arena, item[i].key);
        item[i].value = must_copy(arena, item[i].value);
    }
    *ret = (struct skr_labels){.n = n, .item = item};
}

/* Those that it changes; returns how many. */
static size_t annotations_of(const struct skr_pod_overlay *overlay, struct skr_label ret[2])
{
    size_t n = 0;
    if (overlay->plan_annotation) {
        ret[n++] = (struct skr_label){SKR_ANNOTATION_PLAN, overlay->plan_annotation};
    }
    if (overlay->gang_plan_annotation) {
        ret[n++] = (struct skr_label){SKR_ANNOTATION_GANG_PLAN, overlay->gang_plan_annotation};
    }
    return n;
}

static void copy_meta(const struct skr_pod *pod, const struct skr_pod_overlay *overlay,
                      struct skr_pod *copy)
{
    struct skr_label annotation[2];
    const size_t n = annotations_of(overlay, annotation);
    copy->meta.namespace_ = must_copy(copy->arena, pod->meta.namespace_);
    copy->meta.name = must_copy(copy->arena, pod->meta.name);
    copy->meta.uid = must_copy(copy->arena, pod->meta.uid);
    if (overlay->resource_version != 0) {
        copy->meta.resource_version = overlay->resource_version;
    }
    merge_labels(copy->arena, &pod->meta.labels, overlay->label, overlay->n_labels,
                 &copy->meta.labels);
    merge_labels(copy->arena, &pod->meta.annotations, annotation, n, &copy->meta.annotations);
}

static size_t size_of_labels(const struct skr_label *item, size_t n)
{
    size_t size = n * sizeof item[0];
    for (size_t i = 0; i < n; i++) {
        size += strlen(item[i].key) + strlen(item[i].value) + 2;
    }
    return size;
}

/* What the copy takes at most without a shape; texts that are replaced are counted, too. */
static size_t size_of_copy(const struct skr_pod *pod, const struct skr_pod_overlay *overlay)
{
    struct skr_label annotation[2];
    const size_t n_annotations = annotations_of(overlay, annotation);
    const char *const text[] = {pod->meta.namespace_,
                                pod->meta.name,
                                pod->meta.uid,
                                pod->scheduler_name,
                                pod->node_name,
                                pod->nominated_node,
                                pod->controller_uid,
                                pod->scheduled_reason,
                                pod->scheduled_message,
                                pod->failed_reason,
                                overlay->node_name ? overlay->node_name : "",
                                overlay->nominated_node ? overlay->nominated_node : ""};
    size_t size = sizeof *pod + 2 * sizeof(max_align_t) +
                  size_of_labels(pod->meta.labels.item, pod->meta.labels.n) +
                  size_of_labels(pod->meta.annotations.item, pod->meta.annotations.n) +
                  size_of_labels(overlay->label, overlay->n_labels) +
                  size_of_labels(annotation, n_annotations);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        size += strlen(text[i]) + 1;
    }
    return size;
}

static const struct skr_pod_shape *must_copy_shape(struct skr_arena *arena,
                                                   const struct skr_pod_shape *shape)
{
    struct skr_pod_shape *copy = skr_arena_alloc(arena, sizeof *copy);
    skr_bug_on(!copy || !skr_pod_shape_copy(arena, shape, copy));
    return copy;
}

struct skr_pod *skr_pod_overlay(const struct skr_pod *pod, const struct skr_pod_overlay *overlay)
{
    struct skr_pod *copy = pod_create(pod->of_shape ? size_of_copy(pod, overlay) : FIRST_BLOCK);
    skr_bug_on(!copy);
    struct skr_arena *arena = copy->arena;
    *copy = *pod;
    copy->arena = arena;
    copy->of_shape = pod->of_shape ? skr_pod_share_ref(pod->of_shape) : NULL;
    copy->of_labels = NULL;
    copy->others = 0;
    copy_meta(pod, overlay, copy);
    copy->scheduler_name = must_copy(arena, pod->scheduler_name);
    copy->node_name = must_copy(arena, overlay->node_name ? overlay->node_name : pod->node_name);
    copy->nominated_node =
        must_copy(arena, overlay->nominated_node ? overlay->nominated_node : pod->nominated_node);
    copy->gate = pod->gate && !overlay->drop_gate;
    copy->controller_uid = must_copy(arena, pod->controller_uid);
    copy->scheduled_reason = must_copy(arena, pod->scheduled_reason);
    copy->scheduled_message = must_copy(arena, pod->scheduled_message);
    copy->failed_reason = must_copy(arena, pod->failed_reason);
    if (!copy->of_shape) {
        copy->shape = must_copy_shape(arena, pod->shape);
    }
    return copy;
}
