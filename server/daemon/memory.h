/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_MEMORY_H
#define SKR_SERVER_DAEMON_MEMORY_H
/*
 * Gives free memory back to the system. After a start, tens of megabytes are free inside the arenas
 * of malloc(3), of which the C library gives back only the top.
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

/* Whether a trim pays: much is free, and the bytes in use or free have changed a lot since the last
 * trim. Then both are stored. */
bool skr_memory_note(struct skr_memory *memory, size_t in_use, size_t free);
/* Trims, if it pays. Allocations of other threads may wait meanwhile, some milliseconds for each
 * 100 MB. Does nothing with a C library other than glibc. */
void skr_memory_tend(struct skr_memory *memory);

#endif
