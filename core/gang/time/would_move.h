/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_WOULD_MOVE_H
#define SKR_CORE_GANG_TIME_WOULD_MOVE_H
/*
 * The moves by which a waiting group would fit now, on paper, after a round (core/time/moves.h).
 *
 * Candidates are groups with key movable that have run for SKR_MOVE_REST_S, wait for nothing, are no
 * victims, have no higher priority than the waiting group, and whose pods no PodDisruptionBudget keeps.
 * Groups of several roles are none. Private to core/gang/time.
 */
#include "core/gang/time/gather.h"

enum { SKR_MOVE_REST_S = 600 };

/* Of the complete group i, which is no one's preemptor. *ret: in the arena of the gathering; NULL:
 * none. *ret_open: none was found, and that is no proof. Errors: SKR_LIMIT, those of
 * skr_moves_find(). */
int skr_would_move(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                   const struct skr_timeline_moves **ret, bool *ret_open, struct skr_error *error);

#endif
