/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row u of a pair is the union, over all a, of the sums of row a of the left and row u - a of the
 * right half.
 *
 * Rows that are runs (neighbours, or neighbouring multiples of the level's step) make intervals.
 * Most of these touch, and they are united before a bit is set. Other rows go through the kernel of
 * count_bits.h, gathered first if they have a step, and only the words between a row's ends are
 * read. With no_fast_paths everything goes through the kernel, in full length.
 */
#include "core/solver/row_sums.h"

#include <string.h>

/* The rows of one half, as they are or gathered. */
struct half {
    const struct skr_span *span;
    const uint64_t *bits; /* of the span, or gathered */
    int32_t words;        /* of a row */
};

struct work {
    struct skr_run *run;
    struct skr_span *span;
    struct half left, right;
    uint64_t *sums; /* of the span, or gathered */
    int32_t words;  /* of a row of sums */
    int32_t law;    /* step of the level; 1 without fast paths */
    int32_t step;   /* counts are divided by it in bits and sums: 1, or law */
    int32_t hi;
};

void skr_row_ends(struct skr_row *row, int32_t words)
{
    row->lo = skr_bits_next(row->bits, words, 0);
    row->hi = row->lo < 0 ? -1 : skr_bits_previous(row->bits, words * 64 - 1);
    row->lo = row->lo < 0 ? 0 : row->lo;
}

void skr_row_look(const struct skr_run *run, int32_t level, struct skr_row *row)
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

void skr_span_settle(const struct skr_run *run, struct skr_span *span)
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

/* ---- rows that are bits ---- */

static bool all_rows_are_runs(const struct skr_span *span)
{
    for (int32_t u = 0; u < span->rows.n; u++) {
        const struct skr_row *row = &span->rows.row[u];
        if (row->lo <= row->hi && !row->is_run) {
            return false;
        }
    }
    return true;
}

static struct half gather(const struct skr_span *span, int32_t most, int32_t step, uint64_t *into)
{
    int32_t words = span->words < most ? span->words : most;
    struct half half = {.span = span, .bits = into};
    half.words = skr_bits_gathered_words(words, step);
    for (int32_t row = 0; row < span->rows.n; row++) {
        skr_bits_gather(into + (size_t)row * (size_t)half.words, skr_span_row(span, row), words,
                        step);
    }
    return half;
}

/* Gathers both halves, and makes room for gathered sums. False: out of memory. */
static bool gather_all(struct work *w)
{
    struct skr_run *run = w->run;
    const struct skr_span *left = w->span->left;
    const struct skr_span *right = w->span->right;
    w->step = w->law;
    w->words = skr_bits_gathered_words(w->span->words, w->step);
    size_t row = (size_t)w->words;
    size_t need = ((size_t)left->rows.n + (size_t)right->rows.n + (size_t)w->span->rows.n) * row;
    if (need > run->n_gathered) {
        run->gathered = skr_run_alloc(run, 2 * need, sizeof(uint64_t));
        run->n_gathered = !run->gathered ? 0 : 2 * need;
        if (!run->gathered) {
            return false;
        }
    }
    w->sums = run->gathered;
    uint64_t *next = w->sums + (size_t)w->span->rows.n * row;
    memset(w->sums, 0, (size_t)w->span->rows.n * row * sizeof *w->sums);
    w->left = gather(left, w->span->words, w->step, next);
    w->right = gather(right, w->span->words, w->step, next + (size_t)left->rows.n * row);
    return true;
}

/* Sums of row a and row b by the kernel, between their ends. */
static void add_bits(const struct work *w, int32_t a, const struct skr_row *left, int32_t b,
                     const struct skr_row *right)
{
    bool whole = w->run->plain;
    int32_t skip_a = whole ? 0 : left->lo / w->step / 64;
    int32_t skip_b = whole ? 0 : right->lo / w->step / 64;
    int32_t skip = skip_a + skip_b;
    if (skip >= w->words) {
        return;
    }
    int32_t end_a = left->hi / w->step / 64 + 1;
    int32_t end_b = right->hi / w->step / 64 + 1;
    end_a = whole || end_a > w->left.words ? w->left.words : end_a;
    end_b = whole || end_b > w->right.words ? w->right.words : end_b;
    int32_t words = end_a - skip_a + end_b - skip_b;
    if (end_a <= skip_a || end_b <= skip_b) {
        return;
    }
    words = whole || words > w->words - skip ? w->words - skip : words;
    skr_bits_add_sums(w->sums + (size_t)(a + b) * (size_t)w->words + skip, words,
                      w->left.bits + (size_t)a * (size_t)w->left.words + skip_a, end_a - skip_a,
                      w->right.bits + (size_t)b * (size_t)w->right.words + skip_b, end_b - skip_b,
                      w->run->bits_tmp);
}

/* ---- rows that are runs ---- */

struct intervals {
    struct skr_row last; /* not written yet; hi < lo: none */
    struct skr_row ends; /* of all of them */
    int32_t written;
};

static void write_last(const struct work *w, int32_t row, struct intervals *all)
{
    if (all->last.lo <= all->last.hi) {
        uint64_t *bits = w->span->bits + (size_t)row * (size_t)w->span->words;
        skr_bits_set_progression(bits, all->last.lo, all->last.hi, w->law);
        all->written++;
    }
}

static void add_interval(const struct work *w, int32_t row, int32_t lo, int32_t hi,
                         struct intervals *all)
{
    struct skr_row *last = &all->last;
    if (last->lo <= last->hi && lo <= last->hi + w->law && hi >= last->lo - w->law) {
        last->lo = lo < last->lo ? lo : last->lo;
        last->hi = hi > last->hi ? hi : last->hi;
    } else {
        write_last(w, row, all);
        *last = (struct skr_row){.lo = lo, .hi = hi};
    }
    bool first = all->ends.hi < all->ends.lo;
    all->ends.lo = first || lo < all->ends.lo ? lo : all->ends.lo;
    all->ends.hi = first || hi > all->ends.hi ? hi : all->ends.hi;
}

/* Row `row` of the pair. */
static void sum_row(const struct work *w, int32_t row)
{
    struct skr_span *span = w->span;
    struct intervals all = {.last = {.hi = -1}, .ends = {.hi = -1}};
    bool runs_alone = true;
    int32_t first = row < span->right->rows.n ? 0 : row - span->right->rows.n + 1;
    for (int32_t a = first; a < span->left->rows.n && a <= row; a++) {
        const struct skr_row *left = &span->left->rows.row[a];
        const struct skr_row *right = &span->right->rows.row[row - a];
        int32_t lo = left->lo + right->lo;
        if (left->hi < left->lo || right->hi < right->lo || lo > w->hi) {
            continue;
        }
        if (left->is_run && right->is_run) {
            int32_t hi = right->hi < w->hi - left->hi ? left->hi + right->hi : w->hi;
            add_interval(w, row, lo, hi - (hi - lo) % w->law, &all);
        } else {
            add_bits(w, a, left, row - a, right);
            runs_alone = false;
        }
    }
    write_last(w, row, &all);
    uint64_t *bits = span->bits + (size_t)row * (size_t)span->words;
    if (!runs_alone && w->step > 1) {
        skr_bits_scatter(bits, span->words, w->sums + (size_t)row * (size_t)w->words, w->step);
    }
    skr_bits_clear_above(bits, span->words, w->hi);
    struct skr_row *ret = &skr_dense_rows(span)[row];
    if (runs_alone) {
        ret->lo = all.ends.lo;
        ret->hi = all.ends.hi;
        ret->is_run = all.written == 1;
    } else {
        skr_row_ends(ret, span->words);
        skr_row_look(w->run, span->level, ret);
    }
}

bool skr_row_sums(struct skr_run *run, struct skr_span *span, int32_t hi)
{
    const struct skr_span *left = span->left;
    const struct skr_span *right = span->right;
    struct work w = {.run = run,
                     .span = span,
                     .left = {.span = left, .bits = left->bits, .words = left->words},
                     .right = {.span = right, .bits = right->bits, .words = right->words},
                     .sums = span->bits,
                     .words = span->words,
                     .law = run->plain ? 1 : run->law[span->level].step,
                     .step = 1,
                     .hi = hi};
    if (w.law > 1 && !(all_rows_are_runs(left) && all_rows_are_runs(right)) && !gather_all(&w)) {
        return false;
    }
    for (int32_t row = 0; row < span->rows.n; row++) {
        sum_row(&w, row);
    }
    skr_span_settle(run, span);
    return true;
}
