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
