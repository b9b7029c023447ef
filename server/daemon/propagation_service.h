/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_PROPAGATION_SERVICE_H
#define SKR_SERVER_DAEMON_PROPAGATION_SERVICE_H
/* The scheduler of Karmada's bindings in the daemon: its options and metrics. It serves nobody. */
#include "server/daemon/service.h"

extern const struct skr_scheduler_row skr_propagation_service;

#endif
