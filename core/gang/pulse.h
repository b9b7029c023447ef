/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PULSE_H
#define SKR_CORE_GANG_PULSE_H
/* Whether kube-scheduler is alive, by its asking. */
#include "core/gang/gang.h"

enum { SKR_KICK_PATIENCE_S = 15 }; /* kicked and neither asked nor parked */

void pulse_heard(struct skr_gang *e); /* it asks now */
/* It may have started anew, with everything to do: patience begins again. */
void pulse_restarted(struct skr_gang *e);

#endif
