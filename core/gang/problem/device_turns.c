/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/device_turns.h"

#include "core/devices/answers.h"
#include "core/devices/stock_shares.h"
#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/uncounted.h"
#include "core/gang/problem/learned.h"
#include "core/gang/state/wakes.h"

#include <stdlib.h>
#include <utlist.h>

/* What is to be counted of a group. */
struct device_turn {
    struct group *group;
    struct device_turn *prev, *next;
    uint64_t input; /* of the group */
    const struct skr_tree *tree;
    uint64_t classes;                              /* stock.class_epoch */
    size_t n, at;                                  /* needs; those before at are counted */
    int32_t leaf;                                  /* the next one */
    struct device_needs *needs[SKR_ROLES_MAX + 1]; /* references */
    bool differ[SKR_ROLES_MAX + 1];                /* what skr_devices_free() counts */
    bool full, beyond; /* as last said: skr_uncounted_is_full(), skr_uncounted_is_beyond() */
};

/* ---- an event ---- */

void skr_device_turns_begin(struct skr_gang *e)
{
    struct skr_devices_work *work = e->devices.stock->work;
    work->most = e->settings.on_paper ? UINT64_MAX : work->steps + SKR_DEVICE_PIECE;
}

uint64_t skr_device_turns_lift(struct skr_gang *e)
{
    e->devices.stock->work->most = UINT64_MAX;
    return e->devices.stock->work->steps;
}

void skr_device_turns_charge(struct skr_gang *e, const struct group *g, uint64_t began)
{
    struct skr_devices_work *work = e->devices.stock->work;
    skr_stock_share_spend(e->devices.stock, g->namespace_, work->steps - began,
                          skr_frame_now(e->frame));
    work->most = e->settings.on_paper ? UINT64_MAX : began + SKR_DEVICE_PIECE;
}

/* ---- what is counted ---- */

static bool is_over(const struct skr_gang *e, const struct group *g)
{
    return skr_stock_share_left(e->devices.stock, g->namespace_, skr_frame_now(e->frame)) == 0;
}

/* Whether all leaves are counted; *leaf: the first that is not. */
static bool is_counted(struct skr_gang *e, struct device_needs *needs, bool differ, int32_t *leaf)
{
    const int32_t n = e->topology.tree->n_leaves;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    if (skr_device_counts_are_complete(e, needs, differ)) {
        return true;
    }
    while (*leaf < n &&
           (!node[*leaf] || skr_devices_are_counted(e, needs, differ, node[*leaf]->name))) {
        ++*leaf;
    }
    if (*leaf == n) {
        skr_device_counts_set_complete(e, needs, differ);
    }
    return *leaf == n;
}

/* Members in one kind, whose needs are those of the kind. */
static bool is_of_kind(const struct group *g)
{
    return g->fit.made && g->fit.input == g->input_epoch && g->fit.kind && !g->fit.kind->dead;
}

static void add(struct device_turn *turn, struct device_needs *needs, bool differ)
{
    if (needs) {
        turn->differ[turn->n] = differ;
        turn->needs[turn->n++] = skr_devices_needs_ref(needs);
    }
}

static void gather(struct skr_gang *e, struct group *g, struct device_turn *turn)
{
    struct skr_learned learned;
    size_t n;
    if (is_of_kind(g)) {
        g->claims.uncounted = g->claims.uncounted && !g->fit.kind->needs;
        skr_uncounted_measure_shapes(e, g, g->fit.kind->needs);
        add(turn, g->fit.kind->needs, false);
        return;
    }
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    skr_learned_open(e, g, newcomers, n, skr_learned_count(e, g, newcomers, n), &learned);
    g->claims.uncounted =
        g->uncounted != SKR_COUNTED && g->uncounted != SKR_UNCOUNTED_VERSION; /* by itself */
    skr_uncounted_measure(e, g, newcomers, n);
    for (size_t i = 0; i < learned.n; i++) {
        add(turn, learned.of[i].needs, learned.of[i].devices);
    }
    skr_learned_close(e, &learned);
}

static void turn_free(struct skr_gang *e, struct device_turn *turn)
{
    for (size_t i = 0; i < turn->n; i++) {
        skr_devices_needs_unref(e, turn->needs[i]);
    }
    free(turn);
}

static bool is_done(struct skr_gang *e, struct device_turn *turn)
{
    while (turn->at < turn->n &&
           is_counted(e, turn->needs[turn->at], turn->differ[turn->at], &turn->leaf)) {
        turn->at++;
        turn->leaf = 0;
    }
    for (size_t i = 0; i < turn->at; i++) {
        const struct device_needs *needs = turn->needs[i];
        struct group *g = turn->group;
        g->claims.uncounted = g->claims.uncounted || needs->own;
        g->claims.steps = needs->long_ ? UINT64_MAX : g->claims.steps;
        g->uncounted = needs->own && needs->uncounted ? needs->uncounted : g->uncounted;
    }
    return turn->at == turn->n;
}

/* ---- turns ---- */

void skr_device_turns_forget(struct skr_gang *e, struct group *g)
{
    struct device_turn *turn = g->claims.turn;
    if (turn) {
        DL_DELETE(e->devices.turns, turn);
        turn_free(e, turn);
        g->claims.turn = NULL;
        g->claims.over = false;
    }
}

/* It is asked for anew. */
static bool is_stale(const struct skr_gang *e, const struct device_turn *turn)
{
    const struct group *g = turn->group;
    return g->plan || turn->input != g->input_epoch || turn->tree != e->topology.tree ||
           turn->classes != e->devices.stock->class_epoch;
}

void skr_device_turns_see(struct skr_gang *e, const struct group *g)
{
    if (g->claims.turn && is_stale(e, g->claims.turn)) {
        e->devices.turns_at = 0;
    }
}

static bool may_need(const struct skr_gang *e, const struct group *g)
{
    return !g->plan && e->topology.tree && e->topology.tree->n_leaves > 0 &&
           !skr_devices_unmodelled(e) &&
           (!is_of_kind(g) || g->fit.kind->needs || skr_uncounted_is(e, g));
}

/* A search that was too long may be shorter after a change of devices. */
static void doubt_long(struct skr_gang *e)
{
    struct device_turn *turn;
    DL_FOREACH(e->devices.turns, turn)
    {
        const bool is_long = turn->group->claims.steps == UINT64_MAX;
        for (size_t i = 0; is_long && i < turn->at; i++) {
            if (!skr_device_counts_are_complete(e, turn->needs[i], turn->differ[i])) {
                turn->at = 0;
                turn->leaf = 0;
                turn->group->claims.steps = 0;
            }
        }
    }
}

/* It is counted as far as it is, and waits for other groups of its namespace, or for others of its own claims. */
static bool is_closed(const struct skr_gang *e, const struct device_turn *turn)
{
    return turn->at == turn->n && !is_stale(e, turn) &&
           skr_uncounted_opens(e, turn->group) > skr_frame_now(e->frame);
}

bool skr_device_turns_ready(struct skr_gang *e, struct group *g)
{
    if (g->claims.turn || !may_need(e, g)) {
        return !g->claims.turn;
    }
    struct device_turn *turn = skr_alloc(sizeof *turn);
    turn->group = g;
    turn->input = g->input_epoch;
    turn->tree = e->topology.tree;
    turn->classes = e->devices.stock->class_epoch;
    gather(e, g, turn);
    if (is_done(e, turn) && (turn->n == 0 || !is_over(e, g)) && !is_closed(e, turn)) {
        turn_free(e, turn);
        return true;
    }
    g->claims.turn = turn;
    DL_APPEND(e->devices.turns, turn);
    e->devices.turns_at = 0;
    return false;
}

/* Of the namespace with the most steps left, the first that waits; NULL: all are over. */
static struct device_turn *next_of(const struct skr_gang *e)
{
    struct device_turn *turn, *best = NULL;
    int64_t most = 0;
    DL_FOREACH(e->devices.turns, turn)
    {
        const int64_t left = skr_stock_share_left(e->devices.stock, turn->group->namespace_,
                                                  skr_frame_now(e->frame));
        if (left > most && !is_closed(e, turn)) {
            most = left;
            best = turn;
        }
    }
    return best;
}

/* Counts until it is done, or the piece is. False: it is not done. */
static bool count(struct skr_gang *e, struct device_turn *turn)
{
    const struct skr_devices_work *work = e->devices.stock->work;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    if (is_stale(e, turn)) {
        return true;
    }
    while (!is_done(e, turn)) {
        if (work->steps >= work->most ||
            !skr_devices_count_ahead(e, turn->needs[turn->at], turn->differ[turn->at],
                                     node[turn->leaf]->name)) {
            return false;
        }
    }
    return true;
}

/* Groups of namespaces that are over say so, and those that are closed. */
static bool say_over(struct skr_gang *e)
{
    struct device_turn *turn;
    bool any = false;
    DL_FOREACH(e->devices.turns, turn)
    {
        const bool full = skr_uncounted_is_full(e, turn->group);
        const bool beyond = skr_uncounted_is_beyond(e, turn->group);
        const bool waits = is_closed(e, turn) || is_over(e, turn->group);
        if (waits && (!turn->group->claims.over || full != turn->full || beyond != turn->beyond)) {
            turn->group->claims.over = true;
            turn->full = full;
            turn->beyond = beyond;
            skr_dirty_group(e, turn->group);
            any = true;
        }
    }
    return any;
}

static void wake_next(struct skr_gang *e)
{
    const skr_time now = skr_frame_now(e->frame);
    const struct device_turn *turn;
    skr_time at = next_of(e) ? now : SKR_TIME_NEVER;
    DL_FOREACH(at == now ? NULL : e->devices.turns, turn)
    {
        const skr_time until =
            is_over(e, turn->group)
                ? skr_stock_share_until(e->devices.stock, turn->group->namespace_, now)
                : skr_uncounted_opens(e, turn->group);
        at = until < at ? until : at;
    }
    e->devices.turns_at = at;
    skr_wakes_add(e, at, WAKE_DEVICES, NULL);
}

bool skr_device_turns_run(struct skr_gang *e)
{
    const struct skr_devices_work *work = e->devices.stock->work;
    struct device_turn *turn;
    bool any = false;
    if (!e->devices.turns || skr_frame_now(e->frame) < e->devices.turns_at) {
        return false;
    }
    doubt_long(e);
    while (!any && work->steps < work->most && (turn = next_of(e))) {
        struct group *g = turn->group;
        const uint64_t began = work->steps;
        const bool done = count(e, turn);
        skr_stock_share_spend(e->devices.stock, g->namespace_, work->steps - began + 1,
                              skr_frame_now(e->frame));
        if (done) {
            skr_device_turns_forget(e, g);
            skr_dirty_group(e, g);
            skr_dirty_plan(e);
            any = true;
        }
    }
    any = say_over(e) || any;
    if (!any && e->devices.turns) {
        wake_next(e);
    }
    return any;
}
