/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in an array without gaps, and an index over it. */
#include "topology/base/texts.h"

#include <string.h>

#include "topology/base/arena.h"

struct skr_text {
    uint32_t refs;
    uint32_t number; /* place in the array */
    char s[];
};

static uint32_t hash_of(const char *s)
{
    return (uint32_t)skr_hash_string(s);
}

void skr_texts_fini(struct skr_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++) {
        free(texts->item[i]);
    }
    free(texts->item);
    skr_hash_index_fini(&texts->index);
    *texts = (struct skr_texts){.item = NULL};
}

const char *skr_texts_share(struct skr_texts *texts, const char *s)
{
    const uint32_t hash = hash_of(s);
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&texts->index, hash, &at, &number);) {
        struct skr_text *text = texts->item[number];
        if (strcmp(text->s, s) == 0) {
            skr_bug_on(text->refs == UINT32_MAX);
            text->refs++;
            return text->s;
        }
    }
    const size_t size = strlen(s) + 1;
    struct skr_text *text = skr_alloc(sizeof *text + size);
    memcpy(text->s, s, size);
    text->refs = 1;
    text->number = (uint32_t)texts->n;
    skr_grow(&texts->item, &texts->cap, texts->n + 1, sizeof texts->item[0]);
    texts->item[texts->n++] = text;
    skr_hash_index_add(&texts->index, hash, text->number);
    return text->s;
}

void skr_texts_release(struct skr_texts *texts, const char *s)
{
    struct skr_text *text = (struct skr_text *)(uintptr_t)(s - offsetof(struct skr_text, s));
    skr_bug_on(text->number >= texts->n || texts->item[text->number] != text);
    if (--text->refs > 0) {
        return;
    }
    skr_hash_index_remove(&texts->index, hash_of(s), text->number);
    struct skr_text *last = texts->item[--texts->n];
    if (last != text) {
        skr_hash_index_renumber(&texts->index, hash_of(last->s), last->number, text->number);
        last->number = text->number;
        texts->item[text->number] = last;
    }
    free(text);
}
