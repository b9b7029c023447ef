/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_SLAB_H
#define SKR_TOPOLOGY_BASE_SLAB_H
/*
 * Records of one size by the million: each has a number of 32 bits and an address, and keeps both
 * until it is removed. A record costs its own size and one bit; there is no header and no rounding as
 * with malloc(). Records live in chunks of 256; a chunk whose last record goes is given back, and the
 * number of a removed record is given again. For an index over them by key: hash.h. Single owner, not
 * thread safe. Aborts without memory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct skr_slab_chunk;

/* Made as {.size = ...}; without records it holds no memory. Records are aligned for any type that
 * needs 8 bytes or less. */
struct skr_slab {
    size_t size; /* bytes of a record, a multiple of 8, > 0 */
    size_t n;    /* records */
    struct skr_slab_chunk *chunk;
    size_t n_chunks, cap;
    size_t n_held;        /* chunks that were not given back */
    uint32_t first, last; /* of the chunks that have room, plus one; 0: all are full */
};

/* A zeroed record. Below UINT32_MAX. O(1) amortised. */
uint32_t skr_slab_add(struct skr_slab *slab);
/* The record must be there. */
void *skr_slab_at(const struct skr_slab *slab, uint32_t number);
void skr_slab_remove(struct skr_slab *slab, uint32_t number);
/* Walks over the numbers in ascending order: *at begins as 0; false at the end. The record that was
 * returned last may be removed meanwhile, others neither added nor removed. */
bool skr_slab_next(const struct skr_slab *slab, size_t *at, uint32_t *ret);
/* That it holds, all told. O(1). */
size_t skr_slab_bytes(const struct skr_slab *slab);
void skr_slab_fini(struct skr_slab *slab); /* whatever records there are; may be used again */

#endif
