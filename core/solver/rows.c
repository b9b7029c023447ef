/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder: open addressing by key. Slots of an earlier use are told apart by a stamp, so
 * beginning costs nothing. A slot holds an interval until a count is added that leaves a gap; from
 * then on it holds bits, and in a plain run from the first. finish() sorts the keys and writes bits
 * without gaps as intervals again, so equal sets have equal rows. An interval has the step of
 * begin(): most of those that sums make touch, and are united before a bit is set.
 *
 * Sums of other rows go through the kernel of count_bits.h, gathered first if there is a step. Only the
 * words between the ends of a row are read.
 */
#include "core/solver/rows.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t key;
    uint32_t stamp;
    int32_t lo, hi;
    int32_t bits; /* index of its words; -1: an interval */
};

struct skr_role_builder {
    struct slot *slot;
    size_t mask; /* slots - 1 */
    uint32_t stamp;
    uint32_t *used; /* [mask + 1] slots in use */
    int32_t n;
    int32_t most;
    int32_t step;
    int32_t words;
    uint64_t **bits; /* [bits_cap] of the main axis with the greatest count */
    int32_t n_bits, bits_cap;
    uint64_t *sum, *a, *b, *tmp; /* [cap_words] */
    int32_t cap_words;
    struct skr_row *out; /* [out_cap] */
    size_t out_cap;
};

enum { SLOTS_FIRST = 64 };

int32_t skr_rows_find(const struct skr_rows *rows, uint64_t key)
{
    int32_t lo = 0;
    int32_t hi = rows->n - 1;
    while (lo <= hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (rows->row[mid].key == key) {
            return mid;
        }
        if (rows->row[mid].key < key) {
            lo = mid + 1;
        } else {
            hi = mid - 1;
        }
    }
    return -1;
}

bool skr_rows_equal(const struct skr_rows *a, const struct skr_rows *b)
{
    bool same = a->n == b->n;
    for (int32_t i = 0; same && i < a->n; i++) {
        const struct skr_row *x = &a->row[i];
        const struct skr_row *y = &b->row[i];
        same = x->key == y->key && x->lo == y->lo && x->hi == y->hi && x->step == y->step &&
               !x->bits == !y->bits &&
               (!x->bits ||
                memcmp(x->bits, y->bits, (size_t)skr_bits_words(x->hi) * sizeof *x->bits) == 0);
    }
    return same;
}

static bool make_builder(struct skr_run *run)
{
    struct skr_role_builder *b = skr_run_alloc(run, 1, sizeof *b);
    if (!b) {
        return false;
    }
    int32_t most = 0;
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        int32_t main = skr_axes_main_most(&run->axes[level]);
        most = main > most ? main : most;
    }
    b->cap_words = skr_bits_words(most);
    size_t words = (size_t)b->cap_words;
    b->slot = skr_run_alloc(run, SLOTS_FIRST, sizeof *b->slot);
    b->used = skr_run_alloc(run, SLOTS_FIRST, sizeof *b->used);
    b->mask = SLOTS_FIRST - 1;
    b->sum = skr_run_alloc(run, 4 * words, sizeof(uint64_t));
    if (!b->slot || !b->used || !b->sum) {
        return false;
    }
    b->a = b->sum + words;
    b->b = b->a + words;
    b->tmp = b->b + words;
    run->builder = b;
    return true;
}

bool skr_rows_begin(struct skr_run *run, int32_t most, int32_t step)
{
    if (!run->builder && !make_builder(run)) {
        return false;
    }
    struct skr_role_builder *b = run->builder;
    b->stamp++;
    b->n = 0;
    b->n_bits = 0;
    b->most = most;
    b->step = step;
    b->words = skr_bits_words(most);
    return true;
}

static size_t home_of(const struct skr_role_builder *b, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash ^ hash >> 32) & b->mask;
}

static bool grow(struct skr_run *run)
{
    struct skr_role_builder *b = run->builder;
    size_t slots = (b->mask + 1) * 2;
    struct slot *slot = skr_run_alloc(run, slots, sizeof *slot);
    uint32_t *used = skr_run_alloc(run, slots, sizeof *used);
    if (!slot || !used) {
        return false;
    }
    const struct slot *old = b->slot;
    b->mask = slots - 1;
    for (int32_t i = 0; i < b->n; i++) {
        const struct slot *from = &old[b->used[i]];
        size_t at = home_of(b, from->key);
        while (slot[at].stamp == b->stamp) {
            at = (at + 1) & b->mask;
        }
        slot[at] = *from;
        used[i] = (uint32_t)at;
    }
    b->slot = slot;
    b->used = used;
    return true;
}

/* The slot of the key; a new one has lo > hi. NULL when the run had to stop. */
static struct slot *slot_of(struct skr_run *run, uint64_t key)
{
    struct skr_role_builder *b = run->builder;
    size_t at = home_of(b, key);
    while (b->slot[at].stamp == b->stamp) {
        if (b->slot[at].key == key) {
            return &b->slot[at];
        }
        at = (at + 1) & b->mask;
    }
    if (run->rr && b->n >= run->rr->row_limit) {
        run->rr->beyond = true;
        return NULL;
    }
    if ((size_t)b->n * 2 > b->mask) {
        if (!grow(run)) {
            return NULL;
        }
        return slot_of(run, key);
    }
    b->slot[at] = (struct slot){.key = key, .stamp = b->stamp, .lo = 1, .hi = 0, .bits = -1};
    b->used[b->n++] = (uint32_t)at;
    return &b->slot[at];
}

/* Gives the slot bits, with the interval that it holds. */
static uint64_t *take_bits(struct skr_run *run, struct slot *slot)
{
    struct skr_role_builder *b = run->builder;
    if (slot->bits >= 0) {
        return b->bits[slot->bits];
    }
    if (b->n_bits == b->bits_cap) {
        int32_t cap = b->bits_cap > 0 ? 2 * b->bits_cap : 16;
        uint64_t **bits = skr_run_alloc(run, (size_t)cap, sizeof *bits);
        if (!bits) {
            return NULL;
        }
        if (b->bits_cap > 0) {
            memcpy(bits, b->bits, (size_t)b->bits_cap * sizeof *bits);
        }
        b->bits = bits;
        b->bits_cap = cap;
    }
    if (!b->bits[b->n_bits]) {
        b->bits[b->n_bits] = skr_run_alloc(run, (size_t)b->cap_words, sizeof(uint64_t));
        if (!b->bits[b->n_bits]) {
            return NULL;
        }
    }
    slot->bits = b->n_bits++;
    uint64_t *bits = b->bits[slot->bits];
    memset(bits, 0, (size_t)b->words * sizeof *bits);
    if (slot->lo <= slot->hi) {
        skr_bits_set_progression(bits, slot->lo, slot->hi, b->step);
    }
    return bits;
}

static void widen(struct slot *slot, int32_t lo, int32_t hi)
{
    bool empty = slot->lo > slot->hi;
    slot->lo = empty || lo < slot->lo ? lo : slot->lo;
    slot->hi = empty || hi > slot->hi ? hi : slot->hi;
}

/* lo, lo + step, ..., as far as hi and the most. */
static bool add_interval(struct skr_run *run, struct slot *slot, int32_t lo, int32_t hi)
{
    const struct skr_role_builder *b = run->builder;
    hi = hi < b->most ? hi : b->most;
    if (lo > hi) {
        return true;
    }
    hi -= b->step > 1 ? (hi - lo) % b->step : 0;
    bool touches = slot->lo > slot->hi || (lo <= slot->hi + b->step && slot->lo <= hi + b->step);
    if (slot->bits >= 0 || !touches || run->plain) {
        uint64_t *bits = take_bits(run, slot);
        if (!bits) {
            return false;
        }
        skr_bits_set_progression(bits, lo, hi, b->step);
    }
    widen(slot, lo, hi);
    return true;
}

bool skr_rows_add(struct skr_run *run, uint64_t key, int32_t lo, int32_t hi)
{
    if (lo > hi || lo > run->builder->most) {
        return true;
    }
    struct slot *slot = slot_of(run, key);
    return slot && add_interval(run, slot, lo, hi);
}

bool skr_rows_add_row(struct skr_run *run, uint64_t key, const struct skr_row *row, int32_t lo,
                      int32_t hi)
{
    struct skr_role_builder *b = run->builder;
    lo = lo > row->lo ? lo : row->lo;
    hi = hi < row->hi ? hi : row->hi;
    lo = lo <= hi ? skr_row_next(row, lo) : lo;
    if (!row->bits) {
        return skr_rows_add(run, key, lo, hi);
    }
    if (lo > hi || lo > b->most) {
        return true;
    }
    hi = hi < b->most ? skr_bits_previous(row->bits, hi) : skr_bits_previous(row->bits, b->most);
    struct slot *slot = slot_of(run, key);
    uint64_t *bits = slot ? take_bits(run, slot) : NULL;
    for (int32_t w = lo / 64; bits && w <= hi / 64; w++) {
        uint64_t from = w == lo / 64 ? UINT64_MAX << (lo % 64) : UINT64_MAX;
        uint64_t to = w == hi / 64 ? UINT64_MAX >> (63 - hi % 64) : UINT64_MAX;
        bits[w] |= row->bits[w] & from & to;
    }
    if (bits) {
        widen(slot, lo, hi);
    }
    return bits;
}

/* The bits of a row for the kernel: gathered, or as they are. */
static const uint64_t *operand(const struct skr_role_builder *b, const struct skr_row *row,
                               uint64_t *into)
{
    const int32_t words = skr_bits_words(row->hi);
    if (row->bits && b->step == 1) {
        return row->bits;
    }
    if (row->bits) {
        skr_bits_gather(into, row->bits, words, b->step);
    } else {
        memset(into, 0, (size_t)words * sizeof *into);
        skr_bits_set_range(into, row->lo / b->step, row->hi / b->step);
    }
    return into;
}

/* Adds the sums of both rows to bits [words of the most]. */
static void add_bits(const struct skr_role_builder *b, const struct skr_row *x,
                     const struct skr_row *y, uint64_t *bits)
{
    const int32_t words = b->step == 1 ? b->words : skr_bits_gathered_words(b->words, b->step);
    uint64_t *sum = b->step == 1 ? bits : b->sum;
    const int32_t skip_x = x->lo / b->step / 64;
    const int32_t skip_y = y->lo / b->step / 64;
    const int32_t n_x = x->hi / b->step / 64 + 1 - skip_x;
    const int32_t n_y = y->hi / b->step / 64 + 1 - skip_y;
    const int32_t skip = skip_x + skip_y;
    if (skip < words) {
        if (b->step > 1) {
            memset(sum, 0, (size_t)words * sizeof *sum);
        }
        skr_bits_add_sums(sum + skip, n_x + n_y < words - skip ? n_x + n_y : words - skip,
                          operand(b, x, b->a) + skip_x, n_x, operand(b, y, b->b) + skip_y, n_y,
                          b->tmp);
        if (b->step > 1) {
            skr_bits_scatter(bits, b->words, sum, b->step);
        }
        skr_bits_clear_above(bits, b->words, b->most);
    }
}

bool skr_rows_add_sums(struct skr_run *run, uint64_t key, const struct skr_row *x,
                       const struct skr_row *y)
{
    struct skr_role_builder *b = run->builder;
    if (x->lo > x->hi || y->lo > y->hi || x->lo + y->lo > b->most) {
        return true;
    }
    struct slot *slot = slot_of(run, key);
    if (!slot) {
        return false;
    }
    if (!x->bits && !y->bits) {
        return add_interval(run, slot, x->lo + y->lo, x->hi + y->hi);
    }
    uint64_t *bits = take_bits(run, slot);
    if (bits) {
        add_bits(b, x, y, bits);
        widen(slot, x->lo + y->lo, x->hi < b->most - y->hi ? x->hi + y->hi : b->most);
    }
    return bits;
}

static int by_key(const void *a, const void *b)
{
    const struct skr_row *x = a;
    const struct skr_row *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void sort_rows(struct skr_row *row, int32_t n)
{
    if (n > 24) {
        qsort(row, (size_t)n, sizeof *row, by_key);
        return;
    }
    for (int32_t i = 1; i < n; i++) {
        const struct skr_row moved = row[i];
        int32_t at = i;
        while (at > 0 && row[at - 1].key > moved.key) {
            row[at] = row[at - 1];
            at--;
        }
        row[at] = moved;
    }
}

void *skr_rows_copy(struct skr_run *run, const struct skr_rows *rows, size_t before,
                    struct skr_rows *ret)
{
    size_t words = 0;
    for (int32_t i = 0; i < rows->n; i++) {
        words += rows->row[i].bits ? (size_t)skr_bits_words(rows->row[i].hi) : 0;
    }
    char *memory = skr_run_alloc(
        run, 1, before + (size_t)rows->n * sizeof(struct skr_row) + words * sizeof(uint64_t));
    if (!memory) {
        return NULL;
    }
    struct skr_row *row = (struct skr_row *)(void *)(memory + before);
    uint64_t *bits = (uint64_t *)(void *)(row + rows->n);
    for (int32_t i = 0; i < rows->n; i++) {
        row[i] = rows->row[i];
        if (row[i].bits) {
            size_t n = (size_t)skr_bits_words(row[i].hi);
            memcpy(bits, rows->row[i].bits, n * sizeof *bits);
            row[i].bits = bits;
            bits += n;
        }
    }
    *ret = (struct skr_rows){.n = rows->n, .row = row};
    return memory;
}

struct skr_row skr_row_of_bits(const struct skr_run *run, int32_t step, uint64_t key,
                               const uint64_t *bits, int32_t words)
{
    struct skr_row row = {.key = key, .hi = skr_bits_previous(bits, words * 64 - 1)};
    if (row.hi < 0) {
        return row;
    }
    row.lo = skr_bits_next(bits, words, 0);
    words = skr_bits_words(row.hi);
    if (run->plain || !skr_bits_is_progression(bits, words, row.lo, row.hi, 1)) {
        const bool by_step =
            !run->plain && step > 1 && skr_bits_is_progression(bits, words, row.lo, row.hi, step);
        row.bits = by_step ? NULL : bits;
        row.step = by_step ? step : 0;
    }
    return row;
}

bool skr_rows_finish(struct skr_run *run, bool keep, struct skr_rows *ret)
{
    struct skr_role_builder *b = run->builder;
    if ((size_t)b->n > b->out_cap) {
        b->out_cap = 2 * (size_t)b->n;
        b->out = skr_run_alloc(run, b->out_cap, sizeof *b->out);
        if (!b->out) {
            b->out_cap = 0;
            return false;
        }
    }
    int32_t n = 0;
    for (int32_t i = 0; i < b->n; i++) {
        const struct slot *slot = &b->slot[b->used[i]];
        if (slot->bits >= 0) {
            b->out[n++] = skr_row_of_bits(run, b->step, slot->key, b->bits[slot->bits],
                                          skr_bits_words(slot->hi));
        } else if (slot->lo <= slot->hi) {
            b->out[n++] =
                (struct skr_row){.key = slot->key,
                                 .lo = slot->lo,
                                 .hi = slot->hi,
                                 .step = b->step > 1 && slot->lo < slot->hi ? b->step : 0};
        }
    }
    sort_rows(b->out, n);
    *ret = (struct skr_rows){.n = n, .row = b->out};
    return !keep || skr_rows_copy(run, ret, 0, ret);
}

void skr_rows_most_beside(const struct skr_axes *axes, const struct skr_rows *rows,
                          const int32_t *least, const int32_t *most, int32_t *ret)
{
    const int32_t last = axes->n - 1;
    for (int32_t a = 0; a <= last; a++) {
        ret[a] = -1;
    }
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_row *row = &rows->row[i];
        int32_t missing = 0;
        int32_t which = last;
        for (int32_t a = 0; a < last; a++) {
            const bool lacks = skr_axes_digit(axes, row->key, a) < least[a];
            missing += lacks ? 1 : 0;
            which = lacks ? a : which;
        }
        for (int32_t a = 0; a < last && missing <= 1 && row->hi >= least[last]; a++) {
            const int32_t count = skr_axes_digit(axes, row->key, a);
            if (missing == 0 || which == a) {
                const int32_t within = count <= most[a] ? count : 0;
                ret[a] = within > ret[a] ? within : ret[a];
            }
        }
        if (missing == 0 && row->lo <= row->hi) {
            const int32_t within = skr_row_previous(row, most[last]);
            ret[last] = within > ret[last] ? within : ret[last] > 0 ? ret[last] : 0;
        }
    }
}
