/* SPDX-License-Identifier: Apache-2.0 */
/* Slices in the stock say what they said when they were decoded, whatever other slices came and went; and what devices
 * have alike is held once. */
#include "core/devices/stock.h"

#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

SKR_AUTO_DEFINE(struct skr_devices_stock, skr_devices_stock_destroy)

enum { SLICES = 12, ROUNDS = 1500 };

static unsigned pick(uint64_t *random, unsigned n)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*random >> 33) % n;
}

static struct skr_device_slice *decode(const char *text)
{
    json_auto_t *json = json_text_load(text);
    struct skr_device_slice *slice = NULL;
    assert_int_equal(skr_device_slice_decode(json, &slice, NULL), 0);
    return slice;
}

static struct skr_devices_stock *stock(void)
{
    const struct skr_hash_seed seed = {{0}};
    return skr_devices_stock_create(&seed, NULL, NULL);
}

/* ---- what it was ---- */

static void add_value(struct skr_strbuf *b, uint64_t *random)
{
    const unsigned value = pick(random, 6);
    switch (pick(random, 8)) {
    case 0:
        skr_strbuf_addf(b, "{'int':%u}", value);
        break;
    case 1:
        skr_strbuf_addf(b, "{'bool':%s}", value > 2 ? "true" : "false");
        break;
    case 2:
        skr_strbuf_add(b, "{'strings':['a']}");
        break;
    case 3:
        skr_strbuf_addf(b, "{'version':'1.%u.0'}", value);
        break;
    default:
        skr_strbuf_addf(b, "{'string':'s-%u'}", value);
    }
}

static void add_counters(struct skr_strbuf *b, uint64_t *random, const char *key, const char *name)
{
    const unsigned n = pick(random, 3);
    skr_strbuf_addf(b, ",'%s':[", key);
    for (unsigned i = 0; i < n; i++) {
        skr_strbuf_addf(b, "%s{'%s':'set-%u','counters':{'x':{'value':'%u'},'y':{'value':'3'}}}",
                        i > 0 ? "," : "", name, pick(random, 4), pick(random, 2));
    }
    skr_strbuf_add(b, "]");
}

/* Few names and values: families and kinds are often, but not always, there. */
static void add_device(struct skr_strbuf *b, uint64_t *random, unsigned i)
{
    const unsigned n = 4 * pick(random, 3);
    skr_strbuf_addf(b, "%s{'name':'d-%u','nodeName':'n-%u','attributes':{", i > 0 ? "," : "",
                    pick(random, 4), pick(random, 2));
    for (unsigned k = 0; k < n; k++) {
        skr_strbuf_addf(b, "%s'a-%u':", k > 0 ? "," : "", k);
        add_value(b, random);
    }
    skr_strbuf_addf(b,
                    "},'capacity':{'m':{'value':'%u','requestPolicy':{'default':'1','validValues':"
                    "['1','%u']}}},'taints':[{'key':'t','effect':'NoSchedule','value':'%u'}],"
                    "'allowMultipleAllocations':%s",
                    pick(random, 2), pick(random, 2), pick(random, 2),
                    pick(random, 2) ? "true" : "false");
    add_counters(b, random, "consumesCounters", "counterSet");
    skr_strbuf_add(b, "}");
}

static struct skr_device_slice *random_slice(uint64_t seed, unsigned number, unsigned version)
{
    SKR_STRBUF(b);
    const bool each = pick(&seed, 3) == 0;
    skr_strbuf_addf(&b,
                    "{'metadata':{'name':'slice-%u','resourceVersion':'%u'},'spec':{'driver':'d',"
                    "%s,'pool':{'name':'n-%u','generation':%u,'resourceSliceCount':2}",
                    number, version, each ? "'perDeviceNodeSelection':true" : "'nodeName':'n-1'",
                    pick(&seed, 2), pick(&seed, 2));
    add_counters(&b, &seed, "sharedCounters", "name");
    skr_strbuf_add(&b, ",'devices':[");
    for (unsigned i = 0, n = pick(&seed, 6); i < n; i++) {
        add_device(&b, &seed, i);
    }
    skr_strbuf_add(&b, "]}}");
    return decode(b.s);
}

static void assert_same_counter(const struct skr_device_counter *a,
                                const struct skr_device_counter *b)
{
    assert_string_equal(a->set, b->set);
    assert_string_equal(a->name, b->name);
    assert_true(a->value == b->value);
}

static void assert_same_device(const struct skr_device *a, const struct skr_device *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind->n_attributes, b->kind->n_attributes);
    assert_int_equal(a->kind->n_capacities, b->kind->n_capacities);
    assert_int_equal(a->kind->n_counters, b->kind->n_counters);
    assert_int_equal(a->kind->n_taints, b->kind->n_taints);
    assert_int_equal(a->kind->shared, b->kind->shared);
    for (size_t i = 0; i < a->kind->n_attributes; i++) {
        const struct skr_device_attribute x = skr_device_attribute(a, i);
        const struct skr_device_attribute y = skr_device_attribute(b, i);
        assert_string_equal(x.name, y.name);
        assert_true(skr_device_same_value(&x, &y));
    }
    for (size_t i = 0; i < a->kind->n_counters; i++) {
        const struct skr_device_counter x = skr_device_counter(a, i), y = skr_device_counter(b, i);
        assert_same_counter(&x, &y);
    }
    for (size_t i = 0; i < a->kind->n_capacities; i++) {
        const struct skr_device_capacity *x = &a->kind->capacity[i], *y = &b->kind->capacity[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->value == y->value && x->policy->default_ == y->policy->default_ &&
                    x->policy->value[1] == y->policy->value[1]);
    }
    assert_string_equal(a->kind->taint->value, b->kind->taint->value);
}

static void assert_same_slice(const struct skr_device_slice *a, const struct skr_device_slice *b)
{
    assert_string_equal(a->driver, b->driver);
    assert_string_equal(a->pool, b->pool);
    assert_string_equal(a->reach.node, b->reach.node);
    assert_int_equal(a->generation, b->generation);
    assert_int_equal(a->n_slices, b->n_slices);
    assert_int_equal(a->n_counters, b->n_counters);
    assert_int_equal(a->n_devices, b->n_devices);
    for (size_t i = 0; i < a->n_counters; i++) {
        assert_same_counter(&a->counter[i], &b->counter[i]);
        assert_int_equal(i > 0 && a->counter[i].set == a->counter[i - 1].set,
                         i > 0 && b->counter[i].set == b->counter[i - 1].set);
    }
    for (size_t i = 0; i < a->n_devices; i++) {
        assert_same_device(&a->device[i], &b->device[i]);
        assert_int_equal(!a->reach_of, !b->reach_of);
        assert_string_equal(a->reach_of ? a->reach_of[i].node : "",
                            b->reach_of ? b->reach_of[i].node : "");
    }
}

TEST(a_slice_in_the_stock_says_what_was_decoded)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    uint64_t random = 1, seed[SLICES] = {0};
    char name[16];
    for (unsigned round = 1; round <= ROUNDS; round++) {
        const unsigned number = pick(&random, SLICES);
        struct skr_stock_slice *slice;
        snprintf(name, sizeof name, "slice-%u", number);
        if (pick(&random, 4) == 0) {
            skr_devices_stock_remove_slice(s, name);
        } else {
            seed[number] = round;
            skr_devices_stock_put_slice(s, random_slice(round, number, round));
        }
        for (slice = s->slices; slice; slice = slice->hh.next) {
            const unsigned of = (unsigned)strtoul(slice->slice->meta.name + 6, NULL, 10);
            SKR_AUTO(skr_device_slice_destroy)
            struct skr_device_slice *was = random_slice(seed[of], of, 1);
            assert_same_slice(slice->slice, was);
        }
    }
    for (unsigned i = 0; i < SLICES; i++) {
        snprintf(name, sizeof name, "slice-%u", i);
        skr_devices_stock_remove_slice(s, name);
    }
    assert_null(s->kinds.families);
    assert_int_equal(s->n_bytes + s->kinds.n_bytes, 0);
}

/* ---- what it takes ---- */

TEST(equal_nodes_hold_values_of_their_own_alone)
{
    const size_t own = sizeof(struct skr_device) + sizeof(struct skr_device_own) + 41;
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    size_t before = 0;
    for (unsigned node = 0; node < 3; node++) {
        SKR_STRBUF(b);
        before = s->n_bytes + s->kinds.n_bytes;
        skr_strbuf_addf(&b,
                        "{'metadata':{'name':'node-%u-gpu'},'spec':{'driver':'gpu.nvidia.com',"
                        "'nodeName':'node-%u','pool':{'name':'node-%u','generation':1,"
                        "'resourceSliceCount':1},'devices':[",
                        node, node, node);
        for (unsigned i = 0; i < 8; i++) {
            skr_strbuf_addf(&b,
                            "%s{'name':'gpu-%u','attributes':{'model':{'string':'H100'},'minor':"
                            "{'int':%u},'uuid':{'string':'GPU-%036u'}},'capacity':{'memory':"
                            "{'value':'80Gi'}},'consumesCounters':[{'counterSet':'set-%u',"
                            "'counters':{'a-long-name-of-a-counter':{'value':'%u'}}}]}",
                            i > 0 ? "," : "", i, i, node * 8 + i, i, i);
        }
        skr_strbuf_add(&b, "]}}");
        skr_devices_stock_put_slice(s, decode(b.s));
    }
    assert_in_range(s->n_bytes + s->kinds.n_bytes - before, 8 * own,
                    8 * own + sizeof(struct skr_stock_slice) + sizeof(struct skr_device_slice) +
                        96);
}
