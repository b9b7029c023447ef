/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of ProvisioningRequests, and of pods as templates. */
#include "core/group/provisioning.h"

#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/attr.h"

static json_t *request_with(const char *conditions)
{
    char text[512];
    snprintf(text, sizeof text,
             "{'metadata':{'name':'r','namespace':'n'},'status':{'conditions':%s}}", conditions);
    return json_text_load(text);
}

static const struct {
    const char *conditions;
    enum skr_provisioning_state state;
    const char *message;
} cases[] = {
    {"[]", SKR_PROVISIONING_NEW, ""},
    {"[{'type':'Other','status':'True','message':'x'}]", SKR_PROVISIONING_NEW, ""},
    {"[{'type':'Accepted','status':'True','message':'a'}]", SKR_PROVISIONING_ACCEPTED, "a"},
    {"[{'type':'Accepted','status':'False'}]", SKR_PROVISIONING_NEW, ""},
    {"[{'type':'Provisioned','status':'False','message':'not found yet'}]",
     SKR_PROVISIONING_ACCEPTED, "not found yet"},
    {"[{'type':'Provisioned','status':'True','message':'p'},{'type':'Accepted','status':'True'}]",
     SKR_PROVISIONING_DONE, "p"},
    {"[{'type':'Failed','status':'True','message':'f'},{'type':'Accepted','status':'True'}]",
     SKR_PROVISIONING_FAILED, "f"},
    {"[{'type':'Provisioned','status':'True'},{'type':'BookingExpired','status':'True',"
     "'message':'e'}]",
     SKR_PROVISIONING_EXPIRED, "e"},
    {"[{'type':'CapacityRevoked','status':'True'}]", SKR_PROVISIONING_EXPIRED, ""},
};

TEST(conditions_decide_the_state_of_a_request)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_auto_t *json = request_with(cases[i].conditions);
        struct skr_provisioning *request = NULL;
        struct skr_error error;
        assert_int_equal(skr_provisioning_decode(json, &request, &error), 0);
        assert_int_equal(request->state, cases[i].state);
        assert_string_equal(request->message, cases[i].message);
        skr_provisioning_destroy(request);
    }
}

TEST(malformed_conditions_are_an_error_with_their_path)
{
    static const char *const bad[] = {"17", "[17]", "[{'type':17}]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_auto_t *json = request_with(bad[i]);
        struct skr_provisioning *request = NULL;
        struct skr_error error;
        assert_true(skr_provisioning_decode(json, &request, &error) < 0);
        assert_int_equal(error.code, SKR_INVALID);
        assert_non_null(strstr(error.text, "conditions"));
    }
}

TEST(a_template_has_what_schedulers_read_and_nothing_else)
{
    json_auto_t *json = json_text_load(
        "{'metadata':{'name':'p','namespace':'n','labels':{'a':'b'},'annotations':{'c':'d'}},"
        "'spec':{'nodeName':'x','schedulingGates':[{'name':'g'}],'nodeSelector':{'k':'v'},"
        "'serviceAccountName':'s','tolerations':[{'operator':'Exists'}],'priority':7,"
        "'initContainers':[{'name':'i','image':'j','command':['c']}],"
        "'containers':[{'name':'m','image':'n','args':['a'],'env':[{'name':'E','value':'x'}],"
        "'resources':{'requests':{'cpu':'1'}}}]}}");
    struct skr_pod_template *template = NULL;
    struct skr_error error;
    assert_int_equal(skr_pod_template_decode(json, &template, &error), 0);
    assert_string_equal(template->text,
                        "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"nodeSelector\":"
                        "{\"k\":\"v\"},\"tolerations\":[{\"operator\":\"Exists\"}],"
                        "\"initContainers\":[{\"name\":\"i\",\"image\":\"j\"}],\"containers\":"
                        "[{\"name\":\"m\",\"image\":\"n\",\"resources\":{\"requests\":"
                        "{\"cpu\":\"1\"}}}]}}");
    skr_pod_template_destroy(template);
}

TEST(a_pod_without_a_spec_is_a_template_without_containers)
{
    json_auto_t *json = json_text_load("{'metadata':{'name':'p'},'spec':17}");
    struct skr_pod_template *template = NULL;
    struct skr_error error;
    assert_int_equal(skr_pod_template_decode(json, &template, &error), 0);
    assert_string_equal(template->text, "{\"metadata\":{},\"spec\":{}}");
    skr_pod_template_destroy(template);
}
