/* SPDX-License-Identifier: Apache-2.0 */
/* Room that one namespace would hold for what never happens, against an honest gang of another. */
#include "core/gang/group/reservation.h"
#include "test/unit/engine_test.h"

static bool refuses_bad(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)node;
    return strncmp(pod->meta.name, "bad", 3) != 0;
}

static void add_gang(struct rig *rig, const char *namespace_, const char *name, int size, int pods)
{
    char key[64];
    snprintf(key, sizeof key, "%s/%s", namespace_, name);
    rig_group(rig, key, size, 0, NULL);
    rig_pods(rig, key, pods, name, RIG_GATED);
}

static size_t n_bound(struct rig *rig, const char *prefix, int n)
{
    size_t bound = 0;
    for (int i = 0; i < n; i++) {
        bound += *rig_node_of(rig, test_text("%s-%d", prefix, i)) != '\0';
    }
    return bound;
}

static struct rig *four_slots(void)
{
    struct rig *rig = rig_create();
    rig->in_tree = refuses_bad;
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    return rig;
}

/* Every second the map has another size, rule, time for seats, priority: each plan could begin anew. */
TEST(a_map_that_changes_every_second_holds_no_room_for_ever)
{
    static const char *const edit[] = {
        "{'data':{'priority':'%d'}}",
        "{'data':{'seat-hold':'%ds'}}",
        "{'data':{'constraints':'{\\'rack\\':{\\'max\\':%d}}'}}",
        "{'data':{'size':'%d'}}",
    };
    for (size_t way = 0; way < sizeof edit / sizeof *edit; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
        const bool shrinks = way == sizeof edit / sizeof *edit - 1;
        add_gang(rig, "a", "bad", 4, 4);
        rig_run(rig, SKR_SECOND);
        assert_string_not_equal(rig_planned(rig, "a/bad-0"), "");
        add_gang(rig, "b", "good", 4, 4);
        for (int i = 0; i < 30; i++) {
            /* Never above the priority of the other, and the sizes 3 and 4 in turn. */
            int value = shrinks ? 3 + i % 2 : way == 0 ? -(i % 2) : 4 + i % 2;
            SKR_STRBUF(text);
            const char *d = strstr(edit[way], "%d");
            skr_strbuf_addf(&text, "%.*s%d%s", (int)(d - edit[way]), edit[way], value, d + 2);
            rig_edit(rig, RIG_MAP, "a/bad", "%s", text.s);
            rig_run(rig, SKR_SECOND);
        }
        if (n_bound(rig, "b/good", 4) != 4) {
            rig_fail(rig, "way %zu: %zu are bound", way, n_bound(rig, "b/good", 4));
        }
        if (rig->n_solves > 200) {
            rig_fail(rig, "way %zu: %zu solves", way, rig->n_solves);
        }
    }
}

/* Pods that have a claim on a node by a status that users may write. */
TEST(a_nominated_node_that_another_wrote_holds_nothing)
{
    SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "a/other-%d", i);
        rig_pod(rig, name, NULL, RIG_GATED);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'schedulerName':'another','priority':1000},"
                 "'status':{'nominatedNodeName':'node-%d'}}",
                 i % 2);
    }
    add_gang(rig, "b", "good", 4, 4);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 4), 4);
}

/* Groups that can never be whole: a size of 100,000, foreign gates, members that finalizers keep. */
TEST(what_is_not_complete_holds_nothing)
{
    enum { TOO_LARGE, FOREIGN_GATE, FINALIZERS, WAYS };
    for (int way = 0; way < WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
        add_gang(rig, "a", "odd", way == TOO_LARGE ? 100000 : 4, 4);
        for (int i = 0; i < 4; i++) {
            char name[64];
            snprintf(name, sizeof name, "a/odd-%d", i);
            if (way == FOREIGN_GATE) {
                rig_edit(rig, RIG_POD, name,
                         "{'spec':{'schedulingGates':[{'name':'sakkara.gang'},{'name':'x/y'}]}}");
            } else if (way == FINALIZERS) {
                rig_edit(rig, RIG_POD, name, "{'metadata':{'finalizers':['x/y']}}");
                rig_remove(rig, name);
            }
        }
        add_gang(rig, "b", "good", 4, 4);
        rig_run(rig, 5 * SKR_SECOND);
        if (n_bound(rig, "b/good", 4) != 4) {
            rig_fail(rig, "way %d: %zu are bound", way, n_bound(rig, "b/good", 4));
        }
    }
}

/* In each phase of the plan the members are deleted. */
TEST(deleted_in_any_phase_the_members_leave_the_room)
{
    for (int phase = 0; phase < 40; phase++) {
        SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
        rig_group(rig, "a/odd", 4, 0, NULL);
        rig_pods(rig, "a/odd", 4, "odd", RIG_GATED);
        for (int i = 0; i < phase; i++) {
            rig_step(rig);
        }
        for (int i = 0; i < 4; i++) {
            rig_delete(rig, RIG_POD, test_text("a/odd-%d", i));
        }
        add_gang(rig, "b", "good", 4, 4);
        rig_run(rig, 15 * SKR_SECOND);
        if (n_bound(rig, "b/good", 4) != 4) {
            rig_fail(rig, "phase %d: %zu are bound", phase, n_bound(rig, "b/good", 4));
        }
    }
}

static size_t n_reserved(struct rig *rig)
{
    size_t n[SKR_RESERVED_COUNT], sum = 0;
    skr_reservations_count(rig->gang, n);
    for (size_t i = 0; i < SKR_RESERVED_COUNT; i++) {
        sum += n[i];
    }
    return sum;
}

/* Each group would hold the seat of a member that its label takes away; the pod still runs. */
TEST(running_pods_that_move_between_groups_leave_no_seats_behind)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_sync(rig);
    add_gang(rig, "a", "g0", 4, 4);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "a/g0", 4), 4);
    for (int i = 1; i < 4; i++) {
        char key[16];
        snprintf(key, sizeof key, "a/g%d", i);
        rig_group(rig, key, 4, 0, NULL);
        rig_edit(rig, RIG_MAP, key, "{'data':{'seat-hold':'24h'}}");
    }
    for (int turn = 1; turn < 16; turn++) {
        rig_edit(rig, RIG_POD, test_text("a/g0-%d", turn % 4),
                 "{'metadata':{'labels':{'sakkara.group.name':'g%d'}}}", turn % 3 + 1);
        rig_run(rig, SKR_SECOND / 2);
        assert_int_equal(n_reserved(rig), 0);
    }
    add_gang(rig, "b", "good", 4, 4);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 4), 4);
}

/* No scheduler is asked for them. The kubelet refuses them for want of room, and they stay as Failed. */
TEST(pods_that_name_their_node_hold_room_until_its_kubelet_refuses_them)
{
    SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
    rig->allow_overfull = true;
    add_gang(rig, "b", "good", 4, 4);
    for (int i = 0; i < 20; i++) {
        rig_create_json(rig, RIG_POD, test_text("a/x-%d", i),
                        "{'metadata':{'labels':{'sakkara.group.name':'x'}},'spec':{'nodeName':"
                        "'node-%d','containers':[{'name':'c','resources':{'requests':{'cpu':"
                        "'1000'}}}]},'status':{'phase':'Pending'}}",
                        i % 2);
    }
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 4), 0);
    for (int i = 0; i < 20; i++) {
        rig_phase(rig, test_text("a/x-%d", i), "Failed");
    }
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 4), 4);
    assert_int_equal(n_reserved(rig), 0);
}

static void job_pods(struct rig *rig, const char *prefix, int n, const char *uid)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(
            rig, RIG_POD, test_text("%s-%d", prefix, i),
            "{'metadata':{'annotations':{'sakkara.gang':'auto'},'labels':{'batch.kubernetes.io/"
            "job-name':'train'},'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':"
            "'train','uid':'%s','controller':true}]},'spec':{'schedulerName':'sakkara',"
            "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c','resources':{"
            "'requests':{'cpu':'1'}}}]}}",
            uid);
    }
}

/* Name and uid are those of a Job of another namespace. */
TEST(an_owner_reference_to_a_job_of_another_namespace_enters_no_group_of_it)
{
    for (int first = 0; first < 2; first++) {
        SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
        rig_create_json(rig, RIG_JOB, "b/train", "{'spec':{'parallelism':4,'completions':4}}");
        const json_t *meta = json_object_get(rig_find(rig, RIG_JOB, "b/train")->json, "metadata");
        SKR_AUTO_FREE char *uid = skr_strdup(json_string_value(json_object_get(meta, "uid")));
        if (first) {
            job_pods(rig, "a/train", 16, uid);
            rig_run(rig, 5 * SKR_SECOND);
        }
        job_pods(rig, "b/train", 3, uid);
        if (!first) {
            job_pods(rig, "a/train", 16, uid);
        }
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(n_bound(rig, "b/train", 3), 0); /* one is missing */
        assert_int_equal(n_bound(rig, "a/train", 16), 0);
        job_pods(rig, "b/last", 1, uid);
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(n_bound(rig, "b/train", 3) + n_bound(rig, "b/last", 1), 4);
    }
}
