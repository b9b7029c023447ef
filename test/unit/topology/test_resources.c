/* SPDX-License-Identifier: Apache-2.0 */
/* Interned resource names, and amounts by id. */
#include "test/test.h"
#include "topology/device_classes.h"

TEST(the_well_known_names_have_their_ids)
{
    struct skr_resource_names *names = skr_resource_names_create();
    assert_int_equal(skr_resource_names_find(names, "cpu"), SKR_RESOURCE_CPU);
    assert_int_equal(skr_resource_names_find(names, "memory"), SKR_RESOURCE_MEMORY);
    assert_int_equal(skr_resource_names_find(names, "pods"), SKR_RESOURCE_PODS);
    assert_int_equal(skr_resource_names_find(names, "nvidia.com/gpu"), -1);
    assert_null(skr_resource_names_get(names, SKR_RESOURCE_ABSENT));
    assert_null(skr_resource_names_get(names, SKR_RESOURCES_MAX));
    skr_resource_names_destroy(names);
    skr_resource_names_destroy(NULL);
}

/* n names with the prefix, one of each. */
struct list {
    struct skr_quantity_item item[SKR_RESOURCES_MAX];
    char name[SKR_RESOURCES_MAX][48];
    struct skr_quantities q;
};

static const struct skr_quantities *list_of(struct list *list, const char *prefix, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(list->name[i], sizeof list->name[i], "%.16s/r%03zu", prefix, i);
        list->item[i] = (struct skr_quantity_item){list->name[i], 1};
    }
    list->q = (struct skr_quantities){n, list->item};
    return &list->q;
}

TEST(a_name_comes_with_the_first_node_and_goes_with_the_last)
{
    struct skr_resource_names *names = skr_resource_names_create();
    static struct list list;
    const struct skr_quantities *q = list_of(&list, "a", 1);
    struct skr_amounts one = {0, NULL}, two = {0, NULL}, three = {0, NULL};
    uint64_t version = skr_resource_names_version(names);
    assert_int_equal(skr_resource_names_offer(names, q, &one, NULL), 0);
    assert_true(skr_resource_names_version(names) > version);
    version = skr_resource_names_version(names);
    assert_int_equal(skr_resource_names_offer(names, q, &two, NULL), 0);
    assert_int_equal(one.item[0].resource, two.item[0].resource);
    assert_string_equal(skr_resource_names_get(names, one.item[0].resource), "a/r000");
    skr_resource_names_withdraw(names, &one);
    assert_true(skr_resource_names_version(names) == version);
    assert_true(skr_resource_names_find(names, "a/r000") >= 0);
    skr_resource_names_withdraw(names, &two);
    assert_int_equal(skr_resource_names_find(names, "a/r000"), -1);
    assert_true(skr_resource_names_version(names) > version);
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "b", 2), &three, NULL), 0);
    assert_int_equal(three.item[0].resource, SKR_RESOURCE_ABSENT + 1);
    skr_resource_names_withdraw(names, &three);
    skr_resource_names_destroy(names);
}

/* 255 names: 3 known, 4 * 63 of nodes. */
TEST(a_cluster_has_a_limit_of_names)
{
    struct skr_resource_names *names = skr_resource_names_create();
    static struct list list;
    struct skr_amounts offer[5] = {{0, NULL}};
    struct skr_error error;
    for (size_t i = 0; i < 4; i++) {
        char prefix[2] = {(char)('a' + i), '\0'};
        assert_int_equal(
            skr_resource_names_offer(names, list_of(&list, prefix, 63), &offer[i], &error), 0);
    }
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "one", 1), &offer[4], &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text,
                        "resource \"one/r000\": nodes offer more than 255 resource names");
    assert_int_equal(offer[4].n, 0);
    assert_int_equal(skr_resource_names_find(names, "one/r000"), -1);
    /* What one node gives back, it may use itself; names that stay keep their ids. */
    const uint16_t first = offer[1].item[0].resource;
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "e", 63), &offer[0], &error),
                     0);
    assert_int_equal(skr_resource_names_find(names, "a/r000"), -1);
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "b", 63), &offer[1], &error),
                     0);
    assert_int_equal(offer[1].item[0].resource, first);
    /* A refused offer takes back what was offered before, and leaves nothing behind. */
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "f", 64), &offer[0], &error),
                     -SKR_LIMIT);
    assert_int_equal(offer[0].n, 0);
    assert_int_equal(skr_resource_names_find(names, "e/r000"), -1);
    assert_int_equal(skr_resource_names_find(names, "f/r000"), -1);
    for (size_t i = 0; i < 5; i++) {
        skr_resource_names_withdraw(names, &offer[i]);
    }
    skr_resource_names_destroy(names);
}

TEST(a_node_has_a_limit_of_names)
{
    struct skr_resource_names *names = skr_resource_names_create();
    static struct list list;
    struct skr_amounts offer = {0, NULL};
    struct skr_error error;
    assert_int_equal(skr_resource_names_offer(names, list_of(&list, "a", 65), &offer, &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text, "offers 65 resources, limit 64");
    list.item[7].amount = 0;
    assert_int_equal(skr_resource_names_offer(names, &list.q, &offer, &error), 0);
    assert_int_equal(offer.n, 64);
    skr_resource_names_withdraw(names, &offer);
    skr_resource_names_destroy(names);
}

TEST(cpu_counts_in_millicores_and_the_rest_in_units)
{
    static const struct {
        const char *name, *quantity;
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
        const char *name, *quantity;
        int rc;
        const char *text;
    } rows[] = {
        {"memory", "-1Gi", -SKR_INVALID, "memory: quantity \"-1Gi\" is negative"},
        {"cpu", "-1n", -SKR_INVALID, "cpu: quantity \"-1n\" is negative"},
        {"cpu", "two", -SKR_INVALID, "cpu: quantity \"two\": 't' at 1, expected a digit"},
        {"memory", "-10E", -SKR_INVALID, "memory: quantity \"-10E\" is negative"},
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
    struct skr_amounts a = {0, NULL};
    assert_int_equal(skr_resource_names_offer(names, &q, &a, NULL), 0);
    assert_int_equal(a.n, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(a.item[i].resource, i);
    }
    assert_int_equal(a.item[3].resource, SKR_RESOURCE_ABSENT + 1);
    assert_int_equal(skr_amounts_get(&a, SKR_RESOURCE_CPU), 500);
    assert_int_equal(skr_amounts_get(&a, SKR_RESOURCE_ABSENT + 1), 4);
    assert_int_equal(skr_amounts_get(&a, 200), 0);
    assert_int_equal(skr_resource_names_find(names, "ephemeral-storage"), -1);
    skr_resource_names_withdraw(names, &a);
    assert_int_equal(a.n, 0);
    skr_amounts_fini(&a);

    q.n = 0;
    assert_int_equal(skr_resource_names_offer(names, &q, &a, NULL), 0);
    assert_int_equal(a.n, 0);
    skr_resource_names_destroy(names);
}

TEST(what_no_node_offers_is_one_of_the_absent)
{
    struct skr_resource_names *names = skr_resource_names_create();
    struct skr_quantity_item offered[] = {{"amd.com/gpu", 4}, {"cpu", 500}};
    struct skr_quantity_item item[] = {
        {"amd.com/gpu", 1}, {"b/x", 7}, {"b/y", 9}, {"b/z", 0}, {"cpu", 100}};
    struct skr_quantities q = {2, offered}, wanted = {5, item};
    struct skr_amounts a = {0, NULL}, b, c;
    assert_int_equal(skr_resource_names_offer(names, &q, &a, NULL), 0);
    skr_amounts_resolve(names, &wanted, &b);
    assert_int_equal(b.n, 3);
    assert_int_equal(skr_amounts_get(&b, SKR_RESOURCE_ABSENT), 1);
    assert_int_equal(skr_amounts_get(&b, SKR_RESOURCE_ABSENT + 1), 1);
    assert_string_equal(skr_quantities_absent(names, &wanted)->name, "b/x");
    wanted.n = 1;
    assert_null(skr_quantities_absent(names, &wanted));
    skr_amounts_resolve(names, &wanted, &c);
    assert_false(skr_amounts_equal(&b, &c));
    assert_true(skr_amounts_equal(&b, &b));
    skr_amounts_fini(&b);
    skr_amounts_fini(&c);
    skr_resource_names_withdraw(names, &a);
    skr_resource_names_destroy(names);
}

TEST(what_a_class_serves_is_marked_where_nodes_offer_it_and_left_out_where_none_does)
{
    struct skr_resource_names *names = skr_resource_names_create();
    struct skr_device_class gpu = {.meta = {.name = "gpu"}, .resource = "b/gpu"};
    struct skr_quantity_item offered[] = {{"b/gpu", 4}};
    struct skr_quantity_item item[] = {
        {"b/gpu", 2}, {"cpu", 100}, {"deviceclass.resource.kubernetes.io/gpu", 3}};
    struct skr_quantities q = {1, offered}, wanted = {3, item};
    struct skr_amounts offer = {0, NULL}, a;
    uint64_t version = skr_resource_names_version(names);
    assert_string_equal(skr_quantities_absent(names, &wanted)->name, "b/gpu");
    skr_device_classes_put(skr_resource_names_classes(names), &gpu);
    assert_true(skr_resource_names_version(names) > version);
    assert_null(skr_quantities_absent(names, &wanted));
    skr_amounts_resolve(names, &wanted, &a);
    assert_int_equal(a.n, 1);
    assert_int_equal(a.item[0].resource, SKR_RESOURCE_CPU);
    assert_false(a.item[0].by_class);
    skr_amounts_fini(&a);
    assert_int_equal(skr_resource_names_offer(names, &q, &offer, NULL), 0);
    skr_amounts_resolve(names, &wanted, &a);
    assert_int_equal(a.n, 2);
    assert_int_equal(a.item[1].amount, 2);
    assert_true(a.item[1].by_class);
    struct skr_amounts counted;
    skr_device_classes_remove(skr_resource_names_classes(names), "gpu");
    wanted.n = 2;
    skr_amounts_resolve(names, &wanted, &counted);
    assert_false(counted.item[1].by_class);
    assert_false(skr_amounts_equal(&a, &counted));
    skr_amounts_fini(&a);
    skr_amounts_fini(&counted);
    skr_resource_names_withdraw(names, &offer);
    skr_resource_names_destroy(names);
}

TEST(where_classes_are_not_known_an_extended_resource_that_no_node_offers_counts_as_served)
{
    static const struct {
        const char *name;
        bool is_served;
    } rows[] = {
        {"example.com/gpu", true},      {"deviceclass.resource.kubernetes.io/x", true},
        {"offered.com/gpu", false},     {"ephemeral-storage", false},
        {"hugepages-2Mi", false},       {"requests.example.com/gpu", false},
        {"x.kubernetes.io/gpu", false},
    };
    struct skr_resource_names *names = skr_resource_names_create();
    struct skr_quantity_item offered[] = {{"offered.com/gpu", 4}};
    struct skr_quantities q = {1, offered};
    struct skr_amounts offer = {0, NULL};
    assert_int_equal(skr_resource_names_offer(names, &q, &offer, NULL), 0);
    for (int assume = 1; assume >= 0; assume--) {
        const uint64_t version = skr_resource_names_version(names);
        skr_resource_names_assume_classes(names, assume);
        assert_true(skr_resource_names_version(names) > version);
        skr_resource_names_assume_classes(names, assume);
        assert_true(skr_resource_names_version(names) == version + 1);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const char *class = "";
            bool served = skr_resource_names_is_served(names, rows[i].name, &class);
            assert_int_equal(served, assume && rows[i].is_served);
            assert_null(class);
        }
    }
    skr_resource_names_withdraw(names, &offer);
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
