/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SCHEDULERS_H
#define SKR_CORE_SCHEDULERS_H
/* All schedulers there are: the one table in core/. Its order is that of the table in server/
 * (server/daemon/schedulers.h). */
#include "core/frame/scheduler.h"

enum skr_scheduler_id { SKR_SCHEDULER_GANG, SKR_SCHEDULER_SPOTMIX, SKR_SCHEDULER_COUNT };

extern const struct skr_scheduler *const skr_schedulers[SKR_SCHEDULER_COUNT];

#endif
