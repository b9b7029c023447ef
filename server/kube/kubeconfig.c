/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads kubeconfigs, documents that keep the position of every value (server/manifest/document.h).
 * Entries are looked for in one file after the other. What is read of an entry belongs to its file:
 * the paths in it and the positions of its problems.
 */
#include "server/kube/kubeconfig.h"

#include <stdlib.h>
#include <string.h>

#include "server/file.h"
#include "server/kube/base64.h"
#include "server/manifest/document.h"

struct file {
    const char *path;
    struct skr_document *document;
    const struct skr_value *root; /* a mapping; NULL: the file is of no use */
};

struct reader {
    struct skr_findings *findings;
    struct file *file; /* [n], the first wins */
    size_t n;
    const struct file *at;         /* that of the value being read */
    struct skr_kube_access access; /* made here */
};

SKR_PRINTF(3, 4)
static void problem(const struct reader *r, const struct skr_value *at, const char *format, ...)
{
    char text[SKR_FINDING_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    skr_findings_add(r->findings, true, NULL, at ? at->at.line : 0, at ? at->at.column : 0, "%s",
                     text);
}

/* The values read from now on are of this file. */
static void enter(struct reader *r, const struct file *file)
{
    r->at = file;
    r->findings->file = file->path;
}

/* ---- walking ---- */

/* Value of a key, NULL when absent or null. map may be NULL. */
static const struct skr_value *member(const struct skr_value *map, const char *key)
{
    const struct skr_value *value = skr_value_member(map, key);
    return skr_value_is_null(value) ? NULL : value;
}

static const struct skr_value *typed_member(struct reader *r, const struct skr_value *map,
                                            const char *key, const char *path,
                                            enum skr_value_kind kind, const char *type_name)
{
    const struct skr_value *value = member(map, key);
    if (!value || value->kind == kind) {
        return value;
    }
    problem(r, value, "%s%s%s must be %s", path, path[0] ? "." : "", key, type_name);
    return NULL;
}

/* Text of a key; NULL when absent, empty or not a text. *ret_at (may be NULL): its position. */
static const char *text_member(struct reader *r, const struct skr_value *map, const char *key,
                               const char *path, const struct skr_value **ret_at)
{
    const struct skr_value *value = typed_member(r, map, key, path, SKR_VALUE_TEXT, "a text");
    if (ret_at) {
        *ret_at = value;
    }
    if (!value) {
        return NULL;
    }
    const char *text = value->text;
    if (strlen(text) != value->n) {
        problem(r, value, "%s%s%s holds a zero byte", path, path[0] ? "." : "", key);
        return NULL;
    }
    return text[0] == '\0' ? NULL : text;
}

static bool boolean_member(struct reader *r, const struct skr_value *map, const char *key,
                           const char *path)
{
    const struct skr_value *at = NULL;
    const char *text = text_member(r, map, key, path, &at);
    if (!text || strcmp(text, "false") == 0) {
        return false;
    }
    if (strcmp(text, "true") == 0) {
        return true;
    }
    problem(r, at, "%s.%s must be true or false, not \"%.64s\"", path, key, text);
    return false;
}

/* The list entry of one file called name, NULL: there is none. Reports entries without a name and
 * names twice. */
static const struct skr_value *entry_of_file(struct reader *r, const char *list_key,
                                             const char *name)
{
    const struct skr_value *list =
        typed_member(r, r->at->root, list_key, "", SKR_VALUE_LIST, "a list");
    const struct skr_value *found = NULL;
    if (list && list->n > SKR_KUBECONFIG_ENTRIES_MAX) {
        problem(r, list, "%s has more than %d entries", list_key, SKR_KUBECONFIG_ENTRIES_MAX);
        return NULL;
    }
    for (size_t i = 0; list && i < list->n; i++) {
        const struct skr_value *entry = list->item[i];
        const char *entry_name = text_member(r, entry, "name", list_key, NULL);
        if (!entry_name) {
            problem(r, entry, "%s: the entry has no name", list_key);
        } else if (strcmp(entry_name, name) == 0) {
            if (found) {
                problem(r, entry, "%s: \"%.128s\" stands twice (see line %zu)", list_key, name,
                        found->at.line);
            } else {
                found = entry;
            }
        }
    }
    return found;
}

/* The body (member inner) of the entry called name in the first file that has one, which is entered.
 * Reports, at position from of the file before, that there is no such entry. */
static const struct skr_value *named_entry(struct reader *r, const char *list_key,
                                           const char *inner, const char *name,
                                           const struct skr_value *from)
{
    const struct file *asking = r->at;
    const struct skr_value *found = NULL;
    for (size_t i = 0; i < r->n && !found; i++) {
        enter(r, &r->file[i]);
        found = entry_of_file(r, list_key, name);
    }
    if (!found) {
        enter(r, asking);
        problem(r, from, "\"%.128s\" is not among %s", name, list_key);
        return NULL;
    }
    const struct skr_value *body =
        typed_member(r, found, inner, list_key, SKR_VALUE_MAPPING, "a mapping");
    if (!body) {
        problem(r, found, "%s: \"%.128s\" has no %s", list_key, name, inner);
    }
    return body;
}

/* ---- values ---- */

/* Path as the kubeconfig means it: relative to its own folder. Heap. */
static char *resolve_path(const struct reader *r, const char *path)
{
    const char *slash = strrchr(r->at->path, '/');
    if (path[0] == '/' || !slash) {
        return skr_strdup(path);
    }
    size_t folder = (size_t)(slash - r->at->path) + 1;
    size_t n = strlen(path);
    char *full = skr_alloc(folder + n + 1);
    memcpy(full, r->at->path, folder);
    memcpy(full + folder, path, n);
    return full;
}

static void read_secret_file(struct reader *r, const struct skr_value *at, const char *key,
                             const char *path, struct skr_kube_secret *ret)
{
    struct skr_error error = {0};
    SKR_AUTO_FREE char *full = resolve_path(r, path);
    if (skr_kube_secret_read(ret, full, &error) < 0) {
        problem(r, at, "%s: %s", key, error.text);
    }
}

static void read_secret_data(struct reader *r, const struct skr_value *at, const char *key,
                             const char *text, struct skr_kube_secret *ret)
{
    struct skr_error error = {0};
    char *data = NULL;
    size_t n = 0;
    if (skr_base64_decode(text, strlen(text), &data, &n, &error) < 0) {
        problem(r, at, "%s: %s", key, error.text);
    } else {
        skr_kube_secret_take(ret, data, n);
    }
}

/* KEY-data or else the file KEY, which must hold PEM. */
static void read_pem(struct reader *r, const struct skr_value *map, const char *path,
                     const char *key, const char *data_key, struct skr_kube_secret *ret)
{
    const struct skr_value *at = NULL;
    size_t errors = r->findings->n_errors;
    const char *used = data_key;
    const char *text = text_member(r, map, data_key, path, &at);
    if (text) {
        read_secret_data(r, at, data_key, text, ret);
    } else {
        used = key;
        text = text_member(r, map, key, path, &at);
        if (text) {
            read_secret_file(r, at, key, text, ret);
        }
    }
    if (text && r->findings->n_errors == errors && !skr_kube_secret_is_pem(ret)) {
        problem(r, at, "%s holds no PEM block (-----BEGIN …-----)", used);
    }
}

static void read_cluster(struct reader *r, const struct skr_value *cluster)
{
    struct skr_kube_access *access = &r->access;
    struct skr_error error = {0};
    const struct skr_value *at = NULL;
    const char *server = text_member(r, cluster, "server", "cluster", &at);
    if (!server) {
        problem(r, cluster, "cluster.server is missing");
    } else if (skr_kube_access_set_server(access, server, &error) < 0) {
        problem(r, at, "cluster.server: %s", error.text);
    }
    read_pem(r, cluster, "cluster", "certificate-authority", "certificate-authority-data",
             &access->ca);
    access->insecure = boolean_member(r, cluster, "insecure-skip-tls-verify", "cluster");
    if (access->insecure && access->ca.data) {
        problem(r, member(cluster, "insecure-skip-tls-verify"),
                "cluster.insecure-skip-tls-verify and a certificate authority exclude each other");
    }
    access->tls_server_name =
        skr_strdup(text_member(r, cluster, "tls-server-name", "cluster", NULL));
    access->proxy_url = skr_strdup(text_member(r, cluster, "proxy-url", "cluster", &at));
    char shown[SKR_URL_SHOWN_MAX];
    if (access->proxy_url && !strstr(access->proxy_url, "://")) {
        problem(r, at, "cluster.proxy-url: \"%s\" has no scheme such as http://",
                skr_url_show(access->proxy_url, shown));
    }
}

static void refuse_helpers(struct reader *r, const struct skr_value *user)
{
    static const char *const helpers[] = {"exec", "auth-provider"};
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
        const struct skr_value *helper = member(user, helpers[i]);
        if (helper) {
            problem(r, helper,
                    "user.%s: login helpers are not run by a daemon; use a kubeconfig with the "
                    "token of a service account (kubectl create token, or a Secret of type "
                    "kubernetes.io/service-account-token) or a client certificate",
                    helpers[i]);
        }
    }
    const struct skr_value *as = member(user, "as");
    if (as) {
        problem(r, as,
                "user.as: impersonation is not supported; use credentials of that account itself");
    }
}

static void read_token(struct reader *r, const struct skr_value *user)
{
    struct skr_kube_secret *token = &r->access.token;
    struct skr_error error = {0};
    const struct skr_value *at = NULL;
    const char *text = text_member(r, user, "tokenFile", "user", &at);
    if (text) {
        read_secret_file(r, at, "tokenFile", text, token);
    } else {
        text = text_member(r, user, "token", "user", &at);
        if (text) {
            skr_kube_secret_take(token, skr_strdup(text), strlen(text));
        }
    }
    if (token->data && skr_kube_token_check(token, &error) < 0) {
        problem(r, at, "%s", error.text);
    }
}

static void read_user(struct reader *r, const struct skr_value *user)
{
    struct skr_kube_access *access = &r->access;
    size_t errors = r->findings->n_errors;
    refuse_helpers(r, user);
    read_token(r, user);
    read_pem(r, user, "user", "client-certificate", "client-certificate-data",
             &access->certificate);
    read_pem(r, user, "user", "client-key", "client-key-data", &access->key);
    const struct skr_value *at = NULL;
    access->username = skr_strdup(text_member(r, user, "username", "user", &at));
    access->password = skr_strdup(text_member(r, user, "password", "user", NULL));
    if (r->findings->n_errors > errors) {
        return;
    }
    if (access->certificate.data && !access->key.data) {
        problem(r, user, "user: a client certificate without client-key or client-key-data");
    }
    if (!access->certificate.data && access->key.data) {
        problem(r, user,
                "user: a client key without client-certificate or client-certificate-data");
    }
    if (access->username && access->token.data) {
        problem(r, at, "user: username and a token exclude each other");
    }
    if (access->username && strchr(access->username, ':')) {
        problem(r, at, "user.username must not hold a colon");
    }
    if (access->password && !access->username) {
        problem(r, user, "user: a password without username");
    }
}

/* ---- the documents ---- */

/* current-context, of the first file that has one, which is entered. NULL: reported. */
static const char *current_context(struct reader *r, const struct skr_value **ret_at)
{
    for (size_t i = 0; i < r->n; i++) {
        enter(r, &r->file[i]);
        const char *current = text_member(r, r->at->root, "current-context", "", ret_at);
        if (current) {
            return current;
        }
    }
    enter(r, &r->file[0]);
    const struct skr_value *at = member(r->at->root, "current-context");
    problem(r, at ? at : r->at->root,
            "current-context is not set; choose one with kubectl config use-context");
    return NULL;
}

static void read_context(struct reader *r)
{
    const struct skr_value *at = NULL;
    const char *current = current_context(r, &at);
    const struct skr_value *context =
        current ? named_entry(r, "contexts", "context", current, at) : NULL;
    if (!context) {
        return;
    }
    const struct file *file = r->at;
    r->access.source = skr_strdup(file->path);
    const char *name = text_member(r, context, "cluster", "context", &at);
    if (!name) {
        problem(r, context, "context \"%.128s\" names no cluster", current);
    }
    const struct skr_value *cluster = name ? named_entry(r, "clusters", "cluster", name, at) : NULL;
    if (cluster) {
        read_cluster(r, cluster);
    }
    enter(r, file);
    name = text_member(r, context, "user", "context", &at);
    const struct skr_value *user = name ? named_entry(r, "users", "user", name, at) : NULL;
    if (user) {
        read_user(r, user);
    }
}

/* Whether the file can be merged. An empty one among others counts as one without keys. */
static bool check_root(struct reader *r, const struct skr_value *root, bool lone)
{
    if (!root) {
        if (lone) {
            problem(r, NULL, "the file is empty");
        }
        return false;
    }
    if (root->kind != SKR_VALUE_MAPPING) {
        problem(r, root, "not a kubeconfig: the document must be a mapping");
        return false;
    }
    const struct skr_value *at = NULL;
    const char *text = text_member(r, root, "kind", "", &at);
    if (text && strcmp(text, "Config") != 0) {
        problem(r, at, "kind must be Config, not \"%.64s\"", text);
    }
    text = text_member(r, root, "apiVersion", "", &at);
    if (text && strcmp(text, "v1") != 0) {
        problem(r, at, "apiVersion must be v1, not \"%.64s\"", text);
    }
    return true;
}

/* Reads the file that was entered, for merging. text: borrowed as long as the reader reads. */
static void read_text(struct reader *r, const char *text, size_t n, bool lone)
{
    struct file *file = &r->file[r->n];
    if (n > SKR_KUBECONFIG_BYTES_MAX) {
        problem(r, NULL, "the file is larger than %d bytes", SKR_KUBECONFIG_BYTES_MAX);
        return;
    }
    struct skr_document_error error;
    const struct skr_value *root;
    file->document = skr_document_create(text, n, SKR_YAML_DEPTH_MAX, SKR_YAML_ANCHORS_MAX);
    if (skr_document_next(file->document, &root, &error) < 0) {
        skr_findings_add(r->findings, true, NULL, error.at.line, error.at.column, "%s%s",
                         error.code == SKR_LIMIT ? "" : "not YAML: ", error.problem);
    } else if (check_root(r, root, lone)) {
        file->root = root;
        r->n++;
        return;
    }
    skr_document_destroy(file->document);
}

/* Fills access from the files that were read, if all is well with them. Ends the reader. */
static int merge(struct reader *r, struct skr_kube_access *access, size_t errors)
{
    skr_kube_access_init(&r->access);
    if (r->findings->n_errors == errors && r->n == 0) {
        r->findings->file = NULL;
        problem(r, NULL, "none of the files exists, or those that do are empty");
    } else if (r->findings->n_errors == errors) {
        read_context(r);
    }
    for (size_t i = 0; i < r->n; i++) {
        skr_document_destroy(r->file[i].document);
    }
    r->findings->file = NULL;
    if (r->findings->n_errors > errors) {
        skr_kube_access_fini(&r->access);
        return -SKR_INVALID;
    }
    skr_kube_access_fini(access);
    *access = r->access;
    return 0;
}

int skr_kubeconfig_parse(const char *text, size_t n, const char *path,
                         struct skr_kube_access *access, struct skr_findings *findings)
{
    struct file file = {.path = path};
    struct reader r = {.findings = findings, .file = &file};
    const size_t errors = findings->n_errors;
    enter(&r, &file);
    read_text(&r, text, n, true);
    return merge(&r, access, errors);
}

int skr_kubeconfig_load(const char *const *paths, size_t n, struct skr_kube_access *access,
                        struct skr_findings *findings)
{
    struct file file[SKR_KUBECONFIG_FILES_MAX];
    char *text[SKR_KUBECONFIG_FILES_MAX] = {NULL};
    size_t bytes[SKR_KUBECONFIG_FILES_MAX] = {0};
    struct reader r = {.findings = findings, .file = file};
    const size_t errors = findings->n_errors;
    for (size_t i = 0; i < n; i++) {
        struct skr_error error = {0};
        file[r.n] = (struct file){.path = paths[i]};
        enter(&r, &file[r.n]);
        if (skr_file_read(paths[i], SKR_KUBECONFIG_BYTES_MAX, &text[i], &bytes[i], &error) == 0) {
            read_text(&r, text[i], bytes[i], n == 1);
        } else if (error.code != SKR_NOT_FOUND || n == 1) {
            problem(&r, NULL, "cannot be read: %s", error.text);
        }
    }
    const int rc = merge(&r, access, errors);
    for (size_t i = 0; i < n; i++) {
        skr_file_drop(text[i], bytes[i]);
    }
    return rc;
}

void skr_kubeconfig_paths_split(struct skr_kubeconfig_paths *paths, const char *list)
{
    char *save = NULL;
    *paths = (struct skr_kubeconfig_paths){.text = skr_strdup(list)};
    for (char *path = strtok_r(paths->text, ":", &save); path; path = strtok_r(NULL, ":", &save)) {
        bool is_new = true;
        for (size_t i = 0; i < paths->n && i < SKR_KUBECONFIG_FILES_MAX; i++) {
            is_new = is_new && strcmp(paths->item[i], path) != 0;
        }
        if (is_new && paths->n++ < SKR_KUBECONFIG_FILES_MAX) {
            paths->item[paths->n - 1] = path;
        }
    }
}

int skr_kube_access_load(const char *const *paths, size_t n, struct skr_kube_access *access,
                         struct skr_findings *findings, struct skr_error *error)
{
    if (n == 0) {
        return skr_kube_access_from_environment(access, error);
    }
    if (n > SKR_KUBECONFIG_FILES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "KUBECONFIG names %zu files; at most %d are read", n,
                             SKR_KUBECONFIG_FILES_MAX);
    }
    if (skr_kubeconfig_load(paths, n, access, findings) < 0) {
        return n == 1 ? skr_error_set(error, SKR_INVALID, "%.200s: the kubeconfig cannot be used",
                                      paths[0])
                      : skr_error_set(error, SKR_INVALID, "the files of KUBECONFIG cannot be used");
    }
    return 0;
}
