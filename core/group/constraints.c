/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key constraints of a group map: a JSON object level -> object. Read as Go's encoding/json
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

static bool equal_fold(const char *a, const char *b)
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

/* Of a level's value, or of a member of it. */
static struct skr_position locate(const char *text, const char *level, const char *key)
{
    const char *path[] = {level, key, NULL};
    struct skr_position position;
    if (!skr_json_find_path(text, path, &position)) {
        position = (struct skr_position){.line = 1, .column = 1};
    }
    return position;
}

static bool is_before(struct skr_position a, struct skr_position b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static struct skr_subject about(struct skr_position at)
{
    return (struct skr_subject){.key = "constraints", .at = at};
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
static int find_member(const struct skr_group_spec *spec, json_t *object, const char *text,
                       const char *level, enum member member, json_t **ret, const char **ret_key,
                       struct skr_error *error)
{
    int variants = 0;
    struct skr_position last = {.line = 0, .column = 0};
    const char *key;
    json_t *value;
    json_t *found = NULL;
    json_object_foreach(object, key, value)
    {
        if (!equal_fold(key, member_name[member])) {
            continue;
        }
        if (++variants > SKR_GROUP_VARIANTS_MAX) {
            return skr_group_defect(
                spec, "Limit",
                skr_error_set_key(error, SKR_LIMIT, "constraints",
                                  "\"%s\" is repeated in more than %d spellings",
                                  member_name[member], (int)SKR_GROUP_VARIANTS_MAX),
                error);
        }
        if (found && last.line == 0) {
            last = locate(text, level, *ret_key);
        }
        if (found) {
            struct skr_position here = locate(text, level, key);
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

static int refuse(const struct skr_group_spec *spec, const char *text, const char *level,
                  const char *key, const char *what, const json_t *value, struct skr_error *error)
{
    struct skr_position position = locate(text, level, key);
    char got[SKR_QUOTE_MAX];
    if (json_is_number(value) || json_is_boolean(value)) {
        copy_token(text, position, got);
    } else {
        snprintf(got, sizeof got, "%s", skr_object_type_name(value));
    }
    char subject[SKR_QUOTE_MAX];
    skr_group_quote(key ? key : level, subject);
    int rc = skr_error_set_at(error, SKR_INVALID,
                              &(struct skr_subject){.key = "constraints", .at = position},
                              "\"%s\" must be %s, got %s", subject, what, got);
    return skr_group_defect(spec, "WrongType", rc, error);
}

static int read_number(struct skr_group_spec *spec, const char *text, const char *level,
                       json_t *object, enum member member, int32_t *ret, struct skr_error *error)
{
    const char *key = NULL;
    json_t *value;
    int rc = find_member(spec, object, text, level, member, &value, &key, error);
    if (rc < 0 || !value) {
        return rc;
    }
    if (!json_is_integer(value)) {
        return refuse(spec, text, level, key, "an integer", value, error);
    }
    json_int_t number = json_integer_value(value);
    struct skr_position at = {0, 0};
    if (number < 0) {
        at = locate(text, level, key);
    }
    *ret = skr_group_number(spec, about(at), level, member_name[member], (int64_t)number);
    return 0;
}

/* Any word but spread is pack; where the rule is hard it must be told which of the two is meant. */
static int read_type(struct skr_group_spec *spec, const char *text, const char *level,
                     const char *key, const char *word, struct skr_rule *ret,
                     struct skr_error *error)
{
    static const char *const words[] = {"pack", "spread"};
    char quoted[SKR_QUOTE_MAX];
    char quoted_level[SKR_QUOTE_MAX];
    const char *near = skr_suggest_within(word, words, 2, TYPO_MAX);
    bool known = word[0] == '\0' || strcmp(word, words[0]) == 0 || strcmp(word, words[1]) == 0;
    const struct skr_subject here = about(locate(text, level, key));
    if (known || !ret->hard || near == words[0]) {
        ret->type = skr_group_type_parse(spec, here, level, word);
        return 0;
    }
    skr_group_quote(word, quoted);
    skr_group_quote(level, quoted_level);
    int rc = skr_error_set_at(
        error, SKR_INVALID, &here,
        "\"type\" of level \"%s\", which is hard, is \"%s\", neither pack nor spread%s",
        quoted_level, quoted, near ? " (did you mean \"spread\"?)" : "");
    return skr_group_defect(spec, "MisspeltRule", rc, error);
}

static int read_words(struct skr_group_spec *spec, const char *text, const char *level,
                      json_t *object, struct skr_rule *ret, struct skr_error *error)
{
    const char *key = NULL;
    const char *hard_key = NULL;
    json_t *type;
    json_t *hard;
    int rc = find_member(spec, object, text, level, TYPE, &type, &key, error);
    if (rc < 0) {
        return rc;
    }
    if (type && !json_is_string(type)) {
        return refuse(spec, text, level, key, "a string", type, error);
    }
    rc = find_member(spec, object, text, level, HARD, &hard, &hard_key, error);
    if (rc < 0) {
        return rc;
    }
    if (hard && !json_is_boolean(hard)) {
        return refuse(spec, text, level, hard_key, "true or false", hard, error);
    }
    ret->hard = json_is_true(hard);
    return type ? read_type(spec, text, level, key, json_string_value(type), ret, error) : 0;
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (equal_fold(key, member_name[i])) {
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
        return json_is_true(value) || (text && equal_fold(text, "true"));
    }
    json_int_t least = strcmp(name, member_name[FACTOR]) == 0 ? 2 : 1;
    if (text) {
        return text[0] >= '0' && text[0] <= '9';
    }
    return json_is_integer(value) && json_integer_value(value) >= least;
}

/* Locating is O(text): not for warnings that are not kept. */
static int judge_unknown(struct skr_group_spec *spec, const char *text, const char *level,
                         const char *key, const json_t *value, bool hard, struct skr_error *error)
{
    char quoted[SKR_QUOTE_MAX];
    char quoted_level[SKR_QUOTE_MAX];
    char hint[SKR_QUOTE_MAX] = "";
    const char *near = skr_suggest_within(key, member_name, MEMBER_COUNT, TYPO_MAX);
    bool stops = hard || (near && would_bind(near, value));
    if (!stops && spec->n_warnings == SKR_GROUP_LINT_MAX) {
        return 0;
    }
    const struct skr_subject here = about(locate(text, level, key));
    skr_group_quote(key, quoted);
    skr_group_quote(level, quoted_level);
    if (near) {
        snprintf(hint, sizeof hint, " (did you mean \"%s\"?)", near);
    }
    if (!stops) {
        skr_group_warn(spec, "UnknownMember", here,
                       "unknown member \"%s\" of level \"%s\"%s is ignored", quoted, quoted_level,
                       hint);
        return 0;
    }
    int rc = skr_error_set_at(error, SKR_INVALID, &here, "unknown member \"%s\" of level \"%s\"%s",
                              quoted, quoted_level, hint);
    return skr_group_defect(spec, "MisspeltRule", rc, error);
}

static int judge_unknowns(struct skr_group_spec *spec, const char *text, const char *level,
                          json_t *object, bool hard, struct skr_error *error)
{
    const char *key;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, key, value)
    {
        if (is_known(key)) {
            continue;
        }
        int one = judge_unknown(spec, text, level, key, value, hard, error);
        rc = rc < 0 ? rc : one;
        if (!skr_group_go_on(spec, rc)) {
            break;
        }
    }
    return rc;
}

static int read_rule(struct skr_group_spec *spec, const char *text, const char *level,
                     json_t *object, struct skr_level_rule *ret, struct skr_error *error)
{
    struct skr_level_rule rule = {.level = skr_arena_strdup(spec->arena, level)};
    if (!rule.level) {
        return skr_group_no_room(error);
    }
    int rc = read_words(spec, text, level, object, &rule.rule, error);
    const struct {
        enum member member;
        int32_t *number;
    } numbers[] = {{PARTITIONS, &rule.rule.partitions},
                   {MIN, &rule.rule.min},
                   {MAX, &rule.rule.max},
                   {FACTOR, &rule.rule.factor}};
    for (size_t i = 0; skr_group_go_on(spec, rc) && i < sizeof numbers / sizeof numbers[0]; i++) {
        int one =
            read_number(spec, text, level, object, numbers[i].member, numbers[i].number, error);
        rc = rc < 0 ? rc : one;
    }
    if (skr_group_go_on(spec, rc)) {
        int one = judge_unknowns(spec, text, level, object, rule.rule.hard, error);
        rc = rc < 0 ? rc : one;
    }
    if (rc < 0) {
        return rc;
    }
    rule.at = locate(text, level, NULL);
    skr_group_lint_rule(spec, about(rule.at), &rule);
    *ret = rule;
    return 0;
}

static int read_levels(struct skr_group_spec *spec, const char *text, json_t *object,
                       struct skr_error *error)
{
    const char *level;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, level, value)
    {
        if (!skr_group_go_on(spec, rc)) {
            break;
        }
        if (json_is_null(value)) {
            continue;
        }
        if (spec->n_rules == SKR_GROUP_RULES_MAX) {
            return skr_group_defect(spec, "Limit",
                                    skr_error_set_key(error, SKR_LIMIT, "constraints",
                                                      "more than %d levels",
                                                      (int)SKR_GROUP_RULES_MAX),
                                    error);
        }
        int one = json_is_object(value)
                      ? read_rule(spec, text, level, value, &spec->rule[spec->n_rules], error)
                      : refuse(spec, text, level, NULL, "an object", value, error);
        spec->n_rules += one == 0 ? 1 : 0;
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

int skr_group_constraints_parse(struct skr_group_spec *spec, const char *text,
                                struct skr_error *error)
{
    json_t *root;
    int rc = skr_json_text_parse("constraints", text, SKR_GROUP_CONSTRAINTS_MAX, &root, error);
    if (rc < 0) {
        return skr_group_defect(spec, rc == -SKR_LIMIT ? "Limit" : "InvalidJSON", rc, error);
    }
    if (json_is_object(root)) {
        rc = skr_group_rules_room(spec, json_object_size(root), error);
        rc = rc < 0 ? rc : read_levels(spec, text, root, error);
    } else if (!json_is_null(root)) {
        rc = skr_error_set_at(error, SKR_INVALID,
                              &(struct skr_subject){.key = "constraints", .at = {1, 1}},
                              "must be an object, got %s", skr_object_type_name(root));
        skr_group_defect(spec, "WrongType", rc, error);
    }
    json_decref(root);
    return rc;
}
