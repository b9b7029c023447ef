/* SPDX-License-Identifier: Apache-2.0 */
/* What a round holds on the timeline, and which groups may hold a reservation. */
#include "core/time/round_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/each_role.h"
#include "topology/base/arena.h"
#include "topology/room.h"

/* ---- the timeline ---- */

int skr_round_hold(struct skr_round *r, struct skr_round_group *g, struct skr_error *error)
{
    return skr_place_hold(&g->place, r->timeline, g->start, g->until, g->owner, error);
}

void skr_round_let_go(struct skr_round *r, struct skr_round_group *g)
{
    skr_place_let_go(&g->place, r->timeline, g->owner);
    g->held = false;
}

int skr_round_set_aside(struct skr_timeline *timeline, const struct skr_round_group *g,
                        struct skr_error *error)
{
    const int rc = skr_place_hold(&g->first, timeline, skr_timeline_now(timeline), g->first_until,
                                  g->first_owner, error);
    return rc < 0 ? rc
                  : skr_place_hold(&g->seats, timeline, g->seats_until, SKR_INSTANT_NEVER,
                                   UINT32_MAX, error);
}

void skr_round_give_back(struct skr_timeline *timeline, const struct skr_round_group *g)
{
    skr_place_let_go(&g->first, timeline, g->first_owner);
    skr_place_let_go(&g->seats, timeline, UINT32_MAX);
}

uint32_t skr_round_because(const struct skr_round *r, const struct skr_round_group *g)
{
    const bool drain = g->state == SKR_ROUND_DRAIN;
    uint32_t best = UINT32_MAX;
    /* A limit may end later than what is guessed, and the pods of a guess that has passed are there. */
    for (int ever = 0; drain && ever < 2 && best == UINT32_MAX; ever++) {
        best = skr_place_because(&g->place, r->timeline, ever ? SKR_INSTANT_NEVER : g->start,
                                 SKR_CHANGE_GUESS, g->owner);
    }
    return best != UINT32_MAX
               ? best
               : skr_place_because(&g->place, r->timeline, g->start, SKR_CHANGES_KNOWN, g->owner);
}

void skr_round_take(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                    enum skr_round_state state)
{
    const bool guess = state == SKR_ROUND_DRAIN;
    skr_place_fini(&g->place);
    skr_place_make(skr_round_problem(g), g->question.resource, start->solution, g->running,
                   &g->place);
    g->state = state;
    g->start = start->at;
    g->promised = g->stored && g->stored->guess == guess ? g->stored->promised : g->start;
    g->until = guess ? SKR_INSTANT_NEVER : skr_window_end(&g->question, start->at);
    g->because = skr_round_because(r, g);
}

int skr_round_reserve(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                      enum skr_round_state state, struct skr_error *error)
{
    skr_round_take(r, g, start, state);
    g->held = true;
    g->since = g->since ? g->since : skr_timeline_now(r->timeline);
    return skr_round_hold(r, g, error);
}

/* ---- pools ---- */

bool skr_round_may_be_on(const struct skr_problem *p, int32_t leaf, int32_t count)
{
    bool may = false;
    for (size_t k = 0; k < skr_problem_n_roles(p) && !may; k++) {
        const struct skr_role role = skr_problem_role(p, k);
        const int64_t *room = p->capacity ? &p->capacity[(size_t)leaf * p->n_resources] : NULL;
        const int32_t least =
            p->roles ? 1 : count; /* which of the count have this role is not known */
        may = skr_role_takes(&role, leaf) &&
              (!room || skr_room_holds_all(room, role.demand, p->n_resources, least) >= least);
    }
    return may;
}

static const uint64_t *leaves_of(struct skr_round_group *g)
{
    const struct skr_problem *p = skr_round_problem(g);
    if (!g->leaves) {
        g->leaves = skr_alloc_array((size_t)p->tree->n_leaves / 64 + 1, sizeof *g->leaves);
        for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
            g->leaves[leaf / 64] |= (uint64_t)skr_round_may_be_on(p, leaf, 1) << leaf % 64;
        }
    }
    return g->leaves;
}

static bool share_a_leaf(struct skr_round_group *a, struct skr_round_group *b)
{
    const uint64_t *x = leaves_of(a), *y = leaves_of(b);
    bool share = false;
    for (int32_t i = 0; i <= skr_round_problem(a)->tree->n_leaves / 64 && !share; i++) {
        share = (x[i] & y[i]) != 0;
    }
    return share;
}

/* Whether group k holds a reservation, or its promise is lost and its turn is to come after that of i. */
static bool is_held(const struct skr_round *r, size_t k, size_t i)
{
    const struct skr_round_group *other = &r->group[k];
    const bool comes = k > i && other->question.problem && skr_round_had_promise(other);
    return k != i && (other->held || comes);
}

/* Whether the reservation of group k counts for what group i may hold: it is before it in the order. A
 * promise to an equal counts wherever it is, and makes way for no later one. */
static bool counts_for(const struct skr_round *r, size_t k, size_t i)
{
    const struct skr_round_group *g = &r->group[i], *other = &r->group[k];
    if (!is_held(r, k, i)) {
        return false;
    }
    return g->priority == other->priority &&
                   skr_round_had_promise(g) != skr_round_had_promise(other)
               ? skr_round_had_promise(other)
               : k < i;
}

/* What is no resource of nodes (places that were learned, volumes of a driver) has no bound. */
static void add_amount(int64_t *sum, uint16_t resource, int64_t amount)
{
    if (resource < SKR_RESOURCES_MAX) {
        sum[resource] = skr_amount_sum(sum[resource], amount);
    }
}

/* Adds what its least members request. */
static void add_demand(const struct skr_round_group *g, int64_t *sum)
{
    const struct skr_problem *p = skr_round_problem(g);
    for (size_t k = 0; k < skr_problem_n_roles(p); k++) {
        const struct skr_role role = skr_problem_role(p, k);
        for (size_t i = 0; i < p->n_resources; i++) {
            add_amount(sum, g->question.resource[i], skr_amount_times(role.demand[i], role.n));
        }
    }
}

/* Whether the reservations of its namespace but the first would be beyond the bound with this one. */
static bool is_beyond_bound(const struct skr_round *r, size_t own)
{
    struct skr_round_group *g = &r->group[own];
    int64_t sum[SKR_RESOURCES_MAX] = {0};
    bool first = true, beyond = false;
    for (size_t k = 0; k < r->n && g->bound; k++) {
        struct skr_round_group *other = &r->group[k];
        const bool mine = is_held(r, k, own) && other->space == g->space;
        /* One that it may push out does not count. */
        if (!mine || (!counts_for(r, k, own) && share_a_leaf(other, g))) {
            continue;
        }
        for (size_t i = 0; other->held && i < other->place.n_uses && !first; i++) {
            add_amount(sum, other->place.use[i].resource, other->place.use[i].amount);
        }
        if (!other->held && !first) {
            add_demand(other, sum);
        }
        first = false;
    }
    if (first) {
        return false;
    }
    add_demand(g, sum);
    for (size_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        beyond = beyond || sum[id] > g->bound[id];
    }
    return beyond;
}

enum skr_move_cause skr_round_may_not_hold(const struct skr_round *r, size_t i)
{
    struct skr_round_group *g = &r->group[i];
    int32_t n = 0, all = 0;
    bool higher = false, taken = false;
    if (g->grows) {
        return SKR_MOVED_USER;
    }
    for (size_t k = 0; k < r->n; k++) {
        struct skr_round_group *other = &r->group[k];
        all += k != i && other->held;
        if (counts_for(r, k, i) && share_a_leaf(other, g)) {
            n++;
            const bool fresh = !skr_round_had_promise(other);
            higher = higher || (fresh && other->priority > g->priority);
            taken = taken || (fresh && g->stored && g->stored->written);
        }
    }
    const bool promised = g->stored && !g->stored->written; /* by this process, within the bound */
    const bool beyond = !promised && is_beyond_bound(r, i);
    if (n < r->reservations && all < SKR_RESERVATIONS_MAX && !beyond) {
        return SKR_MOVED_NOT;
    }
    return r->reservations == 0 ? SKR_MOVED_SETTING
           : higher             ? SKR_MOVED_HIGHER_PRIORITY
           : taken || beyond    ? SKR_MOVED_ROOM_TAKEN
                                : SKR_MOVED_SETTING;
}

uint64_t *skr_round_promised(const struct skr_round *r, const struct skr_problem *p, int64_t from)
{
    uint64_t *leaves = skr_alloc_array((size_t)p->tree->n_leaves / 64 + 1, sizeof *leaves);
    for (size_t k = 0; k < r->n; k++) {
        const struct skr_round_group *g = &r->group[k];
        for (size_t i = 0; g->held && g->until > from && i < g->place.n; i++) {
            const int32_t leaf = g->place.at[i].leaf;
            leaves[leaf / 64] |= (uint64_t)1 << leaf % 64;
        }
    }
    return leaves;
}

int32_t *skr_round_count(const struct skr_round_group *g, const struct skr_place_leaf *at, size_t n)
{
    const size_t leaves = (size_t)skr_round_problem(g)->tree->n_leaves;
    int32_t *count = skr_alloc_array(leaves + 1, sizeof *count);
    if (g->running) {
        memcpy(count, g->running, leaves * sizeof *count);
    }
    for (size_t i = 0; i < n; i++) {
        count[at[i].leaf] += at[i].count;
    }
    return count;
}

static int place_beside(struct skr_round *r, const struct skr_round_group *g, int64_t at,
                        const struct skr_unit_bounds *leaf, struct skr_start *ret,
                        struct skr_error *error)
{
    struct skr_problem mixed = *skr_round_problem(g);
    struct skr_start_question question = g->question;
    const size_t n = mixed.n_resources, size = (size_t)mixed.tree->n_leaves * n;
    SKR_AUTO_FREE uint64_t *promised = skr_round_promised(r, &mixed, at);
    SKR_AUTO_FREE int64_t *room = skr_alloc_array(size + 1, sizeof *room);
    for (size_t i = 0; i < size; i++) {
        const bool firm = promised[i / n / 64] >> i / n % 64 & 1;
        room[i] = firm || !mixed.capacity ? mixed.free[i] : mixed.capacity[i];
    }
    mixed.free = room;
    question.problem = &mixed;
    question.kinds = SKR_CHANGE_HELD;
    question.firm = promised;
    question.holds = question.cut = SKR_INSTANT_NEVER;
    return skr_start_at(r->timeline, &question, r->cache, at, leaf, ret, error);
}

int skr_round_place_again(struct skr_round *r, const struct skr_round_group *g, bool drain,
                          int64_t start, const int32_t *count, struct skr_start *ret,
                          struct skr_error *error)
{
    const int64_t now = skr_timeline_now(r->timeline), at = start > now ? start : now;
    const size_t leaves = (size_t)skr_round_problem(g)->tree->n_leaves;
    SKR_AUTO_FREE struct skr_unit_bounds *leaf =
        count ? skr_alloc_array(leaves + 1, sizeof *leaf) : NULL;
    for (size_t i = 0; i < leaves && count; i++) {
        leaf[i] = (struct skr_unit_bounds){count[i], count[i]};
    }
    return drain && count ? place_beside(r, g, at, leaf, ret, error)
                          : skr_start_at(r->timeline, &g->question, r->cache, at, leaf, ret, error);
}
