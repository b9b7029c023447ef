/* SPDX-License-Identifier: Apache-2.0 */
/* The engine and names of resources: they are the nodes', whatever pods ask for. */
#include "test/test.h"
#include "test/unit/engine_test.h"

enum { INVENTED = 254 };

/* A pod of somebody who asks for a lot that does not exist. */
static void invent(struct rig *rig, const char *name, const char *prefix)
{
    SKR_STRBUF(list);
    for (int i = 0; i < INVENTED; i++) {
        skr_strbuf_addf(&list, "%s'%s.example/r%d':'1'", i > 0 ? "," : "", prefix, i);
    }
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{%s}}}]},'status':{'phase':'Pending'}}",
                    list.s);
}

static void node_with(struct rig *rig, const char *name, const char *resources)
{
    rig_create_json(rig, RIG_NODE, name,
                    "{'metadata':{},'spec':{},'status':{'allocatable':{'cpu':'4','memory':'16Gi',"
                    "'pods':'110'%s%s}}}",
                    resources[0] ? "," : "", resources);
}

/* n names that nobody else has. */
static char *names_of(const char *prefix, int n)
{
    struct skr_strbuf list;
    skr_strbuf_init(&list);
    for (int i = 0; i < n; i++) {
        skr_strbuf_addf(&list, "%s'%s.example/r%d':'1'", i > 0 ? "," : "", prefix, i);
    }
    return skr_strbuf_take(&list, NULL);
}

static void gpu_pod(struct rig *rig, const char *name, const char *group, const char *resource)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},"
                    "'spec':{'schedulerName':'sakkara','containers':[{'name':'c','resources':"
                    "{'requests':{'cpu':'1','%s':'1'}}}]},'status':{'phase':'Pending'}}",
                    group, resource);
}

static struct skr_gang_stats stats_of(struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats;
}

TEST_RIG(rig_create(), a_pod_that_invents_254_resources_takes_no_name_from_others)
{
    rig_sync(rig);
    invent(rig, "evil/p", "a");
    invent(rig, "evil/q", "b");
    rig_run(rig, 10 * SKR_SECOND);
    node_with(rig, "node-0", "'example.com/gpu':'2'");
    rig_group(rig, "g", 2, 0, NULL);
    gpu_pod(rig, "g-0", "g", "example.com/gpu");
    gpu_pod(rig, "g-1", "g", "example.com/gpu");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    assert_int_equal(stats_of(rig).refused_nodes, 0);
}

TEST_RIG(rig_create(), a_request_that_no_node_offers_is_named_and_served_when_one_does)
{
    rig_sync(rig);
    node_with(rig, "node-0", "");
    rig_group(rig, "g", 1, 0, NULL);
    gpu_pod(rig, "g-0", "g", "example.com/gpu");
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "message"), "needs example.com/gpu, no node has it"));
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'example.com/gpu':'1'}}}");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
}

/* The name leaves with the device and comes back; what is in use was counted all the time. */
TEST_RIG(rig_create(), devices_in_use_count_when_their_name_comes_back)
{
    rig_sync(rig);
    node_with(rig, "node-0", "'example.com/gpu':'2'");
    rig_group(rig, "g", 1, 0, NULL);
    gpu_pod(rig, "g-0", "g", "example.com/gpu");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'example.com/gpu':'0'}}}");
    rig_settle(rig);
    node_with(rig, "node-1", "'example.com/other':'1'"); /* takes the place of the name */
    rig_settle(rig);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'example.com/gpu':'2'}}}");
    rig_group(rig, "h", 2, 0, NULL);
    gpu_pod(rig, "h-0", "h", "example.com/gpu");
    gpu_pod(rig, "h-1", "h", "example.com/gpu");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 0);
    rig_delete(rig, RIG_POD, "g-0");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 2);
}

TEST_RIG(rig_create(), a_node_whose_names_have_no_room_is_refused_alone_until_there_is_room)
{
    char name[32], prefix[32];
    rig_sync(rig);
    node_with(rig, "good", "'example.com/gpu':'1'");
    for (int i = 0; i < 5; i++) {
        char *names = names_of((snprintf(prefix, sizeof prefix, "p%d", i), prefix), 60);
        snprintf(name, sizeof name, "liar-%d", i);
        node_with(rig, name, names);
        free(names);
    }
    rig_settle(rig);
    assert_int_equal(stats_of(rig).refused_nodes, 1); /* 255 - 4 - 4 * 60 */
    assert_non_null(strstr(rig->log.s, "Node refused"));
    rig_group(rig, "g", 1, 0, NULL);
    gpu_pod(rig, "g-0", "g", "example.com/gpu");
    rig_group(rig, "h", 1, 0, NULL);
    gpu_pod(rig, "h-0", "h", "p4.example/r0");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "g-0"), "good");
    assert_int_equal(rig_n_bound(rig, "h"), 0);
    rig_delete(rig, RIG_NODE, "liar-2");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(stats_of(rig).refused_nodes, 0);
    assert_string_equal(rig_node_of(rig, "h-0"), "liar-4");
}

TEST_RIG(rig_create(), a_node_of_too_many_resources_is_refused_whatever_room_there_is)
{
    SKR_AUTO_FREE char *names = names_of("p", SKR_NODE_RESOURCES_MAX);
    rig_sync(rig);
    node_with(rig, "liar", names);
    rig_pods(rig, "p-", 1, "g", 0);
    rig_group(rig, "g", 1, 0, NULL);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_int_equal(stats_of(rig).refused_nodes, 1);
    rig_edit(rig, RIG_NODE, "liar", "{'status':{'allocatable':{'p.example/r0':'0'}}}");
    rig_edit(rig, RIG_NODE, "liar", "{'status':{'allocatable':{'p.example/r1':'0'}}}");
    rig_edit(rig, RIG_NODE, "liar", "{'status':{'allocatable':{'p.example/r2':'0'}}}");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(stats_of(rig).refused_nodes, 0);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
}
