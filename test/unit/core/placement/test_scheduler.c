/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of Placements against an API server in memory: writes, their order, faults. */
#include "core/placement/scheduler.h"
#include "core/placement/slices.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};
#define DECISIONS (&skr_resource_placement_decisions)
#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"

struct hub {
    struct frame_rig *rig;
};

static void add_clusters(struct frame_rig *rig, int from, int to)
{
    for (int i = from; i <= to; i++) {
        frame_rig_add(rig, &skr_resource_managed_clusters, test_text("c%05d", i), "{}");
    }
}

static void hub_set_up(struct hub *hub)
{
    hub->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    frame_rig_add(
        hub->rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    frame_rig_add(hub->rig, &skr_resource_cluster_set_bindings, "ns/all",
                  "{'spec':{'clusterSet':'all'}}");
}

static void hub_tear_down(struct hub *hub)
{
    frame_rig_destroy(hub->rig);
}

static void add_placement(struct frame_rig *rig, const char *spec)
{
    frame_rig_add(rig, &skr_resource_placements, "ns/p", "{'metadata':{" OWNED "},'spec':%s}",
                  spec);
}

static const json_t *decisions_of(const struct frame_rig *rig, int number)
{
    const json_t *object = frame_rig_get(rig, DECISIONS, test_text("ns/p-decision-%d", number));
    return json_object_get(json_object_get(object, "status"), "decisions");
}

static size_t count_in(const struct frame_rig *rig, int number)
{
    return json_array_size(decisions_of(rig, number));
}

static const char *reason_of(const struct frame_rig *rig, const char *type)
{
    const json_t *status =
        json_object_get(frame_rig_get(rig, &skr_resource_placements, "ns/p"), "status");
    const json_t *condition;
    size_t i;
    json_array_foreach(json_object_get(status, "conditions"), i, condition)
    {
        if (strcmp(json_string_value(json_object_get(condition, "type")), type) == 0) {
            return json_string_value(json_object_get(condition, "reason"));
        }
    }
    return "";
}

static json_int_t selected(const struct frame_rig *rig)
{
    const json_t *status =
        json_object_get(frame_rig_get(rig, &skr_resource_placements, "ns/p"), "status");
    return json_integer_value(json_object_get(status, "numberOfSelectedClusters"));
}

static size_t decision_writes(const struct frame_rig *rig)
{
    const struct frame_rig_match match = {.resource = DECISIONS};
    return frame_rig_writes(rig, &match);
}

TEST_WITH(hub, a_placement_gets_decisions_and_a_status)
{
    add_clusters(hub->rig, 1, 3);
    add_placement(hub->rig, "{'numberOfClusters':2}");
    frame_rig_start(hub->rig);
    assert_int_equal(count_in(hub->rig, 1), 2);
    assert_string_equal(reason_of(hub->rig, "PlacementSatisfied"), "AllDecisionsScheduled");
    assert_string_equal(reason_of(hub->rig, "PlacementMisconfigured"), "Succeedconfigured");
    assert_int_equal(selected(hub->rig), 2);
    const json_t *object = frame_rig_get(hub->rig, DECISIONS, "ns/p-decision-1");
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    assert_string_equal(json_string_value(json_object_get(labels, SKR_DECISION_GROUP_INDEX_LABEL)),
                        "0");
}

TEST_WITH(hub, what_is_not_ours_is_not_touched)
{
    add_clusters(hub->rig, 1, 3);
    frame_rig_add(hub->rig, &skr_resource_placements, "ns/p", "{'spec':{}}");
    frame_rig_start(hub->rig);
    assert_int_equal(hub->rig->n_writes, 0);
}

TEST_WITH(hub, an_answer_that_stays_writes_nothing)
{
    add_clusters(hub->rig, 1, 5);
    add_placement(hub->rig, "{'numberOfClusters':2}");
    frame_rig_start(hub->rig);
    frame_rig_forget_writes(hub->rig);
    frame_rig_edit(hub->rig, &skr_resource_managed_clusters, "c00005",
                   "{'metadata':{'labels':{'x':'1'}}}");
    frame_rig_run(hub->rig);
    frame_rig_advance(hub->rig, 1300 * SKR_SECOND);
    assert_int_equal(hub->rig->n_writes, 0);
    struct skr_placement_counts counts;
    skr_placement_count(skr_engine_self(hub->rig->engine), &counts);
    assert_true(counts.cycles >= 4); /* the edit, and two times ten minutes */
}

TEST_WITH(hub, other_changes_of_a_cluster_cause_no_cycle)
{
    struct skr_placement_counts before, after;
    add_clusters(hub->rig, 1, 5);
    add_placement(hub->rig, "{'numberOfClusters':2}");
    frame_rig_start(hub->rig);
    skr_placement_count(skr_engine_self(hub->rig->engine), &before);
    frame_rig_edit(hub->rig, &skr_resource_managed_clusters, "c00005",
                   "{'status':{'conditions':[{'type':'x'}],'capacity':{'cpu':'3'}}}");
    frame_rig_run(hub->rig);
    skr_placement_count(skr_engine_self(hub->rig->engine), &after);
    assert_int_equal(before.cycles, after.cycles);
}

struct size {
    const char *title;
    int clusters, objects;
};
static const struct size sizes[] = {{"101", 101, 2}, {"205", 205, 3}, {"10,000", 10000, 100}};
TEST_EACH(size, sizes, many_clusters_are_cut_into_slices_of_a_hundred)
{
    struct hub hub;
    size_t n = 0;
    hub_set_up(&hub);
    add_clusters(hub.rig, 1, size->clusters);
    add_placement(hub.rig, "{}");
    frame_rig_start(hub.rig);
    assert_int_equal(frame_rig_count(hub.rig, DECISIONS), size->objects);
    for (int i = 1; i <= size->objects; i++) {
        assert_true(count_in(hub.rig, i) <= SKR_SLICE_CLUSTERS_MAX);
        n += count_in(hub.rig, i);
    }
    assert_int_equal(n, size->clusters);
    assert_int_equal(selected(hub.rig), size->clusters);
    hub_tear_down(&hub);
}

enum { SLICES_SEEN = 16 };

/* What a reader sees who polls all objects: replayed from the writes. */
struct reader {
    json_t *seen[SLICES_SEEN]; /* status.decisions by number */
};

static bool reads(const struct reader *reader, const char *cluster)
{
    for (int i = 0; i < SLICES_SEEN; i++) {
        const json_t *entry;
        size_t k;
        json_array_foreach(reader->seen[i], k, entry)
        {
            if (strcmp(json_string_value(json_object_get(entry, "clusterName")), cluster) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void see(struct reader *reader, const struct frame_rig_write *write)
{
    const char *digits = strrchr(write->key, '-');
    const int number = digits ? atoi(digits + 1) : 0;
    if (!write->applied || write->resource != DECISIONS || number >= SLICES_SEEN) {
        return;
    }
    const json_t *status = json_object_get(write->body, "status");
    if (write->verb == SKR_VERB_DELETE || status) {
        json_decref(reader->seen[number]);
        reader->seen[number] = json_deep_copy(json_object_get(status, "decisions"));
    }
}

/* Parts become smaller, clusters leave, clusters join. */
TEST_WITH(hub, a_reader_who_polls_all_objects_never_misses_a_cluster_that_stays)
{
    struct reader reader = {{NULL}};
    add_clusters(hub->rig, 1, 205);
    add_placement(hub->rig, "{}");
    frame_rig_start(hub->rig);
    for (int i = 1; i < SLICES_SEEN; i++) {
        reader.seen[i] = json_deep_copy(decisions_of(hub->rig, i));
    }
    frame_rig_forget_writes(hub->rig);
    frame_rig_delete(hub->rig, &skr_resource_managed_clusters, "c00007");
    add_clusters(hub->rig, 206, 207);
    frame_rig_run(hub->rig);
    frame_rig_edit(
        hub->rig, &skr_resource_placements, "ns/p",
        "{'spec':{'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':30}}}}");
    frame_rig_run(hub->rig);
    assert_true(hub->rig->n_writes > 10);
    for (size_t w = 0; w < hub->rig->n_writes; w++) {
        see(&reader, &hub->rig->write[w]);
        for (int i = 1; i <= 205; i++) {
            assert_true(i == 7 || reads(&reader, test_text("c%05d", i)));
        }
    }
    assert_int_equal(selected(hub->rig), 206);
    for (int i = 0; i < SLICES_SEEN; i++) {
        json_decref(reader.seen[i]);
    }
}

TEST_WITH(hub, a_typo_touches_no_decision)
{
    add_clusters(hub->rig, 1, 3);
    add_placement(hub->rig, "{'numberOfClusters':2}");
    frame_rig_start(hub->rig);
    frame_rig_forget_writes(hub->rig);
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p", "{'spec':{'numberOfClusters':-1}}");
    frame_rig_run(hub->rig);
    frame_rig_delete(hub->rig, &skr_resource_managed_clusters, "c00001");
    frame_rig_run(hub->rig);
    assert_int_equal(decision_writes(hub->rig), 0);
    assert_string_equal(reason_of(hub->rig, "PlacementMisconfigured"), "Misconfigured");
    assert_string_equal(reason_of(hub->rig, "PlacementSatisfied"), "AllDecisionsScheduled");
    assert_int_equal(selected(hub->rig), 2);
}

static size_t events_of(const struct frame_rig *rig, const char *reason)
{
    size_t n = 0;
    for (size_t i = 0; i < rig->n_writes; i++) {
        const char *text = json_string_value(json_object_get(rig->write[i].body, "reason"));
        n += text && strcmp(text, reason) == 0 ? 1 : 0;
    }
    return n;
}

TEST_WITH(hub, scores_are_told_when_decisions_change_and_not_for_labels)
{
    add_clusters(hub->rig, 1, 2);
    add_placement(hub->rig, "{}");
    frame_rig_start(hub->rig);
    assert_int_equal(events_of(hub->rig, "ScoreUpdate"), 1);
    frame_rig_forget_writes(hub->rig);
    frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-1",
                   "{'metadata':{'labels':{'cluster.open-cluster-management.io/"
                   "decision-group-index':null}}}");
    frame_rig_run(hub->rig);
    assert_int_equal(decision_writes(hub->rig), 1);
    assert_int_equal(events_of(hub->rig, "ScoreUpdate"), 0);
    add_clusters(hub->rig, 3, 3);
    frame_rig_run(hub->rig);
    assert_int_equal(events_of(hub->rig, "ScoreUpdate"), 1);
}

/* 250 edits a second: written at once four times, then after 100, 200, 400 ms, and so on. */
TEST_WITH(hub, decisions_that_are_overwritten_are_written_at_growing_pauses)
{
    add_clusters(hub->rig, 1, 2);
    add_placement(hub->rig, "{}");
    frame_rig_start(hub->rig);
    frame_rig_forget_writes(hub->rig);
    for (int i = 0; i < 125; i++) {
        frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-1", "{'status':{'decisions':[]}}");
        frame_rig_advance(hub->rig, 4 * SKR_MILLISECOND);
    }
    assert_in_range(decision_writes(hub->rig), 5, 7);
    assert_int_equal(events_of(hub->rig, "ObjectOverwritten"), 0);
    for (int i = 0; i < 2875; i++) {
        frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-1", "{'status':{'decisions':[]}}");
        frame_rig_advance(hub->rig, 4 * SKR_MILLISECOND);
    }
    assert_in_range(decision_writes(hub->rig), 9, 11);
    assert_int_equal(events_of(hub->rig, "ObjectOverwritten"), 1);
    frame_rig_advance(hub->rig, 71 * SKR_SECOND);
    assert_int_equal(count_in(hub->rig, 1), 2);
    frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-1", "{'status':{'decisions':[]}}");
    frame_rig_run(hub->rig);
    assert_int_equal(count_in(hub->rig, 1), 2);
}

static const char *note_of(const struct frame_rig *rig, const char *reason)
{
    const char *note = NULL;
    for (size_t i = 0; i < rig->n_writes; i++) {
        const json_t *body = rig->write[i].body;
        const char *text = json_string_value(json_object_get(body, "reason"));
        note = text && strcmp(text, reason) == 0 ? json_string_value(json_object_get(body, "note"))
                                                 : note;
    }
    return note ? note : "";
}

/* "c00001:100 " has eleven characters: ninety pairs fit, and none is cut in two. */
TEST_WITH(hub, the_event_with_the_scores_has_a_thousand_characters_at_most)
{
    add_clusters(hub->rig, 1, 1500);
    add_placement(hub->rig, "{}");
    frame_rig_start(hub->rig);
    const char *note = note_of(hub->rig, "ScoreUpdate");
    assert_int_equal(strlen(note), 990);
    assert_memory_equal(note, "c00001:100 c00002:100 ", 22);
    assert_string_equal(note + 990 - 11, "c00090:100 ");
}

TEST_WITH(hub, every_object_has_its_group_index_also_one_that_lost_it)
{
    add_clusters(hub->rig, 1, 6);
    add_placement(hub->rig,
                  "{'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':2}}}");
    frame_rig_start(hub->rig);
    frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-2",
                   "{'metadata':{'labels':{'cluster.open-cluster-management.io/"
                   "decision-group-index':null}}}");
    frame_rig_run(hub->rig);
    bool seen[3] = {false};
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 3);
    for (int i = 1; i <= 8; i++) {
        const json_t *object = frame_rig_get(hub->rig, DECISIONS, test_text("ns/p-decision-%d", i));
        const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
        if (object) {
            const char *index =
                json_string_value(json_object_get(labels, SKR_DECISION_GROUP_INDEX_LABEL));
            assert_non_null(index);
            assert_in_range(index[0], '0', '2');
            seen[index[0] - '0'] = true;
            assert_non_null(json_object_get(labels, SKR_DECISION_GROUP_NAME_LABEL));
        }
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

/* A clock that advances by a millisecond whenever it is read. */
static int64_t tick(void *context)
{
    int64_t *at = context;
    return *at += SKR_MILLISECOND;
}

TEST(what_cycles_cost_and_write_is_counted)
{
    int64_t at = 0;
    const struct skr_stopwatch stopwatch = {tick, &at};
    const struct skr_placement_settings measured = {
        .scheduler_name = "sakkara", .spread_mode = SKR_SPREAD_WEIGHTED, .stopwatch = &stopwatch};
    const struct frame_rig_match decisions = {.resource = DECISIONS};
    struct skr_placement_counts counts;
    struct frame_rig *rig = frame_rig_create(&skr_placement_scheduler, &measured);
    frame_rig_add(
        rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, "ns/all",
                  "{'spec':{'clusterSet':'all'}}");
    add_clusters(rig, 1, 3);
    add_placement(rig, "{}");
    frame_rig_fault(rig, FRAME_FAULT_BUSY, 1, &decisions);
    frame_rig_start(rig);
    frame_rig_advance(rig, SKR_SECOND);
    frame_rig_edit(rig, &skr_resource_placements, "ns/p", "{'spec':{'numberOfClusters':-1}}");
    frame_rig_run(rig);
    skr_placement_count(skr_engine_self(rig->engine), &counts);
    assert_int_equal(counts.writes[SKR_PLACEMENT_OBJECT_DECISION][SKR_WRITE_BUSY], 1);
    assert_int_equal(counts.writes[SKR_PLACEMENT_OBJECT_DECISION][SKR_WRITE_OK], 2);
    assert_int_equal(counts.writes[SKR_PLACEMENT_OBJECT_STATUS][SKR_WRITE_OK], 2);
    assert_int_equal(counts.misconfigured, 1);
    const struct skr_durations *bad = &counts.scheduling[SKR_PLACEMENT_END_MISCONFIGURED];
    assert_int_equal(bad->n[3], 1); /* of 1 us, 10 us, 100 us, 1 ms */
    assert_int_equal(bad->sum, SKR_MILLISECOND);
    assert_true(counts.scheduling[SKR_PLACEMENT_END_SATISFIED].sum >= 2 * 9 * SKR_MILLISECOND);
    assert_int_equal(counts.plugin[SKR_PLACEMENT_PLUGIN_STEADY].n[3], counts.cycles - 1);
    assert_int_equal(counts.plugin[SKR_PLACEMENT_PLUGIN_ADDON].sum, 0);
    assert_true(counts.bind.n[0] >= 2);
    frame_rig_destroy(rig);
}

TEST_WITH(hub, conditions_of_others_are_kept)
{
    add_clusters(hub->rig, 1, 1);
    frame_rig_add(hub->rig, &skr_resource_placements, "ns/p",
                  "{'metadata':{" OWNED "},'spec':{},'status':{'conditions':["
                  "{'type':'Audited','status':'True','reason':'Yes','message':'of others',"
                  "'lastTransitionTime':'2025-01-01T00:00:00Z','more':{'b':1,'a':2}},"
                  "{'type':'PlacementSatisfied','status':'False','reason':'Old','message':''},"
                  "{'type':'Costed','status':'Unknown'}]}}");
    frame_rig_start(hub->rig);
    const json_t *status =
        json_object_get(frame_rig_get(hub->rig, &skr_resource_placements, "ns/p"), "status");
    const json_t *conditions = json_object_get(status, "conditions");
    char *audited = json_dumps(json_array_get(conditions, 0), JSON_COMPACT);
    assert_int_equal(json_array_size(conditions), 4);
    assert_string_equal(audited, "{\"type\":\"Audited\",\"status\":\"True\",\"reason\":\"Yes\","
                                 "\"message\":\"of others\","
                                 "\"lastTransitionTime\":\"2025-01-01T00:00:00Z\","
                                 "\"more\":{\"b\":1,\"a\":2}}");
    free(audited);
    assert_string_equal(reason_of(hub->rig, "PlacementSatisfied"), "AllDecisionsScheduled");
    frame_rig_forget_writes(hub->rig);
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p", "{'spec':{'numberOfClusters':-1}}");
    frame_rig_run(hub->rig);
    assert_string_equal(reason_of(hub->rig, "PlacementMisconfigured"), "Misconfigured");
    assert_string_equal(reason_of(hub->rig, "Audited"), "Yes");
}

TEST_WITH(hub, ownership_lost_in_the_middle_writes_nothing_more)
{
    const struct frame_rig_match create = {.resource = DECISIONS};
    add_clusters(hub->rig, 1, 3);
    frame_rig_start(hub->rig);
    frame_rig_fault(hub->rig, FRAME_FAULT_BUSY, 1, &create);
    add_placement(hub->rig, "{}");
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':null}}}");
    frame_rig_run(hub->rig);
    frame_rig_advance(hub->rig, 700 * SKR_SECOND);
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 0);
}

/* The create is on its way when the annotation goes: it is the last write. */
TEST_WITH(hub, between_two_steps_ownership_is_looked_at_again)
{
    add_clusters(hub->rig, 1, 250);
    frame_rig_start(hub->rig);
    add_placement(hub->rig, "{}");
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':'other'}}}");
    frame_rig_run(hub->rig);
    frame_rig_advance(hub->rig, 700 * SKR_SECOND);
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 3);
    assert_int_equal(decision_writes(hub->rig), 3);
    assert_int_equal(count_in(hub->rig, 1), 0);
    assert_string_equal(reason_of(hub->rig, "PlacementSatisfied"), "");
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':'sakkara'}}}");
    frame_rig_run(hub->rig);
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 3);
    assert_int_equal(selected(hub->rig), 250);
}

/* Few writes wait for the rate limit at a time: those of a large Placement go in lots. */
TEST_WITH(hub, writes_of_a_large_placement_go_in_lots)
{
    add_clusters(hub->rig, 1, 5000);
    frame_rig_start(hub->rig);
    add_placement(hub->rig, "{}");
    frame_rig_edit(hub->rig, &skr_resource_placements, "ns/p",
                   "{'metadata':{'annotations':{'sakkara.placement.scheduler':null}}}");
    frame_rig_run(hub->rig);
    assert_in_range(decision_writes(hub->rig), 1, 16);
}

TEST_WITH(hub, an_edit_of_a_decision_is_repaired)
{
    add_clusters(hub->rig, 1, 3);
    add_placement(hub->rig, "{}");
    frame_rig_start(hub->rig);
    frame_rig_edit(hub->rig, DECISIONS, "ns/p-decision-1", "{'status':{'decisions':[]}}");
    frame_rig_run(hub->rig);
    assert_int_equal(count_in(hub->rig, 1), 3);
    frame_rig_delete(hub->rig, DECISIONS, "ns/p-decision-1");
    frame_rig_run(hub->rig);
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 1);
}

struct fault {
    const char *title;
    enum frame_fault fault;
};
static const struct fault faults[] = {{"429", FRAME_FAULT_BUSY},
                                      {"conflict, AlreadyExists", FRAME_FAULT_CONFLICT},
                                      {"lost request", FRAME_FAULT_LOST_REQUEST},
                                      {"lost answer", FRAME_FAULT_LOST_ANSWER},
                                      {"500", FRAME_FAULT_SERVER_ERROR},
                                      {"403", FRAME_FAULT_DENIED}};
TEST_EACH(fault, faults, a_write_that_fails_holds_back_the_status_and_comes_again)
{
    struct hub hub;
    const struct frame_rig_match match = {.resource = DECISIONS};
    hub_set_up(&hub);
    add_clusters(hub.rig, 1, 250);
    add_placement(hub.rig, "{}");
    frame_rig_fault(hub.rig, fault->fault, 7, &match);
    frame_rig_start(hub.rig);
    frame_rig_advance(hub.rig, 400 * SKR_SECOND);
    assert_int_equal(selected(hub.rig), 250);
    assert_int_equal(frame_rig_count(hub.rig, DECISIONS), 3);
    assert_int_equal(count_in(hub.rig, 1) + count_in(hub.rig, 2) + count_in(hub.rig, 3), 250);
    hub_tear_down(&hub);
}

TEST_WITH(hub, the_status_claims_nothing_that_was_not_written)
{
    const struct frame_rig_match match = {.resource = DECISIONS};
    add_clusters(hub->rig, 1, 3);
    add_placement(hub->rig, "{}");
    frame_rig_fault(hub->rig, FRAME_FAULT_DENIED, 3, &match);
    frame_rig_start(hub->rig);
    const struct frame_rig_match status = {.resource = &skr_resource_placements};
    for (size_t i = 0; i < hub->rig->n_writes && hub->rig->write[i].http_status == 403; i++) {
        assert_true(hub->rig->write[i].resource != &skr_resource_placements);
    }
    frame_rig_advance(hub->rig, 60 * SKR_SECOND);
    assert_int_equal(frame_rig_writes(hub->rig, &status), 1);
}

/* Whether clusters c00001..n but 7 are in some object each. */
static bool all_are_there(const struct frame_rig *rig, int n)
{
    size_t found = 0;
    for (int i = 1; i <= n; i++) {
        char name[16];
        bool has = false;
        snprintf(name, sizeof name, "c%05d", i);
        for (int o = 1; o <= 8 && !has; o++) {
            const json_t *entry;
            size_t k;
            json_array_foreach(decisions_of(rig, o), k, entry)
            {
                has = has ||
                      strcmp(json_string_value(json_object_get(entry, "clusterName")), name) == 0;
            }
        }
        found += has ? 1 : 0;
    }
    return found >= (size_t)n - 1;
}

TEST(a_crash_after_every_write_converges_and_misses_nobody)
{
    for (size_t n = 1; n <= 12; n++) {
        struct hub hub;
        hub_set_up(&hub);
        add_clusters(hub.rig, 1, 205);
        add_placement(hub.rig, "{}");
        frame_rig_crash_after(hub.rig, n);
        frame_rig_start(hub.rig);
        frame_rig_advance(hub.rig, 100 * SKR_SECOND);
        assert_int_equal(selected(hub.rig), 205);
        frame_rig_delete(hub.rig, &skr_resource_managed_clusters, "c00007");
        frame_rig_crash_after(hub.rig, n % 3 + 1);
        add_clusters(hub.rig, 206, 230);
        frame_rig_run(hub.rig);
        assert_true(all_are_there(hub.rig, 205));
        frame_rig_advance(hub.rig, 100 * SKR_SECOND);
        assert_int_equal(selected(hub.rig), 229);
        assert_true(all_are_there(hub.rig, 230));
        hub_tear_down(&hub);
    }
}
