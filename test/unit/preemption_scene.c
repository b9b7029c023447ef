/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/preemption_scene.h"

struct rig *scene_rack_with(const struct skr_settings *settings, int nodes)
{
    struct rig *rig = rig_create_with(settings);
    rig_racks(rig, 1, nodes, 4);
    rig_sync(rig);
    return rig;
}

struct rig *scene_rack(int nodes)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    struct rig *rig = scene_rack_with(&settings, nodes);
    rig->grace = 10 * SKR_SECOND;
    return rig;
}

void scene_gang(struct rig *rig, const char *name, int size, int priority)
{
    rig_group(rig, name, size, priority, NULL);
    rig_pods(rig, name, size, name, RIG_GATED);
}

void scene_bound(struct rig *rig, const char *name, int size, int priority)
{
    scene_gang(rig, name, size, priority);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, name, size);
}

void scene_let_go(struct rig *rig, enum skr_write_kind kind, enum rig_outcome outcome)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, kind, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, kind, NULL), outcome);
    }
}
