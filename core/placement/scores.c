/* SPDX-License-Identifier: Apache-2.0 */
/* Prioritizers: exact integers, truncated toward zero. */
#include <stdio.h>

#include "core/placement/cycle.h"

enum { SCORE_MAX = 100, WARNING_MAX = 256 };

static const struct skr_managed_cluster *cluster_at(const struct skr_cycle *cycle, size_t i)
{
    return cycle->hub->cluster[cycle->result->candidate[i]];
}

static void give(struct skr_placement_scores *scores, size_t i, int32_t value)
{
    scores->has[i] = true;
    scores->value[i] = value;
}

static void score_steady(struct skr_cycle *cycle, struct skr_placement_scores *scores)
{
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        give(scores, i, cycle->decided[cycle->result->candidate[i]] ? SCORE_MAX : 0);
    }
}

static bool is_decided(const struct skr_placement_hub *hub, const char *cluster)
{
    bool found = false;
    for (size_t d = 0; d < hub->n_decisions && !found; d++) {
        found = skr_placement_decision_has(hub->decision[d], cluster);
    }
    return found;
}

/* n(c) counts other Placements only. Its largest value is taken over all clusters that decisions
 * name, including those that are no candidates or not on the hub. */
static void score_balance(struct skr_cycle *cycle, struct skr_placement_scores *scores)
{
    const struct skr_placement_hub *hub = cycle->hub;
    const bool *own = cycle->decided;
    int64_t most = 0;
    for (size_t i = 0; i < hub->n_clusters; i++) {
        int64_t n = (int64_t)hub->load[i] - own[i];
        most = n > most ? n : most;
    }
    for (size_t i = 0; i < hub->n_strays; i++) {
        int64_t n = (int64_t)hub->stray[i].load - is_decided(hub, hub->stray[i].name);
        most = n > most ? n : most;
    }
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        const uint32_t at = cycle->result->candidate[i];
        const int64_t n = (int64_t)hub->load[at] - own[at];
        give(scores, i, n <= 0 ? SCORE_MAX : (int32_t)((SCORE_MAX * most - 200 * n) / most));
    }
}

/* trunc(200 * (part / whole - 1/2)), clamped; whole > 0 or < 0. */
static int32_t ratio(skr_int128 part, skr_int128 whole)
{
    const skr_int128 score = (200 * part - 100 * whole) / whole;
    return score > SCORE_MAX ? SCORE_MAX : score < -SCORE_MAX ? -SCORE_MAX : (int32_t)score;
}

static void score_ratio(struct skr_cycle *cycle, struct skr_placement_scores *scores)
{
    const char *resource = scores->prioritizer->resource;
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        const struct skr_managed_cluster *c = cluster_at(cycle, i);
        const skr_int128 *allocatable = skr_cluster_amount_get(&c->allocatable, resource);
        const skr_int128 *capacity = skr_cluster_amount_get(&c->capacity, resource);
        if (allocatable && capacity && *capacity != 0) {
            give(scores, i, ratio(*allocatable, *capacity));
        }
    }
}

static const skr_int128 *usable(const struct skr_managed_cluster *c, const char *resource)
{
    const skr_int128 *allocatable = skr_cluster_amount_get(&c->allocatable, resource);
    return skr_cluster_amount_get(&c->capacity, resource) ? allocatable : NULL;
}

static void score_allocatable(struct skr_cycle *cycle, struct skr_placement_scores *scores)
{
    const char *resource = scores->prioritizer->resource;
    skr_int128 min = 0, max = 0;
    bool any = false;
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        const skr_int128 *x = usable(cluster_at(cycle, i), resource);
        if (x) {
            min = any && min < *x ? min : *x;
            max = any && max > *x ? max : *x;
            any = true;
        }
    }
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        const skr_int128 *x = usable(cluster_at(cycle, i), resource);
        if (x) {
            give(scores, i, max == min ? SCORE_MAX : ratio(*x - min, max - min));
        }
    }
}

static void warn_expired(struct skr_cycle *cycle, const struct skr_addon_score *score)
{
    char text[WARNING_MAX];
    if (cycle->result->warning[0]) {
        return;
    }
    snprintf(text, sizeof text, "AddOnPlacementScore %.100s/%.100s has expired",
             score->meta.namespace_, score->meta.name);
    const char *copy = skr_arena_strdup(cycle->arena, text);
    cycle->result->warning = copy ? copy : "";
}

static void score_addon(struct skr_cycle *cycle, struct skr_placement_scores *scores)
{
    const struct skr_prioritizer *prioritizer = scores->prioritizer;
    for (size_t i = 0; i < cycle->result->n_candidates; i++) {
        const struct skr_addon_score *score = cycle->hub->score(
            cycle->hub->context, cluster_at(cycle, i)->meta.name, prioritizer->resource);
        int32_t value = 0;
        if (score && score->expires && cycle->hub->now > score->valid_until) {
            warn_expired(cycle, score);
        } else if (!score || !skr_addon_score_get(score, prioritizer->score, &value)) {
            value = 0;
        }
        give(scores, i, value);
    }
}

static const struct {
    void (*score)(struct skr_cycle *cycle, struct skr_placement_scores *scores);
    enum skr_placement_plugin plugin;
} by_kind[] = {
    [SKR_PRIORITIZER_BALANCE] = {score_balance, SKR_PLACEMENT_PLUGIN_BALANCE},
    [SKR_PRIORITIZER_SPREAD] = {NULL, SKR_PLACEMENT_PLUGIN_SPREAD},
    [SKR_PRIORITIZER_STEADY] = {score_steady, SKR_PLACEMENT_PLUGIN_STEADY},
    [SKR_PRIORITIZER_RATIO] = {score_ratio, SKR_PLACEMENT_PLUGIN_RATIO},
    [SKR_PRIORITIZER_ALLOCATABLE] = {score_allocatable, SKR_PLACEMENT_PLUGIN_ALLOCATABLE},
    [SKR_PRIORITIZER_ADDON] = {score_addon, SKR_PLACEMENT_PLUGIN_ADDON},
};
_Static_assert(sizeof by_kind / sizeof *by_kind == SKR_PRIORITIZER_KIND_COUNT, "all kinds");

void skr_cycle_took(struct skr_cycle *cycle, enum skr_placement_plugin plugin, int64_t began)
{
    cycle->result->cost[plugin].runs++;
    cycle->result->cost[plugin].took += skr_stopwatch_now(cycle->hub->stopwatch) - began;
}

static bool counts(const struct skr_prioritizer *prioritizer)
{
    return prioritizer->weight != 0 && by_kind[prioritizer->kind].score;
}

int skr_cycle_score(struct skr_cycle *cycle)
{
    struct skr_placement_result *result = cycle->result;
    const struct skr_placement *placement = cycle->placement;
    const size_t n = result->n_candidates;
    result->total = skr_arena_array(cycle->arena, n + 1, sizeof *result->total);
    result->scores =
        skr_arena_array(cycle->arena, placement->n_prioritizers + 1, sizeof *result->scores);
    if (!result->total || !result->scores) {
        return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
    }
    for (size_t p = 0; p < placement->n_prioritizers; p++) {
        if (!counts(&placement->prioritizer[p])) {
            continue;
        }
        struct skr_placement_scores *scores = &result->scores[result->n_scores++];
        scores->prioritizer = &placement->prioritizer[p];
        scores->has = skr_arena_array(cycle->arena, n + 1, sizeof *scores->has);
        scores->value = skr_arena_array(cycle->arena, n + 1, sizeof *scores->value);
        if (!scores->has || !scores->value) {
            return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
        }
        const int64_t began = skr_stopwatch_now(cycle->hub->stopwatch);
        by_kind[scores->prioritizer->kind].score(cycle, scores);
        skr_cycle_took(cycle, by_kind[scores->prioritizer->kind].plugin, began);
        for (size_t i = 0; i < n; i++) {
            result->total[i] += (int64_t)scores->prioritizer->weight * scores->value[i];
        }
    }
    for (size_t i = 0; cycle->hub->what_if && i < n; i++) {
        const struct skr_managed_cluster *c = cluster_at(cycle, i);
        result->total[i] = c->has_total ? c->total : result->total[i];
    }
    return 0;
}
