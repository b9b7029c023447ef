/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/members_scene.h"
#include <stdio.h>
#include <string.h>

struct rig *members_cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    return rig;
}

struct rig *members_bound(int n, const char *constraints)
{
    struct rig *rig = members_cluster();
    rig_group(rig, "g", n, 0, constraints);
    rig_sync(rig);
    rig_pods(rig, "p", n, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", n);
    return rig;
}

const char *members_condition(struct rig *rig, const char *type)
{
    static char text[64];
    char part[64];
    snprintf(part, sizeof part, "\"type\":\"%s\",\"status\":\"", type);
    const char *at = strstr(rig_key(rig, "g", "conditions"), part);
    snprintf(text, sizeof text, "%.*s", at ? (int)strcspn(at + strlen(part), "\"") : 0,
             at ? at + strlen(part) : "");
    return text;
}
