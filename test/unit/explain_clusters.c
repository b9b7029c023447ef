/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/explain_clusters.h"

struct rig *explain_cluster(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false; /* what is in the way stays there */
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 3, 3, 2);
    return rig;
}

struct rig *explain_crowded(void)
{
    struct rig *rig = explain_cluster();
    static const char *const on[] = {"node-0", "node-1", "node-3", "node-6", "node-6"};
    rig_group(rig, "b-1", 2, 1, NULL);
    rig_sync(rig);
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        char name[16];
        snprintf(name, sizeof name, "b-%zu", i);
        rig_pod(rig, name, i < 2 ? "b-1" : NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'%s'},'status':{'phase':'Running'}}",
                 on[i]);
    }
    rig_edit(rig, RIG_NODE, "node-8", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    return rig;
}

void explain_gang(struct rig *rig, int size, const char *constraints)
{
    rig_group(rig, "g", size, 3, constraints);
    rig_pods(rig, "p", size, "g", RIG_GATED);
    rig_run(rig, 124 * SKR_SECOND);
}

struct rig *explain_unplaced(void)
{
    struct rig *rig = explain_crowded();
    explain_gang(rig, 6, "{'rack':{'hard':true}}");
    return rig;
}

struct rig *explain_other_generation(void)
{
    struct rig *rig = explain_cluster();
    rig_sync(rig);
    for (int i = 0; i < 2; i++) {
        rig_create_json(rig, RIG_NATIVE, "g",
                        "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':2}}}}");
        for (int k = 0; k < 2; k++) {
            char name[16];
            snprintf(name, sizeof name, "p-%d", 2 * i + k);
            rig_create_json(rig, RIG_POD, name,
                            "{'metadata':{},'spec':{'schedulerName':'sakkara','schedulingGroup':{"
                            "'podGroupName':'g'},'schedulingGates':[{'name':'sakkara.gang'}],"
                            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
        }
        rig_run(rig, 60 * SKR_SECOND);
        if (i == 0) {
            rig_delete(rig, RIG_NATIVE, "g");
            rig_run(rig, 4 * SKR_SECOND);
        }
    }
    return rig;
}
