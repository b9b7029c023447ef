/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_PREFLIGHT_H
#define SKR_SERVER_DAEMON_PREFLIGHT_H
/*
 * Checks what the daemon needs before a group is half bound: the API server, each permission of the
 * account, certificates that have not expired, that no other daemon decides, and that the webhook of
 * the spot mix has a valid token. `sakkara check` prints all checks. At its start the daemon checks
 * its permissions, on a separate thread, and logs the missing ones.
 */
#include "server/config/config.h"
#include "server/kube/access.h"
#include "topology/base/strbuf.h"

/* Namespace of the Lease: that of the configuration, else that of this pod, else that of the
 * topology, which a daemon outside of the cluster shares with one inside. */
void skr_lease_namespace(const struct skr_config *config, char *buffer, size_t size);

struct skr_permission;
/* The permissions that a daemon with this configuration needs; namespace_ is its own. Fills list (of
 * SKR_PERMISSIONS_MAX), which borrows the strings, and returns how many. */
size_t skr_config_permissions(const struct skr_config *config, const char *namespace_,
                              struct skr_permission *list);

/* Writes one line a check, "ok   ..." or "FAIL ...: why". Returns an exit code: SKR_EXIT_OK,
 * SKR_EXIT_FINDINGS when something is missing, SKR_EXIT_UNREACHABLE. Consumes access. */
int skr_preflight_print(const struct skr_config *config, struct skr_kube_access *access,
                        struct skr_strbuf *out);

struct skr_preflight;
/* Starts a thread that asks until every question is answered. The first question is the version,
 * 1.minor, which server_is gets on that thread. config is borrowed until destroyed; access is taken
 * over, also on errors. */
int skr_preflight_start(const struct skr_config *config, struct skr_kube_access *access,
                        void (*server_is)(void *context, int minor), void *context,
                        struct skr_preflight **ret, struct skr_error *error);
void skr_preflight_destroy(struct skr_preflight *preflight); /* NULL allowed; ends it */

#endif
