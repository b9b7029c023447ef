/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_JSON_REPLY_H
#define SKR_SERVER_HTTP_JSON_REPLY_H
/* Answers of the pages below /v1: JSON with a line end, and refusals as a Status. On the listener's
 * thread. */
#include "server/http/listener.h"

/* text becomes empty. */
void skr_http_reply_json(struct skr_http_request *request, int code, struct skr_strbuf *text);
/* message: one line, "sakkara: ..."; copied. */
void skr_http_refuse_json(struct skr_http_request *request, int code, const char *message);

#endif
