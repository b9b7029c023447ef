/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans and their interning.
 *
 * The key of a pair is its two halves; that of a unit is level, children, room and rows. Spans are
 * interned in the order of the tree.
 *
 * The merge of two spans looks at all pairs of rows. A sum with a field of its key beyond its limit is
 * left out. Sets of roles with few peaks are merged by these, and runs of one step by their ends.
 *
 * skr_span_all() pairs neighbours, then neighbours of the pairs, and so on: the depth is
 * log2(units), and runs of equal units fold into few distinct spans.
 */
#include "core/solver/span.h"

#include <string.h>

#include "core/solver/intern.h"
#include "core/solver/role_peaks.h"

struct skr_span_table {
    struct skr_intern all;
    const struct skr_span_table *base; /* NULL, or another run's, looked into as well */
};

enum { UNITS_PER_SLOT = 2 };
_Static_assert(sizeof(struct skr_span) % sizeof(uint64_t) == 0, "rows follow a span");

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

bool skr_span_use(struct skr_run *run, struct skr_span *span, bool parts)
{
    if (!span->note) {
        struct skr_span_note *note = skr_run_alloc(run, 1, sizeof *note);
        if (!note) {
            return false;
        }
        note->span = span;
        note->next = run->notes;
        run->notes = note;
        span->note = note;
    }
    if (!parts || !span->left || span->note->node.left) {
        return true;
    }
    if (!skr_span_use(run, span->left, true) || !skr_span_use(run, span->right, true)) {
        return false;
    }
    span->note->node.left = &span->left->note->node;
    span->note->node.right = &span->right->note->node;
    return true;
}

void skr_spans_end_use(struct skr_run *run)
{
    for (struct skr_span_note *note = run->notes; note; note = note->next) {
        note->span->note = NULL;
    }
    run->notes = NULL;
}

int32_t skr_span_units(struct skr_span *span, struct skr_span **ret, int32_t n)
{
    if (span->left) {
        n = skr_span_units(span->left, ret, n);
        return skr_span_units(span->right, ret, n);
    }
    ret[n] = span;
    return n + 1;
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

/* ---- the table ---- */

static uint64_t hash_pair(const struct skr_span *left, const struct skr_span *right)
{
    return skr_intern_mix(skr_intern_mix(1, (uint64_t)left->id), (uint64_t)right->id);
}

static uint64_t hash_unit(int32_t level, const struct skr_span *inside, int64_t room,
                          const struct skr_rows *rows)
{
    uint64_t hash = skr_intern_mix(2, (uint64_t)level);
    hash = skr_intern_mix(hash, !inside ? UINT64_MAX : (uint64_t)inside->id);
    hash = skr_intern_mix(hash, (uint64_t)room);
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_row *row = &rows->row[i];
        hash = skr_intern_mix(hash, row->key);
        hash = skr_intern_mix(hash, (uint64_t)row->lo << 32 | (uint32_t)row->hi);
        for (int32_t w = 0; row->bits && w < skr_bits_words(row->hi); w++) {
            hash = skr_intern_mix(hash, row->bits[w]);
        }
    }
    return hash;
}

static bool is_unit(const struct skr_span *span, int32_t level, const struct skr_span *inside,
                    int64_t room, const struct skr_rows *rows)
{
    return !span->left && span->level == level && span->inside == inside && span->room == room &&
           skr_rows_equal(&span->rows, rows);
}

/* The unit that the tables of the run have; NULL: none. Nothing is in that of a plain run. */
static struct skr_span *find_unit(const struct skr_run *run, uint64_t hash, int32_t level,
                                  const struct skr_span *inside, int64_t room,
                                  const struct skr_rows *rows)
{
    for (const struct skr_span_table *table = run->spans; table; table = table->base) {
        const struct skr_intern *all = &table->all;
        for (size_t at = hash & all->mask; all->slot[at].item; at = (at + 1) & all->mask) {
            const struct skr_intern_slot *slot = &all->slot[at];
            if (slot->hash == hash && is_unit(slot->item, level, inside, room, rows)) {
                return slot->item;
            }
        }
    }
    return NULL;
}

static struct skr_span *find_pair(const struct skr_run *run, uint64_t hash,
                                  const struct skr_span *left, const struct skr_span *right)
{
    for (const struct skr_span_table *table = run->spans; table; table = table->base) {
        const struct skr_intern *all = &table->all;
        for (size_t at = hash & all->mask; all->slot[at].item; at = (at + 1) & all->mask) {
            struct skr_span *span = all->slot[at].item;
            if (all->slot[at].hash == hash && span->left == left && span->right == right) {
                return span;
            }
        }
    }
    return NULL;
}

/* A new span with a copy of the rows. */
static struct skr_span *span_new(struct skr_run *run, int32_t level, const struct skr_rows *rows)
{
    struct skr_rows copy;
    struct skr_span *span = skr_rows_copy(run, rows, sizeof *span, &copy);
    if (span) {
        span->id = run->spans->all.next_id++;
        span->level = level;
        span->rows = copy;
    }
    return span;
}

/* Sets what follows from the rows of a span. */
static void settle(struct skr_run *run, struct skr_span *span)
{
    span->lo = span->rows.n > 0 ? span->rows.row->lo : 0;
    span->hi = -1;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_row *row = &span->rows.row[k];
        span->lo = row->lo < span->lo ? row->lo : span->lo;
        span->hi = row->hi > span->hi ? row->hi : span->hi;
    }
    if (run->rr) {
        run->rr->rows += span->rows.n;
    }
}

struct skr_span *skr_span_unit(struct skr_run *run, int32_t level, struct skr_span *inside,
                               int64_t room, const struct skr_rows *rows)
{
    uint64_t hash = run->plain ? 0 : hash_unit(level, inside, room, rows);
    struct skr_span *span = find_unit(run, hash, level, inside, room, rows);
    if (span) {
        return span;
    }
    span = span_new(run, level, rows);
    if (!span) {
        return NULL;
    }
    span->n_units = 1;
    span->inside = inside;
    span->room = room;
    settle(run, span);
    return skr_intern_add(run, &run->spans->all, span, hash) &&
                   (!run->rr || skr_role_peaks_find(run->rr, span))
               ? span
               : NULL;
}

struct skr_span *skr_span_of_counts(struct skr_run *run, int32_t level, struct skr_span *inside,
                                    int64_t room, uint64_t *bits, int32_t words)
{
    const struct skr_law *law = &run->law[level];
    struct skr_row row[2];
    struct skr_rows rows = {.row = row};
    if (law->used > 0 && (bits[0] & 1) != 0) {
        row[rows.n++] = (struct skr_row){0};
        bits[0] &= ~UINT64_C(1);
    }
    row[rows.n] =
        skr_row_of_bits(run, skr_run_divisor(run, level), law->used > 0 ? 1 : 0, bits, words);
    rows.n += row[rows.n].lo <= row[rows.n].hi ? 1 : 0;
    return skr_span_unit(run, level, inside, room, &rows);
}

/* ---- pairs ---- */

/* Puts all sums of a row of the left and one of the right half into the builder. */
static bool add_sums(struct skr_run *run, const struct skr_span *left, const struct skr_span *right)
{
    const struct skr_axes *axes = &run->axes[left->level];
    const struct skr_rows *x = &left->rows;
    const struct skr_rows *y = &right->rows;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t j = 0; j < y->n; j++) {
            uint64_t key = x->row[i].key + y->row[j].key;
            if (skr_axes_fits(axes, key) && !skr_rows_add_sums(run, key, &x->row[i], &y->row[j])) {
                return false;
            }
        }
    }
    return true;
}

/* Whether the span has one row, of key 0, and that is a run. */
static bool is_run(const struct skr_span *span)
{
    return span->rows.n == 1 && span->rows.row->key == 0 && !span->rows.row->bits;
}

/* The rows of a pair, if they are not merged by peaks. Valid until rows are begun. */
static bool merge(struct skr_run *run, const struct skr_span *left, const struct skr_span *right,
                  struct skr_row *space, struct skr_rows *ret)
{
    const int32_t level = left->level;
    const int32_t most = skr_axes_main_most(&run->axes[level]);
    const int32_t step = skr_run_divisor(run, level);
    const int32_t lo = left->lo + right->lo;
    int32_t hi = right->hi < most - left->hi ? left->hi + right->hi : most;
    run->stats.merges++;
    if (is_run(left) && is_run(right) && lo <= hi) {
        run->stats.merges_of_runs++;
        hi -= step > 1 ? (hi - lo) % step : 0;
        *space = (struct skr_row){.lo = lo, .hi = hi, .step = step > 1 && lo < hi ? step : 0};
        *ret = (struct skr_rows){.n = 1, .row = space};
        return true;
    }
    return skr_run_step(run, (int64_t)left->rows.n * right->rows.n) &&
           skr_rows_begin(run, hi < 0 ? 0 : hi, step) && add_sums(run, left, right) &&
           skr_rows_finish(run, false, ret);
}

static struct skr_span *span_pair(struct skr_run *run, struct skr_span *left,
                                  struct skr_span *right)
{
    const bool by_peaks = run->rr && skr_role_peaks_are_fewer(run->rr, left, right);
    struct skr_row space;
    struct skr_rows rows = {0};
    struct skr_span *span = by_peaks || merge(run, left, right, &space, &rows)
                                ? span_new(run, left->level, &rows)
                                : NULL;
    if (!span) {
        return NULL;
    }
    span->n_units = left->n_units + right->n_units;
    span->left = left;
    span->right = right;
    if (by_peaks                    ? !skr_role_peaks_merge(run->rr, span)
        : left->peak && right->peak ? !skr_role_peaks_find(run->rr, span)
                                    : false) {
        return NULL;
    }
    settle(run, span);
    return span;
}

bool skr_span_join(struct skr_run *run, struct skr_span *left, struct skr_span *right,
                   struct skr_span **ret)
{
    if (!left || !right) {
        *ret = !left ? right : left;
        return true;
    }
    uint64_t hash = hash_pair(left, right);
    *ret = find_pair(run, hash, left, right);
    if (*ret) {
        return true;
    }
    if (skr_run_poll(run)) {
        *ret = span_pair(run, left, right);
    }
    return *ret && skr_intern_add(run, &run->spans->all, *ret, hash);
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
