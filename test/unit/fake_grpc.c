/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of HTTP/2 (RFC 9113) with header blocks of literals without indexing (RFC 7541, 6.2.2), so
 * that no table is needed. Requests are told apart by their data alone; their header blocks are
 * skipped.
 */
#include "test/unit/fake_grpc.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/test.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum frame { FRAME_DATA = 0, FRAME_HEADERS = 1, FRAME_SETTINGS = 4, FRAME_PING = 6 };
enum { FLAG_END_STREAM = 1, FLAG_ACK = 1, FLAG_END_HEADERS = 4 };
enum { CONNECTIONS_MAX = 512, FRAME_MAX = 16384, PREFACE_BYTES = 24, HEAD_BYTES = 9 };

struct fake_grpc {
    const struct fake_grpc_answer *answers;
    int listener;
    uint16_t port;
    pthread_t acceptor;
    atomic_size_t n;
    int socket[CONNECTIONS_MAX];
    pthread_t thread[CONNECTIONS_MAX];
};

struct connection {
    struct fake_grpc *server;
    int socket;
};

static bool read_all(int socket, void *buffer, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t got = recv(socket, (char *)buffer + at, n - at, 0);
        if (got <= 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

static void send_frame(int socket, enum frame type, int flags, uint32_t stream, const void *data,
                       size_t n)
{
    const unsigned char head[HEAD_BYTES] = {
        (unsigned char)(n >> 16),      (unsigned char)(n >> 8),      (unsigned char)n,
        (unsigned char)type,           (unsigned char)flags,         (unsigned char)(stream >> 24),
        (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
    (void)send(socket, head, sizeof head, MSG_NOSIGNAL);
    if (n > 0) {
        (void)send(socket, data, n, MSG_NOSIGNAL);
    }
}

static void add_header(struct skr_strbuf *block, const char *name, const char *value)
{
    skr_strbuf_addc(block, 0);
    skr_strbuf_addc(block, (char)strlen(name));
    skr_strbuf_add(block, name);
    skr_strbuf_addc(block, (char)strlen(value));
    skr_strbuf_add(block, value);
}

static void send_headers(int socket, uint32_t stream, const char *status, const char *grpc_status,
                         bool ends)
{
    SKR_STRBUF(block);
    if (status) {
        add_header(&block, ":status", status);
        add_header(&block, "content-type",
                   strcmp(status, "200") == 0 ? "application/grpc" : "text/html");
    }
    if (grpc_status) {
        add_header(&block, "grpc-status", grpc_status);
        add_header(&block, "grpc-message", strcmp(grpc_status, "0") == 0 ? "" : "no\tway");
    }
    send_frame(socket, FRAME_HEADERS, FLAG_END_HEADERS | (ends ? FLAG_END_STREAM : 0), stream,
               block.s, block.len);
}

static void send_data(int socket, uint32_t stream, const struct fake_grpc_answer *answer)
{
    const size_t most = answer->mode == FAKE_GRPC_SPLIT ? 1 : FRAME_MAX;
    for (size_t at = 0; at < answer->n;) {
        const size_t n = answer->n - at < most ? answer->n - at : most;
        send_frame(socket, FRAME_DATA, 0, stream, answer->data + at, n);
        at += n;
    }
}

/* false: the connection ends. */
static bool give(int socket, uint32_t stream, const struct fake_grpc_answer *answer)
{
    switch (answer->mode) {
    case FAKE_GRPC_SILENT:
        return true;
    case FAKE_GRPC_CLOSE:
        return false;
    case FAKE_GRPC_DENY:
        send_headers(socket, stream, "200", "16", true);
        return true;
    case FAKE_GRPC_NO_GRPC:
        send_headers(socket, stream, "404", NULL, true);
        return true;
    case FAKE_GRPC_NO_STATUS:
        send_headers(socket, stream, "200", NULL, false);
        send_data(socket, stream, answer);
        send_frame(socket, FRAME_DATA, FLAG_END_STREAM, stream, NULL, 0);
        return true;
    case FAKE_GRPC_ANSWER:
    case FAKE_GRPC_SPLIT:
    default:
        send_headers(socket, stream, "200", NULL, false);
        send_data(socket, stream, answer);
        send_headers(socket, stream, NULL, "0", true);
        return true;
    }
}

static bool answer(const struct connection *c, uint32_t stream, const char *data, size_t n)
{
    const struct fake_grpc_answer *answer = c->server->answers;
    while (answer->match && !memmem(data, n, answer->match, strlen(answer->match))) {
        answer++;
    }
    return answer->match && give(c->socket, stream, answer);
}

/* One frame; false: the connection ends. */
static bool take_frame(const struct connection *c)
{
    unsigned char head[HEAD_BYTES];
    char data[FRAME_MAX];
    if (!read_all(c->socket, head, sizeof head)) {
        return false;
    }
    const size_t n = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
    const uint32_t stream = (uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 |
                            (uint32_t)head[7] << 8 | (uint32_t)head[8];
    if (n > sizeof data || !read_all(c->socket, data, n)) {
        return false;
    }
    if ((head[3] == FRAME_SETTINGS || head[3] == FRAME_PING) && !(head[4] & FLAG_ACK)) {
        send_frame(c->socket, (enum frame)head[3], FLAG_ACK, 0, data,
                   head[3] == FRAME_PING ? n : 0);
    }
    return head[3] != FRAME_DATA || n == 0 || answer(c, stream, data, n);
}

static void *serve(void *context)
{
    struct connection c = *(struct connection *)context;
    char preface[PREFACE_BYTES];
    free(context);
    if (read_all(c.socket, preface, sizeof preface)) {
        send_frame(c.socket, FRAME_SETTINGS, 0, 0, NULL, 0);
        while (take_frame(&c)) {
        }
    }
    shutdown(c.socket, SHUT_RDWR);
    return NULL;
}

static void *accept_all(void *context)
{
    struct fake_grpc *server = context;
    for (int socket; (socket = accept(server->listener, NULL, NULL)) >= 0;) {
        const size_t i = atomic_load(&server->n);
        skr_bug_on(i == CONNECTIONS_MAX);
        struct connection *c = skr_alloc(sizeof *c);
        *c = (struct connection){server, socket};
        server->socket[i] = socket;
        atomic_store(&server->n, i + 1); // before its thread answers: a test may count them then
        skr_bug_on(pthread_create(&server->thread[i], NULL, serve, c) != 0);
    }
    return NULL;
}

struct fake_grpc *fake_grpc_start(const struct fake_grpc_answer *answers)
{
    struct fake_grpc *server = skr_alloc(sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    server->answers = answers;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, CONNECTIONS_MAX), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->acceptor, NULL, accept_all, server), 0);
    return server;
}

uint16_t fake_grpc_port(const struct fake_grpc *server)
{
    return server->port;
}

size_t fake_grpc_connections(struct fake_grpc *server)
{
    return atomic_load(&server->n);
}

void fake_grpc_stop(struct fake_grpc *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    close(server->listener);
    for (size_t i = 0; i < atomic_load(&server->n); i++) {
        shutdown(server->socket[i], SHUT_RDWR);
        pthread_join(server->thread[i], NULL);
        close(server->socket[i]);
    }
    free(server);
}
