/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_ACCESS_H
#define SKR_SERVER_KUBE_ACCESS_H
/*
 * Address, trust and credentials for one API server, from a kubeconfig (kubeconfig.h) or from the
 * account of the pod. All values are in memory. Values from files are read again
 * (skr_kube_access_refresh), because tokens and certificates are rotated.
 *
 * Strings are heap memory of the struct. Secrets are wiped before they are freed, and never logged.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum {
    SKR_KUBE_FILE_MAX = 1024 * 1024,        /* bytes of a certificate, key or token file */
    SKR_KUBE_TOKEN_MAX = 16 * 1024,         /* bytes of a token: it is one header line */
    SKR_KUBE_REFRESH_S = 60,                /* files are looked at this often */
    SKR_KUBE_ACCESS_ADDRESS_BYTES_MAX = 253 /* of a host name */
};

/* Bytes, and the file they came from (NULL: given inline). data NULL: not set. data is
 * NUL-terminated beyond n. */
struct skr_kube_secret {
    char *data;
    size_t n;
    char *file;
};

struct skr_kube_access {
    char *source;          /* path of the kubeconfig or "in-cluster account"; for messages */
    char *server;          /* https://host[:port][/prefix], no slash at the end */
    char *host;            /* of server, without brackets */
    char *port;            /* of server, decimal, never NULL */
    char *tls_server_name; /* NULL: the host */
    char *proxy_url;       /* NULL: the environment decides, as curl reads it */
    bool insecure;         /* the server's certificate is not checked */
    struct skr_kube_secret ca;
    struct skr_kube_secret certificate;
    struct skr_kube_secret key;
    struct skr_kube_secret token;
    char *username; /* NULL: none */
    char *password;
};

void skr_kube_access_init(struct skr_kube_access *access);
void skr_kube_access_fini(struct skr_kube_access *access); /* may be called twice */

enum { SKR_URL_SHOWN_MAX = 132 };
/* The part of a URL, perhaps a broken one, that messages may show: nothing before an "@" or behind a
 * "?" or "#". buffer: SKR_URL_SHOWN_MAX bytes; returns it. */
const char *skr_url_show(const char *url, char *buffer);

/* Sets server, host and port from a URL: http or https, no user, query or fragment. SKR_INVALID. */
int skr_kube_access_set_server(struct skr_kube_access *access, const char *url,
                               struct skr_error *error);
/* Sets a secret from a file, now and at every refresh. Errors: SKR_NOT_FOUND, SKR_DENIED,
 * SKR_LIMIT, SKR_INVALID (empty), all with the path. The secret is unchanged on errors. */
int skr_kube_secret_read(struct skr_kube_secret *secret, const char *file, struct skr_error *error);
/* Takes data (heap, n bytes and a NUL). */
void skr_kube_secret_take(struct skr_kube_secret *secret, char *data, size_t n);

/* Cuts white space off the end and refuses what cannot stand in a header line. */
int skr_kube_token_check(struct skr_kube_secret *token, struct skr_error *error);
/* Whether the secret looks like PEM of a certificate or key: it must hold "-----BEGIN ". */
bool skr_kube_secret_is_pem(const struct skr_kube_secret *secret);

/*
 * The account every pod gets
 * (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod): host and port of the
 * environment variables KUBERNETES_SERVICE_HOST and _PORT, token and ca.crt in folder. host or port
 * NULL or "": SKR_NOT_FOUND, the text says that this is no pod and names
 * --kubeconfig. access was initialised by the caller.
 */
int skr_kube_access_in_cluster(struct skr_kube_access *access, const char *host, const char *port,
                               const char *folder, struct skr_error *error);
/* The same with the environment of this process and the folder where kubelets put it. */
int skr_kube_access_from_environment(struct skr_kube_access *access, struct skr_error *error);

/* Reads every file again. Returns whether anything changed. A file that cannot be read or holds
 * nonsense leaves the old value in place and the first such problem in error (code SKR_OK: none).
 */
bool skr_kube_access_refresh(struct skr_kube_access *access, struct skr_error *error);

#endif
