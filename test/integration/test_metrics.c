/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the real daemon: well formed, few, without names of objects, and every counter and
 * histogram moves when its thing happens. */
#include "test/integration/prometheus.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

#define ONE_NODE "{'rack':{'type':'pack','hard':true},'node':{'type':'pack','hard':true}}"

enum { SERIES_MAX = 275 };

static void expect_promtool_is_content(const char *folder)
{
    char command[512];
    if (system("command -v promtool >/dev/null 2>&1") != 0) {
        print_message("no promtool: checked by our own parser alone\n");
        return;
    }
    snprintf(command, sizeof command, "promtool check metrics <%s/metrics", folder);
    assert_int_equal(system(command), 0);
}

/* The page, well formed; heap. */
static char *page_of(const struct scene *scene)
{
    char why[512] = "", *body = NULL;
    assert_int_equal(web_get(daemon_admin_port(scene->d), "/metrics", &body), 200);
    if (!prometheus_check(body, why, sizeof why)) {
        fail_msg("%s", why);
    }
    assert_null(strstr(body, CLUSTER_TOKEN));
    write_text_file(daemon_folder(scene->d), "metrics", body);
    expect_promtool_is_content(daemon_folder(scene->d));
    return body;
}

static void expect_lines(const char *page, const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char whole[256];
        snprintf(whole, sizeof whole, "\n%s\n", line[i]);
        if (!strstr(page, whole)) {
            fail_msg("/metrics lacks %s", line[i]);
        }
    }
}

static size_t count_series(const char *page)
{
    size_t n = 0;
    for (const char *line = page; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        n += *line && *line != '#';
    }
    return n;
}

static void expect_no_names(const char *page)
{
    static const char *const names[] = {"node-0", "rack-0", "job-0",    "\"gang",
                                        "/gang",  "\"wide", "\"default"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(page, names[i])) {
            fail_msg("/metrics names %s", names[i]);
        }
    }
}

/* A gang that is bound and one that never fits, among 1,000 nodes. */
TEST(a_thousand_nodes_make_less_than_275_series)
{
    static const char *const lines[] = {
        "sakkara_synced 1",
        "sakkara_nodes 1000",
        "sakkara_groups{status=\"Bound\"} 1",
        "sakkara_groups{status=\"Ready\"} 1",
        "sakkara_unplaced_groups{reason=\"NeverFits\",class=\"capacity\"} 1",
        "sakkara_parked_binds 0",
        "sakkara_bindings_total{result=\"bound\"} 8",
        "sakkara_pod_bindings_total{result=\"bound\"} 8",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"ok\"} 8",
        "sakkara_group_attempts_total{result=\"planned\"} 1",
        "sakkara_group_scheduling_duration_seconds_count{outcome=\"bound\"} 1",
        "sakkara_topology_unknown_nodes 0",
        "sakkara_topology_outside_nodes 0",
        "sakkara_topology_free_slots{level=\"root\",resource=\"cpu\",size=\"1\"} 3992",
        "sakkara_topology_free_slots{level=\"rack\",resource=\"cpu\",size=\"1\"} 100",
        "sakkara_topology_free_slots{level=\"rack\",resource=\"memory\",size=\"8\"} 200",
        "sakkara_topology_free_slots{level=\"node\",resource=\"cpu\",size=\"4\"} 1",
        "sakkara_topology_free_slots{level=\"node\",resource=\"cpu\",size=\"8\"} 0",
    };
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 40, 25, 4);
    cluster_group(scene.c, "gang", 8, PACK_SPREAD);
    cluster_group(scene.c, "wide", 5, ONE_NODE);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "wide", 5, "wide", true);
    cluster_wait_key(scene.c, "wide", "reason", "NeverFits");
    cluster_pods(scene.c, "job", 8, "gang", true);
    scene_expect_bound(&scene, 8);
    daemon_wait_metric(scene.d, "sakkara_groups{status=\"Bound\"} 1");
    daemon_wait_metric(scene.d, lines[11]);
    char *page = page_of(&scene);
    expect_lines(page, lines, sizeof lines / sizeof lines[0]);
    expect_no_names(page);
    size_t n = count_series(page);
    print_message("%zu series\n", n);
    if (n >= SERIES_MAX) {
        fail_msg("%zu series:\n%s", n, page);
    }
    free(page);
    scene_end(&scene);
}

/* ---- everything moves ---- */

static void ask_for_a_preemption(const struct scene *scene)
{
    struct web_answer answer = web_ask(
        "POST", daemon_port(scene->d), "/v1/preempt",
        "{\"Pod\":{\"metadata\":{\"namespace\":\"default\",\"name\":\"x\",\"uid\":\"x\"},\"spec\":{"
        "\"containers\":[]}},\"NodeNameToMetaVictims\":{\"node-0\":{\"Pods\":[]}}}",
        NULL, 20000);
    assert_int_equal(answer.status, 200);
    free(answer.body);
}

/* A plan that is given up because its group changed: its bind calls are held. */
static void give_up_a_plan(struct scene *scene)
{
    scheduler_hold(scene->s, "late-");
    cluster_group(scene->c, "late", 3, NULL);
    cluster_pods(scene->c, "late", 3, "late", true);
    cluster_wait_key(scene->c, "late", "status", "Assigned");
    cluster_patch(scene->c, "ConfigMap", "late", "{'data':{'priority':'5'}}");
    daemon_wait_metric(scene->d, "sakkara_plans_total{result=\"aborted\"} 1");
    scheduler_hold(scene->s, NULL);
    cluster_wait_bound(scene->c, "late", 3);
}

/* A gang that comes apart before it is bound. */
static void come_apart(struct scene *scene)
{
    cluster_group(scene->c, "wide", 5, ONE_NODE);
    cluster_pods(scene->c, "wide", 5, "wide", true);
    cluster_wait_key(scene->c, "wide", "reason", "NeverFits");
    cluster_patch(scene->c, "Pod", "wide-1",
                  "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
                  "'Unschedulable','message':'waiting for minCount pods from a gang'}]}}");
    daemon_wait_metric(scene->d, "sakkara_gang_plugin_groups_total 1");
    cluster_delete(scene->c, "Pod", "wide-0");
    cluster_wait_key(scene->c, "wide", "status", "Waiting");
}

/* A gang that fits beside nobody: the first one gives way. */
static void push_out(struct scene *scene)
{
    cluster_group(scene->c, "urgent", 14, NULL);
    cluster_patch(scene->c, "ConfigMap", "urgent", "{'data':{'priority':'100'}}");
    cluster_pods(scene->c, "urgent", 14, "urgent", true);
    cluster_wait_bound(scene->c, "urgent", 14);
}

/* A group that does not need all of its members gives some to another one. */
static void shrink(struct scene *scene)
{
    cluster_group(scene->c, "elastic", 6, NULL);
    cluster_patch(scene->c, "ConfigMap", "elastic", "{'data':{'minimum':'2'}}");
    cluster_pods(scene->c, "elastic", 6, "elastic", true);
    cluster_wait_bound(scene->c, "elastic", 6);
    cluster_group(scene->c, "needy", 2, NULL);
    cluster_patch(scene->c, "ConfigMap", "needy", "{'data':{'priority':'100'}}");
    cluster_pods(scene->c, "needy", 2, "needy", true);
    cluster_wait_bound(scene->c, "needy", 2);
}

static void limited(struct scene *scene, const char *name, int size, const char *limit)
{
    cluster_group(scene->c, name, size, NULL);
    cluster_patch(scene->c, "ConfigMap", name, "{'data':{'run-limit':%s}}", limit);
    cluster_pods(scene->c, name, size, name, true);
}

static void end(struct scene *scene, const char *name, int size)
{
    char pod[32];
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        cluster_delete(scene->c, "Pod", pod);
    }
}

/* A group that needs all 24 slots is promised the end of another one; a short one goes before it. */
static void wait_for_a_start(struct scene *scene)
{
    limited(scene, "long", 20, "'2h'");
    cluster_wait_bound(scene->c, "long", 20);
    limited(scene, "all", 24, "null");
    daemon_wait_metric(scene->d, "sakkara_reservations{kind=\"promised\"} 1");
    limited(scene, "short", 1, "'30s'");
    cluster_wait_bound(scene->c, "short", 1);
    end(scene, "long", 20);
    end(scene, "short", 1);
    cluster_wait_bound(scene->c, "all", 24);
    end(scene, "all", 24);
}

static void everything_happens(struct scene *scene)
{
    wait_for_a_start(scene);
    scene_fault(scene, "POST /api/v1/namespaces/default/pods/job-0/binding", FAKE_ANSWER, 500, 0);
    cluster_pods(scene->c, "job", 8, "gang", true);
    cluster_wait_bound(scene->c, "job", 8);
    cluster_pods(scene->c, "single", 1, NULL, false);
    cluster_wait_bound(scene->c, "single", 1);
    ask_for_a_preemption(scene);
    give_up_a_plan(scene);
    come_apart(scene);
    push_out(scene);
    shrink(scene);
    cluster_create(scene->c, "{'kind':'Node','apiVersion':'v1','metadata':{'name':'broken'},"
                             "'spec':{},'status':{'allocatable':{'cpu':'much'}}}");
    cluster_patch(scene->c, "ConfigMap", "topology", "{'data':{'tree':'{'}}");
    cluster_wait_event(scene->c, "TopologyInvalid");
}

/* The sum of the samples of a counter, or of the counts of a histogram. */
static double total_of(const char *page, const char *name, bool histogram)
{
    char begin[160];
    size_t n = (size_t)snprintf(begin, sizeof begin, "\n%s%s", name, histogram ? "_count" : "");
    double sum = 0;
    for (const char *at = page; (at = strstr(at, begin)); at += n) {
        if (at[n] == '{' || at[n] == ' ') {
            sum += strtod(strrchr(strndupa(at + 1, strcspn(at + 1, "\n")), ' '), NULL);
        }
    }
    return sum;
}

/* Those of watches and writes (server/daemon/metrics.c). */
static const char *const always[] = {"sakkara_build_info",
                                     "sakkara_watch_restarts_total",
                                     "sakkara_watch_events_total",
                                     "sakkara_undecodable_objects_total",
                                     "sakkara_cache_objects",
                                     "sakkara_cache_age_seconds",
                                     "sakkara_api_writes_total",
                                     "sakkara_api_write_seconds_total",
                                     "sakkara_api_write_duration_seconds",
                                     "sakkara_api_writes_queued",
                                     "sakkara_api_writes_in_flight"};

static void expect_everything_moved(const char *page)
{
    static const char type[] = "\n# TYPE ";
    for (const char *at = page; (at = strstr(at, type)); at++) {
        char name[128] = "", kind[16] = "";
        assert_int_equal(sscanf(at + sizeof type - 1, "%127s %15s", name, kind), 2);
        bool histogram = strcmp(kind, "histogram") == 0;
        if ((histogram || strcmp(kind, "counter") == 0) && total_of(page, name, histogram) <= 0) {
            fail_msg("%s did not move", name);
        }
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        char line[160];
        snprintf(line, sizeof line, "# TYPE %s ", always[i]);
        if (!strstr(page, line)) {
            fail_msg("%s is not there", always[i]);
        }
    }
}

/* Labels that the scrape adds. */
static bool is_of_the_target(const char *label)
{
    return strcmp(label, "job") == 0 || strcmp(label, "pod") == 0;
}

/* A sample of the metric on the page has the label; NULL: there is a sample. */
static bool has_sample(const char *page, const char *metric, const char *label)
{
    char begin[160], inside[80];
    const size_t n = (size_t)snprintf(begin, sizeof begin, "\n%s", metric);
    snprintf(inside, sizeof inside, "%s=\"", label ? label : "");
    for (const char *at = page; (at = strstr(at, begin)); at += n) {
        const char *end = at + 1 + strcspn(at + 1, "\n");
        const char *found = label ? strstr(at + n, inside) : end - 1;
        if ((at[n] == '{' || (at[n] == ' ' && !label)) && found && found < end) {
            return true;
        }
    }
    return false;
}

static void expect_sample(const char *expr, const char *page, const char *metric, const char *label)
{
    if ((!label || !is_of_the_target(label)) && !has_sample(page, metric, label)) {
        fail_msg("%s: the page has no %s with the label %s", expr, metric,
                 label ? label : "of any");
    }
}

/* The page has the metric and the labels of max by (a, b) (metric{c="d"}). Returns how many labels. */
static size_t expect_labels(const char *expr, const char *page)
{
    static const char words[] = "abcdefghijklmnopqrstuvwxyz_";
    char word[128], metric[128] = "", label[8][128];
    size_t n = 0;
    bool grouped = false, selected = false;
    for (const char *p = expr; *p; p++) {
        const size_t length = strspn(p, words);
        grouped = grouped && *p != ')';
        selected = (selected || *p == '{') && *p != '}';
        if (*p == '"') { /* a value */
            p = strchr(p + 1, '"');
            assert_non_null(p);
        } else if (length > 0) {
            snprintf(word, sizeof word, "%.*s", (int)length, p);
            p += length - 1;
            if (grouped || selected) {
                assert_true(n < sizeof label / sizeof *label);
                strcpy(label[n++], word);
            } else if (strncmp(word, "sakkara_", 8) == 0 || strncmp(word, "process_", 8) == 0) {
                strcpy(metric, word);
                expect_sample(expr, page, metric, NULL);
            }
            grouped = grouped || strcmp(word, "by") == 0;
        }
    }
    for (size_t i = 0; i < n; i++) {
        expect_sample(expr, page, metric, label[i]);
    }
    return n;
}

static void expect_the_dashboard(const char *page)
{
    json_auto_t *dashboard =
        json_load_file("manifests/chart/sakkara/files/dashboard.json", 0, NULL);
    json_t *panel, *target;
    size_t i, k, labels = 0;
    json_array_foreach(json_object_get(dashboard, "panels"), i, panel)
    {
        json_array_foreach(json_object_get(panel, "targets"), k, target)
        {
            labels += expect_labels(json_string_value(json_object_get(target, "expr")), page);
        }
    }
    assert_true(labels > 30);
}

TEST(every_counter_and_histogram_moves_and_has_the_labels_of_the_dashboard)
{
    static const char *const lines[] = {
        "sakkara_topology_reloads_total{result=\"loaded\"} 1",
        "sakkara_topology_reloads_total{result=\"refused\"} 1",
        "sakkara_group_scheduling_duration_seconds_count{outcome=\"bound\"} 8",
        "sakkara_group_scheduling_duration_seconds_count{outcome=\"failed\"} 1",
        "sakkara_undecodable_objects_total{resource=\"nodes\"} 1",
        "sakkara_extender_requests_total{verb=\"preempt\",result=\"ok\"} 1",
        "sakkara_plans_total{result=\"aborted\"} 1",
        "sakkara_leader 1",
    };
    static const char *const verbs[] = {"filter", "prioritize", "preempt", "bind"};
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    scene_fault(&scene, "/pods?watch", FAKE_ANSWER, 500, 0);
    scene_start_daemon(&scene);
    everything_happens(&scene);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        daemon_wait_metric(scene.d, lines[i]);
    }
    char *page = page_of(&scene);
    expect_everything_moved(page);
    expect_the_dashboard(page);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        char part[128];
        snprintf(part, sizeof part,
                 "\nsakkara_extender_request_duration_seconds_count{verb=\"%s\"}", verbs[i]);
        assert_non_null(strstr(page, part));
    }
    free(page);
    scene_end(&scene);
}

TEST(the_checker_of_metrics_finds_what_is_wrong)
{
#define FAMILY(type) "# HELP a_total text\n# TYPE a_total " type "\n"
#define HISTOGRAM    "# HELP h text\n# TYPE h histogram\n"
    static const struct {
        const char *text, *why;
    } row[] = {
        {FAMILY("counter") "a_total{x=\"\\\"\"} 1\n", NULL},
        {HISTOGRAM "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n", NULL},
        {FAMILY("counter") "a_total 1\na_total 1\n", "a sample twice: a_total 1"},
        {FAMILY("counter") "a_total x\n", "no number: a_total x"},
        {FAMILY("counter") "a_total{x=1} 1\n", "labels: a_total{x=1} 1"},
        {FAMILY("counter") "b 1\n", "a sample outside its family: b 1"},
        {FAMILY("counter") FAMILY("counter"), "a family twice: # TYPE a_total counter"},
        {"# TYPE a_total counter\n", "a family without HELP: # TYPE a_total counter"},
        {"# HELP a text\n# TYPE a counter\n",
         "a counter that is not named _total: # TYPE a counter"},
        {HISTOGRAM "h_bucket{le=\"1\"} 3\nh_bucket{le=\"2\"} 2\n",
         "buckets that are not cumulative: h_bucket{le=\"2\"} 2"},
        {HISTOGRAM "h_bucket{le=\"+Inf\"} 2\nh_count 3\n",
         "_count differs from the +Inf bucket: h_count 3"},
        {FAMILY("counter") "a_total 1", "the last line has no end: a_total 1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char why[512] = "";
        assert_int_equal(prometheus_check(row[i].text, why, sizeof why), !row[i].why);
        assert_string_equal(why, row[i].why ? row[i].why : "");
    }
}

BEFORE_ALL
{
    web_init();
}
