/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as block YAML, as kubectl prints it. A string is plain only if it cannot be read as another
 * type; other strings are written as JSON strings, which YAML reads alike. An explicit stack replaces
 * recursion.
 */
#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

struct level {
    json_t *of;
    void *at; /* iterator of an object */
    size_t i; /* index of a list */
    size_t indent;
};

struct stack {
    struct level *item;
    size_t n, cap;
};

static bool is_reserved(const char *s)
{
    static const char *const words[] = {"y",     "n",  "yes", "no",  "true",
                                        "false", "on", "off", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(s, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Begins with a letter, and has no sign of YAML in it. */
static bool is_plain(const char *s)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789-._/";
    return *s && strspn(s, letters) > 0 && strspn(s, others) == strlen(s) && !is_reserved(s);
}

static void write_text(const char *s, struct skr_strbuf *out)
{
    if (is_plain(s)) {
        skr_strbuf_add(out, s);
    } else {
        skr_strbuf_add_json(out, s);
    }
}

static bool is_block(const json_t *json)
{
    return (json_is_object(json) && json_object_size(json) > 0) ||
           (json_is_array(json) && json_array_size(json) > 0);
}

static void write_scalar(const json_t *json, struct skr_strbuf *out)
{
    if (json_is_string(json)) {
        write_text(json_string_value(json), out);
    } else {
        SKR_AUTO_FREE char *text = json_dumps(json, JSON_ENCODE_ANY);
        skr_strbuf_add(out, text ? text : "null");
    }
    skr_strbuf_addc(out, '\n');
}

static void push(struct stack *s, json_t *json, size_t indent)
{
    skr_grow(&s->item, &s->cap, s->n + 1, sizeof *s->item);
    s->item[s->n++] = (struct level){
        .of = json, .at = json_is_object(json) ? json_object_iter(json) : NULL, .indent = indent};
}

/* The next entry of an object. first: it stands behind a "- ". */
static void write_entry(struct stack *s, bool first, struct skr_strbuf *out)
{
    struct level *l = &s->item[s->n - 1];
    const size_t indent = l->indent;
    json_t *value = json_object_iter_value(l->at);
    skr_page_pad(out, first ? 0 : indent);
    write_text(json_object_iter_key(l->at), out);
    l->at = json_object_iter_next(l->of, l->at);
    if (is_block(value)) {
        skr_strbuf_add(out, ":\n");
        push(s, value, json_is_array(value) ? indent : indent + 2);
    } else {
        skr_strbuf_add(out, ": ");
        write_scalar(value, out);
    }
}

/* The next element of a list: objects and lists begin on its line. */
static void write_element(struct stack *s, bool first, struct skr_strbuf *out)
{
    struct level *l = &s->item[s->n - 1];
    const size_t indent = l->indent;
    json_t *value = json_array_get(l->of, l->i++);
    skr_page_pad(out, first ? 0 : indent);
    skr_strbuf_add(out, "- ");
    if (!is_block(value)) {
        write_scalar(value, out);
        return;
    }
    push(s, value, indent + 2);
    if (json_is_object(value)) {
        write_entry(s, true, out);
    } else {
        write_element(s, true, out);
    }
}

static bool has_more(const struct level *l)
{
    return json_is_object(l->of) ? !!l->at : l->i < json_array_size(l->of);
}

void skr_page_write_yaml(const json_t *json, struct skr_strbuf *out)
{
    struct stack s = {.n = 0};
    if (!is_block(json)) {
        write_scalar(json, out);
        return;
    }
    push(&s, skr_object_unconst(json), 0);
    while (s.n > 0) {
        if (!has_more(&s.item[s.n - 1])) {
            s.n--;
        } else if (json_is_object(s.item[s.n - 1].of)) {
            write_entry(&s, false, out);
        } else {
            write_element(&s, false, out);
        }
    }
    free(s.item);
}
