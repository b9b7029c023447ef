/* SPDX-License-Identifier: Apache-2.0 */
/* Whether kube-scheduler is alive, by its asking. */
#include "core/gang/pulse.h"

void pulse_heard(struct skr_gang *e)
{
    if (e->now > e->pulse.last + SKR_KICK_PATIENCE_S * SKR_SECOND) {
        e->pulse.since = e->now;
    }
    e->pulse.last = e->now;
}

void pulse_restarted(struct skr_gang *e)
{
    e->pulse.since = e->now;
}
