/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored reservations are put on the timeline first, then groups have their turns in order, then
 * forecasts are made. A group is in the timeline as held (a reservation) or planned (a start, or a
 * forecast on paper), never as both.
 */
#include "core/time/round.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/ledger.h"

static const char *const state_name[] = {"unknown", "starts", "reserved", "drain", "forecast"};
_Static_assert(sizeof state_name / sizeof *state_name == SKR_ROUND_STATE_COUNT, "states");
static const char *const cause_name[] = {NULL,          "NodeLost",      "HigherPriority",
                                         "Overrun",     "RoomTaken",     "TopologyChanged",
                                         "UserChanged", "SettingChanged"};
_Static_assert(sizeof cause_name / sizeof *cause_name == SKR_MOVE_CAUSE_COUNT, "causes");

const char *skr_round_state_name(enum skr_round_state state)
{
    return state_name[state];
}

const char *skr_move_cause_name(enum skr_move_cause cause)
{
    return cause_name[cause];
}

void skr_round_group_fini(struct skr_round_group *g)
{
    skr_place_fini(&g->place);
    skr_place_fini(&g->first);
    free(g->leaves);
    g->leaves = NULL;
}

static const struct skr_problem *problem_of(const struct skr_round_group *g)
{
    return g->question.problem;
}

/* ---- the timeline ---- */

static int hold(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    if (!skr_place_hold(&g->place, r->timeline, g->start, g->until, g->owner)) {
        return skr_error_set(error, SKR_LIMIT, "the timeline has more than %d changes of room",
                             SKR_ENDS_MAX);
    }
    return 0;
}

static void let_go(struct skr_round *r, struct skr_round_group *g)
{
    skr_place_let_go(&g->place, r->timeline, g->owner);
    g->held = g->planned = false;
}

/* Takes the place and the start of an answer; nothing is held yet. */
static void take(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                 enum skr_round_state state)
{
    const bool guess = state == SKR_ROUND_DRAIN;
    skr_place_fini(&g->place);
    skr_place_make(problem_of(g), g->question.resource, start->solution, g->running, &g->place);
    g->state = state;
    g->start = start->at;
    g->until = guess ? SKR_INSTANT_NEVER : skr_window_end(&g->question, start->at);
    g->because = skr_place_because(&g->place, r->timeline, g->start,
                                   guess ? SKR_CHANGES_ALL : SKR_CHANGES_KNOWN, g->owner);
}

static int reserve(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                   enum skr_round_state state, struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    take(r, g, start, state);
    g->held = true;
    g->since = g->since && g->stored && !g->lost ? g->since : now;
    g->promised = g->promised && g->stored && !g->lost ? g->promised : g->start;
    return hold(r, g, error);
}

/* ---- pools ---- */

static bool may_hold_one(const struct skr_problem *p, const int64_t *demand,
                         const uint8_t *eligible, int32_t leaf)
{
    bool fits = !eligible || eligible[leaf];
    for (size_t k = 0; k < p->n_resources && fits && p->capacity; k++) {
        const int64_t room = p->capacity[(size_t)leaf * p->n_resources + k];
        fits = room == SKR_ROOM_UNLIMITED || room >= demand[k];
    }
    return fits;
}

static bool may_be_on(const struct skr_problem *p, int32_t leaf)
{
    bool may = !p->roles && may_hold_one(p, p->demand, p->eligible, leaf);
    for (size_t k = 0; p->roles && k < p->roles->n_roles && !may; k++) {
        const struct skr_role *role = &p->roles->role[k];
        may = may_hold_one(p, role->demand, role->eligible, leaf);
    }
    return may;
}

static const uint64_t *leaves_of(struct skr_round_group *g)
{
    const struct skr_problem *p = problem_of(g);
    if (!g->leaves) {
        g->leaves = skr_alloc_array((size_t)p->tree->n_leaves / 64 + 1, sizeof *g->leaves);
        for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
            g->leaves[leaf / 64] |= (uint64_t)may_be_on(p, leaf) << leaf % 64;
        }
    }
    return g->leaves;
}

static bool share_a_leaf(struct skr_round_group *a, struct skr_round_group *b)
{
    const uint64_t *x = leaves_of(a), *y = leaves_of(b);
    bool share = false;
    for (int32_t i = 0; i <= problem_of(a)->tree->n_leaves / 64 && !share; i++) {
        share = (x[i] & y[i]) != 0;
    }
    return share;
}

/* Whether a group may hold a reservation beside those that groups before it hold. *ret_new: one of
 * these is not a stored one. */
static bool may_hold(const struct skr_round *r, size_t i, bool *ret_new)
{
    int32_t n = 0, all = 0;
    *ret_new = false;
    for (size_t k = 0; k < r->n; k++) {
        struct skr_round_group *other = &r->group[k];
        all += k != i && other->held;
        if (k < i && other->held && share_a_leaf(other, &r->group[i])) {
            n++;
            *ret_new = *ret_new || !other->stored || other->lost;
        }
    }
    return n < r->reservations && all < SKR_RESERVATIONS_MAX;
}

static enum skr_move_cause cause_of_push(const struct skr_round *r, bool by_new)
{
    return r->reservations > 0 && by_new ? SKR_MOVED_HIGHER_PRIORITY : SKR_MOVED_SETTING;
}

/* ---- stored reservations ---- */

/* All members on leaves, as the solver counts them; NULL: their number is another one. free() it. */
static int32_t *counts_of(const struct skr_round_group *g)
{
    const struct skr_problem *p = problem_of(g);
    int32_t *count = skr_alloc_array((size_t)p->tree->n_leaves + 1, sizeof *count);
    int64_t sum = 0;
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        count[i] = g->running ? g->running[i] : 0;
        sum += count[i];
    }
    for (size_t i = 0; i < g->stored->n; i++) {
        count[g->stored->at[i].leaf] += g->stored->at[i].count;
        sum += g->stored->at[i].count;
    }
    if (!p->roles && sum != p->n) {
        free(count);
        return NULL;
    }
    return count;
}

static bool is_shrunk(const struct skr_problem *p, const struct skr_place_leaf *at)
{
    bool shrunk = false;
    for (size_t k = 0; !p->roles && p->capacity && k < p->n_resources; k++) {
        const int64_t room = p->capacity[(size_t)at->leaf * p->n_resources + k];
        shrunk = shrunk || (room != SKR_ROOM_UNLIMITED && p->demand[k] > 0 &&
                            room / p->demand[k] < at->count);
    }
    return shrunk;
}

/* Why a stored place has no room, or is not allowed. */
static enum skr_move_cause why_lost(const struct skr_round *r, const struct skr_round_group *g,
                                    const int32_t *count)
{
    const struct skr_problem *p = problem_of(g);
    const struct skr_stored_reservation *s = g->stored;
    bool overrun = false, closed = false;
    for (size_t i = 0; i < s->n; i++) {
        closed = closed || !may_be_on(p, s->at[i].leaf) || is_shrunk(p, &s->at[i]);
        overrun = overrun || (r->overrun && r->overrun[s->at[i].leaf]);
    }
    if (closed || !count) {
        return closed ? SKR_MOVED_NODE_LOST : SKR_MOVED_USER;
    }
    if (overrun || p->roles || s->anywhere) {
        return overrun ? SKR_MOVED_OVERRUN : SKR_MOVED_ROOM_TAKEN;
    }
    /* Rules alone: with all the room that there is. */
    struct skr_problem empty = *p;
    empty.free = p->capacity ? p->capacity : p->free;
    return skr_solution_check(&empty, count, NULL) == 0 ? SKR_MOVED_ROOM_TAKEN : SKR_MOVED_TOPOLOGY;
}

/* Whether the place is free of what other groups hold, whatever runs there. For drains: they need no
 * room before their guess. */
static int place_beside_held(struct skr_round *r, const struct skr_round_group *g, int64_t at,
                             const int32_t *count, struct skr_start *ret, struct skr_error *error)
{
    struct skr_problem empty = *problem_of(g);
    struct skr_start_question question = g->question;
    empty.free = empty.capacity ? empty.capacity : empty.free;
    question.problem = &empty;
    question.kinds = SKR_CHANGE_HELD;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    return skr_start_at(r->timeline, &question, r->cache, at, count, ret, error);
}

/* Puts the stored reservation on the timeline if it stands. */
static int restore(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const struct skr_stored_reservation *s = g->stored;
    const int64_t now = skr_timeline_now(r->timeline);
    bool by_new;
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    if (!s || !problem_of(g)) {
        return 0;
    }
    const bool waited = r->patience != SKR_INSTANT_NEVER && now - g->begin >= r->patience;
    if (!may_hold(r, i, &by_new) || (s->guess && !waited)) {
        g->lost = SKR_MOVED_SETTING;
        return 0;
    }
    SKR_AUTO_FREE int32_t *count = s->anywhere ? NULL : counts_of(g);
    int rc = 0;
    if (s->node_gone) {
        g->lost = SKR_MOVED_NODE_LOST;
        return 0;
    }
    if (s->guess && count) {
        rc = place_beside_held(r, g, s->start > now ? s->start : now, count, &start, error);
    } else if (count || s->anywhere) {
        rc = skr_start_at(r->timeline, &g->question, r->cache, s->start > now ? s->start : now,
                          count, &start, error);
    }
    if (rc == 0 && !start.solution) {
        g->lost = why_lost(r, g, count);
    } else if (rc == 0) {
        start.at = s->start < now && !s->guess ? now : s->start;
        g->since = s->since;
        g->promised = s->promised;
        rc = reserve(r, g, &start, s->guess ? SKR_ROUND_DRAIN : SKR_ROUND_RESERVED, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* ---- turns ---- */

static bool waits_before(const struct skr_round *r, size_t i)
{
    bool waits = false;
    for (size_t k = 0; k < i && !waits; k++) {
        waits = r->group[k].state != SKR_ROUND_STARTS;
    }
    return waits;
}

/* An open group takes as many members as fit now. */
static int take_more(struct skr_round *r, const struct skr_round_group *g, struct skr_start *start,
                     struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_problem more = *problem_of(g);
    struct skr_start_question question = g->question;
    struct skr_start found = {.at = SKR_INSTANT_NEVER};
    int rc = 0;
    question.problem = &more;
    for (more.n = g->all_n; more.n > problem_of(g)->n && !found.solution && rc == 0; more.n--) {
        rc = skr_start_at(r->timeline, &question, r->cache, now, NULL, &found, error);
    }
    if (found.solution) {
        skr_solution_destroy(start->solution);
        *start = found;
    }
    return rc;
}

static int start_now(struct skr_round *r, size_t i, struct skr_start *start,
                     struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    int rc = take_more(r, g, start, error);
    if (rc < 0) {
        return rc;
    }
    take(r, g, start, SKR_ROUND_STARTS);
    g->because = UINT32_MAX;
    g->backfills = waits_before(r, i);
    g->planned = true;
    return hold(r, g, error);
}

/* Takes what groups behind i hold off the timeline. Returns how many these are. */
static int set_later_aside(struct skr_round *r, size_t i, bool *held)
{
    int n = 0;
    for (size_t k = i + 1; k < r->n; k++) {
        held[k] = r->group[k].held;
        if (held[k]) {
            let_go(r, &r->group[k]);
            n++;
        }
    }
    return n;
}

/* It has no reservation any more. */
static void lose(struct skr_round_group *g, enum skr_move_cause cause)
{
    g->lost = cause;
    g->state = SKR_ROUND_UNKNOWN;
    g->start = g->until = SKR_INSTANT_NEVER;
    g->because = UINT32_MAX;
}

static int32_t *total_of(const struct skr_round_group *g)
{
    const struct skr_problem *p = problem_of(g);
    int32_t *count = skr_alloc_array((size_t)p->tree->n_leaves + 1, sizeof *count);
    if (g->running) {
        memcpy(count, g->running, (size_t)p->tree->n_leaves * sizeof *count);
    }
    for (size_t k = 0; k < g->place.n; k++) {
        count[g->place.at[k].leaf] += g->place.at[k].count;
    }
    return count;
}

/* Puts back what was set aside. crowded: a group before it took room; if its place is not free any more,
 * it is lost. */
static int put_back(struct skr_round *r, struct skr_round_group *g, bool crowded,
                    struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline), at = g->start > now ? g->start : now;
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    SKR_AUTO_FREE int32_t *count = total_of(g);
    int rc = 0;
    if (crowded && g->state == SKR_ROUND_DRAIN) {
        rc = place_beside_held(r, g, at, count, &start, error);
    } else if (crowded) {
        rc = skr_start_at(r->timeline, &g->question, r->cache, at, count, &start, error);
    }
    if (rc == 0 && (start.solution || !crowded)) {
        g->held = true;
        rc = hold(r, g, error);
    } else if (rc == 0) {
        lose(g, SKR_MOVED_HIGHER_PRIORITY);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* The search without the reservations of groups behind it; better is the earlier start. */
static int search_before_later(struct skr_round *r, size_t i, struct skr_start *best,
                               struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    SKR_AUTO_FREE bool *held = skr_alloc_array(r->n + 1, sizeof *held);
    struct skr_start other = {.at = SKR_INSTANT_NEVER};
    if (set_later_aside(r, i, held) == 0) {
        return 0;
    }
    int rc = skr_earliest_start(r->timeline, &g->question, r->cache, &other, error);
    const bool better = rc == 0 && other.solution && other.at < best->at;
    if (better) {
        skr_solution_destroy(best->solution);
        *best = other;
        take(r, g, best, SKR_ROUND_RESERVED);
        rc = hold(r, g, error);
    } else {
        skr_solution_destroy(other.solution);
    }
    for (size_t k = i + 1; k < r->n && rc == 0; k++) {
        rc = held[k] ? put_back(r, &r->group[k], better, error) : 0;
    }
    if (better) {
        let_go(r, g); /* the caller takes it again */
    }
    return rc;
}

static bool has_drain(const struct skr_round *r)
{
    bool any = false;
    for (size_t k = 0; k < r->n && !any; k++) {
        any = r->group[k].held && r->group[k].state == SKR_ROUND_DRAIN;
    }
    return any;
}

static int drain(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_start_question question = g->question;
    struct skr_start start;
    if (r->patience == SKR_INSTANT_NEVER || now - g->begin < r->patience || has_drain(r)) {
        return 0;
    }
    question.kinds = SKR_CHANGES_ALL;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    int rc = skr_earliest_start(r->timeline, &question, r->cache, &start, error);
    if (rc == 0 && start.solution) {
        rc = reserve(r, g, &start, SKR_ROUND_DRAIN, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* The group keeps its place; a guess that has passed is made anew. */
static int keep(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    if (g->start <= now && g->state == SKR_ROUND_DRAIN) {
        const int64_t age = now - g->since;
        g->start = now + (age > SKR_GUESS_S ? age : SKR_GUESS_S);
    }
    g->because = skr_place_because(
        &g->place, r->timeline, g->start,
        g->state == SKR_ROUND_DRAIN ? SKR_CHANGES_ALL : SKR_CHANGES_KNOWN, g->owner);
    g->held = true;
    return hold(r, g, error);
}

/* The turn of a group that may hold a reservation. had: it does. */
static int turn(struct skr_round *r, size_t i, bool had, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    struct skr_start start;
    int rc = skr_earliest_start(r->timeline, &g->question, r->cache, &start, error);
    g->exact = start.exact;
    if (rc == 0 && !had && (!start.solution || start.at > skr_timeline_now(r->timeline))) {
        rc = search_before_later(r, i, &start, error);
    }
    if (rc < 0) {
        skr_solution_destroy(start.solution);
        return rc;
    }
    if (start.solution && start.at == skr_timeline_now(r->timeline)) {
        rc = start_now(r, i, &start, error);
    } else if (had && start.at >= g->start) {
        rc = keep(r, g, error);
    } else if (start.solution) {
        rc = reserve(r, g, &start, SKR_ROUND_RESERVED, error);
    } else {
        rc = drain(r, g, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* The turn of a group that may hold none: now or not yet. */
static int turn_without(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    struct skr_start start;
    int rc = skr_start_at(r->timeline, &g->question, r->cache, skr_timeline_now(r->timeline), NULL,
                          &start, error);
    g->exact = start.exact;
    if (rc == 0 && start.solution) {
        rc = start_now(r, i, &start, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* While a group looks for its start, room is used that others may take first. */
static int hold_first(struct skr_round *r, const struct skr_round_group *g, struct skr_error *error)
{
    if (!skr_place_hold(&g->first, r->timeline, skr_timeline_now(r->timeline), g->first_until,
                        g->first_owner)) {
        return skr_error_set(error, SKR_LIMIT, "the timeline has more than %d changes of room",
                             SKR_ENDS_MAX);
    }
    return 0;
}

static int decide(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    bool by_new, had = g->held;
    if (!problem_of(g)) {
        return 0;
    }
    const bool may = may_hold(r, i, &by_new);
    if (had) {
        let_go(r, g);
    }
    if (had && !may) {
        lose(g, cause_of_push(r, by_new));
        had = false;
    }
    int rc = hold_first(r, g, error);
    if (rc == 0) {
        rc = may ? turn(r, i, had, error) : turn_without(r, i, error);
    }
    skr_place_let_go(&g->first, r->timeline, g->first_owner);
    return rc;
}

/* ---- after the turns ---- */

static int forecast(struct skr_round *r, struct skr_error *error)
{
    int32_t left = r->forecasts;
    int rc = 0;
    for (size_t i = 0; i < r->n && left > 0 && rc == 0; i++) {
        struct skr_round_group *g = &r->group[i];
        struct skr_start start;
        if (!problem_of(g) || g->held || g->planned) {
            continue;
        }
        left--;
        rc = hold_first(r, g, error);
        rc = rc < 0 ? rc : skr_earliest_start(r->timeline, &g->question, r->cache, &start, error);
        if (rc < 0) {
            break;
        }
        g->exact = g->exact && start.exact;
        if (rc == 0 && start.solution) {
            take(r, g, &start, SKR_ROUND_FORECAST);
            g->planned = true;
            rc = hold(r, g, error);
        }
        skr_place_let_go(&g->first, r->timeline, g->first_owner);
        skr_solution_destroy(start.solution);
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->group[i].planned && r->group[i].state == SKR_ROUND_FORECAST) {
            let_go(r, &r->group[i]);
        }
    }
    return rc;
}

/* Whether a stored promise was moved later, or is none any more. */
static void note_move(struct skr_round_group *g)
{
    const bool stands =
        g->state == SKR_ROUND_STARTS || (g->held && g->start <= g->stored->start + SKR_MOVE_S);
    g->moved = stands ? SKR_MOVED_NOT : g->lost;
}

int skr_round_run(struct skr_round *r, struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct skr_round_group *g = &r->group[i];
        g->state = SKR_ROUND_UNKNOWN;
        g->start = g->until = SKR_INSTANT_NEVER;
        g->because = UINT32_MAX;
        g->exact = true;
    }
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = restore(r, i, error);
    }
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = decide(r, i, error);
    }
    rc = rc < 0 ? rc : forecast(r, error);
    for (size_t i = 0; i < r->n; i++) {
        if (r->group[i].stored) {
            note_move(&r->group[i]);
        }
    }
    return rc;
}
