/* SPDX-License-Identifier: Apache-2.0 */
/* The read side without a process: pages of a dump, their text, their YAML, and answers that are
 * not what they should be. */
#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "server/client/source.h"
#include "server/manifest/manifest.h"
#include "server/object/view_url.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/text_file.h"
#include "topology/base/json_field.h"

static const char *const dumps[] = {"test/views/tree.yaml", "test/views/groups.yaml",
                                    "test/views/group.yaml", "test/views/odd.yaml"};
static const char *const paths[] = {"/v1/tree", "/v1/groups", "/v1/groups/default/a-0",
                                    "/v1/groups/team-a/moved"};

static struct skr_dump *read_dump(const char *path)
{
    struct skr_dump *dump = NULL;
    SKR_STRBUF(messages);
    struct skr_error error = {0};
    if (skr_dump_read(&(const struct skr_client_options){.file = path}, &dump, &messages, &error) <
        0) {
        fail_msg("%s: %s", error.text, messages.s);
    }
    return dump;
}

/* NULL: refused; error says why. */
static json_t *ask(struct skr_dump *dump, const struct skr_view_query *query,
                   struct skr_error *error)
{
    SKR_STRBUF(out);
    json_t *json = NULL;
    if (skr_source_dump(dump, query, &out, error) == 0) {
        json = json_loads(out.s, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
    }
    return json;
}

/* Every page of every dump. */
static void each_page(void (*look)(json_t *page))
{
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        SKR_AUTO(skr_dump_destroy) struct skr_dump *dump = read_dump(dumps[i]);
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            const struct skr_view_query query = {.path = paths[k]};
            struct skr_error error;
            json_auto_t *page = ask(dump, &query, &error);
            if (page) {
                look(page);
            }
        }
    }
}

static void look_at_yaml(json_t *page)
{
    struct skr_manifests manifests;
    SKR_STRBUF(yaml);
    SKR_STRBUF(errors);
    /* Wrapped, because of a list the reader would take the items alone. */
    json_auto_t *object =
        json_pack("{s:s,s:s,s:O}", "apiVersion", "sakkara/v1", "kind", "X", "page", page);
    skr_page_write_yaml(object, &yaml);
    skr_manifests_init(&manifests);
    if (skr_manifests_parse(&manifests, "page", yaml.s, yaml.len, NULL, NULL, &errors) < 0) {
        fail_msg("%s\n%s", errors.s, yaml.s);
    }
    assert_int_equal(manifests.n, 1);
    assert_true(json_equal(manifests.item[0].object, object));
    skr_manifests_fini(&manifests);
}

TEST(yaml_reads_back_as_the_json)
{
    each_page(look_at_yaml);
}

/* Strings that YAML takes for something else when they stand plain. */
TEST(yaml_strings_stay_strings)
{
    static const char text[] =
        "{'apiVersion':'sakkara/"
        "v1','kind':'X','a':['','y','No','on','null','~','1','1e3','0x1f','1:30',"
        "'- a','a: b','a #b',' a','a ','2025-10-25','\\u0007','é','a\\nb','\\'','a-b','.5','_1',"
        "'=','<<','%','@a','!x','&a','*a','[a]','{a}','|','>','?','-'],'b':[[],{},[[1,[2]],{'c':"
        "[]}]],'1':true,'no':null,'x y':-1.5}";
    json_auto_t *json = json_text_load(text);
    look_at_yaml(json);
}

/* ---- answers that are none ---- */

static void render_all(json_t *page)
{
    const struct skr_render how = {.ascii = false};
    SKR_STRBUF(out);
    SKR_STRBUF(notes);
    struct skr_error error;
    struct skr_groups_table table;
    const json_t *item;
    size_t i;
    skr_render_tree(page, &how, &out, &notes, &error);
    skr_render_group(page, &how, &out, &error);
    skr_groups_table_init(&table, true, true, true);
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        if (skr_groups_table_add(&table, item, skr_page_time(page, "time"), &error) < 0) {
            break;
        }
    }
    skr_text_table_write(&table.table, &out);
    for (size_t k = 0; k < out.len; k++) {
        assert_true((unsigned char)out.s[k] >= 0x20 || out.s[k] == '\n' || out.s[k] == '\033');
    }
    skr_groups_table_fini(&table);
}

static json_t *wrong_value(size_t i)
{
    static const char *const values[] = {"null",
                                         "-1",
                                         "9223372036854775807",
                                         "'a b\\u001b[31m\\u009b'",
                                         "[]",
                                         "{}",
                                         "[[1],{}]",
                                         "true",
                                         "{'pods':1,'name':'x','children':[{}]}",
                                         "-9223372036854775808"};
    char *text = json_text_quote(values[i % (sizeof values / sizeof *values)]);
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    free(text);
    assert_non_null(json);
    return json;
}

/* Each value below this one, in turn, replaced by each wrong one. */
static void break_each(json_t *page, json_t *at)
{
    const char *key;
    json_t *value;
    void *next;
    for (size_t i = 0; json_is_array(at) && i < json_array_size(at) && i < 3; i++) {
        value = json_incref(json_array_get(at, i));
        for (size_t k = 0; k < 10; k++) {
            json_array_set_new(at, i, wrong_value(k));
            render_all(page);
        }
        json_array_set(at, i, value);
        break_each(page, value);
        json_decref(value);
    }
    json_object_foreach_safe(at, next, key, value)
    {
        json_incref(value);
        for (size_t k = 0; k < 10; k++) {
            json_object_set_new(at, key, wrong_value(k));
            render_all(page);
        }
        json_object_set(at, key, value);
        break_each(page, value);
        json_decref(value);
    }
}

static void look_at_broken(json_t *page)
{
    json_auto_t *copy = json_deep_copy(page);
    render_all(copy);
    break_each(copy, copy);
    assert_true(json_equal(copy, page));
}

TEST(no_answer_is_too_wrong_to_be_refused)
{
    each_page(look_at_broken);
}

TEST(a_tree_without_end_is_refused)
{
    SKR_STRBUF(text);
    SKR_STRBUF(out);
    SKR_STRBUF(notes);
    const struct skr_render how = {.ascii = true};
    struct skr_error error;
    skr_strbuf_add(&text, "{\"resource\":\"cpu\",\"root\":");
    for (int i = 0; i < 100; i++) {
        skr_strbuf_add(&text, "{\"name\":\"u\",\"slots\":1,\"allocatable\":{},\"children\":[");
    }
    for (int i = 0; i < 100; i++) {
        skr_strbuf_add(&text, "]}");
    }
    skr_strbuf_addc(&text, '}');
    json_auto_t *page = json_loads(text.s, 0, NULL);
    assert_non_null(page);
    assert_int_equal(skr_render_tree(page, &how, &out, &notes, &error), -SKR_INVALID);
    assert_string_equal(error.text, "the answer's tree has more than 16 levels");
}

/* ---- questions ---- */

static const struct {
    struct skr_view_query query;
    const char *target;
} targets[] = {
    {{.path = "/v1/tree"}, "/v1/tree"},
    {{.path = "/v1/groups/a/b c?#%"}, "/v1/groups/a/b%20c%3F%23%25"},
    {{.path = "/v1/tree", .argument = {[SKR_VIEW_DOMAIN] = "zone a/r0", [SKR_VIEW_SLOT] = "gpu=2"}},
     "/v1/tree?domain=zone%20a%2Fr0&slot=gpu%3D2"},
    {{.path = "/v1/groups",
      .argument = {[SKR_VIEW_NAMESPACE] = "n&x", [SKR_VIEW_SELECTOR] = "a in (b,\xc3\xa9)"}},
     "/v1/groups?namespace=n%26x&labelSelector=a%20in%20%28b%2C%C3%A9%29"},
};

TEST(questions_are_escaped)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        SKR_STRBUF(out);
        skr_view_url_write(&targets[i].query, &out);
        assert_string_equal(out.s, targets[i].target);
    }
}

static const struct {
    const char *path, *resource, *slot, *domain;
    enum skr_error_code code;
    const char *text;
} refusals[] = {
    {"/v1", NULL, NULL, NULL, SKR_NOT_FOUND, "no such path"},
    {"/v1/trees", NULL, NULL, NULL, SKR_NOT_FOUND, "no such path"},
    {"/v1/tree/rack-0", NULL, NULL, NULL, SKR_NOT_FOUND, "nothing below /v1/tree"},
    {"/v1/groups/a-0", NULL, NULL, NULL, SKR_NOT_FOUND, "NAMESPACE/NAME"},
    {"/v1/groups//a-0", NULL, NULL, NULL, SKR_NOT_FOUND, "NAMESPACE/NAME"},
    {"/v1/groups/a/b/c", NULL, NULL, NULL, SKR_NOT_FOUND, "no group \"b/c\" in namespace \"a\""},
    {"/v1/groups/default/x", NULL, NULL, NULL, SKR_NOT_FOUND,
     "no group \"x\" in namespace \"default\""},
    {"/v1/tree", "gup", NULL, NULL, SKR_NOT_FOUND, "no node has a resource \"gup\""},
    {"/v1/tree", NULL, "gpu", NULL, SKR_INVALID, "\"gpu\" is not RESOURCE=QUANTITY"},
    {"/v1/tree", NULL, "=2", NULL, SKR_INVALID, "\"=2\" is not RESOURCE=QUANTITY"},
    {"/v1/tree", NULL, "gpu=0", NULL, SKR_INVALID, "\"gpu=0\" asks for nothing"},
    {"/v1/tree", NULL, "gpu=-1", NULL, SKR_INVALID, "slot: "},
    {"/v1/tree", NULL, "gpu=1,gpu=2", NULL, SKR_INVALID, "names a resource again"},
    {"/v1/tree", NULL, "cpu=1,,gpu=1", NULL, SKR_INVALID, "\"\" is not RESOURCE=QUANTITY"},
    {"/v1/tree", NULL, NULL, "rack-9", SKR_NOT_FOUND, "no domain or node \"rack-9\" in the tree"},
    {"/v1/tree", NULL, NULL, "rack-0/node-8", SKR_NOT_FOUND, "no domain or node"},
};

TEST(what_cannot_be_answered_says_why)
{
    SKR_AUTO(skr_dump_destroy) struct skr_dump *dump = read_dump("test/views/tree.yaml");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct skr_view_query query = {
            .path = refusals[i].path,
            .argument = {[SKR_VIEW_RESOURCE] = refusals[i].resource,
                         [SKR_VIEW_SLOT] = refusals[i].slot,
                         [SKR_VIEW_DOMAIN] = refusals[i].domain}};
        struct skr_error error = {0};
        assert_null(ask(dump, &query, &error));
        if (error.code != refusals[i].code || !strstr(error.text, refusals[i].text)) {
            fail_msg("%zu: %d: %s", i, (int)error.code, error.text);
        }
    }
}

/* A node that is closed to the pods of a role has no slots for them. */
TEST(a_slot_may_be_a_pod_of_a_role)
{
    static const struct {
        const char *slot, *text; /* text NULL: an answer */
        int64_t slots;
    } rows[] = {
        {"worker@serve", NULL, 10},
        {"leader@default/serve", NULL, 10},
        {"wrker@serve", "group default/serve has no role \"wrker\", its roles: leader, worker", 0},
        {"worker@srve", "there is no group \"srve\"", 0},
        {"worker@", "there is no group \"\"", 0},
        {"@serve", "has no role \"\"", 0},
    };
    SKR_AUTO(skr_dump_destroy) struct skr_dump *dump = read_dump("test/views/roles.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct skr_view_query query = {.path = "/v1/tree",
                                             .argument = {[SKR_VIEW_SLOT] = rows[i].slot}};
        struct skr_error error = {0};
        json_auto_t *page = ask(dump, &query, &error);
        if (!page == !rows[i].text || (!page && !strstr(error.text, rows[i].text))) {
            fail_msg("%s: %s", rows[i].slot, error.text);
        }
        if (page) {
            assert_int_equal(skr_page_int(json_object_get(page, "root"), "slots"), rows[i].slots);
        }
    }
}

TEST(an_engine_that_does_not_know_yet_says_so)
{
    struct skr_settings settings;
    struct skr_actions actions;
    SKR_STRBUF(out);
    const struct skr_view_query query = {.path = "/v1/tree"};
    skr_settings_default(&settings);
    skr_actions_init(&actions);
    struct skr_engine *engine = skr_engine_create(&skr_gang_scheduler, &settings, NULL);
    struct skr_gang *gang = skr_engine_self(engine);
    assert_int_equal(skr_gang_view(gang, &query, SKR_SECOND, &out), 503);
    assert_non_null(strstr(out.s, "\"message\":\"sakkara: not ready"));
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED}, lost = {.kind = SKR_EVENT_LEADER_LOST};
    skr_engine_handle(engine, &synced, SKR_SECOND, &actions);
    skr_strbuf_reset(&out);
    assert_int_equal(skr_gang_view(gang, &query, SKR_SECOND, &out), 404);
    assert_non_null(strstr(out.s, "there is no tree"));
    skr_engine_handle(engine, &lost, SKR_SECOND, &actions);
    skr_strbuf_reset(&out);
    assert_int_equal(skr_gang_view(gang, &query, SKR_SECOND, &out), 503);
    assert_non_null(strstr(out.s, "not leader"));
    skr_actions_fini(&actions);
    skr_engine_destroy(engine);
}

/* More resources than an answer has room for: what decides about slots counts all the same. */
TEST(a_tree_of_many_resources_still_counts_pods)
{
    SKR_STRBUF(text);
    SKR_STRBUF(messages);
    SKR_AUTO(skr_dump_destroy) struct skr_dump *dump = NULL;
    struct skr_error error = {0};
    const struct skr_view_query query = {.path = "/v1/tree",
                                         .argument = {[SKR_VIEW_SLOT] = "cpu=1m"}};
    skr_strbuf_add(&text,
                   "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"ConfigMap\","
                   "\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t\",\"namespace\":\"x\","
                   "\"labels\":{\"sakkara.topology\":\"\"}},\"data\":{\"tree\":\"{\\\"n\\\":{}}\","
                   "\"resource-names\":\"[");
    for (int i = 0; i < 100; i++) {
        skr_strbuf_addf(&text, "%s\\\"example.com/r%d\\\"", i ? "," : "", i);
    }
    skr_strbuf_add(&text,
                   "]\"}},{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"},"
                   "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"pods\":\"7\"}}}]}");
    struct text_file file = text_file_make(text.s, text.len);
    if (skr_dump_read(&(const struct skr_client_options){.file = file.path}, &dump, &messages,
                      &error) < 0) {
        fail_msg("%s", messages.s);
    }
    text_file_close(&file);
    json_auto_t *page = ask(dump, &query, &error);
    if (!page) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(skr_page_int(json_object_get(page, "root"), "slots"), 7);
}

/* A tree of two nodes; names: of the map, or NULL. */
static struct skr_dump *dump_of_two(const char *names, const char *first, const char *second)
{
    SKR_STRBUF(text);
    SKR_STRBUF(messages);
    struct skr_dump *dump = NULL;
    struct skr_error error = {0};
    skr_strbuf_add(&text, "kind: List\napiVersion: v1\nitems:\n"
                          "- {kind: ConfigMap, apiVersion: v1, metadata: {name: t, namespace: x, "
                          "labels: {sakkara.topology: ''}}, data: {tree: '{\"p\":{},\"q\":{}}'");
    if (names) {
        skr_strbuf_addf(&text, ", resource-names: '%s'", names);
    }
    skr_strbuf_addf(&text,
                    "}}\n"
                    "- {kind: Node, apiVersion: v1, metadata: {name: p}, "
                    "status: {allocatable: {pods: '9', %s}}}\n"
                    "- {kind: Node, apiVersion: v1, metadata: {name: q}, "
                    "status: {allocatable: {pods: '9', %s}}}\n",
                    first, second);
    struct text_file file = text_file_make(text.s, text.len);
    if (skr_dump_read(&(const struct skr_client_options){.file = file.path}, &dump, &messages,
                      &error) < 0) {
        fail_msg("%s: %s", error.text, messages.s);
    }
    text_file_close(&file);
    return dump;
}

TEST(the_tree_shows_the_device_that_most_nodes_offer)
{
    static const struct {
        const char *names, *first, *second, *resource;
    } rows[] = {
        {NULL, "cpu: 4", "cpu: 4", "cpu"},
        {NULL, "cpu: 4, nvidia.com/gpu: 8", "cpu: 4", "nvidia.com/gpu"},
        {NULL, "b.example/x: 1, a.example/y: 1", "cpu: 4", "a.example/y"},
        {NULL, "b.example/x: 1, a.example/y: 1", "b.example/x: 1", "b.example/x"},
        {NULL, "b.example/x: 1, a.example/y: 0", "a.example/y: 0", "b.example/x"},
        {NULL, "cpu: 4, ephemeral-storage: 1Gi, hugepages-2Mi: 1Gi", "cpu: 4", "cpu"},
        {"[\"cpu\",\"a.example/y\"]", "b.example/x: 1", "b.example/x: 1", "a.example/y"},
        {"[\"memory\",\"cpu\"]", "cpu: 4", "cpu: 4", "memory"},
        {"[\"memory\"]", "b.example/x: 1", "cpu: 4", "b.example/x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_dump *dump = dump_of_two(rows[i].names, rows[i].first, rows[i].second);
        const struct skr_view_query query = {.path = "/v1/tree"};
        struct skr_error error = {0};
        json_auto_t *page = ask(dump, &query, &error);
        if (!page) {
            fail_msg("%zu: %s", i, error.text);
        }
        assert_string_equal(skr_object_text(page, "resource"), rows[i].resource);
        skr_dump_destroy(dump);
    }
}

TEST(a_slot_of_cpu_fits_on_small_nodes)
{
    static const struct {
        const char *first, *second, *asked;
        int64_t slot, slots;
    } rows[] = {
        {"cpu: 500m", "cpu: 250m", NULL, 100, 7},
        {"cpu: 999m", "cpu: 50m", NULL, 100, 9},
        {"cpu: 500m", "cpu: 2", NULL, 1000, 2},
        {"cpu: 1", "cpu: 1", NULL, 1000, 2},
        {"cpu: 0", "cpu: 0", NULL, 1000, 0},
        {"cpu: 500m", "cpu: 250m", "cpu=1", 1000, 0},
        {"cpu: 500m", "cpu: 250m", "cpu=250m", 250, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_dump *dump = dump_of_two(NULL, rows[i].first, rows[i].second);
        const struct skr_view_query query = {.path = "/v1/tree",
                                             .argument = {[SKR_VIEW_SLOT] = rows[i].asked}};
        struct skr_error error = {0};
        json_auto_t *page = ask(dump, &query, &error);
        if (!page) {
            fail_msg("%zu: %s", i, error.text);
        }
        const json_t *slot = json_object_get(page, "slot");
        assert_int_equal(skr_page_int(slot, "cpu"), rows[i].slot);
        assert_int_equal(skr_page_int(slot, "pods"), 1);
        assert_int_equal(skr_page_int(json_object_get(page, "root"), "slots"), rows[i].slots);
        skr_dump_destroy(dump);
    }
}

/* A dump is only read: the same questions, the same answers, byte for byte. */
TEST(looking_changes_nothing)
{
    SKR_AUTO(skr_dump_destroy) struct skr_dump *dump = read_dump("test/views/odd.yaml");
    SKR_STRBUF(first);
    SKR_STRBUF(second);
    for (int round = 0; round < 2; round++) {
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            const struct skr_view_query query = {.path = paths[k]};
            skr_source_dump(dump, &query, round ? &second : &first, NULL);
        }
    }
    assert_string_equal(first.s, second.s);
}
