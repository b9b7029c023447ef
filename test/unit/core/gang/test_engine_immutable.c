/* SPDX-License-Identifier: Apache-2.0 */
/* Groups whose keys stand in annotations: immutable ConfigMaps, and how much goes into annotations. */
#include "test/test.h"
#include "test/unit/engine_test.h"

static const char *said(const struct rig *rig, const char *key)
{
    return rig_annotation(rig, RIG_MAP, "g", test_text("sakkara.%s", key));
}

/* Nobody may write to data: of such a patch the API server says 422. */
static struct rig *frozen(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},'immutable':true,"
                    "'data':{'name':'g','size':'4'}}");
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    return rig;
}

static void assert_data_is_untouched(const struct rig *rig)
{
    const json_t *data = json_object_get(rig_find(rig, RIG_MAP, "g")->json, "data");
    assert_int_equal(json_object_size(data), 2);
}

TEST_RIG(frozen(), an_immutable_map_has_its_keys_in_annotations)
{
    assert_string_equal(said(rig, "status"), "Waiting");
    assert_string_equal(said(rig, "message"), "group g has 3 of 4 members");
    rig_pod(rig, "p-3", "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    rig_assert_clean(rig);
    assert_string_equal(said(rig, "status"), "Bound");
    assert_string_equal(said(rig, "message"), "");
    assert_string_equal(said(rig, "rank"), "[(p-0,0) (p-1,1) (p-2,2) (p-3,3)]");
    assert_data_is_untouched(rig);
}

TEST_RIG(frozen(), what_annotations_of_a_map_say_survives_a_restart)
{
    rig_pod(rig, "p-3", "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig_forget_counts(rig);
    rig_restart(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), 0);
}

TEST_RIG(frozen(), an_annotation_that_a_user_removed_is_written_again)
{
    rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':{'sakkara.status':null}}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(said(rig, "status"), "Waiting");
}

TEST_RIG(frozen(), an_answer_without_the_object_is_applied_to_annotations)
{
    for (int i = 0; i < 3; i++) {
        rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", RIG_LOST_APPLIED, 1);
        rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':{'sakkara.status':'%d'}}}", i);
        rig_run(rig, 10 * SKR_SECOND);
        assert_string_equal(said(rig, "status"), "Waiting");
    }
    assert_data_is_untouched(rig);
}

TEST(a_placement_that_does_not_fit_into_annotations_is_left_out_of_them)
{
    enum { MEMBERS = 460 };
    char name[250];
    memset(name, 'p', sizeof name);
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 1, MEMBERS);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'pods':'1000'}}}");
    rig_podgroup(rig, "g", MEMBERS);
    rig_sync(rig);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name + 240, sizeof name - 240, "-%d", i);
        rig_pod(rig, name, "g", RIG_GATED | RIG_POD_GROUP_LABEL);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_PODGROUP, "g", "sakkara.status"), "Bound");
    assert_string_equal(rig_annotation(rig, RIG_PODGROUP, "g", "sakkara.placement"), "");
    assert_non_null(
        strstr(rig_annotation(rig, RIG_PODGROUP, "g", "sakkara.conditions"), "OutputTooLarge"));
}
