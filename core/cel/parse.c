/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser: precedence climbing over the tokens of an expression. Both its recursion and the depth
 * of the tree end at SKR_CEL_DEPTH_MAX. `&&` and `||` have all operands of a chain as children, so
 * long chains are not deep.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/cel/lexer.h"

struct parser {
    struct skr_cel_lexer lexer;
    size_t n_nodes;
    size_t depth; /* of the recursion */
};

struct skr_position skr_cel_position_of(const char *text, size_t at)
{
    struct skr_position position = {1, 1};
    for (size_t i = 0; i < at && text[i]; i++) {
        position.line += text[i] == '\n' ? 1 : 0;
        position.column = text[i] == '\n' ? 1 : position.column + 1;
    }
    return position;
}

int skr_cel_fail(struct skr_error *error, enum skr_error_code code, const char *text, size_t at,
                 const char *format, ...)
{
    char sentence[SKR_ERROR_TEXT_MAX];
    const struct skr_subject subject = {.at = skr_cel_position_of(text, at)};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return skr_error_set_at(error, code, &subject, "%s", sentence);
}

static int no_memory(struct parser *parser)
{
    return skr_error_set(parser->lexer.error, SKR_NO_MEMORY, "out of memory");
}

static int fail(struct parser *parser, const char *what)
{
    return skr_cel_fail(parser->lexer.error, SKR_INVALID, parser->lexer.text,
                        parser->lexer.token.at, "%s", what);
}

static int too_deep(struct parser *parser, size_t at)
{
    return skr_cel_fail(parser->lexer.error, SKR_LIMIT, parser->lexer.text, at,
                        "nested more than %d levels deep", (int)SKR_CEL_DEPTH_MAX);
}

/* ---- nodes ---- */

static int new_node(struct parser *parser, enum skr_cel_node_kind kind, size_t at,
                    struct skr_cel_node **ret)
{
    struct skr_cel_node *node = skr_arena_alloc(parser->lexer.arena, sizeof *node);
    if (!node) {
        return no_memory(parser);
    }
    if (++parser->n_nodes > SKR_CEL_NODES_MAX) {
        return skr_cel_fail(parser->lexer.error, SKR_LIMIT, parser->lexer.text, at,
                            "more than %d names, values and operators", (int)SKR_CEL_NODES_MAX);
    }
    node->kind = kind;
    node->at = (uint32_t)at;
    node->depth = 1;
    *ret = node;
    return 0;
}

static int add_child(struct parser *parser, struct skr_cel_node *node, struct skr_cel_node *child)
{
    struct skr_cel_node **grown =
        skr_cel_grow(node->child, node->n, sizeof(struct skr_cel_node *), parser->lexer.arena);
    if (!grown) {
        return no_memory(parser);
    }
    node->child = grown;
    node->child[node->n++] = child;
    if (child->depth + 1 > node->depth) {
        node->depth = child->depth + 1;
    }
    return node->depth > SKR_CEL_DEPTH_MAX ? too_deep(parser, node->at) : 0;
}

static int set_name(struct parser *parser, struct skr_cel_node *node, const char *name, size_t n)
{
    node->name = skr_arena_strndup(parser->lexer.arena, name, n);
    return node->name ? 0 : no_memory(parser);
}

static int expect(struct parser *parser, const char *symbol)
{
    char what[32];
    if (skr_cel_is(&parser->lexer, symbol)) {
        return skr_cel_next(&parser->lexer);
    }
    (void)snprintf(what, sizeof what, "expected '%s'", symbol);
    return fail(parser, what);
}

/* ---- names ---- */

static bool is_reserved(const struct skr_cel_token *token)
{
    static const char *const words[] = {"as",   "break",     "const", "continue", "else",   "false",
                                        "for",  "function",  "if",    "import",   "in",     "let",
                                        "loop", "namespace", "null",  "package",  "return", "true",
                                        "var",  "void",      "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == token->n && memcmp(words[i], token->text, token->n) == 0) {
            return true;
        }
    }
    return false;
}

static int expression(struct parser *parser, struct skr_cel_node **ret);

/* Arguments or items up to close, which is consumed. */
static int list_of(struct parser *parser, struct skr_cel_node *node, const char *close, bool comma)
{
    int rc = 0;
    while (rc == 0 && !skr_cel_is(&parser->lexer, close)) {
        struct skr_cel_node *item = NULL;
        rc = expression(parser, &item);
        rc = rc == 0 && item ? add_child(parser, node, item) : rc;
        if (rc < 0) {
            return rc;
        }
        if (!skr_cel_is(&parser->lexer, ",")) {
            break;
        }
        rc = skr_cel_next(&parser->lexer);
        if (rc == 0 && !comma && skr_cel_is(&parser->lexer, close)) {
            return fail(parser, "an argument is missing behind ','");
        }
    }
    return rc < 0 ? rc : expect(parser, close);
}

/* has(x.y) */
static int make_has(struct parser *parser, struct skr_cel_node *node)
{
    if (node->n != 1 || node->child[0]->kind != SKR_CEL_NODE_SELECT) {
        return skr_cel_fail(parser->lexer.error, SKR_INVALID, parser->lexer.text, node->at,
                            "has() takes a field: has(value.field)");
    }
    const struct skr_cel_node *select = node->child[0];
    node->kind = SKR_CEL_NODE_HAS;
    node->name = select->name;
    node->child = select->child;
    return 0;
}

static const struct {
    const char *name;
    enum skr_cel_fold fold;
    size_t n, n_more; /* children of the call, its receiver included */
} macros[] = {
    {"all", SKR_CEL_FOLD_ALL, 3, 3},
    {"exists", SKR_CEL_FOLD_EXISTS, 3, 3},
    {"exists_one", SKR_CEL_FOLD_EXISTS_ONE, 3, 3},
    {"filter", SKR_CEL_FOLD_FILTER, 3, 3},
    {"map", SKR_CEL_FOLD_MAP, 3, 4},
};

/* cel.bind(x, value, body) */
static bool is_bind(const struct skr_cel_node *node)
{
    return strcmp(node->name, "bind") == 0 && node->n == 4 &&
           node->child[0]->kind == SKR_CEL_NODE_IDENT && strcmp(node->child[0]->name, "cel") == 0;
}

static int make_fold(struct parser *parser, struct skr_cel_node *node, enum skr_cel_fold fold)
{
    const struct skr_cel_node *variable = node->child[1];
    if (variable->kind != SKR_CEL_NODE_IDENT) {
        return skr_cel_fail(parser->lexer.error, SKR_INVALID, parser->lexer.text, variable->at,
                            "the first argument of %s() is the name of a variable", node->name);
    }
    node->kind = SKR_CEL_NODE_FOLD;
    node->fold = fold;
    node->name = variable->name;
    node->child[0] = node->child[fold == SKR_CEL_FOLD_BIND ? 2 : 0];
    node->child[1] = node->child[node->n - 1];
    node->n = fold == SKR_CEL_FOLD_BIND ? 2 : node->n - 1;
    return 0;
}

/* range.all(x, p): child 1 is what is computed for each x; child 2 of map a filter before it. */
static int make_macro(struct parser *parser, struct skr_cel_node *node)
{
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (strcmp(node->name, macros[i].name) == 0 &&
            (node->n == macros[i].n || node->n == macros[i].n_more)) {
            return make_fold(parser, node, macros[i].fold);
        }
    }
    return is_bind(node) ? make_fold(parser, node, SKR_CEL_FOLD_BIND) : 0;
}

static int call(struct parser *parser, struct skr_cel_node *node)
{
    int rc = skr_cel_next(&parser->lexer); /* ( */
    node->kind = SKR_CEL_NODE_CALL;
    if (rc == 0) {
        rc = list_of(parser, node, ")", false);
    }
    if (rc == 0 && node->form == SKR_CEL_MEMBER) {
        return make_macro(parser, node);
    }
    return rc == 0 && strcmp(node->name, "has") == 0 ? make_has(parser, node) : rc;
}

/* ---- primaries and members ---- */

static int constant(struct parser *parser, struct skr_cel_value value, struct skr_cel_node **ret)
{
    int rc = new_node(parser, SKR_CEL_NODE_CONST, parser->lexer.token.at, ret);
    if (rc == 0) {
        (*ret)->value = value;
        rc = skr_cel_next(&parser->lexer);
    }
    return rc;
}

static int name(struct parser *parser, struct skr_cel_node **ret)
{
    const struct skr_cel_token *token = &parser->lexer.token;
    int rc = 0;
    if (skr_cel_is(&parser->lexer, "true") || skr_cel_is(&parser->lexer, "false")) {
        return constant(parser, skr_cel_bool(token->n == 4), ret);
    }
    if (skr_cel_is(&parser->lexer, "null")) {
        return constant(parser, skr_cel_null(), ret);
    }
    if (is_reserved(token)) {
        return skr_cel_fail(parser->lexer.error, SKR_INVALID, parser->lexer.text, token->at,
                            "\"%.*s\" is a reserved word", (int)token->n, token->text);
    }
    if ((rc = new_node(parser, SKR_CEL_NODE_IDENT, token->at, ret)) < 0 ||
        (rc = set_name(parser, *ret, token->text, token->n)) < 0 ||
        (rc = skr_cel_next(&parser->lexer)) < 0) {
        return rc;
    }
    return skr_cel_is(&parser->lexer, "(") ? call(parser, *ret) : 0;
}

static int map(struct parser *parser, struct skr_cel_node *node)
{
    int rc = 0;
    while (rc == 0 && !skr_cel_is(&parser->lexer, "}")) {
        struct skr_cel_node *key, *value;
        if ((rc = expression(parser, &key)) < 0 || (rc = add_child(parser, node, key)) < 0 ||
            (rc = expect(parser, ":")) < 0 || (rc = expression(parser, &value)) < 0 ||
            (rc = add_child(parser, node, value)) < 0) {
            return rc;
        }
        if (!skr_cel_is(&parser->lexer, ",")) {
            break;
        }
        rc = skr_cel_next(&parser->lexer);
    }
    return rc < 0 ? rc : expect(parser, "}");
}

static int primary(struct parser *parser, struct skr_cel_node **ret)
{
    const struct skr_cel_token token = parser->lexer.token;
    int rc = 0;
    if (token.kind == SKR_CEL_TOKEN_VALUE) {
        if (token.value.kind == SKR_CEL_INT && token.value.integer == INT64_MIN) {
            return fail(parser, "the number does not fit a signed 64 bits integer");
        }
        return constant(parser, token.value, ret);
    }
    if (token.kind == SKR_CEL_TOKEN_NAME) {
        return name(parser, ret);
    }
    if (skr_cel_is(&parser->lexer, "(")) {
        rc = skr_cel_next(&parser->lexer);
        rc = rc < 0 ? rc : expression(parser, ret);
        return rc < 0 ? rc : expect(parser, ")");
    }
    const bool is_list = skr_cel_is(&parser->lexer, "[");
    if (!is_list && !skr_cel_is(&parser->lexer, "{")) {
        return fail(parser, token.kind == SKR_CEL_TOKEN_END ? "the expression ends too early"
                                                            : "expected a value");
    }
    if ((rc = new_node(parser, is_list ? SKR_CEL_NODE_LIST : SKR_CEL_NODE_MAP, token.at, ret)) <
            0 ||
        (rc = skr_cel_next(&parser->lexer)) < 0) {
        return rc;
    }
    return is_list ? list_of(parser, *ret, "]", true) : map(parser, *ret);
}

static int field(struct parser *parser, struct skr_cel_node **node)
{
    struct skr_cel_node *made;
    int rc = skr_cel_next(&parser->lexer); /* . */
    const struct skr_cel_token token = parser->lexer.token;
    if (rc < 0) {
        return rc;
    }
    if (skr_cel_is(&parser->lexer, "?")) {
        return fail(parser, "optional values (.?) are not served; use has()");
    }
    if (token.kind != SKR_CEL_TOKEN_NAME || skr_cel_is(&parser->lexer, "in") ||
        skr_cel_is(&parser->lexer, "true") || skr_cel_is(&parser->lexer, "false") ||
        skr_cel_is(&parser->lexer, "null")) {
        return fail(parser, "expected the name of a field or function");
    }
    if ((rc = new_node(parser, SKR_CEL_NODE_SELECT, token.at, &made)) < 0 ||
        (rc = set_name(parser, made, token.text, token.n)) < 0 ||
        (rc = add_child(parser, made, *node)) < 0 || (rc = skr_cel_next(&parser->lexer)) < 0) {
        return rc;
    }
    *node = made;
    made->form = SKR_CEL_MEMBER;
    return skr_cel_is(&parser->lexer, "(") ? call(parser, made) : 0;
}

static int subscript(struct parser *parser, struct skr_cel_node **node)
{
    struct skr_cel_node *made, *at;
    int rc = new_node(parser, SKR_CEL_NODE_CALL, parser->lexer.token.at, &made);
    if (rc < 0 || (rc = skr_cel_next(&parser->lexer)) < 0) {
        return rc;
    }
    made->name = "_[_]";
    if (skr_cel_is(&parser->lexer, "?")) {
        return fail(parser, "optional values ([?]) are not served; use `in`");
    }
    if ((rc = add_child(parser, made, *node)) < 0 || (rc = expression(parser, &at)) < 0 ||
        (rc = add_child(parser, made, at)) < 0) {
        return rc;
    }
    *node = made;
    return expect(parser, "]");
}

static int members(struct parser *parser, struct skr_cel_node **ret)
{
    int rc = primary(parser, ret);
    while (rc == 0) {
        if (skr_cel_is(&parser->lexer, ".")) {
            rc = field(parser, ret);
        } else if (skr_cel_is(&parser->lexer, "[")) {
            rc = subscript(parser, ret);
        } else {
            if (skr_cel_is(&parser->lexer, "{")) {
                return fail(parser, "messages (Type{...}) are not served");
            }
            break;
        }
    }
    return rc;
}

/* ---- operators ---- */

/* A number with a minus in front. False: the value is no number, or is unsigned. INT64_MIN stays. */
static bool negate(struct skr_cel_value *value)
{
    if (value->kind == SKR_CEL_INT) {
        value->integer = (int64_t)(0 - (uint64_t)value->integer);
    } else if (value->kind == SKR_CEL_DOUBLE) {
        value->real = -value->real;
    } else {
        return false;
    }
    return true;
}

/* An even number of signs is none. */
static int unary(struct parser *parser, struct skr_cel_node **ret)
{
    const struct skr_cel_token first = parser->lexer.token;
    const bool minus = skr_cel_is(&parser->lexer, "-");
    const char *symbol = minus ? "-" : "!";
    size_t n = 0;
    int rc = 0;
    for (; rc == 0 && skr_cel_is(&parser->lexer, symbol); n++) {
        rc = skr_cel_next(&parser->lexer);
    }
    if (rc < 0 || n == 0) {
        return rc < 0 ? rc : members(parser, ret);
    }
    if (minus && n % 2 == 1 && parser->lexer.token.kind == SKR_CEL_TOKEN_VALUE &&
        negate(&parser->lexer.token.value)) {
        const bool lowest = parser->lexer.token.value.kind == SKR_CEL_INT &&
                            parser->lexer.token.value.integer == INT64_MIN;
        return lowest ? constant(parser, skr_cel_int(INT64_MIN), ret) : members(parser, ret);
    }
    struct skr_cel_node *operand;
    if ((rc = members(parser, &operand)) < 0 || n % 2 == 0) {
        *ret = operand;
        return rc;
    }
    if ((rc = new_node(parser, SKR_CEL_NODE_CALL, first.at, ret)) < 0) {
        return rc;
    }
    (*ret)->name = minus ? "-_" : "!_";
    return add_child(parser, *ret, operand);
}

/* By precedence, lowest first. */
static const struct {
    const char *symbol, *name;
    int level;
} operators[] = {
    {"||", NULL, 0},   {"&&", NULL, 1}, {"==", "_==_", 2}, {"!=", "_!=_", 2}, {"<=", "_<=_", 2},
    {">=", "_>=_", 2}, {"<", "_<_", 2}, {">", "_>_", 2},   {"in", "_in_", 2}, {"+", "_+_", 3},
    {"-", "_-_", 3},   {"*", "_*_", 4}, {"/", "_/_", 4},   {"%", "_%_", 4},
};
enum { N_OPERATORS = sizeof operators / sizeof *operators, LEVELS = 5 };

static size_t operator_at(const struct parser *parser, int level)
{
    size_t i = 0;
    while (i < N_OPERATORS &&
           (operators[i].level != level || !skr_cel_is(&parser->lexer, operators[i].symbol))) {
        i++;
    }
    return i;
}

static int binary(struct parser *parser, int level, struct skr_cel_node **ret)
{
    int rc = level == LEVELS ? unary(parser, ret) : binary(parser, level + 1, ret);
    const enum skr_cel_node_kind chain = level == 0   ? SKR_CEL_NODE_OR
                                         : level == 1 ? SKR_CEL_NODE_AND
                                                      : SKR_CEL_NODE_CALL;
    bool chained = false;
    while (rc == 0 && level < LEVELS) {
        const size_t i = operator_at(parser, level);
        struct skr_cel_node *made = *ret, *right;
        if (i == N_OPERATORS) {
            break;
        }
        if (!chained) {
            if ((rc = new_node(parser, chain, parser->lexer.token.at, &made)) < 0 ||
                (rc = add_child(parser, made, *ret)) < 0) {
                return rc;
            }
            made->name = operators[i].name;
            chained = level <= 1;
        }
        if ((rc = skr_cel_next(&parser->lexer)) < 0 ||
            (rc = binary(parser, level + 1, &right)) < 0 ||
            (rc = add_child(parser, made, right)) < 0) {
            return rc;
        }
        *ret = made;
    }
    return rc;
}

static int condition(struct parser *parser, struct skr_cel_node **ret)
{
    struct skr_cel_node *made, *yes, *no;
    int rc = new_node(parser, SKR_CEL_NODE_CONDITION, parser->lexer.token.at, &made);
    if (rc < 0 || (rc = skr_cel_next(&parser->lexer)) < 0 ||
        (rc = add_child(parser, made, *ret)) < 0 || (rc = binary(parser, 0, &yes)) < 0 ||
        (rc = add_child(parser, made, yes)) < 0 || (rc = expect(parser, ":")) < 0 ||
        (rc = expression(parser, &no)) < 0 || (rc = add_child(parser, made, no)) < 0) {
        return rc;
    }
    *ret = made;
    return 0;
}

static int expression(struct parser *parser, struct skr_cel_node **ret)
{
    if (++parser->depth > SKR_CEL_DEPTH_MAX) {
        return too_deep(parser, parser->lexer.token.at);
    }
    int rc = binary(parser, 0, ret);
    if (rc == 0 && skr_cel_is(&parser->lexer, "?")) {
        rc = condition(parser, ret);
    }
    parser->depth--;
    return rc;
}

int skr_cel_parse(const char *text, struct skr_arena *arena, struct skr_cel_node **ret,
                  struct skr_error *error)
{
    struct parser parser = {.lexer = {.text = text, .arena = arena, .error = error}};
    struct skr_cel_node *root = NULL;
    int rc = skr_cel_next(&parser.lexer);
    if (rc < 0 || (rc = expression(&parser, &root)) < 0) {
        return rc;
    }
    if (parser.lexer.token.kind != SKR_CEL_TOKEN_END) {
        return fail(&parser, "expected an operator or the end");
    }
    *ret = root;
    return 0;
}
