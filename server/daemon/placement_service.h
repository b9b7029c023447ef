/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_PLACEMENT_SERVICE_H
#define SKR_SERVER_DAEMON_PLACEMENT_SERVICE_H
/* The scheduler of OCM Placements in the daemon: its options and metrics. It serves nobody. */
#include "server/daemon/service.h"

extern const struct skr_scheduler_row skr_placement_service;

#endif
