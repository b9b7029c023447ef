/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_VAIN_H
#define SKR_CORE_GANG_GROUP_VAIN_H
/*
 * Evictions in vain: pods left for a plan, and the plan came to nothing. Such a group searches for no
 * victims for a while, 5 min doubling to 8 h with each plan in a row. Else the victims would come back,
 * leave again for the same cause, and use up the retries of their Jobs.
 *
 * The row ends when the group is bound, when its definition changes, with a new generation, and
 * after a day. A new node, or other labels of one, end the pause, but not before SKR_VAIN_FIRST_S. The
 * annotation sakkara.pauses has the row for the next process.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_VAIN_FIRST_S = 300,
    SKR_VAIN_MAX_S = 8 * 3600,
    SKR_VAIN_KEPT_S = 24 * 3600, /* a row ends so long after its last plan */
};

/* The plan of the group ends. Counts it, if pods were evicted for it and its end is not the doing of the
 * group's own users, nor of a group that takes its room. */
void skr_vain_note(struct skr_gang *e, struct group *g);
/* The end of the pause; 0: there is none. */
skr_time skr_vain_pause(const struct skr_gang *e, const struct group *g);
/* "; pods were evicted for it 2 times in vain (CAUSE); it evicts again from TIME on" */
void skr_vain_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* Of an earlier process. */
void skr_vain_restore(struct skr_gang *e, struct group *g, uint32_t n, skr_time at,
                      const char *why);
void skr_vain_forget(struct group *g);

#endif
