/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/review_text.h"

#define K SKR_SPOTMIX_KEY_PREFIX

void mix_put_set(struct skr_spotmix *into, const char *uid, const char *on)
{
    json_auto_t *set =
        json_pack("{s:{s:s, s:s, s:s, s:{s:s, s:s}}}", "metadata", "namespace", "d", "name", uid,
                  "uid", uid, "labels", K, on, K "-max-on-demand-count", "100");
    skr_spotmix_put(into, SKR_SPOTMIX_REPLICA_SET, set);
}

json_t *mix_pod(const char *set, const char *uid, int index)
{
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    return json_pack("{s:{s:s, s:s, s:s, s:{s:s, s:s}, s:[{s:s, s:s, s:s, s:s, s:b}]}, s:{s:s}}",
                     "metadata", "namespace", "d", "name", uid, "uid", uid, "labels", K "-class",
                     index < 100 ? "on-demand" : "spot", K "-index", number, "ownerReferences",
                     "apiVersion", "apps/v1", "kind", "ReplicaSet", "name", set, "uid", set,
                     "controller", 1, "spec", "nodeName", "node-with-a-name-1");
}

char *mix_review(const char *set)
{
    char filler[4096];
    memset(filler, 'x', sizeof filler - 1);
    filler[sizeof filler - 1] = '\0';
    json_auto_t *body = json_pack(
        "{s:s, s:s, s:{s:s, s:{s:s, s:s, s:s}, s:s, s:s, s:{s:{s:{s:s}, s:[{s:s, s:s, s:s, s:s, "
        "s:b}]}, s:{s:[{s:s, s:s, s:s}]}}}}",
        "kind", "AdmissionReview", "apiVersion", "admission.k8s.io/v1", "request", "uid",
        "5c0b0e9a-0000-4000-8000-000000000000", "resource", "group", "", "version", "v1",
        "resource", "pods", "namespace", "d", "operation", "CREATE", "object", "metadata", "labels",
        "app", "web", "ownerReferences", "apiVersion", "apps/v1", "kind", "ReplicaSet", "name", set,
        "uid", set, "controller", 1, "spec", "containers", "name", "c", "image", "registry/image",
        "env", filler);
    return json_dumps(body, JSON_COMPACT);
}

void mix_answer(struct skr_spotmix *mix, const char *body, size_t len, int number, skr_time now,
                struct skr_spotmix_answer *ret)
{
    size_t n = len;
    SKR_AUTO_FREE char *shorter = skr_review_text_shorten(body, len, &n);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(shorter ? shorter : body, n);
    struct skr_spotmix_review review = {.body = read, .serving = true, .now = now};
    memcpy(review.random, &number, sizeof number);
    skr_spotmix_review(mix, &review, ret);
}
