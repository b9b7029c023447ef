/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that are stuck, each for a bottleneck that is written down by hand: explain names it,
 * and every change it prints, carried out in the files, places the group in `sakkara simulate`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/client/source.h"
#include "server/exit_code.h"
#include "server/explain_text.h"
#include "server/simulate.h"
#include "test/unit/explain_scenarios.h"
#include "topology/arena.h"

/* ---- explain ---- */

static json_t *explain(const json_t *files)
{
    struct skr_dump *dump = NULL;
    struct skr_strbuf messages, out;
    struct skr_error error = {0};
    const struct skr_view_query query = {.path = "/v1/explain/default/g"};
    char *text = json_dumps(files, 0);
    skr_strbuf_init(&messages);
    skr_strbuf_init(&out);
    assert_int_equal(skr_dump_parse("dump", text, strlen(text), &dump, &messages, &error), 0);
    assert_int_equal(skr_source_dump(dump, &query, &out, &error), 0);
    json_t *x = json_loads(out.s, 0, NULL);
    assert_non_null(x);
    skr_dump_destroy(dump);
    skr_strbuf_fini(&messages);
    skr_strbuf_fini(&out);
    free(text);
    return x;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool names(const json_t *domain, const char *blocker)
{
    static const char *const kinds[] = {"group", "pod", "node"};
    const json_t *list = json_object_get(domain, "blockedBy"), *item;
    size_t i;
    json_array_foreach(list, i, item)
    {
        for (size_t k = 0; k < 3; k++) {
            if (strcmp(text_of(item, kinds[k]), blocker) == 0) {
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
    if (strcmp(text_of(x, "reason"), s->reason) != 0 ||
        strcmp(text_of(x, "resource"), s->resource) != 0 ||
        strcmp(text_of(x, "level"), s->level) != 0) {
        complain(s, x, "another reason, resource or level");
    }
    if (!s->domain) {
        return;
    }
    if (strcmp(text_of(domain, "name"), s->domain) != 0 ||
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
    const struct skr_explain_look look = {0};
    struct skr_strbuf out;
    size_t lines = 0, columns = 0;
    skr_strbuf_init(&out);
    skr_explain_write_text(x, &look, &out);
    for (size_t i = 0; i < out.len; i++) {
        columns = out.s[i] == '\n' ? 0 : columns + 1;
        lines += out.s[i] == '\n';
        if (columns > SKR_EXPLAIN_COLUMNS) {
            complain(s, x, out.s);
        }
    }
    if (lines > SKR_EXPLAIN_LINES || !strstr(out.s, text_of(x, "reason"))) {
        complain(s, x, out.s);
    }
    skr_strbuf_fini(&out);
}

/* ---- simulate ---- */

/* Group g's row of the result. */
static json_t *simulate(const json_t *files, const char *const *set, size_t n_sets, int *ret_code)
{
    const struct skr_simulate_options options = {
        .until = SKR_TIME_NEVER, .json = true, .set = set, .n_sets = n_sets};
    struct skr_strbuf out, messages;
    char *text = json_dumps(files, 0);
    json_t *found = NULL, *group;
    size_t i;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    *ret_code = skr_simulate_text(&options, "f.json", text, &out, &messages);
    if (*ret_code != SKR_EXIT_OK && *ret_code != SKR_EXIT_NOT_PLACED) {
        print_error("%s\n", messages.s);
        fail();
    }
    json_t *result = json_loads(out.s, 0, NULL);
    json_array_foreach(json_object_get(result, "groups"), i, group)
    {
        if (strcmp(text_of(group, "name"), "g") == 0) {
            found = json_incref(group);
        }
    }
    json_decref(result);
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&messages);
    free(text);
    return found;
}

static json_t *find_node(const json_t *files, const char *name)
{
    const json_t *items = json_object_get(files, "items");
    json_t *item;
    size_t i;
    json_array_foreach(items, i, item)
    {
        if (strcmp(text_of(item, "kind"), "Node") == 0 &&
            strcmp(text_of(json_object_get(item, "metadata"), "name"), name) == 0) {
            return item;
        }
    }
    fail_msg("no node %s", name);
    return NULL;
}

/* The node grows by what should become free on it. */
static void apply_free(const json_t *files, const json_t *change)
{
    const json_t *amounts = json_object_get(change, "amounts"), *amount;
    const json_t *status = json_object_get(find_node(files, text_of(change, "node")), "status");
    json_t *allocatable = json_object_get(status, "allocatable");
    const char *resource;
    json_object_foreach((json_t *)(uintptr_t)amounts, resource, amount)
    {
        int64_t have = 0;
        char text[32];
        struct skr_error error;
        assert_int_equal(
            skr_resource_parse(resource, text_of(allocatable, resource), &have, &error), 0);
        snprintf(text, sizeof text, "%lld%s", (long long)(have + json_integer_value(amount)),
                 strcmp(resource, "cpu") == 0 ? "m" : "");
        json_object_set_new(allocatable, resource, json_string(text));
    }
}

static void apply_usable(const json_t *files, const json_t *change)
{
    json_t *node = find_node(files, text_of(change, "node"));
    json_object_set_new(node, "spec", json_object());
    json_object_set_new(json_object_get(node, "status"), "conditions",
                        json_pack("[{s:s,s:s}]", "type", "Ready", "status", "True"));
}

enum { SETS_MAX = 8, SET_BYTES = 128 };

/* A flag --set for a change of the group; others are made in the files. */
static size_t apply(const json_t *files, const json_t *changes, char set[SETS_MAX][SET_BYTES])
{
    const json_t *change;
    size_t i, n = 0;
    json_array_foreach(changes, i, change)
    {
        const char *what = text_of(change, "change");
        if (strcmp(what, "free") == 0) {
            apply_free(files, change);
        } else if (strcmp(what, "node") == 0) {
            apply_usable(files, change);
        } else {
            char *value = json_dumps(json_object_get(change, "value"), JSON_ENCODE_ANY);
            const char *path = strcmp(what, "size") == 0 ? what : text_of(change, "path");
            assert_true(n < SETS_MAX && path[0]);
            snprintf(set[n++], SET_BYTES, "g:%s=%s", path, value);
            free(value);
        }
    }
    return n;
}

static void assert_places(const struct explain_scenario *s, const json_t *files, const json_t *x,
                          const json_t *relaxation)
{
    char set[SETS_MAX][SET_BYTES];
    const char *sets[SETS_MAX];
    int code;
    json_t *changed = json_deep_copy(files);
    size_t n = apply(changed, json_object_get(relaxation, "changes"), set);
    for (size_t i = 0; i < n; i++) {
        sets[i] = set[i];
    }
    json_t *group = simulate(changed, sets, n, &code);
    if (strcmp(text_of(group, "status"), "Bound") != 0 || text_of(group, "reason")[0]) {
        print_error("%s: %s does not help: %s %s\n", s->name, text_of(relaxation, "text"),
                    text_of(group, "reason"), text_of(group, "message"));
        complain(s, x, "it should");
    }
    json_decref(group);
    json_decref(changed);
}

/* ---- tests ---- */

static void the_bottleneck_is_named_and_what_is_said_to_help_places_the_group(void **state)
{
    (void)state;
    size_t n_changes = 0;
    for (size_t k = 0; k < n_explain_scenarios; k++) {
        const struct explain_scenario *s = &explain_scenarios[k];
        json_t *files = explain_scenario_files(s), *x = explain(files), *relaxation;
        bool helps = false;
        size_t i;
        assert_bottleneck(s, x);
        assert_text(s, x);
        json_array_foreach(json_object_get(x, "relaxations"), i, relaxation)
        {
            helps = helps || strcmp(text_of(relaxation, "text"), s->helps) == 0;
            assert_places(s, files, x, relaxation);
            n_changes++;
        }
        if (!helps) {
            complain(s, x, s->helps);
        }
        json_decref(x);
        json_decref(files);
    }
    assert_true(n_explain_scenarios >= 30);
    print_message("%zu stuck groups, %zu ways out, all of them work\n", n_explain_scenarios,
                  n_changes);
}

static void simulate_ends_with_the_same_sentence_as_explain(void **state)
{
    (void)state;
    for (size_t k = 0; k < n_explain_scenarios; k++) {
        int code;
        json_t *files = explain_scenario_files(&explain_scenarios[k]), *x = explain(files);
        json_t *group = simulate(files, NULL, 0, &code);
        assert_int_equal(code, SKR_EXIT_NOT_PLACED);
        assert_string_equal(text_of(group, "reason"), explain_scenarios[k].reason);
        assert_string_equal(text_of(group, "message"), text_of(x, "sentence"));
        json_decref(group);
        json_decref(x);
        json_decref(files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bottleneck_is_named_and_what_is_said_to_help_places_the_group),
        cmocka_unit_test(simulate_ends_with_the_same_sentence_as_explain),
    };
    return cmocka_run_group_tests_name("explain stuck", tests, NULL, NULL);
}
