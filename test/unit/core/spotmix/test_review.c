/* SPDX-License-Identifier: Apache-2.0 */
/* One review after the other: what is answered, who owns the pod, and which index it gets. */
#include "test/test.h"

#include "core/spotmix/page.h"
#include "test/unit/spotmix_stage.h"

static bool warned(const struct stage *stage, const char *token)
{
    const json_t *warnings = json_object_get(stage->response, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        assert_true(strlen(text) <= 120 && strncmp(text, "sakkara: ", 9) == 0);
        if (strstr(text, token)) {
            return true;
        }
    }
    return false;
}

/* ---- what is answered, check by check ---- */

static const struct row {
    const char *title, *body;
    unsigned status;
    enum skr_spotmix_result result;
} rows[] = {
    {"no JSON", "{", 400, SKR_SPOTMIX_BAD_REQUEST},
    {"nothing", "", 400, SKR_SPOTMIX_BAD_REQUEST},
    {"a list", "[]", 400, SKR_SPOTMIX_BAD_REQUEST},
    {"another kind", "{'kind':'Pod','apiVersion':'v1'}", 400, SKR_SPOTMIX_BAD_REQUEST},
    {"v1beta1",
     "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1','request':{"
     "'uid':'u-1'}}",
     400, SKR_SPOTMIX_BAD_REQUEST},
    {"no request", "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1'}", 400,
     SKR_SPOTMIX_BAD_REQUEST},
    {"no uid", "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{}}", 400,
     SKR_SPOTMIX_BAD_REQUEST},
    {"a uid that is no text",
     "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1',"
     "'request':{'uid':7}}",
     400, SKR_SPOTMIX_BAD_REQUEST},
    {"an update", WITH(",'operation':'UPDATE'", "shop", POD), 200, SKR_SPOTMIX_NOOP},
    {"a subresource", WITH(",'subResource':'eviction'", "shop", POD), 200, SKR_SPOTMIX_NOOP},
    {"another resource",
     WITH(",'resource':{'group':'apps','version':'v1','resource':'pods'}", "shop", POD), 200,
     SKR_SPOTMIX_NOOP},
    {"no object", WITH("", "shop", "null"), 200, SKR_SPOTMIX_NOOP},
    {"kube-system", WITH("", "kube-system", POD), 200, SKR_SPOTMIX_EXCLUDED},
    {"our namespace", WITH("", "sakkara", POD), 200, SKR_SPOTMIX_EXCLUDED},
    {"a wrong metadata.namespace",
     REVIEW("{'metadata':{'namespace':'kube-system'," RS_REF "},'spec':{}}"), 200,
     SKR_SPOTMIX_PATCHED},
    {"a mirror pod",
     REVIEW("{'metadata':{'annotations':{'kubernetes.io/config.mirror':'x'}," RS_REF
            "},'spec':{}}"),
     200, SKR_SPOTMIX_NOOP},
    {"a pod with a node", REVIEW("{'metadata':{" RS_REF "},'spec':{'nodeName':'n1'}}"), 200,
     SKR_SPOTMIX_NOOP},
    {"no owner", REVIEW("{'metadata':{},'spec':{}}"), 200, SKR_SPOTMIX_NOOP},
    {"an owner that is no controller",
     REVIEW("{'metadata':{'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':"
            "'web-5d4f','uid':'rs-1'}]}}"),
     200, SKR_SPOTMIX_NOOP},
    {"a Job",
     REVIEW("{'metadata':{'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':"
            "'j','uid':'j-1','controller':true}]}}"),
     200, SKR_SPOTMIX_NOOP},
    {"a StatefulSet of another group",
     REVIEW("{'metadata':{'name':'db-1','ownerReferences':[{'apiVersion':'apps.kruise.io/v1beta1',"
            "'kind':'StatefulSet','name':'db','uid':'sts-1','controller':true}]}}"),
     200, SKR_SPOTMIX_NOOP},
    {"a pod of the Deployment", REVIEW(POD), 200, SKR_SPOTMIX_PATCHED},
    {"labels that are no object", REVIEW("{'metadata':{'labels':'x'," RS_REF "},'spec':{}}"), 200,
     SKR_SPOTMIX_INTERNAL},
    {"annotations that are a list", REVIEW("{'metadata':{'annotations':[]," RS_REF "},'spec':{}}"),
     200, SKR_SPOTMIX_INTERNAL},
    {"a spec that is a text", REVIEW("{'metadata':{" RS_REF "},'spec':'x'}"), 200,
     SKR_SPOTMIX_INTERNAL},
    {"an affinity that is a list", REVIEW("{'metadata':{" RS_REF "},'spec':{'affinity':[]}}"), 200,
     SKR_SPOTMIX_INTERNAL},
    {"a node affinity that is a text",
     REVIEW("{'metadata':{" RS_REF "},'spec':{'affinity':{'nodeAffinity':'x'}}}"), 200,
     SKR_SPOTMIX_INTERNAL},
    {"expressions that are no list",
     REVIEW("{'metadata':{" RS_REF "},'spec':{'affinity':{'nodeAffinity':{"
            "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
            "'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}],"
            "'matchExpressions':{}}]}}}}}"),
     200, SKR_SPOTMIX_INTERNAL},
    {"parents that are null",
     REVIEW("{'metadata':{'labels':null,'annotations':null," RS_REF
            "},'spec':{'affinity':{'nodeAffinity':null}}}"),
     200, SKR_SPOTMIX_PATCHED},
    {"pinned to spot where on-demand is due",
     REVIEW("{'metadata':{" RS_REF "},'spec':{'nodeSelector':{'node.kubernetes.io/capacity':"
            "'spot'}}}"),
     200, SKR_SPOTMIX_PINNED},
    {"pinned to what is due",
     REVIEW("{'metadata':{" RS_REF "},'spec':{'nodeSelector':{'node.kubernetes.io/capacity':"
            "'on-demand'}}}"),
     200, SKR_SPOTMIX_PATCHED},
};

TEST_EACH(row, rows, a_review_is_checked_in_order)
{
    struct stage stage = {0};
    stage_set_up(&stage);
    assert_int_equal(stage_post(&stage, row->body), row->status);
    assert_int_equal(stage.answer.result, row->result);
    assert_int_equal(!!stage.patch, row->result == SKR_SPOTMIX_PATCHED);
    assert_int_equal(warned(&stage, "ClassPinnedByPodSpec"), row->result == SKR_SPOTMIX_PINNED);
    assert_int_equal(skr_spotmix_expiry(stage.mix) != SKR_TIME_NEVER,
                     row->result == SKR_SPOTMIX_PATCHED);
    stage_tear_down(&stage);
}

TEST_WITH(stage, a_standby_answers_503_but_calls_nonsense_by_its_name)
{
    stage->not_serving = true;
    assert_int_equal(stage_post(stage, REVIEW(POD)), 503);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_NOT_LEADER);
    assert_int_equal(stage_post(stage, "{"), 400);
}

TEST_WITH(stage, a_body_beyond_three_mebibytes_is_refused)
{
    const size_t n = 3 * 1024 * 1024;
    SKR_AUTO_FREE char *body = malloc(n + 2);
    struct skr_spotmix_answer answer;
    memset(body, ' ', n + 1);
    body[n + 1] = '\0';
    memcpy(body, "{}", 2);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(body, n + 1);
    struct skr_spotmix_review review = {.body = read, .serving = true};
    skr_spotmix_review(stage->mix, &review, &answer);
    assert_int_equal(answer.status, 400);
    assert_non_null(strstr(answer.body.s, "at most 3145728"));
    skr_strbuf_fini(&answer.body);
}

/* A review whose affinity has n empty terms. */
static unsigned post_terms(struct stage *stage, size_t n)
{
    SKR_STRBUF(text);
    skr_strbuf_add(&text, "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{"
                          "'uid':'u-1','terms':[{}");
    for (size_t i = 1; i < n; i++) {
        skr_strbuf_add(&text, ",{}");
    }
    skr_strbuf_add(&text, "]}}");
    return stage_post(stage, text.s);
}

/* Two values each: a pod in an API server may have a million of them. */
TEST_WITH(stage, a_body_of_more_values_than_any_pod_has_is_refused_before_they_are_made)
{
    assert_int_equal(post_terms(stage, SKR_SPOTMIX_REVIEW_VALUES_MAX / 2 - 10), 200);
    assert_int_equal(post_terms(stage, SKR_SPOTMIX_REVIEW_VALUES_MAX / 2 + 10), 400);
    assert_string_equal(stage->answer.body.s, "AdmissionReview: more than 100000 JSON values\n");
    assert_int_equal(post_terms(stage, 1000 * 1000), 400);
}

TEST_WITH(stage, what_looks_like_values_in_strings_does_not_count)
{
    SKR_STRBUF(text);
    skr_strbuf_add(&text, "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                          "\"request\":{\"uid\":\"u-1\",\"text\":\"\\\"");
    for (int i = 0; i < SKR_SPOTMIX_REVIEW_VALUES_MAX; i++) {
        skr_strbuf_add(&text, "{,\\\\");
    }
    skr_strbuf_add(&text, "\"}}");
    assert_int_equal(stage_post(stage, text.s), 200);
}

TEST_WITH(stage, the_patch_is_the_one_of_the_book)
{
    stage_post(stage, REVIEW(POD));
    stage_forget(stage);
    assert_int_equal(stage_post(stage, REVIEW(POD)), 200);
    stage_post(stage, REVIEW(POD));
    SKR_AUTO_FREE char *text = json_dumps(stage->patch, JSON_COMPACT);
    assert_string_equal(
        text, "[{\"op\":\"add\",\"path\":\"" CLASS_PATH "\",\"value\":\"spot\"},"
              "{\"op\":\"add\",\"path\":\"" INDEX_PATH "\",\"value\":\"2\"},"
              "{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{}},"
              "{\"op\":\"add\",\"path\":\"" TOKEN_PATH
              "\",\"value\":\"00000000000000000000000000000003\"},"
              "{\"op\":\"add\",\"path\":\"" COST_PATH "\",\"value\":\"1\"},"
              "{\"op\":\"add\",\"path\":\"/spec/affinity\",\"value\":{\"nodeAffinity\":{"
              "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
              "\"matchExpressions\":[{\"key\":\"node.kubernetes.io/capacity\",\"operator\":\"In\","
              "\"values\":[\"spot\"]}]}]}}}}]");
}

TEST_WITH(stage, a_deletion_cost_of_the_users_stays)
{
    stage_post(stage,
               REVIEW("{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':"
                      "'7'}," RS_REF "},'spec':{}}"));
    assert_null(stage_added(stage, COST_PATH));
    assert_non_null(stage_added(stage, CLASS_PATH));
    assert_true(warned(stage, "DeletionCostKept"));
}

TEST_WITH(stage, an_empty_class_is_a_warning_not_a_fallback)
{
    skr_spotmix_drop(stage->mix, SKR_SPOTMIX_NODE, "", "n1");
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, CLASS_PATH), "on-demand");
    assert_true(warned(stage, "NoNodesInClass"));
}

TEST_WITH(stage, a_dry_run_gets_the_answer_and_holds_nothing)
{
    for (int i = 0; i < 3; i++) {
        stage_post(stage, WITH(",'dryRun':true", "shop", POD));
        assert_string_equal(stage_added(stage, INDEX_PATH), "0");
    }
    assert_true(skr_spotmix_expiry(stage->mix) == SKR_TIME_NEVER);
}

TEST_WITH(stage, a_token_gets_its_own_slot_again)
{
    stage_post(stage, REVIEW(POD));
    SKR_AUTO_FREE char *token = strdup(stage_added(stage, TOKEN_PATH));
    char body[1024];
    snprintf(body, sizeof body,
             REVIEW("{'metadata':{'annotations':{'" K "-token':'%s'}," RS_REF "},'spec':{}}"),
             token);
    assert_int_equal(stage_post(stage, body), 200);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_NOOP);
    stage->now += 30 * SKR_SECOND; /* the reservation is gone: a fresh pod */
    stage_post(stage, body);
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
}

/* As it stands in the cache; a pod more than it has live ones is one that it creates. */
static void want_with(struct stage *stage, int replicas, const char *conditions)
{
    char body[500];
    snprintf(body, sizeof body,
             "{'metadata':{'namespace':'shop','name':'web-6f9c','uid':'rs-1','ownerReferences':[{"
             "'apiVersion':'apps/v1','kind':'Deployment','name':'web','uid':'d-1','controller':"
             "true}]},'spec':{'replicas':%d},'status':{'conditions':%s}}",
             replicas, conditions);
    stage_put(stage, SKR_SPOTMIX_REPLICA_SET, body);
}

static void want(struct stage *stage, int replicas)
{
    want_with(stage, replicas, "[]");
}

static void expect_index(struct stage *stage, skr_time now, const char *index)
{
    stage->now = now;
    stage_post(stage, REVIEW(POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), index);
}

TEST_WITH(stage, a_reservation_lasts_thirty_seconds_while_reviews_come)
{
    want(stage, 100);
    expect_index(stage, 0, "0");
    assert_true(skr_spotmix_expiry(stage->mix) == 30 * SKR_SECOND);
    for (int i = 1; i < 60; i++) {
        expect_index(stage, i * SKR_SECOND / 2, test_text("%d", i));
    }
    expect_index(stage, 30 * SKR_SECOND, "0");
}

TEST_WITH(stage, a_second_without_a_review_ends_all_reservations)
{
    want(stage, 100);
    expect_index(stage, 0, "0");
    expect_index(stage, SKR_SECOND - 1, "1");
    expect_index(stage, 2 * SKR_SECOND - 2, "2");
    expect_index(stage, 3 * SKR_SECOND - 2, "0");
}

TEST_WITH(stage, a_controller_that_tries_again_gets_the_index_of_the_pod_that_was_refused)
{
    want(stage, 1);
    for (int i = 0; i < 20; i++) {
        expect_index(stage, i * 8 * SKR_MILLISECOND, "0");
    }
    want(stage, 3);
    expect_index(stage, 200 * SKR_MILLISECOND, "1");
    expect_index(stage, 210 * SKR_MILLISECOND, "2"); /* the third that may be on its way */
    expect_index(stage, 220 * SKR_MILLISECOND, "0");
    expect_index(stage, 230 * SKR_MILLISECOND, "1");
}

TEST_WITH(stage, reviews_of_one_moment_are_of_several_pods)
{
    want(stage, 1); /* the cache is behind */
    expect_index(stage, 0, "0");
    expect_index(stage, 1 * SKR_MILLISECOND, "1");
    expect_index(stage, 2 * SKR_MILLISECOND, "2");
}

/* The change of the status is an event, at which the controller tries again without a pause. */
TEST_WITH(stage, a_replica_set_that_says_that_a_create_failed_may_try_again_at_once)
{
    want(stage, 2);
    expect_index(stage, 0, "0");
    want_with(stage, 2, "[{'type':'ReplicaFailure','status':'True'}]");
    expect_index(stage, 2 * SKR_MILLISECOND, "1"); /* the one that may be on its way */
    expect_index(stage, 4 * SKR_MILLISECOND, "0");
    expect_index(stage, 5 * SKR_MILLISECOND, "1");
    want_with(stage, 2, "[{'type':'ReplicaFailure','status':'False'}]");
    expect_index(stage, 6 * SKR_MILLISECOND, "2");
}

TEST_WITH(stage, five_hundred_at_once_get_five_hundred_indices)
{
    bool taken[500] = {false};
    for (int i = 0; i < 500; i++) {
        stage_post(stage, REVIEW(POD));
        const int index = skr_spotmix_index_parse(stage_added(stage, INDEX_PATH));
        assert_true(index >= 0 && index < 500 && !taken[index]);
        taken[index] = true;
        assert_string_equal(stage_added(stage, CLASS_PATH), index < 2 ? "on-demand" : "spot");
    }
}

TEST_WITH(stage, a_member_of_a_statefulset_is_placed_by_its_name)
{
    static const struct {
        const char *name, *class_, *index;
    } member[] = {{"db-10", "on-demand", "0"}, {"db-11", "spot", "1"}, {"db-9", "on-demand", NULL}};
    char body[1024];

    for (size_t i = 0; i < 3; i++) {
        snprintf(body, sizeof body, REVIEW("{'metadata':{'name':'%s'," STS_REF "},'spec':{}}"),
                 member[i].name);
        stage_post(stage, body);
        assert_string_equal(stage_added(stage, CLASS_PATH), member[i].class_);
        assert_int_equal(!!stage_added(stage, INDEX_PATH), !!member[i].index);
        if (member[i].index) {
            assert_string_equal(stage_added(stage, INDEX_PATH), member[i].index);
        }
    }
    assert_true(skr_spotmix_expiry(stage->mix) == SKR_TIME_NEVER);
}

/* ---- owners ---- */

TEST_WITH(stage, an_owner_that_is_not_cached_is_looked_up_once)
{
    const char *body = REVIEW("{'metadata':{" STRANGER "},'spec':{}}");
    assert_int_equal(stage_post(stage, body), 0);
    assert_int_equal(stage->answer.lookup.kind, SKR_SPOTMIX_REPLICA_SET);
    assert_string_equal(stage->answer.lookup.name, "web-77aa");
    assert_string_equal(stage->answer.lookup.namespace_, "shop");
    stage->all_tried = true;
    assert_int_equal(stage_post(stage, body), 200);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_OWNER_UNKNOWN);
}

TEST_WITH(stage, a_name_is_cut_by_the_label_only_when_nothing_else_helps)
{
    const char *body =
        REVIEW("{'metadata':{'labels':{'pod-template-hash':'77aa'}," STRANGER "},'spec':{}}");
    assert_int_equal(stage_post(stage, body), 0);
    stage->all_tried = true;
    assert_int_equal(stage_post(stage, body), 200);
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
    assert_int_equal(
        stage_post(stage, REVIEW("{'metadata':{'labels':{'pod-template-hash':'7aa'}," STRANGER
                                 "},'spec':{}}")),
        200); /* the guess has made the ReplicaSet one of web's */
}

/* ---- beside pods that exist ---- */

TEST_WITH(stage, the_index_of_a_pod_that_is_being_evicted_is_vacant)
{
    stage_put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    skr_spotmix_yield(stage->mix, "nobody", true);
    skr_spotmix_yield(stage->mix, "p-1", true);
    stage_post(stage, WITH(",'dryRun':true", "shop", POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "0");
    skr_spotmix_yield(stage->mix, "p-1", false); /* the eviction was refused */
    stage_post(stage, WITH(",'dryRun':true", "shop", POD));
    assert_string_equal(stage_added(stage, INDEX_PATH), "1");
}

TEST_WITH(stage, an_explanation_counts_reserved_indices_as_taken)
{
    SKR_STRBUF(page);
    stage_put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    stage_post(stage, REVIEW(POD));
    assert_true(skr_spotmix_page_write_one(stage->mix, "shop", "web", &page));
    assert_non_null(strstr(page.s, "the next pod gets index 2"));
}
