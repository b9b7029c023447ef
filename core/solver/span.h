/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SPAN_H
#define SKR_CORE_SOLVER_SPAN_H
/*
 * Spans: neighbouring siblings and the totals they can hold together.
 *
 * A span is one unit, or two spans side by side; a whole sibling set is one span, paired up as a
 * balanced binary tree in tree order:
 *
 *            {a b c d}          totals = sums of the totals of the two halves
 *            /       \
 *        {a b}       {c d}
 *        /   \       /   \
 *       a     b     c     d     totals = what the unit may hold: S(unit), and allowed on its level
 *
 * Where the level limits the number of used children (partitions, hard pack) the totals are kept
 * apart by that number: row u of the bits holds the totals that u used units can reach.
 *
 * Spans are interned: equal units are the same span, and two pairs of the same spans are too, so
 * racks with equal contents are one object and are worked on once. (Not with no_fast_paths.) A span
 * of units that can hold nothing but 0 does not exist: it is left out, written as NULL.
 *
 * Memory: the arena of the run.
 */
#include "core/solver/count_bits.h"
#include "core/solver/solve_run.h"

struct skr_span_note; /* choice_graph.h */

/* One row of the bits: ends, hi < lo when it is empty; is_run: lo, lo + step, ..., hi, with the
 * step of the level's law. */
struct skr_row {
    int32_t lo, hi;
    bool is_run;
};

struct skr_span {
    int32_t id;          /* order of making: parts have smaller ids than the whole */
    int32_t level;       /* of the units in it */
    int32_t n_units;     /* in it, those that can hold nothing but 0 left out */
    int32_t rows;        /* 1; or, where the level counts used units, the most used + 1 */
    int32_t lo, hi;      /* least and greatest total of all rows; hi < lo: no total is possible */
    int32_t words;       /* of one row */
    uint64_t *bits;      /* [rows * words] */
    struct skr_row *row; /* [rows]; NULL: one row, see lo, hi and step */
    int32_t step; /* one row, or a unit: its counts are lo, lo + step, ..., hi; 0: they are not */
    int64_t room; /* unit: see SKR_TIE_TIGHT; 0 with SKR_TIE_TREE */
    struct skr_span *left, *right; /* NULL for a unit */
    struct skr_span *inside;       /* unit: the span of its children; NULL for a leaf */

    struct skr_span_note *note; /* of the second half of the method; NULL: none yet */
};

static inline const uint64_t *skr_span_row(const struct skr_span *span, int32_t row)
{
    return span->bits + (size_t)row * (size_t)span->words;
}

/* Whether one unit, or one row, holds every count of lo .. hi, these being at least one. */
static inline bool skr_span_is_interval(const struct skr_span *span)
{
    return span->step == 1 || span->lo == span->hi;
}

/* Whether row used units (row 0 where the level does not count them) can reach total. */
bool skr_span_has(const struct skr_span *span, int32_t row, int32_t total);

/* An empty table for the run. base: NULL, or a run whose spans may be parts of the new ones.
 * shared: base has the laws and n of this run, so its own spans are found, too. They do not change,
 * except for the notes of the second half, which skr_spans_drop_notes() removes again. */
bool skr_spans_init(struct skr_run *run, const struct skr_run *base, bool shared);
/* The span's note, made when there is none. False without memory. */
bool skr_span_take_note(struct skr_run *run, struct skr_span *span);
/* All notes of the run; before its memory goes. */
void skr_spans_drop_notes(struct skr_run *run);

/* The span of one unit that may hold the counts in bits (words of them, words <= n / 64 + 1;
 * copied). inside: span of its children, NULL for a leaf. NULL: out of memory or cancelled. */
struct skr_span *skr_span_unit(struct skr_run *run, int32_t level, struct skr_span *inside,
                               int64_t room, const uint64_t *bits, int32_t words);
/* left and right, side by side; totals above n are dropped. Either may be NULL (holds 0 only).
 * False: out of memory or cancelled. */
bool skr_span_join(struct skr_run *run, struct skr_span *left, struct skr_span *right,
                   struct skr_span **ret);
/* All n >= 1 of item (NULL: holds 0 only) side by side: pairs of neighbours, then pairs of these,
 * and so on. rounds gets them, round by round, at most n + 32 entries; may be item itself. NULL in
 * *ret: all hold 0 only. False: out of memory or cancelled. */
bool skr_span_all(struct skr_run *run, struct skr_span *const *item, int32_t n,
                  struct skr_span **rounds, struct skr_span **ret);
/* Whether the set is {0}: a unit that can hold nothing else is left out. */
bool skr_bits_only_zero(const uint64_t *bits, int32_t words);

/* The units of a span in tree order into ret[n_units]. */
void skr_span_units(struct skr_span *span, struct skr_span **ret);

/* Row of a whole sibling set in which its parent's total must stand: 0, or the law's used. */
static inline int32_t skr_law_row(const struct skr_law *law)
{
    return law->used;
}

#endif
