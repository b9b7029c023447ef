/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_DOCUMENT_H
#define SKR_SERVER_MANIFEST_DOCUMENT_H
/*
 * A YAML file (JSON is YAML) as a tree whose values know where they stand: for files that are read
 * key by key, with every error at its place. Scalars are texts; what they mean is the reader's
 * business. Aliases point at the values that they name and are never copied, so a file cannot grow
 * by referring to itself; the tree may be a graph then, and a reader goes as deep as its own keys.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/findings.h"

enum skr_value_kind { SKR_VALUE_TEXT, SKR_VALUE_LIST, SKR_VALUE_MAPPING };

struct skr_value {
    enum skr_value_kind kind;
    size_t line, column;           /* where it begins; from 1 */
    const char *text;              /* TEXT: n bytes and a NUL */
    size_t n;                      /* TEXT: bytes; LIST: values; MAPPING: pairs */
    bool is_plain;                 /* TEXT: without quotes */
    const struct skr_value **item; /* LIST: [n]; MAPPING: [2 * n], each key before its value */
};

struct skr_document;

/* Where and why a text is no YAML. Texts are constants of libyaml. */
struct skr_document_error {
    size_t line, column;
    const char *problem, *context; /* context NULL: none */
};

/* The first document of n bytes of text. NULL: a limit of guard.h, or no memory, and a finding was
 * added (ret->problem is NULL then); or no YAML. O(n). */
struct skr_document *skr_document_read(const char *text, size_t n, struct skr_findings *findings,
                                       struct skr_document_error *ret);
void skr_document_destroy(struct skr_document *document); /* NULL allowed */
/* NULL: the document is empty. Borrowed, as all values. */
const struct skr_value *skr_document_root(const struct skr_document *document);
/* What follows in the file. 1: a document that begins at *ret; 0: nothing; negative: no YAML. Once. */
int skr_document_next(struct skr_document *document, struct skr_document_error *ret);

bool skr_value_is(const struct skr_value *value, const char *text); /* value NULL: false */
bool skr_value_is_null(const struct skr_value *value);              /* "", null, ~ without quotes */
const char *skr_value_kind_name(const struct skr_value *value);     /* "a list" */

#endif
