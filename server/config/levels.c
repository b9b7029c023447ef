/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the list as the JSON that the parser of the topology map reads, a level on each line, so
 * that the line of an error is the number of a level. Values deeper than a list of labels have no
 * meaning in a level: they become null, which the parser refuses.
 */
#include "server/config/levels.h"

#include <string.h>

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

bool skr_config_read_levels(const struct skr_value *node, struct skr_arena *arena,
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
