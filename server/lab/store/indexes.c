/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. */
#include "server/lab/store/indexes.h"

#include <stdlib.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

void skr_indexes_fini(struct skr_indexes *set)
{
    free(set->bits);
    *set = (struct skr_indexes){NULL, 0};
}

bool skr_indexes_has(const struct skr_indexes *set, int64_t index)
{
    return index >= 0 && (size_t)index / 8 < set->n && (set->bits[index / 8] >> index % 8 & 1) != 0;
}

bool skr_indexes_add(struct skr_indexes *set, int64_t index)
{
    if (index < 0 || index >= SKR_INDEXES_MAX || skr_indexes_has(set, index)) {
        return false;
    }
    skr_grow(&set->bits, &set->n, (size_t)index / 8 + 1, 1);
    set->bits[index / 8] = (unsigned char)(set->bits[index / 8] | 1U << index % 8);
    return true;
}

void skr_indexes_parse(struct skr_indexes *set, const char *text)
{
    while (*text >= '0' && *text <= '9') {
        char *end;
        const long long first = strtoll(text, &end, 10);
        long long last = first;
        if (*end == '-') {
            last = strtoll(end + 1, &end, 10);
        }
        for (long long i = first; i <= last && i < SKR_INDEXES_MAX; i++) {
            (void)skr_indexes_add(set, i);
        }
        text = *end == ',' ? end + 1 : end;
    }
}

char *skr_indexes_text(const struct skr_indexes *set)
{
    struct skr_strbuf text;
    const int64_t limit = (int64_t)set->n * 8;

    skr_strbuf_init(&text);
    skr_strbuf_add(&text, "");
    for (int64_t i = 0; i < limit; i++) {
        if (!skr_indexes_has(set, i)) {
            continue;
        }
        int64_t last = i;
        while (skr_indexes_has(set, last + 1)) {
            last++;
        }
        skr_strbuf_addf(&text, "%s%lld", text.len > 0 ? "," : "", (long long)i);
        if (last > i) {
            /* Two neighbours are written one by one, as kube-controller-manager does. */
            skr_strbuf_addf(&text, "%c%lld", last > i + 1 ? '-' : ',', (long long)last);
        }
        i = last;
    }
    return skr_strbuf_take(&text, NULL);
}
