/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes of groups are set once: an earlier one in the future is enough. */
#include "core/gang/state/wakes.h"

#include "core/gang/state/groups.h"

void skr_wakes_add(struct skr_gang *e, skr_time at, enum wake_kind kind, const char *key)
{
    skr_frame_wake(e->frame, at, (int)kind, key);
}

void skr_wakes_group_then(struct skr_gang *e, const struct group *g, skr_time at)
{
    skr_wakes_add(e, at, WAKE_GROUP, g->key);
}

void skr_wakes_group(struct skr_gang *e, struct group *g, skr_time at)
{
    if (g->wake_at > skr_frame_now(e->frame) && g->wake_at <= at) {
        return;
    }
    g->wake_at = at;
    skr_wakes_add(e, at, WAKE_GROUP, g->key);
}
