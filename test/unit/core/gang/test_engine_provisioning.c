/* SPDX-License-Identifier: Apache-2.0 */
/* provisioningClass: the room of a whole group is asked for by one ProvisioningRequest. */
#include "core/gang/changes/provisioning.h"

#include "core/gang/scheduler.h"
#include "core/gang/state/types.h"
#include "core/group/provisioning.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "topology/base/attr.h"

#define CLASS "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
#define POD_SPEC                                                                                   \
    "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"                       \
    "'containers':[{'name':'main','image':'i','env':[{'name':'SECRET','value':'x'}],"              \
    "'resources':{'requests':{'cpu':'%d'}}}],"                                                     \
    "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}},{'name':'e','emptyDir':{}}" \
    "]"

static const struct skr_resource *requests, *templates, *pods, *nodes, *maps;

static void add_node(struct frame_rig *rig, const char *name, int cpu)
{
    frame_rig_add(rig, nodes, name,
                  "{'metadata':{'labels':{'kubernetes.io/hostname':'%s'}},'status':{'allocatable':"
                  "{'cpu':'%d','memory':'64Gi','pods':'110'},"
                  "'conditions':[{'type':'Ready','status':'True'}]}}",
                  name, cpu);
}

static void add_pod(struct frame_rig *rig, const char *name, int cpu)
{
    frame_rig_add(rig, pods, test_text("default/%s", name),
                  "{'metadata':{'labels':{'sakkara.group.name':'train','app':'t'}},"
                  "'spec':{" POD_SPEC "},'status':{'phase':'Pending'}}",
                  cpu);
}

/* A group of three on a cluster with room for one. */
static struct frame_rig *begin(void)
{
    static struct skr_settings settings;
    skr_settings_default(&settings);
    settings.release_gate_after = 60 * SKR_SECOND;
    settings.provisioning_class = CLASS;
    requests = skr_gang_provisioning.resource;
    templates = skr_gang_template.resource;
    pods = skr_gang_pod.resource;
    nodes = skr_gang_node.resource;
    maps = skr_gang_configmap.resource;
    struct frame_rig *rig = frame_rig_create(&skr_gang_scheduler, &settings);
    add_node(rig, "node-0", 2);
    frame_rig_add(rig, maps, "default/train",
                  "{'metadata':{'labels':{'sakkara.group':''}},"
                  "'data':{'name':'train','size':'3','priority':'0'}}");
    add_pod(rig, "p-0", 2);
    add_pod(rig, "p-1", 2);
    add_pod(rig, "q-0", 1);
    frame_rig_start(rig);
    return rig;
}

static const char *request_name(const struct frame_rig *rig)
{
    static char key[80];
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match match = {.verb = &create, .resource = requests};
    const struct frame_rig_write *write = frame_rig_last(rig, &match);
    assert_non_null(write);
    snprintf(key, sizeof key, "%s", write->key);
    return key;
}

static bool is_gated(const struct frame_rig *rig, const char *key)
{
    const json_t *spec = json_object_get(frame_rig_get(rig, pods, key), "spec");
    return json_array_size(json_object_get(spec, "schedulingGates")) > 0;
}

static size_t created(const struct frame_rig *rig)
{
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match match = {.verb = &create, .resource = requests};
    return frame_rig_writes(rig, &match);
}

static void say(struct frame_rig *rig, const char *type, const char *message)
{
    frame_rig_edit(rig, requests, request_name(rig),
                   "{'status':{'conditions':[{'type':'%s','status':'True','message':'%s'}]}}", type,
                   message);
    frame_rig_advance(rig, SKR_PROVISIONING_LOOK_S * SKR_SECOND);
}

static void fini(struct frame_rig **rig)
{
    frame_rig_destroy(*rig);
}

#define RIG SKR_CLEANUP(fini) struct frame_rig *rig = begin()

TEST(one_request_asks_for_all_pods_by_their_templates)
{
    RIG;
    frame_rig_advance(rig, 50 * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), 0);
    frame_rig_advance(rig, 15 * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), 1);
    assert_int_equal(frame_rig_count(rig, templates), 2);
    const char *key = request_name(rig);
    const json_t *spec = json_object_get(frame_rig_get(rig, requests, key), "spec"), *set;
    assert_string_equal(json_string_value(json_object_get(spec, "provisioningClassName")), CLASS);
    assert_string_equal(frame_rig_text(rig, requests, key, "apiVersion"),
                        "autoscaling.x-k8s.io/v1");
    size_t i, total = 0;
    json_array_foreach(json_object_get(spec, "podSets"), i, set)
    {
        total += (size_t)json_integer_value(json_object_get(set, "count"));
        const char *name =
            json_string_value(json_object_get(json_object_get(set, "podTemplateRef"), "name"));
        const json_t *template = frame_rig_get(rig, templates, test_text("default/%s", name));
        assert_non_null(template);
        SKR_AUTO_FREE char *text = json_dumps(template, JSON_COMPACT);
        assert_non_null(strstr(text, "\"requests\":{\"cpu\":"));
        assert_non_null(strstr(text, "\"claimName\":\"c\""));
        assert_non_null(strstr(text, "\"kind\":\"ConfigMap\",\"name\":\"train\""));
        assert_null(strstr(text, "SECRET"));
        assert_null(strstr(text, "emptyDir"));
        assert_null(strstr(text, "schedulingGates"));
    }
    assert_int_equal(total, 3);
    assert_true(is_gated(rig, "default/p-0"));
}

TEST(what_was_made_goes_when_room_is_not_missing_any_more)
{
    RIG;
    frame_rig_advance(rig, 65 * SKR_SECOND);
    say(rig, "Accepted", "a");
    say(rig, "Provisioned", "b");
    assert_int_equal(frame_rig_count(rig, requests), 1);
    frame_rig_edit(rig, maps, "default/train", "{'data':{'size':'1'}}");
    frame_rig_delete(rig, pods, "default/p-0");
    frame_rig_delete(rig, pods, "default/p-1");
    frame_rig_delete(rig, pods, "default/q-0");
    frame_rig_advance(rig, 60 * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), 0);
    assert_int_equal(frame_rig_count(rig, templates), 0);
}

TEST(a_failed_request_is_made_again_after_a_growing_pause)
{
    RIG;
    frame_rig_advance(rig, 65 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(created(rig), i + 1);
        say(rig, "Failed", "no quota");
        assert_int_equal(frame_rig_count(rig, requests), 0);
        assert_true(is_gated(rig, "default/p-0"));
        frame_rig_advance(rig, (SKR_PROVISIONING_AGAIN_S << i) * SKR_SECOND);
    }
    assert_int_equal(created(rig), 4);
}

TEST(without_an_answer_the_gates_go)
{
    RIG;
    frame_rig_advance(rig, 65 * SKR_SECOND);
    assert_true(is_gated(rig, "default/p-0"));
    frame_rig_advance(rig, (SKR_PROVISIONING_ANSWER_S + 30) * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), 0);
    assert_false(is_gated(rig, "default/p-0"));
}

TEST(without_the_right_to_ask_the_gates_go)
{
    RIG;
    frame_rig_fault(rig, FRAME_FAULT_DENIED, 1, &(struct frame_rig_match){.resource = requests});
    frame_rig_advance(rig, 75 * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), 0);
    assert_int_equal(frame_rig_count(rig, templates), 0);
    assert_false(is_gated(rig, "default/p-0"));
}

TEST(the_next_process_follows_the_same_request)
{
    for (size_t n = 1; n <= 3; n++) {
        RIG;
        frame_rig_advance(rig, 55 * SKR_SECOND);
        frame_rig_crash_after(rig, n); /* two templates and a request */
        frame_rig_advance(rig, 150 * SKR_SECOND);
        assert_int_equal(frame_rig_count(rig, requests), 1);
        assert_int_equal(frame_rig_count(rig, templates), 2);
        assert_in_range(created(rig), 1, 2);
        say(rig, "Failed", "no");
        assert_int_equal(frame_rig_count(rig, requests), 0);
        assert_int_equal(frame_rig_count(rig, templates), 0);
    }
}

TEST(a_request_for_other_pods_is_removed_and_made_anew)
{
    RIG;
    frame_rig_advance(rig, 65 * SKR_SECOND);
    frame_rig_edit(rig, maps, "default/train", "{'data':{'size':'4'}}");
    add_pod(rig, "q-1", 1);
    frame_rig_advance(rig, 80 * SKR_SECOND);
    assert_int_equal(created(rig), 2);
    const json_t *spec = json_object_get(frame_rig_get(rig, requests, request_name(rig)), "spec");
    const json_t *last = json_array_get(json_object_get(spec, "podSets"), 1);
    assert_int_equal(json_integer_value(json_object_get(last, "count")), 2);
}

/* As many sets of as many pods, but larger ones. */
TEST(a_request_for_pods_of_other_shapes_is_removed_and_made_anew)
{
    RIG;
    frame_rig_advance(rig, 65 * SKR_SECOND);
    frame_rig_delete(rig, pods, "default/q-0");
    add_pod(rig, "q-0", 9);
    frame_rig_advance(rig, 80 * SKR_SECOND);
    assert_int_equal(created(rig), 2);
    assert_int_equal(frame_rig_count(rig, requests), 1);
}

TEST(nothing_is_asked_for_pods_that_consume_a_request)
{
    RIG;
    frame_rig_edit(rig, pods, "default/p-0",
                   "{'metadata':{'annotations':{'autoscaling.x-k8s.io/consume-provisioning-request'"
                   ":'theirs'}}}");
    frame_rig_advance(rig, 90 * SKR_SECOND);
    assert_int_equal(created(rig), 0);
}

TEST(no_more_than_so_many_groups_ask_at_once)
{
    RIG;
    for (int i = 0; i < SKR_PROVISIONING_AT_ONCE + 5; i++) {
        frame_rig_add(rig, maps, test_text("default/g-%d", i),
                      "{'metadata':{'labels':{'sakkara.group':''}},"
                      "'data':{'name':'g-%d','size':'1','priority':'0'}}",
                      i);
        frame_rig_add(rig, pods, test_text("default/w-%d", i),
                      "{'metadata':{'labels':{'sakkara.group.name':'g-%d'}},"
                      "'spec':{" POD_SPEC "},'status':{'phase':'Pending'}}",
                      i, 3);
    }
    frame_rig_advance(rig, 120 * SKR_SECOND);
    assert_int_equal(frame_rig_count(rig, requests), SKR_PROVISIONING_AT_ONCE);
}
