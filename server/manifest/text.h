/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_TEXT_H
#define SKR_SERVER_MANIFEST_TEXT_H
/*
 * Reads one text of API objects, YAML documents or a stream of JSON values with Lists flattened, and
 * finds positions in it. Lines count from 1 and end as YAML says (LF, CRLF, CR). Columns count
 * characters in YAML and bytes in JSON.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/manifest/yaml.h"
#include "topology/base/error.h"

enum { SKR_MANIFEST_PREFIX_MAX = 64 };

/* The place of an object. Valid as long as the text is. */
struct skr_manifest_place {
    const char *text; /* NUL-terminated */
    size_t n;
    bool is_json;
    size_t document;                      /* YAML: its number */
    size_t value_at;                      /* JSON: offset of the value */
    char prefix[SKR_MANIFEST_PREFIX_MAX]; /* path of the object in its value: "items[3]", or "" */
};

enum skr_manifest_fault {
    SKR_MANIFEST_SYNTAX, /* no YAML, no JSON */
    SKR_MANIFEST_TWICE,  /* a key */
    SKR_MANIFEST_FIELD,  /* an object without apiVersion or kind, a list in a list */
    SKR_MANIFEST_LIMIT,
};

struct skr_manifest_visitor {
    void *context;
    /* object: an object with apiVersion and kind, taken. mark: where its value begins. */
    void (*object)(void *context, json_t *object, const struct skr_manifest_place *place,
                   struct skr_yaml_mark mark);
    /* mark.line 0: about the text as a whole. */
    void (*complain)(void *context, struct skr_yaml_mark mark, enum skr_manifest_fault fault,
                     enum skr_error_code code, const char *text);
};

/* Whether a text is read as JSON. */
bool skr_manifest_is_json(const char *text);
void skr_manifest_text_read(const char *text, size_t n, const struct skr_manifest_visitor *visitor);

/* Where the value at path ("spec.nodeName") of the object begins, or the deepest value above it
 * that is there. */
struct skr_yaml_mark skr_manifest_find(const struct skr_manifest_place *place, const char *path);
/* Where byte offset of the string at path stands, whose text is value. When the string is not
 * written out there (an alias, a merge key): where that begins. */
struct skr_yaml_mark skr_manifest_find_inside(const struct skr_manifest_place *place,
                                              const char *path, const char *value, size_t offset);

#endif
