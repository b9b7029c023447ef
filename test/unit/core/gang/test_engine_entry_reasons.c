/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that are no group of their own accord: single pods, pod groups of Kueue, and pods that operators
 * make beside their workload. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    return rig;
}

/* n pods PREFIX-0 .. with this metadata. */
static void pods(struct rig *rig, const char *prefix, int n, const char *metadata)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{%s},'spec':{'schedulerName':'sakkara','schedulingGates':[{"
                        "'name':'sakkara.gang'}],'containers':[{'name':'c','resources':{"
                        "'requests':{'cpu':'1'}}}]}}",
                        metadata);
    }
}

/* ---- single pods ---- */

TEST_RIG(cluster(), the_reason_of_single_pods_names_the_label_that_makes_them_a_group)
{
    static const char *const annotations[] = {
        "'annotations':{'sakkara.gang':'auto'}",
        "'annotations':{'sakkara.gang':'auto','sakkara.group.size':'2'}"};
    for (size_t i = 0; i < sizeof annotations / sizeof annotations[0]; i++) {
        pods(rig, i == 0 ? "a" : "b", 2, annotations[i]);
        rig_run(rig, 10 * SKR_SECOND);
        const json_t *answer = rig_explain(rig, i == 0 ? "pod/a-0" : "pod/b-0");
        assert_string_equal(skr_object_text(answer, "reason"), "SizeUnknown");
        const char *says = skr_object_text(answer, "sentence");
        assert_non_null(strstr(says, "label sakkara.group.name"));
        assert_non_null(strstr(says, "label kueue.x-k8s.io/pod-group-name"));
    }
    pods(rig, "one", 1, "'annotations':{'sakkara.gang':'auto','sakkara.group.size':'1'}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "one", 1);
}

#define KUEUE(total)                                        \
    "'labels':{'kueue.x-k8s.io/pod-group-name':'sample'},"  \
    "'annotations':{'sakkara.gang':'auto','kueue.x-k8s.io/" \
    "pod-group-total-count':'" total "'}"

TEST_RIG(cluster(), a_pod_group_of_kueue_is_a_group)
{
    pods(rig, "k", 2, KUEUE("3"));
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "k-0"));
    assert_string_equal(skr_object_text(rig_explain(rig, "kueue/sample"), "sentence"),
                        "group kueue/sample has 2 of 3 members (annotation "
                        "kueue.x-k8s.io/pod-group-total-count)");
    pods(rig, "last", 1, KUEUE("3"));
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "k", 2);
    rig_assert_bound(rig, "last", 1);
    rig_phase(rig, "k-0", "Succeeded");
    rig_phase(rig, "k-1", "Succeeded");
    rig_phase(rig, "last-0", "Failed");
    rig_run(rig, SKR_SECOND);
    pods(rig, "again", 1, KUEUE("3")); /* Kueue takes it for the failed one */
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "again", 1);
}

TEST_RIG(cluster(), a_pod_group_of_kueue_enters_as_other_workloads_do)
{
    pods(rig, "plain", 1,
         "'labels':{'kueue.x-k8s.io/pod-group-name':'p'},'annotations':{"
         "'kueue.x-k8s.io/pod-group-total-count':'2'}");
    pods(rig, "bad", 1, KUEUE("many"));
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "plain", 1); /* it does not opt in */
    const json_t *answer = rig_explain(rig, "kueue/sample");
    assert_string_equal(skr_object_text(answer, "reason"), "SizeUnknown");
    assert_non_null(strstr(skr_object_text(answer, "sentence"),
                           "annotation kueue.x-k8s.io/pod-group-total-count of its pods must be an "
                           "integer from 1 to 100000, got \"many\""));
    rig_create_json(rig, RIG_NAMESPACE, "default",
                    "{'metadata':{'labels':{'sakkara.gang':'auto'}}}");
    pods(rig, "auto", 2,
         "'labels':{'kueue.x-k8s.io/pod-group-name':'a'},'annotations':{"
         "'kueue.x-k8s.io/pod-group-total-count':'2'}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "auto", 2);
    assert_string_equal(rig_state(rig, "default/kueue/a"), "Bound");
}

/* ---- pods that an operator makes beside its workload ---- */

#define OF_JOB                                                                             \
    "'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'ray-redis-cleanup'," \
    "'uid':'cleanup','controller':true}]"

/* KubeRay copies the head's metadata: annotation, labels, also those of a group by hand. */
TEST_RIG(cluster(), a_pod_that_kuberay_makes_to_clean_up_is_an_ordinary_pod)
{
    rig_group(rig, "by-hand", 3, 0, NULL);
    pods(rig, "clean", 1,
         "'labels':{'ray.io/cluster':'ray','ray.io/node-type':'redis-cleanup','ray.io/group':"
         "'headgroup'},'annotations':{'sakkara.gang':'auto'}," OF_JOB);
    pods(rig, "labelled", 1,
         "'labels':{'ray.io/cluster':'ray','ray.io/node-type':'redis-cleanup',"
         "'sakkara.group.name':'by-hand'}," OF_JOB);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "clean", 1);
    rig_assert_bound(rig, "labelled", 1);
}

/* ---- owners that are there, and of no use ---- */

#define JOBSET_POD(uid)                                                                      \
    "'annotations':{'sakkara.gang':'auto'},'labels':{'jobset.sigs.k8s.io/jobset-name':'js'," \
    "'jobset.sigs.k8s.io/jobset-uid':'" uid "','jobset.sigs.k8s.io/replicatedjob-name':'w'," \
    "'jobset.sigs.k8s.io/job-index':'0'}"

static void assert_says(struct rig *rig, const char *reason, const char *text)
{
    const json_t *answer = rig_explain(rig, "jobset/js");
    assert_string_equal(skr_object_text(answer, "reason"), reason);
    if (!strstr(skr_object_text(answer, "sentence"), text)) {
        fail_msg("no \"%s\" in: %s", text, skr_object_text(answer, "sentence"));
    }
}

TEST_RIG(cluster(), an_owner_that_is_of_no_use_is_reported_as_it_is)
{
    static const char good[] =
        "{'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{'parallelism':2}}}]}}";
    pods(rig, "js", 1, JOBSET_POD("gone"));
    rig_create_json(rig, RIG_JOBSET, "js", good);
    rig_run(rig, 40 * SKR_SECOND);
    assert_says(rig, "OwnerNotReadable", "JobSet js has another uid");
    rig_edit(rig, RIG_JOBSET, "js", "{'metadata':{'deletionTimestamp':'2023-11-14T22:13:20Z'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_says(rig, "OwnerNotReadable", "JobSet js is being deleted");
}

TEST_RIG(cluster(), an_owner_that_cannot_be_read_is_reported_with_its_defect)
{
    pods(rig, "js", 1, JOBSET_POD(""));
    rig_create_json(rig, RIG_JOBSET, "js", "{'spec':{'replicatedJobs':[{'name':7}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_says(rig, "OwnerNotReadable", "JobSet js cannot be read: ");
    assert_says(rig, "OwnerNotReadable", "spec.replicatedJobs[0].name");
    rig_edit(rig, RIG_JOBSET, "js",
             "{'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js", 1);
}

TEST_RIG(cluster(), a_group_that_lacks_members_says_that_its_owner_is_being_deleted)
{
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'metadata':{'deletionTimestamp':'2023-11-14T22:13:20Z'},'spec':{"
                    "'replicatedJobs':[{'name':'w','template':{'spec':{'parallelism':2,"
                    "'completions':2}}}]}}");
    pods(rig, "js", 1, JOBSET_POD(""));
    rig_run(rig, 5 * SKR_SECOND);
    assert_says(rig, "MembersMissing", "; JobSet js is being deleted");
}
