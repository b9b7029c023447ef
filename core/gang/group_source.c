/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which source defines a group: group ConfigMaps before PodGroups before pod labels. Of several maps
 * with one data.name the oldest defines the group.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- which source is in force ---- */

static struct map_entry *winner(const struct group *g)
{
    struct map_entry *m, *best = NULL;
    DL_FOREACH2(g->maps, m, gnext)
    {
        if (!best || m->map->meta.created < best->map->meta.created ||
            (m->map->meta.created == best->map->meta.created &&
             strcmp(m->map->meta.name, best->map->meta.name) < 0)) {
            best = m;
        }
    }
    return best;
}

static enum group_source available(const struct skr_engine *e, const struct group *g)
{
    if (g->map) {
        return SOURCE_MAP;
    }
    if (g->podgroup) {
        return SOURCE_PODGROUP;
    }
    const struct pod_entry *oldest = e->settings.label_fallback ? membership_oldest(g) : NULL;
    if (oldest && skr_labels_get(&oldest->pod->meta.labels, SKR_LABEL_GROUP_SIZE)) {
        return SOURCE_LABELS;
    }
    return SOURCE_NONE;
}

static char *source_text(const struct group *g, enum group_source source)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    const struct pod_entry *oldest = membership_oldest(g);
    int32_t priority = oldest ? oldest->pod->priority : 0;
    if (source == SOURCE_MAP) {
        skr_strbuf_addf(&b, "map %s ", g->map->user_keys);
    } else if (source == SOURCE_PODGROUP) {
        skr_strbuf_addf(&b, "podgroup %d %d", g->podgroup->pg->min_member, priority);
    } else if (source == SOURCE_LABELS) {
        skr_strbuf_addf(&b, "labels %d ", priority);
        const struct skr_labels *l = &oldest->pod->meta.labels;
        for (size_t i = 0; i < l->n; i++) {
            if (strncmp(l->item[i].key, "sakkara.group.", 14) == 0) {
                skr_strbuf_addf(&b, "%s=%s ", l->item[i].key, l->item[i].value);
            }
        }
    } else {
        skr_strbuf_add(&b, "none");
    }
    return skr_strbuf_take(&b, NULL);
}

static int parse(const struct group *g, enum group_source source, struct skr_group_spec **ret,
                 struct skr_error *error)
{
    const struct pod_entry *oldest = membership_oldest(g);
    int32_t priority = oldest ? oldest->pod->priority : 0;
    *ret = NULL;
    if (source == SOURCE_MAP) {
        return skr_group_spec_parse(&g->map->map->data, ret, error);
    }
    if (source == SOURCE_PODGROUP) {
        return skr_group_spec_from_podgroup(g->podgroup->pg, priority, ret, error);
    }
    if (source == SOURCE_LABELS) {
        return skr_group_spec_from_labels(g->name, &oldest->pod->meta.labels, priority, ret, error);
    }
    return 0;
}

/* A running or binding gang keeps the source it started with while that source is there; losing it
 * costs a running gang nothing. */
static bool must_wait(const struct skr_engine *e, const struct group *g, enum group_source source)
{
    if (g->plan && g->plan->binding) { /* "Binding" that was refused is no reason */
        return g->plan->binding_persisted || !plan_home_is_quiet(e, g);
    }
    bool running = g->state == GROUP_BOUND && g->n_bound > 0;
    bool still_there = (g->source == SOURCE_PODGROUP && g->podgroup) || g->source == SOURCE_LABELS;
    return running && source != g->source && still_there && source != SOURCE_NONE;
}

bool sources_resolve(struct skr_engine *e, struct group *g)
{
    struct map_entry *best = winner(g);
    if (best != g->map) {
        if (g->map) {
            engine_touch_map(e, g->map);
        }
        g->map = best;
        if (best) {
            engine_touch_map(e, best);
        }
    }
    enum group_source source = available(e, g);
    if (must_wait(e, g, source)) {
        return false;
    }
    char *text = source_text(g, source);
    if (g->spec_text && strcmp(text, g->spec_text) == 0) {
        free(text);
        return false;
    }
    free(g->spec_text);
    g->spec_text = text;
    g->source = source;
    struct skr_error error;
    struct skr_group_spec *spec;
    free(g->defect);
    g->defect = NULL;
    if (parse(g, source, &spec, &error) < 0) {
        g->defect = skr_strdup(error.text);
        if (g->n_bound > 0) { /* last good values stay */
            return true;
        }
        spec = NULL;
    }
    if (!spec && source == SOURCE_NONE && g->n_bound > 0) {
        return true; /* running pods are not touched by the loss of their source */
    }
    bool same = g->spec && spec && skr_group_spec_equal(g->spec, spec);
    skr_group_spec_destroy(g->spec);
    g->spec = spec;
    g->seats_dirty = true;
    if (!same) {
        g->input_epoch++;
        g->infeasible = false;
        g->failed_epoch = UINT64_MAX;
        e->plan_wanted = true;
    }
    return !same;
}
