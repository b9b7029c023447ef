/* SPDX-License-Identifier: Apache-2.0 */
/* Gangs whose members are not equal: roles by shape, by name and by key; sets; given nodes. */
#include "test/unit/engine_test.h"
#include "test/unit/role_scene.h"

/* racks of nodes; every node has cpu, gpus: one digit a node. */
static void racks_of(struct rig *rig, int racks, int nodes, int cpu, const char *gpus)
{
    rig_racks(rig, racks, nodes, cpu);
    for (int i = 0; gpus[i]; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        if (gpus[i] != '0') {
            rig_edit(rig, RIG_NODE, name, "{'status':{'allocatable':{'nvidia.com/gpu':'%c'}}}",
                     gpus[i]);
        }
    }
}

TEST_RIG(rig_create(), a_cpu_launcher_and_gpu_workers_are_placed_without_any_key)
{
    racks_of(rig, 2, 2, 8, "0220");
    rig_group(rig, "g", 5, 0, NULL);
    rig_sync(rig);
    role_members(rig, "worker", 4, NULL, 1, 1);
    role_member(rig, "launcher", NULL, 7, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "worker", 4);
    assert_string_not_equal(rig_node_of(rig, "launcher"), "");
    role_expect_rank(rig, "launcher", "0");
    role_expect_rank(rig, "worker-0", "1");
    role_expect_rank(rig, "worker-3", "4");
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), a_head_without_the_selector_of_its_workers_goes_elsewhere)
{
    rig_racks(rig, 1, 3, 2);
    rig_edit(rig, RIG_NODE, "node-2", "{'metadata':{'labels':{'pool':'gpu'}}}");
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    role_members(rig, "head", 2, NULL, 1, 0);
    role_members(rig, "worker", 2, NULL, 1, 0);
    rig_edit(rig, RIG_POD, "worker-0", "{'spec':{'nodeSelector':{'pool':'gpu'}}}");
    rig_edit(rig, RIG_POD, "worker-1", "{'spec':{'nodeSelector':{'pool':'gpu'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "head", 2);
    rig_assert_bound(rig, "worker", 2);
    assert_string_equal(rig_node_of(rig, "worker-1"), "node-2");
}

TEST_RIG(rig_create(), named_roles_are_told_by_label_and_rank)
{
    rig_racks(rig, 2, 2, 4);
    rig_group(rig, "g", 3, 0, NULL);
    rig_sync(rig);
    role_members(rig, "a", 2, "worker", 1, 0);
    role_member(rig, "z", "leader", 2, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "a", 2);
    role_expect_rank(rig, "z", "0");
    role_expect_rank(rig, "a-0", "1");
    assert_string_equal(rig_label(rig, "z", "sakkara.member.role"), "leader");
    assert_string_equal(rig_label(rig, "a-1", "sakkara.member.role"), "worker");
}

/* Nodes with the label that pins select; then the daemon has all. */
static void name_hosts(struct rig *rig, int n)
{
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(rig, RIG_NODE, name, "{'metadata':{'labels':{'kubernetes.io/hostname':'%s'}}}",
                 name);
    }
    rig_sync(rig);
}

static void pin(struct rig *rig, const char *pod, const char *node)
{
    rig_edit(rig, RIG_POD, pod, "{'spec':{'nodeSelector':{'kubernetes.io/hostname':'%s'}}}", node);
}

TEST_RIG(rig_create(), pinned_members_stay_and_the_others_are_placed_around_them)
{
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "g", 3, 0, "{'rack':{'type':'pack','hard':true}}");
    name_hosts(rig, 4);
    role_members(rig, "p", 3, NULL, 1, 0);
    pin(rig, "p-0", "node-3");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-3");
    role_expect_rank(rig, "p-0", "0");
}

TEST_RIG(rig_create(), a_group_pinned_as_a_whole_is_bound_as_one)
{
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "g", 3, 0, NULL);
    name_hosts(rig, 4);
    rig_pod(rig, "other", NULL, RIG_BIG);
    rig_run(rig, 2 * SKR_SECOND);
    role_members(rig, "p", 3, NULL, 1, 0);
    char full[64];
    snprintf(full, sizeof full, "%s", rig_node_of(rig, "other"));
    pin(rig, "p-0", "node-3");
    pin(rig, "p-1", "node-1");
    pin(rig, "p-2", full);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "PinnedNodeFull");
    assert_non_null(strstr(rig_key(rig, "g", "message"), full));
    assert_non_null(strstr(rig_key(rig, "g", "message"), "other"));
    rig_remove(rig, "other");
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_node_of(rig, "p-1"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-2"), full);
}

TEST_RIG(rig_create(), a_pin_that_leads_nowhere_is_named)
{
    static const struct {
        const char *node, *text; /* node: how node-1 is, NULL: there is none */
    } row[] = {
        {NULL, "must run on node node-7, which does not exist"},
        {"{'spec':{'unschedulable':true}}", "node-1, which is closed to it (cordoned)"},
        {"{'spec':{'unschedulable':false,'taints':[{'key':'t','effect':'NoSchedule'}]}}",
         "node-1, which is closed to it (t:NoSchedule)"},
    };
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "g", 2, 0, NULL);
    name_hosts(rig, 4);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (row[i].node) {
            rig_edit(rig, RIG_NODE, "node-1", "%s", row[i].node);
        }
        role_members(rig, "p", 2, NULL, 1, 0);
        pin(rig, "p-0", row[i].node ? "node-1" : "node-7");
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "reason"), "PinnedNodeFull");
        assert_non_null(strstr(rig_key(rig, "g", "message"), row[i].text));
        rig_remove(rig, "p-0");
        rig_remove(rig, "p-1");
        rig_run(rig, SKR_SECOND);
    }
}

TEST_RIG(rig_create(), a_gang_of_two_roles_pushes_out_as_few_groups_as_it_needs)
{
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "low", 2, 1, NULL);
    rig_group(rig, "mid", 2, 2, NULL);
    rig_group(rig, "g", 3, 5, NULL);
    rig_sync(rig);
    rig_pods(rig, "low", 2, "low", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    rig_pods(rig, "mid", 2, "mid", RIG_GATED | RIG_BIG);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "mid", 2);
    role_members(rig, "w", 2, "worker", 1, 0);
    role_member(rig, "l", "leader", 2, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "low", "status"), "Preempted");
    assert_string_equal(rig_key(rig, "mid", "status"), "Bound");
    rig_assert_bound(rig, "w", 2);
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), members_of_several_roles_are_pushed_out_as_one_group)
{
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "g", 3, 1, NULL);
    rig_group(rig, "high", 2, 5, NULL);
    rig_sync(rig);
    role_members(rig, "w", 2, "worker", 1, 0);
    role_member(rig, "l", "leader", 2, 0);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "w", 2);
    rig_pods(rig, "h", 2, "high", RIG_GATED | RIG_BIG);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Preempted");
    rig_assert_bound(rig, "h", 2);
}

/* ---- key roles ---- */

TEST_RIG(rig_create(), key_roles_counts_members_by_role_and_names_who_is_missing)
{
    rig_racks(rig, 2, 2, 4);
    role_map(rig, "{'leader':{'size':1},'worker':{'size':3}}", "{}");
    rig_sync(rig);
    role_members(rig, "w", 3, "worker", 1, 0);
    role_member(rig, "x", "wrker", 1, 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "RoleUnknown");
    rig_remove(rig, "x");
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "group g: 0 of 1 leader pods, 3 of 3 "
                                                         "worker pods"));
    role_member(rig, "l", "leader", 2, 0);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "w", 3);
    role_expect_rank(rig, "l", "0");
    role_expect_rank(rig, "w-2", "3");
    rig_remove(rig, "w-1");
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g: 1 of 1 leader pods bound, 2 of 3 worker pods bound");
}

TEST_RIG(rig_create(), sets_lie_in_one_rack_each_and_a_lost_worker_returns_to_its_set)
{
    rig_racks(rig, 3, 2, 2);
    role_gang(rig, 2, 4, (const int[]){1, 1},
              "{'sets':[{'level':'rack','roles':{'leader':1,'worker':2},'exclusive':true}]}");
    role_expect_rank(rig, "l-0", "0");
    role_expect_rank(rig, "w-0", "1");
    role_expect_rank(rig, "w-1", "2");
    role_expect_rank(rig, "l-1", "3");
    role_expect_rank(rig, "w-3", "5");
    rig_remove(rig, "w-3");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "w-9", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "w-9", "5");
    rig_assert_clean(rig);
}

/* One role in sets: a member of each set is lost, and the newcomer says that it is of the second. */
TEST_RIG(rig_create(), a_lost_member_of_the_only_role_returns_to_its_set)
{
    rig_racks(rig, 3, 2, 2);
    role_map(rig, "{'worker':{'size':4}}",
             "{'sets':[{'level':'rack','roles':{'worker':2},'exclusive':true}]}");
    rig_sync(rig);
    role_members(rig, "w", 4, "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "w", 4);
    rig_remove(rig, "w-1");
    rig_remove(rig, "w-2");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "w-9", "worker','sakkara.group.set':'1", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "w-9", "2");
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    rig_assert_clean(rig);
}

/* Raised by two sets: members of a set that is not whole wait, and no set has a part of another. */
TEST_RIG(rig_create(), sizes_of_sets_are_raised_by_whole_sets)
{
    rig_racks(rig, 3, 2, 2);
    role_leader_and(rig, 2, role_set_of_three);
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\"}");
    role_edit_map(rig, "{'leader':{'size':3},'worker':{'size':6}}");
    role_member(rig, "w-2", "worker", 1, 0);
    role_member(rig, "w-3", "worker", 1, 0);
    role_member(rig, "w-4", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-2"), ""); /* its set has no leader */
    role_member(rig, "l-1", "leader", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "l-1", "3");
    role_expect_rank(rig, "w-2", "4");
    role_expect_rank(rig, "w-3", "5");
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    assert_string_equal(rig_node_of(rig, "w-4"), "");
    role_member(rig, "l-2", "leader", 1, 0);
    role_member(rig, "w-5", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "l-2", "6");
    role_expect_rank(rig, "w-5", "8");
    assert_string_equal(rig_key(rig, "g", "sets"),
                        "{\"0\":\"rack-0\",\"1\":\"rack-1\",\"2\":\"rack-2\"}");
    rig_assert_clean(rig);
}

/* ---- beyond the size ---- */

static void top(struct rig *rig, int n)
{
    rig_group(rig, "top", n, 9, NULL);
    rig_pods(rig, "top", n, "top", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND);
}

/* Two workers are too many and a leader is missing: of the workers two may go, the leader stays. */
TEST_RIG(rig_create(), members_beyond_the_size_of_their_role_go_alone)
{
    rig_racks(rig, 1, 1, 6);
    role_leader_and(rig, 5, "{}");
    role_edit_map(rig, "{'leader':{'size':3},'worker':{'size':3}}");
    top(rig, 2);
    rig_assert_bound(rig, "top", 2);
    rig_assert_bound(rig, "w", 3); /* w-0 to w-2 */
    rig_assert_bound(rig, "l", 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 2);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

/* The daemon was away when role extra went from the map: x-0 does not make the leader superfluous. */
TEST_RIG(rig_create(), members_of_an_earlier_generation_go_as_a_whole)
{
    rig_racks(rig, 1, 1, 5);
    role_map(rig, "{'extra':{'size':1},'leader':{'size':1},'worker':{'size':3}}", "{}");
    rig_sync(rig);
    role_member(rig, "x-0", "extra", 1, 0);
    role_member(rig, "l-0", "leader", 1, 0);
    role_members(rig, "w", 3, "worker", 1, 0);
    rig_run(rig, 3 * SKR_SECOND);
    role_expect_rank(rig, "l-0", "1");
    role_edit_map(rig, "{'leader':{'size':1},'worker':{'size':2}}");
    rig_restart(rig);
    rig_run(rig, 3 * SKR_SECOND);
    top(rig, 1);
    rig_assert_bound(rig, "top", 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 5);
}

/* One set is too many. No member of a set goes without the others: the group goes as a whole. */
TEST_RIG(rig_create(), half_a_set_is_never_pushed_out)
{
    rig_racks(rig, 1, 1, 6);
    role_gang(rig, 2, 4, (const int[]){1, 1}, role_set_of_three);
    role_edit_map(rig, "{'leader':{'size':1},'worker':{'size':2}}");
    top(rig, 1);
    rig_assert_bound(rig, "top", 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 6);
}

/* ---- killed and started again ---- */

static void restart_later(struct rig *rig)
{
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
}

TEST_RIG(rig_create(), placement_names_roles_and_key_sets_the_units)
{
    rig_racks(rig, 2, 2, 2);
    role_gang(rig, 2, 2, (const int[]){1, 1},
              "{'sets':[{'level':'rack','roles':{'leader':1,'worker':1},'exclusive':true}]}");
    assert_string_equal(rig_key(rig, "g", "placement"),
                        "{\"root\":{\"rack-0\":{\"node-0\":{\"l-0\":{\"role\":\"leader\"},"
                        "\"w-0\":{\"role\":\"worker\"}}},\"rack-1\":{\"node-2\":{\"l-1\":"
                        "{\"role\":\"leader\"},\"w-1\":{\"role\":\"worker\"}}}}}");
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    restart_later(rig);
    rig_remove(rig, "l-1");
    rig_remove(rig, "w-0");
    restart_later(rig);
    role_member(rig, "l-9", "leader", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_member(rig, "w-9", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "l-9", "2");
    role_expect_rank(rig, "w-9", "1");
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    rig_assert_clean(rig);
}

/* Without a key: the roles of lost members are known from their pods, from the object after a restart, and
 * from shapes alone. */
TEST(a_lost_leader_and_a_lost_worker_are_replaced_as_what_they_were)
{
    static const struct {
        bool away;             /* the daemon, while they are lost */
        const char *roles[2];  /* of the leader, and of workers */
        int workers, cpu, gpu; /* cpu: of the leader; gpu: of a worker */
        const char *node_gpus, *lost, *rank;
    } row[] = {
        {false, {"leader", "worker"}, 2, 2, 0, "", "w-1", "2"},
        {true, {"leader", "worker"}, 3, 2, 0, "", "w-1", "2"},
        {true, {NULL, NULL}, 4, 7, 1, "0220", "w-2", "3"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SKR_AUTO(rig_destroy) struct rig *racks = rig_create();
        char was[64];
        racks_of(racks, 2, 2, row[i].gpu ? 8 : 4, row[i].node_gpus);
        rig_group(racks, "g", row[i].workers + 1, 0, NULL);
        rig_sync(racks);
        role_members(racks, "w", row[i].workers, row[i].roles[1], 1, row[i].gpu);
        role_member(racks, "z", row[i].roles[0], row[i].cpu, 0);
        rig_run(racks, 5 * SKR_SECOND);
        role_expect_rank(racks, "z", "0");
        role_expect_rank(racks, row[i].lost, row[i].rank);
        snprintf(was, sizeof was, "%s", rig_node_of(racks, "z"));
        rig_remove(racks, "z");
        rig_remove(racks, row[i].lost);
        if (row[i].away) {
            restart_later(racks);
        }
        rig_run(racks, SKR_SECOND);
        role_member(racks, "w-9", row[i].roles[1], 1, row[i].gpu);
        rig_run(racks, 5 * SKR_SECOND);
        role_expect_rank(racks, "w-9", row[i].rank);
        role_member(racks, "z-9", row[i].roles[0], row[i].cpu, 0);
        rig_run(racks, 5 * SKR_SECOND);
        role_expect_rank(racks, "z-9", "0");
        assert_string_equal(rig_node_of(racks, "z-9"), was);
        rig_assert_clean(racks);
    }
}

/* A leader of 2 cpu and workers w-0 to w-2. The daemon is killed after write k. roles: key roles, or NULL. */
static struct rig *killed_after(size_t k, const char *roles, const char *leader, const char *role)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 2);
    if (roles) {
        role_map(rig, roles, "{}");
    } else {
        rig_group(rig, "g", 4, 0, NULL);
    }
    rig_sync(rig);
    rig->crash_at = rig->n_applied + k;
    role_member(rig, leader, role, 2, 0);
    role_members(rig, "w", 3, role ? "worker" : NULL, 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

static void run_on(struct rig *rig, skr_time for_)
{
    if (rig->crashed) {
        rig_restart(rig);
    }
    rig_run(rig, for_);
}

/* Afterwards everything is bound. A gang that had not begun is dealt anew: a new worker is the last then,
 * otherwise it has the rank of w-1. */
static void expect_bound(struct rig *rig, const char *leader, const char *worker)
{
    rig_run(rig, 60 * SKR_SECOND);
    run_on(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    role_expect_rank(rig, leader, "0");
    const bool anew = strcmp(rig_label(rig, "w-2", "sakkara.member.rank"), "2") == 0;
    role_expect_rank(rig, worker, anew ? "3" : "2");
    rig_assert_clean(rig);
    rig_destroy(rig);
}

/* A member goes with the daemon. */
static void lost_with_the_daemon(size_t k, bool leader)
{
    struct rig *rig = killed_after(k, "{'leader':{'size':1},'worker':{'size':3}}", "l-0", "leader");
    const char *plan = rig_annotation(rig, RIG_MAP, "g", "sakkara.plan");
    if (*plan) {
        assert_non_null(strstr(plan,
                               "\"roles\":{\"node-0\":{\"worker\":2},\"node-1\":{\"leader\":1},"
                               "\"node-2\":{\"worker\":1}},\"members\""));
    }
    rig_remove(rig, leader ? "l-0" : "w-1");
    run_on(rig, SKR_SECOND);
    role_member(rig, leader ? "l-5" : "w-5", leader ? "leader" : "worker", leader ? 2 : 1, 0);
    expect_bound(rig, leader ? "l-5" : "l-0", leader ? "w-1" : "w-5");
}

/* The only leader and a worker go when the plan is past return, and the daemon with them, before the key
 * placement is written: the plan's text has the role. The worker is replaced first. */
static void lost_while_binding(size_t k, const char *leader, const char *role)
{
    struct rig *rig = killed_after(k, NULL, leader, role);
    rig_remove(rig, leader);
    rig_remove(rig, "w-1");
    run_on(rig, 30 * SKR_SECOND);
    role_member(rig, "w-8", role ? "worker" : NULL, 1, 0);
    rig_run(rig, 30 * SKR_SECOND);
    role_member(rig, "z", role, 2, 0);
    expect_bound(rig, "z", "w-8");
}

TEST(a_kill_after_any_write_and_lost_members_leave_every_rank_with_its_role)
{
    for (size_t k = 1; k <= 24; k++) {
        lost_with_the_daemon(k, true);
        lost_with_the_daemon(k, false);
        lost_while_binding(k, "l", "leader");
        lost_while_binding(k, "launcher", NULL);
    }
}
