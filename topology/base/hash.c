/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FNV-1a with a final mix, and open addressing with linear probing. Removal moves later pairs of
 * the run back (Knuth, TAOCP 6.4, algorithm R), so that there are no tombstones and the table does
 * not wear out.
 */
#include "topology/base/hash.h"

#include <string.h>

#include "topology/base/arena.h"

uint64_t skr_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t mix(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

uint64_t skr_hash_string(const char *s)
{
    return mix(skr_hash_bytes(SKR_HASH_BEGIN, s, strlen(s)));
}

uint64_t skr_hash_pair(uint64_t a, uint64_t b)
{
    return mix(mix(a) ^ (b * UINT64_C(0xD6E8FEB86659FD93)));
}

void skr_hash_index_fini(struct skr_hash_index *index)
{
    free(index->slot);
    *index = (struct skr_hash_index){NULL, 0, 0};
}

static void place(struct skr_hash_index *index, struct skr_hash_slot pair)
{
    size_t mask = index->n_slots - 1;
    size_t at = pair.hash & mask;
    while (index->slot[at].number != 0) {
        at = (at + 1) & mask;
    }
    index->slot[at] = pair;
}

static void grow(struct skr_hash_index *index)
{
    struct skr_hash_index larger = {NULL, index->n_slots != 0 ? index->n_slots * 2 : 16, index->n};
    larger.slot = skr_alloc_array(larger.n_slots, sizeof larger.slot[0]);
    for (size_t i = 0; i < index->n_slots; i++) {
        if (index->slot[i].number != 0) {
            place(&larger, index->slot[i]);
        }
    }
    free(index->slot);
    *index = larger;
}

void skr_hash_index_add(struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    skr_bug_on(number == UINT32_MAX);
    if (index->n >= index->n_slots / 4 * 3) {
        grow(index);
    }
    place(index, (struct skr_hash_slot){hash, number + 1});
    index->n++;
}

static size_t find(const struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    skr_bug_on(index->n == 0);
    size_t mask = index->n_slots - 1;
    size_t at = hash & mask;
    while (index->slot[at].number != number + 1) {
        skr_bug_on(index->slot[at].number == 0);
        at = (at + 1) & mask;
    }
    return at;
}

void skr_hash_index_remove(struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    size_t mask = index->n_slots - 1;
    size_t hole = find(index, hash, number);
    for (size_t at = (hole + 1) & mask; index->slot[at].number != 0; at = (at + 1) & mask) {
        /* A pair may move back to the hole unless its home lies behind the hole. */
        size_t home = index->slot[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->slot[hole] = index->slot[at];
            hole = at;
        }
    }
    index->slot[hole] = (struct skr_hash_slot){0, 0};
    index->n--;
}

void skr_hash_index_renumber(struct skr_hash_index *index, uint32_t hash, uint32_t number,
                             uint32_t to)
{
    index->slot[find(index, hash, number)].number = to + 1;
}
