/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for the scripted API server, made with GnuTLS: a CA, a server, a client. */
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test/unit/fake_api.h"

enum { PEM_MAX = 8192 };

struct pair {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t crt;
    char key_pem[PEM_MAX];
    char crt_pem[PEM_MAX];
};

static struct pair ca, server, client;
static struct fake_pki pki;
static bool made;

static void must(int r)
{
    if (r < 0) {
        gnutls_perror(r);
        abort();
    }
}

static void begin(struct pair *p, const char *name, unsigned char serial)
{
    must(gnutls_x509_privkey_init(&p->key));
    must(gnutls_x509_privkey_generate(p->key, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    must(gnutls_x509_crt_init(&p->crt));
    must(gnutls_x509_crt_set_version(p->crt, 3));
    must(gnutls_x509_crt_set_serial(p->crt, &serial, 1));
    must(gnutls_x509_crt_set_key(p->crt, p->key));
    must(gnutls_x509_crt_set_activation_time(p->crt, time(NULL) - 3600));
    must(gnutls_x509_crt_set_expiration_time(p->crt, time(NULL) + 86400));
    must(gnutls_x509_crt_set_dn_by_oid(p->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                       (unsigned int)strlen(name)));
}

static void finish(struct pair *p)
{
    must(gnutls_x509_crt_sign2(p->crt, ca.crt, ca.key, GNUTLS_DIG_SHA256, 0));
    size_t n = PEM_MAX - 1;
    must(gnutls_x509_crt_export(p->crt, GNUTLS_X509_FMT_PEM, p->crt_pem, &n));
    n = PEM_MAX - 1;
    must(gnutls_x509_privkey_export_pkcs8(p->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                          p->key_pem, &n));
}

static void make_leaf(struct pair *p, const char *name, unsigned char serial, const char *purpose)
{
    begin(p, name, serial);
    must(gnutls_x509_crt_set_ca_status(p->crt, 0));
    must(gnutls_x509_crt_set_key_purpose_oid(p->crt, purpose, 0));
    must(gnutls_x509_crt_set_key_usage(p->crt, GNUTLS_KEY_DIGITAL_SIGNATURE));
}

const struct fake_pki *fake_pki_get(void)
{
    static const unsigned char loopback[] = {127, 0, 0, 1};
    if (made) {
        return &pki;
    }
    begin(&ca, "fake CA", 1);
    must(gnutls_x509_crt_set_ca_status(ca.crt, 1));
    must(gnutls_x509_crt_set_key_usage(ca.crt, GNUTLS_KEY_KEY_CERT_SIGN));
    finish(&ca);
    make_leaf(&server, "kubernetes", 2, GNUTLS_KP_TLS_WWW_SERVER);
    must(gnutls_x509_crt_set_subject_alt_name(server.crt, GNUTLS_SAN_IPADDRESS, loopback,
                                              sizeof loopback, GNUTLS_FSAN_SET));
    must(gnutls_x509_crt_set_subject_alt_name(server.crt, GNUTLS_SAN_DNSNAME, "kubernetes", 10,
                                              GNUTLS_FSAN_APPEND));
    finish(&server);
    make_leaf(&client, "sakkara", 3, GNUTLS_KP_TLS_WWW_CLIENT);
    finish(&client);
    pki = (struct fake_pki){ca.crt_pem, server.crt_pem, server.key_pem, client.crt_pem,
                            client.key_pem};
    made = true;
    return &pki;
}

void fake_pki_free(void)
{
    struct pair *pairs[] = {&ca, &server, &client};
    for (size_t i = 0; made && i < 3; i++) {
        gnutls_x509_crt_deinit(pairs[i]->crt);
        gnutls_x509_privkey_deinit(pairs[i]->key);
    }
    made = false;
}
