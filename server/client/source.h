/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_SOURCE_H
#define SKR_SERVER_CLIENT_SOURCE_H
/* Sources of client.c, with forward.h. Answers are appended as they came, SKR_VIEW_BYTES_MAX at most.
 * Errors as skr_client_fetch() gives them. */
#include <jansson.h>

#include "server/client/options.h"

/* "sakkara: ..." of one of our refusals: the code for it, the text without the prefix. Negative. */
int skr_source_refused(int http_status, const char *message, struct skr_error *error);

/* target: "/v1/tree?resource=gpu" */
int skr_source_http(const struct skr_client_options *options, const char *target,
                    struct skr_strbuf *out, struct skr_error *error);
int skr_source_kubectl(const struct skr_client_options *options, const char *target,
                       struct skr_strbuf *out, struct skr_error *error);
/* A path of the API server itself. */
int skr_source_kubectl_raw(const struct skr_client_options *options, const char *path,
                           struct skr_strbuf *out, struct skr_error *error);
/* A ConfigMap as JSON, with kubectl itself: the daemon hands out none. namespace_ NULL: of
 * kubectl's context. name NULL: all topology maps, as a List. Errors: SKR_NOT_FOUND, SKR_RETRY (no
 * kubectl, no server, not allowed), SKR_LIMIT. */
int skr_source_kubectl_map(const struct skr_client_options *options, const char *namespace_,
                           const char *name, struct skr_strbuf *out, struct skr_error *error);
/* All objects of these resources ("a.group,b.group"), in every namespace, as a List. Errors:
 * SKR_RETRY, SKR_LIMIT. */
int skr_source_kubectl_list(const struct skr_client_options *options, const char *resources,
                            struct skr_strbuf *out, struct skr_error *error);
/* All objects of a resource in one namespace that have the label, or NULL: all, as a List. Errors:
 * SKR_DENIED, SKR_RETRY, SKR_LIMIT. */
int skr_source_kubectl_own(const struct skr_client_options *options, const char *namespace_,
                           const char *resource, const char *label, struct skr_strbuf *out,
                           struct skr_error *error);
/* Of kubectl's context; "" when it has none, or there is no kubectl. */
void skr_source_kubectl_namespace(const struct skr_client_options *options, struct skr_strbuf *out);

/* The engine that a dump was fed to. */
struct skr_dump;
struct skr_manifests;
/* options: its file, and what concerns files; borrowed for the life of the dump. */
int skr_dump_read(const struct skr_client_options *options, struct skr_dump **ret,
                  struct skr_strbuf *messages, struct skr_error *error);
/* All objects of the file, of whatever kinds. Borrowed. */
const struct skr_manifests *skr_dump_objects(const struct skr_dump *dump);
int skr_source_dump(struct skr_dump *dump, const struct skr_view_query *query,
                    struct skr_strbuf *out, struct skr_error *error);
void skr_dump_destroy(struct skr_dump *dump); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_dump, skr_dump_destroy)

#endif
