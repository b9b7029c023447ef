/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that are stuck, each for a bottleneck that is written down by hand: explain names it,
 * and every change it prints, carried out in the files, places the group in `sakkara simulate`.
 */
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/explain_scenarios.h"
#include "test/unit/explain_ways.h"
#include "topology/base/json_field.h"

static bool names(const json_t *domain, const char *blocker)
{
    static const char *const kinds[] = {"group", "pod", "node"};
    const json_t *list = json_object_get(domain, "blockedBy"), *item;
    size_t i;
    json_array_foreach(list, i, item)
    {
        for (size_t k = 0; k < 3; k++) {
            if (strcmp(skr_object_text(item, kinds[k]), blocker) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void complain(const struct explain_scenario *s, const json_t *x, const char *what)
{
    char *text = json_dumps(x, JSON_INDENT(1));
    fprintf(stderr, "%s: %s\n%s\n", s->name, what, text);
    free(text);
    fail();
}

static void assert_bottleneck(const struct explain_scenario *s, const json_t *x)
{
    const json_t *domain = json_array_get(json_object_get(x, "domains"), 0);
    if (strcmp(skr_object_text(x, "reason"), s->reason) != 0 ||
        (s->resource && strcmp(skr_object_text(x, "resource"), s->resource) != 0) ||
        (s->level && strcmp(skr_object_text(x, "level"), s->level) != 0)) {
        complain(s, x, "another reason, resource or level");
    }
    if (!s->domain) {
        return;
    }
    if (strcmp(skr_object_text(domain, "name"), s->domain) != 0 ||
        json_integer_value(json_object_get(domain, "fits")) != s->fits ||
        json_integer_value(json_object_get(domain, "needs")) != s->needs) {
        complain(s, x, "another bottleneck");
    }
    if (s->blocker ? !names(domain, s->blocker)
                   : json_array_size(json_object_get(domain, "blockedBy")) != 0) {
        complain(s, x, "another blocker");
    }
}

static void assert_text(const struct explain_scenario *s, const json_t *x)
{
    const struct skr_explain_look look = {0}, all = {.verbose = true};
    SKR_STRBUF(out);
    SKR_STRBUF(whole);
    size_t lines = 0, columns = 0;
    skr_explain_write_text(x, &look, &out);
    skr_explain_write_text(x, &all, &whole);
    for (size_t i = 0; i < out.len; i++) {
        columns = out.s[i] == '\n' ? 0 : columns + 1;
        lines += out.s[i] == '\n';
        if (columns > SKR_PAGE_WIDTH) {
            complain(s, x, out.s);
        }
    }
    if (lines > SKR_EXPLAIN_LINES || !strstr(out.s, skr_object_text(x, "reason"))) {
        complain(s, x, out.s);
    }
    if (s->row && !strstr(whole.s, s->row)) {
        complain(s, x, whole.s);
    }
}

static void assert_places(const struct explain_scenario *s, const json_t *files, const json_t *x,
                          const json_t *relaxation)
{
    json_auto_t *group = explain_ways_apply(files, relaxation);
    if (strcmp(skr_object_text(group, "status"), "Bound") != 0 ||
        skr_object_text(group, "reason")[0]) {
        print_error("%s: %s does not help: %s %s\n", s->name, skr_object_text(relaxation, "text"),
                    skr_object_text(group, "reason"), skr_object_text(group, "message"));
        complain(s, x, "it should");
    }
}

/* ---- tests ---- */

TEST(the_bottleneck_is_named_and_what_is_said_to_help_places_the_group)
{
    size_t n_changes = 0;
    for (size_t k = 0; k < n_explain_scenarios; k++) {
        const struct explain_scenario *s = &explain_scenarios[k];
        json_t *files = explain_scenario_files(s), *x = explain_ways_explain(files), *relaxation;
        bool helps = false;
        size_t i;
        assert_bottleneck(s, x);
        assert_text(s, x);
        json_array_foreach(json_object_get(x, "relaxations"), i, relaxation)
        {
            helps = helps || (s->helps && (s->n_ways == 0 || i == 0) &&
                              strcmp(skr_object_text(relaxation, "text"), s->helps) == 0);
            assert_places(s, files, x, relaxation);
            n_changes++;
        }
        if (s->sentence && strcmp(skr_object_text(x, "sentence"), s->sentence) != 0) {
            complain(s, x, "another sentence");
        }
        if (s->helps ? !helps || (s->n_ways > 0 && i != s->n_ways) : i > 0) {
            complain(s, x, s->helps ? s->helps : "nothing should help");
        }
        json_decref(x);
        json_decref(files);
    }
    assert_true(n_explain_scenarios >= 30);
    print_message("%zu stuck groups, %zu ways out, all of them work\n", n_explain_scenarios,
                  n_changes);
}

TEST(simulate_ends_with_the_same_sentence_as_explain)
{
    for (size_t k = 0; k < n_explain_scenarios; k++) {
        int code;
        json_t *files = explain_scenario_files(&explain_scenarios[k]),
               *x = explain_ways_explain(files);
        json_auto_t *group = explain_ways_simulate(files, NULL, 0, &code);
        assert_int_equal(code, SKR_EXIT_NOT_PLACED);
        assert_string_equal(skr_object_text(group, "reason"), explain_scenarios[k].reason);
        assert_string_equal(skr_object_text(group, "message"), skr_object_text(x, "sentence"));
        json_decref(x);
        json_decref(files);
    }
}

/* ---- the command ---- */

static int run_command(char **argv, int argc, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_call call;
    int code = skr_cli_parse(&skr_commands, argc, argv, &call, messages);
    if (code == SKR_EXIT_OK) {
        code = call.command->run(&call, out, messages);
    }
    skr_call_fini(&call);
    return code;
}

TEST(readme_shows_what_the_command_prints)
{
    char *argv[] = {"explain", "a-3", "--file", "docs/stuck-group.yaml"};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    SKR_STRBUF(block);
    assert_int_equal(run_command(argv, 4, &out, &messages), SKR_EXIT_NOT_PLACED);
    assert_int_equal(messages.len, 0);
    skr_strbuf_addf(&block, "```text\n%s```\n", out.s);
    SKR_AUTO_FREE char *readme = golden_read("README.md");
    if (!strstr(readme, block.s)) {
        fail_msg("README.md does not have\n%s", block.s);
    }
}

/* What stands behind "Next:" there, run. */
TEST(the_next_command_of_readme_places_the_group)
{
    char *argv[] = {"simulate", "-f", "docs/stuck-group.yaml", "--set",
                    "a-3:constraints.rack.hard=false"};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    assert_int_equal(run_command(argv, 5, &out, &messages), SKR_EXIT_OK);
    assert_non_null(strstr(out.s, "4 of 4 groups bound"));
}

TEST(exit_codes_say_placed_not_placed_not_found)
{
    static const struct {
        const char *group;
        int code;
    } cases[] = {{"a-0", SKR_EXIT_OK}, {"a-3", SKR_EXIT_NOT_PLACED}, {"x", SKR_EXIT_NOT_FOUND}};
    static char *const formats[] = {"text", "json", "yaml"};
    for (size_t i = 0; i < 9; i++) {
        char name[8];
        snprintf(name, sizeof name, "%s", cases[i / 3].group);
        char *argv[] = {"explain", name, "--file", "docs/stuck-group.yaml", "-o", formats[i % 3]};
        SKR_STRBUF(out);
        SKR_STRBUF(messages);
        assert_int_equal(run_command(argv, 6, &out, &messages), cases[i / 3].code);
        assert_int_equal(out.len > 0, cases[i / 3].code != SKR_EXIT_NOT_FOUND);
    }
    char *nowhere[] = {"explain", "a-3", "--server", "http://127.0.0.1:1"};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    assert_int_equal(run_command(nowhere, 4, &out, &messages), SKR_EXIT_UNREACHABLE);
}

TEST(a_set_that_makes_no_sense_is_refused_with_its_text)
{
    static const struct {
        const char *set;
        int code;
        const char *message;
    } cases[] = {
        {"a-3", SKR_EXIT_USAGE, "--set a-3: it is [NAMESPACE/]GROUP:PATH=VALUE\n"},
        {"a-3:size", SKR_EXIT_USAGE, "--set a-3:size: it is [NAMESPACE/]GROUP:PATH=VALUE\n"},
        {"a-3:size=\xff", SKR_EXIT_USAGE, "--set: the text is not UTF-8\n"},
        {"x:size=1", SKR_EXIT_NOT_FOUND, "--set x:size=1: no group default/x in the files\n"},
        {"y/a-3:size=1", SKR_EXIT_NOT_FOUND, "--set y/a-3:size=1: no group y/a-3 in the files\n"},
        {"a-3:size=none", SKR_EXIT_ERROR,
         "--set a-3:size=none: size: 1:1: must be a decimal integer, got \"none\"\n"},
        {"a-3:name=x", SKR_EXIT_ERROR,
         "--set a-3:name=x: the path is size, minimum, step, priority, within, "
         "constraints.LEVEL.KEY, or of "
         "roles: "
         "roles.ROLE.size, constraints.roles.ROLE.LEVEL.KEY, constraints.sets.N\n"},
        {"a-3:roles.w.size=1", SKR_EXIT_ERROR,
         "--set a-3:roles.w.size=1: key roles has no role \"w\"\n"},
        {"a-3:constraints.sets.0=null", SKR_EXIT_ERROR,
         "--set a-3:constraints.sets.0=null: constraints has 0 sets, the first is 0\n"},
        {"a-3:constraints.rack=1", SKR_EXIT_ERROR,
         "--set a-3:constraints.rack=1: the path is size, minimum, step, priority, within, "
         "constraints.LEVEL.KEY, "
         "or of roles: roles.ROLE.size, constraints.roles.ROLE.LEVEL.KEY, constraints.sets.N\n"},
        {"a-3:constraints.rack.hard=7", SKR_EXIT_ERROR,
         "--set a-3:constraints.rack.hard=7: constraints: 1:35: \"hard\" must be true or false, "
         "got 7\n"},
        {"a-3:constraints.rac.hard=true", SKR_EXIT_ERROR,
         "--set a-3:constraints.rac.hard=true: no level \"rac\" (did you mean \"rack\"?); the tree "
         "has rack, node\n"},
        {"a-3:constraints.rac.hard=null", SKR_EXIT_ERROR,
         "--set a-3:constraints.rac.hard=null: no level \"rac\" (did you mean \"rack\"?); the tree "
         "has rack, node\n"},
        {"a-3:constraints.rack.hrad=true", SKR_EXIT_ERROR,
         "--set a-3:constraints.rack.hrad=true: constraints: 1:49: unknown member \"hrad\" of "
         "level "
         "\"rack\" (did you mean \"hard\"?)\n"},
        {"a-3:constraints.rack.type=spred", SKR_EXIT_ERROR,
         "--set a-3:constraints.rack.type=spred: type \"spred\" is neither pack nor spread (did "
         "you "
         "mean \"spread\"?)\n"},
        {"a-3:constraints.rack.max=-1", SKR_EXIT_ERROR,
         "--set a-3:constraints.rack.max=-1: \"max\" of level \"rack\" is -1: negative numbers are "
         "ignored\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char set[64];
        snprintf(set, sizeof set, "%s", cases[i].set);
        char *argv[] = {"simulate", "-f", "docs/stuck-group.yaml", "--set", set};
        SKR_STRBUF(out);
        SKR_STRBUF(messages);
        assert_int_equal(run_command(argv, 5, &out, &messages), cases[i].code);
        assert_string_equal(messages.s, cases[i].message);
    }
}
