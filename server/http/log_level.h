/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_LOG_LEVEL_H
#define SKR_SERVER_HTTP_LOG_LEVEL_H
/*
 * The log level of a running daemon: GET answers it, PUT with a number from 0 to 10 sets it. Only
 * callers on this machine may set it (in a pod: `kubectl port-forward` or exec), and web pages may
 * not: a high level can fill a disk, and shows more of the cluster.
 */
#include "server/http/admin.h"

/* "/v1/loglevel" */
struct skr_admin_route skr_log_level_route(void);

#endif
