/* SPDX-License-Identifier: Apache-2.0 */
/* Key run-limit becomes the activeDeadlineSeconds of the members. */
#include "core/gang/group/group_table.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

/* activeDeadlineSeconds; 0: none. */
static int deadline(const struct rig *rig, const char *pod)
{
    const json_t *spec = json_object_get(rig_find(rig, RIG_POD, pod)->json, "spec");
    return (int)json_integer_value(json_object_get(spec, "activeDeadlineSeconds"));
}

static const char *started(const struct rig *rig)
{
    static char text[64];
    skr_time_write(rig->now, 0, text, sizeof text);
    return text;
}

/* Four slots; g has two members and a limit of ten minutes. */
static struct rig *limited(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'run-limit':'10m'}}");
    rig_sync(rig);
    return rig;
}

static struct rig *running(int flags)
{
    struct rig *rig = limited();
    rig_pods(rig, "p", 2, "g", flags);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    return rig;
}

TEST_RIG(running(RIG_GATED), the_patch_that_removes_the_gate_limits_the_member)
{
    assert_int_equal(deadline(rig, "p-0"), 600);
    assert_int_equal(deadline(rig, "p-1"), 600);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), 2);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, "p-0"), 0);
    rig_assert_clean(rig);
}

TEST_RIG(running(0), a_member_without_a_gate_is_limited_by_one_more_patch)
{
    assert_int_equal(deadline(rig, "p-0"), 600);
    assert_int_equal(deadline(rig, "p-1"), 600);
    assert_true(rig_count(rig, SKR_WRITE_PATCH_POD, "p-0") <= 1);
}

TEST_RIG(limited(), a_smaller_deadline_of_the_pod_stays_and_a_larger_one_is_lowered)
{
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'activeDeadlineSeconds':60}}");
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'activeDeadlineSeconds':6000}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_int_equal(deadline(rig, "p-0"), 60);
    assert_int_equal(deadline(rig, "p-1"), 600);
}

TEST_RIG(running(RIG_GATED), a_replacement_gets_the_rest_of_the_limit)
{
    rig_run(rig, 4 * 60 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "p-2", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "p-2") != '\0');
    assert_in_range(deadline(rig, "p-2"), 340, 360);
}

/* What others may start with is reckoned with the end of the group. */
TEST_RIG(running(RIG_GATED), a_replacement_ends_no_later_than_its_group)
{
    const skr_time end = skr_groups_find(rig->gang, "default/g")->times.end + 600 * SKR_SECOND;
    rig_run(rig, 100 * SKR_MILLISECOND);
    const skr_time from = rig->now;
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "p-2", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "p-2") != '\0');
    assert_true(from + deadline(rig, "p-2") * SKR_SECOND <= end);
}

TEST_RIG(running(RIG_GATED), the_rest_is_the_same_after_a_restart)
{
    rig_run(rig, 4 * 60 * SKR_SECOND);
    rig_restart(rig);
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "p-2", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_in_range(deadline(rig, "p-2"), 340, 360);
}

TEST_RIG(running(RIG_GATED), after_the_limit_no_replacement_is_placed)
{
    rig_run(rig, 11 * 60 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "SeatHeld"), "");
    rig_pod(rig, "p-2", "g", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-2"), "");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g has 1 of 2 members bound; its run-limit of 10m is over, so no "
                        "replacement is placed");
}

TEST_RIG(running(RIG_GATED), a_replacement_that_waits_when_the_limit_ends_is_told)
{
    rig_pods(rig, "fill", 2, NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_pod(rig, "p-2", "g", RIG_GATED | RIG_BIG);
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, 9 * 60 * SKR_SECOND);
    assert_null(strstr(rig_key(rig, "g", "message"), "is over"));
    rig_run(rig, 2 * 60 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "message"), "its run-limit of 10m is over"));
}

TEST_RIG(running(RIG_GATED), a_group_that_starts_anew_gets_the_whole_limit)
{
    rig_run(rig, 11 * 60 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_pods(rig, "q", 2, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    assert_int_equal(deadline(rig, "q-0"), 600);
}

TEST_RIG(running(RIG_GATED), an_edit_can_only_shorten_what_runs)
{
    rig_edit(rig, RIG_POD, "p-0", "{'status':{'startTime':'%s'}}", started(rig));
    rig_run(rig, 60 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'run-limit':'1h'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(deadline(rig, "p-0"), 600);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'run-limit':'3m'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_in_range(deadline(rig, "p-0"), 170, 180);
    assert_int_equal(deadline(rig, "p-1"), 180);
}

/* What starts later than now, by the kubelet's clock, starts now. */
TEST_RIG(running(RIG_GATED), a_kubelet_whose_clock_is_ahead_ends_no_member_early)
{
    char text[64];
    skr_time_write(rig->now + 300 * SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_POD, "p-0", "{'status':{'startTime':'%s'}}", text);
    for (int i = 0; i < 8; i++) {
        rig_run(rig, 60 * SKR_SECOND);
        rig_edit(rig, RIG_POD, "p-0", "{'metadata':{'labels':{'tick':'%d'}}}", i);
    }
    assert_int_equal(deadline(rig, "p-0"), 600);
}

TEST_RIG(rig_create(), without_the_key_no_member_is_limited)
{
    rig_racks(rig, 1, 4, 1);
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_int_equal(deadline(rig, "p-0"), 0);
}

/* Two pods of Job w. */
static void generation(struct rig *rig, const char *prefix)
{
    const struct rig_object *job = rig_find(rig, RIG_JOB, "w");
    for (int i = 0; i < 2; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{'labels':{'sakkara.group.name':'g'},'ownerReferences':[{"
                        "'apiVersion':'batch/v1','kind':'Job','name':'w','uid':'%s',"
                        "'controller':true}]},'spec':{'schedulerName':'sakkara',"
                        "'schedulingGates':[{'name':'sakkara.gang'}],"
                        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                        skr_object_text(json_object_get(job->json, "metadata"), "uid"));
    }
    rig_run(rig, 5 * SKR_SECOND);
}

/* After four of its ten minutes the limit is edited, and all pods are deleted. */
static struct rig *between_generations(const char *limit)
{
    struct rig *rig = limited();
    rig_create_json(rig, RIG_JOB, "w", "{'spec':{'parallelism':2,'completions':2}}");
    generation(rig, "a");
    rig_assert_bound(rig, "a", 2);
    rig_run(rig, 4 * 60 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'run-limit':%s}}", limit);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "a-0");
    rig_delete(rig, RIG_POD, "a-1");
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST(a_generation_in_held_seats_gets_the_rest_of_the_limit)
{
    static const char *const limits[] = {"'10m'", "'720h'", "null"};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = between_generations(limits[i]);
        generation(rig, "b");
        rig_assert_bound(rig, "b", 2);
        assert_in_range(deadline(rig, "b-0"), 330, 360);
        assert_in_range(deadline(rig, "b-1"), 330, 360);
        rig_restart(rig);
        rig_delete(rig, RIG_POD, "b-1");
        rig_run(rig, SKR_SECOND);
        generation(rig, "c");
        assert_in_range(deadline(rig, "c-0"), 300, 360);
    }
}

TEST(without_held_seats_a_generation_gets_the_whole_limit)
{
    SKR_AUTO(rig_destroy) struct rig *rig = between_generations("'20m'");
    rig_run(rig, 120 * SKR_SECOND); /* longer than seats are held */
    generation(rig, "b");
    rig_assert_bound(rig, "b", 2);
    assert_int_equal(deadline(rig, "b-0"), 1200);
}

/* As when the kubelet has ended them at the limit. */
TEST(a_generation_right_before_the_end_of_the_limit_waits_for_the_whole_one)
{
    SKR_AUTO(rig_destroy) struct rig *rig = between_generations("'10m'");
    generation(rig, "b");
    rig_run(rig, 340 * SKR_SECOND); /* of 600, 245 were over */
    rig_delete(rig, RIG_POD, "b-0");
    rig_delete(rig, RIG_POD, "b-1");
    rig_run(rig, SKR_SECOND);
    generation(rig, "c");
    assert_string_equal(rig_node_of(rig, "c-0"), "");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "c", 2);
    assert_int_equal(deadline(rig, "c-0"), 600);
}

/* The generation goes on, as one of its members has succeeded. The kubelet of the other one is silent. */
TEST(a_pod_that_does_not_leave_keeps_no_newcomer_off_after_the_limit)
{
    SKR_AUTO(rig_destroy) struct rig *rig = limited();
    rig_create_json(rig, RIG_JOB, "w", "{'spec':{'parallelism':2,'completions':2}}");
    generation(rig, "a");
    rig_phase(rig, "a-0", "Succeeded");
    rig_terminate(rig, "a-1");
    rig_run(rig, 600 * SKR_SECOND);
    generation(rig, "b");
    assert_true(*rig_node_of(rig, "b-0"));
    assert_int_equal(deadline(rig, "b-0"), 600);
}
