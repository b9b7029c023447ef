/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_UPGRADE_H
#define SKR_SERVER_DAEMON_UPGRADE_H
/*
 * Compares an installation of an older version with what this program needs: versions, permissions
 * of the daemon's account, objects that it reads, plans that it takes over. It asks the API server
 * under the rights of an administrator and writes nothing. One thread.
 */
#include "server/kube/access.h"
#include "topology/base/strbuf.h"

struct skr_upgrade_options {
    const char *namespace_; /* of the installation */
    /* Every object that the daemon reads, as JSON of n bytes. name: "ConfigMap team/train". */
    void (*object)(void *context, const char *name, const char *text, size_t n);
    void *context;
};

/* Writes one line a check, "ok   ..." or "FAIL ...". Returns an exit code: SKR_EXIT_OK,
 * SKR_EXIT_FINDINGS if something is to be done first, SKR_EXIT_UNREACHABLE. Consumes access. */
int skr_upgrade_print(const struct skr_upgrade_options *options, struct skr_kube_access *access,
                      struct skr_strbuf *out);

#endif
