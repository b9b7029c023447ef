/* SPDX-License-Identifier: Apache-2.0 */
/* JSON answers and Status refusals of the pages below /v1. */
#include "server/http/json_reply.h"

#include "core/gang/state/pages.h"

void skr_http_reply_json(struct skr_http_request *request, int code, struct skr_strbuf *text)
{
    skr_strbuf_addc(text, '\n');
    skr_http_reply_buffer(request, (unsigned)code, SKR_HTTP_JSON, text);
}

void skr_http_refuse_json(struct skr_http_request *request, int code, const char *message)
{
    SKR_STRBUF(out);
    skr_view_write_status(&out, code, message);
    skr_http_reply_json(request, code, &out);
}
