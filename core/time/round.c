/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored reservations are put on the timeline first, then groups have their turns in order, then
 * forecasts are made, on paper.
 */
#include "core/time/round_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

static const char *const state_name[] = {"unknown", "starts", "reserved", "drain", "forecast"};
_Static_assert(sizeof state_name / sizeof *state_name == SKR_ROUND_STATE_COUNT, "states");
static const char *const cause_name[] = {
    NULL,     "NodeLost",        "HigherPriority", "Overrun",       "RoomTaken",
    "Vetoed", "TopologyChanged", "UserChanged",    "SettingChanged"};
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
    skr_place_fini(&g->seats);
    free(g->leaves);
    g->leaves = NULL;
}

/* ---- turns ---- */

/* An open group takes as many members as fit now, if these are more than the least. */
static int take_more(struct skr_round *r, const struct skr_round_group *g, struct skr_start *start,
                     struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_problem more = *skr_round_problem(g);
    struct skr_start_question question = g->question;
    struct skr_start found = {.at = SKR_INSTANT_NEVER};
    bool exact = true;
    int rc = 0;
    question.problem = &more;
    for (more.n = g->all_n; more.n > skr_round_problem(g)->n && !found.solution && rc == 0;
         more.n -= g->step) {
        rc = skr_start_at(r->timeline, &question, r->cache, now, NULL, &found, error);
        exact = exact && found.exact;
    }
    start->exact = start->exact && exact;
    if (found.solution) {
        skr_solution_destroy(start->solution);
        *start = found;
    }
    return rc;
}

/* Starts the group if it fits now. start: of the least members, as far as it is known; if rules count members,
 * more of them may fit where these do not. */
static int try_now(struct skr_round *r, struct skr_round_group *g, struct skr_start *start,
                   struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    const bool fits = start->solution && start->at == now;
    int rc = fits || !skr_round_is_closed_downward(skr_round_problem(g))
                 ? take_more(r, g, start, error)
                 : 0;
    if (rc < 0 || !start->solution || start->at > now) {
        return rc;
    }
    skr_round_take(r, g, start, SKR_ROUND_STARTS);
    g->because = UINT32_MAX;
    return skr_round_hold(r, g, error);
}

/* It has no reservation any more. */
static void lose(struct skr_round_group *g, enum skr_move_cause cause)
{
    g->lost = cause;
    g->since = 0;
    g->state = SKR_ROUND_UNKNOWN;
    g->start = g->until = SKR_INSTANT_NEVER;
    g->because = UINT32_MAX;
}

/* Puts back what was set aside. crowded: the cause, if another group took room; if its place is not free
 * any more, it is lost. */
static int put_back(struct skr_round *r, struct skr_round_group *g, enum skr_move_cause crowded,
                    struct skr_error *error)
{
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    int rc = 0;
    if (crowded) {
        SKR_AUTO_FREE int32_t *count = skr_round_count(g, g->place.at, g->place.n);
        rc = skr_round_place_again(r, g, g->state == SKR_ROUND_DRAIN, g->start, count, &start,
                                   error);
    }
    if (rc == 0 && (start.solution || !crowded)) {
        g->held = true;
        rc = skr_round_hold(r, g, error);
    } else if (rc == 0) {
        lose(g, crowded);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* Which reservations give way to a group that looks for its start. */
enum way {
    WAY_NOW,    /* those of a lower class; it may hold none, and starts now or not */
    WAY_CLASS,  /* the same; it holds one */
    WAY_BELOW,  /* also those behind it of a lower priority; it holds none */
    WAY_EQUALS, /* also those behind it; its own promise is lost, and moves by SKR_MOVE_S at most */
};

/* The cause for group k to give way to group i; SKR_MOVED_NOT: it does not. */
static enum skr_move_cause gives_way(const struct skr_round *r, size_t k, size_t i, enum way way)
{
    const struct skr_round_group *g = &r->group[i], *other = &r->group[k];
    const bool behind = k > i && way >= WAY_BELOW;
    if (k == i || !other->held) {
        return SKR_MOVED_NOT;
    }
    const bool below =
        g->class_low > other->class_high || (behind && other->priority < g->priority);
    return below                                               ? SKR_MOVED_HIGHER_PRIORITY
           : behind && other->stored && other->stored->written ? SKR_MOVED_ROOM_TAKEN
           : behind && way == WAY_EQUALS                       ? g->lost
                                                               : SKR_MOVED_NOT;
}

static bool is_better(const struct skr_round *r, const struct skr_round_group *g, enum way way,
                      const struct skr_start *other, const struct skr_start *best)
{
    const bool in_time = way != WAY_EQUALS || other->at <= g->stored->start + SKR_MOVE_S;
    return other->solution && other->at < best->at && in_time && skr_round_is_near(r, other->at);
}

/* The search without the reservations that give way to the group; better is the earlier start. */
static int search_over(struct skr_round *r, size_t i, enum way way, struct skr_start *best,
                       struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    struct skr_start other = {.at = SKR_INSTANT_NEVER};
    SKR_AUTO_FREE enum skr_move_cause *cause = skr_alloc_array(r->n + 1, sizeof *cause);
    bool any = false;
    for (size_t k = 0; k < r->n; k++) {
        cause[k] = gives_way(r, k, i, way);
        if (cause[k] != SKR_MOVED_NOT) {
            skr_round_let_go(r, &r->group[k]);
            any = true;
        }
    }
    if (!any) {
        return 0;
    }
    int rc = way == WAY_NOW
                 ? skr_start_at(r->timeline, &g->question, r->cache, skr_timeline_now(r->timeline),
                                NULL, &other, error)
                 : skr_earliest_start(r->timeline, &g->question, r->cache, &other, error);
    const bool better = rc == 0 && is_better(r, g, way, &other, best);
    if (better) {
        skr_solution_destroy(best->solution);
        *best = other;
        skr_round_take(r, g, best, SKR_ROUND_RESERVED);
        g->held = true;
        rc = skr_round_hold(r, g, error);
    } else {
        skr_solution_destroy(other.solution);
    }
    for (size_t k = 0; k < r->n && rc == 0; k++) {
        rc = cause[k] == SKR_MOVED_NOT
                 ? 0
                 : put_back(r, &r->group[k], better ? cause[k] : SKR_MOVED_NOT, error);
    }
    if (better) {
        skr_round_let_go(r, g); /* the caller takes it again */
        r->n_failed = 0;
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

/* Room that is only guessed to become free is not taken where something is promised: there the drain
 * would need what the promise counts on. */
static int drain(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_start_question question = g->question;
    struct skr_start start;
    if (r->patience == SKR_INSTANT_NEVER || now - g->begin < r->patience || has_drain(r)) {
        return 0;
    }
    SKR_AUTO_FREE uint64_t *promised = skr_round_promised(r, skr_round_problem(g), now);
    question.kinds = SKR_CHANGES_ALL;
    question.firm = promised;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    int rc = skr_earliest_start(r->timeline, &question, r->cache, &start, error);
    if (rc == 0 && start.solution) {
        rc = skr_round_reserve(r, g, &start, SKR_ROUND_DRAIN, error);
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
    g->because = skr_round_because(r, g);
    g->held = true;
    return skr_round_hold(r, g, error);
}

/* It cannot start now. had: it has a reservation. */
static int reserve(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                   bool had, struct skr_error *error)
{
    const bool near = start->solution && skr_round_is_near(r, start->at);
    if (had && (start->at >= g->start || !near)) {
        return keep(r, g, error);
    }
    if (start->solution && !near) {
        g->far = start->at;
        return 0;
    }
    return near ? skr_round_reserve(r, g, start, SKR_ROUND_RESERVED, error) : drain(r, g, error);
}

/* The turn of a group that may hold a reservation. had: it does. */
static int turn(struct skr_round *r, size_t i, bool had, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    struct skr_start start;
    int rc = skr_earliest_start(r->timeline, &g->question, r->cache, &start, error);
    if (rc == 0 && (!start.solution || start.at > skr_timeline_now(r->timeline))) {
        rc = search_over(r, i, had ? WAY_CLASS : WAY_BELOW, &start, error);
    }
    const bool late = !had && skr_round_had_promise(g) && start.at > g->stored->start + SKR_MOVE_S;
    if (rc == 0 && late) {
        rc = search_over(r, i, WAY_EQUALS, &start, error);
    }
    rc = rc < 0 ? rc : try_now(r, g, &start, error);
    g->exact = start.exact;
    if (rc == 0 && g->state != SKR_ROUND_STARTS) {
        rc = reserve(r, g, &start, had, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

/* The turn of a group that may hold none: now or not yet. */
static int turn_without(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const int64_t now = skr_timeline_now(r->timeline);
    const bool proven = skr_round_is_proven(r, g);
    struct skr_start start = {.at = SKR_INSTANT_NEVER, .exact = true};
    int rc =
        proven ? 0 : skr_start_at(r->timeline, &g->question, r->cache, now, NULL, &start, error);
    if (rc == 0 && !start.solution) {
        rc = search_over(r, i, WAY_NOW, &start, error);
    }
    if (proven && !start.solution) {
        return rc;
    }
    rc = rc < 0 ? rc : try_now(r, g, &start, error);
    g->exact = start.exact;
    if (g->state != SKR_ROUND_STARTS && start.exact) {
        skr_round_note_failed(r, g);
    }
    skr_solution_destroy(start.solution);
    return rc;
}

static int decide(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const int64_t before = g->start;
    const bool held = g->held;
    if (!skr_round_problem(g)) {
        return 0;
    }
    const enum skr_move_cause pushed = skr_round_may_not_hold(r, i);
    if (held) {
        skr_round_let_go(r, g);
    }
    if (held && pushed) {
        lose(g, pushed);
    }
    int rc = skr_round_set_aside(r->timeline, g, error);
    if (rc == 0) {
        rc = pushed ? turn_without(r, i, error) : turn(r, i, held, error);
    }
    skr_round_give_back(r->timeline, g);
    if (held && (!g->held || g->start != before)) {
        r->n_failed = 0; /* it gave room back */
    }
    return rc;
}

/* ---- after the turns ---- */

/* Whether a stored promise was moved later, or is none any more. */
static void note_move(struct skr_round_group *g)
{
    const bool stands =
        g->state == SKR_ROUND_STARTS || (g->held && g->start <= g->stored->start + SKR_MOVE_S);
    g->moved = stands ? SKR_MOVED_NOT : g->lost;
}

int skr_round_run(struct skr_round *r, struct skr_error *error)
{
    bool waits = false;
    int rc = 0;
    skr_round_clear(r);
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = skr_round_restore(r, i, error);
    }
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = decide(r, i, error);
    }
    for (size_t i = 0; i < r->n && rc == 0;
         i++) { /* a higher class may have taken it after its turn */
        const struct skr_round_group *g = &r->group[i];
        const bool lost = g->lost == SKR_MOVED_HIGHER_PRIORITY && !g->held;
        rc = lost && g->state == SKR_ROUND_UNKNOWN ? decide(r, i, error) : 0;
    }
    rc = rc < 0 ? rc : skr_round_forecast_all(r, error);
    for (size_t i = 0; i < r->n; i++) {
        struct skr_round_group *g = &r->group[i];
        g->backfills = waits && g->state == SKR_ROUND_STARTS;
        waits = waits || g->state != SKR_ROUND_STARTS;
        if (g->stored) {
            note_move(g);
        }
    }
    return rc;
}
