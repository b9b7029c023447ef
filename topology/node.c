/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: what placement needs of them. Taints on spec, allocatable and the condition Ready on
 * status (k8s.io/api core/v1 NodeSpec, NodeStatus).
 */
#include "topology/object.h"

#include <string.h>

#include "topology/object_field.h"

enum { TAINTS_MAX = 1000, CONDITIONS_MAX = 1000 };

static enum skr_taint_effect parse_effect(const char *text)
{
    static const char *const names[] = {
        [SKR_TAINT_NO_SCHEDULE] = "NoSchedule",
        [SKR_TAINT_NO_EXECUTE] = "NoExecute",
        [SKR_TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
    };
    _Static_assert(sizeof names / sizeof names[0] == SKR_TAINT_OTHER, "every known effect");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (enum skr_taint_effect)i;
        }
    }
    return SKR_TAINT_OTHER;
}

static int check_array(const json_t *array, const char *path, size_t limit, struct skr_error *error)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (!json_is_object(json_array_get(array, i))) {
            char entry[64];
            (void)snprintf(entry, sizeof entry, "%s[%zu]", path, i);
            return skr_object_type_error(error, entry, NULL, "an object", json_array_get(array, i));
        }
    }
    if (json_array_size(array) > limit) {
        return skr_error_set(error, SKR_LIMIT, "%s: %zu entries, limit %zu", path,
                             json_array_size(array), limit);
    }
    return 0;
}

static int decode_taints(struct skr_node *node, const json_t *array, struct skr_error *error)
{
    int rc = check_array(array, "spec.taints", TAINTS_MAX, error);
    if (rc != 0 || json_array_size(array) == 0) {
        return rc;
    }
    node->taints = skr_arena_array(node->arena, json_array_size(array), sizeof node->taints[0]);
    if (!node->taints) {
        return skr_object_too_large(error, "spec.taints");
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *entry = json_array_get(array, i);
        struct skr_taint *taint = &node->taints[i];
        const char *effect = "";
        char path[48];
        (void)snprintf(path, sizeof path, "spec.taints[%zu]", i);
        if ((rc = skr_object_copy_string(node->arena, entry, path, "key", &taint->key, error)) !=
                0 ||
            (rc = skr_object_copy_string(node->arena, entry, path, "value", &taint->value,
                                         error)) != 0 ||
            (rc = skr_object_string(entry, path, "effect", &effect, error)) != 0) {
            return rc;
        }
        taint->effect = parse_effect(effect);
        node->n_taints++;
    }
    return 0;
}

static int decode_spec(struct skr_node *node, const json_t *json, struct skr_error *error)
{
    const json_t *spec = NULL;
    const json_t *taints = NULL;
    int rc = skr_object_object(json, "", "spec", &spec, error);
    if (rc != 0 || !spec) {
        return rc;
    }
    if ((rc = skr_object_bool(spec, "spec", "unschedulable", &node->unschedulable, error)) != 0 ||
        (rc = skr_object_array(spec, "spec", "taints", &taints, error)) != 0) {
        return rc;
    }
    return decode_taints(node, taints, error);
}

static int decode_ready(struct skr_node *node, const json_t *array, struct skr_error *error)
{
    int rc = check_array(array, "status.conditions", CONDITIONS_MAX, error);
    for (size_t i = 0; rc == 0 && i < json_array_size(array); i++) {
        const json_t *entry = json_array_get(array, i);
        const char *type = "";
        const char *status = "";
        char path[48];
        (void)snprintf(path, sizeof path, "status.conditions[%zu]", i);
        if ((rc = skr_object_string(entry, path, "type", &type, error)) == 0 &&
            (rc = skr_object_string(entry, path, "status", &status, error)) == 0 &&
            strcmp(type, "Ready") == 0) {
            node->ready = strcmp(status, "True") == 0;
        }
    }
    return rc;
}

static int decode_status(struct skr_node *node, const json_t *json, struct skr_error *error)
{
    const json_t *status = NULL;
    const json_t *conditions = NULL;
    int rc = skr_object_object(json, "", "status", &status, error);
    if (rc != 0 || !status) {
        return rc;
    }
    if ((rc = skr_object_array(status, "status", "conditions", &conditions, error)) != 0 ||
        (rc = decode_ready(node, conditions, error)) != 0) {
        return rc;
    }
    return skr_quantities_decode(node->arena, json_object_get(status, "allocatable"),
                                 "status.allocatable", &node->allocatable, error);
}

static int decode(struct skr_arena *arena, const json_t *json, struct skr_node **ret,
                  struct skr_error *error)
{
    struct skr_node *node = skr_arena_alloc(arena, sizeof *node);
    int rc = 0;
    if (!node) {
        return skr_object_too_large(error, "node");
    }
    node->arena = arena;
    node->ready = true;
    if ((rc = skr_meta_decode(arena, json, NULL, &node->meta, error)) != 0) {
        return rc;
    }
    if (node->meta.name[0] == '\0') {
        return skr_error_set(error, SKR_INVALID, "metadata.name: missing");
    }
    if ((rc = decode_spec(node, json, error)) != 0 ||
        (rc = decode_status(node, json, error)) != 0) {
        return rc;
    }
    *ret = node;
    return 0;
}

int skr_node_decode(const json_t *json, struct skr_node **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    if (!arena) {
        return skr_error_set(error, SKR_NO_MEMORY, "node: out of memory");
    }
    int rc = decode(arena, json, ret, error);
    if (rc != 0) {
        skr_arena_destroy(arena);
    }
    return rc;
}

void skr_node_destroy(struct skr_node *node)
{
    if (node) {
        skr_arena_destroy(node->arena);
    }
}
