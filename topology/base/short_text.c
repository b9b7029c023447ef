/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of up to 15 bytes in place; else the first bytes are the address. */
#include "topology/base/short_text.h"

#include <string.h>

#include "topology/base/arena.h"

static char *heap_of(const struct skr_short_text *text)
{
    char *s = NULL;
    if (text->bytes[SKR_SHORT_TEXT_INLINE] != 0) {
        memcpy(&s, text->bytes, sizeof s);
    }
    return s;
}

void skr_short_text_fini(struct skr_short_text *text)
{
    free(heap_of(text));
    memset(text, 0, sizeof *text);
}

void skr_short_text_set(struct skr_short_text *text, const char *s, size_t n)
{
    char bytes[SKR_SHORT_TEXT_INLINE + 1] = {0};
    if (n > SKR_SHORT_TEXT_INLINE) {
        char *copy = skr_alloc(n + 1);
        memcpy(copy, s, n);
        memcpy(bytes, (const void *)&copy, sizeof(char *));
        bytes[SKR_SHORT_TEXT_INLINE] = 1;
    } else {
        memcpy(bytes, s, n);
    }
    skr_short_text_fini(text); /* s may be of it */
    memcpy(text->bytes, bytes, sizeof bytes);
}

const char *skr_short_text_get(const struct skr_short_text *text)
{
    const char *heap = heap_of(text);
    return heap ? heap : text->bytes;
}

/* Where the digits that end before the '-' at `dash` begin, if another '-' stands before them; else 0. */
static size_t number_before(const char *name, size_t dash)
{
    size_t at = dash;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
    }
    return at > 0 && at < dash && name[at - 1] == '-' ? at : 0;
}

size_t skr_name_stem(const char *name)
{
    const char *dash = strrchr(name, '-');
    size_t stem = dash ? (size_t)(dash - name) + 1 : 0, n = strlen(name);
    for (size_t at = stem; at > 0 && n - at <= SKR_SHORT_TEXT_INLINE;) {
        stem = at;
        at = number_before(name, stem - 1);
    }
    return stem;
}
