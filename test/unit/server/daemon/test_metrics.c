/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics registry and its text, also as promtool sees it where promtool is installed. */
#include <pthread.h>
#include <sys/wait.h>

#include "server/http/metrics.h"
#include "server/http/process_metrics.h"
#include "test/test.h"

static const struct skr_metric_spec requests = {
    .name = "sakkara_requests_total",
    .help = "Requests.",
    .type = SKR_COUNTER,
    .label = {"verb", "result"},
};
static const struct skr_metric_spec duration = {
    .name = "sakkara_duration_seconds",
    .help = "Durations.",
    .type = SKR_HISTOGRAM,
    .unit = SKR_UNIT_NANOSECONDS,
    .label = {"verb"},
    .first_bucket = 100000,
    .n_buckets = 4,
};
static const struct skr_metric_spec age = {
    .name = "sakkara_age_seconds",
    .help = "A line\nand a \\ backslash.",
    .type = SKR_GAUGE,
    .unit = SKR_UNIT_NANOSECONDS,
};

static char *text_of(struct skr_metrics *metrics)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_metrics_write(metrics, &out);
    return skr_strbuf_take(&out, NULL);
}

TEST(the_text_is_sorted_and_exact)
{
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    struct skr_metric_family *histogram = skr_metrics_family(metrics, &duration);
    skr_metric_add(skr_metric_get(family, (const char *const[]){"filter", "ok"}), 2);
    skr_metric_add(skr_metric_get(family, (const char *const[]){"bind", "a\"b\\c\nd"}), 1);
    skr_metric_add(skr_metric_get(family, (const char *const[]){"filter", "ok"}), 3);
    struct skr_metric *metric = skr_metric_get(histogram, (const char *const[]){"filter"});
    skr_metric_observe(metric, 100000);     /* on the bound: in the first bucket */
    skr_metric_observe(metric, 100001);     /* just above */
    skr_metric_observe(metric, 800000);     /* on the last bound */
    skr_metric_observe(metric, 3000000000); /* beyond all */
    skr_metric_observe(metric, -5);         /* a clock that went back is 0 */
    skr_metric_set(skr_metric_get(skr_metrics_family(metrics, &age), NULL), -1500000001);
    char *text = text_of(metrics);
    assert_string_equal(text, "# HELP sakkara_age_seconds A line\\nand a \\\\ backslash.\n"
                              "# TYPE sakkara_age_seconds gauge\n"
                              "sakkara_age_seconds -1.500000001\n"
                              "# HELP sakkara_duration_seconds Durations.\n"
                              "# TYPE sakkara_duration_seconds histogram\n"
                              "sakkara_duration_seconds_bucket{verb=\"filter\",le=\"0.0001\"} 2\n"
                              "sakkara_duration_seconds_bucket{verb=\"filter\",le=\"0.0002\"} 3\n"
                              "sakkara_duration_seconds_bucket{verb=\"filter\",le=\"0.0004\"} 3\n"
                              "sakkara_duration_seconds_bucket{verb=\"filter\",le=\"0.0008\"} 4\n"
                              "sakkara_duration_seconds_bucket{verb=\"filter\",le=\"+Inf\"} 5\n"
                              "sakkara_duration_seconds_sum{verb=\"filter\"} 3.001000001\n"
                              "sakkara_duration_seconds_count{verb=\"filter\"} 5\n"
                              "# HELP sakkara_requests_total Requests.\n"
                              "# TYPE sakkara_requests_total counter\n"
                              "sakkara_requests_total{verb=\"bind\",result=\"a\\\"b\\\\c\\nd\"} 1\n"
                              "sakkara_requests_total{verb=\"filter\",result=\"ok\"} 5\n");
    free(text);
    assert_int_equal(skr_metric_value(metric), 5);
    skr_metrics_destroy(metrics);
}

TEST(a_family_and_a_series_are_made_once)
{
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    assert_ptr_equal(family, skr_metrics_family(metrics, &requests));
    assert_ptr_equal(skr_metric_get(family, (const char *const[]){"a", "b"}),
                     skr_metric_get(family, (const char *const[]){"a", "b"}));
    skr_metrics_destroy(metrics);
}

TEST(too_many_series_share_one)
{
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    char name[16];
    for (int i = 0; i < SKR_METRIC_SERIES_MAX + 10; i++) {
        (void)snprintf(name, sizeof name, "v%d", i);
        skr_metric_add(skr_metric_get(family, (const char *const[]){name, "ok"}), 1);
    }
    assert_int_equal(
        skr_metric_value(skr_metric_get(family, (const char *const[]){"other", "other"})), 10);
    assert_int_equal(skr_metric_value(skr_metric_get(family, (const char *const[]){"v0", "ok"})),
                     1);
    skr_metrics_destroy(metrics);
}

TEST(a_series_is_found_only_when_it_was_made)
{
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    const char *const label[] = {"filter", "ok"};
    assert_null(skr_metric_find(family, label));
    assert_null(skr_metric_find(NULL, label));
    struct skr_metric *metric = skr_metric_get(family, label);
    assert_ptr_equal(skr_metric_find(family, label), metric);
    skr_metrics_destroy(metrics);
}

TEST(a_gauge_that_ended_is_not_shown)
{
    static const struct skr_metric_spec spec = {
        .name = "sakkara_room", .help = "Room.", .type = SKR_GAUGE, .label = {"level"}};
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric_family *family = skr_metrics_family(metrics, &spec);
    skr_metric_set(skr_metric_get(family, (const char *const[]){"rack"}), 1);
    skr_metric_set(skr_metric_get(family, (const char *const[]){"row"}), 2);
    skr_metric_family_hide(family);
    skr_metric_family_hide(NULL);
    char *text = text_of(metrics);
    assert_string_equal(text, "");
    free(text);
    skr_metric_set(skr_metric_get(family, (const char *const[]){"row"}), 3);
    text = text_of(metrics);
    assert_string_equal(text, "# HELP sakkara_room Room.\n# TYPE sakkara_room gauge\n"
                              "sakkara_room{level=\"row\"} 3\n");
    free(text);
    skr_metrics_destroy(metrics);
}

TEST(a_histogram_may_be_loaded_and_have_wide_buckets)
{
    static const struct skr_metric_spec spec = {.name = "sakkara_wide_seconds",
                                                .help = "Wide.",
                                                .type = SKR_HISTOGRAM,
                                                .unit = SKR_UNIT_NANOSECONDS,
                                                .first_bucket = 1000000,
                                                .n_buckets = 3,
                                                .factor = 4};
    static const uint64_t buckets[] = {1, 0, 2, 1};
    struct skr_metrics *metrics = skr_metrics_create();
    struct skr_metric *metric = skr_metric_get(skr_metrics_family(metrics, &spec), NULL);
    skr_metric_observe(metric, 4000001);
    skr_metric_load(metric, buckets, 5000000000);
    skr_metric_load(NULL, buckets, 1);
    skr_metric_observe(metric, 16000000);
    assert_int_equal(skr_metric_value(metric), 5);
    SKR_AUTO_FREE char *text = text_of(metrics);
    assert_string_equal(text, "# HELP sakkara_wide_seconds Wide.\n"
                              "# TYPE sakkara_wide_seconds histogram\n"
                              "sakkara_wide_seconds_bucket{le=\"0.001\"} 1\n"
                              "sakkara_wide_seconds_bucket{le=\"0.004\"} 1\n"
                              "sakkara_wide_seconds_bucket{le=\"0.016\"} 4\n"
                              "sakkara_wide_seconds_bucket{le=\"+Inf\"} 5\n"
                              "sakkara_wide_seconds_sum 5.016\n"
                              "sakkara_wide_seconds_count 5\n");
    skr_metrics_destroy(metrics);
}

TEST(modules_run_without_a_registry)
{
    struct skr_metric *metric = skr_metric_get(skr_metrics_family(NULL, &requests), NULL);
    assert_null(metric);
    skr_metric_add(metric, 1);
    skr_metric_set(metric, 1);
    skr_metric_observe(metric, 1);
    assert_int_equal(skr_metric_value(metric), 0);
    skr_metrics_on_collect(NULL, NULL, NULL);
    skr_metrics_destroy(NULL);
}

struct source {
    struct skr_metrics *metrics;
    int64_t value;
};

static void collect(void *context)
{
    struct source *source = context;
    skr_metric_set(skr_metric_get(skr_metrics_family(source->metrics, &age), NULL),
                   ++source->value * 1000000000);
}

TEST(collectors_run_before_every_text)
{
    struct source source = {.metrics = skr_metrics_create()};
    skr_metrics_on_collect(source.metrics, collect, &source);
    free(text_of(source.metrics));
    SKR_AUTO_FREE char *text = text_of(source.metrics);
    assert_non_null(strstr(text, "\nsakkara_age_seconds 2\n"));
    skr_metrics_destroy(source.metrics);
}

static void *hammer(void *context)
{
    struct skr_metrics *metrics = context;
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    struct skr_metric *histogram =
        skr_metric_get(skr_metrics_family(metrics, &duration), (const char *const[]){"filter"});
    for (int i = 0; i < 2000; i++) {
        skr_metric_add(skr_metric_get(family, (const char *const[]){"x", i % 2 ? "a" : "b"}), 1);
        skr_metric_observe(histogram, i * 1000);
        if (i % 500 == 0) {
            free(text_of(metrics));
        }
    }
    return NULL;
}

TEST(threads_count_together)
{
    struct skr_metrics *metrics = skr_metrics_create();
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, hammer, metrics), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
    }
    struct skr_metric_family *family = skr_metrics_family(metrics, &requests);
    assert_int_equal(skr_metric_value(skr_metric_get(family, (const char *const[]){"x", "a"})),
                     4000);
    assert_int_equal(skr_metric_value(skr_metric_get(skr_metrics_family(metrics, &duration),
                                                     (const char *const[]){"filter"})),
                     8000);
    skr_metrics_destroy(metrics);
}

TEST(the_process_is_measured)
{
    static const char *const name[] = {"process_cpu_seconds_total",
                                       "process_resident_memory_bytes",
                                       "process_virtual_memory_bytes",
                                       "process_open_fds",
                                       "process_max_fds",
                                       "process_start_time_seconds"};
    struct skr_metrics *metrics = skr_metrics_create();
    char line[64];
    skr_process_metrics_register(metrics);
    SKR_AUTO_FREE char *text = text_of(metrics);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        (void)snprintf(line, sizeof line, "\n%s ", name[i]);
        const char *at = strstr(text, line);
        if (!at) {
            fail_msg("%s is missing", name[i]);
        }
        if (i > 0) {
            assert_true(strtod(at + strlen(line), NULL) > 0);
        }
    }
    skr_metrics_destroy(metrics);
}

TEST(promtool_finds_nothing_wrong)
{
    if (system("command -v promtool >/dev/null 2>&1") != 0) {
        skip();
    }
    struct skr_metrics *metrics = skr_metrics_create();
    skr_metric_add(skr_metric_get(skr_metrics_family(metrics, &requests),
                                  (const char *const[]){"filter", "ok \"\\ \n"}),
                   1);
    skr_metric_observe(
        skr_metric_get(skr_metrics_family(metrics, &duration), (const char *const[]){"filter"}),
        250000);
    skr_process_metrics_register(metrics);
    SKR_AUTO_FREE char *text = text_of(metrics);
    FILE *promtool = popen("promtool check metrics", "w");
    assert_non_null(promtool);
    assert_true(fputs(text, promtool) >= 0);
    const int status = pclose(promtool);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    skr_metrics_destroy(metrics);
}
