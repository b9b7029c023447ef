/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the configuration as a document that keeps positions (server/manifest/document.h). The walk
 * below compares its mappings with the table of options (option.c). Then the rules over several
 * options are checked (config_rules.c). Every step adds findings and goes on, so that all errors come
 * at once. The walk is as deep as the keys of the table (three), whatever the document nests or
 * aliases.
 */
#include "server/config/config.h"

#include "core/gang/changes/namespace_limits.h"
#include "core/group/workload.h"
#include "server/config/config_rules.h"
#include "server/config/option.h"
#include "server/manifest/document.h"
#include "topology/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA_BYTES = 4 * SKR_CONFIG_BYTES_MAX,
    OPTIONS_MAX = 128,
    KEY_MAX = 128, /* bytes of a path such as extender.tls.certFile */
};

struct reader {
    struct skr_config *config;
    struct skr_findings *findings;
    struct skr_yaml_mark at[OPTIONS_MAX]; /* of the value of each option; line 0: not in the file */
};

#define add_error(reader, code, where, ...) \
    skr_findings_add((reader)->findings, true, code, (where).line, (where).column, __VA_ARGS__)

/* ---- topology.levels ---- */

/* The list is written as the JSON that the parser of the topology map reads, a level on each line, so that
 * the line of an error is the number of a level. Values deeper than a list of labels become null, which the
 * parser refuses. */
#define KEY "topology.levels"

static void add_text(const struct skr_value *value, struct skr_strbuf *json)
{
    if (value && value->kind == SKR_VALUE_TEXT && strlen(value->text) == value->n) {
        skr_strbuf_add_json(json, value->text);
    } else {
        skr_strbuf_add(json, "null");
    }
}

static void add_member(const struct skr_value *value, struct skr_strbuf *json)
{
    if (!value || value->kind != SKR_VALUE_LIST) {
        add_text(value, json);
        return;
    }
    skr_strbuf_addc(json, '[');
    for (size_t i = 0; i < value->n; i++) {
        skr_strbuf_add(json, i > 0 ? "," : "");
        add_text(value->item[i], json);
    }
    skr_strbuf_addc(json, ']');
}

static void add_level(const struct skr_value *level, struct skr_strbuf *json)
{
    if (!level || level->kind != SKR_VALUE_MAPPING) {
        add_text(level, json);
        return;
    }
    skr_strbuf_addc(json, '{');
    for (size_t i = 0; i < level->n; i++) {
        const struct skr_value *key = level->item[2 * i];
        const bool named = key && key->kind == SKR_VALUE_TEXT && strlen(key->text) == key->n;
        skr_strbuf_add(json, i > 0 ? "," : "");
        skr_strbuf_add_json(json, named ? key->text : "");
        skr_strbuf_addc(json, ':');
        add_member(level->item[2 * i + 1], json);
    }
    skr_strbuf_addc(json, '}');
}

/* node: any value. The texts of *ret are in the arena. False: findings were added, with the position of the
 * level that has the first defect. */
static bool levels_of(const struct skr_value *node, struct skr_arena *arena,
                      struct skr_label_levels *ret, struct skr_findings *findings)
{
    struct skr_error error;
    struct skr_yaml_mark at = node->at;
    if (node->kind != SKR_VALUE_LIST) {
        skr_findings_add(findings, true, "WrongType", at.line, at.column,
                         KEY ": a list is expected, not %s", skr_value_kind_name(node));
        return false;
    }
    SKR_STRBUF(json);
    skr_strbuf_addc(&json, '[');
    for (size_t i = 0; i < node->n; i++) {
        skr_strbuf_add(&json, i > 0 ? ",\n" : "\n");
        add_level(node->item[i], &json);
    }
    skr_strbuf_addc(&json, ']');
    if (skr_label_levels_parse(KEY, json.s, NULL, arena, ret, &error) == 0) {
        return true;
    }
    const size_t level = error.at.line;
    if (level > 1 && level - 2 < node->n && node->item[level - 2]) {
        at = node->item[level - 2]->at;
    }
    skr_findings_add(findings, true, error.code == SKR_LIMIT ? "Limit" : "InvalidValue", at.line,
                     at.column, KEY ": %.*s", (int)error.sentence_length,
                     error.text + error.sentence_at);
    return false;
}

/* ---- defaults ---- */

static bool store_fallback(const struct skr_option *option, struct skr_config *config)
{
    char text[256];
    const char *rest = option->fallback;
    if (option->type != SKR_OPTION_NAMES) {
        return skr_option_store(option, rest, config, NULL) == 0;
    }
    while (*rest) {
        size_t n = strcspn(rest, " ");
        snprintf(text, sizeof text, "%.*s", (int)n, rest);
        if (skr_option_store(option, text, config, NULL) < 0) {
            return false;
        }
        rest += rest[n] ? n + 1 : n;
    }
    return true;
}

struct skr_config *skr_config_default(void)
{
    skr_bug_on(skr_option_count > OPTIONS_MAX);
    struct skr_arena *arena = skr_arena_create(ARENA_BYTES, 0);
    struct skr_config *config = arena ? skr_arena_alloc(arena, sizeof *config) : NULL;
    if (!config) {
        skr_arena_destroy(arena);
        return NULL;
    }
    config->arena = arena;
    config->gate_tls.client_ca_file = "";
    config->spotmix.tls.client_ca_file = "";
    skr_settings_default(&config->settings);
    config->settings.n_scheduler_names = 0;
    for (size_t i = 0; i < skr_option_count; i++) {
        if (!store_fallback(&skr_options[i], config)) {
            skr_arena_destroy(arena);
            return NULL;
        }
    }
    return config;
}

void skr_config_destroy(struct skr_config *config)
{
    if (config) {
        skr_arena_destroy(config->arena);
    }
}

/* ---- the walk ---- */

/* Also refuses NUL bytes, which would cut the value. */
static bool is_scalar(struct reader *r, const struct skr_value *node, const char *key)
{
    if (node->kind != SKR_VALUE_TEXT) {
        add_error(r, "WrongType", node->at, "%s: a single value is expected, not %s", key,
                  skr_value_kind_name(node));
        return false;
    }
    if (strlen(node->text) != node->n) {
        add_error(r, "InvalidValue", node->at, "%s: the value contains a NUL byte", key);
        return false;
    }
    return true;
}

static void read_scalar(struct reader *r, const struct skr_option *option,
                        const struct skr_value *node)
{
    struct skr_error error;
    if (!is_scalar(r, node, option->key)) {
        return;
    }
    if (skr_option_store(option, node->text, r->config, &error) < 0) {
        add_error(r, "InvalidValue", node->at, "%s: %s", option->key, error.text);
    }
}

static void read_names(struct reader *r, const struct skr_option *option,
                       const struct skr_value *node)
{
    if (node->kind != SKR_VALUE_LIST) {
        add_error(r, "WrongType", node->at, "%s: a list is expected, not %s", option->key,
                  skr_value_kind_name(node));
        return;
    }
    r->config->settings.n_scheduler_names = 0;
    if (node->n == 0) {
        add_error(r, "InvalidValue", node->at, "%s: the list is empty", option->key);
    }
    for (size_t i = 0; i < node->n; i++) {
        if (node->item[i]) {
            read_scalar(r, option, node->item[i]);
        }
    }
}

static void read_levels(struct reader *r, const struct skr_value *node)
{
    struct skr_config *c = r->config;
    if (node->kind == SKR_VALUE_LIST && node->n == 0) {
        return; /* the default */
    }
    (void)levels_of(node, c->arena, &c->topology.levels, r->findings);
}

static bool is_section(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < skr_option_count; i++) {
        if (strncmp(skr_options[i].key, path, n) == 0 && skr_options[i].key[n] == '.') {
            return true;
        }
    }
    return false;
}

/* The word that may stand after prefix in the i-th option: "extender", "listen". */
static const char *word_after(struct reader *r, size_t i, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(skr_options[i].key, prefix, n) != 0) {
        return NULL;
    }
    const char *word = skr_options[i].key + n;
    return skr_arena_strndup(r->config->arena, word, strcspn(word, "."));
}

static void report_unknown(struct reader *r, const struct skr_value *key, const char *prefix)
{
    const char *candidate[OPTIONS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < skr_option_count; i++) {
        const char *word = word_after(r, i, prefix);
        if (word) {
            candidate[n++] = word;
        }
    }
    const char *near = skr_suggest(key->text, candidate, n);
    if (near) {
        add_error(r, "UnknownKey", key->at, "unknown key %s%.64s (did you mean %s?)", prefix,
                  key->text, near);
    } else {
        add_error(r, "UnknownKey", key->at, "unknown key %s%.64s", prefix, key->text);
    }
}

static bool is_repeated(struct reader *r, const struct skr_value *mapping, size_t pair)
{
    const struct skr_value *key = mapping->item[2 * pair];
    for (size_t i = 0; i < pair; i++) {
        const struct skr_value *other = mapping->item[2 * i];
        if (other && other->kind == SKR_VALUE_TEXT && strcmp(other->text, key->text) == 0) {
            add_error(r, "DuplicateKey", key->at, "key %.64s twice (see %zu:%zu)", key->text,
                      other->at.line, other->at.column);
            return true;
        }
    }
    return false;
}

/* One item of a list that is stored as one text. */
static int check_item(const struct skr_option *option, const char *text, struct skr_error *error)
{
    uint32_t kinds;
    if (!*text || strpbrk(text, ", ")) {
        return skr_error_set(error, SKR_INVALID, "\"%.100s\" is not %s", text,
                             option->type == SKR_OPTION_KINDS ? "a kind of workload"
                                                              : "a namespace or *");
    }
    return option->type == SKR_OPTION_KINDS ? skr_workload_kinds_parse(text, &kinds, error)
                                            : skr_namespaces_check(text, error);
}

/* A list of namespaces or kinds is stored as one text, as --set gives it. */
static void read_text_list(struct reader *r, const struct skr_option *option,
                           const struct skr_value *node)
{
    struct skr_error error;
    SKR_STRBUF(all);
    if (node->kind != SKR_VALUE_LIST) {
        read_scalar(r, option, node);
        return;
    }
    for (size_t i = 0; i < node->n; i++) {
        const struct skr_value *item = node->item[i];
        if (!item || !is_scalar(r, item, option->key)) {
            return;
        }
        if (check_item(option, item->text, &error) < 0) {
            add_error(r, "InvalidValue", item->at, "%s: %s", option->key, error.text);
            return;
        }
        skr_strbuf_addf(&all, "%s%s", i > 0 ? ", " : "", item->text);
    }
    if (skr_option_store(option, all.s ? all.s : "", r->config, &error) < 0) {
        add_error(r, "InvalidValue", node->at, "%s: %s", option->key, error.text);
    }
}

static void read_mapping(struct reader *r, const struct skr_value *mapping, const char *prefix);

static void read_pair(struct reader *r, const struct skr_value *key, const struct skr_value *value,
                      const char *prefix)
{
    char path[KEY_MAX];
    int n = snprintf(path, sizeof path, "%s%s", prefix, key->text);
    bool fits = n > 0 && (size_t)n + 1 < sizeof path;
    ptrdiff_t option = fits ? skr_option_find(path) : -1;
    if (option >= 0) {
        r->at[option] = value->at;
        if (skr_options[option].type == SKR_OPTION_NAMES) {
            read_names(r, &skr_options[option], value);
        } else if (skr_options[option].type == SKR_OPTION_LEVELS) {
            read_levels(r, value);
        } else if (skr_options[option].type == SKR_OPTION_NAMESPACES ||
                   skr_options[option].type == SKR_OPTION_KINDS) {
            read_text_list(r, &skr_options[option], value);
        } else {
            read_scalar(r, &skr_options[option], value);
        }
        return;
    }
    if (fits && skr_option_removed(path)) {
        add_error(r, "UnknownKey", key->at, "%s was removed; %s", path, skr_option_removed(path));
        return;
    }
    if (!fits || !is_section(path)) {
        report_unknown(r, key, prefix);
        return;
    }
    if (value->kind != SKR_VALUE_MAPPING) {
        add_error(r, "WrongType", value->at, "%s: a mapping is expected, not %s", path,
                  skr_value_kind_name(value));
        return;
    }
    path[n] = '.';
    path[n + 1] = '\0';
    read_mapping(r, value, path);
}

static void read_mapping(struct reader *r, const struct skr_value *mapping, const char *prefix)
{
    /* Every pair beyond the table is a finding, so this ends soon on the largest of files. */
    for (size_t i = 0; i < mapping->n && r->findings->n_left_out == 0; i++) {
        const struct skr_value *key = mapping->item[2 * i], *value = mapping->item[2 * i + 1];
        if (key && value && is_scalar(r, key, "key") && !is_repeated(r, mapping, i)) {
            read_pair(r, key, value, prefix);
        }
    }
}

/* ---- the command line ---- */

/* Options that a command line gives over those of the document. */
struct overrides {
    const char *const *item; /* "KEY=VALUE" */
    size_t n;
};

static void suggest_key(struct reader *r, const char *set, const char *key)
{
    const char *candidate[OPTIONS_MAX];
    struct skr_yaml_mark nowhere = {0, 0};
    for (size_t i = 0; i < skr_option_count; i++) {
        candidate[i] = skr_options[i].key;
    }
    const char *near = skr_suggest(key, candidate, skr_option_count);
    add_error(r, "UnknownKey", nowhere, "--set %.160s: unknown key%s%s%s", set,
              near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static void override_one(struct reader *r, const char *set)
{
    char key[KEY_MAX];
    struct skr_error error;
    const struct skr_yaml_mark nowhere = {0, 0};
    const size_t n = strcspn(set, "=");
    if (set[n] != '=' || n == 0 || n >= sizeof key) {
        add_error(r, "InvalidValue", nowhere, "--set %.160s: KEY=VALUE is expected", set);
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)n, set);
    const ptrdiff_t i = skr_option_find(key);
    if (i < 0) {
        suggest_key(r, set, key);
    } else if (skr_options[i].type == SKR_OPTION_NAMES ||
               skr_options[i].type == SKR_OPTION_LEVELS) {
        add_error(r, "WrongType", nowhere, "--set %.160s: a list is set in the file", set);
    } else if (skr_option_store(&skr_options[i], set + n + 1, r->config, &error) < 0) {
        add_error(r, "InvalidValue", nowhere, "--set %.160s: %s", set, error.text);
    }
}

/* ---- documents and files ---- */

static void report_syntax(struct skr_findings *findings, const struct skr_document_error *error)
{
    const bool is_limit = error->code == SKR_LIMIT;
    skr_findings_add(findings, true, is_limit ? "Limit" : "Syntax", error->at.line,
                     error->at.column, "%s%s%s%s", is_limit ? "" : "not YAML: ", error->problem,
                     error->context ? ", " : "", error->context ? error->context : "");
}

static void read_root(const struct skr_value *root, const struct overrides *overrides,
                      struct skr_config *config, struct skr_findings *findings)
{
    struct reader r = {.config = config, .findings = findings};
    if (root && root->kind != SKR_VALUE_MAPPING) {
        add_error(&r, "WrongType", root->at, "a mapping of options is expected, not %s",
                  skr_value_kind_name(root));
        return;
    }
    if (root) {
        read_mapping(&r, root, "");
    }
    for (size_t i = 0; i < overrides->n; i++) {
        override_one(&r, overrides->item[i]);
    }
    skr_config_check_rules(config, r.at, findings);
}

/* A second document would be ignored silently: refused. */
static void read_text(const char *text, size_t n, const struct overrides *overrides,
                      struct skr_config *config, struct skr_findings *findings)
{
    struct skr_document_error error;
    const struct skr_value *root;
    struct skr_document *document =
        skr_document_create(text, n, SKR_YAML_DEPTH_MAX, SKR_YAML_ANCHORS_MAX);
    int rc = skr_document_next(document, &root, &error);
    if (rc >= 0) {
        read_root(root, overrides, config, findings);
    }
    if (rc > 0) {
        rc = skr_document_next(document, &root, &error);
    }
    if (rc < 0) {
        report_syntax(findings, &error);
    } else if (root) {
        skr_findings_add(findings, true, "SecondDocument", root->at.line, root->at.column,
                         "a second document; the file holds one");
    }
    skr_document_destroy(document);
}

static int parse(const char *text, size_t n, const struct overrides *overrides,
                 struct skr_config **ret, struct skr_findings *findings)
{
    if (n > SKR_CONFIG_BYTES_MAX) {
        skr_findings_add(findings, true, "Limit", 0, 0, "longer than %d bytes",
                         SKR_CONFIG_BYTES_MAX);
        return -SKR_LIMIT;
    }
    struct skr_config *config = skr_config_default();
    if (!config) {
        skr_findings_add(findings, true, "Limit", 0, 0, "no memory");
        return -SKR_NO_MEMORY;
    }
    read_text(text, n, overrides, config, findings);
    if (findings->n_errors > 0) {
        skr_config_destroy(config);
        return -SKR_INVALID;
    }
    *ret = config;
    return 0;
}

int skr_config_parse(const char *text, size_t n, struct skr_config **ret,
                     struct skr_findings *findings)
{
    const struct overrides none = {0};
    return parse(text, n, &none, ret, findings);
}

int skr_config_load_set(const char *path, const char *const *set, size_t n_set,
                        struct skr_config **ret, struct skr_findings *findings)
{
    static const char empty[] = "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n";
    const struct overrides overrides = {set, n_set};
    SKR_AUTO_FREE char *text = NULL;
    size_t n = 0;
    if (!path) {
        return parse(empty, sizeof empty - 1, &overrides, ret, findings);
    }
    const int rc = skr_findings_read(findings, path, SKR_CONFIG_BYTES_MAX, &text, &n);
    return rc < 0 ? rc : parse(text, n, &overrides, ret, findings);
}

int skr_config_load(const char *path, struct skr_config **ret, struct skr_findings *findings)
{
    return skr_config_load_set(path, NULL, 0, ret, findings);
}
