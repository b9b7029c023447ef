/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of JobSets, LeaderWorkerSets, MPIJobs, jobs of Kubeflow and RayClusters: which pods come of an object, and
 * with which labels. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/cluster_rig.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

static struct cluster_rig *rig;

BEFORE_EACH
{
    rig = cluster_rig_create(true);
}

AFTER_EACH
{
    cluster_rig_destroy(rig);
}

#define JOBSETS  "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
#define LWS      "/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets"
#define KUBEFLOW "/apis/kubeflow.org/v1/namespaces/default"
#define MPIJOBS  "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs"
#define RAY      "/apis/ray.io/v1/namespaces/default/rayclusters"
#define RAYS     "/apis/ray.io/v1/namespaces/default"
#define SPARK    "/apis/sparkoperator.k8s.io/v1beta2/namespaces/default/sparkapplications"
#define TRAINER  "/apis/trainer.kubeflow.org/v1alpha1"
#define POD      "'template':{'spec':{'containers':[{'name':'c','image':'x'}]}}"
#define JOB                                                           \
    "'template':{'spec':{'parallelism':2,'completions':2,'template':" \
    "{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]}}}}"

static void has_label(const char *pod, const char *label, const char *value)
{
    char path[300];
    (void)snprintf(path, sizeof path, "GET " PODS "/%s", pod);
    json_t *object = sandbox_expect(rig->store, 200, path, NULL);
    const char *found = json_string_value(
        json_object_get(json_object_get(json_object_get(object, "metadata"), "labels"), label));
    assert_non_null(found);
    assert_string_equal(found, value);
    json_decref(object);
}

TEST(a_job_set_makes_its_jobs_and_these_their_pods)
{
    sandbox_ok(rig->store, 201, "POST " JOBSETS,
               "{'metadata':{'name':'t'},'spec':{'replicatedJobs':["
               "{'name':'driver','replicas':1," JOB "},{'name':'w','replicas':2," JOB "}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "t-driver-0-0:Running t-driver-0-1:Running t-w-0-0:Running t-w-0-1:Running "
                        "t-w-1-0:Running t-w-1-1:Running");
    has_label("t-w-1-0", "jobset.sigs.k8s.io/replicatedjob-name", "w");
    has_label("t-w-1-0", "jobset.sigs.k8s.io/job-global-index", "2");
    has_label("t-w-1-0", "jobset.sigs.k8s.io/global-replicas", "3");
    has_label("t-w-1-1", "batch.kubernetes.io/job-completion-index", "1");
}

TEST(a_job_set_in_order_waits_for_the_first_jobs_to_be_ready)
{
    const uint64_t before = rig->seen;
    rig->binding = false;
    sandbox_ok(rig->store, 201, "POST " JOBSETS,
               "{'metadata':{'name':'t'},'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'},"
               "'replicatedJobs':[{'name':'a','replicas':1," JOB "},{'name':'b','replicas':1," JOB
               ",'dependsOn':[{'name':'a','status':'Ready'}]}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "t-a-0-0:Pending t-a-0-1:Pending");
    rig->seen = before;
    rig->binding = true;
    cluster_rig_run(rig, 0); /* binds */
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "t-a-0-0:Running t-a-0-1:Running t-b-0-0:Running t-b-0-1:Running");
}

TEST(a_leader_worker_set_has_workers_for_each_leader)
{
    sandbox_ok(rig->store, 201, "POST " LWS,
               "{'metadata':{'name':'s'},'spec':{'replicas':2,'leaderWorkerTemplate':{'size':3,"
               "'workerTemplate':{'spec':{'containers':[{'name':'c','image':'x'}]}}}}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(
        cluster_rig_pods(rig),
        "s-0:Running s-0-1:Running s-0-2:Running s-1:Running s-1-1:Running s-1-2:Running");
    has_label("s-1", "leaderworkerset.sigs.k8s.io/group-index", "1");
    has_label("s-1", "leaderworkerset.sigs.k8s.io/worker-index", "0");
    has_label("s-1-2", "leaderworkerset.sigs.k8s.io/group-index", "1");
    has_label("s-1-2", "leaderworkerset.sigs.k8s.io/worker-index", "2");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/s-1", NULL);
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(
        cluster_rig_pods(rig),
        "s-0:Running s-0-1:Running s-0-2:Running s-1:Running s-1-1:Running s-1-2:Running");
}

#define SERVE(replicas, size, image)                                                             \
    "{'spec':{'replicas':" replicas ",'leaderWorkerTemplate':{'size':" size ",'workerTemplate':" \
    "{'spec':{'containers':[{'name':'c','image':'" image "'}]}}}}}"

static void create_serve(void)
{
    json_t *body = json_text_load(SERVE("1", "2", "x"));
    json_object_set_new(body, "metadata", json_pack("{s:s}", "name", "s"));
    char *text = json_dumps(body, 0);
    sandbox_ok(rig->store, 201, "POST " LWS, text);
    free(text);
    json_decref(body);
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-0-1:Running");
}

TEST(a_leader_worker_set_is_scaled_up_and_down)
{
    create_serve();
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s", "{'spec':{'replicas':3}}");
    cluster_rig_run(rig, 6 * SECOND);
    assert_string_equal(
        cluster_rig_pods(rig),
        "s-0:Running s-0-1:Running s-1:Running s-1-1:Running s-2:Running s-2-1:Running");
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s", "{'spec':{'replicas':1}}");
    cluster_rig_run(rig, 9 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-0-1:Running");
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s", "{'spec':{'replicas':0}}");
    cluster_rig_run(rig, 12 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

static bool is_there(const char *pod, const char *uid)
{
    const json_t *found = skr_store_get(rig->store, "Pod", "default", pod);
    return strcmp(skr_path_text(found, "metadata.uid"), uid) == 0;
}

TEST(a_leader_worker_set_of_another_size_is_replaced_group_by_group)
{
    create_serve();
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s", "{'spec':{'replicas':2}}");
    cluster_rig_run(rig, 6 * SECOND);
    char first[40], second[40];
    (void)snprintf(first, sizeof first, "%s",
                   sandbox_field(rig->store, PODS "/s-0", "metadata.uid"));
    (void)snprintf(second, sizeof second, "%s",
                   sandbox_field(rig->store, PODS "/s-1", "metadata.uid"));
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s", "{'spec':{'leaderWorkerTemplate':{'size':3}}}");
    while (is_there("s-1", second)) { /* the last group goes first */
        assert_true(is_there("s-0", first));
        cluster_rig_run(rig, SECOND / 50);
    }
    assert_true(is_there("s-0", first));
    cluster_rig_run(rig, 20 * SECOND);
    assert_string_equal(
        cluster_rig_pods(rig),
        "s-0:Running s-0-1:Running s-0-2:Running s-1:Running s-1-1:Running s-1-2:Running");
    assert_false(is_there("s-0", first));
}

TEST(a_lost_worker_takes_its_group_with_it_where_the_policy_says_so)
{
    char leader[40];
    create_serve();
    (void)snprintf(leader, sizeof leader, "%s",
                   sandbox_field(rig->store, PODS "/s-0", "metadata.uid"));
    sandbox_ok(rig->store, 200, "DELETE " PODS "/s-0-1", NULL);
    cluster_rig_run(rig, 8 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-0-1:Running");
    assert_string_not_equal(sandbox_field(rig->store, PODS "/s-0", "metadata.uid"), leader);
    sandbox_ok(rig->store, 200, "MERGE " LWS "/s",
               "{'spec':{'leaderWorkerTemplate':{'restartPolicy':'None'}}}");
    cluster_rig_run(rig, 16 * SECOND);
    (void)snprintf(leader, sizeof leader, "%s",
                   sandbox_field(rig->store, PODS "/s-0", "metadata.uid"));
    sandbox_ok(rig->store, 200, "DELETE " PODS "/s-0-1", NULL);
    cluster_rig_run(rig, 24 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-0-1:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/s-0", "metadata.uid"), leader);
}

TEST(workers_of_a_training_job_are_scaled_and_suspended)
{
    static const char *const lines[] = {KUBEFLOW "/pytorchjobs", MPIJOBS};
    static const char *const bodies[] = {
        "{'metadata':{'name':'j'},'spec':{'pytorchReplicaSpecs':{'Worker':{'replicas':3," POD
        "}}}}",
        "{'metadata':{'name':'j'},'spec':{'mpiReplicaSpecs':{'Worker':{'replicas':3," POD "}}}}"};
    static const char *const members[] = {"pytorchReplicaSpecs", "mpiReplicaSpecs"};
    for (size_t i = 0; i < 2; i++) {
        char line[200], patch[200];
        (void)snprintf(line, sizeof line, "POST %s", lines[i]);
        sandbox_ok(rig->store, 201, line, bodies[i]);
        cluster_rig_run(rig, 3 * SECOND);
        (void)snprintf(line, sizeof line, "MERGE %s/j", lines[i]);
        (void)snprintf(patch, sizeof patch, "{'spec':{'%s':{'Worker':{'replicas':1}}}}",
                       members[i]);
        sandbox_ok(rig->store, 200, line, patch);
        cluster_rig_run(rig, 3 * SECOND);
        assert_string_equal(cluster_rig_pods(rig), "j-worker-0:Running");
        sandbox_ok(rig->store, 200, line, "{'spec':{'runPolicy':{'suspend':true}}}");
        cluster_rig_run(rig, 3 * SECOND);
        assert_string_equal(cluster_rig_pods(rig), "");
        (void)snprintf(line, sizeof line, "DELETE %s/j", lines[i]);
        sandbox_ok(rig->store, 200, line, NULL);
    }
}

static void add_line(void *context, const char *text)
{
    skr_strbuf_addf(context, "%s\n", text);
}

TEST(what_a_model_does_not_do_is_said_once_a_kind_and_field)
{
    SKR_STRBUF(said);
    struct skr_cluster_options options;
    skr_cluster_options_default(&options);
    options.unmodelled = add_line;
    options.context = &said;
    struct skr_cluster *cluster = skr_cluster_create(&options, 0);
    struct skr_store *store = skr_cluster_store(cluster);
    static const char *const lines[][2] = {
        {"POST " JOBSETS,
         "{'metadata':{'name':'t'},'spec':{'replicatedJobs':[{'name':'w'," JOB "}]}}"},
        {"MERGE " JOBSETS "/t", "{'spec':{'suspend':true}}"},
        {"MERGE " JOBSETS "/t", "{'spec':{'ttlSecondsAfterFinished':3}}"},
        {"MERGE " JOBSETS "/t", "{'spec':{'ttlSecondsAfterFinished':4}}"},
        {"MERGE " JOBSETS "/t", "{'spec':{'network':{'subdomain':'a'}}}"},
        {"POST " RAY, "{'metadata':{'name':'r'},'spec':{'enableInTreeAutoscaling':true,"
                      "'workerGroupSpecs':[{'groupName':'g','replicas':1," POD "}]}}"},
        {"MERGE " RAY "/r",
         "{'spec':{'workerGroupSpecs':[{'groupName':'g','replicas':2," POD "}]}}"},
        {"MERGE " RAY "/r",
         "{'spec':{'workerGroupSpecs':[{'groupName':'h','replicas':2," POD "}]}}"},
        {"POST " JOBSETS,
         "{'metadata':{'name':'u'},'spec':{'failurePolicy':{'restartStrategy':'InPlaceRestart',"
         "'rules':[{'name':'a','action':'FailJobSet'},{'name':'b','action':'Explode',"
         "'onJobFailureMessagePatterns':['x']}]},'replicatedJobs':[{'name':'w'," JOB "}]}}"},
        {"POST " LWS, "{'metadata':{'name':'l'},'spec':{'replicas':1,'startupPolicy':'LeaderReady',"
                      "'leaderWorkerTemplate':{'restartPolicy':'RecreateGroupAfterStart','"
                      "workerTemplate':{}}}}"},
        {"POST " KUBEFLOW "/pytorchjobs",
         "{'metadata':{'name':'p'},'spec':{'runPolicy':{'activeDeadlineSeconds':9},"
         "'pytorchReplicaSpecs':{'Worker':{'replicas':2," POD "}}}}"},
        {"MERGE " PODS "/p-worker-0/status", "{'status':{'phase':'Failed'}}"},
        {"MERGE " PODS "/p-worker-1/status", "{'status':{'phase':'Failed'}}"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sandbox_ok(store, strncmp(lines[i][0], "POST", 4) == 0 ? 201 : 200, lines[i][0],
                   lines[i][1]);
        (void)skr_cluster_step(cluster, (skr_time)(i + 1) * SECOND);
    }
    assert_string_equal(
        said.s, "JobSet t: spec.ttlSecondsAfterFinished is not simulated\n"
                "JobSet t: a change of spec.network is not simulated\n"
                "RayCluster r: spec.enableInTreeAutoscaling is not simulated\n"
                "RayCluster r: a change of spec.workerGroupSpecs.groupName is not simulated\n"
                "JobSet u: spec.failurePolicy.restartStrategy InPlaceRestart is not simulated\n"
                "JobSet u: spec.failurePolicy.rules.action Explode is not simulated\n"
                "JobSet u: spec.failurePolicy.rules.onJobFailureMessagePatterns is not simulated\n"
                "LeaderWorkerSet l: spec.leaderWorkerTemplate.restartPolicy "
                "RecreateGroupAfterStart is not simulated\n"
                "PyTorchJob p: spec.runPolicy.activeDeadlineSeconds is not simulated\n"
                "PyTorchJob p: what follows a failed pod is not simulated\n");
    skr_cluster_destroy(cluster);
}

/* ---- JobSets that fail ---- */

#define FAILING                                                                                  \
    "'template':{'spec':{'parallelism':1,'completions':1,'backoffLimit':0,'template':{"          \
    "'metadata':{'annotations':{'sandbox.sakkara/run-for':'2s','sandbox.sakkara/exit-code':'1'}" \
    "},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]}}}}"

static void create_failing(const char *policy)
{
    char body[2000];
    (void)snprintf(
        body, sizeof body,
        "{'metadata':{'name':'t'},'spec':{%s'replicatedJobs':[{'name':'a','replicas':1," FAILING
        "},{'name':'w','replicas':2," JOB "}]}}",
        policy);
    sandbox_ok(rig->store, 201, "POST " JOBSETS, body);
}

static const char *failure(void)
{
    return sandbox_field(rig->store, JOBSETS "/t", "status.conditions[0].reason");
}

TEST(a_job_set_without_a_failure_policy_fails_with_its_first_job)
{
    create_failing("");
    cluster_rig_run(rig, 20 * SECOND);
    assert_string_equal(failure(), "FailedJobs");
    assert_string_equal(cluster_rig_pods(rig), "t-a-0-0:Failed");
}

TEST(a_job_set_restarts_all_its_jobs_as_often_as_its_policy_says)
{
    create_failing("'failurePolicy':{'maxRestarts':2},");
    cluster_rig_run(rig, 1 * SECOND);
    has_label("t-w-1-0", "jobset.sigs.k8s.io/restart-attempt", "0");
    cluster_rig_run(rig, 60 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBSETS "/t", "status.restarts"), "2");
    has_label("t-a-0-0", "jobset.sigs.k8s.io/restart-attempt", "2");
    assert_string_equal(failure(), "ReachedMaxRestarts");
}

TEST(a_rule_of_a_job_set_decides_what_its_failed_jobs_do)
{
    create_failing(
        "'failurePolicy':{'maxRestarts':9,'rules':[{'name':'r','action':'FailJobSet',"
        "'targetReplicatedJobs':['w']},{'name':'q','action':'FailJobSet',"
        "'onJobFailureReasons':['BackoffLimitExceeded'],'targetReplicatedJobs':['a']}]},");
    cluster_rig_run(rig, 20 * SECOND);
    assert_string_equal(failure(), "FailJobSetFailurePolicyAction");
    assert_string_equal(sandbox_field(rig->store, JOBSETS "/t", "status.restarts"), "");
    sandbox_ok(rig->store, 200, "DELETE " JOBSETS "/t", NULL);
    cluster_rig_run(rig, 30 * SECOND);
    create_failing("'failurePolicy':{'maxRestarts':0,'rules':[{'name':'r','action':"
                   "'RestartJobSetAndIgnoreMaxRestarts'}]},");
    cluster_rig_run(rig, 60 * SECOND);
    assert_string_not_equal(sandbox_field(rig->store, JOBSETS "/t", "status.restarts"), "");
    assert_string_equal(failure(), "");
}

TEST(a_job_that_is_made_anew_counts_among_the_restarts_of_its_job_set)
{
    create_failing(
        "'failurePolicy':{'maxRestarts':1,'rules':[{'name':'r','action':'RecreateJob'}]},");
    cluster_rig_run(rig, 20 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBSETS "/t", "status.restarts"), "0");
    assert_string_not_equal(
        sandbox_field(rig->store, JOBSETS "/t", "status.restartsCountTowardsMax"), "");
    has_label("t-w-1-0", "jobset.sigs.k8s.io/restart-attempt", "0");
}

TEST(a_job_set_is_suspended_and_resumed)
{
    sandbox_ok(rig->store, 201, "POST " JOBSETS,
               "{'metadata':{'name':'t'},'spec':{'replicatedJobs':[{'name':'w','replicas':1," JOB
               "}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    sandbox_ok(rig->store, 200, "MERGE " JOBSETS "/t", "{'spec':{'suspend':true}}");
    cluster_rig_run(rig, 6 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
    sandbox_ok(rig->store, 200, "MERGE " JOBSETS "/t", "{'spec':{'suspend':false}}");
    cluster_rig_run(rig, 10 * SECOND);
    assert_non_null(strstr(cluster_rig_pods(rig), "Running"));
}

TEST(workers_of_a_leader_that_must_be_ready_come_after_it)
{
    const uint64_t before = rig->seen;
    rig->binding = false;
    sandbox_ok(rig->store, 201, "POST " LWS,
               "{'metadata':{'name':'s'},'spec':{'replicas':1,'startupPolicy':'LeaderReady',"
               "'leaderWorkerTemplate':{'size':2,'workerTemplate':{'spec':{'containers':"
               "[{'name':'c','image':'x'}]}}}}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Pending");
    rig->seen = before;
    rig->binding = true;
    cluster_rig_run(rig, 0); /* binds */
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-0-1:Running");
}

TEST(an_mpi_job_has_workers_and_a_launcher_of_a_job)
{
    sandbox_ok(rig->store, 201, "POST " MPIJOBS,
               "{'metadata':{'name':'pi'},'spec':{'mpiReplicaSpecs':{'Launcher':{'replicas':1," POD
               "},'Worker':{'replicas':2," POD "}}}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "pi-launcher-0:Running pi-worker-0:Running pi-worker-1:Running");
    has_label("pi-launcher-0", "training.kubeflow.org/job-role", "launcher");
    has_label("pi-worker-1", "training.kubeflow.org/replica-index", "1");
    has_label("pi-worker-1", "training.kubeflow.org/operator-name", "mpi-operator");
}

/* Both kinds may have one name: they are of different operators. */
TEST(an_mpi_job_of_the_training_operator_has_a_launcher_pod)
{
    sandbox_ok(rig->store, 201, "POST " KUBEFLOW "/mpijobs",
               "{'metadata':{'name':'pi'},'spec':{'mpiReplicaSpecs':{'Launcher':{'replicas':1," POD
               "},'Worker':{'replicas':2," POD "}}}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "pi-launcher:Running pi-worker-0:Running pi-worker-1:Running");
    has_label("pi-launcher", "training.kubeflow.org/job-role", "master");
    has_label("pi-launcher", "training.kubeflow.org/replica-type", "launcher");
    has_label("pi-worker-1", "training.kubeflow.org/replica-index", "1");
    has_label("pi-worker-1", "training.kubeflow.org/operator-name", "mpijob-controller");
    sandbox_ok(rig->store, 404, "GET " MPIJOBS "/pi", NULL);
    sandbox_ok(rig->store, 200, "DELETE " KUBEFLOW "/mpijobs/pi", NULL);
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_job_of_kubeflow_has_pods_of_each_type)
{
    sandbox_ok(rig->store, 201, "POST " KUBEFLOW "/pytorchjobs",
               "{'metadata':{'name':'p'},'spec':{'pytorchReplicaSpecs':{'Master':{'replicas':1," POD
               "},'Worker':{'replicas':2," POD "}}}}");
    sandbox_ok(rig->store, 201, "POST " KUBEFLOW "/tfjobs",
               "{'metadata':{'name':'t'},'spec':{'tfReplicaSpecs':{'PS':{'replicas':1," POD "}}}}");
    sandbox_ok(rig->store, 201, "POST " KUBEFLOW "/xgboostjobs",
               "{'metadata':{'name':'x'},'spec':{'xgbReplicaSpecs':{'Master':{" POD "}}}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "p-master-0:Running p-worker-0:Running p-worker-1:Running t-ps-0:Running "
                        "x-master-0:Running");
    has_label("p-master-0", "training.kubeflow.org/job-role", "master");
    has_label("p-worker-1", "training.kubeflow.org/operator-name", "pytorchjob-controller");
}

#define LIMITS                                                                                  \
    "'template':{'spec':{'containers':[{'name':'c','image':'x','resources':{'limits':{'x/gpu':" \
    "'1'}}}]}}"

TEST(templates_of_custom_resources_have_no_defaults_and_their_pods_have)
{
    static const char *const pods[] = {"p-worker-0", "p-worker-1", "r-head-0"};
    sandbox_ok(
        rig->store, 201, "POST " KUBEFLOW "/pytorchjobs",
        "{'metadata':{'name':'p'},'spec':{'pytorchReplicaSpecs':{'Worker':{'replicas':2," LIMITS
        "}}}}");
    sandbox_ok(rig->store, 201, "POST " RAY,
               "{'metadata':{'name':'r'},'spec':{'headGroupSpec':{" LIMITS "}}}");
    cluster_rig_run(rig, 3 * SECOND);
    for (size_t i = 0; i < sizeof pods / sizeof *pods; i++) {
        char path[100];
        (void)snprintf(path, sizeof path, "GET " PODS "/%s", pods[i]);
        json_t *pod = sandbox_expect(rig->store, 200, path, NULL);
        const json_t *container = json_array_get(skr_path_get(pod, "spec.containers"), 0);
        assert_string_equal(json_string_value(json_object_get(
                                skr_path_get(container, "resources.requests"), "x/gpu")),
                            "1");
        json_decref(pod);
    }
}

TEST(a_ray_cluster_has_a_head_and_scales_its_workers)
{
    sandbox_ok(rig->store, 201, "POST " RAY,
               "{'metadata':{'name':'r'},'spec':{'headGroupSpec':{" POD
               "},'workerGroupSpecs':[{'groupName':'g','replicas':2," POD "}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "r-g-worker-1:Running r-g-worker-2:Running r-head-0:Running");
    has_label("r-head-0", "ray.io/node-type", "head");
    has_label("r-g-worker-1", "ray.io/group", "g");
    sandbox_ok(rig->store, 200, "MERGE " RAY "/r",
               "{'spec':{'workerGroupSpecs':[{'groupName':'g','replicas':1," POD "}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "r-g-worker-1:Running r-head-0:Running");
}

TEST(a_train_job_makes_the_job_set_of_its_runtime)
{
    sandbox_ok(
        rig->store, 201, "POST " TRAINER "/namespaces/default/trainjobs",
        "{'metadata':{'name':'t'},'spec':{'runtimeRef':{'name':'torch'},"
        "'annotations':{'a':'b'},'trainer':{'numNodes':3,'resourcesPerNode':{'requests':"
        "{'cpu':'2'}}},'podTemplateOverrides':[{'targetJobs':[{'name':'node'}],'metadata':"
        "{'annotations':{'sakkara.gang':'auto'}},'spec':{'nodeSelector':{'pool':'gpu'}}}]}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), ""); /* its runtime does not exist */
    sandbox_ok(
        rig->store, 201, "POST " TRAINER "/clustertrainingruntimes",
        "{'metadata':{'name':'torch'},'spec':{'mlPolicy':{'numNodes':1},'template':{'spec':"
        "{'replicatedJobs':[{'name':'node','template':{'metadata':{'labels':"
        "{'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}},'spec':{'template':{'spec':"
        "{'containers':[{'name':'node','image':'x'}]}}}}}]}}}}");
    rig->binding = false;
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "t-node-0-0:Pending t-node-0-1:Pending t-node-0-2:Pending");
    has_label("t-node-0-2", "jobset.sigs.k8s.io/replicatedjob-name", "node");
    json_t *pod = sandbox_expect(rig->store, 200, "GET " PODS "/t-node-0-0", NULL);
    assert_string_equal(skr_path_annotation(pod, "sakkara.gang"), "auto");
    assert_string_equal(skr_path_text(pod, "spec.nodeSelector.pool"), "gpu");
    const json_t *container = json_array_get(skr_path_get(pod, "spec.containers"), 0);
    assert_string_equal(skr_path_text(container, "resources.requests.cpu"), "2");
    json_decref(pod);
}

/* Nodes of an MPI runtime: the launcher may be one of them. */
TEST(a_train_job_of_an_mpi_runtime_counts_its_launcher)
{
    static const char *const name[] = {"deepspeed", "mpi"};
    for (size_t i = 0; i < 2; i++) {
        char body[1200];
        (void)snprintf(
            body, sizeof body,
            "{'metadata':{'name':'%s'},'spec':{'mlPolicy':{'mpi':{'runLauncherAsNode':%s}},"
            "'template':{'spec':{'replicatedJobs':[{'name':'node','template':{'spec':{'template':"
            "{'spec':{'containers':[{'name':'node','image':'x'}]}}}}},{'name':'launcher','template'"
            ":"
            "{'metadata':{'labels':{'trainer.kubeflow.org/"
            "trainjob-ancestor-step':'trainer'}},'spec':"
            "{'template':{'spec':{'containers':[{'name':'node','image':'x'}]}}}}}]}}}}",
            name[i], i == 0 ? "true" : "false");
        sandbox_ok(rig->store, 201, "POST " TRAINER "/namespaces/default/trainingruntimes", body);
        (void)snprintf(body, sizeof body,
                       "{'metadata':{'name':'%c'},'spec':{'runtimeRef':{'kind':'TrainingRuntime',"
                       "'name':'%s'},'trainer':{'numNodes':3}}}",
                       *name[i], name[i]);
        sandbox_ok(rig->store, 201, "POST " TRAINER "/namespaces/default/trainjobs", body);
    }
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "d-launcher-0-0:Running d-node-0-0:Running d-node-0-1:Running "
                        "m-launcher-0-0:Running m-node-0-0:Running m-node-0-1:Running "
                        "m-node-0-2:Running");
}

#define RAY_SPEC \
    "{'headGroupSpec':{" POD "},'workerGroupSpecs':[{'groupName':'g','replicas':1," POD "}]}"

TEST(a_ray_job_has_a_cluster_and_then_a_job_that_submits)
{
    sandbox_ok(rig->store, 201, "POST " RAYS "/rayjobs",
               "{'metadata':{'name':'j'},'spec':{'rayClusterSpec':" RAY_SPEC "}}");
    sandbox_ok(
        rig->store, 201, "POST " RAYS "/rayjobs",
        "{'metadata':{'name':'h'},'spec':{'submissionMode':'HTTPMode','rayClusterSpec':" RAY_SPEC
        "}}");
    sandbox_ok(rig->store, 201, "POST " RAYS "/rayjobs",
               "{'metadata':{'name':'other'},'spec':{'clusterSelector':{'a':'b'}}}");
    sandbox_ok(rig->store, 201, "POST " RAYS "/rayservices",
               "{'metadata':{'name':'s'},'spec':{'rayClusterConfig':" RAY_SPEC "}}");
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(
        cluster_rig_pods(rig),
        "h-66lgf-g-worker-1:Running h-66lgf-head-0:Running j-0:Running j-wj5gx-g-worker-1:Running "
        "j-wj5gx-head-0:Running s-mpl4k-g-worker-1:Running s-mpl4k-head-0:Running");
    has_label("j-0", "batch.kubernetes.io/job-name", "j");
}

TEST(a_spark_application_has_executors_once_its_driver_runs)
{
    sandbox_ok(rig->store, 201, "POST " SPARK,
               "{'metadata':{'name':'pi'},'spec':{'type':'Python','image':'spark','driver':"
               "{'cores':1},'executor':{'instances':2,'cores':2,'memory':'2g','coreLimit':'3',"
               "'schedulerName':'sakkara','annotations':{'sakkara.gang':'auto'},"
               "'gpu':{'name':'nvidia.com/gpu','quantity':1}}}}");
    sandbox_ok(rig->store, 201, "POST " SPARK,
               "{'metadata':{'name':'dyn'},'spec':{'dynamicAllocation':{'enabled':true,"
               "'minExecutors':1,'initialExecutors':3},'executor':{'instances':2}}}");
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "dyn-driver:Running dyn-exec-1:Running dyn-exec-2:Running "
                        "dyn-exec-3:Running pi-driver:Running pi-exec-1:Running pi-exec-2:Running");
    has_label("pi-driver", "spark-role", "driver");
    has_label("pi-exec-2", "spark-exec-id", "2");
    has_label("pi-exec-2", "sparkoperator.k8s.io/app-name", "pi");
    json_t *pod = sandbox_expect(rig->store, 200, "GET " PODS "/pi-exec-2", NULL);
    const json_t *resources =
        json_object_get(json_array_get(skr_path_get(pod, "spec.containers"), 0), "resources");
    assert_string_equal(skr_path_annotation(pod, "sakkara.gang"), "auto");
    assert_string_equal(skr_path_text(pod, "spec.schedulerName"), "sakkara");
    assert_string_equal(skr_path_text(resources, "requests.memory"), "2867Mi"); /* and 40 % */
    assert_string_equal(skr_path_text(resources, "requests.cpu"), "2");
    assert_string_equal(skr_path_text(resources, "limits.cpu"), "3");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(resources, "limits"), "nvidia.com/gpu")),
        "1");
    json_decref(pod);
}

TEST(suspended_objects_and_those_without_specs_make_nothing)
{
    sandbox_ok(rig->store, 201, "POST " JOBSETS,
               "{'metadata':{'name':'t'},'spec':{'suspend':true,'replicatedJobs':[{'name':'a'," JOB
               "}]}}");
    sandbox_ok(rig->store, 201, "POST " MPIJOBS, "{'metadata':{'name':'pi'},'spec':{}}");
    sandbox_ok(rig->store, 201, "POST " KUBEFLOW "/xgboostjobs",
               "{'metadata':{'name':'x'},'spec':7}");
    sandbox_ok(rig->store, 201, "POST " LWS, "{'metadata':{'name':'s'},'spec':{'replicas':-4}}");
    cluster_rig_run(rig, 3 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}
