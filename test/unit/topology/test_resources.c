/* SPDX-License-Identifier: Apache-2.0 */
/* Interned resource names, and amounts by id. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "test/test.h"
#include "topology/resources.h"

TEST(the_well_known_names_have_their_ids)
{
    struct skr_resource_names *names = skr_resource_names_create();
    assert_int_equal(skr_resource_names_find(names, "cpu"), SKR_RESOURCE_CPU);
    assert_int_equal(skr_resource_names_find(names, "memory"), SKR_RESOURCE_MEMORY);
    assert_int_equal(skr_resource_names_find(names, "pods"), SKR_RESOURCE_PODS);
    assert_int_equal(skr_resource_names_count(names), 3);
    assert_int_equal(skr_resource_names_find(names, "nvidia.com/gpu"), -1);
    skr_resource_names_destroy(names);
    skr_resource_names_destroy(NULL);
}

TEST(a_new_name_gets_the_next_id_once)
{
    struct skr_resource_names *names = skr_resource_names_create();
    uint16_t a = 0;
    uint16_t b = 0;
    assert_int_equal(skr_resource_names_intern(names, "nvidia.com/gpu", &a, NULL), 0);
    assert_int_equal(skr_resource_names_intern(names, "nvidia.com/gpu", &b, NULL), 0);
    assert_int_equal(a, 3);
    assert_int_equal(b, 3);
    assert_string_equal(skr_resource_names_get(names, a), "nvidia.com/gpu");
    skr_resource_names_destroy(names);
}

TEST(a_cluster_has_a_limit_of_names)
{
    struct skr_resource_names *names = skr_resource_names_create();
    struct skr_error error;
    uint16_t id = 0;
    char name[32];
    for (int i = 3; i < SKR_RESOURCES_MAX; i++) {
        (void)snprintf(name, sizeof name, "example.com/r%d", i);
        assert_int_equal(skr_resource_names_intern(names, name, &id, &error), 0);
        assert_int_equal(id, i);
    }
    assert_int_equal(skr_resource_names_intern(names, "one/more", &id, &error), -SKR_LIMIT);
    assert_string_equal(error.text,
                        "resource \"one/more\": more than 256 resource names in the cluster");
    assert_int_equal(id, SKR_RESOURCES_MAX - 1);
    assert_int_equal(skr_resource_names_intern(names, "cpu", &id, &error), 0);
    skr_resource_names_destroy(names);
}

TEST(cpu_counts_in_millicores_and_the_rest_in_units)
{
    static const struct {
        const char *name;
        const char *quantity;
        int64_t amount;
    } rows[] = {
        {"cpu", "2", 2000},         {"cpu", "100m", 100},
        {"cpu", "1.5", 1500},       {"cpu", "100u", 1},
        {"memory", "1Gi", 1 << 30}, {"memory", "100m", 1},
        {"pods", "110", 110},       {"nvidia.com/gpu", "8", 8},
        {"memory", "0", 0},         {"ephemeral-storage", "10k", 10000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t v = -1;
        assert_int_equal(skr_resource_parse(rows[i].name, rows[i].quantity, &v, NULL), 0);
        assert_true(v == rows[i].amount);
    }
}

TEST(a_bad_amount_names_its_resource)
{
    static const struct {
        const char *name;
        const char *quantity;
        int rc;
        const char *text;
    } rows[] = {
        {"memory", "-1Gi", -SKR_INVALID, "memory: quantity \"-1Gi\" is negative"},
        {"cpu", "-1n", -SKR_INVALID, "cpu: quantity \"-1n\" is negative"},
        {"cpu", "two", -SKR_INVALID, "cpu: quantity \"two\": 't' at 1, expected a digit"},
        {"memory", "10E", -SKR_LIMIT, "memory: quantity \"10E\": does not fit into 64 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_error error;
        int64_t v = 5;
        assert_int_equal(skr_resource_parse(rows[i].name, rows[i].quantity, &v, &error),
                         rows[i].rc);
        assert_string_equal(error.text, rows[i].text);
        assert_true(v == 5);
    }
}

TEST(amounts_are_sorted_by_id_without_zeros)
{
    struct skr_resource_names *names = skr_resource_names_create();
    struct skr_quantity_item item[] = {
        {"amd.com/gpu", 4}, {"cpu", 500}, {"ephemeral-storage", 0}, {"memory", 7}, {"pods", 1}};
    struct skr_quantities q = {5, item};
    struct skr_amounts a;
    assert_int_equal(skr_amounts_intern(names, &q, &a, NULL), 0);
    assert_int_equal(a.n, 4);
    for (size_t i = 0; i < a.n; i++) {
        assert_int_equal(a.item[i].resource, i);
    }
    assert_int_equal(skr_amounts_get(&a, SKR_RESOURCE_CPU), 500);
    assert_int_equal(skr_amounts_get(&a, 3), 4);
    assert_int_equal(skr_amounts_get(&a, 200), 0);
    assert_int_equal(skr_resource_names_find(names, "ephemeral-storage"), -1);
    skr_amounts_fini(&a);
    assert_int_equal(a.n, 0);
    skr_amounts_fini(&a);

    q.n = 0;
    assert_int_equal(skr_amounts_intern(names, &q, &a, NULL), 0);
    assert_int_equal(a.n, 0);
    skr_amounts_fini(&a);
    skr_resource_names_destroy(names);
}

TEST(amounts_beyond_the_limit_of_names_leave_nothing_behind)
{
    struct skr_resource_names *names = skr_resource_names_create();
    static struct skr_quantity_item item[SKR_RESOURCES_MAX];
    static char name[SKR_RESOURCES_MAX][16];
    struct skr_quantities q = {SKR_RESOURCES_MAX, item};
    struct skr_amounts a = {99, NULL};
    for (size_t i = 0; i < SKR_RESOURCES_MAX; i++) {
        (void)snprintf(name[i], sizeof name[i], "r%03zu", i);
        item[i] = (struct skr_quantity_item){name[i], 1};
    }
    assert_int_equal(skr_amounts_intern(names, &q, &a, NULL), -SKR_LIMIT);
    assert_int_equal(a.n, 99);
    skr_resource_names_destroy(names);
}

TEST(one_of_a_resource_is_what_people_call_one)
{
    assert_int_equal(skr_resource_one("cpu"), 1000);
    assert_int_equal(skr_resource_one("memory"), 1073741824);
    assert_int_equal(skr_resource_one("ephemeral-storage"), 1073741824);
    assert_int_equal(skr_resource_one("hugepages-2Mi"), 1073741824);
    assert_int_equal(skr_resource_one("pods"), 1);
    assert_int_equal(skr_resource_one("example.com/gpu"), 1);
}
