/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by number in a slab, and an index over it. */
#include "topology/base/texts.h"

#include <string.h>

#include "topology/base/arena.h"

struct text {
    uint32_t refs;
    uint32_t number; /* in the slab */
    char s[];
};

static uint32_t hash_of(const char *s)
{
    return (uint32_t)skr_hash_string(s);
}

static struct text *text_at(const struct skr_texts *texts, uint32_t number)
{
    return *(struct text **)skr_slab_at(&texts->item, number);
}

static struct text *text_of(const char *s)
{
    return (struct text *)(uintptr_t)(s - offsetof(struct text, s));
}

void skr_texts_fini(struct skr_texts *texts)
{
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&texts->item, &at, &number);) {
        free(text_at(texts, number));
    }
    skr_slab_fini(&texts->item);
    skr_hash_index_fini(&texts->index);
}

const char *skr_texts_share(struct skr_texts *texts, const char *s)
{
    const uint32_t hash = hash_of(s);
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&texts->index, hash, &at, &number);) {
        struct text *text = text_at(texts, number);
        if (strcmp(text->s, s) == 0) {
            skr_bug_on(text->refs == UINT32_MAX);
            text->refs++;
            return text->s;
        }
    }
    const size_t size = strlen(s) + 1;
    struct text *text = skr_alloc(sizeof *text + size);
    memcpy(text->s, s, size);
    text->refs = 1;
    texts->item.size = sizeof text;
    text->number = skr_slab_add(&texts->item);
    *(struct text **)skr_slab_at(&texts->item, text->number) = text;
    skr_hash_index_add(&texts->index, hash, text->number);
    return text->s;
}

void skr_texts_release(struct skr_texts *texts, const char *s)
{
    struct text *text = text_of(s);
    skr_bug_on(text_at(texts, text->number) != text);
    if (--text->refs > 0) {
        return;
    }
    skr_hash_index_remove(&texts->index, hash_of(s), text->number);
    skr_slab_remove(&texts->item, text->number);
    free(text);
}

uint32_t skr_texts_number(const char *text)
{
    return text_of(text)->number;
}

const char *skr_texts_at(const struct skr_texts *texts, uint32_t number)
{
    return text_at(texts, number)->s;
}

size_t skr_texts_count(const struct skr_texts *texts)
{
    return texts->item.n;
}
