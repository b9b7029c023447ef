/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate timeline --moves`: which groups go elsewhere, which may not. test_moves compares the search
 * with an enumeration. */
#include "test/test.h"
#include "test/unit/timeline_scene.h"

#define POD(...)  scene_add_pod(s, &(struct scene_pod){__VA_ARGS__})
#define GANG(...) scene_add_group(s, &(struct scene_group){__VA_ARGS__})
#define BOUND     ",'status':'Bound','schedEndTime':'2026-01-01T11:50:00Z'"
#define MOVABLE   BOUND ",'movable':'true'"

static void scene_set_up(struct scene *s)
{
    scene_init(s);
    s->moves = true;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
}

static void scene_tear_down(struct scene *s)
{
    scene_fini(s);
}

static void expect(const struct scene *s, const char *group, const char *says)
{
    char text[512];
    assert_string_equal(s->messages.s ? s->messages.s : "", "");
    assert_int_equal(s->code, 0);
    assert_string_equal(scene_group_says(s, group, text), says);
}

/* m takes half of node-0, a pod without limit half of node-1; w needs a whole node. */
static void halves(struct scene *s, const char *m, int priority)
{
    POD(.name = "m-0", .node = "node-0", .cpu = 2, .started = -900, .group = "m");
    GANG(.name = "m", .running = 1, .priority = priority, .more = m);
    POD(.name = "r0", .node = "node-1", .cpu = 2, .started = -900);
    GANG(.name = "w", .cpu = 4, .priority = 0, .limit = "1h");
}

TEST_WITH(scene, a_movable_group_goes_to_the_other_half)
{
    struct scene *s = scene;
    halves(s, MOVABLE, 0);
    scene_run(s, false);
    expect(s, "w", "unknown moves node-0=1 m:node-1=1");
    scene_run(s, true);
    assert_non_null(
        strstr(s->out.s, "\ndefault/w fits now on node-0 if group m moves to node-1\n"));
    s->moves = false;
    scene_run(s, false);
    expect(s, "w", "unknown");
}

static const struct stay {
    const char *title, *more;
    int priority;
} stays[] = {
    {"that is not movable", BOUND, 0},
    {"that says so", BOUND ",'movable':'false'", 0},
    {"of higher priority", MOVABLE, 1},
    {"that has run for less than ten minutes",
     ",'status':'Bound','schedEndTime':'2026-01-01T11:50:01Z','movable':'true'", 0},
};

TEST_EACH(stay, stays, a_group_stays)
{
    struct scene scene = {0};
    scene_set_up(&scene);
    halves(&scene, stay->more, stay->priority);
    scene_run(&scene, false);
    expect(&scene, "w", "unknown");
    scene_fini(&scene);
}

TEST_WITH(scene, a_budget_keeps_a_group)
{
    struct scene *s = scene;
    halves(s, MOVABLE, 0);
    scene_add(s, "{'apiVersion':'policy/v1','kind':'PodDisruptionBudget','metadata':{'name':'b'},"
                 "'spec':{'selector':{},'minAvailable':2},'status':{'disruptionsAllowed':0,"
                 "'currentHealthy':1,'desiredHealthy':2,'expectedPods':1}}");
    scene_run(s, false);
    expect(s, "w", "unknown");
}

/* A group that can evict moves none; neither does one that is promised soon. */
TEST_WITH(scene, who_starts_without_moves_moves_none)
{
    struct scene *s = scene;
    halves(s, MOVABLE, 0);
    GANG(.name = "v", .cpu = 4, .priority = 5, .limit = "1h");
    scene_run(s, false);
    expect(s, "v", "unknown");
    scene_fini(s);
    scene_init(s);
    s->moves = true;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "m-0", .node = "node-0", .cpu = 2, .started = -900, .group = "m");
    GANG(.name = "m", .running = 1, .more = MOVABLE);
    POD(.name = "r0", .node = "node-1", .cpu = 2, .started = -900, .deadline = 1500);
    GANG(.name = "w", .cpu = 4, .limit = "1h");
    scene_run(s, false);
    expect(s, "w", "reserved 600 node-1=1 because default/r0");
    s->config = "time: {moveAfter: 599s}\n";
    scene_run(s, false);
    expect(s, "w", "reserved 600 node-1=1 because default/r0 moves node-0=1 m:node-1=1");
}

/* Each of m and n makes room for w only if the other one goes, too. */
TEST_WITH(scene, two_groups_go_if_one_is_not_enough)
{
    struct scene *s = scene;
    scene_add_node(s, "node-2", 2, NULL);
    POD(.name = "m-0", .node = "node-0", .cpu = 2, .started = -900, .group = "m");
    GANG(.name = "m", .running = 1, .more = MOVABLE);
    POD(.name = "n-0", .node = "node-0", .cpu = 1, .started = -900, .group = "n");
    GANG(.name = "n", .running = 1, .more = MOVABLE);
    POD(.name = "r0", .node = "node-1", .cpu = 3, .started = -900);
    GANG(.name = "w", .cpu = 4, .limit = "1h");
    scene_run(s, false);
    expect(s, "w", "unknown moves node-0=1 m:node-2=1 n:node-1=1");
    s->config = "time: {movesMost: 1}\n";
    scene_run(s, false);
    expect(s, "w", "unknown");
}

/* The reservation of first on node-1 stands: m may not go there. */
TEST_WITH(scene, reservations_stand)
{
    struct scene *s = scene;
    POD(.name = "m-0", .node = "node-0", .cpu = 2, .started = -900, .group = "m");
    GANG(.name = "m", .running = 1, .more = MOVABLE, .limit = "10h");
    POD(.name = "r0", .node = "node-1", .cpu = 2, .started = -900, .deadline = 1000);
    POD(.name = "r1", .node = "node-0", .cpu = 1, .started = -900);
    GANG(.name = "first", .cpu = 4, .begin = -900, .limit = "1h");
    GANG(.name = "w", .cpu = 3, .begin = -800, .limit = "2h");
    scene_run(s, false);
    expect(s, "first", "reserved 100 node-1=1 because default/r0");
    expect(s, "w", "forecast 3700 because default/first");
}
