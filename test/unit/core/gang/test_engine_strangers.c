/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that look like members of a group and are none are named by what keeps them out. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

static struct rig *cluster(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings); /* explanations aside */
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 2, 40);
    rig_sync(rig);
    rig_create_json(rig, RIG_JOBSET, "js",
                    "{'spec':{'replicatedJobs':[{'name':'lead','template':{'spec':{}}},"
                    "{'name':'work','template':{'spec':{'parallelism':2,'completions':2}}}]}}");
    return rig;
}

static void pod(struct rig *rig, const char *name, const char *role, const char *metadata,
                const char *scheduler)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'jobset.sigs.k8s.io/jobset-name':'js',"
                    "'jobset.sigs.k8s.io/replicatedjob-name':'%s',"
                    "'jobset.sigs.k8s.io/job-index':'0'},%s},'spec':{'schedulerName':'%s',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1'}}}]}}",
                    role, metadata, scheduler);
}

static void workers(struct rig *rig)
{
    for (int i = 0; i < 2; i++) {
        pod(rig, test_text("work-%d", i), "work", "'annotations':{'sakkara.gang':'auto'}",
            "sakkara");
    }
}

static const char *sentence(struct rig *rig)
{
    return skr_object_text(rig_explain(rig, "jobset/js"), "sentence");
}

static const struct stranger_row {
    const char *title, *metadata, *scheduler, *says;
} strangers[] = {
    {"another scheduler", "'annotations':{'sakkara.gang':'auto'}", "other",
     "1 pod is no member: lead-0 (schedulerName other)"},
    {"switched off", "'annotations':{'sakkara.gang':'off'}", "sakkara",
     "1 pod is no member: lead-0 (annotation sakkara.gang: off)"},
    {"no annotation", "'annotations':{}", "sakkara",
     "1 pod is no member: lead-0 (bound by itself: another schedulerName, or "
     "no annotation sakkara.gang on template lead)"},
    {"another scope", "'annotations':{'sakkara.gang':'job'}", "sakkara",
     "1 pod is no member: lead-0 (in group jobset/js/lead/0)"},
};

TEST_EACH(stranger_row, strangers, the_message_says_why_a_pod_of_the_workload_is_no_member)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    SKR_STRBUF(text);
    workers(rig);
    pod(rig, "lead-0", "lead", stranger_row->metadata, stranger_row->scheduler);
    rig_run(rig, 20 * SKR_SECOND);
    skr_strbuf_addf(
        &text,
        "group jobset/js has 2 of 3 members (the sum of spec.replicatedJobs of JobSet js); %s",
        stranger_row->says);
    assert_string_equal(sentence(rig), text.s);
}

TEST_RIG(cluster(), a_pod_of_another_workload_is_no_stranger)
{
    workers(rig);
    rig_create_json(rig, RIG_POD, "alone-0",
                    "{'metadata':{'labels':{'jobset.sigs.k8s.io/jobset-name':'other',"
                    "'jobset.sigs.k8s.io/replicatedjob-name':'lead',"
                    "'jobset.sigs.k8s.io/job-index':'0'}},'spec':{'schedulerName':'other',"
                    "'containers':[{'name':'c'}]}}");
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(
        sentence(rig),
        "group jobset/js has 2 of 3 members (the sum of spec.replicatedJobs of JobSet js)");
}

TEST_RIG(cluster(), a_stranger_that_becomes_a_member_is_not_named_any_more)
{
    workers(rig);
    pod(rig, "lead-0", "lead", "'annotations':{}", "sakkara");
    rig_run(rig, 20 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "lead-0");
    pod(rig, "lead-1", "lead", "'annotations':{'sakkara.gang':'auto'}", "sakkara");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "work", 2);
    assert_string_equal(rig_state(rig, "default/jobset/js"), "Bound");
}

/* Pods PREFIX-0 .. of a controller: its kind and apiVersion, its name and uid. */
static void controlled(struct rig *rig, const char *prefix, int n, const char *metadata,
                       const char *controller, const char *name)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{%s,'ownerReferences':[{%s,'name':'%s','uid':'of-%s',"
                        "'controller':true}]},'spec':{'schedulerName':'sakkara','schedulingGates':["
                        "{'name':'sakkara.gang'}],'containers':[{'name':'c','resources':{"
                        "'requests':{'cpu':'1'}}}]}}",
                        metadata, controller, name, name);
    }
}

#define OF_REPLICASET "'apiVersion':'apps/v1','kind':'ReplicaSet'"
#define OF_OPERATOR   "'apiVersion':'example.com/v1','kind':'Gang'"
#define SIZE_3        "'annotations':{'sakkara.gang':'auto','sakkara.group.size':'3'}"

TEST_RIG(cluster(), a_rolling_update_is_named_by_its_strategy)
{
    controlled(rig, "web-5d8f7c-a", 3, SIZE_3 ",'labels':{'pod-template-hash':'5d8f7c'}",
               OF_REPLICASET, "web-5d8f7c");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "web-5d8f7c-a", 3);
    controlled(rig, "web-6f9b-b", 1, SIZE_3 ",'labels':{'pod-template-hash':'6f9b'}", OF_REPLICASET,
               "web-6f9b");
    controlled(rig, "web-ui-77aa-c", 1, "'labels':{'pod-template-hash':'77aa'}", OF_REPLICASET,
               "web-ui-77aa"); /* of another Deployment */
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(
        skr_object_text(rig_explain(rig, "replicaset.apps/web-6f9b"), "sentence"),
        "group replicaset.apps/web-6f9b has 1 of 3 members (annotation sakkara.group.size); 3 pods "
        "are no members: web-5d8f7c-a-0 and 2 others (of another ReplicaSet: a RollingUpdate "
        "replaces pods one by one; set strategy Recreate in Deployment web)");
}

TEST_RIG(cluster(), a_member_that_has_failed_and_is_not_made_again_is_named)
{
    controlled(rig, "w", 3, SIZE_3, OF_OPERATOR, "run");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "w", 3);
    rig_phase(rig, "w-1", "Failed");
    rig_delete(rig, RIG_POD, "w-0"); /* suspended and resumed */
    rig_delete(rig, RIG_POD, "w-2");
    rig_run(rig, SKR_SECOND);
    controlled(rig, "again", 2, SIZE_3, OF_OPERATOR, "run");
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(
        skr_object_text(rig_explain(rig, "gang.example.com/run"), "sentence"),
        "group gang.example.com/run has 2 of 3 members (annotation sakkara.group.size); 1 pod is "
        "no member: w-1 (it has Failed and its controller makes no other: delete it)");
}
