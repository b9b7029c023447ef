/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the bytes "managedFields": and, when an array follows, its end. The key cannot be mistaken:
 * inside a JSON string its quotes would be escaped, and a quote that is itself escaped is told by
 * the backslash before it. An escape of NUL is one when no backslash, or two, or four, stand before
 * it. O(n), no memory.
 */
#include "server/kube/prune.h"

#include <stdbool.h>
#include <string.h>

static const char key[] = "\"managedFields\":";
static const char nul[] = "\\u0000";
enum { ESCAPE_BYTES = 2 }; /* "\\u": what nul begins with, and stays */
static const char replacement[] = "fffd";

/* Index of the ']' that closes the array which begins at i; n when there is none. */
static size_t array_end(const char *text, size_t n, size_t i)
{
    size_t depth = 0;
    bool in_string = false;
    for (; i < n; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[') {
            depth++;
        } else if (c == ']' && --depth == 0) {
            return i;
        }
    }
    return n;
}

static size_t find(const struct skr_prune *p, size_t from, const char *what, size_t n)
{
    const char *found = from < p->n ? memmem(p->text + from, p->n - from, what, n) : NULL;
    return found ? (size_t)(found - p->text) : p->n;
}

/* Whether the character at i is escaped by a backslash that is not escaped itself. */
static bool is_escaped(const struct skr_prune *p, size_t i)
{
    size_t backslashes = 0;
    while (backslashes < i && p->text[i - 1 - backslashes] == '\\') {
        backslashes++;
    }
    return backslashes % 2 == 1;
}

/* The next array of managed fields from p->at on: p->next_key is where its '[' stands. */
static void find_key(struct skr_prune *p)
{
    size_t from = p->at;
    for (;;) {
        size_t at = find(p, from, key, sizeof key - 1);
        size_t value = at + sizeof key - 1;
        while (value < p->n && strchr(" \t\r\n", p->text[value]) && p->text[value] != '\0') {
            value++;
        }
        if (value >= p->n) {
            p->next_key = p->n;
            return;
        }
        if (p->text[value] == '[' && !is_escaped(p, at)) {
            p->next_key = value;
            return;
        }
        from = value;
    }
}

static void find_nul(struct skr_prune *p)
{
    size_t at = find(p, p->at, nul, sizeof nul - 1);
    while (at < p->n && is_escaped(p, at)) {
        at = find(p, at + 1, nul, sizeof nul - 1);
    }
    p->next_nul = at;
}

/* Sets the next part to hand out, from p->at on. Both places are looked for again only once they
 * lie behind, so that the text is read a constant number of times. */
static void find_part(struct skr_prune *p)
{
    if (p->next_key < p->at) {
        find_key(p);
    }
    if (p->next_nul < p->at) {
        find_nul(p);
    }
    p->stop = p->resume = p->n;
    p->insert = "";
    if (p->next_nul < p->next_key) {
        p->stop = p->next_nul + ESCAPE_BYTES;
        p->resume = p->next_nul + sizeof nul - 1;
        p->insert = replacement;
    } else if (p->next_key < p->n) {
        size_t end = array_end(p->text, p->n, p->next_key);
        p->stop = end < p->n ? p->next_key + 1 : p->n;
        p->resume = end;
    }
}

void skr_prune_init(struct skr_prune *prune, const char *text, size_t n)
{
    *prune = (struct skr_prune){.text = text, .n = n};
    find_key(prune);
    find_nul(prune);
    find_part(prune);
}

/* Hands out what of from fits and returns its length. */
static size_t hand_out(char *out, size_t room, const char *from, size_t n)
{
    size_t part = n < room ? n : room;
    memcpy(out, from, part);
    return part;
}

size_t skr_prune_read(void *buffer, size_t size, void *context)
{
    struct skr_prune *p = context;
    char *out = buffer;
    size_t done = 0;
    while (done < size && p->at < p->n) {
        if (p->at < p->stop) {
            size_t part = hand_out(out + done, size - done, p->text + p->at, p->stop - p->at);
            p->at += part;
            done += part;
        } else if (p->insert[0] != '\0') {
            size_t part = hand_out(out + done, size - done, p->insert, strlen(p->insert));
            p->insert += part;
            done += part;
        } else {
            p->at = p->resume;
            find_part(p);
        }
    }
    return done;
}
