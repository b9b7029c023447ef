/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara create group`: the map that flags make, and what is refused. */
#include "core/group/group.h"
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "test/test.h"

enum { WORDS_MAX = 12 };

/* The words end with NULL. Returns the exit code. */
static int create(const char *const *words, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    char *argv[WORDS_MAX] = {NULL};
    int argc = 0;
    for (; words[argc]; argc++) {
        argv[argc] = (char *)(uintptr_t)words[argc];
    }
    struct skr_call call;
    int code = skr_cli_parse(&skr_commands, argc, argv, &call, messages);
    code = code == SKR_EXIT_OK ? call.command->run(&call, out, messages) : code;
    skr_call_fini(&call);
    return code;
}

TEST(flags_become_a_group_map)
{
    static const char *const words[] = {"create",    "group",    "serve",
                                        "--role",    "leader=4", "--role",
                                        "worker=28", "--set",    "rack:leader=1,worker=7",
                                        "-n",        "team",     NULL};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    skr_strbuf_add(&messages, "");
    assert_int_equal(create(words, &out, &messages), SKR_EXIT_OK);
    assert_string_equal(messages.s, "");
    assert_string_equal(
        out.s, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 'serve'\n  namespace: 'team'\n"
               "  labels: {sakkara.group: \"\"}\ndata:\n  name: 'serve'\n"
               "  roles: '{\"leader\":{\"size\":4},\"worker\":{\"size\":28}}'\n"
               "  constraints: "
               "'{\"sets\":[{\"level\":\"rack\",\"roles\":{\"leader\":1,\"worker\":7}}]}'\n");
}

TEST(sets_are_added_to_those_of_the_constraints)
{
    static const char *const words[] = {
        "create", "group",         "g",
        "--role", "a=2",           "--role",
        "b=2",    "--constraints", "{\"sets\":[{\"level\":\"rack\",\"roles\":{\"a\":1}}]}",
        "--set",  "node:b=2",      NULL};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    assert_int_equal(create(words, &out, &messages), SKR_EXIT_OK);
    assert_non_null(strstr(out.s, "{\"level\":\"node\",\"roles\":{\"b\":2}}]}'"));
}

TEST(what_the_daemon_would_refuse_is_not_printed)
{
    static const struct {
        const char *flag, *value, *message;
        int code;
    } table[] = {
        {"--size", "0", "sakkara create group: size: 1:1: must be at least 1", SKR_EXIT_ERROR},
        {"--role", "leader", "sakkara create: --role is NAME=SIZE", SKR_EXIT_USAGE},
        {"--role", "leader=", "sakkara create: --role is NAME=SIZE", SKR_EXIT_USAGE},
        {"--role", "leader=4x", "sakkara create: --role is NAME=SIZE", SKR_EXIT_USAGE},
        {"--role", "leader=99999999999999999999", "sakkara create: --role is", SKR_EXIT_USAGE},
        {"--role", "=4", "sakkara create: --role is NAME=SIZE", SKR_EXIT_USAGE},
        {"--role", "leader=0", "sakkara create group: roles: 1:19: size of role", SKR_EXIT_ERROR},
        {"--set", "rack", "sakkara create: --set is LEVEL:NAME=N", SKR_EXIT_USAGE},
        {"--set", "rack:", "sakkara create: --set is LEVEL:NAME=N", SKR_EXIT_USAGE},
        {"--set", "rack:a=1,a=2", "sakkara create: --set is LEVEL:NAME=N", SKR_EXIT_USAGE},
        {"--set", "rack:a=0", "sakkara create group: constraints: 1:", SKR_EXIT_ERROR},
        {"--constraints", "[]", "sakkara create group: constraints: 1:1: must be an object",
         SKR_EXIT_ERROR},
        {"--constraints", "{", "sakkara create group: --constraints: 1:2: invalid JSON",
         SKR_EXIT_ERROR},
        {"--priority", "high", "sakkara create group: priority: 1:1:", SKR_EXIT_ERROR},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *const words[] = {"create", "group", "g", table[i].flag, table[i].value, NULL};
        SKR_STRBUF(out);
        SKR_STRBUF(messages);
        assert_int_equal(create(words, &out, &messages), table[i].code);
        assert_int_equal(out.len, 0);
        if (strncmp(messages.s, table[i].message, strlen(table[i].message)) != 0) {
            fail_msg("%s %s: %s", table[i].flag, table[i].value, messages.s);
        }
    }
}

TEST(only_groups_are_created)
{
    static const char *const words[] = {"create", "pod", "p", NULL};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    assert_int_equal(create(words, &out, &messages), SKR_EXIT_USAGE);
    assert_non_null(strstr(messages.s, "what is created is a group, not pod"));
}
