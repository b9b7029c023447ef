/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_BOTTLENECK_H
#define SKR_CORE_SOLVER_BOTTLENECK_H
/* Why a group is infeasible: class, largest feasible size, deciding level and its units. Internal.
 */
#include "core/solver/feasible_sets.h"

/* run->n must not be in S(root) of feasible. False when the run had to stop. */
bool skr_bottleneck_explain(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret);

#endif
