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

/* The dense rows of a span while it is made; they follow its bits. */
static struct skr_row *dense_rows(const struct skr_span *span)
{
    return (struct skr_row *)(void *)(span->bits + (size_t)span->rows.n * (size_t)span->words);
}

/* A new span, with memory for dense rows. */
static struct skr_span *span_new(struct skr_run *run, int32_t level, int32_t n_dense, int32_t words)
{
    /* One piece of memory: the span, its bits, its rows. */
    size_t n_bits = (size_t)n_dense * (size_t)words;
    size_t size = sizeof(struct skr_span) + n_bits * sizeof(uint64_t);
    struct skr_span *span = skr_run_alloc(run, 1, size + (size_t)n_dense * sizeof(struct skr_row));
    if (!span) {
        return NULL;
    }
    span->id = run->spans->all.next_id++;
    span->level = level;
    span->hi = -1;
    if (n_dense > 0) {
        span->words = words;
        span->bits = (uint64_t *)(void *)(span + 1);
        span->rows.n = n_dense;
        span->rows.row = dense_rows(span);
        for (int32_t u = 0; u < n_dense; u++) {
            dense_rows(span)[u] =
                (struct skr_row){.key = (uint64_t)u, .hi = -1, .bits = skr_span_row(span, u)};
        }
    }
    return span;
}

/* ---- dense rows ---- */

/* Sets lo and hi of a row from its bits, words of them. */
static void find_ends(struct skr_row *row, int32_t words)
{
    row->lo = skr_bits_next(row->bits, words, 0);
    row->hi = row->lo < 0 ? -1 : skr_bits_previous(row->bits, words * 64 - 1);
    row->lo = row->lo < 0 ? 0 : row->lo;
}

/* Sets is_run of a row of the level, whose ends are set. */
static void look_at_row(const struct skr_run *run, int32_t level, struct skr_row *row)
{
    row->is_run = row->lo <= row->hi && !run->plain &&
                  skr_bits_is_progression(row->bits, skr_bits_words(row->hi), row->lo, row->hi,
                                          run->law[level].step);
}

/* The span's ends include the row's. */
static void include_row(struct skr_span *span, const struct skr_row *row)
{
    if (row->lo <= row->hi) {
        bool first = span->hi < span->lo;
        span->lo = first || row->lo < span->lo ? row->lo : span->lo;
        span->hi = first || row->hi > span->hi ? row->hi : span->hi;
    }
}

/* Step of the counts of a unit, from its rows "not used" and "used"; 0: they have none. */
static int32_t step_of_unit(const struct skr_row *row, int32_t step)
{
    const struct skr_row *used = &row[1];
    if (used->hi < used->lo) {
        return 1;
    }
    return used->is_run && (row->hi < 0 || used->lo == step) ? step : 0;
}

/* Sets what follows from the rows of a span. */
static void settle(const struct skr_run *run, struct skr_span *span)
{
    const int32_t step = run->law[span->level].step;
    for (int32_t u = 0; u < span->rows.n; u++) {
        include_row(span, &span->rows.row[u]);
    }
    if (span->rows.n == 1) {
        span->step = span->rows.row->is_run ? step : 0;
    } else if (!span->left) {
        span->step = step_of_unit(span->rows.row, step);
    }
}

/* ---- units ---- */

/* Puts a new unit into the table. */
static struct skr_span *add_unit(struct skr_run *run, struct skr_span *span,
                                 struct skr_span *inside, int64_t room, uint64_t hash)
{
    span->n_units = 1;
    span->inside = inside;
    span->room = room;
    return skr_intern_add(run, &run->spans->all, span, hash) ? span : NULL;
}

struct skr_span *skr_span_unit(struct skr_run *run, int32_t level, struct skr_span *inside,
                               int64_t room, const struct skr_rows *rows)
{
    uint64_t hash = hash_unit(level, inside, room, rows);
    struct skr_span *span = find_unit(run, hash, level, inside, room, rows);
    if (span) {
        return span;
    }
    span = span_new(run, level, 0, 0);
    if (!span || !skr_rows_copy(run, rows, &span->rows) ||
        !add_unit(run, span, inside, room, hash)) {
        return NULL;
    }
    run->rr->rows += rows->n;
    return skr_role_peaks_find(run->rr, span) ? span : NULL;
}

struct skr_span *skr_span_of_counts(struct skr_run *run, int32_t level, struct skr_span *inside,
                                    int64_t room, uint64_t *bits, int32_t words)
{
    const int32_t greatest = skr_bits_previous(bits, words * 64 - 1);
    const bool counted = run->law[level].used > 0;
    const uint64_t zero = bits[0] & 1;
    struct skr_row row[2] = {{.hi = zero != 0 ? 0 : -1, .bits = &zero}, {.bits = bits}};
    struct skr_row *all = &row[counted ? 1 : 0];
    words = skr_bits_words(greatest < 0 ? 0 : greatest);
    bits[0] &= counted ? ~UINT64_C(1) : UINT64_MAX;
    *all = (struct skr_row){.key = counted ? 1 : 0, .bits = bits};
    find_ends(all, words);
    const struct skr_rows rows = {.n = counted ? 2 : 1, .row = row};
    uint64_t hash = run->plain ? 0 : hash_unit(level, inside, room, &rows);
    struct skr_span *span = run->plain ? NULL : find_unit(run, hash, level, inside, room, &rows);
    if (!span) {
        span = span_new(run, level, rows.n, words);
        if (span) {
            span->bits[0] = zero;
            memcpy(span->bits + (size_t)(rows.n - 1) * (size_t)words, bits,
                   (size_t)words * sizeof *bits);
            for (int32_t u = 0; u < rows.n; u++) {
                struct skr_row *to = &dense_rows(span)[u];
                to->lo = row[u].lo;
                to->hi = row[u].hi;
                look_at_row(run, level, to);
            }
            settle(run, span);
            span = add_unit(run, span, inside, room, hash);
        }
    }
    bits[0] |= zero;
    return span;
}

/* ---- pairs ---- */

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

static int32_t rows_of_pair(const struct skr_run *run, const struct skr_span *left,
                            const struct skr_span *right)
{
    int32_t used = run->law[left->level].used;
    if (used == 0) {
        return 1;
    }
    int32_t most = left->rows.n - 1 + right->rows.n - 1;
    return (most < used ? most : used) + 1;
}

/* Counts from lo by step, as far as hi. */
static void set_progression(const struct skr_run *run, struct skr_span *span, int32_t lo,
                            int32_t hi, int32_t step)
{
    if (lo > hi) {
        return;
    }
    struct skr_row *row = dense_rows(span);
    span->lo = row->lo = lo;
    span->hi = row->hi = hi - (hi - lo) % step;
    span->step = step;
    row->is_run = step == run->law[span->level].step || span->lo == span->hi;
    skr_bits_set_progression(span->bits, lo, span->hi, step);
}

/* Puts all sums of a row of the left and one of the right half into the builder. */
static bool add_sums(struct skr_run *run, const struct skr_span *span)
{
    const struct skr_axes *axes = run->rr ? &run->rr->axes[span->level] : NULL;
    const struct skr_rows *x = &span->left->rows;
    const struct skr_rows *y = &span->right->rows;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t j = 0; j < y->n; j++) {
            uint64_t key = x->row[i].key + y->row[j].key;
            bool fits = axes ? skr_axes_fits(axes, key) : key < (uint64_t)span->rows.n;
            if (fits && !skr_rows_add_sums(run, key, &x->row[i], &y->row[j])) {
                return false;
            }
        }
    }
    return true;
}

/* The rows of a pair of equal members: totals up to hi. */
static bool merge_dense(struct skr_run *run, struct skr_span *span, int32_t hi)
{
    int32_t step = span->rows.n == 1 ? step_of_sums(run, span->left, span->right) : 0;
    run->stats.merges++;
    if (step > 0) {
        set_progression(run, span, span->left->lo + span->right->lo, hi, step);
        run->stats.merges_of_runs++;
        return true;
    }
    if (!skr_rows_begin(run, hi, run->plain ? 1 : run->law[span->level].step) ||
        !add_sums(run, span)) {
        return false;
    }
    skr_rows_finish_dense(run, dense_rows(span), span->bits);
    settle(run, span);
    return true;
}

/* The rows of a pair of roles. */
static bool merge(struct skr_run *run, struct skr_span *span)
{
    const struct skr_axes *axes = &run->rr->axes[span->level];
    if (skr_role_peaks_are_fewer(run->rr, span)) {
        return skr_role_peaks_merge(run->rr, span);
    }
    run->stats.merges++;
    return skr_run_step(run, (int64_t)span->left->rows.n * span->right->rows.n) &&
           skr_rows_begin(run, skr_axes_main_most(axes), 1) && add_sums(run, span) &&
           skr_rows_finish(run, true, &span->rows) &&
           (!span->left->peak || !span->right->peak || skr_role_peaks_find(run->rr, span));
}

static struct skr_span *span_pair(struct skr_run *run, struct skr_span *left,
                                  struct skr_span *right)
{
    int32_t hi = 0;
    if (left->lo <= left->hi && right->lo <= right->hi) {
        hi = right->hi < run->n - left->hi ? left->hi + right->hi : run->n;
    }
    int32_t n_dense = run->rr ? 0 : rows_of_pair(run, left, right);
    struct skr_span *span = span_new(run, left->level, n_dense, skr_bits_words(hi));
    if (!span) {
        return NULL;
    }
    span->n_units = left->n_units + right->n_units;
    span->left = left;
    span->right = right;
    if (!(run->rr ? merge(run, span) : merge_dense(run, span, hi))) {
        return NULL;
    }
    if (run->rr) {
        run->rr->rows += span->rows.n;
    }
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
