/* SPDX-License-Identifier: Apache-2.0 */
/* "01234567-89ab-cdef-0123-456789abcdef": sixteen digits a word, the first one highest. */
#include "topology/base/uuid.h"

#include <stddef.h>

enum { LETTERS = SKR_UUID_TEXT - 1, DIGITS_A_WORD = 16 };

static bool is_dash(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool skr_uuid_pack(const char *text, uint64_t ret[2])
{
    size_t digits = 0;
    ret[0] = 0;
    ret[1] = 0;
    for (size_t i = 0; i < LETTERS; i++) {
        if (is_dash(i)) {
            if (text[i] != '-') {
                return false;
            }
            continue;
        }
        int digit = digit_of(text[i]);
        if (digit < 0) {
            return false;
        }
        uint64_t *word = &ret[digits++ / DIGITS_A_WORD];
        *word = *word << 4 | (uint64_t)digit;
    }
    return text[LETTERS] == '\0';
}

const char *skr_uuid_unpack(const uint64_t uuid[2], char ret[SKR_UUID_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    size_t digits = 0;
    for (size_t i = 0; i < LETTERS; i++) {
        if (is_dash(i)) {
            ret[i] = '-';
            continue;
        }
        size_t shift = 4 * (DIGITS_A_WORD - 1 - digits % DIGITS_A_WORD);
        ret[i] = hex[uuid[digits++ / DIGITS_A_WORD] >> shift & 15];
    }
    ret[LETTERS] = '\0';
    return ret;
}
