/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_CLIENT_H
#define SKR_SERVER_CLIENT_CLIENT_H
/*
 * Where the commands for people get their answers: the pages of core/gang/state/pages.h, from
 *
 *   file     a dump of `kubectl get nodes,pods,configmaps,podgroups -A -o json` (or YAML): a
 *            private engine reads it and answers; nothing is scheduled, nothing leaves the process
 *   server   http://HOST:PORT of a daemon's admin listener
 *   (none)   a `kubectl port-forward` to the pods behind the daemon's Service, or, if that Service
 *            cannot be read, `kubectl get --raw` through the API server's proxy. kubectl does
 *            contexts, exec plugins, proxies and sign-in
 *
 * One thread.
 */
#include <jansson.h>

#include "server/client/options.h"

struct skr_client;

/* Reads the dump, or looks at nothing yet. messages: what is wrong with the dump, with positions,
 * and line ends. Errors: SKR_INVALID, SKR_LIMIT, SKR_NOT_FOUND (no such file); the text of error
 * is for people, without a line end; it may be empty where messages say it all. */
int skr_client_create(const struct skr_client_options *options, struct skr_client **ret,
                      struct skr_strbuf *messages, struct skr_error *error);
void skr_client_destroy(struct skr_client *client); /* NULL allowed */

/* The answer as JSON (json_decref()): an object of this kind ("Tree", "GroupList", ...). Errors:
 *   SKR_NOT_FOUND  no such group, domain, resource
 *   SKR_RETRY      no answer: no kubectl, no connection, no Service, a daemon that is not
 *                  ready
 *   SKR_DENIED     not allowed
 *   SKR_INVALID    the question (an argument), or an answer that is none of ours
 * The text is one line without a line end. */
int skr_client_fetch(struct skr_client *client, const struct skr_view_query *query,
                     const char *kind, json_t **ret, struct skr_error *error);

/* The same of a path as it is, "/v1/spotmix"; any object. Not from a dump. */
int skr_client_fetch_path(struct skr_client *client, const char *path, json_t **ret,
                          struct skr_error *error);

/* Whether a module of the daemon is on, "ocm": its item of /v1/modules (json_decref()). Errors: as
 * above; SKR_NOT_FOUND of a daemon that has no such page, or no such module. Not from a dump. */
int skr_client_fetch_module(struct skr_client *client, const char *name, json_t **ret,
                            struct skr_error *error);

/* Opens a connection to the daemon that leads, or keeps it open. 1: call it repeatedly, it finds the
 * next leader. 0: no connection is needed, the daemon listens on *ret_url itself (option server, a
 * sandbox). *ret_url: "http://127.0.0.1:40123", or the option server; it stays the same, borrowed.
 * port: of the local end; 0: any free one. Errors: as skr_client_fetch(); SKR_NOT_FOUND: no Service
 * that the account may read. Not for a dump. */
int skr_client_open_way(struct skr_client *client, unsigned port, const char **ret_url,
                        struct skr_error *error);

/* What the dump holds, borrowed; NULL: the client asks a daemon. */
struct skr_manifests;
const struct skr_manifests *skr_client_objects(const struct skr_client *client);

/* Exit code for an error of the calls above. */
int skr_client_exit_code(int rc);

/* The namespace of commands that are given none: of kubectl's context, else "default". free(). */
char *skr_client_default_namespace(struct skr_client *client);

#endif
