/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_LOG_LEVEL_H
#define SKR_SERVER_HTTP_LOG_LEVEL_H
/*
 * The log level of a running daemon: GET answers it, PUT with a number from 0 to 10 sets it. Only
 * callers on this machine may set it (in a pod: through `kubectl port-forward` or exec), and no web
 * page in their browser: who can make the log loud can fill a disk and read what a quiet one hides.
 */
#include "server/http/admin.h"

/* "/v1/loglevel"; to be routed before "/v1". */
struct skr_admin_route skr_log_level_route(void);

#endif
