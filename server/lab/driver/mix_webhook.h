/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_MIX_WEBHOOK_H
#define SKR_SERVER_LAB_DRIVER_MIX_WEBHOOK_H
/*
 * The spot mix in the simulated cluster: the scheduler in a driver, and its webhook. Every pod that
 * a controller creates is reviewed by an AdmissionReview, and the patch is applied.
 */
#include "core/spotmix/mix.h"
#include "server/lab/driver/driver.h"

struct skr_mix_webhook;

/* Whether an object enables the mix: a Deployment, ReplicaSet or StatefulSet with the label. */
bool skr_mix_webhook_is_wanted(const struct skr_spotmix_settings *settings, const json_t *object);

/* Handles creations of the store from now on, until it is destroyed. Borrows settings and store. */
struct skr_mix_webhook *skr_mix_webhook_create(const struct skr_spotmix_settings *settings,
                                               struct skr_store *store, skr_time now);
void skr_mix_webhook_destroy(struct skr_mix_webhook *webhook); /* NULL allowed */
struct skr_driver *skr_mix_webhook_driver(struct skr_mix_webhook *webhook);

/* The present mix, borrowed until an object is created. */
const struct skr_spotmix *skr_mix_webhook_mix(struct skr_mix_webhook *webhook);

/* ---- reviews, for callers in the role of the API server ---- */

/* The review of a created pod; free(). */
char *skr_mix_review_write(const char *uid, const char *namespace_, const json_t *pod,
                           bool dry_run);
/* The JSON patch of a response; NULL: none. */
json_t *skr_mix_review_patch(const json_t *response);

#endif
