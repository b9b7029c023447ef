/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes objects in and queues the Placements that a change concerns. A changed count for Balance
 * queues no Placement, or Placements would answer one another for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "core/placement/cluster_cel.h"
#include "core/placement/state.h"
#include "topology/base/attr.h"

void skr_placements_queue(struct skr_placements *self, struct skr_placement_entry *entry)
{
    if (skr_placements_is_ours(self, entry)) {
        entry->news = true;
        skr_keys_add(self->keys, entry->key, 0, 0);
    }
}

/* ---- clusters ---- */

static bool same_taints(const struct skr_managed_cluster *a, const struct skr_managed_cluster *b)
{
    bool same = a->n_taints == b->n_taints;
    for (size_t i = 0; same && i < a->n_taints; i++) {
        const struct skr_cluster_taint *s = &a->taint[i], *t = &b->taint[i];
        same = strcmp(s->key, t->key) == 0 && strcmp(s->value, t->value) == 0 &&
               strcmp(s->effect, t->effect) == 0 && s->has_time == t->has_time &&
               s->added == t->added;
    }
    return same;
}

static bool same_amounts(const struct skr_cluster_amounts *a, const struct skr_cluster_amounts *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->item[i].name, b->item[i].name) == 0 && a->item[i].nano == b->item[i].nano;
    }
    return same;
}

static bool reads_resources(const struct skr_placement *p)
{
    for (size_t i = 0; i < p->n_prioritizers; i++) {
        const enum skr_prioritizer_kind kind = p->prioritizer[i].kind;
        if (p->prioritizer[i].weight != 0 &&
            (kind == SKR_PRIORITIZER_RATIO || kind == SKR_PRIORITIZER_ALLOCATABLE)) {
            return true;
        }
    }
    return false;
}

static bool reads_objects(const struct skr_placement *p)
{
    bool reads = false;
    for (size_t i = 0; !reads && i < p->n_predicates; i++) {
        reads = p->predicate[i].n_cel > 0;
    }
    return reads;
}

static bool reads_score(const struct skr_placement *p, const char *name)
{
    for (size_t i = 0; i < p->n_prioritizers; i++) {
        if (p->prioritizer[i].kind == SKR_PRIORITIZER_ADDON && p->prioritizer[i].weight != 0 &&
            strcmp(p->prioritizer[i].resource, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < p->n_predicates; i++) {
        if (skr_cel_selector_reads_scores(&p->predicate[i])) {
            return true;
        }
    }
    return false;
}

/* What a Placement has to read for a change to concern it. */
struct concern {
    bool objects;      /* with expressions */
    bool resources;    /* by a prioritizer, or with expressions */
    const char *score; /* NULL: any */
};

static bool concerns(const struct concern *concern, const struct skr_placement *p)
{
    const bool objects = reads_objects(p);
    return (!concern->objects || objects) &&
           (!concern->resources || objects || reads_resources(p)) &&
           (!concern->score || reads_score(p, concern->score));
}

/* Placements bound to this set. */
static void queue_set(struct skr_placements *self, const char *set, const struct concern *concern)
{
    struct skr_ocm_entry *cached, *next;
    struct skr_placement_entry *entry;
    HASH_ITER(hh, self->cache[SKR_OCM_BINDING], cached, next)
    {
        const struct skr_cluster_set_binding *binding = cached->object;
        if (strcmp(binding->meta.name, set) != 0) {
            continue;
        }
        DL_FOREACH(cached->home->entry, entry)
        {
            const struct skr_placement *p = entry->placement;
            if (p && (p->misconfigured[0] || skr_placement_asks_for(p, set)) &&
                concerns(concern, p)) {
                skr_placements_queue(self, entry);
            }
        }
    }
}

static void queue_cluster(struct skr_placements *self, const struct skr_managed_cluster *before,
                          const struct skr_managed_cluster *after, const struct concern *concern)
{
    struct skr_ocm_entry *cached, *next;
    HASH_ITER(hh, self->cache[SKR_OCM_SET], cached, next)
    {
        const struct skr_cluster_set *set = cached->object;
        if ((before && skr_cluster_set_has(set, before)) ||
            (after && skr_cluster_set_has(set, after))) {
            queue_set(self, set->meta.name, concern);
        }
    }
}

static void cluster_changed(struct skr_placements *self, const struct skr_managed_cluster *before,
                            const struct skr_managed_cluster *after)
{
    struct concern concern = {0};
    if (before && after && skr_labels_equal(&before->meta.labels, &after->meta.labels) &&
        skr_labels_equal(&before->claims, &after->claims) && same_taints(before, after) &&
        before->meta.deleting == after->meta.deleting) {
        if (same_amounts(&before->allocatable, &after->allocatable) &&
            same_amounts(&before->capacity, &after->capacity)) {
            concern.objects = true;
        }
        if (concern.objects && skr_cel_equal(&before->object, &after->object)) {
            return;
        }
        concern.resources = true;
    }
    queue_cluster(self, before, after, &concern);
}

/* ---- the others ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void placement_changed(struct skr_placements *self, const struct skr_placement *before,
                              const struct skr_placement *after)
{
    skr_bug_on(!after); /* a deletion ends the entry */
    char *key = skr_object_key(after->meta.namespace_, after->meta.name);
    struct skr_placement_entry *entry = skr_placements_entry(self, key);
    free(key);
    if (!entry) {
        return;
    }
    const char *name = self->settings->scheduler_name;
    if (before && skr_placement_is_ours(before, name) && !skr_placement_is_ours(after, name) &&
        entry->n_decisions > 0) {
        skr_placements_event(self, entry, NULL, true, "OwnershipLost", "OwnershipLost",
                             "the annotations that made this Placement ours are gone; its "
                             "decisions stay as they are");
    }
    if (!before || before->generation != after->generation || after->generation == 0 ||
        strcmp(before->meta.uid, after->meta.uid) != 0 ||
        before->upstream_disabled != after->upstream_disabled ||
        !same_text(before->scheduler, after->scheduler) ||
        !same_text(before->misconfigured, after->misconfigured) ||
        before->spread_mode != after->spread_mode) {
        skr_placements_queue(self, entry);
    }
}

static bool same_decision(const struct skr_placement_decision *a,
                          const struct skr_placement_decision *b)
{
    bool same = a && b && a->n == b->n && skr_labels_equal(&a->meta.labels, &b->meta.labels);
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->cluster[i], b->cluster[i]) == 0;
    }
    return same;
}

/* A cycle that writes decisions ends when the cached ones equal its target. A change of them during
 * the cycle is an echo of its writes, or the cycle undoes it. Neither needs another cycle. */
static void queue_owner(struct skr_placements *self, const struct skr_placement_decision *d)
{
    if (d && d->placement) {
        char *key = skr_object_key(d->meta.namespace_, d->placement);
        struct skr_placement_entry *entry = skr_placements_entry(self, key);
        if (entry && !(entry->target && !entry->target->keeps)) {
            skr_placements_queue(self, entry);
        }
        free(key);
    }
}

static void queue_bound(struct skr_placements *self, const struct skr_cluster_set_binding *binding)
{
    const struct skr_ocm_namespace *home = skr_placements_namespace(self, binding->meta.namespace_);
    struct skr_placement_entry *entry;
    DL_FOREACH(home ? home->entry : NULL, entry)
    {
        const struct skr_placement *p = entry->placement;
        if (p && (p->misconfigured[0] || skr_placement_asks_for(p, binding->meta.name))) {
            skr_placements_queue(self, entry);
        }
    }
}

static void set_changed(struct skr_placements *self, const struct skr_cluster_set *before,
                        const struct skr_cluster_set *after)
{
    const struct concern any = {0};
    if (!before || !after || before->generation != after->generation || after->generation == 0) {
        queue_set(self, (after ? after : before)->meta.name, &any);
    }
}

static bool same_score(const struct skr_addon_score *a, const struct skr_addon_score *b)
{
    bool same = a->expires == b->expires && a->valid_until == b->valid_until && a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same =
            strcmp(a->item[i].name, b->item[i].name) == 0 && a->item[i].value == b->item[i].value;
    }
    return same;
}

static void score_changed(struct skr_placements *self, const struct skr_addon_score *before,
                          const struct skr_addon_score *after)
{
    if (before && after && same_score(before, after)) {
        return;
    }
    const struct skr_meta *meta = after ? &after->meta : &before->meta;
    const struct concern concern = {.score = meta->name};
    const struct skr_managed_cluster *cluster =
        skr_placements_find(self, SKR_OCM_CLUSTER, "", meta->namespace_);
    if (cluster) {
        queue_cluster(self, cluster, NULL, &concern);
    }
}

/* before NULL: it is new; after NULL: it is gone. */
static void changed(struct skr_placements *self, enum skr_ocm_kind kind, const void *before,
                    const void *after)
{
    switch (kind) {
    case SKR_OCM_CLUSTER:
        cluster_changed(self, before, after);
        break;
    case SKR_OCM_SET:
        set_changed(self, before, after);
        break;
    case SKR_OCM_BINDING:
        if (!before || !after) {
            queue_bound(self, after ? after : before);
        }
        break;
    case SKR_OCM_PLACEMENT:
        placement_changed(self, before, after);
        break;
    case SKR_OCM_DECISION:
        if (!same_decision(before, after)) {
            queue_owner(self, before);
            queue_owner(self, after);
        }
        break;
    case SKR_OCM_SCORE:
        score_changed(self, before, after);
        break;
    case SKR_OCM_KIND_COUNT:
        break;
    }
}

/* ---- objects in ---- */

void skr_placements_take(struct skr_placements *self, enum skr_ocm_kind kind, void *object)
{
    void *before = NULL;
    if (skr_placements_put(self, kind, object, &before)) {
        changed(self, kind, before, object);
        skr_ocm_types[kind].destroy(before);
    }
}

void skr_placements_drop(struct skr_placements *self, enum skr_ocm_kind kind,
                         const char *namespace_, const char *name, const char *uid)
{
    void *before = skr_placements_remove(self, kind, namespace_, name, uid);
    if (before && kind != SKR_OCM_PLACEMENT) {
        changed(self, kind, before, NULL);
    }
    skr_ocm_types[kind].destroy(before);
}
