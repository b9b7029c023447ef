/* SPDX-License-Identifier: Apache-2.0 */
/* URLs are parsed by libcurl, so the address that is checked here is the one that is used later. */
#include "server/kube/access.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "server/file.h"

static const char service_account_folder[] = "/var/run/secrets/kubernetes.io/serviceaccount";

static void secret_fini(struct skr_kube_secret *secret)
{
    skr_file_drop(secret->data, secret->n);
    free(secret->file);
    *secret = (struct skr_kube_secret){0};
}

void skr_kube_access_init(struct skr_kube_access *access)
{
    *access = (struct skr_kube_access){0};
}

void skr_kube_access_fini(struct skr_kube_access *access)
{
    free(access->source);
    free(access->server);
    free(access->host);
    free(access->port);
    free(access->tls_server_name);
    free(access->proxy_url);
    free(access->username);
    skr_file_drop(access->password, access->password ? strlen(access->password) : 0);
    secret_fini(&access->ca);
    secret_fini(&access->certificate);
    secret_fini(&access->key);
    secret_fini(&access->token);
    *access = (struct skr_kube_access){0};
}

/* ---- the address ---- */

static void free_part(char **part)
{
    curl_free(*part);
}

static void free_url(CURLU **url)
{
    curl_url_cleanup(*url);
}

/* A part of the URL as heap memory of ours, NULL when it has none. */
static char *url_part(CURLU *url, CURLUPart what, unsigned int flags)
{
    SKR_CLEANUP(free_part) char *part = NULL;
    if (curl_url_get(url, what, &part, flags) != CURLUE_OK) {
        return NULL;
    }
    return skr_strdup(part);
}

static bool url_has(CURLU *url, CURLUPart what)
{
    SKR_AUTO_FREE char *part = url_part(url, what, 0);
    return part && part[0] != '\0';
}

const char *skr_url_show(const char *url, char *buffer)
{
    const char *rest = strstr(url, "://");
    rest = rest ? rest + 3 : url;
    const char *at = strrchr(rest, '@');
    const char *host = at ? at + 1 : rest;
    size_t n = strcspn(host, "?#");
    snprintf(buffer, SKR_URL_SHOWN_MAX, "%.*s%s%.*s%s", (int)(rest - url < 32 ? rest - url : 32),
             url, at ? "***@" : "", (int)(n < 80 ? n : 80), host, host[n] ? "?***" : "");
    return buffer;
}

static int check_url(CURLU *url, const char *text, struct skr_error *error)
{
    char shown[SKR_URL_SHOWN_MAX];
    char *scheme = url_part(url, CURLUPART_SCHEME, 0);
    bool known = scheme && (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0);
    free(scheme);
    if (!known) {
        return skr_error_set(error, SKR_INVALID, "\"%s\" does not begin with https:// or http://",
                             skr_url_show(text, shown));
    }
    if (url_has(url, CURLUPART_USER) || url_has(url, CURLUPART_PASSWORD)) {
        return skr_error_set(error, SKR_INVALID,
                             "the address holds a user; put credentials under users");
    }
    if (url_has(url, CURLUPART_QUERY) || url_has(url, CURLUPART_FRAGMENT)) {
        return skr_error_set(error, SKR_INVALID, "\"%s\" holds a query or a fragment",
                             skr_url_show(text, shown));
    }
    return 0;
}

int skr_kube_access_set_server(struct skr_kube_access *access, const char *url,
                               struct skr_error *error)
{
    char shown[SKR_URL_SHOWN_MAX];
    SKR_CLEANUP(free_url) CURLU *parsed = curl_url();
    if (!parsed) {
        return skr_error_set(error, SKR_NO_MEMORY, "no memory for a URL");
    }
    CURLUcode code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
    if (code != CURLUE_OK) {
        return skr_error_set(error, SKR_INVALID, "\"%s\" is not a URL: %s",
                             skr_url_show(url, shown), curl_url_strerror(code));
    }
    int rc = check_url(parsed, url, error);
    if (rc < 0) {
        return rc;
    }
    char *host = url_part(parsed, CURLUPART_HOST, 0);
    if (!host || host[0] == '\0' || strlen(host) > SKR_KUBE_ACCESS_ADDRESS_BYTES_MAX) {
        free(host);
        return skr_error_set(error, SKR_INVALID, "\"%s\" has no usable host",
                             skr_url_show(url, shown));
    }
    size_t n = strlen(host);
    if (host[0] == '[' && host[n - 1] == ']') {
        memmove(host, host + 1, n - 2);
        host[n - 2] = '\0';
    }
    free(access->host);
    free(access->port);
    free(access->server);
    access->host = host;
    access->port = url_part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    access->server = url_part(parsed, CURLUPART_URL, 0);
    skr_bug_on(!access->port || !access->server);
    for (n = strlen(access->server); n > 0 && access->server[n - 1] == '/'; n--) {
        access->server[n - 1] = '\0';
    }
    return 0;
}

/* ---- files ---- */

int skr_kube_secret_read(struct skr_kube_secret *secret, const char *file, struct skr_error *error)
{
    char *data = NULL;
    size_t n = 0;
    struct skr_error why;
    int rc = skr_file_read(file, SKR_KUBE_FILE_MAX, &data, &n, &why);
    if (rc == 0 && n == 0) {
        free(data);
        rc = skr_error_set(&why, SKR_INVALID, "the file is empty");
    }
    if (rc < 0) {
        return skr_error_set(error, why.code, "%s: %s", file, why.text);
    }
    char *name = skr_strdup(file);
    secret_fini(secret);
    *secret = (struct skr_kube_secret){.data = data, .n = n, .file = name};
    return 0;
}

void skr_kube_secret_take(struct skr_kube_secret *secret, char *data, size_t n)
{
    secret_fini(secret);
    *secret = (struct skr_kube_secret){.data = data, .n = n};
}

int skr_kube_token_check(struct skr_kube_secret *token, struct skr_error *error)
{
    const char *where = token->file ? token->file : "token";
    while (token->n > 0 && strchr(" \t\r\n", token->data[token->n - 1])) {
        token->data[--token->n] = '\0';
    }
    if (token->n == 0) {
        return skr_error_set(error, SKR_INVALID, "%s: the token is empty", where);
    }
    if (token->n > SKR_KUBE_TOKEN_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s: the token is longer than %d bytes", where,
                             SKR_KUBE_TOKEN_MAX);
    }
    for (size_t i = 0; i < token->n; i++) {
        if (token->data[i] <= ' ' || token->data[i] >= 0x7f) {
            return skr_error_set(error, SKR_INVALID,
                                 "%s: byte %zu of the token cannot stand in a header", where,
                                 i + 1);
        }
    }
    return 0;
}

bool skr_kube_secret_is_pem(const struct skr_kube_secret *secret)
{
    static const char begin[] = "-----BEGIN ";
    return secret->data && memmem(secret->data, secret->n, begin, sizeof begin - 1);
}

/* ---- the account of a pod ---- */

static int set_service_address(struct skr_kube_access *access, const char *host, const char *port,
                               struct skr_error *error)
{
    char url[SKR_KUBE_ACCESS_ADDRESS_BYTES_MAX + 64];
    bool v6 = strchr(host, ':');
    int n =
        snprintf(url, sizeof url, "https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
    if (n < 0 || (size_t)n >= sizeof url) {
        return skr_error_set(error, SKR_LIMIT, "KUBERNETES_SERVICE_HOST is too long");
    }
    int rc = skr_kube_access_set_server(access, url, error);
    return rc < 0 ? skr_error_prefix(error, "KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT") : 0;
}

static int read_in(struct skr_kube_secret *secret, const char *folder, const char *name,
                   struct skr_error *error)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        return skr_error_set(error, SKR_LIMIT, "path of the service account is too long");
    }
    return skr_kube_secret_read(secret, path, error);
}

int skr_kube_access_in_cluster(struct skr_kube_access *access, const char *host, const char *port,
                               const char *folder, struct skr_error *error)
{
    if (!host || host[0] == '\0' || !port || port[0] == '\0') {
        return skr_error_set(
            error, SKR_NOT_FOUND,
            "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are "
            "not set; name a file with --kubeconfig");
    }
    free(access->source);
    access->source = skr_strdup("in-cluster account");
    int rc = set_service_address(access, host, port, error);
    if (rc < 0) {
        return rc;
    }
    rc = read_in(&access->token, folder, "token", error);
    if (rc < 0) {
        return skr_error_prefix(error, "in-cluster account");
    }
    rc = skr_kube_token_check(&access->token, error);
    if (rc < 0) {
        return skr_error_prefix(error, "in-cluster account");
    }
    rc = read_in(&access->ca, folder, "ca.crt", error);
    if (rc < 0) {
        return skr_error_prefix(error, "in-cluster account");
    }
    if (!skr_kube_secret_is_pem(&access->ca)) {
        return skr_error_set(error, SKR_INVALID, "in-cluster account: %s holds no certificate",
                             access->ca.file);
    }
    return 0;
}

int skr_kube_access_from_environment(struct skr_kube_access *access, struct skr_error *error)
{
    return skr_kube_access_in_cluster(access, getenv("KUBERNETES_SERVICE_HOST"),
                                      getenv("KUBERNETES_SERVICE_PORT"), service_account_folder,
                                      error);
}

/* ---- rotation ---- */

/* Reads one file again; the old value stays when the new one is unusable. */
static bool refresh_secret(struct skr_kube_secret *secret, bool is_token, struct skr_error *error)
{
    if (!secret->file) {
        return false;
    }
    struct skr_error problem = {0};
    struct skr_kube_secret fresh = {0};
    int rc = skr_kube_secret_read(&fresh, secret->file, &problem);
    if (rc == 0 && is_token) {
        rc = skr_kube_token_check(&fresh, &problem);
    } else if (rc == 0 && !skr_kube_secret_is_pem(&fresh)) {
        rc = skr_error_set(&problem, SKR_INVALID, "%s holds no PEM block", secret->file);
    }
    if (rc < 0 || !fresh.data) {
        if (error->code == SKR_OK) {
            *error = problem;
        }
        secret_fini(&fresh);
        return false;
    }
    bool changed =
        !secret->data || fresh.n != secret->n || memcmp(fresh.data, secret->data, fresh.n) != 0;
    secret_fini(secret);
    *secret = fresh;
    return changed;
}

bool skr_kube_access_refresh(struct skr_kube_access *access, struct skr_error *error)
{
    *error = (struct skr_error){0};
    bool token = refresh_secret(&access->token, true, error);
    bool ca = refresh_secret(&access->ca, false, error);
    bool certificate = refresh_secret(&access->certificate, false, error);
    bool key = refresh_secret(&access->key, false, error);
    return token || ca || certificate || key;
}
