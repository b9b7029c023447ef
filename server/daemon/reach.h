/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_REACH_H
#define SKR_SERVER_DAEMON_REACH_H
/*
 * Keeps a webhook reachable for API servers, and for nothing else:
 *
 *   certificate   its authority is in the MutatingWebhookConfiguration
 *   tokens        the current one is in the path of that configuration (tokens.h)
 *   role          the label sakkara.role=leader on the leader's pod, which the Service selects,
 *                 because only the leader answers
 *
 * A thread checks all three from time to time and corrects them. Secret and configuration are
 * written with the resourceVersion that was read, so the write of a second leader is refused.
 *
 * All replicas read certificates and tokens from one Secret; the leader writes them
 * (certificates.h). Certificates may be files instead. Then the listener reads them, only their
 * expiry is read here, and the caBundle is left alone.
 */
#include "server/daemon/certificates.h"
#include "server/http/caller_token.h"
#include "server/kube/access.h"

struct skr_reach;

/* Strings outlive it, but for namespace_, name and pod, which are copied. */
struct skr_reach_options {
    const char *namespace_;      /* of Service, Secret and pods */
    const char *name;            /* of Service, Secret and MutatingWebhookConfiguration */
    const char *pod;             /* of this process; if it does not exist, nothing is labelled */
    const char *path;            /* of the webhook; "/" and the token follow */
    const char *cert_file;       /* NULL: certificates of our own */
    int64_t leaf_s, authority_s; /* lifetimes of certificates and tokens, of authorities */
    const char *user_agent;
    bool (*leads)(void *context);
    /* New connections get this from now on; NULL with files. */
    int (*serve)(void *context, const struct skr_x509_pair *pair, struct skr_error *error);
    /* Calls need one of these from now on. */
    void (*accept)(void *context, const struct skr_caller_tokens *tokens);
    /* The certificate that is served ends then, seconds since 1970. */
    void (*expires)(void *context, int64_t at_s);
    void *context; /* of all four, called on the thread */
};

/* A pair for the start that no API server trusts: reviews fail in the handshake until the Secret was
 * read. skr_x509_pair_fini(). */
int skr_reach_first_pair(const struct skr_reach_options *options, struct skr_x509_pair *ret,
                         struct skr_error *error);

/* access is taken over, also on errors. */
int skr_reach_create(const struct skr_reach_options *options, struct skr_kube_access *access,
                     struct skr_reach **ret, struct skr_error *error);
/* Checks everything now, because leadership has changed. Any thread, returns at once. */
void skr_reach_kick(struct skr_reach *reach);
void skr_reach_destroy(struct skr_reach *reach); /* NULL allowed */

#endif
