/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs over real sockets: round trips, and how they are counted. */
#include <curl/curl.h>
#include <jansson.h>
#include <unistd.h>

#include "core/gang/state/reason.h"
#include "test/test.h"
#include "test/unit/verbs_world.h"
#include "topology/base/strbuf.h"

/* ---- round trips ---- */

TEST(r1_filter_with_5000_nodes_goes_round_in_both_forms)
{
    struct world *world = world_open();
    SKR_STRBUF(body);

    const int fd = http_connect(world_port(world));
    for (int form = 0; form < 2; form++) {
        uint8_t mask[625] = {0};
        skr_strbuf_reset(&body);
        skr_strbuf_add(&body, "{\"Pod\":" POD);
        skr_strbuf_add(&body, form == 0 ? ",\"NodeNames\":[" : ",\"Nodes\":{\"items\":[");
        for (int i = 0; i < 5000; i++) {
            skr_strbuf_addf(&body,
                            form == 0 ? "%s\"node-%d\"" : "%s{\"metadata\":{\"name\":\"node-%d\"}}",
                            i > 0 ? "," : "", i);
        }
        skr_strbuf_add(&body, form == 0 ? "]}" : "]}}");
        http_send_post(fd, "/v1/filter", body.s, body.len);
        struct posted *posted = world_take(world);
        assert_int_equal(posted->event.request.verb, SKR_GANG_FILTER);
        const struct skr_filter_request *filter = posted->event.request.body;
        assert_int_equal(filter->n_nodes, 5000);
        assert_string_equal(filter->node[4999], "node-4999");
        assert_string_equal(filter->pod->meta.name, "a-0");
        mask[0] = 2;
        const struct skr_answer a = {.request = posted->event.request.id,
                                     .kind = SKR_ANSWER_FILTER_MASK,
                                     .text = SKR_TEXT_RESERVED,
                                     .n = 5000,
                                     .mask = mask};
        assert_true(skr_verbs_answer(world->verbs, &a));
        mask[0] = 0; /* the answer was copied */
        world_drop(posted);
        struct http_answer got = http_receive(fd);
        assert_int_equal(got.status, 200);
        json_auto_t *json = json_loads(got.body, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        assert_int_equal(json_object_size(json_object_get(json, "FailedAndUnresolvableNodes")),
                         4999);
        assert_int_equal(json_array_size(json_object_get(json, "NodeNames")), form == 0 ? 1 : 0);
        if (form == 1) {
            assert_int_equal(
                json_array_size(json_object_get(json_object_get(json, "Nodes"), "items")), 1);
        }
        http_answer_free(&got);
    }
    close(fd);
    world_close(world);
}

/* One that brings no request is no caller. */
TEST(the_engine_is_told_when_the_last_caller_is_gone)
{
    struct world *world = world_open();
    const int caller[] = {http_connect(world_port(world)), http_connect(world_port(world))};
    const int silent = http_connect(world_port(world));
    close(silent);
    for (int i = 0; i < 2; i++) {
        http_send_post(caller[i], "/v1/filter", FILTER, strlen(FILTER));
        assert_true(world_answer(world, world_take_request(world, SKR_GANG_FILTER),
                                 SKR_ANSWER_FILTER_ALL, ""));
        struct http_answer got = http_receive(caller[i]);
        http_answer_free(&got);
    }
    close(caller[0]);
    const int bind = http_connect(world_bind_port(world));
    http_send_post(bind, "/v1/bind", BIND, strlen(BIND));
    (void)world_take_request(world, SKR_GANG_BIND);
    close(bind);
    (void)world_take_hangup(world);
    world_wait_all_gone(world, 0);
    close(caller[1]);
    world_wait_all_gone(world, 1);
    world_close(world);
}

TEST(every_verb_goes_round_on_one_connection)
{
    struct world *world = world_open();
    const int fd = http_connect(world_port(world));
    const int8_t scores[] = {1, 10};
    const uint8_t mask[] = {1};
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    world_expect(http_receive(fd), 200,
                 "{\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"],\"FailedNodes\":{},"
                 "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");

    http_send_post(fd, "/v1/prioritize", FILTER, strlen(FILTER));
    struct skr_answer a = {.request = world_take_request(world, SKR_GANG_PRIORITIZE),
                           .kind = SKR_ANSWER_SCORES,
                           .text = "",
                           .n = 2,
                           .scores = scores};
    assert_true(skr_verbs_answer(world->verbs, &a));
    world_expect(http_receive(fd), 200,
                 "[{\"Host\":\"n1\",\"Score\":1},{\"Host\":\"n2\",\"Score\":10}]");

    static const char preempt[] =
        "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v\"}]}}}";
    http_send_post(fd, "/v1/preempt", preempt, strlen(preempt));
    a = (struct skr_answer){.request = world_take_request(world, SKR_GANG_PREEMPT),
                            .kind = SKR_ANSWER_PREEMPT_MASK,
                            .text = "",
                            .n = 1,
                            .mask = mask};
    assert_true(skr_verbs_answer(world->verbs, &a));
    world_expect(http_receive(fd), 200,
                 "{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v\"}],"
                 "\"NumPDBViolations\":0}}}");
    close(fd);

    const int bind = http_connect(world_bind_port(world));
    http_send_post(bind, "/v1/bind", BIND, strlen(BIND));
    struct posted *posted = world_take(world);
    assert_int_equal(posted->event.request.verb, SKR_GANG_BIND);
    const struct skr_bind_request *asked = posted->event.request.body;
    assert_string_equal(asked->namespace_, "d");
    assert_string_equal(asked->name, "a-0");
    assert_string_equal(asked->uid, "u-0");
    assert_string_equal(asked->node, "n1");
    const uint64_t request = posted->event.request.id;
    world_drop(posted);
    assert_true(world_answer(world, request, SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(bind), 200, "{\"Error\":\"\"}");
    close(bind);
    world_close(world);
}

TEST(an_engine_may_answer_before_the_post_returns)
{
    struct world *world = world_open();
    const int fd = http_connect(world_port(world));
    world->answer_at_once = true;
    for (int i = 0; i < 50; i++) {
        http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
        http_expect(http_receive(fd), 200, "");
    }
    close(fd);
    world_expect(http_post(world_bind_port(world), "/v1/bind", BIND), 200, "{\"Error\":\"\"}");
    world_close(world);
}

TEST(r11_duplicate_binds_are_two_requests_and_each_is_answered_once)
{
    struct world *world = world_open();
    const int one = http_connect(world_bind_port(world));
    const int two = http_connect(world_bind_port(world));
    http_send_post(one, "/v1/bind", BIND, strlen(BIND));
    const uint64_t first = world_take_request(world, SKR_GANG_BIND);
    http_send_post(two, "/v1/bind", BIND, strlen(BIND));
    const uint64_t second = world_take_request(world, SKR_GANG_BIND);
    assert_true(first != second && first != 0 && second != 0);
    assert_true(world_answer(world, first, SKR_ANSWER_ERROR, SKR_TEXT_SUPERSEDED));
    assert_false(world_answer(world, first, SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(one), 200, "{\"Error\":\"sakkara: superseded\"}");
    assert_true(world_answer(world, second, SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(two), 200, "{\"Error\":\"\"}");
    assert_false(world_answer(world, second, SKR_ANSWER_BOUND, ""));
    assert_false(world_answer(world, 12345, SKR_ANSWER_BOUND, ""));
    close(one);
    close(two);
    world_close(world);
}

TEST(a_standby_lets_go_of_its_connections)
{
    struct world *world = world_open();
    const int fd = http_connect(world_port(world));
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(world_answer(world, world_take_request(world, SKR_GANG_FILTER), SKR_ANSWER_ERROR,
                             SKR_TEXT_NOT_LEADER));
    struct http_answer got = http_receive(fd);
    assert_non_null(strstr(got.headers, "Connection: close\r\n"));
    assert_non_null(strstr(got.body, "\"Error\":\"sakkara: not leader\""));
    http_answer_free(&got);
    http_wait_closed(fd);
    close(fd);
    world_close(world);
}

TEST(a_request_sent_behind_a_parked_one_waits_for_its_turn)
{
    struct world *world = world_open();
    const int fd = http_connect(world_bind_port(world));
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t first = world_take_request(world, SKR_GANG_BIND);
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(world_answer(world, first, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED));
    world_expect(http_receive(fd), 200, "{\"Error\":\"sakkara: plan aborted\"}");
    const uint64_t second = world_take_request(world, SKR_GANG_BIND);
    assert_true(world_answer(world, second, SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    close(fd);
    world_close(world);
}

/* ---- metrics ---- */

TEST(requests_are_counted_by_verb_and_result)
{
    struct world *world = world_open();
    SKR_STRBUF(text);

    world_expect(http_post(world_bind_port(world), "/v1/bind", "{}"), 200,
                 "{\"Error\":\"sakkara: malformed request\"}");
    const int fd = http_connect(world_bind_port(world));
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_BIND), SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_BIND), SKR_ANSWER_ERROR, "x"));
    world_expect(http_receive(fd), 200, "{\"Error\":\"x\"}");
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    (void)world_take_request(world, SKR_GANG_BIND);
    close(fd);
    (void)world_take_hangup(world);
    skr_verbs_stop(world->verbs);
    skr_metrics_write(world->metrics, &text);
    static const char *const line[] = {
        "sakkara_extender_requests_total{verb=\"bind\",result=\"malformed\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"ok\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"error\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"hangup\"} 1\n",
        "sakkara_extender_request_duration_seconds_count{verb=\"bind\"} 3\n",
        "sakkara_extender_request_duration_seconds_bucket{verb=\"bind\",le=\"3.2768\"} 3\n",
        "sakkara_http_requests_total{code=\"200\",handler=\"bind\"} 3\n",
    };
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        if (!strstr(text.s, line[i])) {
            fail_msg("missing: %sin %s", line[i], text.s);
        }
    }
    world_close(world);
}

BEFORE_ALL
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

AFTER_ALL
{
    curl_global_cleanup();
}
