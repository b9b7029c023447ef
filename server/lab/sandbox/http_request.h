/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_HTTP_REQUEST_H
#define SKR_SERVER_LAB_SANDBOX_HTTP_REQUEST_H
/*
 * Converts an HTTP request to one of the store: method, path, parameters, content types, body. Uses
 * the listener's requests, no threads or locks.
 */
#include "server/http/listener.h"
#include "server/lab/sandbox/route.h"
#include "server/lab/sandbox/stream.h"

struct skr_api_request {
    struct skr_route route;
    struct skr_store_request store; /* borrows route, the parameters and body */
    json_t *body;
    enum skr_stream_shape shape;
    enum skr_table_include include;
    bool watch;
    bool bookmarks;
    bool from_now;     /* of a watch: no resourceVersion, or 0 */
    uint64_t revision; /* of a watch */
    int64_t timeout_s; /* of a watch; 0: none */
};

/* False: reply has the error. *ret: skr_api_request_fini() in both cases. */
bool skr_api_request_parse(struct skr_http_request *request, struct skr_api_request *ret,
                           struct skr_store_reply *reply);
void skr_api_request_fini(struct skr_api_request *request);

#endif
