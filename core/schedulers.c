/* SPDX-License-Identifier: Apache-2.0 */
#include "core/schedulers.h"

#include "core/gang/scheduler.h"
#include "core/spotmix/scheduler.h"

const struct skr_scheduler *const skr_schedulers[SKR_SCHEDULER_COUNT] = {
    [SKR_SCHEDULER_GANG] = &skr_gang_scheduler,
    [SKR_SCHEDULER_SPOTMIX] = &skr_spotmix_scheduler,
};
