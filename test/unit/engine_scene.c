/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/engine_scene.h"
#include "test/test.h"

struct rig *scene_planned(int flags)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "g", 8, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 8, "g", flags);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    assert_string_equal(rig_key(rig, "g", "status"), "Assigned");
    return rig;
}

const struct rig_call *scene_park(struct rig *rig, int i)
{
    char name[32], node[64];
    snprintf(name, sizeof name, "p-%d", i);
    snprintf(node, sizeof node, "%s", rig_planned(rig, name));
    return rig_bind(rig, name, node);
}

struct rig *scene_holding(int n, const struct rig_call **calls)
{
    struct rig *rig = scene_planned(RIG_GATED);
    for (int i = 0; i < n; i++) {
        calls[i] = scene_park(rig, i);
    }
    assert_string_equal(rig_state(rig, "g"), "Holding");
    return rig;
}
