/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates made with GnuTLS: those of the scripted API server, and files for listeners. */
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <time.h>
#include <unistd.h>

#include "test/test.h"
#include "test/unit/fake_api.h"
#include "test/unit/http_client.h"

enum { PEM_MAX = 8192, PATHS = 64 };

struct pair {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t crt;
    char key_pem[PEM_MAX], crt_pem[PEM_MAX];
};

static void must(int r)
{
    if (r < 0) {
        gnutls_perror(r);
        abort();
    }
}

/* issuer NULL: an authority, which signs itself. A leaf is of 127.0.0.1 and "kubernetes". */
static void make(struct pair *p, const char *name, const char *purpose, const struct pair *issuer)
{
    static const unsigned char loopback[] = {127, 0, 0, 1};
    static unsigned char serial;
    const time_t now = time(NULL);
    size_t n_crt = PEM_MAX - 1, n_key = PEM_MAX - 1;
    serial++;
    memset(p, 0, sizeof *p);
    must(gnutls_x509_privkey_init(&p->key));
    must(gnutls_x509_privkey_generate(p->key, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    must(gnutls_x509_crt_init(&p->crt));
    must(gnutls_x509_crt_set_version(p->crt, 3));
    must(gnutls_x509_crt_set_serial(p->crt, &serial, 1));
    must(gnutls_x509_crt_set_key(p->crt, p->key));
    must(gnutls_x509_crt_set_activation_time(p->crt, now - 3600));
    must(gnutls_x509_crt_set_expiration_time(p->crt, now + 86400));
    must(gnutls_x509_crt_set_dn_by_oid(p->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                       (unsigned int)strlen(name)));
    must(gnutls_x509_crt_set_basic_constraints(p->crt, !issuer, -1));
    must(gnutls_x509_crt_set_key_usage(p->crt, issuer ? GNUTLS_KEY_DIGITAL_SIGNATURE
                                                      : GNUTLS_KEY_KEY_CERT_SIGN));
    if (issuer) {
        must(gnutls_x509_crt_set_key_purpose_oid(p->crt, purpose, 0));
        must(gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_IPADDRESS, loopback,
                                                  sizeof loopback, GNUTLS_FSAN_SET));
        must(gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_DNSNAME, "kubernetes", 10,
                                                  GNUTLS_FSAN_APPEND));
    }
    issuer = issuer ? issuer : p;
    must(gnutls_x509_crt_sign2(p->crt, issuer->crt, issuer->key, GNUTLS_DIG_SHA256, 0));
    must(gnutls_x509_crt_export(p->crt, GNUTLS_X509_FMT_PEM, p->crt_pem, &n_crt));
    must(gnutls_x509_privkey_export_pkcs8(p->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                          p->key_pem, &n_key));
}

static void fini(struct pair *p)
{
    gnutls_x509_crt_deinit(p->crt);
    gnutls_x509_privkey_deinit(p->key);
}

/* ---- the API server's ---- */

static struct pair ca, server, client;
static bool made;

const struct fake_pki *fake_pki_get(void)
{
    static struct fake_pki pki;
    if (!made) {
        make(&ca, "fake CA", NULL, NULL);
        make(&server, "kubernetes", GNUTLS_KP_TLS_WWW_SERVER, &ca);
        make(&client, "sakkara", GNUTLS_KP_TLS_WWW_CLIENT, &ca);
        pki = (struct fake_pki){ca.crt_pem, server.crt_pem, server.key_pem, client.crt_pem,
                                client.key_pem};
        made = true;
    }
    return &pki;
}

void fake_pki_free(void)
{
    if (made) {
        fini(&ca);
        fini(&server);
        fini(&client);
    }
    made = false;
}

/* ---- as files ---- */

static const struct {
    const char *name, *purpose; /* NULL: an authority, of those that follow */
} files[] = {{"otherca", NULL},
             {"other", GNUTLS_KP_TLS_WWW_CLIENT},
             {"ca", NULL},
             {"server", GNUTLS_KP_TLS_WWW_SERVER},
             {"client", GNUTLS_KP_TLS_WWW_CLIENT},
             {"serverauth", GNUTLS_KP_TLS_WWW_SERVER}};
enum { FILES = sizeof files / sizeof files[0] };

const char *http_certificates_path(const struct http_certificates *certificates, const char *name)
{
    static char path[PATHS][128];
    static int next;
    char *p = path[next++ % PATHS];
    snprintf(p, sizeof path[0], "%s/%s", certificates->directory, name);
    return p;
}

static const char *path_of(const struct http_certificates *certificates, size_t i,
                           const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", files[i].name, suffix);
    return http_certificates_path(certificates, name);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void http_certificates_make(struct http_certificates *certificates)
{
    struct pair pair[FILES];
    size_t authority = 0;
    snprintf(certificates->directory, sizeof certificates->directory, "/tmp/sakkara-test-XXXXXX");
    assert_non_null(mkdtemp(certificates->directory));
    for (size_t i = 0; i < FILES; i++) {
        authority = files[i].purpose ? authority : i;
        make(&pair[i], files[i].name, files[i].purpose, files[i].purpose ? &pair[authority] : NULL);
        write_file(path_of(certificates, i, ".pem"), pair[i].crt_pem);
        write_file(path_of(certificates, i, ".key"), pair[i].key_pem);
    }
    for (size_t i = 0; i < FILES; i++) {
        fini(&pair[i]);
    }
}

void http_certificates_remove(struct http_certificates *certificates)
{
    for (size_t i = 0; i < FILES; i++) {
        (void)unlink(path_of(certificates, i, ".pem"));
        (void)unlink(path_of(certificates, i, ".key"));
    }
    (void)rmdir(certificates->directory);
}
