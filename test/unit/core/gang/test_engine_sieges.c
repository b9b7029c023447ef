/* SPDX-License-Identifier: Apache-2.0 */
/* Room that one namespace would hold for what never happens, against an honest gang of another. */
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
    char name[64];
    size_t bound = 0;
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        bound += *rig_node_of(rig, name) != '\0';
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
            char name[64];
            snprintf(name, sizeof name, "a/odd-%d", i);
            rig_delete(rig, RIG_POD, name);
        }
        add_gang(rig, "b", "good", 4, 4);
        rig_run(rig, 15 * SKR_SECOND);
        if (n_bound(rig, "b/good", 4) != 4) {
            rig_fail(rig, "phase %d: %zu are bound", phase, n_bound(rig, "b/good", 4));
        }
    }
}
