/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the spot mix in a driver; creations of the store call its reviews. */
#include "server/lab/driver/mix_webhook.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/scheduler.h"
#include "server/kube/base64.h"
#include "server/lab/store/patch.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

/* Of a patch; the same as for the lab's other schedulers. */
#define WRITE_TIME SKR_MILLISECOND

struct skr_mix_webhook {
    struct skr_store *store;
    struct skr_driver *driver;
    uint64_t reviews;
    bool answered; /* the present review */
    json_t *patch; /* of its answer; NULL: none */
};

bool skr_mix_webhook_is_wanted(const struct skr_spotmix_settings *settings, const json_t *object)
{
    static const char *const kinds[] = {"Deployment", "ReplicaSet", "StatefulSet"};
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    const char *kind = skr_object_text(object, "kind");
    bool is_workload = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        is_workload = is_workload || strcmp(kind, kinds[i]) == 0;
    }
    return is_workload && strcmp(skr_object_text(labels, settings->key_prefix), "true") == 0;
}

/* ---- reviews ---- */

char *skr_mix_review_write(const char *uid, const char *namespace_, const json_t *pod, bool dry_run)
{
    json_t *review =
        json_pack("{s:s, s:s, s:{s:s, s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s}, s:s, s:s, s:O, s:b}}",
                  "apiVersion", "admission.k8s.io/v1", "kind", "AdmissionReview", "request", "uid",
                  uid, "kind", "group", "", "version", "v1", "kind", "Pod", "resource", "group", "",
                  "version", "v1", "resource", "pods", "namespace", namespace_, "operation",
                  "CREATE", "object", pod, "dryRun", dry_run ? 1 : 0);
    char *text = json_dumps(review, JSON_COMPACT);
    skr_bug_on(!text);
    json_decref(review);
    return text;
}

json_t *skr_mix_review_patch(const json_t *response)
{
    const char *coded = skr_object_text(response, "patch");
    json_t *patch = NULL;
    SKR_AUTO_FREE char *text = NULL;
    size_t n;
    if (*coded != '\0' && skr_base64_decode(coded, strlen(coded), &text, &n, NULL) == 0) {
        patch = json_loadb(text, n, 0, NULL);
    }
    return patch;
}

static void take_answer(void *context, uint64_t request, const void *body)
{
    struct skr_mix_webhook *w = context;
    const struct skr_spotmix_reply *reply = body;
    (void)request;
    w->answered = true;
    if (reply->status == 200) {
        json_t *review = json_loadb(reply->body, reply->len, 0, NULL);
        w->patch = skr_mix_review_patch(json_object_get(review, "response"));
        json_decref(review);
    }
}

static void admit(void *context, const char *namespace_, json_t *pod, skr_time now)
{
    struct skr_mix_webhook *w = context;
    struct skr_spotmix_request request = {.body = NULL};
    char uid[40];
    w->reviews++;
    w->answered = false;
    memcpy(request.random, &w->reviews, sizeof w->reviews);
    snprintf(uid, sizeof uid, "review-%" PRIu64, w->reviews);
    SKR_AUTO_FREE char *body = skr_mix_review_write(uid, namespace_, pod, false);
    request.body = skr_spotmix_body_read(body, strlen(body));
    skr_driver_catch_up(w->driver, now);
    skr_driver_ask(w->driver, now, w->reviews, SKR_SPOTMIX_REVIEW, &request);
    while (!w->answered && skr_driver_hurry(w->driver, now)) {
    }
    json_t *patched = w->patch ? skr_patch_json(pod, w->patch, NULL) : NULL;
    if (patched) {
        json_object_clear(pod);
        json_object_update(pod, patched);
    }
    json_decref(patched);
    json_decref(w->patch);
    w->patch = NULL;
    skr_spotmix_body_unref(request.body);
}

const struct skr_spotmix *skr_mix_webhook_mix(struct skr_mix_webhook *webhook)
{
    return skr_spotmix_scheduler_mix(skr_engine_self(skr_driver_engine(webhook->driver)));
}

struct skr_driver *skr_mix_webhook_driver(struct skr_mix_webhook *webhook)
{
    return webhook->driver;
}

/* ---- create and destroy ---- */

struct skr_mix_webhook *skr_mix_webhook_create(const struct skr_spotmix_settings *settings,
                                               struct skr_store *store, skr_time now)
{
    struct skr_mix_webhook *w = skr_alloc(sizeof *w);
    const struct skr_driver_options options = {.scheduler = &skr_spotmix_scheduler,
                                               .settings = settings,
                                               .instance = "simulate",
                                               .write_time = WRITE_TIME,
                                               .answer = take_answer,
                                               .context = w};
    w->store = store;
    w->driver = skr_driver_create(&options, store);
    skr_driver_start(w->driver, now - SKR_SPOTMIX_SETTLING_TIME);
    skr_driver_step(w->driver, now);
    skr_store_set_admission(store, admit, w);
    return w;
}

void skr_mix_webhook_destroy(struct skr_mix_webhook *webhook)
{
    if (webhook) {
        skr_store_set_admission(webhook->store, NULL, NULL);
        skr_driver_destroy(webhook->driver);
        free(webhook);
    }
}
