/* SPDX-License-Identifier: Apache-2.0 */
/* One object of somebody whose text is hard or impossible to read costs nothing but itself. */
#include "server/kube/page.h"
#include "server/kube/transfer.h"
#include "test/test.h"
#include "test/unit/fake_client.h"
#include "test/unit/log_catch.h"

#define META(name, uid, v)                                                          \
    "{\"metadata\":{\"namespace\":\"default\",\"name\":\"" name "\",\"uid\":\"" uid \
    "\",\"resourceVersion\":\"" v "\"}"
#define POD(name, uid, v) META(name, uid, v) ",\"spec\":{\"containers\":[]}}"
/* Admitted by every API server: keys of volumeAttributes are not checked. */
#define NUL_POD(name, uid, v)                                             \
    META(name, uid, v)                                                    \
    ",\"spec\":{\"containers\":[],\"volumes\":[{\"name\":\"v\",\"csi\":{" \
    "\"driver\":\"d\",\"volumeAttributes\":{\"a\\u0000b\":\"x\"}}}]}}"
/* A number that no integer of ours holds. */
#define UNREADABLE_POD(name, uid, v) \
    META(name, uid, v) ",\"spec\":{\"x\":\"]}\",\"priority\":99999999999999999999999999}}"
#define LINE(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define LIST(v, items) \
    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" v "\"},\"items\":[" items "]}"

static void expect(struct fake_client *c, const char *match, int status, const char *body)
{
    fake_api_expect(c->api, &(struct fake_step){.match = match, .status = status, .body = body});
}

static void expect_lines(struct fake_client *c, const char *expected)
{
    SKR_AUTO_FREE char *text = fake_sink_text(c->sink);
    assert_string_equal(text, expected);
}

static struct skr_kube_resource_stats pods_of(struct fake_client *c)
{
    return fake_client_stats(c).resource[FAKE_PODS];
}

TEST_CLIENT(a_nul_in_a_map_key_of_a_pod_hides_nothing)
{
    expect(c, POD_LIST, 200, LIST("7", NUL_POD("a", "u-a", "3") "," POD("b", "u-b", "4")));
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", NUL_POD("c", "u-c", "8")));
    fake_api_send(c->api, POD_WATCH, LINE("MODIFIED", POD("b", "u-b", "9")));
    fake_sink_wait(c->sink, "upsert pod default/b uid=u-b v=9", 1);
    expect_lines(c, "upsert pod default/a uid=u-a v=3\nupsert pod default/b uid=u-b v=4\nsynced\n"
                    "upsert pod default/c uid=u-c v=8\nupsert pod default/b uid=u-b v=9\n");
    assert_int_equal(pods_of(c).undecodable, 0);
    assert_int_equal(pods_of(c).lists, 1);
}

TEST_CLIENT(an_item_of_a_list_that_is_no_json_costs_only_itself_and_is_named)
{
    struct log_catch catch = log_catch_begin();
    expect(c, POD_LIST, 200,
           LIST("7", POD("a", "u-a", "3") "," UNREADABLE_POD("bad", "u-bad",
                                                             "4") "," POD("c", "u-c", "5")));
    fake_client_start_synced(c);
    SKR_AUTO_FREE char *log = log_catch_end(&catch);
    expect_lines(c, "upsert pod default/a uid=u-a v=3\nupsert pod default/c uid=u-c v=5\nsynced\n");
    assert_int_equal(pods_of(c).undecodable, 1);
    assert_int_equal(pods_of(c).objects, 3);
    assert_int_equal(pods_of(c).failures, 0);
    assert_non_null(strstr(log, "name=\"bad\""));
}

TEST_CLIENT(a_line_of_a_watch_that_is_no_json_costs_only_its_object)
{
    expect(c, POD_LIST, 200, LIST("7", POD("a", "u-a", "3")));
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, LINE("MODIFIED", UNREADABLE_POD("a", "u-a", "8")));
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", UNREADABLE_POD("bad", "u-bad", "9")));
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", POD("d", "u-d", "10")));
    fake_sink_wait(c->sink, "upsert pod default/d", 1);
    assert_int_equal(pods_of(c).undecodable, 2);
    /* Gone objects are gone, and the watch goes on behind the last line. */
    fake_api_send(c->api, POD_WATCH, LINE("DELETED", UNREADABLE_POD("a", "u-a", "11")));
    fake_sink_wait(c->sink, "delete pod default/a uid=u-a", 1);
    fake_api_end(c->api, POD_WATCH, FAKE_ANSWER);
    fake_client_expect_request(c, POD_WATCH, 1, "&resourceVersion=11\n");
    assert_int_equal(fake_api_count(c->api, POD_LIST), 1);
}

/* Texts that no parser of ours takes, in places that the API server does not look at. */
static const char *const hostile_values[] = {"1e999", "\"\\ud800\"", "\"\\u0000\"",
                                             "99999999999999999999999999999999999999"};

TEST_CLIENT(no_object_makes_a_watch_list_again)
{
    enum { DEPTH = 100000 };
    static char deep[2 * DEPTH + 256];
    char line[512];
    size_t n = 0;
    expect(c, POD_LIST, 200, LIST("7", POD("a", "u-a", "3")));
    fake_client_start_synced(c);
    n += (size_t)snprintf(
        deep, sizeof deep,
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"deep\",\"namespace\":"
        "\"default\",\"uid\":\"u-deep\",\"resourceVersion\":\"8\"},\"spec\":");
    memset(deep + n, '[', DEPTH);
    memset(deep + n + DEPTH, ']', DEPTH);
    snprintf(deep + n + (size_t)2 * DEPTH, sizeof deep - n - (size_t)2 * DEPTH, "}}\n");
    fake_api_send(c->api, POD_WATCH, deep);
    for (size_t i = 0; i < sizeof hostile_values / sizeof hostile_values[0]; i++) {
        for (int changes = 0; changes < 3; changes++) {
            snprintf(line, sizeof line,
                     "{\"type\":\"%s\",\"object\":{\"metadata\":{\"name\":\"h%zu\",\"namespace\":"
                     "\"default\",\"uid\":\"u-%zu\",\"resourceVersion\":\"%zu\"},\"spec\":{\"x\":%"
                     "s}}}\n",
                     changes == 0 ? "ADDED" : "MODIFIED", i, i, 9 + 3 * i + (size_t)changes,
                     hostile_values[i]);
            fake_api_send(c->api, POD_WATCH, line);
        }
    }
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", POD("d", "u-d", "99")));
    fake_sink_wait(c->sink, "upsert pod default/d", 1);
    assert_int_equal(fake_api_count(c->api, POD_LIST), 1);
    assert_int_equal(pods_of(c).failures, 0);
    fake_api_end(c->api, POD_WATCH, FAKE_ANSWER);
    fake_client_expect_request(c, POD_WATCH, 1, "&resourceVersion=99\n");
    assert_int_equal(fake_api_count(c->api, POD_LIST), 1);
}

/* What is unreadable in a relist is not taken for deleted. */
TEST_CLIENT(an_object_that_becomes_unreadable_keeps_its_last_version)
{
    expect(c, POD_LIST, 200, LIST("7", POD("a", "u-a", "3") "," POD("b", "u-b", "4")));
    expect(c, POD_LIST, 200, LIST("9", UNREADABLE_POD("a", "u-a", "8")));
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, "this is no JSON\n");
    fake_sink_wait(c->sink, "delete pod default/b", 1);
    assert_int_equal(fake_sink_count(c->sink, "delete pod default/a"), 0);
    assert_int_equal(pods_of(c).objects, 1);
}

TEST_CLIENT(the_age_of_the_cache_counts_from_the_last_success)
{
    c->options.stale_after = 200 * SKR_MILLISECOND;
    fake_api_expect(c->api, &(struct fake_step){.match = POD_WATCH, .mode = FAKE_STREAM});
    fake_client_start_synced(c);
    assert_false(pods_of(c).stale);
    /* From now on bytes arrive, but nothing succeeds. */
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST,
                                                .status = 200,
                                                .body = "{\"metadata\":{},\"items\":[{]}",
                                                .forever = true});
    fake_api_send(c->api, POD_WATCH, "this is no JSON\n");
    fake_api_wait_count(c->api, POD_LIST, 3);
    while (!pods_of(c).stale) {
        fake_api_wait_count(c->api, POD_LIST, fake_api_count(c->api, POD_LIST) + 1);
    }
    assert_true(pods_of(c).age > c->options.stale_after);
}

TEST(pages_that_cannot_be_cut_are_refused_as_a_whole)
{
    static const char *const cases[] = {
        "",
        "[]",
        "{",
        "{\"items\":[]}",
        "{\"metadata\":{}}",
        "{\"metadata\":{},\"items\":{}}",
        "{\"metadata\":{},\"items\":[{]}",
        "{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"a\"},\"x\":1e}",
        "{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"a\"},\"x\":\"}]}",
        "{\"metadata\":{},\"items\":[{\"x\":1e}]}",
        "{\"metadata\":{},\"items\":[1e,,]}",
        "{\"metadata\":{1},\"items\":[]}",
    };
    struct skr_kube_counters counters = {0};
    const struct skr_kube_options options = {0};
    struct skr_kube_session session = {.counters = &counters, .options = &options};
    struct skr_feed feed;
    skr_feed_init(&feed, &session, "pods", 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct skr_error error = {0};
        struct skr_kube_page page;
        skr_strbuf_init(&page.version);
        skr_strbuf_init(&page.next);
        assert_int_equal(skr_kube_page_take(&feed, cases[i], strlen(cases[i]), &page, &error),
                         -SKR_INVALID);
        assert_true(error.text[0] != '\0');
        skr_strbuf_fini(&page.version);
        skr_strbuf_fini(&page.next);
    }
    skr_feed_fini(&feed);
}

TEST(lines_that_cannot_be_cut_are_refused)
{
    static const char *const cases[] = {
        "",
        "[]",
        "{\"object\":{}}",
        "{\"type\":\"\",\"object\":{}}",
        "{\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\",\"object\":[]}",
        "{\"type\":\"ADDED\",\"object\":{\"x\":1e}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"x\":1e}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}},}",
        "{\"typ\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"x\":1e}}",
    };
    struct skr_kube_counters counters = {0};
    const struct skr_kube_options options = {0};
    struct skr_kube_session session = {.counters = &counters, .options = &options};
    struct skr_feed feed;
    skr_feed_init(&feed, &session, "pods", 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct skr_error error = {0};
        struct skr_kube_line line;
        assert_int_equal(skr_kube_line_take(&feed, cases[i], strlen(cases[i]), &line, &error),
                         -SKR_INVALID);
        assert_true(error.text[0] != '\0');
    }
    assert_int_equal(skr_known_count(feed.known), 0);
    skr_feed_fini(&feed);
}

/* ---- the namespaces of the system ---- */

#define SYSTEM_MAP(version)                                                              \
    "{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"coredns\",\"uid\":\"u-c\"," \
    "\"resourceVersion\":\"" version "\"},\"data\":{\"name\":\"g\"}}"

TEST(a_map_of_the_system_is_no_group_however_it_is_labelled)
{
    for (int counts = 0; counts < 2; counts++) {
        struct fake_client c;
        fake_client_begin(&c);
        c.options.system_groups = counts == 1;
        expect(&c, "?limit=500&labelSelector=sakkara.group", 200, LIST("7", SYSTEM_MAP("3")));
        fake_client_start_synced(&c);
        assert_int_equal(fake_sink_count(c.sink, "upsert configmap"), (size_t)counts);
        fake_api_send(c.api, "labelSelector=sakkara.group", LINE("MODIFIED", SYSTEM_MAP("8")));
        fake_api_send(c.api, POD_WATCH, LINE("ADDED", POD("a", "u-a", "9")));
        fake_api_send(c.api, "labelSelector=sakkara.group",
                      LINE("ADDED", META("m", "u-m", "10") ",\"data\":{}}"));
        fake_sink_wait(c.sink, "upsert configmap default/m", 1);
        assert_int_equal(fake_sink_count(c.sink, "upsert configmap kube-system"),
                         (size_t)counts * 2);
        fake_client_end(&c);
    }
}

/* The topology may be there: its namespace is chosen by the administrator. */
TEST_CLIENT(a_topology_map_of_the_system_is_seen)
{
    expect(c, "?limit=500&labelSelector=sakkara.topology", 200, LIST("7", SYSTEM_MAP("3")));
    fake_client_start_synced(c);
    assert_int_equal(fake_sink_count(c->sink, "upsert configmap kube-system/coredns"), 1);
}
