/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal string alignment distance over three rows of the usual table, on words of at most
 * SKR_SUGGEST_WORD_MAX letters.
 */
#include "topology/base/suggest.h"

#include <ctype.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][SKR_SUGGEST_WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t differs = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = smaller(smaller(last[j] + 1, row[j - 1] + 1), last[j - 1] + differs);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

const char *skr_suggest_within(const char *word, const char *const *candidate, size_t n,
                               size_t most)
{
    size_t length = strlen(word);
    if (length == 0 || length > SKR_SUGGEST_WORD_MAX) {
        return NULL;
    }
    size_t best = most + 1;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t m = strlen(candidate[i]);
        if (m > SKR_SUGGEST_WORD_MAX) {
            continue;
        }
        size_t d = distance(word, length, candidate[i], m);
        if (d < best && d < m && d < length) {
            best = d;
            found = candidate[i];
        }
    }
    return found;
}

const char *skr_suggest(const char *word, const char *const *candidate, size_t n)
{
    return skr_suggest_within(word, candidate, n, strlen(word) / 3 + 1);
}
