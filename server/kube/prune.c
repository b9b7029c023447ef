/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the bytes "managedFields": and, when an array follows, its end. The key cannot be mistaken:
 * inside a JSON string its quotes would be escaped, and a quote that is itself escaped is told by
 * the backslash before it. O(n), no memory.
 */
#include "server/kube/prune.h"

#include <stdbool.h>
#include <string.h>

static const char key[] = "\"managedFields\":";

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

/* Sets the next part to hand out, from p->at on. */
static void find_part(struct skr_prune *p)
{
    size_t from = p->at;
    p->stop = p->n;
    p->resume = p->n;
    while (from < p->n) {
        const char *found = memmem(p->text + from, p->n - from, key, sizeof key - 1);
        if (!found) {
            return;
        }
        size_t at = (size_t)(found - p->text);
        size_t value = at + sizeof key - 1;
        from = value;
        while (value < p->n && strchr(" \t\r\n", p->text[value]) && p->text[value] != '\0') {
            value++;
        }
        if ((at > 0 && p->text[at - 1] == '\\') || value == p->n || p->text[value] != '[') {
            continue;
        }
        size_t end = array_end(p->text, p->n, value);
        if (end == p->n) {
            return;
        }
        p->stop = value + 1;
        p->resume = end;
        return;
    }
}

void skr_prune_init(struct skr_prune *prune, const char *text, size_t n)
{
    *prune = (struct skr_prune){.text = text, .n = n};
    find_part(prune);
}

size_t skr_prune_read(void *buffer, size_t size, void *context)
{
    struct skr_prune *p = context;
    char *out = buffer;
    size_t done = 0;
    while (done < size && p->at < p->n) {
        if (p->at == p->stop) {
            p->at = p->resume;
            find_part(p);
            continue;
        }
        size_t part = p->stop - p->at;
        if (part > size - done) {
            part = size - done;
        }
        memcpy(out + done, p->text + p->at, part);
        done += part;
        p->at += part;
    }
    return done;
}
