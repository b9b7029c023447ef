/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROW_SUMS_H
#define SKR_CORE_SOLVER_ROW_SUMS_H
/* The totals of a pair of spans, from those of its halves. Internal to the solver. */
#include "core/solver/span.h"

/* The ends of a row; of the span itself where it has one row. */
struct skr_row skr_row_of(const struct skr_run *run, const struct skr_span *span, int32_t row);
/* Sets the ends of the span and of its rows from the bits. */
void skr_row_ends(const struct skr_run *run, struct skr_span *span);
/* Sets bits and ends of a pair, whose bits are 0. Totals above hi are dropped. False: out of
 * memory. */
bool skr_row_sums(struct skr_run *run, struct skr_span *span, int32_t hi);

#endif
