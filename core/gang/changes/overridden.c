/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups that show another group: see overridden.h. */
#include "core/gang/changes/overridden.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/group_objects.h"
#include "core/gang/changes/maps.h"
#include "core/gang/changes/native_conditions.h"

#include <string.h>
#include <utlist.h>

/* Whether a label of a member wins over the PodGroup. */
static bool overrides(const struct skr_gang *e, const struct group *g,
                      const struct podgroup_entry *pg)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (strcmp(p->pod->scheduling_group, pg->pg->meta.name) == 0 &&
            skr_entry_overridden(e, p->pod) == pg) {
            return true;
        }
    }
    return false;
}

static void settle(struct skr_gang *e, struct group *g, struct podgroup_entry *pg)
{
    const struct group *shown = skr_maps_podgroup_group(e, pg);
    if (shown && shown != g && (strcmp(shown->key, pg->key) == 0 || overrides(e, shown, pg))) {
        return;
    }
    if (shown != g) {
        free(pg->shows);
        pg->shows = skr_strdup(g->key);
    }
    skr_group_objects_settle_shown(e, g, pg);
    skr_native_conditions_settle(e, g, pg);
}

void skr_overridden_settle(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p;
    const char *last = ""; /* members of one PodGroup come together, as a rule */
    if (strchr(g->name, '/')) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        if (*p->pod->scheduling_group && strcmp(p->pod->scheduling_group, last) != 0) {
            struct podgroup_entry *pg = skr_entry_overridden(e, p->pod);
            last = p->pod->scheduling_group;
            if (pg) {
                settle(e, g, pg);
            }
        }
    }
}
