/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_REACH_H
#define SKR_SERVER_DAEMON_REACH_H
/*
 * What a webhook needs to be reached by API servers: its certificate, the authority of that in the
 * MutatingWebhookConfiguration, and, since only the leader answers, the label sakkara.role=leader
 * on the leader's own pod, which the Service selects. A thread that looks at all of it from time to
 * time, and puts right what is not as it should be. Secret and configuration are written with the
 * resourceVersion that was read, so that of two leaders by mistake one is refused.
 *
 * Certificates are our own (certificates.h: a Secret, read by all replicas, written by the leader)
 * or files, of which only the expiry is looked at here; the listener reads them.
 */
#include "server/daemon/certificates.h"
#include "server/kube/access.h"

struct skr_reach;

/* Strings outlive it, but for namespace_, name and pod, which are copied. */
struct skr_reach_options {
    const char *namespace_; /* of Service, Secret and pods */
    const char *name;       /* of Service, Secret and MutatingWebhookConfiguration */
    const char *pod;        /* our own; one that is not there is left alone */
    const char *cert_file;  /* NULL: certificates of our own */
    int64_t leaf_s, authority_s;
    const char *user_agent;
    bool (*leads)(void *context);
    /* New connections get this from now on; NULL with files. */
    int (*serve)(void *context, const struct skr_x509_pair *pair, struct skr_error *error);
    /* The certificate that is served ends then, seconds since 1970. */
    void (*expires)(void *context, int64_t at_s);
    void *context; /* of the three, called on the thread */
};

/* A pair to begin with, which nobody trusts: until the Secret has been read, reviews fail in the
 * handshake. skr_x509_pair_fini(). */
int skr_reach_first_pair(const struct skr_reach_options *options, struct skr_x509_pair *ret,
                         struct skr_error *error);

/* access is taken over, also on errors. */
int skr_reach_create(const struct skr_reach_options *options, struct skr_kube_access *access,
                     struct skr_reach **ret, struct skr_error *error);
/* Look at everything now: leadership has changed. Any thread, returns at once. */
void skr_reach_kick(struct skr_reach *reach);
void skr_reach_destroy(struct skr_reach *reach); /* NULL allowed */

#endif
