/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: what placement needs of them. Taints on spec, allocatable and the condition Ready on
 * status (k8s.io/api core/v1 NodeSpec, NodeStatus).
 */
#include "topology/object.h"

#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"

enum { TAINTS_MAX = 1000, CONDITIONS_MAX = 1000 };

static enum skr_taint_effect parse_effect(const struct skr_json *text)
{
    static const char *const names[] = {
        [SKR_TAINT_NO_SCHEDULE] = "NoSchedule",
        [SKR_TAINT_NO_EXECUTE] = "NoExecute",
        [SKR_TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
    };
    _Static_assert(sizeof names / sizeof names[0] == SKR_TAINT_OTHER, "every known effect");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (skr_json_is(text, names[i])) {
            return (enum skr_taint_effect)i;
        }
    }
    return SKR_TAINT_OTHER;
}

enum skr_taint_effect skr_taint_effect_find(const char *text)
{
    return parse_effect(
        &(struct skr_json){.text = text, .n = (uint32_t)strlen(text), .type = SKR_JSON_STRING});
}

static const struct skr_field_path in_spec = {NULL, "spec", SKR_FIELD_NO_INDEX};
static const struct skr_field_path in_status = {NULL, "status", SKR_FIELD_NO_INDEX};

static int decode_taint(struct skr_node *node, const struct skr_json *entry, size_t i,
                        struct skr_error *error)
{
    static const char *const key[] = {"key", "value", "effect"};
    enum { KEY, VALUE, EFFECT, MEMBERS };
    const struct skr_field_path path = {&in_spec, "taints", i};
    struct skr_taint *taint = &node->taints[i];
    const struct skr_json *member[MEMBERS], *effect = NULL;
    int rc = 0;
    if (entry->type != SKR_JSON_OBJECT) {
        return skr_json_type_error(&path, NULL, "an object", entry, error);
    }
    skr_json_members(entry, key, MEMBERS, member);
    if ((rc = skr_json_copy_string(node->arena, member[KEY], &path, "key", &taint->key, error)) !=
            0 ||
        (rc = skr_json_copy_string(node->arena, member[VALUE], &path, "value", &taint->value,
                                   error)) != 0 ||
        (rc = skr_json_expect(member[EFFECT], SKR_JSON_STRING, &path, "effect", &effect, error)) !=
            0) {
        return rc;
    }
    taint->effect = parse_effect(effect);
    return 0;
}

static int decode_spec(struct skr_node *node, const struct skr_json *spec, struct skr_error *error)
{
    static const char *const key[] = {"unschedulable", "taints"};
    const struct skr_json *member[2], *flag = NULL, *taints = NULL;
    int rc = skr_json_expect(spec, SKR_JSON_OBJECT, NULL, "spec", &spec, error);
    if (rc != 0 || !spec) {
        return rc;
    }
    skr_json_members(spec, key, 2, member);
    if ((rc = skr_json_expect(member[0], SKR_JSON_BOOLEAN, &in_spec, key[0], &flag, error)) != 0 ||
        (rc = skr_json_expect_array(member[1], &in_spec, key[1], TAINTS_MAX, &taints, error)) !=
            0) {
        return rc;
    }
    node->unschedulable = flag && flag->n;
    const size_t n = skr_json_count(taints);
    node->taints = n > 0 ? skr_arena_array(node->arena, n, sizeof node->taints[0]) : NULL;
    if (n > 0 && !node->taints) {
        return skr_object_too_large(error, "spec.taints");
    }
    SKR_JSON_EACH(taints, entry)
    {
        rc = rc == 0 ? decode_taint(node, entry, node->n_taints++, error) : rc;
    }
    return rc;
}

static int decode_condition(struct skr_node *node, const struct skr_json *entry, size_t i,
                            struct skr_error *error)
{
    static const char *const key[] = {"type", "status", "lastTransitionTime"};
    const struct skr_field_path path = {&in_status, "conditions", i};
    const struct skr_json *member[3], *type = NULL, *status = NULL;
    int rc = 0;
    if (entry->type != SKR_JSON_OBJECT) {
        return skr_json_type_error(&path, NULL, "an object", entry, error);
    }
    skr_json_members(entry, key, 3, member);
    if ((rc = skr_json_expect(member[0], SKR_JSON_STRING, &path, key[0], &type, error)) == 0 &&
        (rc = skr_json_expect(member[1], SKR_JSON_STRING, &path, key[1], &status, error)) == 0 &&
        skr_json_is(type, "Ready")) {
        node->ready = skr_json_is(status, "True");
        node->unready_since = node->ready ? 0 : skr_object_time(member[2]);
    }
    return rc;
}

static int decode_status(struct skr_node *node, const struct skr_json *status,
                         struct skr_error *error)
{
    static const char *const key[] = {"conditions", "allocatable"};
    const struct skr_json *member[2], *conditions = NULL;
    size_t i = 0;
    int rc = skr_json_expect(status, SKR_JSON_OBJECT, NULL, "status", &status, error);
    if (rc != 0 || !status) {
        return rc;
    }
    skr_json_members(status, key, 2, member);
    rc = skr_json_expect_array(member[0], &in_status, key[0], CONDITIONS_MAX, &conditions, error);
    SKR_JSON_EACH(conditions, entry)
    {
        rc = rc == 0 ? decode_condition(node, entry, i++, error) : rc;
    }
    return rc != 0 ? rc
                   : skr_quantities_read(node->arena, member[1], "status.allocatable",
                                         &node->allocatable, error);
}

static int decode(struct skr_arena *arena, const struct skr_json *json, struct skr_node **ret,
                  struct skr_error *error)
{
    static const char *const key[] = {"metadata", "spec", "status"};
    struct skr_node *node = skr_arena_alloc(arena, sizeof *node);
    const struct skr_json *member[3];
    struct skr_meta_members meta;
    int rc = 0;
    if (!node) {
        return skr_object_too_large(error, "node");
    }
    node->arena = arena;
    node->ready = true;
    skr_json_members(json, key, 3, member);
    skr_meta_members_read(member[0], &meta);
    if ((rc = skr_meta_read(arena, &meta, NULL, &node->meta, error)) != 0) {
        return rc;
    }
    if (node->meta.name[0] == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    if ((rc = decode_spec(node, member[1], error)) != 0 ||
        (rc = decode_status(node, member[2], error)) != 0) {
        return rc;
    }
    *ret = node;
    return 0;
}

int skr_node_read(const struct skr_json *json, struct skr_node **ret, struct skr_error *error)
{
    if (!json || json->type != SKR_JSON_OBJECT) {
        return skr_json_type_error(NULL, "object", "an object", json, error);
    }
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

int skr_node_decode(const json_t *json, struct skr_node **ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    const int rc = skr_json_of_tree(&reader, json, &value, error);
    return rc != 0 ? rc : skr_node_read(value, ret, error);
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
