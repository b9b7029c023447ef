/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an object of one namespace costs the groups of another one, by kind. Work is counted: stamps of changes, of which
 * each evaluation of a group takes one, looks of the queue, steps of evaluation and solves. None of it may grow with
 * the groups that wait.
 */
#include "core/devices/answers.h"
#include "core/gang/state/gang.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/json_fast.h"
#include "topology/base/strbuf.h"

enum {
    CROWD = 40,  /* groups that wait for room, and as many that lack members */
    STAMPS = 30, /* of one event: less than a stamp for each group of the crowd */
    VERSIONS = 4,
};

#define META                                                                                       \
    "'metadata':{'name':'x','namespace':'hostile','uid':'x','resourceVersion':'9@','generation':@" \
    "}"
#define NAME "'metadata':{'name':'x','uid':'x','resourceVersion':'9@'}"
#define PODS "'template':{'metadata':{},'spec':{'containers':[{'name':'c','image':'i@'}]}}"
#define PART "{'replicas':@,'restartPolicy':'Never'," PODS "}"
#define ASKS "'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','count':@}}]}"
#define POD(more, spec, status)                                                                \
    "{'metadata':{'name':'x','namespace':'hostile','uid':'x','resourceVersion':'9@'" more "}," \
    "'spec':{'schedulerName':" spec ",'containers':[{'name':'c','resources':{'requests':{"     \
    "'cpu':'99@'}}}]},'status':{'phase':" status "}}"
#define OURS "'sakkara','schedulingGates':[{'name':'sakkara.gang'}]"

/* The costliest object of a kind, if @ is the number of its version. */
static const struct row {
    const struct skr_object_type *type;
    const char *text;
    bool
        of_cluster; /* no tenant may make it: what it changes may help any group, which costs one look each */
} rows[] = {
    {&skr_gang_pod, POD("", "'another'", "'Pending'"), false},
    {&skr_gang_pod, POD("", "'another','nodeName':'node-0'", "'Succeeded'"), false},
    {&skr_gang_pod, POD("", "'sakkara'", "'Pending'"), false},
    {&skr_gang_pod, POD(",'labels':{'sakkara.group.name':'none'}", OURS, "'Pending'"), false},
    {&skr_gang_pod, POD("", OURS ",'schedulingGroup':{'podGroupName':'none'}", "'Pending'"), false},
    {&skr_gang_configmap,
     "{'metadata':{'name':'x','namespace':'hostile','uid':'x','resourceVersion':'9@','labels':{"
     "'sakkara.group':''}},'data':{'name':'x','size':'@','priority':'@'}}",
     false},
    {&skr_gang_configmap,
     "{'metadata':{'name':'x','namespace':'hostile','uid':'x','resourceVersion':'9@','labels':{"
     "'sakkara.group.derived':''}},'data':{'name':'job/x','status':'@'}}",
     false},
    {&skr_gang_podgroup, "{" META ",'spec':{'minMember':@}}", false},
    {&skr_gang_native_v1beta1, "{" META ",'spec':{'schedulingPolicy':{'gang':{'minCount':@}}}}",
     false},
    {&skr_gang_native_v1alpha3, "{" META ",'spec':{'schedulingPolicy':{'gang':{'minCount':@}}}}",
     false},
    {&skr_gang_native_v1alpha2, "{" META ",'spec':{'schedulingPolicy':{'gang':{'minCount':@}}}}",
     false},
    {&skr_gang_owner_job,
     "{" META ",'spec':{'parallelism':4,'completions':4,'activeDeadlineSeconds':10@," PODS
     "},'status':{'succeeded':@}}",
     false},
    {&skr_gang_owner_statefulset, "{" META ",'spec':{'replicas':@," PODS "}}", false},
    {&skr_gang_owner_deployment, "{" META ",'spec':{'replicas':@," PODS "}}", false},
    {&skr_gang_owner_jobset,
     "{" META ",'spec':{'replicatedJobs':[{'name':'w','replicas':@,'template':{'spec':{"
     "'parallelism':2,'completions':2," PODS "}}}]}}",
     false},
    {&skr_gang_owner_lws,
     "{" META ",'spec':{'replicas':2,'leaderWorkerTemplate':{'size':@,'workerTemplate':{}}}}",
     false},
    {&skr_gang_owner_mpijob, "{" META ",'spec':{'mpiReplicaSpecs':{'Worker':" PART "}}}", false},
    {&skr_gang_owner_mpijob_v1, "{" META ",'spec':{'mpiReplicaSpecs':{'Worker':" PART "}}}", false},
    {&skr_gang_owner_pytorchjob, "{" META ",'spec':{'pytorchReplicaSpecs':{'Worker':" PART "}}}",
     false},
    {&skr_gang_owner_tfjob, "{" META ",'spec':{'tfReplicaSpecs':{'Worker':" PART "}}}", false},
    {&skr_gang_owner_xgboostjob, "{" META ",'spec':{'xgbReplicaSpecs':{'Worker':" PART "}}}",
     false},
    {&skr_gang_owner_paddlejob, "{" META ",'spec':{'paddleReplicaSpecs':{'Worker':" PART "}}}",
     false},
    {&skr_gang_owner_jaxjob, "{" META ",'spec':{'jaxReplicaSpecs':{'Worker':" PART "}}}", false},
    {&skr_gang_owner_raycluster,
     "{" META ",'spec':{'headGroupSpec':{" PODS "},'workerGroupSpecs':[{'groupName':'g',"
     "'replicas':@," PODS "}]}}",
     false},
    {&skr_gang_owner_spark, "{" META ",'spec':{'driver':{},'executor':{'instances':@}}}", false},
    {&skr_gang_budget,
     "{" META ",'spec':{'minAvailable':1,'selector':{'matchLabels':{'a':'@'}}},'status':{"
     "'disruptionsAllowed':@,'observedGeneration':@}}",
     false},
    {&skr_gang_device_claim, "{" META ",'spec':{" ASKS "}}", false},
    {&skr_gang_claim_template, "{" META ",'spec':{'spec':{" ASKS "}}}", false},
    {&skr_gang_volume_claim,
     "{" META ",'spec':{'accessModes':['ReadWriteOncePod'],'storageClassName':'late','resources':{"
     "'requests':{'storage':'@Gi'}}}}",
     false},
    {&skr_gang_volume,
     "{" NAME ",'spec':{'capacity':{'storage':'@Gi'},'accessModes':['ReadWriteOnce'],"
     "'storageClassName':'late','claimRef':{'namespace':'hostile','name':'x','uid':'x'},'csi':{"
     "'driver':'d','volumeHandle':'h'}},'status':{'phase':'Bound'}}",
     false},
    {&skr_gang_kueue_workload, "{" META ",'spec':{'podSets':[{'name':'main','count':@," PODS "}]}}",
     false},
    {&skr_gang_volume,
     "{" NAME ",'spec':{'capacity':{'storage':'@Gi'},'accessModes':['ReadWriteOnce'],"
     "'storageClassName':'late','csi':{'driver':'d','volumeHandle':'h'}},'status':{'phase':"
     "'Available'}}",
     true},
    {&skr_gang_storage_class,
     "{" NAME ",'provisioner':'p@','volumeBindingMode':'WaitForFirstConsumer'}", true},
    {&skr_gang_csi_node,
     "{" NAME ",'spec':{'drivers':[{'name':'d','nodeID':'n','allocatable':{'count':@}}]}}", true},
    {&skr_gang_csi_driver, "{" NAME ",'spec':{'storageCapacity':true}}", true},
    {&skr_gang_csi_capacity, "{" META ",'storageClassName':'late','capacity':'@Gi'}", true},
    {&skr_gang_attachment,
     "{" NAME ",'spec':{'attacher':'d','nodeName':'node-0','source':{'persistentVolumeName':'x'}}}",
     true},
    {&skr_gang_slice,
     "{" NAME ",'spec':{'driver':'d','allNodes':true,'pool':{'name':'p','generation':@,"
     "'resourceSliceCount':1},'devices':[{'name':'d@'}]}}",
     true},
    {&skr_gang_class, "{" NAME ",'spec':{'extendedResourceName':'x.example.com/r@'}}", true},
    {&skr_gang_taint_rule_v1,
     "{" NAME ",'spec':{'deviceSelector':{'driver':'d'},'taint':{'key':'k@','effect':'NoSchedule'}"
     "}}",
     true},
    {&skr_gang_taint_rule_v1beta2,
     "{" NAME ",'spec':{'deviceSelector':{'driver':'d'},'taint':{'key':'k@','effect':'NoSchedule'}"
     "}}",
     true},
    {&skr_gang_namespace, "{" NAME "}", true},
    {&skr_gang_admission_check, "{" NAME ",'spec':{'controllerName':'c@'}}", true},
    {&skr_gang_kueue_flavor, "{" NAME ",'spec':{'nodeLabels':{'a':'b@'}}}", true},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void feed(struct rig *rig, const struct row *row, int version)
{
    struct skr_event event = {
        .kind = SKR_EVENT_DELETE,
        .deleted = {.type = row->type,
                    .namespace_ = row->type->resource->namespaced ? "hostile" : "",
                    .name = "x",
                    .uid = "x"}};
    struct skr_error error;
    SKR_STRBUF(text);
    for (const char *s = row->text; *s; s++) {
        if (*s == '@') {
            skr_strbuf_addf(&text, "%d", version);
        } else {
            skr_strbuf_addc(&text, *s == '\'' ? '"' : *s);
        }
    }
    json_auto_t *json = json_fast_read(text.s, text.len, NULL);
    assert_non_null(json);
    if (version <= VERSIONS) {
        event = (struct skr_event){.kind = SKR_EVENT_UPSERT, .upsert = {.type = row->type}};
        assert_int_equal(row->type->decode(json, &event.upsert.object, &error), 0);
    }
    rig_handle(rig, &event);
}

/* Groups of another namespace, half of which have a volume claim, on a cluster with devices. */
static struct rig *crowded(void)
{
    struct rig *rig = device_cluster(2, 2);
    char key[32], volume[128];
    for (int i = 0; i < CROWD; i++) {
        snprintf(key, sizeof key, "other/lacks-%d", i);
        rig_group(rig, key, 2, 0, NULL);
        snprintf(key, sizeof key, "hostile/lacks-%d", i);
        rig_group(rig, key, 2, 0, NULL);
        snprintf(key, sizeof key, "other/waits-%d", i);
        rig_group(rig, key, 1, 0, NULL);
        snprintf(volume, sizeof volume,
                 ",'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'waits-%d'}}]", i);
        if (i % 2 == 0) {
            rig_create_json(rig, RIG_VOLUME_CLAIM, key,
                            "{'metadata':{},'spec':{'volumeName':'v-%d'}}", i);
        }
        rig_create_json(rig, RIG_POD, key,
                        "{'metadata':{'labels':{'sakkara.group.name':'waits-%d'}},'spec':{"
                        "'schedulerName':" OURS "%s,'containers':[{'name':'c','resources':{"
                        "'requests':{'cpu':'999'}}}]},'status':{'phase':'Pending'}}",
                        i, i % 2 == 0 ? volume : "");
    }
    rig_run(rig, 100 * SKR_SECOND);
    return rig;
}

/* Pending pods of the hostile namespace that name every object x: one that waits for room, one of two of a Job. */
static void name_them(struct rig *rig)
{
    rig_group(rig, "hostile/user", 1, 0, NULL);
    rig_group(rig, "hostile/half", 2, 0, NULL);
    rig_create_json(rig, RIG_POD, "hostile/user",
                    "{'metadata':{'labels':{'sakkara.group.name':'user'}},'spec':{'schedulerName':"
                    "'sakkara','schedulingGates':[{'name':'sakkara.gang'}],'schedulingGroup':{"
                    "'podGroupName':'x'},'volumes':[{'name':'v','persistentVolumeClaim':{"
                    "'claimName':'x'}}],'resourceClaims':[{'name':'c','resourceClaimName':'x'},{"
                    "'name':'t','resourceClaimTemplateName':'x'}],'containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'999'}}}]},'status':{'phase':'Pending'}}");
    rig_create_json(
        rig, RIG_POD, "hostile/half",
        "{'metadata':{'labels':{'sakkara.group.name':'half'},'ownerReferences':[{"
        "'apiVersion':'batch/v1','kind':'Job','name':'x','uid':'x','controller':true}]"
        "},'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'"
        "}],'containers':[{'name':'c','resources':{'requests':{'cpu':'999'}}}]},'status':{'phase':"
        "'Pending'}}");
    rig_run(rig, 100 * SKR_SECOND);
}

static void assert_cheap(struct rig *rig, const struct row *row, int version, bool named)
{
    const struct skr_gang *e = rig->gang;
    const uint64_t stamps = e->seen.now, looks = e->stats.looks,
                   steps = e->devices.stock->work->steps;
    const size_t solves = rig->n_solves;
    feed(rig, row, version);
    const uint64_t most = row->of_cluster ? 4 * CROWD : named ? CROWD / 4 : 0;
    const uint64_t most_stamps = row->of_cluster ? 4 * CROWD : STAMPS;
    if (e->seen.now - stamps > most_stamps || e->stats.looks - looks > most ||
        (!named && !row->of_cluster &&
         (rig->n_solves > solves || e->devices.stock->work->steps > steps))) {
        rig_fail(rig, "version %d of %s: %llu stamps, %llu looks, %zu solves, %llu steps", version,
                 row->type->resource->plural, (unsigned long long)(e->seen.now - stamps),
                 (unsigned long long)(e->stats.looks - looks), rig->n_solves - solves,
                 (unsigned long long)(e->devices.stock->work->steps - steps));
    }
    rig_run(rig, 3 * SKR_SECOND);
}

static void assert_all_are_cheap(struct rig *rig, bool named)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        for (int version = 1; version <= VERSIONS + 1; version++) {
            assert_cheap(rig, &rows[i], version, named);
        }
    }
}

TEST_RIG(crowded(), an_object_of_any_kind_costs_no_group_of_another_namespace_a_look)
{
    assert_all_are_cheap(rig, false);
}

TEST_RIG(crowded(), an_object_that_pending_pods_name_costs_their_groups_a_look_and_no_others)
{
    name_them(rig);
    assert_all_are_cheap(rig, true);
}

/* A claim of another namespace gets a device, or has none any more: reasons of groups that wait may differ. */
static void give(struct rig *rig, const char *device)
{
    rig_edit(rig, RIG_DEVICE_CLAIM, "hostile/own",
             "{'status':{'allocation':{'devices':{'results':[{'request':'r','driver':"
             "'gpu.example.com','pool':'node-0','device':'%s'}]}}}}",
             device);
    rig_settle(rig);
}

TEST_RIG(crowded(), reasons_of_a_crowd_cost_a_few_looks_each_and_wait_for_their_turn)
{
    const struct skr_gang *e = rig->gang;
    const uint64_t looks = e->stats.looks;
    device_claim(rig, "hostile/own", 1);
    size_t solves = rig->n_solves;
    give(rig, "gpu-0");
    assert_true(rig->n_solves >= solves + CROWD);
    assert_in_range(e->stats.looks - looks, CROWD, 6 * CROWD);
    solves = rig->n_solves;
    give(rig, "gpu-1");
    assert_int_equal(rig->n_solves, solves);
    rig_run(rig, SKR_SECOND);
    assert_true(rig->n_solves >= solves + CROWD);
}

TEST(every_kind_that_is_watched_has_a_row)
{
    for (size_t i = 0; i < SKR_GANG_WATCHES; i++) {
        size_t row = 0;
        while (row < N_ROWS && rows[row].type != skr_gang_watch[i].type) {
            row++;
        }
        assert_true(row < N_ROWS || skr_gang_watch[i].type == &skr_gang_node);
    }
}
