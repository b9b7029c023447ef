/* SPDX-License-Identifier: Apache-2.0 */
/* Groups with key movable, and one that would fit if they were elsewhere. */
#include <string.h>

#include "test/unit/engine_test.h"

/* Two nodes of two slots: one pod of a group on each, and w wants both slots of a node. */
static struct rig *split(enum skr_moves_mode mode, bool movable)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.moves_mode = mode;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 2);
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%d", i);
        rig_group(rig, name, 1, 0, NULL);
        if (movable) {
            rig_edit(rig, RIG_MAP, name, "{'data':{'movable':'true'}}");
        }
    }
    rig_group(rig, "w", 2, 0, "{'node':{'type':'pack','hard':true}}");
    rig_pod(rig, "plug", NULL, 0);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "a", 1, "m0", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "b", 1, "m1", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "plug");
    assert_string_not_equal(rig_node_of(rig, "a-0"), rig_node_of(rig, "b-0"));
    rig_pods(rig, "w", 2, "w", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST_RIG(split(SKR_MOVES_MODE_SHOW, true), an_explanation_says_which_group_would_have_to_move)
{
    rig_run(rig, 580 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(
        rig_also(rig, "w", "GroupsMayMove"),
        "group w would fit if 1 group moved: m0 (1 pod to node-1); evict its pods to make room");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    const size_t events = rig->n_events;
    rig_run(rig, 3600 * SKR_SECOND); /* nothing changes: it is not sought again and again */
    assert_true(rig->n_events < events + 400);
    rig_pod(rig, "plug", NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
}

TEST(no_group_is_named_without_its_key_or_with_the_option_off)
{
    for (int how = 0; how < 2; how++) {
        SKR_AUTO(rig_destroy)
        struct rig *rig = split(how ? SKR_MOVES_MODE_OFF : SKR_MOVES_MODE_SHOW, how);
        rig_run(rig, 900 * SKR_SECOND);
        assert_string_equal(rig_also(rig, "w", "GroupsMayMove"), "");
    }
}
