/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_X509_H
#define SKR_SERVER_HTTP_X509_H
/*
 * Makes certificates: an authority, and the server certificates that it issues (RFC 5280; keys are
 * ECDSA on P-256). Everything is PEM text. Times are seconds since 1970. A certificate is valid from
 * SKR_X509_BACKDATE_S before its time, because clocks differ; `lifetime` counts from the time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/error.h"
#include "topology/base/strbuf.h"

enum {
    SKR_X509_BACKDATE_S = 3600,
    SKR_X509_BUNDLE_MAX = 8 /* certificates of a bundle that are looked at */
};

/* Heap memory, NULL: none. */
struct skr_x509_pair {
    char *cert;
    char *key;
};
void skr_x509_pair_fini(struct skr_x509_pair *pair); /* the key is wiped; may be called twice */

/* A new authority that signs certificates and nothing else. Errors: SKR_BUG, with GnuTLS's words. */
int skr_x509_make_authority(int64_t now_s, int64_t lifetime_s, struct skr_x509_pair *ret,
                            struct skr_error *error);
/* A new certificate of the server `name` (a DNS name). It does not outlive its authority. Errors:
 * SKR_INVALID, the authority is none; SKR_BUG. */
int skr_x509_issue(const struct skr_x509_pair *authority, const char *name, int64_t now_s,
                   int64_t lifetime_s, struct skr_x509_pair *ret, struct skr_error *error);

struct skr_x509_dates {
    int64_t from_s, until_s;
};
/* Of the first certificate; false: there is none. */
bool skr_x509_dates(const char *cert, struct skr_x509_dates *ret);
/* When it is to be renewed: at two thirds of its lifetime. */
int64_t skr_x509_due(const struct skr_x509_dates *dates);

/* cert holds the public key of key. NULL allowed: false. */
bool skr_x509_is_pair(const char *cert, const char *key);
/* The first certificate of cert is of the server `name`, and one of the first n of the bundle has
 * issued it; both are valid at now_s. NULL allowed: false. */
bool skr_x509_is_trusted(const char *cert, const char *name, const char *bundle, size_t n,
                         int64_t now_s);

/* How many certificates a bundle holds, SKR_X509_BUNDLE_MAX at most; 0: NULL, or none that can be
 * read. */
size_t skr_x509_count(const char *bundle);
/* Appends the i-th certificate of a bundle. false: there is none. */
bool skr_x509_add_nth(const char *bundle, size_t i, struct skr_strbuf *out);

#endif
