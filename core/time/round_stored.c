/* SPDX-License-Identifier: Apache-2.0 */
/* Stored reservations: which stand, and why the others do not. */
#include "core/time/round_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/ledger.h"

/* All members on leaves, as the solver counts them; NULL: their number is another one. free() it. */
static int32_t *counts_of(const struct skr_round_group *g)
{
    const struct skr_problem *p = skr_round_problem(g);
    int32_t *count = skr_round_count(g, g->stored->at, g->stored->n);
    int64_t sum = 0;
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        sum += count[i];
    }
    if (!p->roles && sum != p->n) {
        free(count);
        return NULL;
    }
    return count;
}

/* Why a stored place has no room, or is not allowed. */
static enum skr_move_cause why_lost(const struct skr_round *r, const struct skr_round_group *g,
                                    const int32_t *count)
{
    const struct skr_problem *p = skr_round_problem(g);
    const struct skr_stored_reservation *s = g->stored;
    bool overrun = false, closed = false;
    for (size_t i = 0; i < s->n; i++) {
        closed = closed || !skr_round_may_be_on(p, s->at[i].leaf, s->at[i].count);
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
    const enum skr_move_cause taken =
        s->outranked ? SKR_MOVED_HIGHER_PRIORITY : SKR_MOVED_ROOM_TAKEN;
    return skr_solution_check(&empty, count, NULL) == 0 ? taken : SKR_MOVED_TOPOLOGY;
}

int skr_round_restore(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const struct skr_stored_reservation *s = g->stored;
    const int64_t now = skr_timeline_now(r->timeline);
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    int rc = 0;
    if (!s || !skr_round_problem(g)) {
        return 0;
    }
    const bool waited = r->patience != SKR_INSTANT_NEVER && now - g->begin >= r->patience;
    const bool in_time = s->guess ? waited : skr_round_is_near(r, s->start);
    const enum skr_move_cause pushed = skr_round_may_not_hold(r, i);
    if (pushed || !in_time || s->node_gone) {
        g->lost = pushed ? pushed : in_time ? SKR_MOVED_NODE_LOST : SKR_MOVED_SETTING;
        return 0;
    }
    SKR_AUTO_FREE int32_t *count = s->anywhere ? NULL : counts_of(g);
    if (count || s->anywhere) {
        rc = skr_round_set_aside(r->timeline, g, error);
        rc = rc < 0 ? rc : skr_round_place_again(r, g, s->guess, s->start, count, &start, error);
        skr_round_give_back(r->timeline, g);
    }
    if (rc == 0 && !start.solution) {
        g->lost = why_lost(r, g, count);
    } else if (rc == 0) {
        start.at = s->start < now && !s->guess ? now : s->start;
        g->since = s->since;
        rc =
            skr_round_reserve(r, g, &start, s->guess ? SKR_ROUND_DRAIN : SKR_ROUND_RESERVED, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}
