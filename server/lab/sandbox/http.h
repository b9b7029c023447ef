/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_HTTP_H
#define SKR_SERVER_LAB_SANDBOX_HTTP_H
/*
 * The simulated cluster as a Kubernetes API on a socket, under the real clock: discovery, all verbs
 * of the store, watches, Tables. Stock kubectl and the daemon talk to it. Plain HTTP, for loopback:
 * nobody is asked who they are, everybody may do everything.
 *
 * Two threads: the listener's, which carries requests out and writes watches, and one that steps
 * the cluster when something is due or was changed. Both hold one lock while they touch the
 * cluster; so must everybody else.
 */
#include "server/clock.h"
#include "server/http/listener.h"
#include "server/lab/cluster/cluster.h"

enum {
    SKR_SANDBOX_BODY_MAX = 3 * 1024 * 1024, /* kube-apiserver's limit of a request */
    SKR_SANDBOX_CONNECTIONS_MAX = 4096,
    SKR_SANDBOX_HISTORY = 1 << 17, /* changes kept for watches */
};

struct skr_sandbox_http_options {
    const char *listen;            /* address.h */
    struct skr_cluster *cluster;   /* borrowed; created at a time of this clock */
    const struct skr_clock *clock; /* borrowed */
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed */
    /* Asked first about every request, on the listener's thread, without the lock; false: it is one
     * of the API. NULL: there is nothing else on this port. */
    bool (*other)(void *context, struct skr_http_request *request);
    void *other_context;
};

struct skr_sandbox_http;

/* Starts both threads. Errors: those of skr_listener_create(). */
int skr_sandbox_http_create(const struct skr_sandbox_http_options *options,
                            struct skr_sandbox_http **ret, struct skr_error *error);
uint16_t skr_sandbox_http_port(const struct skr_sandbox_http *http);
/* For whoever looks at the cluster or changes it: any thread but the two. Unlocking lets the
 * cluster's thread see what was changed. */
void skr_sandbox_http_lock(struct skr_sandbox_http *http);
void skr_sandbox_http_unlock(struct skr_sandbox_http *http);
/* Of a thread with a model of its own, with the lock, which is not held meanwhile: sleeps until the
 * store may have changed, somebody unlocks, or the time at (SKR_TIME_NEVER allowed). What the
 * caller itself has changed is shown to the cluster's thread. */
void skr_sandbox_http_wait(struct skr_sandbox_http *http, skr_time at);
/* Ends watches, stops both threads. The cluster stays. NULL allowed. */
void skr_sandbox_http_destroy(struct skr_sandbox_http *http);

#endif
