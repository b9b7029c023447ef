/* SPDX-License-Identifier: Apache-2.0 */
/* When a group is at its end: members that have succeeded, and who comes after them or beside them. */
#include "test/unit/engine_test.h"
#include "test/unit/members_scene.h"

TEST_RIG(members_bound(3, NULL),
         newcomers_of_another_controller_are_the_next_generation_after_a_success)
{
    rig_phase(rig, "p-0", "Succeeded");
    rig_pods(rig, "bare", 3, "g", RIG_BARE);
    rig_run(rig, 10 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rig_node_of(rig, test_text("bare-%d", i)), "");
    }
    rig_phase(rig, "p-1", "Succeeded");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "bare-0"), "");
    rig_phase(rig, "p-2", "Succeeded");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "bare", 3);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "rank"), "[(bare-0,0) (bare-1,1) (bare-2,2)]");
}

static void pod_of_other_job(struct rig *rig, const char *name)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'g'},'ownerReferences':[{'kind':"
                    "'Job','name':'two','uid':'two','controller':true}]},'spec':{'schedulerName':"
                    "'sakkara','containers':[{'name':'main','resources':{'requests':{'cpu':'1'}}}]"
                    "},'status':{'phase':'Pending'}}");
}

TEST_RIG(members_bound(3, NULL), another_job_gets_no_seat_while_the_first_one_runs)
{
    rig_delete(rig, RIG_POD, "p-1");
    for (int i = 0; i < 3; i++) {
        pod_of_other_job(rig, test_text("two-%d", i));
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2); /* nobody took the seat of p-1 */
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "p-1"));
    assert_string_equal(rig_node_of(rig, "two-0"), "");
}

TEST_RIG(rig_create(), of_two_jobs_that_come_at_once_one_gets_all_seats)
{
    rig_racks(rig, 1, 4, 4);
    rig_group(rig, "g", 3, 0, NULL);
    for (int i = 0; i < 3; i++) { /* one after the other, so that age mixes them */
        char one[32], two[32];
        snprintf(one, sizeof one, "one-%d", i);
        snprintf(two, sizeof two, "two-%d", i);
        rig_pod(rig, one, "g", 0);
        pod_of_other_job(rig, two);
    }
    rig_sync(rig);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "one", 3);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
}

TEST_RIG(members_bound(3, NULL), without_a_success_newcomers_of_another_controller_are_replacements)
{
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "bare", "g", RIG_BARE);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "bare"));
}

TEST_RIG(members_bound(2, NULL), a_group_whose_pods_have_succeeded_is_finished_until_somebody_comes)
{
    char begin[64];
    snprintf(begin, sizeof begin, "%s", rig_key(rig, "g", "schedBeginTime"));
    rig_phase(rig, "p-0", "Succeeded");
    rig_phase(rig, "p-1", "Succeeded");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    assert_true(*rig_key(rig, "g", "placement"));
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    assert_true(*rig_key(rig, "g", "rank"));
    rig_pod(rig, "q-0", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "g", "placement"), "");
    rig_pod(rig, "q-1", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    assert_string_not_equal(rig_key(rig, "g", "schedBeginTime"), begin);
    assert_string_equal(rig_label(rig, "q-0", "sakkara.member.retries"), "1");
}

static void assert_finished(struct rig *rig)
{
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    assert_string_equal(rig_key(rig, "g", "message"), "");
    assert_string_equal(members_condition(rig, "Complete"), "True");
    assert_string_equal(members_condition(rig, "Bound"), "True");
    const json_t *answer = rig_explain(rig, "g");
    assert_true(json_is_true(json_object_get(answer, "placed")));
    assert_string_equal(json_string_value(json_object_get(answer, "reason")), "");
}

static const char *sentence(struct rig *rig)
{
    return json_string_value(json_object_get(rig_explain(rig, "g"), "sentence"));
}

TEST_RIG(members_bound(4, NULL), a_gang_that_ends_pod_by_pod_lacks_nothing_on_its_way)
{
    for (int i = 0; i < 3; i++) {
        rig_phase(rig, test_text("p-%d", i), "Succeeded");
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        assert_string_equal(members_condition(rig, "Complete"), "True");
        assert_string_equal(members_condition(rig, "Bound"), "True");
    }
    assert_string_equal(sentence(rig), "group g is bound, 1 of 4 members, 3 have succeeded");
    rig_phase(rig, "p-3", "Succeeded");
    rig_run(rig, SKR_SECOND);
    assert_finished(rig);
    assert_string_equal(sentence(rig), "group g has finished, 4 members have succeeded");
    assert_true(rig_has_event(rig, "GroupFinished"));
    assert_string_equal(rig_key(rig, "g", "rank"), "[(p-0,0) (p-1,1) (p-2,2) (p-3,3)]");
    /* a restart and the clearing of the pods change nothing of it */
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_finished(rig);
    assert_string_equal(sentence(rig), "group g has finished, 4 members have succeeded");
    rig_delete_pods(rig, "p", 0, 4);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_finished(rig);
    assert_string_equal(sentence(rig), "group g has finished");
}

TEST_RIG(members_bound(4, NULL), a_gang_that_ended_while_nobody_looked_is_finished)
{
    rig->hold_watch[RIG_POD] = true;
    for (int i = 0; i < 4; i++) {
        rig_phase(rig, test_text("p-%d", i), "Succeeded");
    }
    rig->hold_watch[RIG_POD] = false;
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_finished(rig);
}

TEST_RIG(members_bound(4, NULL), a_success_whose_fellows_are_cleared_away_is_the_end)
{
    rig_phase(rig, "p-2", "Succeeded");
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
}

TEST(failed_and_deleted_members_are_no_end)
{
    struct rig *rig = members_bound(3, NULL);
    rig_phase(rig, "p-0", "Succeeded");
    rig_phase(rig, "p-1", "Failed");
    rig_phase(rig, "p-2", "Failed");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
    rig = members_bound(3, NULL);
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
}

TEST_RIG(members_bound(2, NULL), a_job_run_again_under_its_name_is_a_new_start)
{
    rig_phase(rig, "p-0", "Succeeded");
    rig_phase(rig, "p-1", "Succeeded");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    for (int i = 0; i < 2; i++) { /* the old pods are still there */
        rig_create_json(rig, RIG_POD, test_text("q-%d", i),
                        "{'metadata':{'labels':{'sakkara.group.name':'g'},"
                        "'ownerReferences':[{'kind':'Job','uid':'again','controller':true}]},"
                        "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':"
                        "'sakkara.gang'}],'containers':[{'name':'c','resources':"
                        "{'requests':{'cpu':'1'}}}]}}");
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_phase(rig, "q-0", "Succeeded");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_phase(rig, "q-1", "Failed"); /* successes of the first run do not count */
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

/* A map with a minimum has seats for one Job, too. */
TEST_RIG(rig_create(), another_job_gets_no_seat_beyond_a_minimum)
{
    rig_racks(rig, 1, 4, 4);
    rig_group(rig, "g", 6, 0, NULL);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'minimum':'2'}}");
    for (int i = 0; i < 3; i++) {
        char one[32], two[32];
        snprintf(one, sizeof one, "one-%d", i);
        snprintf(two, sizeof two, "two-%d", i);
        rig_pod(rig, one, "g", 0);
        pod_of_other_job(rig, two);
    }
    rig_sync(rig);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "one", 3);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    assert_string_equal(rig_node_of(rig, "two-0"), "");
}
