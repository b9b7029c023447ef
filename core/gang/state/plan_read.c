/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads persisted plans: see plan_text.h. Users may write what is read here, so every field is
 * checked. Limits: SKR_PLAN_READ_MAX bytes, RECORD_BYTES_MAX of memory.
 */
#include "core/gang/state/plan_text.h"

#include <string.h>

#include "topology/base/json_field.h"

enum { RECORD_BYTES_MAX = 8 * 1024 * 1024 }; /* arena limit of a parsed plan */

static const struct skr_field_path root_path = {
    .up = NULL, .key = SKR_ANNOTATION_PLAN, .index = SKR_FIELD_NO_INDEX};

static int no_room(struct skr_error *error)
{
    return skr_error_set_key(error, SKR_LIMIT, SKR_ANNOTATION_PLAN, "larger than %d bytes",
                             (int)RECORD_BYTES_MAX);
}

/* The JSON object in an annotation; json_decref() it. */
static int load(const char *text, json_t **ret, struct skr_error *error)
{
    json_t *root;
    int rc = skr_json_text_parse(SKR_ANNOTATION_PLAN, text, SKR_PLAN_READ_MAX, &root, error);
    if (rc < 0) {
        return rc;
    }
    if (!json_is_object(root)) {
        rc = skr_field_set_type_error(&root_path, NULL, "an object", root, error);
        json_decref(root);
        return rc;
    }
    *ret = root;
    return 0;
}

static int read_id(const json_t *root, char ret[SKR_PLAN_ID_LEN + 1], struct skr_error *error)
{
    const char *id;
    int rc = skr_field_string(root, &root_path, "id", &id, error);
    if (rc < 0) {
        return rc;
    }
    if (strlen(id) != SKR_PLAN_ID_LEN || strspn(id, "0123456789abcdef") != SKR_PLAN_ID_LEN) {
        return skr_field_set_error(&root_path, "id", error, SKR_INVALID,
                                   "must be %d hex digits, got \"%.40s\"", (int)SKR_PLAN_ID_LEN,
                                   id);
    }
    memcpy(ret, id, SKR_PLAN_ID_LEN + 1);
    return 0;
}

static int read_head(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    int32_t version;
    const char *state;
    int rc = skr_field_int32(root, &root_path, "v", 0, &version, error);
    if (rc == 0 && version != 1) {
        rc = skr_field_set_error(&root_path, "v", error, SKR_INVALID,
                                 "%d is not supported, only 1 is", (int)version);
    }
    if (rc == 0) {
        rc = read_id(root, plan->id, error);
    }
    if (rc == 0) {
        rc = skr_field_string(root, &root_path, "state", &state, error);
    }
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < SKR_PLAN_STATE_COUNT; i++) {
        if (strcmp(state, skr_plan_state_name((enum skr_plan_state)i)) == 0) {
            plan->state = (enum skr_plan_state)i;
            return 0;
        }
    }
    return skr_field_set_error(&root_path, "state", error, SKR_INVALID, "\"%.40s\" is unknown",
                               state);
}

/* The value of a member of path: how many pods. */
static int read_count(const struct skr_field_path *path, const char *name, const json_t *value,
                      int32_t *ret, struct skr_error *error)
{
    const json_int_t count = json_integer_value(value);
    if (!json_is_integer(value) || count < 1 || count > INT32_MAX) {
        return skr_field_set_type_error(path, name, "a positive integer", value, error);
    }
    *ret = (int32_t)count;
    return 0;
}

static int read_nodes(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    const struct skr_field_path path = {
        .up = &root_path, .key = "nodes", .index = SKR_FIELD_NO_INDEX};
    json_t *nodes;
    const char *name;
    json_t *value;
    int rc = skr_field_object(root, &root_path, "nodes", &nodes, error);
    if (rc < 0 || !nodes) {
        return rc;
    }
    plan->node = skr_arena_array(plan->arena, json_object_size(nodes), sizeof plan->node[0]);
    if (!plan->node) {
        return no_room(error);
    }
    json_object_foreach(nodes, name, value)
    {
        struct skr_plan_node *node = &plan->node[plan->n_nodes++];
        rc = read_count(&path, name, value, &node->count, error);
        if (rc < 0) {
            return rc;
        }
        node->node = skr_arena_strdup(plan->arena, name);
        if (!node->node) {
            return no_room(error);
        }
    }
    return 0;
}

/* Adds the roles of one node; path is that of the node. */
static int read_node_roles(json_t *roles, const char *node, const struct skr_field_path *path,
                           struct skr_plan_record *plan, struct skr_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(roles, name, value)
    {
        struct skr_plan_role *role = &plan->role[plan->n_roles++];
        const int rc = read_count(path, name, value, &role->count, error);
        if (rc < 0) {
            return rc;
        }
        role->node = node;
        role->role = skr_arena_strdup(plan->arena, name);
        if (!role->role) {
            return no_room(error);
        }
    }
    return 0;
}

static int read_roles(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    const struct skr_field_path path = {
        .up = &root_path, .key = "roles", .index = SKR_FIELD_NO_INDEX};
    json_t *roles, *value;
    const char *name;
    size_t n = 0;
    int rc = skr_field_object(root, &root_path, "roles", &roles, error);
    if (rc < 0 || !roles) {
        return rc;
    }
    json_object_foreach(roles, name, value)
    {
        if (!json_is_object(value)) {
            return skr_field_set_type_error(&path, name, "an object", value, error);
        }
        n += json_object_size(value);
    }
    plan->role = skr_arena_array(plan->arena, n, sizeof plan->role[0]);
    if (!plan->role) {
        return no_room(error);
    }
    json_object_foreach(roles, name, value)
    {
        const struct skr_field_path at = {.up = &path, .key = name, .index = SKR_FIELD_NO_INDEX};
        const char *node = skr_arena_strdup(plan->arena, name);
        rc = node ? read_node_roles(value, node, &at, plan, error) : no_room(error);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_members(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    const struct skr_field_path path = {
        .up = &root_path, .key = "members", .index = SKR_FIELD_NO_INDEX};
    json_t *members;
    const char *uid;
    json_t *value;
    int rc = skr_field_object(root, &root_path, "members", &members, error);
    if (rc < 0 || !members) {
        return rc;
    }
    plan->has_members = true;
    plan->member = skr_arena_array(plan->arena, json_object_size(members), sizeof plan->member[0]);
    if (!plan->member) {
        return no_room(error);
    }
    json_object_foreach(members, uid, value)
    {
        struct skr_plan_member *member = &plan->member[plan->n_members++];
        if (!json_is_string(value) || json_string_value(value)[0] == '\0') {
            return skr_field_set_type_error(&path, uid, "the name of a node", value, error);
        }
        member->uid = skr_arena_strdup(plan->arena, uid);
        member->node = skr_arena_strdup(plan->arena, json_string_value(value));
        member->rank = -1;
        if (!member->uid || !member->node) {
            return no_room(error);
        }
    }
    return 0;
}

static int read_victims(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    json_t *victims;
    int rc = skr_field_array(root, &root_path, "victims", SKR_PLAN_READ_MAX, &victims, error);
    if (rc < 0 || !victims) {
        return rc;
    }
    plan->victim = skr_arena_array(plan->arena, json_array_size(victims), sizeof plan->victim[0]);
    if (!plan->victim) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(victims); i++) {
        const struct skr_field_path path = {.up = &root_path, .key = "victims", .index = i};
        const json_t *value = json_array_get(victims, i);
        if (!json_is_string(value)) {
            return skr_field_set_type_error(&path, NULL, "a string", value, error);
        }
        plan->victim[i] = skr_arena_strdup(plan->arena, json_string_value(value));
        if (!plan->victim[i]) {
            return no_room(error);
        }
    }
    plan->n_victims = json_array_size(victims);
    return 0;
}

static int read_victim_pods(const json_t *root, struct skr_plan_record *plan,
                            struct skr_error *error)
{
    json_t *pods;
    int rc = skr_field_array(root, &root_path, "victimPods", SKR_PLAN_READ_MAX, &pods, error);
    if (rc < 0 || !pods) {
        return rc;
    }
    if (json_array_size(pods) != plan->n_victims) {
        return skr_field_set_error(&root_path, "victimPods", error, SKR_INVALID,
                                   "must have an entry for each of %zu victims, got %zu",
                                   plan->n_victims, json_array_size(pods));
    }
    plan->victim_pods = skr_arena_array(plan->arena, plan->n_victims, sizeof plan->victim_pods[0]);
    if (!plan->victim_pods) {
        return no_room(error);
    }
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct skr_field_path path = {.up = &root_path, .key = "victimPods", .index = i};
        const json_t *value = json_array_get(pods, i);
        json_int_t count = json_integer_value(value);
        if (!json_is_integer(value) || count < 0 || count > INT32_MAX) {
            return skr_field_set_type_error(&path, NULL, "an integer of at least 0", value, error);
        }
        plan->victim_pods[i] = (int32_t)count;
    }
    return 0;
}

static int read_moved(const json_t *root, struct skr_plan_record *plan, struct skr_error *error)
{
    const json_t *moved = json_object_get(root, "moved");
    if (json_object_size(moved) == 0) {
        return 0;
    }
    plan->moved = skr_arena_array(plan->arena, plan->n_victims + 1, sizeof plan->moved[0]);
    for (size_t i = 0; plan->moved && i < plan->n_victims; i++) {
        const json_t *nodes = json_object_get(moved, plan->victim[i]);
        SKR_AUTO_FREE char *text =
            json_is_object(nodes) ? json_dumps(nodes, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
        plan->moved[i] = text ? skr_arena_strdup(plan->arena, text) : NULL;
        if (text && !plan->moved[i]) {
            return no_room(error);
        }
    }
    return plan->moved ? 0 : no_room(error);
}

static int read_plan(const json_t *root, struct skr_plan_record **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(RECORD_BYTES_MAX, 0);
    struct skr_plan_record *plan = arena ? skr_arena_alloc(arena, sizeof *plan) : NULL;
    if (!plan) {
        skr_arena_destroy(arena);
        return skr_error_set_key(error, SKR_NO_MEMORY, SKR_ANNOTATION_PLAN, "out of memory");
    }
    plan->arena = arena;
    int rc = read_head(root, plan, error);
    if (rc == 0) {
        rc = read_nodes(root, plan, error);
    }
    if (rc == 0) {
        rc = read_roles(root, plan, error);
    }
    if (rc == 0) {
        rc = read_members(root, plan, error);
    }
    if (rc == 0) {
        rc = read_victims(root, plan, error);
    }
    if (rc == 0) {
        rc = read_victim_pods(root, plan, error);
    }
    if (rc == 0) {
        rc = read_moved(root, plan, error);
    }
    if (rc < 0) {
        skr_plan_record_destroy(plan);
        return rc;
    }
    skr_plan_record_sort(plan);
    *ret = plan;
    return 0;
}

int skr_plan_parse(const char *text, struct skr_plan_record **ret, struct skr_error *error)
{
    json_t *root;
    int rc = load(text, &root, error);
    if (rc < 0) {
        return rc;
    }
    rc = read_plan(root, ret, error);
    json_decref(root);
    return rc;
}

void skr_plan_record_destroy(struct skr_plan_record *plan)
{
    if (plan) {
        skr_arena_destroy(plan->arena);
    }
}

int skr_member_plan_parse(const char *text, char *ret_id, char *ret_node, size_t node_size,
                          struct skr_error *error)
{
    json_t *root;
    const char *node = "";
    char id[SKR_PLAN_ID_LEN + 1];
    int rc = load(text, &root, error);
    if (rc < 0) {
        return rc;
    }
    rc = read_id(root, id, error);
    if (rc == 0) {
        rc = skr_field_string(root, &root_path, "node", &node, error);
    }
    if (rc == 0 && (node[0] == '\0' || (ret_node && strlen(node) >= node_size))) {
        rc = skr_field_set_error(&root_path, "node", error, SKR_INVALID,
                                 "must be the name of a node, got %zu bytes", strlen(node));
    }
    if (rc == 0 && ret_id) {
        memcpy(ret_id, id, sizeof id);
    }
    if (rc == 0 && ret_node) {
        memcpy(ret_node, node, strlen(node) + 1);
    }
    json_decref(root);
    return rc;
}
