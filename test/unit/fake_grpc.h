/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAKE_GRPC_H
#define SKR_TEST_UNIT_FAKE_GRPC_H
/*
 * A scripted server of gRPC on 127.0.0.1: HTTP/2 by prior knowledge, one thread a connection, as much
 * of it as one unary call after the other needs. What it answers is chosen by a text in the request.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_grpc_mode {
    FAKE_GRPC_ANSWER,   /* data in one frame, and grpc-status 0 */
    FAKE_GRPC_SPLIT,    /* the same in frames of one byte */
    FAKE_GRPC_SILENT,   /* nothing */
    FAKE_GRPC_CLOSE,    /* closes the connection */
    FAKE_GRPC_DENY,     /* no body; grpc-status 16 and a message in the headers */
    FAKE_GRPC_NO_GRPC,  /* HTTP status 404 */
    FAKE_GRPC_NO_STATUS /* data without a trailer */
};

struct fake_grpc_answer {
    const char *match; /* a part of the request's message; NULL: the end of the list */
    enum fake_grpc_mode mode;
    const char *data; /* with its head; n bytes, 0: none */
    size_t n;
};

struct fake_grpc;

/* answers: borrowed for its life. */
struct fake_grpc *fake_grpc_start(const struct fake_grpc_answer *answers);
uint16_t fake_grpc_port(const struct fake_grpc *server);
size_t fake_grpc_connections(struct fake_grpc *server); /* accepted so far */
void fake_grpc_stop(struct fake_grpc *server);

#endif
