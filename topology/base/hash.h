/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_HASH_H
#define SKR_TOPOLOGY_BASE_HASH_H
/*
 * Hash values and an index over them: a table of (hash, number) pairs for owners who keep their
 * entries in an array or a slab of their own and compare keys themselves. Small: 8 bytes a slot, 11 to
 * 14 an entry while there are many; no pointers into entries, no allocation on look-up. It follows the
 * number of entries down as well as up. Its order must never reach an output. Of keys that users
 * choose, take skr_hash_keyed(): the other functions have no secret.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits, which programs elsewhere may know too: goes on from hash, which begins as
 * SKR_HASH_BEGIN. */
#define SKR_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t skr_hash_bytes(uint64_t hash, const void *bytes, size_t n);

/* What makes hashes of names unpredictable for users: random numbers of the process, which come from
 * server/. All zero is a seed too, for tests and for programs without adversaries. No output depends
 * on it. */
struct skr_hash_seed {
    uint64_t k[2];
};
/* SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). O(n). */
uint64_t skr_hash_keyed(const struct skr_hash_seed *seed, const void *bytes, size_t n);
enum { SKR_HASH_JOINED_MAX = 1024 }; /* bytes that count; no namespace and name together has more */
/* Of three texts, one behind another: "ns/", "web-", "1" and "ns/web-", "", "1" have the same. */
uint64_t skr_hash_keyed_joined(const struct skr_hash_seed *seed, const char *a, const char *b,
                               const char *c);

/* All bits are equally good, so that any 32 of them do for an index. */
uint64_t skr_hash_string(const char *s);
uint64_t skr_hash_pair(uint64_t a, uint64_t b);

struct skr_hash_slot {
    uint32_t hash;
    uint32_t number; /* plus one; 0: empty */
};

/* All zero is an empty index. Numbers are below UINT32_MAX. */
struct skr_hash_index {
    struct skr_hash_slot *slot;
    size_t n_slots; /* below 2^32 */
    size_t n;
};

void skr_hash_index_fini(struct skr_hash_index *index);
size_t skr_hash_index_bytes(const struct skr_hash_index *index); /* that it holds */
/* By a quarter when three quarters full. Aborts without memory. O(1) amortised, as removal. */
void skr_hash_index_add(struct skr_hash_index *index, uint32_t hash, uint32_t number);
/* The pair must be there. */
void skr_hash_index_remove(struct skr_hash_index *index, uint32_t hash, uint32_t number);

/* Where a pair belongs, in order of the hashes, whatever n_slots is (D. Lemire, "Fast random integer
 * generation in an interval", 2019). n_slots > 0. */
static inline size_t skr_hash_index_home(const struct skr_hash_index *index, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * index->n_slots) >> 32);
}

/* Walks over the numbers with this hash: *at begins as 0; false at the end. O(1) expected. */
static inline bool skr_hash_index_next(const struct skr_hash_index *index, uint32_t hash,
                                       size_t *at, uint32_t *ret)
{
    if (index->n == 0) {
        return false;
    }
    const size_t home = skr_hash_index_home(index, hash);
    for (;;) {
        const size_t place = home + (*at)++;
        const struct skr_hash_slot *slot =
            &index->slot[place < index->n_slots ? place : place - index->n_slots];
        if (slot->number == 0) {
            return false;
        }
        if (slot->hash == hash) {
            *ret = slot->number - 1;
            return true;
        }
    }
}

#endif
