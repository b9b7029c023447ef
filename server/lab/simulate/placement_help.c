/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries changes of spread constraints on the selection only, since candidates and scores stay; all
 * others by the whole cycle, on copies of the objects.
 */
#include "server/lab/simulate/placement_help.h"

#include <inttypes.h>
#include <string.h>

#include "server/render/page.h"

enum { OBJECTS_MAX = 8 }; /* sets to bind, and clusters to label, to try */

struct help {
    const struct skr_placement *placement;
    const struct skr_placement_hub *hub;
    const struct skr_placement_result *result;
    struct skr_strbuf lines;
};

/* ---- spread constraints ---- */

/* The number of clusters that the same selection takes if one hard level, or all (level n_levels),
 * is ScheduleAnyway (max_skew 0) or has another maxSkew. */
static size_t selected_with(const struct help *t, size_t level, int32_t max_skew)
{
    struct skr_spread_problem problem = t->result->problem;
    struct skr_spread_constraint changed[SKR_SPREAD_LEVELS_MAX];
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    struct skr_spread_result result = {.n = 0};
    for (size_t l = 0; l < problem.n_levels; l++) {
        changed[l] = problem.constraint[l];
        if (l == level || level == problem.n_levels) {
            changed[l].hard = changed[l].hard && max_skew > 0;
            changed[l].max_skew = max_skew > 0 ? max_skew : changed[l].max_skew;
        }
    }
    problem.constraint = changed;
    const bool done = arena && skr_spread_select(&problem, arena, &result, NULL) == 0;
    const size_t n = done ? result.n : 0;
    skr_arena_destroy(arena);
    return n;
}

/* The least maxSkew at which the level takes as many as at any other; 0: none takes more. */
static int32_t enough_skew(const struct help *t, size_t level)
{
    const struct skr_spread_problem *p = &t->result->problem;
    int32_t low = p->constraint[level].max_skew;
    int32_t high = p->n < INT32_MAX ? (int32_t)p->n : INT32_MAX;
    const size_t most = low < high ? selected_with(t, level, high) : 0;
    if (most <= t->result->spread.n) {
        return 0;
    }
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (selected_with(t, level, middle) >= most) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

static void add_set(struct help *t, const char *path, const char *value)
{
    skr_strbuf_add(&t->lines, "    --set ");
    skr_page_add_clean(&t->lines, t->placement->meta.name, false);
    skr_strbuf_addf(&t->lines, ":spec.%s=%s\n", path, value);
}

static void add_level(struct help *t, size_t level, const char *field, const char *value)
{
    char path[80];
    snprintf(path, sizeof path, "spreadPolicy.spreadConstraints[%zu].%s", level, field);
    add_set(t, path, value);
}

/* Hard levels that exclude clusters alone; all of them if no single one does. */
static void try_levels(struct help *t)
{
    const struct skr_spread_problem *p = &t->result->problem;
    const size_t begin = t->lines.len;
    char text[16];
    for (size_t l = 0; l < p->n_levels; l++) {
        if (!p->constraint[l].hard || selected_with(t, l, 0) <= t->result->spread.n) {
            continue;
        }
        const int32_t skew = enough_skew(t, l);
        snprintf(text, sizeof text, "%" PRId32, skew);
        if (skew > 0) {
            add_level(t, l, "maxSkew", text);
        }
        add_level(t, l, "whenUnsatisfiable", "ScheduleAnyway");
    }
    if (t->lines.len == begin && selected_with(t, p->n_levels, 0) > t->result->spread.n) {
        skr_strbuf_add(&t->lines, "    ScheduleAnyway in all spread constraints\n");
    }
}

/* ---- other rules of the Placement ---- */

/* Whether more clusters are selected. */
static bool helps(const struct help *t, const struct skr_placement *placement,
                  const struct skr_placement_hub *hub)
{
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    struct skr_placement_hub quick = *hub;
    struct skr_placement_result result = {.misconfigured = ""};
    quick.explain = false;
    if (arena) {
        skr_placement_evaluate(placement, &quick, arena, &result);
    }
    const bool more = result.spread.n > t->result->spread.n;
    skr_arena_destroy(arena);
    return more;
}

static void try_placement(struct help *t)
{
    struct skr_placement changed = *t->placement;
    changed.number = 1;
    if (t->placement->has_number && t->placement->number == 0 && helps(t, &changed, t->hub)) {
        add_set(t, "numberOfClusters", "1");
    }
    changed = *t->placement;
    changed.n_sets = 0;
    if (t->placement->n_sets > 0 && helps(t, &changed, t->hub)) {
        add_set(t, "clusterSets", "null");
    }
    changed = *t->placement;
    changed.n_predicates = 0;
    if (t->placement->n_predicates > 0 && helps(t, &changed, t->hub)) {
        add_set(t, "predicates", "null");
    }
}

/* One more toleration, for all taints. */
static void try_tolerations(struct help *t, struct skr_arena *arena)
{
    struct skr_placement changed = *t->placement;
    const size_t n = changed.n_tolerations;
    char path[40];
    changed.toleration = skr_arena_array(arena, n + 1, sizeof *changed.toleration);
    if (n >= SKR_TOLERATIONS_MAX || !changed.toleration) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        changed.toleration[i] = t->placement->toleration[i];
    }
    changed.toleration[changed.n_tolerations++] = (struct skr_cluster_toleration){
        .key = "", .value = "", .effect = "", .operator= SKR_TOLERATE_EXISTS };
    if (helps(t, &changed, t->hub)) {
        snprintf(path, sizeof path, "tolerations[%zu].operator", n);
        add_set(t, path, "Exists");
    }
}

/* ---- sets ---- */

/* Binds one more set to the namespace. */
static void try_bindings(struct help *t, struct skr_arena *arena)
{
    const size_t n = t->hub->n_bindings;
    const struct skr_cluster_set_binding **list = skr_arena_array(arena, n + 1, sizeof *list);
    struct skr_cluster_set_binding more = {.meta = {.name = ""}};
    struct skr_placement_hub hub = *t->hub;
    for (size_t i = 0; list && i < n; i++) {
        list[i] = t->hub->binding[i];
    }
    for (size_t i = 0; list && i < hub.n_sets && i < OBJECTS_MAX; i++) {
        more.meta.name = hub.set[i]->meta.name;
        list[n] = &more;
        hub.binding = list;
        hub.n_bindings = n + 1;
        if (helps(t, t->placement, &hub)) {
            skr_strbuf_add(&t->lines, "    a ManagedClusterSetBinding of set ");
            skr_page_add_clean(&t->lines, more.meta.name, false);
            skr_strbuf_add(&t->lines, " in this namespace\n");
            return;
        }
    }
}

/* The cluster with one label set. False: no memory. */
static bool label(struct skr_managed_cluster *cluster, const char *key, const char *value,
                  struct skr_arena *arena)
{
    const struct skr_labels *has = &cluster->meta.labels;
    struct skr_label *item = skr_arena_array(arena, has->n + 1, sizeof *item);
    size_t n = 0;
    bool put = false;
    for (size_t i = 0; item && i < has->n; i++) {
        const int order = strcmp(has->item[i].key, key);
        if (order >= 0 && !put) {
            item[n++] = (struct skr_label){.key = key, .value = value};
            put = true;
        }
        if (order != 0) {
            item[n++] = has->item[i];
        }
    }
    if (item && !put) {
        item[n++] = (struct skr_label){.key = key, .value = value};
    }
    cluster->meta.labels = (struct skr_labels){.n = n, .item = item};
    return item;
}

/* Labels one cluster into a bound set. */
static void try_members(struct help *t, struct skr_arena *arena)
{
    static const char key[] = SKR_OCM "clusterset";
    struct skr_placement_hub hub = *t->hub;
    const struct skr_managed_cluster **list =
        skr_arena_array(arena, hub.n_clusters + 1, sizeof *list);
    for (size_t b = 0; list && b < hub.n_bindings && b < OBJECTS_MAX; b++) {
        for (size_t i = 0; i < hub.n_clusters && i < OBJECTS_MAX; i++) {
            struct skr_managed_cluster cluster = *t->hub->cluster[i];
            for (size_t k = 0; k < hub.n_clusters; k++) {
                list[k] = k == i ? &cluster : t->hub->cluster[k];
            }
            hub.cluster = list;
            if (label(&cluster, key, hub.binding[b]->meta.name, arena) &&
                helps(t, t->placement, &hub)) {
                skr_strbuf_add(&t->lines, "    cluster ");
                skr_page_add_clean(&t->lines, cluster.meta.name, false);
                skr_strbuf_addf(&t->lines, " with label %s=", key);
                skr_page_add_clean(&t->lines, hub.binding[b]->meta.name, false);
                skr_strbuf_addc(&t->lines, '\n');
                return;
            }
        }
    }
}

static void try_all(struct help *t)
{
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    try_placement(t);
    try_levels(t);
    if (arena) {
        try_tolerations(t, arena);
        try_bindings(t, arena);
        try_members(t, arena);
    }
    skr_arena_destroy(arena);
}

void skr_placement_help_write(const struct skr_placement *placement,
                              const struct skr_placement_hub *hub,
                              const struct skr_placement_result *result, struct skr_strbuf *out)
{
    struct help t = {.placement = placement, .hub = hub, .result = result};
    if (result->satisfied && result->unscheduled == 0) {
        return;
    }
    skr_strbuf_init(&t.lines);
    try_all(&t);
    if (t.lines.len > 0) {
        skr_strbuf_addf(out, "\n  Would change it (each was tried):\n%s", t.lines.s);
    } else {
        skr_strbuf_add(out, "\n  No single change that was tried selects more clusters.\n");
    }
    skr_strbuf_fini(&t.lines);
}
