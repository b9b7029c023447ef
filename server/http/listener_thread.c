/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listener's thread. One epoll set holds three descriptors: libmicrohttpd's own epoll set, the
 * set of parked connections, and an eventfd by which other threads and stop wake it.
 *
 * libmicrohttpd limits silence, not the time of a request, so a client that sends a byte a minute
 * would stay. The limits are therefore kept here. Connections stand in one list for each phase, the
 * oldest first. A connection that is too old is shut down with shutdown(2); libmicrohttpd then sees
 * the end of file and cleans up.
 *
 * A resume makes libmicrohttpd walk over every suspended connection. Held requests are therefore
 * resumed in batches, and the pause between two batches is as long as the walk takes.
 */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "server/http/connection.h"

enum {
    TICK_MS = 1000,
    EVENTS = 64,              /* hang-ups at a time */
    HELD_PER_BATCH_MS = 3000, /* one ms between batches for as many held requests */
};

static size_t phase_count(const struct skr_listener *listener, enum skr_phase phase)
{
    return atomic_load_explicit(&listener->n_phase[phase], memory_order_relaxed);
}

size_t skr_listener_connections(const struct skr_listener *listener)
{
    size_t n = 0;
    for (int p = 0; p < SKR_PHASE_COUNT; p++) {
        n += phase_count(listener, (enum skr_phase)p);
    }
    return n;
}

/* Resumes what was woken. Answers are made when libmicrohttpd calls for them. */
static void resume_woken(struct skr_listener *listener)
{
    pthread_mutex_lock(&listener->lock);
    struct skr_connection *list = listener->woken;
    listener->woken = NULL;
    pthread_mutex_unlock(&listener->lock);

    struct skr_connection *oldest = NULL;
    while (list) { /* newest first becomes oldest first */
        struct skr_connection *const next = list->next_woken;
        list->next_woken = oldest;
        oldest = list;
        list = next;
    }
    while (oldest) {
        struct skr_connection *const next = oldest->next_woken;
        if (oldest->streaming) { /* from here on it can be woken again */
            pthread_mutex_lock(&listener->lock);
            oldest->in_woken = false;
            pthread_mutex_unlock(&listener->lock);
        }
        /* A stream that is not held will ask for more anyway. */
        if (!oldest->streaming || oldest->phase == SKR_PHASE_HELD) {
            skr_connection_resume(oldest);
        }
        oldest = next;
    }
}

static void hang_up(struct skr_listener *listener, struct skr_connection *connection)
{
    if (connection->streaming ||
        listener->options.handler.hangup(listener->options.handler.context, &connection->request)) {
        skr_connection_abandon(connection);
    } else {
        skr_connection_unwatch(connection); /* it is in listener->woken */
    }
}

static void collect_hangups(struct skr_listener *listener)
{
    struct epoll_event event[EVENTS];
    int n;
    do {
        n = epoll_wait(listener->parked, event, EVENTS, 0);
        for (int i = 0; i < n; i++) {
            hang_up(listener, event[i].data.ptr);
        }
    } while (n == EVENTS);
}

static int64_t phase_limit_ms(const struct skr_listener *listener, enum skr_phase phase)
{
    switch (phase) {
    case SKR_PHASE_IDLE:
        return listener->options.idle_timeout_ms;
    case SKR_PHASE_READING:
        return listener->options.request_timeout_ms;
    case SKR_PHASE_ANSWERING:
        return listener->options.answer_timeout_ms;
    case SKR_PHASE_HELD:
    case SKR_PHASE_CLOSING:
    case SKR_PHASE_COUNT:
    default:
        return INT64_MAX;
    }
}

/* Shuts down what is too old; returns the milliseconds until the next one is, or -1. */
static int64_t expire(struct skr_listener *listener)
{
    static const char *const what[] = {"an idle", "an incomplete", "an unread"};
    int64_t next = -1;
    for (int p = SKR_PHASE_IDLE; p <= SKR_PHASE_ANSWERING; p++) {
        const int64_t limit = phase_limit_ms(listener, (enum skr_phase)p);
        struct skr_connection *head;
        while ((head = listener->phase[p])) {
            const int64_t left = head->since_ms + limit - listener->now_ms;
            if (left > 0) {
                if (next < 0 || left < next) {
                    next = left;
                }
                break;
            }
            if (p != SKR_PHASE_IDLE) {
                skr_http_logf(&listener->options.log, SKR_HTTP_LOG_WARNING,
                              "Connection to %s was closed: %s %s after %lld ms",
                              listener->options.name, what[p],
                              p == SKR_PHASE_READING ? "request" : "answer", (long long)limit);
            }
            (void)shutdown(head->fd, SHUT_RDWR);
            skr_connection_set_phase(head, SKR_PHASE_CLOSING);
        }
    }
    return next;
}

static void begin_draining(struct skr_listener *listener)
{
    const int fd = MHD_quiesce_daemon(listener->daemon);
    if (fd != MHD_INVALID_SOCKET) {
        close(fd); /* allowed at once with external polling */
    }
    listener->draining = true;
    struct skr_connection *connection, *next;
    DL_FOREACH_SAFE(listener->phase[SKR_PHASE_HELD], connection, next)
    {
        if (connection->streaming) { /* ends where it is */
            skr_connection_resume(connection);
        }
    }
}

static void take_fresh_pair(struct skr_listener *listener)
{
    pthread_mutex_lock(&listener->lock);
    if (listener->fresh.credentials) {
        skr_tls_adopt(&listener->tls, &listener->fresh);
    }
    pthread_mutex_unlock(&listener->lock);
}

/* New connections get renewed certificates. */
static void look_at_certificates(struct skr_listener *listener)
{
    struct skr_error error;
    if (listener->options.cert) {
        take_fresh_pair(listener);
        return;
    }
    if (!listener->tls.cert || listener->now_ms < listener->next_certificates_ms) {
        return;
    }
    if (listener->next_certificates_ms > 0 &&
        skr_tls_refresh(&listener->tls, &listener->options.tls, &error)) {
        skr_http_logf(&listener->options.log, SKR_HTTP_LOG_INFO,
                      "Certificates of %s were read again", listener->options.name);
    } else if (listener->next_certificates_ms > 0 && error.code != SKR_OK) {
        skr_http_logf(&listener->options.log, SKR_HTTP_LOG_WARNING,
                      "Certificates of %s could not be read again, the old ones were kept: %s",
                      listener->options.name, error.text);
    }
    listener->next_certificates_ms = listener->now_ms + listener->options.certificates_ms;
}

static bool is_stopping(struct skr_listener *listener)
{
    pthread_mutex_lock(&listener->lock);
    const bool stopping = listener->stopping;
    pthread_mutex_unlock(&listener->lock);
    return stopping;
}

static void wait_for_work(struct skr_listener *listener, int64_t timeout_ms)
{
    struct epoll_event event[4];
    uint64_t count;
    MHD_UNSIGNED_LONG_LONG pending = 0;
    if (MHD_get_timeout(listener->daemon, &pending) == MHD_YES &&
        (timeout_ms < 0 || pending < (MHD_UNSIGNED_LONG_LONG)timeout_ms)) {
        timeout_ms = pending < TICK_MS ? (int64_t)pending : TICK_MS;
    }
    if (timeout_ms > TICK_MS) {
        timeout_ms = TICK_MS;
    }
    const int n = epoll_wait(listener->epoll, event, 4, (int)timeout_ms);
    for (int i = 0; i < n; i++) {
        if (event[i].data.fd == listener->wake_fd &&
            read(listener->wake_fd, &count, sizeof count) < 0) {
            continue; /* another descriptor was ready */
        }
    }
    listener->now_ms = skr_http_now_ns() / 1000000;
}

/* Requests that are still held are closed unanswered; libmicrohttpd must have none suspended. */
static void end(struct skr_listener *listener)
{
    size_t n = 0;
    resume_woken(listener);
    while (listener->phase[SKR_PHASE_HELD]) {
        struct skr_connection *connection = listener->phase[SKR_PHASE_HELD];
        if (!connection->streaming) {
            (void)listener->options.handler.hangup(listener->options.handler.context,
                                                   &connection->request);
            n++;
        }
        skr_connection_abandon(connection);
    }
    if (n > 0) {
        skr_http_logf(&listener->options.log, SKR_HTTP_LOG_ERROR,
                      "Listener %s was stopped with %zu requests unanswered",
                      listener->options.name, n);
    }
    MHD_stop_daemon(listener->daemon);
    listener->daemon = NULL;
}

/* What is due besides libmicrohttpd's own work; returns the longest time to sleep, ms. */
static int64_t round_of_work(struct skr_listener *listener, int64_t *next_batch_ms)
{
    const int64_t held = (int64_t)phase_count(listener, SKR_PHASE_HELD);
    int64_t sleep;
    look_at_certificates(listener);
    collect_hangups(listener);
    if (listener->now_ms >= *next_batch_ms) {
        resume_woken(listener);
        *next_batch_ms = listener->now_ms + held / HELD_PER_BATCH_MS;
    }
    sleep = expire(listener);
    const int64_t look = skr_listener_close_stuck(listener);
    if (look >= 0 && (sleep < 0 || sleep > look)) {
        sleep = look;
    }
    pthread_mutex_lock(&listener->lock);
    const bool waiting = listener->woken;
    pthread_mutex_unlock(&listener->lock);
    if (waiting) {
        sleep = *next_batch_ms > listener->now_ms ? *next_batch_ms - listener->now_ms : 0;
    }
    return sleep;
}

void *skr_listener_run(void *context)
{
    struct skr_listener *listener = context;
    int64_t next_batch_ms = 0;
    int64_t give_up_ms = INT64_MAX;
    int64_t sleep_ms = 0;
    for (;;) {
        wait_for_work(listener, sleep_ms);
        if (!listener->draining && is_stopping(listener)) {
            begin_draining(listener);
            give_up_ms = listener->now_ms + listener->options.stop_timeout_ms;
        }
        sleep_ms = round_of_work(listener, &next_batch_ms);
        const size_t before = skr_listener_connections(listener);
        (void)MHD_run(listener->daemon);
        /* At the limit of connections libmicrohttpd listens again only in the next run. */
        if (skr_listener_connections(listener) < before) {
            sleep_ms = 0;
        }
        if (!listener->draining) {
            continue;
        }
        if (listener->now_ms >= give_up_ms ||
            phase_count(listener, SKR_PHASE_HELD) + phase_count(listener, SKR_PHASE_ANSWERING) ==
                0) {
            break;
        }
        if (sleep_ms < 0 || sleep_ms > give_up_ms - listener->now_ms) {
            sleep_ms = give_up_ms - listener->now_ms;
        }
    }
    end(listener);
    return NULL;
}
