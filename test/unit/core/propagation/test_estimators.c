/* SPDX-License-Identifier: Apache-2.0 */
/* When estimators are asked, what their answers change, and what becomes of those that fail. */
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

enum { CLUSTERS = 3, BINDINGS = 400 };

/* One query that waits for its replies; the clusters that it asks, and those of all queries. */
struct world {
    struct skr_propagation_settings settings;
    struct frame_rig *rig;
    uint64_t id[BINDINGS];
    char key[BINDINGS][64];
    size_t first, n; /* queries; those before first have their replies */
    char asked[256]; /* "a,b" by the last one */
    char body[256];  /* of its last question */
    size_t body_len;
    const char *method;
};

static void on_query(void *context, const struct skr_query *query)
{
    struct world *world = context;
    size_t at = 0;
    assert_true(world->n < BINDINGS && query->timeout == 3 * SKR_SECOND && query->n > 0);
    for (size_t i = 0; i < query->n; i++) {
        at += (size_t)snprintf(world->asked + at, sizeof world->asked - at, "%s%s",
                               i > 0 ? "," : "", query->question[i].service);
    }
    const struct skr_question *last = &query->question[query->n - 1];
    assert_true(last->body_len <= sizeof world->body);
    memcpy(world->body, last->body, last->body_len);
    world->body_len = last->body_len;
    world->method = query->method;
    world->id[world->n] = query->id;
    snprintf(world->key[world->n++], sizeof world->key[0], "%s", query->key);
}

static void world_set_up(struct world *world)
{
    world->settings = (struct skr_propagation_settings){
        .scheduler_name = "sakkara", .workers = 8, .estimator_timeout = 3 * SKR_SECOND};
    skr_propagation_options_init(&world->settings.options, SKR_PROFILE_DEFAULT);
    world->settings.options.component_sets = 1;
    world->rig = frame_rig_create(&skr_propagation_scheduler, &world->settings);
    world->rig->query = on_query;
    world->rig->context = world;
    for (const char *name = "abc"; *name; name++) {
        frame_rig_add(
            world->rig, &skr_resource_member_clusters, (char[]){*name, '\0'},
            "{'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
            "{'kind':'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'100'}}}}");
    }
}

static void world_tear_down(struct world *world)
{
    frame_rig_destroy(world->rig);
}

#define DIVIDED                                                                           \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Weighted','weightPreference':{'dynamicWeight':'AvailableReplicas'}}"
static const char divided[] = DIVIDED;
static const char two_clusters[] = DIVIDED ",'clusterAffinity':{'clusterNames':['a','c']}";

static void add(struct world *world, const char *key, const char *what, const char *placement)
{
    frame_rig_add(world->rig, &skr_resource_bindings, key,
                  "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                  "'spec':{'schedulerName':'sakkara',%s,'resource':{'apiVersion':'apps/v1',"
                  "'kind':'Deployment','namespace':'shop','name':'web','uid':'u-1'},"
                  "'placement':{%s}}}",
                  what, placement);
}

/* Of a reply: room, -1, or one of these. */
enum { FAILS = -2, GARBLED = -3 };

static void reply(struct world *world, const int *room, size_t n)
{
    struct skr_reply to[CLUSTERS] = {0};
    unsigned char bytes[CLUSTERS][11] = {0};
    for (size_t i = 0; i < n; i++) {
        unsigned char *b = bytes[i];
        to[i] = (struct skr_reply){.answered = room[i] != FAILS,
                                   .body = b,
                                   .body_len = 2,
                                   .failure = "no answer within 3s"};
        b[0] = room[i] == GARBLED ? 0x0b : 0x08;
        b[1] = (unsigned char)room[i];
        if (room[i] == -1) {
            memset(b + 1, 0xff, 9);
            b[10] = 1;
            to[i].body_len = 11;
        }
    }
    struct skr_event event = {
        .kind = SKR_EVENT_REPLIES,
        .replies = {
            .id = world->id[world->first], .key = world->key[world->first], .n = n, .reply = to}};
    world->first++;
    frame_rig_handle(world->rig, &event);
    frame_rig_run(world->rig);
}

static const char *places(const struct world *world, const char *key)
{
    static char text[256];
    const json_t *object = frame_rig_get(world->rig, &skr_resource_bindings, key);
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

static const char *message(const struct world *world, const char *key)
{
    const json_t *object = frame_rig_get(world->rig, &skr_resource_bindings, key);
    const json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    const char *text = json_string_value(json_object_get(json_array_get(list, 0), "message"));
    return text ? text : "";
}

static struct skr_propagation_counts counts(const struct world *world)
{
    struct skr_propagation_counts counts;
    skr_propagation_count(skr_engine_self(world->rig->engine), &counts);
    return counts;
}

TEST_WITH(world, the_smaller_of_both_estimates_counts)
{
    add(world, "shop/web", "'replicas':6", divided);
    frame_rig_start(world->rig);
    assert_string_equal(world->asked, "a,b,c");
    assert_string_equal(world->method, "MaxAvailableReplicas");
    assert_string_equal(places(world, "shop/web"), ""); /* it waits */
    reply(world, (int[]){3, 0, 101}, 3);
    assert_string_equal(places(world, "shop/web"), "c:6");
    assert_string_equal(message(world, "shop/web"), "Binding has been scheduled successfully.");
    const struct skr_propagation_counts now = counts(world);
    assert_int_equal(now.estimators[SKR_ESTIMATOR_ANSWERED], 3);
    assert_int_equal(now.time[SKR_PROPAGATION_STEP_ESTIMATE].n[0], 1);
}

TEST_WITH(world, an_estimator_that_cannot_say_is_ignored)
{
    add(world, "shop/web", "'replicas':6", two_clusters);
    frame_rig_start(world->rig);
    assert_string_equal(world->asked, "a,c"); /* the other one does not count */
    reply(world, (int[]){-1, 100}, 2);
    assert_string_equal(places(world, "shop/web"), "a:3,c:3");
    assert_string_equal(message(world, "shop/web"), "Binding has been scheduled successfully.");
    assert_int_equal(counts(world).estimators[SKR_ESTIMATOR_UNKNOWN], 1);
}

TEST_WITH(world, one_that_fails_does_not_discard_the_others_and_is_named)
{
    add(world, "shop/web", "'replicas':6", divided);
    frame_rig_start(world->rig);
    reply(world, (int[]){FAILS, 0, GARBLED}, 3);
    assert_string_equal(places(world, "shop/web"), "a:3,c:3");
    assert_string_equal(message(world, "shop/web"),
                        "Binding has been scheduled successfully. Warning: EstimatorsSilent: no "
                        "answer from the estimator of a, c: no answer within 3s. The Cluster "
                        "objects alone said how much room there is.");
    assert_int_equal(counts(world).estimators[SKR_ESTIMATOR_FAILED], 2);
}

TEST_WITH(world, one_that_failed_rests_and_is_asked_again_later)
{
    add(world, "shop/web", "'replicas':6", two_clusters);
    frame_rig_start(world->rig);
    reply(world, (int[]){FAILS, 5}, 2);
    add(world, "shop/next", "'replicas':6", two_clusters);
    frame_rig_run(world->rig);
    assert_string_equal(world->asked, "c");
    reply(world, (int[]){2}, 1);
    assert_string_equal(places(world, "shop/next"), "a:6");
    assert_non_null(strstr(message(world, "shop/next"), "estimator of a: no answer within 3s."));
    frame_rig_advance(world->rig, 11 * SKR_SECOND);
    add(world, "shop/last", "'replicas':6", two_clusters);
    frame_rig_run(world->rig);
    assert_string_equal(world->asked, "a,c");
    reply(world, (int[]){0, 9}, 2);
    assert_string_equal(places(world, "shop/last"), "c:6");
    assert_int_equal(counts(world).estimators[SKR_ESTIMATOR_RESTED], 1);
}

TEST_WITH(world, when_all_rest_the_binding_is_decided_at_once)
{
    add(world, "shop/web", "'replicas':2", two_clusters);
    frame_rig_start(world->rig);
    reply(world, (int[]){FAILS, FAILS}, 2);
    add(world, "shop/next", "'replicas':2", two_clusters);
    frame_rig_run(world->rig);
    assert_int_equal(world->n, 1);
    assert_string_equal(places(world, "shop/next"), "a:1,c:1");
}

TEST_WITH(world, those_of_clusters_in_pull_mode_are_asked_unless_the_settings_say_no)
{
    frame_rig_edit(world->rig, &skr_resource_member_clusters, "a", "{'spec':{'syncMode':'Pull'}}");
    add(world, "shop/web", "'replicas':6", two_clusters);
    frame_rig_start(world->rig);
    assert_string_equal(world->asked, "a,c");
    reply(world, (int[]){4, 2}, 2);
    world->settings.estimators_push_only = true;
    add(world, "shop/next", "'replicas':104", two_clusters);
    frame_rig_run(world->rig);
    assert_string_equal(world->asked, "c");
    reply(world, (int[]){4}, 1);
    assert_string_equal(places(world, "shop/next"), "a:100,c:4");
    assert_string_equal(message(world, "shop/next"), "Binding has been scheduled successfully.");
}

TEST_WITH(world, where_room_decides_nothing_no_estimator_is_asked)
{
    add(world, "shop/duplicated", "'replicas':2", "");
    add(world, "shop/config", "'replicas':0", divided);
    add(world, "shop/static", "'replicas':2",
        "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':"
        "'Weighted'}");
    frame_rig_start(world->rig);
    assert_int_equal(world->n, 0);
    assert_string_equal(places(world, "shop/duplicated"), "a:2,b:2,c:2");
    assert_string_equal(places(world, "shop/static"), "a:1,b:1");
}

TEST_WITH(world, sets_of_components_are_asked_for_as_sets)
{
    add(world, "shop/flink", "'components':[{'name':'jm','replicas':1},{'name':'tm','replicas':2}]",
        "'spreadConstraints':[{'spreadByField':'cluster','minGroups':1,'maxGroups':1}]");
    frame_rig_start(world->rig);
    assert_string_equal(world->method, "MaxAvailableComponentSets");
    static const char want[] = "\x0a\x01"
                               "c\x12\x06\x0a\x02jm\x18\x01\x12\x06\x0a\x02tm\x18\x02\x1a\x04shop";
    assert_int_equal(world->body_len, sizeof want - 1);
    assert_memory_equal(world->body, want, sizeof want - 1);
    reply(world, (int[]){0, 3, 1}, 3);
    assert_string_equal(places(world, "shop/flink"), "b:0");
}

TEST_WITH(world, a_binding_that_changed_meanwhile_is_asked_about_again)
{
    add(world, "shop/web", "'replicas':6", divided);
    frame_rig_start(world->rig);
    frame_rig_edit(world->rig, &skr_resource_bindings, "shop/web", "{'spec':{'replicas':9}}");
    frame_rig_run(world->rig);
    assert_int_equal(world->n, 1); /* one cycle at a time */
    reply(world, (int[]){1, 1, 1}, 3);
    assert_string_equal(places(world, "shop/web"), "");
    assert_int_equal(world->n, 2);
    reply(world, (int[]){9, 0, 0}, 3);
    assert_string_equal(places(world, "shop/web"), "a:9");
}

TEST_WITH(world, bindings_and_clusters_may_go_while_estimators_are_asked)
{
    add(world, "shop/web", "'replicas':6", divided);
    add(world, "shop/gone", "'replicas':6", divided);
    frame_rig_start(world->rig);
    assert_int_equal(world->n, 2);
    frame_rig_delete(world->rig, &skr_resource_bindings, "shop/gone");
    frame_rig_delete(world->rig, &skr_resource_member_clusters, "b");
    frame_rig_run(world->rig);
    reply(world, (int[]){3, 100, FAILS}, 3);
    reply(world, (int[]){3, 100, FAILS}, 3);
    assert_string_equal(places(world, "shop/web"), "c:6");
    assert_int_equal(counts(world).queued, 0);
}

TEST_WITH(world, without_leadership_replies_change_nothing)
{
    add(world, "shop/web", "'replicas':6", divided);
    frame_rig_start(world->rig);
    frame_rig_lead(world->rig, false);
    reply(world, (int[]){3, 3, 3}, 3);
    assert_string_equal(places(world, "shop/web"), "");
    frame_rig_lead(world->rig, true);
    frame_rig_run(world->rig);
    assert_int_equal(world->n, 2);
    reply(world, (int[]){3, 3, 3}, 3);
    assert_string_equal(places(world, "shop/web"), "a:2,b:2,c:2");
}

TEST_WITH(world, bindings_that_wait_for_estimators_occupy_no_worker)
{
    world->settings.workers = 1;
    for (int i = 0; i < 300; i++) {
        add(world, test_text("shop/web-%d", i), "'replicas':6", divided);
    }
    frame_rig_start(world->rig);
    assert_int_equal(world->n, 256);
    while (world->first < world->n) {
        reply(world, (int[]){4, 4, 4}, 3);
    }
    assert_int_equal(world->n, 300);
    assert_int_equal(counts(world).placed, 300);
}
