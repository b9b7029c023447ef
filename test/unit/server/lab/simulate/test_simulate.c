/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sakkara simulate` on the scenarios of test/simulate: NAME.yaml gives NAME.txt (text,
 * seats, exit code, messages), byte for byte. The JSON is the same twice and says what the text says.
 * It is NAME.json, and the pictures before the text are NAME.picture, where such a file exists. UPDATE=1
 * writes them.
 */
#include <dirent.h>
#include <unistd.h>

#include "server/exit_code.h"
#include "server/lab/simulate/simulate.h"
#include "server/object/path.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/scenario_file.h"
#include "test/unit/simulated.h"
#include "test/unit/text_file.h"
#include "topology/base/arena.h"

#define FOLDER "test/simulate"

/* ---- scenarios ---- */

static int is_scenario(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

enum form { TEXT, PICTURE, JSON };

static int run(const char *path, enum form form, struct skr_strbuf *out,
               struct skr_strbuf *messages)
{
    const struct skr_simulate_options options = {.file = &path,
                                                 .n_files = 1,
                                                 .until = SKR_TIME_NEVER,
                                                 .json = form == JSON,
                                                 .picture = form == PICTURE};
    return skr_simulate_run(&options, out, messages);
}

/* Compares with FOLDER/NAME.SUFFIX, for the suffix of a file that has to be there or for another. */
static void compare(const char *name, const char *suffix, const char *got)
{
    char golden[512];
    snprintf(golden, sizeof golden, FOLDER "/%.*s.%s", (int)strlen(name) - 5, name, suffix);
    if (strcmp(suffix, "txt") == 0 || access(golden, F_OK) == 0) {
        golden_check(golden, got);
    }
}

/* The messages with the name in place of a file's path. */
static void add_renamed(struct skr_strbuf *out, const char *messages, const char *path,
                        const char *name)
{
    const char *at = messages;
    for (const char *next; (next = strstr(at, path)); at = next + strlen(path)) {
        skr_strbuf_addn(out, at, (size_t)(next - at));
        skr_strbuf_add(out, name);
    }
    skr_strbuf_add(out, at);
}

static void play(const char *name)
{
    char path[512];
    SKR_STRBUF(text);
    SKR_STRBUF(picture);
    SKR_STRBUF(json);
    SKR_STRBUF(again);
    SKR_STRBUF(messages);
    SKR_STRBUF(same);
    SKR_STRBUF(seats);
    snprintf(path, sizeof path, FOLDER "/%s", name);
    struct text_file file = scenario_file_open(path);
    const int code = run(file.path, TEXT, &text, &messages);
    assert_int_equal(run(file.path, PICTURE, &picture, &same), code);
    assert_string_equal(same.s, messages.s);
    assert_int_equal(run(file.path, JSON, &json, &same), code);
    assert_int_equal(run(file.path, JSON, &again, &same), code);
    text_file_close(&file);
    assert_string_equal(json.s, again.s);
    assert_string_equal(picture.s + picture.len - text.len, text.s);
    picture.s[picture.len - text.len] = '\0';
    simulated_check(name, text.s, json.s, &seats);
    skr_strbuf_addf(&text, "%s\nexit code %d\n", seats.s, code);
    add_renamed(&text, messages.s, file.path, path);
    compare(name, "txt", text.s);
    compare(name, "picture", picture.s);
    compare(name, "json", json.s);
}

TEST(every_scenario_ends_as_written_down_and_again)
{
    struct dirent **entry;
    int n = scandir(FOLDER, &entry, is_scenario, alphasort);
    assert_true(n >= 45);
    for (int i = 0; i < n; i++) {
        play(entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
}

/* A gang that waits is promised a start and loses its gates, as beside a real daemon. */
TEST(without_a_configuration_the_settings_are_those_of_the_daemon)
{
    static const char *const names[] = {"backfill", "ordinary-pod-first", "preemption"};
    static const char text[] = "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n";
    struct text_file empty = text_file_make(text, strlen(text));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        SKR_STRBUF(without);
        SKR_STRBUF(with);
        SKR_STRBUF(messages);
        snprintf(path, sizeof path, FOLDER "/%s.yaml", names[i]);
        struct text_file file = scenario_file_open(path);
        const char *files = file.path;
        struct skr_simulate_options options = {
            .file = &files, .n_files = 1, .until = SKR_TIME_NEVER, .json = true};
        const int code = skr_simulate_run(&options, &without, &messages);
        options.config = empty.path;
        assert_int_equal(skr_simulate_run(&options, &with, &messages), code);
        assert_string_equal(without.s, with.s);
        assert_non_null(strstr(without.s, "Unschedulable"));
        assert_null(strstr(without.s, "SchedulingGated"));
        text_file_close(&file);
    }
    text_file_close(&empty);
}

/* ---- input ---- */

/* A run over one file that is named f.yaml in messages. */
static int simulate(const char *text, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct text_file file = text_file_make(text, strlen(text));
    const char *path = file.path;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER};
    struct skr_strbuf m;
    skr_strbuf_init(out);
    skr_strbuf_init(messages);
    skr_strbuf_init(&m);
    int code = skr_simulate_run(&options, out, &m);
    add_renamed(messages, m.s ? m.s : "", path, "f.yaml");
    skr_strbuf_fini(&m);
    text_file_close(&file);
    return code;
}

static void assert_simulates(const char *text, int code, const char *out, const char *messages)
{
    struct skr_strbuf o, m;
    int got = simulate(text, &o, &m);
    assert_string_equal(m.s ? m.s : "", messages);
    assert_int_equal(got, code);
    assert_string_equal(o.s ? o.s : "", out);
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

#define SCENARIO "apiVersion: sakkara/v1\nkind: Scenario\nsteps:\n"

TEST(broken_input_is_told_with_file_line_and_column)
{
    static const struct {
        const char *text, *messages;
    } rows[] = {
        {"apiVersion: v1\nkind: Node\nmetadata: {name: [a]}\n",
         "f.yaml:3:18: metadata.name: a string is expected, in quotes\n"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {}\n", "f.yaml:3:11: metadata.name: missing\n"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"
         "    resources: {requests: {cpu: 1x}}\n",
         "f.yaml:7:33: spec.containers[0].resources.requests.cpu: "},
        {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n"
         "      containers: 3\n",
         "f.yaml:7:19: spec.template.spec.containers: "},
        {SCENARIO "- {at: soon, delete: {kind: Node, name: n1}}\n",
         "f.yaml:4:8: steps[0].at: a duration such as 10s is expected\n"},
        {SCENARIO "- {at: 1s, delete: {kind: Service, name: s}}\n",
         "f.yaml:4:27: steps[0].delete.kind: \"Service\" is not simulated\n"},
        {SCENARIO "- {at: 1s, delete: {kind: Node, name: n1, propagationPolicy: Orphan}}\n",
         "f.yaml:4:62: steps[0].delete.propagationPolicy: unknown key\n"},
        {SCENARIO "- {at: 1s, remove: {kind: Node, name: n1}}\n",
         "f.yaml:4:20: steps[0].remove: unknown key\n"},
        {SCENARIO "- {at: 1s, delet: {kind: Node, name: n1}}\n",
         "f.yaml:4:19: steps[0].delet: unknown key (did you mean delete?)\n"},
        {SCENARIO "- {at: 1s}\n",
         "f.yaml:4:3: steps[0]: one of create, delete, patch is expected\n"},
        {SCENARIO "- at: 1s\n  create:\n  - {apiVersion: v1, kind: Pod, metadata: {name: 3}}\n",
         "f.yaml:6:50: steps[0].create[0].metadata.name: "},
        {"apiVersion: sakkara/v1\nkind: Scenario\npercentageOfNodesToScore: 101\n",
         "f.yaml:3:27: percentageOfNodesToScore: a number from 0 to 100 is expected\n"},
        {"apiVersion: sakkara/v2\nkind: Scenario\n",
         "f.yaml:1:13: apiVersion: sakkara/v1 is expected\n"},
        {"apiVersion: v1\nkind: Node\nmetadata: {name: n1\n", "f.yaml:4:1: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_strbuf o, m;
        assert_int_equal(simulate(rows[i].text, &o, &m), SKR_EXIT_ERROR);
        assert_non_null(m.s);
        if (strncmp(m.s, rows[i].messages, strlen(rows[i].messages)) != 0) {
            assert_string_equal(m.s, rows[i].messages);
        }
        assert_int_equal(o.len, 0);
        skr_strbuf_fini(&o);
        skr_strbuf_fini(&m);
    }
}

TEST(a_step_that_cannot_be_taken_ends_the_run)
{
    assert_simulates(SCENARIO "- {at: 1s, delete: {kind: Node, name: n1}}\n", SKR_EXIT_ERROR, "",
                     "f.yaml:1:1: steps[0].delete: Node \"n1\" cannot be deleted: not found\n");
}

TEST(unknown_kinds_are_ignored_with_one_warning_a_kind)
{
    assert_simulates("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n"
                     "apiVersion: v1\nkind: Service\nmetadata: {name: b}\n---\n"
                     "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: c}\n",
                     SKR_EXIT_OK, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
                     "f.yaml:1:1: warning: kind Service of v1 is ignored\n"
                     "f.yaml:9:1: warning: kind Job of batch.volcano.sh/v1alpha1 is ignored\n");
}

TEST(a_workload_whose_pods_are_not_made_is_not_placed)
{
    assert_simulates(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: c}\nspec:\n"
        "  tasks: [{template: {spec: {containers: [{name: c, image: x}]}}}]\n---\n"
        "apiVersion: ray.io/v1alpha1\nkind: RayCluster\nmetadata: {name: r}\n",
        SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
        "f.yaml:1:1: warning: kind Job of batch.volcano.sh/v1alpha1 is not simulated: give its "
        "pods "
        "as Pods or as a Job\n"
        "f.yaml:7:1: warning: kind RayCluster of ray.io/v1alpha1 is not simulated: write "
        "apiVersion "
        "ray.io/v1\n");
    assert_simulates(
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
        "metadata: {name: t}\nspec: {runtimeRef: {name: torch}}\n",
        SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
        "warning: TrainJob default/t: Error creating: ClusterTrainingRuntime \"torch\" "
        "does not exist: create it first\n");
    assert_simulates(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\n"
        "spec: {replicatedJobs: [{name: w, template: {spec: {parallelism: -2, completions: 1,\n"
        "  template: {spec: {containers: [{name: c, image: x}]}}}}}]}\n",
        SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
        "f.yaml:1:1: warning: JobSet s makes no pods: spec.replicatedJobs gives it 0 pods; set at "
        "least 1\n"
        "warning: JobSet default/s: Error creating: Job.batch \"s-w-0\" is invalid: "
        "spec.parallelism: Invalid value: -2: must be greater than or equal to 0\n");
}

TEST(a_workload_that_makes_no_pods_is_not_placed)
{
    assert_simulates(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\n"
        "spec: {suspend: true, replicatedJobs: [{name: w, template: {spec: {template:\n"
        "  {spec: {containers: [{name: c, image: x}]}}}}}]}\n",
        SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
        "f.yaml:1:1: warning: JobSet s makes no pods: it is suspended; set spec.suspend to "
        "false\n");
}

TEST(pods_of_a_scheduler_that_is_not_simulated_are_named_with_it)
{
    assert_simulates(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 2, pods: "
        "9}}\n---\n"
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: d}\nspec:\n  parallelism: "
        "2\n  template:\n    metadata: {annotations: {sakkara.gang: auto}}\n"
        "    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\n"
        "spec: {schedulerName: volcano, containers: [{name: c, image: i}]}\n",
        SKR_EXIT_NOT_PLACED,
        "\n2 pods wait: schedulerName default-scheduler is not simulated; set a name of "
        "schedulerNames, such as sakkara\n"
        "\n1 pod waits: schedulerName volcano is not simulated; set a name of schedulerNames, "
        "such as sakkara\n"
        "after 0.0s: 0 of 0 groups bound, 0 of 3 pods on nodes\n",
        "");
}

TEST(what_is_not_modelled_is_warned_about)
{
    assert_simulates("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                     "  schedulerName: sakkara\n"
                     "  topologySpreadConstraints:\n"
                     "  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}\n"
                     "  containers: [{name: c, image: i}]\n---\n"
                     "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                     "status: {allocatable: {cpu: 1}}\n",
                     SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 1 pods on nodes\n",
                     "f.yaml:1:1: warning: topologySpreadConstraints is not simulated: such pods "
                     "are placed without it\n"
                     "f.yaml:10:1: warning: a node without \"pods\" in status.allocatable: "
                     "kube-scheduler puts nothing on it\n");
}

TEST(pods_that_are_refused_are_told_once_a_controller)
{
    assert_simulates(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
        "spec: {parallelism: 3, template: {spec: {schedulerName: sakkara, "
        "priorityClassName: high, restartPolicy: Never, containers: [{name: c, image: i}]}}}\n",
        SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
        "warning: Job default/j: Error creating: pods \"j-0\" is forbidden: no "
        "PriorityClass with name high was found\n");
}

static void add_pod(struct skr_strbuf *b, const char *name, const char *requests)
{
    skr_strbuf_addf(
        b,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {schedulerName: sakkara, "
        "containers: [{name: c, image: i, resources: {requests: {%s}, limits: {%s}}}]}\n"
        "---\n",
        name, requests, requests);
}

/* n resources that nobody else names. */
static void add_names(struct skr_strbuf *b, const char *prefix, int n)
{
    for (int i = 0; i < n; i++) {
        skr_strbuf_addf(b, "%s%s.example/r%d: 1", i > 0 ? ", " : "", prefix, i);
    }
}

TEST(resources_that_pods_invent_hide_neither_nodes_nor_other_pods)
{
    struct skr_strbuf text, invented;
    skr_strbuf_init(&text);
    skr_strbuf_init(&invented);
    add_names(&invented, "a", 254);
    add_pod(&text, "inventor", invented.s);
    add_pod(&text, "one", "example.com/gpu: 1");
    add_pod(&text, "two", "example.com/gpu: 1");
    add_pod(&text, "three", "example.com/gpu: 1");
    skr_strbuf_add(&text,
                   "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {allocatable: "
                   "{cpu: 4, pods: 110, example.com/gpu: 2}}\n");
    assert_simulates(text.s, SKR_EXIT_OK, "after 0.1s: 0 of 0 groups bound, 2 of 4 pods on nodes\n",
                     "");
    skr_strbuf_fini(&text);
    skr_strbuf_fini(&invented);
}

TEST(a_node_of_too_many_resources_takes_nobody_and_is_warned_about)
{
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    add_pod(&text, "one", "cpu: 1");
    skr_strbuf_add(&text,
                   "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {allocatable: "
                   "{cpu: 4, pods: 110, ");
    add_names(&text, "a", 64);
    skr_strbuf_add(&text, "}}\n");
    assert_simulates(
        text.s, SKR_EXIT_NOT_PLACED, "after 0.0s: 0 of 0 groups bound, 0 of 1 pods on nodes\n",
        "f.yaml:6:1: warning: node node: offers 66 resources, limit 64; nothing is placed "
        "on it\n");
    skr_strbuf_fini(&text);
}

TEST(a_missing_file_is_its_own_exit_code)
{
    struct skr_strbuf o, m;
    skr_strbuf_init(&o);
    skr_strbuf_init(&m);
    assert_int_equal(run("no/such.yaml", JSON, &o, &m), SKR_EXIT_NOT_FOUND);
    assert_string_equal(m.s, "no/such.yaml: No such file or directory\n");
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

TEST(an_empty_input_is_a_run_in_which_nothing_happens)
{
    assert_simulates("", SKR_EXIT_OK, "after 0.0s: 0 of 0 groups bound, 0 of 0 pods on nodes\n",
                     "");
}

#define TOPOLOGY(namespace_, levels)                                                       \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t, namespace: " namespace_          \
    ", labels: {sakkara.topology: ''}}\ndata: {resource-names: '[\"cpu\"]', level-names: " \
    "'[" levels "]', tree: '{\"r\": {\"n\": {}}}'}\n"

TEST(a_topology_map_that_is_malformed_or_elsewhere_is_told)
{
    static const char out[] = "after 0.3s: 0 of 0 groups bound, 0 of 0 pods on nodes\n";
    assert_simulates(TOPOLOGY("default", "\"rack\",\"node\""), SKR_EXIT_OK, out, "");
    assert_simulates(TOPOLOGY("default", "\"rack\""), SKR_EXIT_OK, out,
                     "f.yaml:1:1: warning: topology map default/t is malformed: level-names: 1:1: "
                     "1 name, but the deepest node is at depth 2\n");
    assert_simulates(TOPOLOGY("sakkara", "\"rack\",\"node\""), SKR_EXIT_OK, out,
                     "note: the topology map is in namespace sakkara; a daemon reads it there with "
                     "topologyConfigMapNameSpace: sakkara\n");
}

TEST(until_ends_a_run_early)
{
    const char *path = FOLDER "/member-comes-late.yaml";
    struct skr_strbuf o, m;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = 10 * SKR_SECOND};
    skr_strbuf_init(&o);
    skr_strbuf_init(&m);
    assert_int_equal(skr_simulate_run(&options, &o, &m), SKR_EXIT_NOT_PLACED);
    assert_non_null(strstr(o.s, "after 10.0s: 0 of 1 groups bound"));
    assert_non_null(strstr(o.s, "MembersMissing"));
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

TEST(a_seed_changes_no_gang)
{
    const char *path = FOLDER "/worked-example-free.yaml";
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct skr_strbuf o, m;
        const struct skr_simulate_options options = {
            .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .seed = seed, .picture = true};
        skr_strbuf_init(&o);
        skr_strbuf_init(&m);
        assert_int_equal(skr_simulate_run(&options, &o, &m), SKR_EXIT_OK);
        assert_non_null(strstr(o.s, "node-2    ░░░░░             ▒▒░░░   +2"));
        skr_strbuf_fini(&o);
        skr_strbuf_fini(&m);
    }
}

TEST(verbose_shows_gate_park_and_binding_in_this_order)
{
    static const char *const words[] = {
        "Group status changed", "ungate pod", "filter", "is held", "binding",
        "answered: bound",      "Bound"};
    const char *path = FOLDER "/worked-example-free.yaml";
    struct skr_strbuf o, m;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .verbosity = 1};
    skr_strbuf_init(&o);
    skr_strbuf_init(&m);
    assert_int_equal(skr_simulate_run(&options, &o, &m), SKR_EXIT_OK);
    const char *at = o.s;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        at = strstr(at, words[i]);
        if (!at) {
            fail_msg("%s is missing, or too early", words[i]);
        }
    }
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

TEST(what_is_wrong_with_an_item_of_a_list_is_reported_where_it_stands)
{
    static const char json[] =
        "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n"
        " {\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"s\"}},\n"
        "  {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"},\n"
        "   \"spec\": {\"priorityClassName\": \"none\", \"containers\": [{\"name\": \"c\", "
        "\"image\": \"x\"}]}}]}\n";
    static const char yaml[] =
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n"
        "-   {apiVersion: v1, kind: Pod, metadata: {name: p},\n"
        "     spec: {priorityClassName: none, containers: [{name: c, image: x}]}}\n";
    const struct {
        const char *text, *warning, *error;
    } rows[] = {{json, "f.yaml:2:2: warning: kind Secret", "f.yaml:3:3: pods \"p\" is forbidden"},
                {yaml, "f.yaml:4:3: warning: kind Secret", "f.yaml:5:5: pods \"p\" is forbidden"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_strbuf o, m;
        skr_strbuf_init(&o);
        skr_strbuf_init(&m);
        assert_int_equal(simulate(rows[i].text, &o, &m), SKR_EXIT_ERROR);
        assert_non_null(strstr(m.s, rows[i].warning));
        assert_non_null(strstr(m.s, rows[i].error));
        skr_strbuf_fini(&o);
        skr_strbuf_fini(&m);
    }
}

TEST(a_daemon_set_has_its_room_before_groups_and_on_a_new_node)
{
    const char *path = FOLDER "/daemon-set.yaml";
    struct skr_strbuf o, m;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .json = true};
    skr_strbuf_init(&o);
    skr_strbuf_init(&m);
    assert_int_equal(skr_simulate_run(&options, &o, &m), SKR_EXIT_OK);
    json_t *result = json_loads(o.s, 0, NULL);
    const json_t *pods = json_object_get(result, "pods");
    size_t members = 0, daemons = 0;
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *pod = json_array_get(pods, i);
        const char *node = skr_path_text(pod, "node");
        const bool on_first = strcmp(node, "node-0") == 0;
        assert_true(on_first || strcmp(node, "node-3") == 0);
        members += on_first && strcmp(skr_path_text(pod, "group"), "a") == 0 ? 1 : 0;
        daemons += strcmp(skr_path_text(pod, "namespace"), "kube-system") == 0 ? 1 : 0;
    }
    assert_int_equal(members, 3); /* 4 cpu, of which the agent has 500m */
    assert_int_equal(daemons, 2); /* node-1 is gone, node-2 is tainted */
    json_decref(result);
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

TEST(a_group_of_a_workload_has_a_picture)
{
    static const char text[] =
        "apiVersion: v1\nkind: Node\n"
        "metadata: {name: node-0, labels: {topology.kubernetes.io/rack: r0}}\n"
        "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n---\n"
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: default}\n"
        "spec:\n  completions: 2\n  parallelism: 2\n  template:\n"
        "    metadata: {annotations: {sakkara.gang: auto}}\n"
        "    spec:\n      schedulerName: sakkara\n      restartPolicy: Never\n"
        "      containers: [{name: c, image: busybox, resources: {requests: {cpu: '1'}}}]\n";
    struct text_file file = text_file_make(text, sizeof text - 1);
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    (void)run(file.path, PICTURE, &out, &messages);
    assert_null(strstr(out.s, "no picture"));
    assert_non_null(strstr(out.s, "group job/train: 2 pods"));
    assert_non_null(strstr(out.s, "result: placed 2/2"));
    text_file_close(&file);
}

static const struct set_row {
    const char *title, *set, *says; /* in the report or in the messages */
    int code;
} sets[] = {
    {"a size", "job/wide:size=2", "job/wide  Bound", SKR_EXIT_OK},
    {"with its namespace", "default/job/wide:size=2", "job/wide  Bound", SKR_EXIT_OK},
    {"a rule", "job/wide:constraints.rack.hard=true", "job/wide  Unplaced", SKR_EXIT_NOT_PLACED},
    {"a priority", "job/wide:priority=1",
     "--set job/wide:priority=1: of a workload, size, within and constraints can be set",
     SKR_EXIT_ERROR},
    {"another name", "job/wode:size=2", "--set job/wode:size=2: no group job/wode in the files",
     SKR_EXIT_ERROR},
};

TEST_EACH(set_row, sets, a_group_of_a_workload_is_changed_as_one_of_a_map)
{
    static const char text[] =
        "apiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: t, namespace: default, labels: {sakkara.topology: ''}}\n"
        "data: {level-names: '[\"rack\",\"node\"]', tree: '{\"r0\":{\"n0\":{}}}'}\n---\n"
        "apiVersion: v1\nkind: Node\nmetadata: {name: n0}\n"
        "status: {allocatable: {cpu: '2', pods: '9'}, conditions: [{type: Ready, status: "
        "'True'}]}\n"
        "---\n"
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: wide, namespace: default}\n"
        "spec:\n  completions: 3\n  parallelism: 3\n  template:\n"
        "    metadata: {annotations: {sakkara.gang: auto}}\n"
        "    spec:\n      schedulerName: sakkara\n      restartPolicy: Never\n"
        "      containers: [{name: c, image: busybox, resources: {requests: {cpu: '1'}}}]\n";
    struct text_file file = text_file_make(text, sizeof text - 1);
    const char *path = file.path;
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .set = &set_row->set, .n_sets = 1};
    const int code = skr_simulate_run(&options, &out, &messages);
    skr_strbuf_add(&out, "");
    skr_strbuf_add(&messages, "");
    assert_true(strstr(out.s, set_row->says) || strstr(messages.s, set_row->says));
    assert_true(set_row->code == SKR_EXIT_ERROR ? code != SKR_EXIT_OK : code == set_row->code);
    text_file_close(&file);
}

TEST(a_cron_job_runs_once_and_the_higher_priority_goes_first)
{
    const char *path = FOLDER "/cron-job.yaml";
    struct skr_strbuf o, m;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .picture = true};
    skr_strbuf_init(&o);
    skr_strbuf_init(&m);
    assert_int_equal(skr_simulate_run(&options, &o, &m), SKR_EXIT_NOT_PLACED);
    assert_non_null(strstr(o.s, "high  Bound     2/2"));
    assert_non_null(strstr(o.s, "low   Unplaced  0/2"));
    assert_true(!m.s || !strstr(m.s, "is ignored"));
    skr_strbuf_fini(&o);
    skr_strbuf_fini(&m);
}

/* Its webhook alone would leave the two pods of the wrong class where they are. */
TEST(a_changed_rule_of_the_spot_mix_replaces_pods_of_the_wrong_class)
{
    static const char nodes[] =
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Node, metadata: {name: od, labels: {"
        "node.kubernetes.io/capacity: on-demand}}, status: {allocatable: {cpu: 9, pods: 9}, "
        "conditions: [{type: Ready, status: 'True'}]}}\n"
        "- {apiVersion: v1, kind: Node, metadata: {name: sp, labels: {"
        "node.kubernetes.io/capacity: spot}}, status: {allocatable: {cpu: 9, pods: 9}, "
        "conditions: [{type: Ready, status: 'True'}]}}\n---\n";
    static const char web[] =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {"
        "cloudpilot.ai/webhook-scheduler: 'true', "
        "cloudpilot.ai/webhook-scheduler-max-on-demand-count: '1'}}\n"
        "spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {"
        "app: web}}, spec: {containers: [{name: c, image: c}]}}}\n---\n";
    static const char change[] =
        SCENARIO "- {at: 60s, patch: {kind: Deployment, name: web, metadata: {labels: {"
                 "cloudpilot.ai/webhook-scheduler-max-on-demand-count: '3'}}}}\n";
    char text[4096];
    struct skr_strbuf out, messages;
    snprintf(text, sizeof text, "%s%s%s", nodes, web, change);
    assert_int_equal(simulate(text, &out, &messages), SKR_EXIT_OK);
    assert_non_null(strstr(out.s, "at most 3 on-demand"));
    assert_non_null(strstr(out.s, "3 of 3  od 3"));
    assert_non_null(strstr(out.s, "1 of 1  sp 1"));
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&messages);
}
