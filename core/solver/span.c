/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans and their interning.
 *
 * The key of a pair is its two halves; that of a unit is level, children, room and counts. Spans are
 * interned in the order of the tree.
 *
 * skr_span_all() pairs neighbours, then neighbours of the pairs, and so on: the depth is
 * log2(units), and runs of equal units fold into few distinct spans.
 */
#include "core/solver/span.h"

#include <string.h>

#include "core/solver/choice_graph.h"
#include "core/solver/intern.h"
#include "core/solver/row_sums.h"

struct skr_span_table {
    struct skr_intern all;
    const struct skr_span_table *base; /* NULL, or another run's, looked into as well */
};

enum { UNITS_PER_SLOT = 2 };
_Static_assert(sizeof(struct skr_span) % sizeof(uint64_t) == 0, "bits follow a span");

bool skr_spans_init(struct skr_run *run, const struct skr_run *base, bool shared)
{
    run->spans = skr_run_alloc(run, 1, sizeof *run->spans);
    if (!run->spans) {
        return false;
    }
    run->spans->all.next_id = base ? base->spans->all.next_id : 0;
    run->spans->base = shared ? base->spans : NULL;
    size_t slots = base ? 0 : (size_t)run->tree->n_units / UNITS_PER_SLOT;
    return skr_intern_init(run, slots, &run->spans->all);
}

bool skr_span_take_note(struct skr_run *run, struct skr_span *span)
{
    if (!span->note) {
        span->note = skr_run_alloc(run, 1, sizeof *span->note);
        if (!span->note) {
            return false;
        }
        span->note->span = span;
        span->note->next = run->notes;
        run->notes = span->note;
    }
    return true;
}

void skr_spans_drop_notes(struct skr_run *run)
{
    for (struct skr_span_note *note = run->notes; note; note = note->next) {
        note->span->note = NULL;
    }
    run->notes = NULL;
}

static uint64_t hash_pair(const struct skr_span *left, const struct skr_span *right)
{
    return skr_intern_mix(skr_intern_mix(1, (uint64_t)left->id), (uint64_t)right->id);
}

static uint64_t hash_unit(int32_t level, const struct skr_span *inside, int64_t room,
                          const uint64_t *bits, int32_t words)
{
    uint64_t hash = skr_intern_mix(2, (uint64_t)level);
    hash = skr_intern_mix(hash, !inside ? UINT64_MAX : (uint64_t)inside->id);
    hash = skr_intern_mix(hash, (uint64_t)room);
    for (int32_t w = 0; w < words; w++) {
        hash = skr_intern_mix(hash, bits[w]);
    }
    return hash;
}

static struct skr_span *span_new(struct skr_run *run, int32_t level, int32_t rows, int32_t words)
{
    /* One piece of memory: the span, its bits, its rows. */
    size_t n_bits = (size_t)rows * (size_t)words;
    size_t size = sizeof(struct skr_span) + n_bits * sizeof(uint64_t);
    size_t of_rows = rows > 1 ? (size_t)rows * sizeof(struct skr_row) : 0;
    struct skr_span *span = skr_run_alloc(run, 1, size + of_rows);
    if (!span) {
        return NULL;
    }
    span->id = run->spans->all.next_id++;
    span->level = level;
    span->rows = rows;
    span->words = words;
    span->lo = 0;
    span->hi = -1;
    span->bits = (uint64_t *)(void *)(span + 1);
    span->row = rows > 1 ? (struct skr_row *)(void *)(span->bits + n_bits) : NULL;
    return span;
}

/* Recognises the steps that rules make: 1, or that of the factors of the level and those below. */
static void find_step(const struct skr_run *run, struct skr_span *span, const uint64_t *bits)
{
    int32_t factor = run->law[span->level].step;
    if (span->lo > span->hi) {
        return;
    }
    if (skr_bits_is_progression(bits, span->words, span->lo, span->hi, 1)) {
        span->step = 1;
    } else if (factor > 1 &&
               skr_bits_is_progression(bits, span->words, span->lo, span->hi, factor)) {
        span->step = factor;
    }
}

/* Step of the sums of two spans, 0: not known. A single count goes with any step. */
static int32_t step_of_sums(const struct skr_run *run, const struct skr_span *left,
                            const struct skr_span *right)
{
    if (run->plain || left->step == 0 || right->step == 0) {
        return 0;
    }
    if (left->lo == left->hi || right->lo == right->hi) {
        return left->lo == left->hi ? right->step : left->step;
    }
    return left->step == right->step ? left->step : 0;
}

bool skr_span_has(const struct skr_span *span, int32_t row, int32_t total)
{
    return row < span->rows && total <= span->hi && skr_bits_get(skr_span_row(span, row), total);
}

bool skr_bits_only_zero(const uint64_t *bits, int32_t words)
{
    for (int32_t w = 1; w < words; w++) {
        if (bits[w] != 0) {
            return false;
        }
    }
    return bits[0] == 1;
}

/* Whether span is the unit described; bits has the words of its greatest count. */
static bool is_unit(const struct skr_span *span, int32_t level, const struct skr_span *inside,
                    int64_t room, const uint64_t *bits, int32_t words)
{
    if (span->left || span->level != level || span->inside != inside || span->room != room ||
        span->words != words) {
        return false;
    }
    if (span->rows == 1) {
        return memcmp(span->bits, bits, (size_t)words * sizeof *bits) == 0;
    }
    for (int32_t w = 0; w < words; w++) {
        if ((span->bits[w] | span->bits[words + w]) != bits[w]) {
            return false;
        }
    }
    return true;
}

static struct skr_span *find_unit(const struct skr_intern *table, uint64_t hash, int32_t level,
                                  const struct skr_span *inside, int64_t room, const uint64_t *bits,
                                  int32_t words)
{
    for (size_t at = hash & table->mask; table->slot[at].item; at = (at + 1) & table->mask) {
        const struct skr_intern_slot *slot = &table->slot[at];
        if (slot->hash == hash && is_unit(slot->item, level, inside, room, bits, words)) {
            return slot->item;
        }
    }
    return NULL;
}

struct skr_span *skr_span_unit(struct skr_run *run, int32_t level, struct skr_span *inside,
                               int64_t room, const uint64_t *bits, int32_t words)
{
    int32_t greatest = skr_bits_previous(bits, words * 64 - 1);
    words = skr_bits_words(greatest < 0 ? 0 : greatest);
    uint64_t hash = 0;
    if (!run->plain) {
        hash = hash_unit(level, inside, room, bits, words);
        for (const struct skr_span_table *table = run->spans; table; table = table->base) {
            struct skr_span *known = find_unit(&table->all, hash, level, inside, room, bits, words);
            if (known) {
                return known;
            }
        }
    }
    struct skr_span *span = span_new(run, level, run->law[level].used > 0 ? 2 : 1, words);
    if (!span) {
        return NULL;
    }
    span->n_units = 1;
    span->inside = inside;
    span->room = room;
    uint64_t *used = span->bits + (size_t)(span->rows - 1) * (size_t)words;
    memcpy(used, bits, (size_t)words * sizeof *bits);
    if (span->rows == 2) {
        span->bits[0] = bits[0] & 1;
        used[0] &= ~UINT64_C(1);
    }
    skr_row_ends(run, span);
    find_step(run, span, bits);
    return skr_intern_add(run, &run->spans->all, span, hash) ? span : NULL;
}

static int32_t rows_of_pair(const struct skr_run *run, const struct skr_span *left,
                            const struct skr_span *right)
{
    int32_t used = run->law[left->level].used;
    if (used == 0) {
        return 1;
    }
    int32_t most = left->rows - 1 + right->rows - 1;
    return (most < used ? most : used) + 1;
}

/* Counts from lo by step, as far as hi. */
static void set_progression(struct skr_span *span, int32_t lo, int32_t hi, int32_t step)
{
    if (lo > hi) {
        return;
    }
    span->lo = lo;
    span->hi = hi - (hi - lo) % step;
    span->step = step;
    skr_bits_set_progression(span->bits, lo, span->hi, step);
}

static struct skr_span *span_pair(struct skr_run *run, struct skr_span *left,
                                  struct skr_span *right)
{
    uint64_t hash = hash_pair(left, right);
    for (const struct skr_span_table *table = run->spans; table && !run->plain;
         table = table->base) {
        const struct skr_intern *all = &table->all;
        for (size_t at = hash & all->mask; all->slot[at].item; at = (at + 1) & all->mask) {
            struct skr_span *span = all->slot[at].item;
            if (all->slot[at].hash == hash && span->left == left && span->right == right) {
                return span;
            }
        }
    }
    if (!skr_run_poll(run)) {
        return NULL;
    }
    int32_t hi = 0;
    if (left->lo <= left->hi && right->lo <= right->hi) {
        hi = right->hi < run->n - left->hi ? left->hi + right->hi : run->n;
    }
    int32_t rows = rows_of_pair(run, left, right);
    struct skr_span *span = span_new(run, left->level, rows, skr_bits_words(hi));
    if (!span) {
        return NULL;
    }
    span->n_units = left->n_units + right->n_units;
    span->left = left;
    span->right = right;
    int32_t step = rows == 1 ? step_of_sums(run, left, right) : 0;
    if (step > 0) {
        set_progression(span, left->lo + right->lo, hi, step);
        run->stats.merges_of_runs++;
    } else if (!skr_row_sums(run, span, hi)) {
        return NULL;
    } else if (rows == 1) {
        find_step(run, span, span->bits);
    }
    run->stats.merges++;
    return skr_intern_add(run, &run->spans->all, span, hash) ? span : NULL;
}

bool skr_span_join(struct skr_run *run, struct skr_span *left, struct skr_span *right,
                   struct skr_span **ret)
{
    if (!left || !right) {
        *ret = !left ? right : left;
        return true;
    }
    *ret = span_pair(run, left, right);
    return *ret;
}

bool skr_span_all(struct skr_run *run, struct skr_span *const *item, int32_t n,
                  struct skr_span **rounds, struct skr_span **ret)
{
    bool in_place = item == rounds;
    while (n > 1) {
        int32_t pairs = (n + 1) / 2;
        for (int32_t i = 0; i < pairs; i++) {
            struct skr_span *right = 2 * i + 1 < n ? item[2 * (size_t)i + 1] : NULL;
            if (!skr_span_join(run, item[2 * (size_t)i], right, &rounds[i])) {
                return false;
            }
        }
        item = rounds;
        rounds += in_place ? 0 : pairs;
        n = pairs;
    }
    *ret = item[0];
    return true;
}

/* Depth is the logarithm of the number of units. */
static struct skr_span **put_units(struct skr_span *span, struct skr_span **ret)
{
    if (!span->left) {
        *ret = span;
        return ret + 1;
    }
    return put_units(span->right, put_units(span->left, ret));
}

void skr_span_units(struct skr_span *span, struct skr_span **ret)
{
    put_units(span, ret);
}
