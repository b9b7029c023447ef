/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_AWAY_H
#define SKR_CORE_GANG_TIME_AWAY_H
/* A round on its way to another thread and back: its input, and the answer. Private to
 * core/gang/time. */
#include "core/gang/time/gather.h"
#include "core/gang/time/would_move.h"

/* Moves for one group of the round. */
struct away_moves {
    struct skr_movers movers;
    size_t of;     /* the group */
    int64_t after; /* skr_movers_is_soon() */
    int32_t most;  /* groups that move together */
    struct skr_moves found;
};

struct away {
    struct gathering in;
    struct skr_round round;
    int (*run)(struct skr_round *round, struct skr_error *error);
    struct away_moves *moves; /* owned; NULL: none are sought */
    int rc;
    struct skr_error error;
};

/* Of now; the caller runs the gathering, and destroys it or sends it. */
struct away *skr_away_create(struct skr_gang *e,
                             int (*run)(struct skr_round *round, struct skr_error *error));
void skr_away_destroy(void *away);
/* Hands it over and returns the id of the work, whose request has it as input. The round gets what was
 * gathered. aside: it delays no plan. */
uint64_t skr_away_send(struct skr_gang *e, struct away *a, bool aside);

#endif
