/* SPDX-License-Identifier: Apache-2.0 */
/* Whether kube-scheduler is alive, by its asking. */
#include "core/gang/state.h"

void engine_verb(struct skr_engine *e)
{
    if (e->now > e->last_verb_at + SKR_KICK_PATIENCE_S * SKR_SECOND) {
        e->verbs_since = e->now;
    }
    e->last_verb_at = e->now;
}
