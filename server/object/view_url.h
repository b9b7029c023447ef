/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_VIEW_URL_H
#define SKR_SERVER_OBJECT_VIEW_URL_H
/* The pages of core/gang/state/pages.h as URLs: what the client asks for, and the way through the API
 * server to the daemon's Service. */
#include "core/gang/state/pages.h"
#include "topology/base/strbuf.h"

/* NAMESPACE/[SCHEME:]NAME[:PORT] */
#define SKR_VIEW_SERVICE_NAMESPACE "sakkara"
#define SKR_VIEW_SERVICE_NAME      "http:sakkara:9662"
#define SKR_VIEW_SERVICE           SKR_VIEW_SERVICE_NAMESPACE "/" SKR_VIEW_SERVICE_NAME
/* The path at which a sandbox, and no other API server, says where its daemon listens. */
#define SKR_VIEW_SANDBOX "/sandbox/v1/daemon"

/* Appends path and arguments as they stand in a URL; selects is left out. */
void skr_view_url_write(const struct skr_view_query *query, struct skr_strbuf *out);
/* The daemon's path inside one of the API server that leads through SKR_VIEW_SERVICE; NULL when it
 * does not. Borrowed from path. */
const char *skr_view_url_of_service(const char *path);

#endif
