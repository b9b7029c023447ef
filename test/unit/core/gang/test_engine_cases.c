/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that other gang schedulers are tested with, on one node that is too small for all: groups and single pods of
 * two sizes and priorities, in sequence or interleaved. Their node has 300 of memory and pods ask for 50 and 100;
 * here it has 6 cpus and pods ask for 1 and 2.
 */
#include "test/unit/engine_test.h"

enum { MID = 0, HIGH = 7, SETS_MAX = 3 };

/* Pods of a group, or single ones. */
struct set {
    const char *group; /* NULL: single pods */
    int minimum;       /* of the group */
    int pods, cpu, priority;
    bool bound;    /* all of them in the end; else none */
    int resources; /* cpus of minResources, which makes it a PodGroup; 0: a group map */
};

struct gang_case {
    const char *title;
    bool interleaved;
    struct set set[SETS_MAX];
};

static const struct gang_case cases[] = {
    {"C1 the one that fits, in sequence",
     false,
     {{"pg1", 3, 3, 1, MID, true, 0}, {"pg2", 4, 4, 2, MID, false, 0}}},
    {"C2 the one that fits, interleaved",
     true,
     {{"pg1", 3, 3, 1, MID, true, 0}, {"pg2", 4, 4, 2, MID, false, 0}}},
    {"C3 single pods beside a group that misses a member",
     true,
     {{"pg1", 4, 3, 1, MID, false, 0}, {NULL, 0, 2, 2, MID, true, 0}}},
    {"C4 the higher priority, in sequence",
     false,
     {{"pg1", 3, 3, 2, MID, false, 0}, {"pg2", 3, 3, 1, HIGH, true, 0}}},
    {"C5 the higher priority, interleaved",
     true,
     {{"pg1", 3, 3, 2, MID, false, 0}, {"pg2", 3, 3, 1, HIGH, true, 0}}},
    {"C6 single pods of a higher priority",
     true,
     {{"pg1", 3, 3, 1, MID, false, 0}, {NULL, 0, 3, 2, HIGH, true, 0}}},
    {"C7 two that never fit hold up nobody",
     true,
     {{"pg1", 3, 3, 1, MID, true, 0},
      {"pg2", 4, 4, 2, MID, false, 0},
      {"pg3", 4, 4, 2, MID, false, 0}}},
    {"C8 minResources that the node has, interleaved with two that never fit",
     true,
     {{"pg1", 3, 3, 1, MID, true, 3},
      {"pg2", 4, 4, 2, MID, false, 3},
      {"pg3", 4, 4, 2, MID, false, 3}}},
    {"C9 minResources that the node does not have, interleaved",
     true,
     {{"pg1", 3, 3, 1, MID, true, 8}, {"pg2", 4, 4, 2, MID, false, 8}}},
};

static void name_of(const struct set *s, int i, char *name, size_t size)
{
    snprintf(name, size, "%s-%d", s->group ? s->group : "single", i);
}

static void create(struct rig *rig, const struct set *s, int i)
{
    char name[32];
    name_of(s, i, name, sizeof name);
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'labels':{%s%s%s}},'spec':{'schedulerName':'sakkara','priority':%d,"
        "'containers':[{'name':'main','resources':{'requests':{'cpu':'%d'}}}]},"
        "'status':{'phase':'Pending'}}",
        !s->group          ? ""
        : s->resources > 0 ? "'scheduling.x-k8s.io/pod-group':'"
                           : "'sakkara.group.name':'",
        s->group ? s->group : "", s->group ? "'" : "", s->priority, s->cpu);
}

static void create_group(struct rig *rig, const struct set *s)
{
    if (s->resources > 0) {
        rig_create_json(rig, RIG_PODGROUP, s->group,
                        "{'metadata':{},'spec':{'minMember':%d,'minResources':{'cpu':'%d'}}}",
                        s->minimum, s->resources);
    } else if (s->group) {
        rig_group(rig, s->group, s->minimum, s->priority, NULL);
    }
}

static bool is_bound(const struct rig *rig, const struct set *s, int i)
{
    char name[32];
    name_of(s, i, name, sizeof name);
    return *rig_node_of(rig, name) != '\0';
}

TEST_EACH(gang_case, cases, who_is_bound_is_who_should_be)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_node(rig, "node-0", 6);
    rig_sync(rig);
    for (size_t s = 0; s < SETS_MAX; s++) {
        create_group(rig, &gang_case->set[s]);
    }
    for (int i = 0; i < 4; i++) {
        for (size_t s = 0; s < SETS_MAX; s++) {
            const struct set *set = &gang_case->set[s];
            if (gang_case->interleaved && i < set->pods) {
                create(rig, set, i);
            }
            for (int k = 0; !gang_case->interleaved && i == 0 && k < set->pods; k++) {
                create(rig, set, k);
            }
        }
    }
    rig_run(rig, 60 * SKR_SECOND);
    for (size_t s = 0; s < SETS_MAX; s++) {
        for (int i = 0; i < gang_case->set[s].pods; i++) {
            if (is_bound(rig, &gang_case->set[s], i) != gang_case->set[s].bound) {
                rig_fail(rig, "%s: pod %d of set %zu", gang_case->title, i, s);
            }
        }
    }
}

TEST_RIG(rig_create(), a_member_that_has_succeeded_before_the_others_came_makes_no_gang)
{
    rig_node(rig, "node-0", 6);
    rig_group(rig, "pg1", 6, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 5, "pg1", 0);
    rig_pod(rig, "p-5", "pg1", 0);
    rig_phase(rig, "p-5", "Succeeded");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "pg1"), 0);
}

TEST(a_group_that_is_too_large_starves_nobody)
{
    static const int cpus[] = {6, 2, 2, 2};
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    for (int i = 0; i < 4; i++) {
        rig_node(rig, test_text("node-%d", i), cpus[i]);
    }
    rig_sync(rig);
    const struct set large = {"pg1", 6, 6, 4, 0, false, 0}, small = {"pg2", 1, 1, 2, 0, true, 0};
    rig_group(rig, "pg1", 6, 0, NULL);
    rig_group(rig, "pg2", 1, 0, NULL);
    for (int i = 0; i < large.pods; i++) {
        create(rig, &large, i);
    }
    create(rig, &small, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "pg1"), 0);
    assert_int_equal(rig_n_bound(rig, "pg2"), 1);
}

TEST_RIG(rig_create(), a_group_waits_for_its_last_member_and_for_room)
{
    rig_node(rig, "node-0", 4);
    rig_sync(rig);
    rig_group(rig, "g", 3, 0, NULL);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_pod(rig, "blocker", NULL, RIG_BIG);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "blocker"), "node-0");
    rig_pod(rig, "p-2", "g", 0); /* now all are there, and two cpus are not enough */
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_delete(rig, RIG_POD, "blocker");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
}
