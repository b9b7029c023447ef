/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_WOULD_REPLACE_H
#define SKR_CORE_GANG_TIME_WOULD_REPLACE_H
/*
 * Where members on lost nodes would go, on paper, after a round: of groups with key replace, beside all
 * that starts and is reserved.
 *
 * A node is lost if its condition Ready has not been True for time.failAfter, if it has the taint
 * node.kubernetes.io/out-of-service, or if it is deleted. early: the members that run elsewhere stay,
 * and the rules hold for all of them together. whole: if there is no such place, all members go to one
 * that is free or their own. Groups of several roles have no place as a whole.
 *
 * Private to core/gang/time.
 */
#include "core/gang/time/gather.h"

/* Fills the row of each bound group that would replace members; adds one if it has none. Errors:
 * SKR_LIMIT, those of skr_solve(). */
int skr_would_replace(struct gathering *in, struct skr_solver_cache *cache,
                      struct skr_timeline_answer *ret, struct skr_error *error);

#endif
