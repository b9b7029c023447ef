/* SPDX-License-Identifier: Apache-2.0 */
/* What kube-scheduler counts and the daemon does not, such as devices: a refusal teaches how many members a
 * node takes. */
#include <utlist.h>

#include "core/gang/cache/vetoes.h"
#include "core/gang/group/group_table.h"
#include "test/unit/engine_test.h"

enum { NODES_MAX = 8 };
static int devices[NODES_MAX]; /* of node-0 ... */
static bool counts_nominated;  /* as kube-scheduler does for volumes, not for devices */
static bool
    lets_go_late; /* kube-scheduler counts a pod whose bind call failed until it tries it again */

static bool has_device(const struct rig_object *o)
{
    return o->kind == RIG_POD && strncmp(o->pod->meta.name, "cpu", 3) != 0;
}

static bool is_counted(const struct rig_object *o)
{
    return o->place == RIG_ASSUMED || (lets_go_late && o->place == RIG_BACKOFF);
}

/* Each pod takes a device, but those whose names begin with cpu. */
static bool is_served(void *context, const struct skr_pod *pod, const char *node)
{
    const struct rig *rig = context;
    const struct rig_object *o;
    int used = 0;
    DL_FOREACH(rig->list, o)
    {
        used += o->kind == RIG_POD && o->pod != pod && has_device(o) &&
                (strcmp(o->pod->node_name, node) == 0 ||
                 (is_counted(o) && strcmp(o->assumed_node, node) == 0) ||
                 (counts_nominated && strcmp(o->pod->nominated_node, node) == 0));
    }
    return strncmp(pod->meta.name, "cpu", 3) == 0 || used < devices[node[strlen("node-")] - '0'];
}

/* One rack of so many nodes of 16 cores, with so many devices each. */
static struct rig *cluster(int nodes, int each)
{
    struct rig *rig = rig_create();
    for (int i = 0; i < NODES_MAX; i++) {
        devices[i] = each;
    }
    lets_go_late = counts_nominated = false;
    rig->in_tree = is_served;
    rig->context = rig;
    rig_racks(rig, 1, nodes, 16);
    rig_sync(rig);
    return rig;
}

static uint64_t plans(struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats.plans;
}

static void add_gang(struct rig *rig, const char *name, int n)
{
    rig_group(rig, name, n, 0, NULL);
    rig_pods(rig, name, n, name, RIG_GATED);
}

static void add_gang_with_volumes(struct rig *rig, const char *name, int n)
{
    add_gang(rig, name, n);
    for (int i = 0; i < n; i++) {
        rig_edit(rig, RIG_POD, test_text("%s-%d", name, i),
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    }
}

/* The cpu admits 16 on a node, its devices two. */
TEST_RIG(cluster(8, 2), one_refusal_teaches_what_nodes_of_the_kind_take)
{
    add_gang(rig, "g", 16);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 16);
    assert_int_equal(plans(rig), 2);
    rig_assert_clean(rig);
}

TEST_RIG(cluster(4, 3), nodes_with_fewer_are_found_one_by_one)
{
    devices[2] = 1;
    add_gang(rig, "g", 8);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "g", 8);
    assert_in_range(plans(rig), 2, 4);
}

/* The first node taught 1, which is too few for the second one. */
TEST_RIG(cluster(2, 3), a_guess_without_a_place_is_dropped)
{
    devices[0] = 1;
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_in_range(plans(rig), 2, 3);
}

/* Other nodes are no guess for nodes that offer something else. */
TEST_RIG(cluster(1, 1), nodes_of_another_kind_are_not_guessed)
{
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}}}'}}");
    rig_node(rig, "node-1", 8);
    devices[1] = 8;
    add_gang(rig, "g", 9);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 9);
    assert_in_range(plans(rig), 2, 3);
}

/* A member of the first plan is still counted on its node when the second plan is refused there: the node is
 * not closed. */
TEST_RIG(cluster(4, 1), members_that_are_let_go_close_no_node)
{
    lets_go_late = true;
    add_gang(rig, "g", 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_in_range(plans(rig), 2, 4);
}

/* All members are nominated before the first one is accepted: the node is refused to it. */
TEST_RIG(cluster(4, 1), members_that_are_nominated_close_no_node)
{
    counts_nominated = lets_go_late = true;
    add_gang_with_volumes(rig, "g", 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_in_range(plans(rig), 1, 5);
}

TEST_RIG(cluster(8, 2), what_nodes_take_beside_nominated_members_is_found_by_halves)
{
    counts_nominated = true;
    add_gang_with_volumes(rig, "g", 16);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "g", 16);
    assert_in_range(plans(rig), 1, 6);
}

/* What one group has learned limits no other one, of its namespace or of another. */
TEST_RIG(cluster(2, 1), what_a_group_has_learned_is_its_own)
{
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_true(skr_groups_find(rig->gang, "default/g")->vetoes.n > 0);
    const uint64_t before = plans(rig);
    add_gang(rig, "cpu", 32); /* all cores of both nodes */
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "cpu", 32);
    assert_in_range(plans(rig) - before, 1, 3);
}

TEST_RIG(cluster(2, 1), the_reason_says_what_was_accepted)
{
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "g", "reason"), "FilteredByOthers");
    const char *message = rig_key(rig, "g", "message");
    assert_non_null(strstr(message, "kube-scheduler refuses node node-"));
    assert_non_null(strstr(message, "; with what it accepted (1 on node-"));
    assert_non_null(strstr(message, "), group g needs 4 slots, 2 are free on eligible nodes"));
    const json_t *answer = rig_explain(rig, "g");
    rig_assert_text(json_string_value(json_object_get(answer, "resource")), "places");
    rig_assert_text(json_string_value(json_object_get(answer, "sentence")), message);
}

/* A pod that used a device goes: what was learned of its node is over. */
TEST_RIG(cluster(2, 2), a_device_that_comes_free_ends_what_was_learned)
{
    rig_pod(rig, "single", NULL, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "single"), "");
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    rig_delete(rig, RIG_POD, "single");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

TEST_RIG(cluster(2, 1), what_was_learned_lasts_a_minute)
{
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    devices[0] = devices[1] = 2; /* nothing tells the daemon */
    rig_run(rig, 70 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

/* A replacement is one more beside those that run there. */
TEST_RIG(cluster(2, 2), a_replacement_goes_where_there_is_a_device)
{
    add_gang(rig, "g", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    rig_delete(rig, RIG_POD, "g-1");
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "new", 1, "g", RIG_GATED);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "new", 1);
}

/* Leaders need devices, workers do not: a number of one role limits no other role. */
TEST_RIG(cluster(2, 1), a_role_learns_for_itself)
{
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','roles':"
                    "'{\\'lead\\':{\\'size\\':2},\\'work\\':{\\'size\\':20}}'}}");
    for (int i = 0; i < 22; i++) {
        char name[16];
        snprintf(name, sizeof name, i < 2 ? "lead-%d" : "cpu-%d", i);
        rig_pod(rig, name, "g", RIG_GATED);
        rig_edit(rig, RIG_POD, name,
                 "{'metadata':{'annotations':{'sakkara.group.role':'%s'}},'spec':{'containers':[{"
                 "'name':'c','resources':{'requests':{'cpu':'1','memory':'%dMi'}}}]}}",
                 i < 2 ? "lead" : "work", i < 2 ? 2 : 1);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "lead", 2);
    assert_int_equal(rig_n_bound(rig, "g"), 22);
    assert_in_range(plans(rig), 2, 3);
}

/* kube-scheduler says so while another pod has the claim in hand, and comes again by itself (KEP-4381). */
TEST_RIG(cluster(2, 8), a_claim_that_is_being_allocated_ends_no_plan)
{
    rig->hold_scheduler = true;
    add_gang(rig, "g", 2);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "g-1"), "");
    rig_edit(rig, RIG_POD, "g-1",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/2 nodes are available: resourceclaim in the process of "
             "being allocated.'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "g-1"), "");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
    assert_int_equal(plans(rig), 1);
}

/* The answer to the patch that woke g-0 comes after kube-scheduler has accepted its node. */
TEST_RIG(cluster(1, 8), what_is_accepted_before_the_activation_is_answered_counts)
{
    rig->hold_scheduler = rig->hold_writes = true;
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "g", 2, "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    struct rig_write *map = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g");
    if (map) {
        rig_answer_write(rig, map, RIG_OK);
        rig_run(rig, SKR_SECOND);
    }
    rig_filter(rig, "g-0", NULL);
    rig->hold_writes = false;
    rig_run(rig, SKR_SECOND);
    rig_filter(rig, "g-1", "");
    rig_settle(rig);
    const struct group *g = skr_groups_find(rig->gang, "default/g");
    assert_int_equal(g->vetoes.n, 1);
    assert_int_equal(g->vetoes.set->item->most, 1);
}
