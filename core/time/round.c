/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored reservations are put on the timeline first, then groups have their turns in order, then
 * forecasts are made. A group is in the timeline as held (a reservation) or planned (a start, or a
 * forecast on paper), never as both.
 */
#include "core/time/round_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

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
    struct skr_problem more = *skr_round_problem(g);
    struct skr_start_question question = g->question;
    struct skr_start found = {.at = SKR_INSTANT_NEVER};
    int rc = 0;
    question.problem = &more;
    for (more.n = g->all_n; more.n > skr_round_problem(g)->n && !found.solution && rc == 0;
         more.n--) {
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
    skr_round_take(r, g, start, SKR_ROUND_STARTS);
    g->because = UINT32_MAX;
    g->backfills = waits_before(r, i);
    g->planned = true;
    return skr_round_hold(r, g, error);
}

/* Takes what groups behind i hold off the timeline. Returns how many these are. */
static int set_later_aside(struct skr_round *r, size_t i, bool *held)
{
    int n = 0;
    for (size_t k = i + 1; k < r->n; k++) {
        held[k] = r->group[k].held;
        if (held[k]) {
            skr_round_let_go(r, &r->group[k]);
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
    const struct skr_problem *p = skr_round_problem(g);
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
        rc = skr_round_place_beside(r, g, at, count, &start, error);
    } else if (crowded) {
        rc = skr_start_at(r->timeline, &g->question, r->cache, at, count, &start, error);
    }
    if (rc == 0 && (start.solution || !crowded)) {
        g->held = true;
        rc = skr_round_hold(r, g, error);
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
        skr_round_take(r, g, best, SKR_ROUND_RESERVED);
        g->held = true;
        rc = skr_round_hold(r, g, error);
    } else {
        skr_solution_destroy(other.solution);
    }
    for (size_t k = i + 1; k < r->n && rc == 0; k++) {
        rc = held[k] ? put_back(r, &r->group[k], better, error) : 0;
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
    g->because = skr_place_because(
        &g->place, r->timeline, g->start,
        g->state == SKR_ROUND_DRAIN ? SKR_CHANGES_ALL : SKR_CHANGES_KNOWN, g->owner);
    g->held = true;
    return skr_round_hold(r, g, error);
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
        rc = skr_round_reserve(r, g, &start, SKR_ROUND_RESERVED, error);
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
    if (skr_round_is_proven(r, g)) {
        return 0;
    }
    int rc = skr_start_at(r->timeline, &g->question, r->cache, skr_timeline_now(r->timeline), NULL,
                          &start, error);
    g->exact = start.exact;
    if (rc == 0 && start.solution) {
        rc = start_now(r, i, &start, error);
    } else if (start.exact) {
        skr_round_note_failed(r, g);
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

static enum skr_move_cause cause_of_push(const struct skr_round *r, bool by_new)
{
    return r->reservations > 0 && by_new ? SKR_MOVED_HIGHER_PRIORITY : SKR_MOVED_SETTING;
}

static int decide(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const int64_t before = g->start;
    bool by_new, had = g->held, held = had;
    if (!skr_round_problem(g)) {
        return 0;
    }
    const bool may = skr_round_may_hold(r, i, &by_new);
    if (had) {
        skr_round_let_go(r, g);
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
    if (held && (!g->held || g->start != before)) {
        r->n_failed = 0; /* it gave room back */
    }
    return rc;
}

/* ---- after the turns ---- */

/* If the group fits once all ends that are guessed have come: the smallest owner of one where the
 * group may be. */
static int find_unlimited(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    const struct skr_problem *p = skr_round_problem(g);
    struct skr_start_question question = g->question;
    struct skr_start start;
    uint32_t least = UINT32_MAX;
    size_t n_growth;
    const int64_t *growth = skr_timeline_growth(r->timeline, true, &n_growth);
    if (n_growth == 0) {
        return 0;
    }
    question.kinds = SKR_CHANGES_ALL;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    const int rc =
        skr_start_at(r->timeline, &question, r->cache, growth[n_growth - 1], NULL, &start, error);
    if (rc < 0 || !start.solution) {
        return rc;
    }
    skr_solution_destroy(start.solution);
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        size_t n;
        const struct skr_room_change *change = skr_timeline_of(r->timeline, leaf, &n);
        n = skr_round_may_be_on(p, leaf) ? n : 0;
        for (size_t i = 0; i < n; i++) {
            const bool guess = change[i].kind == SKR_CHANGE_GUESS;
            least = guess && change[i].owner < least ? change[i].owner : least;
        }
    }
    g->unlimited = least;
    return 0;
}

static int forecast(struct skr_round *r, struct skr_error *error)
{
    int32_t left = r->forecasts;
    int rc = 0;
    for (size_t i = 0; i < r->n && left > 0 && rc == 0; i++) {
        struct skr_round_group *g = &r->group[i];
        struct skr_start start;
        if (!skr_round_problem(g) || g->held || g->planned) {
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
            skr_round_take(r, g, &start, SKR_ROUND_FORECAST);
            g->planned = true;
            rc = skr_round_hold(r, g, error);
        } else if (rc == 0) {
            rc = find_unlimited(r, g, error);
        }
        skr_place_let_go(&g->first, r->timeline, g->first_owner);
        skr_solution_destroy(start.solution);
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->group[i].planned && r->group[i].state == SKR_ROUND_FORECAST) {
            skr_round_let_go(r, &r->group[i]);
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
        g->because = g->unlimited = UINT32_MAX;
        g->exact = true;
    }
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = skr_round_restore(r, i, error);
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
