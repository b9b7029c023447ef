/* SPDX-License-Identifier: Apache-2.0 */
/* What is reported of groups whose pods' rules about other pods stand in the way. */
#include "test/unit/engine_test.h"

#define PORT "'ports':[{'containerPort':80,'hostPort':80}],"
#define TERM(labels)                                                            \
    "{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'host'," \
    "'labelSelector':{'matchLabels':{" labels "}}}]}"
#define TOGETHER      "'podAffinity':" TERM("'app':'x'")
#define NOT_BESIDE_DB "'podAntiAffinity':" TERM("'db':'y'")

struct told {
    int size;
    const char *container; /* its rules */
    const char *affinity;
    int tainted; /* so many nodes, the last ones */
    bool beside; /* a pod db=y runs on node-0 */
    const char *reason, *message;
};

/* Three nodes of four slots. */
static void tell(const struct told *t)
{
    char name[32];
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 3, 4);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(rig, RIG_NODE, name, "{'metadata':{'labels':{'host':'%s'}}}", name);
        if (i >= 3 - t->tainted) {
            rig_edit(rig, RIG_NODE, name,
                     "{'spec':{'taints':[{'key':'t','effect':'NoSchedule'}]}}");
        }
    }
    if (t->beside) {
        rig_create_json(rig, RIG_POD, "db",
                        "{'metadata':{'labels':{'db':'y'}},'spec':{'schedulerName':'default',"
                        "'nodeName':'node-0','containers':[{'name':'c'}]}}");
    }
    rig_sync(rig);
    rig_group(rig, "g", t->size, 0, NULL);
    for (int i = 0; i < t->size; i++) {
        snprintf(name, sizeof name, "p-%d", i);
        rig_create_json(
            rig, RIG_POD, name,
            "{'metadata':{'labels':{'app':'x','sakkara.group.name':'g'}},'spec':{"
            "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],'affinity':{%s},"
            "'containers':[{'name':'c',%s'resources':{'requests':{'cpu':'1'}}}]}}",
            t->affinity, t->container);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), t->message);
    assert_string_equal(rig_key(rig, "g", "reason"), t->reason);
}

TEST(rules_that_only_together_leave_no_place_are_both_named)
{
    static const struct told both = {
        2,
        PORT,
        TOGETHER,
        0,
        false,
        "NeverFits",
        "group g is not placed: its pods exclude each other (host port 80/TCP) and want to be "
        "together (podAffinity on host): 2 pods, at most 1 fits so"};
    static const struct told port = {
        4,
        PORT,
        TOGETHER,
        0,
        false,
        "NeverFits",
        "group g is not placed: its pods exclude each other (host port 80/TCP): 4 pods, 3 domains "
        "have room for one"};
    tell(&both);
    tell(&port);
}

TEST(never_fits_is_reported_where_an_empty_cluster_would_not_do_and_nowhere_else)
{
#define BESIDE "; 1 node is closed to its pods by podAntiAffinity on host (default/db)"
    static const struct told cases[] = {
        {9, "", NOT_BESIDE_DB, 0, true, "WaitingForCapacity",
         "group g needs 9 slots, the nodes open to it have 8 under its rules" BESIDE},
        {13, "", NOT_BESIDE_DB, 0, true, "NeverFits",
         "group g needs 13 slots, more than an empty cluster has under its rules; 8 fit "
         "now" BESIDE},
        {9, "", NOT_BESIDE_DB, 1, true, "NeverFits",
         "group g needs 9 slots, more than an empty cluster has under its rules; 4 fit now" BESIDE},
        {3, PORT, NOT_BESIDE_DB, 0, true, "WaitingForCapacity",
         "group g is not placed: its pods exclude each other (host port 80/TCP): 3 pods, 2 domains "
         "have room for one" BESIDE},
        {4, PORT, NOT_BESIDE_DB, 0, true, "NeverFits",
         "group g is not placed: its pods exclude each other (host port 80/TCP): 4 pods, 2 domains "
         "have room for one" BESIDE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(&cases[i]);
    }
}

/* ---- members that differ ---- */

#define NAMED_PORT(port, more) "'ports':[{'containerPort':80,'hostPort':" port more "}],"
#define PORT_8080              NAMED_PORT("8080", "")

static void member(struct rig *rig, const char *name, const char *container, const char *spec)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'app':'x','sakkara.group.name':'g'}},'spec':{%s"
                    "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c',%s'resources':{'requests':{'cpu':'1'}}}]}}",
                    spec, container);
}

/* Two nodes of two slots, and a member a port. */
static struct rig *with_ports(const char *const ports[4])
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        member(rig, test_text("p-%d", i), ports[i], "");
    }
    rig_run(rig, 10 * SKR_SECOND);
    return rig;
}

TEST(members_whose_host_ports_do_not_clash_share_nodes)
{
    static const char *const ports[][4] = {
        {PORT_8080, "", "", ""},
        {PORT_8080, NAMED_PORT("8081", ""), NAMED_PORT("8080", ",'protocol':'UDP'"), ""},
        {NAMED_PORT("80", ""), NAMED_PORT("80", ",'hostIP':'10.0.0.1'"),
         NAMED_PORT("80", ",'hostIP':'10.0.0.2'"), ""}, /* two of three that clash do not */
        {NAMED_PORT("80", ",'hostIP':'10.0.0.1'"), NAMED_PORT("80", ",'hostIP':'10.0.0.2'"),
         NAMED_PORT("80", ",'hostIP':'10.0.0.3'"), NAMED_PORT("80", ",'hostIP':'10.0.0.4'")},
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = with_ports(ports[i]);
        rig_assert_bound(rig, "p", 4);
    }
}

TEST(two_members_that_want_one_port_get_a_node_each_and_the_others_go_beside_them)
{
    static const char *const ports[4] = {PORT_8080, PORT_8080, "", ""};
    SKR_AUTO(rig_destroy) struct rig *rig = with_ports(ports);
    rig_assert_bound(rig, "p", 4);
    assert_string_not_equal(rig_node_of(rig, "p-0"), rig_node_of(rig, "p-1"));
}

TEST(the_replacement_of_the_one_with_the_port_goes_where_it_was)
{
    static const char *const ports[4] = {PORT_8080, "", "", ""};
    SKR_AUTO(rig_destroy) struct rig *rig = with_ports(ports);
    rig_assert_bound(rig, "p", 4);
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, SKR_SECOND);
    member(rig, "q", PORT_8080, "");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "node-0");
}

TEST(a_replacement_stays_off_the_node_where_another_member_has_its_port)
{
    static const char *const ports[4] = {PORT_8080, "", "", ""};
    SKR_AUTO(rig_destroy) struct rig *rig = with_ports(ports);
    rig_assert_bound(rig, "p", 4);
    rig_delete(rig, RIG_POD, "p-1"); /* beside p-0 */
    rig_run(rig, SKR_SECOND);
    member(rig, "q", PORT_8080, "");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "");
}

/* ---- nowhere ---- */

TEST_RIG(rig_create(), a_group_to_which_no_node_is_open_says_what_closes_them)
{
    rig_racks(rig, 1, 5, 4);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':[{'key':'t','effect':'NoSchedule'}]}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig_edit(rig, RIG_NODE, "node-4", "{'metadata':{'labels':{'other':'y'}}}");
    rig_delete(rig, RIG_NODE, "node-3");
    rig_sync(rig);
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, "p-0", "", "'nodeSelector':{'disk':'x'},");
    member(rig, "p-1", "", "'nodeSelector':{'other':'y'},");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(
        rig_key(rig, "g", "message"),
        "group g needs 1 slot for pod p-0, no node is open to its pods: 2 not selected by "
        "nodeSelector or nodeAffinity (disk=x), 1 tainted (t:NoSchedule), 1 "
        "cordoned, 1 not there");
}
