/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of groups from the objects of their workloads. */
#include "core/group/owner.h"
#include "test/test.h"
#include "test/unit/json_text.h"

typedef int decode(const json_t *, struct skr_owner **, struct skr_error *);

static struct skr_owner *read_owner(decode *decode_it, const char *rest)
{
    char text[1500];
    struct skr_owner *owner = NULL;
    struct skr_error error = {.text = ""};
    snprintf(text, sizeof text, "{'metadata':{'namespace':'ns','name':'o','uid':'u'%s}", rest);
    json_auto_t *json = json_text_load(text);
    (void)decode_it(json, &owner, &error);
    assert_string_equal(error.text, "");
    return owner;
}

static const struct size_row {
    const char *title;
    decode *decode;
    const char *rest;
    int64_t minimum;
} sizes[] = {
    {"a Job's parallelism", skr_owner_job_decode,
     "},'spec':{'parallelism':4,'completions':6},'status':{'succeeded':1}", 4},
    {"a Job whose end is near", skr_owner_job_decode,
     "},'spec':{'parallelism':4,'completions':6},'status':{'succeeded':4}", 2},
    {"a Job that is done", skr_owner_job_decode,
     "},'spec':{'parallelism':4,'completions':4},'status':{'succeeded':5}", 0},
    {"a Job with indexes that failed for good", skr_owner_job_decode,
     "},'spec':{'parallelism':8,'completions':10},'status':{'succeeded':1,'failedIndexes':'0,3-5'}",
     5},
    {"a Job all of whose indexes failed", skr_owner_job_decode,
     "},'spec':{'parallelism':2,'completions':3},'status':{'failedIndexes':'0-2'}", 0},
    {"a Job whose failed indexes cannot be read", skr_owner_job_decode,
     "},'spec':{'parallelism':2,'completions':2},'status':{'failedIndexes':'5-3,x,9999999999999'}",
     2},
    {"a Job of one pod", skr_owner_job_decode, "},'spec':{}", 1},
    {"a work queue", skr_owner_job_decode, "},'spec':{'parallelism':3},'status':{'succeeded':2}",
     3},
    {"a StatefulSet", skr_owner_statefulset_decode,
     "},'spec':{'replicas':5,'podManagementPolicy':'Parallel'}", 5},
    {"a Deployment", skr_owner_deployment_decode, "},'spec':{'replicas':5}", 5},
    {"a PyTorchJob", skr_owner_pytorchjob_decode,
     "},'spec':{'pytorchReplicaSpecs':{'Master':{'replicas':1},'Worker':{'replicas':3}}}", 4},
    {"a PyTorchJob with minAvailable", skr_owner_pytorchjob_decode,
     "},'spec':{'runPolicy':{'schedulingPolicy':{'minAvailable':2}},"
     "'pytorchReplicaSpecs':{'Master':{},'Worker':{'replicas':3}}}",
     2},
    {"a TFJob", skr_owner_tfjob_decode,
     "},'spec':{'tfReplicaSpecs':{'PS':{'replicas':2},'Worker':{'replicas':3},'Chief':{}}}", 6},
    {"an MPIJob", skr_owner_mpijob_decode,
     "},'spec':{'mpiReplicaSpecs':{'Launcher':{'replicas':1},'Worker':{'replicas':4}}}", 5},
    {"an MPIJob of the training operator", skr_owner_mpijob_v1_decode,
     "},'spec':{'mpiReplicaSpecs':{'Launcher':{},'Worker':{'replicas':4}}}", 5},
    {"an MPIJob whose launcher waits", skr_owner_mpijob_decode,
     "},'spec':{'launcherCreationPolicy':'WaitForWorkersReady',"
     "'mpiReplicaSpecs':{'Launcher':{'replicas':1},'Worker':{'replicas':4}}}",
     4},
    {"an MPIJob whose launcher waits, with more minAvailable than workers", skr_owner_mpijob_decode,
     "},'spec':{'launcherCreationPolicy':'WaitForWorkersReady',"
     "'runPolicy':{'schedulingPolicy':{'minAvailable':5}},"
     "'mpiReplicaSpecs':{'Launcher':{'replicas':1},'Worker':{'replicas':4}}}",
     4},
    {"a RayCluster", skr_owner_raycluster_decode,
     "},'spec':{'workerGroupSpecs':[{'groupName':'a','replicas':2,'numOfHosts':4},"
     "{'groupName':'b','replicas':3,'suspend':true},{'groupName':'c','minReplicas':2}]}",
     11},
    {"a RayCluster whose replicas are beyond their bounds", skr_owner_raycluster_decode,
     "},'spec':{'workerGroupSpecs':[{'groupName':'a','replicas':8,'maxReplicas':3},"
     "{'groupName':'b','replicas':1,'minReplicas':2,'numOfHosts':2},"
     "{'groupName':'c','minReplicas':7,'maxReplicas':5}]}",
     13},
    {"a RayCluster that scales", skr_owner_raycluster_decode,
     "},'spec':{'enableInTreeAutoscaling':true,'workerGroupSpecs':["
     "{'groupName':'a','replicas':8,'minReplicas':1}]}",
     2},
    {"a SparkApplication", skr_owner_spark_decode, "},'spec':{'executor':{'instances':3}}", 3},
    {"a SparkApplication that scales", skr_owner_spark_decode,
     "},'spec':{'executor':{'instances':3},'dynamicAllocation':{'enabled':true}}", 1},
};

TEST_EACH(size_row, sizes, an_owner_says_the_size_of_its_group)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner = read_owner(size_row->decode, size_row->rest);
    const bool job = size_row->decode == skr_owner_job_decode;
    const struct skr_workload w = {
        .kind = job ? SKR_WORKLOAD_JOB : SKR_WORKLOAD_OTHER, .part = "", .size = -1};
    const int64_t done = job ? skr_owner_done(owner, "", 0, INT32_MAX) : 0;
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false) - done, size_row->minimum);
    assert_null(owner->conflict);
}

#define JOBS                                                      \
    "'replicatedJobs':[{'name':'driver','template':{'spec':{}}}," \
    "{'name':'workers','replicas':3,'template':{'spec':{'parallelism':4,'completions':4}}}]"

TEST(a_job_keeps_its_size_when_pods_succeed)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner =
        read_owner(skr_owner_job_decode,
                   "},'spec':{'parallelism':4,'completions':4},'status':{'succeeded':3}");
    const struct skr_workload w = {.kind = SKR_WORKLOAD_JOB, .part = "", .size = -1};
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, true), 4);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 4);
    assert_int_equal(skr_owner_done(owner, "", 0, INT32_MAX), 3);
}

TEST(a_jobset_has_a_size_for_each_scope)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner = read_owner(skr_owner_jobset_decode, "},'spec':{" JOBS "}");
    struct skr_workload w = {.kind = SKR_WORKLOAD_JOBSET, .part = "workers", .size = -1};
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 13);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_REPLICATEDJOB, false), 12);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_JOB, false), 4);
    assert_false(owner->in_order);
    w.part = "driver";
    w.alone = true;
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 1);
    assert_int_equal(skr_owner_minimum(NULL, &w, SKR_SCOPE_AUTO, false), -1);
}

TEST(what_has_succeeded_is_not_made_again)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *set = read_owner(
        skr_owner_jobset_decode, "},'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{'"
                                 "parallelism':2,'completions':5"
                                 "}}},{'name':'queue','template':{'spec':{'parallelism':2}}}]}");
    assert_int_equal(skr_owner_done(set, "w", 3, 2), 0);
    assert_int_equal(skr_owner_done(set, "w", 4, 1), 1);
    assert_int_equal(skr_owner_done(set, "w", 6, 0), 2);
    assert_int_equal(skr_owner_done(set, "queue", 6, 2), 0);
    assert_int_equal(skr_owner_done(set, "queue", 6, 1), 1);
    assert_int_equal(skr_owner_done(set, "queue", 0, 1), 0); /* the other one comes yet */
    assert_int_equal(skr_owner_done(set, "unknown", 6, 0), 0);
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *types =
        read_owner(skr_owner_tfjob_decode, "},'spec':{'tfReplicaSpecs':{'Worker':{'replicas':3}}}");
    assert_int_equal(skr_owner_done(types, "", 2, 1), 2);
}

TEST(a_workload_is_over_once_its_controller_says_so)
{
    static const struct {
        decode *decode;
        const char *status;
        bool over;
    } row[] = {
        {skr_owner_job_decode, "", false},
        {skr_owner_job_decode, "{'type':'FailureTarget','status':'True'}", false},
        {skr_owner_job_decode,
         "{'type':'Suspended','status':'False'},{'type':'Failed','status':'True'}", true},
        {skr_owner_job_decode, "{'type':'Complete','status':'True'}", true},
        {skr_owner_jobset_decode, "{'type':'Failed','status':'False'}", false},
        {skr_owner_jobset_decode, "{'type':'Failed','status':'True'}", true},
        {skr_owner_jobset_decode, "{'type':'Completed','status':'True'}", true},
        {skr_owner_pytorchjob_decode, "{'type':'Restarting','status':'True'}", false},
        {skr_owner_pytorchjob_decode, "{'type':'Failed','status':'True'}", true},
        {skr_owner_mpijob_decode, "{'type':'Succeeded','status':'True'}", true},
        {skr_owner_lws_decode, "{'type':'Available','status':'True'}", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char rest[200];
        snprintf(rest, sizeof rest, "},'status':{'conditions':[%s]}", row[i].status);
        SKR_AUTO(skr_owner_destroy) struct skr_owner *before = read_owner(row[i].decode, "}");
        SKR_AUTO(skr_owner_destroy) struct skr_owner *owner = read_owner(row[i].decode, rest);
        assert_int_equal(owner->over, row[i].over);
        assert_int_equal(skr_owner_equal(before, owner), !row[i].over);
    }
}

TEST(a_job_counts_pods_that_have_succeeded_and_are_gone)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *job =
        read_owner(skr_owner_job_decode,
                   "},'spec':{'parallelism':4,'completions':6},'status':{'succeeded':4}");
    assert_int_equal(skr_owner_done(job, "", 0, 0), 2);
    assert_int_equal(skr_owner_done(job, "", 5, 1), 3);
    assert_int_equal(job->part->never, 0);
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *failed =
        read_owner(skr_owner_job_decode, "},'spec':{'parallelism':4,'completions':4},'status':{"
                                         "'failedIndexes':'3'}");
    assert_int_equal(skr_owner_done(failed, "", 2, 1), 2);
    assert_int_equal(failed->part->never, 1);
}

TEST(a_jobset_in_order_is_known)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *policy =
        read_owner(skr_owner_jobset_decode,
                   "},'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'}," JOBS "}");
    assert_true(policy->in_order);
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *depends =
        read_owner(skr_owner_jobset_decode,
                   "},'spec':{'replicatedJobs':[{'name':'a','dependsOn':[{'name':'b'}]}]}");
    assert_true(depends->in_order);
}

TEST(a_leaderworkerset_has_a_size_for_each_scope)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner = read_owner(
        skr_owner_lws_decode, "},'spec':{'replicas':3,'leaderWorkerTemplate':{'size':8}}");
    struct skr_workload w = {.kind = SKR_WORKLOAD_LWS, .part = "", .size = -1};
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 8);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_LWS, false), 24);
    w.size = 7; /* the pod's own annotation */
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 7);
    assert_int_equal(skr_owner_minimum(NULL, &w, SKR_SCOPE_AUTO, false), 7);
}

TEST(a_leader_that_must_be_ready_first_is_placed_alone)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner =
        read_owner(skr_owner_lws_decode, "},'spec':{'replicas':3,'startupPolicy':'LeaderReady',"
                                         "'leaderWorkerTemplate':{'size':8}}");
    const struct skr_workload w = {.kind = SKR_WORKLOAD_LWS, .part = "", .size = 8};
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), 1);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, true), 8);
}

TEST(what_no_gang_can_satisfy_is_a_conflict)
{
    static const struct {
        decode *decode;
        const char *rest, *about;
    } row[] = {
        {skr_owner_jobset_decode,
         ",'annotations':{'alpha.jobset.sigs.k8s.io/exclusive-topology':'rack'}},'spec':{" JOBS "}",
         "exclusive-topology"},
        {skr_owner_lws_decode,
         ",'annotations':{'leaderworkerset.sigs.k8s.io/exclusive-topology':'rack'}},'spec':{}",
         "exclusive-topology"},
        {skr_owner_statefulset_decode, "},'spec':{'replicas':3}", "podManagementPolicy"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(skr_owner_destroy)
        struct skr_owner *owner = read_owner(row[i].decode, row[i].rest);
        assert_non_null(owner->conflict);
        assert_non_null(strstr(owner->conflict, row[i].about));
    }
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *strategy =
        read_owner(skr_owner_jobset_decode,
                   ",'annotations':{'alpha.jobset.sigs.k8s.io/exclusive-topology':'rack',"
                   "'alpha.jobset.sigs.k8s.io/node-selector':'true'}},'spec':{" JOBS "}");
    assert_null(strategy->conflict);
}

TEST(a_conflict_of_one_replicated_job_is_one_of_the_groups_that_it_is_in)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner = read_owner(
        skr_owner_jobset_decode,
        "},'spec':{'replicatedJobs':[{'name':'driver','template':{'spec':{}}},{'name':'w','"
        "template':{"
        "'metadata':{'annotations':{'alpha.jobset.sigs.k8s.io/exclusive-topology':'rack'}}}}]}");
    struct skr_workload w = {.kind = SKR_WORKLOAD_JOBSET, .part = "driver", .size = -1};
    assert_non_null(skr_owner_conflict(owner, &w, SKR_SCOPE_AUTO));
    assert_null(skr_owner_conflict(owner, &w, SKR_SCOPE_REPLICATEDJOB));
    w.part = "w";
    assert_non_null(skr_owner_conflict(owner, &w, SKR_SCOPE_JOB));
}

TEST(jobs_that_come_in_order_are_no_gang_as_a_whole)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner =
        read_owner(skr_owner_jobset_decode,
                   "},'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'}," JOBS "}");
    const struct skr_workload w = {.kind = SKR_WORKLOAD_JOBSET, .part = "workers", .size = -1};
    assert_null(skr_owner_conflict(owner, &w, SKR_SCOPE_REPLICATEDJOB));
    assert_string_equal(skr_owner_conflict(owner, &w, SKR_SCOPE_JOBSET),
                        "its replicated jobs are created one after the other: replace jobset in "
                        "annotation sakkara.gang by auto");
}

TEST(a_sum_beyond_all_sizes_is_a_number)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner =
        read_owner(skr_owner_raycluster_decode,
                   "},'spec':{'workerGroupSpecs':[{'replicas':2147483647,'numOfHosts':2147483647},"
                   "{'replicas':-5,'numOfHosts':2}]}");
    const struct skr_workload w = {.kind = SKR_WORKLOAD_RAYCLUSTER, .part = "", .size = -1};
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), INT32_MAX);
}

TEST(too_many_parts_are_refused)
{
    struct skr_owner *owner = NULL;
    struct skr_error error;
    json_auto_t *groups = json_array();
    for (int i = 0; i < SKR_OWNER_PARTS_MAX; i++) {
        json_array_append_new(groups, json_object());
    }
    json_auto_t *json =
        json_pack("{s:{s:s},s:{s:O}}", "metadata", "name", "o", "spec", "workerGroupSpecs", groups);
    assert_int_equal(skr_owner_raycluster_decode(json, &owner, &error), -SKR_LIMIT);
    assert_null(owner);
}

TEST(owners_are_equal_if_they_say_the_same)
{
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *a = read_owner(skr_owner_job_decode, "},'spec':{'parallelism':4}");
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *b =
        read_owner(skr_owner_job_decode, "},'spec':{'parallelism':4},'status':{'active':3}");
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *c = read_owner(skr_owner_job_decode, "},'spec':{'parallelism':5}");
    assert_true(skr_owner_equal(a, b));
    assert_false(skr_owner_equal(a, c));
}

static const struct field_row {
    const char *title;
    decode *decode;
    const char *rest, *role, *field;
} fields[] = {
    {"a Job", skr_owner_job_decode, "},'spec':{'parallelism':4,'completions':6}", NULL,
     "spec.parallelism of Job o"},
    {"a Job of few completions", skr_owner_job_decode, "},'spec':{'parallelism':4,'completions':2}",
     NULL, "spec.completions of Job o"},
    {"a StatefulSet", skr_owner_statefulset_decode, "},'spec':{}", NULL,
     "spec.replicas of StatefulSet o"},
    {"a JobSet", skr_owner_jobset_decode, "},'spec':{'replicatedJobs':[{'name':'w'}]}", NULL,
     "the sum of spec.replicatedJobs of JobSet o"},
    {"a role of a JobSet", skr_owner_jobset_decode, "},'spec':{'replicatedJobs':[{'name':'w'}]}",
     "w", "spec.replicatedJobs.w of JobSet o"},
    {"a LeaderWorkerSet", skr_owner_lws_decode, "},'spec':{}", "worker",
     "spec.leaderWorkerTemplate.size of LeaderWorkerSet o"},
    {"a PyTorchJob", skr_owner_pytorchjob_decode,
     "},'spec':{'pytorchReplicaSpecs':{'Master':{},'Worker':{}}}", "worker",
     "spec.pytorchReplicaSpecs.Worker of PyTorchJob o"},
    {"an MPIJob with minAvailable", skr_owner_mpijob_decode,
     "},'spec':{'runPolicy':{'schedulingPolicy':{'minAvailable':2}}}", "worker",
     "spec.runPolicy.schedulingPolicy.minAvailable of MPIJob o"},
    {"a RayCluster", skr_owner_raycluster_decode,
     "},'spec':{'workerGroupSpecs':[{'groupName':'gpu'}]}", "gpu",
     "spec.workerGroupSpecs.gpu of RayCluster o"},
    {"a SparkApplication", skr_owner_spark_decode, "},'spec':{}", NULL,
     "spec.executor.instances of SparkApplication o"},
};

TEST_EACH(field_row, fields, the_field_that_says_the_size_has_a_path)
{
    SKR_STRBUF(text);
    SKR_AUTO(skr_owner_destroy)
    struct skr_owner *owner = read_owner(field_row->decode, field_row->rest);
    skr_owner_size_field_add(owner, field_row->role, &text);
    assert_string_equal(text.s, field_row->field);
}
