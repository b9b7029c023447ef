/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_PREFLIGHT_H
#define SKR_SERVER_DAEMON_PREFLIGHT_H
/*
 * What has to be there before the daemon can work, asked instead of found out when a group is half
 * bound: the API server, each permission of the account, certificates that have not run out.
 * With the spot mix, also whether its webhook configuration has a token that is accepted.
 * `sakkara check` prints all of it; the daemon asks for its permissions at its start, on a thread of
 * its own, and logs what is missing.
 */
#include "server/config/config.h"
#include "server/kube/access.h"
#include "topology/base/strbuf.h"

/* Namespace of the Lease: that of the configuration, else that of the pod we run in, else that of the
 * topology, which a daemon outside of the cluster shares with one inside. */
void skr_lease_namespace(const struct skr_config *config, char *buffer, size_t size);

/* Writes one line a check, "ok   ..." or "FAIL ...: why". Returns an exit code: SKR_EXIT_OK,
 * SKR_EXIT_FINDINGS when something is missing, SKR_EXIT_UNREACHABLE. Consumes access. */
int skr_preflight_print(const struct skr_config *config, struct skr_kube_access *access,
                        struct skr_strbuf *out);

struct skr_preflight;
/* Asks until every question was answered, then the thread ends; the first one is for the version, of which server_is
 * hears on that thread: 1.minor. config is borrowed until destroyed; access is taken over, also on errors. */
int skr_preflight_start(const struct skr_config *config, struct skr_kube_access *access,
                        void (*server_is)(void *context, int minor), void *context,
                        struct skr_preflight **ret, struct skr_error *error);
void skr_preflight_destroy(struct skr_preflight *preflight); /* NULL allowed; ends it */

#endif
