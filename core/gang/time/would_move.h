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
#include "core/gang/report/pauses.h"
#include "core/gang/time/gather.h"
#include "core/time/moves.h"

enum { SKR_MOVE_REST_S = 600 }; /* since it was bound */

/* Groups that may move for one that waits, by name. Zeroed: none. */
struct skr_movers {
    size_t n, cap;
    struct skr_mover *mover;
    struct skr_move_candidate *candidate;
};

/* Of the present event: reads the caches. in has labels of all groups with the key. */
struct skr_movers skr_movers_find(struct gathering *in, const struct group *w);
/* Their problems end as soon as *cancel is true. */
void skr_movers_stop_by(struct skr_movers *m, const atomic_bool *cancel);
const char *skr_movers_key(const struct skr_movers *m, size_t candidate); /* of that group */
void skr_movers_fini(struct skr_movers *m);
/* Whether the group of the round starts now, or is promised within so many seconds: it moves none. */
bool skr_movers_is_soon(const struct gathering *in, const struct skr_round_group *g, int64_t after);
/* Moves for the complete group i, after the round. Follow with skr_moves_fini(ret) in any case. Errors:
 * SKR_LIMIT, those of skr_moves_find(). */
int skr_movers_search(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                      const struct skr_movers *m, int32_t most, struct skr_moves *ret,
                      struct skr_error *error);

/* Of the complete group i, which is no one's preemptor. *ret: in the arena of the gathering; NULL:
 * none. *ret_open: none was found, and that is no proof. Errors: SKR_LIMIT, those of
 * skr_moves_find(). */
int skr_would_move(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                   const struct skr_timeline_moves **ret, bool *ret_open, struct skr_error *error);

#endif
