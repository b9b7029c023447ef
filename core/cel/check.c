/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checker: what a name means, which rows of functions a call may take, and types as far as they
 * are known. It walks the tree once, and recurses at most SKR_CEL_DEPTH_MAX deep.
 */
#include <string.h>

#include "core/cel/format.h"
#include "core/cel/node.h"
#include "core/cel/type.h"

/* A variable of a macro, while its body is checked. */
struct scope {
    const char *name, *type;
    uint32_t slot;
    const struct scope *outer;
};

struct checker {
    struct skr_cel_program *program;
    struct skr_arena *arena;
    struct skr_error *error;
};

static int no_memory(const struct checker *checker)
{
    return skr_error_set(checker->error, SKR_NO_MEMORY, "out of memory");
}

#define fail(checker, node, ...) \
    skr_cel_fail((checker)->error, SKR_INVALID, (checker)->program->text, (node)->at, __VA_ARGS__)

static const char *shown(const struct checker *checker, const char *type)
{
    SKR_STRBUF(text);
    skr_cel_type_write(type, &text);
    const char *copy = skr_arena_strdup(checker->arena, text.s);
    return copy ? copy : "";
}

/* "L" or "M" in front of one or two types. */
static const char *type_of(const struct checker *checker, char head, const char *a, const char *b)
{
    const size_t na = (size_t)(skr_cel_type_end(a) - a);
    const size_t nb = b ? (size_t)(skr_cel_type_end(b) - b) : 0;
    char *type = skr_arena_alloc(checker->arena, na + nb + 2);
    if (type) {
        type[0] = head;
        memcpy(type + 1, a, na);
        if (b) {
            memcpy(type + 1 + na, b, nb);
        }
    }
    return type;
}

static int check(struct checker *checker, struct skr_cel_node *node, const struct scope *scope);

static int check_children(struct checker *checker, struct skr_cel_node *node, size_t from,
                          const struct scope *scope)
{
    int rc = 0;
    for (size_t i = from; rc == 0 && i < node->n; i++) {
        rc = check(checker, node->child[i], scope);
    }
    return rc;
}

/* ---- names ---- */

static int64_t find_root(const struct checker *checker, const char *name)
{
    const struct skr_cel_root *root = checker->program->dialect->root;
    for (int64_t i = 0; root[i].name; i++) {
        if (strcmp(root[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static const struct scope *find_local(const struct scope *scope, const char *name)
{
    while (scope && strcmp(scope->name, name) != 0) {
        scope = scope->outer;
    }
    return scope;
}

static bool names_type(struct skr_cel_node *node)
{
    static const char codes[] = "nbidusyLMT";
    for (size_t i = 0; i < sizeof codes - 1; i++) {
        if (strcmp(skr_cel_type_name(codes[i]), node->name) == 0) {
            node->value.text = skr_cel_type_name(codes[i]);
            return true;
        }
    }
    return false;
}

static int check_ident(struct checker *checker, struct skr_cel_node *node,
                       const struct scope *scope)
{
    const struct scope *local = find_local(scope, node->name);
    const int64_t root = find_root(checker, node->name);
    if (local) {
        if (local->type[0] == 'T') {
            return fail(checker, node, "\"%.64s\" is a type, which variables of macros cannot be",
                        node->name);
        }
        node->kind = SKR_CEL_NODE_LOCAL;
        node->slot = local->slot;
        node->type = local->type;
    } else if (root >= 0) {
        node->kind = SKR_CEL_NODE_ROOT;
        node->slot = (uint32_t)root;
        node->type = checker->program->dialect->root[root].type;
    } else if (names_type(node)) {
        node->kind = SKR_CEL_NODE_CONST;
        node->value.kind = SKR_CEL_TYPE;
        node->type = "T";
    } else {
        return fail(checker, node, "there is no variable \"%.64s\"", node->name);
    }
    return 0;
}

/* ---- fields ---- */

static int check_field(struct checker *checker, struct skr_cel_node *node,
                       const struct scope *scope)
{
    int rc = check(checker, node->child[0], scope);
    if (rc < 0) {
        return rc;
    }
    const char *type = node->child[0]->type;
    node->type = "?";
    if (type[0] == 'M' && (type[1] == 's' || type[1] == '?')) {
        node->type = skr_cel_type_end(type + 1);
    } else if (type[0] != '?') {
        return fail(checker, node, "%s has no field \"%.64s\"", shown(checker, type), node->name);
    }
    node->type = node->kind == SKR_CEL_NODE_HAS ? "b" : node->type;
    return 0;
}

/* ---- calls ---- */

/* All tables of functions, the dialect's last. */
static const struct skr_cel_function *table(const struct checker *checker, size_t i)
{
    const struct skr_cel_function *const tables[] = {
        skr_cel_operators,        skr_cel_core_functions,
        skr_cel_string_functions, skr_cel_list_functions,
        skr_cel_regex_functions,  skr_cel_format_functions,
        skr_cel_amount_functions, skr_cel_net_functions,
        skr_cel_url_functions,    checker->program->dialect->function};
    return i < sizeof tables / sizeof *tables ? tables[i] : NULL;
}

static bool is_there(const struct checker *checker, const char *name, enum skr_cel_form form)
{
    for (size_t t = 0; table(checker, t); t++) {
        for (const struct skr_cel_function *row = table(checker, t); row->name; row++) {
            if (row->form == form && strcmp(row->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static int add_row(struct checker *checker, struct skr_cel_node *node,
                   const struct skr_cel_function *row)
{
    const struct skr_cel_function **grown = skr_cel_grow(
        node->row, node->n_rows, sizeof(const struct skr_cel_function *), checker->arena);
    if (!grown) {
        return no_memory(checker);
    }
    grown[node->n_rows++] = row;
    node->row = grown;
    return 0;
}

static int unknown_function(struct checker *checker, const struct skr_cel_node *node)
{
    const bool member = node->form == SKR_CEL_MEMBER;
    if (is_there(checker, node->name, member ? SKR_CEL_GLOBAL : SKR_CEL_MEMBER)) {
        return fail(checker, node,
                    member ? "%.64s() has no value in front: %.64s(value)"
                           : "%.64s() has its value in front: value.%.64s()",
                    node->name, node->name);
    }
    return fail(checker, node, "there is no function %.64s()", node->name);
}

static int no_overload(struct checker *checker, const struct skr_cel_node *node)
{
    SKR_STRBUF(text);
    skr_cel_name_write(node->name, &text);
    skr_strbuf_add(&text, " does not take (");
    for (size_t i = 0; i < node->n; i++) {
        skr_strbuf_add(&text, i > 0 ? ", " : "");
        skr_cel_type_write(node->child[i]->type, &text);
    }
    return fail(checker, node, "%.200s)", text.s);
}

/* A constant format against a list of values, as far as types are known. */
static int check_format(struct checker *checker, const struct skr_cel_node *node)
{
    const struct skr_cel_node *text = node->child[0], *list = node->child[1];
    struct skr_cel_clause clause;
    size_t at = 0, n = 0;
    if (text->kind != SKR_CEL_NODE_CONST || list->kind != SKR_CEL_NODE_LIST) {
        return 0;
    }
    for (;; n++) {
        const char *wrong = skr_cel_clause_next(&text->value, &at, &clause);
        if (wrong) {
            return fail(checker, text, "format(): %s", wrong);
        }
        if (clause.verb == '\0') {
            break;
        }
        if (n >= list->n) {
            return fail(checker, text, "format() has more clauses than values: %zu", list->n);
        }
        if (!skr_cel_clause_takes(clause.verb, list->child[n]->type[0])) {
            return fail(checker, list->child[n], "%%%c of format() does not take %s", clause.verb,
                        shown(checker, list->child[n]->type));
        }
    }
    return n == list->n
               ? 0
               : fail(checker, list, "format() has %zu values for %zu clauses", list->n, n);
}

/* The pattern of matches(), find() and findAll() is the second argument. */
static int compile_pattern(struct checker *checker, struct skr_cel_node *node)
{
    const struct skr_cel_node *pattern = node->n > 1 ? node->child[1] : NULL;
    struct skr_error error = {0};
    bool of_table = false;
    for (const struct skr_cel_function *row = skr_cel_regex_functions; row->name; row++) {
        of_table = of_table || node->row[0] == row;
    }
    if (!of_table || !pattern || pattern->kind != SKR_CEL_NODE_CONST ||
        pattern->value.kind != SKR_CEL_STRING) {
        return 0;
    }
    int rc = skr_cel_regex_compile(pattern->value.text, pattern->value.n, checker->arena,
                                   &node->regex, &error);
    return rc < 0 ? skr_cel_fail(checker->error, error.code, checker->program->text, pattern->at,
                                 "regular expression, %s", error.text)
                  : 0;
}

/* "NAME.f(x)" is a call of the function "NAME.f" if there is one. */
static int qualify(struct checker *checker, struct skr_cel_node *node)
{
    const struct skr_cel_node *first = node->n > 0 ? node->child[0] : NULL;
    if (node->form != SKR_CEL_MEMBER || !first || first->kind != SKR_CEL_NODE_IDENT) {
        return 0;
    }
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%.64s.%.64s", first->name, node->name);
    if (is_there(checker, name.s, SKR_CEL_GLOBAL)) {
        node->name = skr_arena_strdup(checker->arena, name.s);
        node->form = SKR_CEL_GLOBAL;
        node->child++;
        node->n--;
    }
    return node->name ? 0 : no_memory(checker);
}

static bool is_number(const struct skr_cel_node *node)
{
    return node->type[0] != '\0' && strchr("iud", node->type[0]);
}

/* Numbers of different kinds have no order for the checker, but have one within macros: there cel-go's
 * checker forgets that it was switched off (checker/env.go, enterScope). NULL: this is none. */
static const struct skr_cel_function *find_mixed_order(const struct skr_cel_node *node,
                                                       const struct scope *scope)
{
    const struct skr_cel_function *row = skr_cel_operators;
    if (!scope || node->n != 2 || !is_number(node->child[0]) || !is_number(node->child[1]) ||
        node->name[0] != '_' || (node->name[1] != '<' && node->name[1] != '>')) {
        return NULL;
    }
    while (strcmp(row->name, node->name) != 0) {
        row++;
    }
    return row;
}

static int check_call(struct checker *checker, struct skr_cel_node *node, const struct scope *scope)
{
    const char *type[SKR_CEL_ARGUMENTS_MAX];
    const char *joined = NULL;
    int rc = qualify(checker, node);
    rc = rc < 0 ? rc : check_children(checker, node, 0, scope);
    if (rc < 0) {
        return rc;
    }
    if (!is_there(checker, node->name, node->form)) {
        return unknown_function(checker, node);
    }
    for (size_t i = 0; i < node->n && i < SKR_CEL_ARGUMENTS_MAX; i++) {
        type[i] = node->child[i]->type;
    }
    for (size_t t = 0; node->n <= SKR_CEL_ARGUMENTS_MAX && table(checker, t); t++) {
        for (const struct skr_cel_function *row = table(checker, t); row->name; row++) {
            const char *result = NULL;
            if (row->form != node->form || strcmp(row->name, node->name) != 0 ||
                !skr_cel_types_take(row->types, type, node->n, checker->arena, &result)) {
                continue;
            }
            if (!result || (rc = add_row(checker, node, row)) < 0) {
                return no_memory(checker);
            }
            joined = joined ? skr_cel_type_join(joined, result) : result;
        }
    }
    const struct skr_cel_function *mixed = joined ? NULL : find_mixed_order(node, scope);
    if (mixed && (rc = add_row(checker, node, mixed)) < 0) {
        return rc;
    }
    node->type = mixed ? "b" : joined;
    if (!node->type) {
        return no_overload(checker, node);
    }
    if (strcmp(node->name, "_[_]") == 0 && node->child[1]->kind == SKR_CEL_NODE_CONST &&
        strchr("nyT", node->child[1]->type[0])) {
        return fail(checker, node, "%s is no index", shown(checker, node->child[1]->type));
    }
    return node->row[0] == skr_cel_format_functions ? check_format(checker, node)
                                                    : compile_pattern(checker, node);
}

/* ---- lists, maps, conditions ---- */

/* What all children from one on, in steps, have in common. */
static const char *common(const struct skr_cel_node *node, size_t from, size_t step)
{
    const char *type = from < node->n ? node->child[from]->type : "?";
    for (size_t i = from + step; i < node->n; i += step) {
        type = skr_cel_type_common(type, node->child[i]->type);
    }
    return type;
}

static int check_container(struct checker *checker, struct skr_cel_node *node,
                           const struct scope *scope)
{
    int rc = check_children(checker, node, 0, scope);
    if (rc < 0) {
        return rc;
    }
    node->type = node->kind == SKR_CEL_NODE_LIST
                     ? type_of(checker, 'L', common(node, 0, 1), NULL)
                     : type_of(checker, 'M', common(node, 0, 2), common(node, 1, 2));
    return node->type ? 0 : no_memory(checker);
}

static int expect_bool(struct checker *checker, const struct skr_cel_node *node, const char *what)
{
    return skr_cel_type_fits(node->type, "b")
               ? 0
               : fail(checker, node, "%s takes bool, not %s", what, shown(checker, node->type));
}

static int check_logic(struct checker *checker, struct skr_cel_node *node,
                       const struct scope *scope)
{
    int rc = check_children(checker, node, 0, scope);
    const char *what = node->kind == SKR_CEL_NODE_AND ? "&&" : "||";
    for (size_t i = 0; rc == 0 && i < node->n; i++) {
        rc = expect_bool(checker, node->child[i], what);
    }
    node->type = "b";
    return rc;
}

static int check_condition(struct checker *checker, struct skr_cel_node *node,
                           const struct scope *scope)
{
    int rc = check_children(checker, node, 0, scope);
    if (rc < 0 || (rc = expect_bool(checker, node->child[0], "?")) < 0) {
        return rc;
    }
    const char *yes = node->child[1]->type, *no = node->child[2]->type;
    if (!skr_cel_type_fits(yes, no)) {
        return fail(checker, node, "both values of ? : have one type, not %s and %s",
                    shown(checker, yes), shown(checker, no));
    }
    node->type = skr_cel_type_common(yes, no);
    return 0;
}

/* ---- macros ---- */

static const char *const fold_names[] = {"all()",    "exists()", "exists_one()",
                                         "filter()", "map()",    "cel.bind()"};

static int check_fold(struct checker *checker, struct skr_cel_node *node, const struct scope *scope)
{
    struct scope inner = {.name = node->name, .outer = scope, .slot = scope ? scope->slot + 1 : 0};
    const char *what = fold_names[node->fold];
    int rc = check(checker, node->child[0], scope);
    if (rc < 0) {
        return rc;
    }
    const char *range = node->child[0]->type;
    const bool binds = node->fold == SKR_CEL_FOLD_BIND;
    if (binds && !checker->program->dialect->binds) {
        return fail(checker, node, "cel.bind() is not served");
    }
    if (!binds && range[0] != 'L' && range[0] != 'M' && range[0] != '?') {
        return fail(checker, node, "%s is for lists and maps, not %s", what, shown(checker, range));
    }
    inner.type = binds || range[0] == '?' ? range : range + 1;
    node->slot = inner.slot;
    if (checker->program->n_locals <= inner.slot) {
        checker->program->n_locals = inner.slot + 1;
    }
    if ((rc = check_children(checker, node, 1, &inner)) < 0) {
        return rc;
    }
    if (binds) {
        node->type = node->child[1]->type;
        return 0;
    }
    const bool maps = node->fold == SKR_CEL_FOLD_MAP;
    const struct skr_cel_node *test = maps ? node->n > 2 ? node->child[2] : NULL : node->child[1];
    if (test && (rc = expect_bool(checker, test, what)) < 0) {
        return rc;
    }
    node->type = maps ? type_of(checker, 'L', node->child[1]->type, NULL)
                 : node->fold != SKR_CEL_FOLD_FILTER ? "b"
                                                     : type_of(checker, 'L', inner.type, NULL);
    return node->type ? 0 : no_memory(checker);
}

static int check(struct checker *checker, struct skr_cel_node *node, const struct scope *scope)
{
    switch (node->kind) {
    case SKR_CEL_NODE_CONST:
        node->type = skr_cel_outer_type(node->value.kind);
        return 0;
    case SKR_CEL_NODE_IDENT:
    case SKR_CEL_NODE_ROOT:
    case SKR_CEL_NODE_LOCAL:
        return check_ident(checker, node, scope);
    case SKR_CEL_NODE_SELECT:
    case SKR_CEL_NODE_HAS:
        return check_field(checker, node, scope);
    case SKR_CEL_NODE_CALL:
        return check_call(checker, node, scope);
    case SKR_CEL_NODE_LIST:
    case SKR_CEL_NODE_MAP:
        return check_container(checker, node, scope);
    case SKR_CEL_NODE_AND:
    case SKR_CEL_NODE_OR:
        return check_logic(checker, node, scope);
    case SKR_CEL_NODE_CONDITION:
        return check_condition(checker, node, scope);
    case SKR_CEL_NODE_FOLD:
        return check_fold(checker, node, scope);
    }
    return 0;
}

int skr_cel_check(struct skr_cel_program *program, struct skr_arena *arena, struct skr_error *error)
{
    struct checker checker = {program, arena, error};
    return check(&checker, program->root, NULL);
}
