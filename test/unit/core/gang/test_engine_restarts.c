/* SPDX-License-Identifier: Apache-2.0 */
/* A generation that ends leaves its seats to the next one, while its workload makes pods. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#include <string.h>

#define KF "training.kubeflow.org/"

/* Workloads of four pods. labels have the index, owner_name and owner_uid the generation. */
static const struct row {
    const char *title;
    enum rig_kind kind;     /* of the object with the size; RIG_KIND_COUNT: none is read */
    const char *spec;       /* of it */
    const char *labels;     /* %d: the index of the pod */
    const char *controller; /* apiVersion and kind; its uid is that of the object, */
    bool anew;              /* ... or the controller is another one in each generation */
    const char *suspended;  /* a patch of the object; NULL: it cannot be */
    const char *scaled;     /* to nothing; NULL: it cannot be */
    const char *ended;      /* a condition */
} rows[] = {
    {"Job", RIG_JOB, "{'parallelism':4,'completions':4}",
     "'batch.kubernetes.io/job-completion-index':'%d'", "'apiVersion':'batch/v1','kind':'Job'",
     false, "{'spec':{'suspend':true}}", "{'spec':{'parallelism':0}}", "Failed"},
    {"JobSet", RIG_JOBSET,
     "{'replicatedJobs':[{'name':'w','template':{'spec':{'parallelism':4,'completions':4}}}]}",
     "'jobset.sigs.k8s.io/jobset-name':'w','jobset.sigs.k8s.io/replicatedjob-name':'w',"
     "'jobset.sigs.k8s.io/job-index':'0','jobset.sigs.k8s.io/job-global-index':'0',"
     "'batch.kubernetes.io/job-completion-index':'%d'",
     "'apiVersion':'batch/v1','kind':'Job'", true, "{'spec':{'suspend':true}}", NULL, "Completed"},
    {"LeaderWorkerSet", RIG_LWS, "{'replicas':1,'leaderWorkerTemplate':{'size':4}}",
     "'leaderworkerset.sigs.k8s.io/name':'w','leaderworkerset.sigs.k8s.io/group-index':'0',"
     "'leaderworkerset.sigs.k8s.io/worker-index':'%d'",
     "'apiVersion':'apps/v1','kind':'StatefulSet'", true, NULL, "{'spec':{'replicas':0}}", NULL},
    {"PyTorchJob", RIG_PYTORCHJOB, "{'pytorchReplicaSpecs':{'Worker':{'replicas':4}}}",
     "'" KF "job-name':'w','" KF "replica-type':'worker','" KF "replica-index':'%d'",
     "'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob'", false,
     "{'spec':{'runPolicy':{'suspend':true}}}", NULL, "Succeeded"},
    {"MPIJob", RIG_MPIJOB, "{'mpiReplicaSpecs':{'Worker':{'replicas':4}}}",
     "'" KF "operator-name':'mpi-operator','" KF "job-name':'w','" KF "job-role':'worker','" KF
     "replica-index':'%d'",
     "'apiVersion':'kubeflow.org/v2beta1','kind':'MPIJob'", false,
     "{'spec':{'runPolicy':{'suspend':true}}}", NULL, "Failed"},
    {"RayCluster", RIG_RAYCLUSTER, "{'workerGroupSpecs':[{'groupName':'g','replicas':3}]}",
     "'ray.io/cluster':'w','ray.io/node-type':'worker','ray.io/group':'g','index':'%d'",
     "'apiVersion':'ray.io/v1','kind':'RayCluster'", false, "{'spec':{'suspend':true}}", NULL,
     NULL},
    {"StatefulSet", RIG_STATEFUL_SET, "{'replicas':4,'podManagementPolicy':'Parallel'}",
     "'apps.kubernetes.io/pod-index':'%d'", "'apiVersion':'apps/v1','kind':'StatefulSet'", false,
     NULL, "{'spec':{'replicas':0}}", NULL},
    {"Job with a map", RIG_JOB, "{'parallelism':4,'completions':4}",
     "'sakkara.group.name':'g','batch.kubernetes.io/job-completion-index':'%d'",
     "'apiVersion':'batch/v1','kind':'Job'", false, "{'spec':{'suspend':true}}",
     "{'spec':{'parallelism':0}}", "Complete"},
    {"JobSet with a map", RIG_JOBSET,
     "{'replicatedJobs':[{'name':'w','template':{'spec':{'parallelism':4,'completions':4}}}]}",
     "'sakkara.group.name':'g','jobset.sigs.k8s.io/jobset-name':'w',"
     "'jobset.sigs.k8s.io/replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':'0',"
     "'batch.kubernetes.io/job-completion-index':'%d'",
     "'apiVersion':'batch/v1','kind':'Job'", true, "{'spec':{'suspend':true}}", NULL, "Failed"},
    {"LeaderWorkerSet with a map", RIG_LWS, "{'replicas':1,'leaderWorkerTemplate':{'size':4}}",
     "'sakkara.group.name':'g','leaderworkerset.sigs.k8s.io/name':'w',"
     "'leaderworkerset.sigs.k8s.io/group-index':'0','leaderworkerset.sigs.k8s.io/"
     "worker-index':'%d'",
     "'apiVersion':'apps/v1','kind':'StatefulSet'", true, NULL, "{'spec':{'replicas':0}}", NULL},
    {"Deployment", RIG_DEPLOYMENT, "{'replicas':4}", "'index':'%d'",
     "'apiVersion':'apps/v1','kind':'ReplicaSet'", true, NULL, "{'spec':{'replicas':0}}", NULL},
    {"Deployment with a map", RIG_DEPLOYMENT, "{'replicas':4}",
     "'sakkara.group.name':'g','index':'%d'", "'apiVersion':'apps/v1','kind':'ReplicaSet'", true,
     NULL, "{'spec':{'replicas':0}}", NULL},
    {"ReplicaSet", RIG_KIND_COUNT, NULL, "'index':'%d'",
     "'apiVersion':'apps/v1','kind':'ReplicaSet'", false, NULL, NULL, NULL},
};

static void generation(struct rig *rig, const struct row *row, int number)
{
    const struct rig_object *owner =
        row->kind < RIG_KIND_COUNT ? rig_find(rig, row->kind, "w") : NULL;
    for (int i = 0; i < 4; i++) {
        char pod[32], labels[512], uid[64], name[32] = "w";
        snprintf(pod, sizeof pod, "g%d-%d", number, i);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(labels, sizeof labels, row->labels, i);
#pragma GCC diagnostic pop
        snprintf(uid, sizeof uid, "of-%d", row->anew ? number : 0);
        if (row->kind == RIG_DEPLOYMENT) {
            snprintf(name, sizeof name, "w-hash%d", number);
        }
        rig_create_json(
            rig, RIG_POD, pod,
            "{'metadata':{'annotations':{'sakkara.gang':'auto','leaderworkerset.sigs.k8s.io/"
            "size':'4'%s},"
            "'labels':{%s,'jobset.sigs.k8s.io/restart-attempt':'%d','pod-template-hash':'hash%d'},"
            "'ownerReferences':[{%s,'name':'%s','uid':'%s','controller':true}]},"
            "'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
            owner && row->kind != RIG_DEPLOYMENT ? "" : ",'sakkara.group.size':'4'", labels, number,
            number, row->controller, name,
            owner && !row->anew ? skr_object_text(json_object_get(owner->json, "metadata"), "uid")
                                : uid);
        rig_run(rig, SKR_MILLISECOND); /* a leader is older than its workers */
    }
}

/* Four slots, all used by the workload; a pod of another group waits for one. */
static struct rig *full(const struct row *row)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "other", 1, 0, NULL);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    if (row->kind < RIG_KIND_COUNT) {
        rig_create_json(rig, row->kind, "w", "{'spec':%s}", row->spec);
    }
    generation(rig, row, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g0", 4);
    rig_pod(rig, "other-0", "other", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    return rig;
}

static void end_pods(struct rig *rig, bool leave)
{
    for (int i = 0; i < 4; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "g0-%d", i);
        if (leave) {
            rig_delete(rig, RIG_POD, pod);
            rig_run(rig, SKR_SECOND);
        } else {
            rig_terminate(rig, pod);
        }
    }
}

TEST_EACH(row, rows, a_generation_that_ends_leaves_its_seats_to_the_next_one)
{
    SKR_AUTO(rig_destroy) struct rig *rig = full(row);
    const bool at_once = row->kind == RIG_KIND_COUNT;
    end_pods(rig, false);
    if (at_once) {
        generation(rig, row, 1);
    }
    rig_run(rig, 20 * SKR_SECOND);
    end_pods(rig, true);
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    if (!at_once) {
        generation(rig, row, 1);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g1", 4);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    rig_assert_clean(rig);
}

TEST_EACH(row, rows, pods_that_terminate_while_the_daemon_starts_anew_leave_their_seats_too)
{
    SKR_AUTO(rig_destroy) struct rig *rig = full(row);
    const bool at_once = row->kind == RIG_KIND_COUNT;
    end_pods(rig, false);
    if (at_once) {
        generation(rig, row, 1);
    }
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    end_pods(rig, true);
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    if (!at_once) {
        generation(rig, row, 1);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g1", 4);
    rig_assert_clean(rig);
}

/* Both ReplicaSets of a rolling update run for a while: the one that ends leaves no seats. */
TEST(a_replica_set_whose_successor_runs_elsewhere_leaves_no_seats)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    const struct row *row = rows;
    while (row->kind != RIG_DEPLOYMENT) {
        row++;
    }
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "other", 1, 0, NULL);
    rig_sync(rig);
    rig_create_json(rig, row->kind, "w", "{'spec':%s}", row->spec);
    generation(rig, row, 0);
    generation(rig, row, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g0", 4);
    rig_assert_bound(rig, "g1", 4);
    rig_pod(rig, "other-0", "other", RIG_GATED);
    end_pods(rig, false);
    rig_run(rig, SKR_SECOND);
    end_pods(rig, true);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "other-0"), "");
}

enum { OWNER_GONE, OWNER_GOES, SUSPENDED, SCALED, ENDED, WAYS };

/* Whether it does not go on that way from now on. */
static bool stop(struct rig *rig, const struct row *row, int way)
{
    const char *patch = way == OWNER_GOES
                            ? "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}"
                        : way == SUSPENDED ? row->suspended
                        : way == SCALED    ? row->scaled
                                           : NULL;
    if (row->kind == RIG_KIND_COUNT) {
        return way == OWNER_GONE; /* and makes no pods */
    }
    if (way == OWNER_GONE) {
        rig_delete(rig, row->kind, "w");
    } else if (way == ENDED && row->ended) {
        rig_edit(rig, row->kind, "w",
                 "{'status':{'conditions':[{'type':'Other','status':'True'},"
                 "{'type':'%s','status':'True'}]}}",
                 row->ended);
    } else if (patch) {
        rig_edit(rig, row->kind, "w", "%s", patch);
    } else {
        return false;
    }
    return true;
}

TEST_EACH(row, rows, a_workload_that_does_not_go_on_leaves_no_seats)
{
    for (int way = 0; way < 2 * WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = full(row);
        const bool late = way >= WAYS; /* once the seats are held */
        const bool stopped = !late && stop(rig, row, way % WAYS);
        if (!stopped && !late) {
            continue;
        }
        end_pods(rig, false);
        rig_run(rig, SKR_SECOND);
        end_pods(rig, true);
        if (late && !stop(rig, row, way % WAYS)) {
            continue;
        }
        rig_run(rig, SKR_SECOND);
        if (!*rig_node_of(rig, "other-0")) {
            rig_fail(rig, "%s keeps its seats, way %d", row->title, way);
        }
    }
}

TEST_RIG(full(&rows[1]), seats_that_no_next_generation_takes_are_given_up_in_time)
{
    end_pods(rig, false);
    end_pods(rig, true); /* over 4 s */
    rig_run(rig, 57 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    rig_run(rig, 4 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "other-0"), "");
}

/* The leader has left for long when its workers leave. */
TEST_RIG(full(&rows[2]), the_time_of_seats_begins_when_the_last_member_has_left)
{
    end_pods(rig, false);
    rig_delete(rig, RIG_POD, "g0-0");
    rig_run(rig, 100 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    rig_delete_pods(rig, "g0", 1, 4);
    rig_run(rig, 50 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    generation(rig, &rows[2], 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g1", 4);
}

/* A member with a finalizer holds no seat of others for longer than option seatHoldMax. */
TEST_RIG(full(&rows[1]), a_member_that_never_leaves_does_not_keep_the_seats_of_others)
{
    end_pods(rig, false);
    rig_delete(rig, RIG_POD, "g0-0");
    rig_run(rig, 590 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "other-0"), "");
}

TEST_RIG(full(&rows[1]), a_higher_priority_takes_the_seats_of_a_generation_that_has_ended)
{
    end_pods(rig, false);
    end_pods(rig, true);
    rig_group(rig, "urgent", 2, 5, NULL);
    rig_pods(rig, "u", 2, "urgent", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "u", 2);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
}

/* Its workers come once the leader runs. */
TEST_RIG(full(&rows[2]), a_leader_that_starts_alone_leaves_the_seats_of_its_workers_to_them)
{
    rig_edit(rig, RIG_LWS, "w", "{'spec':{'startupPolicy':'LeaderReady'}}");
    rig_run(rig, SKR_SECOND);
    end_pods(rig, false);
    end_pods(rig, true);
    generation(rig, &rows[2], 1);
    rig_delete_pods(rig, "g1", 1, 4);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "g1-0"), "");
    assert_string_equal(rig_node_of(rig, "other-0"), "");
}

/* Ten slots. The workload and h ran on eight, so h may hold three seats beside the four of the workload; then h runs on one. */
TEST(what_a_namespace_ran_with_allows_no_seats_when_it_counts_no_more)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 10, 1);
    rig_group(rig, "h", 4, 0, NULL);
    rig_edit(rig, RIG_MAP, "h", "{'data':{'seat-hold':'600s'}}");
    rig_sync(rig);
    rig_create_json(rig, rows[1].kind, "w", "{'spec':%s}", rows[1].spec);
    generation(rig, &rows[1], 0);
    rig_pods(rig, "h", 4, "h", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g0", 4);
    rig_assert_bound(rig, "h", 4);
    end_pods(rig, true);
    rig_delete_pods(rig, "h", 1, 4);
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "h", "SeatHeld"), "3 seats are held"));
    rig_run(rig, 65 * SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "h", "SeatHeld"), "1 seat is held"));
}

/* An attempt of a Job of four. */
static void attempt(struct rig *rig, const char *job, int number)
{
    const json_t *meta = json_object_get(rig_find(rig, RIG_JOB, job)->json, "metadata");
    for (int i = 0; i < 4; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s%d-%d", job, number, i),
                        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'ownerReferences':[{"
                        "'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':"
                        "true}]},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                        "'resources':{'requests':{'cpu':'1'}}}]}}",
                        job, skr_object_text(meta, "uid"));
    }
    rig_run(rig, 5 * SKR_SECOND);
}

static void end_attempt(struct rig *rig, const char *job, int number)
{
    for (int i = 0; i < 4; i++) {
        rig_delete(rig, RIG_POD, test_text("%s%d-%d", job, number, i));
    }
    rig_run(rig, SKR_SECOND);
}

/* Twelve slots. Three Jobs start again; the first one is back, and fails again before the others are. */
TEST(a_namespace_keeps_the_seats_of_all_that_start_again_when_one_does_so_twice)
{
    static const char *const job[] = {"a", "b", "c"};
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 12, 1);
    rig_sync(rig);
    for (int i = 0; i < 3; i++) {
        rig_create_json(rig, RIG_JOB, job[i], "{'spec':{'parallelism':4,'completions':4}}");
        attempt(rig, job[i], 0);
    }
    for (int i = 0; i < 3; i++) {
        end_attempt(rig, job[i], 0);
    }
    attempt(rig, "a", 1);
    rig_assert_bound(rig, "a1", 4);
    end_attempt(rig, "a", 1);
    rig_pod(rig, "other/p", NULL, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other/p"), "");
    for (int i = 0; i < 3; i++) {
        attempt(rig, job[i], 2);
    }
    rig_assert_bound(rig, "a2", 4);
    rig_assert_bound(rig, "b2", 4);
    rig_assert_bound(rig, "c2", 4);
    rig_assert_clean(rig);
}
