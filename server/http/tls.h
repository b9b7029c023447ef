/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_TLS_H
#define SKR_SERVER_HTTP_TLS_H
/*
 * TLS of a listener: certificate and key as PEM files, read once at the start. With a client CA,
 * every client must show a certificate that the CA has issued for client authentication, or the
 * handshake fails; libmicrohttpd by itself only asks for one and looks at nothing. TLS 1.2 and 1.3.
 */
#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "topology/base/error.h"

enum {
    SKR_TLS_FILE_MAX = 1024 * 1024, /* bytes of one PEM file */
};

#define SKR_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Paths; NULL or "" for none. cert and key go together; client_ca needs both. */
struct skr_tls_files {
    const char *cert;
    const char *key;
    const char *client_ca;
};

/* Contents, NUL-terminated; NULL where there is no file. */
struct skr_tls {
    char *cert;
    char *key;
    char *client_ca;
};

bool skr_tls_is_on(const struct skr_tls_files *files);

/* Reads and checks: both files there, PEM, key and certificate a pair. *ret is empty when TLS is
 * off. Errors: SKR_INVALID, SKR_NOT_FOUND, SKR_DENIED, SKR_LIMIT with the path. */
int skr_tls_load(const struct skr_tls_files *files, struct skr_tls *ret, struct skr_error *error);
void skr_tls_fini(struct skr_tls *tls); /* the key is wiped */

/* For the server's side of a new session, before its handshake. */
void skr_tls_require_client(gnutls_session_t session);

#endif
