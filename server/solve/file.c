/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solve files. The parsers of the two ConfigMaps take the raw text of a value and report positions
 * inside it; these are moved to the position of the value in the file. Amounts are quantities, read
 * as the engine reads them: cpu in millicores, all other resources in base units.
 */
#include "server/solve/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/solve/reader.h"
#include "server/solve/roles.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"
#include "topology/topology_map.h"

enum { NESTING_MAX = SKR_LEVELS_MAX + 4 };

/* The number at *s; 0: there is none. *s moves behind it. */
static size_t take_number(const char **s)
{
    char *end = NULL;
    size_t number = strtoul(*s, &end, 10);
    bool found = end != *s && **s >= '0' && **s <= '9';
    *s = found ? end : *s;
    return found ? number : 0;
}

/* The position "3:14" at *s, moved by base; *s moves behind it. False: there is none. */
static bool take_position(const char **s, struct skr_position base, struct skr_position *ret)
{
    const char *at = *s;
    size_t line = take_number(&at);
    if (line == 0 || *at != ':') {
        return false;
    }
    at++;
    size_t column = take_number(&at);
    if (column == 0) {
        return false;
    }
    *s = at;
    *ret = (struct skr_position){.line = base.line + line - 1,
                                 .column = line == 1 ? base.column + column - 1 : column};
    return true;
}

/* "KEY: 3:14: text" about a value at `base` becomes "LINE:COLUMN: KEY: text". */
static void move_position(const char *key, struct skr_position base, const char *text, char *ret,
                          size_t size)
{
    size_t len = strlen(key);
    struct skr_position at = base;
    struct skr_position other;
    if (strncmp(text, key, len) == 0 && strncmp(text + len, ": ", 2) == 0) {
        text += len + 2;
        if (take_position(&text, base, &at)) {
            text += strncmp(text, ": ", 2) == 0 ? 2 : 0;
        }
    }
    /* "... (see 1:9)" */
    const char *see = strstr(text, "(see ");
    const char *rest = !see ? NULL : see + strlen("(see ");
    if (rest && take_position(&rest, base, &other)) {
        snprintf(ret, size, "%zu:%zu: %s: %.*s(see %zu:%zu%s", at.line, at.column, key,
                 (int)(see - text), text, other.line, other.column, rest);
        return;
    }
    snprintf(ret, size, "%zu:%zu: %s: %s", at.line, at.column, key, text);
}

/* ---- raw values ---- */

static const char *at_position(const char *text, struct skr_position at)
{
    for (size_t line = 1; line < at.line; line++) {
        text = strchr(text, '\n') + 1;
    }
    return text + at.column - 1;
}

/* Bytes of the value (an object, array or number of correct JSON) that begins at s. */
static size_t value_length(const char *s)
{
    size_t n = 0;
    size_t depth = 0;
    bool quoted = false;
    do {
        char c = s[n];
        if (quoted) {
            n += c == '\\' ? 1 : 0;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        }
        n++;
    } while (depth > 0);
    if (n == 1) {
        n = strcspn(s, " \t\r\n,}]");
    }
    return n;
}

/* Members of the object `section` as the data of a ConfigMap; strings lose their quotes. */
static int as_config_map(struct skr_solve_reader *r, const char *section, const char *const *known,
                         struct skr_labels *ret)
{
    const char *whole[3] = {section};
    json_t *object = json_object_get(r->root, section);
    if (!object) {
        return skr_solve_refuse(r, whole, "is missing");
    }
    if (!json_is_object(object)) {
        return skr_solve_refuse_type(r, whole, "an object", object);
    }
    int rc = skr_solve_check_keys(r, object, whole, 1, known);
    if (rc != 0) {
        return rc;
    }
    ret->n = 0;
    ret->item = skr_arena_array(r->file->arena, json_object_size(object) + 1, sizeof *ret->item);
    if (!ret->item) {
        return skr_solve_no_memory(r);
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const char *const path[] = {section, key, NULL};
        const char *text = json_string_value(value);
        char *copy = NULL;
        if (text) {
            copy = skr_arena_strdup(r->file->arena, text);
        } else {
            const char *raw = at_position(r->text, skr_solve_locate(r, path));
            copy = skr_arena_strndup(r->file->arena, raw, value_length(raw));
        }
        if (!copy) {
            return skr_solve_no_memory(r);
        }
        size_t at = ret->n++;
        for (; at > 0 && strcmp(ret->item[at - 1].key, key) > 0; at--) {
            ret->item[at] = ret->item[at - 1];
        }
        ret->item[at] = (struct skr_label){.key = key, .value = copy};
    }
    return 0;
}

/* An error of a ConfigMap's parser ("KEY: 1:9: ...") about the section. */
static int refuse_moved(struct skr_solve_reader *r, const char *section,
                        const struct skr_error *inner)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(inner->text, ":"), inner->text);
    const char *const path[] = {section, key, NULL};
    const char *const whole[] = {section, NULL};
    struct skr_position at;
    if (!skr_json_find_path(r->text, path, &at)) {
        at = skr_solve_locate(r, whole);
    }
    char text[512];
    move_position(key, at, inner->text, text, sizeof text);
    return skr_error_set(r->error, inner->code, "%s", text);
}

/* ---- sections ---- */

static int read_topology(struct skr_solve_reader *r)
{
    struct skr_labels data;
    struct skr_error inner;
    struct skr_topology_warnings warnings = {0};
    int rc = as_config_map(r, "topology", skr_topology_map_keys, &data);
    if (rc != 0) {
        return rc;
    }
    if (skr_topology_map_parse(&data, &r->file->tree, &warnings, &inner) != 0) {
        return refuse_moved(r, "topology", &inner);
    }
    if (!r->file->tree) {
        const char *const path[] = {"topology", "levels", NULL};
        return skr_solve_refuse(r, path,
                                "needs nodes with labels, which a problem has not: use tree");
    }
    if (warnings.n_uneven > 0) {
        const char *const path[] = {"topology", "tree", NULL};
        char leaf[SKR_SOLVE_QUOTE_MAX];
        char text[SKR_SOLVE_PHRASE_MAX];
        skr_solve_quote(warnings.first_uneven, leaf);
        snprintf(text, sizeof text, "leaf %s is above the deepest level", leaf);
        return skr_solve_refuse(r, path, text);
    }
    r->file->problem.tree = r->file->tree;
    return 0;
}

static int read_group(struct skr_solve_reader *r)
{
    struct skr_labels data;
    struct skr_error inner;
    SKR_STRBUF(unknown);
    int rc = as_config_map(r, "group", skr_group_keys, &data);
    if (rc != 0) {
        return rc;
    }
    struct skr_solve_file *file = r->file;
    if (skr_group_spec_parse(&data, &file->group, &inner) != 0) {
        return refuse_moved(r, "group", &inner);
    }
    struct skr_rule *rule =
        skr_arena_array(file->arena, (size_t)file->tree->n_levels, sizeof *rule);
    file->warning =
        skr_arena_array(file->arena, file->group->n_warnings + 1, sizeof *file->warning);
    if (!rule || !file->warning) {
        return skr_solve_no_memory(r);
    }
    const char *const path[] = {"group", "constraints", NULL};
    struct skr_position base = skr_solve_locate(r, path);
    char text[512];
    for (size_t i = 0; i < file->group->n_warnings; i++) {
        move_position("constraints", base, file->group->warning[i], text, sizeof text);
        file->warning[file->n_warnings++] = skr_arena_strdup(file->arena, text);
    }
    SKR_STRBUF(why);
    const bool has_roles = file->group->n_roles > 0;
    if (!has_roles && (file->group->n_role_rules > 0 || file->group->n_sets > 0)) {
        return skr_solve_refuse(r, path, "roles and sets need group.roles");
    }
    if ((file->group->within || has_roles) && skr_group_misfit(file->group, file->tree, &why)) {
        (void)skr_error_set(&inner, SKR_INVALID, "%s", why.s);
        return refuse_moved(r, "group", &inner);
    }
    if (skr_group_rules(file->group, NULL, file->tree, rule, NULL, &unknown) > 0) {
        char levels[SKR_SOLVE_QUOTE_MAX];
        skr_solve_quote(unknown.s, levels);
        snprintf(text, sizeof text, "%zu:%zu: constraints: no such level: %s", base.line,
                 base.column, levels);
        file->warning[file->n_warnings++] = skr_arena_strdup(file->arena, text);
    }
    file->problem.rule = rule;
    file->problem.n = file->group->size;
    return skr_solve_roles_begin(r);
}

/* ---- options ---- */

static const struct {
    const char *name;
    uint32_t part;
} parts[] = {{"sizes", SKR_EXPLAIN_SIZES},
             {"relaxations", SKR_EXPLAIN_RELAXATIONS},
             {"slots", SKR_EXPLAIN_SLOTS},
             {"keys", SKR_EXPLAIN_KEYS}};

static int read_explain(struct skr_solve_reader *r)
{
    const char *const path[] = {"explain", NULL};
    const json_t *value = json_object_get(r->root, "explain");
    struct skr_problem *problem = &r->file->problem;
    problem->explain = true;
    problem->explain_parts = SKR_EXPLAIN_ALL;
    if (!value || json_is_true(value)) {
        return 0;
    }
    problem->explain_parts = 0;
    if (json_is_false(value)) {
        problem->explain = false;
        return 0;
    }
    if (!json_is_array(value)) {
        return skr_solve_refuse_type(r, path, "true, false or a list of parts", value);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *name = json_string_value(json_array_get(value, i));
        uint32_t before = problem->explain_parts;
        for (size_t p = 0; p < sizeof parts / sizeof parts[0] && name; p++) {
            problem->explain_parts |= strcmp(parts[p].name, name) == 0 ? parts[p].part : 0;
        }
        if (before == problem->explain_parts) {
            return skr_solve_refuse(r, path,
                                    "parts are sizes, relaxations, slots, keys, each once");
        }
    }
    return 0;
}

static int read_options(struct skr_solve_reader *r)
{
    const char *const tie_path[] = {"tieBreak", NULL};
    const char *const step_path[] = {"stepBudget", NULL};
    struct skr_problem *problem = &r->file->problem;
    const json_t *tie = json_object_get(r->root, "tieBreak");
    const char *word = json_string_value(tie);
    if (tie && (!word || (strcmp(word, "tree") != 0 && strcmp(word, "tight") != 0))) {
        return skr_solve_refuse(r, tie_path, "must be \"tree\" or \"tight\"");
    }
    problem->tie_break = word && strcmp(word, "tight") == 0 ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    const json_t *steps = json_object_get(r->root, "stepBudget");
    if (steps && (!json_is_integer(steps) || json_integer_value(steps) < 0)) {
        return skr_solve_refuse(r, step_path, "must be a number of steps, 0 or more");
    }
    problem->step_budget = !steps ? -1 : json_integer_value(steps);
    return read_explain(r);
}

/* ---- the whole ---- */

static int load(struct skr_solve_reader *r)
{
    struct skr_position at;
    if (strlen(r->text) > SKR_SOLVE_TEXT_MAX) {
        return skr_error_set(r->error, SKR_LIMIT, "1:1: larger than %d bytes", SKR_SOLVE_TEXT_MAX);
    }
    if (skr_json_deeper_than(r->text, NESTING_MAX, &at)) {
        char text[SKR_SOLVE_PHRASE_MAX];
        snprintf(text, sizeof text, "nested deeper than %d", NESTING_MAX);
        return skr_error_set(r->error, SKR_LIMIT, "%zu:%zu: %s", at.line, at.column, text);
    }
    json_error_t wrong;
    r->root = json_loads(r->text, JSON_REJECT_DUPLICATES, &wrong);
    if (!r->root) {
        skr_json_find_token(r->text, wrong.position > 0 ? (size_t)wrong.position : 0, &at);
        return skr_error_set(r->error, SKR_INVALID, "%zu:%zu: %s", at.line, at.column, wrong.text);
    }
    if (!json_is_object(r->root)) {
        return skr_error_set(r->error, SKR_INVALID, "1:1: must be an object, got %s",
                             skr_object_type_name(r->root));
    }
    static const char *const known[] = {"topology", "member",     "members", "default",
                                        "nodes",    "group",      "apart",   "tieBreak",
                                        "explain",  "stepBudget", NULL};
    const char *path[2] = {NULL};
    return skr_solve_check_keys(r, r->root, path, 0, known);
}

int skr_solve_file_parse(const char *text, struct skr_solve_file **ret, struct skr_error *error)
{
    struct skr_solve_reader r = {.text = text, .error = error};
    struct skr_arena *arena = skr_arena_create((size_t)1 << 30, 0);
    r.file = !arena ? NULL : skr_arena_alloc(arena, sizeof *r.file);
    if (!r.file) {
        skr_arena_destroy(arena);
        return skr_solve_no_memory(&r);
    }
    r.file->arena = arena;
    int (*const step[])(struct skr_solve_reader *) = {load,
                                                      read_topology,
                                                      read_group,
                                                      skr_solve_roles_read_members,
                                                      skr_solve_read_nodes,
                                                      skr_solve_roles_finish,
                                                      read_options};
    int rc = 0;
    for (size_t i = 0; i < sizeof step / sizeof step[0] && rc == 0; i++) {
        rc = step[i](&r);
    }
    json_decref(r.root);
    if (rc != 0) {
        skr_solve_file_destroy(r.file);
        return rc;
    }
    *ret = r.file;
    return 0;
}

void skr_solve_file_destroy(struct skr_solve_file *file)
{
    if (file) {
        skr_group_spec_destroy(file->group);
        skr_tree_unref(file->tree);
        skr_arena_destroy(file->arena);
    }
}
