/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors that metav1.LabelSelectorAsSelector refuses select neither everything nor nothing: what
 * was decided stays. */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "test/unit/placement_scene.h"

#define SETS (&skr_resource_cluster_sets)
#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"
#define LONG_64 "v123456789v123456789v123456789v123456789v123456789v123456789v123"

/* A label selector, and a part of what is said about it. */
struct bad {
    const char *title, *selector, *why;
    bool labels_only; /* a claimSelector has no matchLabels */
};
static const struct bad bads[] = {
    {"In without values", "{'matchExpressions':[{'key':'x','operator':'In'}]}",
     "matchExpressions[0]: key \"x\": In and NotIn need values", false},
    {"In of nothing", "{'matchExpressions':[{'key':'x','operator':'In','values':[]}]}",
     "In and NotIn need values", false},
    {"NotIn without values",
     "{'matchExpressions':[{'key':'y','operator':'Exists'},{'key':'x','operator':'NotIn'}]}",
     "matchExpressions[1]: key \"x\": In and NotIn need values", false},
    {"Exists with values", "{'matchExpressions':[{'key':'x','operator':'Exists','values':['1']}]}",
     "Exists and DoesNotExist take no values", false},
    {"DoesNotExist with values",
     "{'matchExpressions':[{'key':'x','operator':'DoesNotExist','values':['']}]}",
     "Exists and DoesNotExist take no values", false},
    {"Gt", "{'matchExpressions':[{'key':'x','operator':'Gt','values':['1']}]}",
     "unknown selector operator \"Gt\"", false},
    {"no operator", "{'matchExpressions':[{'key':'x'}]}", "unknown selector operator \"\"", false},
    {"no key", "{'matchExpressions':[{'operator':'Exists'}]}", "key \"\": its key is no label key",
     false},
    {"a key with a blank", "{'matchExpressions':[{'key':'a b','operator':'DoesNotExist'}]}",
     "its key is no label key", false},
    {"a prefix with capitals", "{'matchExpressions':[{'key':'A/b','operator':'Exists'}]}",
     "its key is no label key", false},
    {"an empty prefix", "{'matchExpressions':[{'key':'/b','operator':'Exists'}]}",
     "its key is no label key", false},
    {"a key of 64 bytes", "{'matchExpressions':[{'key':'" LONG_64 "','operator':'DoesNotExist'}]}",
     "its key is no label key", false},
    {"a value with a blank",
     "{'matchExpressions':[{'key':'x','operator':'NotIn','values':['1','a b']}]}",
     "one of its values is no label value", false},
    {"a value of 64 bytes",
     "{'matchExpressions':[{'key':'x','operator':'NotIn','values':['" LONG_64 "']}]}",
     "one of its values is no label value", false},
    {"a key of matchLabels", "{'matchLabels':{'x/y/z':'1'}}",
     "matchLabels: key \"x/y/z\": its key is no label key", true},
    {"a value of matchLabels", "{'matchLabels':{'x':'-'}}",
     "matchLabels: key \"x\": one of its values is no label value", true},
};

/* Where a selector can stand; %s is it. */
static const struct {
    const char *title, *placement, *set;
    bool claims;
} places[] = {
    {"a predicate", "{'predicates':[{'requiredClusterSelector':{'labelSelector':%s}}]}", "{}",
     false},
    {"a predicate's claims", "{'predicates':[{'requiredClusterSelector':{'claimSelector':%s}}]}",
     "{}", true},
    {"a decision group",
     "{'decisionStrategy':{'groupStrategy':{'decisionGroups':[{'groupName':'g',"
     "'groupClusterSelector':{'labelSelector':%s}}]}}}",
     "{}", false},
    {"a set", "{}", "%s", false},
};

static void put(char *text, size_t size, const char *format, const char *selector)
{
    const char *at = strstr(format, "%s");
    snprintf(text, size, "%.*s%s%s", at ? (int)(at - format) : (int)strlen(format), format,
             at ? selector : "", at ? at + 2 : "");
}

TEST_EACH(bad, bads, a_selector_that_the_api_refuses_keeps_the_decisions_wherever_it_stands)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char lines[4096], spec[1024], set[1024];
        if (bad->labels_only && places[i].claims) {
            continue;
        }
        put(spec, sizeof spec, places[i].placement, bad->selector);
        put(set, sizeof set, places[i].set, bad->selector);
        for (char *c = set; *c; c++) {
            *c = *c == '\'' ? '"' : *c;
        }
        for (char *c = spec; *c; c++) {
            *c = *c == '\'' ? '"' : *c;
        }
        snprintf(lines, sizeof lines,
                 "cluster a x=1\ncluster b\nset s {\"selectorType\":\"LabelSelector\","
                 "\"labelSelector\":%s}\nbind s\ndecided p 1 b gone\nplacement p %s\n",
                 set, spec);
        json_auto_t *report = placement_scene_report(lines);
        const char *why = json_string_value(json_object_get(report, "misconfigured"));
        if (!strstr(why, bad->why)) {
            fail_msg("%s in %s: \"%s\" lacks \"%s\"", bad->title, places[i].title, why, bad->why);
        }
        placement_scene_expect(bad->title, lines, "decisions", "[\"b\",\"gone\"]");
        placement_scene_expect(bad->title, lines, "satisfied", "true");
    }
}

/* ---- a set that becomes bad under Placements ---- */

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct hub {
    struct frame_rig *rig;
};

static void hub_set_up(struct hub *hub)
{
    hub->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    frame_rig_add(hub->rig, SETS, "east",
                  "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{"
                  "'matchExpressions':[{'key':'region','operator':'In','values':['east']}]}}}}");
    frame_rig_add(hub->rig, &skr_resource_cluster_set_bindings, "ns/east",
                  "{'spec':{'clusterSet':'east'}}");
    for (int i = 0; i < 6; i++) {
        frame_rig_add(hub->rig, &skr_resource_managed_clusters, test_text("c%d", i),
                      "{'metadata':{'labels':{'region':'%s'}}}", i < 4 ? "east" : "west");
    }
    frame_rig_add(hub->rig, &skr_resource_placements, "ns/p", "{'metadata':{" OWNED "},'spec':{}}");
    frame_rig_start(hub->rig);
}

static void hub_tear_down(struct hub *hub)
{
    frame_rig_destroy(hub->rig);
}

static void change_set(struct hub *hub, const char *values)
{
    frame_rig_edit(hub->rig, SETS, "east",
                   "{'spec':{'clusterSelector':{'labelSelector':{'matchExpressions':[{'key':"
                   "'region','operator':'In','values':[%s]}]}}}}",
                   values);
    frame_rig_run(hub->rig);
}

static void expect(const struct hub *hub, size_t clusters, const char *misconfigured)
{
    const json_t *status = json_object_get(
        frame_rig_get(hub->rig, &skr_resource_placement_decisions, "ns/p-decision-1"), "status");
    const json_t *conditions = json_object_get(
        json_object_get(frame_rig_get(hub->rig, &skr_resource_placements, "ns/p"), "status"),
        "conditions");
    assert_int_equal(json_array_size(json_object_get(status, "decisions")), clusters);
    assert_string_equal(json_string_value(json_object_get(json_array_get(conditions, 1), "reason")),
                        misconfigured);
}

TEST_WITH(hub, a_set_with_a_bad_selector_evicts_no_fleet_also_after_a_restart)
{
    const struct frame_rig_match decisions = {.resource = &skr_resource_placement_decisions};
    expect(hub, 4, "Succeedconfigured");
    frame_rig_forget_writes(hub->rig);
    change_set(hub, "");
    expect(hub, 4, "Misconfigured");
    frame_rig_delete(hub->rig, &skr_resource_managed_clusters, "c1");
    frame_rig_restart(hub->rig);
    frame_rig_advance(hub->rig, 700 * SKR_SECOND);
    expect(hub, 4, "Misconfigured");
    assert_int_equal(frame_rig_writes(hub->rig, &decisions), 0);
    change_set(hub, "'east','west'");
    expect(hub, 5, "Succeedconfigured");
}
