/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of 256 records and a bit for each that is there. Chunks with room stand in a list: those
 * that have records before those that were given back, so that new records fill gaps first.
 */
#include "topology/base/slab.h"

#include <string.h>

#include "topology/base/arena.h"

enum { RECORDS = 256, WORDS = RECORDS / 64 };
#define CHUNKS_MAX (UINT32_MAX / RECORDS)

struct skr_slab_chunk {
    unsigned char *record; /* RECORDS of them; NULL: given back */
    uint64_t used[WORDS];  /* bits */
    uint32_t n;
    uint32_t prev, next; /* in the list of those with room, plus one */
};

/* ---- the list of chunks with room ---- */

static void unlink_chunk(struct skr_slab *slab, uint32_t c)
{
    struct skr_slab_chunk *chunk = &slab->chunk[c];
    *(chunk->prev != 0 ? &slab->chunk[chunk->prev - 1].next : &slab->first) = chunk->next;
    *(chunk->next != 0 ? &slab->chunk[chunk->next - 1].prev : &slab->last) = chunk->prev;
    chunk->prev = chunk->next = 0;
}

static void link_first(struct skr_slab *slab, uint32_t c)
{
    slab->chunk[c].next = slab->first;
    *(slab->first != 0 ? &slab->chunk[slab->first - 1].prev : &slab->last) = c + 1;
    slab->first = c + 1;
}

static void link_last(struct skr_slab *slab, uint32_t c)
{
    slab->chunk[c].prev = slab->last;
    *(slab->last != 0 ? &slab->chunk[slab->last - 1].next : &slab->first) = c + 1;
    slab->last = c + 1;
}

/* ---- records ---- */

/* One with room, which has its memory. */
static uint32_t obtain_chunk(struct skr_slab *slab)
{
    if (slab->first == 0) {
        skr_bug_on(slab->size == 0 || slab->size % 8 != 0 || slab->n_chunks >= CHUNKS_MAX);
        skr_grow(&slab->chunk, &slab->cap, slab->n_chunks + 1, sizeof slab->chunk[0]);
        link_last(slab, (uint32_t)slab->n_chunks++);
    }
    struct skr_slab_chunk *chunk = &slab->chunk[slab->first - 1];
    if (!chunk->record) {
        skr_bug_on(slab->size > SIZE_MAX / RECORDS);
        chunk->record = malloc(slab->size * RECORDS); /* zeroed one by one, when they are used */
        skr_bug_on(!chunk->record);
        slab->n_held++;
    }
    return slab->first - 1;
}

static uint32_t take_bit(struct skr_slab_chunk *chunk)
{
    uint32_t w = 0;
    while (chunk->used[w] == UINT64_MAX) {
        w++;
    }
    uint32_t bit = (uint32_t)skr_lowest_bit(~chunk->used[w]);
    chunk->used[w] |= UINT64_C(1) << bit;
    return w * 64 + bit;
}

uint32_t skr_slab_add(struct skr_slab *slab)
{
    const uint32_t c = obtain_chunk(slab);
    struct skr_slab_chunk *chunk = &slab->chunk[c];
    const uint32_t r = take_bit(chunk);
    memset(chunk->record + r * slab->size, 0, slab->size);
    slab->n++;
    if (++chunk->n == RECORDS) {
        unlink_chunk(slab, c);
    }
    return c * RECORDS + r;
}

static bool is_used(const struct skr_slab *slab, uint32_t number)
{
    const uint32_t c = number / RECORDS, r = number % RECORDS;
    return c < slab->n_chunks && (slab->chunk[c].used[r / 64] >> r % 64 & 1) != 0;
}

void *skr_slab_at(const struct skr_slab *slab, uint32_t number)
{
    skr_bug_on(!is_used(slab, number));
    return slab->chunk[number / RECORDS].record + number % RECORDS * slab->size;
}

void skr_slab_remove(struct skr_slab *slab, uint32_t number)
{
    skr_bug_on(!is_used(slab, number));
    const uint32_t c = number / RECORDS, r = number % RECORDS;
    struct skr_slab_chunk *chunk = &slab->chunk[c];
    chunk->used[r / 64] &= ~(UINT64_C(1) << r % 64);
    slab->n--;
    if (chunk->n-- == RECORDS) {
        link_first(slab, c);
    }
    if (chunk->n == 0) {
        free(chunk->record);
        chunk->record = NULL;
        slab->n_held--;
        unlink_chunk(slab, c);
        link_last(slab, c);
    }
}

bool skr_slab_next(const struct skr_slab *slab, size_t *at, uint32_t *ret)
{
    while (*at / RECORDS < slab->n_chunks) {
        const struct skr_slab_chunk *chunk = &slab->chunk[*at / RECORDS];
        const uint64_t rest = chunk->used[*at % RECORDS / 64] >> *at % 64;
        if (rest != 0) {
            *ret = (uint32_t)(*at + (size_t)skr_lowest_bit(rest));
            *at = (size_t)*ret + 1;
            return true;
        }
        *at = chunk->n > 0 ? (*at / 64 + 1) * 64 : (*at / RECORDS + 1) * RECORDS;
    }
    return false;
}

size_t skr_slab_bytes(const struct skr_slab *slab)
{
    return slab->cap * sizeof slab->chunk[0] + slab->n_held * RECORDS * slab->size;
}

void skr_slab_fini(struct skr_slab *slab)
{
    for (size_t c = 0; c < slab->n_chunks; c++) {
        free(slab->chunk[c].record);
    }
    free(slab->chunk);
    *slab = (struct skr_slab){.size = slab->size};
}
