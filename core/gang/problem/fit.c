/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a group fits, without a solve. The placement comes from the solver, which works
 * on a copy of the slots.
 *
 * Why a group may be skipped: it fits if its n is in sizes. Rules speak only about counts, so more
 * slots never remove a size and fewer never add one. A group without a place stays without one
 * until slots of some leaf of its kind grow, and then the set at the root is exact. Where the full
 * problem is stricter than the slots (ordinary pods that go first, nodes no probe has listed), it
 * has fewer slots: what does not fit here does not fit there. What fits here is solved in full.
 *
 * Not covered, and solved at every change: groups that already hold something, members of several
 * roles or with given nodes, plans past the point of no return, rules beyond
 * SKR_SIZES_MERGE_WORDS_MAX, kinds beyond the byte limit.
 */
#include "core/gang/problem/fit.h"

#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/rules.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/window.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/problem/problem_roles.h"
#include "core/gang/state/groups.h"

#include <string.h>
#include <utlist.h>

void skr_fit_leave(struct skr_gang *e, struct group *g)
{
    struct fit *o = &g->fit;
    if (o->kind) {
        skr_watched_unref(o->kind, o->watched);
        skr_kind_unref(e, o->kind);
    }
    memset(o, 0, sizeof *o);
}

/* Members in the tree, or seats: only the group may use the room of its lost members. */
static bool holds_something(const struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *newcomers, size_t n)
{
    struct pod_entry *p;
    if (g->holds.n > 0) {
        return true;
    }
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_membership_claim_node(g, p, newcomers, n);
        if (node && skr_tree_find_leaf(e->topology.tree, node) >= 0) {
            return true;
        }
    }
    return false;
}

/* Windows only matter in front of reservations. */
static bool is_timed(const struct skr_gang *e, const struct group *g)
{
    return skr_booked_any(e, g);
}

/* The kind is in use, and the group's: a group that gets vetoes or a reservation leaves the shared
 * one, and so do all when windows begin to matter, or cease to. */
static bool has_its_kind(const struct skr_gang *e, const struct group *g)
{
    const struct fit *o = &g->fit;
    return o->kind && !o->kind->dead && o->kind->owner == skr_kind_owner(g) &&
           o->timed == is_timed(e, g) &&
           (!o->timed || !skr_seen_changed(&e->seen, SEEN_JOBS, o->seen));
}

static void join(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers, int32_t n)
{
    struct fit *o = &g->fit;
    const struct shapes shapes = skr_shapes_of(newcomers, (size_t)n);
    struct window window = {SKR_INSTANT_NEVER, SKR_INSTANT_NEVER, 0};
    o->timed = is_timed(e, g);
    o->seen = e->seen.now;
    if (o->timed) {
        (void)skr_window_of(e, g, newcomers, (size_t)n, skr_instant_up(skr_frame_now(e->frame)),
                            &window);
    }
    const char *why;
    struct device_needs *needs = skr_devices_explain(e, newcomers, (size_t)n, &why);
    g->uncounted = skr_devices_uncounted(why);
    struct kind *kind = skr_device_pools_matter(e, needs)
                            ? NULL /* slots of leaves add up to too many */
                            : skr_kind_get(e, g, &shapes, needs, &window);
    skr_devices_needs_unref(e, needs);
    if (!kind) {
        return;
    }
    skr_kind_ref(e, kind);
    g->uncounted = kind->needs && kind->needs->uncounted ? kind->needs->uncounted : g->uncounted;
    o->kind = kind;
    o->n = n;
    o->watched = skr_watched_get(e, kind, n);
    o->sizes = skr_kind_sizes_get(e, kind, g, n);
}

/* Inputs of the answer, cached while the group's input stays the same. */
static void make_fit(struct skr_gang *e, struct group *g)
{
    struct fit *o = &g->fit;
    if (o->made && o->input == g->input_epoch && (!o->kind || has_its_kind(e, g))) {
        return;
    }
    skr_fit_leave(e, g);
    o->made = true;
    o->input = g->input_epoch;
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    const bool spared = e->settings.spare[0] && skr_node_takes_lost(g);
    if (n > 0 && n <= SKR_SOLVER_MEMBERS_MAX && !spared && !holds_something(e, g, newcomers, n) &&
        !skr_pins_count(newcomers, n) && !skr_problem_by_roles(g, newcomers, n)) {
        join(e, g, newcomers, (int32_t)n);
    }
}

struct skr_solve_request *skr_fit_problem(struct skr_gang *e, const struct group *g)
{
    const struct fit *o = &g->fit;
    size_t leaves = (size_t)e->topology.tree->n_leaves;
    struct skr_arena *arena = skr_arena_create(SIZE_MAX, leaves * sizeof(int64_t) + 4096);
    int64_t *demand = arena ? skr_arena_array(arena, 1, sizeof *demand) : NULL;
    int64_t *room = arena ? skr_arena_array(arena, leaves, sizeof *room) : NULL;
    struct skr_rule *rule = arena ? skr_arena_array(arena, SKR_LEVELS_MAX, sizeof *rule) : NULL;
    if (!demand || !room || !rule) {
        skr_arena_destroy(arena);
        return NULL;
    }
    *demand = 1;
    for (size_t i = 0; i < leaves; i++) {
        room[i] = o->kind->slots[i];
    }
    skr_rules_of(g, NULL, e->topology.tree, rule, NULL);
    struct skr_solve_request *request = skr_solve_request_create();
    request->arena = arena;
    request->tree = skr_tree_ref(e->topology.tree);
    request->problem = (struct skr_problem){.tree = request->tree,
                                            .n = o->n,
                                            .rule = rule,
                                            .n_resources = 1,
                                            .demand = demand,
                                            .free = room,
                                            .tie_break = e->settings.tie_break,
                                            .step_budget = -1,
                                            .cancel = &request->work.cancel};
    return request;
}

static bool fits_by_solving(struct skr_gang *e, struct group *g)
{
    struct fit *o = &g->fit;
    struct skr_error error;
    if (o->solved_changes != o->kind->changes) {
        struct skr_solve_request *r = skr_fit_problem(e, g);
        o->solved_changes = o->kind->changes;
        o->fits = r && skr_solve(&r->problem, &r->solution, &error) == 0 &&
                  r->solution->status == SKR_SOLVE_PLACED;
        skr_solve_request_destroy(r);
    }
    return o->fits;
}

enum fit_answer skr_fit_judge(struct skr_gang *e, struct group *g)
{
    struct fit *o = &g->fit;
    if (g->plan || !g->spec || !e->fit_cache->tree) {
        return FIT_UNKNOWN;
    }
    make_fit(e, g);
    if (!o->kind) {
        return FIT_UNKNOWN;
    }
    skr_kind_catch_up(e, o->kind);
    if (o->watched->sum < o->n) {
        return FIT_NO;
    }
    if (e->settings.plain_planning) {
        return !skr_sizes_can_keep(e->topology.tree, o->sizes->rule, o->n) ? FIT_UNKNOWN
               : fits_by_solving(e, g)                                     ? FIT_YES
                                                                           : FIT_NO;
    }
    if (!o->sizes->sizes || skr_sizes_most(o->sizes->sizes) < o->n) {
        return FIT_UNKNOWN;
    }
    return skr_sizes_has(o->sizes->sizes, o->n) ? FIT_YES : FIT_NO;
}

bool skr_fit_stands(const struct skr_gang *e, const struct group *g)
{
    const struct fit *o = &g->fit;
    return o->made && has_its_kind(e, g) && o->input == g->input_epoch && e->fit_cache &&
           e->fit_cache->tree == e->topology.tree;
}

bool skr_fit_holds(const struct fit *o, const struct skr_tree *tree, const int32_t *count)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (count[leaf] > o->kind->slots[leaf]) {
            return false;
        }
    }
    return true;
}

/* ---- what was reported ---- */

static bool is_short(const struct fit *o)
{
    return o->watched->sum < o->n;
}

void skr_fit_reported(const struct skr_gang *e, struct group *g)
{
    struct fit *o = &g->fit;
    o->report_at = o->meets_at = 0;
    o->told = e->seen.now;
    if (!skr_fit_stands(e, g)) {
        return;
    }
    o->reported_changes = o->kind->changes;
    o->reported = e->seen.now;
    o->reported_short = is_short(o);
}

enum fit_news skr_fit_news(const struct skr_gang *e, const struct group *g)
{
    const struct fit *o = &g->fit;
    if (!skr_fit_stands(e, g)) {
        const bool meets = o->meets_at != 0 && o->meets_at <= skr_frame_now(e->frame);
        return meets || skr_seen_changed(&e->seen, SEEN_ROOM, o->told) ? NEWS_NUMBERS : NEWS_NONE;
    }
    if (skr_seen_changed(&e->seen, SEEN_NODES, o->reported) || o->reported_short != is_short(o)) {
        return NEWS_REASON;
    }
    const bool old = o->reported_changes != o->kind->changes ||
                     skr_seen_changed(&e->seen, SEEN_LATE_ROOM, o->reported);
    return old ? NEWS_NUMBERS : NEWS_NONE;
}

skr_time skr_fit_meets(struct skr_gang *e, struct group *g)
{
    struct window w = {SKR_INSTANT_NEVER, SKR_INSTANT_NEVER, 0};
    const int64_t now = skr_instant_up(skr_frame_now(e->frame));
    const struct booking *b;
    int64_t at = SKR_INSTANT_NEVER;
    if (skr_fit_stands(e, g)) {
        w = g->fit.kind->window;
    } else if (is_timed(e, g) && g->spec) {
        size_t n;
        SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
        (void)skr_window_of(e, g, newcomers, n, now, &w);
    }
    DL_FOREACH(w.holds < SKR_INSTANT_NEVER ? e->bookings.list : NULL, b)
    {
        const int64_t meets = b->start - w.holds + 1;
        at = meets > now && meets < at && b->start < w.cut ? meets : at;
    }
    g->fit.meets_at = at == SKR_INSTANT_NEVER ? 0 : at * SKR_SECOND;
    return at == SKR_INSTANT_NEVER ? SKR_TIME_NEVER : g->fit.meets_at;
}

void skr_fit_report_at(struct group *g, skr_time at)
{
    g->fit.report_at = at;
}
