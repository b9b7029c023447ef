/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_LISTENER_H
#define SKR_SERVER_HTTP_LISTENER_H
/*
 * One HTTP listener: an address, optional TLS, a thread, libmicrohttpd in its external epoll mode.
 * The thread owns every connection. Handlers, hang-ups, deadlines and answers run on it, so a
 * request needs no lock. Other threads may wake requests (skr_http_wake()) and stop the listener.
 *
 * A request is read as a whole and given to handle(), which answers it or holds it. The connection
 * of a held request is suspended: it costs memory only, and is watched for a hang-up.
 * skr_http_wake() brings a held request to resume(), which must answer. done() ends every request.
 *
 *   admit  -> skr_http_reply_text
 *   handle -> skr_http_reply                                             -> done
 *   handle -> (held) -> skr_http_wake -> resume -> skr_http_reply        -> done
 *   handle -> (held) -> the caller hangs up -> hangup                    -> done
 *   handle -> skr_http_reply_stream -> more, more, ...                   -> done
 *
 * What clients can make large is bounded: connections, bytes of one body and of all bodies, header
 * bytes (connection_memory), and time:
 *   - A connection may be idle for idle_timeout_ms. The request line is part of that time.
 *   - A client that stops within a request line for request_timeout_ms, or closes its side there,
 *     is closed soon after.
 *   - Header and body must be complete request_timeout_ms after the request line.
 *   - An answer must be taken within answer_timeout_ms.
 *   - A new connection has first_request_ms for its first request line, TLS included. While three
 *     quarters of all connections are in use, it has SKR_HTTP_CROWDED_MS.
 *
 * A client that closes its sending side counts as gone once its request is held. Answers given in
 * handle() still reach it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/http/metrics.h"
#include "server/http/tls.h"
#include "topology/base/error.h"
#include "topology/base/strbuf.h"

enum skr_http_log_level {
    SKR_HTTP_LOG_ERROR = 0,   /* an administrator may have to act */
    SKR_HTTP_LOG_WARNING = 1, /* a client sends nonsense */
    SKR_HTTP_LOG_INFO = 2,
    SKR_HTTP_LOG_DEBUG = 4
};

/* The log of server/http, called on any of its threads. text is borrowed: one line such as
 * "Request was malformed: ...". */
struct skr_http_log {
    void (*fn)(void *context, int level, const char *text); /* NULL: silence */
    void *context;
};
void skr_http_logf(const struct skr_http_log *log, int level, const char *format, ...)
    SKR_PRINTF(3, 4);

enum {
    SKR_HTTP_BODY_MAX = 16 * 1024 * 1024,    /* default of body_max */
    SKR_HTTP_BODIES_MAX = 256 * 1024 * 1024, /* default of bodies_max */
    SKR_HTTP_CROWDED_MS = 250,
    SKR_HTTP_ABSURD = 4, /* a body of more than body_max times this closes the connection */
};

struct skr_http_header {
    const char *name, *value;
};

/* Handlers read; the listener writes. */
struct skr_http_request {
    const char *method;
    const char *path;    /* unescaped, without the query */
    const char *handler; /* label for metrics, a literal; set by handle(), "other" at first */
    char *body;          /* NUL-terminated heap memory; NULL when empty. See take_body */
    size_t body_len;
    bool too_large;   /* the body was beyond a limit and thrown away */
    bool close;       /* a handler may set it before it answers: close the connection afterwards */
    int64_t began_ns; /* CLOCK_MONOTONIC, when the request line was there */
    void *user;       /* the handler's own */
    const struct skr_http_header *headers; /* skr_http_add_headers() */
    size_t n_headers;
};

struct skr_http_handler {
    void *context;
    /* The headers are there, the body is not. It may answer: then the body is not read, none of the
     * other functions is called, and the connection is closed. NULL: every request is read. */
    void (*admit)(void *context, struct skr_http_request *request);
    void (*handle)(void *context, struct skr_http_request *request);
    void (*resume)(void *context, struct skr_http_request *request);
    /* True: the request is given up (it must not be woken any more). False: it was woken already,
     * and goes to resume. */
    bool (*hangup)(void *context, struct skr_http_request *request);
    /* Streams: appends what is ready to be sent, any number of bytes; false: the stream ends. Called
     * when the connection takes bytes, and after skr_http_wake_stream(). NULL: no streams. */
    bool (*more)(void *context, struct skr_http_request *request, struct skr_strbuf *out);
    void (*done)(void *context, struct skr_http_request *request); /* NULL allowed */
    /* The last connection is closed, and it has brought requests: no caller is there. NULL allowed. */
    void (*all_gone)(void *context);
};

struct skr_listener_options {
    const char *name;    /* a literal for logs and the thread, at most 12 characters */
    const char *address; /* see address.h */
    struct skr_tls_files tls;
    const char *cert, *key; /* PEM; NULL: of the files. See set_pair */
    /* Headers of every answer; they live as long as the listener. */
    const struct skr_http_header *headers;
    size_t n_headers;
    struct skr_http_handler handler; /* resume, hangup NULL: handle always answers */
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed: sakkara_http_requests_total{code,handler} */
    size_t connection_memory;    /* bytes of libmicrohttpd's buffer a connection; 32 KiB */
    unsigned connections_max;    /* 1024 */
    unsigned per_address_max;    /* of these, from one address; more are closed; 0: no limit */
    size_t body_max;
    size_t bodies_max;
    int idle_timeout_ms;    /* 120,000: Go keeps idle connections for 90 s */
    int first_request_ms;   /* 5,000: from the connection to its first request line */
    int request_timeout_ms; /* 15,000 */
    int answer_timeout_ms;  /* 60,000 */
    int certificates_ms;    /* 60,000: between two looks at the files of TLS */
    int stop_timeout_ms;    /* 5,000: for answers that are on their way when the listener stops */
};

struct skr_listener;

void skr_listener_options_default(struct skr_listener_options *options);

/* Opens the socket and starts the thread. Strings are used during the call only, but for name and
 * the paths of tls, which live as long as the listener. Errors: those of address.h and tls.h; SKR_RETRY. */
int skr_listener_create(const struct skr_listener_options *options, struct skr_listener **ret,
                        struct skr_error *error);
uint16_t skr_listener_port(const struct skr_listener *listener); /* NULL: 0 */

/* Any thread. */
size_t skr_listener_connections(const struct skr_listener *listener);

/* New connections get this pair (PEM, copied); open ones keep theirs. For listeners that were
 * created with a pair. Errors: SKR_INVALID, the old pair stays. Any thread. */
int skr_listener_set_pair(struct skr_listener *listener, const char *cert, const char *key,
                          struct skr_error *error);

/* Asks the thread to stop and returns at once: answers given from now on close their connections.
 * Any thread, any number of times. NULL allowed. */
void skr_listener_begin_stop(struct skr_listener *listener);
/* Closes the port, waits stop_timeout_ms at most until held requests are woken and answers are
 * taken, closes all connections, joins the thread. The owner wakes all held requests before.
 * NULL allowed; a second call does nothing. */
void skr_listener_stop(struct skr_listener *listener);
void skr_listener_destroy(struct skr_listener *listener); /* stops if need be; NULL allowed */

/* ---- on the listener's thread, in admit(), handle() or resume() ---- */

/* type: literal. body: heap memory, taken over. */
void skr_http_reply(struct skr_http_request *request, unsigned status, const char *type, char *body,
                    size_t len);
#define SKR_HTTP_TEXT "text/plain; charset=utf-8"
#define SKR_HTTP_JSON "application/json"
/* The same of a buffer, which becomes empty. */
void skr_http_reply_buffer(struct skr_http_request *request, unsigned status, const char *type,
                           struct skr_strbuf *body);
/* text: literal. */
void skr_http_reply_text(struct skr_http_request *request, unsigned status, const char *type,
                         const char *text);
/* The same of n bytes that never change. */
void skr_http_reply_constant(struct skr_http_request *request, unsigned status, const char *type,
                             const char *bytes, size_t n);
/* The answer gets these headers besides those of every answer; borrowed until it is given. One call
 * a request. */
void skr_http_add_headers(struct skr_http_request *request, const struct skr_http_header *header,
                          size_t n);
/* An answer without a known end: handler.more() gives its parts. A stream with nothing to send
 * costs as much as a held request, and has no deadline. If its caller hangs up, it ends without a
 * call of hangup(). In handle() only. */
void skr_http_reply_stream(struct skr_http_request *request, unsigned status, const char *type);
void skr_http_reply_not_found(struct skr_http_request *request); /* 404 */
/* Whether the method is one of these, e.g. "GET, HEAD"; if it is not, the answer is 405. */
bool skr_http_allows(struct skr_http_request *request, const char *allowed);
/* 405 with the methods that are allowed. */
void skr_http_reply_not_allowed(struct skr_http_request *request, const char *allow);
/* 307 to another URL, which is copied. */
void skr_http_reply_elsewhere(struct skr_http_request *request, const char *url);
/* The body becomes the caller's; free(). Never NULL. */
char *skr_http_take_body(struct skr_http_request *request, size_t *ret_len);
/* Argument of the query; "" for one without a value, NULL when it is not there. */
const char *skr_http_argument(struct skr_http_request *request, const char *name);
/* Header of the request, NULL when it is not there; the first one of that name. */
const char *skr_http_header(struct skr_http_request *request, const char *name);
/* Whether the certificate of this listener names the host; false without TLS. */
bool skr_http_is_certified_for(struct skr_http_request *request, const char *host);
/* Whether the caller is on this machine: its address is a loopback one. */
bool skr_http_is_local(struct skr_http_request *request);

/* ---- any thread ---- */

/* Brings a held request back. Once, and not after hangup() has given it up. May be called while
 * handle() is still running. */
void skr_http_wake(struct skr_http_request *request);

/* There is more for this stream. Any number of times, until done() has been called. */
void skr_http_wake_stream(struct skr_http_request *request);

/* Raises the soft limit of open files to the hard one; returns what is allowed now. */
uint64_t skr_http_raise_open_files(void);
int64_t skr_http_now_ns(void); /* CLOCK_MONOTONIC */

#endif
