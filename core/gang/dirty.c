/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed and is to be looked at: groups, pods and maps that settle() comes to, each once and in
 * the order in which they were marked, and the counters that tell caches what is old.
 */
#include "core/gang/state.h"

#include <utlist.h>

void engine_touch_group(struct skr_engine *e, struct group *g)
{
    if (g->dirty) {
        return;
    }
    g->dirty = true;
    DL_APPEND2(e->dirty_groups, g, dprev, dnext);
}

void engine_touch_pod(struct skr_engine *e, struct pod_entry *p)
{
    if (p->dirty || !p->ours) {
        return;
    }
    p->dirty = true;
    DL_APPEND2(e->dirty_pods, p, dprev, dnext);
}

void engine_touch_map(struct skr_engine *e, struct map_entry *m)
{
    if (m->dirty) {
        return;
    }
    m->dirty = true;
    DL_APPEND2(e->dirty_maps, m, dprev, dnext);
}

void engine_changed(struct skr_engine *e)
{
    e->epoch++;
    e->facts++;
    e->plan_wanted = true;
}
