/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SCHEDULERS_H
#define SKR_SERVER_DAEMON_SCHEDULERS_H
/* The table of services (server/daemon/service.h), by the ids of core/schedulers.h. */
#include "core/schedulers.h"
#include "server/daemon/service.h"

extern const struct skr_scheduler_row *const skr_scheduler_rows[SKR_SCHEDULER_COUNT];

#endif
