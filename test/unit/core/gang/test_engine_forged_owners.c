/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that claim a workload of another namespace, or one that does not exist, and workloads beyond the
 * limits: they harm no other namespace. */
#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/gang.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 8);
    rig->users_meddle = true;
    rig_sync(rig);
    rig_create_json(rig, RIG_JOB, "honest/train", "{'spec':{'parallelism':2,'completions':2}}");
    return rig;
}

static const char *uid_of(const struct rig *rig, const char *job)
{
    const struct rig_object *o = rig_find(rig, RIG_JOB, job);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : "none";
}

static void pod(struct rig *rig, const char *name, const char *uid)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'},'ownerReferences':[{"
                    "'apiVersion':'batch/v1','kind':'Job','name':'train','uid':'%s',"
                    "'controller':true}]},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    uid);
}

static void the_honest_job_runs(struct rig *rig)
{
    pod(rig, "honest/train-0", uid_of(rig, "honest/train"));
    pod(rig, "honest/train-1", uid_of(rig, "honest/train"));
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "honest/train-0"), "");
    assert_string_not_equal(rig_node_of(rig, "honest/train-1"), "");
    assert_string_equal(rig_state(rig, "honest/job/train"), "Bound");
}

TEST_RIG(cluster(), a_uid_of_another_namespace_is_not_found)
{
    pod(rig, "hostile/x-0", uid_of(rig, "honest/train"));
    rig_run(rig, 40 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "hostile/x-0"));
    assert_true(rig_has_event(rig, "Job train does not exist"));
    the_honest_job_runs(rig);
    assert_true(rig_is_gated(rig, "hostile/x-0"));
}

TEST_RIG(cluster(), a_claim_that_comes_later_does_not_disturb_who_runs)
{
    the_honest_job_runs(rig);
    for (int i = 0; i < 4; i++) {
        pod(rig, test_text("hostile/x-%d", i), uid_of(rig, "honest/train"));
    }
    rig_run(rig, 40 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "honest/job/train"), "Bound");
    assert_string_equal(rig_state(rig, "hostile/job/train"), "Pending");
}

TEST_RIG(cluster(), a_uid_that_nothing_has_waits_with_a_reason)
{
    pod(rig, "hostile/x-0", "00000000-0000-4000-8000-000000000000");
    rig_run(rig, 40 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "hostile/x-0"));
    assert_true(rig_has_event(rig, "Job train does not exist"));
}

TEST_RIG(cluster(), labels_of_a_jobset_of_another_namespace_find_none)
{
    rig_create_json(rig, RIG_JOBSET, "honest/js",
                    "{'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{}}}]}}");
    rig_create_json(rig, RIG_POD, "hostile/js-0",
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
                    "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':"
                    "'w','jobset.sigs.k8s.io/job-index':'0'}},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c'}]}}");
    rig_run(rig, 40 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "hostile/js-0"));
    assert_true(rig_has_event(rig, "JobSet js does not exist"));
}

static void hostile_jobs(struct rig *rig, int n)
{
    pod(rig, "other/x-0", "none"); /* Jobs are watched from now on */
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_JOB, test_text("hostile/j-%d", i),
                        "{'spec':{'parallelism':1,'completions':1}}");
    }
    rig_run(rig, SKR_SECOND);
}

TEST_RIG(cluster(), the_workloads_of_one_namespace_leave_room_for_those_of_others)
{
    rig->gang->owners.n = SKR_OWNERS_MAX / 2;
    hostile_jobs(rig, SKR_OWNERS_NAMESPACE);
    assert_false(rig->gang->owners.left_out);
    rig_create_json(rig, RIG_JOB, "hostile/train", "{'spec':{'parallelism':1,'completions':1}}");
    rig_run(rig, SKR_SECOND);
    assert_true(rig->gang->owners.left_out);
    pod(rig, "hostile/train-0", uid_of(rig, "hostile/train"));
    rig_create_json(rig, RIG_JOB, "late/train", "{'spec':{'parallelism':1,'completions':1}}");
    pod(rig, "late/train-0", uid_of(rig, "late/train"));
    the_honest_job_runs(rig);
    rig_run(rig, 40 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "late/train-0"), "");
    assert_true(rig_is_gated(rig, "hostile/train-0"));
    assert_true(rig_has_event(rig, "or of more than 1000 of a namespace"));
}

TEST_RIG(cluster(), workloads_that_go_leave_their_room)
{
    rig->gang->owners.n = SKR_OWNERS_MAX - 2;
    hostile_jobs(rig, 3);
    assert_int_equal(rig->gang->owners.n, SKR_OWNERS_MAX);
    assert_true(rig->gang->owners.left_out);
    rig_delete(rig, RIG_JOB, "hostile/j-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig->gang->owners.n, SKR_OWNERS_MAX - 1);
    rig_create_json(rig, RIG_JOB, "late/train", "{'spec':{'parallelism':1,'completions':1}}");
    pod(rig, "late/train-0", uid_of(rig, "late/train"));
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "late/train-0"), "");
}
