/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts: when groups without a reservation may start, and why they do not start now. */
#include "core/time/round_parts.h"

#include <stdlib.h>

#include "topology/ledger.h"

void skr_round_clear(struct skr_round *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct skr_round_group *g = &r->group[i];
        g->state = SKR_ROUND_UNKNOWN;
        g->start = g->until = g->far = g->kept_start = SKR_INSTANT_NEVER;
        g->because = g->unlimited = g->kept_by = UINT32_MAX;
        g->exact = true;
    }
}

/* Whether what is planned there has no end. changes: of one leaf. */
static bool is_endless(const struct skr_room_change *change, size_t n, uint32_t owner)
{
    bool ends = false;
    for (size_t i = 0; i < n; i++) {
        ends = ends || (change[i].kind == SKR_CHANGE_HELD && change[i].owner == owner &&
                        change[i].amount > 0);
    }
    return !ends;
}

/* Where the group may be: the smallest owner of a change of this kind that has no end. */
static void note_unlimited(const struct skr_round *r, enum skr_change_kind kind,
                           struct skr_round_group *g)
{
    const struct skr_problem *p = skr_round_problem(g);
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        size_t n;
        const struct skr_room_change *change = skr_timeline_of(r->timeline, leaf, &n);
        n = skr_round_may_be_on(p, leaf, 1) ? n : 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t owner = change[i].owner;
            if (change[i].kind == kind && owner < g->unlimited &&
                (kind != SKR_CHANGE_HELD || is_endless(change, n, owner))) {
                g->unlimited = owner;
            }
        }
    }
}

/* If the group fits once all ends that are guessed have come: the pods without a limit are in its way.
 * Else, if it would fit without what is planned for others: a group without a limit before it. */
static int find_unlimited(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    static const enum skr_change_kind kind[] = {SKR_CHANGE_GUESS, SKR_CHANGE_HELD};
    struct skr_start_question question = g->question;
    int rc = 0;
    question.kinds = SKR_CHANGES_ALL;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    for (size_t i = 0; i < 2 && rc == 0 && g->unlimited == UINT32_MAX; i++) {
        struct skr_start start;
        rc = skr_start_at(r->timeline, &question, r->cache, SKR_INSTANT_NEVER - 1, NULL, &start,
                          error);
        if (start.solution) {
            note_unlimited(r, kind[i], g);
        }
        skr_solution_destroy(start.solution);
        question.kinds = SKR_CHANGE_END | SKR_CHANGE_GUESS;
    }
    return rc;
}

static int forecast(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    struct skr_start start = {.at = SKR_INSTANT_NEVER, .exact = true};
    struct skr_start_question question = g->question;
    int rc = skr_round_set_aside(r->timeline, g, error);
    question.from = skr_round_known_from(r, g);
    if (rc == 0 && question.from != SKR_INSTANT_NEVER) {
        rc = skr_earliest_start(r->timeline, &question, r->cache, &start, error);
    }
    if (rc == 0) {
        g->exact = g->exact && start.exact;
    }
    if (start.solution) {
        skr_round_take(r, g, &start, SKR_ROUND_FORECAST);
        rc = skr_round_hold(r, g, error);
    } else if (rc == 0) {
        rc = find_unlimited(r, g, error);
    }
    skr_round_give_back(r->timeline, g);
    skr_solution_destroy(start.solution);
    return rc;
}

int skr_round_forecast_all(struct skr_round *r, struct skr_error *error)
{
    int32_t left = r->forecasts;
    int rc = 0;
    r->n_failed = 0;
    for (size_t i = 0; i < r->n && left > 0 && rc == 0; i++) {
        struct skr_round_group *g = &r->group[i];
        if (skr_round_problem(g) && g->state == SKR_ROUND_UNKNOWN) {
            left--;
            rc = forecast(r, g, error);
            if (g->exact) { /* room only becomes less from one forecast to the next */
                skr_round_note_failed(r, g);
            }
        }
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->group[i].state == SKR_ROUND_FORECAST) {
            skr_round_let_go(r, &r->group[i]);
        }
    }
    return rc;
}

/* ---- what keeps a group from starting now ---- */

/* The first instant before end at which reservations leave too little of a resource on the leaf. */
static void note_keeper(const struct skr_timeline *timeline, const struct skr_place_use *use,
                        int64_t room, int64_t end, struct skr_round_group *g)
{
    const int64_t now = skr_timeline_now(timeline);
    size_t n;
    const struct skr_room_change *change = skr_timeline_of(timeline, use->leaf, &n);
    for (size_t i = 0; i < n && change[i].at < end; i++) {
        const struct skr_room_change *c = &change[i];
        const bool first =
            c->at < g->kept_start || (c->at == g->kept_start && c->owner < g->kept_by);
        int64_t least;
        if (c->kind != SKR_CHANGE_HELD || c->amount > 0 || c->resource != use->resource || !first) {
            continue;
        }
        skr_timeline_least(timeline, use->leaf, now, c->at + 1, SKR_CHANGES_KNOWN, &use->resource,
                           1, &least, NULL, NULL);
        if (skr_room_plus(room, least) < use->amount) {
            g->kept_start = c->at;
            g->kept_by = c->owner;
        }
    }
}

static int64_t room_of(const struct skr_round_group *g, const struct skr_place_use *use)
{
    const struct skr_problem *p = skr_round_problem(g);
    int64_t room = 0;
    for (size_t r = 0; r < p->n_resources; r++) {
        room = g->question.resource[r] == use->resource
                   ? p->free[(size_t)use->leaf * p->n_resources + r]
                   : room;
    }
    return room;
}

/* If reservations alone keep the group from starting now: whose, on the place that it would have. */
static int find_keeper(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_start_question question = g->question;
    struct skr_start start;
    struct skr_place place = {0};
    question.kinds = SKR_CHANGE_END;
    const int rc = skr_start_at(r->timeline, &question, r->cache, now, NULL, &start, error);
    if (start.solution) {
        skr_place_make(skr_round_problem(g), question.resource, start.solution, g->running, &place);
    }
    for (size_t i = 0; i < place.n_uses; i++) {
        note_keeper(r->timeline, &place.use[i], room_of(g, &place.use[i]),
                    skr_window_end(&question, now), g);
    }
    skr_place_fini(&place);
    skr_solution_destroy(start.solution);
    return rc;
}

int skr_round_forecast(struct skr_round *r, struct skr_error *error)
{
    skr_round_clear(r);
    int rc = skr_round_forecast_all(r, error);
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        struct skr_round_group *g = &r->group[i];
        const bool waits = skr_round_problem(g) && g->start > skr_timeline_now(r->timeline);
        if (waits && g->first.n_uses == 0 && g->seats.n_uses == 0) {
            rc = find_keeper(r, g, error);
        }
    }
    return rc;
}
