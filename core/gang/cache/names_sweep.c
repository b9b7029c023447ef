/* SPDX-License-Identifier: Apache-2.0 */
/* Marks the referenced names, frees the others. */
#include "core/gang/cache/names_sweep.h"

#include "core/gang/cache/csi.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_entry.h"

#include <utlist.h>

enum { NAMES_FEW = 1024 }; /* fewer are not worth a sweep */

static void mark_plans(struct skr_gang *e)
{
    const struct group *g;
    DL_FOREACH2(e->planned, g, pnext)
    {
        for (size_t i = 0; i < g->plan->n_vacancies; i++) {
            skr_names_mark(g->plan->vacancy[i].node);
        }
    }
}

static void mark_holds(struct skr_gang *e)
{
    const struct group *g;
    DL_FOREACH2(e->holders.list, g, holds.next)
    {
        for (size_t i = 0; i < g->holds.n; i++) {
            skr_names_mark(g->holds.item[i].node);
            skr_names_mark(g->holds.item[i].role_name);
        }
    }
}

static void mark_binding(void *context, const struct skr_pending_write *w)
{
    (void)context;
    if (w->purpose == WRITE_FOR_BINDING) {
        skr_names_mark(w->more);
    }
}

void skr_names_sweep(struct skr_gang *e)
{
    if (!skr_names_are_many(e, NAMES_FEW)) {
        return;
    }
    struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        if (!skr_nodes_forget_if_unused(e, n)) {
            skr_names_mark(n->name);
        }
    }
    const struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        skr_names_mark(p->place.node);
        skr_names_mark(p->work->vote.node);
        skr_names_mark(p->work->assumed.node);
        skr_names_mark(p->work->assumed.bind_on);
        skr_names_mark(p->work->single.only);
        skr_names_mark(p->work->single.at);
    }
    skr_volume_uses_mark_names(e);
    skr_csi_mark_names(e);
    skr_frame_each_write(e->frame, mark_binding, NULL);
    mark_plans(e);
    mark_holds(e);
    skr_names_free_unmarked(e);
}
