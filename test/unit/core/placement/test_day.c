/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A day of a hub: clusters join, leave, are tainted and relabelled while Placements of all kinds come,
 * change, are written wrongly, given away and taken back. The same day again with the process killed
 * after the first write, the second, and so on to the last one, and with faults at every turn. After
 * each step: no reader missed a cluster that stayed, nobody touched what is not ours or misconfigured,
 * hard constraints hold, and a process that starts anew finds nothing to write.
 */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/random.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

#define DECISIONS  (&skr_resource_placement_decisions)
#define PLACEMENTS (&skr_resource_placements)
#define CLUSTERS   (&skr_resource_managed_clusters)
#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"
/* Without Balance: one cycle alone says what is selected. */
#define EXACT \
    "'prioritizerPolicy':{'mode':'Exact','configurations':[{'name':'Steady'},{'name':'Spread'}]}"
#define HARD "'topologyKeyType':'Label','maxSkew':1,'whenUnsatisfiable':'DoNotSchedule'"

enum { CLUSTERS_AT_FIRST = 130, SLICES_MAX = 16 };

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};
/* Those with Balance last: what others do between two of their cycles can bring a cluster back. */
static const char *const placements[] = {"all",   "groups",  "hard", "soft",  "steady",
                                         "score", "foreign", "late", "wrong", "given"};
enum { PLACEMENTS_MAX = sizeof placements / sizeof *placements, BALANCED = 8 };

/* ---- the day ---- */

static void add_cluster(struct frame_rig *rig, int i)
{
    frame_rig_add(rig, CLUSTERS, test_text("c%03d", i),
                  "{'metadata':{'labels':{'region':'r%d','zone':'z%d'}},'status':{'allocatable':"
                  "{'cpu':'%d'},'capacity':{'cpu':'64'}}}",
                  i % 3, i % 7, i % 50);
}

static void add_placement(struct frame_rig *rig, const char *name, const char *spec)
{
    frame_rig_add(rig, PLACEMENTS, test_text("ns/%s", name), "{'metadata':{" OWNED "},'spec':%s}",
                  spec);
}

static void begin(struct frame_rig *rig)
{
    frame_rig_add(
        rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, "ns/all",
                  "{'spec':{'clusterSet':'all'}}");
    for (int i = 0; i < CLUSTERS_AT_FIRST; i++) {
        add_cluster(rig, i);
    }
    for (int i = 0; i < 20; i++) {
        frame_rig_add(rig, &skr_resource_addon_scores, test_text("c%03d/load", i * 3),
                      "{'status':{'scores':[{'name':'cpu','value':%d}]}}", i * 7 % 100);
    }
    add_placement(rig, "all", "{}");
    add_placement(
        rig, "groups",
        "{'numberOfClusters':60," EXACT
        ",'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':"
        "'25%','decisionGroups':[{'groupName':'canary','groupClusterSelector':{'labelSelector':{"
        "'matchLabels':{'region':'r1'}}}}]}}}");
    add_placement(rig, "hard",
                  "{'numberOfClusters':20," EXACT ",'spreadPolicy':{'spreadConstraints':["
                  "{'topologyKey':'region'," HARD "},{'topologyKey':'zone'," HARD "}]}}");
    add_placement(rig, "soft",
                  "{'numberOfClusters':9," EXACT ",'spreadPolicy':{'spreadConstraints':["
                  "{'topologyKey':'zone','topologyKeyType':'Label'}]}}");
    add_placement(rig, "steady",
                  "{'numberOfClusters':12,'prioritizerPolicy':{'mode':'Exact','configurations':["
                  "{'name':'Steady','weight':10},{'name':'ResourceAllocatableCPU'}]}}");
    add_placement(rig, "score",
                  "{'numberOfClusters':5,'prioritizerPolicy':{'mode':'Exact','configurations':["
                  "{'scoreCoordinate':{'type':'AddOn','addOn':{'resourceName':'load','scoreName':"
                  "'cpu'}},'weight':3}]}}");
    add_placement(rig, "wrong", "{'numberOfClusters':15}");
    add_placement(rig, "given", "{'numberOfClusters':10}");
    frame_rig_add(rig, PLACEMENTS, "ns/foreign", "{'spec':{'numberOfClusters':3}}");
}

static void taint_some(struct frame_rig *rig)
{
    for (int i = 4; i < CLUSTERS_AT_FIRST; i += 17) {
        frame_rig_edit(rig, CLUSTERS, test_text("c%03d", i),
                       "{'spec':{'taints':[{'key':'unreachable','effect':'NoSelect'}]}}");
    }
}

static void write_wrongly(struct frame_rig *rig)
{
    frame_rig_edit(rig, PLACEMENTS, "ns/wrong",
                   "{'spec':{'prioritizerPolicy':{'configurations':[{'name':'Blance'}]}}}");
}

static void let_clusters_go(struct frame_rig *rig)
{
    for (int i = 2; i < CLUSTERS_AT_FIRST; i += 13) {
        frame_rig_delete(rig, CLUSTERS, test_text("c%03d", i));
    }
    for (int i = CLUSTERS_AT_FIRST; i < CLUSTERS_AT_FIRST + 15; i++) {
        add_cluster(rig, i);
    }
}

static void give_away(struct frame_rig *rig)
{
    frame_rig_edit(rig, PLACEMENTS, "ns/given",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':null}}}");
}

static void relabel(struct frame_rig *rig)
{
    for (int i = 1; i < CLUSTERS_AT_FIRST; i += 29) {
        char name[16];
        snprintf(name, sizeof name, "c%03d", i);
        if (frame_rig_get(rig, CLUSTERS, name)) {
            frame_rig_edit(rig, CLUSTERS, name, "{'metadata':{'labels':{'zone':'z9'}}}");
        }
    }
    frame_rig_edit(rig, CLUSTERS, "c004", "{'spec':{'taints':null}}");
}

static void change_specs(struct frame_rig *rig)
{
    frame_rig_edit(rig, PLACEMENTS, "ns/all",
                   "{'spec':{'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':"
                   "40}}}}");
    frame_rig_edit(rig, PLACEMENTS, "ns/hard", "{'spec':{'numberOfClusters':26}}");
    frame_rig_edit(rig, PLACEMENTS, "ns/soft", "{'spec':{'numberOfClusters':4}}");
    add_placement(rig, "late", "{'numberOfClusters':0}");
}

static void put_right(struct frame_rig *rig)
{
    frame_rig_edit(rig, PLACEMENTS, "ns/wrong", "{'spec':{'prioritizerPolicy':null}}");
    frame_rig_edit(rig, PLACEMENTS, "ns/given",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':'sakkara'}}}");
    frame_rig_edit(rig, PLACEMENTS, "ns/groups", "{'spec':{'decisionStrategy':null}}");
}

static void (*const steps[])(struct frame_rig *rig) = {
    taint_some, write_wrongly, let_clusters_go, give_away, relabel, change_specs, put_right};

/* ---- judging ---- */

static bool is_ours(const struct frame_rig *rig, const char *placement)
{
    const char *scheduler = json_string_value(json_object_get(
        json_object_get(
            json_object_get(frame_rig_get(rig, PLACEMENTS, test_text("ns/%s", placement)),
                            "metadata"),
            "annotations"),
        "sakkara.placement.scheduler"));
    return scheduler && strcmp(scheduler, "sakkara") == 0;
}

/* Slices of one Placement as somebody reads them who asks for all objects. */
static json_t *read_slices(const struct frame_rig *rig, const char *placement)
{
    json_t *slices = json_object();
    for (int i = 1; i < SLICES_MAX; i++) {
        char key[64];
        snprintf(key, sizeof key, "ns/%s-decision-%d", placement, i);
        const json_t *object = frame_rig_get(rig, DECISIONS, key);
        const json_t *list = json_object_get(json_object_get(object, "status"), "decisions");
        if (list) {
            assert_true(json_array_size(list) <= 100);
            json_object_set_new(slices, key, json_deep_copy(list));
        }
    }
    return slices;
}

/* Its clusters as a set: names to true. */
static json_t *clusters_in(json_t *slices)
{
    json_t *set = json_object();
    const char *key;
    json_t *list;
    json_object_foreach(slices, key, list)
    {
        size_t i;
        json_t *entry;
        json_array_foreach(list, i, entry)
        {
            json_object_set_new(set, json_string_value(json_object_get(entry, "clusterName")),
                                json_true());
        }
    }
    return set;
}

static bool concerns(const struct frame_rig_write *write, const char *placement)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "ns/%s-decision-", placement);
    return write->resource == DECISIONS && strncmp(write->key, prefix, strlen(prefix)) == 0;
}

/* Every moment between what was and what is: whoever is in both was there all the time. */
static void judge_reader(const struct frame_rig *rig, const char *placement, json_t *slices)
{
    json_t *now = read_slices(rig, placement), *before = clusters_in(slices),
           *after = clusters_in(now);
    for (size_t i = 0; i < rig->n_writes; i++) {
        const struct frame_rig_write *write = &rig->write[i];
        if (!write->applied || !concerns(write, placement) || write->verb == SKR_VERB_GET) {
            continue;
        }
        json_t *list = json_object_get(json_object_get(write->body, "status"), "decisions");
        if (write->verb == SKR_VERB_DELETE) {
            json_object_del(slices, write->key);
        } else if (list) {
            json_object_set_new(slices, write->key, json_deep_copy(list));
        }
        json_auto_t *seen = clusters_in(slices);
        const char *name;
        json_t *yes;
        json_object_foreach(before, name, yes)
        {
            if (json_object_get(after, name) && !json_object_get(seen, name)) {
                fail_msg("%s: %s is missing after write %zu", placement, name, i);
            }
        }
    }
    json_decref(now);
    json_decref(before);
    json_decref(after);
}

static void judge_untouched(const struct frame_rig *rig, const char *placement)
{
    for (size_t i = 0; i < rig->n_writes; i++) {
        if (rig->write[i].applied && concerns(&rig->write[i], placement)) {
            fail_msg("%s was touched by write %zu", placement, i);
        }
    }
}

/* Both levels of "hard" with maxSkew 1: regions are siblings, so are zones of one region. */
static void judge_hard(const struct frame_rig *rig)
{
    int regions[3] = {0};
    json_t *slices = read_slices(rig, "hard"), *set = clusters_in(slices);
    const char *name;
    json_t *yes;
    json_object_foreach(set, name, yes)
    {
        assert_non_null(frame_rig_get(rig, CLUSTERS, name));
        assert_string_equal(frame_rig_text(rig, CLUSTERS, name, "spec.taints"), "");
        regions[frame_rig_text(rig, CLUSTERS, name, "metadata.labels.region")[1] - '0']++;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            assert_true(regions[a] - regions[b] <= 1);
        }
    }
    json_decref(slices);
    json_decref(set);
}

static void judge_status(const struct frame_rig *rig, const char *placement)
{
    json_t *slices = read_slices(rig, placement), *set = clusters_in(slices);
    const json_t *status =
        json_object_get(frame_rig_get(rig, PLACEMENTS, test_text("ns/%s", placement)), "status");
    assert_int_equal(json_integer_value(json_object_get(status, "numberOfSelectedClusters")),
                     json_object_size(set));
    json_decref(slices);
    json_decref(set);
}

static size_t writes_but_events(const struct frame_rig *rig)
{
    const struct frame_rig_match decisions = {.resource = DECISIONS},
                                 status = {.resource = PLACEMENTS};
    return frame_rig_writes(rig, &decisions) + frame_rig_writes(rig, &status);
}

/* ---- one day ---- */

enum { NO_FAULTS };

static void set_faults(struct frame_rig *rig, uint64_t *random)
{
    static const struct frame_rig_match any = {.resource = NULL};
    static const struct frame_rig_match decisions = {.resource = DECISIONS};
    for (int i = 0; *random != NO_FAULTS && i < 4; i++) {
        const enum frame_fault fault =
            (enum frame_fault)(random_of(random) % FRAME_FAULT_KIND_COUNT);
        frame_rig_fault(rig, fault, 1 + random_of(random) % 3, i % 2 ? &any : &decisions);
    }
}

struct day {
    size_t crash_after; /* 0: the process lives */
    uint64_t random;
    bool at_once; /* what happens in a step happens before the next cycle, not between cycles */
};

/* Returns how many writes the day took. */
static size_t live(const struct day *day)
{
    const size_t crash_after = day->crash_after;
    uint64_t random = day->random;
    struct frame_rig *rig = frame_rig_create(&skr_placement_scheduler, &settings);
    size_t writes = 0;
    begin(rig);
    if (crash_after > 0) {
        frame_rig_crash_after(rig, crash_after);
    }
    set_faults(rig, &random);
    frame_rig_start(rig);
    frame_rig_advance(rig, 300 * SKR_SECOND);
    writes += writes_but_events(rig);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        json_t *before[PLACEMENTS_MAX];
        frame_rig_forget_writes(rig);
        for (size_t p = 0; p < PLACEMENTS_MAX; p++) {
            before[p] = read_slices(rig, placements[p]);
        }
        if (day->at_once) {
            frame_rig_lead(rig, false);
        }
        steps[i](rig);
        frame_rig_run(rig);
        set_faults(rig, &random);
        frame_rig_lead(rig, true);
        frame_rig_run(rig);
        frame_rig_advance(rig, 300 * SKR_SECOND);
        for (size_t p = 0; p < PLACEMENTS_MAX; p++) {
            if (day->at_once && p < BALANCED) {
                judge_reader(rig, placements[p], before[p]);
            }
            json_decref(before[p]);
            if (is_ours(rig, placements[p])) {
                judge_status(rig, placements[p]);
            } else {
                judge_untouched(rig, placements[p]);
            }
        }
        if (strcmp(frame_rig_text(rig, PLACEMENTS, "ns/wrong",
                                  "spec.prioritizerPolicy.configurations.0.name"),
                   "Blance") == 0) {
            judge_untouched(rig, "wrong");
        }
        judge_hard(rig);
        writes += writes_but_events(rig);
    }
    frame_rig_forget_writes(rig);
    frame_rig_restart(rig);
    frame_rig_advance(rig, 700 * SKR_SECOND);
    assert_int_equal(writes_but_events(rig), 0);
    if (crash_after > 0) {
        assert_int_equal(frame_rig_crashes(rig), 1);
    }
    frame_rig_destroy(rig);
    return writes;
}

static size_t times(size_t otherwise)
{
    const char *n = getenv("N");
    return n ? (size_t)strtoull(n, NULL, 10) : otherwise;
}

/* N=1: after each one; every seventh by default. */
TEST(a_process_killed_after_any_write_of_the_day_leaves_no_trace)
{
    struct day day = {.at_once = true};
    const size_t writes = live(&day), step = times(7);
    assert_true(writes > 60);
    for (day.crash_after = 1; day.crash_after <= writes; day.crash_after += step) {
        (void)live(&day);
    }
}

TEST(a_day_of_faults_ends_like_any_other)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct day day = {.random = seed, .at_once = seed % 2 == 0};
        (void)live(&day);
        day.crash_after = seed * 5;
        (void)live(&day);
    }
}
