/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_NODE_CLASSES_H
#define SKR_SERVER_CLIENT_NODE_CLASSES_H
/*
 * Adds the classes of nodes, on-demand and spot, to the tree. The gang scheduler makes the tree and
 * the spot mix has the classes; neither reads the other, so the client joins them.
 */
#include "core/spotmix/settings.h"
#include "server/client/client.h"

/* The page /v1/spotmix/nodes, of a dump as a daemon with these settings would give it;
 * json_decref() *ret. Errors: SKR_NOT_FOUND (the daemon has no spot mix), as skr_client_fetch(). */
int skr_node_classes_fetch(struct skr_client *client, const struct skr_spotmix_settings *settings,
                           json_t **ret, struct skr_error *error);

/* Adds to every unit of a page "Tree" that has nodes of a class in it
 *   "classes": {"on-demand": {"nodes": 1, "pods": 2}, "spot": {...}}
 * pods: mixed ones that sit on nodes of the class. Classes without nodes are left out. O(units). */
void skr_node_classes_add(json_t *tree, const json_t *nodes);

#endif
