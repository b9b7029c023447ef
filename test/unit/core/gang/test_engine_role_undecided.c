/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group that the solver does not decide about. Nodes have 5 CPUs, 5 GPUs and 5 GiB. A member needs 3
 * of two of them, so each node holds one member. Eight roles are too many for the exact method, and no
 * pair of roles shows that there are too few nodes.
 */
#include "test/unit/engine_test.h"

enum { ROLES = 8, EACH = 4, MEMBERS = ROLES * EACH };

/* A node for every member; those from `closed` on are cordoned. */
static struct rig *nodes(int closed)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, MEMBERS, 5);
    for (int i = 0; i < MEMBERS; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 "{'spec':{'unschedulable':%s},'status':{'allocatable':{'nvidia.com/gpu':'5',"
                 "'memory':'5Gi'}}}",
                 i >= closed ? "true" : "false");
    }
    return rig;
}

static void open_node(struct rig *rig, int i)
{
    rig_edit(rig, RIG_NODE, test_text("node-%d", i), "{'spec':{'unschedulable':false}}");
}

/* Group g of the priority, with all its pods. */
static void group(struct rig *rig, int priority)
{
    static const char *const requests[] = {"'cpu':'3','nvidia.com/gpu':'3'",
                                           "'cpu':'3','memory':'3Gi'",
                                           "'nvidia.com/gpu':'3','memory':'3Gi'"};
    SKR_STRBUF(roles);
    for (int r = 0; r < ROLES; r++) {
        skr_strbuf_addf(&roles, "%s\\\"role-%c\\\":{\\\"size\\\":%d}", r > 0 ? "," : "", 'a' + r,
                        EACH);
    }
    rig_create_json(
        rig, RIG_MAP, "g",
        "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','priority':'%d',"
        "'roles':\"{%s}\"}}",
        priority, roles.s);
    for (int i = 0; i < MEMBERS; i++) {
        rig_create_json(rig, RIG_POD, test_text("p-%d", i),
                        "{'metadata':{'annotations':{'sakkara.group.role':'role-%c'},'labels':{"
                        "'sakkara.group.name':'g'}},'spec':{'schedulerName':'sakkara',"
                        "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'main',"
                        "'resources':{'requests':{%s}}}]},'status':{'phase':'Pending'}}",
                        'a' + i / EACH, requests[i / EACH % 3]);
    }
}

static void assert_undecided(struct rig *rig, const char *what)
{
    assert_string_equal(rig_key(rig, "g", "reason"), "RolesNotPlaced");
    assert_non_null(strstr(rig_key(rig, "g", "conditions"), what));
    assert_string_equal(rig_node_of(rig, "p-0"), "");
}

TEST_RIG(nodes(MEMBERS - 2),
         an_undecided_group_says_what_the_best_part_leaves_out_and_is_tried_again)
{
    rig_sync(rig);
    group(rig, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_undecided(rig,
                     "group g has 8 roles, not decided within the budget; best found leaves 2 ");
    open_node(rig, MEMBERS - 1);
    rig_run(rig, 5 * SKR_SECOND);
    assert_undecided(rig, "best found leaves 1 ");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_undecided(rig, "best found leaves 1 ");
    open_node(rig, MEMBERS - 2);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_assert_clean(rig);
}

/* Nothing is known about what would help. */
TEST_RIG(nodes(MEMBERS), an_undecided_group_evicts_nothing)
{
    rig_group(rig, "low", 2, 0, NULL);
    rig_sync(rig);
    for (int i = 0; i < 2; i++) { /* fills a node */
        rig_create_json(rig, RIG_POD, i == 0 ? "low-0" : "low-1",
                        "{'metadata':{'labels':{'sakkara.group.name':'low'}},'spec':{"
                        "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                        "'containers':[{'name':'main','resources':{'requests':{'cpu':'5',"
                        "'nvidia.com/gpu':'5'}}}]},'status':{'phase':'Pending'}}");
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "low", 2);
    group(rig, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_undecided(rig, "best found leaves 2 ");
    rig_assert_bound(rig, "low", 2);
    rig_remove(rig, "low-0");
    rig_remove(rig, "low-1");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
}
