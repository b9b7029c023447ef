/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_WAYS_OUT_H
#define SKR_CORE_GANG_EXPLAIN_WAYS_OUT_H
/*
 * What would make a waiting group fit, as key "ways" of its object: one change a line, each tried by
 * the solver. Users without access to the daemon read it there.
 *
 * The lines are those of an explanation, which costs a solve. So a group that waits is explained
 * SKR_WAYS_AFTER_S after it began to wait, then every SKR_WAYS_EVERY_S if a fact has changed.
 * Explanations of different groups are SKR_WAYS_PACE_MS apart. The object is written only if the
 * lines differ. When the reason is cleared, the lines are, too.
 *
 * The message of a group that lacks members names pods that look like members and are none
 * (explain_strangers.h). They are looked for at the same pace.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_WAYS_AFTER_S = 10,
    SKR_WAYS_EVERY_S = 60,
    SKR_WAYS_PACE_MS = 100,
    SKR_WAYS_MAX = 4,       /* lines */
    SKR_WAYS_LINE_MAX = 240 /* bytes of one; a longer one is left out */
};

/* At the end of every evaluation: when the group is explained next, and whether the lines still
 * concern it. O(1). */
void skr_ways_out_watch(struct skr_gang *e, struct group *g);
/* The moment has come: explains the group, or keeps the lines if their account still holds. */
void skr_ways_out_due(struct skr_gang *e, struct group *g);
/* The account of the group is complete: takes its lines. */
void skr_ways_out_publish(struct skr_gang *e, struct group *g);

#endif
