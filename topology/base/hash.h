/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_HASH_H
#define SKR_TOPOLOGY_BASE_HASH_H
/*
 * Hash values and an index over them: a table of (hash, number) pairs for owners who keep their
 * entries in an array of their own and compare keys themselves. Small (8 bytes a slot), no pointers
 * into entries, no allocation on look-up. Its order must never reach an output. Keys come from
 * administrators and the API server; the hash is not keyed against adversaries.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits, which programs elsewhere may know too: goes on from hash, which begins as
 * SKR_HASH_BEGIN. */
#define SKR_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t skr_hash_bytes(uint64_t hash, const void *bytes, size_t n);

/* The low bits are as good as the high ones. */
uint64_t skr_hash_string(const char *s);
uint64_t skr_hash_pair(uint64_t a, uint64_t b);

struct skr_hash_slot {
    uint32_t hash;
    uint32_t number; /* plus one; 0: empty */
};

/* All zero is an empty index. Numbers are below UINT32_MAX. */
struct skr_hash_index {
    struct skr_hash_slot *slot;
    size_t n_slots; /* 0 or a power of two */
    size_t n;
};

void skr_hash_index_fini(struct skr_hash_index *index);
/* Grows when three quarters full; aborts without memory. */
void skr_hash_index_add(struct skr_hash_index *index, uint32_t hash, uint32_t number);
/* The pair must be there. */
void skr_hash_index_remove(struct skr_hash_index *index, uint32_t hash, uint32_t number);
void skr_hash_index_renumber(struct skr_hash_index *index, uint32_t hash, uint32_t number,
                             uint32_t to);

/* Walks over the numbers with this hash: *at begins as 0; false at the end. O(1) expected. */
static inline bool skr_hash_index_next(const struct skr_hash_index *index, uint32_t hash,
                                       size_t *at, uint32_t *ret)
{
    if (index->n == 0) {
        return false;
    }
    for (;;) {
        const struct skr_hash_slot *slot =
            &index->slot[((size_t)hash + (*at)++) & (index->n_slots - 1)];
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
