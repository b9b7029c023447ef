/* SPDX-License-Identifier: Apache-2.0 */
/* Whether kube-scheduler is alive, by its asking. */
#include "core/gang/pulse.h"

void pulse_heard(struct skr_gang *e)
{
    if (skr_frame_now(e->frame) > e->pulse.last + SKR_KICK_PATIENCE_S * SKR_SECOND) {
        e->pulse.since = skr_frame_now(e->frame);
    }
    e->pulse.last = skr_frame_now(e->frame);
}

void pulse_restarted(struct skr_gang *e)
{
    e->pulse.since = skr_frame_now(e->frame);
}
