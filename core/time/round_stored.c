/* SPDX-License-Identifier: Apache-2.0 */
/* Stored reservations: which stand, and why the others do not. */
#include "core/time/round_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/ledger.h"

/* ---- stored reservations ---- */

/* All members on leaves, as the solver counts them; NULL: their number is another one. free() it. */
static int32_t *counts_of(const struct skr_round_group *g)
{
    const struct skr_problem *p = skr_round_problem(g);
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
    const struct skr_problem *p = skr_round_problem(g);
    const struct skr_stored_reservation *s = g->stored;
    bool overrun = false, closed = false;
    for (size_t i = 0; i < s->n; i++) {
        closed = closed || !skr_round_may_be_on(p, s->at[i].leaf) || is_shrunk(p, &s->at[i]);
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

int skr_round_restore(struct skr_round *r, size_t i, struct skr_error *error)
{
    struct skr_round_group *g = &r->group[i];
    const struct skr_stored_reservation *s = g->stored;
    const int64_t now = skr_timeline_now(r->timeline);
    bool by_new;
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    if (!s || !skr_round_problem(g)) {
        return 0;
    }
    const bool waited = r->patience != SKR_INSTANT_NEVER && now - g->begin >= r->patience;
    if (!skr_round_may_hold(r, i, &by_new) || (s->guess && !waited)) {
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
        rc = skr_round_place_beside(r, g, s->start > now ? s->start : now, count, &start, error);
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
        rc =
            skr_round_reserve(r, g, &start, s->guess ? SKR_ROUND_DRAIN : SKR_ROUND_RESERVED, error);
    }
    skr_solution_destroy(start.solution);
    return rc;
}
