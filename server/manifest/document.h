/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_DOCUMENT_H
#define SKR_SERVER_MANIFEST_DOCUMENT_H
/*
 * The one reader of YAML (JSON is YAML): documents as trees of values with positions, for
 * configurations, kubeconfigs and, through yaml.h, manifests. The caller decides what a scalar means.
 * An alias is a separate value that shares the values below its anchor. The number of values that
 * all aliases stand for is bounded, so a small text cannot become a large tree. The depth of a
 * document is limited, aliases included.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/manifest/scalar_position.h"
#include "topology/base/error.h"

enum {
    SKR_YAML_DEPTH_MAX = 64, /* lists and mappings within each other: configuration, kubeconfig */
    SKR_YAML_ANCHORS_MAX = 256,             /* anchors of one file: the same */
    SKR_MANIFEST_DEPTH_MAX = 100,           /* nesting: manifests */
    SKR_MANIFEST_ALIAS_VALUES_MAX = 100000, /* that aliases of one file stand for */
};

enum skr_value_kind { SKR_VALUE_TEXT, SKR_VALUE_LIST, SKR_VALUE_MAPPING };

struct skr_value {
    enum skr_value_kind kind;
    enum skr_scalar_style style; /* TEXT, unless it is an alias; else SKR_SCALAR_NONE */
    struct skr_yaml_mark at; /* where it begins, anchor and tag included; columns in characters */
    const char *text;        /* TEXT: n bytes and a NUL */
    size_t n;                /* TEXT: bytes; LIST: values; MAPPING: pairs */
    bool is_plain;           /* TEXT: without quotes, and not tagged as a string */
    bool is_alias;
    const struct skr_value **item; /* LIST: [n]; MAPPING: [2 * n], each key before its value */
    size_t n_all, height; /* values in it, with itself and all that aliases stand for; levels */
};

struct skr_document;

/* Where and why a text is no YAML (SKR_INVALID), or beyond a limit (SKR_LIMIT). */
struct skr_document_error {
    enum skr_error_code code;
    struct skr_yaml_mark at;
    const char *context; /* of libyaml, a constant; NULL: none */
    char problem[176];
};

/* text: n bytes, borrowed. depth: at most SKR_MANIFEST_DEPTH_MAX. */
struct skr_document *skr_document_create(const char *text, size_t n, size_t depth, size_t anchors);
void skr_document_destroy(struct skr_document *document); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_document, skr_document_destroy)
/* The next document; the one before goes. 1: *root is borrowed; 0: there is none; negative: *error,
 * and no more can be read. O(bytes). */
int skr_document_next(struct skr_document *document, const struct skr_value **root,
                      struct skr_document_error *error);
/* The first value of a key; NULL: there is none, or map is NULL or no mapping. */
const struct skr_value *skr_value_member(const struct skr_value *map, const char *key);
bool skr_value_is(const struct skr_value *value, const char *text); /* value NULL: false */
bool skr_value_is_null(const struct skr_value *value);              /* "", null, ~ without quotes */
const char *skr_value_kind_name(const struct skr_value *value);     /* "a list" */

#endif
