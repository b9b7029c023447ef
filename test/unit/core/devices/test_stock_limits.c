/* SPDX-License-Identifier: Apache-2.0 */
/* More slices, devices, bytes or counters than are counted: kube-scheduler decides, and the reason has the
 * number. */
#include "core/devices/stock_limits.h"

#include "core/devices/sequence.h"
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
