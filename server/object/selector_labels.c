/* SPDX-License-Identifier: Apache-2.0 */
/* The text of label selectors: scanned once, from left to right; nothing is kept of it. */
#include <stdlib.h>
#include <string.h>

#include "server/object/names.h"
#include "server/object/selector_state.h"
#include "topology/base/arena.h"

struct scanner {
    const char *at;
    struct skr_error *error;
};

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
    return skr_selector_copy(s->at, n > 0 ? n : (*s->at != '\0' ? 1 : 0));
}

static int expected(struct scanner *s, const char *what)
{
    SKR_AUTO_FREE char *found = shown(s);
    const int rc =
        skr_error_set(s->error, SKR_INVALID,
                      "unable to parse requirement: found '%s', expected: %s", found, what);
    return rc;
}

static int parse_key(struct scanner *s, char **ret)
{
    skip_blanks(s);
    const size_t n = word_length(s->at);
    if (n == 0) {
        return expected(s, "!, identifier, or 'end of string'");
    }
    *ret = skr_selector_copy(s->at, n);
    s->at += n;
    const char *problem = skr_name_qualified(*ret);
    if (problem) {
        const int rc =
            skr_error_set(s->error, SKR_INVALID,
                          "unable to parse requirement: <nil>: Invalid value: \"%.80s\": "
                          "%.120s",
                          *ret, problem);
        free(*ret);
        return rc;
    }
    return 0;
}

static int check_value(struct scanner *s, const struct requirement *r, const char *value)
{
    const char *problem = skr_name_label_value(value);
    if (!problem) {
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
    char *value = skr_selector_copy(s->at, n);
    s->at += n;
    skr_selector_add_value(r, value);
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
    int rc = parse_key(s, &key);
    if (rc != 0) {
        return rc;
    }
    struct requirement *requirement = skr_selector_add(selector, key, absent ? NOT_EXISTS : EXISTS);
    if (!absent) {
        rc = parse_operator(s, requirement);
        if (rc != 0) {
            return rc;
        }
    }
    skip_blanks(s);
    return *s->at == ',' || *s->at == '\0' ? 0 : expected(s, "',' or 'end of string'");
}

int skr_selector_parse_labels(const char *text, struct skr_selector **ret, struct skr_error *error)
{
    struct scanner s = {.at = text, .error = error};
    int rc = skr_selector_check_length(text, error);
    if (rc != 0) {
        return rc;
    }
    struct skr_selector *selector = skr_alloc(sizeof *selector);
    skip_blanks(&s);
    while (*s.at != '\0' && rc == 0) {
        if (selector->n >= SKR_SELECTOR_PARTS_MAX) {
            rc = skr_error_set(error, SKR_LIMIT, "selector: more than %d requirements",
                               SKR_SELECTOR_PARTS_MAX);
            break;
        }
        rc = parse_label_requirement(&s, selector);
        if (rc == 0 && *s.at == ',') {
            s.at++;
            skip_blanks(&s);
            if (*s.at == '\0') {
                rc = skr_error_set(
                    error, SKR_INVALID,
                    "unable to parse requirement: found '', expected: identifier after "
                    "','");
            }
        }
    }
    return skr_selector_finish(selector, rc, ret);
}
