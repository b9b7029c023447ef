/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of workloads, by the labels that two releases of each operator write: what their pods say of
 * the group, of the index, and of the generation.
 */
#include "core/group/workload.h"
#include "test/test.h"
#include "test/unit/json_text.h"

#define OWNER(version, kind, name)                                                   \
    "'ownerReferences':[{'apiVersion':'" version "','kind':'" kind "','name':'" name \
    "','uid':'u-" name "','controller':true}]"
#define JOBSET "jobset.sigs.k8s.io/"
#define LWS    "leaderworkerset.sigs.k8s.io/"
#define KF     "training.kubeflow.org/"

static const struct pod_row {
    const char *title, *metadata;
    const char *kind, *owner_kind, *owner, *name;
    int32_t index; /* of the first key that has one */
    const char *generation;
} pods[] = {
    {"Job, Indexed, 1.36",
     "'labels':{'batch.kubernetes.io/controller-uid':'u-train','batch.kubernetes.io/job-name':"
     "'train','batch.kubernetes.io/job-completion-index':'11','controller-uid':'u-train',"
     "'job-name':'train'}," OWNER("batch/v1", "Job", "train"),
     "Job", "Job", "train", "job/train", 11, "u-train"},
    {"Job, NonIndexed, before 1.27",
     "'labels':{'controller-uid':'u-train','job-name':'train'}," OWNER("batch/v1", "Job", "train"),
     "Job", "Job", "train", "job/train", -1, "u-train"},
    {"a Job of another API group", OWNER("batch.volcano.sh/v1alpha1", "Job", "train"), "other", "",
     "", "job.batch.volcano.sh/train", -1, "u-train"},
    {"JobSet 0.11",
     "'labels':{'" JOBSET "jobset-name':'train','" JOBSET "jobset-uid':'js','" JOBSET
     "replicatedjob-name':'workers','" JOBSET "replicatedjob-replicas':'2','" JOBSET
     "global-replicas':'3','" JOBSET "job-index':'1','" JOBSET "job-global-index':'2','" JOBSET
     "restart-attempt':'4','batch.kubernetes.io/job-completion-index':'3'}," OWNER(
         "batch/v1", "Job", "train-workers-1"),
     "JobSet", "JobSet", "train", "jobset/train", 2 * 131072 + 3, "js/4"},
    {"JobSet 0.5, without a global index",
     "'labels':{'" JOBSET "jobset-name':'train','" JOBSET "replicatedjob-name':'workers','" JOBSET
     "replicatedjob-replicas':'2','" JOBSET "job-index':'1','" JOBSET
     "restart-attempt':'0','batch.kubernetes.io/job-completion-index':'3'}," OWNER(
         "batch/v1", "Job", "train-workers-1"),
     "JobSet", "JobSet", "train", "jobset/train", 3, "/0"},
    {"TrainJob, its initializer",
     "'labels':{'trainer.kubeflow.org/trainjob-ancestor-step':'dataset-initializer','" JOBSET
     "jobset-name':'tj','" JOBSET "replicatedjob-name':'dataset-initializer','" JOBSET
     "job-index':'0','" JOBSET "job-global-index':'0','" JOBSET
     "restart-attempt':'0'}," OWNER("batch/v1", "Job", "tj-dataset-initializer-0"),
     "JobSet", "JobSet", "tj", "jobset/tj/dataset-initializer", 0, "/0"},
    {"TrainJob 2.1, a node",
     "'labels':{'trainer.kubeflow.org/trainjob-ancestor-step':'trainer','" JOBSET
     "jobset-name':'tj','" JOBSET "replicatedjob-name':'node','" JOBSET "job-index':'0','" JOBSET
     "job-global-index':'2','" JOBSET
     "restart-attempt':'0','batch.kubernetes.io/job-completion-index':'1'}," OWNER(
         "batch/v1", "Job", "tj-node-0"),
     "JobSet", "JobSet", "tj", "jobset/tj", 2 * 131072 + 1, "/0"},
    {"LeaderWorkerSet 0.8, a worker",
     "'labels':{'" LWS "name':'serve','" LWS "group-index':'2','" LWS "worker-index':'3','" LWS
     "group-key':'abc','" LWS "template-revision-hash':'x','apps.kubernetes.io/pod-index':'3'},"
     "'annotations':{'" LWS "size':'8','" LWS
     "leader-name':'serve-2'}," OWNER("apps/v1", "StatefulSet", "serve-2"),
     "LeaderWorkerSet", "LeaderWorkerSet", "serve", "lws/serve/2", 3, "above"},
    {"LeaderWorkerSet 0.3, a leader",
     "'labels':{'" LWS "name':'serve','" LWS "group-index':'2','" LWS "worker-index':'0','" LWS
     "template-revision-hash':'x'},'annotations':{'" LWS
     "size':'8'}," OWNER("apps/v1", "StatefulSet", "serve"),
     "LeaderWorkerSet", "LeaderWorkerSet", "serve", "lws/serve/2", 0, "u"},
    {"MPIJob v2 0.6, its launcher",
     "'labels':{'" KF "operator-name':'mpi-operator','" KF "job-name':'pi','" KF
     "job-role':'launcher','batch.kubernetes.io/job-name':'pi-launcher'}," OWNER("batch/v1", "Job",
                                                                                 "pi-launcher"),
     "MPIJob", "MPIJob", "pi", "mpijob/pi", 0, "above"},
    {"MPIJob v2 0.4, a worker",
     "'labels':{'" KF "operator-name':'mpi-operator','" KF "job-name':'pi','" KF
     "job-role':'worker','" KF "replica-index':'4'}," OWNER("kubeflow.org/v2beta1", "MPIJob", "pi"),
     "MPIJob", "MPIJob", "pi", "mpijob/pi", 5, "u-pi"},
    {"PyTorchJob 1.9, its master",
     "'labels':{'" KF "operator-name':'pytorchjob-controller','" KF "job-name':'mnist','" KF
     "replica-type':'master','" KF "replica-index':'0','" KF
     "job-role':'master'}," OWNER("kubeflow.org/v1", "PyTorchJob", "mnist"),
     "KubeflowJob", "PyTorchJob", "mnist", "pytorchjob/mnist", 0, "u-mnist"},
    {"TFJob 1.5, a worker",
     "'labels':{'" KF "operator-name':'tfjob-controller','" KF "job-name':'mnist','" KF
     "replica-type':'worker','" KF
     "replica-index':'1'}," OWNER("kubeflow.org/v1", "TFJob", "mnist"),
     "KubeflowJob", "TFJob", "mnist", "tfjob/mnist", (1 << 24) + 1, "u-mnist"},
    {"MPIJob v1",
     "'labels':{'" KF "operator-name':'mpijob-controller','" KF "job-name':'pi','" KF
     "replica-type':'worker','" KF "replica-index':'1'}," OWNER("kubeflow.org/v1", "MPIJob", "pi"),
     "KubeflowJob", "MPIJob", "pi", "mpijob/pi", (1 << 24) + 1, "u-pi"},
    {"RayCluster 1.0, its head",
     "'labels':{'ray.io/cluster':'ray','ray.io/node-type':'head','ray.io/group':'headgroup',"
     "'ray.io/is-ray-node':'yes'}," OWNER("ray.io/v1", "RayCluster", "ray"),
     "RayCluster", "RayCluster", "ray", "raycluster/ray", 0, "u-ray"},
    {"RayCluster 1.5, a worker of several hosts",
     "'labels':{'ray.io/cluster':'ray','ray.io/node-type':'worker','ray.io/group':'gpu',"
     "'ray.io/worker-group-replica-index':'2','ray.io/replica-host-index':'1'}," OWNER(
         "ray.io/v1", "RayCluster", "ray"),
     "RayCluster", "RayCluster", "ray", "raycluster/ray", 2 * 1024 + 2, "u-ray"},
    {"RayCluster, a worker without indices",
     "'labels':{'ray.io/cluster':'ray','ray.io/node-type':'worker','ray.io/group':'gpu'}," OWNER(
         "ray.io/v1", "RayCluster", "ray"),
     "RayCluster", "RayCluster", "ray", "raycluster/ray", -1, "u-ray"},
    {"Spark of spark-operator 2, an executor",
     "'labels':{'spark-role':'executor','spark-app-selector':'spark-1a','spark-exec-id':'3',"
     "'sparkoperator.k8s.io/app-name':'pi','sparkoperator.k8s.io/submission-id':'s'},"
     "'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'pi-driver','uid':'d',"
     "'controller':true}]",
     "Spark", "SparkApplication", "pi", "spark/spark-1a", 2, ""},
    {"Spark without an operator",
     "'labels':{'spark-role':'executor','spark-app-selector':'spark-1a','spark-exec-id':'3'}",
     "Spark", "", "", "spark/spark-1a", 2, ""},
    {"StatefulSet",
     "'labels':{'apps.kubernetes.io/pod-index':'2','statefulset.kubernetes.io/"
     "pod-name':'db-2'}," OWNER("apps/v1", "StatefulSet", "db"),
     "StatefulSet", "StatefulSet", "db", "statefulset/db", 2, "u-db"},
    {"a ReplicaSet", OWNER("apps/v1", "ReplicaSet", "web-1"), "other", "", "",
     "replicaset.apps/web-1", -1, "u-web-1"},
    {"a controller of the core group", OWNER("v1", "ReplicationController", "rc"), "other", "", "",
     "replicationcontroller/rc", -1, "u-rc"},
    {"a pod without a controller", "'labels':{}", "other", "", "", "pod/p", -1, ""},
    {"labels of JobSet that are not whole", "'labels':{'" JOBSET "jobset-name':'x'}", "other", "",
     "", "pod/p", -1, ""},
    {"labels of Kubeflow under another controller",
     "'labels':{'" KF "operator-name':'pytorchjob-controller','" KF "job-name':'mnist','" KF
     "replica-type':'worker','" KF "replica-index':'0'}," OWNER("apps/v1", "ReplicaSet", "web"),
     "other", "", "", "replicaset.apps/web", 1 << 24, "u-web"},
};

static struct skr_pod *read_pod(const char *metadata)
{
    char text[2000];
    struct skr_pod *pod = NULL;
    struct skr_error error = {.text = ""};
    snprintf(text, sizeof text, "{'metadata':{'namespace':'ns','name':'p','uid':'u',%s},'spec':{}}",
             metadata);
    json_auto_t *json = json_text_load(text);
    (void)skr_pod_decode(json, &pod, &error);
    assert_string_equal(error.text, "");
    return pod;
}

TEST(a_pod_of_a_leaderworkerset_says_its_size)
{
    static const struct {
        const char *text;
        int32_t size;
    } row[] = {{"4", 4}, {"2147483647", INT32_MAX}, {"2147483648", -1}, {"-1", -1}, {"x", -1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char metadata[400];
        struct skr_workload w;
        snprintf(metadata, sizeof metadata,
                 "'annotations':{'" LWS "size':'%s'},'labels':{'" LWS "name':'s','" LWS
                 "group-index':'0','" LWS "worker-index':'0'}",
                 row[i].text);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_pod(metadata);
        skr_workload_of(pod, &w);
        assert_int_equal(w.kind, SKR_WORKLOAD_LWS);
        assert_int_equal(w.size, row[i].size);
    }
}

TEST_EACH(pod_row, pods, a_pod_says_what_workload_it_is_of)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_pod(pod_row->metadata);
    struct skr_workload w;
    SKR_STRBUF(name);
    SKR_STRBUF(generation);
    skr_workload_of(pod, &w);
    skr_workload_name_add(pod, &w, SKR_SCOPE_AUTO, &name);
    assert_int_equal(w.kind, skr_workload_kind_find(pod_row->kind));
    assert_string_equal(w.owner_kind, pod_row->owner_kind);
    assert_string_equal(w.owner, pod_row->owner);
    assert_string_equal(name.s, pod_row->name);
    skr_workload_generation_add(pod, &w, "above", &generation);
    assert_string_equal(generation.s ? generation.s : "", pod_row->generation);
    size_t key = 0;
    while (key < SKR_POD_INDEX_COUNT && pod->index[key] < 0) {
        key++;
    }
    assert_int_equal(key < SKR_POD_INDEX_COUNT ? pod->index[key] : -1, pod_row->index);
}

TEST(a_scope_narrows_or_widens_a_group)
{
    static const struct {
        const char *metadata, *scope, *name;
    } row[] = {
        {"'labels':{'" JOBSET "jobset-name':'t','" JOBSET "replicatedjob-name':'w','" JOBSET
         "job-index':'1'}",
         "replicatedjob", "jobset/t/w"},
        {"'labels':{'" JOBSET "jobset-name':'t','" JOBSET "replicatedjob-name':'w','" JOBSET
         "job-index':'1'}",
         "job", "jobset/t/w/1"},
        {"'labels':{'" LWS "name':'s','" LWS "group-index':'2','" LWS "worker-index':'0'}", "lws",
         "lws/s"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_pod(row[i].metadata);
        struct skr_workload w;
        enum skr_workload_scope scope;
        SKR_STRBUF(name);
        assert_true(skr_workload_scope_find(row[i].scope, &scope));
        skr_workload_of(pod, &w);
        skr_workload_name_add(pod, &w, scope, &name);
        assert_string_equal(name.s, row[i].name);
    }
    enum skr_workload_scope none;
    assert_false(skr_workload_scope_find("off", &none));
}

TEST(kinds_have_names)
{
    assert_int_equal(skr_workload_kind_find("LeaderWorkerSet"), SKR_WORKLOAD_LWS);
    assert_int_equal(skr_workload_kind_find("TrainJob"), SKR_WORKLOAD_JOBSET);
    assert_int_equal(skr_workload_kind_find("job"), SKR_WORKLOAD_COUNT);
}

TEST(a_pod_of_a_replica_set_names_its_deployment)
{
    static const struct {
        const char *metadata, *name;
    } row[] = {
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "ReplicaSet", "web-7d4"), "web"},
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "ReplicaSet", "a-7d4-7d4"),
         "a-7d4"},
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "ReplicaSet", "web7d4"), ""},
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "ReplicaSet", "-7d4"), ""},
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "ReplicaSet", "7d4"), ""},
        {"'labels':{'pod-template-hash':''}," OWNER("apps/v1", "ReplicaSet", "web-"), ""},
        {"'labels':{'pod-template-hash':'7d4'}," OWNER("apps/v1", "StatefulSet", "web-7d4"), ""},
        {"'labels':{}," OWNER("apps/v1", "ReplicaSet", "web-7d4"), ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_pod(row[i].metadata);
        SKR_STRBUF(name);
        skr_workload_deployment_add(pod, &name);
        assert_string_equal(name.s, row[i].name);
    }
}
