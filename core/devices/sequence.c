/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the numbers of a node, plays pods on them, and keeps answers by the numbers. */
#include "core/devices/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "core/devices/pod_problem.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

/* ---- the memo ---- */

struct memo_entry {
    UT_hash_handle hh; /* by key */
    struct skr_sequence answer;
    size_t n;
    char key[];
};

struct skr_sequence_memo {
    struct memo_entry *entries;
};

struct skr_sequence_memo *skr_sequence_memo_create(void)
{
    return skr_alloc(sizeof(struct skr_sequence_memo));
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
static void key_write(struct skr_strbuf *key, const struct skr_devices_problem *p,
                      const struct skr_devices_taken *taken, int32_t most)
{
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

static const struct memo_entry *memo_find(const struct skr_sequence_memo *memo,
                                          const struct skr_strbuf *key)
{
    struct memo_entry *entry = NULL;
    HASH_FIND(hh, memo->entries, key->s, key->len, entry);
    return entry;
}

static void memo_put(struct skr_sequence_memo *memo, const struct skr_strbuf *key,
                     const struct skr_sequence *answer)
{
    if (key->len > SKR_MEMO_KEY_MAX) {
        return;
    }
    if (HASH_COUNT(memo->entries) >= SKR_MEMO_ENTRIES_MAX) {
        memo_empty(memo);
    }
    struct memo_entry *entry = skr_alloc(sizeof *entry + key->len);
    entry->answer = *answer;
    entry->n = key->len;
    memcpy(entry->key, key->s, key->len);
    HASH_ADD_KEYPTR(hh, memo->entries, entry->key, entry->n, entry);
}

/* ---- sequences ---- */

static struct skr_sequence unmodelled(const char *why)
{
    return (struct skr_sequence){INT32_MAX, SKR_SEQUENCE_UNMODELLED, why};
}

static struct skr_sequence play(const struct skr_devices_problem *p,
                                struct skr_devices_taken *taken, int32_t most,
                                const struct skr_node_rows *rows, skr_sequence_see *see,
                                void *context)
{
    struct skr_sequence ret = {.end = SKR_SEQUENCE_MOST, .why = ""};
    struct skr_devices_result result[SKR_DEVICES_A_POD];
    for (; ret.n < most; ret.n++) {
        size_t n = 0;
        const enum skr_search_outcome outcome = skr_devices_search(p, taken, result, &n);
        if (outcome == SKR_SEARCH_BEYOND) {
            return unmodelled("the search for devices of one pod takes more than 100000 steps");
        }
        if (outcome != SKR_SEARCH_PLACED) {
            ret.end = outcome == SKR_SEARCH_ERROR ? SKR_SEQUENCE_ERROR : SKR_SEQUENCE_NONE;
            break;
        }
        if (see) {
            see(context, ret.n, rows, result, n);
        }
    }
    return ret;
}

static bool same_claims(const struct skr_pod_claims *a, const struct skr_pod_claims *b)
{
    return a->n == b->n && memcmp(a->spec, b->spec, a->n * sizeof *a->spec) == 0;
}

/* Those that fit take devices. The reason why they cannot be placed; NULL: they can. */
static const char *play_pending(const struct skr_devices_stock *stock,
                                const struct skr_node_rows *rows,
                                const struct skr_pod_claims *pending, size_t n,
                                struct skr_arena *arena, struct skr_devices_taken *taken)
{
    struct skr_devices_problem p;
    const char *why = NULL;
    for (size_t i = 0; i < n && !why; i++) {
        if ((i == 0 || !same_claims(&pending[i - 1], &pending[i])) &&
            !skr_pod_problem_make(stock, rows, &pending[i], arena, &p, &why)) {
            why = "the devices of a node take too much memory";
        }
        if (!why && skr_devices_search(&p, taken, NULL, NULL) == SKR_SEARCH_BEYOND) {
            why = "the search for devices of one pod takes more than 100000 steps";
        }
    }
    return why;
}

static struct skr_sequence count_in(const struct skr_devices_stock *stock, const char *node,
                                    const struct skr_pod_claims *pending, size_t n_pending,
                                    const struct skr_pod_claims *pod, int32_t most,
                                    struct skr_sequence_memo *memo, struct skr_arena *arena,
                                    skr_sequence_see *see, void *context)
{
    static const char large[] = "the devices of a node take too much memory";
    struct skr_node_rows rows;
    struct skr_devices_taken taken;
    struct skr_devices_problem p;
    const char *why = NULL;
    if (!arena || !skr_node_rows_make(stock, node, arena, &rows) ||
        !skr_node_rows_taken(stock, &rows, arena, &taken) ||
        !skr_pod_problem_make(stock, &rows, pod, arena, &p, &why)) {
        return unmodelled(large);
    }
    why = why ? why : play_pending(stock, &rows, pending, n_pending, arena, &taken);
    if (why) {
        return unmodelled(why);
    }
    SKR_STRBUF(key);
    const struct memo_entry *known = NULL;
    if (memo) {
        key_write(&key, &p, &taken, most);
        known = memo_find(memo, &key);
    }
    if (known) {
        return known->answer;
    }
    const struct skr_sequence ret = play(&p, &taken, most, &rows, see, context);
    if (memo) {
        memo_put(memo, &key, &ret);
    }
    return ret;
}

struct skr_sequence skr_sequence_count(const struct skr_devices_stock *stock, const char *node,
                                       const struct skr_pod_claims *pending, size_t n_pending,
                                       const struct skr_pod_claims *pod, int32_t most,
                                       struct skr_sequence_memo *memo)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    return count_in(stock, node, pending, n_pending, pod, most, memo, arena, NULL, NULL);
}

struct skr_sequence skr_sequence_play(const struct skr_devices_stock *stock, const char *node,
                                      const struct skr_pod_claims *pod, int32_t most,
                                      skr_sequence_see *see, void *context)
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    return count_in(stock, node, NULL, 0, pod, most, NULL, arena, see, context);
}

/* Of a shared device: whether what the request consumes is left. */
static bool is_free(const struct skr_devices_request *request, const struct skr_devices_row *row,
                    const struct skr_devices_taken *taken, const skr_int128 *capacity, size_t at)
{
    bool free_ = !taken->whole[at];
    for (size_t k = row->first_capacity;
         free_ && row->shared && k < row->first_capacity + row->n_capacities; k++) {
        free_ = taken->used[k] + request->need[k] <= capacity[k];
    }
    return free_;
}

void skr_sequence_free(const struct skr_devices_stock *stock, const char *node,
                       const struct skr_pod_claims *pending, size_t n_pending,
                       const struct skr_claim_spec *spec,
                       struct skr_sequence_stand ret[SKR_STAND_REQUESTS])
{
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096);
    const struct skr_pod_claims claims = {1, &spec};
    struct skr_node_rows rows;
    struct skr_devices_taken taken;
    struct skr_devices_problem p;
    const char *why = NULL;
    memset(ret, 0, SKR_STAND_REQUESTS * sizeof *ret);
    if (!arena || !skr_node_rows_make(stock, node, arena, &rows) ||
        !skr_node_rows_taken(stock, &rows, arena, &taken) ||
        !skr_pod_problem_make(stock, &rows, &claims, arena, &p, &why) || why ||
        play_pending(stock, &rows, pending, n_pending, arena, &taken)) {
        return;
    }
    for (size_t i = 0; i < p.n_requests && i < SKR_STAND_REQUESTS; i++) {
        const struct skr_devices_request *request = &p.request[i];
        for (size_t row = 0; row < p.node->n; row++) {
            const bool matches = request->match[row] == SKR_DEVICES_YES && !request->tainted[row];
            ret[i].all += matches;
            ret[i].free +=
                matches && is_free(request, &p.node->row[row], &taken, p.node->capacity, row);
        }
    }
}
