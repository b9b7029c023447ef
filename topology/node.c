/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: what placement needs of them. Taints on spec, allocatable and the condition Ready on
 * status (k8s.io/api core/v1 NodeSpec, NodeStatus).
 */
#include "topology/object.h"

#include <string.h>

#include "topology/base/json_field.h"

enum { TAINTS_MAX = 1000, CONDITIONS_MAX = 1000 };

enum skr_taint_effect skr_taint_effect_find(const char *text)
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

static const struct skr_field_path in_spec = {NULL, "spec", SKR_FIELD_NO_INDEX};
static const struct skr_field_path in_status = {NULL, "status", SKR_FIELD_NO_INDEX};

static int decode_taint(struct skr_node *node, const json_t *array, size_t i,
                        struct skr_error *error)
{
    const struct skr_field_path path = {&in_spec, "taints", i};
    struct skr_taint *taint = &node->taints[i];
    const char *effect = "";
    const json_t *entry = json_array_get(array, i);
    int rc = 0;
    if (!json_is_object(entry)) {
        return skr_field_set_type_error(&path, NULL, "an object", entry, error);
    }
    if ((rc = skr_field_copy_string(node->arena, entry, &path, "key", &taint->key, error)) != 0 ||
        (rc = skr_field_copy_string(node->arena, entry, &path, "value", &taint->value, error)) !=
            0 ||
        (rc = skr_field_string(entry, &path, "effect", &effect, error)) != 0) {
        return rc;
    }
    taint->effect = skr_taint_effect_find(effect);
    return 0;
}

static int decode_spec(struct skr_node *node, const json_t *json, struct skr_error *error)
{
    json_t *spec = NULL, *taints = NULL;
    int rc = skr_field_object(json, NULL, "spec", &spec, error);
    if (rc != 0 || !spec) {
        return rc;
    }
    if ((rc = skr_field_bool(spec, &in_spec, "unschedulable", &node->unschedulable, error)) != 0 ||
        (rc = skr_field_array(spec, &in_spec, "taints", TAINTS_MAX, &taints, error)) != 0) {
        return rc;
    }
    const size_t n = json_array_size(taints);
    node->taints = n > 0 ? skr_arena_array(node->arena, n, sizeof node->taints[0]) : NULL;
    if (n > 0 && !node->taints) {
        return skr_object_too_large(error, "spec.taints");
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        rc = decode_taint(node, taints, i, error);
    }
    node->n_taints = n;
    return rc;
}

static int decode_condition(struct skr_node *node, const json_t *array, size_t i,
                            struct skr_error *error)
{
    const struct skr_field_path path = {&in_status, "conditions", i};
    const char *type = "", *status = "";
    const json_t *entry = json_array_get(array, i);
    int rc = 0;
    if (!json_is_object(entry)) {
        return skr_field_set_type_error(&path, NULL, "an object", entry, error);
    }
    if ((rc = skr_field_string(entry, &path, "type", &type, error)) == 0 &&
        (rc = skr_field_string(entry, &path, "status", &status, error)) == 0 &&
        strcmp(type, "Ready") == 0) {
        node->ready = strcmp(status, "True") == 0;
    }
    return rc;
}

static int decode_status(struct skr_node *node, const json_t *json, struct skr_error *error)
{
    json_t *status = NULL, *conditions = NULL;
    int rc = skr_field_object(json, NULL, "status", &status, error);
    if (rc != 0 || !status) {
        return rc;
    }
    rc = skr_field_array(status, &in_status, "conditions", CONDITIONS_MAX, &conditions, error);
    for (size_t i = 0; rc == 0 && i < json_array_size(conditions); i++) {
        rc = decode_condition(node, conditions, i, error);
    }
    return rc != 0 ? rc
                   : skr_quantities_decode(node->arena, json_object_get(status, "allocatable"),
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
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
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

bool skr_node_taints_equal(const struct skr_node *a, const struct skr_node *b)
{
    bool same = a->n_taints == b->n_taints;
    for (size_t i = 0; same && i < a->n_taints; i++) {
        const struct skr_taint *s = &a->taints[i], *t = &b->taints[i];
        same = strcmp(s->key, t->key) == 0 && strcmp(s->value, t->value) == 0 &&
               s->effect == t->effect;
    }
    return same;
}
