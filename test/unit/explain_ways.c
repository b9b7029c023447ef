/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of files, and their ways out carried out in the files. */
#include "test/unit/explain_ways.h"

#include "server/client/source.h"
#include "server/exit_code.h"
#include "server/lab/simulate/simulate.h"
#include "test/test.h"
#include "test/unit/text_file.h"
#include "topology/base/json_field.h"

json_t *explain_ways_explain(const json_t *files)
{
    struct skr_dump *dump = NULL;
    struct skr_strbuf messages, out;
    struct skr_error error = {0};
    const struct skr_view_query query = {.path = "/v1/explain/default/g"};
    char *text = json_dumps(files, 0);
    skr_strbuf_init(&messages);
    skr_strbuf_init(&out);
    struct text_file file = text_file_make(text, strlen(text));
    assert_int_equal(skr_dump_read(&(const struct skr_client_options){.file = file.path}, &dump,
                                   &messages, &error),
                     0);
    text_file_close(&file);
    assert_int_equal(skr_source_dump(dump, &query, &out, &error), 0);
    json_t *x = json_loads(out.s, 0, NULL);
    assert_non_null(x);
    skr_dump_destroy(dump);
    skr_strbuf_fini(&messages);
    skr_strbuf_fini(&out);
    free(text);
    return x;
}

/* ---- simulate ---- */

/* Group g's row of the result. */
json_t *explain_ways_simulate(const json_t *files, const char *const *set, size_t n_sets,
                              int *ret_code)
{
    struct skr_strbuf out, messages;
    char *text = json_dumps(files, 0);
    struct text_file file = text_file_make(text, strlen(text));
    const char *path = file.path;
    const struct skr_simulate_options options = {.file = &path,
                                                 .n_files = 1,
                                                 .until = SKR_TIME_NEVER,
                                                 .json = true,
                                                 .set = set,
                                                 .n_sets = n_sets};
    json_t *found = NULL, *group;
    size_t i;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    *ret_code = skr_simulate_run(&options, &out, &messages);
    text_file_close(&file);
    if (*ret_code != SKR_EXIT_OK && *ret_code != SKR_EXIT_NOT_PLACED) {
        print_error("%s\n", messages.s);
        fail();
    }
    json_t *result = json_loads(out.s, 0, NULL);
    json_array_foreach(json_object_get(result, "groups"), i, group)
    {
        if (strcmp(skr_object_text(group, "name"), "g") == 0) {
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
        if (strcmp(skr_object_text(item, "kind"), "Node") == 0 &&
            strcmp(skr_object_text(json_object_get(item, "metadata"), "name"), name) == 0) {
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
    const json_t *status =
        json_object_get(find_node(files, skr_object_text(change, "node")), "status");
    json_t *allocatable = json_object_get(status, "allocatable");
    const char *resource;
    json_object_foreach((json_t *)(uintptr_t)amounts, resource, amount)
    {
        int64_t have = 0;
        char text[32];
        struct skr_error error;
        assert_int_equal(
            skr_resource_parse(resource, skr_object_text(allocatable, resource), &have, &error), 0);
        snprintf(text, sizeof text, "%lld%s", (long long)(have + json_integer_value(amount)),
                 strcmp(resource, "cpu") == 0 ? "m" : "");
        json_object_set_new(allocatable, resource, json_string(text));
    }
}

static void apply_usable(const json_t *files, const json_t *change)
{
    json_t *node = find_node(files, skr_object_text(change, "node"));
    json_object_set_new(node, "spec", json_object());
    json_object_set_new(json_object_get(node, "status"), "conditions",
                        json_pack("[{s:s,s:s}]", "type", "Ready", "status", "True"));
}

/* The group's pods are deleted, and made anew by who made them: none has a node. */
static void apply_move(const json_t *files)
{
    json_t *item;
    size_t i;
    json_array_foreach(json_object_get(files, "items"), i, item)
    {
        const json_t *labels = json_object_get(json_object_get(item, "metadata"), "labels");
        if (strcmp(skr_object_text(item, "kind"), "Pod") == 0 &&
            strcmp(skr_object_text(labels, "sakkara.group.name"), "g") == 0) {
            json_object_del(json_object_get(item, "spec"), "nodeName");
            json_object_del(item, "status");
        }
    }
}

enum { SETS_MAX = 8, SET_BYTES = 128 };

/* A flag --set for a change of the group; others are made in the files. */
static size_t apply(const json_t *files, const json_t *changes, char set[SETS_MAX][SET_BYTES])
{
    const json_t *change;
    size_t i, n = 0;
    json_array_foreach(changes, i, change)
    {
        const char *what = skr_object_text(change, "change");
        if (strcmp(what, "free") == 0) {
            apply_free(files, change);
        } else if (strcmp(what, "node") == 0) {
            apply_usable(files, change);
        } else if (strcmp(what, "move") == 0) {
            apply_move(files);
        } else {
            char *value = json_dumps(json_object_get(change, "value"), JSON_ENCODE_ANY);
            const char *path = strcmp(what, "size") == 0 ? what : skr_object_text(change, "path");
            assert_true(n < SETS_MAX && path[0]);
            snprintf(set[n++], SET_BYTES, "g:%s=%s", path, value);
            free(value);
        }
    }
    return n;
}

json_t *explain_ways_apply(const json_t *files, const json_t *relaxation)
{
    char set[SETS_MAX][SET_BYTES];
    const char *sets[SETS_MAX];
    int code;
    json_t *changed = json_deep_copy(files);
    size_t n = apply(changed, json_object_get(relaxation, "changes"), set);
    for (size_t i = 0; i < n; i++) {
        sets[i] = set[i];
    }
    json_t *group = explain_ways_simulate(changed, sets, n, &code);
    json_decref(changed);
    return group;
}
