/* SPDX-License-Identifier: Apache-2.0 */
/* One loop each way, with the open arrays and objects on a stack. A new value is in its parent before
 * its own values are read, so that letting go of the outermost one lets go of all. */
#include "topology/base/json_tree.h"

#include "topology/base/arena.h"

/* ---- to a tree ---- */

static json_t *number(const struct skr_json *value)
{
    enum { DIGITS_MAX = 18 }; /* always fit */
    const size_t sign = value->text[0] == '-' ? 1 : 0;
    json_int_t n = 0;
    size_t i = sign;
    for (; i < value->n && value->n - sign <= DIGITS_MAX; i++) {
        if (value->text[i] < '0' || value->text[i] > '9') {
            break;
        }
        n = n * 10 + (value->text[i] - '0');
    }
    return i == value->n ? json_integer(sign ? -n : n)
                         : json_loadb(value->text, value->n, JSON_DECODE_ANY, NULL);
}

/* Without what is in it. */
static json_t *one(const struct skr_json *value)
{
    switch ((enum skr_json_type)value->type) {
    case SKR_JSON_NULL:
        return json_null();
    case SKR_JSON_BOOLEAN:
        return json_boolean(value->n != 0);
    case SKR_JSON_NUMBER:
        return number(value);
    case SKR_JSON_STRING:
        return json_stringn_nocheck(value->text, value->n);
    case SKR_JSON_ARRAY:
        return json_array();
    case SKR_JSON_OBJECT:
    default:
        return json_object();
    }
}

static int set(json_t *into, const struct skr_json *key, json_t *value)
{
    return json_is_array(into) ? json_array_append_new(into, value)
                               : json_object_setn_new_nocheck(into, key->text, key->n, value);
}

json_t *skr_json_tree(const struct skr_json *value)
{
    struct {
        json_t *json;
        const struct skr_json *end;
    } open[SKR_JSON_DEPTH_MAX + 1];
    json_t *tree = one(value);
    const struct skr_json *at = value + 1;
    const struct skr_json *const end = skr_json_next(value);
    size_t depth = 1;
    open[0].json = tree;
    open[0].end = end;
    while (tree && at < end) {
        while (at == open[depth - 1].end) {
            depth--;
        }
        json_t *into = open[depth - 1].json;
        const struct skr_json *key = json_is_object(into) ? at++ : NULL;
        json_t *json = one(at);
        if (!json || set(into, key, json) != 0) {
            json_decref(tree);
            return NULL;
        }
        if (at->type >= SKR_JSON_ARRAY) {
            open[depth].json = json;
            open[depth++].end = skr_json_next(at);
        }
        at++;
    }
    return tree;
}

int skr_json_tree_read(const char *text, size_t len, json_t **ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    const int rc = skr_json_read_text(&reader, text, len, &value, error);
    if (rc < 0) {
        return rc;
    }
    *ret = skr_json_tree(value);
    return *ret ? 0 : skr_error_set(error, SKR_NO_MEMORY, "JSON: out of memory");
}

/* ---- from a tree ---- */

/* An array or object whose entries are being added. */
struct open {
    json_t *json;
    void *member; /* of an object: the next one */
    size_t item;  /* of an array: likewise */
    size_t at;    /* on the tape */
};

/* Numbers become text in the reader's memory, which may move: the tape holds where in it. */
static void add_number(struct skr_json_reader *reader, const json_t *tree, struct skr_json *ret)
{
    enum { TEXT_MAX = 40, DIGITS = 15 }; /* more digits would show 0.1 as 0.10000000000000001 */
    skr_grow(&reader->unescaped, &reader->max_unescaped, reader->n_unescaped + TEXT_MAX, 1);
    const size_t n = json_dumpb(tree, reader->unescaped + reader->n_unescaped, TEXT_MAX,
                                JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
    skr_bug_on(n > TEXT_MAX);
    *ret = (struct skr_json){.text = (const char *)(uintptr_t)reader->n_unescaped,
                             .n = (uint32_t)n,
                             .type = SKR_JSON_NUMBER};
    reader->n_unescaped += n;
}

static void add_text(struct skr_json_reader *reader, const char *text, size_t n)
{
    *skr_json_add(reader) =
        (struct skr_json){.text = text, .n = (uint32_t)n, .type = SKR_JSON_STRING};
}

/* Without what is in it. */
static void add_one(struct skr_json_reader *reader, const json_t *tree)
{
    struct skr_json *value = skr_json_add(reader);
    *value = (struct skr_json){.type = SKR_JSON_NULL};
    if (json_is_string(tree)) {
        value->type = SKR_JSON_STRING;
        value->text = json_string_value(tree);
        value->n = (uint32_t)json_string_length(tree);
    } else if (json_is_number(tree)) {
        add_number(reader, tree, value);
    } else if (json_is_boolean(tree)) {
        value->type = SKR_JSON_BOOLEAN;
        value->n = json_is_true(tree);
    } else if (json_is_array(tree) || json_is_object(tree)) {
        value->type = json_is_array(tree) ? SKR_JSON_ARRAY : SKR_JSON_OBJECT;
    }
}

/* The next entry of the innermost one, its key added; NULL: it has no more. */
static json_t *next_entry(struct skr_json_reader *reader, struct open *open)
{
    if (json_is_array(open->json)) {
        return json_array_get(open->json, open->item++);
    }
    if (!open->member) {
        return NULL;
    }
    const char *key = json_object_iter_key(open->member);
    json_t *value = json_object_iter_value(open->member);
    add_text(reader, key, json_object_iter_key_len(open->member));
    open->member = json_object_iter_next(open->json, open->member);
    return value;
}

static void place_numbers(struct skr_json_reader *reader)
{
    for (size_t i = 0; i < reader->n_values; i++) {
        struct skr_json *value = &reader->tape[i];
        if (value->type == SKR_JSON_NUMBER) {
            value->text = reader->unescaped + (uintptr_t)value->text;
        }
    }
}

int skr_json_of_tree(struct skr_json_reader *reader, const json_t *tree,
                     const struct skr_json **ret, struct skr_error *error)
{
    struct open open[SKR_JSON_DEPTH_MAX];
    size_t depth = 0;
    json_t *value = (json_t *)(uintptr_t)tree; /* libjansson iterates over non-const objects only */
    skr_json_begin(reader, "", 0);
    *ret = NULL;
    while (value) {
        add_one(reader, value);
        if (json_is_array(value) || json_is_object(value)) {
            if (depth == SKR_JSON_DEPTH_MAX) {
                return skr_error_set(error, SKR_LIMIT, "more than %d levels of arrays and objects",
                                     (int)SKR_JSON_DEPTH_MAX);
            }
            open[depth++] = (struct open){value, json_object_iter(value), 0, reader->n_values - 1};
        }
        for (value = NULL; !value && depth > 0;) {
            struct open *innermost = &open[depth - 1];
            value = next_entry(reader, innermost);
            if (!value) {
                reader->tape[innermost->at].n = (uint32_t)(reader->n_values - innermost->at - 1);
                depth--;
            }
        }
    }
    place_numbers(reader);
    *ret = tree ? reader->tape : NULL;
    return 0;
}
