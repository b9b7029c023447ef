/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call is a POST whose body is one framed message. HTTP status and content type say whether a
 * server of gRPC answered; grpc-status says what came of the call. It is a trailer, or a header of an
 * answer without a body. Servers percent-encode grpc-message; it is shown as it came, without what
 * is not printable.
 */
#include "server/kube/grpc.h"

#include <stdio.h>
#include <string.h>

static const char content_type[] = "application/grpc";

bool skr_grpc_is_possible(const char **ret_why)
{
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    const char *why = !(curl->features & CURL_VERSION_HTTP2) ? "HTTP/2" : NULL;
    if (ret_why) {
        *ret_why = why;
    }
    return !why;
}

void skr_grpc_frame(const void *message, size_t n, struct skr_strbuf *out)
{
    skr_bug_on(n > UINT32_MAX);
    skr_strbuf_addc(out, 0);
    for (int shift = 24; shift >= 0; shift -= 8) {
        skr_strbuf_addc(out, (char)(n >> shift & 0xff));
    }
    skr_strbuf_addn(out, message, n);
}

int skr_grpc_unframe(const void *body, size_t n, const void **ret, size_t *ret_n,
                     struct skr_error *error)
{
    const unsigned char *head = body;
    if (n < SKR_GRPC_HEAD_BYTES) {
        return skr_error_set(error, SKR_INVALID, "the answer has %zu bytes, less than a message",
                             n);
    }
    const uint32_t length = (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16 |
                            (uint32_t)head[3] << 8 | (uint32_t)head[4];
    if (head[0] != 0) {
        return skr_error_set(error, SKR_INVALID, "the answer is compressed");
    }
    if (length != n - SKR_GRPC_HEAD_BYTES) {
        return skr_error_set(error, SKR_INVALID,
                             "the answer has %zu bytes behind its head, which says %lu",
                             n - SKR_GRPC_HEAD_BYTES, (unsigned long)length);
    }
    *ret = head + SKR_GRPC_HEAD_BYTES;
    *ret_n = length;
    return 0;
}

int skr_grpc_start(struct skr_transfer *transfer, const char *url, const struct skr_strbuf *message,
                   int64_t timeout_ms, struct skr_error *error)
{
    const struct skr_transfer_request request = {
        .method = "POST",
        .target = url,
        .content_type = content_type,
        .body = message->s,
        .body_len = message->len,
        .timeout_ms = timeout_ms,
        .grpc = true,
    };
    transfer->body_max = SKR_GRPC_ANSWER_BYTES_MAX;
    return skr_transfer_start(transfer, &request, error);
}

/* The last value of a header, or of a trailer; NULL: there is none. Borrowed until the next one is
 * asked for. */
static const char *find(const struct skr_transfer *transfer, const char *name, unsigned int origin)
{
    struct curl_header *header = NULL;
    return curl_easy_header(transfer->easy, name, 0, origin, -1, &header) == CURLHE_OK
               ? header->value
               : NULL;
}

static const char *find_either(const struct skr_transfer *transfer, const char *name)
{
    const char *value = find(transfer, name, CURLH_TRAILER);
    return value ? value : find(transfer, name, CURLH_HEADER);
}

static int check_status(const struct skr_transfer *transfer, struct skr_error *error)
{
    char code[16];
    char text[128];
    const char *status = find_either(transfer, "grpc-status");
    if (!status) {
        return skr_error_set(error, SKR_INVALID, "the answer has no grpc-status");
    }
    if (strcmp(status, "0") == 0) {
        return 0;
    }
    snprintf(code, sizeof code, "%s", status);
    const char *message = find_either(transfer, "grpc-message");
    snprintf(text, sizeof text, "%s", message ? message : "");
    for (char *c = text; *c; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    for (char *c = code; *c; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    return skr_error_set(error, SKR_DENIED, "grpc-status %s%s%s", code, text[0] ? ": " : "", text);
}

int skr_grpc_finish(const struct skr_transfer *transfer, CURLcode result, const void **ret,
                    size_t *ret_n, struct skr_error *error)
{
    if (transfer->too_large) {
        return skr_error_set(error, SKR_INVALID, "the answer has more than %zu bytes",
                             transfer->body_max);
    }
    if (result == CURLE_OPERATION_TIMEDOUT) {
        return skr_error_set(error, SKR_RETRY, "no answer in time");
    }
    if (result != CURLE_OK) {
        return skr_error_set(error, SKR_RETRY, "%s", curl_easy_strerror(result));
    }
    const int status = skr_transfer_status(transfer);
    const char *type = find(transfer, "content-type", CURLH_HEADER);
    if (status != 200 || !type || strncmp(type, content_type, sizeof content_type - 1) != 0) {
        return skr_error_set(error, SKR_INVALID, "HTTP status %d, and no answer of gRPC", status);
    }
    const int rc = check_status(transfer, error);
    return rc < 0 ? rc
                  : skr_grpc_unframe(transfer->body->s, transfer->body->len, ret, ret_n, error);
}
