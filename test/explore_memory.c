/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc() for the program of `make explore` alone, which asks for little else than memory and plays a quarter more
 * schedules with this one: a list of free pieces for each size, nothing is joined or given back. For one thread.
 * `make property` plays the same schedules with the usual malloc(), and under the sanitisers.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Sizes are multiples of 16 up to 1024, and powers of two beyond. */
enum { STEP = 16, SMALL = 64, BITS_OF_SMALL = 10, SIZES = SMALL + 64, CHUNK = 1 << 24 };

struct piece { /* lies before what is handed out */
    size_t size_at;
    size_t unused;
};
_Static_assert(sizeof(struct piece) == STEP, "what is handed out is aligned as malloc() promises");

struct vacant { /* in a piece that is free */
    struct vacant *next;
};

static struct vacant *free_list[SIZES];
static char *chunk, *chunk_end;

static size_t size_at(size_t n)
{
    if (n <= (size_t)STEP * SMALL) {
        return n > 0 ? (n + STEP - 1) / STEP : 1;
    }
    return SMALL + 64 - (size_t)__builtin_clzll(n - 1) - BITS_OF_SMALL;
}

static size_t size_of(size_t at)
{
    return at <= SMALL ? at * STEP : (size_t)STEP * SMALL << (at - SMALL);
}

static struct piece *piece_of(void *p)
{
    return (struct piece *)p - 1;
}

static void *fresh(size_t at)
{
    size_t n = size_of(at) + sizeof(struct piece);
    if ((size_t)(chunk_end - chunk) < n) {
        size_t all = n > CHUNK ? n : CHUNK;
        char *more = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) {
            errno = ENOMEM;
            return NULL;
        }
        chunk = more;
        chunk_end = more + all;
    }
    struct piece *piece = (struct piece *)(void *)chunk;
    chunk += n;
    piece->size_at = at;
    return piece + 1;
}

void *malloc(size_t n)
{
    if (n > PTRDIFF_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    size_t at = size_at(n);
    struct vacant *p = free_list[at];
    if (!p) {
        return fresh(at);
    }
    free_list[at] = p->next;
    return p;
}

void free(void *p)
{
    if (p) {
        size_t at = piece_of(p)->size_at;
        struct vacant *vacant = p;
        vacant->next = free_list[at];
        free_list[at] = vacant;
    }
}

void *calloc(size_t n, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = malloc(all);
    return p ? memset(p, 0, all) : NULL;
}

void *realloc(void *p, size_t n)
{
    size_t have = p ? size_of(piece_of(p)->size_at) : 0;
    if (n <= have) {
        return p;
    }
    void *now = malloc(n);
    if (now && p) {
        memcpy(now, p, have);
        free(p);
    }
    return now;
}
