/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_KUBECONFIG_H
#define SKR_SERVER_KUBE_KUBECONFIG_H
/*
 * kubeconfig files (apiVersion v1, kind Config; k8s.io/client-go/tools/clientcmd/api/v1): the
 * cluster and the user of current-context.
 *
 * Read: clusters[].cluster: server, certificate-authority(-data), insecure-skip-tls-verify,
 * tls-server-name, proxy-url. users[].user: token, tokenFile, client-certificate(-data),
 * client-key(-data), username, password. As in kubectl, data wins over files, tokenFile over token,
 * paths are relative to the kubeconfig, and unknown keys are ignored. Exec plugins, auth-provider
 * and impersonation are refused with an alternative, because a daemon cannot run a login helper.
 *
 * Several files are merged as kubectl merges those of KUBECONFIG (client-go
 * tools/clientcmd/loader.go): current-context, and each cluster, user and context as a whole, from
 * the first file that has it. Files that do not exist are left out.
 *
 * Every problem is a finding with file, line and column; all are reported at once. Of entries that
 * current-context does not lead to, only the names are read.
 */
#include <stddef.h>

#include "server/findings.h"
#include "server/kube/access.h"

enum {
    SKR_KUBECONFIG_BYTES_MAX = 4 * 1024 * 1024,
    SKR_KUBECONFIG_ENTRIES_MAX = 10000, /* clusters, contexts, users; each */
    SKR_KUBECONFIG_FILES_MAX = 64
};

struct skr_kubeconfig_paths {
    const char *item[SKR_KUBECONFIG_FILES_MAX]; /* in text */
    size_t n;   /* may be beyond the limit: loading them is then an error */
    char *text; /* heap, the caller's */
};

/* The paths of a list with colons, such as KUBECONFIG: no empty one, none twice. */
void skr_kubeconfig_paths_split(struct skr_kubeconfig_paths *paths, const char *list);

/* text: n bytes; path: for relative names and messages, borrowed as long as the findings. access was
 * initialised by the caller and is filled only when 0 is returned. Else -SKR_INVALID, and findings
 * has at least one error. */
int skr_kubeconfig_parse(const char *text, size_t n, const char *path,
                         struct skr_kube_access *access, struct skr_findings *findings);
/* The same from 1 to SKR_KUBECONFIG_FILES_MAX files. A file that cannot be read is a finding too
 * (line 0); if there are several, one that does not exist is not. */
int skr_kubeconfig_load(const char *const *paths, size_t n, struct skr_kube_access *access,
                        struct skr_findings *findings);
/* From the files, or from the account of the pod we run in if n is 0. access was initialised by the
 * caller. Errors: SKR_INVALID (see findings), SKR_LIMIT (too many files), those of
 * skr_kube_access_from_environment(). */
int skr_kube_access_load(const char *const *paths, size_t n, struct skr_kube_access *access,
                         struct skr_findings *findings, struct skr_error *error);

#endif
