/* SPDX-License-Identifier: Apache-2.0 */
/* The log level over HTTP: who may change it, and to what. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/log_level.h"
#include "server/log.h"
#include "test/test.h"
#include "test/unit/http_client.h"

static struct skr_admin *admin;

BEFORE_ALL
{
    struct skr_error error;
    const struct skr_admin_options options = {
        .listen = "0.0.0.0:0", .n_routes = 1, .route = {skr_log_level_route()}};
    if (skr_admin_create(&options, &admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

AFTER_ALL
{
    skr_admin_destroy(admin);
    skr_log_set_level(SKR_LOG_LEVEL_DEFAULT);
}

static void send_put(int fd, const char *header, const char *body)
{
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "PUT /v1/loglevel HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s", header,
        strlen(body), body);
    http_send_text(fd, text);
}

static int put(const char *header, const char *body)
{
    const int fd = http_connect(skr_admin_port(admin));
    send_put(fd, header, body);
    struct http_answer got = http_receive(fd);
    const int status = got.status;
    http_answer_free(&got);
    close(fd);
    return status;
}

TEST(a_number_from_0_to_10_is_taken)
{
    static const struct {
        const char *body;
        int status, level;
    } row[] = {
        {"0", 200, 0},   {"10", 200, 10},          {" 7\n", 200, 7},
        {"04", 200, 4},  {"11", 400, 4},           {"-1", 400, 4},
        {"", 400, 4},    {"4x", 400, 4},           {"four", 400, 4},
        {"4 4", 400, 4}, {"999999999999", 400, 4},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (put("", row[i].body) != row[i].status || skr_log_get_level() != row[i].level) {
            fail_msg("\"%s\": level %d", row[i].body, skr_log_get_level());
        }
    }
}

static void ask(const char *method, const char *path, int status, const char *body)
{
    struct http_answer got = http_request(skr_admin_port(admin), method, path);
    assert_int_equal(got.status, status);
    if (body) {
        assert_string_equal(got.body, body);
    }
    http_answer_free(&got);
}

TEST(everybody_may_read_it)
{
    skr_log_set_level(3);
    ask("GET", "/v1/loglevel", 200, "3\n");
    ask("POST", "/v1/loglevel", 405, NULL);
    ask("GET", "/v1/loglevel/x", 404, NULL);
}

TEST(a_web_page_may_not_change_it)
{
    skr_log_set_level(3);
    assert_int_equal(put("Origin: http://evil.example\r\n", "10"), 403);
    assert_int_equal(put("Origin: null\r\n", "10"), 403);
    assert_int_equal(skr_log_get_level(), 3);
}

/* An address of this machine that is no loopback one: who connects to it comes from it. */
static bool find_address(struct sockaddr_in *ret)
{
    struct ifaddrs *list = NULL;
    bool found = false;
    if (getifaddrs(&list) != 0) {
        return false;
    }
    for (const struct ifaddrs *i = list; i && !found; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) {
            continue;
        }
        memcpy(ret, i->ifa_addr, sizeof *ret);
        found = ntohl(ret->sin_addr.s_addr) >> 24 != 127;
    }
    freeifaddrs(list);
    return found;
}

TEST(strangers_may_not_change_it)
{
    struct sockaddr_in address;
    if (!find_address(&address)) {
        print_message("SKIP: this machine has no address but the loopback one\n");
        skip();
    }
    skr_log_set_level(3);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons(skr_admin_port(admin));
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    send_put(fd, "", "10");
    http_expect_body(http_receive(fd), 403, "the log level is changed from this machine only\n");
    close(fd);
    assert_int_equal(skr_log_get_level(), 3);
}
