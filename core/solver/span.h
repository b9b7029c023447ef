/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SPAN_H
#define SKR_CORE_SOLVER_SPAN_H
/*
 * Spans: neighbouring siblings and what they can hold together.
 *
 * A span is one unit, or two spans side by side; a whole sibling set is one span, paired up as a
 * balanced binary tree in tree order:
 *
 *            {a b c d}          rows = sums of the rows of the two halves
 *            /       \
 *        {a b}       {c d}
 *        /   \       /   \
 *       a     b     c     d     rows = what the unit may hold: S(unit), and allowed on its level
 *
 * A row is a set of vectors, and its key has a counter for each rule that limits the number of used
 * children (rows.h). Of equal members the row of key u holds the totals that u used units can reach,
 * where the level limits the number of used children (partitions, hard pack); elsewhere all.
 *
 * Spans are interned: equal units are the same span, and two pairs of the same spans are too, so
 * racks with equal contents are one object and are worked on once. (Not with no_fast_paths.) A span
 * of units that can hold nothing but 0 does not exist: it is left out, written as NULL.
 *
 * Internal to the solver. Memory: the arena of the run.
 */
#include "core/solver/choice_graph.h"
#include "core/solver/rows.h"

enum { SKR_ROLE_RANGES_MAX = 8 };

struct skr_role_peak {
    uint64_t key;
    int32_t main;
};

/* What the second half writes about a span. */
struct skr_span_note {
    struct skr_graph_node node; /* first: see skr_span_of() */
    struct skr_span *span;
    struct skr_span_note *next;    /* of the run */
    struct skr_siblings *siblings; /* of a whole sibling set that a live choice needs; else NULL */
    int32_t least, most; /* of roles: amounts that the dense pass at hand needs: graph->narrow */
    int32_t n_ranges;    /* of these amounts, ascending; 0: all of least .. most */
    struct {
        int32_t least, most;
    } range[SKR_ROLE_RANGES_MAX];
};

struct skr_span {
    int32_t id;      /* order of making: parts have smaller ids than the whole */
    int32_t level;   /* of the units in it */
    int32_t n_units; /* in it, those that can hold nothing but 0 left out */
    struct skr_rows rows;
    int64_t room;                  /* unit: see SKR_TIE_TIGHT; 0 with SKR_TIE_TREE */
    struct skr_span *left, *right; /* NULL for a unit */
    struct skr_span *inside;       /* unit: the span of its children; NULL: it has none */

    int32_t lo, hi; /* least and greatest main count of all rows; hi < lo: there is none */

    /* Of roles. */
    const struct skr_role_peak *peak; /* [n_peaks], by key; NULL: it has none (role_peaks.h) */
    int32_t n_peaks;

    struct skr_span_note *note; /* NULL: not in use by the second half */
};

static inline struct skr_span *skr_span_of(const struct skr_graph_node *node)
{
    return ((const struct skr_span_note *)(const void *)node)->span;
}

static inline struct skr_span *skr_span_at(const struct skr_graph_level *level, int32_t i)
{
    return skr_span_of(level->node[i]);
}

static inline uint64_t skr_state_key(const struct skr_graph_node *node,
                                     const struct skr_state *state)
{
    return skr_span_of(node)->rows.row[state->row].key;
}

/* Whether a unit of equal members holds every count of lo .. hi, these being at least one. */
static inline bool skr_span_is_interval(const struct skr_span *unit)
{
    const int32_t last = unit->rows.n - 1;
    const struct skr_row *row = &unit->rows.row[last < 0 ? 0 : last];
    return last >= 0 && !row->bits && row->step == 0 && row->lo <= unit->lo + last;
}

/* Whether the span may hold the vector. */
static inline bool skr_span_has(const struct skr_span *span, uint64_t key, int32_t main)
{
    int32_t k = skr_rows_find(&span->rows, key);
    return k >= 0 && skr_row_has(&span->rows.row[k], main);
}

/* An empty table for the run. base: NULL, or a run whose spans may be parts of the new ones.
 * shared: base has the laws and n of this run, so its own spans are found, too. They do not change,
 * except for what skr_span_use() says. */
bool skr_spans_init(struct skr_run *run, const struct skr_run *base, bool shared);
/* Gives the span a note in the memory of this run, and its parts as well, where they have none. False:
 * the run had to stop. O(parts without). */
bool skr_span_use(struct skr_run *run, struct skr_span *span, bool parts);
/* Takes the notes away; before the memory of the run goes, where spans outlive it. */
void skr_spans_end_use(struct skr_run *run);

/* The span of one unit of the level; rows have its counters, and are copied. inside: the span of its
 * children, NULL: it has none. NULL: the run had to stop. */
struct skr_span *skr_span_unit(struct skr_run *run, int32_t level, struct skr_span *inside,
                               int64_t room, const struct skr_rows *rows);
/* The same of equal members. bits: the counts, words of them; scratch bit 0. */
struct skr_span *skr_span_of_counts(struct skr_run *run, int32_t level, struct skr_span *inside,
                                    int64_t room, uint64_t *bits, int32_t words);
/* left and right, side by side; vectors beyond those of the group are dropped. Either may be NULL
 * (holds 0 only). False: the run had to stop. */
bool skr_span_join(struct skr_run *run, struct skr_span *left, struct skr_span *right,
                   struct skr_span **ret);
/* All n >= 1 of item (NULL: holds 0 only) side by side: pairs of neighbours, then pairs of these,
 * and so on. rounds gets them, round by round, at most n + 32 entries; may be item itself. NULL in
 * *ret: all hold 0 only. False: the run had to stop. */
bool skr_span_all(struct skr_run *run, struct skr_span *const *item, int32_t n,
                  struct skr_span **rounds, struct skr_span **ret);
/* Whether the set is {0}: a unit that can hold nothing else is left out. */
bool skr_bits_only_zero(const uint64_t *bits, int32_t words);

/* Puts the units of a span to ret[n], in tree order. Returns n and their number. The depth is the
 * logarithm of it. */
int32_t skr_span_units(struct skr_span *span, struct skr_span **ret, int32_t n);

/* Row of a whole sibling set in which its parent's total must stand: 0, or the law's used. */
static inline int32_t skr_law_row(const struct skr_law *law)
{
    return law->used;
}

#endif
