/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of Jobs. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/cluster_rig.h"

static struct cluster_rig *rig;

BEFORE_EACH
{
    rig = cluster_rig_create(true);
}

AFTER_EACH
{
    cluster_rig_destroy(rig);
}

TEST(a_job_works_its_completions_off)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':2," TEMPLATE(
                   "'sandbox.sakkara/run-for':'10s'") "}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "j-0:Running j-1:Running");
    cluster_rig_run(rig, 15 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "j-0:Succeeded j-1:Succeeded j-2:Running");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.succeeded"), "2");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.active"), "1");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-0", "metadata.finalizers"), "");
    cluster_rig_run(rig, 15 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.succeeded"), "3");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[1].type"),
                        "Complete");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.active"), "");
}

TEST(an_indexed_job_numbers_its_pods)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':3,'completionMode':"
               "'Indexed'," TEMPLATE("'sandbox.sakkara/run-for':'10s'") "}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "j-0:Running j-1:Running j-2:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-2",
                                      "metadata.labels.'batch.kubernetes.io/job-completion-index'"),
                        "2");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-2", "spec.containers[0].env[0].name"),
                        "JOB_COMPLETION_INDEX");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-2", "spec.hostname"), "j-2");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/j-1", NULL);
    cluster_rig_run(rig, 30 * SECOND); /* counts as failed, and its successor waits 10 s */
    assert_string_equal(cluster_rig_pods(rig), "j-0:Succeeded j-1:Succeeded j-2:Succeeded");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "1");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.completedIndexes"), "0-2");
}

TEST(what_is_added_to_a_pod_is_not_added_to_its_template)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':3,'completionMode':"
               "'Indexed','template':{'spec':{'restartPolicy':'Never','tolerations':[{'key':'a',"
               "'operator':'Exists'}],'containers':[{'name':'c','image':'i'}]}}}}");
    cluster_rig_run(rig, SECOND);
    for (int i = 0; i < 3; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, PODS "/j-%d", i);
        assert_string_equal(sandbox_field(rig->store, path, "spec.tolerations[0].key"), "a");
        assert_string_equal(sandbox_field(rig->store, path, "spec.tolerations[2].key"),
                            "node.kubernetes.io/unreachable");
        assert_string_equal(sandbox_field(rig->store, path, "spec.tolerations[3].key"), "");
        assert_string_equal(sandbox_field(rig->store, path, "spec.containers[0].env[0].name"),
                            "JOB_COMPLETION_INDEX");
        assert_string_equal(sandbox_field(rig->store, path, "spec.containers[0].env[1].name"), "");
    }
    assert_string_equal(
        sandbox_field(rig->store, JOBS "/j", "spec.template.spec.tolerations[1].key"), "");
    assert_string_equal(
        sandbox_field(rig->store, JOBS "/j", "spec.template.spec.containers[0].env[0].name"), "");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "spec.template.spec.hostname"), "");
}

TEST(a_job_fails_beyond_its_backoff_limit)
{
    sandbox_ok(
        rig->store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'backoffLimit':1,'ttlSecondsAfterFinished':100," TEMPLATE(
            "'sandbox.sakkara/run-for':'1s','sandbox.sakkara/exit-code':'1'") "}}");
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "j-0:Failed");
    cluster_rig_run(rig, 10 * SECOND); /* 10 s after the failure was counted */
    assert_string_equal(cluster_rig_pods(rig), "j-0:Failed j-1:Failed");
    cluster_rig_run(rig, 10 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[1].reason"),
                        "BackoffLimitExceeded");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "2");
    cluster_rig_run(rig, 100 * SECOND);
    sandbox_ok(rig->store, 404, "GET " JOBS "/j", NULL);
    assert_string_equal(cluster_rig_pods(rig), "");
}

/* An Indexed Job of three; limits ends with a comma. */
#define BY_INDEX(limits)                                                                \
    "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':3,'completionMode'" \
    ":'Indexed'," limits TEMPLATE("'sandbox.sakkara/run-for':'5s'") "}}"
#define FAILURES "metadata.annotations.'batch.kubernetes.io/job-index-failure-count'"

static void will_fail(const char *pod)
{
    char path[64];
    (void)snprintf(path, sizeof path, "MERGE " PODS "/%s", pod);
    sandbox_ok(rig->store, 200, path,
               "{'metadata':{'annotations':{'sandbox.sakkara/exit-code':'1'}}}");
}

TEST(an_index_fails_by_itself_and_the_others_go_on)
{
    sandbox_ok(rig->store, 201, "POST " JOBS, BY_INDEX("'backoffLimitPerIndex':1,"));
    cluster_rig_run(rig, SECOND);
    will_fail("j-1");
    cluster_rig_run(rig,
                    8 * SECOND); /* its last failed pod is not counted before it has a successor */
    assert_string_equal(cluster_rig_pods(rig), "j-0:Succeeded j-1:Failed j-2:Succeeded");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-1", "metadata.finalizers[0]"),
                        "batch.kubernetes.io/job-tracking");
    cluster_rig_run(rig, 8 * SECOND);
    assert_string_equal(sandbox_field(rig->store, PODS "/j-1", FAILURES), "0");
    assert_string_equal(sandbox_field(rig->store, PODS "/j-1-1", FAILURES), "1");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "1");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failedIndexes"), "");
    will_fail("j-1-1");
    cluster_rig_run(rig, 10 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failedIndexes"), "1");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.completedIndexes"), "0,2");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "2");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[1].reason"),
                        "FailedIndexes");
    cluster_rig_run(rig, 60 * SECOND);
    assert_string_equal(cluster_rig_pods(rig),
                        "j-0:Succeeded j-1:Failed j-1-1:Failed j-2:Succeeded");
}

TEST(a_job_ends_with_one_failed_index_more_than_it_may_have)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               BY_INDEX("'backoffLimitPerIndex':0,'maxFailedIndexes':1,"));
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE " PODS "/j-0", NULL); /* counts as failed */
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failedIndexes"), "0");
    assert_string_equal(cluster_rig_pods(rig), "j-1:Running j-2:Running");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/j-2", NULL);
    cluster_rig_run(rig, 10 * SECOND); /* the pod that the end deletes counts as failed, too */
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failedIndexes"), "0-2");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[1].reason"),
                        "MaxFailedIndexesExceeded");
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_cron_job_runs_once_at_once)
{
    sandbox_ok(rig->store, 201, "POST /apis/batch/v1/namespaces/default/cronjobs",
               "{'metadata':{'name':'n'},'spec':{'schedule':'0 3 * * *','jobTemplate':{'spec':{"
               "'parallelism':2,'completions':2," TEMPLATE("") "}}}}");
    sandbox_ok(rig->store, 201, "POST /apis/batch/v1/namespaces/default/cronjobs",
               "{'metadata':{'name':'s'},'spec':{'suspend':true,'jobTemplate':{'spec':{" TEMPLATE(
                   "") "}}}}");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "n-1-0:Running n-1-1:Running");
    assert_string_equal(sandbox_field(rig->store, JOBS "/n-1", "metadata.ownerReferences[0].kind"),
                        "CronJob");
    sandbox_ok(rig->store, 200, "DELETE " JOBS "/n-1", NULL);
    cluster_rig_run(rig, 60 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_suspended_job_has_no_pods)
{
    sandbox_ok(
        rig->store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'suspend':true,'parallelism':2,'completions':2," TEMPLATE(
            "") "}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
    sandbox_ok(rig->store, 200, "MERGE " JOBS "/j", "{'spec':{'suspend':false}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "j-0:Running j-1:Running");
    sandbox_ok(rig->store, 200, "MERGE " JOBS "/j", "{'spec':{'suspend':true}}");
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.failed"), "");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[0].type"),
                        "Suspended");
    assert_string_equal(sandbox_field(rig->store, JOBS "/j", "status.conditions[0].status"),
                        "True");
}

TEST(a_job_takes_its_pods_with_it)
{
    sandbox_ok(
        rig->store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'parallelism':2,'completions':2," TEMPLATE("") "}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE " JOBS "/j", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_pod_that_leaves_while_its_job_goes_is_let_go)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
               "'schedulingGates':[{'name':'g'}],'containers':[{'name':'c','image':'i'}]}}}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE " PODS "/j-0", NULL);
    cluster_rig_run(rig, SECOND / 2);
    sandbox_ok(rig->store, 200, "DELETE " JOBS "/j", NULL);
    cluster_rig_run(rig, 40 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(foreground_and_orphaning_deletion_do_as_they_say)
{
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'f'},'spec':{" TEMPLATE("") "}}");
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'o'},'spec':{" TEMPLATE("") "}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE " JOBS "/f", "{'propagationPolicy':'Foreground'}");
    sandbox_ok(rig->store, 200, "DELETE " JOBS "/o", "{'propagationPolicy':'Orphan'}");
    sandbox_ok(rig->store, 200, "GET " JOBS "/f", NULL);
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 404, "GET " JOBS "/f", NULL);
    sandbox_ok(rig->store, 404, "GET " JOBS "/o", NULL);
    assert_string_equal(cluster_rig_pods(rig), "o-0:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/o-0", "metadata.ownerReferences"), "");
}

TEST(names_are_random_when_they_are_not_counted)
{
    cluster_rig_destroy(rig);
    rig = cluster_rig_create(false);
    sandbox_ok(rig->store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':1,'parallelism':1,'completionMode':"
               "'Indexed'," TEMPLATE("") "}}");
    cluster_rig_run(rig, SECOND);
    assert_int_equal(strlen(cluster_rig_pods(rig)), strlen("j-0-xxxxx:Running"));
    assert_memory_equal(cluster_rig_pods(rig), "j-0-", 4);
}

TEST(a_controller_whose_pods_are_refused_says_so_in_an_event)
{
    sandbox_ok(rig->store, 201, "POST /apis/batch/v1/namespaces/default/jobs",
               "{'metadata':{'name':'j'},'spec':{'parallelism':2,'template':{'spec':{"
               "'priorityClassName':'high','restartPolicy':'Never','containers':[{'name':'c',"
               "'image':'i'}]}}}}");
    cluster_rig_run(rig, SECOND);
    json_t *list = sandbox_expect(rig->store, 200,
                                  "GET /apis/events.k8s.io/v1/namespaces/default/events", NULL);
    const json_t *event = json_array_get(json_object_get(list, "items"), 0);
    assert_int_equal(json_array_size(json_object_get(list, "items")), 1);
    assert_string_equal(skr_path_text(event, "reason"), "FailedCreate");
    assert_string_equal(skr_path_text(event, "reportingController"), "job-controller");
    assert_string_equal(skr_path_text(event, "regarding.kind"), "Job");
    assert_string_equal(skr_path_text(event, "regarding.name"), "j");
    assert_string_equal(skr_path_text(event, "note"),
                        "Error creating: pods \"j-0\" is forbidden: no PriorityClass with name "
                        "high was found");
    json_decref(list);
}
