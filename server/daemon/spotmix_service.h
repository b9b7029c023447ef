/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SPOTMIX_SERVICE_H
#define SKR_SERVER_DAEMON_SPOTMIX_SERVICE_H
/* The spot mix in the daemon: its webhook, its page and its metrics. */
#include "server/daemon/service.h"

extern const struct skr_scheduler_row skr_spotmix_service;

#endif
