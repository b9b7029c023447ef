/* SPDX-License-Identifier: Apache-2.0 */
/* libyaml's document loader, whose nodes become values one by one. */
#include "server/manifest/document.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "server/manifest/guard.h"
#include "topology/base/arena.h"
#include "topology/base/error.h"

struct skr_document {
    yaml_parser_t parser;
    yaml_document_t nodes;
    size_t n_values;
    struct skr_value *value; /* in the order of nodes */
};

/* libyaml counts nodes from 1. */
static const struct skr_value *value_of(const struct skr_document *document, int node)
{
    return node > 0 ? &document->value[node - 1] : NULL;
}

static void fill(const struct skr_document *document, const yaml_node_t *node,
                 struct skr_value *ret)
{
    ret->line = node->start_mark.line + 1;
    ret->column = node->start_mark.column + 1;
    switch (node->type) {
    case YAML_SEQUENCE_NODE: {
        const yaml_node_item_t *item = node->data.sequence.items.start;
        ret->kind = SKR_VALUE_LIST;
        ret->n = (size_t)(node->data.sequence.items.top - item);
        ret->item = skr_alloc_array(ret->n + 1, sizeof *ret->item);
        for (size_t i = 0; i < ret->n; i++) {
            ret->item[i] = value_of(document, item[i]);
        }
        break;
    }
    case YAML_MAPPING_NODE: {
        const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
        ret->kind = SKR_VALUE_MAPPING;
        ret->n = (size_t)(node->data.mapping.pairs.top - pair);
        ret->item = skr_alloc_array(2 * ret->n + 1, sizeof *ret->item);
        for (size_t i = 0; i < ret->n; i++) {
            ret->item[2 * i] = value_of(document, pair[i].key);
            ret->item[2 * i + 1] = value_of(document, pair[i].value);
        }
        break;
    }
    case YAML_SCALAR_NODE:
    case YAML_NO_NODE:
        ret->kind = SKR_VALUE_TEXT;
        ret->text = (const char *)node->data.scalar.value;
        ret->n = node->data.scalar.length;
        ret->is_plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        break;
    }
}

static void set_error(const yaml_parser_t *parser, struct skr_document_error *ret)
{
    *ret = (struct skr_document_error){
        .line = parser->problem_mark.line + 1,
        .column = parser->problem_mark.column + 1,
        .problem = parser->problem ? parser->problem : "cannot be read",
        .context = parser->context,
    };
}

struct skr_document *skr_document_read(const char *text, size_t n, struct skr_findings *findings,
                                       struct skr_document_error *ret)
{
    *ret = (struct skr_document_error){.problem = NULL};
    if (!skr_yaml_guard(text, n, findings)) {
        return NULL;
    }
    struct skr_document *document = skr_alloc(sizeof *document);
    if (!yaml_parser_initialize(&document->parser)) {
        skr_findings_add(findings, true, "Limit", 0, 0, "no memory");
        free(document);
        return NULL;
    }
    yaml_parser_set_input_string(&document->parser, (const unsigned char *)text, n);
    if (!yaml_parser_load(&document->parser, &document->nodes)) {
        set_error(&document->parser, ret);
        yaml_parser_delete(&document->parser);
        free(document);
        return NULL;
    }
    const yaml_node_t *node = document->nodes.nodes.start;
    document->n_values = (size_t)(document->nodes.nodes.top - node);
    document->value = skr_alloc_array(document->n_values + 1, sizeof *document->value);
    for (size_t i = 0; i < document->n_values; i++) {
        fill(document, &node[i], &document->value[i]);
    }
    return document;
}

void skr_document_destroy(struct skr_document *document)
{
    if (!document) {
        return;
    }
    for (size_t i = 0; i < document->n_values; i++) {
        free(document->value[i].item);
    }
    free(document->value);
    yaml_document_delete(&document->nodes);
    yaml_parser_delete(&document->parser);
    free(document);
}

const struct skr_value *skr_document_root(const struct skr_document *document)
{
    return document->n_values > 0 ? &document->value[0] : NULL;
}

int skr_document_next(struct skr_document *document, struct skr_document_error *ret)
{
    yaml_document_t next;
    if (!yaml_parser_load(&document->parser, &next)) {
        set_error(&document->parser, ret);
        return -SKR_INVALID;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    if (root) {
        *ret = (struct skr_document_error){.line = root->start_mark.line + 1,
                                           .column = root->start_mark.column + 1};
    }
    yaml_document_delete(&next);
    return root ? 1 : 0;
}

/* ---- values ---- */

bool skr_value_is(const struct skr_value *value, const char *text)
{
    return value && value->kind == SKR_VALUE_TEXT && value->n == strlen(text) &&
           memcmp(value->text, text, value->n) == 0;
}

bool skr_value_is_null(const struct skr_value *value)
{
    return value && value->kind == SKR_VALUE_TEXT && value->is_plain &&
           (value->n == 0 || skr_value_is(value, "null") || skr_value_is(value, "~"));
}

const char *skr_value_kind_name(const struct skr_value *value)
{
    static const char *const names[] = {[SKR_VALUE_TEXT] = "a single value",
                                        [SKR_VALUE_LIST] = "a list",
                                        [SKR_VALUE_MAPPING] = "a mapping"};
    return names[value->kind];
}
