/* SPDX-License-Identifier: Apache-2.0 */
/* A page from a daemon's admin listener, by libcurl. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/source.h"
#include "server/version.h"
#include "topology/base/arena.h"

#define LOOPBACK "http://127.0.0.1:" /* no proxy leads there, whatever the environment says */

struct transfer {
    struct skr_strbuf *out;
    bool too_large;
};

static size_t on_data(char *data, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    n *= size;
    if (n > SKR_VIEW_BYTES_MAX - t->out->len) {
        t->too_large = true;
        return 0;
    }
    skr_strbuf_addn(t->out, data, n);
    return n;
}

/* The token without what surrounds it, behind the header's name. */
static int read_token(const char *path, struct skr_strbuf *out, struct skr_error *error)
{
    FILE *file = fopen(path, "re");
    SKR_AUTO_FREE char *text = skr_alloc(SKR_CLIENT_TOKEN_MAX + 2);
    if (!file) {
        return skr_error_set(error, SKR_INVALID, "%.200s: the token file cannot be read", path);
    }
    const size_t n = fread(text, 1, SKR_CLIENT_TOKEN_MAX + 1, file);
    fclose(file);
    const char *begin = text + strspn(text, " \t\r\n");
    const size_t len = strcspn(begin, " \t\r\n");
    int rc = 0;
    if (n > SKR_CLIENT_TOKEN_MAX || len == 0 || strlen(text) != n ||
        begin[len + strspn(begin + len, " \t\r\n")] != '\0') {
        rc = skr_error_set(error, SKR_INVALID, "%.180s: not a token (one word, at most %d bytes)",
                           path, SKR_CLIENT_TOKEN_MAX);
    } else {
        skr_strbuf_add(out, "Authorization: Bearer ");
        skr_strbuf_addn(out, begin, len);
    }
    return rc;
}

/* The server without slashes at its end, then the target. */
static void write_url(const char *server, const char *target, struct skr_strbuf *out)
{
    size_t n = strlen(server);
    while (n > 0 && server[n - 1] == '/') {
        n--;
    }
    if (!strstr(server, "://")) {
        skr_strbuf_add(out, "http://");
    }
    skr_strbuf_addn(out, server, n);
    skr_strbuf_add(out, target);
}

static int refused(const char *server, long status, const struct skr_strbuf *body,
                   struct skr_error *error)
{
    json_auto_t *json = body->s ? json_loads(body->s, 0, NULL) : NULL;
    const char *message = json_string_value(json_object_get(json, "message"));
    int rc;
    if (message) {
        rc = skr_source_refused((int)status, message, error);
    } else if (status == 401 || status == 403) {
        rc = skr_error_set(error, SKR_DENIED, "%.180s: not allowed (HTTP %ld)", server, status);
    } else {
        rc = skr_error_set(error, SKR_INVALID, "%.180s: HTTP %ld, not an answer of sakkara", server,
                           status);
    }
    return rc;
}

static int perform(CURL *easy, const struct skr_client_options *options, const char *url,
                   struct curl_slist *headers, struct transfer *t, struct skr_error *error)
{
    char text[CURL_ERROR_SIZE] = "";
    const CURLcode set[] = {
        curl_easy_setopt(easy, CURLOPT_URL, url),
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, text),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data),
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, (void *)t),
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers),
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L),
        curl_easy_setopt(easy, CURLOPT_NOPROXY,
                         strncmp(url, LOOPBACK, sizeof LOOPBACK - 1) == 0 ? "*" : NULL),
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                         (long)(options->request_timeout / SKR_MILLISECOND)),
    };
    CURLcode c = CURLE_OK;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        c = set[i] != CURLE_OK ? set[i] : c;
    }
    c = c != CURLE_OK ? c : curl_easy_perform(easy);
    if (t->too_large) {
        return skr_error_set(error, SKR_LIMIT, "the answer has more than %d bytes",
                             SKR_VIEW_BYTES_MAX);
    }
    if (c != CURLE_OK) {
        return skr_error_set(error, SKR_RETRY, "%.100s cannot be reached: %.120s", options->server,
                             text[0] ? text : curl_easy_strerror(c));
    }
    return 0;
}

int skr_source_http(const struct skr_client_options *options, const char *target,
                    struct skr_strbuf *out, struct skr_error *error)
{
    SKR_STRBUF(url);
    SKR_STRBUF(header);
    struct transfer t = {.out = out};
    char agent[128];
    long status = 0;
    int rc = options->token_file ? read_token(options->token_file, &header, error) : 0;
    CURL *easy = NULL;
    if (rc == 0 &&
        (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(easy = curl_easy_init()))) {
        rc = skr_error_set(error, SKR_NO_MEMORY, "libcurl cannot be used");
    }
    if (rc == 0) {
        write_url(options->server, target, &url);
        snprintf(agent, sizeof agent, "User-Agent: sakkara/%s", skr_version);
        struct curl_slist *headers = curl_slist_append(NULL, agent);
        headers = header.len ? curl_slist_append(headers, header.s) : headers;
        rc = perform(easy, options, url.s, headers, &t, error);
        curl_slist_free_all(headers);
    }
    if (rc == 0) {
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        rc = status == 200 ? 0 : refused(options->server, status, out, error);
    }
    curl_easy_cleanup(easy);
    return rc;
}
