/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that only take room, without an entry of their own: what becomes one, what ends that, and that
 * they count wherever pods with an entry do. */
#include "core/gang/cache/residents.h"

#include "core/gang/cache/pods.h"
#include "test/test.h"
#include "test/unit/engine_test.h"

static void foreign(struct rig *rig, const char *name, const char *node, const char *labels,
                    const char *more)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{%s}},'spec':{'schedulerName':'default','nodeName':'%s',"
                    "%s'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]},"
                    "'status':{'phase':'Running'}}",
                    labels, node, more);
}

static bool is_resident(const struct rig *rig, const char *name)
{
    const struct resident *r = skr_residents_find(rig->gang, "default", name);
    const struct pod_entry *p = skr_pods_find_name(rig->gang, "default", name);
    assert_false(r && p);
    return r;
}

static int64_t free_cpu(const struct rig *rig, const char *node)
{
    return skr_ledger_free(rig->gang->ledger, node,
                           (uint16_t)skr_resource_names_find(rig->gang->resources, "cpu")) /
           1000;
}

/* One rack of three nodes with four cpus. */
static struct rig *small(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 3, 4);
    return rig;
}

TEST_RIG(small(), a_running_pod_of_somebody_else_has_no_entry_and_takes_its_room)
{
    foreign(rig, "web", "node-0", "'app':'web'", "");
    rig_sync(rig);
    assert_true(is_resident(rig, "web"));
    assert_int_equal(skr_residents_count(rig->gang), 1);
    assert_true(free_cpu(rig, "node-0") == 3);
    rig_delete(rig, RIG_POD, "web");
    rig_settle(rig);
    assert_false(is_resident(rig, "web"));
    assert_int_equal(skr_residents_count(rig->gang), 0);
    assert_true(free_cpu(rig, "node-0") == 4);
}

TEST_RIG(small(), a_pod_of_nobody_becomes_a_resident_when_it_is_bound)
{
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "plain", NULL, 0);
    rig_create_json(rig, RIG_POD, "other",
                    "{'spec':{'schedulerName':'default','containers':[{'name':'c'}]}}");
    rig_settle(rig);
    assert_false(is_resident(rig, "plain"));
    assert_false(is_resident(rig, "other"));
    rig_edit(rig, RIG_POD, "other", "{'spec':{'nodeName':'node-1'}}");
    rig->hold_scheduler = false; /* it binds the other one, through our verb */
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(is_resident(rig, "other"));
    assert_true(is_resident(rig, "plain"));
}

TEST_RIG(small(), what_terminates_or_ended_has_an_entry)
{
    for (int i = 0; i < 3; i++) {
        foreign(rig, test_text("p-%d", i), "node-0", "'app':'web'", "");
    }
    rig_sync(rig);
    rig_terminate(rig, "p-0");
    rig_phase(rig, "p-1", "Succeeded");
    rig_edit(rig, RIG_POD, "p-2", "{'metadata':{'labels':{'sakkara.preemptible':'true'}}}");
    rig_settle(rig);
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "p-%d", i);
        assert_false(is_resident(rig, name));
        assert_non_null(skr_pods_find_name(rig->gang, "default", name));
    }
    assert_int_equal(rig->gang->n_leaving, 1);
    assert_true(free_cpu(rig, "node-0") == 2);
    /* Who once agreed to go may be in a plan: it stays an entry. */
    rig_edit(rig, RIG_POD, "p-2", "{'metadata':{'labels':{'sakkara.preemptible':null}}}");
    rig_settle(rig);
    assert_false(is_resident(rig, "p-2"));
}

TEST_RIG(small(), another_pod_of_the_name_takes_the_place_of_a_resident)
{
    foreign(rig, "web-0", "node-0", "'app':'web'", "");
    rig_sync(rig);
    struct skr_error error;
    json_t *json = json_pack("{s:{s:s,s:s,s:s,s:s},s:{s:s,s:s}}", "metadata", "namespace",
                             "default", "name", "web-0", "uid", "another", "resourceVersion",
                             "900000", "spec", "nodeName", "node-2", "schedulerName", "default");
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = &skr_gang_pod}};
    struct skr_pod *pod;
    assert_int_equal(skr_pod_decode(json, &pod, &error), 0);
    event.upsert.object = pod;
    struct skr_actions actions;
    skr_actions_init(&actions);
    skr_engine_handle(rig->engine, &event, rig->now, &actions);
    skr_actions_fini(&actions);
    json_decref(json);
    assert_true(is_resident(rig, "web-0"));
    assert_int_equal(skr_residents_count(rig->gang), 1);
    assert_true(free_cpu(rig, "node-0") == 4);
    assert_string_equal(skr_pods_resident_node(rig->gang, "another"), "node-2");
}

TEST_RIG(small(), a_resident_is_resized_and_relabelled_in_place)
{
    foreign(rig, "web", "node-0", "'app':'web'", "");
    rig_sync(rig);
    rig_edit(rig, RIG_POD, "web",
             "{'metadata':{'labels':{'app':'db'}},'spec':{'containers':[{'name':'c','resources':{"
             "'requests':{'cpu':'3'}}}]}}");
    rig_settle(rig);
    assert_true(is_resident(rig, "web"));
    assert_true(free_cpu(rig, "node-0") == 1);
    size_t at = 0;
    const struct resident *r = skr_residents_next(rig->gang, &at);
    assert_string_equal(skr_labels_get(&skr_residents_meta(rig->gang, r)->labels, "app"), "db");
}

TEST_RIG(small(), a_bound_pod_of_ours_that_gets_a_group_becomes_a_member)
{
    rig_sync(rig);
    rig_create_json(rig, RIG_POD, "late",
                    "{'metadata':{'labels':{'app':'x'}},'spec':{'schedulerName':'sakkara',"
                    "'nodeName':'node-0','containers':[{'name':'c'}]}}");
    rig_settle(rig);
    assert_true(is_resident(rig, "late"));
    rig_edit(rig, RIG_POD, "late", "{'metadata':{'labels':{'sakkara.group.name':'g'}}}");
    rig_settle(rig);
    const struct pod_entry *p = skr_pods_find_name(rig->gang, "default", "late");
    assert_true(p && p->group);
    assert_int_equal(skr_residents_count(rig->gang), 0);
}

TEST_RIG(small(), calls_for_a_pod_that_is_bound_already_are_answered_as_before)
{
    foreign(rig, "web", "node-0", "'app':'web'", "");
    rig_sync(rig);
    assert_true(is_resident(rig, "web"));
    assert_string_equal(rig_filter(rig, "web", NULL).text, SKR_TEXT_ALREADY_BOUND);
    assert_int_equal(rig_bind(rig, "web", "node-0")->state, RIG_BOUND);
    assert_string_equal(rig_bind(rig, "web", "node-1")->text, SKR_TEXT_ALREADY_BOUND);
}

TEST_RIG(small(), a_restart_finds_the_same_room)
{
    foreign(rig, "a", "node-0", "'app':'web'", "");
    foreign(rig, "b", "node-1", "'app':'web'", "'priority':7,");
    foreign(rig, "c", "nowhere", "'app':'web'", "");
    rig_sync(rig);
    rig_restart(rig);
    assert_int_equal(skr_residents_count(rig->gang), 3);
    assert_true(free_cpu(rig, "node-0") == 3);
    assert_true(free_cpu(rig, "node-1") == 3);
    const struct resident *r;
    for (size_t at = 0; (r = skr_residents_next(rig->gang, &at));) {
        char uid[SKR_UUID_TEXT];
        SKR_STRBUF(name);
        skr_residents_add_name(rig->gang, r, &name);
        assert_string_equal(skr_pods_resident_node(rig->gang, skr_residents_uid(rig->gang, r, uid)),
                            skr_residents_node(rig->gang, r));
        assert_int_equal(skr_residents_priority(rig->gang, r), strcmp(name.s, "b") == 0 ? 7 : 0);
    }
}

enum { ROUNDS = 20, BATCH = 500 };

/* Names of Deployments, of Indexed Jobs, and such as no controller makes; a few UIDs are no UUIDs. */
static json_t *one_of_batch(int round, int i)
{
    char name[64], uid[64], node[16], version[16];
    static const char *const begin[] = {"web-5d8f7c9b6-x", "train-12-",
                                        "a-name.of-its.own.and.long."};
    (void)snprintf(name, sizeof name, "%s%d", begin[i % 3], i);
    (void)snprintf(uid, sizeof uid, "%08x-0000-4000-8000-%012x%s", (unsigned)round, (unsigned)i,
                   i % 7 == 0 ? "-" : "");
    (void)snprintf(node, sizeof node, "node-%d", i % 3);
    (void)snprintf(version, sizeof version, "%d", 1 + i);
    return json_pack("{s:{s:s,s:s,s:s,s:s,s:{s:s}},s:{s:s,s:s}}", "metadata", "namespace",
                     "default", "name", name, "uid", uid, "resourceVersion", version, "labels",
                     "app", begin[i % 3], "spec", "nodeName", node, "schedulerName", "default");
}

static void tell(struct rig *rig, int round, int i, bool gone)
{
    struct skr_error error;
    struct skr_actions actions;
    struct skr_pod *pod = NULL;
    json_auto_t *json = one_of_batch(round, i);
    assert_int_equal(skr_pod_decode(json, &pod, &error), 0);
    struct skr_event event = {.kind = SKR_EVENT_UPSERT,
                              .upsert = {.type = &skr_gang_pod, .object = pod}};
    if (gone) {
        event = (struct skr_event){.kind = SKR_EVENT_DELETE,
                                   .deleted = {.type = &skr_gang_pod,
                                               .namespace_ = pod->meta.namespace_,
                                               .name = pod->meta.name,
                                               .uid = pod->meta.uid}};
    }
    skr_actions_init(&actions);
    skr_engine_handle(rig->engine, &event, rig->now, &actions);
    skr_actions_fini(&actions);
    if (gone) {
        skr_pod_destroy(pod);
    }
}

TEST_RIG(small(), memory_of_pods_that_come_and_go_stays_what_it_was)
{
    rig_sync(rig);
    const size_t none[] = {skr_residents_bytes(rig->gang),
                           skr_ledger_charge_bytes(rig->gang->ledger)};
    size_t full[2] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BATCH; i++) {
            tell(rig, round, i, false);
        }
        assert_int_equal(skr_residents_count(rig->gang), BATCH);
        full[0] = round > 0 ? full[0] : skr_residents_bytes(rig->gang);
        full[1] = round > 0 ? full[1] : skr_ledger_charge_bytes(rig->gang->ledger);
        assert_int_equal(skr_residents_bytes(rig->gang), full[0]);
        assert_int_equal(skr_ledger_charge_bytes(rig->gang->ledger), full[1]);
        assert_int_equal(skr_ledger_check(rig->gang->ledger, &(struct skr_error){0}), 0);
        for (int i = BATCH; i-- > 0;) {
            tell(rig, round, i, true);
        }
        assert_int_equal(skr_residents_count(rig->gang), 0);
        assert_in_range(skr_residents_bytes(rig->gang), 0, none[0] + full[0] / 10);
        assert_in_range(skr_ledger_charge_bytes(rig->gang->ledger), 0, none[1] + full[1] / 10);
    }
}
