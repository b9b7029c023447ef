/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_TRANSFER_H
#define SKR_SERVER_KUBE_TRANSFER_H
/*
 * One HTTP exchange on a multi handle, and the session that the exchanges of the handle share.
 * Connections are HTTP/1.1, for gRPC HTTP/2; they are kept open and reused.
 *
 * A request that is no GET reaches the server at most once. libcurl would silently send it again on
 * a new connection if a kept one died; here the exchange fails instead, and the owner decides about
 * the unknown outcome. GETs and calls of gRPC, which change nothing, are sent again.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/kube/access.h"
#include "server/kube/counters.h"
#include "topology/base/strbuf.h"

/* Shared by all exchanges of a multi handle. Only its thread uses it; any thread reads the counters. */
struct skr_kube_session {
    CURLM *multi;
    /* NULL, or without a server (then it is for TLS alone): requests name whole URLs. */
    struct skr_kube_access *access;
    const struct skr_kube_options *options;
    struct skr_kube_counters *counters;
    char *user_agent;   /* NULL: none is sent */
    uint64_t random;    /* state of the jitter */
    int64_t refresh_at; /* files of the credentials are read again then */
    int64_t refreshed;  /* when they were read last */
};

enum {
    SKR_KUBE_CONNECT_MS = 10000,         /* for name, TCP and TLS of a connection */
    SKR_KUBE_ERROR_BODY_MAX = 64 * 1024, /* of an answer that only explains a failure */
    SKR_KUBE_RETRY_AFTER_MAX_S = 300,    /* longer waits are cut to this */
};

/* Monotonic nanoseconds; never 0. */
int64_t skr_kube_now(void);
/* Uniform in [0, bound); bound 0 gives 0. */
uint64_t skr_kube_random(struct skr_kube_session *session, uint64_t bound);
/* Reads credential files again when due, or now when the server did not accept them (urgent; at
 * most once a second). Logs what cannot be read. */
void skr_kube_session_refresh(struct skr_kube_session *session, int64_t now, bool urgent);

/* Appends text percent-encoded, so that it can stand in a path segment or a query value. */
void skr_kube_escape(struct skr_strbuf *out, const char *text);

struct skr_transfer_request {
    const char *method;       /* GET, POST, PATCH, DELETE */
    const char *target;       /* path and query from '/', escaped; without a server: a URL */
    const char *accept;       /* media type; NULL: the header is not sent */
    const char *content_type; /* NULL: no body */
    const char *body;         /* borrowed until the end of the exchange */
    size_t body_len;
    int64_t timeout_ms; /* of the whole exchange; 0: none */
    bool grpc; /* HTTP/2 with trailers: by prior knowledge over http, negotiated over https */
};

struct skr_transfer {
    struct skr_kube_session *session;
    CURL *easy;
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    void *owner;
    /* Called when the connection is open, right before the request is sent; false: it is not sent,
     * and the exchange ends with CURLE_ABORTED_BY_CALLBACK. NULL: always true. */
    bool (*may_send)(const struct skr_transfer *transfer);
    /* Takes the body of the answer, body_max bytes at most: a larger one ends the exchange with
     * too_large and CURLE_WRITE_ERROR. NULL: receive takes it. */
    struct skr_strbuf *body;
    size_t body_max;
    bool too_large;
    /* Takes a part of the body; false ends the exchange with CURLE_WRITE_ERROR. */
    bool (*receive)(struct skr_transfer *transfer, const char *data, size_t n);
    /* The end; the exchange may be started again in here. Not called after cancel. */
    void (*done)(struct skr_transfer *transfer, CURLcode result);
    int64_t started;
    int64_t last_byte; /* of the answer; started when none came yet */
    bool active;
    bool sendable_once;
    unsigned int attempts;
    CURLcode setup; /* the first failure while the options of libcurl were set */
    char error[CURL_ERROR_SIZE];
};

void skr_transfer_init(struct skr_transfer *transfer, struct skr_kube_session *session,
                       void *owner);
void skr_transfer_fini(struct skr_transfer *transfer); /* cancels */
/* done, and body or receive, must be set; body is emptied. SKR_NO_MEMORY, SKR_BUG. */
int skr_transfer_start(struct skr_transfer *transfer, const struct skr_transfer_request *request,
                       struct skr_error *error);
void skr_transfer_cancel(struct skr_transfer *transfer);
/* Calls done of every exchange that has ended. Returns whether any has. */
bool skr_transfer_take_results(const struct skr_kube_session *session);

int skr_transfer_status(const struct skr_transfer *transfer); /* HTTP status, 0: none */
/* Nanoseconds the server asks to wait; 0: it does not say. */
skr_time skr_transfer_retry_after(const struct skr_transfer *transfer);
/* What went wrong, never empty: libcurl's own words. */
const char *skr_transfer_error(const struct skr_transfer *transfer, CURLcode result);
/* Whether the request cannot have reached the server. */
bool skr_transfer_never_sent(const struct skr_transfer *transfer, CURLcode result);

#endif
