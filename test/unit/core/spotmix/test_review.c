/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One review after the other against a mix that knows a Deployment "web" (max 2), its ReplicaSet
 * "web-5d4f" (uid rs-1), a StatefulSet "db" (uid sts-1, max 1, from ordinal 10) and a node of each
 * class.
 */
#include "test/test.h"

#include <jansson.h>

#include "core/spotmix/page.h"
#include "server/kube/base64.h"

#define K "cloudpilot.ai/webhook-scheduler"

struct stage {
    struct skr_spotmix_settings settings;
    struct skr_spotmix *mix;
    struct skr_spotmix_answer answer;
    json_t *response;
    json_t *patch;
    skr_time now;
    unsigned char token;
    bool not_serving, all_tried;
};

static char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *at = copy; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return copy;
}

static void put(struct stage *stage, enum skr_spotmix_kind kind, const char *text)
{
    SKR_AUTO_FREE char *copy = quoted(text);
    json_auto_t *object = json_loads(copy, 0, NULL);
    assert_non_null(object);
    skr_spotmix_put(stage->mix, kind, object);
}

static void stage_set_up(struct stage *stage)
{
    skr_spotmix_settings_default(&stage->settings);
    stage->settings.own_namespace = "sakkara";
    assert_int_equal(skr_spotmix_create(&stage->settings, &stage->mix, NULL), 0);
    put(stage, SKR_SPOTMIX_DEPLOYMENT,
        "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K "':'true','" K
        "-max-on-demand-count':'2'}}}");
    put(stage, SKR_SPOTMIX_REPLICA_SET,
        "{'metadata':{'namespace':'shop','name':'web-5d4f','uid':'rs-1','ownerReferences':[{"
        "'apiVersion':'apps/"
        "v1','kind':'Deployment','name':'web','uid':'d-1','controller':true}]}}");
    put(stage, SKR_SPOTMIX_STATEFUL_SET,
        "{'metadata':{'namespace':'shop','name':'db','uid':'sts-1','labels':{'" K "':'true','" K
        "-max-on-demand-count':'1'}},'spec':{'ordinals':{'start':10}}}");
    put(stage, SKR_SPOTMIX_NODE,
        "{'metadata':{'name':'n1','labels':{'node.kubernetes.io/capacity':'on-demand'}},'status':{"
        "'conditions':[{'type':'Ready','status':'True'}]}}");
    put(stage, SKR_SPOTMIX_NODE,
        "{'metadata':{'name':'n2','labels':{'node.kubernetes.io/capacity':'spot'}},'status':{"
        "'conditions':[{'type':'Ready','status':'True'}]}}");
}

static void forget(struct stage *stage)
{
    skr_strbuf_fini(&stage->answer.body);
    json_decref(stage->response);
    json_decref(stage->patch);
    stage->response = NULL;
    stage->patch = NULL;
}

static void stage_tear_down(struct stage *stage)
{
    forget(stage);
    skr_spotmix_destroy(stage->mix);
}

/* The answer and its patch stay with the stage until the next one. */
static unsigned post(struct stage *stage, const char *text)
{
    SKR_AUTO_FREE char *body = quoted(text);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(body, strlen(body));
    struct skr_spotmix_review review = {
        .body = read, .serving = !stage->not_serving, .now = stage->now};
    forget(stage);
    review.random[15] = ++stage->token;
    for (int i = 0; i < SKR_SPOTMIX_KIND_COUNT; i++) {
        review.tried[i] = stage->all_tried;
    }
    skr_spotmix_review(stage->mix, &review, &stage->answer);
    if (stage->answer.status == 200) {
        json_t *json = json_loads(stage->answer.body.s, 0, NULL);
        assert_string_equal(json_string_value(json_object_get(json, "kind")), "AdmissionReview");
        assert_string_equal(json_string_value(json_object_get(json, "apiVersion")),
                            "admission.k8s.io/v1");
        stage->response = json_incref(json_object_get(json, "response"));
        json_decref(json);
        assert_true(json_is_true(json_object_get(stage->response, "allowed")));
        assert_string_equal(json_string_value(json_object_get(stage->response, "uid")), "u-1");
        const char *coded = json_string_value(json_object_get(stage->response, "patch"));
        assert_int_equal(!!coded, !!json_object_get(stage->response, "patchType"));
        if (coded) {
            SKR_AUTO_FREE char *decoded = NULL;
            size_t n;
            assert_int_equal(skr_base64_decode(coded, strlen(coded), &decoded, &n, NULL), 0);
            stage->patch = json_loadb(decoded, n, 0, NULL);
        }
    }
    return stage->answer.status;
}

#define RS_REF                                                                                \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-5d4f','uid':" \
    "'rs-1','controller':true}]"
#define STS_REF                                                                          \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet','name':'db','uid':" \
    "'sts-1','controller':true}]"
#define WITH(more, namespace_, object)                                                     \
    "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u-1'," \
    "'resource':{'group':'','version':'v1','resource':'pods'},'namespace':'" namespace_    \
    "','operation':'CREATE'" more ",'object':" object "}}"
#define POD            "{'metadata':{'labels':{'app':'web'}," RS_REF "},'spec':{}}"
#define REVIEW(object) WITH("", "shop", object)

static const char *added(const struct stage *stage, const char *path)
{
    for (size_t i = 0; i < json_array_size(stage->patch); i++) {
        const json_t *operation = json_array_get(stage->patch, i);
        assert_string_equal(json_string_value(json_object_get(operation, "op")), "add");
        if (strcmp(json_string_value(json_object_get(operation, "path")), path) == 0) {
            const char *text = json_string_value(json_object_get(operation, "value"));
            return text ? text : "";
        }
    }
    return NULL;
}

#define CLASS_PATH "/metadata/labels/cloudpilot.ai~1webhook-scheduler-class"
#define INDEX_PATH "/metadata/labels/cloudpilot.ai~1webhook-scheduler-index"
#define TOKEN_PATH "/metadata/annotations/cloudpilot.ai~1webhook-scheduler-token"
#define COST_PATH  "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost"

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
    assert_int_equal(post(&stage, row->body), row->status);
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
    assert_int_equal(post(stage, REVIEW(POD)), 503);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_NOT_LEADER);
    assert_int_equal(post(stage, "{"), 400);
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
    return post(stage, text.s);
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
    assert_int_equal(post(stage, text.s), 200);
}

TEST_WITH(stage, the_patch_is_the_one_of_the_book)
{
    post(stage, REVIEW(POD));
    forget(stage);
    assert_int_equal(post(stage, REVIEW(POD)), 200);
    post(stage, REVIEW(POD));
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
    post(stage, REVIEW("{'metadata':{'annotations':{'controller.kubernetes.io/pod-deletion-cost':"
                       "'7'}," RS_REF "},'spec':{}}"));
    assert_null(added(stage, COST_PATH));
    assert_non_null(added(stage, CLASS_PATH));
    assert_true(warned(stage, "DeletionCostKept"));
}

TEST_WITH(stage, an_empty_class_is_a_warning_not_a_fallback)
{
    skr_spotmix_drop(stage->mix, SKR_SPOTMIX_NODE, "", "n1");
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, CLASS_PATH), "on-demand");
    assert_true(warned(stage, "NoNodesInClass"));
}

TEST_WITH(stage, a_dry_run_gets_the_answer_and_holds_nothing)
{
    for (int i = 0; i < 3; i++) {
        post(stage, WITH(",'dryRun':true", "shop", POD));
        assert_string_equal(added(stage, INDEX_PATH), "0");
    }
    assert_true(skr_spotmix_expiry(stage->mix) == SKR_TIME_NEVER);
}

TEST_WITH(stage, a_token_gets_its_own_slot_again)
{
    post(stage, REVIEW(POD));
    SKR_AUTO_FREE char *token = strdup(added(stage, TOKEN_PATH));
    char body[1024];
    snprintf(body, sizeof body,
             REVIEW("{'metadata':{'annotations':{'" K "-token':'%s'}," RS_REF "},'spec':{}}"),
             token);
    assert_int_equal(post(stage, body), 200);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_NOOP);
    stage->now += 30 * SKR_SECOND; /* the reservation is gone: a fresh pod */
    post(stage, body);
    assert_string_equal(added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, a_reservation_lasts_thirty_seconds)
{
    post(stage, REVIEW(POD));
    assert_true(skr_spotmix_expiry(stage->mix) == 30 * SKR_SECOND);
    stage->now = 30 * SKR_SECOND - 1;
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "1");
    stage->now++;
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, five_hundred_at_once_get_five_hundred_indices)
{
    bool taken[500] = {false};
    for (int i = 0; i < 500; i++) {
        post(stage, REVIEW(POD));
        const int index = skr_spotmix_index_parse(added(stage, INDEX_PATH));
        assert_true(index >= 0 && index < 500 && !taken[index]);
        taken[index] = true;
        assert_string_equal(added(stage, CLASS_PATH), index < 2 ? "on-demand" : "spot");
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
        post(stage, body);
        assert_string_equal(added(stage, CLASS_PATH), member[i].class_);
        assert_int_equal(!!added(stage, INDEX_PATH), !!member[i].index);
        if (member[i].index) {
            assert_string_equal(added(stage, INDEX_PATH), member[i].index);
        }
    }
    assert_true(skr_spotmix_expiry(stage->mix) == SKR_TIME_NEVER);
}

/* ---- owners ---- */

#define STRANGER                                                                              \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-77aa','uid':" \
    "'rs-2','controller':true}]"

TEST_WITH(stage, an_owner_that_is_not_cached_is_looked_up_once)
{
    const char *body = REVIEW("{'metadata':{" STRANGER "},'spec':{}}");
    assert_int_equal(post(stage, body), 0);
    assert_int_equal(stage->answer.lookup.kind, SKR_SPOTMIX_REPLICA_SET);
    assert_string_equal(stage->answer.lookup.name, "web-77aa");
    assert_string_equal(stage->answer.lookup.namespace_, "shop");
    stage->all_tried = true;
    assert_int_equal(post(stage, body), 200);
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_OWNER_UNKNOWN);
}

TEST_WITH(stage, a_name_is_cut_by_the_label_only_when_nothing_else_helps)
{
    const char *body =
        REVIEW("{'metadata':{'labels':{'pod-template-hash':'77aa'}," STRANGER "},'spec':{}}");
    assert_int_equal(post(stage, body), 0);
    stage->all_tried = true;
    assert_int_equal(post(stage, body), 200);
    assert_string_equal(added(stage, INDEX_PATH), "0");
    assert_int_equal(
        post(stage,
             REVIEW("{'metadata':{'labels':{'pod-template-hash':'7aa'}," STRANGER "},'spec':{}}")),
        200); /* the guess has made the ReplicaSet one of web's */
}

/* ---- defects that others have had ----
 *
 * of IRONICBo/distribute-scheduler, and of openkruise/kruise where a number stands:
 *
 *   unknown workloads are forced to spot, the switch  unknown_workloads_are_left_alone_and_the_switch_is_read
 *     is never read
 *   the patch replaces the user's affinity            the_users_affinity_and_selector_stay
 *   the Deployment's name is the owner's without      the_deployment_is_the_controller_not_a_part_of_the_name
 *     eleven characters
 *   an update of the Deployment resets counters       an_update_of_the_deployment_resets_nothing
 *   no labels, an empty cache after a restart         indices_are_read_from_live_pods_after_a_restart
 *   operation, dryRun, namespace of the request are   pods_that_never_existed_are_not_counted
 *     ignored
 *   deletion costs, StatefulSets unfinished           costs_are_texts_and_statefulsets_have_them
 *   one index space a Deployment (#834, #1194)        two_revisions_do_not_share_indices
 *   the rule is lost under churn (#2129)              the_rule_holds_under_churn
 *   pods created while the webhook is away keep none  pods_created_without_the_webhook_get_the_rule
 *   deletions of pods are refused to keep a minimum   nothing_is_ever_refused
 */

TEST_WITH(stage, unknown_workloads_are_left_alone_and_the_switch_is_read)
{
    put(stage, SKR_SPOTMIX_DEPLOYMENT,
        "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K "':'no'}}}");
    post(stage, REVIEW(POD));
    assert_int_equal(stage->answer.result, SKR_SPOTMIX_OFF);
    assert_null(stage->patch);
}

TEST_WITH(stage, the_users_affinity_and_selector_stay)
{
    post(stage, REVIEW("{'metadata':{" RS_REF "},'spec':{'nodeSelector':{'zone':'a'},'affinity':{"
                       "'podAffinity':{},'nodeAffinity':{"
                       "'preferredDuringSchedulingIgnoredDuringExecution':[]}}}}"));
    assert_null(added(stage, "/spec/affinity"));
    assert_null(added(stage, "/spec/affinity/nodeAffinity"));
    assert_non_null(added(stage, "/spec/affinity/nodeAffinity/"
                                 "requiredDuringSchedulingIgnoredDuringExecution"));
}

TEST_WITH(stage, the_deployment_is_the_controller_not_a_part_of_the_name)
{
    put(stage, SKR_SPOTMIX_DEPLOYMENT,
        "{'metadata':{'namespace':'shop','name':'a-very-other','uid':'d-2','labels':{'" K
        "':'true','" K "-max-on-demand-count':'0'}}}");
    put(stage, SKR_SPOTMIX_REPLICA_SET,
        "{'metadata':{'namespace':'shop','name':'web-77aa','uid':'rs-2','ownerReferences':[{"
        "'apiVersion':'apps/v1','kind':'Deployment','name':'a-very-other','uid':'d-2','controller':"
        "true}]}}");
    post(stage,
         REVIEW("{'metadata':{'labels':{'pod-template-hash':'77aa'}," STRANGER "},'spec':{}}"));
    assert_string_equal(added(stage, CLASS_PATH), "spot");
}

TEST_WITH(stage, an_update_of_the_deployment_resets_nothing)
{
    post(stage, REVIEW(POD));
    put(stage, SKR_SPOTMIX_DEPLOYMENT,
        "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K "':'true','" K
        "-max-on-demand-count':'2','more':'x'}},'spec':{'replicas':9}}");
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "1");
}

#define LIVE_POD(uid, more)                                                                       \
    "{'metadata':{'namespace':'shop','name':'p-" uid "','uid':'" uid "'," RS_REF ",'labels':{'" K \
    "-class':'on-demand','" K "-index':'0'}" more "},'spec':{}}"

TEST_WITH(stage, indices_are_read_from_live_pods_after_a_restart)
{
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "1");
}

TEST_WITH(stage, the_index_of_a_pod_that_is_being_evicted_is_vacant)
{
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    skr_spotmix_yield(stage->mix, "nobody", true);
    skr_spotmix_yield(stage->mix, "p-1", true);
    post(stage, WITH(",'dryRun':true", "shop", POD));
    assert_string_equal(added(stage, INDEX_PATH), "0");
    skr_spotmix_yield(stage->mix, "p-1", false); /* the eviction was refused */
    post(stage, WITH(",'dryRun':true", "shop", POD));
    assert_string_equal(added(stage, INDEX_PATH), "1");
}

TEST_WITH(stage, pods_that_never_existed_are_not_counted)
{
    post(stage, WITH(",'operation':'DELETE'", "shop", POD));
    post(stage, WITH(",'dryRun':true", "shop", POD));
    post(stage, WITH("", "kube-system", POD));
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, costs_are_texts_and_statefulsets_have_them)
{
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, COST_PATH), "100");
    post(stage, REVIEW("{'metadata':{'name':'db-12'," STS_REF "},'spec':{}}"));
    assert_string_equal(added(stage, COST_PATH), "1");
}

TEST_WITH(stage, two_revisions_do_not_share_indices)
{
    put(stage, SKR_SPOTMIX_REPLICA_SET,
        "{'metadata':{'namespace':'shop','name':'web-77aa','uid':'rs-2','ownerReferences':[{"
        "'apiVersion':'apps/"
        "v1','kind':'Deployment','name':'web','uid':'d-1','controller':true}]}}");
    post(stage, REVIEW(POD));
    post(stage, REVIEW("{'metadata':{" STRANGER "},'spec':{}}"));
    assert_string_equal(added(stage, INDEX_PATH), "0");
}

TEST_WITH(stage, the_rule_holds_under_churn)
{
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ",'deletionTimestamp':'2026-01-01T00:00:00Z'"));
    post(stage, REVIEW(POD)); /* the replacement comes before the old one is gone */
    assert_string_equal(added(stage, INDEX_PATH), "0");
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ",'deletionTimestamp':'2026-01-01T00:00:00Z'"));
    skr_spotmix_drop(stage->mix, SKR_SPOTMIX_POD, "shop", "p-1");
    post(stage, REVIEW(POD));
    assert_string_equal(added(stage, INDEX_PATH), "1");
}

static void count_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct skr_spotmix_fix *last = context;
    *last = *fix;
}

TEST_WITH(stage, pods_created_without_the_webhook_get_the_rule)
{
    struct skr_spotmix_fix fix = {.index = -2};
    put(stage, SKR_SPOTMIX_POD,
        "{'metadata':{'namespace':'shop','name':'p-1','uid':'p-1'," RS_REF
        "},'spec':{'nodeName':'n2'}}");
    const struct skr_spotmix_settling settling = {
        .now = SKR_TIME_NEVER, .emit = count_fix, .context = &fix};
    skr_spotmix_settle(stage->mix, &settling);
    assert_int_equal(fix.class_, SKR_SPOTMIX_SPOT);
    assert_int_equal(fix.index, 2); /* the first vacant one of its class */
    assert_string_equal(fix.cost, "1");
}

TEST_WITH(stage, nothing_is_ever_refused)
{
    post(stage, WITH(",'operation':'DELETE'", "shop", POD));
    assert_true(json_is_true(json_object_get(stage->response, "allowed")));
}

TEST_WITH(stage, an_explanation_counts_reserved_indices_as_taken)
{
    SKR_STRBUF(page);
    put(stage, SKR_SPOTMIX_POD, LIVE_POD("p-1", ""));
    post(stage, REVIEW(POD));
    assert_true(skr_spotmix_page_write_one(stage->mix, "shop", "web", &page));
    assert_non_null(strstr(page.s, "the next pod gets index 2"));
}
