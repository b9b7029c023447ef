/* SPDX-License-Identifier: Apache-2.0 */
/* The table of schedulers in the daemon. */
#include "server/daemon/schedulers.h"

#include "server/daemon/fleet_service.h"
#include "server/daemon/gang_service.h"
#include "server/daemon/spotmix_service.h"

const struct skr_scheduler_row *const skr_scheduler_rows[SKR_SCHEDULER_COUNT] = {
    [SKR_SCHEDULER_GANG] = &skr_gang_service,
    [SKR_SCHEDULER_PLACEMENT] = &skr_placement_service,
    [SKR_SCHEDULER_PROPAGATION] = &skr_propagation_service,
    [SKR_SCHEDULER_SPOTMIX] = &skr_spotmix_service,
};
