/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_DID_YOU_MEAN_H
#define SKR_SERVER_CLI_DID_YOU_MEAN_H
/* Suggestions for a name that does not exist. The same client lists the names that do; the nearest
 * one becomes a line in messages. Errors of the client are ignored. */
#include "server/client/client.h"

/* A domain, node or resource of a question about the tree. */
void skr_suggest_from_tree(struct skr_client *client, const struct skr_view_query *query,
                           struct skr_strbuf *messages);
/* A group of a namespace; one of that very name elsewhere is nearest. */
void skr_suggest_group(struct skr_client *client, const char *namespace_, const char *name,
                       struct skr_strbuf *messages);

#endif
