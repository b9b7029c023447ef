/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_CERTIFICATES_H
#define SKR_SERVER_DAEMON_CERTIFICATES_H
/*
 * The certificate of a webhook that makes its own: an authority and what it has issued, which all
 * replicas read from one Secret, and the leader changes. API servers trust the bundle.
 *
 * One change at a time, so that whatever a replica serves is trusted by every API server at any
 * moment, also when the leader dies between two of them:
 *
 *   ANEW     nothing usable is there: an authority and a certificate
 *   ISSUE    the certificate is renewed at two thirds of its lifetime
 *   PUBLISH  the authority is at two thirds of its own: a new one in front of it, in the bundle
 *   ISSUE    once everybody knows both: the certificate of the new one
 *   DROP     once every replica serves that: the bundle is the new one alone
 *
 * No I/O and no clock: whoever calls says what time it is, and whether things are settled: Secret
 * and bundle have been what they are for SKR_CERTIFICATES_SETTLED times the pace.
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
const char *skr_certificates_step_name(enum skr_certificates_step step);

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
