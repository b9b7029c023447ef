/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_PAUSES_H
#define SKR_CORE_GANG_REPORT_PAUSES_H
/*
 * When a group gave members away, or moved for another one, last: it neither grows nor moves for a
 * while. The annotation sakkara.pauses of its object has these instants for the next process, as long as
 * they count: {"gave":"2026-01-01T12:00:00Z","moved":"…"}. It also has evictions in vain for the group
 * (core/gang/group/vain.h): "vain":"…","times":2,"why":"…".
 * And the run-limit in force of a group that runs, in seconds (group/run_limit.h): "limit":3600. And how many members
 * have Succeeded and are gone (group/generation.h): "succeeded":1.
 */
#include "core/gang/state/groups.h"

#define SKR_ANNOTATION_PAUSES "sakkara.pauses"

enum {
    SKR_GROW_AFTER_S = 300,  /* a group that gave members away takes none so long */
    SKR_MOVE_AGAIN_S = 3600, /* a group that was moved is not moved again so long */
};

/* Call at every evaluation: sets what the object is to have, and wakes the group when that ends. */
void skr_pauses_settle(struct skr_gang *e, struct group *g);
/* Takes over what the object has; NULL: nothing. Instants ahead count as now. Returns how many members have
 * Succeeded and are gone, which is not taken over. */
size_t skr_pauses_restore(struct skr_gang *e, struct group *g, const char *text);

#endif
