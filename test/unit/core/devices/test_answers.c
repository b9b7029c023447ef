/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors are asked once about equal devices, in pieces, and a namespace has limits. */
#include "core/devices/answers.h"

#include "core/devices/sequence.h"
#include "core/devices/stock_shares.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/device_claims.h"

SKR_AUTO_DEFINE(struct skr_devices_stock, skr_devices_stock_destroy)

enum { NODES = 6, EACH = 4 };

static void put_node(struct skr_devices_stock *s, int node, const char *model)
{
    SKR_STRBUF(text);
    struct skr_device_slice *slice = NULL;
    struct skr_error error;
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'s-%d'},'spec':{'driver':'gpu.example.com','nodeName':"
                    "'n-%d','pool':{'name':'n-%d','generation':1,'resourceSliceCount':1},"
                    "'devices':[",
                    node, node, node);
    for (int i = 0; i < EACH; i++) {
        skr_strbuf_addf(&text,
                        "%s{'name':'gpu-%d','attributes':{'uuid':{'string':'u-%d-%d'},'model':"
                        "{'string':'%s'},'index':{'int':%d}},'capacity':{'memory':{'value':"
                        "'80Gi'}}}",
                        i > 0 ? "," : "", i, node, i, model, i);
    }
    skr_strbuf_add(&text, "]}}");
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(skr_device_slice_decode(json, &slice, &error), 0);
    skr_devices_stock_put_slice(s, slice);
}

static struct skr_devices_stock *stock(void)
{
    const struct skr_hash_seed seed = {{3, 4}};
    static const char *any[] = {"device.driver == 'gpu.example.com'"};
    const struct skr_device_class class = {.meta.name = "gpu", .n_selectors = 1, .selector = any};
    struct skr_devices_stock *s = skr_devices_stock_create(&seed, NULL, NULL);
    for (int i = 0; i < NODES; i++) {
        put_node(s, i, "a");
    }
    skr_devices_stock_put_class(s, &class);
    return s;
}

/* spec.devices of a claim with one request of that name, and so many selectors, with its number for "#". */
static void claim_text(struct skr_strbuf *b, const char *request, const char *selector, int n)
{
    char one[512], quoted[600];
    skr_strbuf_addf(b,
                    "{\"requests\":[{\"name\":\"%s\",\"exactly\":{\"deviceClassName\":\"gpu\","
                    "\"selectors\":[",
                    request);
    for (int i = 0; i < n; i++) {
        const size_t at = strcspn(selector, "#");
        snprintf(one, sizeof one, "%.*s%d%s", (int)at, selector, i,
                 selector[at] ? selector + at + 1 : "");
        snprintf(quoted, sizeof quoted, "%s{\"cel\":{\"expression\":\"%s\"}}", i > 0 ? "," : "",
                 one);
        skr_strbuf_add(b, quoted);
    }
    skr_strbuf_add(b, "]}}]}");
}

static const struct skr_claim_spec *claim(struct skr_devices_stock *s, const char *request,
                                          const char *selector, int n)
{
    SKR_STRBUF(b);
    claim_text(&b, request, selector, n);
    const struct skr_claim_spec *spec = skr_devices_stock_spec(s, b.s);
    assert_non_null(spec);
    return spec;
}

static struct skr_sequence count(const struct skr_devices_stock *s,
                                 const struct skr_claim_spec *spec, int node)
{
    const struct skr_pod_claims pod = {1, &spec};
    return skr_sequence_count(s, test_text("n-%d", node), NULL, 0, NULL, &pod, 64, NULL);
}

static void count_all(const struct skr_devices_stock *s, const struct skr_claim_spec *spec,
                      int32_t each)
{
    for (int i = 0; i < NODES; i++) {
        assert_int_equal(count(s, spec, i).n, each);
    }
}

TEST(a_selector_is_asked_once_about_equal_devices_whichever_claims_and_nodes_there_are)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    static const char text[] = "device.attributes['gpu.example.com'].model != 'x#'";
    const struct skr_claim_spec *a = claim(s, "a", text, 3), *b = claim(s, "b", text, 3);
    count_all(s, a, EACH);
    assert_int_equal(s->work->asked, 1 + 3); /* that of the class, and three */
    count_all(s, b, EACH);
    assert_int_equal(s->work->asked, 1 + 3);
    put_node(s, 0, "a"); /* another slice, whose devices have the same contents */
    count_all(s, b, EACH);
    assert_int_equal(s->work->asked, 1 + 3);
    skr_devices_stock_forget_spec(s, a);
    skr_devices_stock_forget_spec(s, b);
}

TEST(a_selector_is_asked_for_each_value_that_it_reads)
{
    static const struct {
        const char *text;
        size_t asked; /* about all devices of all nodes, which differ in uuid and index */
        int32_t each;
    } rows[] = {
        {"device.attributes['gpu.example.com'].uuid != 'u-9-#'", NODES * EACH, EACH},
        {"device.attributes['gpu.example.com'].index > #", EACH, EACH - 1},
        {"device.attributes['gpu.example.com']['index'] > #", EACH, EACH - 1},
        {"has(device.attributes['gpu.example.com'].index) && # == 0", EACH, EACH},
        {"cel.bind(m, device.attributes['gpu.example.com'], m.index >= #)", NODES * EACH, EACH},
        {"device.capacity['gpu.example.com'].memory.compareTo(quantity('8#Gi')) == 0", 1, EACH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
        const struct skr_claim_spec *spec = claim(s, "r", rows[i].text, 1);
        count_all(s, spec, rows[i].each);
        if (s->work->asked != 1 + rows[i].asked) {
            fail_msg("%s: asked %zu times", rows[i].text, (size_t)s->work->asked);
        }
        skr_devices_stock_forget_spec(s, spec);
    }
}

TEST(devices_with_another_content_have_answers_of_their_own)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const struct skr_claim_spec *spec =
        claim(s, "r", "device.attributes['gpu.example.com'].model == 'a' || # > 0", 1);
    count_all(s, spec, EACH);
    skr_devices_stock_remove_slice(s, "s-2");
    put_node(s, 2, "b");
    assert_int_equal(count(s, spec, 1).n, EACH);
    assert_int_equal(count(s, spec, 2).n, 0);
    skr_devices_stock_remove_slice(s, "s-2");
    put_node(s, 2, "a");
    assert_int_equal(count(s, spec, 2).n, EACH);
    skr_devices_stock_forget_spec(s, spec);
}

TEST(evaluation_beyond_its_bound_is_later_and_goes_on_where_it_ended)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    enum { SELECTORS = 30, PIECE = 500, OF_ONE = 300 };
    const struct skr_claim_spec *spec =
        claim(s, "r", "device.attributes['gpu.example.com'].uuid != 'u-9-#'", SELECTORS);
    struct skr_sequence answer = {.why = skr_devices_later};
    size_t pieces = 0;
    for (; answer.why == skr_devices_later; pieces++) {
        const uint64_t began = s->work->steps, asked = s->work->asked;
        s->work->most = began + PIECE;
        answer = count(s, spec, 0);
        assert_in_range(s->work->steps - began, 1, PIECE + OF_ONE + 1000 * (answer.n == EACH));
        assert_true(answer.why != skr_devices_later || s->work->asked > asked);
    }
    assert_int_equal(answer.n, EACH);
    assert_true(pieces > 3);
    assert_int_equal(s->work->asked, 1 + SELECTORS * EACH); /* none is asked twice */
    skr_devices_stock_forget_spec(s, spec);
}

TEST(what_the_claims_of_a_pod_ask_for_has_limits_with_names)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    SKR_STRBUF(b);
    skr_strbuf_add(&b, "{\"requests\":[");
    for (int i = 0; i <= SKR_DEVICES_REQUESTS_MAX / 2; i++) {
        skr_strbuf_addf(&b, "%s{\"name\":\"r%d\",\"exactly\":{\"deviceClassName\":\"gpu\"}}",
                        i > 0 ? "," : "", i);
    }
    skr_strbuf_add(&b, "]}");
    const struct skr_claim_spec *many = skr_devices_stock_spec(s, b.s);
    const struct skr_claim_spec *full =
        claim(s, "r", "device.attributes['gpu.example.com'].index != # - 1000", 171);
    const struct skr_claim_spec *two[] = {many, many}, *three[] = {full, full, full};
    const struct skr_pod_claims most = {1, two}, more = {2, two}, asks = {2, three},
                                beyond = {3, three};
    assert_string_equal(skr_sequence_count(s, "n-0", NULL, 0, NULL, &most, 1, NULL).why, "");
    assert_string_equal(skr_sequence_count(s, "n-0", NULL, 0, NULL, &asks, 1, NULL).why, "");
    const struct skr_sequence requests =
        skr_sequence_count(s, "n-0", NULL, 0, NULL, &more, 1, NULL);
    assert_string_equal(requests.why, "the claims of a pod have more than 256 requests");
    assert_int_equal(requests.uncounted, SKR_UNCOUNTED_BUDGET);
    const struct skr_sequence selectors =
        skr_sequence_count(s, "n-0", NULL, 0, NULL, &beyond, 1, NULL);
    assert_string_equal(selectors.why, "the claims of a pod have more than 512 selectors");
    assert_int_equal(selectors.uncounted, SKR_UNCOUNTED_BUDGET);
    skr_devices_stock_forget_spec(s, many);
    skr_devices_stock_forget_spec(s, full);
}

TEST(a_claim_that_no_pod_needs_is_its_text_alone)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const size_t selectors = HASH_COUNT(s->selectors);
    for (int i = 0; i < 5000; i++) {
        SKR_STRBUF(b);
        claim_text(&b, test_text("r-%d", i), "device.attributes['gpu.example.com'].index != #", 4);
        assert_non_null(skr_devices_stock_keep(s, "hostile", b.s));
    }
    assert_int_equal(s->n_read, 0);
    assert_int_equal(HASH_COUNT(s->selectors), selectors);
    assert_int_equal(s->work->steps, 0);
    const struct skr_claim_spec *spec =
        claim(s, "r-7", "device.attributes['gpu.example.com'].index != #", 4);
    count_all(s, spec, 0);
    assert_int_equal(s->n_read, 1);
    skr_devices_stock_forget_spec(s, spec);
}

TEST(specs_that_no_pod_needs_any_more_make_room_for_others)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    for (int i = 0; i < SKR_STOCK_SPECS_MAX + 10; i++) {
        SKR_STRBUF(b);
        claim_text(&b, test_text("r-%d", i), "device.driver != 'd#'", 1);
        const struct skr_claim_spec *kept = skr_devices_stock_keep(s, "hostile", b.s);
        assert_ptr_equal(skr_devices_stock_spec(s, b.s), kept);
        skr_devices_stock_forget_spec(s, kept);
    }
    assert_int_equal(s->n_read, SKR_STOCK_SPECS_MAX);
}

TEST(a_namespace_has_limits_of_claims_and_selectors_and_others_do_not_notice)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const char *why = NULL;
    for (int i = 0; i <= SKR_SHARE_SPECS_MAX; i++) {
        SKR_STRBUF(b);
        claim_text(&b, test_text("r-%d", i), "device.driver != 'd#'", 1);
        const struct skr_claim_spec *spec = skr_stock_share_spec(s, "hostile", b.s, &why);
        assert_true(!spec == (i == SKR_SHARE_SPECS_MAX));
    }
    assert_string_equal(why, "pods of the namespace ask for more than 512 different claims");
    assert_true(skr_stock_share_limits(why));
    SKR_STRBUF(b);
    claim_text(&b, "honest", "device.driver != 'd#'", 1);
    const struct skr_claim_spec *honest = skr_stock_share_spec(s, "honest", b.s, &why);
    assert_non_null(honest);
    assert_null(why);
    count_all(s, honest, EACH);
    for (int i = 0; i < 5; i++) {
        SKR_STRBUF(c);
        claim_text(&c, test_text("s-%d", i), "device.driver != 'd#'", SKR_SHARE_SELECTORS_MAX / 4);
        assert_true(!skr_stock_share_spec(s, "other", c.s, &why) == (i == 4));
    }
    assert_string_equal(why,
                        "different claims of the namespace's pods have more than 1024 selectors");
}

TEST(texts_of_a_namespace_beyond_8_MiB_are_not_kept_but_known_to_be_there)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    SKR_AUTO_FREE char *text = skr_alloc(1024 * 1024);
    memset(text, 'x', 1024 * 1024 - 1);
    const struct skr_claim_spec *first = NULL;
    for (int i = 0; i < 9; i++) {
        text[0] = (char)('a' + i);
        const struct skr_claim_spec *spec = skr_devices_stock_keep(s, "hostile", text);
        first = first ? first : spec;
        assert_int_equal(strcmp(spec->text, SKR_CLAIM_NOT_KEPT) == 0, i == 8);
    }
    assert_non_null(skr_devices_stock_keep(s, "honest", text));
    skr_devices_stock_unkeep(s, first);
    text[0] = 'z';
    assert_non_null(skr_devices_stock_keep(s, "hostile", text));
}

TEST(a_namespace_has_so_many_steps_a_minute)
{
    SKR_AUTO(skr_devices_stock_destroy) struct skr_devices_stock *s = stock();
    const skr_time begin = 1000 * SKR_SECOND;
    assert_int_equal(skr_stock_share_left(s, "a", begin), SKR_SHARE_STEPS);
    skr_stock_share_spend(s, "a", SKR_SHARE_STEPS / 2, begin);
    assert_int_equal(skr_stock_share_left(s, "a", begin), SKR_SHARE_STEPS / 2);
    assert_int_equal(skr_stock_share_left(s, "b", begin), SKR_SHARE_STEPS);
    skr_stock_share_spend(s, "a", SKR_SHARE_STEPS / 2 + 1, begin);
    assert_int_equal(skr_stock_share_left(s, "a", begin), 0);
    assert_int_equal(skr_stock_share_left(s, "a", begin + 9 * SKR_SECOND), 0);
    const skr_time until = skr_stock_share_until(s, "a", begin);
    assert_in_range(until - begin, 10 * SKR_SECOND, 11 * SKR_SECOND);
    assert_true(skr_stock_share_left(s, "a", until) > 0);
    assert_int_equal(skr_stock_share_left(s, "a", begin + 120 * SKR_SECOND), SKR_SHARE_STEPS);
}
