/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation as a whole, and evaluation: a walk over the tree, at most SKR_CEL_DEPTH_MAX deep. */
#include <string.h>

#include "core/cel/node.h"
#include "core/cel/type.h"

enum { LIST_COST = 10, MAP_COST = 30 };

int skr_cel_compile(const struct skr_cel_dialect *dialect, const char *text,
                    struct skr_arena *arena, const struct skr_cel_program **ret,
                    struct skr_error *error)
{
    const size_t n = strlen(text);
    struct skr_cel_program *program = skr_arena_alloc(arena, sizeof *program);
    if (n > SKR_CEL_TEXT_MAX) {
        return skr_error_set(error, SKR_LIMIT, "the expression has %zu bytes, limit %d", n,
                             (int)SKR_CEL_TEXT_MAX);
    }
    char *copy = skr_arena_strdup(arena, text);
    if (!program || !copy) {
        return skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    }
    program->dialect = dialect;
    program->text = copy;
    int rc = skr_cel_parse(copy, arena, &program->root, error);
    if (rc == 0) {
        rc = skr_cel_check(program, arena, error);
    }
    if (rc == 0) {
        *ret = program;
    }
    return rc;
}

const char *skr_cel_program_type(const struct skr_cel_program *program)
{
    return program->root->type;
}

static bool calls(const struct skr_cel_node *node, const char *function)
{
    bool found = node->kind == SKR_CEL_NODE_CALL && strcmp(node->name, function) == 0;
    for (size_t i = 0; !found && i < node->n; i++) {
        found = calls(node->child[i], function);
    }
    return found;
}

bool skr_cel_program_calls(const struct skr_cel_program *program, const char *function)
{
    return calls(program->root, function);
}

struct skr_position skr_cel_position(const struct skr_cel_program *program, size_t at)
{
    return skr_cel_position_of(program->text, at);
}

/* ---- the walk ---- */

static struct skr_cel_value walk(struct skr_cel_run *run, const struct skr_cel_node *node);

/* An error that has no position yet has that of the node. Position 0 is a position, so n is it + 1. */
static struct skr_cel_value at_node(const struct skr_cel_node *node, struct skr_cel_value value)
{
    if (value.kind == SKR_CEL_ERROR && value.n == 0) {
        value.n = node->at + 1;
    }
    return value;
}

static struct skr_cel_value select_field(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    const struct skr_cel_value map = walk(run, node->child[0]);
    if (map.kind == SKR_CEL_ERROR) {
        return map;
    }
    if (node->kind == SKR_CEL_NODE_HAS && map.kind != SKR_CEL_MAP && map.kind != SKR_CEL_LIST) {
        return skr_cel_bool(false); /* of a type that was not known before, as in cel-go */
    }
    if (map.kind != SKR_CEL_MAP) {
        return skr_cel_errorf(run, "%s has no field \"%.64s\"",
                              skr_cel_type_name(skr_cel_type_of(map.kind)), node->name);
    }
    if (!skr_cel_charge(run, map.n / 16)) {
        return skr_cel_over(run);
    }
    const struct skr_cel_value *found = skr_cel_get_text(&map, node->name);
    if (node->kind == SKR_CEL_NODE_HAS) {
        return skr_cel_bool(!!found);
    }
    return found ? *found : skr_cel_errorf(run, "there is no field \"%.64s\"", node->name);
}

static struct skr_cel_value call(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    struct skr_cel_value arg[SKR_CEL_ARGUMENTS_MAX];
    for (size_t i = 0; i < node->n; i++) {
        arg[i] = walk(run, node->child[i]);
        if (arg[i].kind == SKR_CEL_ERROR) {
            return arg[i];
        }
    }
    for (size_t i = 0; i < node->n_rows; i++) {
        run->row = node->row[i];
        run->n = node->n;
        /* Operators look at kinds themselves: some take more of them than the checker does. */
        if (strchr("_-", run->row->name[0]) ||
            skr_cel_types_take_values(run->row->types, arg, node->n)) {
            run->regex = node->regex;
            return skr_cel_pay(run, arg) ? run->row->call(run, arg) : skr_cel_over(run);
        }
    }
    return skr_cel_no_overload(run, arg, node->n);
}

static struct skr_cel_value list(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    struct skr_cel_value *item = skr_cel_room(run, node->n, sizeof *item);
    if (!item || !skr_cel_charge(run, LIST_COST)) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i < node->n; i++) {
        item[i] = walk(run, node->child[i]);
        if (item[i].kind == SKR_CEL_ERROR) {
            return item[i];
        }
    }
    return (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)node->n, .item = item};
}

static bool is_key(const struct skr_cel_value *value)
{
    return value->kind == SKR_CEL_STRING || value->kind == SKR_CEL_INT ||
           value->kind == SKR_CEL_UINT || value->kind == SKR_CEL_BOOL;
}

static struct skr_cel_value map(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    struct skr_cel_entry *entry = skr_cel_room(run, node->n / 2, sizeof *entry);
    struct skr_cel_value made = {.kind = SKR_CEL_MAP, .n = 0, .entry = entry};
    if (!entry || !skr_cel_charge(run, MAP_COST)) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i + 1 < node->n; i += 2) {
        const struct skr_cel_value key = walk(run, node->child[i]);
        const struct skr_cel_value value =
            key.kind == SKR_CEL_ERROR ? key : walk(run, node->child[i + 1]);
        if (value.kind == SKR_CEL_ERROR) {
            return value;
        }
        if (!is_key(&key)) {
            return skr_cel_errorf(run, "%s is no key of a map",
                                  skr_cel_type_name(skr_cel_type_of(key.kind)));
        }
        if (!skr_cel_charge_look_up(run, &made, &key)) {
            return skr_cel_over(run);
        }
        size_t at = 0; /* as in cel-go, the last value of a key counts, and 1 and 1u are two keys */
        while (at < made.n &&
               (entry[at].key.kind != key.kind || !skr_cel_equal(&entry[at].key, &key))) {
            at++;
        }
        entry[at] = (struct skr_cel_entry){key, value};
        made.n += at == made.n ? 1 : 0;
    }
    return made;
}

/* what: takes bool. */
static struct skr_cel_value as_bool(struct skr_cel_run *run, const struct skr_cel_node *node,
                                    const char *what)
{
    const struct skr_cel_value value = walk(run, node);
    return value.kind == SKR_CEL_BOOL || value.kind == SKR_CEL_ERROR
               ? value
               : at_node(node, skr_cel_does_not_take(run, what, &value, 1));
}

/* `stop` decides, whatever errors came before; without it the first error counts. */
static struct skr_cel_value logic(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    const bool stop = node->kind == SKR_CEL_NODE_OR;
    struct skr_cel_value result = skr_cel_bool(!stop);
    for (size_t i = 0; i < node->n && !run->over; i++) {
        const struct skr_cel_value value = as_bool(run, node->child[i], stop ? "||" : "&&");
        if (value.kind == SKR_CEL_BOOL && value.boolean == stop) {
            return value;
        }
        result = result.kind == SKR_CEL_ERROR ? result : value;
    }
    return run->over ? skr_cel_over(run) : result;
}

static struct skr_cel_value condition(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    const struct skr_cel_value test = walk(run, node->child[0]);
    if (test.kind == SKR_CEL_ERROR) {
        return test;
    }
    return test.kind != SKR_CEL_BOOL ? skr_cel_does_not_take(run, "?", &test, 1)
                                     : walk(run, node->child[test.boolean ? 1 : 2]);
}

/* ---- macros ---- */

static struct skr_cel_value test_of(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    return as_bool(run, node, "the test of a macro");
}

static struct skr_cel_value item_of(const struct skr_cel_value *range, size_t i)
{
    return range->kind == SKR_CEL_LIST ? range->item[i] : range->entry[i].key;
}

/* all and exists: as && and || over the items. */
static struct skr_cel_value quantify(struct skr_cel_run *run, const struct skr_cel_node *node,
                                     const struct skr_cel_value *range)
{
    const bool stop = node->fold == SKR_CEL_FOLD_EXISTS;
    struct skr_cel_value result = skr_cel_bool(!stop);
    for (size_t i = 0; i < range->n && !run->over; i++) {
        run->local[node->slot] = item_of(range, i);
        const struct skr_cel_value value = test_of(run, node->child[1]);
        if (value.kind == SKR_CEL_BOOL && value.boolean == stop) {
            return value;
        }
        result = result.kind == SKR_CEL_ERROR ? result : value;
    }
    return run->over ? skr_cel_over(run) : result;
}

static struct skr_cel_value exists_one(struct skr_cel_run *run, const struct skr_cel_node *node,
                                       const struct skr_cel_value *range)
{
    size_t n = 0;
    for (size_t i = 0; i < range->n; i++) {
        run->local[node->slot] = item_of(range, i);
        const struct skr_cel_value value = test_of(run, node->child[1]);
        if (value.kind == SKR_CEL_ERROR) {
            return value;
        }
        n += value.boolean ? 1 : 0;
    }
    return skr_cel_bool(n == 1);
}

/* filter and map: a new list. */
static struct skr_cel_value collect(struct skr_cel_run *run, const struct skr_cel_node *node,
                                    const struct skr_cel_value *range)
{
    const bool maps = node->fold == SKR_CEL_FOLD_MAP;
    const struct skr_cel_node *test = maps ? node->n > 2 ? node->child[2] : NULL : node->child[1];
    struct skr_cel_value *item = skr_cel_room(run, range->n, sizeof *item);
    uint32_t n = 0;
    if (!item || !skr_cel_charge(run, LIST_COST)) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i < range->n; i++) {
        struct skr_cel_value value = run->local[node->slot] = item_of(range, i);
        const struct skr_cel_value wanted = test ? test_of(run, test) : skr_cel_bool(true);
        if (wanted.kind == SKR_CEL_ERROR) {
            return wanted;
        }
        if (!wanted.boolean) {
            continue;
        }
        value = maps ? walk(run, node->child[1]) : value;
        if (value.kind == SKR_CEL_ERROR) {
            return value;
        }
        item[n++] = value;
    }
    return (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = n, .item = item};
}

static struct skr_cel_value fold(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    const struct skr_cel_value range = walk(run, node->child[0]);
    if (node->fold == SKR_CEL_FOLD_BIND) { /* an error counts where the variable is used */
        run->local[node->slot] = range;
        return walk(run, node->child[1]);
    }
    if (range.kind == SKR_CEL_ERROR) {
        return range;
    }
    if (range.kind != SKR_CEL_LIST && range.kind != SKR_CEL_MAP) {
        return skr_cel_does_not_take(run, "a macro", &range, 1);
    }
    if (node->fold == SKR_CEL_FOLD_ALL || node->fold == SKR_CEL_FOLD_EXISTS) {
        return quantify(run, node, &range);
    }
    return node->fold == SKR_CEL_FOLD_EXISTS_ONE ? exists_one(run, node, &range)
                                                 : collect(run, node, &range);
}

static struct skr_cel_value walk_kind(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    switch (node->kind) {
    case SKR_CEL_NODE_CONST:
        return node->value;
    case SKR_CEL_NODE_ROOT:
        return run->root[node->slot];
    case SKR_CEL_NODE_LOCAL:
        return run->local[node->slot];
    case SKR_CEL_NODE_SELECT:
    case SKR_CEL_NODE_HAS:
        return select_field(run, node);
    case SKR_CEL_NODE_CALL:
        return call(run, node);
    case SKR_CEL_NODE_LIST:
        return list(run, node);
    case SKR_CEL_NODE_MAP:
        return map(run, node);
    case SKR_CEL_NODE_AND:
    case SKR_CEL_NODE_OR:
        return logic(run, node);
    case SKR_CEL_NODE_CONDITION:
        return condition(run, node);
    case SKR_CEL_NODE_FOLD:
        return fold(run, node);
    case SKR_CEL_NODE_IDENT: /* the checker left none */
        break;
    }
    return skr_cel_error("bug: a name without a meaning");
}

static struct skr_cel_value walk(struct skr_cel_run *run, const struct skr_cel_node *node)
{
    if (node->kind != SKR_CEL_NODE_CONST && !skr_cel_charge(run, 1)) {
        return at_node(node, skr_cel_over(run));
    }
    return at_node(node, walk_kind(run, node));
}

struct skr_cel_value skr_cel_evaluate(const struct skr_cel_program *program,
                                      struct skr_cel_run *run)
{
    run->local = skr_cel_room(run, program->n_locals, sizeof *run->local);
    struct skr_cel_value result =
        run->local ? walk(run, program->root) : at_node(program->root, skr_cel_over(run));
    if (result.kind == SKR_CEL_ERROR) {
        result.n--; /* back to a position from 0 */
    }
    return result;
}
