/* SPDX-License-Identifier: Apache-2.0 */
/* The key constraints of a group map: what counts, what is refused, what is warned about. */
#include "core/group/group.h"
#include "test/test.h"
#include "test/unit/json_text.h"

/* Parses a map with these constraints (single quotes) and size. */
static int parse(const char *constraints, const char *size, struct skr_group_spec **ret,
                 struct skr_error *error)
{
    SKR_AUTO_FREE char *quoted = json_text_quote(constraints);
    struct skr_label item[] = {{"constraints", quoted}, {"name", "g"}, {"size", size}};
    struct skr_labels data = {.n = 3, .item = item};
    *ret = NULL;
    return skr_group_spec_parse(&data, ret, error);
}

static struct skr_group_spec *parse_good(const char *constraints, const char *size)
{
    struct skr_group_spec *spec;
    struct skr_error error = {.text = ""};
    if (parse(constraints, size, &spec, &error) != 0) {
        fail_msg("%s: %s", constraints, error.text);
    }
    return spec;
}

/* "rack=pack,hard,partitions:1,min:2 node=spread" */
static void write_rules(const struct skr_group_spec *spec, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < spec->n_rules; i++) {
        const struct skr_rule *r = &spec->rule[i].rule;
        const char *name[] = {"partitions", "min", "max", "factor"};
        const int32_t number[] = {r->partitions, r->min, r->max, r->factor};
        at += (size_t)snprintf(buffer + at, size - at, "%s%s=%s%s", i > 0 ? " " : "",
                               spec->rule[i].level, r->type == SKR_RULE_SPREAD ? "spread" : "pack",
                               r->hard ? ",hard" : "");
        for (size_t k = 0; k < 4; k++) {
            if (number[k] != 0) {
                at += (size_t)snprintf(buffer + at, size - at, ",%s:%d", name[k], (int)number[k]);
            }
        }
    }
}

static void assert_rules(const char *constraints, const char *want)
{
    char got[512];
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(constraints, "8");
    write_rules(spec, got, sizeof got);
    assert_string_equal(got, want);
}

TEST(rules_are_read_as_written)
{
    static const struct {
        const char *constraints, *rules;
    } row[] = {
        {"{}", ""},
        {"null", ""},
        {" {\n} ", ""},
        {"{'rack':{'type':'pack'},'node':{'type':'spread'}}", "rack=pack node=spread"},
        {"{'node':{},'rack':{}}", "node=pack rack=pack"},
        {"{'rack':null,'node':{}}", "node=pack"},
        {"{'rack':{'type':'spread','hard':true}}", "rack=spread,hard"},
        {"{'rack':{'hard':false}}", "rack=pack"},
        {"{'rack':{'partitions':2,'min':2,'max':4,'factor':2}}",
         "rack=pack,partitions:2,min:2,max:4,factor:2"},
        {"{'rack':{'min':2}}", "rack=pack,min:2"},
        {"{'rack':{'max':4}}", "rack=pack,max:4"},
        {"{'rack':{'partitions':0,'min':0,'max':0}}", "rack=pack"},
        {"{'rack':{'max':-0}}", "rack=pack"},
        /* null is absent */
        {"{'rack':{'type':null,'hard':null,'min':null,'max':null,'factor':null,'partitions':null}}",
         "rack=pack"},
        /* any case of member names; levels are exact */
        {"{'rack':{'TYPE':'spread','Hard':true,'Min':1}}", "rack=spread,hard,min:1"},
        {"{'rack':{'min':1},'Rack':{'min':2}}", "rack=pack,min:1 Rack=pack,min:2"},
        /* values of type are exact */
        {"{'rack':{'type':'Spread'}}", "rack=pack"},
        {"{'rack':{'type':''}}", "rack=pack"},
        {"{'rack':{'type':'anything'}}", "rack=pack"},
        /* numbers beyond 32 bits mean what they would mean: more than any group has */
        {"{'rack':{'max':5000000000}}", "rack=pack,max:2147483647"},
        {"{'':{'max':3}}", "=pack,max:3"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_rules(row[i].constraints, row[i].rules);
    }
}

TEST(the_last_of_duplicate_members_counts)
{
    static const struct {
        const char *constraints, *rules;
    } row[] = {
        {"{'rack':{'min':1,'min':2}}", "rack=pack,min:2"},
        {"{'rack':{'min':1,'MIN':2}}", "rack=pack,min:2"},
        {"{'rack':{'MIN':2,'min':1}}", "rack=pack,min:1"},
        {"{'rack':{'min':1,'MIN':2,'min':3}}", "rack=pack,min:3"},
        {"{'rack':{'min':1,\n'MIN':2,'Min':4,\n'min':3}}", "rack=pack,min:3"},
        {"{'rack':{'MIN':2,'min':1,'Min':4}}", "rack=pack,min:4"},
        {"{'rack':{'min':1,'MIN':null}}", "rack=pack"},
        {"{'rack':{'min':1,'min':null}}", "rack=pack"},
        {"{'rack':{'min':null,'min':1}}", "rack=pack,min:1"},
        {"{'rack':{'type':'pack','Type':'spread'}}", "rack=spread"},
        {"{'rack':{'hard':true,'HARD':false}}", "rack=pack"},
        {"{'rack':{'min':1},'node':{},'rack':{'max':2}}", "rack=pack,max:2 node=pack"},
        {"{'rack':{'min':'x','MIN':2}}", "rack=pack,min:2"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_rules(row[i].constraints, row[i].rules);
    }
}

TEST(d15_malformed_constraints_are_refused_with_key_position_and_defect)
{
    static const struct {
        const char *constraints, *text;
    } row[] = {
        {"{'min':2.5}", "constraints: 1:8: \"min\" must be an object, got 2.5"},
        {"{'r':{'min':2.5}}", "constraints: 1:13: \"min\" must be an integer, got 2.5"},
        {"{'r':{'min':5.0}}", "constraints: 1:13: \"min\" must be an integer, got 5.0"},
        {"{'r':{'max':1e1}}", "constraints: 1:13: \"max\" must be an integer, got 1e1"},
        {"{'r':{'factor':'2'}}", "constraints: 1:16: \"factor\" must be an integer, got a string"},
        {"{'r':{\n  'Partitions': true }}",
         "constraints: 2:17: \"Partitions\" must be an integer, got true"},
        {"{'r':{'type':1}}", "constraints: 1:14: \"type\" must be a string, got 1"},
        {"{'r':{'type':['spread']}}", "constraints: 1:14: \"type\" must be a string, got an array"},
        {"{'r':{'hard':'true'}}",
         "constraints: 1:14: \"hard\" must be true or false, got a string"},
        {"{'r':{'hard':1}}", "constraints: 1:14: \"hard\" must be true or false, got 1"},
        {"{'r':{'min':1,'MIN':'x'}}",
         "constraints: 1:21: \"MIN\" must be an integer, got a string"},
        {"{'rack':'pack'}", "constraints: 1:9: \"rack\" must be an object, got a string"},
        {"{'rack':['pack']}", "constraints: 1:9: \"rack\" must be an object, got an array"},
        {"{'a':{},\n\n 'rack':7}", "constraints: 3:9: \"rack\" must be an object, got 7"},
        {"[]", "constraints: 1:1: must be an object, got an array"},
        {"'pack'", "constraints: 1:1: must be an object, got a string"},
        {"true", "constraints: 1:1: must be an object, got a boolean"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_group_spec *spec;
        struct skr_error error = {.text = ""};
        assert_int_equal(parse(row[i].constraints, "8", &spec, &error), -SKR_INVALID);
        assert_string_equal(error.text, row[i].text);
        assert_null(spec);
    }
}

TEST(d15_text_that_is_no_json_is_refused_with_its_position)
{
    static const struct {
        const char *constraints, *begins;
    } row[] = {
        {"{", "constraints: 1:2: "},
        {"", "constraints: 1:1: "},
        {"  ", "constraints: 1:3: "},
        {"{'rack':{'type':'pack'}", "constraints: 1:24: "},
        {"{'rack':\n{'type' 'pack'}}", "constraints: 2:9: "},
        {"{} {}", "constraints: 1:4: "},
        {"{rack:{}}", "constraints: 1:2: "},
        {"{'rack':{'min':99999999999999999999}}", "constraints: 1:16: "},
        {"{'rack':{'min':01}}", "constraints: 1:"},
        {"{'rack':{},}", "constraints: 1:12: "},
        {"\xFF", "constraints: 1:"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_group_spec *spec;
        struct skr_error error = {.text = ""};
        assert_int_equal(parse(row[i].constraints, "8", &spec, &error), -SKR_INVALID);
        if (strncmp(error.text, row[i].begins, strlen(row[i].begins)) != 0) {
            fail_msg("%s: %s", row[i].constraints, error.text);
        }
        assert_true(strlen(error.text) > strlen(row[i].begins));
    }
}

TEST(a_typo_that_would_weaken_a_rule_is_refused_with_what_was_meant)
{
    static const struct {
        const char *constraints, *text;
    } row[] = {
        {"{'rack':{'hrad':true}}",
         "constraints: 1:17: unknown member \"hrad\" of level \"rack\" (did you mean \"hard\"?)"},
        {"{'rack':{'hardd':'true'}}",
         "constraints: 1:18: unknown member \"hardd\" of level \"rack\" (did you mean \"hard\"?)"},
        {"{'rack':{'partition':2}}", "constraints: 1:22: unknown member \"partition\" of level "
                                     "\"rack\" (did you mean \"partitions\"?)"},
        {"{'rack':{'FACTER':2}}", "constraints: 1:19: unknown member \"FACTER\" of level "
                                  "\"rack\" (did you mean \"factor\"?)"},
        {"{'rack':{'maxx':'4'}}",
         "constraints: 1:17: unknown member \"maxx\" of level \"rack\" (did you mean \"max\"?)"},
        {"{'rack':{'hard':true,'typ':'spread'}}",
         "constraints: 1:28: unknown member \"typ\" of level \"rack\" (did you mean \"type\"?)"},
        {"{'rack':{'hard':true,\n'colour':null}}",
         "constraints: 2:10: unknown member \"colour\" of level \"rack\""},
        {"{'rack':{'type':'spraed','hard':true}}", "constraints: 1:17: \"type\" of level \"rack\", "
                                                   "which is hard, is \"spraed\", neither pack "
                                                   "nor spread (did you mean \"spread\"?)"},
        {"{'rack':{'hard':true,'type':'scatter'}}",
         "constraints: 1:29: \"type\" of level \"rack\", which is hard, is \"scatter\", neither "
         "pack nor spread"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_group_spec *spec;
        struct skr_error error = {.text = ""};
        assert_int_equal(parse(row[i].constraints, "8", &spec, &error), -SKR_INVALID);
        assert_string_equal(error.text, row[i].text);
        assert_null(spec);
    }
}

TEST(a_typo_behind_many_unknown_members_is_still_refused)
{
    char text[SKR_GROUP_CONSTRAINTS_MAX];
    size_t at = (size_t)snprintf(text, sizeof text, "{'rack':{");
    for (int i = 0; i < 100; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "'foreign-%d':0,", i);
    }
    snprintf(text + at, sizeof text - at, "'hrad':true}}");
    struct skr_group_spec *spec;
    struct skr_error error = {.text = ""};
    assert_int_equal(parse(text, "8", &spec, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "(did you mean \"hard\"?)"));
}

/* warning: all of them, joined by "; ". */
static void assert_warnings(const char *constraints, const char *size, const char *want)
{
    char got[2048] = "";
    size_t at = 0;
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(constraints, size);
    for (size_t i = 0; i < spec->n_warnings; i++) {
        at += (size_t)snprintf(got + at, sizeof got - at, "%s%s", i > 0 ? "; " : "",
                               spec->warning[i]);
    }
    assert_string_equal(got, want);
}

TEST(odd_rules_are_accepted_with_a_warning)
{
    static const struct {
        const char *constraints, *warning;
    } row[] = {
        {"{'rack':{'type':'pack','hard':true},'node':{'type':'spread','min':1,'max':2}}", ""},
        {"{'rack':{'type':'Spread'}}", "constraints: 1:17: \"type\" of level \"rack\" is "
                                       "\"Spread\", neither pack nor spread: taken as pack"},
        {"{'rack':{'type':'a\\nb'}}", "constraints: 1:17: \"type\" of level \"rack\" is \"a?b\", "
                                      "neither pack nor spread: taken as pack"},
        {"{'rack':{'type':''}}", ""},
        {"{'rack':{'minimum':2}}",
         "constraints: 1:20: unknown member \"minimum\" of level \"rack\" is ignored"},
        {"{'rack':{'typ':'spread','hrad':false}}",
         "constraints: 1:16: unknown member \"typ\" of level \"rack\" (did you mean \"type\"?) is "
         "ignored; constraints: 1:32: unknown member \"hrad\" of level \"rack\" (did you mean "
         "\"hard\"?) is ignored"},
        {"{'rack':{'facter':1,'mni':0,'partition':null}}",
         "constraints: 1:19: unknown member \"facter\" of level \"rack\" (did you mean "
         "\"factor\"?) "
         "is ignored; constraints: 1:27: unknown member \"mni\" of level \"rack\" (did you mean "
         "\"min\"?) is ignored; constraints: 1:41: unknown member \"partition\" of level \"rack\" "
         "(did you mean \"partitions\"?) is ignored"},
        {"{'rack':{'type':'Pack','hard':true}}", "constraints: 1:17: \"type\" of level \"rack\" is "
                                                 "\"Pack\", neither pack nor spread: taken "
                                                 "as pack"},
        {"{'rack':{'MAX':2,'x':null}}",
         "constraints: 1:22: unknown member \"x\" of level \"rack\" is ignored"},
        {"{'rack':{'min':-2}}", "constraints: 1:16: \"min\" of level \"rack\" is -2: negative "
                                "numbers are ignored"},
        {"{'rack':{'PARTITIONS':-99999999999,'factor':-1}}",
         "constraints: 1:23: \"partitions\" of level \"rack\" is -99999999999: negative numbers "
         "are ignored; constraints: 1:45: \"factor\" of level \"rack\" is -1: negative numbers are "
         "ignored"},
        {"{'rack':{'min':4,'max':2}}", "constraints: 1:9: \"min\" 4 of level \"rack\" is larger "
                                       "than its \"max\" 2: both are ignored"},
        {"{'rack':{'hard':true,'partitions':2}}",
         "constraints: 1:9: \"hard\" of level \"rack\" voids its partitions"},
        {"{'rack':{'hard':true,'partitions':2,'min':4,'max':2,'factor':3}}",
         "constraints: 1:9: \"hard\" of level \"rack\" voids its partitions, min, max, factor"},
        {"{'rack':{'hard':true,'factor':1,'min':0,'max':-1}}",
         "constraints: 1:47: \"max\" of level \"rack\" is -1: negative numbers are ignored"},
        {"{'rack':{'factor':4,'min':5,'max':7}}",
         "constraints: 1:9: no multiple of \"factor\" 4 lies within \"min\" 5 and \"max\" 7 of "
         "level \"rack\": no placement is possible"},
        {"{'rack':{'factor':4,'max':3}}",
         "constraints: 1:9: no multiple of \"factor\" 4 lies within \"min\" 1 and \"max\" 3 of "
         "level \"rack\": no placement is possible"},
        {"{'rack':{'factor':4,'min':4,'max':4}}", ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_warnings(row[i].constraints, "8", row[i].warning);
    }
}

TEST(an_ignored_pair_and_ignored_numbers_leave_no_rule)
{
    assert_rules("{'rack':{'min':4,'max':2,'factor':2}}", "rack=pack,factor:2");
    assert_rules("{'rack':{'min':-4,'max':2}}", "rack=pack,max:2");
    assert_rules("{'rack':{'min':4,'max':-2}}", "rack=pack,min:4");
    assert_rules("{'rack':{'factor':-4,'partitions':-1}}", "rack=pack");
}

/* Whether n can be written as a sum of used-unit counts of a rule: plain search. */
static bool reachable(const struct skr_rule *r, int n)
{
    bool sum[64][64] = {{false}}; /* [units][members] */
    int step = r->partitions > 0 ? r->partitions : 1;
    sum[0][0] = true;
    for (int units = 1; units <= n; units++) {
        for (int total = 0; total <= n; total++) {
            for (int one = 1; one <= total; one++) {
                if (sum[units - 1][total - one] && (r->min <= 0 || one >= r->min) &&
                    (r->max <= 0 || one <= r->max) && (r->factor <= 1 || one % r->factor == 0)) {
                    sum[units][total] = true;
                }
            }
        }
    }
    for (int units = step; units <= n; units += step) {
        if (sum[units][n]) {
            return true;
        }
    }
    return false;
}

TEST(a_size_that_no_cluster_can_hold_is_warned_about)
{
    assert_warnings("{'rack':{'factor':4}}", "10",
                    "constraints: 1:9: size 10 is no multiple of \"factor\" 4 of level \"rack\": "
                    "no cluster can hold the group");
    assert_warnings("{'rack':{'partitions':3,'min':4}}", "10",
                    "constraints: 1:9: size 10 cannot satisfy \"partitions\" 3, \"min\" 4, \"max\" "
                    "0, \"factor\" 0 of level \"rack\" (0: unset): no cluster can hold the group");
    assert_warnings("{'rack':{'partitions':3,'min':3,'max':5}}", "15", "");

    for (int partitions = 0; partitions <= 4; partitions++) {
        for (int min = 0; min <= 4; min++) {
            for (int max = 0; max <= 5; max++) {
                for (int factor = 0; factor <= 3; factor++) {
                    struct skr_rule rule = {.partitions = partitions,
                                            .min = min > max && max > 0 ? 0 : min,
                                            .max = min > max ? 0 : max,
                                            .factor = factor};
                    for (int size = 1; size <= 12; size++) {
                        char text[128];
                        char digits[16];
                        snprintf(text, sizeof text,
                                 "{'r':{'partitions':%d,'min':%d,'max':%d,'factor':%d}}",
                                 partitions, min, rule.min > 0 || min == 0 ? max : 0, factor);
                        snprintf(digits, sizeof digits, "%d", size);
                        if (min > max && max > 0) {
                            continue; /* the pair has its own warning */
                        }
                        rule.min = min;
                        rule.max = max;
                        struct skr_group_spec *spec = parse_good(text, digits);
                        if ((spec->n_warnings == 0) != reachable(&rule, size)) {
                            fail_msg("%s size %d: %s", text, size,
                                     spec->n_warnings ? spec->warning[0] : "no warning");
                        }
                        skr_group_spec_destroy(spec);
                    }
                }
            }
        }
    }
}

TEST(warnings_and_levels_have_limits)
{
    char text[SKR_GROUP_CONSTRAINTS_MAX + 64];
    size_t at = (size_t)snprintf(text, sizeof text, "{'rack':{");
    for (int i = 0; i < 100; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s'x%d':0", i > 0 ? "," : "", i);
    }
    snprintf(text + at, sizeof text - at, "},'node':{'min':-1}}");
    struct skr_group_spec *spec = parse_good(text, "8");
    assert_int_equal(spec->n_warnings, SKR_GROUP_LINT_MAX);
    assert_string_equal(spec->warning[SKR_GROUP_LINT_MAX - 1],
                        "more than 31 warnings, the rest is not shown");
    assert_string_equal(spec->warning[0],
                        "constraints: 1:15: unknown member \"x0\" of level \"rack\" is ignored");
    skr_group_spec_destroy(spec);

    struct skr_error error;
    at = 0;
    for (int i = 0; i <= SKR_GROUP_RULES_MAX; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s'l%d':{}", i > 0 ? "," : "{", i);
    }
    snprintf(text + at, sizeof text - at, "}");
    assert_int_equal(parse(text, "8", &spec, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "constraints: more than 64 levels");

    const char *const spellings = "{'r':{'min':1,'Min':1,'mIn':1,'miN':1,'MIn':1,'MiN':1,'mIN':1,"
                                  "'MIN':2}}";
    assert_rules(spellings, "r=pack,min:2");
    assert_int_equal(parse("{'r':{'max':1,'Max':1,'mAx':1,'maX':1,'MAx':1,'MaX':1,'mAX':1,'MAX':1,"
                           "'FACTOR':1,'FACTOr':1,'FACToR':1,'FACTor':1,'FACtOR':1,'FACtOr':1,"
                           "'FACtoR':1,'FACtor':1,'FAcTOR':1}}",
                           "8", &spec, &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text, "constraints: \"factor\" is repeated in more than 8 spellings");

    memset(text, ' ', sizeof text);
    text[SKR_GROUP_CONSTRAINTS_MAX + 1] = '\0';
    memcpy(text, "{}", 2);
    assert_int_equal(parse(text, "8", &spec, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "constraints: 16385 bytes, at most 16384 are read");
    text[SKR_GROUP_CONSTRAINTS_MAX] = '\0';
    assert_int_equal(parse(text, "8", &spec, &error), 0);
    skr_group_spec_destroy(spec);
}
