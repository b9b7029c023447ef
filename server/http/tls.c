/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are checked with GnuTLS before libmicrohttpd gets them, so an error names the file.
 * Sessions are never resumed (no tickets, no cache), so the check of the client in the handshake
 * covers the whole connection.
 */
#include "server/http/tls.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/file.h"
#include "topology/base/arena.h"

static bool is_set(const char *path)
{
    return path && path[0] != 0;
}

bool skr_tls_is_on(const struct skr_tls_files *files)
{
    return is_set(files->cert) || is_set(files->key) || is_set(files->client_ca);
}

static void wipe(char **text)
{
    skr_file_drop(*text, *text ? strlen(*text) : 0);
    *text = NULL;
}

static int read_file(const char *path, char **ret, struct skr_error *error)
{
    struct skr_error why;
    size_t n;
    const int rc = skr_file_read(path, SKR_TLS_FILE_MAX, ret, &n, &why);
    return rc < 0 ? skr_error_set(error, why.code, "%s: %s", path, why.text) : 0;
}

enum { DIGEST_BYTES = 32 };

struct skr_tls_credentials {
    gnutls_certificate_credentials_t gnutls;
    unsigned char digest[3][DIGEST_BYTES]; /* SHA-256 of the texts they were made of */
    struct skr_tls_credentials *older;
};

static void digest_text(const char *text, unsigned char digest[DIGEST_BYTES])
{
    if (text) {
        skr_bug_on(gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), digest) != 0);
    }
}

/* Credentials of the texts, in front of those that are there. */
static int add_credentials(const struct skr_tls_files *files, struct skr_tls *tls,
                           struct skr_error *error)
{
    gnutls_certificate_credentials_t credentials;
    int rc = 0;
    if (gnutls_certificate_allocate_credentials(&credentials) < 0) {
        return skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    }
    /* GnuTLS takes pointers to bytes it does not change. */
    const gnutls_datum_t cert = {(unsigned char *)tls->cert, (unsigned)strlen(tls->cert)};
    const gnutls_datum_t key = {(unsigned char *)tls->key, (unsigned)strlen(tls->key)};
    const int pair =
        gnutls_certificate_set_x509_key_mem(credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
    if (pair < 0) {
        rc = skr_error_set(error, SKR_INVALID, "%s and %s: %s", files->cert, files->key,
                           gnutls_strerror(pair));
    }
    if (rc == 0 && tls->client_ca) {
        const gnutls_datum_t ca = {(unsigned char *)tls->client_ca,
                                   (unsigned)strlen(tls->client_ca)};
        const int n = gnutls_certificate_set_x509_trust_mem(credentials, &ca, GNUTLS_X509_FMT_PEM);
        if (n <= 0) {
            rc = skr_error_set(error, SKR_INVALID, "%s: %s", files->client_ca,
                               n < 0 ? gnutls_strerror(n) : "no certificate");
        }
    }
    if (rc != 0) {
        gnutls_certificate_free_credentials(credentials);
        return rc;
    }
    struct skr_tls_credentials *newest = skr_alloc(sizeof *newest);
    newest->gnutls = credentials;
    digest_text(tls->cert, newest->digest[0]);
    digest_text(tls->key, newest->digest[1]);
    digest_text(tls->client_ca, newest->digest[2]);
    newest->older = tls->credentials;
    tls->credentials = newest;
    return 0;
}

static int check_key(const char *path, struct skr_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && (status.st_mode & S_IROTH) != 0) {
        return skr_error_set(error, SKR_DENIED, "%s: everybody may read this key; chmod o-r", path);
    }
    return 0;
}

int skr_tls_load(const struct skr_tls_files *files, struct skr_tls *ret, struct skr_error *error)
{
    int rc = 0;
    *ret = (struct skr_tls){0};
    if (!skr_tls_is_on(files)) {
        return 0;
    }
    if (!is_set(files->cert) || !is_set(files->key)) {
        return skr_error_set(error, SKR_INVALID, "TLS needs both certFile and keyFile");
    }
    rc = read_file(files->cert, &ret->cert, error);
    if (rc == 0 && files->key_is_secret) {
        rc = check_key(files->key, error);
    }
    if (rc == 0) {
        rc = read_file(files->key, &ret->key, error);
    }
    if (rc == 0 && is_set(files->client_ca)) {
        rc = read_file(files->client_ca, &ret->client_ca, error);
    }
    if (rc == 0) {
        rc = add_credentials(files, ret, error);
    }
    if (rc != 0) {
        skr_tls_fini(ret);
    }
    return rc;
}

void skr_tls_fini(struct skr_tls *tls)
{
    wipe(&tls->cert);
    wipe(&tls->key);
    wipe(&tls->client_ca);
    while (tls->credentials) {
        struct skr_tls_credentials *newest = tls->credentials;
        tls->credentials = newest->older;
        gnutls_certificate_free_credentials(newest->gnutls);
        free(newest);
    }
}

static const struct skr_tls_files no_files = {.cert = "certificate", .key = "key"};

int skr_tls_init_pair(struct skr_tls *ret, const char *cert, const char *key,
                      struct skr_error *error)
{
    *ret = (struct skr_tls){.cert = skr_strdup(cert), .key = skr_strdup(key)};
    const int rc = add_credentials(&no_files, ret, error);
    if (rc != 0) {
        skr_tls_fini(ret);
    }
    return rc;
}

/* The texts that libmicrohttpd began with stay where they are. */
void skr_tls_adopt(struct skr_tls *tls, struct skr_tls *fresh)
{
    fresh->credentials->older = tls->credentials;
    tls->credentials = fresh->credentials;
    fresh->credentials = NULL;
    skr_tls_fini(fresh);
}

bool skr_tls_refresh(struct skr_tls *tls, const struct skr_tls_files *files,
                     struct skr_error *error)
{
    struct skr_tls fresh;
    *error = (struct skr_error){0};
    if (skr_tls_load(files, &fresh, error) != 0) {
        return false;
    }
    const struct skr_tls_credentials *newest = fresh.credentials;
    const bool changed =
        memcmp(newest->digest, tls->credentials->digest, sizeof newest->digest) != 0;
    if (changed) {
        skr_tls_adopt(tls, &fresh);
    } else {
        skr_tls_fini(&fresh);
    }
    return changed;
}

void skr_tls_use(const struct skr_tls *tls, gnutls_session_t session)
{
    (void)gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials->gnutls);
}

/* 0: go on with the handshake. */
static int verify(gnutls_session_t session)
{
    unsigned char usage[] = GNUTLS_KP_TLS_WWW_CLIENT;
    gnutls_typed_vdata_st data;
    unsigned status = 0;

    data.type = GNUTLS_DT_KEY_PURPOSE_OID;
    data.data = usage;
    data.size = 0; /* NUL-terminated */
    const int rc = gnutls_certificate_verify_peers(session, &data, 1, &status);
    return rc == 0 && status == 0 ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

void skr_tls_require_client(gnutls_session_t session)
{
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    gnutls_session_set_verify_function(session, verify);
}

bool skr_tls_names(const struct skr_tls *tls, const char *host)
{
    gnutls_x509_crt_t cert;
    char name[256];
    const size_t n = strlen(host);
    const bool bracketed = n > 2 && host[0] == '[' && host[n - 1] == ']';
    if (!tls->cert || n >= sizeof name || gnutls_x509_crt_init(&cert) < 0) {
        return false;
    }
    memcpy(name, host + bracketed, n - 2 * (size_t)bracketed);
    name[n - 2 * (size_t)bracketed] = '\0';
    const gnutls_datum_t pem = {(unsigned char *)tls->cert, (unsigned)strlen(tls->cert)};
    const bool names = gnutls_x509_crt_import(cert, &pem, GNUTLS_X509_FMT_PEM) == 0 &&
                       gnutls_x509_crt_check_hostname(cert, name) != 0;
    gnutls_x509_crt_deinit(cert);
    return names;
}
