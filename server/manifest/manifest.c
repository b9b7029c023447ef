/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders to lists of objects; texts are read by server/manifest/text.c. */
#include "server/manifest/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/file.h"
#include "server/manifest/text.h"
#include "topology/base/arena.h"

struct reader {
    struct skr_manifests *manifests;
    skr_manifest_check *check;
    void *context;
    struct skr_strbuf *errors;
    size_t n_errors;
    enum skr_error_code worst;
    const char *file;          /* at hand */
    skr_manifest_visit *visit; /* of the texts of files */
    void *visit_context;
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

static void complain_file(struct reader *r, const char *file, enum skr_error_code code,
                          const char *text)
{
    r->worst = code;
    if (r->n_errors++ < SKR_MANIFEST_ERRORS_MAX) {
        skr_strbuf_addf(r->errors, "%s: %s\n", file, text);
    }
}

/* ---- texts ---- */

static void complain(void *context, struct skr_yaml_mark mark, enum skr_manifest_fault fault,
                     enum skr_error_code code, const char *text)
{
    struct reader *r = context;
    (void)fault;
    if (mark.line == 0) {
        complain_file(r, r->file, code, text);
        return;
    }
    r->worst = code;
    if (r->n_errors++ < SKR_MANIFEST_ERRORS_MAX) {
        skr_strbuf_addf(r->errors, "%s:%zu:%zu: %s\n", r->file, mark.line, mark.column, text);
    }
}

static void take_object(void *context, json_t *object, const struct skr_manifest_place *place,
                        struct skr_yaml_mark mark)
{
    struct reader *r = context;
    struct skr_error error = {.code = SKR_OK};
    struct skr_manifests *m = r->manifests;
    if (m->n == SKR_MANIFEST_OBJECTS_MAX) {
        skr_error_set(&error, SKR_LIMIT, "more than %d objects", SKR_MANIFEST_OBJECTS_MAX);
    } else if (r->check) {
        r->check(r->context, object, &error);
    }
    if (error.code != SKR_OK) {
        char path[SKR_ERROR_KEY_MAX];
        skr_error_key(&error, path);
        /* To find a position costs the size of the text. */
        const bool is_said = r->n_errors < SKR_MANIFEST_ERRORS_MAX;
        complain(r, is_said ? skr_manifest_find(place, path) : mark, SKR_MANIFEST_FIELD, error.code,
                 error.text);
        json_decref(object);
        return;
    }
    skr_grow(&m->item, &m->cap, m->n + 1, sizeof *m->item);
    m->item[m->n++] = (struct skr_manifest){object, r->file, mark.line, mark.column};
}

static const char *remember_file(struct skr_manifests *m, const char *name)
{
    skr_grow(&m->file, &m->cap_files, m->n_files + 1, sizeof *m->file);
    m->file[m->n_files] = skr_strdup(name);
    return m->file[m->n_files++];
}

static void parse(struct reader *r, const char *name, const char *text, size_t n)
{
    const struct skr_manifest_visitor visitor = {r, take_object, complain};
    r->file = remember_file(r->manifests, name);
    skr_manifest_text_read(text, n, &visitor);
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

static void read_file(struct reader *r, const char *name)
{
    const bool is_stdin = strcmp(name, "-") == 0;
    SKR_AUTO_FREE char *text = NULL;
    size_t n = 0;
    struct skr_error error;
    const int rc = is_stdin
                       ? skr_file_read_open(STDIN_FILENO, SKR_MANIFEST_BYTES_MAX, &text, &n, &error)
                       : skr_file_read(name, SKR_MANIFEST_BYTES_MAX, &text, &n, &error);
    name = is_stdin ? "stdin" : name;
    if (rc < 0) {
        complain_file(r, name, error.code, error.text);
    } else {
        r->visit(r->visit_context, name, text, n);
    }
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
        SKR_STRBUF(name);
        size_t len = strlen(folder);
        skr_strbuf_addf(&name, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
                        entry[i]->d_name);
        if (n <= SKR_MANIFEST_FILES_MAX) {
            read_file(r, name.s);
        }
        free(entry[i]);
    }
    free(entry);
}

static void visit_all(struct reader *r, const char *path)
{
    struct stat status;
    if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        read_folder(r, path);
    } else {
        read_file(r, path);
    }
}

static void visit_parse(void *context, const char *name, const char *text, size_t n)
{
    parse(context, name, text, n);
}

int skr_manifests_read(struct skr_manifests *manifests, const char *path, skr_manifest_check *check,
                       void *context, struct skr_strbuf *errors)
{
    struct reader r = {.manifests = manifests,
                       .check = check,
                       .context = context,
                       .errors = errors,
                       .visit = visit_parse};
    r.visit_context = &r;
    visit_all(&r, path);
    return finish(&r);
}

int skr_manifest_files(const char *path, skr_manifest_visit *visit, void *context,
                       struct skr_strbuf *errors)
{
    struct reader r = {.errors = errors, .visit = visit, .visit_context = context};
    visit_all(&r, path);
    return finish(&r);
}
