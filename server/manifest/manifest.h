/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_MANIFEST_H
#define SKR_SERVER_MANIFEST_MANIFEST_H
/*
 * API objects from files, as kubectl reads them: YAML documents (scalars resolved as YAML 1.1 does,
 * anchors, aliases, merge keys), JSON values, Lists of objects (flattened), files, folders
 * (*.yaml, *.yml, *.json in byte order of names, not below), "-" for standard input.
 *
 * Every message reads file:line:column: text. All findings of a call come at once, one a document.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/error.h"
#include "topology/base/strbuf.h"

enum {
    SKR_MANIFEST_BYTES_MAX = 1 << 30,   /* of one file */
    SKR_MANIFEST_OBJECTS_MAX = 4000000, /* of one list of manifests */
    SKR_MANIFEST_ERRORS_MAX = 64,       /* messages of one call; the rest is counted */
    SKR_MANIFEST_FILES_MAX = 100000,    /* in one folder */
};

struct skr_manifest {
    json_t *object;   /* an object with apiVersion, kind; owned by the list */
    const char *file; /* borrowed from the list; "-" is called stdin */
    size_t line;      /* where it begins; from 1 */
    size_t column;
};

struct skr_manifests {
    struct skr_manifest *item; /* in the order they were read */
    size_t n, cap;
    char **file; /* names */
    size_t n_files, cap_files;
};

void skr_manifests_init(struct skr_manifests *manifests);
void skr_manifests_fini(struct skr_manifests *manifests);

/* Looks at an object that was read. Negative: refused; error's key is the path of the field that
 * is wrong ("spec.containers[0].name"), whose position is looked up then. */
typedef int skr_manifest_check(void *context, const json_t *object, struct skr_error *error);

/* Appends what is in path. check NULL: none. Messages go to errors, with line ends. 0,
 * -SKR_INVALID, -SKR_LIMIT, -SKR_NOT_FOUND (no such file). Cost O(bytes). */
int skr_manifests_read(struct skr_manifests *manifests, const char *path, skr_manifest_check *check,
                       void *context, struct skr_strbuf *errors);
/* The same for a text; name stands in front of messages. */
int skr_manifests_parse(struct skr_manifests *manifests, const char *name, const char *text,
                        size_t n, skr_manifest_check *check, void *context,
                        struct skr_strbuf *errors);

/* A text of a file; borrowed, NUL-terminated. */
typedef void skr_manifest_visit(void *context, const char *name, const char *text, size_t n);
/* The texts alone, of a file, a folder's files, or standard input. Errors: those of reading. */
int skr_manifest_files(const char *path, skr_manifest_visit *visit, void *context,
                       struct skr_strbuf *errors);

#endif
