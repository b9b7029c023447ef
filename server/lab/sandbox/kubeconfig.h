/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_KUBECONFIG_H
#define SKR_SERVER_LAB_SANDBOX_KUBECONFIG_H
/*
 * The kubeconfig that the sandbox writes for kubectl and the daemon, and removes at its end. It
 * never touches files of others, or of another running sandbox.
 */
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"

struct skr_sandbox_kubeconfig {
    const char *path; /* borrowed; NULL: nothing was written */
    char server[128]; /* "http://127.0.0.1:40123" */
};

/* listen: the requested address, whose port may be 0; port: the actual one. Errors: SKR_CONFLICT
 * (the file is not a sandbox's, or is of a sandbox that answers at its address; waits at most 2 s
 * for that), SKR_DENIED (cannot be written). */
int skr_sandbox_kubeconfig_write(struct skr_sandbox_kubeconfig *kubeconfig, const char *path,
                                 const char *listen, uint16_t port, struct skr_error *error);
/* Removes the file if it was written here and is unchanged. */
void skr_sandbox_kubeconfig_remove(struct skr_sandbox_kubeconfig *kubeconfig);

#endif
