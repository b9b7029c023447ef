/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_AWAY_H
#define SKR_CORE_GANG_TIME_AWAY_H
/* A round on its way to another thread and back: its input, and the answer. Private to
 * core/gang/time. */
#include "core/gang/time/gather.h"

struct away {
    struct gathering in;
    struct skr_round round;
    int (*run)(struct skr_round *round, struct skr_error *error);
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
