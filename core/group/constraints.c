/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key constraints of a group map: a JSON object level -> object, beside the members roles and
 * sets, which core/group/role_constraints.c reads. Rules are read as Go's encoding/json
 * reads it into a struct: member names match whatever their case, null is absent, numbers must be
 * integers (5.0 and 1e1 are not). Of several members that match one name the last in the text
 * counts; libjansson keeps the last of equal names, but not the order in which variants of case
 * were repeated, so positions in the text decide.
 *
 * A misspelt rule must not make the group weaker than it was meant: what is unknown beside
 * "hard": true, and what resembles a name of ours and would have been a requirement, is refused;
 * everything else that is unknown is a wish at most, ignored with a warning.
 *
 * Limits: SKR_GROUP_CONSTRAINTS_MAX bytes, SKR_GROUP_RULES_MAX levels, SKR_GROUP_LINT_MAX warnings.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/group/constraints.h"
#include "core/group/lint.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/suggest.h"

enum { TYPO_MAX = 2 }; /* letters in which a word differs from the one that was meant */

enum member { TYPE, HARD, PARTITIONS, MIN, MAX, FACTOR, MEMBER_COUNT };

static const char *const member_name[] = {"type", "hard", "partitions", "min", "max", "factor"};
_Static_assert(sizeof member_name / sizeof member_name[0] == MEMBER_COUNT, "a name per member");

const char *const *skr_group_member_names(size_t *ret_n)
{
    *ret_n = MEMBER_COUNT;
    return member_name;
}

bool skr_rules_same_key(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char left = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        char right = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (left != right) {
            return false;
        }
    }
    return *a == *b;
}

static struct skr_position locate(const struct skr_rules_text *t, const char *level,
                                  const char *key)
{
    const char *own[] = {"roles", t->role, level, key, NULL};
    struct skr_position position;
    if (!skr_json_find_path(t->text, t->role ? own : own + 2, &position)) {
        position = (struct skr_position){.line = 1, .column = 1};
    }
    return position;
}

static bool is_before(struct skr_position a, struct skr_position b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static struct skr_subject about_place(const struct skr_rules_text *t, struct skr_position at)
{
    return (struct skr_subject){.key = t->spec->constraints_key, .at = at};
}

/* The token at a position, as the user wrote it. */
static void copy_token(const char *text, struct skr_position position, char buffer[SKR_QUOTE_MAX])
{
    const char *at = text;
    for (size_t line = 1; line < position.line; line++) {
        const char *end = strchr(at, '\n');
        if (!end) {
            break;
        }
        at = end + 1;
    }
    size_t skip = position.column - 1;
    size_t rest = strlen(at);
    at += skip < rest ? skip : rest;
    size_t n = strcspn(at, ",]} \t\r\n");
    if (n > SKR_QUOTE_MAX - 1) {
        n = SKR_QUOTE_MAX - 1;
    }
    memcpy(buffer, at, n);
    buffer[n] = '\0';
}

/* The value that counts for a member of a level; NULL when absent or null. *ret_key: as written.
 * O(text) for each variant of case beyond the first, so their number has a limit. */
static int find_member(const struct skr_rules_text *t, json_t *object, const char *level,
                       enum member member, json_t **ret, const char **ret_key,
                       struct skr_error *error)
{
    int variants = 0;
    struct skr_position last = {.line = 0, .column = 0};
    const char *key;
    json_t *value;
    json_t *found = NULL;
    json_object_foreach(object, key, value)
    {
        if (!skr_rules_same_key(key, member_name[member])) {
            continue;
        }
        if (++variants > SKR_GROUP_VARIANTS_MAX) {
            int rc = skr_error_set_key(error, SKR_LIMIT, t->spec->constraints_key,
                                       "\"%s\" is repeated in more than %d spellings",
                                       member_name[member], (int)SKR_GROUP_VARIANTS_MAX);
            return skr_group_defect(t->spec, "Limit", rc, error);
        }
        if (found && last.line == 0) {
            last = locate(t, level, *ret_key);
        }
        if (found) {
            struct skr_position here = locate(t, level, key);
            if (is_before(here, last)) {
                continue;
            }
            last = here;
        }
        found = value;
        *ret_key = key;
    }
    *ret = json_is_null(found) ? NULL : found;
    return 0;
}

static int refuse(const struct skr_rules_text *t, const char *level, const char *key,
                  const char *what, const json_t *value, struct skr_error *error)
{
    const struct skr_subject here = about_place(t, locate(t, level, key));
    return skr_group_refuse_type(t->spec, t->text, here, key ? key : level, what, value, error);
}

int skr_group_refuse_type(const struct skr_group_spec *spec, const char *text,
                          struct skr_subject about, const char *name, const char *what,
                          const json_t *value, struct skr_error *error)
{
    char got[SKR_QUOTE_MAX];
    char subject[SKR_QUOTE_MAX];
    if (json_is_number(value) || json_is_boolean(value)) {
        copy_token(text, about.at, got);
    } else {
        snprintf(got, sizeof got, "%s", skr_object_type_name(value));
    }
    skr_group_quote(name, subject);
    int rc = skr_error_set_at(error, SKR_INVALID, &about, "\"%s\" must be %s, got %s", subject,
                              what, got);
    return skr_group_defect(spec, "WrongType", rc, error);
}

static int read_number(const struct skr_rules_text *t, const char *level, json_t *object,
                       enum member member, int32_t *ret, struct skr_error *error)
{
    const char *key = NULL;
    json_t *value;
    int rc = find_member(t, object, level, member, &value, &key, error);
    if (rc < 0 || !value) {
        return rc;
    }
    if (!json_is_integer(value)) {
        return refuse(t, level, key, "an integer", value, error);
    }
    json_int_t number = json_integer_value(value);
    struct skr_position at = {0, 0};
    if (number < 0) {
        at = locate(t, level, key);
    }
    *ret =
        skr_group_number(t->spec, about_place(t, at), level, member_name[member], (int64_t)number);
    return 0;
}

/* Any word but spread is pack; where the rule is hard it must be told which of the two is meant. */
static int read_type(const struct skr_rules_text *t, const char *level, const char *key,
                     const char *word, struct skr_rule *ret, struct skr_error *error)
{
    static const char *const words[] = {"pack", "spread"};
    char quoted[SKR_QUOTE_MAX];
    char quoted_level[SKR_QUOTE_MAX];
    const char *near = skr_suggest_within(word, words, 2, TYPO_MAX);
    bool known = word[0] == '\0' || strcmp(word, words[0]) == 0 || strcmp(word, words[1]) == 0;
    const struct skr_subject here = about_place(t, locate(t, level, key));
    if (known || !ret->hard || near == words[0]) {
        ret->type = skr_group_type_parse(t->spec, here, level, word);
        return 0;
    }
    skr_group_quote(word, quoted);
    skr_group_quote(level, quoted_level);
    int rc = skr_error_set_at(
        error, SKR_INVALID, &here,
        "\"type\" of level \"%s\", which is hard, is \"%s\", neither pack nor spread%s",
        quoted_level, quoted, near ? " (did you mean \"spread\"?)" : "");
    return skr_group_defect(t->spec, "MisspeltRule", rc, error);
}

static int read_words(const struct skr_rules_text *t, const char *level, json_t *object,
                      struct skr_rule *ret, struct skr_error *error)
{
    const char *key = NULL;
    const char *hard_key = NULL;
    json_t *type;
    json_t *hard;
    int rc = find_member(t, object, level, TYPE, &type, &key, error);
    if (rc < 0) {
        return rc;
    }
    if (type && !json_is_string(type)) {
        return refuse(t, level, key, "a string", type, error);
    }
    rc = find_member(t, object, level, HARD, &hard, &hard_key, error);
    if (rc < 0) {
        return rc;
    }
    if (hard && !json_is_boolean(hard)) {
        return refuse(t, level, hard_key, "true or false", hard, error);
    }
    ret->hard = json_is_true(hard);
    return type ? read_type(t, level, key, json_string_value(type), ret, error) : 0;
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (skr_rules_same_key(key, member_name[i])) {
            return true;
        }
    }
    return false;
}

/* Whether the member of this name would have been a requirement with this value, a wrong type that
 * is easily meant so (true, 4 in quotes) included. */
static bool would_bind(const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    if (strcmp(name, member_name[TYPE]) == 0) {
        return false; /* of a rule that is not hard */
    }
    if (strcmp(name, member_name[HARD]) == 0) {
        return json_is_true(value) || (text && skr_rules_same_key(text, "true"));
    }
    json_int_t least = strcmp(name, member_name[FACTOR]) == 0 ? 2 : 1;
    if (text) {
        return text[0] >= '0' && text[0] <= '9';
    }
    return json_is_integer(value) && json_integer_value(value) >= least;
}

/* Locating is O(text): not for warnings that are not kept. */
static int judge_unknown(const struct skr_rules_text *t, const char *level, const char *key,
                         const json_t *value, bool hard, struct skr_error *error)
{
    char quoted[SKR_QUOTE_MAX];
    char quoted_level[SKR_QUOTE_MAX];
    char hint[SKR_QUOTE_MAX] = "";
    const char *near = skr_suggest_within(key, member_name, MEMBER_COUNT, TYPO_MAX);
    bool stops = hard || (near && would_bind(near, value));
    if (!stops && t->spec->n_warnings == SKR_GROUP_LINT_MAX) {
        return 0;
    }
    const struct skr_subject here = about_place(t, locate(t, level, key));
    skr_group_quote(key, quoted);
    skr_group_quote(level, quoted_level);
    if (near) {
        snprintf(hint, sizeof hint, " (did you mean \"%s\"?)", near);
    }
    if (!stops) {
        skr_group_warn(t->spec, "UnknownMember", here,
                       "unknown member \"%s\" of level \"%s\"%s is ignored", quoted, quoted_level,
                       hint);
        return 0;
    }
    int rc = skr_error_set_at(error, SKR_INVALID, &here, "unknown member \"%s\" of level \"%s\"%s",
                              quoted, quoted_level, hint);
    return skr_group_defect(t->spec, "MisspeltRule", rc, error);
}

static int judge_unknowns(const struct skr_rules_text *t, const char *level, json_t *object,
                          bool hard, struct skr_error *error)
{
    const char *key;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, key, value)
    {
        if (is_known(key)) {
            continue;
        }
        int one = judge_unknown(t, level, key, value, hard, error);
        rc = rc < 0 ? rc : one;
        if (!skr_group_go_on(t->spec, rc)) {
            break;
        }
    }
    return rc;
}

static int read_rule(const struct skr_rules_text *t, const char *level, json_t *object,
                     struct skr_level_rule *ret, struct skr_error *error)
{
    struct skr_level_rule rule = {.level = skr_arena_strdup(t->spec->arena, level)};
    if (!rule.level) {
        return skr_group_no_room(error);
    }
    int rc = read_words(t, level, object, &rule.rule, error);
    const struct {
        enum member member;
        int32_t *number;
    } numbers[] = {{PARTITIONS, &rule.rule.partitions},
                   {MIN, &rule.rule.min},
                   {MAX, &rule.rule.max},
                   {FACTOR, &rule.rule.factor}};
    for (size_t i = 0; skr_group_go_on(t->spec, rc) && i < sizeof numbers / sizeof *numbers; i++) {
        int one = read_number(t, level, object, numbers[i].member, numbers[i].number, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(t->spec, rc)) {
        int one = judge_unknowns(t, level, object, rule.rule.hard, error);
        rc = rc < 0 ? rc : one;
    }
    if (rc < 0) {
        return rc;
    }
    rule.at = locate(t, level, NULL);
    skr_group_lint_rule(t->spec, about_place(t, rule.at), t->role, t->size, &rule);
    *ret = rule;
    return 0;
}

/* Whether a member beside the levels is one that core/group/role_constraints.c reads. */
static bool is_reserved(const struct skr_rules_text *t, const char *key)
{
    return !t->role && skr_tree_level_is_reserved(key);
}

/* The reserved name that a key must have been meant to be, or NULL: it resembles one, and its value
 * is no rule of a level. */
static const char *misspelt_reserved(const char *key, json_t *value)
{
    static const char *const names[] = {SKR_GROUP_ROLES, SKR_GROUP_SETS};
    const char *near = skr_suggest_within(key, names, 2, TYPO_MAX);
    const char *inner;
    json_t *member_value;
    if (!near) {
        return NULL;
    }
    if (json_is_array(value)) {
        return names[1];
    }
    json_object_foreach(value, inner, member_value)
    {
        if (json_is_object(member_value)) {
            return near;
        }
    }
    return NULL;
}

static int refuse_level(const struct skr_rules_text *t, const char *level, json_t *value,
                        struct skr_error *error)
{
    const char *meant = t->role ? NULL : misspelt_reserved(level, value);
    if (!meant) {
        return json_is_object(value) ? 0 : refuse(t, level, NULL, "an object", value, error);
    }
    char quoted[SKR_QUOTE_MAX];
    const struct skr_subject here = about_place(t, locate(t, level, NULL));
    skr_group_quote(level, quoted);
    int rc = skr_error_set_at(error, SKR_INVALID, &here,
                              "\"%s\" is no rule of a level (did you mean \"%s\"?)", quoted, meant);
    return skr_group_defect(t->spec, "MisspeltRule", rc, error);
}

int skr_rules_read(const struct skr_rules_text *t, json_t *object, struct skr_level_rule *rule,
                   size_t *n, struct skr_error *error)
{
    const char *level;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, level, value)
    {
        if (!skr_group_go_on(t->spec, rc)) {
            break;
        }
        if (json_is_null(value) || is_reserved(t, level)) {
            continue;
        }
        if (*n == SKR_GROUP_RULES_MAX) {
            return skr_group_defect(t->spec, "Limit",
                                    skr_error_set_key(error, SKR_LIMIT, t->spec->constraints_key,
                                                      "more than %d levels",
                                                      (int)SKR_GROUP_RULES_MAX),
                                    error);
        }
        int one = refuse_level(t, level, value, error);
        one = one < 0 ? one : read_rule(t, level, value, &rule[*n], error);
        *n += one == 0 ? 1 : 0;
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

/* Members that the rules of the group are about; 0 if a minimum leaves it open. */
static int32_t size_for_rules(const struct skr_group_spec *spec)
{
    for (size_t r = 0; r < spec->n_roles; r++) {
        if (spec->role[r].minimum < spec->role[r].size) {
            return 0;
        }
    }
    return spec->most > 0 ? 0 : spec->size;
}

static int read_constraints(struct skr_group_spec *spec, const char *text, json_t *root,
                            struct skr_error *error)
{
    const struct skr_rules_text t = {spec, text, NULL, size_for_rules(spec)};
    int rc = skr_group_rules_room(spec, json_object_size(root), error);
    if (rc < 0) {
        return rc;
    }
    rc = skr_rules_read(&t, root, spec->rule, &spec->n_rules, error);
    if (skr_group_go_on(spec, rc)) {
        int one = skr_group_role_constraints_read(spec, text, root, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc) && spec->n_roles > 0) {
        int one = skr_group_roles_check(spec, spec->role, spec->n_roles, error);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

int skr_group_constraints_parse(struct skr_group_spec *spec, const char *text,
                                struct skr_error *error)
{
    json_t *root;
    const char *const key = spec->constraints_key;
    int rc = skr_json_text_parse(key, text, SKR_GROUP_CONSTRAINTS_MAX, &root, error);
    if (rc < 0) {
        return skr_group_defect(spec, rc == -SKR_LIMIT ? "Limit" : "InvalidJSON", rc, error);
    }
    if (json_is_object(root)) {
        rc = read_constraints(spec, text, root, error);
    } else if (!json_is_null(root)) {
        rc = skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = key, .at = {1, 1}},
                              "must be an object, got %s", skr_object_type_name(root));
        skr_group_defect(spec, "WrongType", rc, error);
    }
    json_decref(root);
    return rc;
}

int skr_group_spec_add_constraints(struct skr_group_spec *spec, const char *about, const char *text,
                                   struct skr_error *error)
{
    spec->constraints_key = about;
    return skr_group_constraints_parse(spec, text, error);
}
