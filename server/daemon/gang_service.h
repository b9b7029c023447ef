/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GANG_SERVICE_H
#define SKR_SERVER_DAEMON_GANG_SERVICE_H
/* The gang scheduler in the daemon: the extender's verbs, the gate webhook, pages and explanations
 * for people, metrics. */
#include "server/daemon/service.h"

extern const struct skr_scheduler_row skr_gang_service;

#endif
