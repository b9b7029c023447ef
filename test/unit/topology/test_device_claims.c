/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceClaims: which pod each was made for, and whether it holds devices. */
#include "topology/device_claims.h"

#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

TEST(a_claim_says_for_which_pod_it_is_and_whether_it_is_allocated)
{
    static const struct {
        const char *json, *pod;
        bool allocated;
        size_t reserved;
    } row[] = {
        {"{'metadata':{'name':'c'}}", "", false, 0},
        {"{'metadata':{'name':'c','ownerReferences':[{'kind':'Pod','uid':'u','controller':true}]},"
         "'status':{'allocation':{},'reservedFor':[{'uid':'u'}]}}",
         "u", true, 1},
        {"{'metadata':{'name':'c','ownerReferences':[{'kind':'Pod','uid':'u'},"
         "{'kind':'Job','uid':'j','controller':true}]},'status':{'allocation':null}}",
         "", false, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        json_auto_t *json = json_text_load(row[i].json);
        SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
        assert_int_equal(skr_device_claim_decode(json, &claim, NULL), 0);
        assert_string_equal(claim->pod_uid, row[i].pod);
        assert_int_equal(claim->allocated, row[i].allocated);
        assert_int_equal(claim->n_reserved, row[i].reserved);
    }
}

/* kube-scheduler writes a selector of labels if some nodes reach the devices. */
TEST(a_claim_with_devices_that_other_nodes_reach_is_of_no_single_node)
{
    static const struct {
        const char *terms;
        bool fabric;
    } row[] = {
        {"[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n']}]}]", false},
        {"[{'matchExpressions':[{'key':'rack','operator':'In','values':['a']}]}]", true},
        {"[{}]", true},
        {"[]", true},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text,
                        "{'metadata':{'name':'c'},'status':{'allocation':{'nodeSelector':"
                        "{'nodeSelectorTerms':%s}}}}",
                        row[i].terms);
        json_auto_t *json = json_text_load(text.s);
        SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
        assert_int_equal(skr_device_claim_decode(json, &claim, NULL), 0);
        assert_int_equal(claim->fabric, row[i].fabric);
    }
}

#define REQUESTS                                                                      \
    "{'devices':{'requests':[{'exactly':{'deviceClassName':'a'}},{'firstAvailable':[" \
    "{'deviceClassName':'b'},{'deviceClassName':'a'},{'deviceClassName':'c'}]},{'exactly':{}}]}}"

TEST(a_claim_that_is_not_allocated_and_a_template_name_their_classes)
{
    static const char *const text[] = {
        "{'metadata':{'name':'c'},'spec':" REQUESTS "}",
        "{'metadata':{'name':'t'},'spec':{'spec':" REQUESTS "}}",
    };
    for (size_t i = 0; i < 2; i++) {
        json_auto_t *json = json_text_load(text[i]);
        SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
        const int rc = i == 0 ? skr_device_claim_decode(json, &claim, NULL)
                              : skr_device_template_decode(json, &claim, NULL);
        assert_int_equal(rc, 0);
        assert_int_equal(claim->n_classes, 3);
        assert_string_equal(claim->class_[0], "a");
        assert_string_equal(claim->class_[1], "b");
        assert_string_equal(claim->class_[2], "c");
    }
    json_auto_t *json =
        json_text_load("{'metadata':{'name':'c'},'spec':" REQUESTS ",'status':{'allocation':{}}}");
    SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
    assert_int_equal(skr_device_claim_decode(json, &claim, NULL), 0);
    assert_int_equal(claim->n_classes, 0);
}

TEST(no_more_classes_of_a_claim_are_kept_than_the_limit)
{
    json_auto_t *json =
        json_text_load("{'metadata':{'name':'c'},'spec':{'devices':{'requests':[]}}}");
    json_t *list =
        json_object_get(json_object_get(json_object_get(json, "spec"), "devices"), "requests");
    for (int i = 0; i < SKR_CLAIM_REQUESTS_MAX; i++) {
        json_array_append_new(
            list, json_pack("{s:{s:s}}", "exactly", "deviceClassName", test_text("c-%d", i)));
    }
    SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
    assert_int_equal(skr_device_claim_decode(json, &claim, NULL), 0);
    assert_int_equal(claim->n_classes, SKR_CLAIM_CLASSES_MAX);
    json_array_append_new(list, json_object());
    struct skr_error error;
    struct skr_device_claim *other = NULL;
    assert_int_equal(skr_device_claim_decode(json, &other, &error), -SKR_LIMIT);
}

TEST(a_field_of_the_wrong_type_is_named)
{
    json_auto_t *json = json_text_load("{'metadata':{'name':'c'},'status':{'reservedFor':7}}");
    struct skr_device_claim *claim = NULL;
    struct skr_error error;
    assert_true(skr_device_claim_decode(json, &claim, &error) < 0);
    assert_non_null(strstr(error.text, "status.reservedFor"));
}
