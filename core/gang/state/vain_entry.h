/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_VAIN_ENTRY_H
#define SKR_CORE_GANG_STATE_VAIN_ENTRY_H
/* Evictions for a group that came to nothing, in a row: core/gang/group/vain.c. */
#include <stdint.h>

#include "topology/object.h"

struct vain {
    uint32_t n;    /* plans; 0: none */
    skr_time at;   /* the end of the last one */
    uint64_t seen; /* the stamp then */
    char *why;     /* what ended it */
};

#endif
