/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROW_SUMS_H
#define SKR_CORE_SOLVER_ROW_SUMS_H
/* The totals of a pair of spans of equal members, from those of its halves. Internal to the solver. */
#include "core/solver/span.h"

/* The rows of a span while it is made; they follow its bits. */
static inline struct skr_row *skr_dense_rows(const struct skr_span *span)
{
    return (struct skr_row *)(void *)(span->bits + (size_t)span->rows.n * (size_t)span->words);
}

/* Sets lo and hi of a row from its bits, words of them. */
void skr_row_ends(struct skr_row *row, int32_t words);
/* Sets is_run of a row of the level, whose ends are set. */
void skr_row_look(const struct skr_run *run, int32_t level, struct skr_row *row);
/* Sets what follows from the rows of a span. */
void skr_span_settle(const struct skr_run *run, struct skr_span *span);
/* Sets bits and ends of a pair, whose bits are 0. Totals above hi are dropped. False: out of
 * memory. */
bool skr_row_sums(struct skr_run *run, struct skr_span *span, int32_t hi);

#endif
