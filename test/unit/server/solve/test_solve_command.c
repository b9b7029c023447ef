/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara solve`: the files of test/solve/ give what stands beside them; mistakes get a position.
 */
#include <pthread.h>

#include "server/exit_code.h"
#include "server/solve/command.h"
#include "server/solve/file.h"
#include "test/golden.h"
#include "test/test.h"

/* Times and counts of work may change; they have the last line but one, and stay when incomplete.
 */
static void cut_statistics(char *text)
{
    char *line = strstr(text, "  \"statistics\"");
    if (line && strstr(line, "\"mergesOfRuns\": ") && strstr(line, "\"phases\": {\"sets\": ")) {
        char *end = strchr(line, '\n');
        memmove(line, end + 1, strlen(end));
    }
}

static const struct {
    const char *name;
    int code;
} examples[] = {
    {"racks", SKR_EXIT_OK},
    {"infeasible", SKR_EXIT_NOT_PLACED},
    {"claims", SKR_EXIT_OK},
    {"tight", SKR_EXIT_OK},
    {"timeout", SKR_EXIT_NOT_PLACED},
    {"manual", SKR_EXIT_OK},
    {"manual-factor", SKR_EXIT_NOT_PLACED},
    {"roles", SKR_EXIT_OK},
    {"roles-infeasible", SKR_EXIT_NOT_PLACED},
    {"roles-sets", SKR_EXIT_OK},
    {"roles-sets-infeasible", SKR_EXIT_NOT_PLACED},
    {"roles-minimum", SKR_EXIT_OK},
    {"roles-undecided", SKR_EXIT_NOT_PLACED}, /* a hundred times as long as any other */
};
enum { EXAMPLES = sizeof examples / sizeof examples[0], QUICK = EXAMPLES - 1 };

/* Whether the answer is what stands beside the file; false and *ret_got otherwise. */
static bool answer_is_expected(size_t i, char **ret_got)
{
    struct skr_strbuf out;
    struct skr_strbuf errors;
    skr_strbuf_init(&out);
    skr_strbuf_init(&errors);
    bool same = skr_solve_command(test_text("test/solve/%s.json", examples[i].name), &out,
                                  &errors) == examples[i].code &&
                errors.len == 0;
    char *got = skr_strbuf_take(&out, NULL);
    cut_statistics(got);
    same = golden_is(test_text("test/solve/%s.expected", examples[i].name), got) && same;
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&errors);
    *ret_got = got;
    return same;
}

TEST(files_give_what_stands_beside_them)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        SKR_AUTO_FREE char *got = NULL;
        bool same = answer_is_expected(i, &got);
        if (!same) {
            fail_msg("%s: %s", examples[i].name, got);
        }
    }
}

/* Counts the wrong answers: cmocka cannot fail off the main thread. */
static void *solve_all_files(void *wrong)
{
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < QUICK; i++) {
            SKR_AUTO_FREE char *got = NULL;
            *(int *)wrong += answer_is_expected(i, &got) ? 0 : 1;
        }
    }
    return NULL;
}

TEST(threads_do_not_change_an_answer)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0};
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_create(&thread[t], NULL, solve_all_files, &wrong[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(wrong[t], 0);
    }
}

/* The lines from the one that begins with first to the one that is last. */
static char *lines_between(const char *text, const char *first, const char *last)
{
    const char *from = strstr(text, first);
    assert_non_null(from);
    const char *to = strstr(from, last);
    assert_non_null(to);
    char *lines = calloc(1, (size_t)(to - from) + strlen(last) + 1);
    assert_non_null(lines);
    memcpy(lines, from, (size_t)(to - from) + strlen(last));
    return lines;
}

TEST(the_manual_shows_its_examples_as_they_are)
{
    SKR_AUTO_FREE char *manual = golden_read("docs/solver.md");
    SKR_AUTO_FREE char *problem = golden_read("test/solve/manual.json");
    SKR_AUTO_FREE char *answer = golden_read("test/solve/manual.expected");
    SKR_AUTO_FREE char *refusal = golden_read("test/solve/manual-factor.expected");
    SKR_AUTO_FREE char *key = lines_between(answer, "  \"placement\"", "\n  ],\n");
    SKR_AUTO_FREE char *why = lines_between(refusal, "    \"bottleneck\"", "\"value\": 4}]],\n");
    assert_non_null(strstr(manual, problem));
    assert_non_null(strstr(manual, key));
    assert_non_null(strstr(manual, why));
}

#define TREE  "\"topology\": {\"tree\": {\"a\": {}, \"b\": {}}}"
#define GROUP "\"group\": {\"size\": 2}"

TEST(mistakes_are_refused_with_their_position)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {"", "1:1: '[' or '{' expected near end of file"},
        {"[]", "1:1: must be an object, got an array"},
        {"{\"topology\":\n  {\"tree\": {\"a\": {}, }}}", "2:22: string or '}' expected near '}'"},
        {"{" GROUP "}", "1:1: topology: is missing"},
        {"{\"topology\": 3, " GROUP "}", "1:14: topology: must be an object, got a number"},
        {"{" TREE "}", "1:1: group: is missing"},
        {"{\"topology\": {\"tree\": {\"r\": {\"a\": {}},\n\"s\": {\"a\": {}}}}, " GROUP "}",
         "2:7: tree: node \"a\" twice (see 1:30)"},
        {"{\"topology\": {\"tree\": {\"a\": {}, \"r\": {\"b\": {}}}}, " GROUP "}",
         "1:23: topology.tree: leaf a is above the deepest level"},
        {"{" TREE ", \"group\": {\"size\": 0}}", "1:62: size: must be at least 1, got \"0\""},
        {"{" TREE ",\n \"group\": {\"size\": 2,\n  \"constraints\": {\"node\": {\"min\": \"x\"}}}}",
         "3:35: constraints: \"min\" must be an integer, got a string"},
        {"{" TREE ", " GROUP ", \"gruop\": 1}",
         "1:75: gruop: unknown key; known are topology, member, members, default, nodes, group, "
         "apart, tieBreak, explain, stepBudget (did you mean group?)"},
        {"{" TREE ",\n\"group\": {\"size\": 2, \"rolez\": {}}}",
         "2:31: group.rolez: unknown key; known are name, size, priority, constraints, seat-hold, "
         "within, roles, run-limit, run-estimate, movable, minimum, step, replace (did you mean "
         "roles?)"},
        {"{\"topology\": {\"tree\": {\"a\": {}}, \"colour\": 1}, " GROUP "}",
         "1:44: topology.colour: unknown key; known are name, resource-names, level-names, tree, "
         "levels"},
        {"{" TREE ", " GROUP ",\n\"nodes\": {\"c\": {}}}", "2:16: nodes.c: is not in the tree"},
        {"{" TREE ", " GROUP ",\n\"nodes\": {\"a\": {\"fre\": 1}}}",
         "2:24: nodes.a.fre: unknown key; known are free, used, capacity, eligible, claimed "
         "(did you mean free?)"},
        {"{" TREE ", " GROUP ",\n\"nodes\": {\"a\": {\"free\": {}}}}",
         "2:25: nodes.a.free: must be a number of slots (there is no member), got an object"},
        {"{" TREE ", " GROUP ",\n\"nodes\": {\"a\": {\"claimed\": -1}}}",
         "2:28: nodes.a.claimed: must be 0 to 1048576"},
        {"{" TREE ", " GROUP ", \"member\": {\"cpu\": \"1\"},\n\"default\": {\"free\": {\"cpu\": "
         "\"2x\"}}}",
         "2:29: default.free.cpu: quantity \"2x\": 'x' at 2, expected digits or a suffix n u m k M "
         "G T P E Ki Mi Gi Ti Pi Ei e3"},
        {"{" TREE ", " GROUP ", \"member\": {\"cpu\": -1}}",
         "1:84: member.cpu: must not be negative"},
        {"{" TREE ", " GROUP ", \"default\": {\"claimed\": 1}}",
         "1:89: default.claimed: is of single nodes"},
        {"{" TREE ", " GROUP ", \"tieBreak\": \"loose\"}",
         "1:78: tieBreak: must be \"tree\" or \"tight\""},
        {"{" TREE ", " GROUP ", \"explain\": [\"everything\"]}",
         "1:77: explain: parts are sizes, relaxations, slots, keys, each once"},
        {"{" TREE ", " GROUP ", \"stepBudget\": \"1\"}",
         "1:80: stepBudget: must be a number of steps, 0 or more"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct skr_solve_file *file = NULL;
        struct skr_error error;
        assert_true(skr_solve_file_parse(table[i].text, &file, &error) < 0);
        assert_null(file);
        assert_string_equal(error.text, table[i].error);
    }
}

/* Leader 2, worker 4, in sets of 1 + 2 where text says so; more keys follow. */
#define ROLES(constraints)                                                                        \
    "{" TREE                                                                                      \
    ", \"group\": {\"roles\": {\"leader\": {\"size\": 2}, \"worker\": {\"size\": 4}}" constraints \
    "},\n"
#define MEMBERS "\"members\": {\"leader\": {\"cpu\": 1}, \"worker\": {\"cpu\": 1}},\n"
#define SETS                                                                           \
    ", \"constraints\": {\"sets\": [{\"level\": \"node\", \"roles\": {\"leader\": 1, " \
    "\"worker\": 2}}]}"

TEST(mistakes_about_roles_are_refused_with_their_position)
{
    static const struct {
        const char *text, *error;
    } table[] = {
        {ROLES("") "\"explain\": false}", "1:1: members: is missing: the requests of each role"},
        {ROLES("") "\"member\": {\"cpu\": 1}}",
         "2:11: member: members are those of roles: use members"},
        {"{" TREE ", " GROUP ",\n" MEMBERS "\"explain\": false}",
         "2:12: members: needs group.roles"},
        {"{" TREE ", " GROUP ",\n\"apart\": []}", "2:10: apart: needs group.roles"},
        {"{" TREE ", \"group\": {\"size\": 2,\n\"constraints\": {\"sets\": "
         "[{\"level\": \"node\", \"roles\": {\"a\": 1}}]}}}",
         "2:16: group.constraints: roles and sets need group.roles"},
        {ROLES("") "\"members\": {\"leader\": {\"cpu\": 1}}}",
         "2:12: members: role worker is missing"},
        {ROLES("") "\"members\": {\"laeder\": {\"cpu\": 1}}}",
         "2:23: members.laeder: is no role of the group"},
        {ROLES("") "\"members\": {\"leader\": {\"cpu\": -1}}}",
         "2:31: members.leader.cpu: must not be negative"},
        {ROLES("") MEMBERS "\"nodes\": {\"a\": {\"claimed\": 1}}}",
         "3:28: nodes.a.claimed: must be an object of roles, got a number"},
        {ROLES("") MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": [1]}}}}",
         "3:39: nodes.a.claimed.worker: must be a number of members, got an array"},
        {ROLES("") MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": 5}}}}",
         "3:10: nodes: 5 members of role worker are claimed, its size is 4"},
        {ROLES("") MEMBERS "\"nodes\": {\"a\": {\"eligible\": {\"worker\": 1}}}}",
         "3:40: nodes.a.eligible.worker: must be true or false, got a number"},
        {ROLES("") MEMBERS "\"nodes\": {\"a\": {\"eligible\": {\"x\": true}}}}",
         "3:35: nodes.a.eligible.x: is no role of the group"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"node\", \"roles\": [\"x\"], \"most\": 1}]}",
         "3:38: apart.0.roles: \"x\" is no role of the group"},
        {ROLES(SETS) MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": 1}}}}",
         "3:39: nodes.a.claimed.worker: must be a list of set numbers, as the role is in sets, got "
         "a number"},
        {ROLES(SETS) MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": [2]}}}}",
         "3:39: nodes.a.claimed.worker: set 2, the sets are 0 to 1"},
        {ROLES(SETS) MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": [0, 0, 0]}}}}",
         "3:39: nodes.a.claimed.worker: set 0 has 2 members of the role, not more"},
        {ROLES(SETS) MEMBERS "\"nodes\": {\"a\": {\"claimed\": {\"worker\": [0]}},\n"
                             "\"b\": {\"claimed\": {\"leader\": [0]}}}}",
         "4:29: nodes.b.claimed.leader: set 0 has members in a and in b: a set is in one"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"rack\", \"roles\": [\"worker\"], "
                           "\"most\": 1}]}",
         "3:21: apart.0.level: must be the name of a level of the tree"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"node\", \"roles\": [], \"most\": 1}]}",
         "3:38: apart.0.roles: names no role"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"node\", \"roles\": [\"worker\"]}]}",
         "1:1: apart.0.most: must be a number of members, 0 or more"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"node\", \"roles\": [\"worker\"], "
                           "\"from\": [\"worker\"]}]}",
         "3:58: apart.0.from: names a role that \"roles\" names, too"},
        {ROLES("") MEMBERS "\"apart\": [{\"level\": \"node\", \"roles\": [\"worker\"], "
                           "\"from\": [\"leader\"], \"most\": 1}]}",
         "3:58: apart.0.from: and \"most\" exclude each other"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct skr_solve_file *file = NULL;
        struct skr_error error;
        assert_true(skr_solve_file_parse(table[i].text, &file, &error) < 0);
        assert_null(file);
        assert_string_equal(error.text, table[i].error);
    }
}

TEST(findings_of_the_group_are_warnings)
{
    struct skr_solve_file *file = NULL;
    struct skr_error error;
    assert_int_equal(skr_solve_file_parse("{" TREE ", \"group\": {\"size\": 2,\n  \"constraints\": "
                                          "{\"node\": {\"min\": 3, \"max\": 2},\n \"rack\": {}}}}",
                                          &file, &error),
                     0);
    assert_int_equal(file->n_warnings, 2);
    assert_memory_equal(file->warning[0], "2:27: constraints: ", 19);
    assert_string_equal(file->warning[1], "2:18: constraints: no such level: rack");
    skr_solve_file_destroy(file);
}

TEST(files_that_are_not_there_are_named)
{
    SKR_STRBUF(out);
    SKR_STRBUF(errors);
    assert_int_equal(skr_solve_command("test/solve/none.json", &out, &errors), SKR_EXIT_NOT_FOUND);
    assert_string_equal(errors.s, "test/solve/none.json: No such file or directory\n");
    assert_string_equal(out.s, "");
}
