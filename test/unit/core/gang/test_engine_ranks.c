/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of members whose controller numbers its pods. */
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#include <string.h>

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
        pod_of_index(rig, test_text("j-%d-%c%c", i, 'a' + i * 7 % 26, 'a' + i * 11 % 26),
                     "batch.kubernetes.io/job-completion-index", i);
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
        pod_of_index(rig, test_text("j-%d-a", i), "apps.kubernetes.io/pod-index", i);
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
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
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
    }
}

/* ---- beside members that have ended ---- */

/* A pod of JOB, which makes the pods of the group: by its own name, or one of JobSet js. */
static void job_pod(struct rig *rig, const char *name, const char *job, int number, int index)
{
    const struct rig_object *owner = rig_find(rig, RIG_JOB, job);
    char labels[256] = "";
    if (!owner) {
        snprintf(
            labels, sizeof labels,
            "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
            "'jobset.sigs.k8s.io/job-index':'%d','jobset.sigs.k8s.io/job-global-index':'%d',",
            number, number);
    }
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{%s"
        "'batch.kubernetes.io/job-completion-index':'%d'},'ownerReferences':[{'apiVersion':"
        "'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':true}]},'spec':{"
        "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
        labels, index, job,
        owner ? skr_object_text(json_object_get(owner->json, "metadata"), "uid") : job);
}

static void has_rank(struct rig *rig, const char *pod, int rank)
{
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, pod), "");
    assert_string_equal(rig_label(rig, pod, "sakkara.member.rank"), test_text("%d", rank));
}

/* Four indexes; those before the last succeed, so many at the end; then the last one fails. */
TEST(an_index_keeps_its_rank_whichever_others_live)
{
    for (int succeed = 0; succeed < 4; succeed++) {
        for (int restart = 0; restart < 2; restart++) {
            SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
            rig_racks(rig, 1, 2, 4);
            rig_sync(rig);
            rig_create_json(rig, RIG_JOB, "j", "{'spec':{'parallelism':4,'completions':4}}");
            for (int i = 0; i < 4; i++) {
                job_pod(rig, test_text("j-%d", i), "j", 0, i);
            }
            rig_run(rig, 5 * SKR_SECOND);
            rig_assert_bound(rig, "j", 4);
            for (int i = 0; i < succeed; i++) {
                rig_phase(rig, test_text("j-%d", i), "Succeeded");
            }
            rig_edit(rig, RIG_JOB, "j", "{'status':{'succeeded':%d}}", succeed);
            rig_run(rig, SKR_SECOND);
            rig_phase(rig, "j-3", "Failed");
            rig_run(rig, SKR_SECOND);
            if (restart) {
                rig_restart(rig);
            }
            job_pod(rig, "again", "j", 0, 3);
            has_rank(rig, "again", 3);
            rig_phase(rig, "again", "Failed");
            rig_delete(rig, RIG_POD, "j-3");
            rig_delete(rig, RIG_POD, "again");
            job_pod(rig, "third", "j", 0, 3);
            has_rank(rig, "third", 3);
        }
    }
}

/* Two Jobs of two pods: ranks go on from one Job to the next. */
TEST(in_a_jobset_an_index_of_a_job_keeps_its_rank)
{
    for (int succeed = 0; succeed < 4; succeed++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 2, 4);
        rig_sync(rig);
        rig_create_json(rig, RIG_JOBSET, "js",
                        "{'spec':{'replicatedJobs':[{'name':'w','replicas':2,'template':{'spec':"
                        "{'parallelism':2,'completions':2}}}]}}");
        for (int i = 0; i < 4; i++) {
            job_pod(rig, test_text("js-%d", i), i < 2 ? "js-w-0" : "js-w-1", i / 2, i % 2);
        }
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "js", 4);
        for (int i = 0; i < succeed; i++) {
            rig_phase(rig, test_text("js-%d", i), "Succeeded");
        }
        rig_run(rig, SKR_SECOND);
        rig_phase(rig, "js-3", "Failed");
        job_pod(rig, "again", "js-w-1", 1, 1);
        has_rank(rig, "again", 3);
    }
}

/* More completions than pods at a time: the fifth index is no one else's. */
TEST_RIG(rig_create(), an_index_beyond_the_size_is_its_rank_too)
{
    rig_racks(rig, 1, 2, 4);
    rig_sync(rig);
    rig_create_json(rig, RIG_JOB, "j", "{'spec':{'parallelism':2,'completions':6}}");
    job_pod(rig, "j-0", "j", 0, 0);
    job_pod(rig, "j-1", "j", 0, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_phase(rig, "j-0", "Succeeded");
    job_pod(rig, "j-2", "j", 0, 2);
    has_rank(rig, "j-2", 2);
    rig_phase(rig, "j-1", "Succeeded");
    rig_phase(rig, "j-2", "Failed");
    rig_run(rig, SKR_SECOND);
    job_pod(rig, "j-2b", "j", 0, 2);
    job_pod(rig, "j-3", "j", 0, 3);
    has_rank(rig, "j-2b", 2);
    has_rank(rig, "j-3", 3);
}

/* ---- places ---- */

TEST(a_replacement_goes_to_its_own_seat_before_that_of_another)
{
    static const char *const key[] = {"batch.kubernetes.io/job-completion-index",
                                      "apps.kubernetes.io/pod-index",
                                      "training.kubeflow.org/replica-index"};
    for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
        for (int first = 2; first <= 4; first += 2) {
            SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
            char pod[32], node[32];
            rig_racks(rig, 1, 6, 1);
            rig_group(rig, "g", 6, 0, NULL);
            rig_sync(rig);
            for (int i = 0; i < 6; i++) {
                snprintf(pod, sizeof pod, "j-%d", i);
                pod_of_index(rig, pod, key[k], i);
            }
            rig_run(rig, 5 * SKR_SECOND);
            rig_delete(rig, RIG_POD, "j-2");
            rig_delete(rig, RIG_POD, "j-4");
            rig_run(rig, SKR_SECOND);
            for (int n = 0; n < 2; n++) {
                const int index = n == 0 ? first : 6 - first;
                snprintf(pod, sizeof pod, "again-%d", index);
                snprintf(node, sizeof node, "node-%d", index);
                pod_of_index(rig, pod, key[k], index);
                has_rank(rig, pod, index);
                assert_string_equal(rig_node_of(rig, pod), node);
            }
            rig_assert_clean(rig);
        }
    }
}

/* Its own seat is of no use to it: its node is closed, and no other node is open. */
TEST_RIG(rig_create(), a_replacement_without_a_seat_of_its_own_takes_another_one)
{
    rig_racks(rig, 1, 3, 1);
    rig_group(rig, "g", 3, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 3; i++) {
        pod_of_index(rig, test_text("j-%d", i), "apps.kubernetes.io/pod-index", i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-2", "{'spec':{'unschedulable':true}}");
    rig_delete(rig, RIG_POD, "j-1");
    rig_delete(rig, RIG_POD, "j-2");
    rig_run(rig, SKR_SECOND);
    pod_of_index(rig, "again-2", "apps.kubernetes.io/pod-index", 2);
    has_rank(rig, "again-2", 2);
    assert_string_equal(rig_node_of(rig, "again-2"), "node-1");
}

/* A filler kept the last member off node-0. It ends, and ties go to the first node. */
TEST(a_pod_that_is_made_again_while_it_terminates_comes_back_to_its_node_where_it_fits)
{
    for (int fits = 0; fits < 2; fits++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 3, 2);
        rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'3'}}}");
        rig_edit(rig, RIG_NODE, "node-2", "{'status':{'allocatable':{'cpu':'%d'}}}", 1 + fits);
        rig_group(rig, "g", 4, 0, NULL);
        rig_sync(rig);
        rig_create_json(rig, RIG_POD, "filler",
                        "{'spec':{'nodeName':'node-0','containers':[{'name':'c','resources':{"
                        "'requests':{'cpu':'2'}}}]}}");
        rig_run(rig, SKR_SECOND);
        for (int i = 0; i < 4; i++) {
            pod_of_index(rig, test_text("j-%d", i), "batch.kubernetes.io/job-completion-index", i);
        }
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "j-3"), "node-2");
        rig_delete(rig, RIG_POD, "filler");
        rig_terminate(rig, "j-3");
        pod_of_index(rig, "again", "batch.kubernetes.io/job-completion-index", 3);
        has_rank(rig, "again", 3);
        assert_string_equal(rig_node_of(rig, "again"), fits ? "node-2" : "node-0");
    }
}

/* ---- roles of equal pods ---- */

static void replica(struct rig *rig, const char *kind, const char *type, int index)
{
    rig_create_json(rig, RIG_POD, test_text("%s-%s-%d", kind, type, index),
                    "{'metadata':{'labels':{'sakkara.group.name':'g',"
                    "'training.kubeflow.org/replica-type':'%s',"
                    "'training.kubeflow.org/replica-index':'%d'},'ownerReferences':[{'apiVersion':"
                    "'kubeflow.org/v1','kind':'%s','name':'t','uid':'t','controller':true}]},"
                    "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    type, index, kind);
}

/* Of four members so many before the last one succeed; the others are lost and made again. */
static void lose_the_others(const char *kind, const char *const type[4], const int index[4],
                            int succeed)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    char name[4][32];
    rig_racks(rig, 1, 2, 4);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 4; i++) {
        snprintf(name[i], sizeof name[i], "%s-%s-%d", kind, type[i], index[i]);
        replica(rig, kind, type[i], index[i]);
    }
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    for (int i = 3 - succeed; i < 3; i++) {
        rig_phase(rig, name[i], "Succeeded");
    }
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        if (i == 3 || i < 3 - succeed) {
            rig_delete(rig, RIG_POD, name[i]);
            rig_run(rig, SKR_SECOND);
            replica(rig, kind, type[i], index[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        has_rank(rig, name[i], i);
    }
}

TEST(roles_of_equal_pods_keep_the_ranks_of_their_indexes)
{
    for (int succeed = 0; succeed < 3; succeed++) {
        lose_the_others("PyTorchJob", (const char *const[]){"master", "worker", "worker", "worker"},
                        (const int[]){0, 0, 1, 2}, succeed);
        lose_the_others("TFJob", (const char *const[]){"chief", "ps", "worker", "worker"},
                        (const int[]){0, 0, 0, 1}, succeed);
        lose_the_others("TFJob", (const char *const[]){"chief", "worker", "worker", "worker"},
                        (const int[]){0, 0, 1, 2}, succeed);
    }
}

/* ---- a lone replacement ---- */

/* One pod of JobSet js for each job: of w, or the first one of d. */
static void pod_of_job(struct rig *rig, const char *name, int driver, int index)
{
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'%s',"
        "'jobset.sigs.k8s.io/job-index':'%d','jobset.sigs.k8s.io/job-global-index':'%d',"
        "'batch.kubernetes.io/job-completion-index':'0'},'ownerReferences':[{'apiVersion':"
        "'batch/v1','kind':'Job','name':'js-%d','uid':'js-%d','controller':true}]},'spec':{"
        "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
        driver && index == 0 ? "d" : "w", index - driver * (index > 0), index, index, index);
}

/* All others have succeeded, and the seat of the lost one has lapsed: their ranks are not free. */
TEST(a_lone_replacement_takes_no_rank_of_a_member_that_has_succeeded)
{
    for (int lost = 0; lost < 4; lost++) {
        for (int driver = 0; driver < 2; driver++) {
            SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
            char pod[32];
            rig_racks(rig, 1, 2, 4);
            rig_sync(rig);
            rig_create_json(rig, RIG_JOBSET, "js",
                            "{'spec':{'replicatedJobs':[%s{'name':'w','replicas':%d,'template':{"
                            "'spec':{'parallelism':1,'completions':1}}}]}}",
                            driver ? "{'name':'d','template':{'spec':{'parallelism':1,"
                                     "'completions':1}}},"
                                   : "",
                            4 - driver);
            for (int i = 0; i < 4; i++) {
                snprintf(pod, sizeof pod, "j-%d", i);
                pod_of_job(rig, pod, driver, i);
            }
            rig_run(rig, 5 * SKR_SECOND);
            rig_assert_bound(rig, "j", 4);
            for (int i = 0; i < 4; i++) {
                snprintf(pod, sizeof pod, "j-%d", i);
                if (i != lost) {
                    rig_phase(rig, pod, "Succeeded");
                }
            }
            rig_run(rig, SKR_SECOND);
            snprintf(pod, sizeof pod, "j-%d", lost);
            rig_delete(rig, RIG_POD, pod);
            rig_run(rig, 300 * SKR_SECOND);
            pod_of_job(rig, "again", driver, lost);
            has_rank(rig, "again", lost);
        }
    }
}
