/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arenas: a chain of blocks, each twice the size of the one before (up to BLOCK_MAX), allocation by
 * bumping an offset. A request larger than the next block gets a block of its own size. The first
 * block shares one malloc with the arena itself, so that a small object costs one.
 *
 * Limit: the bytes handed out, padding for alignment included.
 */
#include "topology/base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    BLOCK_FIRST = 1024,
    BLOCK_MAX = 256 * 1024,
};

struct block {
    struct block *next;
};

struct skr_arena {
    size_t limit;
    size_t used;
    size_t next_size;
    struct block *blocks;    /* newest first, without the one that begins with this */
    unsigned char *at, *end; /* of the newest: what is free */
};

/* What lies before the data of a block, rounded up so that the data is aligned. */
#define ALIGN          alignof(max_align_t)
#define ROUND_UP(n)    (((n) + ALIGN - 1) / ALIGN * ALIGN)
#define ARENA_OVERHEAD ROUND_UP(sizeof(struct skr_arena))
#define BLOCK_OVERHEAD ROUND_UP(sizeof(struct block))

struct skr_arena *skr_arena_create(size_t limit, size_t first)
{
    size_t size = first != 0 ? first : BLOCK_FIRST;
    if (size > SIZE_MAX - ARENA_OVERHEAD) {
        return NULL;
    }
    struct skr_arena *arena = malloc(ARENA_OVERHEAD + size);
    if (!arena) {
        return NULL;
    }
    arena->limit = limit;
    arena->used = 0;
    arena->next_size = size < BLOCK_MAX / 2 ? size * 2 : BLOCK_MAX;
    arena->blocks = NULL;
    arena->at = (unsigned char *)arena + ARENA_OVERHEAD;
    arena->end = arena->at + size;
    return arena;
}

void skr_arena_destroy(struct skr_arena *arena)
{
    if (!arena) {
        return;
    }
    struct block *block = arena->blocks;
    while (block) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

static bool add_block(struct skr_arena *arena, size_t need)
{
    size_t size = need > arena->next_size ? need : arena->next_size;
    if (size > SIZE_MAX - BLOCK_OVERHEAD) {
        return false;
    }
    struct block *block = malloc(BLOCK_OVERHEAD + size);
    if (!block) {
        return false;
    }
    if (arena->next_size < BLOCK_MAX) {
        arena->next_size *= 2;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    arena->at = (unsigned char *)block + BLOCK_OVERHEAD;
    arena->end = arena->at + size;
    return true;
}

/* Memory is not cleared here. align is a power of two; data of a block has the largest one. */
static void *take(struct skr_arena *arena, size_t size, size_t align)
{
    size_t pad = (0 - (size_t)(uintptr_t)arena->at) & (align - 1);
    if (size == 0) {
        size = 1;
    }
    if (size > SIZE_MAX - pad || size + pad > arena->limit - arena->used) {
        return NULL;
    }
    if (size + pad > (size_t)(arena->end - arena->at)) {
        if (!add_block(arena, size)) {
            return NULL;
        }
        pad = 0;
    }
    void *p = arena->at + pad;
    arena->at += pad + size;
    arena->used += pad + size;
    return p;
}

void *skr_arena_alloc(struct skr_arena *arena, size_t size)
{
    void *p = take(arena, size, ALIGN);
    if (p) {
        memset(p, 0, size);
    }
    return p;
}

void *skr_arena_array(struct skr_arena *arena, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size) {
        return NULL;
    }
    return skr_arena_alloc(arena, n * size);
}

char *skr_arena_strdup(struct skr_arena *arena, const char *s)
{
    return s ? skr_arena_strndup(arena, s, strlen(s)) : NULL;
}

char *skr_arena_strndup(struct skr_arena *arena, const char *s, size_t n)
{
    if (!s || n == SIZE_MAX) {
        return NULL;
    }
    char *copy = take(arena, n + 1, 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

size_t skr_arena_used(const struct skr_arena *arena)
{
    return arena->used;
}

static SKR_NORETURN void die_without_memory(size_t size)
{
    fprintf(stderr, "out of memory: %zu bytes wanted\n", size);
    abort();
}

void *skr_alloc(size_t size)
{
    void *p = calloc(1, size != 0 ? size : 1);
    if (!p) {
        die_without_memory(size);
    }
    return p;
}

void *skr_alloc_array(size_t n, size_t size)
{
    void *p = calloc(n != 0 ? n : 1, size != 0 ? size : 1);
    if (!p) {
        die_without_memory(n <= SIZE_MAX / (size != 0 ? size : 1) ? n * size : SIZE_MAX);
    }
    return p;
}

static void *resized(void *old, size_t size)
{
    void *p = realloc(old, size);
    if (!p) {
        die_without_memory(size);
    }
    return p;
}

void skr_grow(void *array_pointer, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap) {
        return;
    }
    size_t n = *cap < 4 ? 4 : *cap;
    while (n < need) {
        n = n <= SIZE_MAX / 2 ? n * 2 : need;
    }
    skr_grow_exactly(array_pointer, cap, n, size);
}

void skr_grow_exactly(void *array_pointer, size_t *cap, size_t n, size_t size)
{
    if (n <= *cap) {
        return;
    }
    if (size == 0 || n > SIZE_MAX / size) {
        die_without_memory(SIZE_MAX);
    }
    /* The caller's pointer has a type of its own; its bytes are those of a void pointer. */
    unsigned char *old = NULL;
    memcpy(&old, array_pointer, sizeof old);
    unsigned char *grown = resized(old, n * size);
    memset(grown + *cap * size, 0, (n - *cap) * size);
    memcpy(array_pointer, &grown, sizeof grown);
    *cap = n;
}

char *skr_strdup(const char *s)
{
    if (!s) {
        return NULL;
    }
    size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    if (!copy) {
        die_without_memory(size);
    }
    memcpy(copy, s, size);
    return copy;
}
