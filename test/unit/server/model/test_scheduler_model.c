/* SPDX-License-Identifier: Apache-2.0 */
/* The model of kube-scheduler against what real ones were seen to do. The extender is a script. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/scheduler.h"
#include "server/object/path.h"
#include "test/test.h"
#include "topology/base/strbuf.h"

#define START ((skr_time)1735689600 * SKR_SECOND)
#define MS    SKR_MILLISECOND

enum { CALLS_MAX = 4096 };

struct filter_call {
    skr_time at;
    char pod[64];
    size_t n;
    char first[64];
};

/* Ends every sentence of a refusal. */
#define AFTER ". no new claims to deallocate"

struct rig {
    struct skr_store *store;
    struct skr_scheduler_model *scheduler;
    skr_time now;
    /* script */
    const char *only;  /* the one node that passes; NULL: all; "": none */
    const char *error; /* of filter; NULL: none */
    const char *best;  /* of prioritize */
    bool hold;         /* binds are not answered */
    const char *bind_error;
    bool bind_store; /* a bind writes the Binding */
    /* record */
    struct filter_call call[CALLS_MAX];
    size_t n_calls, n_prioritize, n_binds;
    uint64_t bind_call;
    char bound_to[64], bound_pod[64];
};

/* ---- the extender ---- */

static int filter(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    struct rig *r = context;
    struct filter_call *call = &r->call[r->n_calls < CALLS_MAX ? r->n_calls : CALLS_MAX - 1];
    r->n_calls++;
    call->at = now - START;
    call->n = n;
    snprintf(call->pod, sizeof call->pod, "%s", pod->meta.name);
    snprintf(call->first, sizeof call->first, "%s", node[0]);
    if (r->error) {
        return skr_error_set(error, SKR_RETRY, "%s", r->error);
    }
    for (size_t i = 0; i < n; i++) {
        passes[i] = !r->only || strcmp(r->only, node[i]) == 0;
        why[i] = "sakkara: no";
    }
    return 0;
}

static void prioritize(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score)
{
    struct rig *r = context;
    (void)pod;
    (void)now;
    r->n_prioritize++;
    for (size_t i = 0; i < n; i++) {
        score[i] = r->best && strcmp(r->best, node[i]) == 0 ? 10 : 0;
    }
}

static void write_binding(struct rig *r, const char *pod, const char *node, skr_time now)
{
    json_t *body =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Binding",
                  "metadata", "name", pod, "target", "kind", "Node", "name", node);
    struct skr_store_request request = {.verb = SKR_STORE_CREATE,
                                        .resource = skr_store_resource_of_kind("v1", "Pod"),
                                        .namespace_ = "default",
                                        .name = pod,
                                        .subresource = "binding",
                                        .body = body,
                                        .label_selector = "",
                                        .field_selector = "",
                                        .continue_ = ""};
    struct skr_store_reply reply;
    skr_store_handle(r->store, &request, now, &reply);
    assert_int_equal(reply.status, 201);
    json_decref(reply.body);
    json_decref(body);
}

static void bind(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                 skr_time now)
{
    struct rig *r = context;
    r->n_binds++;
    r->bind_call = call;
    snprintf(r->bound_to, sizeof r->bound_to, "%s", node);
    snprintf(r->bound_pod, sizeof r->bound_pod, "%s", pod->meta.name);
    if (r->hold) {
        return;
    }
    if (r->bind_store && !r->bind_error) {
        write_binding(r, pod->meta.name, node, now);
    }
    skr_scheduler_bind_done(r->scheduler, call, r->bind_error);
}

/* ---- the cluster ---- */

static void put(struct rig *r, json_t *object)
{
    struct skr_error error = {.code = SKR_OK};
    int status = skr_store_put(r->store, object, r->now, &error);
    if (status >= 400) {
        fail_msg("%s", error.text);
    }
    json_decref(object);
}

static void add_node(struct rig *r, const char *name, const char *cpu)
{
    put(r, json_pack("{s:s, s:s, s:{s:s}, s:{}, s:{s:{s:s, s:s, s:s}}}", "apiVersion", "v1", "kind",
                     "Node", "metadata", "name", name, "spec", "status", "allocatable", "cpu", cpu,
                     "memory", "8Gi", "pods", "110"));
}

static json_t *pod_json(const char *name, const char *cpu)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:[{s:s, s:s, s:{s:{s:s}}}]}}", "apiVersion",
                     "v1", "kind", "Pod", "metadata", "name", name, "namespace", "default", "spec",
                     "schedulerName", "sakkara", "containers", "name", "main", "image", "busybox",
                     "resources", "requests", "cpu", cpu);
}

static void add_pod(struct rig *r, const char *name, const char *cpu)
{
    put(r, pod_json(name, cpu));
}

static void add_pod_with(struct rig *r, const char *name, const char *cpu, const char *spec_json)
{
    json_t *pod = pod_json(name, cpu), *more = json_loads(spec_json, 0, NULL);
    assert_non_null(more);
    json_object_update(json_object_get(pod, "spec"), more);
    json_decref(more);
    put(r, pod);
}

static void patch(struct rig *r, const char *kind, const char *name, const char *subresource,
                  const char *text)
{
    struct skr_error error = {.code = SKR_OK};
    json_t *body = json_loads(text, 0, NULL);
    assert_non_null(body);
    const char *namespace_ = strcmp(kind, "Node") == 0 ? "" : "default";
    int status =
        skr_store_merge(r->store, kind, namespace_, name, subresource, body, r->now, &error);
    json_decref(body);
    if (status >= 400) {
        fail_msg("%s", error.text);
    }
}

static void create(struct rig *r, int percentage)
{
    static const char *const names[] = {"sakkara"};
    struct skr_scheduler_options options = {.n_names = 1,
                                            .name = names,
                                            .percentage = percentage,
                                            .cycle_time = 2 * MS,
                                            .watch_delay = MS / 2,
                                            .events = true};
    options.extender = (struct skr_extender){
        .context = r, .filter = filter, .prioritize = prioritize, .bind = bind, .weight = 20};
    r->scheduler = skr_scheduler_create(&options, r->store, r->now);
}

static void rig_set_up(struct rig *r)
{
    r->store = skr_store_create(1);
    r->now = START;
    r->bind_store = true;
    create(r, 0);
}

static void rig_tear_down(struct rig *r)
{
    skr_scheduler_destroy(r->scheduler);
    skr_store_destroy(r->store);
}

static void run(struct rig *r, skr_time duration)
{
    skr_time end = r->now + duration;
    for (;;) {
        skr_time next = skr_scheduler_next(r->scheduler, r->now);
        if (next > end) {
            break;
        }
        r->now = next;
        skr_scheduler_step(r->scheduler, r->now);
    }
    r->now = end;
}

static const json_t *get(struct rig *r, const char *pod)
{
    const json_t *object = skr_store_get(r->store, "Pod", "default", pod);
    assert_non_null(object);
    return object;
}

static void assert_on(struct rig *r, const char *pod, const char *node)
{
    assert_string_equal(skr_path_text(get(r, pod), "spec.nodeName"), node);
}

static const char *condition(struct rig *r, const char *pod, const char *field)
{
    const json_t *found =
        skr_path_find(skr_path_get(get(r, pod), "status.conditions"), "type", "PodScheduled");
    return skr_path_text(found, field);
}

/* ---- placing ---- */

TEST_WITH(rig, a_pod_is_bound_where_the_extender_likes_it)
{
    add_node(rig, "n1", "4");
    add_node(rig, "n2", "4");
    add_node(rig, "n3", "4");
    rig->best = "n2";
    add_pod(rig, "p", "1");
    run(rig, 100 * MS);
    assert_on(rig, "p", "n2");
    assert_int_equal(rig->n_calls, 1);
    assert_int_equal(rig->n_prioritize, 1);
    assert_int_equal(rig->call[0].n, 3);
}

TEST_WITH(rig, scoring_is_skipped_where_one_node_is_left)
{
    add_node(rig, "n1", "1");
    add_node(rig, "n2", "4");
    add_pod(rig, "p", "2");
    run(rig, 100 * MS);
    assert_on(rig, "p", "n2");
    assert_int_equal(rig->n_prioritize, 0);
    assert_int_equal(rig->call[0].n, 1);
}

TEST_WITH(rig, emptier_nodes_are_preferred_and_the_first_of_equals)
{
    add_node(rig, "n1", "4");
    add_node(rig, "n2", "4");
    add_node(rig, "n3", "8");
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%d", i);
        add_pod(rig, name, "2");
    }
    run(rig, 100 * MS);
    assert_on(rig, "p0", "n3"); /* 75 % of its cpu left */
    assert_on(rig, "p1", "n1"); /* 50 % everywhere */
    assert_on(rig, "p2", "n2"); /* n1 is full, n3 has less left */
}

TEST_WITH(rig, the_nominated_node_is_asked_about_alone)
{
    add_node(rig, "n1", "4");
    add_node(rig, "n2", "4");
    add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n2\"}}");
    run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 0);
    patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 1);
    assert_int_equal(rig->call[0].n, 1);
    assert_string_equal(rig->call[0].first, "n2");
    assert_int_equal(rig->n_prioritize, 0);
    assert_on(rig, "p", "n2");
}

TEST_WITH(rig, a_refused_nominated_node_is_followed_by_the_list_in_the_same_cycle)
{
    add_node(rig, "n1", "4");
    add_node(rig, "n2", "4");
    add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n2\"}}");
    patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    rig->only = "n1";
    run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 2);
    assert_int_equal(rig->call[0].n, 1);
    assert_int_equal(rig->call[1].n, 2);
    assert_int_equal(rig->call[0].at, rig->call[1].at);
    assert_on(rig, "p", "n1");
}

TEST_WITH(rig, nominated_room_is_kept_from_equal_and_lower_priority)
{
    add_node(rig, "n1", "4");
    add_pod_with(rig, "holder", "3", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    run(rig, 10 * MS);
    add_pod(rig, "equal", "2");
    run(rig, 10 * MS);
    assert_on(rig, "equal", "");
    assert_string_equal(condition(rig, "equal", "message"),
                        "0/1 nodes are available: 1 Insufficient cpu" AFTER);
    put(rig, json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1", "kind",
                       "PriorityClass", "metadata", "name", "high", "value", 5));
    add_pod_with(rig, "higher", "2", "{\"priorityClassName\":\"high\"}");
    run(rig, 10 * MS);
    assert_on(rig, "higher", "n1");
}

TEST_WITH(rig, taking_a_nomination_away_wakes_who_was_charged_for_it)
{
    add_node(rig, "n1", "4");
    add_pod_with(rig, "holder", "3", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    add_pod(rig, "other", "2");
    run(rig, SKR_SECOND);
    assert_on(rig, "other", "");
    patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":null}}");
    run(rig, 10 * MS);
    assert_on(rig, "other", "n1");
}

TEST_WITH(rig, higher_priority_goes_first_then_who_waits_longest)
{
    add_node(rig, "n1", "8");
    put(rig, json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1", "kind",
                       "PriorityClass", "metadata", "name", "high", "value", 5));
    add_pod(rig, "a", "1");
    add_pod(rig, "b", "1");
    add_pod_with(rig, "c", "1", "{\"priorityClassName\":\"high\"}");
    run(rig, 100 * MS);
    assert_int_equal(rig->n_calls, 3);
    assert_string_equal(rig->call[0].pod, "c");
    assert_string_equal(rig->call[1].pod, "a");
    assert_string_equal(rig->call[2].pod, "b");
}

TEST_WITH(rig, a_held_bind_blocks_nobody_and_keeps_its_room)
{
    add_node(rig, "n1", "4");
    rig->hold = true;
    add_pod(rig, "held", "3");
    run(rig, 10 * MS);
    uint64_t held = rig->bind_call;
    rig->hold = false;
    add_pod(rig, "small", "1");
    add_pod(rig, "large", "2");
    run(rig, 10 * MS);
    assert_on(rig, "small", "n1");
    assert_on(rig, "large", "");
    write_binding(rig, "held", "n1", rig->now);
    skr_scheduler_bind_done(rig->scheduler, held, NULL);
    run(rig, 10 * MS);
    assert_on(rig, "held", "n1");
    struct skr_scheduler_stats stats;
    skr_scheduler_get_stats(rig->scheduler, &stats);
    assert_int_equal(stats.assumed, 0);
}

TEST_WITH(rig, foreign_and_finished_pods_are_left_alone)
{
    add_node(rig, "n1", "4");
    add_pod_with(rig, "foreign", "1", "{\"schedulerName\":\"other\"}");
    add_pod_with(rig, "done", "4", "{\"nodeName\":\"n1\"}");
    patch(rig, "Pod", "done", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    add_pod(rig, "p", "4");
    run(rig, SKR_SECOND);
    assert_on(rig, "foreign", "");
    assert_on(rig, "p", "n1");
}

/* ---- rejections ---- */

TEST_WITH(rig, a_rejected_pod_is_asked_about_twice_and_then_never)
{
    add_node(rig, "n1", "4");
    rig->only = "";
    add_pod(rig, "p", "1");
    run(rig, 15 * SKR_SECOND);
    assert_int_equal(rig->n_calls, 2); /* the second by the scheduler's own status patch */
    assert_string_equal(condition(rig, "p", "reason"), "Unschedulable");
    assert_string_equal(condition(rig, "p", "message"),
                        "0/1 nodes are available: 1 sakkara: no" AFTER);
}

struct events {
    char text[1024]; /* "TYPE REASON NOTE\n" each, in order of names */
};

static bool add_event(void *context, const json_t *event)
{
    struct events *events = context;
    size_t n = strlen(events->text);
    assert_string_equal(skr_path_text(event, "reportingComponent"), "sakkara");
    assert_string_equal(skr_path_text(event, "involvedObject.kind"), "Pod");
    assert_int_equal(strlen(skr_path_text(event, "eventTime")), 27);
    snprintf(events->text + n, sizeof events->text - n, "%s %s %s\n", skr_path_text(event, "type"),
             skr_path_text(event, "reason"), skr_path_text(event, "message"));
    return true;
}

TEST_WITH(rig, events_say_what_is_new_about_a_pod)
{
    struct events events = {""};
    add_node(rig, "n1", "4");
    rig->only = "";
    add_pod(rig, "p", "1");
    run(rig, 15 * SKR_SECOND);
    rig->only = NULL;
    add_node(rig, "n2", "1"); /* wakes it */
    run(rig, 30 * SKR_SECOND);
    skr_store_each(rig->store, "Event", add_event, &events);
    assert_string_equal(events.text,
                        "Warning FailedScheduling 0/1 nodes are available: 1 sakkara: no" AFTER "\n"
                        "Normal Scheduled Successfully assigned default/p to n1\n");
}

TEST_WITH(rig, any_patch_wakes_a_pod_that_the_extender_rejected)
{
    static const struct {
        const char *subresource, *body;
    } rows[] = {
        {"", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}"},
        {"", "{\"metadata\":{\"annotations\":{\"x\":\"1\"}}}"},
        {"status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}"},
        {"status", "{\"metadata\":{\"labels\":{\"x\":\"2\"}},"
                   "\"status\":{\"nominatedNodeName\":\"n1\"}}"},
    };
    add_node(rig, "n1", "4");
    rig->only = "";
    add_pod(rig, "p", "1");
    run(rig, 100 * MS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t before = rig->n_calls;
        patch(rig, "Pod", "p", rows[i].subresource, rows[i].body);
        run(rig, 10 * MS); /* within its backoff: nothing else is queued */
        assert_true(rig->n_calls > before);
    }
}

TEST_WITH(rig, patches_do_not_wake_a_pod_that_in_tree_filters_rejected)
{
    add_node(rig, "n1", "1");
    add_pod(rig, "p", "2");
    run(rig, SKR_SECOND);
    struct skr_scheduler_stats before, after;
    skr_scheduler_get_stats(rig->scheduler, &before);
    assert_int_equal(before.cycles, 1);
    patch(rig, "Pod", "p", "", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}");
    patch(rig, "Node", "n1", "", "{\"metadata\":{\"annotations\":{\"x\":\"1\"}}}");
    run(rig, SKR_SECOND);
    skr_scheduler_get_stats(rig->scheduler, &after);
    assert_int_equal(after.cycles, 1);
    assert_int_equal(rig->n_calls, 0);
}

TEST_WITH(rig, freed_room_and_new_nodes_wake_a_pod_that_did_not_fit)
{
    add_node(rig, "n1", "4");
    add_pod_with(rig, "old", "4", "{\"nodeName\":\"n1\"}");
    add_pod(rig, "a", "3");
    add_pod(rig, "b", "3");
    run(rig, SKR_SECOND);
    assert_on(rig, "a", "");
    patch(rig, "Pod", "old", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    run(rig, 3 * SKR_SECOND);
    assert_on(rig, "a", "n1");
    assert_on(rig, "b", "");
    add_node(rig, "n0", "1"); /* too small to help */
    run(rig, 3 * SKR_SECOND);
    assert_on(rig, "b", "");
    add_node(rig, "n2", "4");
    run(rig, 3 * SKR_SECOND);
    assert_on(rig, "b", "n2");
}

TEST_WITH(rig, a_host_port_is_given_once_a_node_and_freed_with_its_pod)
{
    static const char on[] = "{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                             "\"ports\":[{\"containerPort\":9,\"hostPort\":80}]}]}";
    static const char wants[] = "{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                                "\"ports\":[{\"containerPort\":9,\"hostPort\":80}]}]}";
    add_node(rig, "n1", "4");
    add_pod_with(rig, "old", "1", on);
    add_pod_with(rig, "other", "1", "{\"nodeName\":\"n1\"}");
    add_pod_with(rig, "p", "1", wants);
    run(rig, SKR_SECOND);
    assert_on(rig, "p", "");
    assert_string_equal(condition(rig, "p", "message"),
                        "0/1 nodes are available: 1 node(s) didn't have free ports for the "
                        "requested pod ports" AFTER);
    assert_int_equal(skr_store_delete(rig->store, "Pod", "default", "other", rig->now), 200);
    run(rig, 3 * SKR_SECOND); /* frees no port */
    assert_on(rig, "p", "");
    patch(rig, "Pod", "old", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    run(rig, 3 * SKR_SECOND);
    assert_on(rig, "p", "n1");
    add_pod_with(rig, "q", "1", wants);
    run(rig, SKR_SECOND);
    assert_on(rig, "q", "");
    add_node(rig, "n2", "4");
    run(rig, 3 * SKR_SECOND);
    assert_on(rig, "q", "n2");
}

TEST_WITH(rig, cordons_taints_and_selectors_are_obeyed_and_their_end_noticed)
{
    static const struct {
        const char *node_patch, *undo, *message;
    } rows[] = {
        {"{\"spec\":{\"unschedulable\":true}}", "{\"spec\":{\"unschedulable\":null}}",
         "0/1 nodes are available: 1 node(s) were unschedulable" AFTER},
        {"{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}",
         "{\"spec\":{\"taints\":null}}",
         "0/1 nodes are available: 1 node(s) had untolerated taint(s)" AFTER},
        {"{\"metadata\":{\"labels\":{\"disk\":null}}}",
         "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}",
         "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector" AFTER},
    };
    add_node(rig, "n1", "40");
    patch(rig, "Node", "n1", "", "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%zu", i);
        patch(rig, "Node", "n1", "", rows[i].node_patch);
        add_pod_with(rig, name, "1", "{\"nodeSelector\":{\"disk\":\"ssd\"}}");
        run(rig, SKR_SECOND);
        assert_on(rig, name, "");
        assert_string_equal(condition(rig, name, "message"), rows[i].message);
        patch(rig, "Node", "n1", "", rows[i].undo);
        run(rig, 3 * SKR_SECOND);
        assert_on(rig, name, "n1");
    }
}

TEST_WITH(rig, whatever_waits_is_tried_again_after_five_minutes)
{
    add_node(rig, "n1", "4");
    rig->only = "";
    add_pod(rig, "p", "1");
    run(rig, 290 * SKR_SECOND);
    size_t before = rig->n_calls;
    rig->only = NULL;
    run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig->n_calls, before + 1);
    assert_on(rig, "p", "n1");
}

TEST_WITH(rig, a_sentence_counts_every_node_once_and_is_sorted)
{
    add_node(rig, "n1", "1");
    add_node(rig, "n2", "8");
    add_node(rig, "n3", "8");
    patch(rig, "Node", "n3", "", "{\"spec\":{\"unschedulable\":true}}");
    rig->only = "";
    add_pod(rig, "p", "2");
    run(rig, SKR_SECOND);
    assert_string_equal(condition(rig, "p", "message"),
                        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were "
                        "unschedulable, 1 sakkara: no" AFTER);
}

TEST_WITH(rig, without_nodes_a_pod_waits_for_one)
{
    add_pod(rig, "p", "1");
    run(rig, SKR_SECOND);
    assert_string_equal(condition(rig, "p", "message"), "no nodes available to schedule pods");
    add_node(rig, "n1", "4");
    run(rig, 15 * SKR_SECOND);
    assert_on(rig, "p", "n1");
}

/* ---- errors ---- */

TEST_WITH(rig, an_error_of_filter_clears_the_nomination_and_backs_off)
{
    add_node(rig, "n1", "4");
    add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    rig->error = "sakkara: not ready";
    run(rig, 10 * MS);
    assert_string_equal(condition(rig, "p", "reason"), "SchedulerError");
    assert_string_equal(condition(rig, "p", "message"), "sakkara: not ready");
    assert_string_equal(skr_path_text(get(rig, "p"), "status.nominatedNodeName"), "");
    /* Nothing but time brings it back. */
    size_t calls = rig->n_calls;
    patch(rig, "Pod", "p", "", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}");
    run(rig, 900 * MS);
    assert_int_equal(rig->n_calls, calls);
    run(rig, 60 * SKR_SECOND);
    skr_time last = 0, longest = 0;
    for (size_t i = calls; i < rig->n_calls; i++) {
        longest = rig->call[i].at - last > longest && i > calls ? rig->call[i].at - last : longest;
        last = rig->call[i].at;
    }
    assert_true(longest >= 10 * SKR_SECOND && longest <= 11 * SKR_SECOND);
    rig->error = NULL;
    run(rig, 12 * SKR_SECOND);
    assert_on(rig, "p", "n1");
}

TEST_WITH(rig, backoff_doubles_up_to_its_maximum_in_windows_of_a_second)
{
    static const int expected_s[] = {0, 2, 5, 10, 19, 30, 41};
    add_node(rig, "n1", "4");
    rig->error = "sakkara: not ready";
    add_pod(rig, "p", "1");
    run(rig, 50 * SKR_SECOND);
    assert_int_equal(rig->n_calls, sizeof expected_s / sizeof expected_s[0]);
    for (size_t i = 0; i < rig->n_calls; i++) {
        assert_int_equal(rig->call[i].at / SKR_SECOND, expected_s[i]);
    }
}

TEST_WITH(rig, a_failed_bind_gives_the_room_back_and_wakes_others)
{
    add_node(rig, "n1", "4");
    rig->hold = true;
    add_pod(rig, "p", "3");
    run(rig, 10 * MS);
    add_pod(rig, "q", "3");
    run(rig, 2 * SKR_SECOND);
    assert_on(rig, "q", "");
    rig->hold = false;
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call, "sakkara: plan aborted");
    run(rig, 100 * MS);
    assert_string_equal(condition(rig, "p", "reason"), "SchedulerError");
    assert_string_equal(condition(rig, "p", "message"), "sakkara: plan aborted");
    assert_on(rig, "q", "n1");
    assert_on(rig, "p", "");
}

TEST_WITH(rig, a_bind_that_failed_late_does_no_harm_when_the_pod_is_bound)
{
    add_node(rig, "n1", "4");
    rig->hold = true;
    add_pod(rig, "p", "3");
    run(rig, 10 * MS);
    write_binding(rig, "p", "n1", rig->now);
    run(rig, 10 * MS);
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call, "timeout");
    run(rig, 100 * MS);
    assert_on(rig, "p", "n1");
    assert_string_equal(condition(rig, "p", "status"), "True");
    struct skr_scheduler_stats stats;
    skr_scheduler_get_stats(rig->scheduler, &stats);
    assert_int_equal(stats.backoff, 0);
}

TEST_WITH(rig, a_deleted_pod_frees_its_room_although_its_bind_is_held)
{
    add_node(rig, "n1", "4");
    rig->hold = true;
    add_pod(rig, "p", "3");
    run(rig, 10 * MS);
    assert_int_equal(skr_store_delete(rig->store, "Pod", "default", "p", rig->now), 200);
    rig->hold = false;
    add_pod(rig, "q", "3");
    run(rig, 2 * SKR_SECOND);
    assert_on(rig, "q", "n1");
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call - 1, "sakkara: pod was replaced");
    run(rig, 10 * MS);
}

/* ---- sampling ---- */

static void assert_sampled(struct rig *r, size_t nodes, int percentage, size_t expected)
{
    skr_scheduler_destroy(r->scheduler);
    skr_store_destroy(r->store);
    r->store = skr_store_create(1);
    r->now = START;
    r->n_calls = 0;
    r->only = "";
    for (size_t i = 0; i < nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%05zu", i);
        add_node(r, name, "4");
    }
    create(r, percentage);
    add_pod(r, "p", "1");
    add_pod(r, "q", "1");
    run(r, 4 * MS);
    assert_true(r->n_calls >= 2);
    assert_int_equal(r->call[0].n, expected);
    assert_string_equal(r->call[0].first, "n00000");
    char first[32];
    snprintf(first, sizeof first, "n%05zu", expected % nodes);
    assert_string_equal(r->call[1].first, first);
}

TEST_WITH(rig, only_so_many_feasible_nodes_are_looked_for_from_a_rotating_start)
{
    assert_sampled(rig, 99, 0, 99);
    assert_sampled(rig, 150, 5, 100);
    assert_sampled(rig, 150, 100, 150);
    assert_sampled(rig, 300, 0, 144);
    assert_sampled(rig, 1000, 0, 420);
    assert_sampled(rig, 5700, 0, 285);
}

TEST(what_is_not_modelled_is_named)
{
    static const struct {
        const char *spec, *expected;
    } rows[] = {
        {"{}", NULL},
        {"{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"ScheduleAnyway\"}]}", NULL},
        {"{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"DoNotSchedule\"}]}",
         "topologySpreadConstraints"},
        {"{\"affinity\":{\"podAntiAffinity\":{"
         "\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}",
         "affinity.podAntiAffinity"},
        {"{\"affinity\":{\"podAffinity\":{"
         "\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}",
         "affinity.podAffinity"},
        {"{\"containers\":[{\"ports\":[{\"hostPort\":80}]}]}", NULL},
        {"{\"resourceClaims\":[{}]}", "resourceClaims"},
        {"{\"volumes\":[{\"persistentVolumeClaim\":{}}]}", "volumes.persistentVolumeClaim"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *pod = json_pack("{s:o}", "spec", json_loads(rows[i].spec, 0, NULL));
        const char *got = skr_scheduler_unmodelled(pod);
        assert_string_equal(got ? got : "", rows[i].expected ? rows[i].expected : "");
        json_decref(pod);
    }
}
