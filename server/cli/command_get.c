/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara get groups`: groups as kubectl would list them, and on with -w. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/cli/client_flags.h"
#include "server/cli/did_you_mean.h"
#include "server/exit_code.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/json_field.h"
#include "topology/base/suggest.h"

enum {
    PERIOD_MS = 1000,   /* of -w */
    WARNINGS_SHOWN = 5, /* lines */
};

struct options {
    int output;
    bool all_namespaces, watch;
    const char *selector;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

enum { OUTPUT_TEXT, OUTPUT_WIDE, OUTPUT_JSON, OUTPUT_YAML, OUTPUT_NAME };
static const char *const outputs[] = {
    [OUTPUT_TEXT] = "text", [OUTPUT_WIDE] = "wide", [OUTPUT_JSON] = "json",
    [OUTPUT_YAML] = "yaml", [OUTPUT_NAME] = "name", NULL};

static const struct skr_flag flags[] = {
    SKR_FLAG(SWITCH, options, all_namespaces, "--all-namespaces", "-A", NULL,
             "groups of every namespace"),
    SKR_FLAG(TEXT, options, selector, "--selector", "-l", "LABELS",
             "groups whose ConfigMap or PodGroup has these labels: a=b,c in (d,e),!f"),
    SKR_FLAG(CHOICE, options, output, "--output", "-o", "FORMAT",
             "text (default), wide, json, yaml or name", .choice = outputs),
    SKR_FLAG(SWITCH, options, watch, "--watch", "-w", NULL,
             "stay, and print what changes; looks once a second"),
    SKR_HELP_FLAG,
    {0},
};

struct listing {
    const struct skr_call *call;
    const struct options *o;
    struct skr_client *client;
    char *namespace_; /* NULL: all */
    struct skr_groups_table groups;
    json_t *shown; /* "NAMESPACE/NAME": what was printed of it, for -w */
};

/* ---- what there is ---- */

/* One group by name, as an element of a list. */
static int fetch_one(struct listing *l, const char *name, json_t *items, skr_time *now,
                     struct skr_strbuf *messages)
{
    SKR_STRBUF(path);
    json_t *page = NULL;
    skr_strbuf_addf(&path, "/v1/groups/%s/%s", l->namespace_, name);
    const struct skr_view_query query = {.path = path.s};
    const int code = skr_client_flags_fetch(l->call, l->client, &query, "Group", &page, messages);
    if (code == SKR_EXIT_OK) {
        *now = skr_page_time(page, "time");
        json_array_append_new(items, page);
    } else if (code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_group(l->client, l->namespace_, name, messages);
    }
    return code;
}

/* *ret: {"kind": "GroupList", "items": [...]}. */
static int fetch(struct listing *l, json_t **ret, skr_time *now, struct skr_strbuf *messages)
{
    const struct skr_view_query query = {
        .path = "/v1/groups",
        .argument = {[SKR_VIEW_NAMESPACE] = l->namespace_, [SKR_VIEW_SELECTOR] = l->o->selector}};
    if (l->call->n_words <= 1) {
        const int code =
            skr_client_flags_fetch(l->call, l->client, &query, "GroupList", ret, messages);
        if (code == SKR_EXIT_OK) {
            *now = skr_page_time(*ret, "time");
        }
        return code;
    }
    json_t *items = json_array();
    int code = SKR_EXIT_OK;
    for (size_t i = 1; i < l->call->n_words; i++) {
        const int one = fetch_one(l, l->call->word[i], items, now, messages);
        code = one != SKR_EXIT_OK ? one : code;
    }
    *ret = json_pack("{s:s, s:s, s:o}", "apiVersion", "sakkara/v1", "kind", "GroupList", "items",
                     items);
    return code;
}

/* ---- tables ---- */

static int add_rows(struct listing *l, const json_t *page, skr_time now, struct skr_strbuf *out,
                    struct skr_strbuf *messages)
{
    const json_t *items = skr_page_list(page, "items"), *item;
    struct skr_error error = {0};
    size_t i;
    if (!items) {
        skr_strbuf_add(messages, "sakkara get: the answer has no items\n");
        return SKR_EXIT_ERROR;
    }
    if (json_array_size(items) > 0 && l->groups.table.n == 0 && !l->o->look.no_headers) {
        skr_groups_table_add_header(&l->groups);
    }
    json_array_foreach(items, i, item)
    {
        if (skr_groups_table_add(&l->groups, item, now, &error) < 0) {
            skr_strbuf_addf(messages, "sakkara get: %s\n", error.text);
            return SKR_EXIT_ERROR;
        }
    }
    skr_text_table_write(&l->groups.table, out);
    return SKR_EXIT_OK;
}

static void add_names(const json_t *page, struct skr_strbuf *out)
{
    const json_t *item;
    size_t i;
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        skr_strbuf_add(out, "group/");
        skr_page_add_clean(out, skr_object_text(item, "name"), true);
        skr_strbuf_addc(out, '\n');
    }
}

static int show(struct listing *l, const json_t *page, skr_time now, struct skr_strbuf *out,
                struct skr_strbuf *messages)
{
    const json_t *items = skr_page_list(page, "items");
    const json_t *what =
        l->call->n_words == 2 && json_array_size(items) == 1 ? json_array_get(items, 0) : page;
    switch (l->o->output) {
    case OUTPUT_JSON:
        skr_page_write_json(what, out);
        return SKR_EXIT_OK;
    case OUTPUT_YAML:
        skr_page_write_yaml(what, out);
        return SKR_EXIT_OK;
    case OUTPUT_NAME:
        add_names(page, out);
        return SKR_EXIT_OK;
    default:
        return add_rows(l, page, now, out, messages);
    }
}

/* What is odd about the groups shown, as kubectl prints warnings: beside the table, not in it. */
static void say_warnings(const struct listing *l, const json_t *page, struct skr_strbuf *messages)
{
    const json_t *item, *text;
    size_t i, k, n = 0;
    if (l->o->output != OUTPUT_TEXT && l->o->output != OUTPUT_WIDE) {
        return;
    }
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        json_array_foreach(skr_page_list(item, "warnings"), k, text)
        {
            if (n++ < WARNINGS_SHOWN) {
                skr_strbuf_addf(messages, "Warning: group %s: ", skr_object_text(item, "name"));
                skr_page_add_clean(messages, json_is_string(text) ? json_string_value(text) : "?",
                                   false);
                skr_strbuf_addc(messages, '\n');
            }
        }
    }
    if (n > WARNINGS_SHOWN) {
        skr_strbuf_addf(messages, "Warning: and %zu more, sakkara group NAME shows them\n",
                        n - WARNINGS_SHOWN);
    }
}

static void say_none(const struct listing *l, const json_t *page, struct skr_strbuf *messages)
{
    const bool table = l->o->output == OUTPUT_TEXT || l->o->output == OUTPUT_WIDE;
    if (!table || l->call->n_words > 1 || json_array_size(skr_page_list(page, "items")) > 0) {
        return;
    }
    if (l->namespace_) {
        skr_strbuf_addf(messages, "No groups found in namespace %s.\n", l->namespace_);
    } else {
        skr_strbuf_add(messages, "No groups found.\n");
    }
}

/* ---- -w ---- */

/* All that is shown of an item but its age. */
static char *fingerprint(const struct listing *l, const json_t *item)
{
    SKR_STRBUF(b);
    if (l->o->output != OUTPUT_TEXT && l->o->output != OUTPUT_WIDE) {
        return json_dumps(item, JSON_COMPACT);
    }
    skr_groups_table_fingerprint(&l->groups, item, &b);
    return skr_strbuf_take(&b, NULL);
}

static json_t *by_key(const struct listing *l, const json_t *page)
{
    json_t *all = json_object();
    const json_t *item;
    size_t i;
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        SKR_STRBUF(key);
        skr_strbuf_addf(&key, "%s/%s", skr_object_text(item, "namespace"),
                        skr_object_text(item, "name"));
        SKR_AUTO_FREE char *print = fingerprint(l, item);
        json_object_set_new(
            all, key.s, json_pack("{s:s?, s:O}", "print", print, "item", skr_object_unconst(item)));
    }
    return all;
}

/* Items that are new or look different, in the order of the page; then deleted items with their last
 * values and the status <deleted>. Lists of names leave deleted items out, because a name alone does
 * not show the difference. */
static json_t *changes(struct listing *l, const json_t *page)
{
    json_t *all = by_key(l, page), *list = json_array(), *entry;
    const char *key;
    json_object_foreach(all, key, entry)
    {
        const json_t *had = json_object_get(l->shown, key);
        if (!had || strcmp(skr_object_text(had, "print"), skr_object_text(entry, "print")) != 0) {
            json_array_append(list, json_object_get(entry, "item"));
        }
    }
    json_object_foreach(l->shown, key, entry)
    {
        if (!json_object_get(all, key) && l->o->output != OUTPUT_NAME) {
            json_t *gone = json_copy(json_object_get(entry, "item"));
            json_object_set_new(gone, "status", json_string("<deleted>"));
            json_array_append_new(list, gone);
        }
    }
    json_decref(l->shown);
    l->shown = all;
    return list;
}

static bool print_now(struct skr_strbuf *out)
{
    const bool written = fwrite(out->s ? out->s : "", 1, out->len, stdout) == out->len;
    skr_strbuf_reset(out);
    return fflush(stdout) == 0 && written;
}

static int show_changes(struct listing *l, const json_t *page, skr_time now, struct skr_strbuf *out,
                        struct skr_strbuf *messages)
{
    json_t *list = changes(l, page), *item;
    size_t i;
    int code = SKR_EXIT_OK;
    if (l->o->output == OUTPUT_JSON || l->o->output == OUTPUT_YAML) {
        json_array_foreach(list, i, item)
        {
            skr_strbuf_add(out, l->o->output == OUTPUT_YAML ? "---\n" : "");
            (l->o->output == OUTPUT_YAML ? skr_page_write_yaml : skr_page_write_json)(item, out);
        }
    } else {
        json_auto_t *part = json_pack("{s:O}", "items", list);
        code = show(l, part, now, out, messages);
    }
    json_decref(list);
    return code;
}

static int watch(struct listing *l, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct timespec period = {.tv_sec = PERIOD_MS / 1000,
                                    .tv_nsec = PERIOD_MS % 1000 * 1000000L};
    for (;;) {
        json_t *page = NULL;
        skr_time now = 0;
        int code = fetch(l, &page, &now, messages);
        code = code == SKR_EXIT_OK ? show_changes(l, page, now, out, messages) : code;
        json_decref(page);
        if (code != SKR_EXIT_OK) {
            return code;
        }
        if (!print_now(out)) {
            return SKR_EXIT_ERROR;
        }
        nanosleep(&period, NULL);
    }
}

/* ---- the whole ---- */

static int list(struct listing *l, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    json_auto_t *page = NULL;
    skr_time now = 0;
    int code = fetch(l, &page, &now, messages);
    if (page) {
        const int shown = show(l, page, now, out, messages);
        code = code == SKR_EXIT_OK ? shown : code;
        if (code == SKR_EXIT_OK) {
            say_none(l, page, messages);
            say_warnings(l, page, messages);
        }
    }
    return code;
}

static int check(const struct skr_call *call, struct skr_strbuf *messages)
{
    static const char *const kinds[] = {"groups", "group"};
    const struct options *o = call->options;
    const char *kind = call->word[0];
    if (strcmp(kind, kinds[0]) != 0 && strcmp(kind, kinds[1]) != 0) {
        const char *near = skr_suggest(kind, kinds, 1);
        return skr_cli_refuse(call->command,
                              near ? "did you mean groups? There is nothing to get called"
                                   : "there are groups to get, not",
                              kind, messages);
    }
    if (o->all_namespaces && (o->client.namespace_ || call->n_words > 1)) {
        return skr_cli_refuse(call->command, "--all-namespaces goes with neither names nor",
                              "--namespace", messages);
    }
    if (o->selector && call->n_words > 1) {
        return skr_cli_refuse(call->command, "--selector does not go with the name", call->word[1],
                              messages);
    }
    if (o->watch && o->client.file) {
        return skr_cli_refuse(call->command, "a dump does not change, so there is no", "--watch",
                              messages);
    }
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct listing l = {.call = call, .o = o, .shown = json_object()};
    int code = check(call, messages);
    code =
        code == SKR_EXIT_OK ? skr_client_flags_open(call, &o->client, &l.client, messages) : code;
    if (code == SKR_EXIT_OK) {
        l.namespace_ = o->all_namespaces ? NULL : skr_client_flags_namespace(&o->client, l.client);
        skr_groups_table_init(&l.groups, o->output == OUTPUT_WIDE, o->all_namespaces,
                              skr_look_is_coloured(&o->look, stdout));
        code = o->watch ? watch(&l, out, messages) : list(&l, out, messages);
        skr_groups_table_fini(&l.groups);
    }
    free(l.namespace_);
    json_decref(l.shown);
    skr_client_destroy(l.client);
    return code;
}

const struct skr_command skr_command_get = {
    .name = "get",
    .usage = "sakkara get groups [NAME ...] [-n NAMESPACE | -A] [-l LABELS] [-w]\n"
             "                   [-o text|wide|json|yaml|name] [--server URL | --file DUMP]",
    .summary = "list groups: status, pods, reason",
    .text = "A row a group. PODS are those that are there while the group is Waiting, else those\n"
            "that are bound, of its size. wide adds rules, domains, tries and times. -w stays and\n"
            "prints the rows that change; a group that is gone has the status <deleted>. Without\n"
            "--server and --file kubectl finds the daemon.\n",
    .examples = "  sakkara get groups -A\n"
                "  sakkara get groups -n team-a -o wide -w\n"
                "  sakkara get groups --file dump.json -l team=a -o name\n",
    .next = "sakkara group NAME",
    .word = "kind",
    .words_min = 1,
    .words_max = SKR_WORDS_MAX,
    .group = {{flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run,
};
