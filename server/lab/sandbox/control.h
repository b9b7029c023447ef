/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_CONTROL_H
#define SKR_SERVER_LAB_SANDBOX_CONTROL_H
/*
 * The sandbox's own paths beside its API, on the same port: start, inspect and kill the scheduler,
 * for tests and experiments.
 *
 *   POST   /sandbox/v1/scheduler   KubeSchedulerConfiguration (YAML or JSON): kills the old one,
 *                                  starts one with this; 200 with warnings, 400 with errors
 *   DELETE /sandbox/v1/scheduler   kills it: calls are cut off, nothing more is written; 200, 404
 *   GET    /sandbox/v1/scheduler   its figures; 404 if there is none
 *   GET    /sandbox/v1/daemon      {"admin": "http://127.0.0.1:PORT"}; 404 if there is none
 *   GET    /sandbox/v1/examples/gang.yaml     manifests of the worked example,
 *   GET    /sandbox/v1/examples/second.yaml   for `kubectl apply -f URL`
 *   GET    /sandbox/v1/examples/cluster.yaml
 *   GET    /api/v1/namespaces/sakkara/services/http:sakkara:9662/proxy/...
 *                                  like the daemon's Service: 307 to its admin port
 *
 * Bodies are JSON; errors are a Status, as in the API.
 */
#include "server/lab/sandbox/scheduler_thread.h"

struct skr_control;

/* A text served below /sandbox/v1/examples/. */
struct skr_control_example {
    const char *name; /* "gang.yaml"; NULL after the last */
    void (*write)(struct skr_strbuf *out);
};

/* Starts nothing yet. clock, examples: borrowed; trace: of started schedulers. */
struct skr_control *skr_control_create(struct skr_store *store, const struct skr_clock *clock,
                                       const struct skr_trace *trace,
                                       const struct skr_control_example *examples);
/* Kills the scheduler. Call once, before the HTTP server is destroyed; later requests are answered
 * with 503. */
void skr_control_stop(struct skr_control *control);
/* Call after the HTTP server is destroyed. NULL allowed. */
void skr_control_destroy(struct skr_control *control);
/* Call once, after the HTTP server is created; earlier requests are answered with 503. */
void skr_control_set_http(struct skr_control *control, struct skr_sandbox_http *http);

/* The URL of the daemon's pages; copied. Before the call there is no Service. */
void skr_control_set_daemon(struct skr_control *control, const char *url);

/* Starts a scheduler, or replaces it. config: taken on success. */
int skr_control_start_scheduler(struct skr_control *control, struct skr_scheduler_config *config,
                                struct skr_error *error);
/* For struct skr_sandbox_http_options.other. */
bool skr_control_handle(void *control, struct skr_http_request *request);

#endif
