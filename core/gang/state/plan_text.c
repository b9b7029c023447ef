/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persisted plans as JSON. The id is FNV-1a (64 bits) over namespace, group and the members sorted
 * by uid. A NUL byte ends every text, so that different inputs hash different bytes. The id
 * distinguishes plans; it does not protect against forgery: an account that may write the
 * annotation may bind pods.
 *
 * Limits: SKR_PLAN_BYTES_MAX written, SKR_PLAN_READ_MAX read.
 */
#include "core/gang/state/plan_text.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "topology/base/hash.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"

enum { RECORD_BYTES_MAX = 8 * 1024 * 1024 }; /* arena limit of a parsed plan */

static const char *const state_name[] = {
    [SKR_PLAN_PLANNED] = "Planned",       [SKR_PLAN_ADMITTING] = "Admitting",
    [SKR_PLAN_HOLDING] = "Holding",       [SKR_PLAN_BINDING] = "Binding",
    [SKR_PLAN_PREEMPTING] = "Preempting",
};
_Static_assert(sizeof state_name / sizeof state_name[0] == SKR_PLAN_STATE_COUNT,
               "a name per state");

const char *skr_plan_state_name(enum skr_plan_state state)
{
    return (size_t)state < SKR_PLAN_STATE_COUNT ? state_name[state] : "";
}

static int by_uid(const void *a, const void *b)
{
    const struct skr_plan_member *left = a;
    const struct skr_plan_member *right = b;
    return strcmp(left->uid, right->uid);
}

static int by_name(const void *a, const void *b)
{
    const struct skr_plan_node *left = a;
    const struct skr_plan_node *right = b;
    return strcmp(left->node, right->node);
}

static bool is_sorted(const struct skr_plan_member *member, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (strcmp(member[i - 1].uid, member[i].uid) > 0) {
            return false;
        }
    }
    return true;
}

/* The members by uid: a copy to free(), or NULL if they are already in order. Aborts without
 * memory. */
static struct skr_plan_member *sorted_copy(const struct skr_plan_member *member, size_t n)
{
    if (is_sorted(member, n)) {
        return NULL;
    }
    struct skr_plan_member *copy = skr_alloc_array(n, sizeof copy[0]);
    memcpy(copy, member, n * sizeof copy[0]);
    qsort(copy, n, sizeof copy[0], by_uid);
    return copy;
}

/* ---- id ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return skr_hash_bytes(hash, text, strlen(text) + 1);
}

void skr_plan_id(const char *namespace_, const char *group, const struct skr_plan_member *member,
                 size_t n, char ret[SKR_PLAN_ID_LEN + 1])
{
    struct skr_plan_member *copy = sorted_copy(member, n);
    const struct skr_plan_member *sorted = copy ? copy : member;
    uint64_t hash = SKR_HASH_BEGIN;
    hash = hash_text(hash, namespace_);
    hash = hash_text(hash, group);
    for (size_t i = 0; i < n; i++) {
        /* The rank as four bytes, little endian on every machine. */
        uint32_t rank = (uint32_t)sorted[i].rank;
        const unsigned char bytes[4] = {
            (unsigned char)(rank & 0xFF), (unsigned char)(rank >> 8 & 0xFF),
            (unsigned char)(rank >> 16 & 0xFF), (unsigned char)(rank >> 24 & 0xFF)};
        hash = hash_text(hash, sorted[i].uid);
        hash = hash_text(hash, sorted[i].node);
        hash = skr_hash_bytes(hash, bytes, sizeof bytes);
    }
    free(copy);
    snprintf(ret, SKR_PLAN_ID_LEN + 1, "%016llx", (unsigned long long)hash);
}

/* ---- writing ---- */

struct node_count {
    UT_hash_handle hh; /* by node */
    const char *node;
    int64_t count;
};

/* The number of members on each node, by node name; free() it. Sorts node names: fewer than
 * members. */
static struct skr_plan_node *count_nodes(const struct skr_plan_record *plan, size_t *ret_n)
{
    struct node_count *all = skr_alloc_array(plan->n_members + 1, sizeof *all);
    struct node_count *table = NULL, *c;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_members; i++) {
        const char *node = plan->member[i].node;
        HASH_FIND_STR(table, node, c);
        if (!c) {
            c = &all[n++];
            c->node = node;
            HASH_ADD_KEYPTR(hh, table, node, strlen(node), c);
        }
        c->count++;
    }
    HASH_CLEAR(hh, table);
    struct skr_plan_node *node = skr_alloc_array(n + 1, sizeof *node);
    for (size_t i = 0; i < n; i++) {
        node[i] = (struct skr_plan_node){all[i].node, (int32_t)all[i].count};
    }
    free(all);
    if (n > 1) {
        qsort(node, n, sizeof *node, by_name);
    }
    *ret_n = n;
    return node;
}

static void write_nodes(struct skr_strbuf *b, const struct skr_plan_node *node, size_t n)
{
    skr_strbuf_add(b, ",\"nodes\":{");
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(b, i == 0 ? "" : ",");
        skr_strbuf_add_json(b, node[i].node);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_int(b, node[i].count);
    }
    skr_strbuf_addc(b, '}');
}

static void write_members(struct skr_strbuf *b, const struct skr_plan_record *plan)
{
    SKR_AUTO_FREE struct skr_plan_member *copy = sorted_copy(plan->member, plan->n_members);
    const struct skr_plan_member *member = copy ? copy : plan->member;
    skr_strbuf_add(b, ",\"members\":{");
    for (size_t i = 0; i < plan->n_members; i++) {
        skr_strbuf_add(b, i > 0 ? "," : "");
        skr_strbuf_add_json(b, member[i].uid);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_json(b, member[i].node);
    }
    skr_strbuf_addc(b, '}');
}

static void write_plan(struct skr_strbuf *b, const struct skr_plan_record *plan,
                       const struct skr_plan_node *node, size_t n_nodes, bool members)
{
    skr_strbuf_reset(b);
    skr_strbuf_add(b, "{\"v\":1,\"id\":");
    skr_strbuf_add_json(b, plan->id);
    skr_strbuf_add(b, ",\"state\":");
    skr_strbuf_add_json(b, skr_plan_state_name(plan->state));
    if (n_nodes > 0) {
        write_nodes(b, node, n_nodes);
    }
    if (members) {
        write_members(b, plan);
    }
    for (size_t i = 0; i < plan->n_victims; i++) {
        skr_strbuf_add(b, i == 0 ? ",\"victims\":[" : ",");
        skr_strbuf_add_json(b, plan->victim[i]);
    }
    for (size_t i = 0; plan->victim_pods && i < plan->n_victims; i++) {
        skr_strbuf_add(b, i == 0 ? "],\"victimPods\":[" : ",");
        skr_strbuf_add_int(b, plan->victim_pods[i]);
    }
    skr_strbuf_add(b, plan->n_victims > 0 ? "]}" : "}");
}

/* Whether the members can fit: each takes its texts, four quotes, colon and comma. */
static bool members_may_fit(const struct skr_plan_record *plan)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->n_members && bytes <= SKR_PLAN_BYTES_MAX; i++) {
        bytes += strlen(plan->member[i].uid) + strlen(plan->member[i].node) + strlen("\"\":\"\",");
    }
    return bytes <= SKR_PLAN_BYTES_MAX;
}

char *skr_plan_write(const struct skr_plan_record *plan, bool *ret_dropped)
{
    struct skr_strbuf b;
    bool members = (plan->n_members > 0 || plan->has_members) && members_may_fit(plan);
    bool dropped = !members;
    size_t n = plan->n_nodes;
    struct skr_plan_node *counted = plan->n_members > 0 ? count_nodes(plan, &n) : NULL;
    const struct skr_plan_node *node = counted ? counted : plan->node;
    skr_strbuf_init(&b);
    write_plan(&b, plan, node, n, members);
    if (b.len > SKR_PLAN_BYTES_MAX && members) {
        dropped = true;
        write_plan(&b, plan, node, n, false);
    }
    if (b.len > SKR_PLAN_BYTES_MAX) {
        write_plan(&b, plan, NULL, 0, false);
    }
    free(counted);
    if (ret_dropped) {
        *ret_dropped = dropped;
    }
    return skr_strbuf_take(&b, NULL);
}

char *skr_member_plan_write(const char *id, const char *node)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_add(&b, "{\"id\":");
    skr_strbuf_add_json(&b, id);
    skr_strbuf_add(&b, ",\"node\":");
    skr_strbuf_add_json(&b, node);
    skr_strbuf_addc(&b, '}');
    return skr_strbuf_take(&b, NULL);
}

/* ---- parsing ---- */

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
        if (strcmp(state, state_name[i]) == 0) {
            plan->state = (enum skr_plan_state)i;
            return 0;
        }
    }
    return skr_field_set_error(&root_path, "state", error, SKR_INVALID, "\"%.40s\" is unknown",
                               state);
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
        json_int_t count = json_integer_value(value);
        if (!json_is_integer(value) || count < 1 || count > INT32_MAX) {
            return skr_field_set_type_error(&path, name, "a positive integer", value, error);
        }
        node->count = (int32_t)count;
        node->node = skr_arena_strdup(plan->arena, name);
        if (!node->node) {
            return no_room(error);
        }
    }
    if (plan->n_nodes > 1) {
        qsort(plan->node, plan->n_nodes, sizeof plan->node[0], by_name);
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
    if (plan->n_members > 1) {
        qsort(plan->member, plan->n_members, sizeof plan->member[0], by_uid);
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
        rc = read_members(root, plan, error);
    }
    if (rc == 0) {
        rc = read_victims(root, plan, error);
    }
    if (rc == 0) {
        rc = read_victim_pods(root, plan, error);
    }
    if (rc < 0) {
        skr_plan_record_destroy(plan);
        return rc;
    }
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
