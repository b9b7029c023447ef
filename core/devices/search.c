/* SPDX-License-Identifier: Apache-2.0 */
/* The search as a recursion, a level for each device: at most SKR_DEVICES_A_POD. */
#include "core/devices/search.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum outcome { DONE, NOT, EXCEEDED, FAILS, BEYOND };

struct state {
    uint32_t n;    /* devices that were added */
    uint32_t same; /* the value that all have */
};

/* What a device changed, to be undone. */
struct change {
    uint32_t row;
    size_t request, ask;
    size_t n_constraints; /* that it was added to */
    bool counters, chosen;
};

struct search {
    const struct skr_devices_problem *p;
    const struct skr_devices_node *node;
    const struct skr_devices_taken *taken;
    uint64_t steps;
    uint64_t *by;         /* [row] claims that have it, as bits */
    uint32_t *shares;     /* [row] of this pod */
    skr_int128 *used;     /* [capacity] of this pod */
    skr_int128 *consumed; /* [counter] of this pod */
    uint32_t
        *bank; /* [bank] the pool, plus one, whose counters were looked at first; 0: none yet */
    skr_int128 *left;    /* what is left of the counters of pools, one after the other */
    size_t *left_at;     /* [pool] */
    int64_t *count;      /* [request] devices that it is for */
    struct state *state; /* [constraint] */
    uint32_t *distinct;  /* [constraint][ask] the last value, of 1.36; else values as a stack */
    size_t width;        /* of it */
    size_t n_of_claim;
    bool exact; /* no shortcuts */
    struct skr_devices_result result[SKR_DEVICES_A_POD];
    size_t n_results;
    void *owned[10];
    size_t n_owned;
};

/* ---- counters ---- */

static uint64_t bit_of(const struct search *s, size_t ask)
{
    return UINT64_C(1) << s->p->ask[ask].claim;
}

static bool in_use(const struct search *s, uint32_t row)
{
    return s->taken->whole[row] || s->by[row];
}

/* No device for the request. */
static bool is_held(const struct search *s, size_t request, size_t ask, uint32_t row)
{
    return s->p->request[request].admin ? (s->by[row] & bit_of(s, ask)) != 0 : in_use(s, row);
}

static bool is_allocated(const struct skr_devices_taken *taken, size_t row)
{
    return taken->whole[row] || taken->shares[row] > 0 || taken->counted[row];
}

static void count_left(struct search *s)
{
    size_t at = 0;
    for (size_t i = 0; i < s->node->n_pools; i++) {
        const struct skr_devices_pool *pool = &s->node->pool[i];
        s->left_at[i] = at;
        for (size_t k = 0; k < pool->n; k++) {
            s->left[at++] = pool->has[k].value;
        }
    }
    for (size_t row = 0; row < s->node->n; row++) {
        const struct skr_devices_row *r = &s->node->row[row];
        if (r->n_uses == 0 || !is_allocated(s->taken, row)) {
            continue;
        }
        const struct skr_devices_pool *pool = &s->node->pool[r->pool];
        for (size_t u = 0; u < r->n_uses; u++) {
            for (size_t k = 0; k < pool->n; k++) {
                if (pool->has[k].counter == r->uses[u].counter) {
                    s->left[s->left_at[r->pool] + k] -= r->uses[u].value;
                }
            }
        }
    }
}

static void consume(struct search *s, const struct skr_devices_row *row, int sign)
{
    for (size_t i = 0; i < row->n_uses; i++) {
        s->consumed[row->uses[i].counter] += sign * row->uses[i].value;
    }
}

/* All counters of the pool count, not only those of the device. */
static bool counters_suffice(struct search *s, const struct skr_devices_row *row)
{
    uint32_t *bank = &s->bank[s->node->pool[row->pool].bank];
    *bank = *bank > 0 ? *bank : row->pool + 1;
    const uint32_t first = *bank - 1;
    const struct skr_devices_pool *pool = &s->node->pool[first];
    consume(s, row, 1);
    for (size_t k = 0; k < pool->n; k++) {
        if (s->left[s->left_at[first] + k] < s->consumed[pool->has[k].counter]) {
            consume(s, row, -1);
            return false;
        }
    }
    return true;
}

/* ---- capacity ---- */

/* used: [capacity] what this pod has of it; NULL: nothing. */
static bool has_room(const struct search *s, const struct skr_devices_request *request,
                     uint32_t row, const skr_int128 *used)
{
    const struct skr_devices_row *r = &s->node->row[row];
    for (size_t i = r->first_capacity; r->shared && i < r->first_capacity + r->n_capacities; i++) {
        if (s->taken->used[i] + request->need[i] + (used ? used[i] : 0) > s->node->capacity[i]) {
            return false;
        }
    }
    return true;
}

static void add_share(struct search *s, const struct skr_devices_request *request, uint32_t row,
                      int sign)
{
    const struct skr_devices_row *r = &s->node->row[row];
    s->shares[row] += (uint32_t)sign;
    for (size_t i = r->first_capacity; i < r->first_capacity + r->n_capacities; i++) {
        s->used[i] += sign * request->need[i];
    }
}

/* ---- constraints ---- */

static bool add_same(struct state *state, uint32_t value)
{
    if (state->n > 0 && (value == SKR_DEVICES_UNKNOWN || value != state->same)) {
        return false;
    }
    state->same = state->n == 0 ? value : state->same;
    state->n++;
    return true;
}

static bool add_distinct(const struct search *s, size_t constraint, size_t ask, uint32_t value)
{
    struct state *state = &s->state[constraint];
    uint32_t *seen = &s->distinct[constraint * s->width];
    const bool last_only = s->node->version == SKR_DEVICES_1_36;
    const size_t n = last_only ? s->p->n_asks : state->n;
    for (size_t i = 0; i < n && !(last_only && state->n == 0); i++) {
        const bool set = seen[i] != SKR_DEVICES_ABSENT;
        if (set && (value == SKR_DEVICES_UNKNOWN || seen[i] == value)) {
            return false;
        }
    }
    seen[last_only ? ask : state->n] = value;
    state->n++;
    return true;
}

static bool constraint_add(const struct search *s, size_t i, size_t request, size_t ask,
                           uint32_t row)
{
    const struct skr_devices_constraint *c = &s->p->constraint[i];
    if (c->claim != s->p->ask[ask].claim || !c->applies[request]) {
        return true;
    }
    if (c->value[row] == SKR_DEVICES_ABSENT) {
        return false;
    }
    return c->distinct ? add_distinct(s, i, ask, c->value[row])
                       : add_same(&s->state[i], c->value[row]);
}

static void constraint_remove(const struct search *s, size_t i, const struct change *change)
{
    const struct skr_devices_constraint *c = &s->p->constraint[i];
    if (c->claim != s->p->ask[change->ask].claim || !c->applies[change->request]) {
        return;
    }
    s->state[i].n--;
    if (c->distinct && s->node->version == SKR_DEVICES_1_36) {
        s->distinct[i * s->width + change->ask] = SKR_DEVICES_ABSENT;
    }
}

/* ---- one device ---- */

static void undo(struct search *s, const struct change *change)
{
    const struct skr_devices_row *row = &s->node->row[change->row];
    if (change->chosen) {
        s->n_results--;
        s->n_of_claim--;
    }
    if (change->chosen && row->shared) {
        add_share(s, &s->p->request[change->request], change->row, -1);
    } else if (change->chosen) {
        s->by[change->row] &= ~bit_of(s, change->ask);
    }
    for (size_t i = change->n_constraints; i > 0; i--) {
        constraint_remove(s, i - 1, change);
    }
    if (change->counters) {
        consume(s, row, -1);
    }
}

static bool has_shares(const struct search *s, uint32_t row)
{
    const bool counted = s->taken->counted[row] || s->shares[row] > 0;
    return counted || (s->node->version != SKR_DEVICES_1_36 && s->taken->shares[row] > 0);
}

static enum outcome check(struct search *s, struct change *change)
{
    const struct skr_devices_request *request = &s->p->request[change->request];
    const struct skr_devices_row *row = &s->node->row[change->row];
    if (is_held(s, change->request, change->ask, change->row)) {
        return NOT;
    }
    if (row->n_uses > 0 && !(row->shared && has_shares(s, change->row))) {
        if (!counters_suffice(s, row)) {
            return NOT;
        }
        change->counters = true;
    }
    if (request->tainted[change->row]) {
        return NOT;
    }
    for (; change->n_constraints < s->p->n_constraints; change->n_constraints++) {
        if (!constraint_add(s, change->n_constraints, change->request, change->ask, change->row)) {
            return request->all ? FAILS : NOT;
        }
    }
    return !has_room(s, request, change->row, s->used) ? NOT
           : s->n_results == SKR_DEVICES_A_POD         ? BEYOND
                                                       : DONE;
}

static enum outcome take(struct search *s, struct change *change)
{
    const enum outcome outcome = check(s, change);
    if (outcome != DONE) {
        undo(s, change);
        return outcome;
    }
    if (s->node->row[change->row].shared) {
        add_share(s, &s->p->request[change->request], change->row, 1);
    } else {
        s->by[change->row] |= bit_of(s, change->ask);
    }
    s->result[s->n_results++] = (struct skr_devices_result){change->row, change->request};
    s->n_of_claim++;
    change->chosen = true;
    return DONE;
}

/* ---- the recursion ---- */

static enum outcome place(struct search *s, size_t ask, size_t request, int64_t k, uint32_t start);

static enum outcome begin_ask(struct search *s, size_t ask)
{
    if (ask == s->p->n_asks) {
        return DONE;
    }
    const struct skr_devices_ask *a = &s->p->ask[ask];
    if (!a->alternatives) {
        return place(s, ask, a->first, 0, 0);
    }
    bool exceeded = true;
    for (size_t i = 0; i < a->n; i++) {
        const enum outcome outcome = place(s, ask, a->first + i, 0, 0);
        if (outcome != EXCEEDED && outcome != NOT) {
            return outcome;
        }
        exceeded = exceeded && outcome == EXCEEDED;
    }
    return exceeded ? EXCEEDED : NOT;
}

/* The request is served. A later claim that exceeds its limit may be served otherwise. */
static enum outcome after(struct search *s, size_t ask)
{
    const bool last = ask + 1 == s->p->n_asks || s->p->ask[ask + 1].claim != s->p->ask[ask].claim;
    const size_t n = s->n_of_claim;
    if (!last) {
        return begin_ask(s, ask + 1);
    }
    s->n_of_claim = 0;
    const enum outcome outcome = begin_ask(s, ask + 1);
    s->n_of_claim = n;
    return outcome == EXCEEDED ? NOT : outcome;
}

/* The device, and then the rest of the request from device k + 1 on. */
static enum outcome place_with(struct search *s, size_t ask, size_t request, int64_t k,
                               uint32_t row)
{
    struct change change = {.row = row, .request = request, .ask = ask};
    enum outcome outcome = take(s, &change);
    if (outcome == DONE) {
        outcome = place(s, ask, request, k + 1, row + 1);
        if (outcome != DONE) {
            undo(s, &change);
        }
    }
    return outcome;
}

/* An equal device was free, and failed here. */
static bool failed_already(const struct search *s, uint32_t row, size_t start)
{
    for (uint32_t b = s->p->before[row]; b != UINT32_MAX && b >= start; b = s->p->before[b]) {
        if (!in_use(s, b)) {
            return true;
        }
    }
    return false;
}

/* Fewer devices are eligible than wanted, and no selector fails. */
static bool too_few(const struct search *s, const struct skr_devices_request *request,
                    int64_t wanted)
{
    int64_t n = 0;
    for (uint32_t row = 0; row < s->node->n && n < wanted; row++) {
        if (request->admin || !in_use(s, row)) {
            if (request->match[row] == SKR_DEVICES_FAILS) {
                return false;
            }
            n += request->match[row] == SKR_DEVICES_YES && !request->tainted[row];
        }
    }
    return n < wanted;
}

static enum outcome place_one(struct search *s, size_t ask, size_t request, int64_t k,
                              uint32_t start)
{
    const struct skr_devices_request *r = &s->p->request[request];
    if (k == 0 && !s->exact && too_few(s, r, r->count)) {
        return NOT;
    }
    for (uint32_t row = start; row < s->node->n; row++) {
        if (++s->steps > s->p->steps) {
            return BEYOND;
        }
        if (is_held(s, request, ask, row)) {
            continue;
        }
        if (r->match[row] == SKR_DEVICES_FAILS) {
            return FAILS;
        }
        if (r->match[row] == SKR_DEVICES_NO || !has_room(s, r, row, s->used) ||
            (!s->exact && !r->admin && failed_already(s, row, start))) {
            continue;
        }
        const enum outcome outcome = place_with(s, ask, request, k, row);
        if (outcome != NOT) {
            return outcome;
        }
    }
    return NOT;
}

/* Whether a request for all devices is for this one. 1.36 leaves out those that are too full already. */
static bool is_of_all(const struct search *s, const struct skr_devices_request *r, uint32_t row)
{
    return r->match[row] == SKR_DEVICES_YES &&
           (s->node->version != SKR_DEVICES_1_36 || has_room(s, r, row, NULL));
}

static enum outcome place(struct search *s, size_t ask, size_t request, int64_t k, uint32_t start)
{
    const struct skr_devices_request *r = &s->p->request[request];
    const int64_t count = s->count[request];
    if (++s->steps > s->p->steps) {
        return BEYOND;
    }
    if (r->all && count == 0) {
        return NOT;
    }
    if (k >= count) {
        return after(s, ask);
    }
    if (count - k > SKR_DEVICES_A_CLAIM - (int64_t)s->n_of_claim) {
        return EXCEEDED;
    }
    while (r->all && !is_of_all(s, r, start)) {
        start++;
    }
    return r->all ? place_with(s, ask, request, k, start) : place_one(s, ask, request, k, start);
}

/* ---- before the search ---- */

/* False: a selector fails. */
static bool count_all(struct search *s, size_t request)
{
    const struct skr_devices_request *r = &s->p->request[request];
    for (uint32_t row = 0; row < s->node->n; row++) {
        if (r->match[row] == SKR_DEVICES_FAILS) {
            return false;
        }
        s->count[request] += is_of_all(s, r, row);
    }
    return true;
}

/* The least that each claim needs is within the limit, and all devices are known. */
static bool is_valid(struct search *s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->p->n_asks; i++) {
        const struct skr_devices_ask *a = &s->p->ask[i];
        int64_t least = INT64_MAX;
        if (i == 0 || s->p->ask[i - 1].claim != a->claim) {
            n = 0;
        }
        for (size_t k = a->first; k < a->first + a->n; k++) {
            const struct skr_devices_request *r = &s->p->request[k];
            s->count[k] = r->all ? 0 : r->count;
            if (r->all && (s->node->partial || !count_all(s, k))) {
                return false;
            }
            least = s->count[k] < least ? s->count[k] : least;
        }
        if (least > SKR_DEVICES_A_CLAIM - n) {
            return false;
        }
        n += least;
    }
    return true;
}

/* A request for all devices ends with an error at a device that a constraint refuses, but not behind one in use. */
static bool may_refuse_all(const struct skr_devices_problem *p,
                           const struct skr_devices_constraint *constraint)
{
    bool may = false;
    for (size_t i = 0; i < p->n_requests; i++) {
        may = may || (p->request[i].all && constraint->applies[i]);
    }
    return may;
}

/* The order in which devices are looked at matters. 1.36 keeps what depends on it. */
static bool needs_order(const struct skr_devices_problem *p)
{
    const bool old = p->node->version == SKR_DEVICES_1_36;
    bool needs = old && p->node->collides;
    for (size_t i = 0; i < p->n_constraints; i++) {
        needs = needs || (old && p->constraint[i].distinct) || may_refuse_all(p, &p->constraint[i]);
    }
    return needs;
}

/* ---- memory ---- */

static void *own(struct search *s, size_t n, size_t size)
{
    return s->owned[s->n_owned++] = skr_alloc_array(n + 1, size);
}

static void search_init(struct search *s, const struct skr_devices_problem *p,
                        const struct skr_devices_taken *taken)
{
    const struct skr_devices_node *node = p->node;
    size_t n_left = 0;
    for (size_t i = 0; i < node->n_pools; i++) {
        n_left += node->pool[i].n;
    }
    *s = (struct search){.p = p, .node = node, .taken = taken};
    s->by = own(s, node->n, sizeof *s->by);
    s->shares = own(s, node->n, sizeof *s->shares);
    s->used = own(s, node->n_capacities, sizeof *s->used);
    s->consumed = own(s, node->n_counters, sizeof *s->consumed);
    s->bank = own(s, node->n_banks, sizeof *s->bank);
    s->left = own(s, n_left, sizeof *s->left);
    s->left_at = own(s, node->n_pools, sizeof *s->left_at);
    s->count = own(s, p->n_requests, sizeof *s->count);
    s->state = own(s, p->n_constraints, sizeof *s->state);
    s->width = p->n_asks > SKR_DEVICES_A_CLAIM ? p->n_asks : SKR_DEVICES_A_CLAIM;
    s->distinct = own(s, p->n_constraints * s->width, sizeof *s->distinct);
    s->exact = needs_order(p);
}

static void search_fini(struct search *s)
{
    while (s->n_owned > 0) {
        free(s->owned[--s->n_owned]);
    }
}

static void commit(const struct search *s, struct skr_devices_taken *taken)
{
    for (size_t i = 0; i < s->n_results; i++) {
        const struct skr_devices_request *request = &s->p->request[s->result[i].request];
        const uint32_t at = s->result[i].row;
        const struct skr_devices_row *row = &s->node->row[at];
        if (request->admin) {
            continue;
        }
        if (!row->shared) {
            taken->whole[at] = 1;
            continue;
        }
        taken->shares[at]++;
        taken->counted[at] |= row->n_capacities > 0;
        for (size_t k = row->first_capacity; k < row->first_capacity + row->n_capacities; k++) {
            taken->used[k] += request->need[k];
        }
    }
}

enum skr_search_outcome skr_devices_search(const struct skr_devices_problem *problem,
                                           struct skr_devices_taken *taken,
                                           struct skr_devices_result *ret, size_t *ret_n)
{
    struct search s;
    enum outcome outcome = FAILS;
    if (problem->fails) {
        return SKR_SEARCH_ERROR;
    }
    search_init(&s, problem, taken);
    count_left(&s);
    if (is_valid(&s)) {
        outcome = begin_ask(&s, 0);
    }
    if (outcome == DONE) {
        commit(&s, taken);
        if (ret) {
            memcpy(ret, s.result, s.n_results * sizeof *ret);
            *ret_n = s.n_results;
        }
    }
    if (problem->work) {
        *problem->work += s.steps + problem->n_requests + problem->node->n;
    }
    search_fini(&s);
    return outcome == DONE     ? SKR_SEARCH_PLACED
           : outcome == NOT    ? SKR_SEARCH_NONE
           : outcome == BEYOND ? SKR_SEARCH_BEYOND
                               : SKR_SEARCH_ERROR; /* EXCEEDED by the first claim is one, too */
}
