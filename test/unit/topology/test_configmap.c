/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigMaps. */
#include "test/test.h"
#include "topology/object.h"

static int decode(const char *text, struct skr_configmap **ret, struct skr_error *error)
{
    json_auto_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return skr_configmap_decode(json, ret, error);
}

TEST(data_and_metadata_are_kept)
{
    SKR_AUTO(skr_configmap_destroy) struct skr_configmap *map = NULL;
    assert_int_equal(decode("{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\":"
                            "{\"name\": \"t\", \"labels\": {\"sakkara.topology\": \"\"}},"
                            "\"data\": {\"tree\": \"{}\", \"name\": \"x\", \"note\": null},"
                            "\"binaryData\": {\"b\": \"AA==\"}, \"immutable\": true}",
                            &map, NULL),
                     0);
    assert_string_equal(map->meta.name, "t");
    assert_string_equal(skr_labels_get(&map->meta.labels, "sakkara.topology"), "");
    assert_int_equal(map->data.n, 3);
    assert_string_equal(skr_labels_get(&map->data, "tree"), "{}");
    assert_string_equal(skr_labels_get(&map->data, "name"), "x");
    assert_string_equal(skr_labels_get(&map->data, "note"), "");
    skr_configmap_destroy(NULL);
}

TEST(a_map_without_data_is_legal)
{
    SKR_AUTO(skr_configmap_destroy) struct skr_configmap *map = NULL;
    assert_int_equal(decode("{\"metadata\": {\"name\": \"t\"}}", &map, NULL), 0);
    assert_int_equal(map->data.n, 0);
    assert_null(skr_labels_get(&map->data, "tree"));
}

TEST(a_bad_map_is_named)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"metadata\": {}}", "metadata.name: missing"},
        {"{\"metadata\": {\"name\": \"t\"}, \"data\": \"x\"}",
         "data: must be an object, got a string"},
        {"{\"metadata\": {\"name\": \"t\"}, \"data\": {\"size\": 8}}",
         "data.size: must be a string, got a number"},
        {"{\"metadata\": {\"name\": \"t\"}, \"data\": {\"tree\": {}}}",
         "data.tree: must be a string, got an object"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_configmap *map = NULL;
        struct skr_error error;
        assert_int_equal(decode(rows[i].text, &map, &error), -SKR_INVALID);
        assert_string_equal(error.text, rows[i].message);
        assert_null(map);
    }
}

TEST(a_map_that_is_too_large_is_a_limit)
{
    struct skr_configmap *map = NULL;
    struct skr_error error;
    SKR_AUTO_FREE char *text = malloc(SKR_OBJECT_BYTES_MAX + 1);
    assert_non_null(text);
    memset(text, 'x', SKR_OBJECT_BYTES_MAX);
    text[SKR_OBJECT_BYTES_MAX] = '\0';
    json_t *json = json_pack("{s:{s:s}, s:{s:s}}", "metadata", "name", "t", "data", "tree", text);
    assert_int_equal(skr_configmap_decode(json, &map, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "data: object larger than 8388608 bytes, or out of memory");
    assert_null(map);
    json_decref(json);
}
