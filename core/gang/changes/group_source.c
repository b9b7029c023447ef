/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which source defines a group: group ConfigMaps before PodGroups before pod labels. Of several
 * maps with one data.name the oldest defines the group.
 */
#include "core/gang/changes/group_source.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/budget.h"
#include "core/gang/changes/derived.h"
#include "core/gang/changes/namespace_limits.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/roles_change.h"
#include "core/gang/group/vain.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/state/map_entry.h"
#include "core/group/lint.h"

#include <string.h>
#include <utlist.h>

/* ---- which source is in force ---- */

static struct map_entry *winner(const struct group *g)
{
    struct map_entry *m, *best = NULL;
    DL_FOREACH2(g->source.maps, m, gnext)
    {
        if (!best || skr_meta_is_older(&m->map->meta, &best->map->meta)) {
            best = m;
        }
    }
    return best;
}

static enum group_source available(const struct skr_gang *e, const struct group *g)
{
    if (g->source.map) {
        return SOURCE_MAP;
    }
    if (g->source.podgroup) {
        return SOURCE_PODGROUP;
    }
    if (skr_derived_is(g)) {
        return g->seats.n_live > 0 || g->source.kind == SOURCE_LABELS || skr_membership_model(g)
                   ? SOURCE_LABELS
                   : SOURCE_NONE;
    }
    const struct pod_entry *oldest = e->settings.label_fallback ? skr_membership_oldest(g) : NULL;
    if (oldest && skr_labels_get(&oldest->pod->meta.labels, SKR_LABEL_GROUP_SIZE)) {
        return SOURCE_LABELS;
    }
    return SOURCE_NONE;
}

static char *source_text(struct skr_gang *e, struct group *g, enum group_source source)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    const struct pod_entry *oldest = source == SOURCE_MAP ? NULL : skr_membership_oldest(g);
    int32_t priority = oldest ? oldest->pod->priority : 0;
    if (source == SOURCE_MAP) {
        skr_strbuf_add(&b, "map ");
        skr_strbuf_add(&b, g->source.map->user_keys);
    } else if (source == SOURCE_PODGROUP) {
        const struct skr_podgroup *pg = g->source.podgroup->pg;
        const char *level = skr_derived_native_level(e, g, pg);
        skr_strbuf_addf(&b, "podgroup %d %d %s %s", pg->min_member, (int)skr_derived_priority(g),
                        pg->topology_key, level ? level : "");
        skr_derived_add_annotations(e, &pg->meta.annotations, &b);
    } else if (source == SOURCE_LABELS && skr_derived_is(g)) {
        skr_derived_text(e, g, &b);
    } else if (source == SOURCE_LABELS && oldest) {
        skr_strbuf_addf(&b, "labels %d ", priority);
        const struct skr_labels *l = &oldest->pod->meta.labels;
        for (size_t i = 0; i < l->n; i++) {
            if (strncmp(l->item[i].key, "sakkara.group.", 14) == 0) {
                skr_strbuf_addf(&b, "%s=%s ", l->item[i].key, l->item[i].value);
            }
        }
        skr_derived_add_annotations(e, &oldest->pod->meta.annotations, &b);
    } else {
        g->derived.lack = SKR_REASON_NONE;
        skr_strbuf_add(&b, "none");
    }
    return skr_strbuf_take(&b, NULL);
}

/* The oldest member has the labels, and the keys that are annotations. */
static int parse_labels(const struct group *g, const struct skr_pod *oldest,
                        struct skr_group_spec **ret, struct skr_error *error)
{
    const struct skr_labels *own = &oldest->meta.annotations;
    int rc =
        skr_group_spec_from_labels(g->name, &oldest->meta.labels, oldest->priority, ret, error);
    rc = rc < 0 ? rc : skr_group_run_parse(*ret, SKR_GROUP_PREFIX, own, error);
    rc = rc < 0 ? rc : skr_group_elastic_parse(*ret, SKR_GROUP_PREFIX, own, false, error);
    if (rc < 0) {
        skr_group_spec_destroy(*ret);
        *ret = NULL;
    }
    return rc;
}

static int parse(const struct skr_gang *e, struct group *g, enum group_source source,
                 struct skr_group_spec **ret, struct skr_error *error)
{
    *ret = NULL;
    if (source == SOURCE_MAP) {
        return skr_group_spec_parse(&g->source.map->map->data, ret, error);
    }
    if (source == SOURCE_PODGROUP) {
        return g->derived.lack != SKR_REASON_NONE
                   ? 0
                   : skr_group_spec_from_podgroup(
                         g->source.podgroup->pg, skr_derived_priority(g),
                         skr_derived_native_level(e, NULL, g->source.podgroup->pg), ret, error);
    }
    if (source == SOURCE_LABELS && skr_derived_is(g)) {
        return skr_derived_spec(e, g, ret, error);
    }
    if (source == SOURCE_LABELS) {
        return parse_labels(g, skr_membership_oldest(g)->pod, ret, error);
    }
    return 0;
}

void skr_group_source_bound_priority(const struct skr_gang *e, const struct group *g,
                                     struct skr_group_spec *spec)
{
    int64_t most = 0;
    if (g->source.kind != SOURCE_MAP ||
        !skr_namespace_limit(e->settings.priority_max, g->namespace_, &most) ||
        spec->priority <= most) {
        return;
    }
    skr_group_warn(spec, NULL, (struct skr_subject){.key = "priority"},
                   "%d is more than groups.maxPriority allows here: %d counts", spec->priority,
                   (int)most);
    spec->priority = (int32_t)most;
}

/* A running or binding gang keeps its source while that exists; its loss does not affect a running
 * gang. */
static bool must_wait(const struct skr_gang *e, const struct group *g, enum group_source source)
{
    if (g->plan && g->plan->binding) { /* a refused "Binding" does not count */
        return g->plan->binding_persisted || !skr_plan_storage_is_quiet(e, g);
    }
    bool running = g->state == GROUP_BOUND && g->seats.n_bound > 0;
    bool still_there = (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) ||
                       g->source.kind == SOURCE_LABELS;
    return running && source != g->source.kind && still_there && source != SOURCE_NONE;
}

/* Other roles than the running members have: the map keeps for the next generation. */
static bool waits_for_roles(const struct skr_gang *e, struct group *g, enum group_source source)
{
    struct skr_group_spec *spec = NULL;
    SKR_STRBUF(why);
    const bool map = source == SOURCE_MAP && g->source.kind == SOURCE_MAP;
    const bool waits = map && parse(e, g, source, &spec, NULL) == 0 && spec &&
                       skr_roles_change_waits(g, spec, &why);
    skr_group_spec_destroy(spec);
    free(g->source.roles_changed);
    g->source.roles_changed = waits ? skr_strbuf_take(&why, NULL) : NULL;
    return waits;
}

/* The change takes effect later; the source may become malformed before. */
static void note_next(const struct skr_gang *e, struct group *g, enum group_source source)
{
    struct skr_group_spec *spec;
    struct skr_error error;
    if (source == g->source.kind && source != SOURCE_NONE && !waits_for_roles(e, g, source) &&
        parse(e, g, source, &spec, &error) == 0) {
        skr_group_spec_destroy(g->source.next);
        g->source.next = spec;
    }
}

static struct skr_group_spec *take_next(struct group *g)
{
    struct skr_group_spec *spec = g->source.next;
    g->source.next = NULL;
    return spec;
}

/* One without any room gives none to others, whatever its source says. */
static bool has_room(const struct group *g)
{
    return g->plan || g->booking || g->holds.n > 0 || skr_membership_runs(g);
}

static void spec_changed(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    const bool is_limited = g->spec && g->spec->run_limit != SKR_TIME_NEVER;
    if (has_room(g)) {
        skr_dirty_victims(e);
    }
    skr_dirty_input(g);
    skr_refusal_forget(g);
    skr_vain_forget(g);
    skr_attempt_forget(g);
    skr_dirty_plan(e);
    DL_FOREACH(is_limited ? g->members : NULL, p)
    {
        skr_dirty_pod(e, p);
    }
}

bool skr_group_source_resolve(struct skr_gang *e, struct group *g)
{
    struct map_entry *best = winner(g);
    if (best != g->source.map) {
        if (g->source.map) {
            skr_dirty_map(e, g->source.map);
        }
        g->source.map = best;
        if (best) {
            skr_dirty_map(e, best);
        }
    }
    enum group_source source = available(e, g);
    char *text = source_text(e, g, source);
    if (g->source.text && strcmp(text, g->source.text) == 0) {
        free(text);
        skr_group_spec_destroy(take_next(g));
        free(g->source.roles_changed);
        g->source.roles_changed = NULL;
        return false;
    }
    if (must_wait(e, g, source)) {
        free(text);
        note_next(e, g, source);
        return false;
    }
    if (waits_for_roles(e, g, source)) {
        free(text);
        return false;
    }
    free(g->source.text);
    g->source.text = text;
    g->source.kind = source;
    struct skr_error error;
    struct skr_group_spec *spec, *next = take_next(g);
    free(g->source.defect);
    g->source.defect = NULL;
    if (parse(e, g, source, &spec, &error) < 0 || (spec && skr_budget_take(e, g, &error) < 0)) {
        g->source.defect = skr_strdup(error.text);
        skr_group_spec_destroy(spec);
        spec = NULL;
        if (g->seats.n_bound > 0) { /* the last good values stay */
            if (!next) {
                return true;
            }
            spec = next;
            next = NULL;
        }
    }
    skr_group_spec_destroy(next);
    if (spec) {
        skr_group_source_bound_priority(e, g, spec);
    } else if (!g->budget.refused) {
        skr_budget_release(e, g);
    }
    bool same = g->spec && spec && skr_group_spec_equal(g->spec, spec);
    skr_group_spec_destroy(g->spec);
    g->spec = spec;
    skr_membership_changed(g);
    if (!same) {
        spec_changed(e, g);
    }
    return !same;
}

int skr_group_source_try(struct skr_gang *e, struct group *g, struct skr_error *error)
{
    g->source.map = winner(g);
    g->source.kind = available(e, g);
    g->source.text = source_text(e, g, g->source.kind);
    const int rc = parse(e, g, g->source.kind, &g->spec, error);
    if (g->spec) {
        skr_group_source_bound_priority(e, g, g->spec);
    }
    return rc;
}

void skr_group_source_judge_levels(const struct skr_gang *e, struct group *g)
{
    SKR_STRBUF(why);
    free(g->source.misplaced);
    g->source.misplaced = NULL;
    if (g->spec && e->topology.tree && skr_group_misfit(g->spec, e->topology.tree, &why)) {
        g->source.misplaced = skr_strbuf_take(&why, NULL);
    }
}

void skr_group_source_map_changes(struct skr_gang *e, struct group *g, const struct map_entry *m)
{
    struct map_entry *in_force = g->source.map, *best = winner(g);
    if (best != m || g->source.kind != SOURCE_MAP || !g->source.text) {
        return;
    }
    g->source.map = best; /* it may have been recreated since the last look */
    SKR_AUTO_FREE char *text = source_text(e, g, SOURCE_MAP);
    if (strcmp(text, g->source.text) != 0) {
        note_next(e, g, SOURCE_MAP);
    }
    g->source.map = in_force;
}

void skr_group_source_map_gone(struct group *g, const struct map_entry *m)
{
    if (g->source.map == m) {
        g->source.map = NULL;
    }
}

void skr_group_source_set_podgroup(struct group *g, struct podgroup_entry *podgroup)
{
    g->source.podgroup = podgroup;
}

void skr_group_source_again(struct group *g)
{
    free(g->source.text);
    g->source.text = NULL;
}

void skr_group_source_fini(struct skr_gang *e, struct group *g)
{
    skr_derived_fini(e, g);
    skr_group_spec_destroy(g->spec);
    skr_group_spec_destroy(g->source.next);
    free(g->source.defect);
    free(g->source.misplaced);
    free(g->source.roles_changed);
    free(g->source.text);
}
