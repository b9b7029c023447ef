/* SPDX-License-Identifier: Apache-2.0 */
/* More slices, devices, bytes, counters, selectors, specs or rules than are counted: kube-scheduler decides, and the
 * reason has the number. */
#include "core/devices/stock_limits.h"

#include "core/devices/sequence.h"
#include "core/devices/stock_shares.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

SKR_AUTO_DEFINE(struct skr_devices_stock, skr_devices_stock_destroy)

/* So many devices that have nothing, and counters c-0, c-1, .. of set s. */
static struct skr_device_slice *slice_of(size_t number, size_t n_devices, size_t n_counters)
{
    struct skr_arena *arena = skr_arena_create(16 * 1024 * 1024, 512);
    struct skr_device_slice *slice = skr_arena_alloc(arena, sizeof *slice);
    static const struct skr_device_kind plain = {.n_attributes = 0};
    struct skr_device *device = skr_arena_array(arena, n_devices, sizeof *device);
    struct skr_device_counter *counter = skr_arena_array(arena, n_counters, sizeof *counter);
    char name[32];
    for (size_t i = 0; i < n_devices; i++) {
        device[i] = (struct skr_device){.name = "d", .kind = &plain};
    }
    for (size_t i = 0; i < n_counters; i++) {
        snprintf(name, sizeof name, "c-%zu", i);
        counter[i] = (struct skr_device_counter){"s", skr_arena_strdup(arena, name), 1};
    }
    snprintf(name, sizeof name, "s-%zu", number); /* and its own pool */
    *slice = (struct skr_device_slice){.arena = arena,
                                       .driver = "d",
                                       .pool = skr_arena_strdup(arena, name),
                                       .generation = 1,
                                       .n_slices = 1,
                                       .reach = {.node = "n", .selector = ""},
                                       .n_devices = n_devices,
                                       .n_counters = n_counters,
                                       .device = device,
                                       .counter = counter};
    slice->meta.name = skr_arena_strdup(arena, name);
    return slice;
}

static struct skr_devices_stock *stock(void)
{
    const struct skr_hash_seed seed = {{0}};
    return skr_devices_stock_create(&seed, NULL, NULL);
}

/* The node is not modelled, for that reason; "": it is. */
static void assert_beyond(struct skr_devices_stock *s, const char *why)
{
    struct skr_claim_spec *none = NULL;
    const struct skr_pod_claims pod = {0, (const struct skr_claim_spec *const *)&none};
    const struct skr_sequence sequence = skr_sequence_count(s, "n", NULL, 0, NULL, &pod, 1, NULL);
    assert_string_equal(sequence.why, why);
    assert_int_equal(sequence.uncounted, *why ? SKR_UNCOUNTED_BUDGET : SKR_COUNTED);
}

TEST(slices_beyond_100000_are_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    for (size_t i = 0; i < SKR_STOCK_SLICES_MAX; i++) {
        skr_devices_stock_put_slice(s, slice_of(i, 0, 0));
    }
    assert_null(s->full);
    skr_devices_stock_put_slice(s, slice_of(7, 0, 0)); /* it is there already */
    assert_null(s->full);
    skr_devices_stock_put_slice(s, slice_of(SKR_STOCK_SLICES_MAX, 0, 0));
    assert_string_equal(s->full, "there are more than 100,000 ResourceSlices");
}

TEST(devices_beyond_two_millions_are_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    s->n_devices = SKR_STOCK_DEVICES_MAX - 3; /* of slices that are not there */
    skr_devices_stock_put_slice(s, slice_of(0, 1, 0));
    skr_devices_stock_put_slice(s, slice_of(1, 2, 0));
    assert_null(s->full);
    assert_beyond(s, "");
    skr_devices_stock_remove_slice(s, "s-0");
    skr_devices_stock_put_slice(s, slice_of(2, 1, 0));
    assert_null(s->full);
    skr_devices_stock_put_slice(s, slice_of(3, 1, 0));
    assert_beyond(s, "there are more than 2,000,000 devices");
}

TEST(slices_beyond_512_mib_are_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    skr_devices_stock_put_slice(s, slice_of(0, 128, 0));
    const size_t one = s->n_bytes;
    assert_in_range(one, 128 * sizeof(struct skr_device), 300 * 128);
    s->n_bytes = SKR_STOCK_BYTES_MAX - s->kinds.n_bytes - one; /* its kind of devices is there */
    skr_devices_stock_put_slice(s, slice_of(1, 128, 0));
    assert_null(s->full);
    skr_devices_stock_put_slice(s, slice_of(2, 128, 0));
    assert_beyond(s, "the devices of all ResourceSlices take more than 512 MiB");
}

TEST(a_pool_with_more_than_10000_counters_is_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    skr_devices_stock_put_slice(s, slice_of(0, 1, SKR_POOL_COUNTERS_MAX));
    assert_beyond(s, "");
    skr_devices_stock_put_slice(s, slice_of(0, 1, SKR_POOL_COUNTERS_MAX + 1));
    assert_beyond(s, "a pool has more than 10,000 counters");
}

TEST(a_pod_with_more_than_64_claims_is_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    struct skr_claim_spec spec = {.why = ""};
    const struct skr_claim_spec *list[SKR_DEVICES_CLAIMS_MAX + 1];
    for (size_t i = 0; i <= SKR_DEVICES_CLAIMS_MAX; i++) {
        list[i] = &spec;
    }
    const struct skr_pod_claims most = {SKR_DEVICES_CLAIMS_MAX, list};
    const struct skr_pod_claims more = {SKR_DEVICES_CLAIMS_MAX + 1, list};
    assert_int_equal(skr_sequence_count(s, "n", NULL, 0, NULL, &most, 1, NULL).uncounted,
                     SKR_COUNTED);
    const struct skr_sequence beyond = skr_sequence_count(s, "n", NULL, 0, NULL, &more, 1, NULL);
    assert_int_equal(beyond.uncounted, SKR_UNCOUNTED_BUDGET);
    assert_string_equal(beyond.why, "a pod has more than 64 claims");
}

static void put_class(struct skr_devices_stock *s, const char *name, unsigned first, size_t n)
{
    char text[SKR_CLASS_SELECTORS_MAX][32];
    const char *selector[SKR_CLASS_SELECTORS_MAX];
    for (size_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "device.driver != 'd-%zu'", first + i);
        selector[i] = text[i];
    }
    const struct skr_device_class class = {
        .meta.name = name, .n_selectors = n, .selector = selector};
    skr_devices_stock_put_class(s, &class);
}

/* Why a pod with a device of the class is not modelled; "": it is. */
static const char *why_of_class(struct skr_devices_stock *s, const char *class)
{
    const struct skr_claim_spec *spec = skr_devices_stock_extended(s, class, 1);
    const struct skr_pod_claims pod = {1, &spec};
    const char *why = skr_sequence_count(s, "n", NULL, 0, NULL, &pod, 1, NULL).why;
    skr_devices_stock_forget_spec(s, spec);
    return why;
}

TEST(selectors_beyond_4096_are_not_modelled)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const char *why = "there are more than 4096 different selectors";
    skr_devices_stock_put_slice(s, slice_of(0, 1, 0));
    for (unsigned i = 0; i < SKR_STOCK_SELECTORS_MAX; i += SKR_CLASS_SELECTORS_MAX) {
        put_class(s, test_text("class-%u", i), i, SKR_CLASS_SELECTORS_MAX);
    }
    assert_string_equal(why_of_class(s, "class-0"), "");
    put_class(s, "equal", SKR_STOCK_SELECTORS_MAX - 1, 1); /* one that is there */
    assert_string_equal(why_of_class(s, "equal"), "");
    put_class(s, "other", SKR_STOCK_SELECTORS_MAX, 1);
    assert_string_equal(why_of_class(s, "other"), why);
    assert_string_equal(why_of_class(s, "class-0"), "");
    skr_devices_stock_remove_class(s, "class-0");
    put_class(s, "other", SKR_STOCK_SELECTORS_MAX, 1);
    assert_string_equal(why_of_class(s, "other"), "");
}

TEST(specs_beyond_4096_are_not_held)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const struct skr_claim_spec *first = skr_devices_stock_extended(s, "c", 1);
    for (int64_t i = 2; i <= SKR_STOCK_SPECS_MAX; i++) {
        assert_non_null(skr_devices_stock_extended(s, "c", i));
    }
    assert_null(skr_devices_stock_extended(s, "c", SKR_STOCK_SPECS_MAX + 1));
    assert_ptr_equal(skr_devices_stock_extended(s, "c", 1), first);
    skr_devices_stock_forget_spec(s, first);
    skr_devices_stock_forget_spec(s, first);
    assert_non_null(skr_devices_stock_extended(s, "c", SKR_STOCK_SPECS_MAX + 1));
}

static void put_rule(struct skr_devices_stock *s, unsigned number)
{
    SKR_STRBUF(text);
    struct skr_device_taint_rule *rule = NULL;
    skr_strbuf_addf(&text, "{'metadata':{'name':'r-%u'},'spec':{'taint':{'key':'k'}}}", number);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_taint_rule_decode(json, &rule, NULL), 0);
    skr_devices_stock_put_rule(s, rule);
}

TEST(taint_rules_beyond_4096_are_not_counted)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    for (unsigned i = 0; i < SKR_STOCK_RULES_MAX; i++) {
        put_rule(s, i);
    }
    put_rule(s, 7); /* it is there already */
    assert_beyond(s, "");
    put_rule(s, SKR_STOCK_RULES_MAX);
    assert_beyond(s, "there are more than 4,096 DeviceTaintRules");
}

static skr_time pause_after(struct skr_devices_stock *s, enum skr_stock_attempt how, skr_time took,
                            skr_time now)
{
    skr_stock_share_attempt(s, "n");
    assert_int_equal(skr_stock_share_get(s, "n")->attempts, 1);
    skr_stock_share_attempted(s, "n", how, took, now);
    assert_int_equal(skr_stock_share_get(s, "n")->attempts, 0);
    return skr_stock_share_get(s, "n")->opens - now;
}

TEST(after_an_attempt_a_namespace_pauses_as_long_and_twice_as_long_after_each_refusal)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const skr_time now = 1000 * SKR_SECOND, took = 3 * SKR_SECOND;
    assert_int_equal(pause_after(s, SKR_STOCK_TAKEN, took, now), took);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(pause_after(s, SKR_STOCK_REFUSED, took, now), took << i);
    }
    assert_int_equal(pause_after(s, SKR_STOCK_REFUSED, took, now),
                     SKR_SHARE_PAUSE_MAX_S * SKR_SECOND);
    assert_int_equal(pause_after(s, SKR_STOCK_ENDED, 0, now), 0);
    assert_int_equal(skr_stock_share_get(s, "n")->refused, 8); /* what users end is no success */
    assert_int_equal(pause_after(s, SKR_STOCK_TAKEN, 0, now), 0);
    assert_int_equal(pause_after(s, SKR_STOCK_REFUSED, 0, now), SKR_SECOND);
    const skr_time later = now + (SKR_SHARE_ROW_KEPT_S + 1) * SKR_SECOND;
    assert_int_equal(pause_after(s, SKR_STOCK_REFUSED, 0, later), SKR_SECOND);
}

TEST(the_refusals_of_a_namespace_outlast_those_of_many_others)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    (void)pause_after(s, SKR_STOCK_REFUSED, SKR_SECOND, SKR_SECOND);
    for (int i = 0; i < 100; i++) {
        skr_stock_share_spend(s, test_text("other-%d", i), 1, 60 * SKR_SECOND);
    }
    assert_int_equal(skr_stock_share_get(s, "n")->refused, 1);
}
