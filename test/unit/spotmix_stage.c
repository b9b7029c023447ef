/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/spotmix_stage.h"

#include <string.h>

#include "server/kube/base64.h"
#include "test/test.h"

static char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *at = copy; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return copy;
}

void stage_put(struct stage *stage, enum skr_spotmix_kind kind, const char *text)
{
    SKR_AUTO_FREE char *copy = quoted(text);
    json_auto_t *object = json_loads(copy, 0, NULL);
    assert_non_null(object);
    skr_spotmix_put(stage->mix, kind, object);
}

void stage_set_up(struct stage *stage)
{
    skr_spotmix_settings_default(&stage->settings);
    stage->settings.own_namespace = "sakkara";
    assert_int_equal(skr_spotmix_create(&stage->settings, &stage->mix, NULL), 0);
    stage_put(stage, SKR_SPOTMIX_DEPLOYMENT,
              "{'metadata':{'namespace':'shop','name':'web','uid':'d-1','labels':{'" K
              "':'true','" K "-max-on-demand-count':'2'}}}");
    stage_put(stage, SKR_SPOTMIX_REPLICA_SET,
              "{'metadata':{'namespace':'shop','name':'web-5d4f','uid':'rs-1','ownerReferences':[{"
              "'apiVersion':'apps/"
              "v1','kind':'Deployment','name':'web','uid':'d-1','controller':true}]}}");
    stage_put(stage, SKR_SPOTMIX_STATEFUL_SET,
              "{'metadata':{'namespace':'shop','name':'db','uid':'sts-1','labels':{'" K
              "':'true','" K "-max-on-demand-count':'1'}},'spec':{'ordinals':{'start':10}}}");
    stage_put(
        stage, SKR_SPOTMIX_NODE,
        "{'metadata':{'name':'n1','labels':{'node.kubernetes.io/capacity':'on-demand'}},'status':{"
        "'conditions':[{'type':'Ready','status':'True'}]}}");
    stage_put(stage, SKR_SPOTMIX_NODE,
              "{'metadata':{'name':'n2','labels':{'node.kubernetes.io/capacity':'spot'}},'status':{"
              "'conditions':[{'type':'Ready','status':'True'}]}}");
}

void stage_forget(struct stage *stage)
{
    skr_strbuf_fini(&stage->answer.body);
    json_decref(stage->response);
    json_decref(stage->patch);
    stage->response = NULL;
    stage->patch = NULL;
}

void stage_tear_down(struct stage *stage)
{
    stage_forget(stage);
    skr_spotmix_destroy(stage->mix);
}

unsigned stage_post(struct stage *stage, const char *text)
{
    SKR_AUTO_FREE char *body = quoted(text);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(body, strlen(body));
    struct skr_spotmix_review review = {
        .body = read, .serving = !stage->not_serving, .now = stage->now};
    stage_forget(stage);
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

const char *stage_added(const struct stage *stage, const char *path)
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
