/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what was written before a moment has been delivered (server/kube/freshness.h). */
#include <time.h>

#include "test/test.h"
#include "test/unit/fake_client.h"

#define PROBE     "GET /api/v1/pods?limit=1"
#define PAGES     "GET /api/v1/pods?limit=500"
#define PODGROUPS "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?limit="
#define POD(name, v)                                                                   \
    "{\"metadata\":{\"namespace\":\"default\",\"name\":\"" name "\",\"uid\":\"u-" name \
    "\",\"resourceVersion\":\"" v "\"},\"spec\":{\"containers\":[]}}"
#define LIST(v, items) \
    "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" v "\"},\"items\":[" items "]}"

static void expect(struct fake_client *c, const char *match, int status, const char *body)
{
    fake_api_expect(c->api, &(struct fake_step){.match = match, .status = status, .body = body});
}

static void freshen(struct fake_client *c)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const time_t end = time(NULL) + FAKE_DEADLINE_S;
    const uint64_t ticket = skr_kube_freshen(c->kube);
    while (!skr_kube_is_fresh(c->kube, ticket)) {
        if (time(NULL) > end) {
            fail_msg("the caches do not become fresh");
        }
        (void)nanosleep(&pause, NULL);
    }
}

static bool was_delivered(struct fake_client *c, const char *part)
{
    SKR_AUTO_FREE char *text = fake_sink_text(c->sink);
    return strstr(text, part);
}

/* Of a watch that is open and shows nothing. */
TEST_CLIENT(what_a_watch_did_not_show_is_delivered_before_the_caches_are_fresh)
{
    c->options.fresh_patience = 50 * SKR_MILLISECOND;
    expect(c, PAGES, 200, LIST("7", POD("gone", "6")));
    fake_client_start_synced(c);
    expect(c, PROBE, 200, LIST("20", POD("a", "19")));
    expect(c, PAGES, 200, LIST("20", POD("a", "19")));
    freshen(c);
    assert_true(was_delivered(c, "upsert pod default/a uid=u-a v=19\n"));
    assert_true(was_delivered(c, "delete pod default/gone uid=u-gone\n"));
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].lists, 2);
}

TEST_CLIENT(a_watch_that_is_as_new_as_the_api_server_goes_on)
{
    c->options.fresh_patience = 300 * SKR_SECOND;
    expect(c, PAGES, 200, LIST("7", ""));
    fake_client_start_synced(c);
    fake_api_send(c->api, POD_WATCH, "{\"type\":\"ADDED\",\"object\":" POD("a", "20") "}\n");
    fake_sink_wait(c->sink, "upsert pod default/a", 1);
    expect(c, PROBE, 200, LIST("20", ""));
    freshen(c);
    freshen(c); /* the API server of the test says version 1 */
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].lists, 1);
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].watches, 1);
}

TEST_CLIENT(a_kind_whose_newest_version_cannot_be_told_is_listed_anew)
{
    static const char *const body[] = {"", "{", "{}", LIST("new", "")};
    c->options.fresh_patience = 300 * SKR_SECOND;
    expect(c, PAGES, 200, LIST("7", ""));
    fake_client_start_synced(c);
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        expect(c, PROBE, 200, body[i]);
        freshen(c);
        assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].lists, i + 2);
    }
    expect(c, PROBE, 403, "");
    freshen(c);
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODS].lists, 6);
}

/* Who takes over may be the first to need a kind that was installed since it looked last. */
TEST_CLIENT(a_missing_kind_is_looked_for_before_the_caches_are_fresh)
{
    c->options.backoff_min = 300 * SKR_SECOND;
    c->options.backoff_max = 300 * SKR_SECOND;
    c->options.fresh_patience = 50 * SKR_MILLISECOND;
    expect(c, PODGROUPS "500", 404, "404 page not found\n");
    fake_client_start_synced(c);
    expect(c, PODGROUPS "1\n", 404, "404 page not found\n");
    expect(c, PODGROUPS "500", 404, "404 page not found\n");
    freshen(c);
    assert_int_equal(fake_client_stats(c).resource[FAKE_PODGROUPS].lists, 0);
    expect(c, PODGROUPS "1\n", 200, LIST("20", POD("g", "19")));
    expect(c, PODGROUPS "500", 200, LIST("20", POD("g", "19")));
    freshen(c);
    assert_true(was_delivered(c, "upsert podgroup default/g uid=u-g v=19\n"));
}
