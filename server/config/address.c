/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets. SO_REUSEADDR, so that a restart finds its port in spite of connections in
 * TIME_WAIT; an IPv6 wildcard also takes IPv4. */
#include "server/config/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

static int parse_port(const char *text, const char *digits, uint16_t *ret, struct skr_error *error)
{
    unsigned value = 0;
    const char *p = digits;
    for (; *p >= '0' && *p <= '9' && value <= 65535; p++) {
        value = value * 10 + (unsigned)(*p - '0');
    }
    if (p == digits || *p != 0 || value > 65535) {
        return skr_error_set(error, SKR_INVALID,
                             "address \"%.64s\": port \"%.64s\" is not a number from 0 to 65535",
                             text, digits);
    }
    *ret = (uint16_t)value;
    return 0;
}

int skr_address_parse(const char *text, struct sockaddr_storage *ret, socklen_t *ret_len,
                      struct skr_error *error)
{
    char host[INET6_ADDRSTRLEN + 1];
    const char *colon = strrchr(text, ':');
    uint16_t port = 0;
    if (!colon) {
        return skr_error_set(error, SKR_INVALID,
                             "address \"%.64s\": no port (HOST:PORT is expected)", text);
    }
    int rc = parse_port(text, colon + 1, &port, error);
    if (rc != 0) {
        return rc;
    }
    const char *begin = text;
    size_t n = (size_t)(colon - text);
    const bool bracketed = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    if (bracketed) {
        begin++;
        n -= 2;
    }
    if (n >= sizeof host) {
        return skr_error_set(error, SKR_INVALID, "address \"%.64s\": not an IP address", text);
    }
    memcpy(host, begin, n);
    host[n] = 0;

    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    memset(ret, 0, sizeof *ret);
    const char *const host4 = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (!bracketed && inet_pton(AF_INET, host4, &v4.sin_addr) == 1) {
        memcpy(ret, &v4, sizeof v4);
        *ret_len = sizeof v4;
        return 0;
    }
    if ((n == 0 && !bracketed) || (bracketed && inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)) {
        memcpy(ret, &v6, sizeof v6); /* sin6_addr is :: when there was no host */
        *ret_len = sizeof v6;
        return 0;
    }
    return skr_error_set(error, SKR_INVALID,
                         "address \"%.64s\": \"%.64s\" is not an IP address (IPv6 in brackets)",
                         text, host);
}

static int fail(const char *text, const char *what, struct skr_error *error)
{
    const int e = errno;
    enum skr_error_code code = SKR_RETRY;
    if (e == EACCES || e == EPERM) {
        code = SKR_DENIED;
    } else if (e == EADDRINUSE) {
        code = SKR_CONFLICT;
    } else if (e == EADDRNOTAVAIL) {
        code = SKR_INVALID;
    }
    return skr_error_set(error, code, "address \"%.64s\": %s: %s", text, what, strerror(e));
}

static int open_socket(const char *text, const struct sockaddr_storage *address, socklen_t len,
                       int *ret, struct skr_error *error)
{
    const int on = 1;
    const int off = 0;
    const int fd =
        socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0) {
        return fail(text, "cannot open a socket", error);
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        (address->ss_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) ||
        bind(fd, (const struct sockaddr *)address, len) != 0 || listen(fd, BACKLOG) != 0) {
        const int rc = fail(text, "cannot listen", error);
        close(fd);
        return rc;
    }
    *ret = fd;
    return 0;
}

int skr_address_listen(const char *text, int *ret_fd, uint16_t *ret_port, struct skr_error *error)
{
    struct sockaddr_storage address;
    socklen_t len = 0;
    int fd = -1;
    int rc = skr_address_parse(text, &address, &len, error);
    if (rc != 0) {
        return rc;
    }
    rc = open_socket(text, &address, len, &fd, error);
    if (rc != 0 && text[0] == ':' && address.ss_family == AF_INET6) {
        /* No IPv6 on this machine: every address means every IPv4 address. */
        struct sockaddr_in6 v6;
        memcpy(&v6, &address, sizeof v6);
        const struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = v6.sin6_port};
        memset(&address, 0, sizeof address);
        memcpy(&address, &v4, sizeof v4);
        rc = open_socket(text, &address, sizeof v4, &fd, error);
    }
    if (rc != 0) {
        return rc;
    }
    len = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        rc = fail(text, "cannot read the port", error);
        close(fd);
        return rc;
    }
    struct sockaddr_in v4; /* the port is at the same place in both families */
    memcpy(&v4, &address, sizeof v4);
    *ret_port = ntohs(v4.sin_port);
    *ret_fd = fd;
    return 0;
}

bool skr_address_is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    if (address->ss_family == AF_INET) {
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    return address->ss_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
            (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) && v6->sin6_addr.s6_addr[12] == 127));
}
