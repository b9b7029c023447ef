/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation becomes a target with texts of its own, since caches change while it is
 * written. */

#include "core/placement/report.h"
#include "core/placement/state.h"

enum { SCORES_MAX = 1000 }; /* characters of the score Event */

static const struct skr_addon_score *find_score(void *context, const char *cluster,
                                                const char *name)
{
    return skr_placements_find(context, SKR_OCM_SCORE, cluster, name);
}

/* If all named clusters are on the hub, which is cheap to find out, there are no strays. */
static int find_strays(struct skr_placements *self, struct skr_arena *arena,
                       struct skr_placement_hub *hub)
{
    const struct skr_cluster_count *count, *next;
    size_t on_hub = 0, n = HASH_COUNT(self->load);
    for (size_t i = 0; i < hub->n_clusters; i++) {
        on_hub += hub->load[i] > 0;
    }
    if (on_hub == n) {
        return 0;
    }
    struct skr_stray_cluster *stray = skr_arena_array(arena, n - on_hub, sizeof *stray);
    if (!stray) {
        return -SKR_LIMIT;
    }
    HASH_ITER(hh, self->load, count, next)
    {
        if (skr_object_search(hub->cluster, hub->n_clusters, count->name) < 0) {
            stray[hub->n_strays++] =
                (struct skr_stray_cluster){.name = count->name, .load = (uint32_t)count->n};
        }
    }
    hub->stray = stray;
    return 0;
}

static int fill_hub(struct skr_placements *self, const struct skr_placement_entry *entry, bool news,
                    struct skr_arena *arena, struct skr_placement_hub *hub)
{
    const struct skr_ocm_entry *cached;
    size_t n = 0;
    DL_COUNT(entry->home->binding, cached, n);
    const struct skr_cluster_set_binding **binding = skr_arena_array(arena, n + 1, sizeof *binding);
    if (!binding) {
        return -SKR_LIMIT;
    }
    skr_placements_sort(self);
    *hub = (struct skr_placement_hub){
        .n_clusters = self->n_clusters,
        .cluster = self->cluster,
        .load = self->loads,
        .n_sets = self->n_sets,
        .set = self->set,
        .binding = binding,
        .n_decisions = entry->n_decisions,
        .decision = (const struct skr_placement_decision *const *)entry->decision,
        .score = find_score,
        .context = self,
        .no_news = !news,
        .now = skr_frame_now(self->frame),
        .spread_mode = self->settings->spread_mode,
        .stopwatch = self->settings->stopwatch};
    DL_FOREACH(entry->home->binding, cached)
    {
        binding[hub->n_bindings++] = cached->object;
    }
    return find_strays(self, arena, hub);
}

int skr_placement_hub_of(void *self, const struct skr_placement *placement, struct skr_arena *arena,
                         struct skr_placement_hub *ret)
{
    SKR_AUTO_FREE char *key = skr_object_key(placement->meta.namespace_, placement->meta.name);
    return fill_hub(self, skr_placements_entry(self, key), true, arena, ret);
}

static void *room(struct skr_target *target, size_t n, size_t size)
{
    void *room = skr_arena_array(target->arena, n, size);
    skr_bug_on(!room);
    return room;
}

static const char *copy(struct skr_target *target, const char *text)
{
    const char *copy = skr_arena_strdup(target->arena, text);
    skr_bug_on(!copy);
    return copy;
}

static void copy_slices(struct skr_target *target, const struct skr_slice_plan *plan)
{
    SKR_STRBUF(groups);
    struct skr_json_writer w = {.out = &groups};
    target->slice = room(target, plan->n_slices, sizeof *target->slice);
    target->name = room(target, plan->n_slices, sizeof *target->name);
    target->n_slices = plan->n_slices;
    for (size_t i = 0; i < plan->n_slices; i++) {
        const struct skr_slice *from = &plan->slice[i];
        struct skr_target_slice *to = &target->slice[i];
        *to = (struct skr_target_slice){.name = copy(target, from->name),
                                        .group_name = copy(target, from->group_name),
                                        .group = from->group,
                                        .n = from->n,
                                        .cluster = room(target, from->n, sizeof *to->cluster)};
        for (size_t c = 0; c < from->n; c++) {
            to->cluster[c] = copy(target, from->cluster[c]);
        }
        target->name[i] = to->name;
    }
    skr_names_sort(target->name, target->n_slices);
    skr_json_open(&w, NULL, '[');
    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct skr_slice_part *part = &plan->part[i];
        skr_json_open(&w, NULL, '{');
        skr_json_int(&w, "clusterCount", (int64_t)part->n_clusters);
        skr_json_int(&w, "decisionGroupIndex", (int64_t)i);
        skr_json_string(&w, "decisionGroupName", part->group_name);
        skr_json_open(&w, "decisions", '[');
        for (size_t s = part->first; s < part->first + part->n_slices; s++) {
            skr_json_string(&w, NULL, plan->slice[s].name);
        }
        skr_json_close(&w, ']');
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    target->groups = copy(target, groups.s);
}

/* "name:score " of as many clusters as have room; pairs are never cut. */
static const char *score_text(struct skr_target *target, const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result)
{
    SKR_STRBUF(text);
    SKR_STRBUF(pair);
    for (size_t i = 0; i < result->spread.n; i++) {
        const uint32_t c = result->spread.order[i];
        skr_strbuf_reset(&pair);
        skr_strbuf_addf(&pair, "%s:%lld ", hub->cluster[result->candidate[c]]->meta.name,
                        (long long)result->total[c]);
        if (text.len + pair.len > SCORES_MAX) {
            break;
        }
        skr_strbuf_add(&text, pair.s);
    }
    return copy(target, text.s);
}

static void measure(struct skr_placements *self, const struct skr_placement_result *result,
                    int64_t began)
{
    const enum skr_placement_end end = result->misconfigured[0] ? SKR_PLACEMENT_END_MISCONFIGURED
                                       : result->failure[0]     ? SKR_PLACEMENT_END_ERROR
                                       : result->satisfied      ? SKR_PLACEMENT_END_SATISFIED
                                                                : SKR_PLACEMENT_END_UNSATISFIED;
    skr_durations_add(&self->counts.scheduling[end], &skr_placement_scale,
                      skr_stopwatch_now(self->settings->stopwatch) - began);
    for (int p = 0; p < SKR_PLACEMENT_PLUGIN_COUNT; p++) {
        if (result->cost[p].runs > 0) {
            skr_durations_add(&self->counts.plugin[p], &skr_placement_scale, result->cost[p].took);
        }
    }
}

struct skr_target *skr_target_create(struct skr_placements *self,
                                     const struct skr_placement_entry *entry)
{
    struct skr_arena *own = skr_arena_create(SIZE_MAX, 0);
    struct skr_target *target = own ? skr_arena_alloc(own, sizeof *target) : NULL;
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    struct skr_placement_hub hub = {0};
    struct skr_placement_result result = {.misconfigured = "",
                                          .failure = "no memory for a cycle",
                                          .message = "no memory for a cycle",
                                          .warning = "",
                                          .reason = SKR_PLACEMENT_FAILED,
                                          .requeue_at = SKR_TIME_NEVER};
    struct skr_placement_kept kept = {0};
    const int64_t began = skr_stopwatch_now(self->settings->stopwatch);
    skr_bug_on(!target);
    target->arena = own;
    target->news = entry->news || entry->again_at <= skr_frame_now(self->frame);
    if (arena && fill_hub(self, entry, target->news, arena, &hub) == 0) {
        skr_placement_evaluate(entry->placement, &hub, arena, &result);
    }
    measure(self, &result, began);
    target->keeps = result.misconfigured[0] || result.failure[0];
    target->misconfigured = copy(target, result.misconfigured);
    target->warning = copy(target, result.warning);
    target->again_at = result.requeue_at;
    target->cel_cost = result.cel_cost;
    target->n_selected = result.spread.n;
    target->satisfied = result.satisfied;
    target->reason = skr_placement_reason_name[result.reason];
    target->message = copy(target, result.message ? result.message : "");
    if (!target->keeps) {
        copy_slices(target, &result.slices);
        target->scores = score_text(target, &hub, &result);
    } else if (arena && skr_placement_keep(entry->placement, &hub, &result, arena, &kept) == 0) {
        target->reason = copy(target, kept.reason);
        target->satisfied = kept.satisfied;
        target->n_selected = kept.n;
        target->message = copy(target, kept.message);
    }
    skr_arena_destroy(arena);
    return target;
}
