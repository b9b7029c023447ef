/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_MEMORY_H
#define SKR_SERVER_DAEMON_MEMORY_H
/*
 * Memory that is free and still the process's: a start reads a cluster's lists in pages and writes what
 * it owes, and afterwards holds tens of megabytes for nothing, spread over the arenas of malloc(3), of
 * which the C library gives back only what is on top.
 */
#include <stdbool.h>
#include <stddef.h>

enum {
    SKR_MEMORY_TEND_S = 5,                 /* how often it is looked at */
    SKR_MEMORY_FREE_MIN = 8 * 1024 * 1024, /* bytes; less is let be */
};

/* All zero is a process that has given nothing back yet. */
struct skr_memory {
    size_t in_use, free; /* bytes by malloc(3), behind the last time */
};

/* Whether it is worth it: much is free, and what is in use or free has changed by a good part since
 * the last time. Then both are remembered. Bytes. */
bool skr_memory_note(struct skr_memory *memory, size_t in_use, size_t free);
/* Gives back what is free, if it is worth it. Allocations of other threads may wait meanwhile, some
 * milliseconds for each 100 MB. Nothing with another C library than glibc. */
void skr_memory_tend(struct skr_memory *memory);

#endif
