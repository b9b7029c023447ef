/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the engine's writes: requests, answers, order, limits, the end. */
#include <pthread.h>
#include <sched.h>

#include "core/gang/state/writes.h"
#include "server/kube/writer.h"
#include "test/test.h"
#include "test/unit/fake_client.h"
#include "topology/base/limiter.h"

#define LEN(a) (sizeof a / sizeof((a)[0]))

static void submit(struct fake_client *c, uint64_t id, enum skr_write_kind kind,
                   enum skr_write_class class, const char *name)
{
    const char *body = kind >= SKR_WRITE_GET_POD ? "" : "{\"b\":1}";
    struct skr_write write = skr_write_of_kind(kind);
    write.id = id;
    write.class = class;
    write.namespace_ = write.resource->namespaced ? "ns" : "";
    write.name = name;
    write.body = body;
    write.body_len = strlen(body);
    assert_int_equal(skr_kube_submit(c->kube, 0, &write), 0);
}

static void patch(struct fake_client *c, uint64_t id, const char *name)
{
    submit(c, id, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_MEMBER, name);
}

static void expect_outcome(struct fake_client *c, uint64_t id, const char *expected)
{
    char begin[64];
    (void)snprintf(begin, sizeof begin, "write %llu ", (unsigned long long)id);
    SKR_AUTO_FREE char *line = fake_sink_line(c->sink, begin, 0);
    assert_string_equal(line + strlen(begin), expected);
}

TEST(every_kind_of_write_is_the_request_the_api_asks_for)
{
    static const char partial[] = "Accept: "
                                  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                                  "application/json\n";
    static const char merge[] = "Content-Type: application/merge-patch+json\n";
    static const char strategic[] = "Content-Type: application/strategic-merge-patch+json\n";
    static const char json[] = "Content-Type: application/json\n";
    static const struct {
        enum skr_write_kind kind;
        const char *line;
        const char *headers[2];
    } cases[] = {
        {SKR_WRITE_BINDING, "POST /api/v1/namespaces/ns/pods/x/binding\n", {json}},
        {SKR_WRITE_PATCH_POD, "PATCH /api/v1/namespaces/ns/pods/x\n", {merge, partial}},
        {SKR_WRITE_UNGATE_POD, "PATCH /api/v1/namespaces/ns/pods/x\n", {strategic, partial}},
        {SKR_WRITE_PATCH_POD_STATUS,
         "PATCH /api/v1/namespaces/ns/pods/x/status\n",
         {merge, partial}},
        {SKR_WRITE_MARK_POD, "PATCH /api/v1/namespaces/ns/pods/x/status\n", {strategic, partial}},
        {SKR_WRITE_PATCH_CONFIGMAP, "PATCH /api/v1/namespaces/ns/configmaps/x\n", {merge, partial}},
        {SKR_WRITE_CREATE_CONFIGMAP, "POST /api/v1/namespaces/ns/configmaps\n", {json, partial}},
        {SKR_WRITE_PATCH_PODGROUP,
         "PATCH /apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/x\n",
         {merge, partial}},
        {SKR_WRITE_MARK_PODGROUP,
         "PATCH /apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/x/status\n",
         {strategic}},
        {SKR_WRITE_CREATE_EVENT,
         "POST /apis/events.k8s.io/v1/namespaces/ns/events\n",
         {json, partial}},
        {SKR_WRITE_EVICT, "POST /api/v1/namespaces/ns/pods/x/eviction\n", {json}},
        {SKR_WRITE_DELETE_POD, "DELETE /api/v1/namespaces/ns/pods/x\n", {json, partial}},
        {SKR_WRITE_CREATE_TEMPLATE, "POST /api/v1/namespaces/ns/podtemplates\n", {json, partial}},
        {SKR_WRITE_DELETE_TEMPLATE,
         "DELETE /api/v1/namespaces/ns/podtemplates/x\n",
         {json, partial}},
        {SKR_WRITE_CREATE_PROVISIONING,
         "POST /apis/autoscaling.x-k8s.io/v1/namespaces/ns/provisioningrequests\n",
         {json, partial}},
        {SKR_WRITE_DELETE_PROVISIONING,
         "DELETE /apis/autoscaling.x-k8s.io/v1/namespaces/ns/provisioningrequests/x\n",
         {json, partial}},
        {SKR_WRITE_RELEASE_CLAIM,
         "PATCH /apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/x/status\n",
         {merge, partial}},
        {SKR_WRITE_GET_POD, "GET /api/v1/namespaces/ns/pods/x\n", {"Accept: application/json\n"}},
        {SKR_WRITE_GET_CONFIGMAP,
         "GET /api/v1/namespaces/ns/configmaps/x\n",
         {"Accept: application/json\n"}},
        {SKR_WRITE_GET_PODGROUP,
         "GET /apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/x\n",
         {"Accept: application/json\n"}},
        {SKR_WRITE_READ_POD, "GET /api/v1/namespaces/ns/pods/x\n", {"Accept: application/json\n"}},
        {SKR_WRITE_GET_PROVISIONING,
         "GET /apis/autoscaling.x-k8s.io/v1/namespaces/ns/provisioningrequests/x\n",
         {"Accept: application/json\n"}},
        {SKR_WRITE_GET_WORKLOAD,
         "GET /apis/kueue.x-k8s.io/v1beta2/namespaces/ns/workloads/x\n",
         {"Accept: application/json\n"}},
        {SKR_WRITE_ANSWER_WORKLOAD,
         "PATCH /apis/kueue.x-k8s.io/v1beta2/namespaces/ns/workloads/x/status\n",
         {merge, partial}},
        /* the last one, of no namespace */
        {SKR_WRITE_ACTIVATE_CHECK,
         "PATCH /apis/kueue.x-k8s.io/v1beta2/admissionchecks/x/status\n",
         {merge, partial}},
    };
    _Static_assert(LEN(cases) == SKR_WRITE_KIND_COUNT, "every kind");
    struct fake_client c;
    fake_client_begin(&c);
    fake_client_start(&c);
    for (size_t i = 0; i < LEN(cases); i++) {
        submit(&c, i, cases[i].kind, SKR_WRITE_CLASS_COMMIT, "x");
        const bool of_cluster = i + 1 == LEN(cases);
        SKR_AUTO_FREE char *text = fake_api_request(
            c.api, of_cluster ? "/admissionchecks/" : "/namespaces/", of_cluster ? 0 : i);
        assert_memory_equal(text, cases[i].line, strlen(cases[i].line));
        for (size_t k = 0; k < 2; k++) {
            if (cases[i].headers[k] && !strstr(text, cases[i].headers[k])) {
                fail_msg("no %s in\n%s", cases[i].headers[k], text);
            }
        }
        const char *body = strstr(text, "\n\n");
        assert_non_null(body);
        assert_string_equal(body + 2, cases[i].kind >= SKR_WRITE_GET_POD ? "" : "{\"b\":1}");
        assert_null(strstr(text, "Expect:"));
    }
    fake_client_end(&c);
}

TEST(statuses_become_outcomes)
{
    static const struct {
        int status;
        const char *outcome;
    } cases[] = {
        {200, "ok"},        {201, "ok"},        {202, "ok"},      {409, "conflict"},
        {404, "not_found"}, {410, "not_found"}, {400, "invalid"}, {413, "invalid"},
        {422, "invalid"},   {405, "invalid"},   {302, "invalid"}, {401, "busy"},
        {403, "denied"},    {429, "busy"},      {408, "unknown"}, {500, "unknown"},
        {503, "unknown"},   {504, "unknown"},   {0, "unknown"},   {100, "unknown"},
    };
    for (size_t i = 0; i < LEN(cases); i++) {
        assert_string_equal(skr_kube_outcome_name[skr_writer_outcome_of(cases[i].status)],
                            cases[i].outcome);
    }
}

TEST(answers_come_back_with_version_message_and_patience)
{
    static const struct {
        int status;
        const char *headers, *body, *outcome;
    } cases[] = {
        {200, NULL, "{\"metadata\":{\"resourceVersion\":\"15\"}}", "ok 200 v=15 retry=0 message="},
        {201, NULL, "{\"kind\":\"Status\"}", "ok 201 v=0 retry=0 message="},
        {200, NULL, "", "ok 200 v=0 retry=0 message="},
        {409, NULL, "{\"kind\":\"Status\",\"message\":\"pod a1 is already assigned\"}",
         "conflict 409 v=0 retry=0 message=pod a1 is already assigned"},
        {422, NULL, "{\"kind\":\"Status\",\"message\":\"uid\",\"code\":422}",
         "invalid 422 v=0 retry=0 message=uid"},
        {404, NULL, "404 page not found\n", "not_found 404 v=0 retry=0 message="},
        {429, "Retry-After: 7\r\n", "{\"kind\":\"Status\",\"message\":\"budget\"}",
         "busy 429 v=0 retry=7000000000 message=budget"},
        {429, "Retry-After: 100000\r\n", "", "busy 429 v=0 retry=300000000000 message="},
        {429, NULL, "", "busy 429 v=0 retry=0 message="},
        {500, "Retry-After: 7\r\n", "{\"kind\":\"Status\",\"message\":\"etcd\"}",
         "unknown 500 v=0 retry=0 message=etcd"},
        {200, "Warning: 299 - \"deprecated\"\r\n", "{}", "ok 200 v=0 retry=0 message="},
    };
    struct fake_client c;
    fake_client_begin(&c);
    fake_client_start(&c);
    for (size_t i = 0; i < LEN(cases); i++) {
        fake_api_expect(c.api, &(struct fake_step){.match = "PATCH",
                                                   .status = cases[i].status,
                                                   .headers = cases[i].headers,
                                                   .body = cases[i].body});
        patch(&c, i, "x");
        expect_outcome(&c, i, cases[i].outcome);
    }
    struct skr_kube_stats stats = fake_client_stats(&c);
    assert_int_equal(stats.writes[SKR_WRITE_CLASS_MEMBER][SKR_WRITE_OK], 4);
    assert_int_equal(stats.writes[SKR_WRITE_CLASS_MEMBER][SKR_WRITE_BUSY], 3);
    assert_true(stats.write_ns[SKR_WRITE_CLASS_MEMBER] > 0);
    while (fake_client_stats(&c).in_flight >
           0) { /* until a moment after the last outcome is told */
        (void)sched_yield();
    }
    fake_client_end(&c);
}

TEST(read_backs_bring_the_object)
{
    static const char pod[] = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"x\",\"uid\":\"u\","
                              "\"resourceVersion\":\"9\"},\"spec\":{\"containers\":[]}}";
    static const struct {
        enum skr_write_kind kind;
        const char *body;
        const char *outcome; /* its beginning */
    } cases[] = {
        {SKR_WRITE_GET_POD, pod, "ok 200 v=9 retry=0 pod=ns/x message="},
        {SKR_WRITE_GET_CONFIGMAP, "{\"metadata\":{\"name\":\"m\",\"resourceVersion\":\"3\"}}",
         "ok 200 v=3 retry=0 configmap=m message="},
        {SKR_WRITE_GET_PODGROUP, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"minMember\":2}}",
         "ok 200 v=0 retry=0 podgroup=p message="},
        {SKR_WRITE_GET_POD, "{\"metadata\":{\"name\":\"x\"},\"spec\":17}",
         "invalid 200 v=0 retry=0 message="},
        {SKR_WRITE_GET_POD, "{\"metadata\"", "unknown 200 v=0 retry=0 message=not JSON: 1:"},
        {SKR_WRITE_GET_POD, "", "unknown 200 v=0 retry=0 message=not JSON: 1:"},
    };
    struct fake_client c;
    fake_client_begin(&c);
    fake_client_start(&c);
    for (size_t i = 0; i < LEN(cases); i++) {
        fake_api_expect(c.api,
                        &(struct fake_step){.match = "/namespaces/ns/", .body = cases[i].body});
        submit(&c, 100 + i, cases[i].kind, SKR_WRITE_CLASS_COMMIT, "x");
        char begin[256];
        (void)snprintf(begin, sizeof begin, "write %zu %s", 100 + i, cases[i].outcome);
        fake_sink_wait(c.sink, begin, 1);
    }
    fake_client_end(&c);
}

/* ---- losses ---- */

TEST(a_lost_answer_is_unknown_and_the_request_went_out_once)
{
    static const enum fake_mode ways[] = {FAKE_CLOSE, FAKE_RESET, FAKE_SHORT};
    for (size_t i = 0; i < LEN(ways); i++) {
        for (int kept = 0; kept < 2; kept++) {
            struct fake_client c;
            fake_client_begin(&c);
            c.options.max_in_flight = 1;
            fake_client_start_synced(&c);
            fake_api_wait_count(c.api, "watch=true", FAKE_RESOURCES);
            if (kept) {
                patch(&c, 1, "first");
                fake_sink_wait(c.sink, "write 1 ok", 1);
            }
            fake_api_expect(
                c.api, &(struct fake_step){.match = "POST", .mode = ways[i], .body = "{\"a\":17}"});
            submit(&c, 2, SKR_WRITE_BINDING, SKR_WRITE_CLASS_COMMIT, "lost");
            fake_sink_wait(c.sink, "write 2 unknown 0 v=0", 1);
            patch(&c, 3, "next");
            fake_sink_wait(c.sink, "write 3 ok", 1);
            assert_int_equal(fake_api_count(c.api, "/pods/lost/binding"), 1);
            fake_client_end(&c);
        }
    }
}

TEST_CLIENT(a_read_back_is_asked_again_on_a_new_connection)
{
    c->options.max_in_flight = 1;
    fake_client_start_synced(c);
    fake_api_wait_count(c->api, "watch=true", FAKE_RESOURCES);
    patch(c, 1, "first");
    fake_sink_wait(c->sink, "write 1 ok", 1);
    fake_api_expect(c->api,
                    &(struct fake_step){.match = "GET /api/v1/namespaces", .mode = FAKE_CLOSE});
    fake_api_expect(c->api, &(struct fake_step){.match = "GET /api/v1/namespaces",
                                                .body = "{\"metadata\":{\"name\":\"m\"}}"});
    submit(c, 2, SKR_WRITE_GET_CONFIGMAP, SKR_WRITE_CLASS_COMMIT, "x");
    fake_sink_wait(c->sink, "write 2 ok 200 v=0 retry=0 configmap=m", 1);
}

TEST_CLIENT(an_answer_that_takes_too_long_is_unknown)
{
    c->options.request_timeout = 50 * SKR_MILLISECOND;
    fake_api_expect(c->api, &(struct fake_step){.match = "PATCH", .mode = FAKE_HANG});
    fake_client_start(c);
    patch(c, 1, "slow");
    fake_sink_wait(c->sink, "write 1 unknown 0 v=0 retry=0 message=Operation timed out", 1);
}

TEST_CLIENT(a_request_that_never_left_is_busy)
{
    fake_client_start_synced(c);
    patch(c, 1, "first");
    fake_sink_wait(c->sink, "write 1 ok", 1);
    fake_api_go_down(c->api);
    patch(c, 2, "second");
    fake_sink_wait(c->sink, "write 2 busy 0 v=0 retry=0 message=", 1);
}

TEST_CLIENT(a_write_that_names_nothing_is_invalid)
{
    fake_client_start(c);
    patch(c, 1, "");
    expect_outcome(c, 1, "invalid 0 v=0 retry=0 message=a write without namespace or name");
    struct skr_write write = skr_write_of_kind(SKR_WRITE_CREATE_EVENT);
    write.id = 2;
    assert_int_equal(skr_kube_submit(c->kube, 0, &write), 0);
    expect_outcome(c, 2, "invalid 0 v=0 retry=0 message=a write without namespace or name");
}

TEST_CLIENT(names_cannot_leave_their_place_in_the_url)
{
    fake_client_start(c);
    patch(c, 1, "../../x?y=z#\r\nä");
    fake_sink_wait(c->sink, "write 1 ok", 1);
    assert_int_equal(
        fake_api_count(c->api, "/namespaces/ns/pods/..%2F..%2Fx%3Fy%3Dz%23%0D%0A%C3%A4"), 1);
}

/* ---- order and limits ---- */

TEST_CLIENT(important_classes_go_first_and_each_keeps_its_order)
{
    c->options.max_in_flight = 1;
    fake_api_expect(c->api, &(struct fake_step){.match = "/pods/plug", .mode = FAKE_HANG});
    fake_client_start(c);
    submit(c, 1, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_COMMIT, "plug");
    fake_api_wait_count(c->api, "/pods/plug", 1);
    for (int class = SKR_WRITE_CLASS_COUNT - 1; class >= 0; class --) {
        for (int k = 0; k < 3; k++) {
            char name[32];
            (void)snprintf(name, sizeof name, "order-%d-%d", class, k);
            submit(c, 100, SKR_WRITE_PATCH_POD, (enum skr_write_class) class, name);
        }
    }
    fake_api_release(c->api, "/pods/plug");
    fake_sink_wait(c->sink, "write 100 ok", 3 * SKR_WRITE_CLASS_COUNT);
    for (int i = 0; i < 3 * SKR_WRITE_CLASS_COUNT; i++) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "PATCH /api/v1/namespaces/ns/pods/order-%d-%d\n",
                       i / 3, i % 3);
        SKR_AUTO_FREE char *text = fake_api_request(c->api, "/pods/order-", (size_t)i);
        assert_memory_equal(text, expected, strlen(expected));
    }
}

TEST(within_a_class_a_lower_order_goes_first)
{
    static const uint64_t order[] = {2, 2, 1, 3, 1, 2, 0};
    static const int sent[] = {6, 2, 4, 0, 1, 5, 3}; /* by order, first come first within it */
    enum { N = sizeof order / sizeof order[0] };
    struct fake_client c;
    fake_client_begin(&c);
    c.options.max_in_flight = 1;
    fake_api_expect(c.api, &(struct fake_step){.match = "/pods/plug", .mode = FAKE_HANG});
    fake_client_start(&c);
    submit(&c, 1, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_COMMIT, "plug");
    fake_api_wait_count(c.api, "/pods/plug", 1);
    for (int i = 0; i < N; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "turn-%d", i);
        struct skr_write write = skr_write_of_kind(SKR_WRITE_PATCH_POD);
        write.id = 100;
        write.class = SKR_WRITE_CLASS_MEMBER;
        write.order = order[i];
        write.namespace_ = write.resource->namespaced ? "ns" : "";
        write.name = name;
        write.body = "{}";
        write.body_len = 2;
        assert_int_equal(skr_kube_submit(c.kube, 0, &write), 0);
    }
    fake_api_release(c.api, "/pods/plug");
    fake_sink_wait(c.sink, "write 100 ok", N);
    for (int i = 0; i < N; i++) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "PATCH /api/v1/namespaces/ns/pods/turn-%d\n",
                       sent[i]);
        SKR_AUTO_FREE char *text = fake_api_request(c.api, "/pods/turn-", (size_t)i);
        assert_memory_equal(text, expected, strlen(expected));
    }
    fake_client_end(&c);
}

TEST_CLIENT(many_are_in_flight_but_the_last_places_are_for_the_important)
{
    c->options.max_in_flight = 16;
    fake_api_expect(c->api,
                    &(struct fake_step){.match = "PATCH", .mode = FAKE_HANG, .forever = true});
    fake_client_start(c);
    for (uint64_t i = 0; i < 20; i++) {
        submit(c, i, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_EVENT, "event");
    }
    fake_api_wait_count(c->api, "/pods/event", 6);
    for (uint64_t i = 0; i < 20; i++) {
        submit(c, i, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_MEMBER, "member");
    }
    fake_api_wait_count(c->api, "/pods/member", 14 - 6);
    for (uint64_t i = 0; i < 20; i++) {
        submit(c, i, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_COMMIT, "commit");
    }
    fake_api_wait_count(c->api, "/pods/commit", 16 - 14);
    assert_int_equal(fake_api_count(c->api, "/pods/event"), 6);
    assert_int_equal(fake_api_count(c->api, "/pods/member"), 8);
    assert_int_equal(fake_api_peak(c->api), 16);
    assert_int_equal(fake_client_stats(c).in_flight, 16);
    assert_int_equal(fake_client_stats(c).queued[SKR_WRITE_CLASS_COMMIT], 18);
    fake_api_release(c->api, "PATCH");
    fake_sink_wait(c->sink, "write ", 60);
    assert_int_equal(fake_api_peak(c->api), 16);
}

TEST_CLIENT(connections_are_used_again)
{
    c->options.max_in_flight = 4;
    fake_client_start_synced(c);
    for (uint64_t i = 0; i < 200; i++) {
        patch(c, i, "x");
    }
    fake_sink_wait(c->sink, "write ", 200);
    assert_true(fake_api_connections(c->api) <= 4 + 2 * (size_t)SKR_GANG_WATCHES);
}

TEST(the_bucket_gives_burst_then_rate)
{
    struct skr_limiter limiter;
    int64_t next = 0;
    int64_t now = 1000;
    skr_limiter_init(&limiter, 10, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(skr_limiter_take(&limiter, now, &next));
    }
    assert_false(skr_limiter_take(&limiter, now, &next));
    assert_int_equal(next, now + 100 * SKR_MILLISECOND);
    assert_false(skr_limiter_take(&limiter, next - 1, &next));
    assert_true(skr_limiter_take(&limiter, next, &next));
    /* Idle for long: the burst is back, no more. */
    now += 100 * SKR_SECOND;
    for (int i = 0; i < 3; i++) {
        assert_true(skr_limiter_take(&limiter, now, &next));
    }
    assert_false(skr_limiter_take(&limiter, now, &next));
}

TEST_CLIENT(writes_do_not_go_faster_than_the_limit)
{
    c->options.qps = 50;
    c->options.burst = 5;
    fake_client_start(c);
    int64_t before = skr_kube_now();
    for (uint64_t i = 0; i < 20; i++) {
        patch(c, i, "x");
    }
    fake_sink_wait(c->sink, "write ", 20);
    assert_true(skr_kube_now() - before >= 15 * 20 * SKR_MILLISECOND);
}

TEST_CLIENT(events_beyond_the_limit_are_dropped)
{
    c->options.max_in_flight = 1;
    c->options.max_queued_events = 3;
    c->options.max_queued = 6;
    fake_api_expect(c->api, &(struct fake_step){.match = "/pods/plug", .mode = FAKE_HANG});
    fake_client_start(c);
    patch(c, 1, "plug");
    fake_api_wait_count(c->api, "/pods/plug", 1);
    for (uint64_t i = 10; i < 15; i++) {
        submit(c, i, SKR_WRITE_CREATE_EVENT, SKR_WRITE_CLASS_EVENT, "");
    }
    expect_outcome(c, 13, "dropped 0 v=0 retry=0 message=too many Events are waiting");
    expect_outcome(c, 14, "dropped 0 v=0 retry=0 message=too many Events are waiting");
    for (uint64_t i = 20; i < 24; i++) {
        patch(c, i, "x");
    }
    expect_outcome(c, 23, "dropped 0 v=0 retry=0 message=too many writes are waiting");
    fake_api_release(c->api, "/pods/plug");
    fake_sink_wait(c->sink, "write 1", 4);
    fake_sink_wait(c->sink, "write 2", 4);
    assert_int_equal(fake_client_stats(c).writes[SKR_WRITE_CLASS_EVENT][SKR_WRITE_DROPPED], 2);
}

/* ---- the end ---- */

TEST_CLIENT(at_the_end_every_write_has_one_outcome)
{
    c->options.max_in_flight = 2;
    c->options.stop_grace = 50 * SKR_MILLISECOND;
    fake_api_expect(c->api,
                    &(struct fake_step){.match = "PATCH", .mode = FAKE_HANG, .forever = true});
    fake_client_start(c);
    for (uint64_t i = 0; i < 10; i++) {
        submit(c, i, SKR_WRITE_PATCH_POD, SKR_WRITE_CLASS_COMMIT, "x");
    }
    fake_api_wait_count(c->api, "PATCH", 2);
    skr_kube_stop(c->kube);
    skr_kube_stop(c->kube);
    expect_outcome(c, 0, "unknown 0 v=0 retry=0 message=the client stopped before the answer came");
    expect_outcome(c, 9, "dropped 0 v=0 retry=0 message=the client is stopping");
    assert_int_equal(fake_sink_count(c->sink, "write "), 10);
    struct skr_write write = {.id = 11, .namespace_ = "ns", .name = "x"};
    assert_int_equal(skr_kube_submit(c->kube, 0, &write), -SKR_GONE);
    assert_int_equal(fake_api_count(c->api, "PATCH"), 2);
}

static void *release_when_stopping(void *context)
{
    struct fake_client *c = context;
    fake_sink_wait(c->sink, "write 2 dropped", 1);
    fake_api_release(c->api, "PATCH");
    return NULL;
}

TEST(what_is_in_flight_at_the_end_may_still_be_answered)
{
    struct fake_client c;
    pthread_t thread;
    fake_client_begin(&c);
    c.options.max_in_flight = 1;
    c.options.stop_grace = FAKE_DEADLINE_S * SKR_SECOND;
    fake_api_expect(c.api, &(struct fake_step){.match = "PATCH", .mode = FAKE_HANG});
    fake_client_start(&c);
    patch(&c, 1, "x");
    fake_api_wait_count(c.api, "PATCH", 1);
    patch(&c, 2, "y");
    assert_int_equal(pthread_create(&thread, NULL, release_when_stopping, &c), 0);
    skr_kube_stop(c.kube);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_outcome(&c, 1, "ok 200 v=0 retry=0 message=");
    fake_client_end(&c);
}

struct submitter {
    struct fake_client *client;
    uint64_t first;
};

enum { THREADS = 4, EACH = 100 };

static void *submit_many(void *context)
{
    struct submitter *s = context;
    for (uint64_t i = 0; i < EACH; i++) {
        patch(s->client, s->first + i, "x");
    }
    return NULL;
}

TEST(any_thread_may_submit)
{
    struct fake_client c;
    pthread_t thread[THREADS];
    struct submitter submitter[THREADS];
    fake_client_begin(&c);
    fake_client_start(&c);
    for (uint64_t i = 0; i < THREADS; i++) {
        submitter[i] = (struct submitter){.client = &c, .first = i * EACH};
        assert_int_equal(pthread_create(&thread[i], NULL, submit_many, &submitter[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    fake_sink_wait(c.sink, "write ", (size_t)THREADS * EACH);
    fake_client_end(&c);
}

TEST(options_out_of_range_are_refused)
{
    struct skr_kube_access access;
    struct skr_kube *kube = NULL;
    struct skr_error error = {0};
    skr_kube_access_init(&access);
    struct skr_kube_options good;
    skr_kube_options_default(&good);
    good.n_subscribers = 1;
    good.subscriber[0].deliver = fake_sink_deliver;
    struct skr_kube_options bad = good;
    bad.qps = 0;
    assert_int_equal(skr_kube_create(&bad, &access, &kube, &error), -SKR_INVALID);
    assert_string_equal(error.text, "kube client: qps is 0, must be between 1 and 100000");
    bad = good;
    bad.n_subscribers = 0;
    assert_int_equal(skr_kube_create(&bad, &access, &kube, &error), -SKR_INVALID);
    bad = good;
    bad.max_in_flight = SKR_KUBE_IN_FLIGHT_MAX + 1;
    assert_int_equal(skr_kube_create(&bad, &access, &kube, &error), -SKR_INVALID);
    assert_int_equal(skr_kube_create(&good, &access, &kube, &error), -SKR_INVALID);
    assert_string_equal(error.text, "kube client: no API server is named");
}
