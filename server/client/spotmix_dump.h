/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_SPOTMIX_DUMP_H
#define SKR_SERVER_CLIENT_SPOTMIX_DUMP_H
/*
 * The pages of the spot mix (core/spotmix/page.h) over a dump of `kubectl get
 * nodes,pods,deployments,replicasets,statefulsets -A -o json` (or YAML), as a daemon with these
 * settings would give them. Nothing is written or decided: what no review has seen stays so.
 */
#include <jansson.h>

#include "core/spotmix/settings.h"
#include "server/manifest/manifest.h"
#include "topology/base/strbuf.h"

/* name NULL: all workloads. messages: what is wrong with the file, with positions. json_decref()
 * *ret. Errors: SKR_NOT_FOUND (the file; the workload), SKR_INVALID. */
int skr_spotmix_dump_page(const char *path, const struct skr_spotmix_settings *settings,
                          const char *namespace_, const char *name, json_t **ret,
                          struct skr_strbuf *messages, struct skr_error *error);

/* The page of nodes over objects that were read already. Errors: SKR_INVALID (settings). */
int skr_spotmix_dump_nodes(const struct skr_manifests *objects,
                           const struct skr_spotmix_settings *settings, json_t **ret,
                           struct skr_error *error);

#endif
