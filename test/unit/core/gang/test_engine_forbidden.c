/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that the account may not read: the daemon goes on without them, and says what it lacks. */
#include "core/schedulers.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

#include <string.h>

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 40);
    rig_sync(rig);
    return rig;
}

static void forbid(struct rig *rig, const struct skr_object_type *type, bool is)
{
    struct skr_event event = {.kind = SKR_EVENT_FORBIDDEN, .forbidden = {.type = type, .is = is}};
    rig_handle(rig, &event);
}

static void a_group_is_bound(struct rig *rig, size_t n, const char *when)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%zu", when, n);
    rig_group(rig, name, 2, 0, NULL);
    rig_pods(rig, name, 2, name, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, name, 2);
}

TEST_RIG(cluster(), every_kind_that_may_be_forbidden_can_be)
{
    for (size_t i = 0; i < SKR_GANG_WATCHES; i++) {
        const struct skr_watch *watch = &skr_gang_watch[i];
        if (watch->may_be_forbidden) {
            forbid(rig, watch->type, true);
            a_group_is_bound(rig, i, "without");
            forbid(rig, watch->type, false);
            a_group_is_bound(rig, i, "with");
        }
    }
}

TEST(a_scheduler_whose_kinds_may_be_forbidden_hears_of_it)
{
    for (size_t s = 0; s < SKR_SCHEDULER_COUNT; s++) {
        for (size_t i = 0; i < skr_schedulers[s]->n_watches; i++) {
            assert_true(!skr_schedulers[s]->watch[i].may_be_forbidden ||
                        skr_schedulers[s]->forbidden);
        }
    }
}

/* A pod of each kind whose group nothing but its owner defines. */
static const struct kind_row {
    const char *title, *labels, *api_version, *owner_kind;
    const struct skr_object_type *type;
    const char *resource;
} kinds[] = {
    {"job", "", "batch/v1", "Job", &skr_gang_owner_job, "jobs.batch"},
    {"statefulset", "", "apps/v1", "StatefulSet", &skr_gang_owner_statefulset, "statefulsets.apps"},
    {"jobset",
     "'jobset.sigs.k8s.io/jobset-name':'w','jobset.sigs.k8s.io/replicatedjob-name':'r',"
     "'jobset.sigs.k8s.io/job-index':'0'",
     "batch/v1", "Job", &skr_gang_owner_jobset, "jobsets.jobset.x-k8s.io"},
    {"lws",
     "'leaderworkerset.sigs.k8s.io/name':'w','leaderworkerset.sigs.k8s.io/group-index':'0',"
     "'leaderworkerset.sigs.k8s.io/worker-index':'0'",
     "apps/v1", "StatefulSet", &skr_gang_owner_lws, "leaderworkersets.leaderworkerset.x-k8s.io"},
    {"mpijob",
     "'training.kubeflow.org/operator-name':'mpi-operator','training.kubeflow.org/job-name':'w',"
     "'training.kubeflow.org/job-role':'worker'",
     "kubeflow.org/v2beta1", "MPIJob", &skr_gang_owner_mpijob, "mpijobs.kubeflow.org"},
    {"mpijob of v1",
     "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "MPIJob", &skr_gang_owner_mpijob_v1, "mpijobs.kubeflow.org"},
    {"pytorchjob",
     "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "PyTorchJob", &skr_gang_owner_pytorchjob, "pytorchjobs.kubeflow.org"},
    {"tfjob", "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "TFJob", &skr_gang_owner_tfjob, "tfjobs.kubeflow.org"},
    {"xgboostjob",
     "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "XGBoostJob", &skr_gang_owner_xgboostjob, "xgboostjobs.kubeflow.org"},
    {"paddlejob",
     "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "PaddleJob", &skr_gang_owner_paddlejob, "paddlejobs.kubeflow.org"},
    {"jaxjob", "'training.kubeflow.org/job-name':'w','training.kubeflow.org/replica-type':'worker'",
     "kubeflow.org/v1", "JAXJob", &skr_gang_owner_jaxjob, "jaxjobs.kubeflow.org"},
    {"raycluster", "'ray.io/cluster':'w','ray.io/node-type':'head'", "ray.io/v1", "RayCluster",
     &skr_gang_owner_raycluster, "rayclusters.ray.io"},
    {"spark",
     "'spark-role':'executor','spark-app-selector':'s','sparkoperator.k8s.io/app-name':'w'", "v1",
     "Pod", &skr_gang_owner_spark, "sparkapplications.sparkoperator.k8s.io"},
};

TEST_EACH(kind_row, kinds, a_kind_that_may_not_be_read_is_named)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    SKR_STRBUF(text);
    forbid(rig, kind_row->type, true);
    rig_create_json(rig, RIG_POD, "w-0",
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{%s},"
                    "'ownerReferences':[{'apiVersion':'%s','kind':'%s','name':'w','uid':'u-w',"
                    "'controller':true}]},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c'}]}}",
                    kind_row->labels, kind_row->api_version, kind_row->owner_kind);
    rig_run(rig, 10 * SKR_SECOND);
    skr_strbuf_addf(&text, "the daemon may not list and watch %s, and ", kind_row->resource);
    assert_true(rig_is_gated(rig, "w-0"));
    assert_true(rig_has_event(rig, text.s));
    a_group_is_bound(rig, 0, "other");
}
