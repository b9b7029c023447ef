/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/device_scene.h"

#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <string.h>

void device_slice(struct rig *rig, const char *node, int n)
{
    SKR_STRBUF(devices);
    for (int i = 0; i < n; i++) {
        skr_strbuf_addf(&devices, "%s{'name':'gpu-%d'}", i > 0 ? "," : "", i);
    }
    rig_create_json(rig, RIG_SLICE, node,
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'%s','pool':"
                    "{'name':'%s','generation':1,'resourceSliceCount':1},'devices':[%s]}}",
                    node, node, devices.s);
}

struct rig *device_cluster_with(int nodes, int each, const struct skr_settings *settings)
{
    struct rig *rig = rig_create_with(settings);
    char name[32];
    rig_racks(rig, 1, nodes, 64);
    for (int i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        device_slice(rig, name, each);
    }
    rig_create_json(rig, RIG_CLASS, "gpu",
                    "{'metadata':{},'spec':{'extendedResourceName':'example.com/gpu','selectors':"
                    "[{'cel':{'expression':'device.driver == \\'gpu.example.com\\''}}]}}");
    rig_sync(rig);
    return rig;
}

struct rig *device_cluster(int nodes, int each)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = 36;
    return device_cluster_with(nodes, each, &settings);
}

int device_pods_on(const struct rig *rig, const char *group, int n, const char *node)
{
    int found = 0;
    char name[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", group, i);
        found += strcmp(rig_node_of(rig, name), node) == 0;
    }
    return found;
}

void device_claim(struct rig *rig, const char *name, int count)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, name,
                    "{'metadata':{},'spec':{'devices':{'requests':[{'name':'r','exactly':"
                    "{'deviceClassName':'gpu','count':%d}}]}}}",
                    count);
}

void device_pod_with(struct rig *rig, const char *name, const char *claim, int cpu)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','resourceClaims':[{'name':'c','resourceClaimName':'%s'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'%d'}}}]},"
                    "'status':{'phase':'Pending'}}",
                    claim, cpu);
}

void device_give(struct rig *rig, const char *claim, const char *node, bool selects)
{
    SKR_STRBUF(selector);
    skr_strbuf_addf(&selector,
                    "'nodeSelector':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name',"
                    "'operator':'In','values':['%s']}]}]},",
                    node);
    rig_edit(rig, RIG_DEVICE_CLAIM, claim,
             "{'status':{'allocation':{%s'devices':{'results':[{'request':'r','driver':"
             "'gpu.example.com','pool':'%s','device':'gpu-0'}]}},'reservedFor':[{'resource':"
             "'pods','name':'p','uid':'u'}]}}",
             selects ? selector.s : "", node);
    rig_run(rig, SKR_SECOND / 2);
}
