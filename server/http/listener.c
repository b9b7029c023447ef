/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and stops a listener, and wakes it from other threads. listener_thread.c is its thread. */
#include "server/http/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/config/address.h"
#include "server/http/connection.h"
#include "server/thread.h"
#include "topology/base/arena.h"

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

/* ---- other threads ---- */

static void kick(struct skr_listener *listener)
{
    const uint64_t one = 1;
    while (write(listener->wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
        ;
    }
}

/* A stream may be woken again before its turn. */
static void wake(struct skr_http_request *request, bool stream)
{
    struct skr_connection *connection = (struct skr_connection *)request; /* first member */
    struct skr_listener *listener = connection->listener;
    pthread_mutex_lock(&listener->lock);
    const bool first = !listener->woken;
    const bool add = !connection->in_woken;
    if (add) {
        connection->in_woken = stream;
        connection->next_woken = listener->woken;
        listener->woken = connection;
    }
    pthread_mutex_unlock(&listener->lock);
    if (first && add) {
        kick(listener);
    }
}

void skr_http_wake(struct skr_http_request *request)
{
    wake(request, false);
}

void skr_http_wake_stream(struct skr_http_request *request)
{
    wake(request, true);
}

uint16_t skr_listener_port(const struct skr_listener *listener)
{
    return listener ? listener->port : 0;
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

static int start_daemon(struct skr_listener *listener, struct skr_error *error)
{
    static const char priorities[] = SKR_TLS_PRIORITIES;
    /* libmicrohttpd borrows PEM texts until it stops, and changes none. */
    const struct MHD_OptionItem with_tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, listener->tls.cert},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, listener->tls.key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)priorities},
        {listener->tls.client_ca ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0,
         listener->tls.client_ca},
        {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem *tls = listener->tls.cert ? with_tls : &with_tls[4];
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                           (listener->tls.cert ? MHD_USE_TLS : 0);
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
    listener->parked = epoll_create1(EPOLL_CLOEXEC);
    listener->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (listener->epoll < 0 || listener->parked < 0 || listener->wake_fd < 0) {
        return skr_error_set(error, SKR_RETRY, "cannot open a descriptor: %s", strerror(errno));
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    skr_bug_on(!info);
    int rc = watch(listener, info->epoll_fd, error);
    rc = rc < 0 ? rc : watch(listener, listener->parked, error);
    return rc < 0 ? rc : watch(listener, listener->wake_fd, error);
}

static int start_thread(struct skr_listener *listener, struct skr_error *error)
{
    char name[16];
    (void)snprintf(name, sizeof name, "http-%.10s", listener->options.name);
    const int rc = skr_thread_start(&listener->thread, name, skr_listener_run, listener, error);
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
    listener->socket = listener->epoll = listener->parked = listener->wake_fd = -1;
    listener->joined = true;
    listener->now_ms = skr_http_now_ns() / 1000000;
    listener->requests = skr_metrics_family(options->metrics, &requests);
    skr_bug_on(pthread_mutex_init(&listener->lock, NULL) != 0);
    (void)skr_http_raise_open_files();
    int rc = options->cert ? skr_tls_init_pair(&listener->tls, options->cert, options->key, error)
                           : skr_tls_load(&options->tls, &listener->tls, error);
    rc = rc < 0 ? rc
                : skr_address_listen(options->address, &listener->socket, &listener->port, error);
    rc = rc < 0 ? rc : start_daemon(listener, error);
    rc = rc < 0 ? rc : open_epoll(listener, error);
    rc = rc < 0 ? rc : start_thread(listener, error);
    if (rc < 0) {
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
    if (!listener) {
        return;
    }
    pthread_mutex_lock(&listener->lock);
    listener->stopping = true;
    pthread_mutex_unlock(&listener->lock);
    kick(listener);
}

void skr_listener_stop(struct skr_listener *listener)
{
    if (!listener || listener->joined) {
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
    close_fd(listener->parked);
    close_fd(listener->wake_fd);
    skr_tls_fini(&listener->tls);
    skr_tls_fini(&listener->fresh);
    pthread_mutex_destroy(&listener->lock);
    free(listener);
}
