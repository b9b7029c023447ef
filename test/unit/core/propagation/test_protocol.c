/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler of bindings against an API server in memory: how many writes, in which order, with
 * which preconditions, and what becomes of a binding when somebody or something interferes.
 */
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

static const struct skr_propagation_settings *settings_of(void)
{
    static struct skr_propagation_settings settings = {.scheduler_name = "sakkara", .workers = 8};
    skr_propagation_options_init(&settings.options, SKR_PROFILE_DEFAULT);
    return &settings;
}

struct world {
    struct frame_rig *rig;
};

static void add_cluster(struct frame_rig *rig, const char *name, int pods)
{
    frame_rig_add(rig, &skr_resource_member_clusters, name,
                  "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'%d'}}}}",
                  pods);
}

static const char divided[] =
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':'Weighted',"
    "'weightPreference':{'dynamicWeight':'AvailableReplicas'}}";

static void add_binding(struct frame_rig *rig, const char *key, const char *scheduler, int replicas,
                        const char *placement)
{
    frame_rig_add(rig, &skr_resource_bindings, key,
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'%s','replicas':%d,'resource':{'apiVersion':'apps/v1',"
                  "'kind':'Deployment','namespace':'default','name':'web','uid':'u-1'},"
                  "'placement':{%s}}}",
                  scheduler, replicas, placement);
}

static void world_set_up(struct world *world)
{
    world->rig = frame_rig_create(&skr_propagation_scheduler, settings_of());
    add_cluster(world->rig, "a", 6);
    add_cluster(world->rig, "b", 3);
}

static void world_tear_down(struct world *world)
{
    frame_rig_destroy(world->rig);
}

static const struct frame_rig_match of_bindings = {.resource = &skr_resource_bindings};
static const struct frame_rig_match of_main = {.resource = &skr_resource_bindings,
                                               .subresource = ""};
static const struct frame_rig_match of_status = {.resource = &skr_resource_bindings,
                                                 .subresource = "status"};

/* "a:2,b:1" */
static const char *places(const struct frame_rig *rig, const char *key)
{
    static char text[256];
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, key);
    const json_t *list = json_object_get(json_object_get(object, "spec"), "clusters");
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s:%d", i > 0 ? "," : "",
                               json_string_value(json_object_get(entry, "name")),
                               (int)json_integer_value(json_object_get(entry, "replicas")));
    }
    return text;
}

static const char *condition(const struct frame_rig *rig, const char *key, const char *field)
{
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, key);
    const json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(entry, "type")), "Scheduled") == 0) {
            return json_string_value(json_object_get(entry, field));
        }
    }
    return "";
}

static int64_t number(const struct frame_rig *rig, const char *key, const char *part,
                      const char *field)
{
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, key);
    return json_integer_value(json_object_get(json_object_get(object, part), field));
}

TEST_WITH(world, a_binding_is_placed_with_two_writes_and_then_left_alone)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_string_equal(condition(rig, "default/web", "status"), "True");
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
    assert_int_equal(frame_rig_writes(rig, &of_main), 1);
    assert_int_equal(frame_rig_writes(rig, &of_status), 1);
    assert_int_equal(number(rig, "default/web", "status", "schedulerObservedGeneration"),
                     number(rig, "default/web", "metadata", "generation"));
    frame_rig_forget_writes(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 0);
}

TEST_WITH(world, the_applied_placement_is_the_placement_as_it_stands)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    const struct frame_rig_write *write = frame_rig_last(rig, &of_main);
    const json_t *metadata = json_object_get(write->body, "metadata");
    assert_non_null(json_string_value(json_object_get(metadata, "resourceVersion")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(metadata, "annotations"),
                                          "policy.karmada.io/applied-placement")),
        "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","
        "\"replicaDivisionPreference\":"
        "\"Weighted\",\"weightPreference\":{\"dynamicWeight\":\"AvailableReplicas\"}}}");
}

TEST_WITH(world, a_foreign_scheduler_s_binding_is_not_touched)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "default-scheduler", 3, divided);
    add_binding(rig, "default/none", "", 3, divided);
    frame_rig_add(rig, &skr_resource_bindings, "default/unmanaged",
                  "{'spec':{'schedulerName':'sakkara','replicas':1,'placement':{}}}");
    add_binding(rig, "default/suspended", "sakkara", 3, divided);
    frame_rig_edit(rig, &skr_resource_bindings, "default/suspended",
                   "{'spec':{'suspension':{'scheduling':true}}}");
    frame_rig_start(rig);
    frame_rig_advance(rig, 600 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 0);
    frame_rig_edit(rig, &skr_resource_bindings, "default/suspended",
                   "{'spec':{'suspension':{'scheduling':false}}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/suspended"), "a:2,b:1");
}

TEST_WITH(world, growth_and_shrinking_follow_the_replicas)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':6}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:4,b:2");
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':3}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
}

TEST_WITH(world, clusters_that_are_overwritten_are_written_at_growing_pauses)
{
    struct frame_rig *rig = world->rig;
    const struct frame_rig_match of_events = {.resource = &skr_events};
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    for (int i = 0; i < 1000; i++) {
        frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'clusters':[]}}");
        frame_rig_advance(rig, 4 * SKR_MILLISECOND);
    }
    assert_in_range(frame_rig_writes(rig, &of_main), 7, 10);
    frame_rig_advance(rig, 71 * SKR_SECOND);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'clusters':[]}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_int_equal(frame_rig_writes(rig, &of_events), 2);
}

TEST_WITH(world, a_concurrent_eviction_is_not_overwritten)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    rig->hold_watches = true;
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':4}}");
    rig->hold_watches = false;
    frame_rig_forget_writes(rig);
    frame_rig_fault(rig, FRAME_FAULT_CONFLICT, 1, &of_main);
    frame_rig_run(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'clusters':[{'name':'a','replicas':2}],"
                   "'gracefulEvictionTasks':[{'fromCluster':'b'}]}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:4");
}

TEST_WITH(world, a_conflict_reads_the_binding_again_and_decides_anew)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_fault(rig, FRAME_FAULT_CONFLICT, 1, &of_main);
    frame_rig_start(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_int_equal(frame_rig_writes(rig, &of_main), 2); /* the read-back and the patch */
    assert_int_equal(frame_rig_writes(rig, &of_status), 1);
}

TEST_WITH(world, an_outcome_that_is_unknown_is_looked_at_first)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_fault(rig, FRAME_FAULT_LOST_ANSWER, 1, &of_main);
    frame_rig_start(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
    assert_true(number(rig, "default/web", "status", "schedulerObservedGeneration") > 0);
}

TEST_WITH(world, a_refusal_by_a_quota_is_reported_and_tried_again)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_fault(rig, FRAME_FAULT_DENIED, 2, &of_main);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), "QuotaExceeded");
    assert_string_equal(places(rig, "default/web"), "");
    assert_int_equal(number(rig, "default/web", "status", "schedulerObservedGeneration"), 0);
    frame_rig_advance(rig, 30 * SKR_SECOND);
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
}

TEST_WITH(world, a_crash_between_the_two_patches_is_finished_after_the_restart)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_crash_after(rig, 1);
    frame_rig_start(rig);
    frame_rig_run(rig);
    assert_int_equal(frame_rig_crashes(rig), 1);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
    assert_string_not_equal(
        frame_rig_text(rig, &skr_resource_bindings, "default/web", "status.lastScheduledTime"), "");
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
}

TEST_WITH(world, a_second_change_meanwhile_is_not_taken_for_observed)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    assert_int_equal(number(rig, "default/web", "metadata", "generation"), 2);
    assert_int_equal(number(rig, "default/web", "status", "schedulerObservedGeneration"), 2);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'propagateDeps':true}}");
    frame_rig_forget_writes(rig);
    frame_rig_run(rig);
    assert_int_equal(number(rig, "default/web", "status", "schedulerObservedGeneration"), 3);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 1);
}

TEST_WITH(world, no_cluster_that_fits_empties_the_binding_and_a_new_cluster_brings_it_back)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3,
                "'clusterAffinity':{'labelSelector':{'matchLabels':{'tier':'gold'}}}");
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), "NoClusterFit");
    assert_string_equal(places(rig, "default/web"), "");
    frame_rig_forget_writes(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 0);
    frame_rig_add(rig, &skr_resource_member_clusters, "gold",
                  "{'metadata':{'labels':{'tier':'gold'}},'status':{'apiEnablements':[{"
                  "'groupVersion':'apps/v1','resources':[{'kind':'Deployment'}]}]}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 11 * SKR_SECOND);
    assert_string_equal(places(rig, "default/web"), "gold:3");
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
}

TEST_WITH(world, a_kind_that_is_served_at_last_and_a_taint_that_goes_bring_bindings_back)
{
    struct frame_rig *rig = world->rig;
    frame_rig_add(rig, &skr_resource_member_clusters, "late", "{'spec':{'region':'late'}}");
    frame_rig_add(rig, &skr_resource_member_clusters, "closed",
                  "{'spec':{'taints':[{'key':'x','effect':'NoSchedule'}]},'status':{"
                  "'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}]}}");
    add_binding(rig, "default/late", "sakkara", 1, "'clusterAffinity':{'clusterNames':['late']}");
    add_binding(rig, "default/open", "sakkara", 1, "'clusterAffinity':{'clusterNames':['closed']}");
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "default/late", "reason"), "NoClusterFit");
    assert_string_equal(condition(rig, "default/open", "reason"), "NoClusterFit");
    frame_rig_edit(rig, &skr_resource_member_clusters, "late",
                   "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                   "{'kind':'Deployment'}]}]}}");
    frame_rig_edit(rig, &skr_resource_member_clusters, "closed", "{'spec':{'taints':[]}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 11 * SKR_SECOND);
    assert_string_equal(places(rig, "default/late"), "late:1");
    assert_string_equal(places(rig, "default/open"), "closed:1");
}

TEST_WITH(world, a_shortage_keeps_what_runs_and_ends_when_room_is_freed)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web", "{'spec':{'replicas':30}}");
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), "Unschedulable");
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    assert_int_equal(number(rig, "default/web", "status", "schedulerObservedGeneration"), 2);
    frame_rig_edit(rig, &skr_resource_member_clusters, "a",
                   "{'status':{'resourceSummary':{'allocatable':{'pods':'60'}}}}");
    frame_rig_run(rig);
    frame_rig_advance(rig, 11 * SKR_SECOND);
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
}

TEST_WITH(world, replicas_leave_a_cluster_of_an_overflow_affinity_that_is_deleted)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3,
                "'clusterAffinities':[{'affinityName':'t','clusterNames':['none'],"
                "'overflowAffinities':[{'affinityName':'o','clusterNames':['b']},"
                "{'affinityName':'p','clusterNames':['a']}]}],'replicaScheduling':{"
                "'replicaSchedulingType':'Divided','replicaDivisionPreference':'Aggregated'}");
    frame_rig_start(rig);
    assert_string_equal(places(rig, "default/web"), "b:3");
    frame_rig_edit(rig, &skr_resource_member_clusters, "b",
                   "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}");
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:3");
}

TEST_WITH(world, a_placed_binding_does_not_move_for_room)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_member_clusters, "b",
                   "{'status':{'resourceSummary':{'allocatable':{'pods':'600'}}}}");
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 0);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
}

TEST_WITH(world, a_rescheduling_that_is_asked_for_is_done_once)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_edit(rig, &skr_resource_member_clusters, "b",
                   "{'status':{'resourceSummary':{'allocatable':{'pods':'600'}}}}");
    frame_rig_run(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'rescheduleTriggeredAt':'2037-01-01T00:00:00Z'}}");
    frame_rig_forget_writes(rig);
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "b:3");
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
}

TEST_WITH(world, conditions_of_others_stay)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'status':{'conditions':[{'type':'FullyApplied','status':'True'}]}}");
    frame_rig_start(rig);
    const json_t *object = frame_rig_get(rig, &skr_resource_bindings, "default/web");
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(object, "status"), "conditions")), 2);
}

TEST_WITH(world, a_policy_that_cannot_be_served_is_tried_less_and_less)
{
    struct frame_rig *rig = world->rig;
    struct skr_propagation_counts counts;
    add_binding(rig, "default/web", "sakkara", 3, "'spreadConstraints':[{'spreadByLabel':'x'}]");
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), "SchedulerError");
    frame_rig_advance(rig, 200 * SKR_SECOND);
    skr_propagation_count(skr_engine_self(rig->engine), &counts);
    assert_int_equal(counts.attempts[SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT], 6);
    assert_int_equal(counts.unplaced, 1);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 1);
}

#define ZEROS_32 "00000000000000000000000000000000"
/* Replicas that ask for so much; what is said of the fourth one. */
struct ask {
    const char *title, *cpu, *reason, *message;
};
static const struct ask asks[] = {
    {"a limit", ZEROS_32 ZEROS_32 ZEROS_32 ZEROS_32 "1", "SchedulerError",
     "invalid_policy: spec.replicaRequirements.resourceRequest: cpu: a quantity of 129 characters, "
     "limit 128"},
    {"more than 64 bits hold", "100E", "Unschedulable", "assign_capacity: "},
};
TEST_EACH(ask, asks, what_is_beyond_a_limit_or_any_cluster_is_said_and_keeps_what_runs)
{
    struct world world;
    world_set_up(&world);
    struct frame_rig *rig = world.rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'replicas':4,'replicaRequirements':{'resourceRequest':{'cpu':"
                   "'%s'}}}}",
                   ask->cpu);
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), ask->reason);
    assert_memory_equal(condition(rig, "default/web", "message"), ask->message,
                        strlen(ask->message));
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'replicaRequirements':{'resourceRequest':null}}}");
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "default/web", "reason"), "Success");
    assert_string_equal(places(rig, "default/web"), "a:3,b:1");
    world_tear_down(&world);
}

TEST_WITH(world, a_cluster_binding_is_placed_as_well)
{
    struct frame_rig *rig = world->rig;
    frame_rig_add(rig, &skr_resource_cluster_bindings, "crd",
                  "{'metadata':{'labels':{'binding.karmada.io/managed-by':'me'}},'spec':{"
                  "'schedulerName':'sakkara','resource':{'apiVersion':'apps/v1','kind':"
                  "'Deployment','name':'x'},'placement':{}}}");
    frame_rig_start(rig);
    const json_t *object = frame_rig_get(rig, &skr_resource_cluster_bindings, "crd");
    const json_t *list = json_object_get(json_object_get(object, "spec"), "clusters");
    assert_int_equal(json_array_size(list), 2);
    assert_null(json_object_get(json_array_get(list, 0), "replicas"));
}

TEST_WITH(world, a_standby_writes_nothing)
{
    struct frame_rig *rig = world->rig;
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_lead(rig, false);
    frame_rig_start(rig);
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 0);
    frame_rig_lead(rig, true);
    frame_rig_run(rig);
    assert_string_equal(places(rig, "default/web"), "a:2,b:1");
}

TEST_WITH(world, a_cluster_without_figures_does_not_void_the_others)
{
    frame_rig_add(world->rig, &skr_resource_member_clusters, "c",
                  "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}]}}");
    frame_rig_add(world->rig, &skr_resource_member_clusters, "d",
                  "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'5'},'"
                  "allocated':{'pods':'7'}}}}");
    add_binding(world->rig, "default/web", "sakkara", 9, divided);
    frame_rig_start(world->rig);
    assert_string_equal(places(world->rig, "default/web"), "a:6,b:3");
    assert_string_equal(condition(world->rig, "default/web", "reason"), "Success");
}

TEST_WITH(world, a_cluster_with_more_room_than_64_bits_hold_takes_all)
{
    frame_rig_add(world->rig, &skr_resource_member_clusters, "c",
                  "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                  "{'kind':'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'100E'},'"
                  "allocated':{'pods':'7'}}}}");
    add_binding(world->rig, "default/web", "sakkara", 9, divided);
    frame_rig_start(world->rig);
    assert_string_equal(places(world->rig, "default/web"), "c:9");
}

/* A clock that advances by a millisecond whenever it is read. */
static int64_t tick(void *context)
{
    int64_t *at = context;
    return *at += SKR_MILLISECOND;
}

TEST(each_step_of_a_decision_is_measured)
{
    int64_t at = 0;
    const struct skr_stopwatch stopwatch = {tick, &at};
    struct skr_propagation_settings measured = *settings_of();
    struct skr_propagation_counts counts;
    measured.stopwatch = &stopwatch;
    struct frame_rig *rig = frame_rig_create(&skr_propagation_scheduler, &measured);
    add_cluster(rig, "a", 6);
    add_binding(rig, "default/web", "sakkara", 3, divided);
    frame_rig_start(rig);
    skr_propagation_count(skr_engine_self(rig->engine), &counts);
    for (int step = SKR_PROPAGATION_STEP_FILTER; step <= SKR_PROPAGATION_STEP_ASSIGN; step++) {
        assert_true(counts.time[step].sum >= SKR_MILLISECOND);
        assert_int_equal(counts.time[step].sum % SKR_MILLISECOND, 0);
    }
    assert_int_equal(counts.time[SKR_PROPAGATION_STEP_SCORE].sum, SKR_MILLISECOND);
    assert_int_equal(counts.time[SKR_PROPAGATION_STEP_SCORE].n[4], 1); /* <= 2.56 ms */
    frame_rig_destroy(rig);
}

/* The writes in order: m of a binding, s of its status, e an Event. */
static const char *order_of_writes(const struct frame_rig *rig)
{
    static char text[64];
    size_t n = 0;
    for (size_t i = 0; i < rig->n_writes && n + 1 < sizeof text; i++) {
        const struct frame_rig_write *write = &rig->write[i];
        bool binding = write->resource == &skr_resource_bindings;
        text[n++] = !binding ? 'e' : write->subresource[0] != '\0' ? 's' : 'm';
    }
    text[n] = '\0';
    return text;
}

TEST(a_worker_decides_the_next_binding_while_a_status_is_written)
{
    struct skr_propagation_settings alone = *settings_of();
    alone.workers = 1;
    struct frame_rig *rig = frame_rig_create(&skr_propagation_scheduler, &alone);
    add_cluster(rig, "a", 60);
    add_binding(rig, "default/one", "sakkara", 3, divided);
    add_binding(rig, "default/two", "sakkara", 3, divided);
    add_binding(rig, "default/three", "sakkara", 3, divided);
    frame_rig_start(rig);
    assert_string_equal(order_of_writes(rig), "msmeesmeesee");
    frame_rig_destroy(rig);
}

TEST_WITH(world, a_crash_at_any_write_ends_in_the_same_state)
{
    for (size_t after = 1; after <= 8; after++) {
        struct frame_rig *rig = frame_rig_create(&skr_propagation_scheduler, settings_of());
        add_cluster(rig, "a", 6);
        add_cluster(rig, "b", 3);
        add_binding(rig, "default/one", "sakkara", 3, divided);
        add_binding(rig, "default/two", "sakkara", 30, divided);
        add_binding(rig, "default/three", "sakkara", 2, "'clusterAffinity':{'clusterNames':['b']}");
        frame_rig_crash_after(rig, after);
        frame_rig_start(rig);
        frame_rig_run(rig);
        frame_rig_advance(rig, 20 * SKR_SECOND);
        assert_string_equal(places(rig, "default/one"), "a:2,b:1");
        assert_string_equal(condition(rig, "default/one", "reason"), "Success");
        assert_string_equal(condition(rig, "default/two", "reason"), "Unschedulable");
        assert_string_equal(places(rig, "default/three"), "b:2");
        assert_int_equal(number(rig, "default/three", "status", "schedulerObservedGeneration"),
                         number(rig, "default/three", "metadata", "generation"));
        frame_rig_destroy(rig);
    }
    (void)world;
}
