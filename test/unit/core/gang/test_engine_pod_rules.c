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
    const char *reason;
    const char *message;
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
