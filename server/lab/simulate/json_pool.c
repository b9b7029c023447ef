/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One range of addresses, reserved once; the kernel backs it on first use. It is cut into pages,
 * each for one size. A table with a byte per page stores the size. So free() finds the size from
 * the address, and detects addresses outside the pool. Sizes are multiples of 8 bytes. Memory of
 * one size is never used for another: trees come and go, their shapes stay.
 */
#include "server/lab/simulate/json_pool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    STEP = 8,
    SIZES = SKR_JSON_POOL_LARGEST / STEP + 1,
    PAGE = 1 << 16,
    PAGES = 1 << 18, /* 16 GB of addresses */
};

static struct {
    unsigned char *base; /* NULL: there is no pool */
    bool refused;        /* and there will be no pool */
    size_t n_pages;      /* in use, from the start */
    struct {
        void *free;                /* the first; each holds the address of the next */
        unsigned char *next, *end; /* the unused rest of its last page */
    } size[SIZES];
    uint8_t size_of[PAGES];
} pool;

static bool reserve(void)
{
    void *memory = mmap(NULL, (size_t)PAGE * PAGES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pool.refused = memory == MAP_FAILED;
    pool.base = pool.refused ? NULL : memory;
    return !pool.refused;
}

static bool add_page(size_t s)
{
    if (pool.refused || (!pool.base && !reserve()) || pool.n_pages == PAGES) {
        return false;
    }
    pool.size_of[pool.n_pages] = (uint8_t)s;
    pool.size[s].next = pool.base + pool.n_pages * PAGE;
    pool.size[s].end = pool.size[s].next + PAGE / (s * STEP) * (s * STEP);
    pool.n_pages++;
    return true;
}

void *skr_json_pool_alloc(size_t size)
{
    const size_t s = (size + STEP - 1) / STEP + (size == 0 ? 1 : 0);
    if (size > SKR_JSON_POOL_LARGEST) {
        return malloc(size);
    }
    void *memory = pool.size[s].free;
    if (memory) {
        memcpy(&pool.size[s].free, memory, sizeof(void *));
        return memory;
    }
    if (pool.size[s].next == pool.size[s].end && !add_page(s)) {
        return malloc(size);
    }
    memory = pool.size[s].next;
    pool.size[s].next += s * STEP;
    return memory;
}

void skr_json_pool_free(void *memory)
{
    const uintptr_t at = (uintptr_t)memory - (uintptr_t)pool.base;
    if (!pool.base || at >= pool.n_pages * PAGE) {
        free(memory);
        return;
    }
    const size_t s = pool.size_of[at / PAGE];
    memcpy(memory, &pool.size[s].free, sizeof(void *));
    pool.size[s].free = memory;
}

void skr_json_pool_use(void)
{
#ifndef SKR_DEBUG /* where sanitizers watch malloc() */
    json_set_alloc_funcs(skr_json_pool_alloc, skr_json_pool_free);
#endif
}
