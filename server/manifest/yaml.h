/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_YAML_H
#define SKR_SERVER_MANIFEST_YAML_H
/*
 * YAML to JSON over libyaml's events, one document at a time; and, for messages, the position of a
 * value in a text by a second pass. Plain scalars are resolved as kubectl's YAML library does: YAML
 * 1.1 booleans and numbers; infinities and NaN, which JSON lacks, stay strings.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/manifest/scalar_position.h"
#include "topology/base/error.h"

struct skr_yaml;

/* text is borrowed. */
struct skr_yaml *skr_yaml_create(const char *text, size_t n);
void skr_yaml_destroy(struct skr_yaml *yaml); /* NULL allowed */
/* The next document; *ret NULL at the end of the text. mark: where it begins; with an error: what
 * it is about. After an error the text cannot be read on. Errors: SKR_INVALID, SKR_LIMIT,
 * SKR_CONFLICT (a key twice). */
int skr_yaml_next(struct skr_yaml *yaml, json_t **ret, struct skr_yaml_mark *mark,
                  struct skr_error *error);
/* Where the elements of the list "items" of the document last read begin, and how many of them were
 * written out there. Borrowed until the next document. */
const struct skr_yaml_mark *skr_yaml_items(const struct skr_yaml *yaml, size_t *ret_n);

/* Where the value at path ("items[3].spec.nodeName") of the document-th document (from 0) begins,
 * or the deepest value above it that is there. A key of a mapping may hold dots. Positions count
 * characters; an anchor or a tag belongs to its value. style: how the value is written, or
 * SKR_SCALAR_NONE when it is not there, no scalar, or an alias; NULL allowed. */
struct skr_yaml_mark skr_yaml_find(const char *text, size_t n, size_t document, const char *path,
                                   enum skr_scalar_style *style);

#endif
