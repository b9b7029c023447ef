/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters that report resource models, which are not counted: which decisions say so, where they
 * say it, and how often.
 */
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/decision_world.h"
#include "test/unit/frame_rig.h"
#include "test/unit/json_text.h"

#define MODELS "'allocatableModelings':[{'grade':0,'count':2}]"
#define CPU    "'replicaRequirements':{'resourceRequest':{'cpu':'1'}}"
#define STATIC                                                                               \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':"    \
    "'Weighted','weightPreference':{'staticWeightList':[{'targetCluster':{'clusterNames':["  \
    "'a'],'labelSelector':{}},'weight':1},{'targetCluster':{'clusterNames':['b']},'weight':" \
    "2}]}}"
#define TEXT                                                                                    \
    "ResourceModelsIgnored: 2 of 3 candidate clusters report resource models. These are not "   \
    "counted: room is estimated from the sums of a cluster. Replicas may be assigned that fit " \
    "on no node and stay Pending. If they do, leave the policy to karmada-scheduler, which "    \
    "counts models: recreate it without spec.schedulerName."

static const char cluster_format[] =
    "{%s'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':[{'kind':'Deployment'}]}]"
    ",'resourceSummary':{'allocatable':{'pods':'100','cpu':'%d'}%s}}}";

/* ---- decisions ---- */

struct row {
    const char *title;
    int replicas;
    const char *placement, *more, *options;
    int n_modelled; /* 0: no warning */
};

static void add(struct decision_world *world, const char *meta, int cpu, const char *models)
{
    struct skr_error error = {.text = ""};
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, cluster_format, meta, cpu, models);
    json_auto_t *json = json_text_load(text.s);
    void *cluster = NULL;
    if (skr_member_cluster_decode(json, &cluster, &error) < 0) {
        fail_msg("%s", error.text);
    }
    world->cluster[world->n++] = cluster;
}

static void make_world(struct decision_world *world)
{
    *world = (struct decision_world){.n = 0};
    skr_strbuf_init(&world->targets);
    add(world, "'metadata':{'name':'a'},", 8, "," MODELS);
    add(world, "'metadata':{'name':'b'},", 6, "," MODELS);
    add(world, "'metadata':{'name':'c'},", 4, ",'allocatableModelings':[]");
}

#define ONE_CLUSTER SPREAD(BY("cluster", 1, 1))

static const struct row rows[] = {
    {"divided by room", 6, DYNAMIC, CPU, 0, 2},
    {"aggregated", 6, AGGREGATED, CPU, 0, 2},
    {"by room in one cluster", 6, DYNAMIC "," ONE_CLUSTER, CPU, 0, 2},
    {"short of room", 60, DYNAMIC, CPU, 0, 2},
    {"candidates alone count", 6, "'clusterAffinity':{'clusterNames':['b','c']}," DYNAMIC, CPU, 0,
     1},
    {"no candidate has models", 3, "'clusterAffinity':{'clusterNames':['c']}," DYNAMIC, CPU, 0, 0},
    {"duplicated", 6, "", CPU, 0, 0},
    {"duplicated to all, below a constraint", 6, SPREAD(BY("cluster", 1, 3)), CPU, 0, 0},
    {"duplicated to the roomiest", 6, ONE_CLUSTER, CPU, 0, 2},
    {"duplicated where there is room", 3, "", CPU, "clusterResourceFilter=on", 2},
    {"static weights", 6, STATIC "," ONE_CLUSTER, CPU, 0, 0},
    {"nothing is asked for", 6, DYNAMIC, 0, 0, 0},
    {"nothing is asked for, in numbers", 6, DYNAMIC,
     "'replicaRequirements':{'resourceRequest':{'cpu':'0'}}", 0, 0},
    {"without replicas", 0, DYNAMIC, CPU, 0, 0},
    {"no cluster passes", 6, "'clusterAffinity':{'clusterNames':['x']}," DYNAMIC, CPU, 0, 0},
    {"too few clusters, whatever their room", 6, DYNAMIC "," SPREAD(BY("cluster", 4, 4)), CPU, 0,
     0},
    {"a policy that cannot be served", 6, DYNAMIC "," SPREAD("{'spreadByLabel':'x'}"), CPU, 0, 0},
};

TEST_EACH(row, rows, models_are_a_warning_where_room_decides_and_nowhere_else)
{
    struct decision_world world;
    struct skr_propagation_options options;
    make_world(&world);
    decision_set_options(row->options, &options);
    struct skr_binding *binding =
        decision_read_binding(&world, row->replicas, row->placement, row->more);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &options);
    const bool warns = decision->warnings >> SKR_WARNING_RESOURCE_MODELS_IGNORED & 1;
    if (warns != (row->n_modelled > 0) || (int)decision->n_modelled != row->n_modelled) {
        fail_msg("%s: %s, %zu clusters (%s)", row->title, warns ? "warned" : "no warning",
                 decision->n_modelled, decision->message);
    }
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

TEST(the_room_of_a_what_if_question_is_no_estimate)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    skr_strbuf_init(&world.targets);
    add(&world, "'metadata':{'name':'a','annotations':{'sakkara.simulate/room':'9'}},", 8,
        "," MODELS);
    decision_set_options(NULL, &options);
    struct skr_binding *binding = decision_read_binding(&world, 6, DYNAMIC, CPU);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &options);
    assert_int_equal(decision->warnings, 0);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

/* ---- the scheduler ---- */

static const struct skr_propagation_settings *settings_of(void)
{
    static struct skr_propagation_settings settings = {.scheduler_name = "sakkara", .workers = 8};
    skr_propagation_options_init(&settings.options, SKR_PROFILE_DEFAULT);
    return &settings;
}

struct fleet {
    struct frame_rig *rig;
};

static void add_cluster(struct frame_rig *rig, const char *name, int cpu, const char *models)
{
    frame_rig_add(rig, &skr_resource_member_clusters, name, cluster_format, "", cpu, models);
}

static void add_binding(struct frame_rig *rig, const char *key, int replicas, const char *placement)
{
    frame_rig_add(rig, &skr_resource_bindings, key,
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'sakkara','replicas':%d," CPU ",'resource':{"
                  "'apiVersion':'apps/v1','kind':'Deployment','namespace':'default','name':'web',"
                  "'uid':'u-1'},'placement':{%s}}}",
                  replicas, placement);
}

static void fleet_set_up(struct fleet *fleet)
{
    fleet->rig = frame_rig_create(&skr_propagation_scheduler, settings_of());
    add_cluster(fleet->rig, "a", 8, "," MODELS);
    add_cluster(fleet->rig, "b", 6, "," MODELS);
    add_cluster(fleet->rig, "c", 4, "");
}

static void fleet_tear_down(struct fleet *fleet)
{
    frame_rig_destroy(fleet->rig);
}

static const struct frame_rig_match of_bindings = {.resource = &skr_resource_bindings};

static const char *condition(const struct frame_rig *rig, const char *field)
{
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, "default/web");
    const json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    return json_string_value(json_object_get(json_array_get(list, 0), field));
}

/* Events of this reason since writes were forgotten; *ret_note: the text of the last one. */
static size_t events(const struct frame_rig *rig, const char *reason, const char **ret_note)
{
    size_t n = 0;
    for (size_t i = 0; i < rig->n_writes; i++) {
        const char *has = json_string_value(json_object_get(rig->write[i].body, "reason"));
        if (has && strcmp(has, reason) == 0) {
            n++;
            *ret_note = json_string_value(json_object_get(rig->write[i].body, "note"));
        }
    }
    return n;
}

static size_t warnings(const struct frame_rig *rig)
{
    const char *note = "";
    return events(rig, "ScheduleBindingWarning", &note);
}

TEST_WITH(fleet, the_condition_of_a_success_carries_the_warning_and_an_event_says_it_once)
{
    struct frame_rig *rig = fleet->rig;
    const char *note = "";
    add_binding(rig, "default/web", 6, DYNAMIC);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "status"), "True");
    assert_string_equal(condition(rig, "reason"), "Success");
    assert_string_equal(condition(rig, "message"),
                        "Binding has been scheduled successfully. Warning: " TEXT);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
    assert_int_equal(events(rig, "ScheduleBindingWarning", &note), 1);
    assert_string_equal(note, TEXT);
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':9}}");
    frame_rig_run(rig);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
    assert_int_equal(events(rig, "ScheduleBindingSucceed", &note), 2);
    assert_int_equal(warnings(rig), 0);
}

TEST_WITH(fleet, an_unchanged_binding_with_a_warning_is_not_written)
{
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 6, DYNAMIC);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig->n_writes, 0);
}

/* A Duplicated binding is decided whenever a cluster changes. */
TEST_WITH(fleet, clusters_that_join_change_a_number_in_the_warning_and_cost_no_write)
{
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 3, ONE_CLUSTER);
    frame_rig_start(rig);
    assert_non_null(strstr(condition(rig, "message"), "2 of 3 candidate clusters"));
    frame_rig_forget_writes(rig);
    add_cluster(rig, "d", 2, "," MODELS);
    frame_rig_edit(rig, &skr_resource_member_clusters, "a", "{'spec':{'region':'r'}}");
    frame_rig_run(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 600 * SKR_SECOND);
    assert_int_equal(rig->n_writes, 0);
}

TEST_WITH(fleet, the_warning_goes_with_its_cause_without_another_event_of_the_outcome)
{
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 3, ONE_CLUSTER);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_member_clusters, "a",
                   "{'spec':{'region':'r'},'status':{'resourceSummary':{'allocatableModelings':"
                   "null}}}");
    frame_rig_edit(rig, &skr_resource_member_clusters, "b",
                   "{'spec':{'region':'r'},'status':{'resourceSummary':{'allocatableModelings':"
                   "null}}}");
    frame_rig_run(rig);
    frame_rig_restart(rig);
    assert_string_equal(condition(rig, "message"), "Binding has been scheduled successfully.");
    assert_int_equal(rig->n_writes, 1);
}

TEST_WITH(fleet, a_shortage_carries_the_warning_and_is_not_written_again)
{
    struct frame_rig *rig = fleet->rig;
    const char *note = "";
    add_binding(rig, "default/web", 60, DYNAMIC);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "reason"), "Unschedulable");
    assert_string_equal(condition(rig, "message"),
                        "assign_capacity: 60 replicas need room, best 18. Warning: " TEXT);
    assert_int_equal(events(rig, "ScheduleBindingFailed", &note), 2);
    assert_int_equal(warnings(rig), 1);
    frame_rig_forget_writes(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig->n_writes, 0);
    /* Another number is another outcome; the warning is the same one. */
    frame_rig_edit(rig, &skr_resource_member_clusters, "c",
                   "{'status':{'resourceSummary':{'allocatable':{'cpu':'5'}}}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 11 * SKR_SECOND);
    assert_non_null(strstr(condition(rig, "message"), "best 19. Warning: "));
    assert_int_equal(warnings(rig), 0);
}

TEST_WITH(fleet, a_refusal_by_a_quota_carries_no_warning_and_the_success_after_it_does)
{
    static const struct frame_rig_match of_main = {.resource = &skr_resource_bindings,
                                                   .subresource = ""};
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 6, DYNAMIC);
    frame_rig_fault(rig, FRAME_FAULT_DENIED, 3, &of_main);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "reason"), "QuotaExceeded");
    assert_null(strstr(condition(rig, "message"), "Warning: "));
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_string_equal(condition(rig, "reason"), "Success");
    assert_int_equal(warnings(rig), 1);
}

TEST_WITH(fleet, ignored_workload_affinity_is_said_likewise)
{
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 3, "'workloadAffinity':{'affinity':{}}");
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "reason"), "Success");
    assert_non_null(strstr(condition(rig, "message"), "Warning: WorkloadAffinityIgnored: "));
    assert_int_equal(warnings(rig), 1);
}
