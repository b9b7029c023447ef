/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_ARENA_H
#define SKR_TOPOLOGY_BASE_ARENA_H
/*
 * Arenas: memory that is released as a whole. One decoded API object, one request, one solver run
 * is one arena. An arena has a byte limit; beyond it, or when malloc fails, allocation returns NULL
 * and the caller turns that into an error (SKR_LIMIT). Not thread safe; may be handed from thread
 * to thread.
 *
 * skr_alloc() and friends are for engine state, where running on without memory is worse than
 * starting again: they abort on failure.
 */
#include <stddef.h>

#include "topology/base/attr.h"

struct skr_arena;

/* limit: most bytes to hand out. first: size of the first block, in bytes (0: a default). NULL
 * without memory. */
struct skr_arena *skr_arena_create(size_t limit, size_t first);
void skr_arena_destroy(struct skr_arena *arena); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_arena, skr_arena_destroy)
/* Zeroed, aligned for any type. size 0 gives a unique pointer. NULL: limit reached or no memory. */
void *skr_arena_alloc(struct skr_arena *arena, size_t size);
/* n * size checked for overflow. */
void *skr_arena_array(struct skr_arena *arena, size_t n, size_t size);
/* Copy of the string; NULL in gives NULL out (tell apart from failure by the argument). */
char *skr_arena_strdup(struct skr_arena *arena, const char *s);
char *skr_arena_strndup(struct skr_arena *arena, const char *s, size_t n);
/* Bytes handed out so far. */
size_t skr_arena_used(const struct skr_arena *arena);

/* Zeroed; abort on failure; freed with free(). */
void *skr_alloc(size_t size);
void *skr_alloc_array(size_t n, size_t size);
/* Grows *array (elements of size bytes) so that it holds need elements; *cap is updated, new room
 * is zeroed. Doubles. Aborts on failure. */
void skr_grow(void *array_pointer, size_t *cap, size_t need, size_t size);
/* The same without room to spare, for many small arrays that rarely grow. */
void skr_grow_exactly(void *array_pointer, size_t *cap, size_t need, size_t size);
char *skr_strdup(const char *s); /* NULL in gives NULL out; aborts without memory */

#endif
