/* SPDX-License-Identifier: Apache-2.0 */
/* Roles and sets of a group: what is read, what is refused, and where the user finds it. */
#include "core/group/group.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/topology_map.h"

#define LEADER_WORKER "{'leader':{'size':4},'worker':{'size':28}}"

/* Parses a map with these keys; single quotes stand for double ones, NULL leaves a key out. */
static int parse(const char *roles, const char *constraints, const char *size,
                 struct skr_group_spec **ret, struct skr_error *error)
{
    SKR_AUTO_FREE char *quoted_roles = json_text_quote(roles ? roles : "");
    SKR_AUTO_FREE char *quoted = json_text_quote(constraints ? constraints : "");
    struct skr_label item[4];
    struct skr_labels data = {.n = 0, .item = item};
    if (constraints) {
        item[data.n++] = (struct skr_label){"constraints", quoted};
    }
    item[data.n++] = (struct skr_label){"name", "serve"};
    if (roles) {
        item[data.n++] = (struct skr_label){"roles", quoted_roles};
    }
    if (size) {
        item[data.n++] = (struct skr_label){"size", size};
    }
    *ret = NULL;
    return skr_group_spec_parse(&data, ret, error);
}

static struct skr_group_spec *parse_good(const char *roles, const char *constraints,
                                         const char *size)
{
    struct skr_group_spec *spec;
    struct skr_error error = {.text = ""};
    if (parse(roles, constraints, size, &spec, &error) != 0) {
        fail_msg("%s %s: %s", roles ? roles : "-", constraints ? constraints : "-", error.text);
    }
    return spec;
}

static struct skr_tree *make_tree(void)
{
    struct skr_label item[] = {{"level-names", "[\"rack\",\"node\"]"},
                               {"tree", "{\"rack-0\":{\"node-0\":{}}}"}};
    struct skr_labels data = {2, item};
    struct skr_tree *tree = NULL;
    assert_int_equal(skr_topology_map_parse(&data, &tree, NULL, NULL), 0);
    return tree;
}

TEST(roles_are_read_in_their_order_and_the_size_is_their_sum)
{
    SKR_AUTO(skr_group_spec_destroy)
    struct skr_group_spec *spec =
        parse_good("{'ps':{'size':2,'minimum':1},'a':{'minimum':6,'size':6}}", NULL, NULL);
    assert_int_equal(spec->size, 8);
    assert_int_equal(spec->n_roles, 2);
    assert_string_equal(spec->role[0].name, "ps");
    assert_int_equal(spec->role[0].size, 2);
    assert_int_equal(spec->role[0].minimum, 1);
    assert_string_equal(spec->role[1].name, "a");
    assert_int_equal(spec->role[1].minimum, 6);
    assert_int_equal(skr_group_role_find(spec, "a"), 1);
    assert_int_equal(skr_group_role_find(spec, "worker"), 2);
    skr_group_spec_destroy(spec);
    spec = parse_good("{'ps':{'size':2}}", NULL, " 2 ");
    assert_int_equal(spec->size, 2);
    assert_int_equal(spec->role[0].minimum, 2);
}

TEST(own_rules_and_sets_are_those_of_the_named_roles)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree();
    struct skr_rule rule[2];
    uint8_t has_rule[2];
    struct skr_resolved_set set[1];
    SKR_AUTO(skr_group_spec_destroy)
    struct skr_group_spec *spec = parse_good(
        LEADER_WORKER,
        "{'rack':{'type':'spread'},'roles':{'worker':{'node':{'max':4,'hard':false},'rack':null},"
        "'leader':null},'sets':[{'level':'rack','roles':{'leader':1,'worker':7}}]}",
        "32");
    assert_int_equal(spec->n_rules, 1);
    skr_group_rules(spec, "worker", tree, rule, has_rule, NULL);
    assert_true(!has_rule[0] && has_rule[1] && rule[1].max == 4);
    skr_group_rules(spec, "leader", tree, rule, has_rule, NULL);
    assert_false(has_rule[0] || has_rule[1]);
    assert_null(skr_group_role_rules(spec, "leader"));
    assert_int_equal(spec->n_sets, 1);
    skr_group_resolve_sets(spec, spec->role, spec->n_roles, tree, set);
    assert_int_equal(set[0].level, 1);
    assert_true(set[0].each[0] == 1 && set[0].each[1] == 7 && set[0].count == 4);
    assert_false(set[0].exclusive);
    assert_int_equal(skr_group_set_of(spec, "worker"), 0);
    assert_int_equal(skr_group_set_of(spec, "other"), 1);
    assert_true(skr_group_names_role(spec, "leader") && !skr_group_names_role(spec, "other"));
}

TEST(an_empty_rule_of_a_role_is_a_rule)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree();
    struct skr_rule rule[2];
    uint8_t has_rule[2];
    SKR_AUTO(skr_group_spec_destroy)
    struct skr_group_spec *spec =
        parse_good(LEADER_WORKER, "{'roles':{'worker':{'rack':{}}}}", NULL);
    skr_group_rules(spec, "worker", tree, rule, has_rule, NULL);
    assert_true(has_rule[0] && !has_rule[1] && rule[0].type == SKR_RULE_PACK);
}

TEST(without_the_key_rules_and_sets_wait_for_the_roles_of_the_pods)
{
    static const struct skr_group_role good[] = {{"head", 1, 1}, {"worker", 4, 4}},
                                       odd[] = {{"head", 1, 1}, {"worker", 5, 5}},
                                       other[] = {{"head", 1, 1}, {"wroker", 4, 4}};
    struct skr_error error = {.text = ""};
    SKR_AUTO(skr_group_spec_destroy)
    struct skr_group_spec *spec =
        parse_good(NULL, "{'sets':[{'level':'rack','roles':{'worker':2},'exclusive':true}]}", "5");
    assert_int_equal(spec->n_roles, 0);
    assert_int_equal(spec->size, 5);
    assert_true(spec->set[0].exclusive);
    assert_int_equal(skr_group_roles_check(spec, good, 2, &error), 0);
    assert_int_equal(skr_group_roles_check(spec, odd, 2, &error), -SKR_INVALID);
    assert_string_equal(error.text, "constraints: 1:44: role \"worker\" has 5 members, which is no "
                                    "whole number of sets of 2");
    assert_int_equal(skr_group_roles_check(spec, other, 2, &error), -SKR_INVALID);
    assert_string_equal(error.text,
                        "constraints: 1:44: no role \"worker\" (did you mean \"wroker\"?)");
}

TEST(constraints_of_an_annotation_are_read_as_those_of_a_map)
{
    static const char text[] = "{\"rack\":{\"hard\":true},\"roles\":{\"worker\":{\"node\":{}}}}";
    struct skr_podgroup pg = {.meta = {.name = "pg"}, .min_member = 4};
    struct skr_error error = {.text = ""};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    assert_int_equal(skr_group_spec_from_podgroup(&pg, 0, NULL, &spec, &error), 0);
    assert_int_equal(
        skr_group_spec_add_constraints(spec, "sakkara.group.constraints", text, &error), 0);
    assert_true(spec->n_rules == 1 && spec->rule[0].rule.hard);
    assert_non_null(skr_group_role_rules(spec, "worker"));
    skr_group_spec_destroy(spec);
    spec = NULL;
    assert_int_equal(skr_group_spec_from_podgroup(&pg, 0, NULL, &spec, &error), 0);
    assert_int_equal(
        skr_group_spec_add_constraints(spec, "sakkara.group.constraints", "{\"rack\":1}", &error),
        -SKR_INVALID);
    assert_string_equal(error.text,
                        "sakkara.group.constraints: 1:9: \"rack\" must be an object, got 1");
}

TEST(a_defect_of_roles_is_refused_with_its_position)
{
    static const struct {
        const char *roles, *size;
        int rc;
        const char *text;
    } row[] = {
        {"[]", NULL, -SKR_INVALID, "roles: 1:1: must be an object, got an array"},
        {"null", NULL, -SKR_INVALID, "roles: 1:1: must be an object, got null"},
        {"{", NULL, -SKR_INVALID,
         "roles: 1:2: invalid JSON: string or '}' expected near end of file"},
        {"{}", NULL, -SKR_INVALID, "roles: 1:1: no role: name one, or leave the key out"},
        {"{'a':{'size':1},'b':{'size':1},'c':{'size':1},'d':{'size':1},'e':{'size':1},"
         "'f':{'size':1},'g':{'size':1},'h':{'size':1},'i':{'size':1}}",
         NULL, -SKR_LIMIT, "roles: 9 roles, a group has at most 8"},
        {"{'':{'size':1}}", NULL, -SKR_INVALID,
         "roles: 1:5: the name of a role must be usable as a label value (1 to 63 letters, digits, "
         "'-', '_', '.', a letter or digit at both ends), got \"\""},
        {"{'a':{'size':1},\n 'a':{'size':2}}", NULL, -SKR_INVALID,
         "roles: 2:2: \"a\" twice in one object (see 1:2)"},
        {"{'a':4}", NULL, -SKR_INVALID, "roles: 1:6: \"a\" must be an object, got 4"},
        {"{'a':null}", NULL, -SKR_INVALID, "roles: 1:6: \"a\" must be an object, got null"},
        {"{'a':{}}", NULL, -SKR_INVALID, "roles: 1:6: role \"a\" needs a size"},
        {"{'a':{'size':'4'}}", NULL, -SKR_INVALID,
         "roles: 1:14: \"size\" must be an integer, got a string"},
        {"{'a':{'size':1.5}}", NULL, -SKR_INVALID,
         "roles: 1:14: \"size\" must be an integer, got 1.5"},
        {"{'a':{'size':0}}", NULL, -SKR_INVALID,
         "roles: 1:14: size of role \"a\" must be 1 to 100000, got 0"},
        {"{'a':{'size':100001}}", NULL, -SKR_INVALID,
         "roles: 1:14: size of role \"a\" must be 1 to 100000, got 100001"},
        {"{'a':{'size':100000},'b':{'size':1}}", NULL, -SKR_LIMIT,
         "roles: 100001 members together, a group has at most 100000"},
        {"{'a':{'size':4,'minimum':0}}", NULL, -SKR_INVALID,
         "roles: 1:26: minimum of role \"a\" must be 1 to 4, got 0"},
        {"{'a':{'size':4,'minimum':5}}", NULL, -SKR_INVALID,
         "roles: 1:26: minimum of role \"a\" must be 1 to 4, got 5"},
        {"{'a':{'size':4,'minimun':1}}", NULL, -SKR_INVALID,
         "roles: 1:26: unknown member \"minimun\" of role \"a\" (did you mean \"minimum\"?)"},
        {"{'a':{'size':4,'colour':1}}", NULL, -SKR_INVALID,
         "roles: 1:25: unknown member \"colour\" of role \"a\""},
        {LEADER_WORKER, "30", -SKR_INVALID,
         "size: 1:1: 30, but the sizes of roles add up to 32: leave size out, or write 32"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_group_spec *spec;
        struct skr_error error = {.text = ""};
        assert_int_equal(parse(row[i].roles, NULL, row[i].size, &spec, &error), row[i].rc);
        assert_string_equal(error.text, row[i].text);
        assert_null(spec);
        assert_int_equal(parse(row[i].roles, NULL, row[i].size, &spec, NULL), row[i].rc);
    }
}

TEST(a_defect_of_own_rules_or_sets_is_refused_with_its_position)
{
    static const struct {
        const char *constraints, *text;
    } row[] = {
        {"{'roles':[]}", "constraints: 1:10: \"roles\" must be an object, got an array"},
        {"{'roles':{'worker':4}}", "constraints: 1:20: \"worker\" must be an object, got 4"},
        {"{'roles':{'wroker':{}}}",
         "constraints: 1:20: no role \"wroker\" (did you mean \"worker\"?)"},
        {"{'roles':{'worker':{},'worker':{}}}",
         "constraints: 1:23: one role twice in an object (see 1:11)"},
        {"{'roles':{'worker':{'node':{'maxx':4}}}}",
         "constraints: 1:36: unknown member \"maxx\" of level \"node\" (did you mean \"max\"?)"},
        {"{'roles':{'worker':{'node':[]}}}",
         "constraints: 1:28: \"node\" must be an object, got an array"},
        {"{'role':{'worker':{'node':{}}}}",
         "constraints: 1:9: \"role\" is no rule of a level (did you mean \"roles\"?)"},
        {"{'set':[]}", "constraints: 1:8: \"set\" is no rule of a level (did you mean \"sets\"?)"},
        {"{'sets':{}}", "constraints: 1:9: \"sets\" must be an array, got an object"},
        {"{'sets':[4]}", "constraints: 1:10: \"sets\" must be a list of objects, got 4"},
        {"{'sets':[{}]}", "constraints: 1:10: a set needs \"level\": the name of a level"},
        {"{'sets':[{'level':'rack'}]}",
         "constraints: 1:10: a set needs \"roles\": an object with the members of each role in a "
         "set"},
        {"{'sets':[{'level':7,'roles':{'leader':1}}]}",
         "constraints: 1:19: \"level\" must be the name of a level, got 7"},
        {"{'sets':[{'level':'rack','roles':{}}]}",
         "constraints: 1:34: \"roles\" must be an object with the members of each role in a set, "
         "got an object"},
        {"{'sets':[{'level':'rack','roles':{'leader':1},'exclusive':1}]}",
         "constraints: 1:59: \"exclusive\" must be true or false, got 1"},
        {"{'sets':[{'level':'rack','roles':{'leader':1},'exklusive':true}]}",
         "constraints: 1:59: unknown member \"exklusive\" of a set (did you mean \"exclusive\"?)"},
        {"{'sets':[{'level':'rack','roles':{'leader':0}}]}",
         "constraints: 1:44: members of role \"leader\" in a set must be 1 to 100000, got 0"},
        {"{'sets':[{'level':'rack','roles':{'leader':true}}]}",
         "constraints: 1:44: \"leader\" must be an integer, got true"},
        {"{'sets':[{'level':'rack','roles':{'laeder':1}}]}",
         "constraints: 1:44: no role \"laeder\" (did you mean \"leader\"?)"},
        {"{'sets':[{'level':'rack','roles':{'worker':5}}]}",
         "constraints: 1:44: role \"worker\" has 28 members, which is no whole number of sets of "
         "5"},
        {"{'sets':[{'level':'rack','roles':{'leader':1,'worker':14}}]}",
         "constraints: 1:55: role \"worker\" makes 2 sets of 14, role \"leader\" makes 4 of 1"},
        {"{'sets':[{'level':'rack','roles':{'leader':1}},{'level':'node','roles':{'leader':1}}]}",
         "constraints: 1:82: role \"leader\" is in two sets: a role is in one at most (see 1:44)"},
        {"{'sets':[{'level':'rack','roles':{'leader':1,'leader':2}}]}",
         "constraints: 1:46: one role twice in an object (see 1:35)"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_group_spec *spec;
        struct skr_error error = {.text = ""};
        assert_int_equal(parse(LEADER_WORKER, row[i].constraints, NULL, &spec, &error),
                         -SKR_INVALID);
        assert_string_equal(error.text, row[i].text);
        assert_null(spec);
        assert_int_equal(parse(LEADER_WORKER, row[i].constraints, NULL, &spec, NULL), -SKR_INVALID);
    }
}

TEST(a_role_in_sets_has_no_minimum)
{
    struct skr_group_spec *spec;
    struct skr_error error;
    assert_int_equal(parse("{'a':{'size':4,'minimum':2}}",
                           "{'sets':[{'level':'rack','roles':{'a':2}}]}", NULL, &spec, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text,
                        "constraints: 1:39: role \"a\" is in sets and has a minimum of 2 "
                        "below its size 4: leave minimum out");
}

TEST(roles_and_sets_have_limits)
{
    struct skr_group_spec *spec;
    struct skr_error error;
    char text[SKR_GROUP_CONSTRAINTS_MAX];
    assert_int_equal(parse(NULL,
                           "{'sets':[{'level':'l','roles':{'a':1}},{'level':'l','roles':{'b':1}},"
                           "{'level':'l','roles':{'c':1}},{'level':'l','roles':{'d':1}},"
                           "{'level':'l','roles':{'e':1}}]}",
                           NULL, &spec, &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text, "constraints: 1:9: 5 sets, at most 4 are read");
    assert_int_equal(parse(NULL,
                           "{'roles':{'a':{},'b':{},'c':{},'d':{},'e':{},'f':{},'g':{},'h':{},"
                           "'i':{}}}",
                           NULL, &spec, &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text, "constraints: 1:10: 9 roles, at most 8 are read");
    snprintf(text, sizeof text, "{'rack':{}%*s}", SKR_GROUP_CONSTRAINTS_MAX - 40, "");
    assert_int_equal(parse("{'a':{'size':4}}", text, NULL, &spec, &error), 0);
    skr_group_spec_destroy(spec);
    snprintf(text, sizeof text, "{'rack':{}%*s}", SKR_GROUP_CONSTRAINTS_MAX - 20, "");
    assert_int_equal(parse("{'a':{'size':4}}", text, NULL, &spec, &error), -SKR_LIMIT);
    assert_string_equal(error.text,
                        "roles: 16391 bytes together with constraints, at most 16384 are read");
}

TEST(a_warning_about_a_role_s_rule_has_the_size_of_the_role)
{
    SKR_AUTO(skr_group_spec_destroy)
    struct skr_group_spec *spec =
        parse_good(LEADER_WORKER, "{'roles':{'worker':{'node':{'factor':3}}}}", NULL);
    assert_int_equal(spec->n_warnings, 1);
    assert_string_equal(spec->warning[0],
                        "constraints: 1:28: size of role \"worker\", 28 is no multiple of "
                        "\"factor\" 3 of level \"node\": no cluster can hold the group");
    skr_group_spec_destroy(spec);
    spec = parse_good("{'worker':{'size':28,'minimum':3}}",
                      "{'node':{'factor':3},'roles':{'worker':{'node':{'factor':3}}}}", NULL);
    assert_int_equal(spec->n_warnings, 0);
}

TEST(groups_differ_by_roles_own_rules_and_sets)
{
    static const char *const map[][2] = {
        {"{'a':{'size':4},'b':{'size':8}}",
         "{'roles':{'a':{'node':{'max':1}}},'sets':[{'level':'r','roles':{'a':1,'b':2}}]}"},
        {"{'a':{'size':4,'minimum':4},'b':{'size':8}}",
         "{'roles':{'b':{},'a':{'node':{'max':1}}},'sets':[{'level':'r','roles':{'b':2,'a':1}}]}"},
        {"{'b':{'size':8},'a':{'size':4}}",
         "{'roles':{'a':{'node':{'max':1}}},'sets':[{'level':'r','roles':{'a':1,'b':2}}]}"},
        {"{'a':{'size':4},'b':{'size':8}}",
         "{'roles':{'b':{'node':{'max':1}}},'sets':[{'level':'r','roles':{'a':1,'b':2}}]}"},
        {"{'a':{'size':4},'b':{'size':8}}",
         "{'roles':{'a':{'node':{'max':1}}},'sets':[{'level':'r','roles':{'a':2,'b':4}}]}"},
        {"{'a':{'size':4},'b':{'size':8}}",
         "{'roles':{'a':{'node':{'max':1}}},'sets':[{'level':'s','roles':{'a':1,'b':2}}]}"},
        {"{'a':{'size':4},'b':{'size':8}}",
         "{'roles':{'a':{'node':{'max':1}}},"
         "'sets':[{'level':'r','roles':{'a':1,'b':2},'exclusive':true}]}"},
        {"{'a':{'size':4},'b':{'size':8}}", "{'roles':{'a':{'node':{'max':1}}}}"},
        {"{'a':{'size':12}}", "{}"},
    };
    size_t n = sizeof map / sizeof map[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            SKR_AUTO(skr_group_spec_destroy)
            struct skr_group_spec *left = parse_good(map[i][0], map[i][1], NULL);
            SKR_AUTO(skr_group_spec_destroy)
            struct skr_group_spec *right = parse_good(map[k][0], map[k][1], NULL);
            assert_int_equal(skr_group_spec_equal(left, right), i == k || (i < 2 && k < 2));
        }
    }
}

TEST(a_level_that_the_tree_lacks_refuses_hard_own_rules_and_sets)
{
    static const struct {
        const char *constraints, *text;
    } row[] = {
        {"{'roles':{'worker':{'rak':{'hard':true}}}}",
         "constraints: 1:27: no level \"rak\" (did you mean \"rack\"?); the tree has rack, node"},
        {"{'sets':[{'level':'rak','roles':{'leader':1}}]}",
         "constraints: 1:19: no level \"rak\" (did you mean \"rack\"?); the tree has rack, node"},
        {"{'roles':{'worker':{'rak':{'max':1}}}}", ""},
    };
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree();
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_STRBUF(why);
        SKR_AUTO(skr_group_spec_destroy)
        struct skr_group_spec *spec = parse_good(LEADER_WORKER, row[i].constraints, NULL);
        skr_strbuf_add(&why, "");
        assert_int_equal(skr_group_misfit(spec, tree, &why), row[i].text[0] != '\0');
        assert_string_equal(why.s, row[i].text);
    }
}

TEST(a_role_is_called_by_its_first_free_letter_a_capital_for_one_member)
{
    assert_int_equal(skr_role_letter("leader", true, "", 0), 'L');
    assert_int_equal(skr_role_letter("launcher", false, "L", 1), 'a');
    assert_int_equal(skr_role_letter("7-w", false, "La", 2), 'w');
    assert_int_equal(skr_role_letter("W", true, "Law", 3), 'B');
    assert_int_equal(skr_role_letter("a", true, "abcdefghijklmnopqrstuvwxyz", 26), '?');
}
