/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_ESTIMATOR_CLIENT_H
#define SKR_SERVER_DAEMON_ESTIMATOR_CLIENT_H
/*
 * Asks the estimators of clusters over gRPC, on a thread with its own connections: neither the engine
 * nor writes to the API server wait for them. Queries are answered side by side. A query ends when
 * all its replies are there, at the latest at its timeout; replies that are missing then count as
 * failed.
 *
 * estimator_address.h finds the addresses. Connections are kept. Files of TLS are read again every
 * minute.
 */
#include "core/frame/query.h"
#include "server/config/config.h"
#include "server/kube/access.h"

struct skr_estimator_client;

enum {
    SKR_ESTIMATOR_CALLS_MAX = 256,       /* at a time; further ones wait, within their timeout */
    SKR_ESTIMATOR_CONNECTIONS_MAX = 1024 /* kept, with those in use */
};

/* The replies of a query. Everything is borrowed until release(keep) is called, on any thread. Runs
 * on the client's thread, quick. */
typedef void skr_estimator_done(void *context, const struct skr_replies *replies,
                                void (*release)(void *keep), void *keep);

/* Starts the thread. options: borrowed for its life. access: of the API server with the Services of
 * estimators, taken over; NULL: they are not read. Errors: SKR_NOT_FOUND, SKR_DENIED, SKR_INVALID
 * (a file of TLS), SKR_LIMIT (libcurl lacks HTTP/2; no thread). */
int skr_estimator_client_create(const struct skr_config_estimators *options,
                                struct skr_kube_access *access, skr_estimator_done *done,
                                void *context, struct skr_estimator_client **ret,
                                struct skr_error *error);
/* Copies the query. Any thread; never waits. */
void skr_estimator_client_ask(struct skr_estimator_client *client, const struct skr_query *query);
/* Ends calls and the thread: queries that are under way, and later ones, get no replies. May be
 * called twice. NULL allowed. */
void skr_estimator_client_stop(struct skr_estimator_client *client);
/* Stops if need be. NULL allowed. */
void skr_estimator_client_destroy(struct skr_estimator_client *client);

#endif
