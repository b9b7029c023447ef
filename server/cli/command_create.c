/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara create group`: a group ConfigMap from flags, read by the daemon's parser before it is
 * printed. Nothing is sent to a cluster. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/group.h"
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "topology/base/json_field.h"

struct options {
    const char *namespace_, *size, *priority, *within, *constraints;
    struct skr_text_list role, set;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, namespace_, "--namespace", "-n", "NAMESPACE",
             "of the pods; default: that of kubectl apply"),
    SKR_FLAG(TEXT, options, size, "--size", NULL, "N", "members; with --role their sum"),
    SKR_FLAG(TEXT, options, priority, "--priority", NULL, "N", "higher is planned first"),
    SKR_FLAG(TEXT, options, within, "--within", NULL, "LEVEL",
             "one unit of this level holds all members"),
    SKR_FLAG(TEXT, options, constraints, "--constraints", NULL, "JSON",
             "rules of levels, as in the key constraints"),
    SKR_FLAG(LIST, options, role, "--role", NULL, "NAME=SIZE",
             "so many members of a role, in role order; may repeat"),
    SKR_FLAG(LIST, options, set, "--set", NULL, "LEVEL:NAME=N,...",
             "sets of so many members of each role, each in one unit of the level; may repeat"),
    SKR_HELP_FLAG,
    {0},
};

/* The number behind "NAME=" in text, of which n bytes count; -1: there is none. *ret_name: NAME. */
static long take_number(const char *text, size_t n, char *name, size_t size)
{
    const char *equals = memchr(text, '=', n);
    const size_t length = equals ? (size_t)(equals - text) : 0;
    char digits[16];
    char *end = NULL;
    if (length == 0 || length >= size || n - length - 1 >= sizeof digits || n == length + 1) {
        return -1;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    memcpy(digits, equals + 1, n - length - 1);
    digits[n - length - 1] = '\0';
    const long number = strtol(digits, &end, 10);
    return *end == '\0' && digits[0] >= '0' && digits[0] <= '9' ? number : -1;
}

/* Key roles; NULL and *ret_bad set: a flag is wrong, or names a role twice. */
static json_t *make_roles(const struct skr_text_list *list, const char **ret_bad)
{
    json_t *roles = json_object();
    for (size_t i = 0; i < list->n; i++) {
        char name[128];
        const long size = take_number(list->item[i], strlen(list->item[i]), name, sizeof name);
        if (size < 0 || json_object_get(roles, name)) {
            *ret_bad = list->item[i];
            json_decref(roles);
            return NULL;
        }
        json_object_set_new(roles, name, json_pack("{s:I}", "size", (json_int_t)size));
    }
    return roles;
}

/* One kind of sets from "LEVEL:NAME=N,NAME=N"; NULL: it is not of that form. */
static json_t *make_set(const char *text)
{
    const char *colon = strchr(text, ':');
    json_t *roles = json_object();
    bool good = colon && colon != text && colon[1] != '\0';
    for (const char *at = good ? colon + 1 : NULL; good && at;) {
        char name[128];
        const size_t n = strcspn(at, ",");
        const long each = take_number(at, n, name, sizeof name);
        good = each >= 0 && !json_object_get(roles, name);
        if (good) {
            json_object_set_new(roles, name, json_integer(each));
        }
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    if (!good) {
        json_decref(roles);
        return NULL;
    }
    return json_pack("{s:o,s:o}", "level", json_stringn(text, (size_t)(colon - text)), "roles",
                     roles);
}

/* constraints with the sets of the flags added; false and *ret_bad set: a flag is wrong. */
static bool add_sets(const struct skr_text_list *list, json_t *constraints, const char **ret_bad)
{
    json_t *sets = json_object_get(constraints, "sets");
    if (list->n == 0 || !json_is_object(constraints)) {
        return true; /* the parser of the map refuses what is no object */
    }
    if (!json_is_array(sets)) {
        sets = json_array();
        json_object_set_new(constraints, "sets", sets);
    }
    for (size_t i = 0; i < list->n; i++) {
        json_t *set = make_set(list->item[i]);
        if (!set) {
            *ret_bad = list->item[i];
            return false;
        }
        json_array_append_new(sets, set);
    }
    return true;
}

/* KEY: 'VALUE', quoted for YAML; NULL: nothing. */
static void write_key(struct skr_strbuf *out, const char *key, const char *value)
{
    if (!value) {
        return;
    }
    skr_strbuf_addf(out, "  %s: '", key);
    for (; *value != '\0'; value++) {
        skr_strbuf_add(out, *value == '\'' ? "'" : "");
        skr_strbuf_addc(out, *value);
    }
    skr_strbuf_add(out, "'\n");
}

static void write_map(const struct skr_call *call, const char *roles, const char *constraints,
                      struct skr_strbuf *out)
{
    const struct options *o = call->options;
    skr_strbuf_add(out, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n");
    write_key(out, "name", call->word[1]);
    write_key(out, "namespace", o->namespace_);
    skr_strbuf_add(out, "  labels: {" SKR_GROUP_LABEL ": \"\"}\ndata:\n");
    write_key(out, "name", call->word[1]);
    write_key(out, "size", o->size);
    write_key(out, "priority", o->priority);
    write_key(out, "within", o->within);
    write_key(out, "roles", roles);
    write_key(out, "constraints", constraints);
}

/* What the daemon's parser says of the map. Returns an exit code. */
static int judge(const struct skr_call *call, const char *roles, const char *constraints,
                 struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_label all[] = {{"constraints", constraints},
                                    {"name", call->word[1]},
                                    {"priority", o->priority},
                                    {"roles", roles},
                                    {"size", o->size},
                                    {"within", o->within}};
    struct skr_label item[sizeof all / sizeof *all];
    struct skr_labels data = {0, item};
    struct skr_error error;
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].value) {
            item[data.n++] = all[i];
        }
    }
    if (skr_group_spec_parse(&data, &spec, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara create group: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    for (size_t i = 0; i < spec->n_warnings; i++) {
        skr_strbuf_addf(messages, "sakkara create group: warning: %s\n", spec->warning[i]);
    }
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const char *bad = NULL;
    struct skr_error error;
    json_auto_t *constraints = NULL;
    if (strcmp(call->word[0], "group") != 0) {
        return skr_cli_refuse(call->command, "what is created is a group, not", call->word[0],
                              messages);
    }
    if (!o->constraints) {
        constraints = json_object();
    } else if (skr_json_text_parse("--constraints", o->constraints, SKR_GROUP_CONSTRAINTS_MAX,
                                   &constraints, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara create group: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    if (json_is_null(constraints)) {
        constraints = json_object();
    }
    json_auto_t *roles = make_roles(&o->role, &bad);
    if (!roles) {
        return skr_cli_refuse(call->command, "--role is NAME=SIZE, each name once, not", bad,
                              messages);
    }
    if (!add_sets(&o->set, constraints, &bad)) {
        return skr_cli_refuse(call->command, "--set is LEVEL:NAME=N,NAME=N, each name once, not",
                              bad, messages);
    }
    SKR_AUTO_FREE char *roles_text = o->role.n > 0 ? json_dumps(roles, JSON_COMPACT) : NULL;
    SKR_AUTO_FREE char *text = o->constraints || o->set.n > 0
                                   ? json_dumps(constraints, JSON_COMPACT | JSON_ENCODE_ANY)
                                   : NULL;
    const int code = judge(call, roles_text, text, messages);
    if (code == SKR_EXIT_OK) {
        write_map(call, roles_text, text, out);
    }
    return code;
}

const struct skr_command skr_command_create = {
    .name = "create",
    .usage = "sakkara create group NAME [--size N | --role NAME=SIZE ...] [flags]",
    .summary = "the ConfigMap of a group, for kubectl apply",
    .text = "Prints a group map and sends nothing. What the daemon would refuse is refused here, "
            "with the\nsame text. `sakkara lint` compares maps with the workloads of files.\n",
    .examples = "  sakkara create group train --size 8 --within rack | kubectl apply -f -\n"
                "  sakkara create group serve --role leader=4 --role worker=28 \\\n"
                "    --set rack:leader=1,worker=7\n",
    .next = "sakkara lint FILE",
    .word = "group NAME",
    .words_min = 2,
    .words_max = 2,
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
