/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of counts as bits, and their sums.
 *
 * The sum of a set B and a run {s .. s + len - 1} is B smeared over len places and shifted by s.
 * Smearing doubles: B, B | B << 1, that | that << 2, ... so a run of length len costs about
 * log2(len) shifts of the whole set. A set is summed run by run, the one with fewer runs giving the
 * runs; intervals, the common case, are one run.
 *
 * Where all counts are multiples of a step (a factor), every count is a run of its own. Such sets
 * are gathered, summed, and scattered again: step times fewer words, and often few runs.
 */
#include "core/solver/count_bits.h"

#include <string.h>

#include "topology/base/attr.h"

int32_t skr_bits_next(const uint64_t *bits, int32_t words, int32_t from)
{
    int32_t w = from / 64;
    if (w >= words) {
        return -1;
    }
    uint64_t word = bits[w] & (UINT64_MAX << (from % 64));
    while (word == 0) {
        w++;
        if (w == words) {
            return -1;
        }
        word = bits[w];
    }
    return w * 64 + skr_lowest_bit(word);
}

int32_t skr_bits_previous(const uint64_t *bits, int32_t from)
{
    int32_t w = from / 64;
    uint64_t word = bits[w] & (UINT64_MAX >> (63 - from % 64));
    while (word == 0) {
        if (w == 0) {
            return -1;
        }
        w--;
        word = bits[w];
    }
    return w * 64 + skr_highest_bit(word);
}

void skr_bits_set_range(uint64_t *bits, int32_t lo, int32_t hi)
{
    for (int32_t w = lo / 64; w <= hi / 64; w++) {
        uint64_t word = UINT64_MAX;
        if (w == lo / 64) {
            word &= UINT64_MAX << (lo % 64);
        }
        if (w == hi / 64) {
            word &= UINT64_MAX >> (63 - hi % 64);
        }
        bits[w] |= word;
    }
}

void skr_bits_clear_above(uint64_t *bits, int32_t words, int32_t hi)
{
    int32_t w = hi / 64;
    bits[w] &= UINT64_MAX >> (63 - hi % 64);
    for (w++; w < words; w++) {
        bits[w] = 0;
    }
}

/* out |= in << by, both of the same length. Works in place: it goes from the top down. */
static void or_shifted(uint64_t *out, const uint64_t *in, int32_t words, int32_t by)
{
    int32_t skip = by / 64;
    int32_t shift = by % 64;
    for (int32_t w = words - 1; w >= skip; w--) {
        uint64_t word = in[w - skip] << shift;
        if (shift != 0 && w > skip) {
            word |= in[w - skip - 1] >> (64 - shift);
        }
        out[w] |= word;
    }
}

static int32_t count_runs(const uint64_t *bits, int32_t words)
{
    int32_t runs = 0;
    uint64_t before = 0;
    for (int32_t w = 0; w < words; w++) {
        uint64_t starts = bits[w] & ~(bits[w] << 1 | before);
        before = bits[w] >> 63;
        while (starts != 0) {
            starts &= starts - 1;
            runs++;
        }
    }
    return runs;
}

/* First count >= from that is not in the set. */
static int32_t run_end(const uint64_t *bits, int32_t words, int32_t from)
{
    int32_t w = from / 64;
    uint64_t gaps = ~bits[w] & (UINT64_MAX << (from % 64));
    while (gaps == 0) {
        w++;
        if (w == words) {
            return words * 64;
        }
        gaps = ~bits[w];
    }
    return w * 64 + skr_lowest_bit(gaps);
}

void skr_bits_set_progression(uint64_t *bits, int32_t lo, int32_t hi, int32_t step)
{
    if (step == 1) {
        skr_bits_set_range(bits, lo, hi);
        return;
    }
    if (step >= 64 || 64 % step != 0) {
        for (int32_t x = lo; x <= hi; x += step) {
            skr_bits_set(bits, x);
        }
        return;
    }
    /* Every word looks the same. */
    uint64_t pattern = UINT64_C(1) << (lo % step);
    for (int32_t by = step; by < 64; by *= 2) {
        pattern |= pattern << by;
    }
    for (int32_t w = lo / 64; w <= hi / 64; w++) {
        uint64_t word = pattern;
        if (w == lo / 64) {
            word &= UINT64_MAX << (lo % 64);
        }
        if (w == hi / 64) {
            word &= UINT64_MAX >> (63 - hi % 64);
        }
        bits[w] |= word;
    }
}

bool skr_bits_is_progression(const uint64_t *bits, int32_t words, int32_t lo, int32_t hi,
                             int32_t step)
{
    if (step == 1) {
        return run_end(bits, words, lo) > hi;
    }
    if ((hi - lo) % step != 0) {
        return false;
    }
    int32_t x = lo;
    while (x < hi && skr_bits_next(bits, words, x + 1) == x + step) {
        x += step;
    }
    return x == hi;
}

void skr_bits_add_sums(uint64_t *out, int32_t out_words, const uint64_t *a, int32_t a_words,
                       const uint64_t *b, int32_t b_words, uint64_t *tmp)
{
    if (count_runs(a, a_words) > count_runs(b, b_words)) {
        const uint64_t *bits = a;
        int32_t words = a_words;
        a = b;
        a_words = b_words;
        b = bits;
        b_words = words;
    }
    int32_t start = skr_bits_next(a, a_words, 0);
    while (start >= 0 && start < 64 * out_words) {
        int32_t end = run_end(a, a_words, start);
        int32_t copy = b_words < out_words ? b_words : out_words;
        memcpy(tmp, b, (size_t)copy * sizeof *tmp);
        memset(tmp + copy, 0, (size_t)(out_words - copy) * sizeof *tmp);
        int32_t want = end - start < 64 * out_words ? end - start : 64 * out_words;
        for (int32_t have = 1; have < want;) {
            int32_t step = have < want - have ? have : want - have;
            or_shifted(tmp, tmp, out_words, step);
            have += step;
        }
        or_shifted(out, tmp, out_words, start);
        start = skr_bits_next(a, a_words, end);
    }
}

void skr_bits_gather(uint64_t *out, const uint64_t *in, int32_t words, int32_t step)
{
    /* Unsigned: places of bits need no care for signs. */
    const uint32_t end = (uint32_t)words * 64;
    uint32_t x = 0;
    for (int32_t w = 0; x < end; w++) {
        uint64_t word = 0;
        for (uint32_t i = 0; i < 64 && x < end; i++, x += (uint32_t)step) {
            word |= (in[x / 64] >> (x % 64) & 1) << i;
        }
        out[w] = word;
    }
}

void skr_bits_scatter(uint64_t *out, int32_t words, const uint64_t *in, int32_t step)
{
    for (int32_t w = 0; w < skr_bits_gathered_words(words, step); w++) {
        for (uint64_t word = in[w]; word != 0; word &= word - 1) {
            int64_t x = ((int64_t)w * 64 + skr_lowest_bit(word)) * step;
            if (x < (int64_t)words * 64) {
                skr_bits_set(out, (int32_t)x);
            }
        }
    }
}
