/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_CONNECTION_H
#define SKR_SERVER_HTTP_CONNECTION_H
/*
 * What listener.c, listener_thread.c, idle.c, body.c and connection.c share; for these files alone. Unless
 * a comment says otherwise, the listener's thread owns everything here.
 */
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/http/listener.h"

/* Where a connection is. Each phase but the last two has a time limit that begins with it. */
enum skr_phase {
    SKR_PHASE_IDLE,      /* nothing, or a part of a request line, was read */
    SKR_PHASE_READING,   /* the rest of the request is read */
    SKR_PHASE_ANSWERING, /* the answer is written, or about to be */
    SKR_PHASE_HELD,      /* suspended */
    SKR_PHASE_CLOSING,   /* shut down; libmicrohttpd will find out */
    SKR_PHASE_COUNT
};

struct skr_connection {
    struct skr_http_request request; /* first: the handlers' pointer is this one */
    struct skr_listener *listener;
    struct MHD_Connection *mhd;
    int fd;
    enum skr_phase phase;
    bool handled;             /* handle() was called for the current request */
    bool replied;             /* an answer is queued */
    bool abandoned;           /* close it at the next opportunity */
    bool watched;             /* in listener->parked */
    bool streaming;           /* the answer is a stream */
    bool stream_ended;        /* more() has said so */
    bool used;                /* a request has ended on it, ... */
    int64_t last_done_ns;     /* ... the last one then; not the time of the round, but the clock */
    bool in_woken;            /* of streams: in listener->woken; under its lock */
    struct skr_strbuf stream; /* what more() gave ... */
    size_t stream_at;         /* ... and how much of it was sent */
    int64_t since_ms;         /* begin of the phase */
    size_t body_cap;          /* bytes allocated for request.body */
    struct skr_connection *prev; /* list of the phase, oldest first */
    struct skr_connection *next;
    struct skr_connection *next_woken; /* listener->woken; under its lock */
};

struct skr_listener {
    struct skr_listener_options options;
    struct skr_tls tls;
    struct MHD_Daemon *daemon;
    int socket; /* -1 once libmicrohttpd or stop has taken it */
    uint16_t port;
    int epoll;   /* what the thread waits for: libmicrohttpd, parked, wake_fd */
    int parked;  /* epoll set of suspended connections: their hang-ups */
    int wake_fd; /* eventfd: other threads */
    pthread_t thread;
    bool joined;
    bool draining;                /* stopping was seen */
    int64_t now_ms;               /* of the current round */
    int64_t next_look_ms;         /* at idle connections: idle.c */
    int64_t next_certificates_ms; /* look at the files of TLS */
    struct skr_connection *phase[SKR_PHASE_COUNT];
    atomic_size_t n_phase[SKR_PHASE_COUNT];
    size_t bodies; /* bytes of all bodies being read or handled */
    struct skr_metric_family *requests;
    char start_text[160]; /* what libmicrohttpd complained about while starting */

    pthread_mutex_t lock;
    struct skr_connection *woken; /* under lock: newest first */
    struct skr_tls fresh;         /* under lock: of set_pair, not taken yet */
    bool stopping;                /* under lock */
};

/* listener_thread.c: what the thread does until the listener was stopped; context is the listener. */
void *skr_listener_run(void *context);
/* Moves the connection to the end of a phase's list; its time begins now. */
void skr_connection_set_phase(struct skr_connection *connection, enum skr_phase phase);
/* idle.c: shuts down idle connections that stopped within a request line or were closed by their
 * caller; returns the milliseconds until it should be called again, or -1. */
int64_t skr_listener_close_stuck(struct skr_listener *listener);
/* Takes a suspended connection out of listener->parked, if it is there. */
void skr_connection_unwatch(struct skr_connection *connection);
/* Lets libmicrohttpd go on with a request or stream that is held. */
void skr_connection_resume(struct skr_connection *connection);
/* Gives up a request that is held: resumed, and closed instead of answered. */
void skr_connection_abandon(struct skr_connection *connection);

/* Callbacks for MHD_start_daemon(); cls is the listener. */
enum MHD_Result skr_connection_on_request(void *cls, struct MHD_Connection *mhd, const char *url,
                                          const char *method, const char *version,
                                          const char *upload, size_t *upload_len, void **context);
void *skr_connection_on_uri(void *cls, const char *uri, struct MHD_Connection *mhd);
void skr_connection_on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                                 enum MHD_RequestTerminationCode code);
void skr_connection_on_notify(void *cls, struct MHD_Connection *mhd, void **socket_context,
                              enum MHD_ConnectionNotificationCode code);

#endif
