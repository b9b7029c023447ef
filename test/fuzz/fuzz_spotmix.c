/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AdmissionReviews to the spot mix. An answer allows, carries the request's uid and is a review
 * itself; a patch is there when the answer says so, and it has applied.
 */
#include "core/spotmix/mix.h"
#include "server/http/review_text.h"
#include "server/kube/base64.h"
#include "test/fuzz/fuzz.h"
#include "topology/base/json_field.h"

static void put(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const char *text)
{
    json_auto_t *object = fuzz_json(text, strlen(text));
    skr_spotmix_put(mix, kind, object);
}

static void check_answer(const struct skr_spotmix_answer *answer)
{
    json_auto_t *json = fuzz_json(answer->body.s, answer->body.len);
    const json_t *response = json_object_get(json, "response");
    const char *coded = skr_object_text(response, "patch");
    char *text = NULL;
    size_t n = 0;
    fuzz_check(strcmp(skr_object_text(json, "kind"), "AdmissionReview") == 0);
    fuzz_check(json_is_true(json_object_get(response, "allowed")));
    fuzz_check(*skr_object_text(response, "uid") != '\0');
    fuzz_check((*coded != '\0') == (answer->result == SKR_SPOTMIX_PATCHED));
    if (*coded != '\0') {
        fuzz_check(skr_base64_decode(coded, strlen(coded), &text, &n, NULL) == 0);
        json_auto_t *patch = fuzz_json(text, n);
        fuzz_check(json_array_size(patch) >= 2);
        free(text);
    }
}

/* A ReplicaSet and a StatefulSet that are mixed. */
static struct skr_spotmix *filled(const struct skr_spotmix_settings *settings)
{
    struct skr_spotmix *mix = NULL;
    fuzz_check(skr_spotmix_create(settings, &mix, NULL) == 0);
    put(mix, SKR_SPOTMIX_REPLICA_SET,
        "{\"metadata\":{\"namespace\":\"d\",\"name\":\"r\",\"uid\":\"r\",\"labels\":{"
        "\"" SKR_SPOTMIX_KEY_PREFIX "\":\"true\",\"" SKR_SPOTMIX_KEY_PREFIX
        "-max-on-demand-count\":\"1\"}}}");
    put(mix, SKR_SPOTMIX_STATEFUL_SET,
        "{\"metadata\":{\"namespace\":\"d\",\"name\":\"s\",\"uid\":\"s\",\"labels\":{"
        "\"" SKR_SPOTMIX_KEY_PREFIX "\":\"true\"}},\"spec\":{\"ordinals\":{\"start\":3}}}");
    return mix;
}

/* The daemon leaves out what the mix does not read, and the answer is the same. Numbers too large for
 * the reader are in what is left out no more. */
static void check_shorter(const struct skr_spotmix_settings *settings, const uint8_t *data,
                          size_t size)
{
    struct skr_spotmix_answer answer[2];
    size_t n = 0;
    char *shorter = skr_review_text_shorten((const char *)data, size, &n);
    if (!shorter) {
        return;
    }
    fuzz_check(n <= size);
    for (int i = 0; i < 2; i++) {
        SKR_AUTO(skr_spotmix_body_unref)
        struct skr_spotmix_body *body = i == 0 ? skr_spotmix_body_read((const char *)data, size)
                                               : skr_spotmix_body_read(shorter, n);
        const struct skr_spotmix_review review = {.body = body, .serving = true, .now = SKR_SECOND};
        SKR_AUTO(skr_spotmix_destroy) struct skr_spotmix *mix = filled(settings);
        skr_spotmix_review(mix, &review, &answer[i]);
    }
    if (answer[0].status != 400) {
        fuzz_check(answer[0].status == answer[1].status && answer[0].result == answer[1].result);
        fuzz_check(answer[0].body.len == answer[1].body.len);
        fuzz_check(answer[0].body.len == 0 ||
                   memcmp(answer[0].body.s, answer[1].body.s, answer[0].body.len) == 0);
    }
    skr_strbuf_fini(&answer[0].body);
    skr_strbuf_fini(&answer[1].body);
    free(shorter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_spotmix_settings settings;
    SKR_AUTO(skr_spotmix_destroy) struct skr_spotmix *mix = NULL;
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read((const char *)data, size);
    struct skr_spotmix_review review = {.body = read, .serving = true, .now = SKR_SECOND};
    struct skr_spotmix_answer answer;
    skr_spotmix_settings_default(&settings);
    skr_spotmix_settings_preset(&settings, size % 2 == 0 ? "aks" : "default");
    check_shorter(&settings, data, size);
    mix = filled(&settings);
    for (int turn = 0; turn < 2; turn++) {
        skr_spotmix_review(mix, &review, &answer);
        for (int i = 0; i < SKR_SPOTMIX_KIND_COUNT && answer.status == 0; i++) {
            fuzz_check(!review.tried[answer.lookup.kind]);
            review.tried[answer.lookup.kind] = true;
            skr_strbuf_fini(&answer.body);
            skr_spotmix_review(mix, &review, &answer);
        }
        fuzz_check(answer.status == 200 || answer.status == 400);
        if (answer.status == 200) {
            check_answer(&answer);
        }
        skr_strbuf_fini(&answer.body);
    }
    /* The same bytes as a pod of the cluster. */
    json_t *body = json_loadb((const char *)data, size, 0, NULL);
    if (body) {
        skr_spotmix_put(mix, SKR_SPOTMIX_POD,
                        json_object_get(json_object_get(body, "request"), "object"));
        skr_spotmix_put(mix, SKR_SPOTMIX_NODE, body);
        skr_spotmix_put(mix, SKR_SPOTMIX_DEPLOYMENT, body);
        json_decref(body);
    }
    skr_spotmix_expire(mix, 100 * SKR_SECOND);
    fuzz_check(skr_spotmix_expiry(mix) == SKR_TIME_NEVER);
    return 0;
}
