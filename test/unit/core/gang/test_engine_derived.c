/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that nothing but a workload defines. */
#include "core/gang/state/gang.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#include <string.h>

#define GATED "'schedulingGates':[{'name':'sakkara.gang'}],"

/* The uid that the API server gave to a Job; "none" before it exists. */
static const char *uid_of(const struct rig *rig, const char *name)
{
    const struct rig_object *o = rig_find(rig, RIG_JOB, name);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : "none";
}

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    return rig;
}

/* Pods NAME-0 .. of a Job, with these annotations. */
static void job_pods(struct rig *rig, const char *name, int n, const char *annotations)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(
            rig, RIG_POD, test_text("%s-%d", name, i),
            "{'metadata':{'annotations':{%s},'labels':{'batch.kubernetes.io/job-name':'%s',"
            "'batch.kubernetes.io/job-completion-index':'%d'},'ownerReferences':[{'apiVersion':"
            "'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':true}]},"
            "'spec':{'schedulerName':'sakkara'," GATED
            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
            annotations, name, i, name, uid_of(rig, name));
    }
}

static void job(struct rig *rig, const char *name, int parallelism)
{
    rig_create_json(rig, RIG_JOB, name, "{'spec':{'parallelism':%d,'completions':%d}}", parallelism,
                    parallelism);
}

TEST_RIG(cluster(), a_job_with_one_annotation_is_a_gang)
{
    job(rig, "train", 4);
    job_pods(rig, "train", 3, "'sakkara.gang':'auto'");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "train-0"));
    assert_string_equal(rig_state(rig, "default/job/train"), "Pending");
    job_pods(rig, "late", 0, "");
    rig_create_json(
        rig, RIG_POD, "train-3",
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{'batch.kubernetes.io/"
        "job-completion-index':'3'},'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job',"
        "'name':'train','uid':'%s','controller':true}]},"
        "'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
        uid_of(rig, "train"));
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
    assert_string_equal(rig_state(rig, "default/job/train"), "Bound");
    for (int i = 0; i < 4; i++) { /* ranks are completion indexes */
        char pod[32], rank[32];
        snprintf(pod, sizeof pod, "train-%d", i);
        snprintf(rank, sizeof rank, "%d", i);
        assert_string_equal(rig_label(rig, pod, "sakkara.member.rank"), rank);
    }
}

TEST_RIG(cluster(), a_job_without_the_annotation_is_not)
{
    job(rig, "plain", 2);
    job_pods(rig, "plain", 1, "");
    job_pods(rig, "off", 1, "'sakkara.gang':'off'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "plain", 1);
    rig_assert_bound(rig, "off", 1);
}

TEST_RIG(cluster(), members_that_come_before_their_owner_wait_for_it)
{
    static const char pod[] =
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
        "'jobset.sigs.k8s.io/job-index':'0'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(rig, RIG_POD, "js-0", pod);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "js-0"));
    assert_true(rig_has_event(rig, "Pod/js-0 Normal GroupWaiting: group jobset/js waits for its "
                                   "owner JobSet js"));
    assert_false(rig_has_event(rig, "Warning"));
    rig_run(rig, 15 * SKR_SECOND);
    assert_false(rig_has_event(rig, "JobSet js does not exist"));
    rig_run(rig, 10 * SKR_SECOND); /* 35 s */
    assert_true(rig_has_event(rig, "JobSet js does not exist"));
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js", 1);
}

/* ---- pods of a JobSet that have succeeded are not made again ---- */

static void jobset_pod(struct rig *rig, const char *name, const char *part, int job)
{
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'%s',"
        "'jobset.sigs.k8s.io/job-index':'%d','jobset.sigs.k8s.io/restart-attempt':'0'},"
        "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'js-%s-%d',"
        "'uid':'of-%s-%d','controller':true}]},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
        part, job, part, job, part, job);
}

static void end(struct rig *rig, const char *name, const char *phase)
{
    rig_edit(rig, RIG_POD, name, "{'status':{'phase':'%s'}}", phase);
    rig_run(rig, 100 * SKR_MILLISECOND);
}

TEST_RIG(cluster(), a_jobset_whose_pods_all_fail_starts_again_without_its_jobs_that_are_complete)
{
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'spec':{'replicatedJobs':[{'name':'prep','template':{'spec':{}}},"
                    "{'name':'w','replicas':2,'template':{'spec':{'completions':1}}}]}}");
    jobset_pod(rig, "js-0", "prep", 0);
    jobset_pod(rig, "js-1", "w", 0);
    jobset_pod(rig, "js-2", "w", 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js", 3);
    end(rig, "js-0", "Succeeded");
    end(rig, "js-1", "Failed");
    end(rig, "js-2", "Failed");
    jobset_pod(rig, "next-0", "w", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "next-0"));
    jobset_pod(rig, "next-1", "w", 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "next", 2);
}

TEST_RIG(cluster(), the_last_pods_of_a_jobset_are_fewer_than_its_parallelism)
{
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'spec':{'replicatedJobs':[{'name':'w','template':"
                    "{'spec':{'parallelism':2,'completions':3}}}]}}");
    jobset_pod(rig, "js-0", "w", 0);
    jobset_pod(rig, "js-1", "w", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js", 2);
    end(rig, "js-0", "Succeeded");
    end(rig, "js-1", "Succeeded");
    jobset_pod(rig, "last-0", "w", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "last", 1);
}

/* ---- kinds are listed when a pod needs them ---- */

static size_t n_asked(const struct rig *rig)
{
    return (size_t)__builtin_popcount(rig->gang->owners.asked);
}

TEST_RIG(cluster(), kinds_that_no_pod_needs_are_not_watched)
{
    rig_group(rig, "g", 1, 0, NULL);
    rig_pod(rig, "g-0", "g", RIG_BARE);
    rig_pod(rig, "alone", NULL, RIG_BARE);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 1);
    assert_int_equal(n_asked(rig), 0);
    job(rig, "train", 1);
    job_pods(rig, "train", 1, "'sakkara.gang':'auto'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 1);
    assert_int_equal(n_asked(rig), 1);
}

/* Its pods claim a size: with a missing Job the group would be planned. */
TEST_RIG(cluster(), nothing_is_derived_from_a_kind_that_is_not_listed_yet)
{
    rig->hold_lists = true;
    job(rig, "train", 2);
    job_pods(rig, "train", 2, "'sakkara.gang':'auto','sakkara.group.size':'2'");
    rig_run(rig, 100 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "train-0"));
    assert_true(rig_has_event(rig, "group job/train waits for the first list of jobs.batch"));
    assert_false(rig_has_event(rig, "does not exist"));
    rig->hold_lists = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 2);
}

/* Lists of owners are complete after those of pods. */
TEST_RIG(cluster(), a_restart_decides_nothing_before_owners_are_listed)
{
    job(rig, "train", 4);
    job_pods(rig, "train", 4, "'sakkara.gang':'auto'");
    rig->hold_scheduler = true; /* a plan stands */
    rig_run(rig, 5 * SKR_SECOND);
    rig->hold_lists = rig->late_lists = true;
    rig_restart(rig);
    rig_run(rig, 100 * SKR_SECOND);
    assert_false(skr_frame_is_synced(rig->gang->frame));
    assert_false(strstr(rig->log.s, "Plan aborted"));
    rig_restart(rig); /* between the two lists */
    rig->hold_lists = rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
    assert_false(strstr(rig->log.s, "Plan aborted"));
}

/* The plan of the leader is of a workload that the follower has not listed when it takes over. */
TEST_RIG(cluster(), a_new_leader_waits_for_the_lists_that_it_has_asked_for)
{
    job(rig, "train", 4);
    job_pods(rig, "train", 4, "'sakkara.gang':'auto'");
    rig->hold_scheduler = true;
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    rig->hold_lists = true;
    rig_run(rig, 5 * SKR_SECOND);
    rig_event(rig, SKR_EVENT_LEADER_WON);
    rig_run(rig, 5 * SKR_SECOND);
    assert_false(skr_frame_is_synced(rig->gang->frame));
    rig->hold_lists = rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
}

TEST_RIG(cluster(), a_claimed_size_needs_no_job)
{
    job_pods(rig, "train", 2, "'sakkara.gang':'auto','sakkara.group.size':'2'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 2);
}

TEST_RIG(cluster(), a_job_of_another_uid_is_not_the_owner)
{
    job_pods(rig, "train", 1, "'sakkara.gang':'auto'");
    job(rig, "train", 1);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "train-0"));
}

TEST_RIG(cluster(), a_level_for_the_whole_job_is_kept)
{
    job(rig, "train", 8);
    job_pods(rig, "train", 8, "'sakkara.gang':'auto','sakkara.group.within':'rack'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 8);
    job(rig, "wide", 9);
    job_pods(rig, "wide", 9, "'sakkara.gang':'auto','sakkara.group.within':'rack'");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "wide-0"));
}

TEST_RIG(cluster(), a_defect_of_an_annotation_is_told_with_its_position)
{
    job(rig, "train", 1);
    job_pods(rig, "train", 1, "'sakkara.gang':'auto','sakkara.group.size':'many'");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/job/train"), "Invalid");
    job(rig, "odd", 1);
    job_pods(rig, "odd", 1, "'sakkara.gang':'yes'");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/job/odd"), "Invalid");
}

TEST_RIG(cluster(), a_namespace_can_enter_all_its_pods)
{
    static const char pod[] =
        "{'metadata':{'labels':{'jobset.sigs.k8s.io/jobset-name':'js',"
        "'jobset.sigs.k8s.io/replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':'0',"
        "'jobset.sigs.k8s.io/job-global-index':'%d'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(rig, RIG_NAMESPACE, "default",
                    "{'metadata':{'labels':{'sakkara.gang':'auto'}}}");
    rig_create_json(
        rig, RIG_JOBSET, "js",
        "{'spec':{'replicatedJobs':[{'name':'w','replicas':2,'template':{'spec':{}}}]}}");
    rig_create_json(rig, RIG_POD, "js-0", pod, 0);
    job_pods(rig, "plain", 1, ""); /* a plain Job is a gang only if it says so */
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "js-0"));
    rig_assert_bound(rig, "plain", 1);
    rig_create_json(rig, RIG_POD, "js-1", pod, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js", 2);
}

TEST_RIG(cluster(), a_jobset_in_order_is_one_group_after_the_other)
{
    static const char pod[] =
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'%s',"
        "'jobset.sigs.k8s.io/job-index':'0'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(rig, RIG_POD, "a-0", pod, "first"); /* before its JobSet is known */
    rig_run(rig, 5 * SKR_SECOND);
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'spec':{'replicatedJobs':[{'name':'first','template':{'spec':{}}},"
                    "{'name':'second','dependsOn':[{'name':'first'}],'template':{'spec':{}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "a", 1);
    assert_string_equal(rig_state(rig, "default/jobset/js/first"), "Bound");
    rig_create_json(rig, RIG_POD, "b-0", pod, "second");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 1);
    rig_restart(rig); /* pods that run are listed before their JobSet */
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/jobset/js/first"), "Bound");
    assert_string_equal(rig_state(rig, "default/jobset/js"), "");
}

TEST_RIG(cluster(), a_label_wins_over_what_is_derived)
{
    rig_group(rig, "g", 2, 0, NULL);
    job(rig, "train", 1);
    rig_create_json(
        rig, RIG_POD, "train-0",
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{'sakkara.group.name':'g'},"
        "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'train','uid':"
        "'uid-of-train','controller':true}]},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "train-0"));
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
}

TEST_RIG(cluster(), a_restart_keeps_a_derived_gang)
{
    job(rig, "train", 4);
    job_pods(rig, "train", 4, "'sakkara.gang':'auto'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/job/train"), "Bound");
    rig_delete(rig, RIG_POD, "train-2");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/job/train"), "Bound");
}

/* The pod is evicted with its gang, by the daemon that saw the edit and by the next one. */
TEST_RIG(cluster(),
         a_bound_pod_stays_in_its_gang_when_its_annotation_is_edited_also_after_a_restart)
{
    job(rig, "train", 16);
    job_pods(rig, "train", 16, "'sakkara.gang':'auto'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 16);
    assert_string_equal(rig_annotation(rig, RIG_POD, "train-3", "sakkara.member.group"), "");
    rig_edit(rig, RIG_POD, "train-3", "{'metadata':{'annotations':{'sakkara.gang':'off'}}}");
    rig_edit(rig, RIG_POD, "train-4", "{'metadata':{'labels':{'sakkara.group.name':'other'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_POD, "train-3", "sakkara.member.group"),
                        "job/train");
    const size_t written = rig_count(rig, SKR_WRITE_PATCH_POD, NULL);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), written);
    rig_group(rig, "high", 4, 1, NULL);
    rig_pods(rig, "high", 4, "high", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "high", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 16);
}

/* The annotation of a pod that waits, or one that no daemon writes, moves nothing. */
TEST_RIG(cluster(), the_group_that_a_pod_claims_to_be_kept_in_counts_only_if_it_is_bound)
{
    job(rig, "train", 4);
    job_pods(rig, "train", 4, "'sakkara.gang':'auto','sakkara.member.group':'job/other'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 4);
    assert_string_equal(rig_state(rig, "default/job/train"), "Bound");
}

TEST_RIG(cluster(), a_restarted_jobset_is_a_new_gang_once_the_old_one_is_gone)
{
    static const char pod[] =
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
        "'jobset.sigs.k8s.io/job-index':'0','jobset.sigs.k8s.io/restart-attempt':'%d',"
        "'jobset.sigs.k8s.io/job-global-index':'%d'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(
        rig, RIG_JOBSET, "js",
        "{'spec':{'replicatedJobs':[{'name':'w','replicas':2,'template':{'spec':{}}}]}}");
    rig_create_json(rig, RIG_POD, "old-0", pod, 0, 0);
    rig_create_json(rig, RIG_POD, "old-1", pod, 0, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "old", 2);
    rig_create_json(rig, RIG_POD, "new-0", pod, 1, 0);
    rig_create_json(rig, RIG_POD, "new-1", pod, 1, 1);
    rig_delete(rig, RIG_POD, "old-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "new-0"));
    rig_delete(rig, RIG_POD, "old-1");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 2);
}

/* A JobSet that is made again begins with attempt 0: its uid tells its pods from the old ones. */
TEST_RIG(cluster(), a_jobset_that_is_made_again_is_a_new_gang)
{
    static const char pod[] =
        "{'metadata':{'annotations':{'sakkara.gang':'auto','sakkara.group.size':'2'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
        "'jobset.sigs.k8s.io/jobset-uid':'%s','jobset.sigs.k8s.io/job-index':'0',"
        "'jobset.sigs.k8s.io/restart-attempt':'0'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(rig, RIG_POD, "old-0", pod, "first");
    rig_create_json(rig, RIG_POD, "old-1", pod, "first");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "old", 2);
    rig_create_json(rig, RIG_POD, "new-0", pod, "second");
    rig_create_json(rig, RIG_POD, "new-1", pod, "second");
    rig_delete(rig, RIG_POD, "old-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "new-0"));
    rig_delete(rig, RIG_POD, "old-1");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 2);
}

/* Pods of the old attempt that never ran are still there. */
TEST_RIG(cluster(), pods_of_two_attempts_are_never_placed_together)
{
    static const char pod[] =
        "{'metadata':{'annotations':{'sakkara.gang':'auto','sakkara.group.size':'2'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
        "'jobset.sigs.k8s.io/jobset-uid':'u','jobset.sigs.k8s.io/job-index':'0',"
        "'jobset.sigs.k8s.io/restart-attempt':'%d'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}";
    rig_create_json(rig, RIG_POD, "old-0", pod, 0);
    rig_run(rig, 2 * SKR_SECOND);
    rig_create_json(rig, RIG_POD, "new-0", pod, 1);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "old-0"));
    assert_true(rig_is_gated(rig, "new-0"));
    rig_create_json(rig, RIG_POD, "new-1", pod, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 2);
    assert_true(rig_is_gated(rig, "old-0"));
}

/* The uid of an object of this kind; "none" before it exists. */
static const char *uid_in(const struct rig *rig, enum rig_kind kind, const char *name)
{
    const struct rig_object *o = rig_find(rig, kind, name);
    return o ? skr_object_text(json_object_get(o->json, "metadata"), "uid") : "none";
}

static void lws_pod(struct rig *rig, const char *name, int index, const char *set)
{
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'annotations':{'sakkara.gang':'auto','leaderworkerset.sigs.k8s.io/size':'3'},"
        "'labels':{'leaderworkerset.sigs.k8s.io/name':'s','leaderworkerset.sigs.k8s.io/"
        "group-index':"
        "'0','leaderworkerset.sigs.k8s.io/worker-index':'%d'},'ownerReferences':[{'apiVersion':"
        "'apps/v1','kind':'StatefulSet','name':'%s','uid':'%s','controller':true}]},"
        "'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
        index, set, uid_in(rig, RIG_STATEFUL_SET, set));
}

/* The StatefulSet of the workers of a leader, and its pods NAME-1, NAME-2. */
static void lws_workers(struct rig *rig, const char *leader, const char *name)
{
    rig_create_json(rig, RIG_STATEFUL_SET, name,
                    "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'%s',"
                    "'uid':'%s','controller':true}]},'spec':{'replicas':2}}",
                    leader, uid_in(rig, RIG_POD, leader));
    for (int i = 1; i <= 2; i++) {
        lws_pod(rig, test_text("%s-%d", name, i), i, name);
    }
}

/* The workers of the old leader stop late. The new leader does not join them. */
TEST_RIG(cluster(), a_leader_that_is_made_again_begins_a_generation)
{
    lws_pod(rig, "s-0", 0, "s");
    lws_workers(rig, "s-0", "old");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    rig_delete(rig, RIG_POD, "s-0");
    rig_delete(rig, RIG_STATEFUL_SET, "old");
    rig_run(rig, SKR_SECOND);
    lws_pod(rig, "s-0", 0, "s");
    lws_workers(rig, "s-0", "new");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "s-0"));
    assert_true(rig_is_gated(rig, "new-1"));
    rig_delete(rig, RIG_POD, "old-1");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "s-0"));
    rig_delete(rig, RIG_POD, "old-2");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    assert_false(rig_is_gated(rig, "s-0"));
    assert_false(rig_is_gated(rig, "new-2"));
}

/* A worker that is made again by the same StatefulSet takes the seat of the lost one. */
TEST_RIG(cluster(), a_worker_of_the_same_leader_is_a_replacement)
{
    lws_pod(rig, "s-0", 0, "s");
    lws_workers(rig, "s-0", "w");
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "w-1");
    rig_run(rig, SKR_SECOND);
    lws_pod(rig, "w-1", 1, "w");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    assert_false(rig_is_gated(rig, "w-1"));
}

/* The StatefulSet of the old workers is gone, and the daemon starts anew: the old workers are older than
 * the new leader, so they are not its. */
TEST_RIG(cluster(), a_restart_knows_the_workers_of_a_leader_that_is_gone)
{
    lws_pod(rig, "s-0", 0, "s");
    lws_workers(rig, "s-0", "old");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    rig_delete(rig, RIG_POD, "s-0");
    rig_delete(rig, RIG_STATEFUL_SET, "old");
    rig_restart(rig);
    rig_run(rig, 2 * SKR_SECOND);
    lws_pod(rig, "s-0", 0, "s");
    lws_workers(rig, "s-0", "new");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "s-0"));
    assert_true(rig_is_gated(rig, "new-1"));
    rig_delete(rig, RIG_POD, "old-1");
    rig_delete(rig, RIG_POD, "old-2");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    assert_false(rig_is_gated(rig, "s-0"));
    assert_false(rig_is_gated(rig, "new-2"));
}

/* Without the permission to read StatefulSets a worker is of the newest leader that is older. */
TEST_RIG(cluster(), workers_whose_leader_is_not_known_run)
{
    lws_pod(rig, "s-0", 0, "s");
    lws_pod(rig, "w-1", 1, "w");
    lws_pod(rig, "w-2", 2, "w");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/lws/s/0"), "Bound");
    rig_delete(rig, RIG_POD, "w-1");
    rig_run(rig, SKR_SECOND);
    lws_pod(rig, "w-1", 1, "w");
    rig_run(rig, 5 * SKR_SECOND);
    assert_false(rig_is_gated(rig, "w-1"));
}

/* Its key has two slashes, as the text of a single pod had. */
TEST_RIG(cluster(), a_derived_group_gives_way_as_a_whole)
{
    job(rig, "train", 16);
    job_pods(rig, "train", 16, "'sakkara.gang':'auto'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "train", 16);
    rig_group(rig, "high", 4, 1, NULL);
    rig_pods(rig, "high", 4, "high", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "high", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 16);
}

TEST_RIG(cluster(), a_conflict_of_a_workload_says_what_to_take_away)
{
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'metadata':{'annotations':{'alpha.jobset.sigs.k8s.io/exclusive-topology':"
                    "'rack'}},'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{}}}]}}");
    rig_create_json(
        rig, RIG_POD, "js-0",
        "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{"
        "'jobset.sigs.k8s.io/jobset-name':'js','jobset.sigs.k8s.io/replicatedjob-name':'w',"
        "'jobset.sigs.k8s.io/job-index':'0'}},'spec':{'schedulerName':'sakkara'," GATED
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "js-0"));
    assert_true(rig_has_event(rig, "exclusive-topology lets workers exist only after"));
    rig_edit(rig, RIG_POD, "js-0", "{'spec':{'schedulingGates':null}}"); /* a user took it away */
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_filter(rig, "js-0", NULL).text, "sakkara: group is invalid");
}

/* A copy of the cluster without the Job would not have the size of the group. */
TEST_RIG(cluster(), the_dump_that_an_explanation_names_has_the_workload)
{
    job(rig, "large", 20);
    job_pods(rig, "large", 20, "'sakkara.gang':'auto'");
    rig_run(rig, 10 * SKR_SECOND);
    const json_t *next = json_object_get(rig_explain(rig, "job/large"), "next");
    const char *first = json_string_value(json_array_get(next, 0));
    assert_non_null(first);
    assert_string_equal(first, "kubectl get nodes,pods,configmaps,jobs -A -o json > dump.json");
}
