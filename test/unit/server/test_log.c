/* SPDX-License-Identifier: Apache-2.0 */
/* What a log line looks like to people and to the programs that read it. */
#include <jansson.h>

#include "server/log.h"
#include "test/test.h"
#include "test/unit/log_catch.h"

static const struct timespec noon = {1729858515, 525108000};

static const struct skr_log_pair pairs[] = {
    {SKR_LOG_PAIR_STRING, "group", "ns/\"x\"\n", 0},
    {SKR_LOG_PAIR_INT, "size", NULL, -8},
    {SKR_LOG_PAIR_END, NULL, NULL, 0},
};

TEST(text_follows_klog)
{
    setenv("TZ", "UTC", 1);
    tzset();
    SKR_STRBUF(out);
    skr_log_write(&out, SKR_LOG_TEXT, SKR_LOG_ERROR, 0, &noon, 7, "server/daemon/daemon.c", 116,
                  "Write failed", pairs);
    assert_string_equal(out.s, "E1025 12:15:15.525108       7 daemon.c:116] \"Write failed\" "
                               "group=\"ns/\\\"x\\\"\\n\" size=-8");
}

TEST(json_is_one_object_with_the_same_keys)
{
    SKR_STRBUF(out);
    skr_log_write(&out, SKR_LOG_JSON, SKR_LOG_INFO, 3, &noon, 7, "daemon.c", 116, "Group bound",
                  pairs);
    json_auto_t *line = json_loads(out.s, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(line);
    assert_string_equal(json_string_value(json_object_get(line, "msg")), "Group bound");
    assert_string_equal(json_string_value(json_object_get(line, "group")), "ns/\"x\"\n");
    assert_string_equal(json_string_value(json_object_get(line, "caller")), "daemon.c:116");
    assert_int_equal(json_integer_value(json_object_get(line, "size")), -8);
    assert_int_equal(json_integer_value(json_object_get(line, "v")), 3);
}

TEST(what_a_terminal_obeys_is_escaped)
{
    const struct skr_log_pair odd[] = {SKR_LOG_S("name", "a\xC2\x9B"
                                                         "2Jb\xE2\x80\xAE"
                                                         "c\x7F"),
                                       SKR_LOG_END};
    SKR_STRBUF(out);
    skr_log_write(&out, SKR_LOG_TEXT, SKR_LOG_INFO, 0, &noon, 7, "a.c", 1, "M", odd);
    assert_non_null(strstr(out.s, "name=\"a\\u009b2Jb\\u202ec\\u007f\""));
}

TEST(a_long_value_is_cut)
{
    static char text[SKR_LOG_VALUE_MAX + 100];
    memset(text, 'a', sizeof text - 1);
    const struct skr_log_pair long_pair[] = {SKR_LOG_S("reason", text), SKR_LOG_END};
    SKR_STRBUF(out);
    skr_log_write(&out, SKR_LOG_TEXT, SKR_LOG_INFO, 0, &noon, 7, "a.c", 1, "M", long_pair);
    assert_string_equal(out.s + out.len - 5, "a...\"");
    assert_true(out.len < SKR_LOG_VALUE_MAX + 100);
}

TEST(records_above_the_level_are_left_out)
{
    skr_log_set_level(2);
    struct log_catch catch = log_catch_begin();
    skr_log_info(3, "Left out", SKR_LOG_END);
    skr_log_info(2, "Kept", SKR_LOG_S("group", NULL), SKR_LOG_END);
    SKR_AUTO_FREE char *log = log_catch_end(&catch);
    assert_non_null(strstr(log, "\"Kept\" group=\"\"\n"));
    assert_null(strstr(log, "Left out"));
}

TEST(the_level_stays_in_its_range)
{
    skr_log_set_level(99);
    assert_int_equal(skr_log_get_level(), SKR_LOG_LEVEL_MAX);
    skr_log_set_level(-99);
    assert_int_equal(skr_log_get_level(), SKR_LOG_LEVEL_QUIET);
    skr_log_set_level(SKR_LOG_LEVEL_DEFAULT);
}
