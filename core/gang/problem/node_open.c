/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/node_open.h"

#include "core/gang/cache/spare.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/membership.h"

bool skr_node_is_spare(const struct group *g, const struct node_entry *entry)
{
    return entry->spare && !skr_node_takes_lost(g) && !skr_spare_is_reserved(g, entry);
}

bool skr_node_takes_lost(const struct group *g)
{
    const bool lacks = g->spec && g->seats.n_bound < skr_membership_needs(g);
    return g->seats.n_bound > 0 && (lacks || g->without);
}

bool skr_node_open(const struct skr_gang *e, const struct group *g, const struct shapes *shapes,
                   const struct node_entry *entry, bool probed_only)
{
    if (!entry || skr_membership_is_without(g, entry->name) || skr_node_is_spare(g, entry)) {
        return false;
    }
    if (g->without && skr_nodes_is_lost(e, entry->name, skr_frame_now(e->frame))) {
        return false; /* members leave lost nodes */
    }
    for (size_t i = 0; i < shapes->n; i++) {
        const struct shape *s = shapes->item[i];
        if (skr_pod_shape_check_node(s->spec, entry->node) != SKR_ELIGIBLE ||
            skr_vetoes_close(e, g, s, entry->name)) {
            return false;
        }
        const struct veto_set *set = probed_only ? skr_vetoes_find(g, s) : NULL;
        if (skr_vetoes_have_probed(set) && !skr_vetoes_was_probed(e, set, entry->name)) {
            return false;
        }
    }
    return true;
}
