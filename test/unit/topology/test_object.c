/* SPDX-License-Identifier: Apache-2.0 */
/* What all API objects have in common. */
#include "test/test.h"
#include "topology/object.h"

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

TEST(metadata_is_decoded_and_sorted)
{
    json_t *json = parse("{\"metadata\": {\"name\": \"n\", \"namespace\": \"ns\", \"uid\": \"u-1\","
                         "\"resourceVersion\": \"812\", \"generation\": 4,"
                         "\"creationTimestamp\": \"2006-01-02T15:04:05Z\","
                         "\"labels\": {\"z\": \"1\", \"a\": \"2\", \"m\": null},"
                         "\"annotations\": {\"other\": \"x\", \"sakkara.plan\": \"p\"}}}");
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
    struct skr_meta meta;
    assert_int_equal(skr_meta_decode(arena, json, NULL, &meta, NULL), 0);
    json_decref(json); /* nothing borrows from it */
    assert_string_equal(meta.name, "n");
    assert_string_equal(meta.namespace_, "ns");
    assert_string_equal(meta.uid, "u-1");
    assert_int_equal(meta.resource_version, 812);
    assert_true(meta.created == 1136214245 * SKR_SECOND);
    assert_false(meta.deleting);
    assert_int_equal(meta.labels.n, 3);
    assert_string_equal(meta.labels.item[0].key, "a");
    assert_string_equal(meta.labels.item[2].key, "z");
    assert_string_equal(skr_labels_get(&meta.labels, "m"), "");
    assert_int_equal(meta.annotations.n, 1);
    assert_string_equal(skr_labels_get(&meta.annotations, "sakkara.plan"), "p");
}

TEST(absent_and_null_are_empty)
{
    static const char *const rows[] = {
        "{\"metadata\": {}}",
        "{\"metadata\": {\"name\": null, \"namespace\": null, \"uid\": null, \"labels\": null,"
        "\"annotations\": null, \"resourceVersion\": null, \"creationTimestamp\": null,"
        "\"deletionTimestamp\": null}}",
    };
    for (size_t i = 0; i < 2; i++) {
        json_auto_t *json = parse(rows[i]);
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
        struct skr_meta meta;
        assert_int_equal(skr_meta_decode(arena, json, NULL, &meta, NULL), 0);
        assert_string_equal(meta.name, "");
        assert_string_equal(meta.namespace_, "");
        assert_string_equal(meta.uid, "");
        assert_int_equal(meta.resource_version, 0);
        assert_true(meta.created == 0);
        assert_false(meta.deleting);
        assert_int_equal(meta.labels.n + meta.annotations.n, 0);
    }
}

TEST(a_terminating_object_is_seen_as_such)
{
    json_auto_t *json = parse("{\"metadata\": {\"deletionTimestamp\": \"2006-01-02T15:04:05Z\"}}");
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
    struct skr_meta meta;
    assert_int_equal(skr_meta_decode(arena, json, NULL, &meta, NULL), 0);
    assert_true(meta.deleting);
}

TEST(versions_that_are_no_numbers_are_zero)
{
    static const struct {
        const char *text;
        uint64_t version;
    } rows[] = {
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551616", 0},
        {"12a", 0},
        {"-1", 0},
        {"", 0},
        {"007", 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *json = json_pack("{s:{s:s}}", "metadata", "resourceVersion", rows[i].text);
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
        struct skr_meta meta;
        assert_int_equal(skr_meta_decode(arena, json, NULL, &meta, NULL), 0);
        assert_true(meta.resource_version == rows[i].version);
    }
}

TEST(a_field_of_the_wrong_type_is_named)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[]", "object: must be an object, got an array"},
        {"{}", "metadata: missing"},
        {"{\"metadata\": null}", "metadata: missing"},
        {"{\"metadata\": \"x\"}", "metadata: must be an object, got a string"},
        {"{\"metadata\": {\"name\": 5}}", "metadata.name: must be a string, got a number"},
        {"{\"metadata\": {\"namespace\": true}}",
         "metadata.namespace: must be a string, got a boolean"},
        {"{\"metadata\": {\"uid\": {}}}", "metadata.uid: must be a string, got an object"},
        {"{\"metadata\": {\"resourceVersion\": 5}}",
         "metadata.resourceVersion: must be a string, got a number"},
        {"{\"metadata\": {\"labels\": []}}", "metadata.labels: must be an object, got an array"},
        {"{\"metadata\": {\"labels\": {\"a\": \"1\", \"b\": 1.5}}}",
         "metadata.labels.b: must be a string, got a number"},
        {"{\"metadata\": {\"annotations\": {\"sakkara.plan\": false}}}",
         "metadata.annotations.sakkara.plan: must be a string, got a boolean"},
        {"{\"metadata\": {\"creationTimestamp\": 12}}",
         "metadata.creationTimestamp: must be a string, got a number"},
        {"{\"metadata\": {\"creationTimestamp\": \"yesterday\"}}",
         "metadata.creationTimestamp: time \"yesterday\": not like 2006-01-02T15:04:05Z at 1"},
        {"{\"metadata\": {\"deletionTimestamp\": 1}}",
         "metadata.deletionTimestamp: must be a string, got a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *json = parse(rows[i].text);
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
        struct skr_meta meta;
        struct skr_error error;
        assert_int_equal(skr_meta_decode(arena, json, NULL, &meta, &error), -SKR_INVALID);
        assert_string_equal(error.text, rows[i].message);
    }
}

TEST(prefixes_choose_what_is_kept)
{
    static const char *const prefixes[] = {"sakkara.", "scheduling.x-k8s.io/pod-group", NULL};
    json_auto_t *json = parse("{\"sakkara.b\": \"1\", \"app\": \"x\", \"sakkara.a\": \"2\","
                              "\"scheduling.x-k8s.io/pod-group\": \"3\", \"ignored\": 7}");
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
    struct skr_labels labels;
    assert_int_equal(skr_labels_decode(arena, json, prefixes, "labels", &labels, NULL), 0);
    assert_int_equal(labels.n, 3);
    assert_string_equal(labels.item[0].key, "sakkara.a");
    assert_string_equal(labels.item[1].key, "sakkara.b");
    assert_string_equal(labels.item[2].value, "3");
}

TEST(resource_lists_become_sorted_amounts)
{
    json_t *json = parse("{\"pods\": 110, \"memory\": \" 1Gi\\n\", \"cpu\": 0.1,"
                         "\"nvidia.com/gpu\": \"8\", \"ephemeral-storage\": null}");
    static const struct skr_quantity_item expected[] = {{"cpu", 100},
                                                        {"ephemeral-storage", 0},
                                                        {"memory", 1 << 30},
                                                        {"nvidia.com/gpu", 8},
                                                        {"pods", 110}};
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
    struct skr_quantities q;
    assert_int_equal(skr_quantities_decode(arena, json, "requests", &q, NULL), 0);
    json_decref(json);
    assert_int_equal(q.n, 5);
    for (size_t i = 0; i < q.n; i++) {
        assert_string_equal(q.item[i].name, expected[i].name);
        assert_true(q.item[i].amount == expected[i].amount);
    }
    assert_int_equal(skr_quantities_decode(arena, NULL, "requests", &q, NULL), 0);
    assert_int_equal(q.n, 0);
}

TEST(a_bad_resource_list_is_named)
{
    static const struct {
        const char *text;
        int rc;
        const char *message;
    } rows[] = {
        {"[]", -SKR_INVALID, "p: must be an object, got an array"},
        {"{\"cpu\": true}", -SKR_INVALID, "p.cpu: must be a quantity, got a boolean"},
        {"{\"cpu\": \"1x\"}", -SKR_INVALID, "p: cpu: quantity \"1x\": 'x' at 2, "},
        {"{\"cpu\": -1}", -SKR_INVALID, "p: cpu: quantity \"-1\" is negative"},
        {"{\"memory\": -1e30}", -SKR_INVALID, "p: memory: quantity \"-1e30\" is negative"},
        {"{\"memory\": \"1 Gi\"}", -SKR_INVALID, "p: memory: quantity \"1 Gi\": byte 0x20 at 2, "},
        {"{\"memory\": \"  \"}", -SKR_INVALID, "p: memory: quantity \"\": ends at 1, "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *json = parse(rows[i].text);
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10000, 0);
        struct skr_quantities q;
        struct skr_error error;
        assert_int_equal(skr_quantities_decode(arena, json, "p", &q, &error), rows[i].rc);
        assert_memory_equal(error.text, rows[i].message, strlen(rows[i].message));
    }
}

TEST(a_resource_list_has_limits)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(100000, 0);
    struct skr_quantities q;
    struct skr_error error;
    char text[200];
    memset(text, '1', 129);
    text[129] = '\0';
    json_t *json = json_pack("{s:s}", "cpu", text);
    assert_int_equal(skr_quantities_decode(arena, json, "p", &q, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "p: cpu: a quantity of 129 characters, limit 128");
    json_decref(json);

    json = json_object();
    for (int i = 0; i <= SKR_RESOURCES_MAX; i++) {
        (void)snprintf(text, sizeof text, "r%d", i);
        (void)json_object_set_new(json, text, json_integer(1));
    }
    assert_int_equal(skr_quantities_decode(arena, json, "p", &q, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "p: 257 resources, limit 256");
    json_decref(json);
}

TEST(every_lack_of_memory_is_an_error)
{
    json_auto_t *json = parse("{\"metadata\": {\"name\": \"a name\", \"namespace\": \"ns\","
                              "\"uid\": \"u\", \"labels\": {\"a\": \"1\", \"b\": \"2\"},"
                              "\"annotations\": {\"sakkara.x\": \"y\"}},"
                              "\"list\": {\"cpu\": \"1\", \"memory\": \"2\"}}");
    size_t limit = 0;
    int rc = -1;
    for (; rc != 0; limit++) {
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(limit, 16);
        struct skr_meta meta;
        struct skr_quantities q;
        struct skr_error error = {.code = SKR_OK};
        rc = skr_meta_decode(arena, json, NULL, &meta, &error);
        if (rc == 0) {
            rc = skr_quantities_decode(arena, json_object_get(json, "list"), "list", &q, &error);
        }
        assert_int_equal(rc, -(int)error.code);
        assert_true(rc == 0 || rc == -SKR_LIMIT);
    }
    assert_in_range(limit, 100, 500);
}
