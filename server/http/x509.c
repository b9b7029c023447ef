/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, checks and makes certificates with GnuTLS. */
#include "server/http/x509.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "topology/base/arena.h"

enum { SERIAL_BYTES = 16 };

void skr_x509_pair_fini(struct skr_x509_pair *pair)
{
    if (pair->key) {
        explicit_bzero(pair->key, strlen(pair->key));
    }
    free(pair->cert);
    free(pair->key);
    *pair = (struct skr_x509_pair){0};
}

/* GnuTLS takes a pointer to bytes it does not change. */
static gnutls_datum_t datum_of(const char *text)
{
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
}

/* ---- bundles ---- */

struct bundle {
    gnutls_x509_crt_t cert[SKR_X509_BUNDLE_MAX];
    size_t n;
};

static void bundle_fini(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->n; i++) {
        gnutls_x509_crt_deinit(bundle->cert[i]);
    }
    bundle->n = 0;
}

/* One certificate after the other; ends at what cannot be read. */
static void bundle_read(const char *pem, struct bundle *ret)
{
    static const char begin[] = "-----BEGIN CERTIFICATE-----";
    ret->n = 0;
    while (pem && ret->n < SKR_X509_BUNDLE_MAX && (pem = strstr(pem, begin))) {
        const gnutls_datum_t text = datum_of(pem);
        gnutls_x509_crt_t cert;
        if (gnutls_x509_crt_init(&cert) < 0) {
            return;
        }
        if (gnutls_x509_crt_import(cert, &text, GNUTLS_X509_FMT_PEM) < 0) {
            gnutls_x509_crt_deinit(cert);
            return;
        }
        ret->cert[ret->n++] = cert;
        pem += sizeof begin - 1;
    }
}

size_t skr_x509_count(const char *bundle)
{
    struct bundle certs;
    bundle_read(bundle, &certs);
    const size_t n = certs.n;
    bundle_fini(&certs);
    return n;
}

bool skr_x509_add_nth(const char *bundle, size_t i, struct skr_strbuf *out)
{
    gnutls_datum_t pem = {NULL, 0};
    struct bundle certs;
    bundle_read(bundle, &certs);
    const bool there =
        i < certs.n && gnutls_x509_crt_export2(certs.cert[i], GNUTLS_X509_FMT_PEM, &pem) == 0;
    if (there) {
        skr_strbuf_addn(out, (const char *)pem.data, pem.size);
        gnutls_free(pem.data);
    }
    bundle_fini(&certs);
    return there;
}

bool skr_x509_dates(const char *cert, struct skr_x509_dates *ret)
{
    struct bundle certs;
    bundle_read(cert, &certs);
    const bool there = certs.n > 0;
    if (there) {
        ret->from_s = gnutls_x509_crt_get_activation_time(certs.cert[0]);
        ret->until_s = gnutls_x509_crt_get_expiration_time(certs.cert[0]);
    }
    bundle_fini(&certs);
    return there;
}

int64_t skr_x509_due(const struct skr_x509_dates *dates)
{
    const int64_t lifetime = dates->until_s - dates->from_s - SKR_X509_BACKDATE_S;
    return dates->until_s - (lifetime > 0 ? lifetime / 3 : 0);
}

/* ---- checks ---- */

static bool read_key(const char *pem, gnutls_x509_privkey_t *ret)
{
    const gnutls_datum_t text = datum_of(pem);
    if (gnutls_x509_privkey_init(ret) < 0) {
        return false;
    }
    if (gnutls_x509_privkey_import(*ret, &text, GNUTLS_X509_FMT_PEM) < 0) {
        gnutls_x509_privkey_deinit(*ret);
        return false;
    }
    return true;
}

bool skr_x509_is_pair(const char *cert, const char *key)
{
    unsigned char of_cert[64], of_key[64];
    size_t n_cert = sizeof of_cert, n_key = sizeof of_key;
    gnutls_x509_privkey_t private_key;
    struct bundle certs;
    if (!cert || !key || !read_key(key, &private_key)) {
        return false;
    }
    bundle_read(cert, &certs);
    const bool pair = certs.n > 0 &&
                      gnutls_x509_crt_get_key_id(certs.cert[0], 0, of_cert, &n_cert) == 0 &&
                      gnutls_x509_privkey_get_key_id(private_key, 0, of_key, &n_key) == 0 &&
                      n_cert == n_key && memcmp(of_cert, of_key, n_cert) == 0;
    bundle_fini(&certs);
    gnutls_x509_privkey_deinit(private_key);
    return pair;
}

static bool is_valid(gnutls_x509_crt_t cert, int64_t now_s)
{
    return gnutls_x509_crt_get_activation_time(cert) <= now_s &&
           now_s < gnutls_x509_crt_get_expiration_time(cert);
}

/* Dates are looked at by is_valid(): the clock is an argument. */
static bool is_issued_by(gnutls_x509_crt_t cert, gnutls_x509_crt_t authority)
{
    unsigned status = 0;
    return gnutls_x509_crt_verify(cert, &authority, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS,
                                  &status) == 0 &&
           status == 0;
}

bool skr_x509_is_trusted(const char *cert, const char *name, const char *bundle, size_t n,
                         int64_t now_s)
{
    struct bundle certs, authorities;
    bool trusted = false;
    bundle_read(cert, &certs);
    bundle_read(bundle, &authorities);
    if (certs.n > 0 && is_valid(certs.cert[0], now_s) &&
        gnutls_x509_crt_check_hostname(certs.cert[0], name)) {
        for (size_t i = 0; i < authorities.n && i < n && !trusted; i++) {
            trusted = is_valid(authorities.cert[i], now_s) &&
                      is_issued_by(certs.cert[0], authorities.cert[i]);
        }
    }
    bundle_fini(&certs);
    bundle_fini(&authorities);
    return trusted;
}

/* ---- making ---- */

/* A certificate in the making; rc is the first failure of GnuTLS. */
struct draft {
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
    int rc;
};

static void attempt(struct draft *draft, int rc)
{
    draft->rc = draft->rc < 0 ? draft->rc : rc;
}

static void draft_fini(struct draft *draft)
{
    if (draft->cert) {
        gnutls_x509_crt_deinit(draft->cert);
    }
    if (draft->key) {
        gnutls_x509_privkey_deinit(draft->key);
    }
}

/* Key, number, dates and name: what every certificate has. */
static void draft_init(struct draft *draft, const char *name, int64_t from_s, int64_t until_s)
{
    unsigned char serial[SERIAL_BYTES], id[64];
    size_t n_id = sizeof id;
    *draft = (struct draft){0};
    attempt(draft, gnutls_x509_privkey_init(&draft->key));
    attempt(draft, draft->rc < 0 ? draft->rc
                                 : gnutls_x509_privkey_generate(
                                       draft->key, GNUTLS_PK_ECDSA,
                                       GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    attempt(draft, draft->rc < 0 ? draft->rc : gnutls_x509_crt_init(&draft->cert));
    attempt(draft, gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial));
    if (draft->rc < 0) {
        return;
    }
    serial[0] = (unsigned char)((serial[0] & 0x3f) | 0x40); /* positive, and of full length */
    attempt(draft, gnutls_x509_crt_set_version(draft->cert, 3));
    attempt(draft, gnutls_x509_crt_set_serial(draft->cert, serial, sizeof serial));
    attempt(draft, gnutls_x509_crt_set_activation_time(draft->cert, (time_t)from_s));
    attempt(draft, gnutls_x509_crt_set_expiration_time(draft->cert, (time_t)until_s));
    attempt(draft, gnutls_x509_crt_set_dn_by_oid(draft->cert, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                                 (unsigned)strlen(name)));
    attempt(draft, gnutls_x509_crt_set_key(draft->cert, draft->key));
    attempt(draft, gnutls_x509_crt_get_key_id(draft->cert, 0, id, &n_id));
    attempt(draft,
            draft->rc < 0 ? draft->rc : gnutls_x509_crt_set_subject_key_id(draft->cert, id, n_id));
}

static char *copy_pem(const gnutls_datum_t *pem)
{
    char *text = skr_alloc((size_t)pem->size + 1);
    if (pem->size > 0) {
        memcpy(text, pem->data, pem->size);
    }
    return text;
}

/* Signs it, and ends the draft. */
static int draft_sign(struct draft *draft, gnutls_x509_crt_t issuer,
                      gnutls_x509_privkey_t issuer_key, struct skr_x509_pair *ret,
                      struct skr_error *error)
{
    gnutls_datum_t cert = {NULL, 0}, key = {NULL, 0};
    if (draft->rc >= 0) {
        attempt(draft,
                gnutls_x509_crt_sign2(draft->cert, issuer, issuer_key, GNUTLS_DIG_SHA256, 0));
    }
    if (draft->rc >= 0) {
        attempt(draft, gnutls_x509_crt_export2(draft->cert, GNUTLS_X509_FMT_PEM, &cert));
        attempt(draft, gnutls_x509_privkey_export2_pkcs8(draft->key, GNUTLS_X509_FMT_PEM, NULL,
                                                         GNUTLS_PKCS_PLAIN, &key));
    }
    const int rc =
        draft->rc < 0 ? skr_error_set(error, SKR_BUG, "certificate: %s", gnutls_strerror(draft->rc))
                      : 0;
    if (rc == 0) {
        *ret = (struct skr_x509_pair){.cert = copy_pem(&cert), .key = copy_pem(&key)};
    }
    if (key.data) {
        explicit_bzero(key.data, key.size);
    }
    gnutls_free(cert.data);
    gnutls_free(key.data);
    draft_fini(draft);
    return rc;
}

int skr_x509_make_authority(int64_t now_s, int64_t lifetime_s, struct skr_x509_pair *ret,
                            struct skr_error *error)
{
    char name[64];
    struct draft draft;
    /* The number tells one authority from the next. */
    (void)snprintf(name, sizeof name, "sakkara webhooks %lld", (long long)now_s);
    draft_init(&draft, name, now_s - SKR_X509_BACKDATE_S, now_s + lifetime_s);
    if (draft.rc >= 0) {
        attempt(&draft, gnutls_x509_crt_set_basic_constraints(draft.cert, 1, 0));
        attempt(&draft, gnutls_x509_crt_set_key_usage(draft.cert, GNUTLS_KEY_KEY_CERT_SIGN));
    }
    return draft_sign(&draft, draft.cert, draft.key, ret, error);
}

/* What makes it the certificate of a server. */
static void name_server(struct draft *draft, const char *name, gnutls_x509_crt_t authority)
{
    unsigned char id[64];
    size_t n_id = sizeof id;
    if (draft->rc < 0) {
        return;
    }
    attempt(draft, gnutls_x509_crt_set_basic_constraints(draft->cert, 0, -1));
    attempt(draft, gnutls_x509_crt_set_key_usage(draft->cert, GNUTLS_KEY_DIGITAL_SIGNATURE));
    attempt(draft, gnutls_x509_crt_set_key_purpose_oid(draft->cert, GNUTLS_KP_TLS_WWW_SERVER, 0));
    attempt(draft, gnutls_x509_crt_set_subject_alt_name(draft->cert, GNUTLS_SAN_DNSNAME, name,
                                                        (unsigned)strlen(name), GNUTLS_FSAN_SET));
    attempt(draft, gnutls_x509_crt_get_subject_key_id(authority, id, &n_id, NULL));
    attempt(draft, draft->rc < 0 ? draft->rc
                                 : gnutls_x509_crt_set_authority_key_id(draft->cert, id, n_id));
}

int skr_x509_issue(const struct skr_x509_pair *authority, const char *name, int64_t now_s,
                   int64_t lifetime_s, struct skr_x509_pair *ret, struct skr_error *error)
{
    gnutls_x509_privkey_t issuer_key;
    struct bundle issuer;
    struct draft draft;
    if (!skr_x509_is_pair(authority->cert, authority->key) ||
        !read_key(authority->key, &issuer_key)) {
        return skr_error_set(error, SKR_INVALID, "the authority and its key are no pair");
    }
    bundle_read(authority->cert, &issuer);
    const int64_t end = gnutls_x509_crt_get_expiration_time(issuer.cert[0]);
    const int64_t until = now_s + lifetime_s < end ? now_s + lifetime_s : end;
    /* A common name has 64 bytes at most (X.520). Clients check the alternative name. */
    draft_init(&draft, strlen(name) <= 64 ? name : "sakkara", now_s - SKR_X509_BACKDATE_S, until);
    name_server(&draft, name, issuer.cert[0]);
    const int rc = draft_sign(&draft, issuer.cert[0], issuer_key, ret, error);
    bundle_fini(&issuer);
    gnutls_x509_privkey_deinit(issuer_key);
    return rc;
}
