/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FNV-1a with a final mix, and open addressing with linear probing. Removal moves later pairs of
 * the run back (Knuth, TAOCP 6.4, algorithm R), so that there are no tombstones and the table does
 * not wear out.
 */
#include "topology/base/hash.h"

#include <string.h>

#include "topology/base/arena.h"

enum { SLOTS_MIN = 16 };

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

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* Words are little-endian on every machine that this runs on; another order is another hash. */
uint64_t skr_hash_keyed(const struct skr_hash_seed *seed, const void *bytes, size_t n)
{
    uint64_t v[4] = {
        seed->k[0] ^ UINT64_C(0x736f6d6570736575), seed->k[1] ^ UINT64_C(0x646f72616e646f6d),
        seed->k[0] ^ UINT64_C(0x6c7967656e657261), seed->k[1] ^ UINT64_C(0x7465646279746573)};
    const unsigned char *at = bytes;
    uint64_t word;
    for (size_t left = n; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)n << 56;
    for (size_t i = 0; i < n % sizeof word; i++) {
        word |= (uint64_t)at[i] << (8 * i);
    }
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t skr_hash_keyed_joined(const struct skr_hash_seed *seed, const char *a, const char *b,
                               const char *c)
{
    const char *const part[] = {a, b, c};
    char text[SKR_HASH_JOINED_MAX];
    size_t n = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        const size_t len = strnlen(part[i], sizeof text - n);
        memcpy(text + n, part[i], len);
        n += len;
    }
    return skr_hash_keyed(seed, text, n);
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

size_t skr_hash_index_bytes(const struct skr_hash_index *index)
{
    return index->n_slots * sizeof index->slot[0];
}

static size_t behind(const struct skr_hash_index *index, size_t at)
{
    return at + 1 < index->n_slots ? at + 1 : 0;
}

static void place(struct skr_hash_index *index, struct skr_hash_slot pair)
{
    size_t at = skr_hash_index_home(index, pair.hash);
    while (index->slot[at].number != 0) {
        at = behind(index, at);
    }
    index->slot[at] = pair;
}

/* Pairs stand in order of their hashes, so both tables are gone over from one end to the other. */
static void resize(struct skr_hash_index *index, size_t n_slots)
{
    struct skr_hash_index other = {NULL, n_slots, index->n};
    skr_bug_on(n_slots > UINT32_MAX);
    other.slot = skr_alloc_array(other.n_slots, sizeof other.slot[0]);
    for (size_t i = 0; i < index->n_slots; i++) {
        if (index->slot[i].number != 0) {
            place(&other, index->slot[i]);
        }
    }
    free(index->slot);
    *index = other;
}

void skr_hash_index_add(struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    skr_bug_on(number == UINT32_MAX);
    if (index->n >= index->n_slots / 4 * 3) {
        resize(index, index->n_slots < SLOTS_MIN ? SLOTS_MIN : index->n_slots / 4 * 5);
    }
    place(index, (struct skr_hash_slot){hash, number + 1});
    index->n++;
}

static size_t find(const struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    skr_bug_on(index->n == 0);
    size_t at = skr_hash_index_home(index, hash);
    while (index->slot[at].number != number + 1) {
        skr_bug_on(index->slot[at].number == 0);
        at = behind(index, at);
    }
    return at;
}

/* Slots from a to b, around the end. */
static size_t distance(const struct skr_hash_index *index, size_t a, size_t b)
{
    return b >= a ? b - a : b + index->n_slots - a;
}

void skr_hash_index_remove(struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    size_t hole = find(index, hash, number);
    for (size_t at = behind(index, hole); index->slot[at].number != 0; at = behind(index, at)) {
        /* A pair may move back to the hole unless its home lies behind the hole. */
        size_t home = skr_hash_index_home(index, index->slot[at].hash);
        if (distance(index, home, at) >= distance(index, hole, at)) {
            index->slot[hole] = index->slot[at];
            hole = at;
        }
    }
    index->slot[hole] = (struct skr_hash_slot){0, 0};
    index->n--;
    if (index->n_slots > SLOTS_MIN && index->n < index->n_slots / 4) {
        resize(index, index->n_slots / 2 / 4 * 4);
    }
}
