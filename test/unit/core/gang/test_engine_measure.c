/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the engine: how long groups waited and how it ended, attempts, topologies, and the room
 * that is left, against counting it in the plainest way on random clusters. */
#include "test/unit/engine_test.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

static struct skr_gang_stats stats_of(const struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats;
}

static uint64_t sum_of(const struct skr_scheduling_times *times)
{
    uint64_t n = 0;
    for (size_t k = 0; k <= SKR_SCHEDULING_BUCKETS; k++) {
        n += times->n[k];
    }
    return n;
}

static void expect_outcomes(const struct rig *rig, uint64_t bound, uint64_t failed)
{
    struct skr_gang_stats stats = stats_of(rig);
    assert_int_equal(sum_of(&stats.scheduling[SKR_OUTCOME_BOUND]), bound);
    assert_int_equal(sum_of(&stats.scheduling[SKR_OUTCOME_FAILED]), failed);
}

/* ---- how long ---- */

static struct rig *waiting_gang(int size)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "group-a", size, 0, PACK_SPREAD);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST_RIG(waiting_gang(8), the_wait_begins_with_the_last_member_and_ends_bound)
{
    rig_pods(rig, "job", 7, "group-a", RIG_GATED);
    rig_run(rig, 100 * SKR_SECOND);
    expect_outcomes(rig, 0, 0);
    rig_pod(rig, "job-7", "group-a", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    expect_outcomes(rig, 1, 0);
    struct skr_gang_stats stats = stats_of(rig);
    const struct skr_scheduling_times *times = &stats.scheduling[SKR_OUTCOME_BOUND];
    assert_true(times->sum >= rig->settings.plan_delay && times->sum < 5 * SKR_SECOND);
    size_t k = 0;
    while (k < SKR_SCHEDULING_BUCKETS && times->sum > SKR_SCHEDULING_FIRST << k) {
        k++;
    }
    assert_int_equal(times->n[k], 1);
    assert_int_equal(stats.attempts[SKR_ATTEMPT_PLANNED], 1);
}

TEST_RIG(waiting_gang(8), a_group_that_comes_apart_before_it_is_bound_failed)
{
    rig_edit(rig, RIG_MAP, "group-a", "{'data':{'size':'40'}}");
    rig_pods(rig, "job", 40, "group-a", RIG_GATED);
    rig_run(rig, 30 * SKR_SECOND);
    assert_true(stats_of(rig).attempts[SKR_ATTEMPT_INFEASIBLE] > 0);
    expect_outcomes(rig, 0, 0);
    rig_delete(rig, RIG_POD, "job-39");
    rig_run(rig, SKR_SECOND);
    expect_outcomes(rig, 0, 1);
    struct skr_gang_stats stats = stats_of(rig);
    assert_true(stats.scheduling[SKR_OUTCOME_FAILED].sum >= 30 * SKR_SECOND);
    rig_pod(rig, "job-39", "group-a", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "group-a", "{'data':{'constraints':'{'}}");
    rig_run(rig, SKR_SECOND);
    expect_outcomes(rig, 0, 2);
}

TEST_RIG(waiting_gang(8), a_plan_that_is_given_up_does_not_end_the_wait)
{
    rig->hold_scheduler = true;
    rig_pods(rig, "job", 8, "group-a", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':true}}");
    rig_edit(rig, RIG_NODE, "node-3", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(stats_of(rig).aborts, 1);
    expect_outcomes(rig, 0, 0);
    rig->hold_scheduler = false;
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':null}}");
    rig_edit(rig, RIG_NODE, "node-3", "{'spec':{'unschedulable':null}}");
    rig_run(rig, 200 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    expect_outcomes(rig, 1, 0);
    assert_true(stats_of(rig).scheduling[SKR_OUTCOME_BOUND].sum >= 2 * SKR_SECOND);
}

TEST_RIG(waiting_gang(40), a_long_wait_is_in_the_last_bucket)
{
    rig_pods(rig, "job", 40, "group-a", RIG_GATED);
    rig_run(rig, 6000 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "job-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(stats_of(rig).scheduling[SKR_OUTCOME_FAILED].n[SKR_SCHEDULING_BUCKETS], 1);
}

TEST_RIG(waiting_gang(8), topologies_are_counted_as_they_come_and_go)
{
    assert_int_equal(stats_of(rig).topology_loads, 1);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{'}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(stats_of(rig).topology_refusals, 1);
    assert_int_equal(stats_of(rig).topology_loads, 1);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'ghost\\':{}}}'}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(stats_of(rig).topology_loads, 2);
    assert_int_equal(stats_of(rig).unknown_nodes, 1);
}

/* ---- how much ---- */

enum { RACKS = 4, NODES = 5, PODS = 30 };

struct room {
    bool open;
    int64_t milli, gib, gpus, pods;
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return next_random(seed) % n;
}

static void make_node(struct rig *rig, uint64_t *seed, int i, struct room *room)
{
    bool cordoned = below(seed, 8) == 0, ready = below(seed, 8) != 0;
    *room = (struct room){.open = !cordoned && ready,
                          .milli = below(seed, 40) * 500,
                          .gib = below(seed, 20),
                          .gpus = below(seed, 3) ? below(seed, 17) : 0,
                          .pods = below(seed, 12)};
    rig_create_json(rig, RIG_NODE, test_text("node-%d", i),
                    "{'metadata':{},'spec':{'unschedulable':%s},'status':{'conditions':[{'type':"
                    "'Ready','status':'%s'}],'allocatable':{'cpu':'%dm','memory':'%dGi',"
                    "'example.com/gpu':'%d','pods':'%d'}}}",
                    cordoned ? "true" : "false", ready ? "True" : "False", (int)room->milli,
                    (int)room->gib, (int)room->gpus, (int)room->pods);
}

/* A pod that runs there already; nodes may be overcommitted. */
static void make_pod(struct rig *rig, uint64_t *seed, int i, struct room *room, int node)
{
    int milli = (int)below(seed, 8) * 250, gib = (int)below(seed, 4), gpus = (int)below(seed, 3);
    rig_create_json(rig, RIG_POD, test_text("load-%d", i),
                    "{'metadata':{},'spec':{'nodeName':'node-%d','containers':[{'name':'main',"
                    "'resources':{'requests':{'cpu':'%dm','memory':'%dGi','example.com/gpu':'%d'}}"
                    "}]},'status':{'phase':'Running'}}",
                    node, milli, gib, gpus);
    room->milli -= milli;
    room->gib -= gib;
    room->gpus -= gpus;
    room->pods--;
}

static int64_t fits(const struct room *room, int resource, int64_t size)
{
    int64_t have = resource == 0 ? room->milli / 1000 : resource == 1 ? room->gib : room->gpus;
    int64_t n = 0;
    while (room->open && (n + 1) * size <= have && n + 1 <= room->pods) {
        n++;
    }
    return n;
}

static void expect_level(const struct skr_slots *slots, const struct room *room, int level,
                         int units)
{
    int per_unit = RACKS * NODES / units;
    for (int r = 0; r < 3; r++) {
        for (int s = 0; s < SKR_SLOT_SIZES; s++) {
            int64_t most = 0;
            for (int u = 0; u < units; u++) {
                int64_t n = 0;
                for (int i = 0; i < per_unit; i++) {
                    n += fits(&room[u * per_unit + i], r, 1 << s);
                }
                most = n > most ? n : most;
            }
            if (slots->most[level][r][s] != most) {
                fail_msg("level %d, resource %d, size %d: %lld, not %lld", level, r, 1 << s,
                         (long long)slots->most[level][r][s], (long long)most);
            }
        }
    }
}

TEST(free_slots_are_what_counting_says_on_random_clusters)
{
    for (uint64_t instance = 1; instance <= 200; instance++) {
        uint64_t seed = instance;
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        struct room room[RACKS * NODES];
        struct skr_slots slots;
        rig->allow_overfull = true;
        rig_racks(rig, RACKS, 0, 0);
        struct skr_strbuf tree;
        skr_strbuf_init(&tree);
        for (int i = 0; i < RACKS * NODES; i++) {
            make_node(rig, &seed, i, &room[i]);
            if (i % NODES == 0) {
                skr_strbuf_addf(&tree, "%s\\'rack-%d\\':{", i ? "}," : "{", i / NODES);
            }
            skr_strbuf_addf(&tree, "%s\\'node-%d\\':{}", i % NODES ? "," : "", i);
        }
        skr_strbuf_add(&tree, "}}");
        rig_edit(rig, RIG_MAP, "topology",
                 "{'data':{'tree':'%s','resource-names':'[\\'cpu\\',\\'memory\\',"
                 "\\'example.com/gpu\\']'}}",
                 tree.s);
        skr_strbuf_fini(&tree);
        for (int i = 0; i < PODS; i++) {
            int node = (int)below(&seed, RACKS * NODES);
            make_pod(rig, &seed, i, &room[node], node);
        }
        rig_sync(rig);
        rig_run(rig, SKR_SECOND);
        struct skr_slot_count count = {0};
        int pieces = 1;
        while (!skr_gang_count_slots(rig->gang, &count, 1 + (int32_t)below(&seed, 9), &slots)) {
            pieces++;
        }
        assert_true(pieces > 1 && !count.unit);
        assert_non_null(slots.tree);
        assert_int_equal(slots.n_resources, 3);
        expect_level(&slots, room, 0, 1);
        expect_level(&slots, room, 1, RACKS);
        expect_level(&slots, room, 2, RACKS * NODES);
        skr_slots_fini(&slots);
    }
}

TEST_RIG(rig_create(), without_a_tree_there_are_no_slots)
{
    struct skr_slots slots;
    rig_sync(rig);
    struct skr_slot_count count = {0};
    assert_true(skr_gang_count_slots(rig->gang, &count, 1, &slots));
    assert_null(slots.tree);
    skr_slots_fini(&slots);
}
