/* SPDX-License-Identifier: Apache-2.0 */
/* Answers and refusals of the pages below /v1. */
#include "server/http/json_reply.h"

#include "core/gang/state/pages.h"

void skr_http_reply_json(struct skr_http_request *request, int code, struct skr_strbuf *text)
{
    size_t len = 0;

    skr_strbuf_addc(text, '\n');
    char *body = skr_strbuf_take(text, &len);
    skr_http_reply(request, (unsigned)code, "application/json", body, len);
}

void skr_http_refuse_json(struct skr_http_request *request, int code, const char *message)
{
    struct skr_strbuf out;

    skr_strbuf_init(&out);
    skr_view_write_status(&out, code, message);
    skr_http_reply_json(request, code, &out);
}
