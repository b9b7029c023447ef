/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets with receive timeouts. */
#include "test/unit/http_client.h"
#include <strings.h>

#include "test/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_S = 60 };

static int try_connect(uint16_t port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const struct timeval wait = {.tv_sec = WAIT_S};
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0) {
        return fd;
    }
    close(fd);
    return -1;
}

int http_connect(uint16_t port)
{
    const int fd = try_connect(port);
    if (fd < 0) {
        fail_msg("cannot connect to port %u: %s", (unsigned)port, strerror(errno));
    }
    return fd;
}

bool http_can_connect(uint16_t port)
{
    const int fd = try_connect(port);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

void http_send(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return;
        }
        bytes += sent;
        n -= (size_t)sent;
    }
}

void http_send_text(int fd, const char *text)
{
    http_send(fd, text, strlen(text));
}

void http_send_post(int fd, const char *path, const char *body, size_t n)
{
    char head[256];
    (void)snprintf(head, sizeof head,
                   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Content-Length: %zu\r\nAccept-Encoding: gzip\r\n\r\n",
                   path, n);
    http_send_text(fd, head);
    http_send(fd, body, n);
}

/* Bytes until n are there or the peer closes. */
static size_t receive(int fd, char *buffer, size_t n)
{
    size_t got = 0;
    while (got < n) {
        const ssize_t r = recv(fd, buffer + got, n - got, 0);
        if (r < 0 && errno == EINTR) {
            continue;
        }
        if (r < 0 && errno == EAGAIN) {
            fail_msg("nothing received for %d s", WAIT_S);
        }
        if (r <= 0) {
            break;
        }
        got += (size_t)r;
    }
    return got;
}

struct http_answer http_receive(int fd)
{
    struct http_answer answer = {0};
    char *head = calloc(1, 8192);
    size_t n = 0;
    assert_non_null(head);
    while (n < 8191 && !strstr(head, "\r\n\r\n")) {
        if (receive(fd, head + n, 1) != 1) {
            break;
        }
        n++;
    }
    answer.headers = head;
    if (!strstr(head, "\r\n\r\n") || sscanf(head, "HTTP/1.%*d %d", &answer.status) != 1) {
        return answer;
    }
    const char *length = strcasestr(head, "content-length:");
    answer.body_len = length ? strtoul(length + 15, NULL, 10) : 0;
    answer.body = calloc(1, answer.body_len + 1);
    assert_non_null(answer.body);
    assert_int_equal(receive(fd, answer.body, answer.body_len), answer.body_len);
    return answer;
}

void http_answer_free(struct http_answer *answer)
{
    free(answer->headers);
    free(answer->body);
    *answer = (struct http_answer){0};
}

void http_expect(struct http_answer answer, int status, const char *part)
{
    const char *body = answer.body ? answer.body : "";
    if (answer.status != status || !strstr(body, part)) {
        fail_msg("%d %s", answer.status, body);
    }
    http_answer_free(&answer);
}

void http_expect_body(struct http_answer answer, int status, const char *body)
{
    assert_string_equal(answer.body, body);
    http_expect(answer, status, body);
}

void http_wait_closed(int fd)
{
    char buffer[256];
    while (receive(fd, buffer, sizeof buffer) == sizeof buffer) {
        ;
    }
}

struct http_answer http_post(uint16_t port, const char *path, const char *body)
{
    const int fd = http_connect(port);
    http_send_post(fd, path, body, strlen(body));
    struct http_answer answer = http_receive(fd);
    close(fd);
    return answer;
}

struct http_answer http_request(uint16_t port, const char *method, const char *path)
{
    const int fd = http_connect(port);
    char head[512];
    (void)snprintf(head, sizeof head,
                   "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", method, path);
    http_send_text(fd, head);
    struct http_answer answer = {0};
    if (strcmp(method, "HEAD") == 0) {
        answer.headers = calloc(1, 8192);
        assert_non_null(answer.headers);
        answer.body_len = receive(fd, answer.headers, 8191);
        (void)sscanf(answer.headers, "HTTP/1.%*d %d", &answer.status);
    } else {
        answer = http_receive(fd);
    }
    close(fd);
    return answer;
}
