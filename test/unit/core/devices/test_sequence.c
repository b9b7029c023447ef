/* SPDX-License-Identifier: Apache-2.0 */
/* How many pods a node serves with devices. test/upstream/devices compares the devices themselves with those
 * of kube-scheduler's allocator. */
#include "core/devices/pod_problem.h"
#include "core/devices/sequence.h"

#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

struct stock_test {
    struct skr_devices_stock *stock;
    struct skr_sequence_memo *memo;
};

static void put_slice(struct skr_devices_stock *stock, const char *name, const char *spec)
{
    SKR_STRBUF(text);
    struct skr_device_slice *slice = NULL;
    skr_strbuf_addf(&text, "{'metadata':{'name':'%s'},'spec':{'driver':'d','nodeName':'n',%s}}",
                    name, spec);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_slice_decode(json, &slice, NULL), 0);
    skr_devices_stock_put_slice(stock, slice);
}

static void put_class(struct skr_devices_stock *stock, const char *name, const char *selector)
{
    SKR_STRBUF(text);
    struct skr_device_class *class = NULL;
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'%s'},'spec':{'selectors':[{'cel':{'expression':'%s'}}]}}",
                    name, selector);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_class_decode(json, &class, NULL), 0);
    skr_devices_stock_put_class(stock, class);
    skr_device_class_destroy(class);
}

/* Devices big-0, big-1, small-0 .. small-3 of one pool, and classes any and big. */
static struct skr_devices_stock *fixture(void)
{
    const struct skr_hash_seed seed = {{0}};
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
    SKR_STRBUF(spec);
    skr_strbuf_add(&spec, "'pool':{'name':'n','generation':1,'resourceSliceCount':1},'devices':[");
    for (int i = 0; i < 6; i++) {
        skr_strbuf_addf(&spec,
                        "%s{'name':'%s-%d','attributes':{'size':{'string':'%s'},'uuid':{'string':'"
                        "%d'}}}",
                        i > 0 ? "," : "", i < 2 ? "big" : "small", i, i < 2 ? "big" : "small", i);
    }
    skr_strbuf_add(&spec, "]");
    put_slice(stock, "s", spec.s);
    put_class(stock, "any", "device.driver == \\'d\\'");
    put_class(stock, "big", "device.attributes[\\'d\\'].size == \\'big\\'");
    return stock;
}

static struct skr_sequence count(struct skr_devices_stock *stock, const char *requests,
                                 struct skr_sequence_memo *memo)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "{\"requests\":[%s]}", requests);
    for (size_t i = 0; i < text.len; i++) {
        text.s[i] = text.s[i] == '\'' ? '"' : text.s[i];
    }
    const struct skr_claim_spec *spec = skr_devices_stock_spec(stock, text.s);
    assert_non_null(spec);
    const struct skr_pod_claims pod = {1, &spec};
    const struct skr_sequence ret = skr_sequence_count(stock, "n", NULL, 0, NULL, &pod, 100, memo);
    skr_devices_stock_forget_spec(stock, spec);
    return ret;
}

#define EXACTLY(name, class, n) \
    "{'name':'" name "','exactly':{'deviceClassName':'" class "','count':" n "}}"

static void allocate(struct skr_devices_stock *stock, const char *key, const char *device)
{
    const struct skr_claim_device taken = {.driver = "d", .pool = "n", .device = device};
    skr_devices_stock_allocate(stock, key, &taken, device ? 1 : 0);
}

TEST(a_node_serves_as_many_pods_as_it_has_devices)
{
    struct skr_devices_stock *stock = fixture();
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    assert_int_equal(count(stock, EXACTLY("r", "any", "2"), NULL).n, 3);
    assert_int_equal(count(stock, EXACTLY("r", "big", "1"), NULL).n, 2);
    assert_int_equal(count(stock, EXACTLY("r", "any", "7"), NULL).n, 0);
    skr_devices_stock_destroy(stock);
}

/* The first pod takes both large devices, for "any" and for "big", although two pods could be served. */
TEST(between_pods_the_search_is_greedy)
{
    struct skr_devices_stock *stock = fixture();
    assert_int_equal(count(stock, EXACTLY("a", "any", "1") "," EXACTLY("b", "big", "1"), NULL).n,
                     1);
    assert_int_equal(count(stock, EXACTLY("b", "big", "1") "," EXACTLY("a", "any", "1"), NULL).n,
                     1);
    skr_devices_stock_destroy(stock);
}

TEST(another_order_of_devices_may_serve_more_pods)
{
    struct skr_devices_stock *stock = fixture();
    const struct skr_claim_spec *spec = skr_devices_stock_spec(
        stock,
        "{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"any\","
        "\"count\":1}},{\"name\":\"b\",\"exactly\":{\"deviceClassName\":\"big\",\"count\":1}}]}");
    const struct skr_pod_claims pod = {1, &spec};
    assert_int_equal(skr_sequence_count(stock, "n", NULL, 0, NULL, &pod, 9, NULL).n, 1);
    assert_int_equal(skr_sequence_scarce_last(stock, "n", NULL, 0, &pod, 9), 2);
    skr_devices_stock_forget_spec(stock, spec);
    skr_devices_stock_destroy(stock);
}

TEST(what_allocations_take_is_not_there_until_they_end)
{
    struct skr_devices_stock *stock = fixture();
    allocate(stock, "ns/a", "big-0");
    allocate(stock, "ns/b", "small-5");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 4);
    allocate(stock, "ns/a", "small-4");
    assert_int_equal(count(stock, EXACTLY("r", "big", "1"), NULL).n, 2);
    allocate(stock, "ns/a", NULL);
    allocate(stock, "ns/b", NULL);
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    skr_devices_stock_destroy(stock);
}

TEST(pending_pods_come_first)
{
    struct skr_devices_stock *stock = fixture();
    const struct skr_claim_spec *spec = skr_devices_stock_spec(
        stock, "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"any\"}}]}");
    const struct skr_pod_claims pod = {1, &spec};
    const struct skr_pod_claims pending[] = {pod, pod};
    assert_int_equal(skr_sequence_count(stock, "n", pending, 2, NULL, &pod, 100, NULL).n, 4);
    skr_devices_stock_forget_spec(stock, spec);
    skr_devices_stock_destroy(stock);
}

/* As many as serve() serves of the first one and then the others. */
TEST(the_first_pod_pays_for_what_the_others_share)
{
    static const char *const text[] = {
        "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"any\"}}]}",
        "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"big\"}}]}",
        "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"any\",\"count\":9}}]}",
    };
    struct skr_devices_stock *stock = fixture();
    struct skr_sequence_memo *memo = skr_sequence_memo_create();
    const struct skr_claim_spec *spec[3];
    for (size_t i = 0; i < 3; i++) {
        spec[i] = skr_devices_stock_spec(stock, text[i]);
    }
    for (size_t shared = 0; shared < 3; shared++) {
        for (size_t own = 0; own < 2; own++) {
            const struct skr_claim_spec *both[] = {spec[shared], spec[own]};
            const struct skr_pod_claims first = {2, both}, other = {1, &both[1]};
            const struct skr_pod_claims list[] = {first, other, other, other, other, other, other};
            const int32_t n = skr_sequence_count(stock, "n", NULL, 0, &first, &other, 100, memo).n;
            assert_int_equal(n, skr_sequence_serve(stock, "n", list, 7, memo).n);
            assert_int_equal(skr_sequence_ever(stock, "n", &first, &other, 100, memo).n, n);
        }
        const struct skr_pod_claims first = {1, &spec[shared]}, none = {0, NULL};
        assert_int_equal(skr_sequence_count(stock, "n", NULL, 0, &first, &none, 100, memo).n,
                         shared < 2 ? 100 : 0);
    }
    for (size_t i = 0; i < 3; i++) {
        skr_devices_stock_forget_spec(stock, spec[i]);
    }
    skr_sequence_memo_destroy(memo);
    skr_devices_stock_destroy(stock);
}

/* "any" takes the large devices first, so that "big" has its devices only before it. */
TEST(pods_that_differ_are_served_in_their_order)
{
    struct skr_devices_stock *stock = fixture();
    struct skr_sequence_memo *memo = skr_sequence_memo_create();
    const struct skr_claim_spec *spec[] = {
        skr_devices_stock_spec(stock, "{\"requests\":[{\"name\":\"r\",\"exactly\":"
                                      "{\"deviceClassName\":\"any\",\"count\":2}}]}"),
        skr_devices_stock_spec(stock, "{\"requests\":[{\"name\":\"r\",\"exactly\":"
                                      "{\"deviceClassName\":\"big\"}}]}")};
    const struct skr_pod_claims any = {1, &spec[0]}, big = {1, &spec[1]};
    const struct skr_pod_claims good[] = {big, big, any, any}, bad[] = {any, big, big, any};
    for (int warm = 0; warm < 2; warm++) {
        assert_int_equal(skr_sequence_serve(stock, "n", good, 4, memo).n, 4);
        assert_int_equal(skr_sequence_serve(stock, "n", good, 4, memo).end, SKR_SEQUENCE_MOST);
        assert_int_equal(skr_sequence_serve(stock, "n", bad, 4, memo).n, 1);
        assert_int_equal(skr_sequence_serve(stock, "n", bad, 4, memo).end, SKR_SEQUENCE_NONE);
    }
    allocate(stock, "ns/a", "big-0");
    assert_int_equal(skr_sequence_serve(stock, "n", good, 4, memo).n, 1);
    put_class(stock, "big", "device.attributes[\\'d\\'].none == 1");
    assert_int_equal(skr_sequence_serve(stock, "n", bad, 2, memo).end, SKR_SEQUENCE_ERROR);
    skr_devices_stock_forget_spec(stock, spec[0]);
    skr_devices_stock_forget_spec(stock, spec[1]);
    skr_sequence_memo_destroy(memo);
    skr_devices_stock_destroy(stock);
}

TEST(pods_interfere_if_a_device_or_a_pool_with_counters_may_serve_both)
{
    struct skr_devices_stock *stock = fixture();
    static const char *const class[] = {"any", "big", "small"};
    const struct skr_claim_spec *spec[3];
    struct skr_pod_claims pod[3];
    put_class(stock, "small", "device.attributes[\\'d\\'].size == \\'small\\'");
    for (size_t i = 0; i < 3; i++) {
        SKR_STRBUF(text);
        skr_strbuf_addf(
            &text, "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"%s\"}}]}",
            class[i]);
        spec[i] = skr_devices_stock_spec(stock, text.s);
        pod[i] = (struct skr_pod_claims){1, &spec[i]};
    }
    assert_true(skr_sequence_interferes(stock, "n", &pod[0], &pod[1]));
    assert_true(skr_sequence_interferes(stock, "n", &pod[2], &pod[0]));
    assert_false(skr_sequence_interferes(stock, "n", &pod[1], &pod[2]));
    assert_false(skr_sequence_interferes(stock, "other", &pod[0], &pod[1]));
    put_slice(stock, "c",
              "'pool':{'name':'n','generation':2,'resourceSliceCount':2},'sharedCounters':[{'name':"
              "'c','counters':{'memory':{'value':'2'}}}]");
    skr_devices_stock_remove_slice(stock, "s");
    put_slice(stock, "t",
              "'pool':{'name':'n','generation':2,'resourceSliceCount':2},'devices':["
              "{'name':'big-0','attributes':{'size':{'string':'big'}},'consumesCounters':"
              "[{'counterSet':'c','counters':{'memory':{'value':'2'}}}]},"
              "{'name':'small-0','attributes':{'size':{'string':'small'}},'consumesCounters':"
              "[{'counterSet':'c','counters':{'memory':{'value':'1'}}}]}]");
    assert_true(skr_sequence_interferes(stock, "n", &pod[1], &pod[2]));
    for (size_t i = 0; i < 3; i++) {
        skr_devices_stock_forget_spec(stock, spec[i]);
    }
    skr_devices_stock_destroy(stock);
}

static void put_rule(struct skr_devices_stock *stock, const char *name, const char *spec)
{
    SKR_STRBUF(text);
    struct skr_device_taint_rule *rule = NULL;
    skr_strbuf_addf(&text, "{'metadata':{'name':'%s'},'spec':{%s}}", name, spec);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_taint_rule_decode(json, &rule, NULL), 0);
    skr_devices_stock_put_rule(stock, rule);
}

TEST(a_rule_taints_the_devices_that_it_selects_for_those_that_do_not_tolerate_it)
{
    static const struct row {
        const char *spec;
        int32_t left, tolerant;
    } rows[] = {
        {"'deviceSelector':{'device':'big-0'},'taint':{'key':'k','effect':'NoSchedule'}", 5, 6},
        {"'deviceSelector':{'device':'big-0'},'taint':{'key':'k','effect':'None'}", 6, 6},
        {"'deviceSelector':{'driver':'d','pool':'n'},'taint':{'key':'k','effect':'NoExecute'}", 0,
         6},
        {"'deviceSelector':{'driver':'e'},'taint':{'key':'k','effect':'NoExecute'}", 6, 6},
        {"'deviceSelector':{'pool':'m'},'taint':{'key':'k','effect':'NoExecute'}", 6, 6},
        {"'deviceSelector':{'driver':'d'},'taint':{'key':'x','effect':'NoExecute'}", 0, 0},
    };
    struct skr_devices_stock *stock = fixture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_rule(stock, "rule", rows[i].spec);
        assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, rows[i].left);
        assert_int_equal(count(stock,
                               "{'name':'r','exactly':{'deviceClassName':'any','tolerations':"
                               "[{'key':'k','operator':'Exists'}]}}",
                               NULL)
                             .n,
                         rows[i].tolerant);
    }
    skr_devices_stock_remove_rule(stock, "rule");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    skr_devices_stock_destroy(stock);
}

TEST(more_taint_rules_than_the_limit_leave_devices_to_kube_scheduler)
{
    struct skr_devices_stock *stock = fixture();
    for (int i = 0; i <= SKR_STOCK_RULES_MAX; i++) {
        put_rule(stock, test_text("rule-%d", i), "'deviceSelector':{'driver':'e'}");
        const struct skr_sequence sequence = count(stock, EXACTLY("r", "any", "7"), NULL);
        assert_int_equal(sequence.end == SKR_SEQUENCE_UNMODELLED, i == SKR_STOCK_RULES_MAX);
    }
    skr_devices_stock_destroy(stock);
}

TEST(a_missing_attribute_ends_the_sequence_with_an_error)
{
    struct skr_devices_stock *stock = fixture();
    put_class(stock, "odd", "device.attributes[\\'d\\'].none == 1");
    const struct skr_sequence sequence = count(stock, EXACTLY("r", "odd", "1"), NULL);
    assert_int_equal(sequence.end, SKR_SEQUENCE_ERROR);
    assert_int_equal(sequence.n, 0);
    put_class(stock, "odd", "has(device.attributes[\\'d\\'].none)");
    assert_int_equal(count(stock, EXACTLY("r", "odd", "1"), NULL).end, SKR_SEQUENCE_NONE);
    skr_devices_stock_destroy(stock);
}

static void assert_unmodelled(const struct skr_sequence *sequence, const char *why)
{
    assert_int_equal(sequence->end, SKR_SEQUENCE_UNMODELLED);
    assert_int_equal(sequence->n, INT32_MAX);
    assert_string_equal(sequence->why, why);
}

TEST(what_is_not_modelled_is_left_to_kube_scheduler_and_says_why)
{
    struct skr_devices_stock *stock = fixture();
    put_class(stock, "odd", "device.attributes.size() > 0");
    struct skr_sequence sequence = count(stock, EXACTLY("r", "odd", "1"), NULL);
    assert_unmodelled(&sequence,
                      "a selector, at 1:8: attributes and capacity are read by a constant domain");
    sequence = count(stock, "{'name':'r'}", NULL);
    assert_unmodelled(&sequence, "a request is neither exact nor a list of alternatives");
    skr_devices_stock_destroy(stock);
}

/* A slice f with one device of class any, which these nodes reach. */
static void put_reached(struct skr_devices_stock *stock, const char *nodes)
{
    struct skr_device_slice *slice = NULL;
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'f'},'spec':{'driver':'f',%s,'pool':{'name':'f',"
                    "'generation':1,'resourceSliceCount':1},'devices':[{'name':'x'}]}}",
                    nodes);
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_slice_decode(json, &slice, NULL), 0);
    skr_devices_stock_put_slice(stock, slice);
}

TEST(a_device_that_some_nodes_reach_is_left_to_kube_scheduler)
{
    struct skr_devices_stock *stock = fixture();
    put_reached(stock, "'nodeSelector':{'nodeSelectorTerms':[]}");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    put_class(stock, "any", "true");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).end, SKR_SEQUENCE_UNMODELLED);
    skr_devices_stock_remove_slice(stock, "f");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    skr_devices_stock_destroy(stock);
}

static enum skr_claim_reach reach(struct skr_devices_stock *stock, const char *class)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(
        &text, "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"%s\"}}]}", class);
    const struct skr_claim_spec *spec = skr_devices_stock_spec(stock, text.s);
    const enum skr_claim_reach ret = skr_claim_reach_of(stock, spec);
    skr_devices_stock_forget_spec(stock, spec);
    return ret;
}

TEST(a_device_that_all_nodes_reach_is_one_of_each)
{
    struct skr_devices_stock *stock = fixture();
    put_class(stock, "any", "true");
    put_class(stock, "fabric", "device.driver == \\\"f\\\"");
    put_reached(stock, "'allNodes':true");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 7);
    assert_int_equal(count(stock, EXACTLY("r", "fabric", "1"), NULL).n, 1);
    assert_int_equal(reach(stock, "fabric"), SKR_CLAIM_OF_ALL_NODES);
    assert_int_equal(reach(stock, "any"), SKR_CLAIM_OF_SEVERAL);
    skr_devices_stock_remove_slice(stock, "f");
    assert_int_equal(reach(stock, "any"), SKR_CLAIM_OF_ONE_NODE);
    skr_devices_stock_destroy(stock);
}

TEST(a_selector_that_costs_too_much_is_not_modelled)
{
    struct skr_devices_stock *stock = fixture();
    SKR_STRBUF(list);
    SKR_STRBUF(text);
    skr_strbuf_add(&list, "[1");
    for (int i = 0; i < 150; i++) {
        skr_strbuf_add(&list, ",1");
    }
    skr_strbuf_addf(&text, "%s].all(a, %s].all(b, a == b))", list.s, list.s);
    put_class(stock, "odd", text.s);
    const struct skr_sequence sequence = count(stock, EXACTLY("r", "odd", "1"), NULL);
    assert_unmodelled(&sequence, "a selector costs too much");
    skr_devices_stock_destroy(stock);
}

/* Sixteen unlike devices, of which no eight have one value of an attribute. */
TEST(a_search_beyond_its_limit_is_left_to_kube_scheduler)
{
    struct skr_devices_stock *stock = fixture();
    SKR_STRBUF(spec);
    skr_strbuf_add(&spec, "'pool':{'name':'n','generation':2,'resourceSliceCount':1},'devices':[");
    for (int i = 0; i < 40; i++) {
        skr_strbuf_addf(&spec, "%s{'name':'x-%d','attributes':{'a':{'int':%d},'b':{'int':%d}}}",
                        i > 0 ? "," : "", i, i % 20, i);
    }
    skr_strbuf_add(&spec, "]");
    put_slice(stock, "s", spec.s);
    const struct skr_claim_spec *claim = skr_devices_stock_spec(
        stock,
        "{\"constraints\":[{\"distinctAttribute\":\"d/a\"},{\"distinctAttribute\":\"d/b\"}],"
        "\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"any\",\"count\":21}}]}");
    const struct skr_pod_claims pod = {1, &claim};
    stock->version = SKR_DEVICES_1_37;
    const struct skr_sequence sequence =
        skr_sequence_count(stock, "n", NULL, 0, NULL, &pod, 100, NULL);
    assert_unmodelled(
        &sequence, "the search for devices of one pod takes more steps than devices.steps permits");
    skr_devices_stock_forget_spec(stock, claim);
    skr_devices_stock_destroy(stock);
}

TEST(only_the_newest_generation_counts_and_only_if_it_is_complete)
{
    struct skr_devices_stock *stock = fixture();
    put_slice(stock, "t",
              "'pool':{'name':'n','generation':2,'resourceSliceCount':2},'devices':[{'name':'y'}]");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 0);
    put_slice(stock, "u",
              "'pool':{'name':'n','generation':2,'resourceSliceCount':2},'devices':[{'name':'z'}]");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 2);
    skr_devices_stock_destroy(stock);
}

/* GatherPools of the allocator looks at slices of other nodes only if some are missing. */
TEST(a_pool_whose_slices_the_node_reaches_is_complete_whatever_other_nodes_have)
{
    struct skr_devices_stock *stock = fixture();
    put_slice(stock, "t",
              "'nodeName':'m','pool':{'name':'n','generation':2,'resourceSliceCount':2}");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    put_slice(stock, "t",
              "'nodeName':'m','pool':{'name':'n','generation':1,'resourceSliceCount':1}");
    assert_int_equal(count(stock, EXACTLY("r", "any", "1"), NULL).n, 6);
    skr_devices_stock_destroy(stock);
}

/* The steps of a range are thousandths from 1.37 on, whole units before. */
TEST(capacity_is_rounded_up_to_steps_of_a_range)
{
    struct skr_devices_stock *stock = fixture();
    put_slice(stock, "s",
              "'pool':{'name':'n','generation':1,'resourceSliceCount':1},'devices':[{'name':'a',"
              "'allowMultipleAllocations':true,'capacity':{'memory':{'value':'6','requestPolicy':"
              "{'default':'1','validRange':{'min':'500m','step':'250m'}}}}}]");
    static const char request[] = "{'name':'r','exactly':{'deviceClassName':'any','count':1,"
                                  "'capacity':{'requests':{'memory':'1100m'}}}}";
    assert_int_equal(count(stock, request, NULL).n, 3);
    stock->version = SKR_DEVICES_1_37;
    assert_int_equal(count(stock, request, NULL).n, 4);
    skr_devices_stock_destroy(stock);
}

TEST(an_answer_of_the_memo_is_that_of_a_cold_run)
{
    struct skr_devices_stock *stock = fixture();
    struct skr_sequence_memo *memo = skr_sequence_memo_create();
    static const char *const device[] = {"big-0", "small-2", "small-3", "big-1", "small-5"};
    for (size_t i = 0; i < 2 * sizeof device / sizeof *device; i++) {
        const size_t k = i % (sizeof device / sizeof *device);
        allocate(stock, device[k], i == k ? device[k] : NULL);
        const struct skr_sequence cold = count(stock, EXACTLY("r", "any", "2"), NULL);
        for (int again = 0; again < 2; again++) {
            const struct skr_sequence kept = count(stock, EXACTLY("r", "any", "2"), memo);
            assert_int_equal(kept.n, cold.n);
            assert_int_equal(kept.end, cold.end);
        }
    }
    skr_sequence_memo_destroy(memo);
    skr_devices_stock_destroy(stock);
}

/* The third device equals the first one; only with the third in use is the second one reached, which the constraint
 * refuses. */
TEST(a_constraint_that_refuses_one_of_all_devices_is_an_error)
{
    const struct skr_hash_seed seed = {{0}};
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
    put_slice(stock, "s",
              "'pool':{'name':'n','generation':1,'resourceSliceCount':1},'devices':["
              "{'name':'a','attributes':{'kind':{'string':'x'}}},"
              "{'name':'b','attributes':{'kind':{'string':'y'}}},"
              "{'name':'c','attributes':{'kind':{'string':'x'}}}]");
    put_class(stock, "any", "true");
    const struct skr_claim_spec *spec = skr_devices_stock_spec(
        stock, "{\"constraints\":[{\"matchAttribute\":\"d/kind\",\"requests\":[\"rest\"]}],"
               "\"requests\":[{\"exactly\":{\"count\":1,\"deviceClassName\":\"any\"},\"name\":"
               "\"one\"},{\"exactly\":{\"allocationMode\":\"All\",\"deviceClassName\":\"any\"},"
               "\"name\":\"rest\"}]}");
    const struct skr_pod_claims pod = {1, &spec};
    const struct skr_sequence ret = skr_sequence_count(stock, "n", NULL, 0, NULL, &pod, 9, NULL);
    assert_int_equal(ret.end, SKR_SEQUENCE_ERROR);
    skr_devices_stock_forget_spec(stock, spec);
    skr_devices_stock_destroy(stock);
}

/* ---- what changes ---- */

enum { WALK_SLICES = 6, WALK_TAKEN = 8, WALK_STEPS = 400 };

/* What a cluster has: numbers from which slices, allocations and a class are made; 0: there is none. */
struct walk {
    unsigned state;
    int slice[WALK_SLICES], taken[WALK_TAKEN], class;
};

static int draw(struct walk *w, int below)
{
    w->state = w->state * 1103515245u + 12345u;
    return (int)(w->state >> 16) % below;
}

static void walk_slice(struct skr_devices_stock *stock, int at, int how)
{
    SKR_STRBUF(name);
    SKR_STRBUF(spec);
    skr_strbuf_addf(&name, "s-%d", at);
    if (how == 0) {
        skr_devices_stock_remove_slice(stock, name.s);
        return;
    }
    skr_strbuf_addf(&spec,
                    "'pool':{'name':'p-%d','generation':%d,'resourceSliceCount':%d},'devices':[",
                    at / 2, 1 + how % 2, 1 + how % 3 % 2);
    for (int i = 0; i < how % 5; i++) {
        skr_strbuf_addf(&spec, "%s{'name':'d-%d-%d','attributes':{'size':{'string':'%s'}}}",
                        i > 0 ? "," : "", at, i, (how + i) % 3 == 0 ? "big" : "small");
    }
    skr_strbuf_add(&spec, "]");
    put_slice(stock, name.s, spec.s);
}

static void walk_take(struct skr_devices_stock *stock, int at, int how)
{
    char key[16], pool[16], device[16];
    snprintf(key, sizeof key, "c-%d", at);
    snprintf(pool, sizeof pool, "p-%d", how % 3);
    snprintf(device, sizeof device, "d-%d-%d", how % WALK_SLICES, how % 4);
    const struct skr_claim_device taken = {.driver = "d", .pool = pool, .device = device};
    skr_devices_stock_allocate(stock, key, &taken, how > 0 ? 1 : 0);
}

static void walk_class(struct skr_devices_stock *stock, int how)
{
    put_class(stock, "any", how % 2 ? "true" : "device.attributes[\\'d\\'].size == \\'small\\'");
}

/* One thing is another, in the stock that lives. */
static void walk_on(struct walk *w, struct skr_devices_stock *stock)
{
    const int at = draw(w, WALK_SLICES + WALK_TAKEN + 1);
    const int how = draw(w, 3) == 0 ? 0 : 1 + draw(w, 60);
    if (at < WALK_SLICES) {
        walk_slice(stock, at, w->slice[at] = how);
    } else if (at < WALK_SLICES + WALK_TAKEN) {
        walk_take(stock, at - WALK_SLICES, w->taken[at - WALK_SLICES] = how);
    } else {
        walk_class(stock, w->class = how);
    }
}

static struct skr_devices_stock *anew(const struct walk *w)
{
    const struct skr_hash_seed seed = {{0}};
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
    walk_class(stock, w->class);
    for (int i = 0; i < WALK_TAKEN; i++) {
        walk_take(stock, i, w->taken[i]);
    }
    for (int i = WALK_SLICES; i > 0; i--) {
        walk_slice(stock, i - 1, w->slice[i - 1]);
    }
    return stock;
}

TEST(after_any_change_a_node_serves_what_a_new_stock_says)
{
    static const char *const asks[] = {
        EXACTLY("r", "any", "1"), EXACTLY("r", "any", "3"),
        "{'name':'r','exactly':{'deviceClassName':'any','allocationMode':'All'}}"};
    const struct skr_hash_seed seed = {{0}};
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
    struct skr_sequence_memo *memo = skr_sequence_memo_create();
    struct walk walk = {.state = 7};
    int32_t served = 0;
    walk_class(stock, 0);
    for (int i = 0; i < WALK_STEPS; i++) {
        walk_on(&walk, stock);
        struct skr_devices_stock *cold = anew(&walk);
        for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
            const struct skr_sequence kept = count(stock, asks[k], memo);
            const struct skr_sequence fresh = count(cold, asks[k], NULL);
            assert_int_equal(kept.n, fresh.n);
            assert_int_equal(kept.end, fresh.end);
            served += kept.n;
        }
        skr_devices_stock_destroy(cold);
    }
    assert_true(served > WALK_STEPS);
    skr_sequence_memo_destroy(memo);
    skr_devices_stock_destroy(stock);
}
