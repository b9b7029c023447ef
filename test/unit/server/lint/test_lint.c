/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lint: broken files of test/lint against what is to be said about them (NAME.txt beside NAME.yaml,
 * NAME.json or the folder NAME), good files in silence, the three forms, the reference's table.
 * UPDATE=1 writes the expected texts instead.
 */
#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>
#include <time.h>

#include "server/lint/lint.h"
#include "server/manifest/manifest.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/scenario_file.h"
#include "topology/topology_map.h"

static void take(void *context, const char *name, const char *text, size_t n)
{
    skr_lint_add(context, name, text, n);
}

static struct skr_lint *lint_path(const char *path)
{
    struct skr_strbuf errors;
    struct skr_lint *lint = skr_lint_create();
    skr_strbuf_init(&errors);
    if (skr_manifest_files(path, take, lint, &errors) < 0) {
        fail_msg("%s", errors.s);
    }
    skr_strbuf_fini(&errors);
    (void)skr_lint_finish(lint);
    return lint;
}

static struct skr_lint *lint_text(const char *text)
{
    struct skr_lint *lint = skr_lint_create();
    skr_lint_add(lint, "f", text, strlen(text));
    (void)skr_lint_finish(lint);
    return lint;
}

static char *text_of(const struct skr_lint *lint)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_strbuf_add(&out, "");
    skr_lint_write_text(lint, &out);
    return skr_strbuf_take(&out, NULL);
}

static json_t *json_of(const struct skr_lint *lint,
                       void (*write)(const struct skr_lint *, struct skr_strbuf *))
{
    SKR_STRBUF(out);
    write(lint, &out);
    json_t *json = json_loads(out.s, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

/* ---- broken files ---- */

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && (!dot || strcmp(dot, ".txt") != 0);
}

static void compare(const char *path, const char *got)
{
    char expected_path[512];
    snprintf(expected_path, sizeof expected_path, "%s.txt", path);
    golden_check(expected_path, got);
}

/* Seen in some text: its bit. */
static bool seen[256];

static void note_codes(const struct skr_lint *lint)
{
    json_auto_t *json = json_of(lint, skr_lint_write_json);
    const json_t *list = json_object_get(json, "findings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *code = json_string_value(json_object_get(json_array_get(list, i), "code"));
        seen[skr_lint_rule_find(code)] = true;
    }
}

TEST(broken_files_are_told_with_line_column_and_code)
{
    struct dirent **entry;
    const int n = scandir("test/lint", &entry, is_case, alphasort);
    assert_true(n >= 25);
    for (int i = 0; i < n; i++) {
        char path[300];
        snprintf(path, sizeof path, "test/lint/%s", entry[i]->d_name);
        struct skr_lint *lint = lint_path(path);
        SKR_AUTO_FREE char *got = text_of(lint);
        assert_true(skr_lint_count(lint) > 0);
        note_codes(lint);
        compare(path, got);
        skr_lint_destroy(lint);
        free(entry[i]);
    }
    free(entry);
}

TEST(every_code_has_a_broken_file)
{
    for (size_t i = 0; i < skr_lint_rule_count; i++) {
        if (!seen[i]) {
            fail_msg("no file of test/lint shows %s", skr_lint_rules[i].code);
        }
    }
}

/* ---- good files ---- */

static void expect_silence(const char *path)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_path(path);
    SKR_AUTO_FREE char *got = text_of(lint);
    if (got[0] != '\0') {
        fail_msg("%s is told about:\n%s", path, got);
    }
}

static int is_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

TEST(a_file_named_twice_is_read_once)
{
    static const char map[] = "apiVersion: v1\nkind: ConfigMap\n"
                              "metadata: {name: t, labels: {sakkara.topology: ''}}\n"
                              "data: {tree: '{\"node-0\":{}}'}\n";
    struct skr_lint *lint = skr_lint_create();
    skr_lint_add(lint, "t.yaml", map, sizeof map - 1);
    skr_lint_add(lint, "t.yaml", map, sizeof map - 1);
    (void)skr_lint_finish(lint);
    SKR_AUTO_FREE char *once = text_of(lint);
    assert_null(strstr(once, "DuplicateTopology"));
    skr_lint_destroy(lint);
    lint = skr_lint_create();
    skr_lint_add(lint, "t.yaml", map, sizeof map - 1);
    skr_lint_add(lint, "copy.yaml", map, sizeof map - 1);
    (void)skr_lint_finish(lint);
    SKR_AUTO_FREE char *copied = text_of(lint);
    assert_non_null(strstr(copied, "DuplicateTopology"));
    skr_lint_destroy(lint);
}

TEST(what_is_shipped_is_told_nothing_about)
{
    expect_silence("configs");
    expect_silence("manifests");
}

/* Scenarios about broken input have their findings. */
TEST(examples_of_simulate_are_told_nothing_about)
{
    static const char *const broken[] = {"both-gang-kinds.yaml",        "duplicate-groups.yaml",
                                         "malformed-map-repaired.yaml", "malformed-map.yaml",
                                         "range-conflict.yaml",         "unequal-requests.yaml"};
    struct dirent **entry;
    const int n = scandir("test/simulate", &entry, is_yaml, alphasort);
    assert_true(n > 40);
    for (int i = 0; i < n; i++) {
        char path[300];
        bool skip = false;
        snprintf(path, sizeof path, "test/simulate/%s", entry[i]->d_name);
        for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
            skip = skip || strcmp(broken[k], entry[i]->d_name) == 0;
        }
        if (!skip) {
            struct text_file file = scenario_file_open(path);
            expect_silence(file.path);
            text_file_close(&file);
        }
        free(entry[i]);
    }
    free(entry);
}

/* The block without the indent of its fence. */
static char *without_indent(const char *block, size_t indent)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    for (const char *line = block; *line;) {
        const size_t blanks = strspn(line, " ");
        const char *from = line + (blanks < indent ? blanks : indent);
        const size_t n = strcspn(from, "\n");
        skr_strbuf_addn(&out, from, n);
        skr_strbuf_addc(&out, '\n');
        line = from + n + (from[n] == '\n' ? 1 : 0);
    }
    return skr_strbuf_take(&out, NULL);
}

static void expect_silence_about(const char *document, const char *block, size_t indent)
{
    SKR_AUTO_FREE char *text = without_indent(block, indent);
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_text(text);
    SKR_AUTO_FREE char *got = text_of(lint);
    if (got[0] != '\0') {
        fail_msg("%s:%s\n%s", document, got, text);
    }
}

/* ```yaml blocks with a kind. */
TEST(examples_of_the_documents_are_told_nothing_about)
{
    static const char *const documents[] = {
        "README.md",          "docs/from-coscheduling.md", "docs/guide.md",    "docs/on-demand.md",
        "docs/operations.md", "docs/reference.md",         "docs/workloads.md"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        char *text = golden_read(documents[i]), *at = text, *end;
        while ((at = strstr(at, "```yaml\n")) && (end = strstr(at + 8, "```"))) {
            *end = '\0';
            /* Sketches have dots where something is left out. */
            if (strstr(at, "kind: ") && strstr(at, "apiVersion: ") && !strstr(at, "\xE2\x80\xA6")) {
                size_t indent = 0;
                while (at - indent > text && at[-1 - (ptrdiff_t)indent] == ' ') {
                    indent++;
                }
                expect_silence_about(documents[i], at + 8, indent);
                found++;
            }
            at = end + 1;
        }
        free(text);
    }
    assert_true(found > 0);
}

/* ---- forms ---- */

TEST(json_has_what_the_text_has)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_path("test/lint/several");
    json_auto_t *json = json_of(lint, skr_lint_write_json);
    const json_t *list = json_object_get(json, "findings");
    assert_int_equal(json_array_size(list), skr_lint_count(lint));
    assert_int_equal(json_integer_value(json_object_get(json, "files")), 3);
    const json_t *first = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(first, "code")), "UnknownLevel");
    assert_string_equal(json_string_value(json_object_get(first, "severity")), "warning");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 9);
    assert_int_equal(json_integer_value(json_object_get(first, "column")), 6);
    assert_string_equal(json_string_value(json_object_get(json_object_get(first, "see"), "file")),
                        "test/lint/several/topology.yaml");
}

static const char *string_at(const json_t *json, const char *a, const char *b)
{
    const char *text = json_string_value(json_object_get(json_object_get(json, a), b));
    assert_non_null(text);
    return text;
}

/* The properties that SARIF 2.1.0 asks for, and where code scanning looks. */
TEST(sarif_has_rules_with_help_and_results_with_regions)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_path("test/lint/several");
    json_auto_t *json = json_of(lint, skr_lint_write_sarif);
    assert_string_equal(json_string_value(json_object_get(json, "version")), "2.1.0");
    const json_t *one = json_array_get(json_object_get(json, "runs"), 0);
    const json_t *driver = json_object_get(json_object_get(one, "tool"), "driver");
    const json_t *rules = json_object_get(driver, "rules");
    assert_non_null(json_string_value(json_object_get(driver, "name")));
    assert_int_equal(json_array_size(rules), skr_lint_rule_count);
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        assert_string_equal(json_string_value(json_object_get(rule, "id")), skr_lint_rules[i].code);
        assert_true(string_at(rule, "help", "text")[0] != '\0');
        assert_true(string_at(rule, "shortDescription", "text")[0] != '\0');
    }
    const json_t *results = json_object_get(one, "results");
    assert_int_equal(json_array_size(results), skr_lint_count(lint));
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        const json_t *rule =
            json_array_get(rules, (size_t)json_integer_value(json_object_get(result, "ruleIndex")));
        assert_string_equal(json_string_value(json_object_get(result, "ruleId")),
                            json_string_value(json_object_get(rule, "id")));
        assert_non_null(string_at(result, "message", "text"));
        const json_t *place = json_object_get(
            json_array_get(json_object_get(result, "locations"), 0), "physicalLocation");
        assert_memory_equal(string_at(place, "artifactLocation", "uri"), "test/lint/several/", 18);
        const json_t *region = json_object_get(place, "region");
        assert_true(json_integer_value(json_object_get(region, "startLine")) >= 1);
        assert_true(json_integer_value(json_object_get(region, "startColumn")) >= 1);
    }
}

TEST(a_clean_file_is_an_empty_result_in_every_form)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_path("configs");
    json_auto_t *json = json_of(lint, skr_lint_write_json);
    json_auto_t *sarif = json_of(lint, skr_lint_write_sarif);
    const json_t *run = json_array_get(json_object_get(sarif, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(json, "findings")), 0);
    assert_true(json_is_array(json_object_get(run, "results")));
    assert_int_equal(json_array_size(json_object_get(run, "results")), 0);
}

/* ---- limits and selection ---- */

TEST(findings_beyond_the_limit_are_counted)
{
    SKR_STRBUF(text);
    for (int i = 0; i < SKR_LINT_FINDINGS_MAX + 20; i++) {
        skr_strbuf_add(&text, "kind: X\n---\n");
    }
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_text(text.s);
    SKR_AUTO_FREE char *got = text_of(lint);
    assert_non_null(strstr(got, "f: 20 more findings left out\n1 file, 120 errors, 0 warnings\n"));
}

TEST(configurations_in_maps_have_a_limit)
{
    SKR_STRBUF(text);
    skr_strbuf_add(&text, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n");
    for (int i = 0; i <= SKR_LINT_NESTED_MAX; i++) {
        skr_strbuf_addf(&text, "  k%d: \"apiVersion: sakkara/v1\\nkind: SakkaraConfiguration\"\n",
                        i);
    }
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_text(text.s);
    SKR_AUTO_FREE char *got = text_of(lint);
    assert_string_equal(got,
                        "f:69:8: error: more than 64 configurations in ConfigMaps: no more are "
                        "read [Limit]\n1 file, 1 error, 0 warnings\n");
}

TEST(one_map_of_a_dump_is_told_about_alone)
{
    static const char dump[] =
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: t, labels: {sakkara.topology: ''}},\n"
        "   data: {tree: '{\"rack-0\":{\"n\":{}}}'}}\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: g, labels: {sakkara.group: ''}},\n"
        "   data: {name: g, constraints: '{\"rak\":{}}'}}\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: h, labels: {sakkara.group: ''}},\n"
        "   data: {name: h, size: x}}\n";
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = skr_lint_create();
    skr_lint_add(lint, "dump", dump, strlen(dump));
    skr_lint_select(lint, "", "g");
    assert_int_equal(skr_lint_finish(lint), 1);
    SKR_AUTO_FREE char *got = text_of(lint);
    assert_string_equal(
        got, "dump:7:35: warning: constraints: no level \"rak\" (did you mean \"rack\"?); "
             "the tree has rack, node (see 5:10) [UnknownLevel]\n"
             "1 file, 0 errors, 1 warning\n");
}

/* ---- cost ---- */

/* Of the processor: other programs take theirs. */
static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static void write_large_map(struct skr_strbuf *text)
{
    skr_strbuf_add(text, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t, labels: "
                         "{sakkara.topology: \"\"}}\ndata:\n  tree: |\n    {\n");
    for (int rack = 0; rack < 500; rack++) {
        skr_strbuf_addf(text, "      \"rack-%d\": {\n", rack);
        for (int node = 0; node < 20; node++) {
            skr_strbuf_addf(text, "        \"node-%d\": {}%s\n", rack * 20 + node,
                            node < 19 ? "," : "");
        }
        skr_strbuf_addf(text, "      }%s\n", rack < 499 ? "," : "");
    }
    skr_strbuf_add(text, "    }\n");
}

static double best_of(int n, void (*work)(const struct skr_strbuf *), const struct skr_strbuf *text)
{
    double best = 1e9;
    for (int i = 0; i < n; i++) {
        struct timespec begin;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        work(text);
        const double took = seconds_since(&begin);
        best = took < best ? took : best;
    }
    return best;
}

static void only_read(const struct skr_strbuf *text)
{
    struct skr_manifests m;
    SKR_STRBUF(errors);
    SKR_AUTO(skr_configmap_destroy) struct skr_configmap *map = NULL;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    skr_manifests_init(&m);
    assert_int_equal(skr_manifests_parse(&m, "f", text->s, text->len, NULL, NULL, &errors), 0);
    assert_int_equal(skr_configmap_decode(m.item[0].object, &map, NULL), 0);
    assert_int_equal(skr_topology_map_parse(&map->data, &tree, NULL, NULL), 0);
    assert_int_equal(tree->n_leaves, 10000);
    skr_manifests_fini(&m);
}

static void read_and_lint(const struct skr_strbuf *text)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = lint_text(text->s);
    assert_int_equal(skr_lint_count(lint), 0);
}

/* Lint of ten thousand nodes is little more than reading them: reading takes some 10 ms. */
TEST(ten_thousand_nodes_cost_little_more_than_reading_them)
{
    SKR_STRBUF(text);
    write_large_map(&text);
    const double read = best_of(5, only_read, &text);
    const double lint = best_of(5, read_and_lint, &text);
    print_message("10,000 nodes: read %.1f ms, lint %.1f ms\n", read * 1e3, lint * 1e3);
    assert_true(lint < 4 * read);
}

/* ---- documents ---- */

TEST(the_table_is_in_order_and_complete_in_its_page)
{
    SKR_AUTO_FREE char *reference = golden_read("docs/lint.md");
    for (size_t i = 0; i < skr_lint_rule_count; i++) {
        const struct skr_lint_rule *rule = &skr_lint_rules[i];
        char row[512];
        assert_true(i == 0 || strcmp(skr_lint_rules[i - 1].code, rule->code) < 0);
        snprintf(row, sizeof row, "| `%s` | %s | %s | %s |\n", rule->code,
                 rule->is_warning ? "warning" : "error", rule->text, rule->cure);
        if (!strstr(reference, row)) {
            fail_msg("docs/lint.md lacks:\n%s", row);
        }
    }
}
