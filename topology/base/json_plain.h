/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_PLAIN_H
#define SKR_TOPOLOGY_BASE_JSON_PLAIN_H
/* Bytes of JSON strings that stand for themselves: what most strings consist of. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "topology/base/attr.h"

static inline bool skr_json_is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\' && c < 0x80;
}

/*
 * How many bytes the n bytes at s begin with that stand for themselves. O(that), eight at a time. A byte of
 * w ^ pattern is zero where the byte is looked for, and x - 1 has its high bit then. So has x - 1 of a byte
 * that is not ASCII, which w itself shows. Other bytes have it only above a byte that was found, by the
 * borrow. So the lowest one is the first byte that is not plain, where bytes of memory come lowest first.
 */
static inline size_t skr_json_plain_length(const char *s, size_t n)
{
    enum { LOWEST_FIRST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t high = ones << 7;
    size_t at = 0;
    while (n - at >= sizeof(uint64_t)) {
        uint64_t w;
        memcpy(&w, s + at, sizeof w);
        const uint64_t quote = w ^ ones * '"';
        const uint64_t backslash = w ^ ones * '\\';
        const uint64_t control = w - ones * 0x20;
        const uint64_t found = (w | control | (quote - ones) | (backslash - ones)) & high;
        if (found != 0 && LOWEST_FIRST) {
            return at + (size_t)skr_lowest_bit(found) / 8;
        }
        if (found != 0) {
            break;
        }
        at += sizeof w;
    }
    while (at < n && skr_json_is_plain((unsigned char)s[at])) {
        at++;
    }
    return at;
}

#endif
