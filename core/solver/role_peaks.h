/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_PEAKS_H
#define SKR_CORE_SOLVER_ROLE_PEAKS_H
/*
 * Sets of vectors that have, with every vector, all smaller ones: those of units whose rules bound
 * counts from above only. Such a set is known by its *peaks*, the vectors that are smaller than no other
 * one of it. The sums of two such sets are what is below the sums of their peaks. There are far fewer
 * pairs of peaks than of rows: a unit that has room for a further side member without giving up a main
 * one has no peak there.
 *
 * Keys index a table, so the fields of a level must be few bits. A fast path: the rows are those of the
 * general merge. Internal to the solver; memory of the run.
 */
#include "core/solver/span.h"

/* The peaks of a span with rows; span->peak stays NULL if it has none, or the level has no table. False:
 * the run had to stop. O(rows * axes). */
bool skr_role_peaks_find(struct skr_role_run *rr, struct skr_span *span);
/* Whether both halves of a pair have peaks, and the pairs of their rows are not fewer than the vectors of
 * the level. */
bool skr_role_peaks_are_fewer(const struct skr_role_run *rr, const struct skr_span *left,
                              const struct skr_span *right);
/* Rows and peaks of such a pair. O(pairs of peaks + vectors of the level * axes). */
bool skr_role_peaks_merge(struct skr_role_run *rr, struct skr_span *span);

#endif
