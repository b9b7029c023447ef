/* SPDX-License-Identifier: Apache-2.0 */
/* What is left out of a review before it is read, and that its answer stays the same. */
#include "test/test.h"

#include "core/spotmix/mix.h"
#include "server/http/review_text.h"

/* NULL: read as it is. */
static void expect(const char *text, const char *want)
{
    size_t n = 0;
    SKR_AUTO_FREE char *copy = strdup(text);
    SKR_AUTO_FREE char *got = skr_review_text_shorten(copy, strlen(copy), &n);
    assert_string_equal(copy, text);
    if (!want) {
        assert_null(got);
    } else {
        assert_non_null(got);
        assert_int_equal(n, strlen(want));
        assert_memory_equal(got, want, n);
    }
}

TEST(what_the_mix_does_not_read_is_left_out)
{
    expect("{}", "{}");
    expect("{\"\\u006bind\":\"a\",\"\\u006bin\":\"b\"}", "{\"kind\":\"a\"}");
    expect(" {\"kind\" : \"x\", \"response\": [1, {}], \"apiVersion\":\"y\" } ",
           "{\"kind\":\"x\",\"apiVersion\":\"y\"}");
    expect("{\"request\":{\"uid\":\"u\",\"userInfo\":{\"groups\":[\"a\"]},\"dryRun\":true,"
           "\"object\":{\"kind\":\"Pod\",\"metadata\":{\"managedFields\":[{}],\"name\":\"n\","
           "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{}],\"tolerations\":[ {} ]},"
           "\"status\":{}}}}",
           "{\"request\":{\"uid\":\"u\",\"dryRun\":true,\"object\":{\"metadata\":{\"name\":\"n\","
           "\"labels\":{\"a\":\"b\"}},\"spec\":{\"tolerations\":[ {} ]}}}}");
}

TEST(values_of_another_type_stay_as_they_are)
{
    expect("{\"request\":null}", "{\"request\":null}");
    expect("{\"request\":[1]}", "{\"request\":[1]}");
    expect("{\"request\":{\"object\":\"x\"}}", "{\"request\":{\"object\":\"x\"}}");
    expect("{\"request\":{\"object\":{\"spec\":7}}}", "{\"request\":{\"object\":{\"spec\":7}}}");
    expect("[]", "[]");
}

TEST(a_member_that_is_there_twice_is_kept_twice)
{
    expect("{\"kind\":\"a\",\"x\":0,\"kind\":\"b\"}", "{\"kind\":\"a\",\"kind\":\"b\"}");
}

/* Then whoever reads it says what is wrong, and where. */
TEST(what_is_malformed_is_read_as_it_is)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "{}}",
                                        "{} {}",
                                        "{\"x\":[1,]}",
                                        "{\"x\":\"\xff\"}",
                                        "{\"x\":\"\\ud800\"}",
                                        "{\"x\":01}",
                                        "{\"x\":tru}",
                                        "{\"x\" 1}",
                                        "{\"kind\":\"a\",}",
                                        "{\"x\":\"a\\u0000b\"}",
                                        "{\"request\":{\"uid\":\"u\"}",
                                        "{\"x\":\"open"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect(texts[i], NULL);
    }
}

TEST(a_text_that_is_cut_anywhere_is_read_as_it_is)
{
    static const char text[] =
        "{\"request\":{\"uid\":\"u\",\"object\":{\"metadata\":{\"name\":\"n\",\"x\":[1.5e3]}}}}";
    char part[sizeof text];
    size_t n;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        memcpy(part, text, i);
        assert_null(skr_review_text_shorten(part, i, &n));
    }
}

/* Strings are passed over in strides of eight. */
TEST(every_byte_at_every_place_of_a_string_is_judged_as_the_reader_judges_it)
{
    enum { LENGTH_MAX = 19, HEAD = 6 };
    char text[HEAD + LENGTH_MAX + 2];
    size_t n;
    memcpy(text, "{\"x\":\"", HEAD);
    for (size_t length = 1; length <= LENGTH_MAX; length++) {
        for (size_t at = 0; at < length; at++) {
            for (int byte = 0; byte < 256; byte++) {
                memset(text + HEAD, 'y', length);
                memcpy(text + HEAD + length, "\"}", 2);
                text[HEAD + at] = (char)byte;
                const size_t whole = HEAD + length + 2;
                json_auto_t *json = json_loadb(text, whole, 0, NULL);
                SKR_AUTO_FREE char *shorter = skr_review_text_shorten(text, whole, &n);
                assert_int_equal(!shorter, !json);
            }
        }
    }
}

/* ---- the same answer ---- */

#define OWNER                                                                     \
    "\"ownerReferences\":[{\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"r\"," \
    "\"controller\":true}]"
#define REVIEW(object)                                                                           \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":" \
    "\"u\",\"kind\":{\"version\":\"v1\",\"kind\":\"Pod\"},\"resource\":{\"group\":\"\","         \
    "\"version\":\"v1\",\"resource\":\"pods\"},\"namespace\":\"d\",\"operation\":\"CREATE\","    \
    "\"userInfo\":{\"username\":\"x\"},\"object\":" object ",\"oldObject\":null}}"

static char *answer_to(const char *text, size_t n)
{
    struct skr_spotmix_settings settings;
    SKR_AUTO(skr_spotmix_destroy) struct skr_spotmix *mix = NULL;
    struct skr_spotmix_answer answer;
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *body = skr_spotmix_body_read(text, n);
    const struct skr_spotmix_review review = {.body = body, .serving = true};
    json_auto_t *set = json_pack("{s:{s:s,s:s,s:s,s:{s:s,s:s}}}", "metadata", "namespace", "d",
                                 "name", "r", "uid", "r", "labels", SKR_SPOTMIX_KEY_PREFIX, "true",
                                 SKR_SPOTMIX_KEY_PREFIX "-max-on-demand-count", "1");
    skr_spotmix_settings_default(&settings);
    skr_spotmix_settings_preset(&settings, "aks");
    assert_int_equal(skr_spotmix_create(&settings, &mix, NULL), 0);
    skr_spotmix_put(mix, SKR_SPOTMIX_REPLICA_SET, set);
    skr_spotmix_review(mix, &review, &answer);
    char *got = strdup(answer.body.s);
    skr_strbuf_fini(&answer.body);
    return got;
}

TEST(the_answer_to_the_shorter_text_is_the_same)
{
    static const char *const texts[] = {
        REVIEW("{\"metadata\":{" OWNER "},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"),
        REVIEW(
            "{\"metadata\":{\"annotations\":{\"controller.kubernetes.io/pod-deletion-cost\":"
            "\"7\"}," OWNER "},\"spec\":{\"volumes\":[],\"tolerations\":null,\"affinity\":{"
            "\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
            "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\","
            "\"values\":[\"a\"]}]},{}]}}}}}"),
        REVIEW("{\"metadata\":{\"labels\":null," OWNER "},\"spec\":{\"nodeSelector\":{"
               "\"kubernetes.azure.com/scalesetpriority\":\"spot\"}}}"),
        REVIEW("{\"metadata\":{" OWNER "},\"spec\":{\"nodeName\":\"n\"}}"),
        REVIEW("{\"metadata\":{\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}," OWNER
               "}}"),
        REVIEW("{\"metadata\":{" OWNER "}}"),
        REVIEW("{\"metadata\":{\"name\":\"n\"},\"spec\":null}"),
        REVIEW("null"),
        "{\"kind\":\"AdmissionReview\"}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t n;
        SKR_AUTO_FREE char *shorter = skr_review_text_shorten(texts[i], strlen(texts[i]), &n);
        assert_non_null(shorter);
        assert_true(n < strlen(texts[i]) || i + 1 == sizeof texts / sizeof texts[0]);
        char *want = answer_to(texts[i], strlen(texts[i])), *got = answer_to(shorter, n);
        assert_string_equal(got, want);
        free(want);
        free(got);
    }
}
