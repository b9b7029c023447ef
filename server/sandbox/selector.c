/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A selector is a list of requirements, all of which must hold. Texts are scanned once, from left
 * to right; nothing is kept of them.
 */
#include "server/sandbox/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sandbox/names.h"
#include "server/sandbox/path.h"
#include "topology/arena.h"
#include "topology/object_field.h"
#include "topology/strbuf.h"

enum operator{ IN, NOT_IN, EXISTS, NOT_EXISTS, GREATER, LESS };

struct requirement {
    char *key;
    enum operator op;
    size_t n, cap;
    char **value;
    int64_t bound; /* GREATER, LESS */
};

struct skr_selector {
    bool nothing;
    bool fields;
    size_t n, cap;
    struct requirement *item;
};

static struct requirement *add(struct skr_selector *s, char *key, enum operator op)
{
    skr_grow(&s->item, &s->cap, s->n + 1, sizeof *s->item);
    s->item[s->n] = (struct requirement){.key = key, .op = op};
    return &s->item[s->n++];
}

static void add_value(struct requirement *r, char *value)
{
    skr_grow(&r->value, &r->cap, r->n + 1, sizeof *r->value);
    r->value[r->n++] = value;
}

void skr_selector_destroy(struct skr_selector *selector)
{
    if (selector == NULL) {
        return;
    }
    for (size_t i = 0; i < selector->n; i++) {
        for (size_t j = 0; j < selector->item[i].n; j++) {
            free(selector->item[i].value[j]);
        }
        free(selector->item[i].value);
        free(selector->item[i].key);
    }
    free(selector->item);
    free(selector);
}

static int finish(struct skr_selector *s, int r, struct skr_selector **ret)
{
    if (r != 0) {
        skr_selector_destroy(s);
        return r;
    }
    *ret = s;
    return 0;
}

/* ---- the text of labels ---- */

struct scanner {
    const char *at;
    struct skr_error *error;
};

static char *copy(const char *s, size_t n)
{
    char *text = skr_alloc(n + 1);
    memcpy(text, s, n);
    return text;
}

static void skip_blanks(struct scanner *s)
{
    while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r') {
        s->at++;
    }
}

static size_t word_length(const char *at)
{
    return strcspn(at, " \t\r\n()=!<>,");
}

/* The next token as people would name it in a message. */
static char *shown(const struct scanner *s)
{
    const size_t n = word_length(s->at);
    return copy(s->at, n > 0 ? n : (*s->at != '\0' ? 1 : 0));
}

static int expected(struct scanner *s, const char *what)
{
    char *found = shown(s);
    const int r =
        skr_error_set(s->error, SKR_INVALID,
                      "unable to parse requirement: found '%s', expected: %s", found, what);
    free(found);
    return r;
}

static int parse_key(struct scanner *s, char **ret)
{
    skip_blanks(s);
    const size_t n = word_length(s->at);
    if (n == 0) {
        return expected(s, "!, identifier, or 'end of string'");
    }
    *ret = copy(s->at, n);
    s->at += n;
    const char *problem = skr_name_qualified(*ret);
    if (problem != NULL) {
        const int r = skr_error_set(s->error, SKR_INVALID,
                                    "unable to parse requirement: <nil>: Invalid value: \"%.80s\": "
                                    "%.120s",
                                    *ret, problem);
        free(*ret);
        return r;
    }
    return 0;
}

static int check_value(struct scanner *s, const struct requirement *r, const char *value)
{
    const char *problem = skr_name_label_value(value);
    if (problem == NULL) {
        return 0;
    }
    return skr_error_set(s->error, SKR_INVALID,
                         "unable to parse requirement: values[0][%.60s]: Invalid value: "
                         "\"%.60s\": %.100s",
                         r->key, value, problem);
}

static int parse_value(struct scanner *s, struct requirement *r)
{
    skip_blanks(s);
    const size_t n = word_length(s->at);
    char *value = copy(s->at, n);
    s->at += n;
    add_value(r, value);
    return check_value(s, r, value);
}

static int parse_set(struct scanner *s, struct requirement *r)
{
    skip_blanks(s);
    if (*s->at != '(') {
        return expected(s, "'('");
    }
    for (s->at++;; s->at++) {
        if (r->n >= SKR_SELECTOR_PART_VALUES_MAX) {
            return skr_error_set(s->error, SKR_LIMIT, "selector: %s has more than %d values",
                                 r->key, SKR_SELECTOR_PART_VALUES_MAX);
        }
        const int rc = parse_value(s, r);
        if (rc != 0) {
            return rc;
        }
        skip_blanks(s);
        if (*s->at == ')') {
            s->at++;
            return 0;
        }
        if (*s->at != ',') {
            return expected(s, "',' or ')'");
        }
    }
}

static int parse_bound(struct scanner *s, struct requirement *r)
{
    const int rc = parse_value(s, r);
    if (rc != 0) {
        return rc;
    }
    char *end;
    r->bound = strtoll(r->value[0], &end, 10);
    if (end == r->value[0] || *end != '\0') {
        return skr_error_set(s->error, SKR_INVALID,
                             "unable to parse requirement: values[0][%.60s]: Invalid value: "
                             "\"%.60s\": for 'Gt', 'Lt' operators, the value must be an integer",
                             r->key, r->value[0]);
    }
    return 0;
}

static bool take(struct scanner *s, const char *token)
{
    const size_t n = strlen(token);
    if (strncmp(s->at, token, n) != 0) {
        return false;
    }
    s->at += n;
    return true;
}

static bool take_word(struct scanner *s, const char *word)
{
    const size_t n = word_length(s->at);
    if (n != strlen(word) || strncmp(s->at, word, n) != 0) {
        return false;
    }
    s->at += n;
    return true;
}

static int parse_operator(struct scanner *s, struct requirement *r)
{
    skip_blanks(s);
    if (*s->at == '\0' || *s->at == ',') {
        r->op = EXISTS;
        return 0;
    }
    if (take(s, "==") || take(s, "=")) {
        r->op = IN;
        return parse_value(s, r);
    }
    if (take(s, "!=")) {
        r->op = NOT_IN;
        return parse_value(s, r);
    }
    if (take_word(s, "in")) {
        r->op = IN;
        return parse_set(s, r);
    }
    if (take_word(s, "notin")) {
        r->op = NOT_IN;
        return parse_set(s, r);
    }
    if (take(s, ">") || take_word(s, "gt")) {
        r->op = GREATER;
        return parse_bound(s, r);
    }
    if (take(s, "<") || take_word(s, "lt")) {
        r->op = LESS;
        return parse_bound(s, r);
    }
    return expected(s, "in, notin, =, ==, !=, gt, lt");
}

static int parse_label_requirement(struct scanner *s, struct skr_selector *selector)
{
    char *key = NULL;

    skip_blanks(s);
    const bool absent = take(s, "!");
    int r = parse_key(s, &key);
    if (r != 0) {
        return r;
    }
    struct requirement *requirement = add(selector, key, absent ? NOT_EXISTS : EXISTS);
    if (!absent) {
        r = parse_operator(s, requirement);
        if (r != 0) {
            return r;
        }
    }
    skip_blanks(s);
    return *s->at == ',' || *s->at == '\0' ? 0 : expected(s, "',' or 'end of string'");
}

static int check_length(const char *text, struct skr_error *error)
{
    if (strlen(text) <= SKR_SELECTOR_BYTES_MAX) {
        return 0;
    }
    return skr_error_set(error, SKR_LIMIT, "selector: more than %d bytes", SKR_SELECTOR_BYTES_MAX);
}

int skr_selector_parse_labels(const char *text, struct skr_selector **ret, struct skr_error *error)
{
    struct scanner s = {.at = text, .error = error};
    int r = check_length(text, error);
    if (r != 0) {
        return r;
    }
    struct skr_selector *selector = skr_alloc(sizeof *selector);
    skip_blanks(&s);
    while (*s.at != '\0' && r == 0) {
        if (selector->n >= SKR_SELECTOR_PARTS_MAX) {
            r = skr_error_set(error, SKR_LIMIT, "selector: more than %d requirements",
                              SKR_SELECTOR_PARTS_MAX);
            break;
        }
        r = parse_label_requirement(&s, selector);
        if (r == 0 && *s.at == ',') {
            s.at++;
            skip_blanks(&s);
            if (*s.at == '\0') {
                r = skr_error_set(
                    error, SKR_INVALID,
                    "unable to parse requirement: found '', expected: identifier after "
                    "','");
            }
        }
    }
    return finish(selector, r, ret);
}

/* ---- metav1.LabelSelector ---- */

/* problem: what names.h says about text; NULL: nothing. */
static int check_json_name(const char *field, const char *text, const char *problem,
                           struct skr_error *error)
{
    return problem == NULL
               ? 0
               : skr_error_set(error, SKR_INVALID, "%.60s: Invalid value: \"%.60s\": %.100s", field,
                               text, problem);
}

static int of_match_labels(struct skr_selector *s, json_t *labels, const char *path,
                           struct skr_error *error)
{
    const char *key;
    json_t *value;
    char field[64];

    (void)snprintf(field, sizeof field, "%.40s.matchLabels", path);
    if (labels != NULL && !json_is_object(labels)) {
        return skr_error_set(error, SKR_INVALID, "%s: must be an object", field);
    }
    if (json_object_size(labels) > SKR_SELECTOR_PARTS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s: more than %d", field, SKR_SELECTOR_PARTS_MAX);
    }
    json_object_foreach(labels, key, value)
    {
        const char *text = json_is_string(value) ? json_string_value(value) : "";
        if (check_json_name(field, key, skr_name_qualified(key), error) < 0 ||
            check_json_name(field, text, skr_name_label_value(text), error) < 0) {
            return -SKR_INVALID;
        }
        if (!json_is_string(value)) {
            return skr_error_set(error, SKR_INVALID, "%s.matchLabels.%s: must be a string", path,
                                 key);
        }
        add_value(add(s, skr_strdup(key), IN), skr_strdup(json_string_value(value)));
    }
    return 0;
}

static int of_expression(struct skr_selector *s, const json_t *json, const char *path, size_t i,
                         struct skr_error *error)
{
    static const struct {
        const char *name;
        enum operator op;
        bool values;
    } table[] = {{"In", IN, true},
                 {"NotIn", NOT_IN, true},
                 {"Exists", EXISTS, false},
                 {"DoesNotExist", NOT_EXISTS, false}};
    const char *key = skr_path_text(json, "key");
    const char *name = skr_path_text(json, "operator");
    const json_t *values = json_object_get(json, "values");
    size_t t = 0;

    while (t < sizeof table / sizeof *table && strcmp(table[t].name, name) != 0) {
        t++;
    }
    if (t == sizeof table / sizeof *table) {
        return skr_error_set(error, SKR_INVALID,
                             "%s.matchExpressions[%zu].operator: Invalid value: \"%.60s\": not a "
                             "valid selector operator",
                             path, i, name);
    }
    if (*key == '\0') {
        return skr_error_set(error, SKR_INVALID, "%s.matchExpressions[%zu].key: Required value",
                             path, i);
    }
    if (table[t].values != (json_array_size(values) > 0)) {
        return skr_error_set(error, SKR_INVALID, "%s.matchExpressions[%zu].values: %s", path, i,
                             table[t].values ? "Required value: must be specified when `operator` "
                                               "is 'In' or 'NotIn'"
                                             : "Forbidden: may not be specified when `operator` is "
                                               "'Exists' or 'DoesNotExist'");
    }
    char field[64];
    (void)snprintf(field, sizeof field, "%.30s.matchExpressions[%zu]", path, i);
    if (check_json_name(field, key, skr_name_qualified(key), error) < 0) {
        return -SKR_INVALID;
    }
    if (json_array_size(values) > SKR_SELECTOR_PART_VALUES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s.values: more than %d", field,
                             SKR_SELECTOR_PART_VALUES_MAX);
    }
    struct requirement *r = add(s, skr_strdup(key), table[t].op);
    for (size_t j = 0; j < json_array_size(values); j++) {
        const char *value = json_string_value(json_array_get(values, j));
        if (value == NULL) {
            return skr_error_set(error, SKR_INVALID,
                                 "%s.matchExpressions[%zu].values[%zu]: must be a string", path, i,
                                 j);
        }
        if (check_json_name(field, value, skr_name_label_value(value), error) < 0) {
            return -SKR_INVALID;
        }
        add_value(r, skr_strdup(value));
    }
    return 0;
}

int skr_selector_of_json(const json_t *json, const char *path, struct skr_selector **ret,
                         struct skr_error *error)
{
    struct skr_selector *s = skr_alloc(sizeof *s);
    const json_t *expressions = json_object_get(json, "matchExpressions");

    s->nothing = skr_object_is_absent(json);
    if (!s->nothing && !json_is_object(json)) {
        return finish(s, skr_error_set(error, SKR_INVALID, "%s: must be an object", path), ret);
    }
    if (!s->nothing && !skr_object_is_absent(expressions) && !json_is_array(expressions)) {
        return finish(
            s, skr_error_set(error, SKR_INVALID, "%s.matchExpressions: must be an array", path),
            ret);
    }
    int r = of_match_labels(s, json_object_get(json, "matchLabels"), path, error);
    for (size_t i = 0; r == 0 && i < json_array_size(expressions); i++) {
        r = i < SKR_SELECTOR_PARTS_MAX
                ? of_expression(s, json_array_get(expressions, i), path, i, error)
                : skr_error_set(error, SKR_LIMIT, "%s.matchExpressions: more than %d", path,
                                SKR_SELECTOR_PARTS_MAX);
    }
    return finish(s, r, ret);
}

/* ---- fields ---- */

struct field {
    const char *kind;  /* NULL: of every kind */
    const char *label; /* in the selector */
    const char *path;  /* in the stored object */
    const char *zero;  /* what an absent value is */
};

static const struct field fields[] = {
    {NULL, "metadata.name", "metadata.name", ""},
    {NULL, "metadata.namespace", "metadata.namespace", ""},
    {"Pod", "spec.nodeName", "spec.nodeName", ""},
    {"Pod", "spec.restartPolicy", "spec.restartPolicy", ""},
    {"Pod", "spec.schedulerName", "spec.schedulerName", ""},
    {"Pod", "spec.serviceAccountName", "spec.serviceAccountName", ""},
    {"Pod", "spec.hostNetwork", "spec.hostNetwork", "false"},
    {"Pod", "status.phase", "status.phase", ""},
    {"Pod", "status.podIP", "status.podIP", ""},
    {"Pod", "status.nominatedNodeName", "status.nominatedNodeName", ""},
    {"Node", "spec.unschedulable", "spec.unschedulable", "false"},
    {"Namespace", "status.phase", "status.phase", ""},
    {"Secret", "type", "type", ""},
    {"Job", "status.successful", "status.succeeded", "0"},
    {"Event", "involvedObject.kind", "involvedObject.kind", ""},
    {"Event", "involvedObject.namespace", "involvedObject.namespace", ""},
    {"Event", "involvedObject.name", "involvedObject.name", ""},
    {"Event", "involvedObject.uid", "involvedObject.uid", ""},
    {"Event", "involvedObject.apiVersion", "involvedObject.apiVersion", ""},
    {"Event", "involvedObject.resourceVersion", "involvedObject.resourceVersion", ""},
    {"Event", "involvedObject.fieldPath", "involvedObject.fieldPath", ""},
    {"Event", "regarding.kind", "involvedObject.kind", ""},
    {"Event", "regarding.namespace", "involvedObject.namespace", ""},
    {"Event", "regarding.name", "involvedObject.name", ""},
    {"Event", "regarding.uid", "involvedObject.uid", ""},
    {"Event", "reason", "reason", ""},
    {"Event", "reportingComponent", "reportingComponent", ""},
    {"Event", "reportingController", "reportingComponent", ""},
    {"Event", "source", "source.component", ""},
    {"Event", "type", "type", ""},
};

static const struct field *find_field(const char *kind, const char *label)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if ((fields[i].kind == NULL || strcmp(fields[i].kind, kind) == 0) &&
            strcmp(fields[i].label, label) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* Up to the next comma that no backslash protects; the escapes are taken out. */
static char *take_field_value(const char **at)
{
    struct skr_strbuf value;

    skr_strbuf_init(&value);
    for (; **at != '\0' && **at != ','; ++*at) {
        if (**at == '\\' && (*at)[1] != '\0') {
            ++*at;
        }
        skr_strbuf_addc(&value, **at);
    }
    return skr_strbuf_take(&value, NULL);
}

static int parse_field(struct skr_selector *s, const char **at, const char *kind,
                       struct skr_error *error)
{
    const size_t n = strcspn(*at, "=!,");
    char *label = copy(*at, n);
    enum operator op = IN;

    *at += n;
    if (strncmp(*at, "!=", 2) == 0) {
        op = NOT_IN;
        *at += 2;
    } else if (**at == '=') {
        *at += (*at)[1] == '=' ? 2 : 1;
    } else {
        const int r =
            skr_error_set(error, SKR_INVALID,
                          "invalid selector: '%.100s'; can't understand '%.100s'", label, label);
        free(label);
        return r;
    }
    const struct field *field = find_field(kind, label);
    if (field == NULL) {
        const int r = skr_error_set(error, SKR_INVALID, "field label not supported: %.150s", label);
        free(label);
        return r;
    }
    free(label);
    add_value(add(s, skr_strdup(field->label), op), take_field_value(at));
    return 0;
}

int skr_selector_parse_fields(const char *text, const char *kind, struct skr_selector **ret,
                              struct skr_error *error)
{
    int r = check_length(text, error);
    if (r != 0) {
        return r;
    }
    struct skr_selector *s = skr_alloc(sizeof *s);
    s->fields = true;
    for (const char *at = text; *at != '\0' && r == 0;) {
        r = s->n < SKR_SELECTOR_PARTS_MAX
                ? parse_field(s, &at, kind, error)
                : skr_error_set(error, SKR_LIMIT, "selector: more than %d requirements",
                                SKR_SELECTOR_PARTS_MAX);
        at += r == 0 && *at == ',';
    }
    return finish(s, r, ret);
}

/* ---- matching ---- */

static bool has_value(const struct requirement *r, const char *value)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->value[i], value) == 0) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct requirement *r, const char *value)
{
    char *end;

    switch (r->op) {
    case IN:
        return value != NULL && has_value(r, value);
    case NOT_IN:
        return value == NULL || !has_value(r, value);
    case EXISTS:
        return value != NULL;
    case NOT_EXISTS:
        return value == NULL;
    case GREATER:
    case LESS:
    default:
        break;
    }
    if (value == NULL) {
        return false;
    }
    const int64_t number = strtoll(value, &end, 10);
    if (end == value || *end != '\0') {
        return false;
    }
    return r->op == GREATER ? number > r->bound : number < r->bound;
}

bool skr_selector_matches_labels(const struct skr_selector *selector, const json_t *labels)
{
    if (selector == NULL) {
        return true;
    }
    for (size_t i = 0; i < selector->n; i++) {
        const struct requirement *r = &selector->item[i];
        if (!holds(r, json_string_value(json_object_get(labels, r->key)))) {
            return false;
        }
    }
    return !selector->nothing;
}

static bool field_holds(const struct requirement *r, const json_t *object)
{
    const struct field *field = find_field(skr_path_text(object, "kind"), r->key);
    char number[24];

    if (field == NULL) {
        return false;
    }
    const char *value = skr_path_scalar(object, field->path, number);
    return holds(r, *value != '\0' ? value : field->zero);
}

bool skr_selector_matches(const struct skr_selector *selector, const json_t *object)
{
    if (selector == NULL) {
        return true;
    }
    if (!selector->fields) {
        return skr_selector_matches_labels(selector, skr_path_get(object, "metadata.labels"));
    }
    for (size_t i = 0; i < selector->n; i++) {
        if (!field_holds(&selector->item[i], object)) {
            return false;
        }
    }
    return true;
}

bool skr_selector_is_everything(const struct skr_selector *selector)
{
    return selector == NULL || (selector->n == 0 && !selector->nothing);
}
