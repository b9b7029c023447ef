/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_HTTP_H
#define SKR_SERVER_LAB_SANDBOX_HTTP_H
/*
 * The simulated cluster as a Kubernetes API on a socket, under the real clock: discovery, all verbs
 * of the store, watches, Tables. Stock kubectl and the daemon use it. Plain HTTP, for loopback:
 * requests are not authenticated, and all are permitted.
 *
 * Two threads: the listener's, which executes requests and writes watches, and one that steps the
 * cluster when a task is due or something changed. Both hold one lock while they use the cluster;
 * any other user must hold it too.
 */
#include "server/clock.h"
#include "server/http/listener.h"
#include "server/lab/cluster/cluster.h"

enum {
    SKR_SANDBOX_BODY_MAX = 3 * 1024 * 1024, /* kube-apiserver's limit of a request */
    SKR_SANDBOX_CONNECTIONS_MAX = 4096,
    SKR_SANDBOX_HISTORY = 1 << 17, /* changes in the history for watches */
};

struct skr_sandbox_http_options {
    const char *listen;            /* address.h */
    struct skr_cluster *cluster;   /* borrowed; created at a time of this clock */
    const struct skr_clock *clock; /* borrowed */
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed */
    /* Called first for every request, on the listener's thread, without the lock; false: it is an
     * API request. NULL: the port serves only the API. */
    bool (*other)(void *context, struct skr_http_request *request);
    void *other_context;
};

struct skr_sandbox_http;

/* Starts both threads. Errors: those of skr_listener_create(). */
int skr_sandbox_http_create(const struct skr_sandbox_http_options *options,
                            struct skr_sandbox_http **ret, struct skr_error *error);
uint16_t skr_sandbox_http_port(const struct skr_sandbox_http *http);
/* For other threads that read or change the cluster. Unlocking shows changes to the cluster's
 * thread. */
void skr_sandbox_http_lock(struct skr_sandbox_http *http);
void skr_sandbox_http_unlock(struct skr_sandbox_http *http);
/* For a thread with a model of its own, with the lock, which is released meanwhile. Sleeps until
 * the store may have changed, another thread unlocks, or the time at (SKR_TIME_NEVER allowed).
 * Shows the caller's changes to the cluster's thread. */
void skr_sandbox_http_wait(struct skr_sandbox_http *http, skr_time at);
/* Ends watches and stops both threads. The cluster stays. NULL allowed. */
void skr_sandbox_http_destroy(struct skr_sandbox_http *http);

#endif
