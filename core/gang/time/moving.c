/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for moves, and what they found, in words: see moving.h. */
#include "core/gang/time/moving.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/plan/plan.h"
#include "core/gang/planning/commit.h"
#include "core/gang/planning/planner.h"
#include "core/gang/planning/queue.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/problem/problem.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/away.h"
#include "topology/base/strbuf.h"

enum {
    PAUSE_S = 1,      /* between two searches: minimum, */
    PAUSE_TIMES = 20, /* multiple of the time that one took */
    STEPS = 1 << 22,  /* runs of the solver times leaves, of one search */
    NODES_SAID = 3,   /* of one group that moves */
};

/* ---- when ---- */

static bool has_news(const struct skr_gang *e, uint64_t since)
{
    return skr_seen_changed(&e->seen, SEEN_CAPACITY | SEEN_VICTIMS | SEEN_NODES | SEEN_ROOM, since);
}

static bool lacks_room(const struct group *g)
{
    return (g->state == GROUP_READY || g->state == GROUP_BACKOFF) && g->spec && !g->plan &&
           !g->victim.leaving && g->attempt.infeasible && g->seats.n_bound == 0 &&
           skr_victim_search_short_of_room(g) && g->times.begin > 0;
}

static bool may_evict(const struct skr_gang *e, const struct group *g)
{
    return skr_victim_search_may_evict(e, g) && !g->preempt.failed;
}

static void sooner(skr_time *at, skr_time other)
{
    *at = other < *at ? other : *at;
}

/* When the next running group has rested enough to move; SKR_TIME_NEVER: none is to come. *ret_any: a
 * group has the key. */
static skr_time next_rested(const struct skr_gang *e, bool *ret_any)
{
    const skr_time now = skr_frame_now(e->frame);
    const struct group *g, *tmp;
    skr_time next = SKR_TIME_NEVER;
    *ret_any = false;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (!g->spec || !g->spec->movable || g->state != GROUP_BOUND) {
            continue;
        }
        const skr_time rested = g->times.end + (SKR_MOVE_REST_S + 1) * SKR_SECOND;
        const skr_time again = g->moving.moved_at + (SKR_MOVE_AGAIN_S + 1) * SKR_SECOND;
        const skr_time at = g->moving.moved_at > 0 && again > rested ? again : rested;
        *ret_any = true;
        sooner(&next, at > now ? at : SKR_TIME_NEVER);
    }
    return next;
}

static void set_text(struct skr_gang *e, struct group *g, char *text)
{
    free(g->moving.text);
    g->moving.text = text;
    skr_dirty_facts(e);
}

/* One at a time in the cluster. */
static bool any_moves(const struct skr_gang *e)
{
    const struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (g->replacing.by || (g->plan && skr_plan_moves(g->plan))) {
            return true;
        }
    }
    return false;
}

/* The first in the order for which a search is due; NULL: none is before *next. */
static struct group *first_due(struct skr_gang *e, skr_time *next)
{
    const skr_time now = skr_frame_now(e->frame);
    const bool automatic = e->settings.moves_mode == SKR_MOVES_MODE_AUTO;
    struct group *g, *tmp, *best = NULL;
    if (automatic && any_moves(e)) {
        return NULL; /* its end is a change */
    }
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (g->moving.text && (!lacks_room(g) || may_evict(e, g))) {
            set_text(e, g, NULL);
        }
        const bool fixed = g->seats.n_claimers > 0 || g->roles.keyed;
        if (!lacks_room(g) || g->dirty || may_evict(e, g) || (automatic && fixed)) {
            continue;
        }
        const skr_time waited = g->times.begin + e->settings.move_after;
        const bool news =
            has_news(e, g->moving.seen) || (g->moving.until > 0 && g->moving.until <= now);
        if (waited > now || g->moving.at > now) {
            sooner(next, waited > g->moving.at ? waited : g->moving.at);
        } else if (news && (!best || skr_queue_goes_before(g, best))) {
            best = g;
        }
    }
    return best;
}

/* ---- the search ---- */

static void cancel(struct skr_gang *e)
{
    if (e->moving.work != 0 && e->moving.input != UINT64_MAX) {
        e->moving.input = UINT64_MAX;
        skr_frame_cancel(e->frame, e->moving.work);
    }
}

/* An answer that is still to come is void. */
static void forget(struct skr_gang *e)
{
    free(e->moving.group);
    e->moving.group = NULL;
    e->moving.work = 0;
}

/* The place of the group in the gathering; in->n_complete: it is not there. */
static size_t find(const struct gathering *in, const struct group *g)
{
    size_t i = 0;
    while (i < in->n_complete && in->waiting[i].group != g) {
        i++;
    }
    return i;
}

static bool begin(struct skr_gang *e, struct group *g)
{
    struct away *a = skr_away_create(e, skr_round_run);
    a->in.moves_for = g;
    a->in.moves_steps = STEPS;
    const int rc = gathering_run(&a->in, &a->error);
    const size_t i = rc < 0 ? 0 : find(&a->in, g);
    if (rc < 0 || i == a->in.n_complete) {
        skr_away_destroy(a);
        return false;
    }
    a->moves = skr_alloc(sizeof *a->moves);
    *a->moves = (struct away_moves){.movers = skr_movers_find(&a->in, g),
                                    .of = i,
                                    .after = skr_instant_up(e->settings.move_after),
                                    .most = (int32_t)e->settings.moves_most};
    if (a->moves->movers.n == 0) {
        skr_away_destroy(a);
        return false;
    }
    forget(e);
    e->moving.group = skr_strdup(g->key);
    e->moving.input = g->input_epoch;
    e->moving.seen = e->seen.now;
    e->moving.work = skr_away_send(e, a, true);
    return true;
}

/* Ends a search whose answer is not needed any more. */
static void review_search(struct skr_gang *e)
{
    const struct group *g = e->moving.work != 0 ? skr_groups_find(e, e->moving.group) : NULL;
    const bool needed = g && g->input_epoch == e->moving.input && lacks_room(g);
    if (!needed) {
        cancel(e);
    }
}

void skr_moving_review(struct skr_gang *e)
{
    review_search(e);
    const skr_time now = skr_frame_now(e->frame);
    bool any;
    if (e->settings.moves_mode == SKR_MOVES_MODE_OFF || e->settings.on_paper ||
        e->moving.work != 0 || now < e->moving.next || !skr_frame_is_deciding(e->frame) ||
        !skr_topology_is_usable(e) || e->rounds.first) {
        return;
    }
    skr_time next = SKR_TIME_NEVER;
    const skr_time rested = next_rested(e, &any);
    struct group *g = any || e->moving.told ? first_due(e, &next) : NULL;
    e->moving.told = any;
    if (g) {
        g->moving.seen = e->seen.now;
        g->moving.until = rested == SKR_TIME_NEVER ? 0 : rested;
        g->moving.at = now + PAUSE_S * SKR_SECOND;
    }
    if (g && begin(e, g)) {
        return;
    }
    if (g) {
        set_text(e, g, NULL);
        sooner(&next, now);
    }
    e->moving.next = now + PAUSE_S * SKR_SECOND;
    sooner(&next, any ? rested : SKR_TIME_NEVER);
    if (next != SKR_TIME_NEVER) {
        skr_wakes_add(e, next > e->moving.next ? next : e->moving.next, WAKE_MOVES, NULL);
    }
}

/* ---- words ---- */

/* "4 pods to node-1, 2 to node-2" */
static void say_place(const struct skr_tree *tree, const struct skr_place *place,
                      struct skr_strbuf *b)
{
    for (size_t i = 0; i < place->n && i < NODES_SAID; i++) {
        const int32_t count = place->at[i].count;
        skr_strbuf_addf(b, "%s%d%s to %s", i > 0 ? ", " : "", (int)count,
                        i > 0        ? ""
                        : count == 1 ? " pod"
                                     : " pods",
                        tree->unit_name[tree->first_leaf + place->at[i].leaf]);
    }
    skr_strbuf_add(b, place->n > NODES_SAID ? ", ..." : "");
}

static char *say(const struct skr_gang *e, const struct group *g, const struct away_moves *m)
{
    const struct skr_moves *found = &m->found;
    const size_t n = found->n_moved;
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_addf(&b, "group %s would fit if %zu %s moved: ", g->name, n,
                    n == 1 ? "group" : "groups");
    for (size_t i = 0; i < n; i++) {
        const char *key = skr_movers_key(&m->movers, found->moved[i]);
        const size_t own = strlen(g->namespace_);
        const bool near = strncmp(key, g->namespace_, own) == 0 && key[own] == '/';
        skr_strbuf_addf(&b, "%s%s (", i > 0 ? ", " : "", near ? key + own + 1 : key);
        say_place(e->topology.tree, &found->to[i], &b);
        skr_strbuf_addc(&b, ')');
    }
    if (e->settings.moves_mode != SKR_MOVES_MODE_AUTO) {
        skr_strbuf_addf(&b, "; evict %s pods, or have time.moves: auto", n == 1 ? "its" : "their");
    }
    return skr_strbuf_take(&b, NULL);
}

/* ---- the moves ---- */

/* {"node-0":2}, nodes in byte order: free() it. */
static char *places_of(const struct skr_tree *tree, const struct skr_place *place)
{
    json_auto_t *json = json_object();
    for (size_t i = 0; i < place->n; i++) {
        json_object_set_new(json, tree->unit_name[tree->first_leaf + place->at[i].leaf],
                            json_integer(place->at[i].count));
    }
    return json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
}

/* The groups as victims of the plan. */
struct moved {
    struct skr_victim victim[SKR_MOVES_MOST];
    size_t index[SKR_MOVES_MOST];
    struct skr_victims_problem problem;
    struct skr_victims victims;
    struct skr_solve_request request;
};

static bool find_moved(const struct skr_gang *e, const struct away_moves *m, struct moved *ret)
{
    *ret = (struct moved){.victims.n = m->found.n_moved};
    for (size_t i = 0; i < m->found.n_moved; i++) {
        const struct group *h = skr_groups_find(e, skr_movers_key(&m->movers, m->found.moved[i]));
        if (!h || h->state != GROUP_BOUND || h->plan || h->victim.leaving || h->replacing.text ||
            h->seats.n_bound > SKR_ARRANGED_MAX) {
            return false;
        }
        ret->victim[i] = (struct skr_victim){.name = h->key, .members = (int32_t)h->seats.n_bound};
        ret->index[i] = i;
    }
    ret->problem.victim = ret->victim;
    ret->victims.victim = ret->index;
    ret->request.preemption = &ret->problem;
    ret->request.victims = &ret->victims;
    return true;
}

/* The plan of g, by the place that was found. False: none can be made of it. */
static bool commit(struct skr_gang *e, struct group *g, const struct away_moves *m,
                   const struct moved *moved)
{
    struct skr_error error;
    size_t n;
    int32_t placed = 0;
    struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct skr_solve_request *request = skr_problem_build(e, g, newcomers, n, false, &error);
    SKR_AUTO_FREE int32_t *count =
        skr_alloc_array((size_t)e->topology.tree->n_leaves + 1, sizeof *count);
    for (size_t i = 0; i < m->found.at.n; i++) {
        count[m->found.at.at[i].leaf] = m->found.at.at[i].count;
        placed += m->found.at.at[i].count;
    }
    struct skr_solution s = {.status = SKR_SOLVE_PLACED, .count = count, .optimal = m->found.exact};
    const bool good =
        request && !request->problem.roles && !request->pinned && placed == (int32_t)n &&
        request->problem.n == placed &&
        skr_commit_answer(e, g, newcomers, n, request, &s, &moved->request) == SKR_COMMIT_DONE;
    free(newcomers);
    skr_solve_request_destroy(request);
    return good;
}

/* Nothing that the search has read has changed. */
static void move(struct skr_gang *e, struct group *g, const struct away_moves *m)
{
    struct moved moved;
    if (skr_planner_is_busy(e) || any_moves(e) || !find_moved(e, m, &moved) ||
        !commit(e, g, m, &moved)) {
        return; /* again after a change */
    }
    for (size_t i = 0; i < moved.victims.n; i++) {
        struct plan_victim *v = &g->plan->victim[i];
        struct group *h = skr_groups_find(e, v->text);
        v->moved = places_of(e->topology.tree, &m->found.to[i]);
        skr_arranged_move(e, h, g->key, v->moved);
        skr_out_decision(e, h->key, "", "Group moves", "", g->key, false);
    }
    skr_plan_text_changed(e, g->plan);
}

/* ---- the answer ---- */

bool skr_moving_done(struct skr_gang *e, const struct skr_solve_request *solved)
{
    if (e->moving.work == 0 || solved->work.id != e->moving.work) {
        return false;
    }
    const struct away *a = solved->input;
    struct group *g = skr_groups_find(e, e->moving.group);
    const uint64_t seen = e->moving.seen;
    const bool same =
        g && g->input_epoch == e->moving.input && lacks_room(g) && solved->tree == e->topology.tree;
    const skr_time pause = solved->work.took_ns * PAUSE_TIMES, least = PAUSE_S * SKR_SECOND;
    forget(e);
    e->moving.next = skr_frame_now(e->frame) + (pause > least ? pause : least);
    skr_wakes_add(e, e->moving.next, WAKE_MOVES, NULL);
    if (a->rc < 0) {
        skr_out_decision(e, "", "", "Search for moves failed", "", a->error.text, true);
    } else if (same) {
        const bool found = a->moves->found.status == SKR_MOVES_FOUND;
        set_text(e, g, found ? say(e, g, a->moves) : NULL);
        if (found && e->settings.moves_mode == SKR_MOVES_MODE_AUTO) {
            if (!has_news(e, seen)) {
                move(e, g, a->moves);
            } else {
                g->moving.seen = 0; /* again */
            }
        }
    }
    return true;
}

void skr_moving_end(struct skr_gang *e)
{
    struct group *g, *tmp;
    cancel(e);
    forget(e);
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (g->moving.text) {
            set_text(e, g, NULL);
        }
        g->moving.seen = 0;
    }
}
