/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate timeline --preempt`: which pods a group that waits would evict, beside what others hold. */
#include "test/test.h"
#include "test/unit/timeline_scene.h"

#define POD(...)  scene_add_pod(s, &(struct scene_pod){__VA_ARGS__})
#define GANG(...) scene_add_group(s, &(struct scene_group){__VA_ARGS__})
#define BOUND     ",'status':'Bound','schedEndTime':'2026-01-01T11:00:00Z'"

static void scene_set_up(struct scene *s)
{
    scene_init(s);
    s->preempt = true;
}

static void scene_tear_down(struct scene *s)
{
    scene_fini(s);
}

static void expect(const struct scene *s, const char *group, const char *says)
{
    char text[512];
    assert_string_equal(scene_group_says(s, group, text), says);
}

static void run(struct scene *s)
{
    scene_run(s, false);
    assert_string_equal(s->messages.s ? s->messages.s : "", "");
    assert_int_equal(s->code, 0);
}

/* A bound group of one pod, of 4 cores on a node. */
static void running(struct scene *s, const char *name, const char *node, int priority, int deadline,
                    int grace)
{
    char pod[64];
    snprintf(pod, sizeof pod, "%s-0", name);
    POD(.name = pod, .node = node, .cpu = 4, .started = -60, .deadline = deadline,
        .priority = priority, .grace = grace, .group = name);
    GANG(.name = name, .running = 1, .priority = priority, .more = BOUND);
}

TEST_WITH(scene, the_lowest_priority_goes)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    running(s, "low", "node-1", 1, 0, 0);
    running(s, "mid", "node-0", 2, 0, 0);
    GANG(.name = "big", .cpu = 4, .priority = 5, .limit = "1h");
    GANG(.name = "equal", .cpu = 4, .priority = 1, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts low");
    expect(s, "equal", "unknown");
    s->preempt = false;
    run(s);
    expect(s, "big", "unknown");
    s->preempt = true;
    s->config = "preemption: false\n";
    run(s);
    expect(s, "big", "unknown");
}

/* The room is free in 100 s anyway; victims need their grace period. */
TEST_WITH(scene, eviction_that_is_no_faster_is_none)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    running(s, "low", "node-0", 1, 160, 99);
    GANG(.name = "big", .cpu = 4, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 199 node-0=1 because default/low evicts low");
    scene_fini(s);
    scene_init(s);
    s->preempt = true;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 2, .started = -60, .deadline = 100);
    POD(.name = "low-0", .node = "node-0", .cpu = 2, .started = -60, .group = "low", .grace = 40);
    GANG(.name = "low", .running = 1, .more = BOUND);
    GANG(.name = "big", .cpu = 2, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 40 node-0=1 because default/r0");
}

/* first gets the room that eviction would make before second does: both are told, each behind what
 * is before it; a reservation of a lower group counts nothing. */
TEST_WITH(scene, what_is_held_before_it_is_no_room)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    running(s, "low", "node-1", 0, 0, 0);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160);
    GANG(.name = "first", .cpu = 4, .priority = 7, .limit = "1h");
    GANG(.name = "second", .cpu = 4, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "first", "reserved 100 node-0=1 because default/r0 evicts low");
    expect(s, "second", "forecast 3700 because default/first evicts low");
}

TEST_WITH(scene, pods_that_their_group_does_not_need_go_alone)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "e-0", .node = "node-0", .cpu = 4, .started = -60, .group = "e");
    POD(.name = "e-1", .node = "node-1", .cpu = 4, .started = -60, .group = "e");
    GANG(.name = "e", .running = 1, .size = 1, .more = BOUND);
    GANG(.name = "big", .cpu = 4, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts e-1");
    scene_run(s, true);
    assert_non_null(strstr(s->out.s, "\ndefault/big fits now if it evicts pod e-1\n"));
}

/* Bound members of two cores each, so many on every one of three nodes, of which few are needed. */
static void elastic_on(struct scene *s, const char *name, int each, int priority, const char *data)
{
    SKR_STRBUF(more);
    for (int i = 0; i < 3 * each; i++) {
        char pod[64], node[64];
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        snprintf(node, sizeof node, "node-%d", i / each);
        POD(.name = pod, .node = node, .cpu = 2, .started = -60, .priority = priority,
            .group = name);
    }
    skr_strbuf_addf(&more, "%s,%s", BOUND, data);
    GANG(.name = name, .running = 1, .size = 3 * each, .priority = priority, .more = more.s);
}

static void elastic(struct scene *s, const char *name, int priority, const char *data)
{
    elastic_on(s, name, 1, priority, data);
}

TEST_WITH(scene, members_beyond_a_minimum_go_before_gangs_of_lower_priority)
{
    struct scene *s = scene;
    for (int i = 0; i < 3; i++) {
        scene_add_node(s, test_text("node-%d", i), 4, NULL);
    }
    elastic(s, "e", 3, "'minimum':'1'");
    running(s, "low", "node-3", 1, 0, 0);
    scene_add_node(s, "node-3", 4, NULL);
    GANG(.name = "big", .cpu = 4, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts e-1");
}

TEST_WITH(scene, members_that_came_by_steps_go_by_steps)
{
    struct scene *s = scene;
    for (int i = 0; i < 3; i++) {
        scene_add_node(s, test_text("node-%d", i), 2, NULL);
    }
    elastic(s, "e", 3, "'minimum':'1','step':'2'");
    GANG(.name = "big", .cpu = 2, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts e-1,e-2");
}

TEST_WITH(scene, of_two_groups_the_one_of_lower_priority_gives)
{
    struct scene *s = scene;
    for (int i = 0; i < 3; i++) {
        scene_add_node(s, test_text("node-%d", i), 4, NULL);
    }
    elastic(s, "a", 3, "'minimum':'1'");
    elastic(s, "b", 2, "'minimum':'1'");
    GANG(.name = "big", .cpu = 2, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts b-1");
}

/* All three would need three nodes; one is enough for a start. */
TEST_WITH(scene, room_is_made_for_the_minimum)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    running(s, "low", "node-0", 1, 0, 0);
    GANG(.name = "big", .size = 3, .cpu = 4, .priority = 5, .more = ",'minimum':'1'");
    run(s);
    expect(s, "big", "unknown evicts low");
}

TEST_WITH(scene, members_beyond_a_minimum_stay_if_the_others_would_break_a_rule)
{
    struct scene *s = scene;
    for (int i = 0; i < 3; i++) {
        scene_add_node(s, test_text("node-%d", i), 2, NULL);
    }
    elastic(s, "e", 3, "'minimum':'2','constraints':'{\\'node\\':{\\'partitions\\':3}}'");
    GANG(.name = "big", .cpu = 2, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts e");
}

/* Each node has an even number of members of e. Without ranks, names decide. */
TEST_WITH(scene, as_few_members_beyond_a_minimum_go_as_rules_on_counts_let_go)
{
    struct scene *s = scene;
    for (int i = 0; i < 3; i++) {
        scene_add_node(s, test_text("node-%d", i), 4, NULL);
    }
    elastic_on(s, "e", 2, 3, "'minimum':'2','constraints':'{\\'node\\':{\\'factor\\':2}}'");
    GANG(.name = "big", .cpu = 2, .priority = 5, .limit = "1h");
    run(s);
    expect(s, "big", "unknown evicts e-2,e-3");
}
