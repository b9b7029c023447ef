/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds a seat: lost members and replacements, generations, sizes, gates of others, pods beyond
 * size, unequal pods. */
#include <stdio.h>
#include <string.h>

#include "core/gang/pods.h"
#include "core/gang/reason.h"
#include "test/test.h"
#include "test/unit/engine_test.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    return rig;
}

/* A Bound group "g" of n pods p-0.. */
static struct rig *bound(int n, const char *constraints)
{
    struct rig *rig = cluster();
    rig_group(rig, "g", n, 0, constraints);
    rig_sync(rig);
    rig_pods(rig, "p", n, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", n);
    return rig;
}

static const char *condition(struct rig *rig, const char *type)
{
    static char text[64];
    char part[64];
    snprintf(part, sizeof part, "\"type\":\"%s\",\"status\":\"", type);
    const char *at = strstr(rig_key(rig, "g", "conditions"), part);
    snprintf(text, sizeof text, "%.*s", at ? (int)strcspn(at + strlen(part), "\"") : 0,
             at ? at + strlen(part) : "");
    return text;
}

/* ---- ranks ---- */

/* A pod of the group whose controller gave it a number. */
static void pod_of_index(struct rig *rig, const char *name, const char *key, int index)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'g','%s':'%d'},"
                    "'ownerReferences':[{'kind':'Job','uid':'job','controller':true}]},"
                    "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    key, index);
}

TEST_RIG(rig_create(), ranks_follow_the_indices_of_a_job)
{
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "g", 24, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 24; i++) { /* names as the Job controller makes them */
        char name[32];
        snprintf(name, sizeof name, "j-%d-%c%c", i, 'a' + i * 7 % 26, 'a' + i * 11 % 26);
        pod_of_index(rig, name, "batch.kubernetes.io/job-completion-index", i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 24; i++) {
        char name[32], rank[16], node[32];
        snprintf(name, sizeof name, "j-%d-%c%c", i, 'a' + i * 7 % 26, 'a' + i * 11 % 26);
        snprintf(rank, sizeof rank, "%d", i);
        snprintf(node, sizeof node, "node-%d", i / 4);
        assert_string_equal(rig_label(rig, name, "sakkara.member.rank"), rank);
        assert_string_equal(rig_node_of(rig, name), node);
    }
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), a_replacement_of_an_index_gets_the_rank_of_that_index)
{
    rig_racks(rig, 2, 3, 1);
    rig_group(rig, "g", 6, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "j-%d-a", i);
        pod_of_index(rig, name, "apps.kubernetes.io/pod-index", i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "j-2-a");
    rig_delete(rig, RIG_POD, "j-4-a");
    rig_run(rig, SKR_SECOND);
    pod_of_index(rig, "j-2-z", "apps.kubernetes.io/pod-index", 2);
    pod_of_index(rig, "j-4-b", "apps.kubernetes.io/pod-index", 4);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_label(rig, "j-2-z", "sakkara.member.rank"), "2");
    assert_string_equal(rig_label(rig, "j-4-b", "sakkara.member.rank"), "4");
}

TEST(indices_that_are_not_all_there_or_not_different_are_no_order)
{
    for (int equal = 0; equal < 2; equal++) {
        struct rig *rig = rig_create();
        rig_racks(rig, 1, 3, 1);
        rig_group(rig, "g", 3, 0, NULL);
        rig_sync(rig);
        pod_of_index(rig, "p-10", "training.kubeflow.org/replica-index", 0);
        pod_of_index(rig, "p-9", "training.kubeflow.org/replica-index", 1);
        if (equal) { /* a PyTorchJob's master and first worker are both number 0 */
            pod_of_index(rig, "p-1", "training.kubeflow.org/replica-index", 0);
        } else {
            rig_pod(rig, "p-1", "g", RIG_GATED);
        }
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_label(rig, "p-1", "sakkara.member.rank"), "0");
        assert_string_equal(rig_label(rig, "p-9", "sakkara.member.rank"), "1");
        assert_string_equal(rig_label(rig, "p-10", "sakkara.member.rank"), "2");
        rig_destroy(rig);
    }
}

/* ---- replacements ---- */

TEST(d9_a_lost_member_is_replaced_beside_the_others)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        struct rig *rig = bound(8, NULL);
        char node[32];
        snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-5"));
        rig_delete(rig, RIG_POD, "p-5");
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
        assert_string_equal(condition(rig, "Complete"), "False");
        rig_pod(rig, "z", "g", flags);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "z"), node);
        assert_string_equal(rig_label(rig, "z", "sakkara.member.rank"), "5");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        assert_string_equal(condition(rig, "Complete"), "True");
        assert_non_null(strstr(rig_key(rig, "g", "rank"), "(z,5)"));
        assert_non_null(strstr(rig_key(rig, "g", "placement"), "\"z\":{}"));
        assert_null(strstr(rig_key(rig, "g", "placement"), "p-5"));
        rig_assert_clean(rig);
        rig_destroy(rig);
    }
}

TEST_RIG(bound(4, "{'node':{'max':1},'rack':{'type':'spread'}}"),
         survivors_never_move_and_constraints_count_them)
{
    rig_delete(rig, RIG_POD, "p-3");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_not_equal(rig_node_of(rig, name), rig_node_of(rig, "q"));
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, name), 1);
    }
    assert_true(*rig_node_of(rig, "q"));
}

TEST_RIG(bound(6, NULL), newcomers_need_not_wait_for_further_missing_members)
{
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_label(rig, "q", "sakkara.member.rank"), "1");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(rig_create(), a_replacement_that_fits_nowhere_waits_with_the_exact_reason)
{
    rig_racks(rig, 1, 2, 2);
    rig_gang(rig, "g", 4, "p", 4, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'0'}}");
    rig_delete(rig, RIG_POD, "p-0");
    rig_pod(rig, "thief", NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "thief"));
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    rig_delete(rig, RIG_POD, "thief");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "node-0");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
}

TEST_RIG(bound(4, NULL), d10_a_failed_pod_frees_its_seat_for_the_retry)
{
    rig_phase(rig, "p-2", "Failed");
    rig_pod(rig, "retry", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "retry"));
    assert_string_equal(rig_label(rig, "retry", "sakkara.member.rank"), "2");
}

TEST_RIG(rig_create(), a_terminating_pod_holds_no_seat_but_its_room)
{
    rig_racks(rig, 1, 1, 2);
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_terminate(rig, "p-0");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), ""); /* its container still runs */
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "node-0");
}

TEST(a_succeeded_member_of_the_same_controller_is_replaced)
{
    struct rig *rig = bound(3, NULL); /* a work queue: its job goes on */
    rig_phase(rig, "p-0", "Succeeded");
    rig_pod(rig, "next", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "next"));
    rig_destroy(rig);
}

/* ---- generations ---- */

TEST_RIG(bound(3, NULL), newcomers_of_another_controller_are_the_next_generation_after_a_success)
{
    rig_phase(rig, "p-0", "Succeeded");
    rig_pods(rig, "bare", 3, "g", RIG_BARE);
    rig_run(rig, 10 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "bare-%d", i);
        assert_string_equal(rig_node_of(rig, name), "");
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

TEST_RIG(bound(3, NULL), another_job_gets_no_seat_while_the_first_one_runs)
{
    rig_delete(rig, RIG_POD, "p-1");
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "two-%d", i);
        pod_of_other_job(rig, name);
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

TEST_RIG(bound(3, NULL), without_a_success_newcomers_of_another_controller_are_replacements)
{
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "bare", "g", RIG_BARE);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "bare"));
}

TEST_RIG(bound(2, NULL), a_group_whose_pods_have_succeeded_is_finished_until_somebody_comes)
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
    assert_string_equal(condition(rig, "Complete"), "True");
    assert_string_equal(condition(rig, "Bound"), "True");
    const json_t *answer = rig_explain(rig, "g");
    assert_true(json_is_true(json_object_get(answer, "placed")));
    assert_string_equal(json_string_value(json_object_get(answer, "reason")), "");
}

static const char *sentence(struct rig *rig)
{
    return json_string_value(json_object_get(rig_explain(rig, "g"), "sentence"));
}

TEST_RIG(bound(4, NULL), a_gang_that_ends_pod_by_pod_lacks_nothing_on_its_way)
{
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        rig_phase(rig, name, "Succeeded");
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        assert_string_equal(condition(rig, "Complete"), "True");
        assert_string_equal(condition(rig, "Bound"), "True");
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
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        rig_delete(rig, RIG_POD, name);
    }
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_finished(rig);
    assert_string_equal(sentence(rig), "group g has finished");
}

TEST_RIG(bound(4, NULL), a_gang_that_ended_while_nobody_looked_is_finished)
{
    rig->hold_watch[RIG_POD] = true;
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        rig_phase(rig, name, "Succeeded");
    }
    rig->hold_watch[RIG_POD] = false;
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_finished(rig);
}

TEST_RIG(bound(4, NULL), a_success_whose_fellows_are_cleared_away_is_the_end)
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
    struct rig *rig = bound(3, NULL);
    rig_phase(rig, "p-0", "Succeeded");
    rig_phase(rig, "p-1", "Failed");
    rig_phase(rig, "p-2", "Failed");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
    rig = bound(3, NULL);
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
}

TEST_RIG(bound(2, NULL), a_job_run_again_under_its_name_is_a_new_start)
{
    rig_phase(rig, "p-0", "Succeeded");
    rig_phase(rig, "p-1", "Succeeded");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Finished");
    for (int i = 0; i < 2; i++) { /* the old pods are still there */
        char name[32];
        snprintf(name, sizeof name, "q-%d", i);
        rig_create_json(rig, RIG_POD, name,
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

/* ---- size ---- */

TEST(d11_a_pod_beyond_size_is_woken_when_a_seat_frees)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        struct rig *rig = cluster();
        rig_gang(rig, "g", 4, "p", 5, flags);
        rig_run(rig, 10 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        assert_string_equal(rig_node_of(rig, "p-4"), "");
        assert_int_equal(rig_is_gated(rig, "p-4"), flags);
        rig_delete(rig, RIG_POD, "p-1");
        rig_run(rig, 3 * SKR_SECOND);
        assert_true(*rig_node_of(rig, "p-4"));
        assert_string_equal(rig_label(rig, "p-4", "sakkara.member.rank"), "1");
        rig_destroy(rig);
    }
}

TEST_RIG(cluster(), seats_go_to_the_oldest_by_creation_then_name)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_pod(rig, "c", "g", 0);
    rig_pod(rig, "b", "g", 0);
    rig->now += 5 * SKR_SECOND;
    rig_pod(rig, "a", "g", 0);
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "b"));
    assert_true(*rig_node_of(rig, "c"));
    assert_string_equal(rig_node_of(rig, "a"), "");
}

TEST_RIG(bound(3, NULL), a_larger_size_of_a_bound_group_is_filled_by_newcomers)
{
    rig_pods(rig, "q", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'5'}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    assert_string_equal(rig_label(rig, "q-0", "sakkara.member.rank"), "3");
    assert_string_equal(rig_label(rig, "q-1", "sakkara.member.rank"), "4");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(bound(5, NULL), a_smaller_size_of_a_bound_group_evicts_nobody_and_refills_nothing)
{
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'3'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 5);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_delete(rig, RIG_POD, "p-0");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "");
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "q")); /* two of three were left */
}

TEST_RIG(bound(4, NULL), changed_constraints_of_a_bound_group_move_nothing)
{
    rig_forget_counts(rig);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{\\'node\\':{\\'max\\':1}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-3"), "node-0");
    assert_int_equal(rig->n_solves, 0);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

/* ---- readiness ---- */

TEST_RIG(cluster(), a_foreign_gate_keeps_the_group_waiting_and_ours_on)
{
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-1",
             "{'spec':{'schedulingGates':[{'name':'sakkara.gang'},{'name':'quota'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    assert_true(rig_is_gated(rig, "p-0"));
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'schedulingGates':[{'name':'sakkara.gang'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(cluster(), gated_members_are_told_their_state_once)
{
    rig_gang(rig, "g", 3, "p", 2, RIG_GATED);
    rig_pod(rig, "q", "g", 0);
    rig_delete(rig, RIG_POD, "q");
    rig_pod(rig, "open", "h", 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.status"), "Waiting");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, "p-0"), 1);
    assert_true(rig_has_event(rig,
                              "Pod/p-0 Normal GroupWaiting: group g has 2 of 3 members; kubectl "
                              "sakkara explain g"));
    assert_string_equal(rig_label(rig, "open", "sakkara.member.status"),
                        ""); /* a patch is a kick */
    size_t events = rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL), events);
}

/* In the order of its reasons: missing members, then no room. */
TEST(waiting_members_are_told_each_reason_once_with_the_next_command)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        struct rig *rig = rig_create();
        rig_racks(rig, 2, 3, 1);
        rig_gang(rig, "g", 9, "p", 8, flags);
        rig_run(rig, 10 * SKR_SECOND);
        rig_pod(rig, "p-8", "g", flags);
        rig_run(rig, 60 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
        for (int i = 0; i < 9; i++) {
            char text[200];
            snprintf(text, sizeof text,
                     "Pod/p-%d Normal GroupWaiting: group g has 8 of 9 members; ", i);
            assert_true(rig_has_event(rig, text) == (i < 8));
            snprintf(text, sizeof text,
                     "Pod/p-%d Warning GroupWaiting: %s; kubectl sakkara explain g", i,
                     rig_key(rig, "g", "message"));
            assert_true(rig_has_event(rig, text));
        }
        size_t events = rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL);
        rig_run(rig, 600 * SKR_SECOND);
        assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL), events);
        rig_destroy(rig);
    }
}

TEST_RIG(cluster(), of_a_large_ungated_group_the_first_member_is_told)
{
    rig_gang(rig, "g", 40, "p", 40, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_true(rig_has_event(rig, "Pod/p-0 Warning GroupWaiting: group g needs 40 slots"));
    assert_false(rig_has_event(rig, "Pod/p-1 "));
}

TEST_RIG(rig_create(), no_condition_says_being_planned_while_the_group_never_fits)
{
    rig_racks(rig, 2, 3, 1);
    rig_gang(rig, "g", 9, "p", 9, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    for (int i = 0; i < 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_equal(pods_find_name(rig->gang, "default", name)->answered,
                            SKR_TEXT_CAPACITY);
        assert_in_range(rig_count(rig, SKR_WRITE_PATCH_POD, name), 0, 1);
    }
    size_t patches = rig_count(rig, SKR_WRITE_PATCH_POD, NULL);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), patches);
}

TEST_RIG(rig_create(), d44_the_larger_request_is_the_demand_of_every_member)
{
    rig_racks(rig, 1, 2, 3);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", 0);
    rig_pod(rig, "p-1", "g", RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2); /* 2 + 1 would fit one node, 2 + 2 do not */
    assert_string_not_equal(rig_node_of(rig, "p-0"), rig_node_of(rig, "p-1"));
    const char *conditions = rig_key(rig, "g", "conditions");
    assert_non_null(strstr(conditions, "PodsNotHomogeneous"));
    assert_non_null(strstr(conditions, "p-1"));
    assert_non_null(strstr(conditions, "CPU"));
}

TEST(unequal_pods_are_refused_where_that_is_asked_for)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.heterogeneous_refuse = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 4);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", 0);
    rig_pod(rig, "p-1", "g", RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Failed");
    assert_string_equal(rig_key(rig, "g", "reason"), "PodsNotHomogeneous");
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    rig_destroy(rig);
}

TEST_RIG(rig_create(), d4_eligibility_is_that_of_the_gang_not_of_one_pod)
{
    rig_racks(rig, 1, 3, 4);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':[{'key':'gpu','effect':'NoSchedule'}]}}");
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'tolerations':[{'operator':'Exists'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-1"), "node-1");
}
