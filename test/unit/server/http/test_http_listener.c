/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a listener, and the addresses it takes. */
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/config/address.h"
#include "server/http/listener.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "topology/base/arena.h"

enum { LARGE = 32 * 1024 * 1024 };

/* Says whether the body was kept; "/large" gets more than any socket buffer holds. context: counts
 * requests, NULL allowed. */
static void on_handle(void *context, struct skr_http_request *request)
{
    int *n = context;
    if (n) {
        ++*n;
    }
    if (strcmp(request->path, "/large") == 0) {
        skr_http_reply(request, 200, "text/plain", skr_alloc(LARGE), LARGE);
    } else {
        skr_http_reply_text(request, 200, "text/plain", request->too_large ? "large" : "kept");
    }
}

static struct skr_listener_options defaults(void)
{
    struct skr_listener_options options;
    skr_listener_options_default(&options);
    options.address = "127.0.0.1:0";
    options.handler.handle = on_handle;
    return options;
}

static struct skr_listener *listen_with(const struct skr_listener_options *options)
{
    struct skr_listener *listener = NULL;
    struct skr_error error;
    if (skr_listener_create(options, &listener, &error) != 0) {
        fail_msg("%s", error.text);
    }
    return listener;
}

TEST(bodies_share_a_limit)
{
    struct skr_listener_options options = defaults();
    SKR_AUTO_FREE char *body = skr_alloc(20000);
    memset(body, 'x', 19999);
    options.body_max = 30000;
    options.bodies_max = 30000;
    struct skr_listener *listener = listen_with(&options);
    const int first = http_connect(skr_listener_port(listener));
    http_send_text(first, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n");
    http_send(first, body, 19999);
    /* Wait until it has been read: a second listener's thread would not do, the same one does. */
    const int probe = http_connect(skr_listener_port(listener));
    http_send_post(probe, "/", "x", 1);
    http_expect_body(http_receive(probe), 200, "kept");
    const int second = http_connect(skr_listener_port(listener));
    http_send_post(second, "/", body, 19999);
    http_expect_body(http_receive(second), 200, "large");
    http_send(first, "x", 1);
    http_expect_body(http_receive(first), 200, "kept");
    http_send_post(second, "/", body, 19999); /* there is room again */
    http_expect_body(http_receive(second), 200, "kept");
    close(first);
    close(second);
    close(probe);
    skr_listener_destroy(listener);
}

TEST(headers_have_a_limit)
{
    struct skr_listener_options options = defaults();
    SKR_AUTO_FREE char *header = skr_alloc(10000);
    options.connection_memory = 4096;
    struct skr_listener *listener = listen_with(&options);
    const int fd = http_connect(skr_listener_port(listener));
    memset(header, 'h', 9999);
    http_send_text(fd, "POST / HTTP/1.1\r\nHost: x\r\nX-Long: ");
    http_send_text(fd, header);
    http_send_text(fd, "\r\n\r\n");
    struct http_answer got = http_receive(fd);
    assert_true(got.status == 431 || got.status == 0);
    http_answer_free(&got);
    http_wait_closed(fd);
    close(fd);
    skr_listener_destroy(listener);
}

TEST(beyond_the_limit_connections_wait_for_others_to_end)
{
    struct skr_listener_options options = defaults();
    int fd[6];
    options.connections_max = 4;
    struct skr_listener *listener = listen_with(&options);
    for (int i = 0; i < 6; i++) {
        fd[i] = http_connect(skr_listener_port(listener));
        http_send_post(fd[i], "/", "x", 1);
        if (i < 4) {
            http_expect_body(http_receive(fd[i]), 200, "kept");
        }
    }
    assert_int_equal(skr_listener_connections(listener), 4);
    close(fd[0]);
    close(fd[1]);
    http_expect_body(http_receive(fd[4]), 200, "kept");
    http_expect_body(http_receive(fd[5]), 200, "kept");
    for (int i = 2; i < 6; i++) {
        close(fd[i]);
    }
    skr_listener_destroy(listener);
}

TEST(an_answer_nobody_reads_is_given_up)
{
    struct skr_listener_options options = defaults();
    options.answer_timeout_ms = 200;
    struct skr_listener *listener = listen_with(&options);
    const int fd = http_connect(skr_listener_port(listener));
    http_send_post(fd, "/large", "x", 1);
    /* A second connection sees the first one go. */
    const int probe = http_connect(skr_listener_port(listener));
    do {
        http_send_post(probe, "/", "x", 1);
        http_expect_body(http_receive(probe), 200, "kept");
    } while (skr_listener_connections(listener) > 1);
    close(probe);
    close(fd);
    skr_listener_destroy(listener);
}

TEST(stopping_does_not_wait_for_a_client_that_never_reads)
{
    struct skr_listener_options options = defaults();
    options.stop_timeout_ms = 100;
    struct skr_listener *listener = listen_with(&options);
    const int fd = http_connect(skr_listener_port(listener));
    http_send_post(fd, "/large", "x", 1);
    const int probe = http_connect(skr_listener_port(listener));
    http_send_post(probe, "/", "x", 1);
    http_expect_body(http_receive(probe), 200, "kept");
    const int64_t begin = skr_http_now_ns();
    skr_listener_stop(listener);
    assert_true(skr_http_now_ns() - begin < INT64_C(10000000000));
    skr_listener_destroy(listener);
    close(probe);
    close(fd);
}

/* Nobody waits for the idle time: a TLS hello, a half request line, a closed side. */
/* An emulator of a process may know the first number of a connection's state only. */
static void skip_without_bytes(void)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool tells = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 && len > sizeof(int);
    close(fd);
    if (!tells) {
        print_message("SKIP: TCP_INFO does not tell of bytes\n");
        skip();
    }
}

TEST(who_stops_within_a_request_line_is_closed)
{
    skip_without_bytes();
    struct skr_listener_options options = defaults();
    options.request_timeout_ms = 150;
    options.idle_timeout_ms = 3600 * 1000;
    struct skr_listener *listener = listen_with(&options);
    const int half = http_connect(skr_listener_port(listener));
    http_send_text(half, "GET /v1/fil");
    const int again = http_connect(skr_listener_port(listener));
    http_send_text(again, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    http_expect_body(http_receive(again), 200, "kept");
    http_wait_closed(half);
    http_send_text(again, "POST /v1");
    http_wait_closed(again);
    close(half);
    close(again);
    skr_listener_destroy(listener);
}

TEST(who_closes_its_side_within_a_request_line_is_closed)
{
    struct skr_listener_options options = defaults();
    options.request_timeout_ms = 3000;
    options.idle_timeout_ms = 3600 * 1000;
    struct skr_listener *listener = listen_with(&options);
    const int half = http_connect(skr_listener_port(listener));
    http_send_text(half, "GET /v1/fil");
    assert_int_equal(shutdown(half, SHUT_WR), 0);
    http_wait_closed(half);
    close(half);
    skr_listener_destroy(listener);
}

/* However the looks at idle connections fall: a whole request is read before its end is believed.
 */
TEST(who_closes_its_side_behind_a_request_is_answered)
{
    struct skr_listener_options options = defaults();
    options.request_timeout_ms = 60;
    struct skr_listener *listener = listen_with(&options);
    struct skr_clock clock;
    skr_clock_init(&clock);
    for (int i = 0; i < 500; i++) {
        const skr_time before = skr_clock_now(&clock);
        const int fd = http_connect(skr_listener_port(listener));
        http_send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        struct http_answer answer = http_receive(fd);
        if (skr_clock_now(&clock) - before < options.request_timeout_ms * SKR_MILLISECOND) {
            http_expect_body(answer, 200, "kept");
        } else { /* it may have come too late */
            http_answer_free(&answer);
        }
        close(fd);
    }
    skr_listener_destroy(listener);
}

/* Between two requests of one caller there may be as long a pause as the idle time allows. */
TEST(who_is_silent_between_requests_stays)
{
    skip_without_bytes();
    struct skr_listener_options options = defaults();
    options.request_timeout_ms = 60;
    options.idle_timeout_ms = 3600 * 1000;
    struct skr_listener *listener = listen_with(&options);
    const int fresh = http_connect(skr_listener_port(listener));
    const int used = http_connect(skr_listener_port(listener));
    http_send_text(used, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    http_expect_body(http_receive(used), 200, "kept");
    for (int i = 0; i < 3; i++) { /* one after the other, each closed by its silence */
        const int half = http_connect(skr_listener_port(listener));
        http_send_text(half, "GET /v1/fil");
        http_wait_closed(half);
        close(half);
    }
    http_send_text(used, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    http_expect_body(http_receive(used), 200, "kept");
    http_send_text(fresh, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    http_expect_body(http_receive(fresh), 200, "kept");
    close(fresh);
    close(used);
    skr_listener_destroy(listener);
}

TEST(loopback_addresses_are_known)
{
    static const struct {
        const char *text;
        bool is_loopback;
    } row[] = {
        {"127.0.0.1:1", true}, {"127.8.9.10:1", true},
        {"[::1]:1", true},     {"[::ffff:127.0.0.1]:1", true},
        {"10.0.0.1:1", false}, {"128.0.0.1:1", false},
        {"[::2]:1", false},    {"[::ffff:10.0.0.1]:1", false},
        {"0.0.0.0:1", false},  {"[fe80::1]:1", false},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct sockaddr_storage address;
        socklen_t len = 0;
        assert_int_equal(skr_address_parse(row[i].text, &address, &len, NULL), 0);
        assert_int_equal(skr_address_is_loopback(&address), row[i].is_loopback);
    }
}

TEST(addresses_are_parsed)
{
    static const struct {
        const char *text;
        int family; /* 0: refused */
        const char *host;
        uint16_t port;
    } row[] = {
        {"127.0.0.1:9660", AF_INET, "127.0.0.1", 9660},
        {"0.0.0.0:0", AF_INET, "0.0.0.0", 0},
        {"localhost:1", AF_INET, "127.0.0.1", 1},
        {"[::1]:65535", AF_INET6, "::1", 65535},
        {"[fd00::7]:80", AF_INET6, "fd00::7", 80},
        {":9660", AF_INET6, "::", 9660},
        {"", 0, NULL, 0},
        {"127.0.0.1", 0, NULL, 0},
        {"127.0.0.1:", 0, NULL, 0},
        {"127.0.0.1:65536", 0, NULL, 0},
        {"127.0.0.1:-1", 0, NULL, 0},
        {"127.0.0.1:80x", 0, NULL, 0},
        {"127.0.0.256:80", 0, NULL, 0},
        {"::1:80", 0, NULL, 0},
        {"[]:80", 0, NULL, 0},
        {"[127.0.0.1]:80", 0, NULL, 0},
        {"host:80", 0, NULL, 0},
        {"a-name-that-is-much-longer-than-any-textual-ipv6-address-could-ever-be:80", 0, NULL, 0},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct sockaddr_storage address;
        struct skr_error error;
        socklen_t len = 0;
        char host[INET6_ADDRSTRLEN] = "";
        const int rc = skr_address_parse(row[i].text, &address, &len, &error);
        if ((rc == 0) != (row[i].family != 0)) {
            fail_msg("\"%s\": %d", row[i].text, rc);
        }
        if (rc != 0) {
            continue;
        }
        assert_int_equal(address.ss_family, row[i].family);
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        memcpy(&v4, &address, sizeof v4);
        memcpy(&v6, &address, sizeof v6);
        (void)inet_ntop(row[i].family,
                        row[i].family == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr,
                        host, sizeof host);
        assert_string_equal(host, row[i].host);
        assert_int_equal(ntohs(v4.sin_port), row[i].port);
    }
}

TEST(what_is_wrong_with_a_long_address_is_said)
{
    char text[400];
    struct sockaddr_storage address;
    struct skr_error error;
    socklen_t len = 0;
    memset(text, '1', sizeof text);
    memcpy(text + sizeof text - 3, ":1", 3);
    assert_int_equal(skr_address_parse(text, &address, &len, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "not an IP address"));
    text[sizeof text - 3] = '1';
    assert_int_equal(skr_address_parse(text, &address, &len, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "no port"));
    text[0] = ':';
    assert_int_equal(skr_address_parse(text, &address, &len, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "is not a number from 0 to 65535"));
}

TEST(a_connection_without_a_request_is_closed_soon_and_one_with_a_request_is_not)
{
    struct skr_listener_options options = defaults();
    options.first_request_ms = 150;
    struct skr_listener *listener = listen_with(&options);
    const int silent = http_connect(skr_listener_port(listener));
    const int used = http_connect(skr_listener_port(listener));
    http_send_post(used, "/", "x", 1);
    http_expect_body(http_receive(used), 200, "kept");
    http_wait_closed(silent);
    http_send_post(used, "/", "x", 1);
    http_expect_body(http_receive(used), 200, "kept");
    close(silent);
    close(used);
    skr_listener_destroy(listener);
}

TEST(when_it_is_crowded_silent_connections_make_room_at_once)
{
    struct skr_listener_options options = defaults();
    int fd[8];
    options.connections_max = 8;
    options.first_request_ms = 60000;
    struct skr_listener *listener = listen_with(&options);
    for (int i = 0; i < 8; i++) {
        fd[i] = http_connect(skr_listener_port(listener));
    }
    const int late = http_connect(skr_listener_port(listener));
    http_send_post(late, "/", "x", 1);
    http_expect_body(http_receive(late), 200, "kept");
    close(late);
    for (int i = 0; i < 8; i++) {
        close(fd[i]);
    }
    skr_listener_destroy(listener);
}

TEST(one_address_has_so_many_connections_and_no_more)
{
    struct skr_listener_options options = defaults();
    int fd[3];
    options.per_address_max = 2;
    struct skr_listener *listener = listen_with(&options);
    for (int i = 0; i < 2; i++) {
        fd[i] = http_connect(skr_listener_port(listener));
        http_send_post(fd[i], "/", "x", 1);
        http_expect_body(http_receive(fd[i]), 200, "kept");
    }
    fd[2] = http_connect(skr_listener_port(listener));
    http_wait_closed(fd[2]);
    for (int i = 0; i < 3; i++) {
        close(fd[i]);
    }
    skr_listener_destroy(listener);
}

/* ---- where a request ends ---- */

/* SUB stands for NUL. */
static struct http_answer send_raw(const struct skr_listener *listener, const char *fields)
{
    const int fd = http_connect(skr_listener_port(listener));
    SKR_AUTO_FREE char *text = skr_alloc(1024);
    const int n = snprintf(
        text, 1024, "POST / %s\r\n\r\n0\r\n\r\nPOST /next HTTP/1.1\r\nHost: x\r\n\r\n", fields);
    for (char *nul = text; (nul = strchr(nul, '\032'));) {
        *nul++ = 0;
    }
    http_send(fd, text, (size_t)n);
    struct http_answer answer = http_receive(fd);
    http_wait_closed(fd);
    close(fd);
    return answer;
}

TEST(a_request_whose_end_is_ambiguous_is_refused_and_nothing_behind_it_is_read)
{
    static const struct {
        const char *fields, *why;
    } row[] = {
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0", "more than once"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\ncontent-LENGTH: 5", "more than once"},
        {"HTTP/1.0\r\nContent-Length: 5\r\nX: y\r\nContent-Length: 6", "more than once"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5", ""},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: +5", ""},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5", ""},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length:", ""},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked", "beside"},
        {"HTTP/1.1\r\nHost: x\r\ntransfer-encoding: CHUNKED\r\ncontent-length: 0", "beside"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: identity", "beside"},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
         "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity",
         "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked", "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity", "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked", "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \"chunked\"", "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:", "is not \"chunked\""},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \vchunked", "is not \"chunked\""},
        {"HTTP/1.0\r\nTransfer-Encoding: chunked", "HTTP/1.0"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length : 5", "not a token"},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding\t: chunked", "not a token"},
        {"HTTP/1.1\r\nHost: x\r\nX Content-Length: 5", "not a token"},
        {"HTTP/1.1\r\nHost: x\r\nX: y\r\nContent-Length:\r\n 5", "second line"},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked", "second line"},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\t, identity", ""},
        {"HTTP/1.1\r\nHost: x\r\nContent: 5\r\n -Length", "second line"},
        {"HTTP/1.1\r\nHost: x\r\nX: a\rContent-Length: 5", "carriage return"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX: \r Content-Length: 0", "carriage return"},
        {"HTTP/1.1\r\n Content-Length: 5\r\nHost: x", ""},
        {"HTTP/1.1\nHost: x\nContent-Length: 5\nContent-Length: 0", "more than once"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\nX: y", "CR LF"},
        {"HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 5", "Host is given"},
        {"HTTP/1.1\r\nHost: x\r\n: \r\nContent-Length: 5", "has no name"},
        {"HTTP/1.1\r\nHost: x\r\n:\r\nPOST /v1/bind HTTP/1.1\r\nHost: x", "has no name"},
        {"HTTP/1.1\r\n:\r\nHost: x\r\nContent-Length: 5", "not a token"},
        {"HTTP/1.1\r\nHost: x\r\n\032X: y\r\nContent-Length: 5", "NUL"},
        {"HTTP/1.1\r\nHost: x\r\nX: y\032Content-Length: 5\r\nX: y", "NUL"},
        {"HTTP/1.1\r\nHost: x\r\nContent-Length: 5\032", "NUL"},
        {"HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\032, identity", "NUL"},
    };
    struct skr_listener_options options = defaults();
    int n = 0;
    options.handler.context = &n;
    struct skr_listener *listener = listen_with(&options);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct http_answer answer = send_raw(listener, row[i].fields);
        if (answer.status != 400 || !strstr(answer.body, row[i].why)) {
            fail_msg("%s: %d %s", row[i].fields, answer.status, answer.body);
        }
        http_answer_free(&answer);
    }
    skr_listener_destroy(listener);
    assert_int_equal(n, 0);
}

/* Three requests in one write: the second one ends the connection. */
TEST(a_request_whose_end_is_ambiguous_behind_a_clear_one_ends_the_connection)
{
    static const char three[] =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\nContent-Length: 9\r\n\r\n" /* a trailer is no length */
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 41\r\n\r\n"
        "POST / HTTP/1.1\r\nHost: x\r\nX: smuggled\r\n\r\n";
    struct skr_listener_options options = defaults();
    int n = 0;
    options.handler.context = &n;
    struct skr_listener *listener = listen_with(&options);
    const int fd = http_connect(skr_listener_port(listener));
    http_send_text(fd, three);
    http_expect_body(http_receive(fd), 200, "kept");
    struct http_answer answer = http_receive(fd);
    assert_int_equal(answer.status, 400);
    http_answer_free(&answer);
    char rest;
    assert_true(recv(fd, &rest, 1, 0) <= 0);
    close(fd);
    skr_listener_destroy(listener);
    assert_int_equal(n, 1);
}

TEST(a_request_whose_end_is_clear_is_read_and_the_next_one_too)
{
    static const char *const row[] = {
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
        "HTTP/1.1\r\nHost: x\r\nContent-Length:005\r\n\r\nabcde",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: \t5\r\n\r\nabcde",
        "HTTP/1.1\r\nHost:x\r\nX-Empty:\r\nX-Blank: \t \r\nX-A: b \t\r\n\r\n",
        "HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nX-A: 2\r\nX_.~!#$%&'*+^`|9: 3\r\n\r\n",
        "HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nabcde\r\n0\r\n\r\n",
        "HTTP/1.1\r\nHost: x\r\nCookie: a=b; c=d\r\n\r\n",
    };
    struct skr_listener_options options = defaults();
    int n = 0;
    options.handler.context = &n;
    struct skr_listener *listener = listen_with(&options);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const int fd = http_connect(skr_listener_port(listener));
        for (int k = 0; k < 2; k++) {
            http_send_text(fd, "POST / ");
            http_send_text(fd, row[i]);
            http_expect_body(http_receive(fd), 200, "kept");
        }
        close(fd);
    }
    skr_listener_destroy(listener);
    assert_int_equal(n, 2 * (int)(sizeof row / sizeof row[0]));
}
