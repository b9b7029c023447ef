/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every token of an explanation from a cluster in which it holds, as test/explain/TOKEN.txt, byte
 * for byte (UPDATE=1 writes them). The text is made of the JSON, which is TOKEN.json where that file
 * exists; together these have every field.
 */
#include <unistd.h>

#include "core/gang/cache/claim_objects.h"
#include "core/gang/state/types.h"
#include "server/cli/cli.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/explain_clusters.h"
#include "test/unit/json_text.h"
#include "topology/base/json_field.h"

#define FOLDER "test/explain/"

/* ---- clusters ---- */

static struct rig *group_not_found(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *group_invalid(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},"
                    "'data':{'name':'g','size':'many'}}");
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

/* A pod of a controller, which is a group by its annotation. */
static struct rig *of_controller(const char *kind, const char *group, const char *labels)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_create_json(rig, RIG_POD, "p-0",
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{%s},"
                    "'ownerReferences':[{'apiVersion':'%s/v1','kind':'%s','name':'g','uid':'u',"
                    "'controller':true}]},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1'}}}]}}",
                    labels, group, kind);
    return rig;
}

static struct rig *owner_not_readable(void)
{
    struct rig *rig = of_controller("Job", "batch", "");
    rig_run(rig, 35 * SKR_SECOND);
    return rig;
}

static struct rig *size_unknown(void)
{
    struct rig *rig = of_controller("ReplicaSet", "apps", "");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *entry_conflict(void)
{
    struct rig *rig = of_controller("Job", "batch",
                                    "'jobset.sigs.k8s.io/jobset-name':'g','jobset.sigs.k8s.io/"
                                    "replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':'0'");
    rig_create_json(rig, RIG_JOBSET, "g",
                    "{'metadata':{'annotations':{'alpha.jobset.sigs.k8s.io/exclusive-topology':"
                    "'rack'}},'spec':{}}");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *no_such_topology_key(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_create_json(rig, RIG_NATIVE, "g",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':1}},"
                    "'schedulingConstraints':{'topology':[{'key':'example.com/rack'}]}}}");
    rig_create_json(rig, RIG_POD, "p-0",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','schedulingGroup':{"
                    "'podGroupName':'g'},'schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *duplicate_group(void)
{
    struct rig *rig = explain_cluster();
    rig_group(rig, "older", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 2 * SKR_SECOND);
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},"
                    "'data':{'name':'older','size':'4'}}");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *pods_not_homogeneous(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.heterogeneous_refuse = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 3, 3, 2);
    rig_sync(rig);
    rig_group(rig, "g", 3, 0, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_pod(rig, "q", "g", RIG_GATED | RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static struct rig *unknown_level(void)
{
    struct rig *rig = explain_crowded();
    explain_gang(rig, 6, "{'rack':{'hard':true},'row':{'type':'pack'}}");
    return rig;
}

static struct rig *topology_missing(void)
{
    struct rig *rig = rig_create();
    rig_create_json(rig, RIG_MAP, "topology",
                    "{'metadata':{'labels':{'sakkara.topology':''}},"
                    "'data':{'tree':'no'}}");
    rig_node(rig, "node-0", 8);
    rig_sync(rig);
    explain_gang(rig, 2, NULL);
    return rig;
}

static struct rig *nodes_not_in_tree(void)
{
    struct rig *rig = explain_crowded();
    rig_node(rig, "spare-0", 8);
    rig_node(rig, "spare-1", 8);
    explain_gang(rig, 6, "{'rack':{'hard':true}}");
    return rig;
}

/* Racks of labels, which three nodes lack: one of these is closed to the group. */
static struct rig *label_missing(void)
{
    static const char *const bare[] = {"spare-0", "spare-1", "control-plane"};
    struct rig *rig = rig_create();
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "node-%d", i);
        rig_node(rig, name, 2);
        rig_edit(rig, RIG_NODE, name, "{'metadata':{'labels':{'sakkara.topology.rack':'r%d'}}}",
                 i / 2);
    }
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        rig_node(rig, bare[i], 8);
    }
    rig_edit(rig, RIG_NODE, "control-plane",
             "{'spec':{'taints':[{'key':'node-role.kubernetes.io/control-plane','effect':"
             "'NoSchedule'}]}}");
    rig_sync(rig);
    explain_gang(rig, 6, "{'rack':{'hard':true}}");
    return rig;
}

static struct rig *members_missing(void)
{
    struct rig *rig = explain_cluster();
    rig_gang(rig, "g", 8, "p", 5, RIG_GATED);
    rig_run(rig, 12 * SKR_SECOND);
    return rig;
}

static struct rig *constraint_conflict(void)
{
    struct rig *rig = explain_crowded();
    explain_gang(rig, 7, "{'node':{'min':4,'max':5}}");
    return rig;
}

static struct rig *never_fits(void)
{
    struct rig *rig = explain_crowded();
    explain_gang(rig, 7, "{'rack':{'hard':true}}");
    return rig;
}

static struct rig *waiting_for_capacity(void)
{
    struct rig *rig = explain_crowded();
    explain_gang(rig, 14, NULL);
    return rig;
}

static struct rig *kueue_evicts(void)
{
    struct rig *rig = waiting_for_capacity();
    rig_edit(rig, RIG_POD, "p-0", "{'metadata':{'labels':{'kueue.x-k8s.io/podset':'main'}}}");
    rig_run(rig, SKR_SECOND);
    return rig;
}

/* kube-scheduler looks at p-0's node and leaves p-1's out: no verb comes for it. */
static struct rig *filtered_by_others(void)
{
    struct rig *rig = explain_cluster();
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig_filter(rig, "p-0", "node-0");
    rig_edit(rig, RIG_POD, "p-1",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/9 nodes are available: volume node affinity'}]}}");
    rig_run(rig, 15 * SKR_SECOND);
    return rig;
}

/* The same of devices that a class serves. */
static struct rig *devices_not_counted(void)
{
    struct rig *rig = explain_cluster();
    rig->hold_scheduler = true;
    rig_class(rig, "gpu.example.com", "example.com/gpu");
    rig_sync(rig);
    rig_group(rig, "g", 2, 0, NULL);
    for (int i = 0; i < 2; i++) {
        rig_create_json(rig, RIG_POD, i == 0 ? "p-0" : "p-1",
                        "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                        "'sakkara','containers':[{'name':'c','resources':{'requests':"
                        "{'cpu':'1','example.com/gpu':'2'}}}]},'status':{'phase':'Pending'}}");
    }
    rig_run(rig, SKR_SECOND);
    rig_filter(rig, "p-0", "node-0");
    rig_bind(rig, "p-0", "node-0");
    rig_edit(rig, RIG_POD, "p-1",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/9 nodes are available: 9 cannot allocate all claims.'}]}"
             "}");
    rig_run(rig, 15 * SKR_SECOND);
    return rig;
}

static struct rig *plan_timeout(void)
{
    struct rig *rig = explain_cluster();
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 301 * SKR_SECOND);
    return rig;
}

/* Both members have asked; the Bindings wait. */
static struct rig *permitted(void)
{
    struct rig *rig = explain_cluster();
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_sync(rig);
    explain_gang(rig, 2, NULL);
    return rig;
}

static struct rig *bind_failed(void)
{
    struct rig *rig = permitted();
    rig->hold_scheduler = true;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-0"), RIG_OK);
    rig_delete(rig, RIG_POD, "p-1");
    rig_settle(rig);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), RIG_OK); /* 404 */
    rig_run(rig, 400 * SKR_SECOND);
    return rig;
}

static struct rig *assigned(void)
{
    struct rig *rig = explain_cluster();
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 42 * SKR_SECOND);
    return rig;
}

static struct rig *bound(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    explain_gang(rig, 4, "{'rack':{'hard':true}}");
    return rig;
}

/* Four seats, six pods. */
static struct rig *beyond_size(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_group(rig, "g", 4, 3, NULL);
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 124 * SKR_SECOND);
    return rig;
}

/* Two members, and pods of the same label that come to another scheduler, one of which runs. */
static struct rig *scheduler_name(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_group(rig, "g", 4, 3, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    for (int i = 0; i < 7; i++) {
        rig_create_json(rig, RIG_POD, test_text("q-%d", i),
                        "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                        "'default-scheduler',%s'containers':[{'name':'c'}]}}",
                        i == 0 ? "'nodeName':'node-0'," : "");
    }
    rig_run(rig, 124 * SKR_SECOND);
    return rig;
}

static struct rig *claim_not_found(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = SKR_CLAIMS_FROM;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    rig_group(rig, "g", 2, 3, NULL);
    rig_claim(rig, "data-0", RIG_CLAIM_BOUND);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, test_text("p-%d", i),
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':"
                 "'data-%d'}}]}}",
                 i);
    }
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

/* A pod of before still runs with the claim, which is for one pod. */
static struct rig *claim_in_use(void)
{
    struct skr_error error;
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = &skr_gang_volume_claim}};
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    json_auto_t *claim = json_text_load("{'metadata':{'namespace':'default','name':'data'},"
                                        "'spec':{'accessModes':['ReadWriteOncePod']}}");
    assert_int_equal(skr_gang_volume_claim.decode(claim, &event.upsert.object, &error), 0);
    rig_handle(rig, &event);
    rig_group(rig, "g", 1, 3, NULL);
    rig_pod(rig, "old", NULL, 0);
    rig_pods(rig, "p", 1, "g", RIG_GATED);
    rig_edit(rig, RIG_POD, "old",
             "{'spec':{'nodeName':'node-1','volumes':[{'name':'v','persistentVolumeClaim':{"
             "'claimName':'data'}}]}}");
    rig_edit(rig, RIG_POD, "p-0",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'data'}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

/* kube-scheduler comes to three of the four; the claim of the last one does not exist. */
static struct rig *waiting_for_claims(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    rig_group(rig, "g", 4, 3, NULL);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    for (int i = 0; i < 4; i++) {
        rig_edit(rig, RIG_POD, test_text("p-%d", i),
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    }
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        rig_filter(rig, test_text("p-%d", i), NULL);
    }
    rig_edit(rig, RIG_POD, "p-3",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False',"
             "'reason':'Unschedulable','message':'0/4 nodes are available: "
             "persistentvolumeclaim \\\"c\\\" not found.'}]}}");
    rig_run(rig, 123 * SKR_SECOND);
    return rig;
}

/* A group without room; a member holds devices, and the account may not free them. */
static struct rig *devices_kept(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 1);
    rig_sync(rig);
    rig_group(rig, "g", 3, 3, NULL);
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_fault(rig, SKR_WRITE_RELEASE_CLAIM, NULL, RIG_403, 1);
    rig_create_json(rig, RIG_DEVICE_CLAIM, "p-1-gpu",
                    "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p-1',"
                    "'uid':'%s','controller':true}]},'status':{'allocation':{'devices':{}}}}",
                    rig_find(rig, RIG_POD, "p-1")->pod->meta.uid);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

/* All members run on, and their ConfigMap is deleted. */
static struct rig *bound_without_map(void)
{
    struct rig *rig = bound();
    rig_delete(rig, RIG_MAP, "g");
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

/* ---- each token ---- */

static const struct {
    const char *token;
    struct rig *(*cluster)(void);
    bool also;         /* beside another reason */
    bool placed;       /* exit code 0 */
    const char *group; /* NULL: "g" */
} tokens[] = {
    {"GroupNotFound", group_not_found, false, false, NULL},
    {"GroupInvalid", group_invalid, false, false, NULL},
    {"DuplicateGroup", duplicate_group, false, false, NULL},
    {"EntryConflict", entry_conflict, false, false, "pod/p-0"},
    {"OwnerNotReadable", owner_not_readable, false, false, "pod/p-0"},
    {"SizeUnknown", size_unknown, false, false, "pod/p-0"},
    {"NoSuchTopologyKey", no_such_topology_key, false, false, "pod/p-0"},
    {"PodsNotHomogeneous", pods_not_homogeneous, false, false, NULL},
    {"UnknownLevel", unknown_level, true, false, NULL},
    {"TopologyMissing", topology_missing, false, false, NULL},
    {"NodesNotInTree", nodes_not_in_tree, true, false, NULL},
    {"LabelMissing", label_missing, true, false, NULL},
    {"MembersMissing", members_missing, false, false, NULL},
    {"ClaimNotFound", claim_not_found, false, false, NULL},
    {"ClaimInUse", claim_in_use, false, false, NULL},
    {"WaitingForClaims", waiting_for_claims, false, false, NULL},
    {"ConstraintConflict", constraint_conflict, false, false, NULL},
    {"NeverFits", never_fits, false, false, NULL},
    {"TopologyPlacementFailed", explain_unplaced, false, false, NULL},
    {"WaitingForCapacity", waiting_for_capacity, false, false, NULL},
    {"KueueEvicts", kueue_evicts, true, false, NULL},
    {"FilteredByOthers", filtered_by_others, false, false, NULL},
    {"DevicesNotCounted", devices_not_counted, true, false, NULL},
    {"DevicesKept", devices_kept, true, false, NULL},
    {"PlanTimeout", plan_timeout, false, false, NULL},
    {"BindFailed", bind_failed, false, false, NULL},
    {"BeyondSize", beyond_size, true, true, NULL},
    {"OtherGeneration", explain_other_generation, true, true, "podgroup/g"},
    {"SchedulerName", scheduler_name, true, false, NULL},
    {"Assigned", assigned, false, true, NULL},
    {"Permitted", permitted, false, true, NULL},
    {"Bound", bound, false, true, NULL}, /* no token: there is nothing to tell */
};

static void compare(const char *token, const char *text, const json_t *x)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "%s.txt", token);
    golden_check(path, text);
    snprintf(path, sizeof path, FOLDER "%s.json", token);
    if (access(path, F_OK) == 0) {
        SKR_AUTO_FREE char *json = json_dumps(x, JSON_INDENT(2));
        golden_check(path, json);
    }
}

static bool holds_also(const json_t *x, const char *token)
{
    const json_t *list = json_object_get(x, "also"), *item;
    size_t i;
    json_array_foreach(list, i, item)
    {
        if (strcmp(skr_object_text(item, "reason"), token) == 0) {
            return true;
        }
    }
    return false;
}

static void assert_complete(const json_t *x)
{
    static const char *const keys[] = {"namespace", "name",        "status", "placed", "reason",
                                       "class",     "sentence",    "need",   "have",   "also",
                                       "domains",   "relaxations", "next"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_non_null(json_object_get(x, keys[i]));
    }
}

static void assert_small(const char *text)
{
    size_t lines = 0, columns = 0;
    for (const char *c = text; *c; c++) {
        columns = *c == '\n' ? 0 : columns + 1;
        lines += *c == '\n';
        assert_in_range(columns, 0, SKR_PAGE_WIDTH);
    }
    assert_in_range(lines, 1, SKR_EXPLAIN_LINES);
}

/* "sakkara WORD ..." must name a command. */
static void assert_next_exists(const json_t *x)
{
    const json_t *list = json_object_get(x, "next"), *item;
    size_t i;
    json_array_foreach(list, i, item)
    {
        char word[32] = "";
        const char *command = json_string_value(item);
        if (sscanf(command, "sakkara %31s", word) == 1) {
            assert_non_null(skr_command_find(&skr_commands, word));
        } else {
            assert_memory_equal(command, "kubectl ", 8);
        }
    }
}

TEST(every_token_has_its_text_and_its_json)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        const char *token = tokens[i].token;
        SKR_AUTO(rig_destroy) struct rig *rig = tokens[i].cluster();
        const json_t *x = rig_explain(rig, tokens[i].group ? tokens[i].group : "g");
        const struct skr_explain_look look = {0};
        SKR_STRBUF(text);
        skr_explain_write_text(x, &look, &text);
        compare(token, text.s, x);
        assert_complete(x);
        assert_small(text.s);
        assert_next_exists(x);
        const char *reason = strcmp(token, "Bound") == 0 ? "" : token;
        if (tokens[i].also) {
            assert_true(holds_also(x, token) && strcmp(skr_object_text(x, "reason"), token) != 0);
        } else {
            assert_string_equal(skr_object_text(x, "reason"), reason);
        }
        assert_int_equal(json_is_true(json_object_get(x, "placed")), tokens[i].placed);
    }
}

TEST_RIG(bound_without_map(), a_bound_group_without_its_map_is_told_as_bound)
{
    const json_t *x = rig_explain(rig, "g");
    const struct skr_explain_look look = {0};
    SKR_STRBUF(text);
    skr_explain_write_text(x, &look, &text);
    assert_string_equal(skr_object_text(x, "status"), "Bound");
    assert_string_equal(skr_object_text(x, "reason"), "");
    assert_string_equal(skr_object_text(x, "sentence"), "group g is bound, 4 members");
    assert_true(holds_also(x, "GroupNotFound"));
    assert_non_null(strstr(text.s, "Group g (default) is placed: Bound, for "));
}
