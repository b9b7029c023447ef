/* SPDX-License-Identifier: Apache-2.0 */
/* kueue.admissionCheck: Workloads of Kueue are admitted once their pods would be placed. */
#include "core/gang/admission/admission.h"

#include "core/gang/admission/admission_answer.h"
#include "core/gang/admission/admission_promises.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "topology/base/attr.h"

static const struct skr_resource *workloads, *checks, *flavors, *pods, *nodes, *maps, *jobsets;

#define CONDITION(type) "{'type':'" type "','status':'True'}"
#define RESERVED        CONDITION("QuotaReserved")
#define PENDING         "{'name':'place','state':'Pending','message':'','lastTransitionTime':'x'}"
#define SPEC(cpu)                                                                              \
    "'schedulerName':'sakkara','containers':[{'name':'c','resources':{'requests':{'cpu':'" cpu \
    "'}}}]"

static void add_node(struct frame_rig *rig, const char *name, const char *pool, int cpu)
{
    frame_rig_add(rig, nodes, name,
                  "{'metadata':{'labels':{'kubernetes.io/hostname':'%s','pool':'%s'}},'status':{"
                  "'allocatable':{'cpu':'%d','memory':'64Gi','pods':'110'},"
                  "'conditions':[{'type':'Ready','status':'True'}]}}",
                  name, pool, cpu);
}

static void add_check(struct frame_rig *rig)
{
    frame_rig_add(rig, checks, "place", "{'spec':{'controllerName':'sakkara/placement'}}");
}

/* Two nodes of pool a with 4 cpu, one of pool b with 4. */
static struct frame_rig *cluster(bool on)
{
    static struct skr_settings settings;
    skr_settings_default(&settings);
    settings.admission_check = on;
    settings.reservations = 1;
    workloads = skr_gang_kueue_workload.resource;
    checks = skr_gang_admission_check.resource;
    flavors = skr_gang_kueue_flavor.resource;
    pods = skr_gang_pod.resource;
    nodes = skr_gang_node.resource;
    maps = skr_gang_configmap.resource;
    jobsets = skr_gang_owner_jobset.resource;
    struct frame_rig *rig = frame_rig_create(&skr_gang_scheduler, &settings);
    add_node(rig, "a-0", "a", 4);
    add_node(rig, "a-1", "a", 4);
    add_node(rig, "b-0", "b", 4);
    frame_rig_add(rig, flavors, "fa", "{'spec':{'nodeLabels':{'pool':'a'}}}");
    frame_rig_add(rig, flavors, "any", "{'spec':{}}");
    add_check(rig);
    frame_rig_start(rig);
    return rig;
}

static void fini(struct frame_rig **rig)
{
    frame_rig_destroy(*rig);
}

#define RIG SKR_CLEANUP(fini) struct frame_rig *rig = cluster(true)

/* A Workload of a Job; template: metadata and spec of its pods. */
static void add_job(struct frame_rig *rig, const char *name, int count, const char *flavor,
                    const char *notes, const char *spec)
{
    frame_rig_add(
        rig, workloads, test_text("default/%s", name),
        "{'metadata':{'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':'%s',"
        "'controller':true,'uid':'u'}]},'spec':{'priority':0,'podSets':[{'name':'main',"
        "'count':%d,'template':{'metadata':{'annotations':{%s}},'spec':{%s}}}]},"
        "'status':{'conditions':[" RESERVED "],'admissionChecks':[" PENDING "],"
        "'admission':{'clusterQueue':'q','podSetAssignments':[{'name':'main','count':%d,"
        "'flavors':{'cpu':'%s'}}]}}}",
        name, count, notes, spec, count, flavor);
    frame_rig_advance(rig, 100 * SKR_MILLISECOND);
}

static const json_t *answer(const struct frame_rig *rig, const char *name, size_t at)
{
    const json_t *status =
        json_object_get(frame_rig_get(rig, workloads, test_text("default/%s", name)), "status");
    return json_array_get(json_object_get(status, "admissionChecks"), at);
}

static const char *text(const struct frame_rig *rig, const char *name, const char *key)
{
    const char *value = json_string_value(json_object_get(answer(rig, name, 0), key));
    return value ? value : "";
}

static int64_t number(const struct frame_rig *rig, const char *name, const char *key)
{
    return json_integer_value(json_object_get(answer(rig, name, 0), key));
}

static void says(const struct frame_rig *rig, const char *name, const char *part)
{
    const char *message = text(rig, name, "message");
    if (!strstr(message, part)) {
        print_message("\"%s\" lacks \"%s\"\n", message, part);
    }
    assert_non_null(strstr(message, part));
}

/* As Kueue: evicted after Retry, and its quota is reserved again. */
static void evict_and_requeue(struct frame_rig *rig, const char *name, int retries)
{
    char key[64];
    snprintf(key, sizeof key, "default/%s", name);
    frame_rig_edit(rig, workloads, key,
                   "{'status':{'conditions':[{'type':'QuotaReserved','status':'False'},"
                   "{'type':'Evicted','status':'True'}],'admissionChecks':[{'name':'place','state':"
                   "'Pending','message':'','lastTransitionTime':'x','retryCount':%d}]}}",
                   retries);
    frame_rig_run(rig);
    frame_rig_edit(rig, workloads, key,
                   "{'status':{'conditions':[" RESERVED ",{'type':'Evicted','status':'False'}]}}");
    frame_rig_advance(rig, SKR_SECOND);
}

static size_t answers(const struct frame_rig *rig)
{
    const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH;
    const struct frame_rig_match match = {.verb = &patch, .resource = workloads};
    return frame_rig_writes(rig, &match);
}

/* ---- the check ---- */

TEST(a_check_of_ours_becomes_active)
{
    RIG;
    const json_t *status = json_object_get(frame_rig_get(rig, checks, "place"), "status");
    const json_t *condition = json_array_get(json_object_get(status, "conditions"), 0);
    assert_string_equal(json_string_value(json_object_get(condition, "type")), "Active");
    assert_string_equal(json_string_value(json_object_get(condition, "status")), "True");
    frame_rig_add(rig, checks, "other", "{'spec':{'controllerName':'kueue.x-k8s.io/multikueue'}}");
    frame_rig_run(rig);
    assert_null(json_object_get(frame_rig_get(rig, checks, "other"), "status"));
}

TEST(without_the_option_nothing_is_written)
{
    SKR_CLEANUP(fini) struct frame_rig *rig = cluster(false);
    add_job(rig, "train", 2, "any", "'sakkara.gang':'auto'", SPEC("2"));
    assert_string_equal(text(rig, "train", "state"), "Pending");
    assert_null(json_object_get(frame_rig_get(rig, checks, "place"), "status"));
}

/* ---- answers ---- */

TEST(a_workload_that_fits_is_ready_and_its_pods_become_a_gang)
{
    RIG;
    add_job(rig, "train", 3, "any", "", SPEC("3"));
    assert_string_equal(text(rig, "train", "state"), "Ready");
    says(rig, "train", "group job/train fits now: 3 pods in ");
    says(rig, "train", "nothing is reserved");
    SKR_AUTO_FREE char *updates =
        json_dumps(json_object_get(answer(rig, "train", 0), "podSetUpdates"), JSON_COMPACT);
    assert_string_equal(updates,
                        "[{\"name\":\"main\",\"annotations\":{\"sakkara.gang\":\"auto\"}}]");
    assert_int_equal(answers(rig), 1);
}

TEST(what_the_template_says_is_not_added)
{
    RIG;
    add_job(rig, "train", 3, "any", "'sakkara.gang':'auto','sakkara.group.size':'2'", SPEC("4"));
    assert_string_equal(text(rig, "train", "state"), "Ready");
    says(rig, "train", "2 pods in");
    assert_int_equal(json_array_size(json_object_get(answer(rig, "train", 0), "podSetUpdates")), 0);
}

TEST(a_workload_that_does_not_fit_now_is_tried_again_after_growing_pauses)
{
    RIG;
    static const int64_t wait[] = {30, 60, 120, 240, 480, 600, 600};
    frame_rig_add(rig, pods, "default/other",
                  "{'spec':{'nodeName':'a-0',%s},'status':{'phase':'Running'}}", SPEC("3"));
    add_job(rig, "train", 3, "any", "'sakkara.gang':'auto'", SPEC("3"));
    for (int i = 0; i < 7; i++) {
        assert_string_equal(text(rig, "train", "state"), "Retry");
        assert_int_equal(number(rig, "train", "requeueAfterSeconds"), wait[i]);
        says(rig, "train", "job/train needs 3");
        says(rig, "train", "tried again in");
        if (i == 3) {
            frame_rig_restart(rig);
        }
        evict_and_requeue(rig, "train", i + 1);
    }
    frame_rig_delete(rig, pods, "default/other");
    evict_and_requeue(rig, "train", 8);
    assert_string_equal(text(rig, "train", "state"), "Ready");
    assert_null(json_object_get(answer(rig, "train", 0), "requeueAfterSeconds"));
}

TEST(a_workload_is_tried_again_when_its_pods_would_start)
{
    static const struct {
        int runs, least, most;
    } c[] = {{200, 190, 210}, {5, 30, 30}, {5000, 600, 600}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        RIG;
        char start[48];
        skr_time_write(rig->now, 0, start, sizeof start);
        frame_rig_add(rig, pods, "default/other",
                      "{'spec':{'nodeName':'a-0','activeDeadlineSeconds':%d,"
                      "'terminationGracePeriodSeconds':0,%s},"
                      "'status':{'phase':'Running','startTime':'%s'}}",
                      c[i].runs, SPEC("3"), start);
        add_job(rig, "train", 3, "any", "'sakkara.gang':'auto'", SPEC("3"));
        assert_string_equal(text(rig, "train", "state"), "Retry");
        assert_in_range(number(rig, "train", "requeueAfterSeconds"), c[i].least, c[i].most);
    }
}

static uint64_t counted(struct frame_rig *rig, enum skr_admission_result result)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(skr_engine_self(rig->engine), &stats);
    return stats.admissions[result];
}

TEST(answers_are_counted)
{
    RIG;
    add_job(rig, "huge", 2, "any", "'sakkara.gang':'auto'", SPEC("5"));
    assert_string_equal(text(rig, "huge", "state"), "Rejected");
    add_job(rig, "small", 2, "any", "'sakkara.gang':'auto'", SPEC("1"));
    assert_string_equal(text(rig, "small", "state"), "Ready");
    assert_int_equal(counted(rig, SKR_ADMISSION_REJECTED), 1);
    assert_int_equal(counted(rig, SKR_ADMISSION_READY), 1);
    assert_int_equal(counted(rig, SKR_ADMISSION_RETRY), 0);
    assert_int_equal(counted(rig, SKR_ADMISSION_NOT_WRITTEN), 0);
}

TEST(a_workload_that_can_never_fit_is_rejected)
{
    RIG;
    add_job(rig, "huge", 2, "any", "'sakkara.gang':'auto'", SPEC("5"));
    assert_string_equal(text(rig, "huge", "state"), "Rejected");
    says(rig, "huge", "job/huge");
    add_job(rig, "odd", 2, "any", "'sakkara.gang':'auto','sakkara.group.constraints':'{nonsense'",
            SPEC("1"));
    assert_string_equal(text(rig, "odd", "state"), "Rejected");
    says(rig, "odd", "sakkara.group.constraints: 1:2");
    add_job(rig, "type", 2, "any", "'sakkara.gang':'sometimes'", SPEC("1"));
    says(rig, "type", "must be auto, off");
}

TEST(while_a_node_is_closed_no_workload_is_rejected_for_its_size)
{
    RIG;
    frame_rig_edit(rig, nodes, "b-0", "{'spec':{'unschedulable':true}}");
    add_job(rig, "huge", 2, "any", "'sakkara.gang':'auto'", SPEC("5"));
    assert_string_equal(text(rig, "huge", "state"), "Retry");
    frame_rig_edit(rig, nodes, "b-0", "{'spec':{'unschedulable':null}}");
    evict_and_requeue(rig, "huge", 1);
    assert_string_equal(text(rig, "huge", "state"), "Rejected");
}

TEST(the_flavor_says_which_nodes_count)
{
    RIG;
    add_job(rig, "two", 2, "fa", "", SPEC("3"));
    assert_string_equal(text(rig, "two", "state"), "Ready");
    frame_rig_advance(rig, 60 * SKR_SECOND);
    add_job(rig, "three", 3, "fa", "", SPEC("3"));
    assert_string_equal(text(rig, "three", "state"), "Rejected");
    add_job(rig, "late", 2, "unheard", "", SPEC("3"));
    assert_string_equal(text(rig, "late", "state"), "Pending");
    frame_rig_add(rig, flavors, "unheard", "{'spec':{'nodeLabels':{'pool':'b'}}}");
    frame_rig_advance(rig, 10 * SKR_SECOND);
    assert_string_equal(text(rig, "late", "state"), "Rejected");
}

TEST(rules_of_a_group_map_count)
{
    RIG;
    frame_rig_add(
        rig, maps, "default/train",
        "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'train','size':'2',"
        "'priority':'0','constraints':'{\\'node\\':{\\'type\\':\\'pack\\',\\'hard\\':true}}'}}");
    frame_rig_add(rig, workloads, "default/w",
                  "{'spec':{'podSets':[{'name':'main','count':2,'template':{'metadata':{'labels':{"
                  "'sakkara.group.name':'train'}},'spec':{%s}}}]},'status':{'conditions':[" RESERVED
                  "],'admissionChecks':[" PENDING "]}}",
                  SPEC("3"));
    frame_rig_run(rig);
    assert_string_equal(text(rig, "w", "state"), "Rejected");
    says(rig, "w", "train");
}

TEST(pods_that_are_no_gang_of_ours_are_not_tried)
{
    RIG;
    add_job(rig, "alien", 9, "any", "", "'containers':[]");
    assert_string_equal(text(rig, "alien", "state"), "Ready");
    says(rig, "alien", "nothing is tried");
    add_job(rig, "off", 9, "any", "'sakkara.gang':'off'", SPEC("4"));
    assert_string_equal(text(rig, "off", "state"), "Ready");
    says(rig, "off", "nothing is tried");
    assert_int_equal(json_array_size(json_object_get(answer(rig, "off", 0), "podSetUpdates")), 0);
}

/* ---- who else answers ---- */

TEST(checks_of_other_controllers_come_first_and_stay_as_they_are)
{
    RIG;
    frame_rig_add(rig, workloads, "default/w",
                  "{'spec':{'podSets':[{'name':'main','count':1,'template':{'spec':{%s}}}]},"
                  "'status':{'conditions':[" RESERVED "],'admissionChecks':[" PENDING
                  ",{'name':'buy','state':'Pending','message':'m'}]}}",
                  SPEC("1"));
    frame_rig_advance(rig, 30 * SKR_SECOND);
    assert_string_equal(text(rig, "w", "state"), "Pending");
    assert_int_equal(answers(rig), 0);
    frame_rig_edit(rig, workloads, "default/w",
                   "{'status':{'admissionChecks':[" PENDING
                   ",{'name':'buy','state':'Ready','message':'m','podSetUpdates':[{'name':'main',"
                   "'nodeSelector':{'pool':'b'}}]}]}}");
    frame_rig_run(rig);
    assert_string_equal(text(rig, "w", "state"), "Ready");
    says(rig, "w", "1 pod in b-0");
    SKR_AUTO_FREE char *other = json_dumps(answer(rig, "w", 1), JSON_COMPACT);
    assert_string_equal(other, "{\"name\":\"buy\",\"state\":\"Ready\",\"message\":\"m\","
                               "\"podSetUpdates\":[{\"name\":\"main\",\"nodeSelector\":{\"pool\":"
                               "\"b\"}}]}");
}

TEST(an_admitted_workload_is_never_changed)
{
    RIG;
    add_job(rig, "train", 2, "any", "", SPEC("3"));
    frame_rig_edit(rig, workloads, "default/train",
                   "{'status':{'conditions':[" RESERVED "," CONDITION("Admitted") "]}}");
    frame_rig_run(rig);
    const size_t before = answers(rig);
    frame_rig_delete(rig, nodes, "a-0");
    frame_rig_edit(rig, workloads, "default/train", "{'status':{'admissionChecks':[" PENDING "]}}");
    frame_rig_advance(rig, 90 * SKR_SECOND);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 90 * SKR_SECOND);
    assert_int_equal(answers(rig), before);
}

/* ---- room ---- */

TEST(two_workloads_are_not_ready_for_the_same_room)
{
    RIG;
    add_job(rig, "first", 2, "fa", "", SPEC("3"));
    add_job(rig, "second", 2, "fa", "", SPEC("3"));
    frame_rig_advance(rig, SKR_SECOND);
    assert_string_equal(text(rig, "first", "state"), "Ready");
    assert_string_equal(text(rig, "second", "state"), "Retry");
    frame_rig_edit(rig, workloads, "default/first",
                   "{'status':{'conditions':[{'type':'QuotaReserved','status':'False'}]}}");
    evict_and_requeue(rig, "second", 1);
    assert_string_equal(text(rig, "second", "state"), "Ready");
}

TEST(a_promise_ends_after_its_time)
{
    RIG;
    add_job(rig, "first", 2, "fa", "", SPEC("3"));
    frame_rig_advance(rig, (SKR_PROMISE_S + 1) * SKR_SECOND);
    add_job(rig, "second", 2, "fa", "", SPEC("3"));
    assert_string_equal(text(rig, "second", "state"), "Ready");
}

TEST(room_that_pods_are_leaving_is_waited_for)
{
    RIG;
    frame_rig_add(
        rig, pods, "default/old",
        "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z',"
        "'deletionGracePeriodSeconds':30,'finalizers':['x/y']},'spec':{'nodeName':'a-0',%s},"
        "'status':{'phase':'Running'}}",
        SPEC("3"));
    frame_rig_run(rig);
    add_job(rig, "train", 2, "fa", "", SPEC("3"));
    frame_rig_advance(rig, 10 * SKR_SECOND);
    assert_string_equal(text(rig, "train", "state"), "Pending");
    frame_rig_delete(rig, pods, "default/old");
    frame_rig_advance(rig, 5 * SKR_SECOND);
    assert_string_equal(text(rig, "train", "state"), "Ready");
}

TEST(ten_answers_leave_in_a_second)
{
    RIG;
    frame_rig_lead(rig, false);
    for (int i = 0; i < 30; i++) {
        add_job(rig, test_text("w-%d", i), 1, "any", "'sakkara.gang':'off'", SPEC("1"));
    }
    frame_rig_lead(rig, true);
    frame_rig_advance(rig, SKR_SECOND);
    assert_in_range(answers(rig), 10, 11);
    frame_rig_advance(rig, 3 * SKR_SECOND);
    assert_int_equal(answers(rig), 30);
}

/* ---- several pod sets ---- */

#define SETS                                                           \
    "'podSets':[{'name':'leader','count':1,'template':{'spec':{" SPEC( \
        "1") "}}},{'name':'worker','count':3,'template':{'spec':{" SPEC("3") "}}}]"

TEST(pod_sets_are_roles_of_one_gang)
{
    RIG;
    frame_rig_add(rig, workloads, "default/w",
                  "{'metadata':{'ownerReferences':[{'kind':'JobSet','name':'js','controller':true,"
                  "'uid':'u'}]},'spec':{" SETS "},'status':{'conditions':[" RESERVED
                  "],'admissionChecks':[" PENDING "]}}");
    frame_rig_run(rig);
    assert_string_equal(text(rig, "w", "state"), "Ready");
    says(rig, "w", "group jobset/js fits now: 4 pods");
    SKR_AUTO_FREE char *updates =
        json_dumps(json_object_get(answer(rig, "w", 0), "podSetUpdates"), JSON_COMPACT);
    assert_string_equal(updates,
                        "[{\"name\":\"leader\",\"annotations\":{\"sakkara.gang\":\"auto\"}},"
                        "{\"name\":\"worker\",\"annotations\":{\"sakkara.gang\":\"auto\"}}]");
}

TEST(pod_sets_that_start_in_order_are_gangs_of_their_own)
{
    RIG;
    frame_rig_add(
        rig, jobsets, "default/js",
        "{'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'},'replicatedJobs':[{'name'"
        ":'leader','template':{'spec':{'parallelism':1}}},{'name':'worker','template':{"
        "'spec':{'parallelism':3}}}]}}");
    frame_rig_add(rig, workloads, "default/w",
                  "{'metadata':{'ownerReferences':[{'kind':'JobSet','name':'js','controller':true,"
                  "'uid':'u'}]},'spec':{" SETS "},'status':{'conditions':[" RESERVED
                  "],'admissionChecks':[" PENDING "]}}");
    frame_rig_run(rig);
    assert_string_equal(text(rig, "w", "state"), "Ready");
    says(rig, "w", "group jobset/js/leader fits now: 1 pod");
    says(rig, "w", "group jobset/js/worker fits now: 3 pods");
}

TEST(the_size_is_added_where_nothing_else_says_it)
{
    RIG;
    frame_rig_add(
        rig, workloads, "default/w",
        "{'metadata':{'ownerReferences':[{'kind':'Thing','name':'t','controller':true,"
        "'uid':'u'}]},'spec':{'podSets':[{'name':'main','count':2,'template':{'spec':{%s}}"
        "}]},'status':{'conditions':[" RESERVED "],'admissionChecks':[" PENDING "]}}",
        SPEC("1"));
    frame_rig_run(rig);
    SKR_AUTO_FREE char *updates =
        json_dumps(json_object_get(answer(rig, "w", 0), "podSetUpdates"), JSON_COMPACT);
    assert_string_equal(updates, "[{\"name\":\"main\",\"annotations\":{\"sakkara.gang\":\"auto\","
                                 "\"sakkara.group.size\":\"2\"}}]");
}

/* ---- faults ---- */

TEST(an_answer_is_given_whatever_goes_wrong_once)
{
    const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH, get = SKR_VERB_GET;
    for (int fault = 0; fault < FRAME_FAULT_KIND_COUNT; fault++) {
        for (int reading = 0; reading < 2; reading++) {
            RIG;
            frame_rig_fault(
                rig, (enum frame_fault)fault, 1,
                &(struct frame_rig_match){.verb = reading ? &get : &patch, .resource = workloads});
            add_job(rig, "train", 2, "any", "", SPEC("3"));
            frame_rig_advance(rig, 90 * SKR_SECOND);
            assert_string_equal(text(rig, "train", "state"), "Ready");
        }
    }
}

/* The watch shows that it waits again while an older version is read. */
TEST(a_workload_that_changes_while_it_is_in_work_has_another_turn)
{
    const enum skr_write_verb get = SKR_VERB_GET;
    RIG;
    frame_rig_fault(rig, FRAME_FAULT_OUT_OF_ORDER, 1,
                    &(struct frame_rig_match){.verb = &get, .resource = workloads});
    add_job(rig, "train", 2, "any", "", SPEC("3"));
    evict_and_requeue(rig, "train", 0);
    frame_rig_advance(rig, 10 * SKR_SECOND);
    assert_string_equal(text(rig, "train", "state"), "Ready");
}

TEST(the_next_process_answers)
{
    for (size_t n = 1; n <= 2; n++) {
        RIG;
        frame_rig_crash_after(rig, n);
        add_job(rig, "train", 2, "any", "", SPEC("3"));
        frame_rig_advance(rig, 10 * SKR_SECOND);
        assert_string_equal(text(rig, "train", "state"), "Ready");
        assert_int_equal(answers(rig), 1);
    }
}

TEST(a_process_that_does_not_lead_answers_nothing)
{
    RIG;
    frame_rig_lead(rig, false);
    add_job(rig, "train", 2, "any", "", SPEC("3"));
    frame_rig_advance(rig, 10 * SKR_SECOND);
    assert_string_equal(text(rig, "train", "state"), "Pending");
    frame_rig_lead(rig, true);
    frame_rig_advance(rig, SKR_SECOND);
    assert_string_equal(text(rig, "train", "state"), "Ready");
}

TEST(pauses_double_up_to_ten_minutes)
{
    assert_int_equal(skr_admission_retry_s(SKR_INSTANT_NEVER, 0, -1), 30);
    assert_int_equal(skr_admission_retry_s(SKR_INSTANT_NEVER, 0, 0), 30);
    assert_int_equal(skr_admission_retry_s(SKR_INSTANT_NEVER, 0, 4), 480);
    assert_int_equal(skr_admission_retry_s(SKR_INSTANT_NEVER, 0, 5), 600);
    assert_int_equal(skr_admission_retry_s(SKR_INSTANT_NEVER, 0, INT32_MAX), 600);
}
