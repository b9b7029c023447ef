/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an evaluation costs at most, from the tokens alone: it holds for expressions that are not served, too. Each token
 * costs one for each round of the macros around it. A macro has as many rounds as the list or map literal in front of it
 * has items, or as many as a device has attributes. Of anything else the number of rounds is not known.
 *
 * A call that may make a larger value, or looks at all of one, is one of those that are not cheap. Such calls may be
 * nested: each of them multiplies by the size of the text.
 */
#include "core/cel/lexer.h"

#include <string.h>

enum {
    ATTRIBUTES_MAX = 64, /* and capacities, of a device; Kubernetes admits 32 */
    BYTES_A_STEP = 8,    /* of text that a call looks at */
    LIST_COST = 10,      /* of making one, as in cel-go, and a map */
    MAP_COST = 30,
};

struct frame {
    uint64_t rounds;
    uint64_t items; /* of a literal; 0: it is none */
    bool device;    /* a device, or a part of one, is indexed */
};

struct bound {
    struct skr_cel_lexer lexer;
    struct frame frame[SKR_CEL_DEPTH_MAX + 1];
    size_t depth;
    uint64_t cost;
    uint64_t range; /* items of the value that ends here; 0: not known */
    bool device;    /* it is a device, or a part of one */
    uint64_t size;  /* that a call looks at, at most */
    size_t n_calls; /* that are not cheap */
    uint64_t call_rounds;
    bool over;
};

static bool is_one_of(const struct skr_cel_token *token, const char *const *name)
{
    while (*name && (strlen(*name) != token->n || memcmp(*name, token->text, token->n) != 0)) {
        name++;
    }
    return *name;
}

static bool is_macro(const struct skr_cel_token *token)
{
    static const char *const names[] = {
        "all",           "exists",       "exists_one",        "existsOne", "map", "filter",
        "transformList", "transformMap", "transformMapEntry", "sortBy",    NULL};
    return is_one_of(token, names);
}

static bool is_cheap(const struct skr_cel_token *token)
{
    static const char *const names[] = {
        "has",      "size",          "startsWith", "endsWith", "contains", "quantity",
        "semver",   "isGreaterThan", "isLessThan", "string",   "int",      "compareTo",
        "isSemver", "isQuantity",    "orValue",    "bool",     "type",     NULL};
    return is_one_of(token, names);
}

/* Never overflows: both are at most SKR_CEL_COST_MAX. */
static uint64_t at_most(uint64_t value)
{
    return value < SKR_CEL_COST_MAX ? value : SKR_CEL_COST_MAX;
}

static void set_value(struct bound *b, uint64_t range, bool device)
{
    b->range = device ? ATTRIBUTES_MAX : range;
    b->device = device;
}

static void charge(struct bound *b, uint64_t cost)
{
    b->cost = at_most(b->cost + b->frame[b->depth].rounds * cost);
}

static void push(struct bound *b, uint64_t rounds, uint64_t items)
{
    if (b->depth == SKR_CEL_DEPTH_MAX) {
        b->over = true;
        return;
    }
    const uint64_t all = at_most(b->frame[b->depth].rounds * rounds);
    b->frame[++b->depth] = (struct frame){.rounds = all, .items = items, .device = b->device};
    set_value(b, 0, false);
}

/* The bracket closes: what ends here has as many items as a literal, or is a field of a device. */
static void pop(struct bound *b, bool index)
{
    if (b->depth == 0) {
        b->over = true;
        return;
    }
    const struct frame *frame = &b->frame[b->depth--];
    set_value(b, frame->items, frame->items == 0 && index && frame->device);
}

/* In a macro, two values as large as the text permits: some in front of the macro may be. */
static void compare(struct bound *b)
{
    charge(b, b->frame[b->depth].rounds > 1 ? b->size : 0);
}

/* The name of a call, whose bracket opens. member: it has a receiver. */
static void call(struct bound *b, const struct skr_cel_token *name, bool member)
{
    const bool macro = member && is_macro(name);
    if (is_cheap(name)) {
        compare(b);
    } else if (!macro) {
        const uint64_t rounds = b->frame[b->depth].rounds;
        b->n_calls++;
        b->call_rounds = rounds > b->call_rounds ? rounds : b->call_rounds;
    }
    b->over = b->over || (macro && b->range == 0);
    push(b, macro ? b->range : 1, 0);
}

static bool is_value(const struct skr_cel_token *token)
{
    return token->kind == SKR_CEL_TOKEN_NAME || token->kind == SKR_CEL_TOKEN_VALUE ||
           (token->kind == SKR_CEL_TOKEN_SYMBOL && token->n == 1 && strchr(")]}", token->text[0]));
}

static bool is_dot(const struct skr_cel_token *token)
{
    return token->kind == SKR_CEL_TOKEN_SYMBOL && token->text[0] == '.';
}

/* was: the token before it, and the one before that. */
static void take_symbol(struct bound *b, const struct skr_cel_token was[2])
{
    const char symbol = b->lexer.token.n == 1 ? b->lexer.token.text[0] : ' ';
    switch (symbol) {
    case '(':
        if (was[0].kind == SKR_CEL_TOKEN_NAME) {
            call(b, &was[0], is_dot(&was[1]));
        } else {
            push(b, 1, 0);
        }
        break;
    case '[':
        charge(b, is_value(&was[0]) ? 0 : LIST_COST);
        push(b, 1, is_value(&was[0]) ? 0 : 1);
        break;
    case '{':
        charge(b, MAP_COST);
        push(b, 1, 1);
        break;
    case ',':
        b->frame[b->depth].items += b->frame[b->depth].items > 0;
        set_value(b, 0, false);
        break;
    case ')':
    case '}':
    case ']':
        pop(b, symbol == ']');
        break;
    case '.':
    case '?': /* of ".?" */
        break;
    default:
        if (skr_cel_is(&b->lexer, "==") || skr_cel_is(&b->lexer, "!=")) {
            compare(b);
        }
        set_value(b, 0, false);
        break;
    }
}

static void take(struct bound *b, const struct skr_cel_token was[2])
{
    static const char *const device[] = {"device", NULL};
    const struct skr_cel_token *token = &b->lexer.token;
    charge(b, skr_cel_is(&b->lexer, "in") ? ATTRIBUTES_MAX + b->size : 1);
    if (token->kind == SKR_CEL_TOKEN_SYMBOL) {
        take_symbol(b, was);
    } else if (!is_dot(&was[0]) && !(was[0].kind == SKR_CEL_TOKEN_SYMBOL && is_dot(&was[1]))) {
        set_value(b, 0, is_one_of(token, device));
    } else if (!b->device && !is_macro(token)) {
        set_value(b, 0, false);
    }
}

/* Of the calls that are not cheap. */
static uint64_t of_calls(const struct bound *b)
{
    uint64_t cost = b->n_calls > 0 ? at_most(b->size * b->call_rounds) : 0;
    for (size_t i = 0; i < b->n_calls && cost < SKR_CEL_COST_MAX; i++) {
        cost = at_most(cost * b->size);
    }
    return cost;
}

uint64_t skr_cel_cost_bound(const char *text)
{
    const size_t bytes = strlen(text);
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(bytes + 4096, 1024);
    struct skr_error error;
    struct bound b = {.lexer = {.text = text, .arena = arena, .error = &error},
                      .frame = {{.rounds = 1}},
                      .size = at_most(bytes / BYTES_A_STEP + 1)};
    struct skr_cel_token was[2] = {0};
    while (arena && !b.over) {
        if (skr_cel_next(&b.lexer) < 0) {
            b.over = true;
        } else if (b.lexer.token.kind == SKR_CEL_TOKEN_END) {
            return at_most(b.cost + of_calls(&b));
        } else {
            take(&b, was);
            was[1] = was[0];
            was[0] = b.lexer.token;
        }
    }
    return SKR_CEL_COST_MAX;
}
