/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listener's thread. One epoll set holds three descriptors: libmicrohttpd's own epoll set, the
 * set of parked connections, and an eventfd by which other threads and stop wake it.
 *
 * libmicrohttpd knows no limit for the time a request takes, only for silence, which a client that
 * sends a byte a minute never reaches. So the limits are kept here: connections stand in lists by
 * phase in the order in which they entered it, the heads are the oldest, and what is too old is
 * shut down with shutdown(2); libmicrohttpd then sees the end of file and cleans up.
 *
 * Resuming makes libmicrohttpd walk over every suspended connection, so with thousands of them held
 * requests are resumed in batches, at most one batch for as many milliseconds as the walk costs.
 */
#include "server/http/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

#include "server/config/address.h"
#include "server/http/connection.h"
#include "server/thread.h"
#include "topology/base/arena.h"

enum {
    TICK_MS = 1000,
    HELD_PER_BATCH_MS = 3000, /* one ms between batches for as many held requests */
};

int64_t skr_http_now_ns(void)
{
    struct timespec now;

    skr_bug_on(clock_gettime(CLOCK_MONOTONIC, &now) != 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t skr_http_raise_open_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 1024;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            limit = raised;
        }
    }
    return limit.rlim_cur;
}

void skr_listener_options_default(struct skr_listener_options *options)
{
    *options = (struct skr_listener_options){
        .name = "http",
        .connection_memory = 32 * 1024,
        .connections_max = 1024,
        .body_max = SKR_HTTP_BODY_MAX,
        .bodies_max = SKR_HTTP_BODIES_MAX,
        .idle_timeout_ms = 120 * 1000,
        .first_request_ms = 5 * 1000,
        .certificates_ms = 60 * 1000,
        .request_timeout_ms = 15 * 1000,
        .answer_timeout_ms = 60 * 1000,
        .stop_timeout_ms = 5 * 1000,
    };
}

static size_t phase_count(const struct skr_listener *listener, enum skr_phase phase)
{
    return atomic_load_explicit(&listener->n_phase[phase], memory_order_relaxed);
}

/* ---- other threads ---- */

static void kick(struct skr_listener *listener)
{
    const uint64_t one = 1;

    while (write(listener->wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
        ;
    }
}

void skr_http_wake(struct skr_http_request *request)
{
    struct skr_connection *connection = (struct skr_connection *)request; /* first member */
    struct skr_listener *listener = connection->listener;

    pthread_mutex_lock(&listener->lock);
    const bool first = !listener->woken;
    connection->next_woken = listener->woken;
    listener->woken = connection;
    pthread_mutex_unlock(&listener->lock);
    if (first) {
        kick(listener);
    }
}

void skr_http_wake_stream(struct skr_http_request *request)
{
    struct skr_connection *connection = (struct skr_connection *)request; /* first member */
    struct skr_listener *listener = connection->listener;

    pthread_mutex_lock(&listener->lock);
    const bool first = !listener->woken;
    const bool add = !connection->in_woken;
    if (add) {
        connection->in_woken = true;
        connection->next_woken = listener->woken;
        listener->woken = connection;
    }
    pthread_mutex_unlock(&listener->lock);
    if (first && add) {
        kick(listener);
    }
}

uint16_t skr_listener_port(const struct skr_listener *listener)
{
    return listener->port;
}

size_t skr_listener_connections(const struct skr_listener *listener)
{
    size_t n = 0;

    for (int p = 0; p < SKR_PHASE_COUNT; p++) {
        n += phase_count(listener, (enum skr_phase)p);
    }
    return n;
}

/* ---- the thread ---- */

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

static void on_gone(void *context, void *who)
{
    struct skr_listener *listener = context;
    struct skr_connection *connection = who;

    if (connection->streaming ||
        listener->options.handler.hangup(listener->options.handler.context, &connection->request)) {
        skr_connection_abandon(connection);
        return;
    }
    skr_parked_remove(listener->parked, connection->fd); /* it is in listener->woken */
    connection->watched = false;
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
            continue; /* somebody else's wake-up: nothing to count */
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
static int64_t round_of_work(struct skr_listener *listener, int64_t *next_batch_ms,
                             int64_t *next_tick_ms)
{
    const int64_t held = (int64_t)phase_count(listener, SKR_PHASE_HELD);
    int64_t sleep;

    look_at_certificates(listener);
    skr_parked_collect(listener->parked, on_gone, listener);
    if (listener->now_ms >= *next_batch_ms) {
        resume_woken(listener);
        *next_batch_ms = listener->now_ms + held / HELD_PER_BATCH_MS;
    }
    sleep = expire(listener);
    const int64_t look = skr_listener_close_stuck(listener);
    if (look >= 0 && (sleep < 0 || sleep > look)) {
        sleep = look;
    }
    if (held > 0 && listener->options.handler.tick && listener->now_ms >= *next_tick_ms) {
        *next_tick_ms = listener->now_ms + TICK_MS;
        listener->options.handler.tick(listener->options.handler.context);
    }
    if (held > 0 && (sleep < 0 || sleep > TICK_MS)) {
        sleep = TICK_MS;
    }
    pthread_mutex_lock(&listener->lock);
    const bool waiting = listener->woken;
    pthread_mutex_unlock(&listener->lock);
    if (waiting) {
        sleep = *next_batch_ms > listener->now_ms ? *next_batch_ms - listener->now_ms : 0;
    }
    return sleep;
}

static void *run(void *context)
{
    struct skr_listener *listener = context;
    int64_t next_batch_ms = 0;
    int64_t next_tick_ms = 0;
    int64_t give_up_ms = INT64_MAX;
    int64_t sleep_ms = 0;

    for (;;) {
        wait_for_work(listener, sleep_ms);
        if (!listener->draining && is_stopping(listener)) {
            begin_draining(listener);
            give_up_ms = listener->now_ms + listener->options.stop_timeout_ms;
        }
        sleep_ms = round_of_work(listener, &next_batch_ms, &next_tick_ms);
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

/* ---- start and stop ---- */

static void on_mhd_message(void *cls, const char *format, va_list args) SKR_PRINTF(2, 0);
static void on_mhd_message(void *cls, const char *format, va_list args)
{
    struct skr_listener *listener = cls;
    char text[160];

    (void)vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = 0;
    for (size_t n = strlen(text); n > 0 && (text[n - 1] == '.' || text[n - 1] == ' '); n--) {
        text[n - 1] = 0;
    }
    if (!listener->daemon && listener->start_text[0] == 0) {
        memcpy(listener->start_text, text, sizeof text);
    }
    skr_http_logf(&listener->options.log, SKR_HTTP_LOG_DEBUG, "Listener %s: %s",
                  listener->options.name, text);
}

/* PEM texts are borrowed by libmicrohttpd until it stops; it changes none. */
static size_t tls_options(struct skr_listener *listener, struct MHD_OptionItem *item)
{
    size_t n = 0;

    if (listener->tls.cert) {
        static const char priorities[] = SKR_TLS_PRIORITIES;
        item[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, listener->tls.cert};
        item[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, listener->tls.key};
        item[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)priorities};
        if (listener->tls.client_ca) {
            item[n++] =
                (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0, listener->tls.client_ca};
        }
    }
    item[n++] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return n;
}

static int start_daemon(struct skr_listener *listener, struct skr_error *error)
{
    struct MHD_OptionItem tls[8];
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

    (void)tls_options(listener, tls);
    if (listener->tls.cert) {
        flags |= MHD_USE_TLS;
    }
    listener->daemon = MHD_start_daemon(
        flags, listener->port, NULL, NULL, skr_connection_on_request, listener,
        MHD_OPTION_EXTERNAL_LOGGER, on_mhd_message, listener, MHD_OPTION_LISTEN_SOCKET,
        listener->socket, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        listener->options.per_address_max, MHD_OPTION_CONNECTION_LIMIT,
        listener->options.connections_max, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        listener->options.connection_memory, MHD_OPTION_NOTIFY_CONNECTION, skr_connection_on_notify,
        listener, MHD_OPTION_NOTIFY_COMPLETED, skr_connection_on_completed, listener,
        MHD_OPTION_URI_LOG_CALLBACK, skr_connection_on_uri, listener, MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
    if (!listener->daemon) {
        return skr_error_set(error, SKR_RETRY, "cannot start the HTTP server on port %u: %s",
                             (unsigned)listener->port,
                             listener->start_text[0] != 0 ? listener->start_text : "no reason");
    }
    listener->socket = -1; /* libmicrohttpd's now */
    return 0;
}

static int watch(struct skr_listener *listener, int fd, struct skr_error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

    if (epoll_ctl(listener->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        return skr_error_set(error, SKR_RETRY, "cannot watch a descriptor: %s", strerror(errno));
    }
    return 0;
}

static int open_epoll(struct skr_listener *listener, struct skr_error *error)
{
    listener->epoll = epoll_create1(EPOLL_CLOEXEC);
    listener->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (listener->epoll < 0 || listener->wake_fd < 0) {
        return skr_error_set(error, SKR_RETRY, "cannot open a descriptor: %s", strerror(errno));
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    skr_bug_on(!info);
    int rc = skr_parked_create(&listener->parked, error);
    if (rc == 0) {
        rc = watch(listener, info->epoll_fd, error);
    }
    if (rc == 0) {
        rc = watch(listener, skr_parked_fd(listener->parked), error);
    }
    if (rc == 0) {
        rc = watch(listener, listener->wake_fd, error);
    }
    return rc;
}

static int start_thread(struct skr_listener *listener, struct skr_error *error)
{
    char name[16];
    (void)snprintf(name, sizeof name, "http-%.10s", listener->options.name);
    const int rc = skr_thread_start(&listener->thread, name, run, listener, error);
    listener->joined = rc != 0;
    return rc;
}

int skr_listener_create(const struct skr_listener_options *options, struct skr_listener **ret,
                        struct skr_error *error)
{
    struct skr_listener *listener = skr_alloc(sizeof *listener);
    static const struct skr_metric_spec requests = {
        .name = "sakkara_http_requests_total",
        .help = "Answers of all listeners by status code and handler.",
        .type = SKR_COUNTER,
        .label = {"code", "handler"},
    };

    listener->options = *options;
    listener->socket = listener->epoll = listener->wake_fd = -1;
    listener->joined = true;
    listener->now_ms = skr_http_now_ns() / 1000000;
    listener->requests = skr_metrics_family(options->metrics, &requests);
    skr_bug_on(pthread_mutex_init(&listener->lock, NULL) != 0);
    (void)skr_http_raise_open_files();
    int rc = options->cert ? skr_tls_init_pair(&listener->tls, options->cert, options->key, error)
                           : skr_tls_load(&options->tls, &listener->tls, error);
    if (rc == 0) {
        rc = skr_address_listen(options->address, &listener->socket, &listener->port, error);
    }
    if (rc == 0) {
        rc = start_daemon(listener, error);
    }
    if (rc == 0) {
        rc = open_epoll(listener, error);
    }
    if (rc == 0) {
        rc = start_thread(listener, error);
    }
    if (rc != 0) {
        skr_listener_destroy(listener);
        return rc;
    }
    *ret = listener;
    return 0;
}

int skr_listener_set_pair(struct skr_listener *listener, const char *cert, const char *key,
                          struct skr_error *error)
{
    struct skr_tls fresh;
    const int rc = skr_tls_init_pair(&fresh, cert, key, error);

    if (rc == 0) {
        pthread_mutex_lock(&listener->lock);
        skr_tls_fini(&listener->fresh);
        listener->fresh = fresh;
        pthread_mutex_unlock(&listener->lock);
        kick(listener);
    }
    return rc;
}

void skr_listener_begin_stop(struct skr_listener *listener)
{
    pthread_mutex_lock(&listener->lock);
    listener->stopping = true;
    pthread_mutex_unlock(&listener->lock);
    kick(listener);
}

void skr_listener_stop(struct skr_listener *listener)
{
    if (listener->joined) {
        return;
    }
    skr_listener_begin_stop(listener);
    skr_bug_on(pthread_join(listener->thread, NULL) != 0);
    listener->joined = true;
}

static void close_fd(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

void skr_listener_destroy(struct skr_listener *listener)
{
    if (!listener) {
        return;
    }
    skr_listener_stop(listener);
    if (listener->daemon) {
        MHD_stop_daemon(listener->daemon); /* the thread never ran */
    }
    close_fd(listener->socket);
    close_fd(listener->epoll);
    close_fd(listener->wake_fd);
    skr_parked_destroy(listener->parked);
    skr_tls_fini(&listener->tls);
    skr_tls_fini(&listener->fresh);
    pthread_mutex_destroy(&listener->lock);
    free(listener);
}
