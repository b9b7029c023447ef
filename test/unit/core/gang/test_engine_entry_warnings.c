/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about the ways in which pods become groups. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

#define GATED "'schedulingGates':[{'name':'sakkara.gang'}],"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    return rig;
}

static void pod(struct rig *rig, const char *name, const char *annotations)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'annotations':{%s},'ownerReferences':[{'apiVersion':"
                    "'example.com/v1','kind':'Crew','name':'c','uid':'u','controller':true}]},"
                    "'spec':{'schedulerName':'sakkara'," GATED
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    annotations);
}

static const struct odd_row {
    const char *title, *odd, *says;
} odds[] = {
    {"another size", "'sakkara.gang':'auto','sakkara.group.size':'3'",
     "pod p-1 has annotation sakkara.group.size: 3, pod p-0 has 2, which counts"},
    {"a rule more", "'sakkara.gang':'auto','sakkara.group.size':'2','sakkara.group.within':'rack'",
     "pod p-1 has annotation sakkara.group.within: rack, pod p-0 has none, which counts"},
    {"no size", "'sakkara.gang':'auto'",
     "pod p-1 has annotation sakkara.group.size: none, pod p-0 has 2, which counts"},
    {"a role of its own", "'sakkara.gang':'auto','sakkara.group.size':'2','sakkara.group.role':'x'",
     ""},
};

TEST_EACH(odd_row, odds, members_that_differ_about_their_group_are_a_warning)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    pod(rig, "p-0", "'sakkara.gang':'auto','sakkara.group.size':'2'");
    rig_run(rig, 2 * SKR_SECOND);
    pod(rig, "p-1", odd_row->odd);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "crew.example.com/c", "EntryNotUniform"), odd_row->says);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(cluster(), an_annotation_that_is_edited_is_compared_again)
{
    pod(rig, "p-0", "'sakkara.gang':'auto','sakkara.group.size':'3'");
    pod(rig, "p-1", "'sakkara.gang':'auto','sakkara.group.size':'3'");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "crew.example.com/c", "EntryNotUniform"), "");
    rig_edit(rig, RIG_POD, "p-1", "{'metadata':{'annotations':{'sakkara.group.size':'4'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(
        rig_also(rig, "crew.example.com/c", "EntryNotUniform"),
        "pod p-1 has annotation sakkara.group.size: 4, pod p-0 has 3, which counts");
}

static void native(struct rig *rig, const char *spec)
{
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':2}}%s}}", spec);
    rig_create_json(rig, RIG_POD, "n-0",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGroup':{'podGroupName':'pg'},"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
}

TEST_RIG(cluster(), a_composite_of_podgroups_is_not_read)
{
    native(rig, ",'parentCompositePodGroupName':'all'");
    rig_create_json(rig, RIG_POD, "n-1",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara',"
                    "'schedulingGroup':{'podGroupName':'pg'},"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "podgroup/pg", "CompositeIgnored"),
                           "PodGroup pg is part of CompositePodGroup all, which is not read"));
    rig_assert_bound(rig, "n", 2);
}

TEST_RIG(cluster(), pods_that_the_plugin_of_kubernetes_holds_are_a_warning)
{
    native(rig, "");
    assert_string_equal(rig_also(rig, "podgroup/pg", "GangPluginActive"), "");
    rig_edit(rig, RIG_POD, "n-0",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/4 nodes: waiting for minCount pods from a gang to "
             "appear in scheduling queue'}]}}");
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "podgroup/pg", "GangPluginActive"),
                           "plugin GangScheduling of kube-scheduler holds pods"));
}
