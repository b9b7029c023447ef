/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_YAML_H
#define SKR_SERVER_MANIFEST_YAML_H
/*
 * A YAML document as JSON; and, for messages, the position of a value in a text, which is read once
 * more for it. Plain scalars are resolved as kubectl's YAML library does: YAML 1.1 booleans and
 * numbers; infinities and NaN, which JSON lacks, stay strings.
 */
#include <jansson.h>
#include <stddef.h>

#include "server/manifest/document.h"

/* A reader of manifests. text is borrowed. */
struct skr_document *skr_yaml_create(const char *text, size_t n);
/* skr_document_next() as JSON; *ret (owned) is NULL at the end of the text, *root its values. Errors:
 * SKR_INVALID, SKR_LIMIT, SKR_CONFLICT (a key twice). */
int skr_yaml_next(struct skr_document *yaml, json_t **ret, const struct skr_value **root,
                  struct skr_document_error *error);

/* Where the value at path ("items[3].spec.nodeName") of the document-th document (from 0) begins,
 * or the deepest value above it that is there. A key of a mapping may hold dots. Positions count
 * characters; an anchor or a tag belongs to its value. style: how the value is written, or
 * SKR_SCALAR_NONE when it is not there, no scalar, or an alias; NULL allowed. */
struct skr_yaml_mark skr_yaml_find(const char *text, size_t n, size_t document, const char *path,
                                   enum skr_scalar_style *style);

#endif
