/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates: the members of the sets that are bound to the namespace, without those that a
 * predicate or a taint excludes. Conditions of clusters are not read, because OCM's registration
 * controller expresses them as taints.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/placement/cycle.h"

enum { WHY_MAX = 320 };

static int no_room(struct skr_cycle *cycle)
{
    return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
}

/* ---- sets ---- */

int skr_cycle_find_sets(struct skr_cycle *cycle, const struct skr_cluster_set ***ret, size_t *ret_n,
                        size_t *ret_bound)
{
    const struct skr_placement_hub *hub = cycle->hub;
    *ret_n = 0;
    *ret_bound = 0;
    *ret = skr_arena_array(cycle->arena, hub->n_bindings + 1, sizeof **ret);
    if (!*ret) {
        return no_room(cycle);
    }
    for (size_t i = 0; i < hub->n_bindings; i++) {
        const int64_t at = skr_object_search(hub->set, hub->n_sets, hub->binding[i]->meta.name);
        if (at < 0) {
            continue;
        }
        const struct skr_cluster_set *set = hub->set[at];
        ++*ret_bound;
        bool known = false;
        for (size_t j = 0; j < *ret_n && !known; j++) {
            known = (*ret)[j] == set;
        }
        if (!known && skr_placement_asks_for(cycle->placement, set->meta.name)) {
            (*ret)[(*ret_n)++] = set;
        }
    }
    return 0;
}

static bool is_member(const struct skr_placement_hub *hub, const struct skr_cluster_set **set,
                      size_t n, const struct skr_managed_cluster *cluster)
{
    if (cluster->meta.deleting) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (skr_cluster_set_has(set[i], cluster)) {
            return true;
        }
    }
    return hub->every_cluster;
}

/* ---- taints ---- */

static bool matches(const struct skr_cluster_toleration *t, const struct skr_cluster_taint *taint)
{
    if ((t->effect[0] && strcmp(t->effect, taint->effect) != 0) ||
        (t->key[0] && strcmp(t->key, taint->key) != 0)) {
        return false;
    }
    return t->operator== SKR_TOLERATE_EXISTS ||(t->operator== SKR_TOLERATE_EQUAL &&
                                                strcmp(t->value, taint->value) == 0);
}

/* When the toleration ends; saturates. */
static skr_time end_of(const struct skr_cluster_toleration *t,
                       const struct skr_cluster_taint *taint)
{
    const skr_int128 end = (skr_int128)taint->added + (skr_int128)t->seconds * SKR_SECOND;
    return end >= SKR_TIME_NEVER ? SKR_TIME_NEVER - 1 : end < INT64_MIN ? INT64_MIN : (skr_time)end;
}

/* When the taint stops being tolerated. SKR_TIME_NEVER: it is tolerated for ever; INT64_MIN: it is
 * not tolerated now. */
static skr_time tolerated_until(const struct skr_cycle *cycle, uint32_t cluster,
                                const struct skr_cluster_taint *taint)
{
    skr_time until = INT64_MIN;
    if (strcmp(taint->effect, "PreferNoSelect") == 0 ||
        (strcmp(taint->effect, "NoSelectIfNew") == 0 && cycle->decided[cluster])) {
        return SKR_TIME_NEVER;
    }
    for (size_t i = 0; i < cycle->placement->n_tolerations; i++) {
        const struct skr_cluster_toleration *t = &cycle->placement->toleration[i];
        if (!matches(t, taint) || (t->has_seconds && !taint->has_time)) {
            continue;
        }
        skr_time end = t->has_seconds ? end_of(t, taint) : SKR_TIME_NEVER;
        if (end > cycle->hub->now && end > until) {
            until = end;
        }
    }
    return until;
}

/* ---- filters ---- */

static const char *SKR_PRINTF(2, 3) explain(struct skr_cycle *cycle, const char *format, ...)
{
    char text[WHY_MAX];
    va_list args;
    if (!cycle->hub->explain) {
        return "";
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = skr_arena_strdup(cycle->arena, text);
    return copy ? copy : "";
}

/* Why the cluster cannot be chosen; NULL: it can. */
static const char *why_filtered(struct skr_cycle *cycle, uint32_t number)
{
    const struct skr_managed_cluster *cluster = cycle->hub->cluster[number];
    const struct skr_placement *placement = cycle->placement;
    bool matched = placement->n_predicates == 0;
    cycle->cel.why = NULL;
    for (size_t i = 0; !matched && i < placement->n_predicates; i++) {
        const struct skr_cluster_selector *predicate = &placement->predicate[i];
        matched = skr_cluster_selector_matches(predicate, cluster) &&
                  skr_cel_selector_holds(&cycle->cel, predicate, cluster);
    }
    if (!matched) {
        const char *why = cycle->cel.why;
        return explain(cycle, "no predicate matches%s%s", why ? ": " : "", why ? why : "");
    }
    for (size_t i = 0; i < cluster->n_taints; i++) {
        const struct skr_cluster_taint *taint = &cluster->taint[i];
        if (tolerated_until(cycle, number, taint) == INT64_MIN) {
            return explain(cycle, "taint %.100s%s%.64s:%.32s is not tolerated", taint->key,
                           taint->value[0] ? "=" : "", taint->value, taint->effect);
        }
    }
    return NULL;
}

static const char *why_no_member(struct skr_cycle *cycle, const struct skr_managed_cluster *cluster)
{
    return cluster->meta.deleting ? explain(cycle, "it is being deleted")
                                  : explain(cycle, "in no bound cluster set");
}

static int sort_out(struct skr_cycle *cycle, const struct skr_cluster_set **set, size_t n_sets,
                    bool *ret_members)
{
    struct skr_placement_result *result = cycle->result;
    for (size_t i = 0; i < cycle->hub->n_clusters; i++) {
        const struct skr_managed_cluster *cluster = cycle->hub->cluster[i];
        const bool member = is_member(cycle->hub, set, n_sets, cluster);
        *ret_members = *ret_members || member;
        const char *why = member ? why_filtered(cycle, (uint32_t)i) : why_no_member(cycle, cluster);
        if (!why) {
            result->candidate[result->n_candidates++] = (uint32_t)i;
        } else {
            result->filtered[result->n_filtered++] =
                (struct skr_placement_filtered){(uint32_t)i, why};
        }
        if (cycle->cel.cost > SKR_PLACEMENT_CEL_COST_MAX) {
            return skr_error_set(cycle->error, SKR_LIMIT,
                                 "CEL expressions on %zu of %zu clusters cost more than %d; narrow "
                                 "the clusters with a labelSelector beside them",
                                 i + 1, cycle->hub->n_clusters, (int)SKR_PLACEMENT_CEL_COST_MAX);
        }
    }
    return 0;
}

static int find_decided(struct skr_cycle *cycle)
{
    const struct skr_placement_hub *hub = cycle->hub;
    cycle->decided = skr_arena_array(cycle->arena, hub->n_clusters + 1, sizeof *cycle->decided);
    if (!cycle->decided) {
        return no_room(cycle);
    }
    for (size_t d = 0; d < hub->n_decisions; d++) {
        for (size_t i = 0; i < hub->decision[d]->n; i++) {
            const int64_t at =
                skr_object_search(hub->cluster, hub->n_clusters, hub->decision[d]->cluster[i]);
            if (at < 0) {
                cycle->lost = true;
            } else if (!cycle->decided[at]) {
                cycle->decided[at] = true;
                cycle->n_decided++;
            }
        }
    }
    return 0;
}

int skr_cycle_find_candidates(struct skr_cycle *cycle, bool *ret_any)
{
    struct skr_placement_result *result = cycle->result;
    const struct skr_cluster_set **set;
    const size_t n = cycle->hub->n_clusters;
    size_t n_sets, n_bound;
    bool members = false;
    int rc = skr_cycle_find_sets(cycle, &set, &n_sets, &n_bound);
    if (rc < 0 || (rc = find_decided(cycle)) < 0) {
        return rc;
    }
    result->candidate = skr_arena_array(cycle->arena, n + 1, sizeof *result->candidate);
    result->filtered = skr_arena_array(cycle->arena, n + 1, sizeof *result->filtered);
    if (!result->candidate || !result->filtered) {
        return no_room(cycle);
    }
    rc = sort_out(cycle, set, n_sets, &members);
    result->cel_cost = cycle->cel.cost;
    if (rc < 0) {
        return rc;
    }
    *ret_any = members;
    if (!cycle->hub->every_cluster && n_bound == 0) {
        result->reason = SKR_PLACEMENT_NO_BINDINGS;
    } else if (!cycle->hub->every_cluster && n_sets == 0) {
        result->reason = SKR_PLACEMENT_NO_INTERSECTION;
    } else {
        result->reason = SKR_PLACEMENT_SETS_EMPTY;
    }
    return 0;
}

/* ---- timers ---- */

static skr_time earlier(skr_time a, skr_time b)
{
    return a < b ? a : b;
}

void skr_cycle_find_requeue(struct skr_cycle *cycle)
{
    struct skr_placement_result *result = cycle->result;
    skr_time at = SKR_TIME_NEVER;
    for (size_t i = 0; i < result->spread.n; i++) {
        const uint32_t number = result->candidate[result->spread.order[i]];
        const struct skr_managed_cluster *cluster = cycle->hub->cluster[number];
        for (size_t t = 0; t < cluster->n_taints; t++) {
            at = earlier(at, tolerated_until(cycle, number, &cluster->taint[t]));
        }
    }
    for (size_t s = 0; s < result->n_scores; s++) {
        const struct skr_prioritizer *prioritizer = result->scores[s].prioritizer;
        for (size_t i = 0; prioritizer->kind == SKR_PRIORITIZER_ADDON && i < result->n_candidates;
             i++) {
            const char *name = cycle->hub->cluster[result->candidate[i]]->meta.name;
            const struct skr_addon_score *score =
                cycle->hub->score(cycle->hub->context, name, prioritizer->resource);
            int32_t value;
            if (score && score->expires && score->valid_until >= cycle->hub->now &&
                skr_addon_score_get(score, prioritizer->score, &value)) {
                at = earlier(at, score->valid_until + 1);
            }
        }
    }
    result->requeue_at = at;
}
