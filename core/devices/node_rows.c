/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a node by pool, sorted; then rows, counters and capacities. */
#include "core/devices/node_rows.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A pool with devices on the node. */
struct pool {
    const struct skr_stock_pool *pool;
    struct skr_stock_slice **slice;
    size_t n, n_here; /* the first ones are those that the node reaches */
    int64_t generation;
    bool binds;
};

struct making {
    const struct skr_devices_stock *stock;
    const char *node;
    struct skr_stock_slice **slice; /* those that it reaches */
    size_t n_slices, cap_slices;
    struct skr_arena *arena;
    struct skr_node_rows *rows;
    struct pool *pool;
    size_t n_pools;
    bool full;
    /* for the node */
    struct skr_devices_pool *counted;
    struct skr_devices_row *row;
    struct skr_node_row *at;
    skr_int128 *capacity;
    const char **bank;
};

static void *room(struct making *m, size_t n, size_t size)
{
    void *memory = skr_arena_array(m->arena, n + 1, size);
    m->full = m->full || !memory;
    return memory;
}

/* ---- pools ---- */

static struct pool *pool_of(struct making *m, const struct skr_stock_pool *stock_pool)
{
    const struct skr_stock_slice *s;
    size_t n = 0;
    for (size_t i = 0; i < m->n_pools; i++) {
        if (m->pool[i].pool == stock_pool) {
            return &m->pool[i];
        }
    }
    DL_COUNT2(stock_pool->slices, s, n, pnext);
    struct pool *pool = &m->pool[m->n_pools++];
    pool->pool = stock_pool;
    pool->slice = room(m, n, sizeof(struct skr_stock_slice *));
    return pool->slice ? pool : NULL;
}

/* Older generations are left out. */
static void add_slice(struct pool *pool, struct skr_stock_slice *s)
{
    const int64_t generation = s->slice->generation;
    if (pool->n > 0 && generation < pool->generation) {
        return;
    }
    if (pool->n > 0 && generation > pool->generation) {
        pool->n = 0;
    }
    pool->generation = generation;
    pool->slice[pool->n++] = s;
}

/* judged: whether the node reaches each of them is to be looked up. */
static void list_slices(struct making *m, struct skr_stock_slice *slices, bool judged)
{
    struct skr_stock_slice *s;
    DL_FOREACH2(slices, s, nnext)
    {
        if (!judged || skr_stock_reaches(m->stock, s, m->node)) {
            skr_grow(&m->slice, &m->cap_slices, m->n_slices + 1, sizeof *m->slice);
            m->slice[m->n_slices++] = s;
        }
    }
}

/* 1.36 takes those with counters wherever they are. */
static void add_counters(struct making *m, struct pool *pool)
{
    struct skr_stock_slice *s;
    DL_FOREACH2(m->stock->version == SKR_DEVICES_1_36 ? pool->pool->slices : NULL, s, pnext)
    {
        if (s->slice->n_counters > 0 && !skr_stock_reaches(m->stock, s, m->node)) {
            add_slice(pool, s);
        }
    }
}

static void gather(struct making *m)
{
    const struct skr_stock_node *node = skr_devices_stock_node(m->stock, m->node);
    list_slices(m, node ? node->slices : NULL, false);
    list_slices(m, m->stock->everywhere, false);
    list_slices(m, m->stock->elsewhere, true);
    m->pool = room(m, m->n_slices, sizeof *m->pool);
    for (size_t i = 0; !m->full && i < m->n_slices; i++) {
        struct pool *pool = pool_of(m, m->slice[i]->pool);
        if (pool) {
            add_slice(pool, m->slice[i]);
        }
    }
    for (size_t i = 0; !m->full && i < m->n_pools; i++) {
        add_counters(m, &m->pool[i]);
    }
    free(m->slice);
}

enum standing { STANDS, OBSOLETE, INCOMPLETE };

/* The pool's own slices are sorted: if they disagree about their number, the first one counts. Those of other nodes
 * are looked at only if some are missing. *ret_elsewhere: they complete it. */
static enum standing standing_of(const struct pool *pool, bool *ret_elsewhere)
{
    const struct skr_stock_slice *s;
    const int64_t wanted = pool->slice[0]->slice->n_slices;
    int64_t n = 0;
    DL_FOREACH2((int64_t)pool->n == wanted ? NULL : pool->pool->slices, s, pnext)
    {
        if (s->slice->generation > pool->generation) {
            return OBSOLETE;
        }
        n += s->slice->generation == pool->generation;
    }
    *ret_elsewhere = n > 0;
    return n == 0 || n == wanted ? STANDS : INCOMPLETE;
}

static int by_slice(const void *a, const void *b)
{
    struct skr_stock_slice *const *x = a, *const *y = b;
    return strcmp((*x)->slice->meta.name, (*y)->slice->meta.name);
}

static int by_pool(const void *a, const void *b)
{
    const struct pool *x = a, *y = b;
    if (x->binds != y->binds) {
        return x->binds ? 1 : -1;
    }
    const struct skr_device_slice *s = x->slice[0]->slice, *t = y->slice[0]->slice;
    const int order = strcmp(s->driver, t->driver);
    return order != 0 ? order : strcmp(s->pool, t->pool);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Counters in an order in which devices name theirs, mostly. */
struct counters {
    const struct skr_device_counter **of;
    uint32_t *bank; /* of each */
    size_t n, at;   /* at: where a search begins */
    size_t first;   /* where the first one of the last device was */
};

/* Few names begin alike. */
static bool is_counter(const struct skr_device_counter *a, const struct skr_device_counter *b)
{
    return *a->name == *b->name && strcmp(a->name, b->name) == 0 && strcmp(a->set, b->set) == 0;
}

/* Of a bank the counter that a device uses, its u-th one; UINT32_MAX: there is none. */
static uint32_t find_counter(struct counters *c, uint32_t bank, size_t u,
                             const struct skr_device_counter *wanted)
{
    c->at = u == 0 ? c->first : c->at;
    for (size_t k = 0; k < c->n; k++) {
        const size_t i = c->at < c->n ? c->at : 0;
        c->at = i + 1;
        if (c->bank[i] == bank && is_counter(c->of[i], wanted)) {
            c->first = u == 0 ? i : c->first;
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

static void add_counter(struct counters *c, const struct skr_device_counter *counter, uint32_t bank)
{
    c->of[c->n] = counter;
    c->bank[c->n++] = bank;
}

/* Two texts are equal. Sorts them. */
static bool has_twice(const char **text, size_t n)
{
    bool twice = false;
    if (n > 0) {
        qsort(text, n, sizeof *text, by_text);
    }
    for (size_t i = 1; !twice && i < n; i++) {
        twice = strcmp(text[i - 1], text[i]) == 0;
    }
    return twice;
}

static struct counters counters_room(struct making *m, size_t n)
{
    return (struct counters){.of = room(m, n, sizeof(const struct skr_device_counter *)),
                             .bank = room(m, n, sizeof(uint32_t))};
}

/* Two devices of one name, a set of counters in two places, or a counter that is not there. */
static bool is_invalid(struct making *m, const struct pool *pool)
{
    size_t n = 0, n_sets = 0;
    for (size_t i = 0; i < pool->n; i++) {
        n += pool->slice[i]->slice->n_devices;
        n_sets += pool->slice[i]->slice->n_counters;
    }
    const char **name = room(m, n, sizeof *name), **set = room(m, n_sets, sizeof *set);
    struct counters counters = counters_room(m, n_sets);
    bool invalid = false;
    n = n_sets = 0;
    for (size_t i = 0; counters.of && i < pool->n; i++) {
        const struct skr_device_slice *slice = pool->slice[i]->slice;
        for (size_t k = 0; k < slice->n_counters; k++) {
            add_counter(&counters, &slice->counter[k], 0);
        }
    }
    for (size_t i = 0; !m->full && i < pool->n; i++) {
        const struct skr_device_slice *slice = pool->slice[i]->slice;
        for (size_t k = 0; k < slice->n_devices; k++) {
            if (i < pool->n_here) {
                name[n++] = slice->device[k].name;
            }
            for (size_t u = 0; !invalid && u < slice->device[k].kind->n_counters; u++) {
                const struct skr_device_counter counter = skr_device_counter(&slice->device[k], u);
                invalid = find_counter(&counters, 0, u, &counter) == UINT32_MAX;
            }
        }
        for (size_t k = 0; k < slice->n_counters; k++) {
            if (k == 0 || slice->counter[k - 1].set != slice->counter[k].set) {
                set[n_sets++] = slice->counter[k].set;
            }
        }
    }
    return invalid || has_twice(name, n) || has_twice(set, n_sets);
}

static bool uses_counters(const struct skr_device_slice *slice)
{
    bool uses = slice->n_counters > 0;
    for (size_t k = 0; !uses && k < slice->n_devices; k++) {
        uses = slice->device[k].kind->n_counters > 0;
    }
    return uses;
}

/* Slices that the node does not reach, if the pool has counters: what is taken of their devices counts. */
static void add_away(struct making *m, struct pool *pool)
{
    struct skr_stock_slice *s;
    size_t n = 0;
    bool uses = false;
    DL_FOREACH2(pool->pool->slices, s, pnext)
    {
        n++;
        uses = uses || (s->slice->generation == pool->generation && uses_counters(s->slice));
    }
    struct skr_stock_slice **all = uses ? room(m, n, sizeof(struct skr_stock_slice *)) : NULL;
    if (!all) {
        return;
    }
    memcpy(all, pool->slice, pool->n * sizeof(struct skr_stock_slice *));
    DL_FOREACH2(pool->pool->slices, s, pnext)
    {
        const bool is_there = m->stock->version == SKR_DEVICES_1_36 && s->slice->n_counters > 0;
        if (s->slice->generation == pool->generation && !is_there &&
            !skr_stock_reaches(m->stock, s, m->node)) {
            all[pool->n++] = s;
        }
    }
    pool->slice = all;
}

static bool has_too_many_counters(const struct pool *pool)
{
    size_t n = 0;
    for (size_t i = 0; i < pool->n; i++) {
        n += pool->slice[i]->slice->n_counters;
    }
    return n > SKR_POOL_COUNTERS_MAX;
}

static void unmodelled(struct making *m, const char *why, enum skr_uncounted kind)
{
    m->rows->why = why;
    m->rows->uncounted = kind;
}

static void look_at_devices(struct making *m, struct pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        const struct skr_device_slice *slice = pool->slice[i]->slice;
        for (size_t k = 0; k < slice->n_devices; k++) {
            pool->binds = pool->binds || (slice->device[k].kind->binds && slice->n_counters == 0);
            if (slice->device[k].kind->groups) {
                unmodelled(m, "its devices have compatibility groups", SKR_UNCOUNTED_FEATURE);
            }
        }
    }
}

/* Leaves out pools that do not count; the rest in order. */
static void choose_pools(struct making *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->n_pools; i++) {
        struct pool *pool = &m->pool[i];
        bool elsewhere = false;
        qsort(pool->slice, pool->n, sizeof(struct skr_stock_slice *), by_slice);
        const enum standing standing = standing_of(pool, &elsewhere);
        if (standing == OBSOLETE) {
            continue;
        }
        look_at_devices(m, pool);
        pool->n_here = pool->n;
        if (standing == STANDS && elsewhere) {
            add_away(m, pool);
        }
        if (standing == STANDS && has_too_many_counters(pool)) {
            unmodelled(m, "a pool has more than 10,000 counters", SKR_UNCOUNTED_BUDGET);
        }
        if (standing == INCOMPLETE || (!m->rows->why && is_invalid(m, pool))) {
            m->rows->node.partial = true;
            continue;
        }
        m->pool[kept++] = *pool;
    }
    m->n_pools = kept;
    if (kept > 0) {
        qsort(m->pool, kept, sizeof *m->pool, by_pool);
    }
}

/* ---- numbers ---- */

/* The bank of the pool's counters: of its name in 1.36, its own from 1.37 on. */
static uint32_t bank_of(struct making *m, const struct pool *pool)
{
    const char *name = pool->slice[0]->slice->pool;
    size_t i = 0;
    while (m->stock->version == SKR_DEVICES_1_36 && i < m->rows->node.n_banks &&
           strcmp(m->bank[i], name) != 0) {
        i++;
    }
    if (m->stock->version != SKR_DEVICES_1_36 || i == m->rows->node.n_banks) {
        i = m->rows->node.n_banks++;
        m->bank[i] = name;
    } else {
        m->rows->node.collides = true;
    }
    return (uint32_t)i;
}

struct sizes {
    size_t devices, capacities, counters;
};

static struct sizes count(const struct making *m)
{
    struct sizes ret = {0};
    for (size_t i = 0; i < m->n_pools; i++) {
        for (size_t k = 0; k < m->pool[i].n; k++) {
            const struct skr_device_slice *slice = m->pool[i].slice[k]->slice;
            ret.devices += slice->n_counters > 0 ? 0 : slice->n_devices;
            ret.counters += slice->n_counters;
            for (size_t d = 0; d < slice->n_devices; d++) {
                const struct skr_device_kind *kind = slice->device[d].kind;
                ret.capacities += kind->shared ? kind->n_capacities : 0;
            }
        }
    }
    return ret;
}

/* Counters of all banks have numbers of their own; those of a new bank are new. */
static void number_counters(struct making *m, const struct pool *pool, struct counters *numbers,
                            struct skr_devices_pool *ret)
{
    size_t n = 0;
    for (size_t k = 0; k < pool->n; k++) {
        n += pool->slice[k]->slice->n_counters;
    }
    if (n == 0) {
        return;
    }
    struct skr_devices_amount *has = room(m, n, sizeof *has);
    const size_t banks = m->rows->node.n_banks;
    ret->bank = bank_of(m, pool);
    ret->has = has;
    for (size_t k = 0; has && k < pool->n; k++) {
        const struct skr_device_slice *slice = pool->slice[k]->slice;
        for (size_t c = 0; c < slice->n_counters; c++) {
            uint32_t number = ret->bank == banks
                                  ? UINT32_MAX
                                  : find_counter(numbers, ret->bank, 0, &slice->counter[c]);
            if (number == UINT32_MAX) {
                number = (uint32_t)numbers->n;
                add_counter(numbers, &slice->counter[c], ret->bank);
            }
            has[ret->n++] = (struct skr_devices_amount){number, slice->counter[c].value};
        }
    }
}

static void number_device(struct making *m, const struct skr_device *device, uint32_t pool,
                          struct counters *numbers, struct skr_devices_row *row)
{
    struct skr_devices_node *node = &m->rows->node;
    const struct skr_device_kind *kind = device->kind;
    struct skr_devices_amount *uses =
        kind->n_counters > 0 ? room(m, kind->n_counters, sizeof *uses) : NULL;
    row->pool = pool;
    row->shared = kind->shared;
    row->uses = uses;
    for (size_t i = 0; uses && i < kind->n_counters; i++) {
        const struct skr_device_counter counter = skr_device_counter(device, i);
        uses[row->n_uses++] = (struct skr_devices_amount){
            find_counter(numbers, m->counted[pool].bank, i, &counter), counter.value};
    }
    row->first_capacity = node->n_capacities;
    for (size_t i = 0; kind->shared && i < kind->n_capacities; i++) {
        m->capacity[node->n_capacities++] = kind->capacity[i].value;
        row->n_capacities++;
    }
}

static void number(struct making *m)
{
    const struct sizes sizes = count(m);
    struct skr_devices_node *node = &m->rows->node;
    m->counted = room(m, m->n_pools, sizeof *m->counted);
    m->bank = room(m, m->n_pools, sizeof *m->bank);
    struct counters numbers = counters_room(m, sizes.counters);
    m->row = room(m, sizes.devices, sizeof *m->row);
    m->at = room(m, sizes.devices, sizeof *m->at);
    m->capacity = room(m, sizes.capacities, sizeof *m->capacity);
    for (size_t i = 0; !m->full && i < m->n_pools; i++) {
        number_counters(m, &m->pool[i], &numbers, &m->counted[i]);
    }
    node->n_counters = numbers.n;
    for (size_t i = 0; !m->full && i < m->n_pools; i++) {
        for (size_t k = 0; k < m->pool[i].n; k++) {
            struct skr_stock_slice *s = m->pool[i].slice[k];
            for (size_t d = 0; s->slice->n_counters == 0 && d < s->slice->n_devices; d++) {
                m->at[node->n] = (struct skr_node_row){
                    s, d, k >= m->pool[i].n_here,
                    s->of_device && !skr_stock_reaches_device(m->stock, s, d, m->node)};
                number_device(m, &s->slice->device[d], (uint32_t)i, &numbers, &m->row[node->n++]);
            }
        }
    }
    node->n_pools = m->n_pools;
    node->pool = m->counted;
    node->row = m->row;
    node->capacity = m->capacity;
    m->rows->row = m->at;
}

bool skr_node_rows_make(const struct skr_devices_stock *stock, const char *node,
                        struct skr_arena *arena, struct skr_node_rows *ret)
{
    struct making m = {.stock = stock, .node = node, .arena = arena, .rows = ret};
    *ret = (struct skr_node_rows){.node = {.version = stock->version}};
    gather(&m);
    if (!m.full) {
        choose_pools(&m);
        number(&m);
    }
    return !m.full;
}

const struct skr_device *skr_node_rows_device(const struct skr_node_rows *rows, size_t row)
{
    return &rows->row[row].slice->slice->device[rows->row[row].device];
}

/* ---- what is taken ---- */

static void add_used(const struct skr_stock_taking *taking, const struct skr_device_kind *kind,
                     skr_int128 *used)
{
    for (size_t i = 0; i < kind->n_capacities; i++) {
        for (size_t k = 0; k < taking->n_used; k++) {
            if (strcmp(taking->used[k].name, kind->capacity[i].name) == 0) {
                used[i] += taking->used[k].value;
            }
        }
    }
}

bool skr_node_rows_taken(const struct skr_devices_stock *stock, const struct skr_node_rows *rows,
                         struct skr_arena *arena, struct skr_devices_taken *ret)
{
    const struct skr_devices_node *node = &rows->node;
    const struct skr_stock_taking *t;
    ret->whole = skr_arena_array(arena, node->n + 1, sizeof *ret->whole);
    ret->shares = skr_arena_array(arena, node->n + 1, sizeof *ret->shares);
    ret->counted = skr_arena_array(arena, node->n + 1, sizeof *ret->counted);
    ret->used = skr_arena_array(arena, node->n_capacities + 1, sizeof *ret->used);
    if (!ret->whole || !ret->shares || !ret->counted || !ret->used) {
        return false;
    }
    for (size_t i = 0; i < node->n; i++) {
        const struct skr_device *device = skr_node_rows_device(rows, i);
        DL_FOREACH(skr_devices_stock_takings(stock, rows->row[i].slice->pool, device->name), t)
        {
            if (!skr_devices_stock_counts(t)) {
                continue;
            }
            ret->whole[i] |= !t->shared;
            ret->shares[i] += t->shared;
            ret->counted[i] |= t->n_used > 0;
            if (node->row[i].shared) {
                add_used(t, device->kind, &ret->used[node->row[i].first_capacity]);
            }
        }
    }
    return true;
}
