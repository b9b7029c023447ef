/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes idle connections that will never bring a request. libmicrohttpd reports nothing before a
 * request line is complete, and keeps a connection whose caller has closed its side within one. The
 * kernel is therefore asked. If data came after the idle time began, and then none for
 * request_timeout_ms, the caller stopped within a request line. If the caller has closed its side,
 * no request can follow. A connection without any request yet has less time.
 *
 * Limit: a caller that sends a byte now and then, or half a line right behind a request or a TLS
 * handshake, is closed by idle_timeout_ms only.
 */
#include "server/http/connection.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <utlist.h>

enum {
    STATE_CLOSE_WAIT = 8, /* the caller has closed; TCP_CLOSE_WAIT of netinet/tcp.h, which
                             cannot be included beside linux/tcp.h */
    LOOKS = 3,            /* within request_timeout_ms */
    LOOK_MS_MIN = 20,
    CLOCK_GRAIN_MS = 12, /* the kernel's times of a socket are this coarse, at 100 Hz */
};

/* How long a connection may be there before its first request line. */
static int64_t first_request_ms(const struct skr_listener *listener)
{
    const size_t n = skr_listener_connections(listener);
    const bool crowded = n >= listener->options.connections_max / 4 * 3;
    const int64_t ms = listener->options.first_request_ms;
    return crowded && ms > SKR_HTTP_CROWDED_MS ? SKR_HTTP_CROWDED_MS : ms;
}

static int64_t look_interval_ms(const struct skr_listener *listener)
{
    const int64_t first = first_request_ms(listener);
    const int64_t later = listener->options.request_timeout_ms;
    const int64_t ms = (first < later ? first : later) / LOOKS;
    return ms > LOOK_MS_MIN ? ms : LOOK_MS_MIN;
}

/* Whether bytes of an incomplete request line came. Before the first request any bytes count; with
 * TLS they may be the handshake's, so nothing is known. Later only bytes of the idle time count. */
static bool has_begun(const struct skr_listener *listener, const struct skr_connection *connection,
                      const struct tcp_info *info)
{
    if (!connection->used) {
        return !listener->tls.cert && info->tcpi_bytes_received > 0;
    }
    return info->tcpi_last_data_recv + CLOCK_GRAIN_MS <
           listener->now_ms - connection->last_done_ns / 1000000;
}

static bool has_unread(int fd)
{
    int n = 0;
    return ioctl(fd, FIONREAD, &n) != 0 || n > 0;
}

static bool is_stuck(const struct skr_listener *listener, const struct skr_connection *connection)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    if (!connection->used &&
        listener->now_ms - connection->since_ms >= first_request_ms(listener)) {
        return true;
    }
    if (getsockopt(connection->fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) {
        return false; // emulators of a user's process give the first four bytes only
    }
    return (info.tcpi_state == STATE_CLOSE_WAIT && !has_unread(connection->fd)) ||
           ((int64_t)info.tcpi_last_data_recv >= listener->options.request_timeout_ms &&
            has_begun(listener, connection, &info));
}

int64_t skr_listener_close_stuck(struct skr_listener *listener)
{
    struct skr_connection *connection, *next;
    if (!listener->phase[SKR_PHASE_IDLE]) {
        return -1;
    }
    /* It may have become crowded since the last look. */
    if (listener->next_look_ms > listener->now_ms + look_interval_ms(listener)) {
        listener->next_look_ms = listener->now_ms + look_interval_ms(listener);
    }
    if (listener->now_ms < listener->next_look_ms) {
        return listener->next_look_ms - listener->now_ms;
    }
    DL_FOREACH_SAFE(listener->phase[SKR_PHASE_IDLE], connection, next)
    {
        if (!is_stuck(listener, connection)) {
            continue;
        }
        (void)shutdown(connection->fd, SHUT_RDWR);
        skr_connection_set_phase(connection, SKR_PHASE_CLOSING);
    }
    listener->next_look_ms = listener->now_ms + look_interval_ms(listener);
    return look_interval_ms(listener);
}
