/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of waiting groups without a reservation, made when a page asks for them. */
#include "core/frame/picture.h"
#include "core/gang/group/start.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/pages.h"
#include "server/render/render.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/limits_scene.h"
#include "topology/base/json_field.h"

static int ask(struct rig *rig, const char *path, bool awaits, struct skr_strbuf *out)
{
    const struct skr_view_query query = {.path = path, .awaits = awaits};
    skr_strbuf_reset(out);
    return skr_gang_view(rig->gang, &query, rig->now, out);
}

/* The page of the group has this start, as time of day or "null", and these further words. */
static void expect(struct rig *rig, const char *group, const char *time, const char *words)
{
    char path[96], start[96];
    SKR_STRBUF(out);
    snprintf(path, sizeof path, "/v1/groups/default/%s", group);
    if (ask(rig, path, true, &out) == SKR_VIEW_AWAITED) {
        rig_event(rig, SKR_EVENT_TIMER);
        rig_settle(rig);
        assert_int_equal(ask(rig, path, true, &out), 200);
    }
    snprintf(start, sizeof start, "\"start\":{\"time\":%s", time);
    if (!strstr(out.s, start) || !strstr(out.s, words)) {
        rig_fail(rig, "%s: no %s with %s in %s", group, start, words, out.s);
    }
}

static void instant(int64_t at, char text[64])
{
    char plain[48];
    skr_time_write(at * SKR_SECOND, 0, plain, sizeof plain);
    snprintf(text, 64, "\"%s\"", plain);
}

TEST_RIG(limits_waiting(1), groups_behind_a_reservation_get_forecasts_when_a_page_asks)
{
    char at[64];
    SKR_STRBUF(out);
    limits_gang(rig, "after", 4, 0, 30);
    limits_gang(rig, "last", 4, 0, 30);
    rig_run(rig, SKR_SECOND);
    const int64_t start = limits_group(rig, "big")->booking->start;
    assert_null(limits_group(rig, "after")->forecast);
    assert_int_equal(ask(rig, "/v1/groups", false, &out), 200); /* the caller does not wait */
    assert_null(strstr(out.s, "\"promised\":false"));
    assert_int_equal(ask(rig, "/v1/groups", true, &out), SKR_VIEW_AWAITED);
    assert_int_equal(out.len, 0);
    assert_int_equal(ask(rig, "/v1/tree", true, &out), 200);
    instant(start + 50, at);
    expect(rig, "after", at, "\"promised\":false,\"guess\":false,\"because\":\"default/big\"");
    instant(start + 80, at);
    expect(rig, "last", at, "\"because\":\"default/after\"");
    instant(start, at);
    expect(rig, "big", at, "\"promised\":true");
}

TEST_RIG(limits_waiting(1), forecasts_are_made_at_most_once_in_ten_seconds)
{
    SKR_STRBUF(out);
    limits_gang(rig, "after", 4, 0, 30);
    rig_run(rig, SKR_SECOND);
    expect(rig, "after", "\"", "");
    const struct forecast *first = limits_group(rig, "after")->forecast;
    rig_run(rig, (SKR_FORECASTS_PAUSE_S - 2) * SKR_SECOND);
    assert_int_equal(ask(rig, "/v1/groups", true, &out), 200);
    assert_ptr_equal(limits_group(rig, "after")->forecast, first);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(ask(rig, "/v1/groups", true, &out), SKR_VIEW_AWAITED);
    rig_event(rig, SKR_EVENT_TIMER);
    rig_settle(rig);
    assert_int_equal(ask(rig, "/v1/groups", true, &out), 200);
}

TEST_RIG(limits_waiting(1), what_would_end_too_late_is_told_whose_start_it_may_not_delay)
{
    char at[64], words[128];
    const int64_t start = limits_group(rig, "big")->booking->start;
    limits_gang(rig, "late", 1, 0, 500);
    limits_gang(rig, "endless", 1, 0, 0);
    rig_run(rig, SKR_SECOND);
    instant(start, at);
    snprintf(words, sizeof words, "\"kept\":{\"by\":\"default/big\",\"starts\":%s,\"ends\":\"", at);
    expect(rig, "late", "\"", words);
    snprintf(words, sizeof words, "\"kept\":{\"by\":\"default/big\",\"starts\":%s,\"ends\":null",
             at);
    expect(rig, "endless", "\"", words);
}

TEST_RIG(limits_waiting(1), a_start_behind_a_forecast_without_an_end_names_that_group)
{
    limits_gang(rig, "endless", 4, 0, 0);
    limits_gang(rig, "last", 4, 0, 30);
    rig_run(rig, SKR_SECOND);
    expect(rig, "endless", "\"", "\"because\":\"default/big\"");
    expect(rig, "last", "null", "\"unlimited\":\"default/endless\"");
}

TEST_RIG(limits_four_nodes(1), an_unknown_start_names_the_group_without_a_limit)
{
    limits_gang(rig, "b-run", 3, 0, 0);
    limits_gang(rig, "a-run", 1, 0, 0);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "b-run", 3);
    limits_start(rig, "a-run", 1);
    limits_gang(rig, "waits", 4, 0, 10);
    rig_run(rig, SKR_SECOND);
    expect(rig, "waits", "null", "\"unlimited\":\"default/a-run\"");
    limits_end(rig, "a-run", 1);
    rig_run(rig, (SKR_FORECASTS_PAUSE_S + 1) * SKR_SECOND);
    expect(rig, "waits", "null", "\"unlimited\":\"default/b-run\"");
    limits_end(rig, "b-run", 3);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "waits"), 4);
    SKR_STRBUF(out);
    assert_int_equal(ask(rig, "/v1/groups/default/waits", false, &out), 200);
    assert_null(strstr(out.s, "\"start\":"));
}

TEST_RIG(limits_four_nodes(1), a_start_on_another_day_is_told_with_the_day)
{
    char at[48], words[64];
    SKR_STRBUF(out);
    SKR_STRBUF(text);
    limits_gang(rig, "run", 4, 0, 86400);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 4);
    limits_gang(rig, "waits", 4, 0, 10);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(ask(rig, "/v1/groups/default/waits", false, &out), 200);
    json_auto_t *page = json_loads(out.s, 0, NULL);
    skr_render_start(json_object_get(page, "start"), &text);
    skr_time_write(limits_group(rig, "waits")->booking->start * SKR_SECOND, 0, at, sizeof at);
    snprintf(words, sizeof words, "by %.11s", &at[sizeof "2026-" - 1]);
    assert_non_null(strstr(text.s, words));
}

TEST(forecasts_can_be_turned_off)
{
    struct skr_settings settings;
    SKR_STRBUF(out);
    skr_settings_default(&settings);
    settings.forecasts = 0;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 1, 1);
    rig_sync(rig);
    limits_gang(rig, "a", 1, 0, 0);
    limits_gang(rig, "b", 1, 0, 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(ask(rig, "/v1/groups", true, &out), 200);
}

/* ---- the picture ---- */

/* A string of an item of a list. */
static const char *item_text(const json_t *page, const char *list, size_t i, const char *key)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(page, list), i), key));
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

/* Nodes 0 and 1 have pods with limits, and big waits for them; the others have pods without. */
TEST_RIG(limits_four_nodes(1), the_picture_has_limits_and_what_is_reserved)
{
    SKR_STRBUF(out);
    const struct skr_view_query query = {
        .path = "/v1/timeline", .argument = {[SKR_VIEW_DOMAIN] = "rack-0", [SKR_VIEW_HOURS] = "1"}};
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_gang(rig, "endless", 2, 0, 0);
    rig_run(rig, SKR_SECOND);
    limits_gang(rig, "big", 2, 0, 1000);
    rig_run(rig, SKR_SECOND);
    assert_non_null(limits_group(rig, "big")->booking);
    assert_int_equal(skr_gang_view(rig->gang, &query, rig->now, &out), 200);
    json_auto_t *page = json_loads(out.s, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(page, "resource")), "cpu");
    assert_int_equal(json_integer_value(json_object_get(page, "cellSeconds")), 90);
    const char *node[] = {"##%%%%%%%%%%%.", "##%%%%%%%%%%%.", "????????????", "????????????"};
    for (size_t i = 0; i < 4; i++) {
        const char *cells = item_text(page, "rows", i, "cells");
        assert_memory_equal(cells, node[i], strlen(node[i]));
    }
    assert_string_equal(item_text(page, "groups", 0, "name"), "big");
    assert_string_equal(item_text(page, "groups", 0, "because"), "default/run");
    assert_non_null(item_text(page, "groups", 0, "until"));
    skr_strbuf_reset(&out);
    struct skr_view_query wrong = query;
    wrong.argument[SKR_VIEW_HOURS] = "721";
    assert_int_equal(skr_gang_view(rig->gang, &wrong, rig->now, &out), 400);
    assert_non_null(strstr(out.s, "hours is from 1 to 720"));
    wrong = query;
    wrong.interrupted = at_once;
    assert_int_equal(skr_gang_view(rig->gang, &wrong, rig->now, &out), SKR_VIEW_INTERRUPTED);
}

TEST_RIG(limits_waiting(1), the_page_has_the_start_and_the_room_that_is_reserved)
{
    static const struct skr_hash_seed seed;
    const struct skr_view_query query = {.path = "/v1/picture"};
    enum skr_picture_news news;
    SKR_STRBUF(out);
    char start[48];
    struct skr_picture *picture = skr_picture_create("gangs", &seed);
    assert_int_equal(skr_gang_draw(rig->gang, &query, rig->now, picture, &news, &out), 200);
    skr_picture_write(picture, &out);
    skr_picture_destroy(picture);
    snprintf(start, sizeof start, "\"start\":%lld,",
             (long long)limits_group(rig, "big")->booking->start * 1000);
    assert_non_null(strstr(out.s, start));
    assert_non_null(strstr(out.s, "\"Ready\",1000,1000,0,[0,-1,-1000,1,1,1000]]"));
    assert_non_null(strstr(out.s, "\"Ready\",1000,0,1,[0,-1,-1000]]"));
}

TEST_RIG(limits_waiting(1), the_tree_marks_free_room_that_is_reserved)
{
    const struct skr_render how = {.ascii = true};
    struct skr_error error;
    SKR_STRBUF(out);
    SKR_STRBUF(text);
    SKR_STRBUF(notes);
    assert_int_equal(ask(rig, "/v1/tree", false, &out), 200);
    json_auto_t *page = json_loads(out.s, 0, NULL);
    assert_int_equal(skr_render_tree(page, &how, &text, &notes, &error), 0);
    assert_non_null(strstr(text.s, "2/4  ####%%%%")); /* of the rack */
    assert_non_null(strstr(text.s, "1/1  ########"));
    assert_non_null(strstr(text.s, "0/1  %%%%%%%%"));
}

/* ---- deadlines of Jobs ---- */

TEST_RIG(limits_waiting(1), a_deadline_of_a_job_that_comes_before_the_start_is_told)
{
    static const char event[] =
        "ConfigMap/short Warning DeadlineBeforeStart: the deadline of its Job";
    limits_job_gang(rig, "short", 4, 60);
    rig_run(rig, SKR_SECOND);
    assert_false(rig_has_event(rig, event));
    rig_run(rig, 4 * SKR_SECOND);
    assert_true(rig_has_event(rig, event));
    assert_true(*rig_also(rig, "short", "DeadlineBeforeStart") != '\0');
    SKR_STRBUF(out);
    assert_int_equal(ask(rig, "/v1/groups/default/short", false, &out), 200);
    assert_non_null(strstr(out.s, "\"warnings\":[\"the deadline of its Job passes at"));
    assert_string_equal(rig_also(rig, "big", "DeadlineBeforeStart"), "");
}

TEST_RIG(limits_four_nodes(1), a_deadline_behind_the_promised_start_is_no_warning)
{
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_job_gang(rig, "long", 4, 500);
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(limits_group(rig, "long")->booking);
    assert_false(rig_has_event(rig, "DeadlineBeforeStart"));
}
