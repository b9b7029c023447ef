/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a group away is a hold of negative amounts: its room is there from now on, and its ends make
 * none. Groups of a trial are numbered from 0, the waiting group, then those of the set in order.
 */
#include "core/time/moves.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum { TRIAL_MAX = SKR_MOVES_MOST + 1 };

struct trial {
    struct skr_moves *m;
    int64_t now;
    const size_t *set; /* candidates, by name */
    size_t n;          /* groups of the trial */
    const struct skr_start_question *question[TRIAL_MAX];
    uint32_t owner[TRIAL_MAX];
    size_t candidate[TRIAL_MAX]; /* of [1 ..] */
    struct skr_place place[TRIAL_MAX];
    bool sure; /* the search left nothing out */
};

/* ---- the timeline ---- */

static int hold(struct skr_timeline *t, int32_t leaf, int64_t start, uint16_t resource,
                int64_t amount, uint32_t owner, struct skr_error *error)
{
    return skr_timeline_hold(t, leaf, start, SKR_INSTANT_NEVER, resource, amount, owner)
               ? 0
               : skr_error_set(error, SKR_LIMIT, "the timeline has more than %d changes of room",
                               SKR_ENDS_MAX);
}

/* The ends of the group's pods on the leaf make no room any more. */
static int drop_ends(struct skr_timeline *t, int32_t leaf, uint32_t owner, struct skr_error *error)
{
    size_t n;
    const struct skr_room_change *change = skr_timeline_of(t, leaf, &n);
    SKR_AUTO_FREE struct skr_room_change *copy = skr_alloc_array(n + 1, sizeof *copy);
    int rc = 0;
    memcpy(copy, change, n * sizeof *copy);
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (copy[i].kind == SKR_CHANGE_END && copy[i].owner == owner) {
            rc = hold(t, leaf, copy[i].at, copy[i].resource, copy[i].amount, owner, error);
        }
    }
    return rc;
}

int skr_moves_take_away(struct skr_timeline *timeline, const struct skr_move_candidate *c,
                        struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < c->place.n_uses && rc == 0; i++) {
        const struct skr_place_use *use = &c->place.use[i];
        rc = hold(timeline, use->leaf, skr_timeline_now(timeline), use->resource, -use->amount,
                  c->owner, error);
        if (rc == 0 && (i == 0 || c->place.use[i - 1].leaf != use->leaf)) {
            rc = drop_ends(timeline, use->leaf, c->owner, error);
        }
    }
    return rc;
}

static int hold_place(struct trial *t, size_t i, const struct skr_solution *solution,
                      struct skr_error *error)
{
    const struct skr_start_question *q = t->question[i];
    skr_place_fini(&t->place[i]);
    skr_place_make(q->problem, q->resource, solution, i == 0 ? t->m->running : NULL, &t->place[i]);
    return skr_place_hold(&t->place[i], t->m->timeline, t->now, skr_window_end(q, t->now),
                          t->owner[i], error);
}

static void let_go(struct trial *t, size_t i)
{
    skr_place_let_go(&t->place[i], t->m->timeline, t->owner[i]);
}

/* ---- one after the other ---- */

/* The groups in that order, each at its best place. *ret: all are placed; nothing is held then. */
static int place_in_order(struct trial *t, const size_t *order, bool *ret, struct skr_error *error)
{
    size_t placed = 0;
    int rc = 0;
    while (placed < t->n && rc == 0) {
        const size_t i = order[placed];
        struct skr_start start;
        rc = skr_start_at(t->m->timeline, t->question[i], t->m->cache, t->now, NULL, &start, error);
        t->m->steps -= t->question[i]->problem->tree->n_leaves;
        if (!start.solution) {
            break;
        }
        rc = hold_place(t, i, start.solution, error);
        skr_solution_destroy(start.solution);
        placed++;
    }
    *ret = rc == 0 && placed == t->n;
    while (placed > 0) {
        let_go(t, order[--placed]);
    }
    return rc;
}

/* The next order in the order of numbers; false: that was the last. */
static bool next_order(size_t *order, size_t n)
{
    size_t i = n - 1, k = n - 1;
    while (i > 0 && order[i - 1] >= order[i]) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    while (order[k] <= order[i - 1]) {
        k--;
    }
    const size_t swapped = order[k];
    order[k] = order[i - 1];
    order[i - 1] = swapped;
    for (k = n - 1; i < k; i++, k--) {
        const size_t other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
    return true;
}

/* *ret_first: the first order did it, which gives each group the best that there is. */
static int place_in_orders(struct trial *t, bool *ret, bool *ret_first, struct skr_error *error)
{
    size_t order[TRIAL_MAX] = {0, 1, 2, 3};
    bool first = true;
    int rc;
    do {
        rc = place_in_order(t, order, ret, error);
        *ret_first = first && *ret;
        first = false;
    } while (rc == 0 && !*ret && next_order(order, t->n));
    return rc;
}

/* ---- the joint search ---- */

/* Groups i and behind; *ret: all are placed, and their places are set. Nothing is held then. The
 * depth is that of a set. */
static int place_jointly(struct trial *t, size_t i, bool *ret, struct skr_error *error)
{
    struct skr_moves *m = t->m;
    struct skr_placements *list =
        skr_placements_create(m->timeline, t->question[i], m->cache, t->now);
    const struct skr_solution *solution = NULL;
    bool all = true;
    int rc;
    *ret = false;
    do {
        rc = skr_placements_next(list, &m->steps, &solution, &all, error);
        if (rc < 0 || !solution) {
            break;
        }
        rc = hold_place(t, i, solution, error);
        if (i + 1 == t->n) {
            *ret = rc == 0;
        } else if (rc == 0) {
            rc = place_jointly(t, i + 1, ret, error);
        }
        let_go(t, i);
    } while (rc == 0 && !*ret && i + 1 < t->n && m->steps >= 0);
    t->sure = t->sure && all && m->steps >= 0;
    skr_placements_destroy(list);
    return rc;
}

/* ---- sets ---- */

static void begin(struct trial *t, struct skr_moves *m, const size_t *set, size_t n)
{
    *t = (struct trial){
        .m = m, .now = skr_timeline_now(m->timeline), .set = set, .n = 1 + n, .sure = true};
    t->question[0] = m->question;
    t->owner[0] = m->owner | SKR_MOVED_OWNER;
    for (size_t i = 0; i < n; i++) {
        size_t at = 1 + i;
        while (at > 1 && m->candidate[t->candidate[at - 1]].order > m->candidate[set[i]].order) {
            t->candidate[at] = t->candidate[at - 1];
            at--;
        }
        t->candidate[at] = set[i];
    }
    for (size_t i = 1; i <= n; i++) {
        t->question[i] = &m->candidate[t->candidate[i]].question;
        t->owner[i] = m->candidate[t->candidate[i]].owner | SKR_MOVED_OWNER;
    }
}

static int place_all(struct trial *t, bool *ret, struct skr_error *error)
{
    struct skr_place kept[TRIAL_MAX];
    bool best = false, joint = false;
    int rc = place_in_orders(t, ret, &best, error);
    if (rc < 0 || best) {
        return rc;
    }
    memcpy(kept, t->place, sizeof kept);
    memset(t->place, 0, sizeof t->place);
    rc = place_jointly(t, 0, &joint, error);
    if (rc == 0 && *ret && !joint) { /* the budget ended: what an order has found */
        for (size_t i = 0; i < TRIAL_MAX; i++) {
            skr_place_fini(&t->place[i]);
        }
        memcpy(t->place, kept, sizeof kept);
        return 0;
    }
    for (size_t i = 0; i < TRIAL_MAX; i++) {
        skr_place_fini(&kept[i]);
    }
    *ret = joint;
    return rc;
}

static void take_answer(struct skr_moves *m, struct trial *t)
{
    m->status = SKR_MOVES_FOUND;
    m->n_moved = t->n - 1;
    m->at = t->place[0];
    for (size_t i = 0; i < m->n_moved; i++) {
        m->moved[i] = t->set[i];
        for (size_t k = 1; k < t->n; k++) {
            if (t->candidate[k] == t->set[i]) {
                m->to[i] = t->place[k];
            }
        }
    }
    memset(t->place, 0, sizeof t->place);
}

/* Whether the waiting group fits once these are away: else no set of them helps. */
static int helps(struct trial *t, bool *ret, struct skr_error *error)
{
    struct skr_start start;
    const int rc =
        skr_start_at(t->m->timeline, t->question[0], t->m->cache, t->now, NULL, &start, error);
    t->m->steps -= t->question[0]->problem->tree->n_leaves;
    *ret = rc == 0 && (start.solution || !start.exact);
    skr_solution_destroy(start.solution);
    return rc;
}

static int try_set(struct skr_moves *m, const size_t *set, size_t n, struct skr_error *error)
{
    struct trial t;
    bool may = false, placed = false;
    int rc = 0;
    begin(&t, m, set, n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = skr_moves_take_away(m->timeline, &m->candidate[set[i]], error);
    }
    rc = rc < 0 ? rc : helps(&t, &may, error);
    rc = rc < 0 || !may ? rc : place_all(&t, &placed, error);
    for (size_t i = 0; i < n; i++) {
        skr_place_let_go(&m->candidate[set[i]].place, m->timeline, m->candidate[set[i]].owner);
    }
    m->exact = m->exact && t.sure;
    if (rc == 0 && placed) {
        take_answer(m, &t);
    }
    for (size_t i = 0; i < t.n; i++) {
        skr_place_fini(&t.place[i]);
    }
    return rc;
}

static bool is_cancelled(const struct skr_moves *m)
{
    const atomic_bool *cancel = m->question->problem->cancel;
    return cancel && atomic_load(cancel);
}

/* ---- all sets of a size ---- */

struct set {
    int64_t members;
    size_t item[SKR_MOVES_MOST]; /* ascending, so by name */
};

static int by_cost(const void *a, const void *b)
{
    const struct set *x = a, *y = b;
    if (x->members != y->members) {
        return x->members < y->members ? -1 : 1;
    }
    for (size_t i = 0; i < SKR_MOVES_MOST; i++) {
        if (x->item[i] != y->item[i]) {
            return x->item[i] < y->item[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The next n of the candidates in the order of their places; false: there are no more. */
static bool next_set(size_t *item, size_t n, size_t all)
{
    size_t i = n;
    while (i > 0 && item[i - 1] == all - n + i - 1) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    item[i - 1]++;
    for (; i < n; i++) {
        item[i] = item[i - 1] + 1;
    }
    return true;
}

/* Sets of n candidates, the cheapest first. *ret_all: these are all. free() it. */
static struct set *list_sets(const struct skr_moves *m, size_t n, size_t *ret_n, bool *ret_all)
{
    struct set *list = NULL, one = {.item = {0, 1, 2}};
    size_t cap = 0;
    bool more = true;
    for (size_t i = n; i < SKR_MOVES_MOST; i++) {
        one.item[i] = 0;
    }
    for (*ret_n = 0; more && *ret_n < SKR_MOVES_SETS_MAX; more = next_set(one.item, n, m->n)) {
        one.members = 0;
        for (size_t i = 0; i < n; i++) {
            one.members += m->candidate[one.item[i]].members;
        }
        if (one.members <= SKR_MOVES_MEMBERS_MAX) {
            skr_grow(&list, &cap, *ret_n + 1, sizeof *list);
            list[(*ret_n)++] = one;
        }
    }
    *ret_all = !more;
    if (list) {
        qsort(list, *ret_n, sizeof *list, by_cost);
    }
    return list;
}

int skr_moves_find(struct skr_moves *m, struct skr_error *error)
{
    int rc = 0;
    m->steps = m->steps < 0 ? SKR_MOVES_STEPS_MAX : m->steps;
    m->status = SKR_MOVES_NONE;
    m->exact = true;
    for (size_t n = 1; n <= (size_t)m->most && n <= m->n && rc == 0; n++) {
        size_t n_sets, i = 0;
        bool all;
        SKR_AUTO_FREE struct set *set = list_sets(m, n, &n_sets, &all);
        for (; i < n_sets && rc == 0 && m->steps >= 0 && m->status != SKR_MOVES_FOUND &&
               !is_cancelled(m);
             i++) {
            rc = try_set(m, set[i].item, n, error);
        }
        m->exact = m->exact && all && (i == n_sets || m->status == SKR_MOVES_FOUND);
        if (m->status == SKR_MOVES_FOUND) {
            break;
        }
    }
    if (m->status == SKR_MOVES_NONE && !m->exact) {
        m->status = SKR_MOVES_NOT_FOUND;
    }
    return rc;
}

void skr_moves_fini(struct skr_moves *m)
{
    skr_place_fini(&m->at);
    for (size_t i = 0; i < SKR_MOVES_MOST; i++) {
        skr_place_fini(&m->to[i]);
    }
}
