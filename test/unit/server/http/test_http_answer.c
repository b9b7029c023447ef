/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the verbs: the exact text kube-scheduler gets. */
#include "core/gang/state/reason.h"
#include "server/http/answer_json.h"
#include "test/test.h"
#include "topology/base/arena.h"

#define POD \
    "{\"metadata\":{\"name\":\"a-0\",\"namespace\":\"default\",\"uid\":\"u-0\"},\"spec\":{}}"
#define NAMES "{\"Pod\":" POD ",\"NodeNames\":[\"n1\",\"n2\",\"n3\"]}"
#define OBJECTS                                                                           \
    "{\"Pod\":" POD ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n1\"},\"a\":1.0}, " \
    "{\"metadata\":{\"name\":\"n2\"}},{\"metadata\":{\"name\":\"n3\"}}]}}"
#define VICTIMS                                                                                \
    "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v1\"},{\"UID\":" \
    "\"v2\"}],\"NumPDBViolations\":2},\"n2\":{\"Pods\":null}}}"
#define BIND "{\"PodName\":\"a-0\",\"PodNamespace\":\"d\",\"PodUID\":\"u\",\"Node\":\"n1\"}"

static const uint8_t mask_101[] = {0x5};
static const uint8_t mask_01[] = {0x2};
static const uint8_t mask_11[] = {0x3};
static const int8_t scores[] = {10, 0, 7};

static const struct {
    enum skr_verb verb;
    const char *body;
    struct skr_answer answer;
    const char *text;
    bool misfit;
} row[] = {
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_ALL, .text = ""},
     "{\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\"],\"FailedNodes\":{},"
     "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_ONE, .text = "", .index = 1},
     "{\"Nodes\":null,\"NodeNames\":[\"n2\"],\"FailedNodes\":{},"
     "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_NONE, .text = SKR_TEXT_MEMBERS},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{"
     "\"n1\":\"sakkara: group waits for members\",\"n2\":\"sakkara: group waits for members\","
     "\"n3\":\"sakkara: group waits for members\"},\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_MASK, .text = SKR_TEXT_RESERVED, .n = 3, .mask = mask_101},
     "{\"Nodes\":null,\"NodeNames\":[\"n1\",\"n3\"],\"FailedNodes\":{},"
     "\"FailedAndUnresolvableNodes\":{\"n2\":\"sakkara: node is reserved for a group\"},"
     "\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
     "\"Error\":\"sakkara: not ready\"}",
     false},
    {SKR_VERB_FILTER,
     "{\"Pod\":" POD "}",
     {.kind = SKR_ANSWER_FILTER_NONE, .text = "x"},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
     "\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     OBJECTS,
     {.kind = SKR_ANSWER_FILTER_MASK, .text = SKR_TEXT_RESERVED, .n = 3, .mask = mask_101},
     "{\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"n1\"},\"a\":1.0},"
     "{\"metadata\":{\"name\":\"n3\"}}]},\"NodeNames\":[],\"FailedNodes\":{},"
     "\"FailedAndUnresolvableNodes\":{\"n2\":\"sakkara: node is reserved for a group\"},"
     "\"Error\":\"\"}",
     false},
    {SKR_VERB_FILTER,
     OBJECTS,
     {.kind = SKR_ANSWER_FILTER_NONE, .text = "t"},
     "{\"Nodes\":{\"metadata\":{},\"items\":[]},\"NodeNames\":[],\"FailedNodes\":{},"
     "\"FailedAndUnresolvableNodes\":{\"n1\":\"t\",\"n2\":\"t\",\"n3\":\"t\"},\"Error\":\"\"}",
     false},
    {SKR_VERB_PRIORITIZE,
     NAMES,
     {.kind = SKR_ANSWER_SCORES, .text = "", .n = 3, .scores = scores},
     "[{\"Host\":\"n1\",\"Score\":10},{\"Host\":\"n2\",\"Score\":0},{\"Host\":\"n3\",\"Score\":7}]",
     false},
    {SKR_VERB_PRIORITIZE,
     "{\"Pod\":" POD "}",
     {.kind = SKR_ANSWER_SCORES, .text = ""},
     "[]",
     false},
    {SKR_VERB_PRIORITIZE,
     NAMES,
     {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY},
     "[]",
     false},
    {SKR_VERB_PREEMPT,
     VICTIMS,
     {.kind = SKR_ANSWER_PREEMPT_MASK, .text = "", .n = 2, .mask = mask_11},
     "{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v1\"},{\"UID\":\"v2\"}],"
     "\"NumPDBViolations\":2},\"n2\":{\"Pods\":[],\"NumPDBViolations\":0}}}",
     false},
    {SKR_VERB_PREEMPT,
     VICTIMS,
     {.kind = SKR_ANSWER_PREEMPT_MASK, .text = "", .n = 2, .mask = mask_01},
     "{\"NodeNameToMetaVictims\":{\"n2\":{\"Pods\":[],\"NumPDBViolations\":0}}}",
     false},
    {SKR_VERB_PREEMPT,
     VICTIMS,
     {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY},
     "{\"NodeNameToMetaVictims\":{}}",
     false},
    {SKR_VERB_BIND, BIND, {.kind = SKR_ANSWER_BOUND, .text = ""}, "{\"Error\":\"\"}", false},
    {SKR_VERB_BIND,
     BIND,
     {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_ABORTED},
     "{\"Error\":\"sakkara: plan aborted\"}",
     false},
    /* Answers that do not belong to the request. */
    {SKR_VERB_BIND,
     BIND,
     {.kind = SKR_ANSWER_FILTER_ALL, .text = ""},
     "{\"Error\":\"sakkara: not ready\"}",
     true},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_BOUND, .text = ""},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
     "\"Error\":\"sakkara: not ready\"}",
     true},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_ONE, .text = "", .index = 3},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
     "\"Error\":\"sakkara: not ready\"}",
     true},
    {SKR_VERB_FILTER,
     NAMES,
     {.kind = SKR_ANSWER_FILTER_MASK, .text = "", .n = 2, .mask = mask_101},
     "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
     "\"Error\":\"sakkara: not ready\"}",
     true},
    {SKR_VERB_PRIORITIZE,
     NAMES,
     {.kind = SKR_ANSWER_SCORES, .text = "", .n = 2, .scores = scores},
     "[]",
     true},
};

TEST(r2_r4_answers_read_as_kube_scheduler_wants_them)
{
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        SKR_STRBUF(out);
        if (skr_verb_args_parse(row[i].verb, skr_strdup(row[i].body), strlen(row[i].body), NULL,
                                &args, &error) != 0) {
            fail_msg("row %zu: %s", i, error.text);
        }
        assert_int_equal(skr_answer_write(&out, &row[i].answer, &args), !row[i].misfit);
        if (strcmp(out.s, row[i].text) != 0) {
            fail_msg("row %zu: %s", i, out.s);
        }
        json_auto_t *json = json_loads(out.s, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        skr_verb_args_fini(&args);
    }
}

TEST(names_with_quotes_and_controls_stay_json)
{
    static const char body[] = "{\"Pod\":" POD ",\"NodeNames\":[\"a\\\"b\",\"c\\n\",\"\\u00e9\"]}";
    const struct skr_answer answer = {.kind = SKR_ANSWER_FILTER_ALL, .text = ""};
    struct skr_verb_args args;
    SKR_STRBUF(out);

    assert_int_equal(
        skr_verb_args_parse(SKR_VERB_FILTER, skr_strdup(body), strlen(body), NULL, &args, NULL), 0);
    assert_true(skr_answer_write(&out, &answer, &args));
    json_auto_t *json = json_loads(out.s, 0, NULL);
    json_t *names = json_object_get(json, "NodeNames");
    assert_string_equal(json_string_value(json_array_get(names, 0)), "a\"b");
    assert_string_equal(json_string_value(json_array_get(names, 1)), "c\n");
    assert_string_equal(json_string_value(json_array_get(names, 2)), "\xc3\xa9");
    skr_verb_args_fini(&args);
}
