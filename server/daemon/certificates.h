/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_CERTIFICATES_H
#define SKR_SERVER_DAEMON_CERTIFICATES_H
/*
 * Own certificates of a webhook: an authority and the server certificate (leaf) that it has issued.
 * All replicas read them from one Secret, and the leader changes them. API servers trust the bundle.
 *
 * Changes are made one at a time. Every API server therefore trusts every certificate that a replica
 * serves, also if the leader dies between two changes:
 *
 *   ANEW     nothing usable is there: an authority and a certificate
 *   ISSUE    the certificate is renewed at two thirds of its lifetime
 *   PUBLISH  the authority is at two thirds of its own: a new one in front of it, in the bundle
 *   ISSUE    once all API servers have both: the certificate of the new one
 *   DROP     once every replica serves that: the bundle is the new one alone
 *
 * There is no I/O and no clock. The caller passes the time, and whether Secret and bundle are
 * settled: unchanged for SKR_CERTIFICATES_SETTLED times the pace.
 */
#include "server/http/x509.h"

struct skr_certificates {
    char *bundle;        /* authorities, PEM; the first one issues. Heap; NULL: none */
    char *authority_key; /* of the first one */
    struct skr_x509_pair leaf;
};
void skr_certificates_fini(struct skr_certificates *certificates); /* keys are wiped */

struct skr_certificates_rules {
    const char *name;    /* of the server: SERVICE.NAMESPACE.svc */
    int64_t leaf_s;      /* lifetime of certificates */
    int64_t authority_s; /* of authorities, more than three times leaf_s */
};

enum { SKR_CERTIFICATES_SETTLED = 3 };
/* How often replicas read the Secret, and the leader looks at the configuration: 1 s to 30 s. */
int64_t skr_certificates_pace_s(const struct skr_certificates_rules *rules);

enum skr_certificates_step {
    SKR_CERTIFICATES_KEEP,
    SKR_CERTIFICATES_ANEW,
    SKR_CERTIFICATES_ISSUE,
    SKR_CERTIFICATES_PUBLISH,
    SKR_CERTIFICATES_DROP,
    SKR_CERTIFICATES_STEP_COUNT
};
/* For the log: "issued". */
extern const char *const skr_certificates_step_name[];

/* A replica may serve the leaf. */
bool skr_certificates_are_usable(const struct skr_certificates *certificates,
                                 const struct skr_certificates_rules *rules, int64_t now_s);
/* What the leader does next. */
enum skr_certificates_step skr_certificates_next(const struct skr_certificates *certificates,
                                                 const struct skr_certificates_rules *rules,
                                                 bool settled, int64_t now_s);
/* Does it. Errors: those of x509.h; certificates are unchanged. */
int skr_certificates_take(struct skr_certificates *certificates, enum skr_certificates_step step,
                          const struct skr_certificates_rules *rules, int64_t now_s,
                          struct skr_error *error);

#endif
