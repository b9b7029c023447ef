/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_JSON_REPLY_H
#define SKR_SERVER_HTTP_JSON_REPLY_H
/* How the pages below /v1 are answered: JSON with a line end; refusals as a Status. Both answer the
 * request, on the listener's thread. */
#include "server/http/listener.h"

/* text becomes empty. */
void skr_http_reply_json(struct skr_http_request *request, int code, struct skr_strbuf *text);
/* message: one line, "sakkara: ..."; copied. */
void skr_http_refuse_json(struct skr_http_request *request, int code, const char *message);

#endif
