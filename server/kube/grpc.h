/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_GRPC_H
#define SKR_SERVER_KUBE_GRPC_H
/*
 * Unary calls of gRPC on a transfer: one message there, one back
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). The transfer speaks HTTP/2; the
 * outcome of a call is in its trailers. No compression, no streams.
 */
#include "server/kube/transfer.h"

enum {
    SKR_GRPC_HEAD_BYTES = 5,               /* before a message: whether it is compressed, length */
    SKR_GRPC_ANSWER_BYTES_MAX = 64 * 1024, /* of an answer with its head */
};

/* Whether the libcurl of this machine can do it: HTTP/2, and trailers of an answer. Otherwise *ret_why
 * (NULL allowed) says what is missing. */
bool skr_grpc_is_possible(const char **ret_why);

/* Appends a message behind its head. Its length must fit into 32 bits. */
void skr_grpc_frame(const void *message, size_t n, struct skr_strbuf *out);
/* The one message of a body; *ret borrows it. SKR_INVALID. */
int skr_grpc_unframe(const void *body, size_t n, const void **ret, size_t *ret_n,
                     struct skr_error *error);

/* Starts a call: url names host and method, message has its head and is borrowed until the end. The
 * transfer collects the answer in its body. Errors: as skr_transfer_start(). */
int skr_grpc_start(struct skr_transfer *transfer, const char *url, const struct skr_strbuf *message,
                   int64_t timeout_ms, struct skr_error *error);
/* The message of the answer when the call has ended with result; borrowed from the transfer's body.
 * The same failure has the same text at each call. Errors: SKR_RETRY: no answer; SKR_INVALID: an
 * answer that is none of gRPC; SKR_DENIED: grpc-status of the server is not OK. */
int skr_grpc_finish(const struct skr_transfer *transfer, CURLcode result, const void **ret,
                    size_t *ret_n, struct skr_error *error);

#endif
