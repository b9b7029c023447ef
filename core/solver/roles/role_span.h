/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_ROLE_SPAN_H
#define SKR_CORE_SOLVER_ROLES_ROLE_SPAN_H
/*
 * Spans of neighbouring siblings, as core/solver/span.h has them, with rows of vectors in place of
 * totals. Interned: equal units are one span, and so are equal pairs. A unit that can hold nothing
 * but 0 is left out and written as NULL.
 *
 * Internal to the solver; memory of the run.
 */
#include "core/solver/choice_graph.h"
#include "core/solver/roles/rows.h"

enum { SKR_ROLE_RANGES_MAX = 8 };

struct skr_edge;       /* choice_graph.h */
struct skr_role_state; /* role_graph.h */
struct skr_role_ports; /* role_graph.h */

struct skr_role_peak {
    uint64_t key;
    int32_t main;
};

struct skr_role_span {
    struct skr_graph_node node; /* first: see skr_role_span_of() */
    int32_t id;                 /* order of making: parts have smaller ids than the whole */
    int32_t level;              /* of the units in it */
    int32_t n_units;
    struct skr_role_rows rows;
    const struct skr_role_peak *peak; /* [n_peaks], by key; NULL: it has none (role_peaks.h) */
    int32_t n_peaks;
    int64_t room;                       /* unit: see SKR_TIE_TIGHT; 0 with SKR_TIE_TREE */
    struct skr_role_span *left, *right; /* NULL for a unit */
    struct skr_role_span *inside;       /* unit: the span of its children; NULL: none */

    /* Of the second half. */
    struct skr_role_ports *ports; /* whole sibling set that a live choice needs; else NULL */
    int32_t least, most;          /* amounts that the dense pass at hand needs: graph->narrow */
    int32_t n_ranges;             /* of these amounts, ascending; 0: all of least .. most */
    struct {
        int32_t least, most;
    } range[SKR_ROLE_RANGES_MAX];
};

bool skr_role_spans_init(struct skr_role_run *rr);
/* The span of one unit of the level; rows have its counters, and are copied unless they are those
 * of inside. NULL: the run had to stop. */
struct skr_role_span *skr_role_span_unit(struct skr_role_run *rr, int32_t level,
                                         struct skr_role_span *inside, int64_t room,
                                         const struct skr_role_rows *rows);
/* Puts the units of a span to ret[n]. Returns n and their number. The depth is the logarithm of it. */
int32_t skr_role_span_units(struct skr_role_span *span, struct skr_role_span **ret, int32_t n);
/* Whether the span may hold the vector. */
static inline bool skr_role_span_has(const struct skr_role_span *span, uint64_t key, int32_t main)
{
    int32_t k = skr_role_rows_find(&span->rows, key);
    return k >= 0 && skr_role_row_has(&span->rows.row[k], main);
}
/* All n >= 1 of item (NULL: holds 0 only) side by side; item is overwritten. NULL in *ret: all hold
 * 0 only. False: the run had to stop. */
bool skr_role_span_all(struct skr_role_run *rr, struct skr_role_span **item, int32_t n,
                       struct skr_role_span **ret);

#endif
