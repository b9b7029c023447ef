/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology ConfigMap. libjansson reads the JSON and keeps the order of the document; the walk
 * over the tree is a loop with one iterator a level. Keys are counted on the way, so that a finding
 * about the n-th key can be shown in the text: siblings are unique by then, and the n-th key of the
 * walk is the n-th key of the text.
 */
#include "topology/topology_map.h"

#include <stdio.h>
#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/json_position.h"

#define DEFAULT_TREE_NAME "default-tree"

static const char *const default_resources[] = {"cpu", "memory"};
static const char *const default_levels[] = {"rack", "node"}; /* the last n of them */

enum { DEFAULT_LEVELS = 2 };

/* One key of the map. */
struct value {
    const char *key;
    const char *text;
    const struct skr_defects *defects; /* NULL: the first defect ends it */
};

/* rc: of what has just set error, whose kind is rule. */
static int report(const struct value *v, const char *rule, int rc, const struct skr_error *error)
{
    if (v->defects) {
        skr_defect_add(v->defects, rule, false, error);
    }
    return rc;
}

static int refuse(const struct value *v, const char *rule, const struct skr_position *at,
                  enum skr_error_code code, const char *text, struct skr_error *error)
{
    int rc =
        skr_error_set_at(error, code, &(struct skr_subject){.key = v->key, .at = *at}, "%s", text);
    return report(v, rule, rc, error);
}

static int refuse_type(const struct value *v, const struct skr_position *at, const char *what,
                       const json_t *json, struct skr_error *error)
{
    int rc = skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = v->key, .at = *at},
                              "must be %s, got %s", what, skr_object_type_name(json));
    return report(v, "WrongType", rc, error);
}

/* Whether to look for more after a step that ended with rc. */
static bool go_on(const struct value *v, int rc)
{
    return rc == 0 || v->defects;
}

/* ---- JSON ---- */

static int refuse_duplicate(const struct value *v, size_t end, struct skr_error *error)
{
    struct skr_position first = {0, 0};
    struct skr_position second = {0, 0};
    if (!skr_json_find_duplicate(v->text, end, &first, &second)) {
        skr_json_find_token(v->text, end, &second);
        return refuse(v, "DuplicateName", &second, SKR_INVALID, "name twice among siblings", error);
    }
    /* The key as it is written, quotes included: it ends before end, on the line that holds it. */
    const char *key = v->text;
    for (size_t line = 1; line < second.line; line++) {
        key = strchr(key, '\n') + 1;
    }
    key += second.column - 1;
    size_t len = (size_t)(v->text + end - key);
    int rc = skr_error_set_at(error, SKR_INVALID,
                              &(struct skr_subject){.key = v->key, .at = second, .see = first},
                              "%.*s twice among siblings", (int)(len < 100 ? len : 100), key);
    return report(v, "DuplicateName", rc, error);
}

/* *ret is owned by the caller. */
static int load(const struct value *v, size_t depth_max, json_t **ret, struct skr_error *error)
{
    struct skr_position at = {1, 1};
    size_t len = strlen(v->text);
    json_error_t found;
    if (len > SKR_TOPOLOGY_TEXT_MAX) {
        int rc = skr_error_set_key(error, SKR_LIMIT, v->key, "%zu bytes, limit %d", len,
                                   SKR_TOPOLOGY_TEXT_MAX);
        return report(v, "Limit", rc, error);
    }
    if (v->text[strspn(v->text, " \t\r\n")] == '\0') {
        int rc = skr_error_set_key(error, SKR_INVALID, v->key, "is empty");
        return report(v, "EmptyValue", rc, error);
    }
    if (skr_json_deeper_than(v->text, depth_max, &at)) {
        int rc = skr_error_set_at(error, SKR_LIMIT, &(struct skr_subject){.key = v->key, .at = at},
                                  "nested deeper than %zu levels", depth_max - 1);
        return report(v, "Limit", rc, error);
    }
    json_t *json = json_loads(v->text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &found);
    if (json) {
        *ret = json;
        return 0;
    }
    size_t end = found.position > 0 ? (size_t)found.position : 0;
    if (json_error_code(&found) == json_error_duplicate_key) {
        return refuse_duplicate(v, end, error);
    }
    if (json_error_code(&found) == json_error_out_of_memory) {
        return skr_error_set_key(error, SKR_NO_MEMORY, v->key, "out of memory");
    }
    /* At a premature end the last token is complete and it is the end itself that is wrong. */
    skr_json_find_token(v->text, strstr(found.text, "near end of file") ? len + 1 : end, &at);
    int rc = skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = v->key, .at = at},
                              "invalid JSON: %s", found.text);
    return report(v, "InvalidJSON", rc, error);
}

/* ---- lists of names ---- */

struct name_list {
    json_t *json; /* NULL: absent */
    size_t n;
    const char *name[SKR_RESOURCES_MAX]; /* borrowed from json, or constants */
};

static struct skr_position position_of_element(const struct value *v, size_t i)
{
    struct skr_position at = {1, 1};
    char index[24];
    const char *const path[] = {index, NULL};
    (void)snprintf(index, sizeof index, "%zu", i);
    (void)skr_json_find_path(v->text, path, &at);
    return at;
}

static struct skr_position position_of_value(const struct value *v)
{
    struct skr_position at = {1, 1};
    const char *const path[] = {NULL};
    (void)skr_json_find_path(v->text, path, &at);
    return at;
}

static int check_element(const struct value *v, const struct name_list *list, size_t i,
                         size_t name_max, struct skr_error *error)
{
    struct skr_position at;
    const json_t *element = json_array_get(list->json, i);
    const char *name = json_string_value(element);
    if (!name) {
        at = position_of_element(v, i);
        return refuse_type(v, &at, "a string", element, error);
    }
    if (name[strspn(name, " \t\n\v\f\r")] == '\0') {
        at = position_of_element(v, i);
        return refuse(v, "InvalidName", &at, SKR_INVALID,
                      name[0] == '\0' ? "name is empty" : "name is blank", error);
    }
    if (strlen(name) > name_max) {
        at = position_of_element(v, i);
        int rc = skr_error_set_at(error, SKR_LIMIT, &(struct skr_subject){.key = v->key, .at = at},
                                  "name of %zu bytes, limit %zu", strlen(name), name_max);
        return report(v, "Limit", rc, error);
    }
    for (size_t j = 0; j < i; j++) {
        const char *other = json_string_value(json_array_get(list->json, j));
        if (other && strcmp(other, name) == 0) {
            struct skr_position first = position_of_element(v, j);
            at = position_of_element(v, i);
            int rc = skr_error_set_at(error, SKR_INVALID,
                                      &(struct skr_subject){.key = v->key, .at = at, .see = first},
                                      "\"%.100s\" twice", name);
            return report(v, "DuplicateName", rc, error);
        }
    }
    return 0;
}

/* Fills an empty list; its json is released by the caller in any case. */
static int read_names(const struct value *v, size_t n_max, size_t name_max, struct name_list *ret,
                      struct skr_error *error)
{
    int rc = load(v, SKR_LEVELS_MAX + 1, &ret->json, error);
    if (rc != 0) {
        return rc;
    }
    struct skr_position at = position_of_value(v);
    if (!json_is_array(ret->json)) {
        return refuse_type(v, &at, "an array of strings", ret->json, error);
    }
    size_t n = json_array_size(ret->json);
    if (n == 0) {
        return refuse(v, "EmptyValue", &at, SKR_INVALID, "is empty", error);
    }
    if (n > n_max) {
        at = position_of_element(v, n_max);
        rc = skr_error_set_at(error, SKR_LIMIT, &(struct skr_subject){.key = v->key, .at = at},
                              "%zu names, limit %zu", n, n_max);
        return report(v, "Limit", rc, error);
    }
    for (size_t i = 0; go_on(v, rc) && i < n; i++) {
        int one = check_element(v, ret, i, name_max, error);
        rc = rc != 0 ? rc : one;
        ret->name[ret->n++] = json_string_value(json_array_get(ret->json, i));
    }
    return rc;
}

static int read_resources(const struct skr_labels *data, const struct skr_defects *defects,
                          struct name_list *ret, struct skr_error *error)
{
    struct value v = {"resource-names", skr_labels_get(data, "resource-names"), defects};
    if (v.text) {
        return read_names(&v, SKR_RESOURCES_MAX, SKR_RESOURCE_NAME_MAX, ret, error);
    }
    for (size_t i = 0; i < sizeof default_resources / sizeof default_resources[0]; i++) {
        ret->name[ret->n++] = default_resources[i];
    }
    return 0;
}

static void warn_reserved(const struct value *v, size_t i, const char *name)
{
    struct skr_error warning;
    if (!v->defects || !skr_tree_level_is_reserved(name)) {
        return;
    }
    const struct skr_subject about = {.key = v->key, .at = position_of_element(v, i)};
    (void)skr_error_set_at(&warning, SKR_INVALID, &about,
                           "level \"%s\" can have no rules: key constraints reads this name "
                           "otherwise",
                           name);
    skr_defect_add(v->defects, "LevelNameReserved", true, &warning);
}

/* depth 0: not known. */
static int read_levels(const struct skr_labels *data, const struct skr_defects *defects,
                       size_t depth, struct name_list *ret, struct skr_error *error)
{
    struct value v = {"level-names", skr_labels_get(data, "level-names"), defects};
    if (!v.text) {
        if (depth > DEFAULT_LEVELS) {
            int rc = skr_error_set_key(error, SKR_INVALID, "level-names",
                                       "missing, a tree of depth %zu needs them", depth);
            return report(&v, "LevelCount", rc, error);
        }
        for (size_t i = DEFAULT_LEVELS - depth; i < DEFAULT_LEVELS; i++) {
            ret->name[ret->n++] = default_levels[i];
        }
        return 0;
    }
    int rc = read_names(&v, SKR_LEVELS_MAX, SKR_UNIT_NAME_MAX, ret, error);
    if (rc == 0 && depth > 0 && ret->n != depth) {
        struct skr_position at = position_of_value(&v);
        rc = skr_error_set_at(error, SKR_INVALID,
                              &(struct skr_subject){.key = "level-names", .at = at},
                              "%zu %s, but the deepest node is at depth %zu", ret->n,
                              ret->n == 1 ? "name" : "names", depth);
        return report(&v, "LevelCount", rc, error);
    }
    for (size_t i = 0; rc == 0 && i < ret->n; i++) {
        warn_reserved(&v, i, ret->name[i]);
    }
    return rc;
}

/* ---- tree ---- */

static int refuse_unit(const struct value *v, size_t ordinal, int rc, struct skr_error *error)
{
    struct skr_position at = {1, 1};
    (void)skr_json_find_key(v->text, ordinal, &at, NULL);
    (void)skr_error_prefix_at(error, &(struct skr_subject){.key = v->key, .at = at});
    return report(v, rc == -SKR_LIMIT ? "Limit" : "InvalidName", rc, error);
}

static int refuse_unit_type(const struct value *v, size_t ordinal, const json_t *json,
                            struct skr_error *error)
{
    struct skr_position at = {1, 1};
    (void)skr_json_find_key(v->text, ordinal, NULL, &at);
    return refuse_type(v, &at, "an object ({} for a node)", json, error);
}

/* Adds all units below root, depth first in document order. */
static int add_units(const struct value *v, json_t *root, struct skr_tree_builder *b,
                     struct skr_error *error)
{
    struct {
        json_t *object;
        void *next; /* iterator */
    } frame[SKR_LEVELS_MAX + 1];
    size_t depth = 1;
    size_t ordinal = 0;
    int failed = 0;

    frame[0].object = root;
    frame[0].next = json_object_iter(root);
    while (depth > 0) {
        void *at = frame[depth - 1].next;
        if (!at) {
            depth--;
            continue;
        }
        frame[depth - 1].next = json_object_iter_next(frame[depth - 1].object, at);
        json_t *value = json_object_iter_value(at);
        int rc = skr_tree_builder_add(b, (int32_t)depth, json_object_iter_key(at), error);
        if (rc != 0) {
            return refuse_unit(v, ordinal, rc, error);
        }
        if (!json_is_object(value)) {
            failed = refuse_unit_type(v, ordinal, value, error);
            /* Keys inside an array would have to be counted. */
            if (!go_on(v, failed) || json_array_size(value) != 0) {
                return failed;
            }
        }
        ordinal++;
        if (json_object_size(value) != 0) {
            /* load() has limited the nesting to SKR_LEVELS_MAX + 1 objects, root included. */
            frame[depth].object = value;
            frame[depth].next = json_object_iter(value);
            depth++;
        }
    }
    return failed;
}

static int read_tree(const struct value *v, struct skr_tree_builder *b, struct skr_error *error)
{
    json_t *root = NULL;
    int rc = load(v, SKR_LEVELS_MAX + 1, &root, error);
    if (rc != 0) {
        return rc;
    }
    struct skr_position at = position_of_value(v);
    if (!json_is_object(root)) {
        rc = refuse_type(v, &at, "an object", root, error);
    } else if (json_object_size(root) == 0) {
        rc = refuse(v, "EmptyValue", &at, SKR_INVALID, "is empty", error);
    } else {
        rc = add_units(v, root, b, error);
    }
    json_decref(root);
    return rc;
}

/* The error of skr_tree_builder_finish, with the positions of both leaves where it is about two. */
static int refuse_tree(const struct value *v, const struct skr_tree_builder *b, int rc,
                       struct skr_error *error)
{
    struct skr_tree_duplicate twice;
    size_t n = 0;
    for (; (n == 0 || v->defects) && skr_tree_builder_duplicate(b, n, &twice); n++) {
        struct skr_position first = {1, 1};
        struct skr_position second = {1, 1};
        (void)skr_json_find_key(v->text, twice.first, &first, NULL);
        (void)skr_json_find_key(v->text, twice.second, &second, NULL);
        rc = skr_error_set_at(error, SKR_INVALID,
                              &(struct skr_subject){.key = v->key, .at = second, .see = first},
                              "node \"%.100s\" twice", twice.name);
        (void)report(v, "DuplicateNode", rc, error);
    }
    if (n == 0) {
        (void)skr_error_prefix(error, "%s", v->key);
        (void)report(v, "Limit", rc, error);
    }
    return rc;
}

static void warn_uneven(const struct value *v, const struct skr_tree_builder *b, size_t n)
{
    char path[256];
    size_t ordinal;
    struct skr_error warning;
    struct skr_position at = {1, 1};
    if (!v->defects || !skr_tree_builder_uneven(b, 0, path, sizeof path, &ordinal)) {
        return;
    }
    (void)skr_json_find_key(v->text, ordinal, &at, NULL);
    (void)skr_error_set_at(&warning, SKR_INVALID, &(struct skr_subject){.key = v->key, .at = at},
                           "\"%s\" lies above the deepest level: it is left out%s", path,
                           n > 1 ? ", and so are others" : "");
    skr_defect_add(v->defects, "UnevenDepth", true, &warning);
}

/* ---- the whole map ---- */

struct parts {
    const char *name;
    struct name_list resources;
    struct name_list levels;
    struct skr_tree_builder *builder;
};

/* Every key by itself; a defect of one does not hide those of another. */
static int read_parts(const struct skr_labels *data, const struct value *v, struct parts *parts,
                      struct skr_error *error)
{
    int rc = read_resources(data, v->defects, &parts->resources, error);
    if (!go_on(v, rc)) {
        return rc;
    }
    int tree = read_tree(v, parts->builder, error);
    rc = rc != 0 ? rc : tree;
    if (!go_on(v, tree)) {
        return rc;
    }
    size_t depth = tree == 0 ? (size_t)skr_tree_builder_depth(parts->builder) : 0;
    int levels = tree == 0 || skr_labels_get(data, "level-names")
                     ? read_levels(data, v->defects, depth, &parts->levels, error)
                     : 0;
    return rc != 0 ? rc : levels;
}

static int build(const struct value *v, const struct parts *p, struct skr_tree **ret,
                 struct skr_topology_warnings *warnings, struct skr_error *error)
{
    size_t n_uneven = 0;
    int rc = skr_tree_builder_finish(p->builder, p->levels.name, p->levels.n, p->resources.name,
                                     p->resources.n, ret, &n_uneven, error);
    if (rc != 0) {
        return refuse_tree(v, p->builder, rc, error);
    }
    warn_uneven(v, p->builder, n_uneven);
    if (warnings) {
        *warnings = (struct skr_topology_warnings){.n_uneven = n_uneven};
        (void)skr_tree_builder_uneven(p->builder, 0, warnings->first_uneven,
                                      sizeof warnings->first_uneven, NULL);
    }
    return 0;
}

static int read_tree_name(const struct skr_labels *data, const struct skr_defects *defects,
                          const char **ret, struct skr_error *error)
{
    struct value v = {"name", skr_labels_get(data, "name"), defects};
    *ret = v.text ? v.text : DEFAULT_TREE_NAME;
    if (strlen(*ret) > SKR_UNIT_NAME_MAX) {
        int rc = skr_error_set_key(error, SKR_LIMIT, "name", "%zu bytes, limit %d", strlen(*ret),
                                   SKR_UNIT_NAME_MAX);
        return report(&v, "Limit", rc, error);
    }
    return 0;
}

/* Keys that make no sense beside the key levels. */
static int refuse_beside_levels(const struct skr_labels *data, const struct skr_defects *defects,
                                struct skr_error *error)
{
    static const struct {
        const char *key, *why;
    } other[] = {{"tree", "beside levels: one of them makes the tree"},
                 {"level-names", "beside levels, which has the names"}};
    int rc = 0;
    for (size_t i = 0; i < sizeof other / sizeof *other && (rc == 0 || defects); i++) {
        const struct value v = {other[i].key, skr_labels_get(data, other[i].key), defects};
        if (v.text) {
            rc = skr_error_set_key(error, SKR_INVALID, v.key, "%s", other[i].why);
            (void)report(&v, "TwoTrees", rc, error);
        }
    }
    return rc;
}

static int read_map_levels(const struct skr_labels *data, const struct skr_defects *defects,
                           struct skr_map_levels *map, struct skr_error *error)
{
    struct name_list resources = {.json = NULL};
    int rc = refuse_beside_levels(data, defects, error);
    const char *name = NULL;
    if (rc == 0 || defects) {
        int one = read_tree_name(data, defects, &name, error);
        rc = rc != 0 ? rc : one;
    }
    if (rc == 0 || defects) {
        int one = read_resources(data, defects, &resources, error);
        rc = rc != 0 ? rc : one;
    }
    if (rc == 0 || defects) {
        int one = skr_label_levels_parse("levels", skr_labels_get(data, "levels"), defects,
                                         map->arena, &map->levels, error);
        rc = rc != 0 ? rc : one;
    }
    const char **copy = skr_arena_array(map->arena, resources.n + 1, sizeof *copy);
    map->source.name = name ? skr_arena_strdup(map->arena, name) : NULL;
    bool room = copy && (!name || map->source.name);
    for (size_t i = 0; room && i < resources.n; i++) {
        copy[i] = resources.name[i] ? skr_arena_strdup(map->arena, resources.name[i]) : NULL;
        room = copy[i] || rc != 0;
    }
    map->source.levels = &map->levels;
    map->source.resource = copy;
    map->source.n_resources = resources.n;
    json_decref(resources.json);
    return rc != 0 || room ? rc : skr_error_set(error, SKR_NO_MEMORY, "levels: out of memory");
}

enum { LEVELS_ARENA_MAX = 1024 * 1024 }; /* twice what the texts of a ConfigMap may have */

static int load_map_levels(const struct skr_labels *data, const struct skr_defects *defects,
                           struct skr_map_levels **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(LEVELS_ARENA_MAX, 0);
    struct skr_map_levels *map = arena ? skr_arena_alloc(arena, sizeof *map) : NULL;
    if (!map) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "levels: out of memory");
    }
    map->arena = arena;
    int rc = read_map_levels(data, defects, map, error);
    if (rc != 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    *ret = map;
    return 0;
}

int skr_map_levels_parse(const struct skr_labels *data, struct skr_map_levels **ret,
                         struct skr_error *error)
{
    *ret = NULL;
    return skr_labels_get(data, "levels") ? load_map_levels(data, NULL, ret, error) : 0;
}

void skr_map_levels_destroy(struct skr_map_levels *levels)
{
    if (levels) {
        skr_arena_destroy(levels->arena);
    }
}

const char *const skr_topology_map_keys[] = {"name", "resource-names", "level-names",
                                             "tree", "levels",         NULL};

int skr_topology_map_check(const struct skr_labels *data, const struct skr_defects *defects,
                           struct skr_tree **ret, struct skr_topology_warnings *warnings,
                           struct skr_error *error)
{
    struct value v = {"tree", skr_labels_get(data, "tree"), defects};
    struct parts parts = {.name = NULL};
    if (skr_labels_get(data, "levels")) {
        SKR_AUTO(skr_map_levels_destroy) struct skr_map_levels *levels = NULL;
        *ret = NULL;
        if (warnings) {
            *warnings = (struct skr_topology_warnings){0};
        }
        return load_map_levels(data, defects, &levels, error);
    }
    int rc = read_tree_name(data, defects, &parts.name, error);
    if (!go_on(&v, rc)) {
        return rc;
    }
    if (!v.text) {
        rc = skr_error_set_key(error, SKR_INVALID, "tree", "missing");
        return report(&v, "MissingTree", rc, error);
    }
    parts.builder = skr_tree_builder_create(parts.name);
    int read = read_parts(data, &v, &parts, error);
    rc = rc != 0 ? rc : read;
    rc = rc == 0 ? build(&v, &parts, ret, warnings, error) : rc;
    json_decref(parts.resources.json);
    json_decref(parts.levels.json);
    skr_tree_builder_destroy(parts.builder);
    return rc;
}

int skr_topology_map_parse(const struct skr_labels *data, struct skr_tree **ret,
                           struct skr_topology_warnings *warnings, struct skr_error *error)
{
    return skr_topology_map_check(data, NULL, ret, warnings, error);
}
