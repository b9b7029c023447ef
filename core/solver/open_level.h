/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPEN_LEVEL_H
#define SKR_CORE_SOLVER_OPEN_LEVEL_H
/*
 * Opening a level of the choice graph: which sibling sets the levels above still want, with which
 * totals, and the states and edges inside them that are best by the first word of the level's key.
 * Internal to the solver.
 */
#include "core/solver/feasible_sets.h"
#include "core/solver/weight_words.h"

/* A graph with the root's port, which wants run->n > 0. It is opened level by level. False when the
 * run had to stop. */
bool skr_graph_begin(struct skr_graph *graph, struct skr_run *run,
                     const struct skr_feasible *feasible);

/* dense_pass.c: makes states and edges of the level whose spans are listed, by the first word.
 * Ports of the level that lead nowhere, and everything above that needs them, are dropped. */
bool skr_dense_pass(struct skr_graph *graph, const struct skr_words *words, bool *ret_choice);

#endif
