/* SPDX-License-Identifier: Apache-2.0 */
/* Devices by class and state. */
#include "core/devices/census.h"

#include <stdio.h>
#include <string.h>

#include "test/test.h"
#include "test/unit/json_text.h"

static const struct skr_hash_seed seed;

static void put_slice(struct skr_devices_stock *stock, const char *text)
{
    struct skr_device_slice *slice = NULL;
    json_auto_t *json = json_text_load(text);
    assert_int_equal(skr_device_slice_decode(json, &slice, NULL), 0);
    skr_devices_stock_put_slice(stock, slice);
}

static void put_class(struct skr_devices_stock *stock, const char *name, const char *expression)
{
    struct skr_device_class *class = NULL;
    json_auto_t *json = json_pack("{s:{s:s}, s:{s:[{s:{s:s}}]}}", "metadata", "name", name, "spec",
                                  "selectors", "cel", "expression", expression);
    assert_int_equal(skr_device_class_decode(json, &class, NULL), 0);
    skr_devices_stock_put_class(stock, class);
    skr_device_class_destroy(class);
}

static void assert_class(const struct skr_devices_census *census, size_t i, const char *name,
                         size_t free_, size_t taken, size_t tainted)
{
    assert_string_equal(census->of[i].name, name);
    assert_int_equal(census->of[i].n[SKR_CENSUS_FREE], free_);
    assert_int_equal(census->of[i].n[SKR_CENSUS_TAKEN], taken);
    assert_int_equal(census->of[i].n[SKR_CENSUS_TAINTED], tainted);
}

TEST(devices_are_counted_by_class_and_state_and_the_classes_beyond_sixteen_together)
{
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
    struct skr_devices_census census;
    const struct skr_claim_device taken = {.driver = "d", .pool = "p", .device = "a"};
    const char *const pods[] = {"first", "second"};
    skr_devices_census_take(stock, &census);
    assert_int_equal(census.n, 0);
    put_slice(stock,
              "{'metadata':{'name':'s'},'spec':{'driver':'d','nodeName':'n','pool':{'name':'p',"
              "'generation':1,'resourceSliceCount':1},'devices':[{'name':'a'},{'name':'b',"
              "'taints':[{'key':'k','effect':'NoSchedule'}]},{'name':'c',"
              "'taints':[{'key':'k','effect':'None'}]},{'name':'e'}]}}");
    put_slice(stock,
              "{'metadata':{'name':'t'},'spec':{'driver':'x','allNodes':true,'pool':{'name':'q',"
              "'generation':1,'resourceSliceCount':1},'devices':[{'name':'f'}]}}");
    skr_devices_stock_allocate(stock, "ns/c", &taken, 1);
    put_class(stock, "all", "true");
    put_class(stock, "driver", "device.driver == \"d\"");
    put_class(stock, "fails", "device.attributes[\"d\"].none == 1");
    skr_devices_census_take(stock, &census);
    assert_int_equal(census.n, 3);
    assert_class(&census, 0, "all", 3, 1, 1);
    assert_class(&census, 1, "driver", 2, 1, 1);
    assert_class(&census, 2, "fails", 0, 0, 0);
    for (int i = 0; i < 15; i++) {
        put_class(stock, test_text("x%02d", i), "true");
    }
    skr_devices_census_take(stock, &census);
    assert_int_equal(census.n, SKR_CENSUS_CLASSES + 1);
    assert_class(&census, 16, "other", 6, 2, 2);
    skr_devices_census_node(stock, "n", "all", NULL, &census.of[0]);
    assert_class(&census, 0, "", 2, 1, 1);
    skr_devices_census_node(stock, "m", "all", NULL, &census.of[0]);
    assert_class(&census, 0, "", 0, 0, 0);
    skr_devices_stock_use(stock, "ns/c", pods, 2);
    skr_devices_census_node(stock, "n", "all", pods[0], &census.of[0]);
    assert_class(&census, 0, "", 0, 1, 0);
    skr_devices_census_node(stock, "n", "all", pods[1], &census.of[0]);
    assert_class(&census, 0, "", 0, 0, 0);
    skr_devices_stock_allocate(stock, "ns/c", NULL, 0);
    skr_devices_stock_destroy(stock);
}
