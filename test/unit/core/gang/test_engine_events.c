/* SPDX-License-Identifier: Apache-2.0 */
/* Events: on changes of state only, however often a group is tried, a daemon is started or a write
 * is refused; with the type, action and length that readers rely on. */
#include <ctype.h>

#include "test/test.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

enum { RETRIES = 1000, NOTE_MAX = 1024 };

/* Events whose text ("ConfigMap/g Normal GroupBound: note") begins so. */
static size_t count(const struct rig *rig, const char *begin)
{
    size_t n = 0, i;
    json_t *text;
    json_array_foreach(rig->events, i, text)
    {
        n += strncmp(json_string_value(text), begin, strlen(begin)) == 0;
    }
    return n;
}

static struct rig *group_of(int nodes, int cpu, int size, const char *constraints)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, nodes, cpu);
    rig_group(rig, "g", size, 0, constraints);
    rig_sync(rig);
    rig_pods(rig, "p", size, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    return rig;
}

static uint64_t trials_of(const struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats.attempts[SKR_ATTEMPT_INFEASIBLE] + stats.attempts[SKR_ATTEMPT_PLANNED];
}

/* Something that could have helped, and did not. */
static void retry(struct rig *rig, int i)
{
    rig_edit(rig, RIG_NODE, "node-0", "{'metadata':{'labels':{'turn':'%d'}}}", i);
    rig_run(rig, 2 * SKR_SECOND);
}

TEST_RIG(group_of(2, 4, 6, NULL), a_thousand_retries_of_a_group_without_room_make_one_event)
{
    rig_assert_bound(rig, "p", 6);
    rig_group(rig, "stuck", 4, 0, NULL);
    rig_pods(rig, "s", 4, "stuck", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND); /* with what would help */
    assert_string_equal(rig_key(rig, "stuck", "reason"), "WaitingForCapacity");
    uint64_t before = trials_of(rig);
    size_t patches = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    size_t events = rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL);
    for (int i = 0; i < RETRIES; i++) {
        retry(rig, i);
    }
    assert_true(trials_of(rig) - before >= RETRIES);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), patches);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL), events);
    assert_int_equal(count(rig, "ConfigMap/stuck Normal GroupComplete"), 1);
    assert_int_equal(count(rig, "ConfigMap/stuck Normal GroupUnplaced"), 1);
    assert_int_equal(count(rig, "ConfigMap/stuck "), 2);
    /* Another reason is another Event. */
    rig_edit(rig, RIG_MAP, "stuck",
             "{'data':{'constraints':'{\\'node\\':{\\'type\\':\\'spread\\',"
             "\\'hard\\':true}}'}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "stuck", "reason"), "ConstraintConflict");
    assert_int_equal(count(rig, "ConfigMap/stuck Warning GroupUnplaced"), 1);
    assert_int_equal(count(rig, "ConfigMap/stuck "), 3);
}

static bool never(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)pod;
    (void)node;
    return false;
}

/* Every attempt finds a place, and kube-scheduler refuses it. */
TEST_RIG(rig_create(), plans_that_are_given_up_again_and_again_are_told_once)
{
    struct skr_gang_stats stats;
    rig_racks(rig, 1, 1, 2);
    rig->in_tree = never;
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_run(rig, 20000 * SKR_SECOND);
    skr_gang_get_stats(rig->gang, &stats);
    assert_true(stats.plans > 50);
    assert_int_equal(count(rig, "ConfigMap/g Normal GroupComplete"), 1);
    assert_int_equal(count(rig, "ConfigMap/g Normal GroupPlaced"), 1);
    assert_true(count(rig, "ConfigMap/g Normal GroupUnplaced") > 0);
    assert_true(count(rig, "ConfigMap/g ") <= 4);
    size_t before = count(rig, "ConfigMap/g ");
    rig_run(rig, 20000 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/g "), before);
    rig->in_tree = NULL;
    rig_run(rig, 400 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_int_equal(count(rig, "ConfigMap/g Normal GroupBound"), 1);
}

TEST_RIG(group_of(2, 4, 4, NULL), a_new_generation_is_told_anew)
{
    for (int round = 1; round <= 3; round++) {
        rig_assert_bound(rig, "p", 4);
        assert_int_equal(count(rig, "ConfigMap/g Normal GroupComplete"), round);
        assert_int_equal(count(rig, "ConfigMap/g Normal GroupPlaced"), round);
        assert_int_equal(count(rig, "ConfigMap/g Normal GroupBound"), round);
        rig_delete_pods(rig, "p", 0, 4);
        rig_run(rig, 10 * SKR_SECOND);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, 10 * SKR_SECOND);
    }
}

TEST_RIG(group_of(2, 4, 6, NULL), a_restart_tells_nothing_about_groups_that_stand)
{
    rig_group(rig, "stuck", 4, 0, NULL);
    rig_pods(rig, "s", 4, "stuck", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    size_t before = count(rig, "ConfigMap/");
    for (int i = 0; i < 5; i++) {
        rig_restart(rig);
        rig_run(rig, 10 * SKR_SECOND);
    }
    assert_int_equal(count(rig, "ConfigMap/"), before);
}

TEST_RIG(rig_create(), a_refused_write_does_not_repeat_the_event)
{
    rig_racks(rig, 1, 1, 4);
    rig_group(rig, "first", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL, RIG_403, 1000000);
    rig_create_json(rig, RIG_MAP, "second",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'first','size':'3'}"
                    "}");
    rig_run(rig, 2000 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/second Warning GroupUnplaced"), 1);
    rig_faults_end(rig);
}

TEST_RIG(rig_create(), another_topology_is_told_once)
{
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology "), 0);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology Normal TopologyChanged"), 1);
    rig_edit(rig, RIG_MAP, "topology", "{'metadata':{'labels':{'other':'label'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology "), 1);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology Warning TopologyInvalid"), 1);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology Normal TopologyChanged"), 2);
    assert_int_equal(count(rig, "ConfigMap/topology "), 3);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(count(rig, "ConfigMap/topology "), 3);
}

/* ---- form ---- */

static bool is_camel_case(const char *s)
{
    if (!isupper((unsigned char)s[0]) || strlen(s) > 128) {
        return false;
    }
    while (isalnum((unsigned char)*s)) {
        s++;
    }
    return *s == '\0';
}

static bool needs_warning(const char *reason)
{
    static const char *const words[] = {"GroupNotFound",      "GroupInvalid", "DuplicateGroup",
                                        "PodsNotHomogeneous", "NeverFits",    "ConstraintConflict",
                                        "TopologyMissing",    "BindFailed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(reason, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Bodies of Events, as they are written. */
static size_t check_bodies(const struct rig *rig)
{
    static const char mark[] = "{\"apiVersion\":\"events.k8s.io/v1\"";
    size_t n = 0;
    for (const char *at = rig->log.s; at && (at = strstr(at, mark)); at++, n++) {
        json_auto_t *json = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(json);
        const char *reason = skr_object_text(json, "reason"),
                   *action = skr_object_text(json, "action");
        const char *type = skr_object_text(json, "type"), *note = skr_object_text(json, "note");
        bool unplaced = strcmp(reason, "GroupUnplaced") == 0 || strcmp(reason, "GroupWaiting") == 0;
        if (!is_camel_case(reason) || !is_camel_case(action) || strlen(note) > NOTE_MAX) {
            fail_msg("%s %s %s", reason, action, note);
        }
        if (unplaced && (strcmp(type, "Warning") == 0) != needs_warning(action)) {
            fail_msg("%s of type %s", action, type);
        }
        if (!unplaced && strcmp(reason, action) != 0) {
            fail_msg("%s %s", reason, action);
        }
        assert_true(*skr_object_text(json_object_get(json, "regarding"), "uid") != '\0');
    }
    return n;
}

static void make_events(struct rig *rig)
{
    char name[253];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    rig_racks(rig, 1, 2, 4);
    rig_group(rig, "fits", 4, 0, NULL);
    rig_group(rig, "never", 9, 0, NULL);
    rig_group(rig, "waits", 5, 0, NULL);
    rig_group(rig, "broken", 2, 0, "{");
    rig_sync(rig);
    rig_pods(rig, "fits", 4, "fits", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "never", 9, "never", RIG_GATED);
    rig_pods(rig, "waits", 5, "waits", RIG_GATED);
    rig_pods(rig, "broken", 2, "broken", RIG_GATED);
    rig_pods(rig, "lost", 2, "nowhere", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{\\'%s\\':1}'}}", name);
    rig_run(rig, 20 * SKR_SECOND);
}

TEST_RIG(rig_create(), events_have_the_form_that_readers_rely_on)
{
    make_events(rig);
    static const char *const wanted[] = {
        "ConfigMap/fits Normal GroupComplete: all 4 members are there",
        "ConfigMap/fits Normal GroupPlaced: a placement of 4 members was found",
        "ConfigMap/fits Normal GroupBound: 4 members are bound to 1 node",
        "ConfigMap/never Warning GroupUnplaced",
        "ConfigMap/waits Normal GroupUnplaced",
        "ConfigMap/broken Warning GroupUnplaced",
        "Pod/lost-0 Warning GroupWaiting: group nowhere is named by 2 pods, but by no ConfigMap ",
        "Pod/waits-0 Normal GroupWaiting: group waits needs 5 slots, ",
        "Pod/broken-0 Warning GroupWaiting: group broken: constraints: 1:2: ",
        "ConfigMap/topology Warning TopologyInvalid",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (count(rig, wanted[i]) != 1) {
            fail_msg("%zu times: %s\n%s", count(rig, wanted[i]), wanted[i],
                     json_dumps(rig->events, JSON_INDENT(1)));
        }
    }
    assert_int_equal(check_bodies(rig), json_array_size(rig->events));
}
