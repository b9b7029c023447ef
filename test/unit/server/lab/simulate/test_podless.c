/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that make no pods, and the field that says so. */
#include "server/lab/simulate/podless.h"
#include "test/test.h"
#include "test/unit/json_text.h"

#include <string.h>

static const struct {
    const char *version, *kind, *spec;
    const char *why; /* NULL: it makes pods */
} table[] = {
    {"batch/v1", "Job", "'parallelism':0", "spec.parallelism gives it 0 pods; set at least 1"},
    {"batch/v1", "Job", "'completions':0,'parallelism':2", "spec.completions gives it 0 pods"},
    {"batch/v1", "Job", "'suspend':true", "it is suspended; set spec.suspend to false"},
    {"batch/v1", "Job", "", NULL},
    {"apps/v1", "StatefulSet", "'replicas':0", "spec.replicas gives it 0 pods"},
    {"apps/v1", "Deployment", "'replicas':0", "spec.replicas gives it 0 pods"},
    {"apps/v1", "Deployment", "", NULL},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "'replicas':0", "spec.replicas gives it"},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "'leaderWorkerTemplate':{'size':0}", NULL},
    {"jobset.x-k8s.io/v1alpha2", "JobSet", "'replicatedJobs':[]", "spec.replicatedJobs gives it"},
    {"jobset.x-k8s.io/v1alpha2", "JobSet", "'replicatedJobs':[{'name':'w','template':{}}]", NULL},
    {"kubeflow.org/v2beta1", "MPIJob", "'runPolicy':{'suspend':true}", "spec.runPolicy.suspend"},
    {"kubeflow.org/v1", "MPIJob", "'mpiReplicaSpecs':{}", "spec.mpiReplicaSpecs gives it 0 pods"},
    {"kubeflow.org/v1", "PyTorchJob", "'tfReplicaSpecs':{}", "spec.pytorchReplicaSpecs gives it"},
    {"ray.io/v1", "RayCluster", "'workerGroupSpecs':[]", NULL},
    {"sparkoperator.k8s.io/v1beta2", "SparkApplication", "'executor':{'instances':0}", NULL},
    {"v1", "ConfigMap", "", NULL},
};

TEST(a_workload_without_pods_says_why)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[512];
        SKR_STRBUF(why);
        snprintf(text, sizeof text,
                 "{'apiVersion':'%s','kind':'%s','metadata':{'name':'s','namespace':'d'},"
                 "'spec':{%s}}",
                 table[i].version, table[i].kind, table[i].spec);
        json_auto_t *object = json_text_load(text);
        const bool podless = skr_simulate_is_podless(object, &why);
        if (podless == !table[i].why || (podless && !strstr(why.s, table[i].why))) {
            fail_msg("%s: %s", text, why.s ? why.s : "");
        }
    }
}

TEST(a_workload_of_a_dump_has_its_pods_there)
{
    SKR_STRBUF(why);
    json_auto_t *object = json_text_load(
        "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'s','namespace':'d','uid':'u'},"
        "'spec':{'suspend':true}}");
    assert_false(skr_simulate_is_podless(object, &why));
}
