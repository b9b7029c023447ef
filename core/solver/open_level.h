/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPEN_LEVEL_H
#define SKR_CORE_SOLVER_OPEN_LEVEL_H
/*
 * Opening a level of the choice graph: which sibling sets the levels above still want, with which
 * totals, and the states and edges inside them that are best by the first word of the level's key.
 * Internal to the solver.
 */
#include "core/solver/span.h"
#include "core/solver/weight_words.h"

/* Root of the graph: the span of the root's children must hold run->n. Then levels 1, 2, ... in
 * order. False when the run had to stop. *ret_choice: whether more than one placement may be left.
 */
bool skr_graph_begin(struct skr_graph *graph, struct skr_run *run, struct skr_span *root);
bool skr_graph_open_level(struct skr_graph *graph, struct skr_words *words, bool *ret_choice);

/* The counts that live states of the level's units have, into bits[n / 64 + 1]. */
void skr_graph_counts(const struct skr_graph *graph, int32_t level, uint64_t *bits);

/* dense_pass.c: makes states and edges of the level whose spans are listed, by the first word.
 * Ports of the level that lead nowhere, and everything above that needs them, are dropped. */
bool skr_dense_pass(struct skr_graph *graph, int32_t level, const int64_t *by_count,
                    bool *ret_choice);

#endif
