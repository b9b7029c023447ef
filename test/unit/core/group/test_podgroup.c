/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups from the API. */
#include "core/group/podgroup.h"
#include "test/test.h"
#include "test/unit/json_text.h"

TEST(a_podgroup_is_read_as_far_as_it_is_used)
{
    json_t *json = json_text_load(
        "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{'namespace':"
        "'ns','name':'pg','uid':'u','resourceVersion':'7','annotations':{'sakkara.plan':'{}',"
        "'sakkara.status':'Waiting','other':'x'}},'spec':{'minMember':3,'scheduleTimeoutSeconds':"
        "10},'status':{'phase':'Pending'}}");
    struct skr_podgroup *pg = NULL;
    assert_int_equal(skr_podgroup_decode(json, &pg, NULL), 0);
    json_decref(json);
    assert_string_equal(pg->meta.namespace_, "ns");
    assert_string_equal(pg->meta.name, "pg");
    assert_int_equal(pg->meta.resource_version, 7);
    assert_int_equal(pg->min_member, 3);
    assert_string_equal(skr_labels_get(&pg->meta.annotations, "sakkara.status"), "Waiting");
    assert_null(skr_labels_get(&pg->meta.annotations, "other"));
    skr_podgroup_destroy(pg);
    skr_podgroup_destroy(NULL);
}

TEST(wrong_types_are_refused_with_the_path_of_the_field)
{
    static const struct {
        const char *json, *text;
    } row[] = {
        {"[]", "podgroup: must be an object, got an array"},
        {"{'metadata':{'name':'pg'},'spec':7}", "spec: must be an object, got a number"},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':'3'}}",
         "spec.minMember: must be an integer, got a string"},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':3000000000}}",
         "spec.minMember: 3000000000 does not fit into 32 bits"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_podgroup *pg = NULL;
        struct skr_error error;
        json_auto_t *json = json_text_load(row[i].json);
        assert_int_equal(skr_podgroup_decode(json, &pg, &error), -SKR_INVALID);
        assert_string_equal(error.text, row[i].text);
        assert_null(pg);
    }
}
