/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_PEEL_H
#define SKR_CORE_SOLVER_PEEL_H
/* Fast path of pack levels whose units' sets have holes. Internal to the solver. */
#include "core/solver/choice_graph.h"

/* Takes counts away from the members of the set that no optimal placement can use, where the level
 * is pack, counts no used units, and every member can be empty; else, or where it does not help,
 * changes nothing. False when the run had to stop. */
bool skr_peel(struct skr_run *run, struct skr_siblings *siblings);

#endif
