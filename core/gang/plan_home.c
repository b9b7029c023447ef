/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the text of a plan stands: annotation of the group's ConfigMap or PodGroup, or of its oldest
 * member when labels define the group.
 *
 * "Persisted" is always read off the cached object, never remembered: a user who wipes the
 * annotation stops the plan until it stands again.
 */
#include "core/gang/state.h"

#include <string.h>

static bool at_podgroup(const struct group *g)
{
    return (g->plan ? g->plan->home : g->source) == SOURCE_PODGROUP;
}

const char *sink_annotation(const struct skr_engine *e, const struct group *g)
{
    (void)e;
    const struct skr_meta *meta = NULL;
    if (at_podgroup(g)) {
        meta = g->podgroup ? &g->podgroup->pg->meta : NULL;
    } else if (g->map) {
        meta = &g->map->map->meta;
    }
    if (!meta) {
        return NULL;
    }
    const char *text = skr_labels_get(&meta->annotations, SKR_ANNOTATION_PLAN);
    return text ? text : "";
}

void sink_hurry(struct skr_engine *e, struct group *g)
{
    (void)e;
    if (g->podgroup) {
        g->podgroup->sink.urgent = true;
    }
    if (g->map) {
        g->map->sink.urgent = true;
    }
}

bool sink_is_refused(const struct skr_engine *e, const struct group *g)
{
    const struct sink *sink = NULL;
    if (at_podgroup(g)) {
        sink = g->podgroup ? &g->podgroup->sink : NULL;
    } else if (g->source == SOURCE_MAP && g->map) {
        sink = &g->map->sink;
    }
    return sink && sink->refused && (sink->write || e->now < sink->retry_at);
}

bool plan_is_persisted(const struct skr_engine *e, const struct plan *plan)
{
    const char *have;
    if (plan->anchor) {
        const struct pod_entry *p = pods_find(e, plan->anchor);
        if (!p) {
            return plan->binding_persisted;
        }
        have = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
    } else if (plan->home == SOURCE_LABELS) { /* nobody is left to carry it */
        return plan->binding_persisted;
    } else {
        have = sink_annotation(e, plan->group);
        if (!have) { /* the object is gone: a started Binding is finished from the members */
            return plan->binding_persisted;
        }
    }
    return have && plan->text && strcmp(have, plan->text) == 0;
}

void plan_note_binding(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (plan && plan->home == SOURCE_NONE) { /* its object was gone, and may be there again */
        plan->home = g->maps ? SOURCE_MAP : g->podgroup ? SOURCE_PODGROUP : SOURCE_NONE;
    }
    if (plan && plan->binding && !plan->aborting && plan_is_persisted(e, plan)) {
        plan->binding_persisted = true;
    }
}

static const struct sink *home_sink(const struct group *g)
{
    if (g->plan->home == SOURCE_PODGROUP) {
        return g->podgroup ? &g->podgroup->sink : NULL;
    }
    return g->plan->home == SOURCE_MAP && g->map ? &g->map->sink : NULL;
}

bool plan_home_is_quiet(const struct skr_engine *e, const struct group *g)
{
    if (g->plan->anchor) {
        const struct pod_entry *p = pods_find(e, g->plan->anchor);
        return !p || p->plan != g->plan || (!p->write && !p->must_read);
    }
    const struct sink *sink = home_sink(g);
    return !sink || (!sink->write && !sink->must_read);
}
