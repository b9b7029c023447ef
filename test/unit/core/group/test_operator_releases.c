/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods as two releases of each operator, of Kubernetes and of Spark label them, with the object that says their size: the group, its minimum, role,
 * set, index and generation. Labels are those of the operators' sources: jobset pkg/controllers/jobset_controller.go,
 * lws pkg/webhooks/pod_webhook.go, kuberay controllers/ray/common/pod.go, mpi-operator pkg/controller, training-operator
 * pkg/controller.v1, kueue pkg/podset, trainer pkg/runtime/core, spark-operator pkg/common, spark
 * resource-managers/kubernetes.
 */
#include "core/group/owner.h"
#include "core/pod/index.h"
#include "test/test.h"
#include "test/unit/json_text.h"

#define JS  "jobset.sigs.k8s.io/"
#define LWS "leaderworkerset.sigs.k8s.io/"
#define KF  "training.kubeflow.org/"
#define B   "batch.kubernetes.io/"
#define OWNED(version, kind, name)                                                              \
    "'ownerReferences':[{'apiVersion':'" version "','kind':'" kind "','name':'" name "','uid':" \
    "'u-" name "','controller':true}]"
#define JOBSET_LABELS                                                                       \
    JS "jobset-name':'t','" JS "jobset-uid':'js','" JS "replicatedjob-name':'w','" JS       \
       "replicatedjob-replicas':'2','" JS "global-replicas':'3','" JS "job-index':'1','" JS \
       "job-global-index':'2','" JS "job-key':'k','" JS "restart-attempt':'1','" JS         \
       "group-name':'default','" JS "group-replicas':'3','" JS "job-group-index':'2','" B   \
       "job-completion-index':'3','" B "job-name':'t-w-1','" B "controller-uid':'u-t-w-1'"
#define JOBSET                                                                                \
    "'spec':{'replicatedJobs':[{'name':'d','template':{'spec':{}}},{'name':'w','replicas':2," \
    "'template':{'spec':{'parallelism':4,'completions':4}}}]}"
#define RAY                                                                           \
    "'spec':{'headGroupSpec':{},'workerGroupSpecs':[{'groupName':'gpu','replicas':2," \
    "'minReplicas':1,'numOfHosts':2}]}"
#define RAY_LABELS                                                                         \
    "'ray.io/is-ray-node':'yes','ray.io/cluster':'r','ray.io/node-type':'worker','ray.io/" \
    "group':'gpu','ray.io/identifier':'r-worker','app.kubernetes.io/name':'kuberay'"
#define NODE_LABELS                                                                         \
    JS "jobset-name':'t','" JS "jobset-uid':'js','" JS "replicatedjob-name':'node','" JS    \
       "replicatedjob-replicas':'1','" JS "global-replicas':'1','" JS "job-index':'0','" JS \
       "job-global-index':'0','" JS "job-key':'k','" JS "restart-attempt':'0','" B          \
       "job-completion-index':'3','" B "job-name':'t-node-0','" B "controller-uid':'u-t-node-0'"
#define NODES                                                                                     \
    "'spec':{'replicatedJobs':[{'name':'node','template':{'spec':{'parallelism':4,'completions':" \
    "4}}}]}"
#define EXECUTOR_LABELS                                                                   \
    "'spark-app-selector':'spark-1a','spark-role':'executor','spark-exec-id':'2','spark-" \
    "exec-resourceprofile-id':'0'"
#define OPERATOR_LABELS                                                            \
    "'spark-app-name':'pi','spark-version':'3.5.1','sparkoperator.k8s.io/app-name" \
    "':'pi','sparkoperator.k8s.io/launched-by-spark-operator':'true',"             \
    "'sparkoperator.k8s.io/submission-id':'s1'"

static const struct release_row {
    const char *title, *metadata;
    int (*decode)(const json_t *json, struct skr_owner **ret, struct skr_error *error);
    const char *owner; /* its fields besides metadata */
    const char *group, *role, *generation;
    int64_t minimum;
    int32_t set, index; /* -1: none */
} releases[] = {
    {"JobSet 0.10.1", "'labels':{'" JOBSET_LABELS "}," OWNED("batch/v1", "Job", "t-w-1"),
     skr_owner_jobset_decode, JOBSET, "jobset/t", "w", "js/1", 9, 1, 2 * 131072 + 3},
    {"JobSet 0.11.0, restarted in place",
     "'labels':{'" JOBSET_LABELS "},'annotations':{'" JS
     "in-place-restart-attempt':'2'}," OWNED("batch/v1", "Job", "t-w-1"),
     skr_owner_jobset_decode, JOBSET, "jobset/t", "w", "js/1", 9, 1, 2 * 131072 + 3},
    {"LeaderWorkerSet 0.7.0, a leader",
     "'labels':{'" LWS "name':'s','" LWS "group-index':'1','" LWS "worker-index':'0','" LWS
     "group-key':'k','" LWS "template-revision-hash':'h','apps.kubernetes.io/pod-index':'1'},"
     "'annotations':{'" LWS "size':'3'}," OWNED("apps/v1", "StatefulSet", "s"),
     skr_owner_lws_decode, "'spec':{'replicas':2,'leaderWorkerTemplate':{'size':3}}", "lws/s/1",
     "leader", "u", 3, 1, 0},
    {"LeaderWorkerSet 0.8.0, a worker of a subgroup",
     "'labels':{'" LWS "name':'s','" LWS "group-index':'1','" LWS "worker-index':'2','" LWS
     "group-key':'k','" LWS "subgroup-index':'1','" LWS "subgroup-key':'q','" LWS
     "template-revision-hash':'h','apps.kubernetes.io/pod-index':'2'},'annotations':{'" LWS
     "size':'3','" LWS "leader-name':'s-1','" LWS
     "subgroup-size':'1'}," OWNED("apps/v1", "StatefulSet", "s-1"),
     skr_owner_lws_decode, "'spec':{'replicas':2,'leaderWorkerTemplate':{'size':3}}", "lws/s/1",
     "worker", "above", 3, 1, 2},
    {"KubeRay 1.4.2", "'labels':{" RAY_LABELS "}," OWNED("ray.io/v1", "RayCluster", "r"),
     skr_owner_raycluster_decode, RAY, "raycluster/r", "gpu", "u-r", 5, -1, -1},
    {"KubeRay 1.5.1, with indexes of hosts",
     "'labels':{" RAY_LABELS ",'ray.io/worker-group-replica-name':'gpu-x','ray.io/worker-group-"
     "replica-index':'1','ray.io/replica-host-index':'1'}," OWNED("ray.io/v1", "RayCluster", "r"),
     skr_owner_raycluster_decode, RAY, "raycluster/r", "gpu", "u-r", 5, -1, 1024 + 2},
    {"MPI operator 0.6.0, a worker",
     "'labels':{'" KF "operator-name':'mpi-operator','" KF "job-name':'pi','" KF
     "job-role':'worker','" KF "replica-index':'1'}," OWNED("kubeflow.org/v2beta1", "MPIJob", "pi"),
     skr_owner_mpijob_decode, "'spec':{'mpiReplicaSpecs':{'Launcher':{},'Worker':{'replicas':2}}}",
     "mpijob/pi", "worker", "u-pi", 3, -1, 2},
    {"MPI operator 0.7.0, a launcher that is a worker, too",
     "'labels':{'" KF "operator-name':'mpi-operator','" KF "job-name':'pi','" KF
     "job-role':'launcher','" KF "replica-index':'0','" B
     "job-name':'pi-launcher'}," OWNED("batch/v1", "Job", "pi-launcher"),
     skr_owner_mpijob_decode,
     "'spec':{'runLauncherAsWorker':true,'mpiReplicaSpecs':{'Launcher':{},'Worker':{'replicas':2}"
     "}}",
     "mpijob/pi", "launcher", "above", 3, -1, 0},
    {"training operator 1.8, by the name of its controller",
     "'labels':{'" KF "operator-name':'pytorchjob-controller','" KF "job-name':'m','" KF
     "replica-type':'worker','" KF
     "replica-index':'1'}," OWNED("kubeflow.org/v1", "PyTorchJob", "m"),
     skr_owner_pytorchjob_decode,
     "'spec':{'pytorchReplicaSpecs':{'Master':{},'Worker':{'replicas':3}}}", "pytorchjob/m",
     "worker", "u-m", 4, -1, (1 << 24) + 1},
    {"training operator 1.9.3, an XGBoostJob with minAvailable",
     "'labels':{'" KF "operator-name':'xgboostjob-controller','" KF "job-name':'m','" KF
     "replica-type':'master','" KF "replica-index':'0','" KF
     "job-role':'master'}," OWNED("kubeflow.org/v1", "XGBoostJob", "m"),
     skr_owner_xgboostjob_decode,
     "'spec':{'runPolicy':{'schedulingPolicy':{'minAvailable':2}},'xgbReplicaSpecs':{'Master':{},"
     "'Worker':{'replicas':3}}}",
     "xgboostjob/m", "master", "u-m", 2, -1, 0},
    {"Kubernetes 1.26, an Indexed Job without labels of batch.kubernetes.io",
     "'labels':{'job-name':'train','controller-uid':'u-train'},'annotations':{'" B
     "job-completion-index':'2'}," OWNED("batch/v1", "Job", "train"),
     skr_owner_job_decode, "'spec':{'parallelism':4,'completions':3}", "job/train", NULL, "u-train",
     3, -1, 2},
    {"Kubernetes 1.36, a Job of Kueue 0.15",
     "'labels':{'" B "job-name':'train','" B "controller-uid':'u-train','" B
     "job-completion-index':'2','kueue.x-k8s.io/podset':'main','kueue.x-k8s.io/local-queue-name':"
     "'q'},'annotations':{'kueue.x-k8s.io/workload':'job-train-1'}," OWNED("batch/v1", "Job",
                                                                           "train"),
     skr_owner_job_decode, "'spec':{'parallelism':4,'completions':4}", "job/train", NULL, "u-train",
     4, -1, 2},
    {"Kubernetes 1.27, a StatefulSet without the index of a pod",
     "'labels':{'app':'s','controller-revision-hash':'h','statefulset.kubernetes.io/pod-name':"
     "'s-2'}," OWNED("apps/v1", "StatefulSet", "s"),
     skr_owner_statefulset_decode, "'spec':{'replicas':3,'podManagementPolicy':'Parallel'}",
     "statefulset/s", NULL, "u-s", 3, -1, -1},
    {"Kubernetes 1.28, a StatefulSet",
     "'labels':{'app':'s','controller-revision-hash':'h','statefulset.kubernetes.io/pod-name':"
     "'s-2','apps.kubernetes.io/pod-index':'2'}," OWNED("apps/v1", "StatefulSet", "s"),
     skr_owner_statefulset_decode, "'spec':{'replicas':3,'podManagementPolicy':'Parallel'}",
     "statefulset/s", NULL, "u-s", 3, -1, 2},
    {"Trainer 2.0.1, a node", "'labels':{'" NODE_LABELS "}," OWNED("batch/v1", "Job", "t-node-0"),
     skr_owner_jobset_decode, NODES, "jobset/t", "node", "js/0", 4, 0, 3},
    {"Trainer 2.1.0, a node whose runtime labels its pods",
     "'labels':{'" NODE_LABELS ",'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}," OWNED(
         "batch/v1", "Job", "t-node-0"),
     skr_owner_jobset_decode, NODES, "jobset/t", "node", "js/0", 4, 0, 3},
    {"Spark 3.2 without an operator",
     "'labels':{" EXECUTOR_LABELS "}," OWNED("v1", "Pod", "pi-driver"), NULL, NULL,
     "spark/spark-1a", NULL, "", -1, -1, 1},
    {"Spark operator 1.4, Spark 3.5",
     "'labels':{" EXECUTOR_LABELS "," OPERATOR_LABELS "}," OWNED("v1", "Pod", "pi-driver"),
     skr_owner_spark_decode, "'spec':{'executor':{'instances':6}}", "spark/spark-1a", NULL, "", 6,
     -1, 1},
    {"Spark operator 2.2, which scales",
     "'labels':{" EXECUTOR_LABELS "," OPERATOR_LABELS
     ",'sparkoperator.k8s.io/mutated-by-spark-operator':'true'}," OWNED("v1", "Pod", "pi-driver"),
     skr_owner_spark_decode,
     "'spec':{'executor':{'instances':6},'dynamicAllocation':{'enabled':true}}", "spark/spark-1a",
     NULL, "", 1, -1, 1},
    {"labels that no release has", "'labels':{'" JS "set-name':'t'}," OWNED("x.io/v1", "Crew", "c"),
     NULL, NULL, "crew.x.io/c", NULL, "u-c", -1, -1, -1},
};

static struct skr_pod *read_pod(const char *metadata)
{
    char text[3000];
    struct skr_pod *pod = NULL;
    struct skr_error error = {.text = ""};
    snprintf(text, sizeof text, "{'metadata':{'namespace':'ns','name':'p','uid':'u',%s},'spec':{}}",
             metadata);
    json_auto_t *json = json_text_load(text);
    (void)skr_pod_decode(json, &pod, &error);
    assert_string_equal(error.text, "");
    return pod;
}

static struct skr_owner *read_owner(const struct release_row *row)
{
    char text[1000];
    struct skr_owner *owner = NULL;
    struct skr_error error = {.text = ""};
    snprintf(text, sizeof text, "{'metadata':{'namespace':'ns','name':'o','uid':'u'},%s}",
             row->owner ? row->owner : "");
    json_auto_t *json = row->decode ? json_text_load(text) : NULL;
    if (row->decode) {
        (void)row->decode(json, &owner, &error);
        assert_string_equal(error.text, "");
    }
    return owner;
}

TEST_EACH(release_row, releases, pods_of_a_release_are_read)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_pod(release_row->metadata);
    SKR_AUTO(skr_owner_destroy) struct skr_owner *owner = read_owner(release_row);
    struct skr_workload w;
    SKR_STRBUF(name);
    SKR_STRBUF(generation);
    skr_workload_of(pod, &w);
    skr_workload_name_add(pod, &w, SKR_SCOPE_AUTO, &name);
    skr_workload_generation_add(pod, &w, "above", &generation);
    const char *role = skr_workload_role(pod);
    assert_string_equal(name.s, release_row->group);
    assert_string_equal(role ? role : "", release_row->role ? release_row->role : "");
    assert_string_equal(generation.s ? generation.s : "", release_row->generation);
    assert_int_equal(skr_workload_set(pod), release_row->set);
    assert_int_equal(skr_owner_minimum(owner, &w, SKR_SCOPE_AUTO, false), release_row->minimum);
    size_t key = 0;
    while (key < SKR_POD_INDEX_COUNT && pod->index[key] < 0) {
        key++;
    }
    assert_int_equal(key < SKR_POD_INDEX_COUNT ? pod->index[key] : -1, release_row->index);
}
