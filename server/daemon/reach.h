/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_REACH_H
#define SKR_SERVER_DAEMON_REACH_H
/*
 * What a webhook needs so that API servers reach it, and nothing else does:
 *
 *   certificate   its authority is in the MutatingWebhookConfiguration
 *   tokens        the current one is in the path of that configuration (tokens.h)
 *   role          the label sakkara.role=leader on the leader's own pod, which the Service selects,
 *                 because only the leader answers
 *
 * A thread looks at all of it from time to time, and repairs what is not as it should be. Secret and
 * configuration are written with the resourceVersion that was read: if two leaders write by
 * mistake, one of them is refused.
 *
 * All replicas read certificates and tokens from one Secret; the leader writes them
 * (certificates.h). Certificates may be files instead. Then only their expiry is looked at here,
 * because the listener reads them, and the caBundle is left alone.
 */
#include "server/daemon/certificates.h"
#include "server/http/caller_token.h"
#include "server/kube/access.h"

struct skr_reach;

/* Strings outlive it, but for namespace_, name and pod, which are copied. */
struct skr_reach_options {
    const char *namespace_;      /* of Service, Secret and pods */
    const char *name;            /* of Service, Secret and MutatingWebhookConfiguration */
    const char *pod;             /* our own; one that is not there is left alone */
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
