/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the numbers of a node, plays pods on them, and keeps answers by the numbers. */
#include "core/devices/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "core/devices/answers.h"
#include "core/devices/pod_problem.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/base/table.h"

enum { STEPS_OF_A_NODE = 128 }; /* that a question costs whatever devices and requests there are */

static const char too_large[] = "the devices of a node take too much memory";
const char skr_sequence_too_long[] =
    "the search for devices of one pod takes more steps than devices.steps permits";
static const char too_long_for_all[] = "the searches for devices of all pods of a node take more "
                                       "than five times the steps that devices.steps permits";

/* A node where pending pods have their devices, and the pod that comes next. */
struct board {
    struct skr_node_rows rows;
    struct skr_devices_taken taken;
    struct skr_devices_problem p; /* points to rows */
    bool of_others;               /* what set_up() says is about pods that come first */
};

/* ---- the memo ---- */

struct memo_entry {
    UT_hash_handle hh; /* by key */
    struct skr_sequence answer;
    char key[];
};

struct skr_sequence_memo {
    struct memo_entry *entries;
};

struct skr_sequence_memo *skr_sequence_memo_create(void)
{
    return skr_alloc(sizeof(struct skr_sequence_memo));
}

size_t skr_sequence_memo_size(const struct skr_sequence_memo *memo)
{
    return HASH_COUNT(memo->entries);
}

static void memo_empty(struct skr_sequence_memo *memo)
{
    struct memo_entry *entry, *next;
    HASH_ITER(hh, memo->entries, entry, next)
    {
        HASH_DEL(memo->entries, entry);
        free(entry);
    }
}

void skr_sequence_memo_destroy(struct skr_sequence_memo *memo)
{
    if (memo) {
        memo_empty(memo);
        free(memo);
    }
}

static void key_add(struct skr_strbuf *key, const void *bytes, size_t n)
{
    skr_strbuf_addn(key, bytes, n);
}

#define KEY_ADD(key, value) key_add(key, &(value), sizeof value)

static void key_amounts(struct skr_strbuf *key, const struct skr_devices_amount *amount, size_t n)
{
    KEY_ADD(key, n);
    for (size_t i = 0; i < n; i++) {
        KEY_ADD(key, amount[i].counter);
        KEY_ADD(key, amount[i].value);
    }
}

/* All that the search reads. */
static void key_write(struct skr_strbuf *key, const struct board *b, int32_t most)
{
    const struct skr_devices_problem *p = &b->p;
    const struct skr_devices_taken *taken = &b->taken;
    const struct skr_devices_node *node = p->node;
    const uint8_t flags[] = {(uint8_t)node->version, node->partial, node->collides, p->fails};
    const size_t sizes[] = {node->n,   node->n_pools, node->n_banks,    node->n_capacities,
                            p->n_asks, p->n_requests, p->n_constraints, (size_t)most};
    KEY_ADD(key, flags);
    KEY_ADD(key, sizes);
    for (size_t i = 0; i < p->n_asks; i++) {
        const size_t ask[] = {p->ask[i].claim, p->ask[i].alternatives, p->ask[i].first,
                              p->ask[i].n};
        KEY_ADD(key, ask);
    }
    for (size_t i = 0; i < p->n_requests; i++) {
        const struct skr_devices_request *r = &p->request[i];
        const int64_t head[] = {r->all, r->admin, r->count};
        KEY_ADD(key, head);
        key_add(key, r->match, node->n);
        key_add(key, r->tainted, node->n);
        key_add(key, r->need, node->n_capacities * sizeof *r->need);
    }
    for (size_t i = 0; i < p->n_constraints; i++) {
        const struct skr_devices_constraint *c = &p->constraint[i];
        const size_t head[] = {c->claim, c->distinct};
        KEY_ADD(key, head);
        key_add(key, c->applies, p->n_requests);
        key_add(key, c->value, node->n * sizeof *c->value);
    }
    for (size_t i = 0; i < node->n_pools; i++) {
        KEY_ADD(key, node->pool[i].bank);
        key_amounts(key, node->pool[i].has, node->pool[i].n);
    }
    for (size_t i = 0; i < node->n; i++) {
        const struct skr_devices_row *r = &node->row[i];
        const size_t head[] = {r->n_uses > 0 ? r->pool : 0, r->shared, r->n_capacities};
        KEY_ADD(key, head);
        key_amounts(key, r->uses, r->n_uses);
    }
    key_add(key, node->capacity, node->n_capacities * sizeof *node->capacity);
    key_add(key, taken->whole, node->n);
    key_add(key, taken->shares, node->n * sizeof *taken->shares);
    key_add(key, taken->counted, node->n);
    key_add(key, taken->used, node->n_capacities * sizeof *taken->used);
}

static void memo_put(struct skr_sequence_memo *memo, const struct skr_hash_seed *seed,
                     const struct skr_strbuf *key, const struct skr_sequence *answer)
{
    if (key->len > SKR_MEMO_KEY_MAX) {
        return;
    }
    if (HASH_COUNT(memo->entries) >= SKR_MEMO_ENTRIES_MAX) {
        memo_empty(memo);
    }
    struct memo_entry *entry = skr_alloc(sizeof *entry + key->len);
    entry->answer = *answer;
    memcpy(entry->key, key->s, key->len);
    SKR_TABLE_ADD(seed, hh, memo->entries, entry->key, key->len, entry);
}

/* ---- sequences ---- */

static struct skr_sequence unmodelled(const char *why, enum skr_uncounted kind)
{
    return (struct skr_sequence){INT32_MAX, SKR_SEQUENCE_UNMODELLED, why,
                                 why == too_large || why == skr_sequence_too_long ||
                                         why == too_long_for_all
                                     ? SKR_UNCOUNTED_BUDGET
                                     : kind,
                                 false};
}

/* Of all searches since that count. */
static bool are_too_many(const struct skr_devices_problem *p, uint64_t began)
{
    return *p->work - began > SKR_DEVICES_PODS_STEPS * p->steps;
}

static struct skr_sequence play(struct board *b, int32_t most, skr_sequence_see *see, void *context)
{
    struct skr_sequence ret = {.end = SKR_SEQUENCE_MOST, .why = ""};
    struct skr_devices_result result[SKR_DEVICES_A_POD];
    const uint64_t began = *b->p.work;
    for (; ret.n < most; ret.n++) {
        size_t n = 0;
        const enum skr_search_outcome outcome = skr_devices_search(&b->p, &b->taken, result, &n);
        if (outcome == SKR_SEARCH_BEYOND || are_too_many(&b->p, began)) {
            return unmodelled(outcome == SKR_SEARCH_BEYOND ? skr_sequence_too_long
                                                           : too_long_for_all,
                              SKR_UNCOUNTED_BUDGET);
        }
        if (outcome != SKR_SEARCH_PLACED) {
            ret.end = outcome == SKR_SEARCH_ERROR ? SKR_SEQUENCE_ERROR : SKR_SEQUENCE_NONE;
            break;
        }
        if (see) {
            see(context, &b->rows, &b->p, result, n);
        }
    }
    return ret;
}

bool skr_pod_claims_are_equal(const struct skr_pod_claims *a, const struct skr_pod_claims *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->spec, b->spec, a->n * sizeof *a->spec) == 0);
}

/* Those that fit take devices. The reason why they cannot be placed; NULL: they can. */
static const char *play_pending(const struct skr_devices_stock *stock,
                                const struct skr_pod_claims *pending, size_t n,
                                struct skr_arena *arena, struct board *b)
{
    struct skr_devices_problem p;
    const char *why = NULL;
    const uint64_t began = stock->work->steps;
    for (size_t i = 0; i < n && !why; i++) {
        if ((i == 0 || !skr_pod_claims_are_equal(&pending[i - 1], &pending[i])) &&
            !skr_pod_problem_make(stock, &b->rows, &pending[i], arena, &p, &why)) {
            why = too_large;
        }
        b->p.uncounted = p.uncounted;
        if (!why && skr_devices_search(&p, &b->taken, NULL, NULL) == SKR_SEARCH_BEYOND) {
            why = skr_sequence_too_long;
        } else if (!why && are_too_many(&p, began)) {
            why = too_long_for_all;
        }
    }
    return why;
}

/* False: there is no memory, or no more of it. */
static bool lay_out(const struct skr_devices_stock *stock, const char *node,
                    struct skr_arena *arena, struct board *ret)
{
    return arena && skr_node_rows_make(stock, node, arena, &ret->rows) &&
           skr_node_rows_taken(stock, &ret->rows, arena, &ret->taken);
}

/* The reason why it is unmodelled; NULL: it is modelled. arena NULL: there is no memory. */
static const char *set_up(const struct skr_devices_stock *stock, const char *node,
                          const struct skr_pod_claims *pending, size_t n_pending,
                          const struct skr_pod_claims *pod, struct skr_arena *arena,
                          struct board *ret)
{
    const char *why = NULL;
    ret->p.uncounted = SKR_COUNTED;
    ret->of_others = false;
    stock->work->steps += STEPS_OF_A_NODE;
    if (skr_devices_are_later(stock)) {
        ret->p.uncounted = SKR_UNCOUNTED_BUDGET;
        return skr_devices_later;
    }
    if (!lay_out(stock, node, arena, ret) ||
        !skr_pod_problem_make(stock, &ret->rows, pod, arena, &ret->p, &why)) {
        return too_large;
    }
    ret->of_others = !why;
    return why ? why : play_pending(stock, pending, n_pending, arena, ret);
}

/* By the memo, if there is one. */
static struct skr_sequence count(const struct skr_devices_stock *stock, struct board *b,
                                 int32_t most, struct skr_sequence_memo *memo)
{
    SKR_STRBUF(key);
    const struct memo_entry *known = NULL;
    if (!memo) {
        return play(b, most, NULL, NULL);
    }
    key_write(&key, b, most);
    SKR_TABLE_FIND(&stock->seed, hh, memo->entries, key.s, key.len, known);
    if (known) {
        return known->answer;
    }
    const struct skr_sequence ret = play(b, most, NULL, NULL);
    memo_put(memo, &stock->seed, &key, &ret);
    return ret;
}

/* The first one takes its devices, and the others come after it. */
static struct skr_sequence count_from(const struct skr_devices_stock *stock, struct board *b,
                                      const struct skr_pod_claims *first, struct skr_arena *arena,
                                      int32_t most, struct skr_sequence_memo *memo)
{
    const struct skr_devices_problem others = b->p;
    const char *why = NULL;
    if (!first || most == 0) {
        return count(stock, b, most, memo);
    }
    if (!skr_pod_problem_make(stock, &b->rows, first, arena, &b->p, &why) || why) {
        return unmodelled(why ? why : too_large, b->p.uncounted);
    }
    struct skr_sequence ret = play(b, 1, NULL, NULL);
    if (ret.end == SKR_SEQUENCE_MOST) {
        b->p = others;
        ret = count(stock, b, most - 1, memo);
        ret.n += ret.end != SKR_SEQUENCE_UNMODELLED;
    }
    return ret;
}

struct skr_sequence skr_sequence_count(const struct skr_devices_stock *stock, const char *node,
                                       const struct skr_pod_claims *pending, size_t n_pending,
                                       const struct skr_pod_claims *first,
                                       const struct skr_pod_claims *pod, int32_t most,
                                       struct skr_sequence_memo *memo)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    const char *why = set_up(stock, node, pending, n_pending, pod, arena, &b);
    struct skr_sequence ret = unmodelled(why, b.p.uncounted);
    ret.of_others = b.of_others;
    return why ? ret : count_from(stock, &b, first, arena, most, memo);
}

static void take_nothing(struct board *b)
{
    const struct skr_devices_node *rows = &b->rows.node;
    memset(b->taken.whole, 0, rows->n * sizeof *b->taken.whole);
    memset(b->taken.shares, 0, rows->n * sizeof *b->taken.shares);
    memset(b->taken.counted, 0, rows->n * sizeof *b->taken.counted);
    memset(b->taken.used, 0, rows->n_capacities * sizeof *b->taken.used);
}

struct skr_sequence skr_sequence_ever(const struct skr_devices_stock *stock, const char *node,
                                      const struct skr_pod_claims *first,
                                      const struct skr_pod_claims *pod, int32_t most,
                                      struct skr_sequence_memo *memo)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    const char *why = set_up(stock, node, NULL, 0, pod, arena, &b);
    if (why) {
        return unmodelled(why, b.p.uncounted);
    }
    take_nothing(&b);
    return count_from(stock, &b, first, arena, most, memo);
}

/* Equal pods, one after the other. */
struct turn {
    struct skr_devices_problem p;
    int32_t n;
};

/* The reason why they are unmodelled; NULL: they are modelled. ret has room for all pods. */
static const char *make_turns(const struct skr_devices_stock *stock, const struct board *b,
                              const struct skr_pod_claims *pod, size_t n, struct skr_arena *arena,
                              struct turn *ret, size_t *ret_n)
{
    const char *why = NULL;
    for (size_t i = 0; i < n && !why; i++) {
        if (i > 0 && skr_pod_claims_are_equal(&pod[i - 1], &pod[i])) {
            ret[*ret_n - 1].n++;
        } else if (!skr_pod_problem_make(stock, &b->rows, &pod[i], arena, &ret[*ret_n].p, &why)) {
            why = too_large;
        } else {
            ret[(*ret_n)++].n = 1;
        }
    }
    return why;
}

static struct skr_sequence play_turns(struct board *b, const struct turn *turn, size_t n)
{
    struct skr_sequence ret = {.end = SKR_SEQUENCE_MOST, .why = ""};
    for (size_t i = 0; i < n && ret.end == SKR_SEQUENCE_MOST; i++) {
        b->p = turn[i].p;
        const struct skr_sequence one = play(b, turn[i].n, NULL, NULL);
        if (one.end == SKR_SEQUENCE_UNMODELLED) {
            return one;
        }
        ret.n += one.n;
        ret.end = one.end;
    }
    return ret;
}

struct skr_sequence skr_sequence_serve(const struct skr_devices_stock *stock, const char *node,
                                       const struct skr_pod_claims *pod, size_t n,
                                       struct skr_sequence_memo *memo)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    SKR_AUTO_FREE struct turn *turn = skr_alloc_array(n + 1, sizeof *turn);
    SKR_STRBUF(key);
    struct board b;
    size_t n_turns = 0;
    const char *why = skr_devices_are_later(stock) ? skr_devices_later
                      : !lay_out(stock, node, arena, &b)
                          ? too_large
                          : make_turns(stock, &b, pod, n, arena, turn, &n_turns);
    if (why) {
        return unmodelled(why, turn[n_turns].p.uncounted);
    }
    for (size_t i = 0; i < n_turns; i++) {
        b.p = turn[i].p;
        key_write(&key, &b, turn[i].n);
    }
    const struct memo_entry *known = NULL;
    SKR_TABLE_FIND(&stock->seed, hh, memo->entries, key.s, key.len, known);
    if (known) {
        return known->answer;
    }
    const struct skr_sequence ret = play_turns(&b, turn, n_turns);
    memo_put(memo, &stock->seed, &key, &ret);
    return ret;
}

struct skr_sequence skr_sequence_play(const struct skr_devices_stock *stock, const char *node,
                                      const struct skr_pod_claims *pod, int32_t most,
                                      skr_sequence_see *see, void *context)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    const char *why = set_up(stock, node, NULL, 0, pod, arena, &b);
    return why ? unmodelled(why, b.p.uncounted) : play(&b, most, see, context);
}

/* ---- pods that are in each other's way ---- */

static bool may_serve(const struct skr_devices_problem *p, size_t row)
{
    size_t i = 0;
    while (i < p->n_requests && p->request[i].match[row] == SKR_DEVICES_NO) {
        i++;
    }
    return i < p->n_requests;
}

bool skr_sequence_interferes(const struct skr_devices_stock *stock, const char *node,
                             const struct skr_pod_claims *a, const struct skr_pod_claims *b)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct skr_devices_problem of_a, of_b;
    struct board board;
    const char *why = NULL;
    if (!lay_out(stock, node, arena, &board) ||
        !skr_pod_problem_make(stock, &board.rows, a, arena, &of_a, &why) || why ||
        !skr_pod_problem_make(stock, &board.rows, b, arena, &of_b, &why) || why) {
        return false;
    }
    const struct skr_devices_node *rows = &board.rows.node;
    SKR_AUTO_FREE uint8_t *counts = skr_alloc(rows->n_pools + 1); /* for a: 1, for b: 2 */
    bool found = false;
    for (size_t row = 0; row < rows->n && !found; row++) {
        const int serves = may_serve(&of_a, row) + 2 * may_serve(&of_b, row);
        uint8_t *pool = &counts[rows->row[row].n_uses > 0 ? rows->row[row].pool : rows->n_pools];
        *pool |= rows->row[row].n_uses > 0 ? (uint8_t)serves : 0;
        found = serves == 3 || *pool == 3;
    }
    return found;
}

/* ---- what is free ---- */

/* Of a shared device: whether what the request consumes is left. */
static bool is_free(const struct board *b, const struct skr_devices_request *request, size_t at)
{
    const struct skr_devices_row *row = &b->rows.node.row[at];
    bool free_ = !b->taken.whole[at];
    for (size_t k = row->first_capacity;
         free_ && row->shared && k < row->first_capacity + row->n_capacities; k++) {
        free_ = b->taken.used[k] + request->need[k] <= b->rows.node.capacity[k];
    }
    return free_;
}

static struct skr_sequence_stand stand_of(const struct board *b,
                                          const struct skr_devices_request *request)
{
    struct skr_sequence_stand ret = {0};
    for (size_t row = 0; row < b->rows.node.n; row++) {
        const bool matches = request->match[row] == SKR_DEVICES_YES;
        ret.fails += request->match[row] == SKR_DEVICES_FAILS;
        ret.tainted += matches && request->tainted[row];
        if (matches && !request->tainted[row]) {
            ret.all++;
            ret.free += is_free(b, request, row);
        }
    }
    return ret;
}

void skr_sequence_free(const struct skr_devices_stock *stock, const char *node,
                       const struct skr_pod_claims *pending, size_t n_pending,
                       const struct skr_pod_claims *pod,
                       struct skr_sequence_stand ret[SKR_STAND_CLAIMS][SKR_STAND_REQUESTS])
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    const bool known = !set_up(stock, node, pending, n_pending, pod, arena, &b);
    size_t request = 0;
    memset(ret, 0, SKR_STAND_CLAIMS * sizeof *ret);
    for (size_t i = 0; known && i < pod->n && i < SKR_STAND_CLAIMS; i++) {
        for (size_t k = 0; k < pod->spec[i]->n_requests && k < SKR_STAND_REQUESTS; k++) {
            ret[i][k] = stand_of(&b, &b.p.request[request + k]);
        }
        request += pod->spec[i]->n_requests;
    }
}

int32_t skr_sequence_devices(const struct skr_devices_stock *stock, const char *node,
                             const struct skr_pod_claims *pending, size_t n_pending,
                             const struct skr_pod_claims *pods, bool ever, bool *ret_later)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    int32_t n = 0;
    const char *why = set_up(stock, node, pending, n_pending, pods, arena, &b);
    *ret_later = why == skr_devices_later;
    if (why) {
        return INT32_MAX;
    }
    if (ever) {
        take_nothing(&b);
    }
    for (size_t row = 0; row < b.rows.node.n; row++) {
        const bool serves = may_serve(&b.p, row);
        if (serves && b.rows.node.row[row].shared) {
            return INT32_MAX;
        }
        n += serves && !b.taken.whole[row];
    }
    return n;
}

/* ---- another order ---- */

/* Grows with the requests of the pod that the device may serve, then with the counters that it uses. */
static size_t worth_of(const struct board *b, size_t row)
{
    size_t n = 0;
    for (size_t i = 0; i < b->p.n_requests; i++) {
        n += b->p.request[i].match[row] == SKR_DEVICES_YES;
    }
    return n * (SKR_SLICE_USES_MAX + 1) + b->rows.node.row[row].n_uses;
}

/* order: [row] the row that comes in its place. */
static void order_rows(const struct board *b, uint32_t *order)
{
    for (uint32_t row = 0; row < b->rows.node.n; row++) {
        const size_t n = worth_of(b, row);
        uint32_t at = row;
        for (; at > 0 && worth_of(b, order[at - 1]) > n; at--) {
            order[at] = order[at - 1];
        }
        order[at] = row;
    }
}

/* Items of [row] in that order. NULL: the arena is full. */
static void *move_rows(const struct board *b, const uint32_t *order, const void *from, size_t size,
                       struct skr_arena *arena)
{
    char *to = skr_arena_array(arena, b->rows.node.n + 1, size);
    for (size_t row = 0; to && row < b->rows.node.n; row++) {
        memcpy(to + row * size, (const char *)from + order[row] * size, size);
    }
    return to;
}

/* Rows of the board, and of its problem, come in that order. Equal ones are not known any more. */
static bool reorder(struct board *b, const uint32_t *order, struct skr_arena *arena)
{
    struct skr_devices_request *request =
        skr_arena_array(arena, b->p.n_requests + 1, sizeof *request);
    struct skr_devices_constraint *constraint =
        skr_arena_array(arena, b->p.n_constraints + 1, sizeof *constraint);
    uint32_t *before = skr_arena_array(arena, b->rows.node.n + 1, sizeof *before);
    bool room = request && constraint && before;
    for (size_t i = 0; room && i < b->p.n_requests; i++) {
        request[i] = b->p.request[i];
        request[i].match = move_rows(b, order, request[i].match, 1, arena);
        request[i].tainted = move_rows(b, order, request[i].tainted, 1, arena);
        room = request[i].match && request[i].tainted;
    }
    for (size_t i = 0; room && i < b->p.n_constraints; i++) {
        constraint[i] = b->p.constraint[i];
        constraint[i].value = move_rows(b, order, constraint[i].value, sizeof(uint32_t), arena);
        room = constraint[i].value;
    }
    if (!room) {
        return false;
    }
    memset(before, 0xff, b->rows.node.n * sizeof *before);
    b->taken.whole = move_rows(b, order, b->taken.whole, 1, arena);
    b->taken.shares = move_rows(b, order, b->taken.shares, sizeof(uint32_t), arena);
    b->taken.counted = move_rows(b, order, b->taken.counted, 1, arena);
    b->rows.node.row = move_rows(b, order, b->rows.node.row, sizeof *b->rows.node.row, arena);
    b->p.request = request;
    b->p.constraint = constraint;
    b->p.before = before;
    return b->taken.whole && b->taken.shares && b->taken.counted && b->rows.node.row;
}

int32_t skr_sequence_scarce_last(const struct skr_devices_stock *stock, const char *node,
                                 const struct skr_pod_claims *pending, size_t n_pending,
                                 const struct skr_pod_claims *pod, int32_t most)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    struct board b;
    if (set_up(stock, node, pending, n_pending, pod, arena, &b)) {
        return 0;
    }
    SKR_AUTO_FREE uint32_t *order = skr_alloc_array(b.rows.node.n + 1, sizeof *order);
    order_rows(&b, order);
    if (!reorder(&b, order, arena)) {
        return 0;
    }
    const struct skr_sequence ret = play(&b, most, NULL, NULL);
    return ret.end == SKR_SEQUENCE_UNMODELLED ? 0 : ret.n;
}
