/* SPDX-License-Identifier: Apache-2.0 */
/* The gate webhook: who gets the gate, and that nothing is ever denied. */
#include <jansson.h>

#include "server/http/gate.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/web.h"

#define REVIEW(operation, pod)                                                                   \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":" \
    "\"r-1\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"operation\":"       \
    "\"" operation "\",\"object\":" pod "}}"
#define MEMBER(spec)                                                                         \
    "{\"metadata\":{\"labels\":{\"sakkara.group.name\":\"a\"}},\"spec\":{\"schedulerName\":" \
    "\"sakkara\"" spec "}}"

static const struct skr_gate_options options = {
    .listen = "127.0.0.1:0",
    .n_scheduler_names = 2,
    .scheduler_name = {"sakkara", "sakkara-scheduler"},
};

#define NEW_LIST                                                                                 \
    "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\",\"value\":[{\"name\":\"sakkara.gang\"}" \
    "]}]"
#define APPENDED                                                                                 \
    "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates/-\",\"value\":{\"name\":\"sakkara.gang\"" \
    "}}]"

static const struct {
    const char *what, *review;
    const char *patch; /* NULL: none */
} row[] = {
    {"a member", REVIEW("CREATE", MEMBER("")), NEW_LIST},
    {"a null list", REVIEW("CREATE", MEMBER(",\"schedulingGates\":null")), NEW_LIST},
    {"an empty list", REVIEW("CREATE", MEMBER(",\"schedulingGates\":[]")), APPENDED},
    {"the gate of another", REVIEW("CREATE", MEMBER(",\"schedulingGates\":[{\"name\":\"x\"}]")),
     APPENDED},
    {"the gate is there",
     REVIEW("CREATE",
            MEMBER(",\"schedulingGates\":[{\"name\":\"x\"},{\"name\":\"sakkara.gang\"}]")),
     NULL},
    {"a node is there", REVIEW("CREATE", MEMBER(",\"nodeName\":\"n1\"")), NULL},
    {"an empty node", REVIEW("CREATE", MEMBER(",\"nodeName\":\"\"")), NEW_LIST},
    {"in-tree gang", REVIEW("CREATE", MEMBER(",\"schedulingGroup\":{\"podGroupName\":\"p\"}")),
     NEW_LIST},
    {"workload", REVIEW("CREATE", MEMBER(",\"workloadRef\":{\"name\":\"w\"}")), NEW_LIST},
    {"an update", REVIEW("UPDATE", MEMBER("")), NULL},
    {"a deletion", REVIEW("DELETE", "null"), NULL},
    {"another scheduler",
     REVIEW("CREATE", "{\"metadata\":{\"labels\":{\"sakkara.group.name\":\"a\"}},\"spec\":{"
                      "\"schedulerName\":\"default-scheduler\"}}"),
     NULL},
    {"our second name and a PodGroup",
     REVIEW("CREATE", "{\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"a\"}},"
                      "\"spec\":{\"schedulerName\":\"sakkara-scheduler\"}}"),
     NEW_LIST},
    {"no group label",
     REVIEW("CREATE", "{\"metadata\":{\"labels\":{\"x\":\"a\"}},\"spec\":{"
                      "\"schedulerName\":\"sakkara\"}}"),
     NULL},
    {"no labels", REVIEW("CREATE", "{\"metadata\":{},\"spec\":{\"schedulerName\":\"sakkara\"}}"),
     NULL},
    {"nothing but an object", REVIEW("CREATE", "{}"), NULL},
    {"fields of wrong types", REVIEW("CREATE", "{\"metadata\":7,\"spec\":[1]}"), NULL},
    {"another kind",
     "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":"
     "\"r-1\",\"kind\":{\"group\":\"batch\",\"version\":\"v1\",\"kind\":\"Job\"},\"operation\":"
     "\"CREATE\",\"object\":" MEMBER("") "}}",
     NULL},
    {"a subresource",
     "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":"
     "\"r-1\",\"subResource\":\"binding\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":"
     "\"Pod\"},\"operation\":\"CREATE\",\"object\":" MEMBER("") "}}",
     NULL},
};

static char *decode_base64(const char *text)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = calloc(1, strlen(text) + 1);
    size_t n = 0;
    unsigned bits = 0;
    int have = 0;
    assert_non_null(out);
    assert_int_equal(strlen(text) % 4, 0);
    for (; *text != 0 && *text != '='; text++) {
        const char *at = strchr(digit, *text);
        assert_non_null(at);
        bits = bits << 6 | (unsigned)(at - digit);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (char)(bits >> have & 0xFF);
        }
    }
    return out;
}

/* Checks the answer of row i. */
static void check_answer(size_t i, const char *text)
{
    json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_t *response = json_object_get(json, "response");
    const char *patch = json_string_value(json_object_get(response, "patch"));
    assert_string_equal(json_string_value(json_object_get(json, "apiVersion")),
                        "admission.k8s.io/v1");
    assert_string_equal(json_string_value(json_object_get(json, "kind")), "AdmissionReview");
    assert_string_equal(json_string_value(json_object_get(response, "uid")), "r-1");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    if ((!!patch) != (!!row[i].patch)) {
        fail_msg("%s: %s", row[i].what, text);
    }
    if (patch) {
        char *decoded = decode_base64(patch);
        assert_string_equal(decoded, row[i].patch);
        free(decoded);
        assert_string_equal(json_string_value(json_object_get(response, "patchType")), "JSONPatch");
    }
}

TEST(the_gate_goes_to_new_members_and_to_nobody_else)
{
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_STRBUF(out);
        struct skr_error error;
        if (skr_gate_review(&options, false, row[i].review, strlen(row[i].review), &out, &error) !=
            0) {
            fail_msg("%s: %s", row[i].what, error.text);
        }
        check_answer(i, out.s);
    }
}

/* In a namespace with label sakkara.gang=auto a controller is enough; the annotation decides itself. */
TEST(pods_of_controllers_are_members_in_their_namespaces)
{
#define OWNED(annotations)                                                                      \
    REVIEW("CREATE", "{\"metadata\":{" annotations "\"ownerReferences\":[{\"kind\":\"Job\"}]}," \
                     "\"spec\":{\"schedulerName\":\"sakkara\"}}")
    static const struct {
        const char *review;
        bool owned, gated;
    } pod[] = {
        {OWNED(""), true, true},
        {OWNED(""), false, false},
        {OWNED("\"annotations\":{\"sakkara.gang\":\"off\"},"), true, false},
        {OWNED("\"annotations\":{\"sakkara.gang\":\"auto\"},"), true, true},
        {REVIEW("CREATE", "{\"metadata\":{},\"spec\":{\"schedulerName\":\"sakkara\"}}"), true,
         false},
        {REVIEW("CREATE", "{\"metadata\":{\"ownerReferences\":[{\"kind\":\"Job\"}]},"
                          "\"spec\":{\"schedulerName\":\"default-scheduler\"}}"),
         true, false},
    };
    for (size_t i = 0; i < sizeof pod / sizeof pod[0]; i++) {
        SKR_STRBUF(out);
        struct skr_error error;
        assert_int_equal(skr_gate_review(&options, pod[i].owned, pod[i].review,
                                         strlen(pod[i].review), &out, &error),
                         0);
        assert_int_equal(strstr(out.s, "\"patch\"") ? 1 : 0, pod[i].gated);
    }
}

TEST(what_is_no_review_is_refused_with_a_reason)
{
    static const struct {
        const char *body, *text;
    } bad[] = {
        {"", "AdmissionReview: line 1, column 0"},
        {"{", "AdmissionReview: line 1"},
        {"[]", "AdmissionReview: must be an object"},
        {"{\"kind\":\"Pod\"}", "kind: must be AdmissionReview, got \"Pod\""},
        {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}",
         "apiVersion: must be admission.k8s.io/v1, got \"admission.k8s.io/v1beta1\""},
        {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
         "request: must be an object"},
        {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{}}",
         "request.uid: missing"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        SKR_STRBUF(out);
        struct skr_error error;
        assert_int_equal(
            skr_gate_review(&options, false, bad[i].body, strlen(bad[i].body), &out, &error),
            -SKR_INVALID);
        if (!strstr(error.text, bad[i].text)) {
            fail_msg("row %zu: %s", i, error.text);
        }
        assert_int_equal(out.len, 0);
    }
}

TEST(a_review_of_depth_a_hundred_thousand_is_refused)
{
    enum { DEPTH = 100000 };
    static const char head[] = "{\"request\":{\"object\":";
    SKR_STRBUF(body);
    SKR_STRBUF(out);
    struct skr_error error;
    skr_strbuf_add(&body, head);
    for (int i = 0; i < DEPTH; i++) {
        skr_strbuf_addc(&body, '[');
    }
    assert_int_equal(skr_gate_review(&options, false, body.s, body.len, &out, &error),
                     -SKR_INVALID);
    assert_non_null(strstr(error.text, "maximum parsing depth"));
}

/* A pod of the API server may have a million values where nothing reads them. */
TEST(what_the_gate_does_not_read_costs_no_values_and_what_it_reads_has_a_limit)
{
    struct skr_error error;
    SKR_STRBUF(many);
    SKR_STRBUF(out);
    skr_strbuf_add(&many, "[{}");
    for (int i = 1; i < 1000 * 1000; i++) {
        skr_strbuf_add(&many, ",{}");
    }
    skr_strbuf_add(&many, "]");
    static const struct {
        const char *member;
        bool is_read;
    } places[] = {{"containers", false}, {"schedulingGates", true}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        SKR_STRBUF(review);
        skr_strbuf_addf(&review,
                        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                        "\"request\":{\"uid\":\"r-1\",\"kind\":{\"kind\":\"Pod\"},\"operation\":"
                        "\"CREATE\",\"object\":{\"spec\":{\"%s\":",
                        places[i].member);
        skr_strbuf_addn(&review, many.s, many.len);
        skr_strbuf_add(&review, "}}}}");
        assert_int_equal(skr_gate_review(&options, false, review.s, review.len, &out, &error),
                         places[i].is_read ? -SKR_INVALID : 0);
    }
    assert_string_equal(error.text, "AdmissionReview: more than 200000 JSON values");
}

TEST(the_listener_answers_reviews_and_refuses_the_rest)
{
    struct skr_gate *gate = NULL;
    struct skr_error error;
    if (skr_gate_create(&options, &gate, &error) != 0) {
        fail_msg("%s", error.text);
    }
    struct http_answer got =
        http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gate", row[0].review);
    assert_int_equal(got.status, 200);
    assert_non_null(strstr(got.headers, "Content-Type: application/json\r\n"));
    check_answer(0, got.body);
    http_answer_free(&got);
    http_expect(http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gate?timeout=10s",
                          row[0].review),
                200, "");
    http_expect_body(
        http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gate", "{\"kind\":\"Pod\"}"),
        400, "kind: must be AdmissionReview, got \"Pod\"\n");
    http_expect(http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gate", ""), 400, "");
    http_expect(http_request(skr_listener_port(skr_gate_listener(gate)), "GET", "/v1/gate"), 405,
                "");
    http_expect(
        http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gate/namespaces", row[0].review),
        200, "");
    http_expect(http_post(skr_listener_port(skr_gate_listener(gate)), "/v1/gates", row[0].review),
                404, "");
    skr_gate_destroy(gate);
}

TEST(the_webhook_speaks_tls)
{
    struct http_certificates certificates = {0};
    struct skr_gate_options with_tls = options;
    struct skr_gate *gate = NULL;
    struct skr_error error;
    http_certificates_make(&certificates);
    with_tls.tls.cert = http_certificates_path(&certificates, "server.pem");
    with_tls.tls.key = http_certificates_path(&certificates, "server.key");
    if (skr_gate_create(&with_tls, &gate, &error) != 0) {
        fail_msg("%s", error.text);
    }
    const struct web_tls tls = {.ca = http_certificates_path(&certificates, "ca.pem")};
    const struct web_answer got = web_ask("POST", skr_listener_port(skr_gate_listener(gate)),
                                          "/v1/gate?timeout=5s", row[0].review, &tls, 20000);
    check_answer(0, got.body);
    free(got.body);
    skr_gate_destroy(gate);
    http_certificates_remove(&certificates);
}

BEFORE_ALL
{
    web_init();
}
