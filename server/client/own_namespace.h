/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_OWN_NAMESPACE_H
#define SKR_SERVER_CLIENT_OWN_NAMESPACE_H
/*
 * Pages about the groups of one namespace, for a user without access to the daemon. The sources are
 * the group's object with the keys that the daemon writes (status, reason, message, ways, placement,
 * rank), its pods and its Events. kubectl reads them under the rights of an ordinary account of that
 * namespace.
 *
 * Pages have the fields of docs/reference.md, and "from": "namespace". Domains, free room and victims
 * are missing, because such an account may not read the rest of the cluster.
 */
#include "server/client/source.h"

/* Whether the query is about groups of one namespace: explain, groups, a group. */
bool skr_own_namespace_serves(const struct skr_view_query *query);
/* Errors: SKR_NOT_FOUND (no such group), SKR_DENIED (the account may not read these objects), SKR_RETRY,
 * SKR_LIMIT. */
int skr_source_own_namespace(const struct skr_client_options *options,
                             const struct skr_view_query *query, struct skr_strbuf *out,
                             struct skr_error *error);

/* The page from what kubectl read; for tests too. sources: List of ConfigMaps and PodGroups, pods,
 * events: Lists. now: of the page. Errors: SKR_NOT_FOUND. */
int skr_own_namespace_page(const struct skr_view_query *query, const json_t *sources,
                           const json_t *pods, const json_t *events, skr_time now,
                           struct skr_strbuf *out, struct skr_error *error);

#endif
