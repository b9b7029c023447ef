/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_KUBECONFIG_H
#define SKR_SERVER_LAB_SANDBOX_KUBECONFIG_H
/*
 * The kubeconfig that the sandbox writes for kubectl and for the daemon, and takes away again at
 * its end, when it would point nowhere. A file that it has not written itself is never touched,
 * nor one of another sandbox that still runs.
 */
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"

struct skr_sandbox_kubeconfig {
    const char *path; /* borrowed; NULL: nothing was written */
    char server[128]; /* "http://127.0.0.1:40123" */
};

/* listen: the address that was asked for, whose port may be 0; port: the one it got. Errors:
 * SKR_CONFLICT (somebody else's file is there, or one of a sandbox that answers at its address;
 * waits 2 s for that at most), SKR_DENIED (cannot be written). */
int skr_sandbox_kubeconfig_write(struct skr_sandbox_kubeconfig *kubeconfig, const char *path,
                                 const char *listen, uint16_t port, struct skr_error *error);
/* Only what was written, and only while it is as it was. */
void skr_sandbox_kubeconfig_remove(struct skr_sandbox_kubeconfig *kubeconfig);

#endif
