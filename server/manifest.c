/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files to objects. A text that begins with a brace is a stream of JSON values, anything else is
 * YAML. Positions of values inside objects are looked up in the text only when there is something
 * to say about them.
 */
#include "server/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/manifest_yaml.h"
#include "topology/arena.h"
#include "topology/json_position.h"

struct reader {
    struct skr_manifests *manifests;
    skr_manifest_check *check;
    void *context;
    struct skr_strbuf *errors;
    size_t n_errors;
    enum skr_error_code worst;
    /* the text at hand */
    const char *file;
    const char *text;
    size_t n;
    bool is_json;
    size_t document; /* YAML: number of the document */
    size_t value_at; /* JSON: where the value begins */
};

void skr_manifests_init(struct skr_manifests *manifests)
{
    *manifests = (struct skr_manifests){.item = NULL};
}

void skr_manifests_fini(struct skr_manifests *manifests)
{
    for (size_t i = 0; i < manifests->n; i++) {
        json_decref(manifests->item[i].object);
    }
    for (size_t i = 0; i < manifests->n_files; i++) {
        free(manifests->file[i]);
    }
    free(manifests->item);
    free(manifests->file);
    skr_manifests_init(manifests);
}

static void complain(struct reader *r, size_t line, size_t column, enum skr_error_code code,
                     const char *text)
{
    r->worst = code;
    if (r->n_errors++ < SKR_MANIFEST_ERRORS_MAX) {
        skr_strbuf_addf(r->errors, "%s:%zu:%zu: %s\n", r->file, line, column, text);
    }
}

static void complain_file(struct reader *r, const char *file, enum skr_error_code code,
                          const char *text)
{
    r->worst = code;
    if (r->n_errors++ < SKR_MANIFEST_ERRORS_MAX) {
        skr_strbuf_addf(r->errors, "%s: %s\n", file, text);
    }
}

/* ---- positions ---- */

/* Lines of a text in front of which another text stands. */
static struct skr_yaml_mark shift(const struct reader *r, struct skr_position at)
{
    struct skr_yaml_mark mark = {at.line, at.column};
    size_t line_begin = 0;
    for (size_t i = 0; i < r->value_at; i++) {
        if (r->text[i] == '\n') {
            mark.line++;
            line_begin = i + 1;
        }
    }
    mark.column += at.line == 1 ? r->value_at - line_begin : 0;
    return mark;
}

enum { PATH_PARTS_MAX = 32 };

/* Cuts "items[3].spec" into "items", "3", "spec". Returns the number of parts. */
static size_t cut_path(char *path, const char *part[PATH_PARTS_MAX + 1])
{
    size_t n = 0;
    for (char *at = path; *at && n < PATH_PARTS_MAX;) {
        part[n++] = at;
        at += strcspn(at, ".[]");
        while (*at && strchr(".[]", *at)) {
            *at++ = '\0';
        }
    }
    part[n] = NULL;
    return n;
}

static struct skr_yaml_mark find_json(const struct reader *r, const char *path)
{
    const char *part[PATH_PARTS_MAX + 1];
    struct skr_position found = {1, 1};
    char *copy = skr_strdup(path);
    const char *text = r->text + r->value_at;
    /* The deepest that is there. */
    for (size_t n = cut_path(copy, part); n > 0; n--) {
        part[n] = NULL;
        if (skr_json_find_path(text, part, &found)) {
            break;
        }
    }
    free(copy);
    return shift(r, found);
}

static struct skr_yaml_mark find(const struct reader *r, const char *path)
{
    return r->is_json ? find_json(r, path) : skr_yaml_find(r->text, r->n, r->document, path);
}

/* ---- objects ---- */

/* The path an error's text begins with: up to ": ", no blank in it. */
static void path_of(const char *text, char *path, size_t size)
{
    size_t n = strcspn(text, ": ");
    path[0] = '\0';
    if (n < size && text[n] == ':') {
        memcpy(path, text, n);
        path[n] = '\0';
    }
}

static void complain_at(struct reader *r, const char *prefix, const struct skr_error *error)
{
    char path[256], full[320];
    path_of(error->text, path, sizeof path);
    snprintf(full, sizeof full, "%s%s%s", prefix, prefix[0] && path[0] ? "." : "", path);
    struct skr_yaml_mark at = find(r, full);
    complain(r, at.line, at.column, error->code, error->text);
}

static bool has_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && text[0];
}

static void take_list(struct reader *r, json_t *list, const char *prefix,
                      struct skr_yaml_mark mark);

/* prefix: path of the object in its document; takes object. */
static void take_object(struct reader *r, json_t *object, const char *prefix,
                        struct skr_yaml_mark mark)
{
    struct skr_error error = {SKR_OK, ""};
    struct skr_manifests *m = r->manifests;
    if (!json_is_object(object)) {
        skr_error_set(&error, SKR_INVALID, "an API object is expected, with apiVersion and kind");
    } else if (!has_text(object, "kind")) {
        skr_error_set(&error, SKR_INVALID, "kind is missing");
    } else if (!has_text(object, "apiVersion")) {
        skr_error_set(&error, SKR_INVALID, "apiVersion is missing");
    } else if (json_is_array(json_object_get(object, "items"))) {
        take_list(r, object, prefix, mark);
        return;
    } else if (m->n == SKR_MANIFEST_OBJECTS_MAX) {
        skr_error_set(&error, SKR_LIMIT, "more than %d objects", SKR_MANIFEST_OBJECTS_MAX);
    } else if (r->check) {
        r->check(r->context, object, &error);
    }
    if (error.code != SKR_OK) {
        complain_at(r, prefix, &error);
        json_decref(object);
        return;
    }
    skr_grow(&m->item, &m->cap, m->n + 1, sizeof *m->item);
    m->item[m->n++] = (struct skr_manifest){object, r->file, mark.line, mark.column};
}

/* Takes list. Items of a typed list may leave out what the list says. */
static void take_list(struct reader *r, json_t *list, const char *prefix, struct skr_yaml_mark mark)
{
    char path[64], item_kind[128];
    const char *kind = json_string_value(json_object_get(list, "kind"));
    size_t n = strlen(kind);
    json_t *items = json_object_get(list, "items");
    bool typed = n > 4 && strcmp(kind + n - 4, "List") == 0;
    snprintf(item_kind, sizeof item_kind, "%.*s", typed ? (int)(n - 4) : 0, kind);
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *object = json_array_get(items, i);
        if (typed && json_is_object(object) && !has_text(object, "kind")) {
            json_object_set_new(object, "kind", json_string(item_kind));
        }
        if (typed && json_is_object(object) && !has_text(object, "apiVersion")) {
            json_object_set(object, "apiVersion", json_object_get(list, "apiVersion"));
        }
        if (prefix[0]) {
            struct skr_error nested = {SKR_OK, ""};
            skr_error_set(&nested, SKR_INVALID, "a list in a list");
            complain_at(r, prefix, &nested);
            break;
        }
        snprintf(path, sizeof path, "items[%zu]", i);
        take_object(r, json_incref(object), path, mark);
    }
    json_decref(list);
}

/* ---- texts ---- */

static void read_yaml(struct reader *r)
{
    struct skr_yaml *yaml = skr_yaml_create(r->text, r->n);
    struct skr_yaml_mark mark;
    struct skr_error error;
    json_t *object;
    for (r->document = 0;; r->document++) {
        if (skr_yaml_next(yaml, &object, &mark, &error) < 0) {
            complain(r, mark.line, mark.column, error.code, error.text);
            break;
        }
        if (!object) {
            break;
        }
        if (json_is_null(object)) {
            json_decref(object);
        } else {
            take_object(r, object, "", mark);
        }
    }
    skr_yaml_destroy(yaml);
}

static bool is_too_deep(struct reader *r)
{
    struct skr_position at;
    if (!skr_json_deeper_than(r->text, SKR_MANIFEST_DEPTH_MAX, &at)) {
        return false;
    }
    complain(r, at.line, at.column, SKR_LIMIT, "nested too deep");
    return true;
}

static void read_json(struct reader *r)
{
    json_error_t error;
    size_t at = 0;
    if (is_too_deep(r)) {
        return;
    }
    while (at += strspn(r->text + at, " \t\r\n"), at < r->n) {
        r->value_at = at;
        json_t *object = json_loadb(r->text + at, r->n - at,
                                    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!object) {
            struct skr_position where;
            /* Columns of libjansson count characters; ours count bytes. */
            skr_json_find_token(r->text + at, (size_t)error.position, &where);
            struct skr_yaml_mark mark = shift(r, where);
            complain(r, mark.line, mark.column, SKR_INVALID, error.text);
            return;
        }
        at += (size_t)error.position;
        take_object(r, object, "", shift(r, (struct skr_position){1, 1}));
    }
}

static void read_text(struct reader *r)
{
    size_t blank = strspn(r->text, " \t\r\n");
    r->is_json = r->text[blank] == '{' || r->text[blank] == '[';
    r->value_at = 0;
    if (strlen(r->text) != r->n) {
        complain_file(r, r->file, SKR_INVALID, "contains a NUL byte");
    } else if (r->is_json) {
        read_json(r);
    } else {
        read_yaml(r);
    }
}

static const char *remember_file(struct skr_manifests *m, const char *name)
{
    skr_grow(&m->file, &m->cap_files, m->n_files + 1, sizeof *m->file);
    m->file[m->n_files] = skr_strdup(name);
    return m->file[m->n_files++];
}

static void parse(struct reader *r, const char *name, const char *text, size_t n)
{
    r->file = remember_file(r->manifests, name);
    r->text = text;
    r->n = n;
    read_text(r);
}

static int finish(struct reader *r)
{
    if (r->n_errors > SKR_MANIFEST_ERRORS_MAX) {
        skr_strbuf_addf(r->errors, "and %zu more\n", r->n_errors - SKR_MANIFEST_ERRORS_MAX);
    }
    return r->n_errors > 0 ? -(int)r->worst : 0;
}

int skr_manifests_parse(struct skr_manifests *manifests, const char *name, const char *text,
                        size_t n, skr_manifest_check *check, void *context,
                        struct skr_strbuf *errors)
{
    struct reader r = {
        .manifests = manifests, .check = check, .context = context, .errors = errors};
    parse(&r, name, text, n);
    return finish(&r);
}

/* ---- files ---- */

static void read_stream(struct reader *r, FILE *stream, const char *name)
{
    struct skr_strbuf text;
    char *chunk = skr_alloc(1 << 16);
    skr_strbuf_init(&text);
    size_t got;
    while ((got = fread(chunk, 1, 1 << 16, stream)) > 0 && text.len <= SKR_MANIFEST_BYTES_MAX) {
        skr_strbuf_addn(&text, chunk, got);
    }
    if (ferror(stream)) {
        complain_file(r, name, SKR_INVALID, strerror(errno));
    } else if (text.len > SKR_MANIFEST_BYTES_MAX) {
        complain_file(r, name, SKR_LIMIT, "larger than 1 GiB");
    } else {
        parse(r, name, text.s ? text.s : "", text.len);
    }
    skr_strbuf_fini(&text);
    free(chunk);
}

static void read_file(struct reader *r, const char *name)
{
    FILE *stream = fopen(name, "rb");
    if (!stream) {
        complain_file(r, name, errno == ENOENT ? SKR_NOT_FOUND : SKR_INVALID, strerror(errno));
        return;
    }
    read_stream(r, stream, name);
    fclose(stream);
}

static int is_manifest(const struct dirent *entry)
{
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    size_t n = strlen(entry->d_name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && strcmp(entry->d_name + n - m, endings[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(struct reader *r, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_manifest, by_bytes);
    if (n < 0) {
        complain_file(r, folder, SKR_INVALID, strerror(errno));
        return;
    }
    if (n == 0 || n > SKR_MANIFEST_FILES_MAX) {
        complain_file(r, folder, n == 0 ? SKR_NOT_FOUND : SKR_LIMIT,
                      n == 0 ? "no *.yaml, *.yml or *.json in it" : "too many files");
    }
    for (int i = 0; i < n; i++) {
        struct skr_strbuf name;
        skr_strbuf_init(&name);
        size_t len = strlen(folder);
        skr_strbuf_addf(&name, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
                        entry[i]->d_name);
        if (n <= SKR_MANIFEST_FILES_MAX) {
            read_file(r, name.s);
        }
        skr_strbuf_fini(&name);
        free(entry[i]);
    }
    free(entry);
}

int skr_manifests_read(struct skr_manifests *manifests, const char *path, skr_manifest_check *check,
                       void *context, struct skr_strbuf *errors)
{
    struct reader r = {
        .manifests = manifests, .check = check, .context = context, .errors = errors};
    struct stat status;
    if (strcmp(path, "-") == 0) {
        read_stream(&r, stdin, "stdin");
    } else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        read_folder(&r, path);
    } else {
        read_file(&r, path);
    }
    return finish(&r);
}
