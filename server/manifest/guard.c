/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the tokens of a YAML file (https://yaml.org/spec/1.1/), which libyaml hands out
 * without keeping them. */
#include "server/manifest/guard.h"

#include <yaml.h>

struct counts {
    size_t depth;
    size_t anchors;
};

static void count(struct counts *c, yaml_token_type_t type)
{
    switch (type) {
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
    case YAML_BLOCK_MAPPING_START_TOKEN:
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
        c->depth++;
        break;
    case YAML_BLOCK_END_TOKEN:
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
        c->depth -= c->depth > 0 ? 1 : 0;
        break;
    case YAML_ANCHOR_TOKEN:
        c->anchors++;
        break;
    case YAML_NO_TOKEN:
    case YAML_STREAM_START_TOKEN:
    case YAML_STREAM_END_TOKEN:
    case YAML_VERSION_DIRECTIVE_TOKEN:
    case YAML_TAG_DIRECTIVE_TOKEN:
    case YAML_DOCUMENT_START_TOKEN:
    case YAML_DOCUMENT_END_TOKEN:
    case YAML_BLOCK_ENTRY_TOKEN:
    case YAML_FLOW_ENTRY_TOKEN:
    case YAML_KEY_TOKEN:
    case YAML_VALUE_TOKEN:
    case YAML_ALIAS_TOKEN:
    case YAML_TAG_TOKEN:
    case YAML_SCALAR_TOKEN:
        break;
    }
}

/* False when there is no next one. */
static bool next(yaml_parser_t *parser, struct counts *c, yaml_mark_t *at)
{
    yaml_token_t token;
    if (!yaml_parser_scan(parser, &token)) {
        return false;
    }
    const yaml_token_type_t type = token.type;
    *at = token.start_mark;
    yaml_token_delete(&token);
    count(c, type);
    return type != YAML_STREAM_END_TOKEN && type != YAML_NO_TOKEN;
}

bool skr_yaml_guard(const char *text, size_t n, struct skr_findings *findings)
{
    yaml_parser_t parser;
    yaml_mark_t at;
    struct counts c = {0, 0};
    if (!yaml_parser_initialize(&parser)) {
        skr_findings_add(findings, true, "Limit", 0, 0, "no memory");
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    while (c.depth <= SKR_YAML_DEPTH_MAX && c.anchors <= SKR_YAML_ANCHORS_MAX &&
           next(&parser, &c, &at)) {
    }
    yaml_parser_delete(&parser);
    if (c.depth > SKR_YAML_DEPTH_MAX) {
        skr_findings_add(findings, true, "Limit", at.line + 1, at.column + 1,
                         "nested deeper than %d levels", (int)SKR_YAML_DEPTH_MAX);
    } else if (c.anchors > SKR_YAML_ANCHORS_MAX) {
        skr_findings_add(findings, true, "Limit", at.line + 1, at.column + 1,
                         "more than %d anchors", (int)SKR_YAML_ANCHORS_MAX);
    }
    return c.depth <= SKR_YAML_DEPTH_MAX && c.anchors <= SKR_YAML_ANCHORS_MAX;
}
