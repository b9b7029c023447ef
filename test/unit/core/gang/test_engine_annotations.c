/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of hostile tenants: the group is invalid, says so, and costs no solve. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/json_field.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 8);
    rig_sync(rig);
    return rig;
}

/* A pod of group pod/bad with this text as annotation. */
static void pod(struct rig *rig, const char *key, const char *value)
{
    rig_create_json(rig, RIG_POD, "bad",
                    "{'metadata':{'annotations':{'sakkara.gang':'auto'}},"
                    "'spec':{'schedulerName':'sakkara',"
                    "'schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    json_auto_t *patch = json_pack("{s:{s:{s:s, s:s}}}", "metadata", "annotations",
                                   "sakkara.group.size", "1", key, value);
    assert_non_null(patch);
    SKR_AUTO_FREE char *text = json_dumps(patch, JSON_COMPACT);
    rig_edit(rig, RIG_POD, "bad", "%s", text);
}

/* n times c, with `end` behind. */
static char *many(size_t n, char c, const char *end)
{
    char *text = malloc(n + strlen(end) + 1);
    memset(text, c, n);
    memcpy(text + n, end, strlen(end) + 1);
    return text;
}

static void is_refused(struct rig *rig, const char *key, const char *value)
{
    pod(rig, key, value);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "bad"));
    assert_string_equal(rig_state(rig, "default/pod/bad"), "Invalid");
    assert_string_equal(skr_object_text(rig_explain(rig, "pod/bad"), "reason"), "GroupInvalid");
    assert_true(strlen(skr_object_text(rig_explain(rig, "pod/bad"), "sentence")) < 1024);
    rig_group(rig, "good", 4, 0, NULL);
    rig_pods(rig, "g", 4, "good", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

static const struct bad_row {
    const char *title, *key;
    size_t n; /* times the first character of text, before it */
    const char *text;
} rows[] = {
    {"24 KiB of blanks and no end", "sakkara.group.constraints", 24 * 1024, " {"},
    {"24 KiB of a name", "sakkara.group.within", 24 * 1024, "x"},
    {"a depth of 1000", "sakkara.group.constraints", 1000, "["},
    {"an escaped NUL", "sakkara.group.constraints", 0, "{\"rack\\u0000\":{\"type\":\"pack\"}}"},
    {"half a surrogate", "sakkara.group.constraints", 0, "{\"\\ud800\":{}}"},
    {"no object", "sakkara.group.constraints", 0, "[]"},
    {"a size beyond all", "sakkara.group.size", 0, "99999999999999999999"},
    {"a scope that is none", "sakkara.gang", 200, "y"},
};

TEST_EACH(bad_row, rows, an_annotation_of_a_hostile_tenant_is_refused)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    SKR_AUTO_FREE char *text = many(bad_row->n, bad_row->text[0], bad_row->text);
    is_refused(rig, bad_row->key, text);
}
