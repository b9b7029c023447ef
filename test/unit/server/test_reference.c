/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference.md names everything that users and scripts can see. */
#include "core/gang/state/reason.h"
#include "core/group/group.h"
#include "core/pod/pod.h"
#include "server/daemon/metrics.h"
#include "server/daemon/schedulers.h"
#include "server/http/process_metrics.h"
#include "test/golden.h"
#include "test/test.h"
#include "topology/topology_map.h"

static char *reference;

BEFORE_ALL
{
    reference = golden_read("docs/reference.md");
}

AFTER_ALL
{
    free(reference);
}

static void expect(const char *word)
{
    char quoted[256];
    snprintf(quoted, sizeof quoted, "`%s`", word);
    if (!strstr(reference, quoted)) {
        fail_msg("docs/reference.md lacks %s", quoted);
    }
}

TEST(statuses_and_reasons_are_there)
{
    for (int i = 0; i < SKR_STATUS_COUNT; i++) {
        expect(skr_group_status_name((enum skr_group_status)i));
    }
    for (int i = SKR_REASON_NONE + 1; i < SKR_REASON_COUNT; i++) {
        expect(skr_reason_name((enum skr_reason)i));
        char class[64];
        snprintf(class, sizeof class, "| `%s` | %s |", skr_reason_name((enum skr_reason)i),
                 skr_reason_class((enum skr_reason)i));
        assert_non_null(strstr(reference, class));
    }
}

TEST(constant_texts_are_there_and_short)
{
    static const char *const texts[] = {
        SKR_TEXT_NOT_FOUND,   SKR_TEXT_INVALID,    SKR_TEXT_MEMBERS,       SKR_TEXT_PLANNING,
        SKR_TEXT_CAPACITY,    SKR_TEXT_TOPOLOGY,   SKR_TEXT_VICTIMS,       SKR_TEXT_BEYOND,
        SKR_TEXT_FOLLOWER,    SKR_TEXT_RESERVED,   SKR_TEXT_BOOKED,        SKR_TEXT_NOT_READY,
        SKR_TEXT_NOT_LEADER,  SKR_TEXT_MALFORMED,  SKR_TEXT_ALREADY_BOUND, SKR_TEXT_WRONG_NODE,
        SKR_TEXT_REPLACED,    SKR_TEXT_SUPERSEDED, SKR_TEXT_ABORTED,       SKR_TEXT_EXPIRED,
        SKR_TEXT_BIND_FAILED, SKR_TEXT_GENERATION, SKR_TEXT_SPARE,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect(texts[i]);
        assert_true(strlen(texts[i]) <= 100);
        assert_memory_equal(texts[i], "sakkara: ", 9);
    }
    expect(SKR_TEXT_ASKED_AGAIN);
}

TEST(labels_and_annotations_are_there)
{
    static const char *const words[] = {
        SKR_TOPOLOGY_LABEL,
        SKR_RACK_LABEL,
        SKR_GROUP_LABEL,
        SKR_GATE,
        SKR_LABEL_PLAN,
        SKR_LABEL_PREEMPTIBLE,
        SKR_LABEL_GROUP_SIZE,
        SKR_ANNOTATION_PLAN,
        SKR_ANNOTATION_GANG_PLAN,
        "sakkara.group.name",
        "scheduling.x-k8s.io/pod-group",
        "sakkara.member.status",
        "sakkara.member.rank",
        "sakkara.member.retries",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        expect(words[i]);
    }
    assert_non_null(strstr(reference, "`" SKR_LABEL_CONSTRAINT "type.LEVEL`"));
}

TEST(metrics_of_all_schedulers_are_there)
{
    struct skr_clock clock;
    void *service[SKR_SCHEDULER_COUNT];
    struct skr_config *config = skr_config_default();
    SKR_STRBUF(out);
    skr_clock_init(&clock);
    struct skr_metrics *registry = skr_metrics_create();
    const struct skr_service_host host = {
        .config = config, .clock = &clock, .instance = "test", .registry = registry};
    for (int i = 0; i < SKR_SCHEDULER_COUNT; i++) {
        service[i] = skr_scheduler_rows[i]->create(&host);
    }
    struct skr_daemon_metrics *metrics = skr_daemon_metrics_create(registry);
    skr_process_metrics_register(registry);
    skr_metrics_write(registry, &out);
    for (char *line = out.s; (line = strstr(line, "# TYPE "));) {
        line += strlen("# TYPE ");
        expect(test_text("%.*s", (int)strcspn(line, " "), line));
    }
    /* Of which there is nothing yet. */
    static const char *const more[] = {"sakkara_build_info",
                                       "sakkara_watch_restarts_total",
                                       "sakkara_watch_events_total",
                                       "sakkara_undecodable_objects_total",
                                       "sakkara_cache_objects",
                                       "sakkara_cache_age_seconds",
                                       "sakkara_api_writes_total",
                                       "sakkara_api_write_seconds_total",
                                       "sakkara_api_write_duration_seconds",
                                       "sakkara_api_writes_queued",
                                       "sakkara_api_writes_in_flight",
                                       "sakkara_leader",
                                       "sakkara_synced",
                                       "sakkara_nodes",
                                       "sakkara_pods",
                                       "sakkara_pods_bytes",
                                       "sakkara_groups",
                                       "sakkara_unplaced_groups",
                                       "sakkara_reserved_pods",
                                       "sakkara_group_attempts_total",
                                       "sakkara_group_scheduling_duration_seconds",
                                       "sakkara_topology_free_slots",
                                       "sakkara_topology_reloads_total",
                                       "sakkara_topology_unknown_nodes",
                                       "sakkara_topology_outside_nodes",
                                       "sakkara_refused_nodes",
                                       "sakkara_plans_total",
                                       "sakkara_bindings_total",
                                       "sakkara_pod_bindings_total",
                                       "sakkara_parked_binds",
                                       "sakkara_solver_duration_seconds",
                                       "sakkara_solver_roles_total"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        expect(more[i]);
    }
    expect("sakkara_extender_requests_total");
    expect("sakkara_extender_request_duration_seconds");
    expect("sakkara_http_requests_total");
    skr_metrics_destroy(registry);
    skr_daemon_metrics_destroy(metrics);
    for (int i = 0; i < SKR_SCHEDULER_COUNT; i++) {
        skr_scheduler_rows[i]->destroy(service[i]);
    }
    skr_config_destroy(config);
}
