/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine hears of a cluster through lists and watches, on good days and bad ones. */
#include <unistd.h>

#include "server/kube/transfer.h"
#include "test/test.h"
#include "test/unit/fake_client.h"
#include "test/unit/log_catch.h"

#define GROUPS   "labelSelector=sakkara.group"
#define TREES    "labelSelector=sakkara.topology"
#define PG_LIST  "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?limit="
#define PG_WATCH "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?watch=true"
#define JOB_LIST "/apis/batch/v1/jobs?limit="
#define DC_LIST  "/apis/resource.k8s.io/v1/deviceclasses?limit="
#define DC_WATCH "/apis/resource.k8s.io/v1/deviceclasses?watch=true"

/* A pod, a node, a ConfigMap as far as it matters here. */
#define META(ns, name, uid, v)                                                     \
    "{\"metadata\":{\"namespace\":\"" ns "\",\"name\":\"" name "\",\"uid\":\"" uid \
    "\",\"resourceVersion\":\"" v "\"}"
#define POD(name, uid, v)        META("default", name, uid, v) ",\"spec\":{\"containers\":[]}}"
#define BROKEN_POD(name, uid, v) META("default", name, uid, v) ",\"spec\":17}"
#define MAP(name, uid, v)        META("default", name, uid, v) ",\"data\":{}}"
#define LINE(type, object)       "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(v)              LINE("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" v "\"}}")
#define LIST(v, items) \
    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" v "\"},\"items\":[" items "]}"
#define PAGE(v, next, items)                                                              \
    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" v "\",\"continue\":\"" next \
    "\"},\"items\":[" items "]}"
#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"" message "\"" \
    "}"

static void expect(struct fake_client *c, const char *match, int status, const char *body)
{
    fake_api_expect(c->api, &(struct fake_step){.match = match, .status = status, .body = body});
}

/* All lines but those of writes, joined. */
static void expect_lines(struct fake_client *c, const char *expected)
{
    SKR_AUTO_FREE char *text = fake_sink_text(c->sink);
    assert_string_equal(text, expected);
}

TEST_CLIENT(pages_are_listed_then_watched_from_the_version_of_the_list)
{
    c->options.page = 2;
    expect(c, POD_LIST, 200, PAGE("7", "to/ken==", POD("a", "u-a", "3") "," POD("b", "u-b", "4")));
    expect(c, POD_LIST, 200, PAGE("7", "", POD("c", "u-c", "5")));
    fake_client_start_synced(c);
    fake_client_expect_request(c, POD_LIST, 0, "GET /api/v1/pods?limit=2\n");
    fake_client_expect_request(c, POD_LIST, 1,
                               "GET /api/v1/pods?limit=2&continue=to%2Fken%3D%3D\n");
    fake_client_expect_request(c, POD_WATCH, 0, "&resourceVersion=7\n");
    fake_client_expect_request(c, POD_WATCH, 0, "allowWatchBookmarks=true&timeoutSeconds=");
    fake_client_expect_request(c, "GET /api/v1/configmaps?limit=2&" GROUPS, 0,
                               "User-Agent: sakkara\n");
    fake_client_expect_request(c, "GET /api/v1/configmaps?watch=true", 1,
                               "&labelSelector=sakkara.");
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", POD("d", "u-d", "8")));
    fake_api_send(c->api, POD_WATCH,
                  LINE("MODIFIED", POD("a", "u-a", "9")) LINE("DELETED", POD("b", "u-b", "10")));
    fake_sink_wait(c->sink, "delete pod", 1);
    expect_lines(c, "upsert pod default/a uid=u-a v=3\nupsert pod default/b uid=u-b v=4\n"
                    "upsert pod default/c uid=u-c v=5\nsynced\n"
                    "upsert pod default/d uid=u-d v=8\nupsert pod default/a uid=u-a v=9\n"
                    "delete pod default/b uid=u-b\n");
    struct skr_kube_stats stats = fake_client_stats(c);
    assert_true(stats.synced);
    assert_int_equal(stats.resource[FAKE_PODS].objects, 3);
    assert_int_equal(stats.resource[FAKE_PODS].lists, 1);
    assert_int_equal(stats.resource[FAKE_PODS].watches, 1);
    assert_int_equal(stats.resource[FAKE_PODS].events, 6);
    assert_int_equal(stats.resource[FAKE_PODS].failures, 0);
    assert_true(stats.resource[FAKE_PODS].age >= 0);
}

TEST_CLIENT(topology_maps_are_asked_for_in_their_namespace_alone)
{
    c->options.topology_namespace = "sakkara";
    fake_client_start_synced(c);
    fake_client_expect_request(
        c, "GET /api/v1/namespaces/sakkara/configmaps?limit=500&labelSelector=sakkara.topology", 0,
        "User-Agent: sakkara\n");
    fake_client_expect_request(c, "GET /api/v1/namespaces/sakkara/configmaps?watch=true", 0,
                               "&labelSelector=sakkara.topology");
    assert_int_equal(fake_api_count(c->api, "GET /api/v1/configmaps?limit=500&" TREES), 0);
}

TEST_CLIENT(every_kind_reaches_the_engine)
{
    fake_client_start_synced(c);
    fake_api_send(c->api, "/api/v1/nodes?watch=true",
                  LINE("ADDED", "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":"
                                "\"2\"}}"));
    fake_sink_wait(c->sink, "upsert node /n uid=u v=2", 1);
    fake_api_send(c->api, GROUPS, LINE("ADDED", MAP("g", "u-g", "3")));
    fake_sink_wait(c->sink, "upsert configmap default/g uid=u-g v=3", 1);
    fake_api_send(c->api, TREES, LINE("ADDED", MAP("t", "u-t", "4")));
    fake_sink_wait(c->sink, "upsert configmap default/t uid=u-t v=4", 1);
    fake_api_send(c->api, PG_WATCH,
                  LINE("ADDED", META("default", "p", "u-p", "5") ",\"spec\":{\"minMember\":3}}"));
    fake_sink_wait(c->sink, "upsert podgroup default/p uid=u-p v=5", 1);
    fake_api_send(c->api, "/api/v1/nodes?watch=true",
                  LINE("DELETED", "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\","
                                  "\"resourceVersion\":\"6\"}}"));
    fake_sink_wait(c->sink, "delete node /n", 1);
}

TEST_CLIENT(a_line_may_come_in_any_number_of_chunks)
{
    fake_client_start_synced(c);
    const char *line = LINE("ADDED", POD("a", "u-a", "3"));
    for (const char *p = line; *p; p++) {
        char one[2] = {*p, '\0'};
        fake_api_send(c->api, POD_WATCH, one);
    }
    fake_sink_wait(c->sink, "upsert pod default/a uid=u-a v=3", 1);
}

TEST(half_a_line_is_forgotten_and_asked_for_again)
{
    for (enum fake_mode how = FAKE_ANSWER; how <= FAKE_RESET; how++) {
        if (how == FAKE_STREAM || how == FAKE_HANG) {
            continue;
        }
        struct fake_client c;
        fake_client_begin(&c);
        expect(&c, POD_LIST, 200, LIST("7", ""));
        fake_client_start_synced(&c);
        fake_api_send(c.api, POD_WATCH, LINE("ADDED", POD("a", "u-a", "8")));
        fake_sink_wait(c.sink, "upsert pod default/a", 1);
        fake_api_send(c.api, POD_WATCH, "{\"type\":\"ADDED\",\"object\":{\"meta");
        fake_api_end(c.api, POD_WATCH, how);
        fake_client_expect_request(&c, POD_WATCH, 1, "&resourceVersion=8\n");
        fake_api_send(c.api, POD_WATCH, LINE("ADDED", POD("b", "u-b", "9")));
        fake_sink_wait(c.sink, "upsert pod default/b", 1);
        assert_int_equal(fake_api_count(c.api, POD_LIST), 1);
        assert_int_equal(fake_sink_count(c.sink, "upsert pod"), 2);
        fake_client_end(&c);
    }
}

TEST_CLIENT(a_bookmark_moves_the_version)
{
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, BOOKMARK("1234"));
    fake_api_end(c->api, POD_WATCH, FAKE_ANSWER);
    fake_client_expect_request(c, POD_WATCH, 1, "&resourceVersion=1234\n");
}

/* Missed while the watch was down: b deleted, c deleted and made again, d added; a unchanged. */
TEST(a_relist_finds_what_was_missed)
{
    static const struct {
        const char *end; /* line that makes the version useless; NULL: HTTP 410 at the next watch */
    } cases[] = {
        {NULL},
        {LINE("ERROR", STATUS("410", "Expired", "too old resource version: 1 (9)"))},
        {LINE("ERROR", STATUS("400", "BadRequest", "what"))},
        {"this is no JSON\n"},
        {"{\"type\":\"ADDED\"}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_client c;
        fake_client_begin(&c);
        expect(&c, POD_LIST, 200,
               LIST("7", POD("a", "u-a", "3") "," POD("b", "u-b", "4") "," POD("c", "u-c", "5")));
        expect(
            &c, POD_LIST, 200,
            LIST("20", POD("a", "u-a", "3") "," POD("c", "u-c2", "11") "," POD("d", "u-d", "12")));
        fake_api_expect(c.api, &(struct fake_step){.match = POD_WATCH, .mode = FAKE_STREAM});
        if (!cases[i].end) {
            expect(&c, POD_WATCH, 410, STATUS("410", "Expired", "too old"));
        }
        fake_client_start_synced(&c);
        fake_sink_clear(c.sink);
        if (cases[i].end) {
            fake_api_send(c.api, POD_WATCH, cases[i].end);
        } else {
            fake_api_end(c.api, POD_WATCH, FAKE_ANSWER);
        }
        fake_client_expect_request(&c, POD_WATCH "&", cases[i].end ? 1 : 2,
                                   "&resourceVersion=20\n");
        fake_sink_wait(c.sink, "delete pod default/b", 1);
        expect_lines(&c, "delete pod default/c uid=u-c\nupsert pod default/c uid=u-c2 v=11\n"
                         "upsert pod default/d uid=u-d v=12\ndelete pod default/b uid=u-b\n");
        assert_int_equal(fake_client_stats(&c).resource[FAKE_PODS].objects, 3);
        fake_client_end(&c);
    }
}

TEST_CLIENT(a_busy_server_is_watched_again_without_a_relist)
{
    expect(c, POD_LIST, 200, LIST("7", ""));
    fake_api_expect(c->api, &(struct fake_step){.match = POD_WATCH, .mode = FAKE_STREAM});
    expect(c, POD_WATCH, 500, "oops");
    expect(c, POD_WATCH, 503, "");
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, LINE("ERROR", STATUS("500", "InternalError", "etcd")));
    fake_client_expect_request(c, POD_WATCH, 3, "&resourceVersion=7\n");
    assert_int_equal(fake_api_count(c->api, POD_LIST), 1);
}

TEST_CLIENT(a_list_that_expires_half_way_begins_again)
{
    expect(c, POD_LIST, 200, PAGE("7", "next", POD("a", "u-a", "3")));
    expect(c, POD_LIST, 410, STATUS("410", "Expired", "the continue token is too old"));
    expect(c, POD_LIST, 200, PAGE("9", "next2", POD("b", "u-b", "8")));
    expect(c, POD_LIST, 200, PAGE("9", "", ""));
    fake_client_start_synced(c);
    fake_client_expect_request(c, POD_LIST, 2, "GET /api/v1/pods?limit=500\n");
    fake_client_expect_request(c, POD_LIST, 3, "&continue=next2\n");
    expect_lines(c, "upsert pod default/a uid=u-a v=3\nupsert pod default/b uid=u-b v=8\n"
                    "delete pod default/a uid=u-a\nsynced\n");
}

TEST_CLIENT(broken_lists_are_tried_again)
{
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST, .mode = FAKE_CLOSE});
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST, .mode = FAKE_RESET});
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST,
                                                .mode = FAKE_SHORT,
                                                .body = LIST("1", POD("x", "u", "1"))});
    expect(c, POD_LIST, 200, "{\"metadata\":{}");
    expect(c, POD_LIST, 200, "[]");
    expect(c, POD_LIST, 200, "{\"metadata\":{},\"items\":[]}");
    expect(c, POD_LIST, 200, "{\"metadata\":{\"resourceVersion\":\"3\"},\"items\":{}}");
    expect(c, POD_LIST, 500, "");
    expect(c, POD_LIST, 404, STATUS("404", "NotFound", "no pods here"));
    expect(c, POD_LIST, 302, "");
    expect(c, POD_LIST, 200, "{\"metadata\":{\"resourceVersion\":\"3\"},\"items\":null}");
    fake_client_start_synced(c);
    /* libcurl may ask again by itself where a kept connection died. */
    assert_true(fake_client_stats(c).resource[FAKE_PODS].failures >= 8);
    expect_lines(c, "synced\n");
}

TEST_CLIENT(the_client_comes_back_when_the_server_does)
{
    fake_client_start_synced(c);
    fake_api_wait_count(c->api, POD_WATCH, 1);
    fake_api_go_down(c->api);
    fake_api_come_up(c->api);
    fake_api_wait_count(c->api, POD_WATCH, 2);
    fake_api_send(c->api, POD_WATCH, LINE("ADDED", POD("a", "u-a", "3")));
    fake_sink_wait(c->sink, "upsert pod default/a", 1);
    assert_int_equal(fake_sink_count(c->sink, "synced"), 1);
}

TEST_CLIENT(a_silent_watch_is_given_up)
{
    c->options.silence = 20 * SKR_MILLISECOND;
    expect(c, POD_LIST, 200, LIST("7", ""));
    fake_client_start_synced(c);
    fake_client_expect_request(c, POD_WATCH, 2, "&resourceVersion=7\n");
    assert_int_equal(fake_api_count(c->api, POD_LIST), 1);
}

TEST_CLIENT(a_silent_list_is_given_up)
{
    c->options.request_timeout = 500 * SKR_MILLISECOND;
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST, .mode = FAKE_HANG});
    fake_client_start_synced(c);
    assert_true(fake_api_count(c->api, POD_LIST) >= 2);
}

TEST_CLIENT(watches_that_end_at_once_do_not_become_a_storm)
{
    c->options.backoff_min = 100 * SKR_MILLISECOND;
    c->options.backoff_max = 400 * SKR_MILLISECOND;
    fake_api_expect(c->api, &(struct fake_step){.match = POD_WATCH, .body = "", .forever = true});
    int64_t before = skr_kube_now();
    fake_client_start(c);
    fake_api_wait_count(c->api, POD_WATCH, 5);
    /* At least half of 100 + 200 + 400 + 400 ms. */
    assert_true(skr_kube_now() - before >= 550 * SKR_MILLISECOND);
}

TEST_CLIENT(retry_after_is_obeyed)
{
    fake_api_expect(c->api, &(struct fake_step){.match = POD_LIST,
                                                .status = 429,
                                                .headers = "Retry-After: 1\r\n",
                                                .body = STATUS("429", "TooManyRequests", "slow")});
    int64_t before = skr_kube_now();
    fake_client_start_synced(c);
    assert_true(skr_kube_now() - before >= SKR_SECOND);
}

#define PODGROUP(v) META("default", "p", "u-p", v) ",\"spec\":{\"minMember\":3}}"

TEST_CLIENT(a_kind_that_is_not_installed_counts_as_empty_until_it_is)
{
    expect(c, PG_LIST, 404, "404 page not found\n");
    expect(c, PG_LIST, 404, "404 page not found\n");
    expect(c, PG_LIST, 200, LIST("7", PODGROUP("5")));
    fake_client_start_synced(c);
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODGROUPS].failures, 0);
    fake_sink_wait(c->sink, "upsert podgroup default/p uid=u-p v=5", 1);
}

/* The watch of a removed kind ends; whether the next one gets 404 or 410 is chance. */
TEST(objects_of_a_kind_that_is_removed_are_gone_until_it_is_installed_again)
{
    static const int status[] = {404, 410};
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        struct fake_client c;
        fake_client_begin(&c);
        expect(&c, PG_LIST, 200, LIST("7", PODGROUP("5")));
        expect(&c, PG_LIST, 404, "404 page not found\n");
        expect(&c, PG_LIST, 404, "404 page not found\n");
        expect(&c, PG_LIST, 200, LIST("30", META("default", "p", "u-new", "29") "}"));
        fake_api_expect(c.api, &(struct fake_step){.match = PG_WATCH, .mode = FAKE_STREAM});
        expect(&c, PG_WATCH, status[i], "404 page not found\n");
        fake_client_start_synced(&c);
        fake_sink_clear(c.sink);
        fake_api_end(c.api, PG_WATCH, FAKE_ANSWER);
        fake_client_expect_request(&c, PG_WATCH, 2, "&resourceVersion=30\n");
        expect_lines(&c, "delete podgroup default/p uid=u-p\n"
                         "upsert podgroup default/p uid=u-new v=29\n");
        assert_int_equal(fake_client_stats(&c).resource[FAKE_PODGROUPS].objects, 1);
        fake_client_end(&c);
    }
}

/* Every list or watch of a kind on demand, whatever its API group. */
static size_t n_on_demand(struct fake_client *c)
{
    size_t n = 0;
    for (size_t i = 0; skr_gang_owner_type(i); i++) {
        n += fake_api_count(c->api, test_text("/%s?", skr_gang_owner_type(i)->resource->plural));
    }
    return n;
}

TEST_CLIENT(a_kind_on_demand_is_left_alone_until_it_is_asked_for)
{
    fake_client_start_synced(c);
    const uint64_t ticket = skr_kube_freshen(c->kube);
    while (!skr_kube_is_fresh(c->kube, ticket)) {
        usleep(1000);
    }
    assert_int_equal(n_on_demand(c), 0);
    fake_sink_clear(c->sink);
    expect(c, JOB_LIST, 200, LIST("7", META("default", "j", "u-j", "5") "}"));
    skr_kube_watch_type(c->kube, 0, &skr_gang_owner_job);
    fake_sink_wait(c->sink, "listed Job", 1);
    expect_lines(c, "upsert Job default/j uid=u-j v=5\n"
                    "listed Job\n");
    fake_api_wait_count(c->api, "/jobs?watch=true", 1);
    assert_int_equal(n_on_demand(c), 2);
}

TEST_CLIENT(a_kind_on_demand_that_is_missing_or_forbidden_counts_as_listed)
{
    fake_client_start_synced(c);
    fake_sink_clear(c->sink);
    expect(c, JOB_LIST, 403, STATUS("403", "Forbidden", "jobs is forbidden: User x"));
    skr_kube_watch_type(c->kube, 0, &skr_gang_owner_job);
    fake_sink_wait(c->sink, "listed Job", 1);
    fake_sink_wait(c->sink, "allowed Job", 1);
    expect_lines(c, "forbidden Job\n"
                    "listed Job\n"
                    "allowed Job\n");
    fake_api_expect(c->api,
                    &(struct fake_step){.match = "/jobsets?", .status = 404, .forever = true});
    skr_kube_watch_type(c->kube, 0, &skr_gang_owner_jobset);
    fake_sink_wait(c->sink, "listed JobSet", 1);
}

TEST_CLIENT(a_missing_kind_is_looked_for_less_and_less_often)
{
    c->options.backoff_min = 100 * SKR_MILLISECOND;
    c->options.backoff_max = 400 * SKR_MILLISECOND;
    fake_api_expect(c->api, &(struct fake_step){.match = PG_LIST, .status = 404, .forever = true});
    int64_t before = skr_kube_now();
    fake_client_start_synced(c);
    fake_api_wait_count(c->api, PG_LIST, 5);
    /* At least half of 100 + 200 + 400 + 400 ms. */
    assert_true(skr_kube_now() - before >= 550 * SKR_MILLISECOND);
}

TEST_CLIENT(a_missing_kind_about_which_nothing_is_heard_is_stale)
{
    c->options.stale_after = 200 * SKR_MILLISECOND;
    expect(c, PG_LIST, 404, "404 page not found\n");
    fake_api_expect(c->api, &(struct fake_step){.match = PG_LIST, .status = 500, .forever = true});
    fake_client_start_synced(c);
    while (!fake_client_stats(c).resource[FAKE_PODGROUPS].stale) {
        fake_api_wait_count(c->api, PG_LIST, fake_api_count(c->api, PG_LIST) + 1);
    }
}

/* Nothing can be decided without the kinds that a scheduler does not declare optional. */
TEST_CLIENT(a_missing_kind_that_is_needed_is_waited_for_and_named)
{
    struct log_catch catch = log_catch_begin();
    expect(c, POD_LIST, 200, LIST("7", POD("a", "u-a", "3")));
    expect(c, "/nodes?limit=", 404, "404 page not found\n");
    fake_client_start_synced(c);
    fake_sink_clear(c->sink);
    /* It goes: what it had is not taken for deleted. */
    fake_api_expect(c->api, &(struct fake_step){.match = POD_WATCH, .status = 404});
    expect(c, POD_LIST, 404, "404 page not found\n");
    expect(c, POD_LIST, 200, LIST("9", POD("a", "u-a", "3")));
    fake_api_end(c->api, POD_WATCH, FAKE_ANSWER);
    fake_client_expect_request(c, POD_WATCH, 2, "&resourceVersion=9\n");
    SKR_AUTO_FREE char *log = log_catch_end(&catch);
    expect_lines(c, "");
    assert_non_null(
        strstr(log, "list nodes: HTTP 404 (the API server does not serve kind Node of v1)"));
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, part)); p++) {
        n++;
    }
    return n;
}

TEST_CLIENT(a_missing_permission_is_named_once_and_retried)
{
    struct log_catch catch = log_catch_begin();
    for (int i = 0; i < 5; i++) {
        expect(c, PG_LIST, 403, STATUS("403", "Forbidden", "podgroups is forbidden: User x"));
    }
    fake_client_start_synced(c);
    char *log = log_catch_end(&catch);
    assert_int_equal(occurrences(log, "podgroups is forbidden: User x (the account needs the verbs "
                                      "get, list and watch on podgroups of API group"),
                     1);
    assert_int_equal(occurrences(log, "Resource was watched again"), 1);
    free(log);
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODGROUPS].failures, 5);
}

/* What was seen of it before stays. */
TEST_CLIENT(a_kind_that_may_be_forbidden_is_gone_on_without_until_it_is_allowed)
{
    static const char one[] = LIST("7", META("", "gpu", "u-c", "5") "}");
    static const char no[] = STATUS("403", "Forbidden", "deviceclasses is forbidden: User x");
    struct log_catch catch = log_catch_begin();
    for (int i = 0; i < 3; i++) {
        expect(c, DC_LIST, 403, no);
    }
    expect(c, DC_LIST, 200, one);
    fake_client_start_synced(c);
    fake_sink_wait(c->sink, "allowed class", 1);
    fake_sink_wait(c->sink, "upsert class /gpu uid=u-c", 1);
    fake_api_wait_count(c->api, DC_WATCH, 1);
    expect(c, DC_LIST, 403, no);
    expect(c, DC_LIST, 200, one);
    fake_api_expect(c->api, &(struct fake_step){.match = DC_WATCH, .status = 403, .body = no});
    fake_api_end(c->api, DC_WATCH, FAKE_ANSWER);
    fake_sink_wait(c->sink, "forbidden class", 2);
    fake_sink_wait(c->sink, "allowed class", 2);
    fake_api_wait_count(c->api, DC_WATCH, 3);
    char *log = log_catch_end(&catch);
    assert_int_equal(fake_sink_count(c->sink, "forbidden class"), 2);
    assert_int_equal(fake_sink_count(c->sink, "upsert class"), 1);
    assert_int_equal(fake_sink_count(c->sink, "delete"), 0);
    assert_int_equal(occurrences(log, "deviceclasses is forbidden: User x (the account needs the "
                                      "verbs get, list and watch on deviceclasses of API group"),
                     2);
    free(log);
}

TEST_CLIENT(an_object_that_cannot_be_read_is_left_out_until_it_is_gone)
{
    struct log_catch catch = log_catch_begin();
    expect(c, POD_LIST, 200,
           LIST("7",
                POD("a", "u-a", "3") "," BROKEN_POD("b", "u-b", "4") ",{}," POD("c", "u-c", "5")));
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, LINE("MODIFIED", BROKEN_POD("a", "u-a", "8")));
    fake_api_send(c->api, POD_WATCH, LINE("MODIFIED", BROKEN_POD("a", "u-a", "9")));
    fake_api_send(c->api, POD_WATCH, LINE("MODIFIED", POD("b", "u-b", "10")));
    fake_api_send(c->api, POD_WATCH, LINE("DELETED", BROKEN_POD("a", "u-a", "11")));
    fake_api_send(c->api, POD_WATCH, LINE("NEWTYPE", POD("z", "u-z", "12")));
    fake_sink_wait(c->sink, "delete pod default/a", 1);
    SKR_AUTO_FREE char *log = log_catch_end(&catch);
    expect_lines(c, "upsert pod default/a uid=u-a v=3\nupsert pod default/c uid=u-c v=5\nsynced\n"
                    "upsert pod default/b uid=u-b v=10\ndelete pod default/a uid=u-a\n");
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].undecodable, 4);
    assert_int_equal(occurrences(log, "name=\"a\""), 1);
    assert_int_equal(occurrences(log, "name=\"b\""), 1);
}

TEST_CLIENT(a_zero_character_hides_nothing)
{
    expect(c, "?limit=500&" GROUPS, 200,
           LIST("7", META("default", "g", "u-g",
                          "3") ",\"data\":{\"x\":\"a\\u0000b\"}}," MAP("h", "u-h", "4")));
    fake_client_start_synced(c);
    assert_int_equal(fake_sink_count(c->sink, "upsert configmap default/h"), 1);
}

TEST_CLIENT(a_map_with_two_roles_is_gone_when_it_lost_both)
{
    fake_client_start_synced(c);
    fake_api_send(c->api, GROUPS, LINE("ADDED", MAP("m", "u-m", "3")));
    fake_sink_wait(c->sink, "upsert configmap default/m uid=u-m v=3", 1);
    fake_api_send(c->api, TREES,
                  LINE("ADDED", MAP("m", "u-m", "3")) LINE("ADDED", MAP("n", "u-n", "4")));
    fake_sink_wait(c->sink, "upsert configmap default/n", 1);
    assert_int_equal(fake_sink_count(c->sink, "upsert configmap default/m"), 1);
    /* It loses one label: a change, seen by the other watch. */
    fake_api_send(c->api, GROUPS,
                  LINE("DELETED", MAP("m", "u-m", "5")) LINE("ADDED", MAP("x", "u-x", "6")));
    fake_sink_wait(c->sink, "upsert configmap default/x", 1);
    assert_int_equal(fake_sink_count(c->sink, "delete"), 0);
    fake_api_send(c->api, TREES, LINE("MODIFIED", MAP("m", "u-m", "5")));
    fake_sink_wait(c->sink, "upsert configmap default/m uid=u-m v=5", 1);
    fake_api_send(c->api, TREES, LINE("DELETED", MAP("m", "u-m", "7")));
    fake_sink_wait(c->sink, "delete configmap default/m", 1);
}
