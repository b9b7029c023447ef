/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_SPOTMIX_WEBHOOK_H
#define SKR_SERVER_HTTP_SPOTMIX_WEBHOOK_H
/*
 * The webhook of the spot mix. POST /spotmix/mutate/TOKEN takes an AdmissionReview
 * (admission.k8s.io/v1) and posts it to the engine. The connection is held until the engine
 * answers: at once, or after the owner of the pod has been looked up. GET /readyz of the same
 * listener reports that the port is served. It does not depend on leadership, so that rollouts
 * complete.
 *
 * Only API servers have the token (caller_token.h). A request with another path is refused with 403
 * before its body is read, and the engine is not involved. Until the first tokens are set, every
 * review is refused.
 *
 * At most SKR_SPOTMIX_ASKED_MAX reviews wait at a time. Further reviews get status 503, which the
 * API server treats by its failurePolicy.
 */
#include "core/frame/event.h"
#include "core/spotmix/scheduler.h"
#include "server/http/caller_token.h"
#include "server/http/listener.h"
#include "server/http/x509.h"

#define SKR_SPOTMIX_PATH "/spotmix/mutate"

enum {
    SKR_SPOTMIX_ASKED_MAX = 4096,
    /* Connections from one address: several API servers behind one, but no pod alone fills the
     * listener. */
    SKR_SPOTMIX_PER_ADDRESS_MAX = 1024,
};

struct skr_spotmix_webhook_options {
    const char *listen;
    struct skr_tls_files tls;
    struct skr_x509_pair pair; /* borrowed; empty: the files of tls */
    /* skr_engine_thread_post_kept(). */
    void (*post)(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep);
    void *context;
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed */
};

struct skr_spotmix_webhook;

/* Errors: those of skr_listener_create(); SKR_DENIED if every user may read the key. */
int skr_spotmix_webhook_create(const struct skr_spotmix_webhook_options *options,
                               struct skr_spotmix_webhook **ret, struct skr_error *error);
/* For its port, its certificate and its stop. NULL: NULL. */
struct skr_listener *skr_spotmix_webhook_listener(struct skr_spotmix_webhook *webhook);
/* Reviews need one of these from now on. Any thread. */
void skr_spotmix_webhook_set_tokens(struct skr_spotmix_webhook *webhook,
                                    const struct skr_caller_tokens *tokens);
/* The engine's answer. Any thread. */
void skr_spotmix_webhook_answer(struct skr_spotmix_webhook *webhook, uint64_t request,
                                const struct skr_spotmix_reply *reply);
void skr_spotmix_webhook_destroy(struct skr_spotmix_webhook *webhook); /* NULL allowed */

#endif
