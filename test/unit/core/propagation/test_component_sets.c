/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of several components: when room is in sets, how many there are, and what is written. */
#include <time.h>

#include "core/propagation/scheduler.h"
#include "core/propagation/steps.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/decision_world.h"
#include "test/unit/frame_rig.h"
#include "test/unit/json_text.h"

#define ONE       SPREAD(BY("cluster", 1, 1))
#define WANTS(rl) "'replicaRequirements':{'resourceRequest':{" rl "}}"
#define FLINK                                         \
    "'components':[{'name':'jm','replicas':1," WANTS( \
        "'cpu':'1'") "},{'name':'tm','replicas':3," WANTS("'cpu':'2','memory':'1Gi'") "}]"
#define MODELS(count)                                                                           \
    "'spec':{'resourceModels':[{'grade':0,'ranges':[{'name':'cpu','min':'4'},{'name':'memory'," \
    "'min':'8Gi'}]}]},",                                                                        \
        ",'allocatableModelings':[{'grade':0,'count':" #count "}]"

/* ---- room ---- */

struct row {
    const char *title;
    const char *placement, *more;
    const char *spec, *models; /* of the cluster, which has 40 pods, 70 cpu and 10Gi */
    int64_t want;              /* with componentSets=on */
};

static const struct row rows[] = {
    {"by the scarcest sum", DYNAMIC "," ONE, FLINK, "", "", 3},
    {"by pods", ONE, "'components':[{'name':'a','replicas':9},{'name':'b','replicas':4}]", "", "",
     3},
    {"a resource that is not there", ONE,
     "'components':[{'name':'a','replicas':1," WANTS("'nvidia.com/gpu':'1'") "}]", "", "", 0},
    {"components without replicas need nothing", ONE,
     "'components':[{'name':'a','replicas':0," WANTS("'cpu':'99'") "}]", "", "", 40},
    {"on the nodes of models", ONE, FLINK, MODELS(4), 2},
    {"on no node", ONE, FLINK, MODELS(0), 0},
    {"models bound what requests nothing", ONE, "'components':[{'name':'a','replicas':1}]",
     MODELS(0), 0},
    {"sums bound models", ONE, FLINK, MODELS(900), 3},
    {"without a constraint to one cluster, pods", DYNAMIC, FLINK, "", "", 40},
    {"two clusters, pods", SPREAD(BY("cluster", 1, 2)), FLINK, "", "", 40},
    {"any constraint to one cluster counts", SPREAD(BY("cluster", 1, 1) "," BY("cluster", 1, 2)),
     FLINK, "", "", 3},
    {"one component with replicas of the binding: these", ONE,
     "'replicas':5," WANTS("'cpu':'10'") ",'components':[{'name':'a','replicas':5," WANTS(
         "'cpu':'10'") "}]",
     "", "", 7},
};

static int64_t room_of(const struct row *row, const char *options_text)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    void *cluster = NULL;
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{%s'metadata':{'name':'a'},'status':{'resourceSummary':{'allocatable':{'pods':"
                    "'40','cpu':'70','memory':'10Gi'}%s}}}",
                    row->spec, row->models);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_member_cluster_decode(json, &cluster, NULL), 0);
    decision_set_options(options_text, &options);
    struct skr_binding *binding = decision_read_binding(&world, 0, row->placement, row->more);
    uint64_t work = 10000;
    const int64_t room = skr_binding_estimate(binding, cluster, &options, &work);
    skr_object_destroy(binding);
    skr_object_destroy(cluster);
    return room;
}

TEST_EACH(row, rows, room_is_in_sets_where_a_workload_goes_to_one_cluster)
{
    const int64_t room = room_of(row, "componentSets=on");
    if (room != row->want) {
        fail_msg("%s: %lld, not %lld", row->title, (long long)room, (long long)row->want);
    }
}

TEST(without_the_option_components_have_room_in_pods)
{
    assert_int_equal(room_of(&rows[0], NULL), 40);
    assert_int_equal(room_of(&rows[0], "upstream"), 40);
}

/* ---- limits ---- */

TEST(more_components_or_resources_than_the_limit_refuse_the_binding)
{
    for (int i = 0; i < 2; i++) {
        struct decision_world world = {.n = 0};
        SKR_STRBUF(more);
        skr_strbuf_add(&more, "'components':[");
        for (int k = 0; k <= (i == 0 ? (int)SKR_COMPONENTS_MAX : 64); k++) {
            skr_strbuf_addf(&more, "%s{'name':'c','replicas':1," WANTS("'x/%d':'1'") "}",
                            k > 0 ? "," : "", i == 0 ? 0 : k);
        }
        skr_strbuf_add(&more, "]");
        struct skr_binding *binding = decision_read_binding(&world, 0, ONE, more.s);
        assert_string_equal(binding->refusal,
                            i == 0 ? "spec.components: 257 entries, at most 256 are supported"
                                   : "spec.components request more than 64 resources");
        skr_object_destroy(binding);
    }
}

/* All names in all components, on as many grades as there may be: one cluster has its share of work. */
TEST(a_workload_of_the_largest_size_costs_its_share_of_work_and_no_more)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    SKR_STRBUF(grades);
    SKR_STRBUF(more);
    void *cluster = NULL;
    decision_set_options("componentSets=on", &options);
    skr_strbuf_add(&grades, "{'metadata':{'name':'a'},'spec':{'resourceModels':[");
    for (int i = 0; i < SKR_MODEL_GRADES_MAX; i++) {
        skr_strbuf_addf(&grades, "%s{'grade':%d,'ranges':[{'name':'cpu','min':'%d'}]}",
                        i > 0 ? "," : "", i, 1000 + i);
    }
    skr_strbuf_add(&grades, "]},'status':{'resourceSummary':{'allocatable':{'pods':'9000000','cpu':"
                            "'9000000'},'allocatableModelings':[");
    for (int i = 0; i < SKR_MODEL_GRADES_MAX; i++) {
        skr_strbuf_addf(&grades, "%s{'grade':%d,'count':100000}", i > 0 ? "," : "", i);
    }
    skr_strbuf_add(&grades, "]}}}");
    skr_strbuf_add(&more, "'components':[");
    for (int i = 0; i < SKR_COMPONENTS_MAX; i++) {
        skr_strbuf_addf(&more, "%s{'name':'c','replicas':3," WANTS("'cpu':'%dm'") "}",
                        i > 0 ? "," : "", 1001 + 7 * i);
    }
    skr_strbuf_add(&more, "]");
    json_auto_t *json = json_text_load(grades.s);
    assert_int_equal(skr_member_cluster_decode(json, &cluster, NULL), 0);
    struct skr_binding *binding = decision_read_binding(&world, 0, ONE, more.s);
    const clock_t began = clock();
    uint64_t work = SKR_SETS_WORK_CLUSTER_MAX;
    const int64_t some = skr_binding_estimate(binding, cluster, &options, &work);
    assert_true(work == 0);
    work = 20 * SKR_SETS_WORK_CLUSTER_MAX;
    const int64_t more_of_them = skr_binding_estimate(binding, cluster, &options, &work);
    assert_true(clock() - began < 2 * CLOCKS_PER_SEC);
    assert_true(some <= more_of_them);
    assert_true(more_of_them > 0);
    world.cluster[world.n++] = cluster;
    struct skr_binding_decision *decision = decision_decide(&world, binding, &options);
    assert_true(decision->warnings >> SKR_WARNING_SETS_COUNT_ENDED & 1);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    skr_object_destroy(cluster);
}

/* ---- the scheduler ---- */

struct fleet {
    struct frame_rig *rig;
    struct skr_propagation_settings settings;
};

static void fleet_set_up(struct fleet *fleet)
{
    fleet->settings = (struct skr_propagation_settings){.scheduler_name = "sakkara", .workers = 8};
    skr_propagation_options_init(&fleet->settings.options, SKR_PROFILE_DEFAULT);
    fleet->settings.options.component_sets = 1;
    fleet->rig = frame_rig_create(&skr_propagation_scheduler, &fleet->settings);
    for (int i = 0; i < 2; i++) {
        frame_rig_add(fleet->rig, &skr_resource_member_clusters, i == 0 ? "a" : "b",
                      "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':[{'kind':"
                      "'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'40','cpu':'%d',"
                      "'memory':'10Gi'}}}}",
                      i == 0 ? 7 : 20);
    }
}

static void fleet_tear_down(struct fleet *fleet)
{
    frame_rig_destroy(fleet->rig);
}

static void add_flink(struct frame_rig *rig, int workers)
{
    frame_rig_add(rig, &skr_resource_bindings, "default/web",
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'sakkara','components':[{'name':'jm','replicas':1,"
                  "'replicaRequirements':{'resourceRequest':{'cpu':'1'}}},{'name':'tm','replicas':"
                  "%d,'replicaRequirements':{'resourceRequest':{'cpu':'2'}}}],'resource':{"
                  "'apiVersion':'apps/v1','kind':'Deployment','namespace':'default','name':'web',"
                  "'uid':'u-1'},'placement':{" DYNAMIC "," ONE "}}}",
                  workers);
}

static const struct frame_rig_match of_bindings = {.resource = &skr_resource_bindings};

static void expect_targets(const struct frame_rig *rig, const char *text)
{
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, "default/web");
    json_auto_t *want = json_text_load(text);
    const json_t *has = json_object_get(json_object_get(object, "spec"), "clusters");
    if (!json_equal(has, want)) {
        SKR_AUTO_FREE char *dump = json_dumps(has, JSON_COMPACT | JSON_ENCODE_ANY);
        fail_msg("%s", dump ? dump : "nothing");
    }
}

TEST_WITH(fleet, the_components_of_the_cluster_are_written_and_follow_those_of_the_binding)
{
    struct frame_rig *rig = fleet->rig;
    add_flink(rig, 3);
    frame_rig_start(rig);
    expect_targets(rig, "[{'name':'b','components':[{'name':'jm','replicas':1},{'name':'tm',"
                        "'replicas':3}]}]");
    frame_rig_forget_writes(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig->n_writes, 0);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'components':[{'name':'jm','replicas':1},{'name':'tm','replicas':2}]"
                   "}}");
    frame_rig_run(rig);
    expect_targets(rig, "[{'name':'b','components':[{'name':'jm','replicas':1},{'name':'tm',"
                        "'replicas':2}]}]");
}

/* What runs there has its room already. */
TEST_WITH(fleet, a_set_that_runs_in_a_full_cluster_stays)
{
    struct frame_rig *rig = fleet->rig;
    add_flink(rig, 3);
    frame_rig_start(rig);
    frame_rig_edit(rig, &skr_resource_member_clusters, "b",
                   "{'spec':{'region':'r'},'status':{'resourceSummary':{'allocated':{'cpu':'20'}}"
                   "}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 600 * SKR_SECOND);
    expect_targets(rig, "[{'name':'b','components':[{'name':'jm','replicas':1},{'name':'tm',"
                        "'replicas':3}]}]");
}

TEST_WITH(fleet, a_set_without_room_says_so_and_is_placed_when_there_is_some)
{
    struct frame_rig *rig = fleet->rig;
    add_flink(rig, 12);
    frame_rig_start(rig);
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, "default/web");
    const json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "message")),
                        "select_capacity: cluster 1..1 needs room 1, best 0 (in sets of "
                        "components)");
    frame_rig_edit(rig, &skr_resource_member_clusters, "a",
                   "{'status':{'resourceSummary':{'allocatable':{'cpu':'25'}}}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 11 * SKR_SECOND);
    expect_targets(rig, "[{'name':'a','components':[{'name':'jm','replicas':1},{'name':'tm',"
                        "'replicas':12}]}]");
    assert_true(frame_rig_writes(rig, &of_bindings) > 0);
}

TEST_WITH(fleet, without_the_option_components_are_not_written)
{
    struct frame_rig *rig = fleet->rig;
    fleet->settings.options.component_sets = 0;
    add_flink(rig, 3);
    frame_rig_start(rig);
    expect_targets(rig, "[{'name':'a'}]");
}
