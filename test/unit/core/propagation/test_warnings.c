/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a decision ignores: the condition of the binding and one Event say it, and it costs no write
 * beyond that.
 */
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/decision_world.h"
#include "test/unit/frame_rig.h"

#define AFFINITY ",'workloadAffinity':{'affinity':{}}"
#define TEXT                                                                                    \
    "WorkloadAffinityIgnored: workload affinity (placement.workloadAffinity, "                  \
    "spec.workloadAffinityGroups) is not supported. Clusters are chosen as if it were absent. " \
    "If it has to hold, leave the policy to karmada-scheduler: recreate it without "            \
    "spec.schedulerName."
#define ONE "," SPREAD(BY("cluster", 1, 1))

static const char cluster_format[] =
    "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':[{'kind':'Deployment'}]}],"
    "'resourceSummary':{'allocatable':{'pods':'100','cpu':'%d'}}}}";

static const struct skr_propagation_settings *settings_of(void)
{
    static struct skr_propagation_settings settings = {.scheduler_name = "sakkara", .workers = 8};
    skr_propagation_options_init(&settings.options, SKR_PROFILE_DEFAULT);
    return &settings;
}

struct fleet {
    struct frame_rig *rig;
};

static void add_cluster(struct frame_rig *rig, const char *name, int cpu)
{
    frame_rig_add(rig, &skr_resource_member_clusters, name, cluster_format, cpu);
}

static void add_binding(struct frame_rig *rig, const char *key, int replicas, const char *placement)
{
    frame_rig_add(rig, &skr_resource_bindings, key,
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'sakkara','replicas':%d,'replicaRequirements':{"
                  "'resourceRequest':{'cpu':'1'}},'resource':{"
                  "'apiVersion':'apps/v1','kind':'Deployment','namespace':'default','name':'web',"
                  "'uid':'u-1'},'placement':{%s}}}",
                  replicas, placement);
}

static void fleet_set_up(struct fleet *fleet)
{
    fleet->rig = frame_rig_create(&skr_propagation_scheduler, settings_of());
    add_cluster(fleet->rig, "a", 8);
    add_cluster(fleet->rig, "b", 6);
    add_cluster(fleet->rig, "c", 4);
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
    add_binding(rig, "default/web", 6, DYNAMIC AFFINITY);
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
    add_binding(rig, "default/web", 6, DYNAMIC AFFINITY);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig->n_writes, 0);
}

TEST_WITH(fleet, the_warning_goes_with_its_cause_without_another_event)
{
    struct frame_rig *rig = fleet->rig;
    const char *note = "";
    add_binding(rig, "default/web", 3, DYNAMIC AFFINITY);
    frame_rig_start(rig);
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'placement':{'workloadAffinity':null}}}");
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "message"), "Binding has been scheduled successfully.");
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 2);
    assert_int_equal(events(rig, "ScheduleBindingSucceed", &note) + warnings(rig), 0);
}

TEST_WITH(fleet, a_group_that_comes_after_the_placement_is_said_and_moves_nothing)
{
    struct frame_rig *rig = fleet->rig;
    add_binding(rig, "default/web", 6, DYNAMIC);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "message"), "Binding has been scheduled successfully.");
    frame_rig_forget_writes(rig);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'workloadAffinityGroups':{'antiAffinityGroup':'g'}}}");
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "message"),
                        "Binding has been scheduled successfully. Warning: " TEXT);
    assert_int_equal(frame_rig_writes(rig, &of_bindings), 1);
    assert_int_equal(warnings(rig), 1);
    frame_rig_edit(rig, &skr_resource_bindings, "default/web",
                   "{'spec':{'workloadAffinityGroups':null}}");
    frame_rig_run(rig);
    assert_string_equal(condition(rig, "message"), "Binding has been scheduled successfully.");
    assert_int_equal(warnings(rig), 1);
}

TEST_WITH(fleet, a_shortage_carries_the_warning_and_is_not_written_again)
{
    struct frame_rig *rig = fleet->rig;
    const char *note = "";
    add_binding(rig, "default/web", 60, DYNAMIC AFFINITY);
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
    add_binding(rig, "default/web", 6, DYNAMIC AFFINITY);
    frame_rig_fault(rig, FRAME_FAULT_DENIED, 3, &of_main);
    frame_rig_start(rig);
    assert_string_equal(condition(rig, "reason"), "QuotaExceeded");
    assert_null(strstr(condition(rig, "message"), "Warning: "));
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_string_equal(condition(rig, "reason"), "Success");
    assert_int_equal(warnings(rig), 1);
}

/* ---- what is ignored ---- */

struct row {
    const char *title;
    const char *placement, *more, *options;
    const char *want; /* "" : nothing is ignored */
};

#define DUPLICATED "'replicaScheduling':{'replicaSchedulingType':'Duplicated'}"
#define BOTH       SPREAD(BY("zone", 1, 1) "," BY("cluster", 1, 1))
#define TWO        "'components':[{'name':'a','replicas':1},{'name':'b','replicas':2}]"

static const struct row rows[] = {
    {"nothing", DYNAMIC ",'workloadAffinity':{}", "'workloadAffinityGroups':{}", NULL, ""},
    {"workload affinity", "'workloadAffinity':{'affinity':{}}", NULL, NULL,
     "WorkloadAffinityIgnored"},
    {"an affinity group", "", "'workloadAffinityGroups':{'affinityGroup':'g'}", NULL,
     "WorkloadAffinityIgnored"},
    {"an anti-affinity group", "", "'workloadAffinityGroups':{'antiAffinityGroup':'g'}", NULL,
     "WorkloadAffinityIgnored"},
    {"components of one cluster", DUPLICATED ONE, TWO, NULL, "ComponentSetsOff"},
    {"components that count", DUPLICATED ONE, TWO, "componentSets=on", ""},
    {"nodes", DYNAMIC, "'replicaRequirements':{'nodeClaim':{'nodeSelector':{'disk':'ssd'}}}", NULL,
     "NodeClaimIgnored"},
    {"nodes by affinity", AGGREGATED,
     "'replicaRequirements':{'nodeClaim':{'hardNodeAffinity':{'nodeSelectorTerms':[]}}}", NULL,
     "NodeClaimIgnored"},
    {"nodes where room does not count", "'replicaScheduling':{}",
     "'replicaRequirements':{'nodeClaim':{'nodeSelector':{'disk':'ssd'}}}", NULL, ""},
    {"tolerations", DYNAMIC, "'replicaRequirements':{'nodeClaim':{'tolerations':[{}]}}", NULL, ""},
    {"components of several clusters", "'replicaScheduling':{}", TWO, NULL, ""},
    {"nodes where constraints choose by room", DUPLICATED ONE,
     "'replicaRequirements':{'nodeClaim':{'nodeSelector':{'disk':'ssd'}}}", NULL,
     "NodeClaimIgnored"},
    {"constraints of static weights", WEIGHTED ONE, NULL, NULL, "ConstraintsIgnored"},
    {"static weights", WEIGHTED, NULL, NULL, ""},
    {"constraints of {}", EMPTY_WEIGHTS ONE, NULL, NULL, "ConstraintsIgnored"},
    {"constraints of {} that hold", EMPTY_WEIGHTS ONE, NULL, "upstream", ""},
    {"zones", DYNAMIC "," BOTH, NULL, NULL, ""},
    {"zones that do not act", DYNAMIC "," BOTH, NULL, "upstream", "ConstraintsIgnored"},
    {"more regions than clusters", DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 1, 1)),
     NULL, "upstream", "ClusterMaxExceeded"},
    {"the gate, where room counts", DYNAMIC, NULL, "SchedulingOvercommitProtection=true",
     "OvercommitGateIgnored"},
    {"the gate, where it does not", WEIGHTED, NULL, "SchedulingOvercommitProtection=true", ""},
    {"gates that we have", DUPLICATED ONE, TWO,
     "MultiplePodTemplatesScheduling=true,WorkloadAffinity=true,PriorityBasedScheduling=false", ""},
};

TEST_EACH(row, rows, what_a_decision_ignores_is_a_warning)
{
    struct decision_world world;
    struct skr_propagation_options options;
    SKR_STRBUF(names);
    world.n = 0;
    decision_read_clusters(&world, "a -/r1/z1 0/9 b -/r2/z2 0/9");
    decision_set_options(row->options, &options);
    struct skr_binding *binding = decision_read_binding(&world, 1, row->placement, row->more);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &options);
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if ((decision->warnings & SKR_WARNINGS_OF_OMISSIONS) >> i & 1) {
            skr_strbuf_add(&names, skr_propagation_warning_name((enum skr_propagation_warning)i));
        }
    }
    assert_string_equal(names.s, row->want);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}
