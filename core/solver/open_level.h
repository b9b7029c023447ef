/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPEN_LEVEL_H
#define SKR_CORE_SOLVER_OPEN_LEVEL_H
/*
 * Opening a level of the choice graph: which sibling sets the levels above still want, with which
 * vectors, and the states and edges inside them that are best by the first word of the level's keys.
 * Internal to the solver.
 */
#include "core/solver/feasible_sets.h"
#include "core/solver/weight_words.h"

/* A graph with the root's port, which wants the members of the run, > 0. False when the run had to
 * stop. */
bool skr_graph_begin(struct skr_graph *graph, struct skr_run *run, const struct skr_feasible *sets);
/* Opens the next level, to which the words belong: makes its ports, weighs its first word, tightens the
 * levels above, and makes its states. *ret_choice: whether more than one placement may be left. False
 * when the run had to stop. */
bool skr_graph_open(struct skr_graph *graph, struct skr_words *words, bool *ret_choice);

#endif
