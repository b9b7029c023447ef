/* SPDX-License-Identifier: Apache-2.0 */
/* Gangs whose pods carry what Kueue writes: rules of its topology, its gates and its pins. */
#include "test/unit/engine_test.h"

#define LEVELS \
    "[{\\'name\\':\\'zone\\',\\'label\\':\\'z\\'},{\\'name\\':\\'rack\\',\\'label\\':\\'r\\'}]"
#define KUEUE  "kueue.x-k8s.io/"
#define PODSET "kueue.x-k8s.io/podset-"

/* Zones a and b of racks 0 and 1 of two nodes with four cores each: node-0 .. node-7. */
static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        rig_node(rig, name, 4);
        rig_edit(rig, RIG_NODE, name,
                 "{'metadata':{'labels':{'z':'%c','r':'%d','kubernetes.io/hostname':'%s'}}}",
                 i < 4 ? 'a' : 'b', i / 2 % 2, name);
    }
    rig_create_json(rig, RIG_MAP, "topology",
                    "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'levels':'" LEVELS
                    "'}}");
    rig_sync(rig);
    return rig;
}

/* Pods NAME-0 .. of the replicated job of a JobSet; more: of their spec. */
static void pods(struct rig *rig, const char *jobset, const char *job, int n,
                 const char *annotations, const char *more)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%s-%d", jobset, job, i),
                        "{'metadata':{'annotations':{'sakkara.gang':'auto',%s},'labels':{"
                        "'jobset.sigs.k8s.io/jobset-name':'%s',"
                        "'jobset.sigs.k8s.io/replicatedjob-name':'%s',"
                        "'jobset.sigs.k8s.io/job-index':'0',"
                        "'batch.kubernetes.io/job-completion-index':'%d'}},"
                        "'spec':{'schedulerName':'sakkara',%s"
                        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                        annotations, jobset, job, i, more);
    }
}

static void jobset(struct rig *rig, const char *name, int drivers, int workers)
{
    rig_create_json(rig, RIG_JOBSET, name,
                    "{'spec':{'replicatedJobs':["
                    "{'name':'driver','template':{'spec':{'parallelism':%d}}},"
                    "{'name':'worker','template':{'spec':{'parallelism':%d}}}]}}",
                    drivers, workers);
}

/* Nodes 2i and 2i + 1 are one rack. */
static int rack_of(const struct rig *rig, const char *pod)
{
    const char *node = rig_node_of(rig, pod);
    assert_non_null(node);
    return (node[strlen("node-")] - '0') / 2;
}

static int in_rack(const struct rig *rig, const char *prefix, int n, int rack)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        found += rack_of(rig, test_text("%s-%d", prefix, i)) == rack;
    }
    return found;
}

static void group_of(struct rig *rig, const char *name, int n, const char *annotations)
{
    rig_create_json(rig, RIG_JOBSET, name,
                    "{'spec':{'replicatedJobs':[{'name':'w','template':{'spec':{'parallelism':%d}}}"
                    "]}}",
                    n);
    pods(rig, name, "w", n, annotations, "");
}

TEST_RIG(cluster(), a_required_topology_is_one_unit_of_its_level)
{
    group_of(rig, "eight", 8, "'" PODSET "required-topology':'r'");
    group_of(rig, "nine", 9, "'" PODSET "required-topology':'r'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "eight-w", 8);
    assert_int_equal(in_rack(rig, "eight-w", 8, rack_of(rig, "eight-w-0")), 8);
    rig_assert_bound(rig, "nine-w", 0);
}

TEST_RIG(cluster(), a_preferred_topology_is_no_hard_rule)
{
    group_of(rig, "nine", 9, "'" PODSET "preferred-topology':'r'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "nine-w", 9);
}

TEST_RIG(cluster(), slices_are_a_factor_of_their_level)
{
    group_of(rig, "sliced", 10,
             "'" PODSET "slice-required-topology':'r','" PODSET "slice-size':'5'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "sliced-w", 10);
    assert_int_equal(in_rack(rig, "sliced-w", 10, rack_of(rig, "sliced-w-0")), 5);
}

TEST_RIG(cluster(), a_slice_size_that_is_no_number_is_refused_by_its_name)
{
    group_of(rig, "sliced", 4,
             "'" PODSET "slice-required-topology':'r','" PODSET "slice-size':'five'");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "sliced-w", 0);
    assert_true(rig_has_event(rig, PODSET "slice-size"));
}

TEST_RIG(cluster(), a_label_that_no_level_has_is_a_warning)
{
    group_of(rig, "odd", 9, "'" PODSET "required-topology':'example.com/pod'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "odd-w", 9);
    assert_true(rig_has_event(rig, PODSET "required-topology: no level of the topology is made of "
                                          "label example.com/pod; there are z, r"));
}

TEST_RIG(cluster(), our_own_annotations_win)
{
    group_of(rig, "own", 9, "'" PODSET "required-topology':'r','sakkara.group.constraints':'{}'");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "own-w", 9);
}

TEST_RIG(cluster(), pod_sets_of_one_workload_have_rules_of_their_own)
{
    jobset(rig, "js", 4, 8);
    pods(rig, "js", "driver", 4, "'a':'b'", "");
    pods(rig, "js", "worker", 8, "'" PODSET "required-topology':'r'", "");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js-driver", 4);
    rig_assert_bound(rig, "js-worker", 8);
    const int rack = rack_of(rig, "js-worker-0");
    assert_int_equal(in_rack(rig, "js-worker", 8, rack), 8);
    assert_int_equal(in_rack(rig, "js-driver", 4, rack), 0);
}

TEST_RIG(cluster(), pod_sets_that_ask_for_the_same_do_so_each_for_itself)
{
    jobset(rig, "js", 4, 8);
    pods(rig, "js", "driver", 4, "'" PODSET "required-topology':'r'", "");
    pods(rig, "js", "worker", 8, "'" PODSET "required-topology':'r'", "");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js-driver", 4);
    rig_assert_bound(rig, "js-worker", 8);
}

TEST_RIG(cluster(), pod_sets_of_one_name_stay_together)
{
    static const char asked[] =
        "'" PODSET "required-topology':'r','" PODSET "group-name':'together'";
    jobset(rig, "js", 1, 7);
    pods(rig, "js", "driver", 1, asked, "");
    pods(rig, "js", "worker", 7, asked, "");
    jobset(rig, "large", 2, 7);
    pods(rig, "large", "driver", 2, asked, "");
    pods(rig, "large", "worker", 7, asked, "");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js-worker", 7);
    assert_int_equal(in_rack(rig, "js-worker", 7, rack_of(rig, "js-driver-0")), 7);
    rig_assert_bound(rig, "large-worker", 0);
}

TEST_RIG(cluster(), kueue_places_what_it_pins)
{
    static const char asked[] = "'" KUEUE "workload':'w','" PODSET "required-topology':'r'";
    jobset(rig, "js", 1, 1);
    pods(rig, "js", "driver", 1, asked, "'nodeSelector':{'kubernetes.io/hostname':'node-0'},");
    pods(rig, "js", "worker", 1, asked, "'nodeSelector':{'kubernetes.io/hostname':'node-7'},");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "js-driver", 1);
    assert_string_equal(rig_node_of(rig, "js-worker-0"), "node-7");
}

TEST_RIG(cluster(), a_gate_of_kueue_is_waited_for)
{
    jobset(rig, "js", 1, 1);
    pods(rig, "js", "driver", 1, "'a':'b'", "");
    pods(rig, "js", "worker", 1, "'a':'b'", "'schedulingGates':[{'name':'" KUEUE "admission'}],");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/jobset/js"), "Pending");
    assert_true(rig_has_event(rig, "such as " KUEUE "admission on pod js-worker-0"));
    rig_edit(rig, RIG_POD, "js-worker-0", "{'spec':{'schedulingGates':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/jobset/js"), "Bound");
}

TEST_RIG(cluster(), an_annotation_that_changes_while_pods_wait_is_read_again)
{
    jobset(rig, "js", 0, 2);
    pods(rig, "js", "worker", 1,
         "'kueue.x-k8s.io/podset-slice-size':'x',"
         "'kueue.x-k8s.io/podset-slice-required-topology':'r'",
         "");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/jobset/js"), "Invalid");
    rig_edit(rig, RIG_POD, "js-worker-0",
             "{'metadata':{'annotations':{'kueue.x-k8s.io/podset-slice-size':'2'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "default/jobset/js"), "Pending");
}
