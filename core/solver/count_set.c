/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of counts, as runs where possible and as bits elsewhere, and the pool that stores equal ones
 * once.
 *
 * Two runs of one step add up to a run: hi is the sum of both. All other sums go through the kernel
 * of count_bits.h, and a result that is a run is written as one. Holes close quickly, so in the
 * upper levels most sets are runs again.
 */
#include "core/solver/count_set.h"

#include <string.h>

#include "core/solver/count_bits.h"

struct skr_counts skr_counts_up_to(int32_t hi)
{
    return (struct skr_counts){.rows = 1, .hi = hi, .step = 1};
}

bool skr_counts_has(const struct skr_counts *counts, int32_t row, int32_t count)
{
    if (row >= counts->rows || count > counts->hi) {
        return false;
    }
    if (counts->step > 0) {
        return count % counts->step == 0;
    }
    return skr_bits_get(counts->bits + (size_t)row * (size_t)skr_bits_words(counts->hi), count);
}

/* ---- space ---- */

size_t skr_counts_space_bytes(int32_t n, int32_t rows)
{
    size_t row = (size_t)skr_bits_words(n) * sizeof(uint64_t);
    return (size_t)rows > SIZE_MAX / 4 / row ? 0 : (2 * (size_t)rows + 5) * row;
}

void skr_counts_space_init(struct skr_counts_space *space, int32_t n, int32_t rows)
{
    size_t words = (size_t)skr_bits_words(n);
    *space = (struct skr_counts_space){.n = n, .rows = rows};
    space->result[0] = skr_alloc_array(words * (size_t)rows, sizeof(uint64_t));
    space->result[1] = skr_alloc_array(words * (size_t)rows, sizeof(uint64_t));
    space->child = skr_alloc_array(2 * words, sizeof(uint64_t));
    space->flat = skr_alloc_array(2 * words, sizeof(uint64_t));
    space->tmp = skr_alloc_array(words, sizeof(uint64_t));
}

void skr_counts_space_fini(struct skr_counts_space *space)
{
    free(space->result[0]);
    free(space->result[1]);
    free(space->child);
    free(space->flat);
    free(space->tmp);
}

/* ---- sums ---- */

/* Row `row` of counts as bits, the words of hi. flat: memory for a run. */
static const uint64_t *row_bits(const struct skr_counts *counts, int32_t row, uint64_t *flat)
{
    size_t words = (size_t)skr_bits_words(counts->hi);
    if (counts->step == 0) {
        return counts->bits + (size_t)row * words;
    }
    memset(flat, 0, words * sizeof *flat);
    skr_bits_set_progression(flat, 0, counts->hi, counts->step);
    return flat;
}

static int32_t greatest_of(const uint64_t *bits, int32_t rows, int32_t words)
{
    int32_t hi = 0;
    for (int32_t row = 0; row < rows; row++) {
        int32_t last = skr_bits_previous(bits + (size_t)row * (size_t)words, words * 64 - 1);
        hi = last > hi ? last : hi;
    }
    return hi;
}

/* The bits, `words` a row, as a set: in the fewest words, or as a run. */
static struct skr_counts settle(uint64_t *bits, int32_t rows, int32_t words)
{
    int32_t hi = greatest_of(bits, rows, words);
    int32_t need = skr_bits_words(hi);
    for (int32_t row = 1; row < rows && need < words; row++) {
        memmove(bits + (size_t)row * (size_t)need, bits + (size_t)row * (size_t)words,
                (size_t)need * sizeof *bits);
    }
    struct skr_counts counts = {.rows = rows, .hi = hi, .bits = bits};
    if (rows == 1) {
        int32_t step = hi == 0 ? 1 : skr_bits_next(bits, need, 1);
        if (skr_bits_is_progression(bits, need, 0, hi, step)) {
            counts.step = step;
            counts.bits = NULL;
        }
    }
    return counts;
}

/* False: not both runs of one step. */
static bool sum_runs(const struct skr_counts *a, const struct skr_counts *b, int32_t n,
                     struct skr_counts *ret)
{
    if (a->step == 0 || b->step == 0 || (a->step != b->step && a->hi > 0 && b->hi > 0)) {
        return false;
    }
    *ret = a->hi > 0 ? *a : *b;
    ret->hi = b->hi < n - a->hi ? a->hi + b->hi : n - n % ret->step;
    return true;
}

struct skr_counts skr_counts_sum(struct skr_counts_space *space, const struct skr_counts *a,
                                 const struct skr_counts *b, int32_t used)
{
    struct skr_counts runs;
    if (sum_runs(a, b, space->n, &runs)) {
        return runs;
    }
    int32_t rows = used > 0 ? a->rows + b->rows - 1 : 1;
    rows = used > 0 && rows > used + 1 ? used + 1 : rows;
    int32_t hi = b->hi < space->n - a->hi ? a->hi + b->hi : space->n;
    int32_t words = skr_bits_words(hi);
    uint64_t *out = space->result[space->turn];
    space->turn = 1 - space->turn;
    memset(out, 0, (size_t)rows * (size_t)words * sizeof *out);
    for (int32_t x = 0; x < a->rows; x++) {
        const uint64_t *left = row_bits(a, x, space->flat);
        for (int32_t y = 0; y < b->rows && x + y < rows; y++) {
            const uint64_t *right = row_bits(b, y, space->flat + (size_t)skr_bits_words(space->n));
            skr_bits_add_sums(out + (size_t)(x + y) * (size_t)words, words, left,
                              skr_bits_words(a->hi), right, skr_bits_words(b->hi), space->tmp);
        }
    }
    for (int32_t row = 0; row < rows; row++) {
        skr_bits_clear_above(out + (size_t)row * (size_t)words, words, hi);
    }
    return settle(out, rows, words);
}

/* What the law leaves of a run: the multiples of both steps. False: that is no run. */
static bool child_of_run(const struct skr_counts *inside, const struct skr_law *law,
                         struct skr_counts *ret)
{
    if (inside->step == 0 || law->used > 0) {
        return false;
    }
    int64_t step = inside->step;
    while (step % law->factor != 0 && step <= inside->hi) {
        step += inside->step;
    }
    int32_t hi = inside->hi < law->hi ? inside->hi : law->hi;
    if (step > hi || law->lo > hi) {
        *ret = skr_counts_up_to(0);
        return true;
    }
    *ret = (struct skr_counts){
        .rows = 1, .hi = hi - hi % (int32_t)step, .step = (int32_t)step, .bits = NULL};
    return law->lo <= step;
}

struct skr_counts skr_counts_child(struct skr_counts_space *space, const struct skr_counts *inside,
                                   int32_t row, const struct skr_law *law, const uint64_t *allowed)
{
    struct skr_counts runs;
    if (row >= inside->rows || inside->hi == 0) {
        return skr_counts_up_to(0);
    }
    if (child_of_run(inside, law, &runs)) {
        return runs;
    }
    int32_t words = skr_bits_words(inside->hi);
    uint64_t *out = space->child;
    const uint64_t *bits = row_bits(inside, row, space->flat);
    int32_t rows = law->used > 0 ? 2 : 1;
    uint64_t *used = out + (size_t)(rows - 1) * (size_t)words;
    memset(out, 0, (size_t)words * sizeof *out);
    for (int32_t w = 0; w < words; w++) {
        used[w] = !allowed ? bits[w] : bits[w] & allowed[w];
    }
    used[0] &= ~UINT64_C(1);
    skr_bits_set(out, 0);
    struct skr_counts child = settle(out, rows, words);
    return child.hi == 0 ? skr_counts_up_to(0) : child;
}

/* ---- the pool ---- */

static size_t words_of(const struct skr_counts *counts)
{
    return counts->step > 0 ? 0 : (size_t)counts->rows * (size_t)skr_bits_words(counts->hi);
}

static uint32_t hash_of(const struct skr_counts *counts)
{
    uint64_t hash = skr_hash_pair((uint64_t)counts->hi, (uint64_t)counts->step);
    hash = skr_hash_pair(hash, (uint64_t)counts->rows);
    for (size_t w = 0; w < words_of(counts); w++) {
        hash = skr_hash_pair(hash, counts->bits[w]);
    }
    return (uint32_t)hash;
}

static bool equal(const struct skr_counts *a, const struct skr_counts *b)
{
    size_t words = words_of(a);
    return a->rows == b->rows && a->hi == b->hi && a->step == b->step &&
           (words == 0 || memcmp(a->bits, b->bits, words * sizeof *a->bits) == 0);
}

static size_t bytes_of(const struct skr_counts *counts)
{
    return sizeof(struct skr_count_set) + words_of(counts) * sizeof(uint64_t);
}

void skr_count_pool_fini(struct skr_count_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        free(pool->item[i]);
    }
    free(pool->item);
    free(pool->unused);
    skr_hash_index_fini(&pool->index);
}

static uint32_t pool_add(struct skr_count_pool *pool, const struct skr_counts *counts,
                         uint32_t hash)
{
    struct skr_count_set *set = skr_alloc(bytes_of(counts));
    uint64_t *bits = (uint64_t *)(void *)(set + 1);
    if (words_of(counts) > 0) {
        memcpy(bits, counts->bits, words_of(counts) * sizeof *bits);
    }
    *set = (struct skr_count_set){.refs = 1, .hash = hash, .counts = *counts};
    set->counts.bits = bits;
    uint32_t number;
    if (pool->n_unused > 0) {
        number = pool->unused[--pool->n_unused];
    } else {
        skr_grow(&pool->item, &pool->cap, pool->n + 1, sizeof pool->item[0]);
        number = (uint32_t)pool->n++;
    }
    pool->item[number] = set;
    pool->bytes += bytes_of(counts);
    skr_hash_index_add(&pool->index, hash, number);
    return number;
}

uint32_t skr_count_pool_take(struct skr_count_pool *pool, const struct skr_counts *counts)
{
    uint32_t hash = hash_of(counts);
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&pool->index, hash, &at, &number);) {
        if (equal(&pool->item[number]->counts, counts)) {
            skr_bug_on(++pool->item[number]->refs == 0);
            return number;
        }
    }
    return pool_add(pool, counts, hash);
}

void skr_count_pool_release(struct skr_count_pool *pool, uint32_t number)
{
    struct skr_count_set *set = pool->item[number];
    skr_bug_on(!set || set->refs == 0);
    if (--set->refs > 0) {
        return;
    }
    skr_hash_index_remove(&pool->index, set->hash, number);
    pool->bytes -= bytes_of(&set->counts);
    pool->item[number] = NULL;
    free(set);
    skr_grow(&pool->unused, &pool->unused_cap, pool->n_unused + 1, sizeof pool->unused[0]);
    pool->unused[pool->n_unused++] = number;
}
