/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_WEBHOOK_OBJECTS_H
#define SKR_SERVER_DAEMON_WEBHOOK_OBJECTS_H
/*
 * The two objects through which a webhook is reached, as JSON: its Secret, which has the
 * certificates and the tokens of callers, and the MutatingWebhookConfiguration, which has the
 * authority and the path with the current token. What else they hold is left as it is. No I/O.
 */
#include <jansson.h>

#include "server/daemon/certificates.h"
#include "server/daemon/tokens.h"

struct skr_webhook_secret {
    struct skr_certificates certificates; /* empty: they are files */
    struct skr_tokens tokens;
};
void skr_webhook_secret_fini(struct skr_webhook_secret *secret); /* keys and tokens are wiped */

enum { SKR_WEBHOOK_TARGET_MAX = 1024 };
/* The paths of the two objects at the API server. */
struct skr_webhook_targets {
    char secret[SKR_WEBHOOK_TARGET_MAX];
    char configuration[SKR_WEBHOOK_TARGET_MAX];
};
void skr_webhook_targets_write(const char *namespace_, const char *name,
                               struct skr_webhook_targets *ret);

/* What cannot be read is not there. */
void skr_webhook_secret_read(const json_t *object, struct skr_webhook_secret *ret);
/* Into the data of the object. Certificates of which a part is missing stay as they are there. */
void skr_webhook_secret_write(const struct skr_webhook_secret *secret, json_t *object);

/* Whose webhooks are meant, and what API servers are given. */
struct skr_webhook_call {
    const char *namespace_, *name; /* of the Service */
    const char *path;
    const char *bundle; /* authorities, PEM; NULL: not written by this daemon */
};

enum { SKR_WEBHOOK_PATH_MAX = 256 };
/* BASE/TOKEN */
void skr_webhook_path_write(const char *base, const struct skr_token *token,
                            char ret[SKR_WEBHOOK_PATH_MAX]);

/* The clientConfig of every webhook of that Service becomes as call says. Returns whether that
 * changed anything. */
bool skr_webhook_configuration_set(json_t *configuration, const struct skr_webhook_call *call);
/* One of these webhooks, NULL: there is none. Borrowed. */
const json_t *skr_webhook_configuration_find(const json_t *configuration, const char *namespace_,
                                             const char *name);

#endif
