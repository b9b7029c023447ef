/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd's callbacks, and answers. The access handler is called once when the headers are
 * complete, once for each piece of the body, and once at the end. After a resume it is called for
 * the end again, because no answer is queued yet. Answers are queued only there, on the listener's
 * thread: libmicrohttpd 0.9.75 does not lock a suspended connection when another thread answers.
 */
#include "server/http/body.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <utlist.h>

#include "server/clock.h"
#include "server/config/address.h"
#include "server/log.h"
#include "topology/base/arena.h"

int64_t skr_http_now_ns(void)
{
    return skr_clock_monotonic();
}

void skr_http_logf(const struct skr_http_log *log, int level, const char *format, ...)
{
    char text[512];
    va_list args;
    if (!log->fn) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *p = text; *p != 0; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F) {
            *p = '?';
        }
    }
    log->fn(log->context, level, text);
}

static struct skr_connection *of_request(struct skr_http_request *request)
{
    /* The request is the first member. */
    return (struct skr_connection *)request;
}

static struct skr_connection *of_mhd(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    skr_bug_on(!info || !info->socket_context);
    return info->socket_context;
}

/* ---- phases ---- */

static void leave_phase(struct skr_connection *connection)
{
    struct skr_listener *listener = connection->listener;
    DL_DELETE(listener->phase[connection->phase], connection);
    atomic_fetch_sub_explicit(&listener->n_phase[connection->phase], 1, memory_order_relaxed);
}

static void enter_phase(struct skr_connection *connection, enum skr_phase phase)
{
    struct skr_listener *listener = connection->listener;
    connection->phase = phase;
    connection->since_ms = listener->now_ms;
    DL_APPEND(listener->phase[phase], connection);
    atomic_fetch_add_explicit(&listener->n_phase[phase], 1, memory_order_relaxed);
}

void skr_connection_set_phase(struct skr_connection *connection, enum skr_phase phase)
{
    leave_phase(connection);
    enter_phase(connection, phase);
}

/* Suspends it and waits for its hang-up. libmicrohttpd takes a suspended connection out of its own
 * epoll set, so the connection is watched here: for the end of file, a reset and errors, not for
 * bytes, which wait in the kernel. The set is level triggered, so a hang-up that comes before the
 * connection is in the set is reported, too. false: the kernel has no room for another watch. */
static bool suspend(struct skr_connection *connection)
{
    struct epoll_event event = {.events = EPOLLRDHUP, .data = {.ptr = connection}};
    MHD_suspend_connection(connection->mhd);
    skr_connection_set_phase(connection, SKR_PHASE_HELD);
    connection->watched =
        epoll_ctl(connection->listener->parked, EPOLL_CTL_ADD, connection->fd, &event) == 0;
    return connection->watched;
}

void skr_connection_unwatch(struct skr_connection *connection)
{
    skr_bug_on(connection->watched &&
               epoll_ctl(connection->listener->parked, EPOLL_CTL_DEL, connection->fd, NULL) != 0);
    connection->watched = false;
}

void skr_connection_resume(struct skr_connection *connection)
{
    skr_connection_unwatch(connection);
    skr_connection_set_phase(connection, SKR_PHASE_ANSWERING);
    MHD_resume_connection(connection->mhd);
}

void skr_connection_abandon(struct skr_connection *connection)
{
    connection->abandoned = true;
    skr_connection_resume(connection);
}

/* ---- connections ---- */

static void on_connect(struct skr_listener *listener, struct MHD_Connection *mhd,
                       void **socket_context)
{
    struct skr_connection *connection = skr_alloc(sizeof *connection);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection->listener = listener;
    connection->mhd = mhd;
    connection->fd = info->connect_fd;
    enter_phase(connection, SKR_PHASE_IDLE);
    *socket_context = connection;
    if (listener->tls.cert) {
        info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
        skr_bug_on(!info);
        skr_tls_use(&listener->tls, info->tls_session);
    }
    if (listener->tls.client_ca) {
        skr_tls_require_client(info->tls_session);
    }
}

static bool is_empty(const struct skr_listener *listener)
{
    bool empty = true;
    for (size_t i = 0; i < SKR_PHASE_COUNT; i++) {
        empty = empty && !listener->phase[i];
    }
    return empty;
}

void skr_connection_on_notify(void *cls, struct MHD_Connection *mhd, void **socket_context,
                              enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        on_connect(cls, mhd, socket_context);
        return;
    }
    struct skr_connection *connection = *socket_context;
    const struct skr_listener *listener = cls;
    skr_bug_on(!connection || connection->watched);
    leave_phase(connection);
    if (connection->used && is_empty(listener) && listener->options.handler.all_gone) {
        listener->options.handler.all_gone(listener->options.handler.context);
    }
    skr_body_drop(connection);
    free(connection);
    *socket_context = NULL;
}

void *skr_connection_on_uri(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    struct skr_connection *connection = of_mhd(mhd);
    (void)cls;
    (void)uri;
    connection->request =
        (struct skr_http_request){.began_ns = skr_http_now_ns(), .handler = "other"};
    skr_connection_set_phase(connection, SKR_PHASE_READING);
    return NULL;
}

/* Wakes that came before done() was called. */
static void forget_wakes(struct skr_connection *connection)
{
    struct skr_listener *listener = connection->listener;
    pthread_mutex_lock(&listener->lock);
    for (struct skr_connection **at = &listener->woken; connection->in_woken && *at;) {
        if (*at == connection) {
            *at = connection->next_woken;
            connection->in_woken = false;
        } else {
            at = &(*at)->next_woken;
        }
    }
    pthread_mutex_unlock(&listener->lock);
}

void skr_connection_on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                                 enum MHD_RequestTerminationCode code)
{
    struct skr_connection *connection = of_mhd(mhd);
    struct skr_listener *listener = cls;
    (void)context;
    (void)code;
    if (connection->handled && listener->options.handler.done) {
        listener->options.handler.done(listener->options.handler.context, &connection->request);
    }
    if (connection->streaming) {
        forget_wakes(connection);
        skr_strbuf_fini(&connection->stream);
        connection->streaming = false;
    }
    skr_body_drop(connection);
    connection->used = true;
    connection->last_done_ns = skr_http_now_ns();
    connection->handled = false;
    connection->replied = false;
    connection->abandoned = false;
    if (connection->phase != SKR_PHASE_CLOSING) {
        skr_connection_set_phase(connection, SKR_PHASE_IDLE);
    }
}

/* ---- requests ---- */

static void hold(struct skr_connection *connection)
{
    struct skr_listener *listener = connection->listener;
    if (suspend(connection)) {
        return;
    }
    skr_http_logf(&listener->options.log, SKR_HTTP_LOG_ERROR,
                  "Request could not be held: the kernel refused to watch its connection");
    if (listener->options.handler.hangup(listener->options.handler.context, &connection->request)) {
        skr_connection_abandon(connection);
    }
}

static void finish(struct skr_connection *connection)
{
    struct skr_http_handler *handler = &connection->listener->options.handler;
    if (!connection->handled) {
        connection->handled = true;
        skr_connection_set_phase(connection, SKR_PHASE_ANSWERING);
        handler->handle(handler->context, &connection->request);
        if (connection->replied || connection->abandoned) {
            return;
        }
        skr_bug_on(!handler->resume);
        hold(connection);
        return;
    }
    handler->resume(handler->context, &connection->request);
    skr_bug_on(!connection->replied && !connection->abandoned);
}

static enum MHD_Result refuse_absurd(struct skr_connection *connection, uint64_t n)
{
    skr_http_logf(&connection->listener->options.log, SKR_HTTP_LOG_WARNING,
                  "Connection to %s was closed: body of %llu bytes",
                  connection->listener->options.name, (unsigned long long)n);
    return MHD_NO;
}

/* The headers are there. Answers, or lets libmicrohttpd read the body. */
static enum MHD_Result begin(struct skr_connection *connection, const char *version)
{
    const struct skr_http_handler *handler = &connection->listener->options.handler;
    const char *fault = skr_body_framing_fault(connection, version);
    if (fault) {
        skr_http_logf(&connection->listener->options.log, SKR_HTTP_LOG_WARNING,
                      "Connection to %s was closed: %.*s", connection->listener->options.name,
                      (int)strcspn(fault, "\n"), fault);
        connection->request.close = true;
        skr_http_reply_text(&connection->request, MHD_HTTP_BAD_REQUEST, SKR_HTTP_TEXT, fault);
    } else if (handler->admit) {
        handler->admit(handler->context, &connection->request);
    }
    if (connection->replied || connection->abandoned) { /* libmicrohttpd reads no body then */
        skr_connection_set_phase(connection, SKR_PHASE_ANSWERING);
        return connection->abandoned ? MHD_NO : MHD_YES;
    }
    const uint64_t announced = skr_body_announced(connection);
    return skr_body_is_absurd(connection, announced) ? refuse_absurd(connection, announced)
                                                     : MHD_YES;
}

enum MHD_Result skr_connection_on_request(void *cls, struct MHD_Connection *mhd, const char *url,
                                          const char *method, const char *version,
                                          const char *upload, size_t *upload_len, void **context)
{
    struct skr_connection *connection = of_mhd(mhd);
    (void)cls;
    if (connection->phase == SKR_PHASE_CLOSING) {
        return MHD_NO;
    }
    if (!*context) {
        *context = connection;
        connection->request.method = method;
        connection->request.path = url;
        return begin(connection, version);
    }
    if (*upload_len != 0) {
        const size_t n = *upload_len;
        *upload_len = 0;
        if (skr_body_add(connection, upload, n)) {
            return MHD_YES;
        }
        return refuse_absurd(connection, connection->request.body_len);
    }
    if (!connection->abandoned) {
        finish(connection);
    }
    return connection->abandoned ? MHD_NO : MHD_YES;
}

/* ---- answers ---- */

static void log_reply(const struct skr_connection *connection, unsigned status)
{
    const int64_t us = (skr_http_now_ns() - connection->request.began_ns) / 1000;
    char took[32];
    (void)snprintf(took, sizeof took, "%lld.%03lldms", (long long)(us / 1000),
                   (long long)(us % 1000));
    skr_log_info(6, "Request was answered", SKR_LOG_S("handler", connection->request.handler),
                 SKR_LOG_I("code", status), SKR_LOG_S("took", took), SKR_LOG_END);
}

static void count_reply(struct skr_connection *connection, unsigned status)
{
    char code[8];
    if (skr_log_enabled(6)) {
        log_reply(connection, status);
    }
    if (!connection->listener->requests) {
        return;
    }
    (void)snprintf(code, sizeof code, "%u", status % 1000);
    skr_metric_add(skr_metric_get(connection->listener->requests,
                                  (const char *const[]){code, connection->request.handler}),
                   1);
}

static bool add_headers(struct MHD_Response *response, const struct skr_http_header *header,
                        size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        ok = MHD_add_response_header(response, header[i].name, header[i].value) == MHD_YES && ok;
    }
    return ok;
}

/* Takes over the response. */
static void reply(struct skr_connection *connection, unsigned status, const char *type,
                  struct MHD_Response *response)
{
    skr_bug_on(connection->replied);
    if (!response) {
        connection->abandoned = true;
        return;
    }
    bool ok = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
    const struct skr_listener_options *options = &connection->listener->options;
    ok = add_headers(response, options->headers, options->n_headers) && ok;
    ok = add_headers(response, connection->request.headers, connection->request.n_headers) && ok;
    if (connection->listener->draining || connection->request.close) {
        ok =
            MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES && ok;
    }
    ok = ok && MHD_queue_response(connection->mhd, status, response) == MHD_YES;
    MHD_destroy_response(response);
    if (ok) {
        connection->replied = true;
    } else {
        connection->abandoned = true;
    }
    count_reply(connection, status);
}

void skr_http_reply(struct skr_http_request *request, unsigned status, const char *type, char *body,
                    size_t len)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(body);
    }
    reply(of_request(request), status, type, response);
}

void skr_http_reply_buffer(struct skr_http_request *request, unsigned status, const char *type,
                           struct skr_strbuf *body)
{
    size_t n = 0;
    char *bytes = skr_strbuf_take(body, &n);
    skr_http_reply(request, status, type, bytes, n);
}

void skr_http_add_headers(struct skr_http_request *request, const struct skr_http_header *header,
                          size_t n)
{
    request->headers = header;
    request->n_headers = n;
}

/* libmicrohttpd takes a pointer to bytes it does not change. */
static struct MHD_Response *constant_response(const char *bytes, size_t n)
{
    return MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *text_response(const char *text)
{
    return constant_response(text, strlen(text));
}

void skr_http_reply_constant(struct skr_http_request *request, unsigned status, const char *type,
                             const char *bytes, size_t n)
{
    reply(of_request(request), status, type, constant_response(bytes, n));
}

void skr_http_reply_text(struct skr_http_request *request, unsigned status, const char *type,
                         const char *text)
{
    reply(of_request(request), status, type, text_response(text));
}

static ssize_t on_stream(void *cls, uint64_t position, char *buffer, size_t max)
{
    struct skr_connection *connection = cls;
    const struct skr_http_handler *handler = &connection->listener->options.handler;
    struct skr_strbuf *out = &connection->stream;
    (void)position;
    if (connection->abandoned) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (connection->stream_at == out->len) {
        skr_strbuf_reset(out);
        connection->stream_at = 0;
        if (!connection->stream_ended && !connection->listener->draining) {
            connection->stream_ended = !handler->more(handler->context, &connection->request, out);
        }
    }
    if (out->len == 0) {
        if (connection->stream_ended || connection->listener->draining) {
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
        if (!suspend(connection)) { /* until there is more to send; a hang-up would go unseen */
            skr_connection_abandon(connection);
        }
        return 0;
    }
    const size_t left = out->len - connection->stream_at;
    const size_t n = left < max ? left : max;
    memcpy(buffer, out->s + connection->stream_at, n);
    connection->stream_at += n;
    skr_connection_set_phase(connection, SKR_PHASE_ANSWERING); /* the time begins again */
    return (ssize_t)n;
}

void skr_http_reply_stream(struct skr_http_request *request, unsigned status, const char *type)
{
    enum { BLOCK = 16 * 1024 };
    struct skr_connection *connection = of_request(request);
    skr_bug_on(!connection->listener->options.handler.more || connection->streaming);
    skr_strbuf_init(&connection->stream);
    connection->stream_at = 0;
    connection->stream_ended = false;
    connection->streaming = true;
    reply(connection, status, type,
          MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_stream, connection, NULL));
}

void skr_http_reply_not_allowed(struct skr_http_request *request, const char *allow)
{
    struct MHD_Response *response = text_response("method not allowed\n");
    if (response) {
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    }
    reply(of_request(request), MHD_HTTP_METHOD_NOT_ALLOWED, SKR_HTTP_TEXT, response);
}

bool skr_http_allows(struct skr_http_request *request, const char *allowed)
{
    const size_t n = strlen(request->method);
    for (const char *word = allowed; *word;
         word += strcspn(word, ", "), word += strspn(word, ", ")) {
        if (strcspn(word, ", ") == n && strncmp(word, request->method, n) == 0) {
            return true;
        }
    }
    skr_http_reply_not_allowed(request, allowed);
    return false;
}

void skr_http_reply_not_found(struct skr_http_request *request)
{
    skr_http_reply_text(request, MHD_HTTP_NOT_FOUND, SKR_HTTP_TEXT, "not found\n");
}

void skr_http_reply_elsewhere(struct skr_http_request *request, const char *url)
{
    struct MHD_Response *response = text_response("it is elsewhere\n");
    if (response) {
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_LOCATION, url);
    }
    reply(of_request(request), MHD_HTTP_TEMPORARY_REDIRECT, SKR_HTTP_TEXT, response);
}

char *skr_http_take_body(struct skr_http_request *request, size_t *ret_len)
{
    char *body = request->body;
    *ret_len = body ? request->body_len : 0;
    request->body = NULL; /* still counted until the request is done */
    request->body_len = 0;
    return body ? body : skr_alloc(1);
}

bool skr_http_is_local(struct skr_http_request *request)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    return getpeername(of_request(request)->fd, (struct sockaddr *)&address, &len) == 0 &&
           skr_address_is_loopback(&address);
}

bool skr_http_is_certified_for(struct skr_http_request *request, const char *host)
{
    return skr_tls_names(&of_request(request)->listener->tls, host);
}

const char *skr_http_argument(struct skr_http_request *request, const char *name)
{
    const char *value = NULL;
    size_t n = 0;
    if (MHD_lookup_connection_value_n(of_request(request)->mhd, MHD_GET_ARGUMENT_KIND, name,
                                      strlen(name), &value, &n) != MHD_YES) {
        return NULL;
    }
    return value ? value : "";
}

const char *skr_http_header(struct skr_http_request *request, const char *name)
{
    return MHD_lookup_connection_value(of_request(request)->mhd, MHD_HEADER_KIND, name);
}
