/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes objects in and queues the bindings to decide.
 *
 * - A binding that is new or has another generation is queued. It is decided if the applied
 *   placement, the replicas, a triggered rescheduling or a terminating cluster ask for it (karmada
 *   pkg/scheduler/scheduler.go, doScheduleBinding).
 * - Other labels, another generation or the deletion of a cluster queue the bindings whose affinity
 *   matches it.
 * - Beyond karmada-scheduler, any improvement of a cluster queues bindings without a place. Placed
 *   bindings never move for that.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/state.h"

/* ---- placements ---- */

static json_t *load(const char *text)
{
    json_t *value = NULL;
    return skr_json_text_parse("placement", text, SKR_OBJECT_BYTES_MAX, &value, NULL) == 0 ? value
                                                                                           : NULL;
}

bool skr_propagation_same_json(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        return true;
    }
    json_auto_t *left = load(a);
    json_auto_t *right = load(b);
    bool same = left && right && json_equal(left, right);
    return same;
}

static const json_t *term_of(const json_t *placement, const char *name)
{
    const json_t *terms = json_object_get(placement, "clusterAffinities");
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        const char *text = json_string_value(json_object_get(term, "affinityName"));
        if (text && strcmp(text, name) == 0) {
            return term;
        }
    }
    return NULL;
}

/* Compares everything except the terms that are not active. */
static bool placement_changed(const struct skr_binding *binding)
{
    if (skr_propagation_same_json(binding->placement_text, binding->applied_text)) {
        return false;
    }
    if (binding->placement.n_terms == 0 || binding->observed_affinity[0] == '\0') {
        return true;
    }
    json_auto_t *now = load(binding->placement_text);
    json_auto_t *applied = load(binding->applied_text);
    const json_t *term = term_of(now, binding->observed_affinity);
    const json_t *applied_term = term_of(applied, binding->observed_affinity);
    bool changed = !term || !applied_term || !json_equal(term, applied_term);
    json_object_del(now, "clusterAffinities");
    json_object_del(applied, "clusterAffinities");
    changed = changed || !json_equal(now, applied);
    return changed;
}

/* ---- a binding itself ---- */

static bool replicas_changed(const struct skr_binding *binding)
{
    bool duplicated = binding->placement.kind == SKR_DIVISION_DUPLICATED;
    int64_t sum = 0;
    for (size_t i = 0; i < binding->n_targets; i++) {
        if (duplicated && binding->target[i].replicas != binding->replicas) {
            return true;
        }
        sum += binding->target[i].replicas;
    }
    return !duplicated && sum != binding->replicas;
}

static bool has_terminating_target(struct skr_propagation *self, const struct skr_binding *binding)
{
    for (size_t i = 0; i < binding->n_targets; i++) {
        const struct skr_cluster_entry *entry =
            skr_propagation_find_cluster(self, binding->target[i].name);
        if (entry && entry->cluster->meta.deleting) {
            return true;
        }
    }
    return false;
}

/* Whether the condition lacks the warning about workload affinity, or has one that is none now: groups
 * stand beside the placement, so a change of theirs is no change of it. */
static bool is_affinity_unsaid(const struct skr_binding *binding)
{
    const bool has = binding->has_affinity_groups || binding->placement.has_workload_affinity;
    const bool said = strstr(binding->condition_message,
                             skr_propagation_warning_name(SKR_WARNING_WORKLOAD_AFFINITY_IGNORED));
    return has != said;
}

bool skr_propagation_is_due(struct skr_propagation *self, const struct skr_binding *binding)
{
    /* The status was never written if a process died between the two patches. */
    bool unfinished =
        binding->last_scheduled == 0 || strcmp(binding->condition_status, "True") != 0;
    return unfinished || !binding->has_placement || placement_changed(binding) ||
           replicas_changed(binding) || skr_binding_is_fresh(binding) ||
           !skr_binding_has_replicas(binding) ||
           binding->placement.kind == SKR_DIVISION_DUPLICATED ||
           has_terminating_target(self, binding) || is_affinity_unsaid(binding);
}

/* ---- clusters ---- */

/* Of the active term overflow affinities count, too, where karmada-scheduler leaves them out: replicas
 * on a cluster that is deleted would stay there. */
static bool affinity_matches(const struct skr_binding *binding,
                             const struct skr_member_cluster *cluster)
{
    const struct skr_binding_placement *placement = &binding->placement;
    const bool by_terms = !placement->has_affinity && placement->n_terms > 0;
    if (by_terms && binding->observed_generation != binding->generation) {
        return true;
    }
    const size_t term =
        by_terms ? skr_binding_placement_find_term(placement, binding->observed_affinity) : 0;
    return skr_binding_tier(binding, by_terms ? (int32_t)term : -1, cluster) >= 0;
}

static bool has_taint(const struct skr_member_cluster *cluster, const struct skr_taint *taint)
{
    for (size_t i = 0; i < cluster->n_taints; i++) {
        const struct skr_taint *other = &cluster->taint[i];
        if (other->effect == taint->effect && strcmp(other->key, taint->key) == 0 &&
            strcmp(other->value, taint->value) == 0) {
            return true;
        }
    }
    return false;
}

static bool room_grew(const struct skr_member_cluster *before,
                      const struct skr_member_cluster *after)
{
    if (after->has_summary && (!before->has_summary || after->free_pods > before->free_pods)) {
        return true;
    }
    if (skr_node_models_grew(&before->models, &after->models)) {
        return true;
    }
    for (size_t i = 0; i < after->n_free; i++) {
        const struct skr_free_resource *had = skr_member_cluster_free(before, after->free[i].name);
        if (!had || after->free[i].amount > had->amount) {
            return true;
        }
    }
    return false;
}

/* Whether a binding without a place may have one now. */
static bool improves(const struct skr_member_cluster *before,
                     const struct skr_member_cluster *after)
{
    if (!before || !after) {
        return !before;
    }
    for (size_t i = 0; i < before->n_taints; i++) {
        if (!has_taint(after, &before->taint[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < after->n_kinds; i++) {
        if (!skr_member_cluster_serves(before, after->kind[i].group_version, after->kind[i].kind)) {
            return true;
        }
    }
    return room_grew(before, after);
}

static bool is_unplaced(const struct skr_binding *binding)
{
    return strcmp(binding->condition_status, "False") == 0 &&
           (strcmp(binding->condition_reason, "NoClusterFit") == 0 ||
            strcmp(binding->condition_reason, "Unschedulable") == 0);
}

/* Queues the binding at most once in SKR_RETRIGGER_TIME. */
static void retrigger(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    skr_time now = skr_frame_now(self->frame);
    skr_time at = entry->retriggered_at + SKR_RETRIGGER_TIME;
    if (entry->retriggered_at > now) {
        return; /* one is due already */
    }
    entry->retriggered_at = entry->retriggered_at == 0 || at < now ? now : at;
    skr_propagation_queue(self, entry, entry->retriggered_at);
}

/* Queues the bindings that a change concerns. before NULL: the cluster is new; after NULL: it is
 * gone. */
static void cluster_changed(struct skr_propagation *self, const struct skr_member_cluster *before,
                            const struct skr_member_cluster *after)
{
    struct skr_binding_entry *entry;
    struct skr_binding_entry *next;
    bool concerns = before && after &&
                    (before->generation != after->generation ||
                     !skr_labels_equal(&before->meta.labels, &after->meta.labels) ||
                     (!before->meta.deleting && after->meta.deleting));
    bool better = improves(before, after);
    if (!concerns && !better) {
        return;
    }
    HASH_ITER(hh, self->binding, entry, next)
    {
        const struct skr_binding *binding = entry->binding;
        if (concerns && (affinity_matches(binding, before) || affinity_matches(binding, after))) {
            skr_propagation_queue(self, entry, 0);
        } else if (better && is_unplaced(binding)) {
            retrigger(self, entry);
        }
    }
}

/* ---- clusters in ---- */

void skr_propagation_take_cluster(struct skr_propagation *self, struct skr_member_cluster *cluster)
{
    struct skr_member_cluster *before;
    if (skr_propagation_put_cluster(self, cluster, &before)) {
        cluster_changed(self, before, cluster);
        skr_object_destroy(before);
    }
}

void skr_propagation_drop_cluster(struct skr_propagation *self, const char *name)
{
    struct skr_member_cluster *before = skr_propagation_remove_cluster(self, name);
    if (before) {
        cluster_changed(self, before, NULL);
        skr_object_destroy(before);
    }
}
