/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_TLS_H
#define SKR_SERVER_HTTP_TLS_H
/*
 * TLS of a listener, versions 1.2 and 1.3: certificate, key and client CA as PEM files. They are
 * read again from time to time, because certificates are renewed. If the new files are a pair, new
 * connections get them; otherwise the old pair stays. With a client CA, every client must show a
 * certificate that the CA has issued for client authentication, or the handshake fails.
 * libmicrohttpd alone only asks for a certificate, and does not check it.
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
    bool key_is_secret; /* a key that all users may read is SKR_DENIED */
};

struct skr_tls_credentials;

/* Contents, NUL-terminated; NULL where there is no file. */
struct skr_tls {
    char *cert;
    char *key;
    char *client_ca;
    /* Newest first; older ones are kept for the connections that began with them. */
    struct skr_tls_credentials *credentials;
};

bool skr_tls_is_on(const struct skr_tls_files *files);

/* Reads and checks: both files there, PEM, key and certificate a pair. *ret is empty when TLS is
 * off. Errors: SKR_INVALID, SKR_NOT_FOUND, SKR_DENIED, SKR_LIMIT with the path. */
int skr_tls_load(const struct skr_tls_files *files, struct skr_tls *ret, struct skr_error *error);
void skr_tls_fini(struct skr_tls *tls); /* the key is wiped; no session may be left */

/* A pair that is in no file, PEM; *ret is empty. */
int skr_tls_init_pair(struct skr_tls *ret, const char *cert, const char *key,
                      struct skr_error *error);
/* Sessions get what fresh has from now on; fresh is empty afterwards. */
void skr_tls_adopt(struct skr_tls *tls, struct skr_tls *fresh);

/* Reads the files again. Returns whether they hold something new, which sessions get from now on;
 * error (code SKR_OK: none) says why what is there cannot be used. */
bool skr_tls_refresh(struct skr_tls *tls, const struct skr_tls_files *files,
                     struct skr_error *error);
/* Gives a new session the newest credentials, before its handshake. */
void skr_tls_use(const struct skr_tls *tls, gnutls_session_t session);

/* Whether the newest certificate is valid for this host name or address ("[::1]" for one of IPv6).
 * false without a certificate. */
bool skr_tls_names(const struct skr_tls *tls, const char *host);

/* For the server's side of a new session, before its handshake. */
void skr_tls_require_client(gnutls_session_t session);

#endif
