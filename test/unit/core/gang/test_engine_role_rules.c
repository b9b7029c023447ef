/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about other pods in groups of a leader and workers: they count the roles that they select. */
#include "core/gang/cache/pods.h"
#include "test/unit/engine_test.h"

#define SELECT(app) "'labelSelector':{'matchLabels':{'app':'" app "'}}"
#define TERM(key, app)                                                        \
    "{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'" key \
    "'," SELECT(app) "}"                                                      \
                     "]}"
#define SPREAD(key, app)                                            \
    "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'" key \
    "','whenUnsatisfiable':'DoNotSchedule'," SELECT(app) "}],"
#define APART(key, app)    "'affinity':{'podAntiAffinity':" TERM(key, app) "},"
#define TOGETHER(key, app) "'affinity':{'podAffinity':" TERM(key, app) "},"

/* Racks of so many nodes; node-i has label zone z-(i mod zones), which crosses the racks. */
static struct rig *racks_of(int racks, int nodes, int zones, int cpu)
{
    struct rig *rig = rig_create();
    rig_racks(rig, racks, nodes, cpu);
    for (int i = 0; i < racks * nodes; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i), "{'metadata':{'labels':{'zone':'z-%d'}}}",
                 i % zones);
    }
    rig_sync(rig);
    return rig;
}

static struct rig *zones_of(int zones, int cpu)
{
    return racks_of(2, 4, zones, cpu);
}

static void member(struct rig *rig, const char *name, const char *role, const char *spec)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'annotations':{'sakkara.group.role':'%s'},'labels':{'app':'%s',"
                    "'job':'g','sakkara.group.name':'g'}},'spec':{%s'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
                    role, role, spec);
}

static void add_workers(struct rig *rig, int n, const char *rule)
{
    for (int i = 0; i < n; i++) {
        member(rig, test_text("w-%d", i), "worker", rule);
    }
}

static void create(struct rig *rig, int workers, const char *of_leader, const char *of_workers)
{
    rig_group(rig, "g", workers + 1, 0, NULL);
    member(rig, "leader-0", "leader", of_leader);
    add_workers(rig, workers, of_workers);
    rig_run(rig, 10 * SKR_SECOND);
}

static int node_number(struct rig *rig, const char *pod)
{
    const char *node = rig_node_of(rig, pod);
    if (strncmp(node, "node-", 5) != 0) {
        rig_fail(rig, "%s is on no node: %s", pod, rig_key(rig, "g", "message"));
    }
    return (int)strtol(node + 5, NULL, 10);
}

/* Workers by zone. */
static void count_zones(struct rig *rig, int workers, int zones, int *ret)
{
    memset(ret, 0, (size_t)zones * sizeof *ret);
    for (int i = 0; i < workers; i++) {
        ret[node_number(rig, test_text("w-%d", i)) % zones]++;
    }
}

TEST_RIG(zones_of(3, 8), workers_are_spread_over_zones_and_the_leader_does_not_count)
{
    int zone[3];
    create(rig, 6, "", SPREAD("zone", "worker"));
    rig_assert_bound(rig, "leader", 1);
    count_zones(rig, 6, 3, zone);
    assert_int_equal(zone[0], 2);
    assert_int_equal(zone[1], 2);
    assert_int_equal(zone[2], 2);
    rig_assert_clean(rig);
}

TEST_RIG(zones_of(3, 8), a_lost_worker_is_replaced_in_the_zone_that_has_too_few)
{
    int zone[3];
    create(rig, 6, "", SPREAD("zone", "worker"));
    int was = node_number(rig, "w-5") % 3;
    rig_remove(rig, "w-5");
    rig_run(rig, SKR_SECOND);
    member(rig, "w-5", "worker", SPREAD("zone", "worker"));
    rig_run(rig, 10 * SKR_SECOND);
    count_zones(rig, 6, 3, zone);
    assert_int_equal(node_number(rig, "w-5") % 3, was);
    assert_int_equal(zone[0], 2);
    assert_int_equal(zone[1], 2);
}

TEST_RIG(zones_of(4, 8), workers_exclude_each_other_over_a_label_beside_the_levels)
{
    int zone[4];
    create(rig, 4, "", APART("zone", "worker"));
    rig_assert_bound(rig, "leader", 1);
    count_zones(rig, 4, 4, zone);
    for (int z = 0; z < 4; z++) {
        assert_int_equal(zone[z], 1);
    }
}

/* The leader excludes workers, which do not exclude each other. */
TEST_RIG(zones_of(8, 8), workers_share_the_nodes_that_their_leader_does_not_use)
{
    create(rig, 6, APART("zone", "worker"), "");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(node_number(rig, test_text("w-%d", i)), node_number(rig, "w-0"));
    }
    assert_int_not_equal(node_number(rig, "leader-0"), node_number(rig, "w-0"));
    rig_assert_clean(rig);
}

/* All workers are in the zone without the leader. */
static void assert_apart(struct rig *rig)
{
    int zone[2];
    count_zones(rig, 6, 2, zone);
    assert_int_equal(zone[node_number(rig, "leader-0") % 2], 0);
    rig_assert_clean(rig);
}

/* Also a worker that comes back, though the leader has no rule to be placed by any more. */
TEST_RIG(zones_of(2, 8), a_leader_that_excludes_its_workers_has_a_zone_beside_the_levels_alone)
{
    create(rig, 6, APART("zone", "worker"), "");
    assert_apart(rig);
    rig_remove(rig, "w-5");
    rig_run(rig, SKR_SECOND);
    member(rig, "w-5", "worker", "");
    rig_run(rig, 10 * SKR_SECOND);
    assert_apart(rig);
}

/* Its old node is closed: it waits, for the other zone is the leader's. */
TEST_RIG(zones_of(2, 8), a_worker_that_lost_its_node_does_not_come_beside_a_leader_that_excludes_it)
{
    create(rig, 6, APART("zone", "worker"), "");
    const int zone = node_number(rig, "w-0") % 2;
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        if (i % 2 == zone) {
            rig_edit(rig, RIG_NODE, name, "{'spec':{'unschedulable':true}}");
        }
    }
    rig_remove(rig, "w-5");
    rig_run(rig, SKR_SECOND);
    member(rig, "w-5", "worker", "");
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-5"), "");
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':null}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':null}}");
    rig_run(rig, 30 * SKR_SECOND);
    assert_apart(rig);
}

/* The leader's node is given by its nodeSelector. */
TEST_RIG(zones_of(2, 8), a_leader_that_is_pinned_keeps_its_zone_from_the_workers_that_it_excludes)
{
    for (int i = 0; i < 8; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 "{'metadata':{'labels':{'kubernetes.io/hostname':'node-%d'}}}", i);
    }
    create(rig, 6, "'nodeSelector':{'kubernetes.io/hostname':'node-1'}," APART("zone", "worker"),
           "");
    assert_int_equal(node_number(rig, "leader-0"), 1);
    assert_apart(rig);
}

/* Leader and workers are selected. Workers do not exclude each other: two zones are enough. */
TEST_RIG(zones_of(2, 8), a_leader_that_excludes_the_whole_job_leaves_a_zone_to_all_workers)
{
    create(rig, 6,
           "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
           "'topologyKey':'zone','labelSelector':{'matchLabels':{'job':'g'}}}]}},",
           "");
    assert_apart(rig);
}

/* As the subgroups of a LeaderWorkerSet with subgroup-exclusive-topology. */
static void create_subgroups(struct rig *rig, int n, int each)
{
    static const char rule[] = "'affinity':{'podAffinity':" TERM(
        "zone", "%s") ",'podAntiAffinity':"
                      "{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'zone','"
                      "labelSelector':"
                      "{'matchExpressions':[{'key':'app','operator':'Exists'},"
                      "{'key':'app','operator':'NotIn','values':['%s']}]}}]}},";
    rig_group(rig, "g", n * each, 0, NULL);
    for (int i = 0; i < n * each; i++) {
        char name[32], role[2] = {(char)('a' + i % n), '\0'}, spec[sizeof rule];
        snprintf(name, sizeof name, "w-%d", i);
        snprintf(spec, sizeof spec, rule, role, role);
        member(rig, name, role, spec);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "w", n * each);
    for (int i = n; i < n * each; i++) {
        char name[32], first[32];
        snprintf(name, sizeof name, "w-%d", i);
        snprintf(first, sizeof first, "w-%d", i % n);
        assert_int_equal(node_number(rig, name) % n, node_number(rig, first) % n);
    }
    rig_assert_clean(rig);
}

/* Each fills a zone. */
TEST_RIG(zones_of(4, 2), subgroups_that_exclude_each_other_get_a_zone_each)
{
    create_subgroups(rig, 4, 4);
}

/* There are 8! ways that differ in nothing, and twice the room. */
TEST_RIG(racks_of(4, 10, 8, 4), each_of_eight_subgroups_gets_a_zone_of_its_own)
{
    create_subgroups(rig, 8, 10);
}

TEST_RIG(zones_of(2, 8), too_few_domains_for_workers_are_named_with_the_role)
{
    create(rig, 3, "", APART("zone", "worker"));
    assert_string_equal(rig_node_of(rig, "w-0"), "");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g is not placed: its pods exclude each other (podAntiAffinity on "
                        "zone, role worker): 4 pods, which do not all fit so");
}

TEST_RIG(zones_of(2, 2), workers_that_want_to_be_together_are_in_one_zone)
{
    int zone[2];
    create(rig, 6, "", TOGETHER("zone", "worker"));
    rig_assert_bound(rig, "leader", 1);
    count_zones(rig, 6, 2, zone);
    assert_int_equal(zone[0] * zone[1], 0);
}

TEST_RIG(zones_of(2, 2), workers_that_follow_their_leader_are_in_its_zone)
{
    int zone[2];
    create(rig, 6, "", TOGETHER("zone", "leader"));
    count_zones(rig, 6, 2, zone);
    assert_int_equal(zone[node_number(rig, "leader-0") % 2], 6);
}

TEST_RIG(zones_of(3, 8), a_rule_that_both_roles_have_counts_all)
{
    int zone[3];
    rig_group(rig, "g", 6, 0, NULL);
    member(rig, "leader-0", "leader", SPREAD("zone", "leader"));
    for (int i = 0; i < 5; i++) {
        rig_create_json(
            rig, RIG_POD, test_text("w-%d", i),
            "{'metadata':{'annotations':{'sakkara.group.role':'worker'},'labels':{'app':'leader',"
            "'sakkara.group.name':'g'}},'spec':{" SPREAD(
                "zone",
                "leader") "'schedulerName':"
                          "'sakkara','schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'"
                          "name':'c',"
                          "'resources':{'requests':{'cpu':'2'}}}]},'status':{'phase':'Pending'}}");
    }
    rig_run(rig, 10 * SKR_SECOND);
    count_zones(rig, 5, 3, zone);
    zone[node_number(rig, "leader-0") % 3]++;
    assert_int_equal(zone[0], 2);
    assert_int_equal(zone[1], 2);
}

/* The turn of the leader and the number of workers by turn, while the plan is bound. */
static int turns_of(struct rig *rig, int workers, const char *rule, int *ret, int turns)
{
    rig_group(rig, "g", workers + 1, 0, NULL);
    add_workers(rig, workers, rule);
    member(rig, "leader-0", "leader", "");
    rig->hold_scheduler = true; /* the plan stands */
    rig_run(rig, SKR_SECOND);
    const struct pod_entry *leader = skr_pods_find_name(rig->gang, "default", "leader-0");
    assert_true(leader && leader->plan);
    for (int i = 0; i < workers; i++) {
        int32_t turn = skr_pods_find_name(rig->gang, "default", test_text("w-%d", i))->place.turn;
        assert_true(turn < turns);
        ret[turn]++;
    }
    return leader->place.turn;
}

TEST_RIG(zones_of(3, 8), turns_count_the_workers_only)
{
    int n[2] = {0};
    assert_int_equal(turns_of(rig, 6, SPREAD("zone", "worker"), n, 2), 0);
    assert_int_equal(n[0], 3);
    assert_int_equal(n[1], 3);
}

TEST_RIG(zones_of(2, 2), workers_come_after_the_leader_that_they_follow)
{
    int n[2] = {0};
    assert_int_equal(turns_of(rig, 4, TOGETHER("zone", "leader"), n, 2), 0);
    assert_int_equal(n[1], 4);
}
