/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_FORWARD_H
#define SKR_SERVER_CLIENT_FORWARD_H
/*
 * The way to a daemon whose pages are on its pod's loopback: a `kubectl port-forward` of our own to
 * the pods behind its Service, one after the other until one leads. The API server asks whether the
 * user may create pods/portforward there; no credentials go to the daemon. The local end is a free
 * port of 127.0.0.1, for as long as the client lives.
 */
#include "server/client/source.h"

struct skr_forward;

/* Finds the pods behind the Service of the options. *ret NULL: no such Service that may be read, or one
 * without a selector or a port, or of HTTPS: it is asked through the API server's proxy. Errors as of
 * skr_client_fetch(): no running pod, or they may not be listed. */
int skr_forward_create(const struct skr_client_options *options, struct skr_forward **ret,
                       struct skr_error *error);
void skr_forward_destroy(struct skr_forward *forward); /* NULL allowed */

/* The local end from now on: a number, or 0: any free port. */
void skr_forward_listen(struct skr_forward *forward, unsigned port);
/* "http://127.0.0.1:40123" once a page was fetched. */
const char *skr_forward_url(const struct skr_forward *forward);
/* A page of the pod that leads; target as of skr_source_http(). */
int skr_source_forward(struct skr_forward *forward, const char *target, struct skr_strbuf *out,
                       struct skr_error *error);

#endif
