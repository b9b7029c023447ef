/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes. */
#include "test/test.h"
#include "topology/object.h"

static int decode(const char *text, struct skr_node **ret, struct skr_error *error)
{
    json_auto_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return skr_node_decode(json, ret, error);
}

TEST(a_node_as_the_api_server_sends_it_is_read)
{
    SKR_AUTO(skr_node_destroy) struct skr_node *node = NULL;
    assert_int_equal(
        decode("{\"kind\": \"Node\", \"metadata\": {\"name\": \"n1\", \"uid\": \"u\","
               "\"labels\": {\"kubernetes.io/hostname\": \"n1\", \"sakkara.topology.rack\": \"r\"},"
               "\"annotations\": {\"node.alpha.kubernetes.io/ttl\": \"0\"}},"
               "\"spec\": {\"podCIDR\": \"10.0.0.0/24\", \"unschedulable\": true, \"taints\": ["
               "{\"key\": \"a\", \"effect\": \"NoSchedule\"},"
               "{\"key\": \"b\", \"value\": \"v\", \"effect\": \"NoExecute\","
               "\"timeAdded\": \"2006-01-02T15:04:05Z\"},"
               "{\"key\": \"c\", \"effect\": \"PreferNoSchedule\"},"
               "{\"key\": \"d\", \"effect\": \"Later\"}]},"
               "\"status\": {\"capacity\": {\"cpu\": \"9\"}, \"allocatable\": {\"pods\": \"110\","
               "\"cpu\": \"7910m\", \"memory\": \"16Gi\", \"nvidia.com/gpu\": \"8\"},"
               "\"conditions\": [{\"type\": \"MemoryPressure\", \"status\": \"False\"},"
               "{\"type\": \"Ready\", \"status\": \"True\"}]}}",
               &node, NULL),
        0);
    assert_string_equal(node->meta.name, "n1");
    assert_string_equal(skr_labels_get(&node->meta.labels, "sakkara.topology.rack"), "r");
    assert_int_equal(node->meta.annotations.n, 0);
    assert_true(node->unschedulable);
    assert_true(node->ready);
    assert_int_equal(node->n_taints, 4);
    assert_string_equal(node->taints[0].key, "a");
    assert_string_equal(node->taints[0].value, "");
    assert_string_equal(node->taints[1].value, "v");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(node->taints[i].effect, SKR_TAINT_NO_SCHEDULE + i);
    }
    assert_int_equal(node->allocatable.n, 4);
    assert_string_equal(node->allocatable.item[0].name, "cpu");
    assert_true(node->allocatable.item[0].amount == 7910);
    assert_string_equal(node->allocatable.item[3].name, "pods");
    assert_true(node->allocatable.item[3].amount == 110);
    skr_node_destroy(NULL);
}

TEST(a_node_is_ready_unless_it_says_otherwise)
{
    static const struct {
        const char *status;
        bool ready;
    } rows[] = {
        {"{}", true},
        {"null", true},
        {"{\"conditions\": null}", true},
        {"{\"conditions\": []}", true},
        {"{\"conditions\": [{\"type\": \"DiskPressure\", \"status\": \"False\"}]}", true},
        {"{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}", true},
        {"{\"conditions\": [{\"type\": \"Ready\", \"status\": \"False\"}]}", false},
        {"{\"conditions\": [{\"type\": \"Ready\", \"status\": \"Unknown\"}]}", false},
        {"{\"conditions\": [{\"type\": \"Ready\"}]}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        SKR_AUTO(skr_node_destroy) struct skr_node *node = NULL;
        (void)snprintf(text, sizeof text, "{\"metadata\": {\"name\": \"n\"}, \"status\": %s}",
                       rows[i].status);
        assert_int_equal(decode(text, &node, NULL), 0);
        assert_int_equal(node->ready, rows[i].ready);
        assert_int_equal(node->n_taints + node->allocatable.n, 0);
        assert_false(node->unschedulable);
    }
}

TEST(a_bad_node_is_named)
{
    static const struct {
        const char *rest, *message;
    } rows[] = {
        {"\"spec\": []", "spec: must be an object, got an array"},
        {"\"spec\": {\"unschedulable\": \"yes\"}",
         "spec.unschedulable: must be a boolean, got a string"},
        {"\"spec\": {\"taints\": {}}", "spec.taints: must be an array, got an object"},
        {"\"spec\": {\"taints\": [{}, null]}", "spec.taints[1]: must be an object, got null"},
        {"\"spec\": {\"taints\": [{\"key\": 1}]}",
         "spec.taints[0].key: must be a string, got a number"},
        {"\"spec\": {\"taints\": [{\"effect\": []}]}",
         "spec.taints[0].effect: must be a string, got an array"},
        {"\"status\": 4", "status: must be an object, got a number"},
        {"\"status\": {\"conditions\": [7]}",
         "status.conditions[0]: must be an object, got a number"},
        {"\"status\": {\"conditions\": [{\"type\": false}]}",
         "status.conditions[0].type: must be a string, got a boolean"},
        {"\"status\": {\"allocatable\": {\"cpu\": \"many\"}}",
         "status.allocatable: cpu: quantity \"many\": 'm' at 1, expected a digit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct skr_node *node = NULL;
        struct skr_error error;
        (void)snprintf(text, sizeof text, "{\"metadata\": {\"name\": \"n\"}, %s}", rows[i].rest);
        assert_int_equal(decode(text, &node, &error), -SKR_INVALID);
        assert_string_equal(error.text, rows[i].message);
        assert_null(node);
    }
    struct skr_error error;
    struct skr_node *node = NULL;
    assert_int_equal(decode("{\"metadata\": {\"uid\": \"u\"}}", &node, &error), -SKR_INVALID);
    assert_string_equal(error.text, "metadata.name: missing");
}

TEST(a_node_offers_at_most_what_64_bits_hold)
{
    struct skr_node *node = NULL;
    assert_int_equal(decode("{\"metadata\": {\"name\": \"n\"}, \"status\": {\"allocatable\": {"
                            "\"cpu\": \"100E\", \"memory\": \"8Ei\"}}}",
                            &node, NULL),
                     0);
    assert_true(node->allocatable.item[0].amount == INT64_MAX);
    assert_true(node->allocatable.item[1].amount == INT64_MAX);
    skr_node_destroy(node);
}

TEST(a_node_has_a_limit_of_taints)
{
    json_t *taints = json_array();
    struct skr_node *node = NULL;
    struct skr_error error;
    for (int i = 0; i < 1001; i++) {
        (void)json_array_append_new(taints, json_object());
    }
    json_auto_t *json =
        json_pack("{s:{s:s}, s:{s:o}}", "metadata", "name", "n", "spec", "taints", taints);
    assert_int_equal(skr_node_decode(json, &node, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "spec.taints: 1001 entries, at most 1000 are supported");
}
