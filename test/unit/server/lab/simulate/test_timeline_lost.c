/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate timeline`: where members on lost nodes go, and which nodes are lost. */
#include "test/test.h"
#include "test/unit/timeline_scene.h"

#define POD(...)  scene_add_pod(s, &(struct scene_pod){__VA_ARGS__})
#define GANG(...) scene_add_group(s, &(struct scene_group){__VA_ARGS__})
#define BOUND     ",'status':'Bound','schedEndTime':'2026-01-01T11:00:00Z'"
#define EARLY     BOUND ",'replace':'early'"
#define WHOLE     BOUND ",'replace':'whole'"

static void scene_set_up(struct scene *s)
{
    scene_init(s);
}

static void scene_tear_down(struct scene *s)
{
    scene_fini(s);
}

static void expect(struct scene *s, const char *group, const char *says)
{
    char text[512];
    scene_run(s, false);
    assert_string_equal(s->messages.s ? s->messages.s : "", "");
    assert_int_equal(s->code, 0);
    assert_string_equal(scene_group_says(s, group, text), says);
}

/* A node that has not been Ready since then, in seconds after noon. taint: a key; NULL: none. */
static void bad_node(struct scene *s, const char *name, int cpu, const char *ready,
                     const char *since, const char *taint)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(&b,
                    "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{"
                    "'kubernetes.io/hostname':'%s'}},'spec':{'taints':[",
                    name, name);
    if (taint) {
        skr_strbuf_addf(&b, "{'key':'%s','effect':'NoExecute'}", taint);
    }
    skr_strbuf_addf(
        &b,
        "]},'status':{'conditions':[{'type':'Ready','status':'%s',"
        "'lastTransitionTime':'2026-01-01T%s'}],'allocatable':{'cpu':'%d','pods':'9'}}}",
        ready, since, cpu);
    scene_add(s, b.s);
}

/* f-0 on node-0, f-1 on the node that may be lost; 2 cores each. */
static void two(struct scene *s, const char *more)
{
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "f-0", .node = "node-0", .cpu = 2, .started = -900, .group = "f");
    POD(.name = "f-1", .node = "node-1", .cpu = 2, .started = -900, .group = "f");
    GANG(.name = "f", .running = 1, .size = 2, .cpu = 2, .more = more);
}

static const struct row {
    const char *title, *ready, *since, *taint, *more, *says;
} rows[] = {
    {"30 s without Ready", "Unknown", "11:59:30Z", NULL, EARLY, "starts 0 node-0=1 f-1:node-0"},
    {"29 s without Ready", "Unknown", "11:59:31Z", NULL, EARLY, ""},
    {"not Ready", "False", "11:00:00Z", NULL, EARLY, "starts 0 node-0=1 f-1:node-0"},
    {"Ready again", "True", "11:00:00Z", NULL, EARLY, ""},
    {"out of service", "True", "11:00:00Z", "node.kubernetes.io/out-of-service", EARLY,
     "starts 0 node-0=1 f-1:node-0"},
    {"another taint", "True", "11:00:00Z", "node.kubernetes.io/unreachable", EARLY, ""},
    {"no key", "False", "11:00:00Z", NULL, BOUND, ""},
};

TEST_EACH(row, rows, a_member_on_a_lost_node_is_replaced)
{
    struct scene scene = {0};
    scene_set_up(&scene);
    bad_node(&scene, "node-1", 4, row->ready, row->since, row->taint);
    two(&scene, row->more);
    expect(&scene, "f", row->says);
    scene_fini(&scene);
}

TEST_WITH(scene, a_node_that_is_deleted_is_lost)
{
    struct scene *s = scene;
    two(s, EARLY);
    expect(s, "f", "starts 0 node-0=1 f-1:node-0");
    scene_run(s, true);
    assert_non_null(strstr(s->out.s, "\nlost nodes: f-1 to node-0 (group default/f)\n"));
    assert_non_null(strstr(s->out.s, "replaces\n"));
    s->config = "time: {failAfter: 1h}\n";
    expect(s, "f", "starts 0 node-0=1 f-1:node-0");
}

TEST_WITH(scene, the_setting_says_when_a_node_is_lost)
{
    struct scene *s = scene;
    bad_node(s, "node-1", 4, "False", "11:30:01Z", NULL);
    two(s, EARLY);
    s->config = "time: {failAfter: 30m}\n";
    expect(s, "f", "");
    s->config = "time: {failAfter: 29m}\n";
    expect(s, "f", "starts 0 node-0=1 f-1:node-0");
}

TEST_WITH(scene, no_member_goes_to_another_lost_node)
{
    struct scene *s = scene;
    bad_node(s, "also", 4, "Unknown", "11:00:00Z", NULL);
    POD(.name = "f-0", .node = "node-1", .cpu = 2, .started = -900, .group = "f");
    GANG(.name = "f", .running = 1, .size = 1, .cpu = 2, .more = WHOLE);
    expect(s, "f", "");
    scene_add_node(s, "node-0", 4, NULL);
    expect(s, "f", "starts 0 node-0=1 f-0:node-0");
}

/* The rest of node-0 is kept for the gang that waits. */
TEST_WITH(scene, reservations_stand)
{
    struct scene *s = scene;
    two(s, EARLY);
    POD(.name = "r0", .node = "node-0", .cpu = 1, .started = -60, .deadline = 160);
    GANG(.name = "w", .cpu = 2, .limit = "1h");
    expect(s, "f", "");
    expect(s, "w", "reserved 100 node-0=1 because default/r0");
}

/* All members want one node: the survivor keeps f-1 on its full node, and the gang fits on node-2. */
TEST_WITH(scene, the_whole_group_goes_if_its_rules_forbid_a_part)
{
    static const char rules[] = "{\"node\":{\"hard\":true}}";
    for (int whole = 0; whole < 2; whole++) {
        struct scene *s = scene;
        scene_fini(s);
        scene_init(s);
        scene_add_node(s, "node-2", 4, NULL);
        scene_add_node(s, "node-0", 4, NULL);
        POD(.name = "r0", .node = "node-0", .cpu = 2, .started = -60);
        POD(.name = "f-0", .node = "node-0", .cpu = 2, .started = -900, .group = "f");
        POD(.name = "f-1", .node = "node-1", .cpu = 2, .started = -900, .group = "f");
        GANG(.name = "f", .running = 1, .size = 2, .cpu = 2, .rules = rules,
             .more = whole ? WHOLE : EARLY);
        expect(s, "f", whole ? "starts 0 node-2=2 f-0:node-2 f-1:node-2" : "");
    }
}

/* Its pods ran on two nodes before the rule came. */
TEST_WITH(scene, the_whole_group_may_keep_nodes_that_are_not_lost)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 3, NULL);
    scene_add_node(s, "node-2", 1, NULL);
    POD(.name = "f-0", .node = "node-0", .started = -900, .group = "f");
    POD(.name = "f-1", .node = "node-1", .started = -900, .group = "f");
    POD(.name = "f-2", .node = "node-2", .started = -900, .group = "f");
    GANG(.name = "f", .running = 1, .size = 3, .rules = "{\"node\":{\"hard\":true}}",
         .more = WHOLE);
    expect(s, "f", "starts 0 node-0=3 f-0:node-0 f-1:node-0 f-2:node-0");
}

/* Without r0 its own room counts, too: the rest of node-0 takes the lost member. */
TEST_WITH(scene, a_part_goes_before_the_whole)
{
    struct scene *s = scene;
    scene_add_node(s, "node-2", 4, NULL);
    two(s, WHOLE);
    expect(s, "f", "starts 0 node-0=1 f-1:node-0");
}

/* ---- spare nodes ---- */

#define SPARE "time: {spare: pool=1}\ntopology:\n  levels:\n  - {name: pool, label: pool}\n"

TEST_WITH(scene, spares_are_the_least_used_then_the_last_and_only_for_replacements)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, "a");
    scene_add_node(s, "node-1", 4, "a");
    scene_add_node(s, "node-2", 4, "a");
    scene_add_node(s, "other", 4, "b");
    POD(.name = "f-0", .node = "node-0", .cpu = 2, .started = -900, .group = "f");
    POD(.name = "f-1", .node = "gone", .cpu = 2, .started = -900, .group = "f");
    GANG(.name = "f", .running = 1, .size = 2, .cpu = 2, .more = EARLY);
    POD(.name = "r", .node = "node-2", .cpu = 2, .started = -900, .deadline = 1000);
    POD(.name = "single");
    GANG(.name = "g", .size = 2, .cpu = 3);
    char text[512];
    s->config = SPARE;
    /* node-1 is empty, so it is the spare of a, and "other" that of b. */
    expect(s, "f", "starts 0 node-0=1 f-1:node-0");
    assert_string_equal(scene_pod_says(s, "single", text), "node-0,node-2");
    assert_string_equal(scene_group_says(s, "g", text), "unknown");
    POD(.name = "more", .node = "node-0", .cpu = 2, .started = -900);
    expect(s, "f", "starts 0 node-1=1 f-1:node-1");
    POD(.name = "less", .node = "node-1", .cpu = 3, .started = -900);
    expect(s, "f", "starts 0 node-2=1 f-1:node-2");
}

TEST_WITH(scene, a_stored_reservation_keeps_a_node_that_is_a_spare)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, "a");
    scene_add_node(s, "node-1", 4, "a");
    POD(.name = "r", .node = "node-0", .cpu = 2, .started = -900, .deadline = 1000);
    POD(.name = "q", .node = "node-1", .cpu = 1, .started = -900, .deadline = 1000);
    GANG(.name = "g", .size = 2, .cpu = 4, .limit = "100s",
         .stored = "{'v':1,'start':'2026-01-01T12:01:40Z','promised':'2026-01-01T12:01:40Z',"
                   "'since':'2026-01-01T11:50:00Z','guess':false,'nodes':{'node-0':1,'node-1':1}}");
    s->config = SPARE;
    expect(s, "g", "reserved 100 node-0=1,node-1=1 because default/q");
}
