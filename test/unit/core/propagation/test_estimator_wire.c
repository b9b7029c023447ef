/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to estimators and their answers, byte for byte. */
#include "core/propagation/estimator_wire.h"
#include "test/test.h"
#include "test/unit/json_text.h"

/* The bytes as text: what is not printable as "<hex>". */
static const char *shown(const struct skr_strbuf *bytes)
{
    static char text[2048];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < bytes->len; i++) {
        const unsigned char c = (unsigned char)bytes->s[i];
        at += (size_t)snprintf(text + at, sizeof text - at, c > ' ' && c < 0x7f ? "%c" : "<%x>", c);
    }
    return text;
}

static void assert_requirements(const char *json, const char *want)
{
    SKR_STRBUF(out);
    json_t *requirements = json_text_load(json);
    skr_estimator_write_requirements(requirements, &out);
    json_decref(requirements);
    assert_string_equal(shown(&out), want);
}

TEST(requests_are_written_in_the_old_fields_and_in_those_of_bytes)
{
    assert_requirements("{'resourceRequest':{'cpu':'500m'}}",
                        "<12><1e><12><d><a><3>cpu<12><6><a><4>500m*<d><a><3>cpu<12><6><a><4>500m");
}

TEST(namespace_and_priority_class_are_written)
{
    assert_requirements("{'namespace':'shop','priorityClassName':'high'}",
                        "<12><c><1a><4>shop\"<4>high");
}

TEST(a_number_is_a_quantity_and_other_values_are_left_out)
{
    assert_requirements("{'resourceRequest':{'cpu':2},'namespace':7}",
                        "<12><18><12><a><a><3>cpu<12><3><a><1>2*<a><a><3>cpu<12><3><a><1>2");
}

TEST(a_claim_has_its_selector_affinity_and_tolerations)
{
    assert_requirements("{'nodeClaim':{'nodeSelector':{'disk':'ssd'}}}",
                        "<12><f><a><d><12><b><a><4>disk<12><3>ssd");
    assert_requirements(
        "{'nodeClaim':{'hardNodeAffinity':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a',"
        "'operator':'In','values':['b','']}]}]}}}",
        "<12>&<a>$<a><10><a><e><a><c><a><1>a<12><2>In<1a><1>b<1a><0>\"<10><a><e><a><c><a><1>a<12><"
        "2>In<1a><1>b<1a><0>");
    assert_requirements("{'nodeClaim':{'tolerations':[{'key':'a','tolerationSeconds':0}]}}",
                        "<12><10><a><e><1a><5><a><1>a(<0>*<5><a><1>a(<0>");
}

TEST(without_requirements_the_request_names_the_cluster_alone)
{
    SKR_STRBUF(out);
    skr_estimator_write_requirements(NULL, &out);
    assert_int_equal(out.len, 0);
    skr_estimator_write_request("m1", NULL, 0, &out);
    assert_string_equal(shown(&out), "<a><2>m1");
}

TEST(components_are_written_with_their_namespace)
{
    SKR_STRBUF(rest);
    SKR_STRBUF(out);
    json_t *components = json_text_load("[{'name':'jm','replicas':1},{'name':'tm','replicas':300,"
                                        "'replicaRequirements':{'priorityClassName':'p'}}]");
    skr_estimator_write_components(components, "shop", &rest);
    skr_estimator_write_request("m1", rest.s, rest.len, &out);
    json_decref(components);
    assert_string_equal(shown(&out), "<a><2>m1<12><6><a><2>jm<18><1><12><c><a><2>tm<12><3><1a><1>p"
                                     "<18><ac><2><1a><4>shop");
}

static void assert_answer(const char *bytes, size_t n, int rc, int32_t want)
{
    struct skr_error error = {.text = ""};
    int32_t answer = 4711;
    assert_int_equal(skr_estimator_read_answer(bytes, n, &answer, &error), rc);
    assert_int_equal(answer, rc == 0 ? want : 4711);
    assert_true((rc == 0) == (error.text[0] == '\0'));
}

TEST(an_answer_is_a_number_behind_fields_that_are_not_known)
{
    assert_answer("", 0, 0, 0);
    assert_answer("\x08\x07", 2, 0, 7);
    assert_answer("\x08\xff\xff\xff\xff\x07", 6, 0, INT32_MAX);
    assert_answer("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 0, -1);
    assert_answer("\x12\x02xy\x19"
                  "12345678\x25"
                  "1234\x30\x01\x08\x03",
                  22, 0, 3);
}

TEST(what_is_no_message_is_refused)
{
    static const struct {
        const char *bytes;
        size_t n;
    } row[] = {
        {"\x08", 1},                                              /* no value */
        {"\x08\xff", 2},                                          /* half a number */
        {"\x12\x05xy", 4},                                        /* more bytes than there are */
        {"\x0b", 1},                                              /* a group */
        {"\x00\x01", 2},                                          /* field 0 */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12}, /* eleven bytes */
        {"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},     /* -2 */
        {"\x21\x01", 2},                                          /* half of 64 bits */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_answer(row[i].bytes, row[i].n, -SKR_INVALID, 0);
    }
}
