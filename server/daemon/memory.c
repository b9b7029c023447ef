/* SPDX-License-Identifier: Apache-2.0 */
/* Gives free memory back with malloc_trim(3), which is rare in a process at rest. */
#include "server/daemon/memory.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { PART = 32 }; /* a change by less than one part in so many of what is in use is none */

static size_t difference(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

bool skr_memory_note(struct skr_memory *memory, size_t in_use, size_t free)
{
    const size_t change = difference(in_use, memory->in_use) + difference(free, memory->free);
    if (free < SKR_MEMORY_FREE_MIN || change < in_use / PART) {
        return false;
    }
    memory->in_use = in_use;
    memory->free = free;
    return true;
}

void skr_memory_tend(struct skr_memory *memory)
{
#ifdef __GLIBC__
    const struct mallinfo2 now = mallinfo2();
    if (skr_memory_note(memory, now.uordblks, now.fordblks)) {
        (void)malloc_trim(0);
    }
#else
    (void)memory;
#endif
}
